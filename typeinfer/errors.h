// Two kinds of errors: those of the user's program, and bugs of numjit.
#pragma once

#include "frontend/code.h"

#include <stdexcept>
#include <string>
#include <vector>

namespace numjit {

/// A place in source text with a short label ("int64 here").
struct Blame {
  const FunctionDef *function = nullptr;
  Position position;
  std::string label;
};

/// The user's program cannot be compiled. Formatted (source line, caret) by pyext/numjit/errors.py.
class CompileError : public std::exception {
public:
  /// `cls` names a class of numjit.errors: "TypingError", "UnsupportedError", ...
  CompileError(std::string cls, std::string message, std::vector<Blame> places,
               std::string hint = {})
      : cls(std::move(cls)), message(std::move(message)), places(std::move(places)),
        hint(std::move(hint)) {}
  const char *what() const noexcept override { return message.c_str(); }

  std::string cls, message;
  std::vector<Blame> places; ///< first: where the error is; others: where it comes from
  std::string hint;          ///< what to do, may be empty
};

/// A bug of numjit.
class InternalError : public std::logic_error {
public:
  using std::logic_error::logic_error;
};

} // namespace numjit
