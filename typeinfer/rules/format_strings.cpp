// "{:.3f}".format(x) and "%.3f" % x: the text is known at compile time, and is taken apart into
// what an f-string is made of.
#include "typeinfer/infer/engine.h"

#include <algorithm>

namespace numjit {

namespace {

constexpr std::string_view kDigits = "0123456789";

Operand constant_text(Emitter &e, std::string_view text) {
  return e.constant(constants::string(std::string(text)));
}

/// The number that a text of digits is; -1 if it is none, or too large to count arguments or
/// places.
int number_of(std::string_view text) {
  if (text.empty() || text.size() > 6 || text.find_first_not_of(kDigits) != text.npos)
    return -1;
  return std::stoi(std::string(text));
}

/// Pieces of a text, of which neighbouring constant ones are one.
class Pieces {
public:
  explicit Pieces(Emitter &e) : e_(e) {}
  void add(char c) { plain_ += c; }
  void add(const Operand &piece) {
    end_plain();
    pieces_.push_back(piece);
  }
  Operand joined() {
    end_plain();
    return join_texts(e_, pieces_);
  }

private:
  void end_plain() {
    if (!plain_.empty())
      pieces_.push_back(constant_text(e_, plain_));
    plain_.clear();
  }

  Emitter &e_;
  Operands pieces_;
  std::string plain_;
};

/// str.format; the grammar is that of "Format String Syntax" in the documentation of Python's
/// string module.
class FormatMethod {
public:
  /// The first of the positional arguments is the text.
  FormatMethod(Emitter &e, const CallArguments &arguments) : e_(e), arguments_(arguments) {}

  Operand run() { return expand(arguments_.positional[0].type->constant->text, 2); }

private:
  Operand expand(std::string_view text, int depth) {
    if (depth == 0)
      e_.fail("Max string recursion exceeded");
    Pieces pieces(e_);
    for (size_t i = 0; i < text.size(); ++i) {
      const char c = text[i];
      if (c != '{' && c != '}') {
        pieces.add(c);
      } else if (i + 1 < text.size() && text[i + 1] == c) {
        pieces.add(text[i++]);
      } else {
        if (c == '}' || i + 1 == text.size())
          e_.fail(std::string("Single '") + c + "' encountered in format string");
        const size_t end = end_of_field(text, i);
        pieces.add(field(text.substr(i + 1, end - i - 1), depth));
        i = end;
      }
    }
    return pieces.joined();
  }

  size_t end_of_field(std::string_view text, size_t start) {
    int open = 0;
    for (size_t i = start; i < text.size(); ++i) {
      open += (text[i] == '{') - (text[i] == '}');
      if (open == 0)
        return i;
    }
    e_.fail("expected '}' before end of string");
  }

  Operand field(std::string_view field, int depth) {
    size_t end = 0;
    for (bool in_brackets = false; end < field.size(); ++end) {
      if (field[end] == '{')
        e_.fail("unexpected '{' in field name");
      if (!in_brackets && (field[end] == '!' || field[end] == ':'))
        break;
      in_brackets = field[end] == '[' || (in_brackets && field[end] != ']');
    }
    Operand value = named(field.substr(0, end));
    field.remove_prefix(end);
    auto conversion = TextConversion::None;
    if (field.starts_with('!')) {
      const size_t which = field.size() > 1 ? std::string_view("sra").find(field[1]) : 3;
      if (which > 2)
        e_.fail("unknown conversion " + std::string(field) +
                " in a format string: there are !s, !r and !a");
      conversion = static_cast<TextConversion>(which + 1);
      field.remove_prefix(2);
      if (!field.empty() && field[0] != ':')
        e_.fail("expected ':' after conversion specifier");
    }
    const Operand spec = field.empty() ? e_.none() : expand(field.substr(1), depth - 1);
    return format_value(e_, value, conversion, spec);
  }

