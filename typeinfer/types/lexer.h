// Tokens of the texts of types and of typed IR.
#pragma once

#include <cctype>
#include <charconv>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

namespace numjit {

/// Base of the parsers, which descend recursively: every function reads from `at_` on and leaves it
/// behind what it read.
class Lexer {
public:
  struct Error {
    std::string message;
    size_t position;
  };

  size_t position() const { return at_; }
  /// The number of the line that is read, from 1.
  int line() const {
    int line = 1;
    for (size_t i = 0; i < at_ && i < text_.size(); ++i)
      line += text_[i] == '\n';
    return line;
  }

protected:
  explicit Lexer(std::string_view text, size_t at = 0) : text_(text), at_(at) {}

  [[noreturn]] void fail(std::string message) const { throw Error{std::move(message), at_}; }

  /// Skips white space and comments, which go from ';' to the end of the line.
  void skip(bool lines = true) {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == ';')
        while (at_ < text_.size() && text_[at_] != '\n')
          ++at_;
      else if (std::isspace(static_cast<unsigned char>(c)) && (lines || c != '\n'))
        ++at_;
      else
        return;
    }
  }

  bool peek(char c) {
    skip();
    return at_ < text_.size() && text_[at_] == c;
  }

  /// Stays in place if something else comes.
  bool accept(std::string_view token) {
    const size_t start = at_;
    skip();
    if (!text_.substr(at_).starts_with(token)) {
      at_ = start;
      return false;
    }
    at_ += token.size();
    return true;
  }

  /// As accept, but what follows must not continue the word.
  bool accept_word(std::string_view word) {
    const size_t start = at_;
    if (accept(word) && (at_ == text_.size() || !is_word(text_[at_])))
      return true;
    at_ = start;
    return false;
  }

  void expect(std::string_view token) {
    if (!accept(token)) {
      skip();
      fail("expected '" + std::string(token) + "'");
    }
  }

  static bool is_word(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '$';
  }

  /// Characters of a word, and those of `more`; empty if none comes.
  std::string_view word_or_nothing(std::string_view more = {}) {
    skip();
    const size_t start = at_;
    while (at_ < text_.size() &&
           (is_word(text_[at_]) || more.find(text_[at_]) != std::string_view::npos))
      ++at_;
    return text_.substr(start, at_ - start);
  }

  template <typename T>
  T number() {
    skip();
    T value{};
    const auto [end, error] =
        std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
    if (error != std::errc())
      fail("expected a number");
    at_ = static_cast<size_t>(end - text_.data());
    return value;
  }

  std::string_view text_;
  size_t at_;
};

} // namespace numjit