  /// `0.real`, `points[0].x`, or nothing: the next argument.
  Operand named(std::string_view name) {
    const size_t end = std::min(name.find_first_of(".["), name.size());
    Operand value = argument(name.substr(0, end));
    name.remove_prefix(end);
    while (!name.empty()) {
      if (name[0] != '.' && name[0] != '[')
        e_.fail("Only '.' or '[' may follow ']' in format field specifier");
      const bool attribute = name[0] == '.';
      const size_t stop =
          attribute ? std::min(name.find_first_of(".[", 1), name.size()) : name.find(']');
      if (stop == name.npos)
        e_.fail("Missing ']' in format string");
      const std::string part(name.substr(1, stop - 1));
      if (part.empty())
        e_.fail("Empty attribute in format string");
      if (attribute)
        value = rule_getattr(e_, value, part);
      else
        value = rule_getitem(
            e_, value, number_of(part) < 0 ? constant_text(e_, part) : e_.i64(number_of(part)));
      name.remove_prefix(attribute ? stop : stop + 1);
    }
    return value;
  }

  Operand argument(std::string_view name) {
    int index = number_of(name);
    if (!name.empty() && index < 0) {
      for (const auto &[keyword, value] : arguments_.keywords)
        if (keyword == name)
          return force(e_, value);
      e_.fail("format() got no argument '" + std::string(name) + "'");
    }
    const Numbering numbering = name.empty() ? Automatic : Manual;
    if (numbering_ != Unknown && numbering_ != numbering)
      e_.fail(numbering == Manual
                  ? "cannot switch from automatic field numbering to manual field specification"
                  : "cannot switch from manual field specification to automatic field numbering");
    numbering_ = numbering;
    if (numbering == Automatic)
      index = next_++;
    if (index + 1 >= static_cast<int>(arguments_.positional.size()))
      e_.fail("Replacement index " + std::to_string(index) +
              " out of range for positional args tuple");
    return force(e_, arguments_.positional[index + 1]);
  }

  Emitter &e_;
  const CallArguments &arguments_;
  enum Numbering { Unknown, Automatic, Manual } numbering_ = Unknown;
  int next_ = 0;
};

/// str % values; the grammar is that of "printf-style String Formatting" in Python's documentation
/// of its types.
class PercentFormat {
public:
  PercentFormat(Emitter &e, const Operand &values) : e_(e), values_(values) {}

  Operand run(std::string_view text) {
    Pieces pieces(e_);
    rest_ = text;
    while (!rest_.empty()) {
      const char c = take();
      if (c != '%')
        pieces.add(c);
      else if (rest_.starts_with('%'))
        pieces.add(take());
      else
        pieces.add(directive());
    }
    const bool mapping =
        values_.type->kind == Kind::Dict || values_.type->kind == Kind::LiteralDict;
    if (!mapping && used_ < count())
      e_.fail("not all arguments converted during string formatting");
    return pieces.joined();
  }

private:
  char take() {
    if (rest_.empty())
      e_.fail("incomplete format");
    const char c = rest_[0];
    rest_.remove_prefix(1);
    return c;
  }

  std::string take_while(std::string_view characters) {
    const std::string taken(
        rest_.substr(0, std::min(rest_.find_first_not_of(characters), rest_.size())));
    rest_.remove_prefix(taken.size());
    return taken;
  }

  std::string digits() {
    if (rest_.starts_with('*'))
      e_.fail_as("UnsupportedError",
                 "widths and precisions given as arguments (%*d) cannot be compiled",
                 "use an f-string: f\"{x:{width}d}\"");
    return take_while(kDigits);
  }

  int count() const {
    return values_.type->is_tuple() ? static_cast<int>(values_.type->params.size()) : 1;
  }

  Operand next_value() {
    if (used_ >= count())
      e_.fail("not enough arguments for format string");
    const int i = used_++;
    return values_.type->is_tuple() ? e_.field(values_, i) : values_;
  }

  Operand directive() {
    Operand keyed;
    if (rest_.starts_with('(')) {
      const size_t end = rest_.find(')');
      if (end == rest_.npos)
        e_.fail("incomplete format key");
      keyed = rule_getitem(e_, values_, constant_text(e_, rest_.substr(1, end - 1)));
      rest_.remove_prefix(end + 1);
    }
    flags_ = take_while("-+ #0");
    width_ = digits();
    precision_.clear();
    if (rest_.starts_with('.')) {
      take();
      precision_ = "." + digits();
      if (precision_ == ".")
        precision_ += "0";
    }
    take_while("hlL");
    const char kind = take();
    const Operand value = keyed ? keyed : next_value();
    switch (kind) {
    case 's': return text(format_value(e_, value, TextConversion::Str, e_.none()));
    case 'r': return text(format_value(e_, value, TextConversion::Repr, e_.none()));
    case 'a': return text(format_value(e_, value, TextConversion::Ascii, e_.none()));
    case 'c': return text(character(e_.unwrap(value)));
    case 'd':
    case 'i':
    case 'u': return decimal(e_.unwrap(value), kind);
    case 'o':
    case 'x':
    case 'X': return integer(whole(e_.unwrap(value), kind), std::string(1, kind));
    case 'e':
    case 'E':
    case 'f':
    case 'F':
    case 'g':
    case 'G': return real(e_.unwrap(value), kind);
    default: e_.fail(std::string("unsupported format character '") + kind + "' in a format string");
    }
  }

  Operand text(const Operand &value) {
    const std::string spec = width_ + precision_;
    return spec.empty() ? value : formatted(value, (has('-') ? "<" : ">") + spec);
  }

  Operand character(const Operand &value) {
    precision_.clear();
    if (value.type->is_text())
      return e_.library("numjit.one_character", {e_.unliteral(value)});
    const Operand code = e_.cast(whole(value, 'c'), types::int64());
    e_.raise_if(e_.op(Operator::Ge, e_.cast(code, types::uint64()),
                      e_.cast(e_.i64(0x110000), types::uint64())),
                "OverflowError", "%c arg not in range(0x110000)");
    return e_.library("builtins.chr", {code});
  }

  Operand decimal(const Operand &value, char kind) {
    if (!value.type->is_float())
      return integer(whole(value, kind), "d");
    std::erase(flags_, '#');
    return integer(e_.library("numjit.whole_part", {value}), ".0f");
  }

  /// A precision is the least number of digits: zeros are put in front, behind the sign.
  Operand integer(const Operand &value, const std::string &kind) {
    if (precision_.empty())
      return formatted(value, number_spec() + kind);
    const int places = number_of(precision_.substr(1)) + (has('#') && kind != "d" ? 2 : 0);
    const int filled = fills() ? number_of(width_) : 0;
    auto digits = [&](int sign) {
      const int width = std::max(places + sign, filled);
      return e_.unliteral(formatted(value, sign_and_form() + "0" + std::to_string(width) + kind));
    };
    const Operand all = has('+') || has(' ')
                            ? digits(1)
                            : e_.choose(
                                  e_.op(Operator::Lt, value, e_.cast(e_.i64(0), value.type)),
                                  [&] { return digits(1); }, [&] { return digits(0); });
    precision_.clear();
    return text(all);
  }

  Operand whole(const Operand &value, char kind) {
    if (!value.type->is_integer() && !value.type->is_bool())
      e_.fail(std::string("%") + kind + " format: an integer is required, not " + value.type->text);
    return value.type->is_bool() ? e_.cast(value, types::int64()) : value;
  }

  Operand real(const Operand &value, char kind) {
    if (!value.type->is_scalar() || value.type->is_complex())
      e_.fail(std::string("%") + kind + " format: must be real number, not " + value.type->text);
    return formatted(e_.cast(value, types::float64()), number_spec() + precision_ + kind);
  }

  /// Flags and width as a specification of format() has them.
  std::string number_spec() const {
    return (has('-') ? "<" : "") + sign_and_form() + (fills() ? "0" : "") + width_;
  }

  std::string sign_and_form() const {
    return std::string(has('+') ? "+" : has(' ') ? " " : "") + (has('#') ? "#" : "");
  }

  Operand formatted(const Operand &value, const std::string &spec) {
    return format_value(e_, value, TextConversion::None, constant_text(e_, spec));
  }

  /// Whether zeros fill the width.
  bool fills() const { return has('0') && !has('-'); }
  bool has(char flag) const { return flags_.find(flag) != flags_.npos; }

  Emitter &e_;
  const Operand &values_;
  std::string_view rest_;
  int used_ = 0;
  std::string flags_, width_, precision_; ///< of the directive
};

} // namespace

Operand call_format(Emitter &e, const CallArguments &arguments) {
  return FormatMethod(e, arguments).run();
}

Operand percent_format(Emitter &e, const Operand &text, const Operand &values) {
  if (text.type->kind == Kind::Unicode) // known at run time
    return e.library("numjit.percent_text", {text, values});
  return PercentFormat(e, values).run(text.type->constant->text);
}

} // namespace numjit
