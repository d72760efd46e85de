// Types from text: what `Type::text` and `Type::precise` print, and the forms that users write in
// signatures ("float64[:, ::1]", "Tuple((int64, f8))").
#include "typeinfer/types/lexer.h"
#include "typeinfer/types/ranges.h"
#include "typeinfer/types/types.h"
#include "typeinfer/types/units.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <utility>

namespace numjit::types {

const Type *scalar_named(std::string_view name) {
  // Other names of the scalars, as numba.types has them.
  static constexpr std::pair<std::string_view, ScalarId> aliases[] = {
      {"boolean", ScalarId::Bool},   {"bool_", ScalarId::Bool},       {"byte", ScalarId::UInt8},
      {"uchar", ScalarId::UInt8},    {"char", ScalarId::Int8},        {"short", ScalarId::Int16},
      {"ushort", ScalarId::UInt16},  {"intc", ScalarId::Int32},       {"uintc", ScalarId::UInt32},
      {"int_", ScalarId::Int64},     {"uint", ScalarId::UInt64},      {"intp", ScalarId::Int64},
      {"uintp", ScalarId::UInt64},   {"long_", ScalarId::Int64},      {"ulong", ScalarId::UInt64},
      {"longlong", ScalarId::Int64}, {"ulonglong", ScalarId::UInt64}, {"ssize_t", ScalarId::Int64},
      {"size_t", ScalarId::UInt64},  {"double", ScalarId::Float64},
  };
  for (int i = 0; i < kScalarCount; ++i) {
    const ScalarRow &row = scalar_row(static_cast<ScalarId>(i));
    if (name == row.name || name == row.short_name)
      return scalar(row.id);
  }
  for (const auto &[alias, id] : aliases)
    if (name == alias)
      return scalar(id);
  return nullptr;
}

const Type *item_named(std::string_view name) {
  if (const Type *scalar = name == "?" ? boolean() : scalar_named(name))
    return scalar;
  static constexpr std::pair<std::string_view, const Type *(*)(int)> times[] = {
      {"datetime64", datetime}, {"timedelta64", timedelta}, {"M8", datetime}, {"m8", timedelta}};
  for (auto [prefix, make] : times) {
    if (!name.starts_with(prefix))
      continue;
    std::string_view rest = name.substr(prefix.size());
    if (rest.empty())
      return make(kGeneric);
    if (!rest.starts_with("[") || !rest.ends_with("]"))
      return nullptr;
    const int unit = time_unit_named(rest.substr(1, rest.size() - 2));
    return unit < 0 ? nullptr : make(unit);
  }
  if (name.starts_with('<') || name.starts_with('|') || name.starts_with('='))
    name.remove_prefix(1);
  if (int64_t width = 0; name.size() > 1 && (name[0] == 'U' || name[0] == 'S') &&
                         std::from_chars(name.begin() + 1, name.end(), width).ptr == name.end())
    return width > 0 && width < 1 << 28 ? char_seq(name[0] == 'S', width) : nullptr;
  return nullptr;
}

namespace {

class Parser : public Lexer {
public:
  Parser(std::string_view text, size_t at) : Lexer(text, at) {}

  const Type *type() {
    const Type *type = base();
    for (;;) {
      if (peek('['))
        type = dimensions(type);
      else if (peek('*') && accept("*"))
        type = pointer(type);
      else
        return type;
    }
  }

  SignatureResult signature() {
    SignatureResult result;
    if (!peek('('))
      result.result = type();
    result.params = list_until('(', ')');
    end();
    return result;
  }

  void end() {
    skip();
    if (at_ != text_.size())
      fail("unexpected text after the type");
  }

private:
  std::string_view word() { return word_or_nothing(); }

  int whole_number() {
    if (peek('-'))
      fail("expected a number");
    return number<int>();
  }

  std::vector<const Type *> list_until(char open, char close) {
    std::vector<const Type *> types;
    expect({&open, 1});
    while (!peek(close)) {
      types.push_back(type());
      if (!accept(","))
        break;
    }
    expect({&close, 1});
    return types;
  }

  /// "(T)"
  const Type *only() {
    expect("(");
    const Type *inner = type();
    expect(")");
    return inner;
  }

  const Type *base() {
    if (accept("..."))
      return ellipsis();
    if (accept("[")) // [char x 3]
      return char_seq_form();
    skip();
    size_t start = at_;
    std::string_view name = word();
    if (name.empty())
      fail("expected a type");
    if (const Type *scalar = scalar_named(name))
      return scalar;
    if (name == "datetime64" || name == "timedelta64") {
      const size_t close = peek('[') ? text_.find(']', at_) : std::string_view::npos;
      const Type *time = close == std::string_view::npos
                             ? nullptr
                             : item_named(text_.substr(start, close + 1 - start));
      if (!time)
        fail("expected a unit, as in datetime64[ns]");
      at_ = close + 1;
      return time;
    }
    for (const Form &form : forms)
      if (name == form.name)
        return (this->*form.parse)();
    if (name.starts_with("range_state_")) {
      name.remove_prefix(std::string_view("range_state_").size());
      Stride stride = Stride::Any;
      const bool beyond = name.ends_with("_beyond");
      if (beyond)
        name.remove_suffix(std::string_view("_beyond").size());
      for (auto [suffix, known] :
           {std::pair<std::string_view, Stride>{"_unit", Stride::One}, {"_usual", Stride::Usual}})
        if (name.ends_with(suffix)) {
          stride = known;
          name.remove_suffix(suffix.size());
        }
      if (const Type *integer = scalar_named(name); integer && integer->is_integer())
        return beyond ? range_beyond(integer, stride) : range(integer, stride);
    }
    at_ = start;
    fail("unknown type '" + std::string(text_.substr(start, name.empty() ? 1 : name.size())) + "'");
  }

  // --- one function per form ---

  const Type *void_form() { return none(); }
  const Type *char_seq_form() {
    const std::string_view kind = word();
    if ((kind != "char" && kind != "unichr") || word() != "x")
      fail("expected [char x count] or [unichr x count]");
    const int count = whole_number();
    expect("]");
    return char_seq(kind == "char", count);
  }
  const Type *unicode_form() { return unicode(); }
  const Type *bytes_form() { return bytes_with(true); }
  const Type *bytearray_form() { return bytes_with(false); }
  /// "(uint8, 1d, C)" as printed; nothing else is possible.
  const Type *bytes_with(bool readonly) {
    if (accept("("))
      for (std::string_view part : {"uint8", ",", "1", "d", ",", "C", ")"})
        expect(part);
    return bytes(readonly);
  }
  const Type *undefined_form() { return undefined(); }
  const Type *owner_form() { return owner(); }
  const Type *ellipsis_form() { return ellipsis(); }
  const Type *optional_form() { return optional(only()); }
  const Type *list_form() { return list(only()); }
  const Type *dtype_form() { return dtype(only()); }
  const Type *pointer_form() { return pointer(only()); }
  const Type *enumerate_form() { return enumerate(only()); }
  const Type *zip_form() { return zip(list_until('(', ')')); }
  const Type *slice_form() {
    std::vector<const Type *> parts = list_until('<', '>');
    if (parts.size() != 3)
      fail("a slice has three parts");
    return slice(parts[0], parts[1], parts[2]);
  }

  const Type *iterator_form() {
    std::vector<const Type *> parts = list_until('(', ')');
    if (parts.empty())
      fail("expected the type that is iterated over");
    return iterator(parts[0], {parts.begin() + 1, parts.end()});
  }

  const Type *set_form() { return set(only()); }
  const Type *frozen_set_form() { return frozen_set(only()); }
  const Type *reflected_form() {
    return accept("set") ? set_form() : (expect("list"), list_form());
  }

  /// "[int64,float64]" as printed, "(int64, float64)" as written in signatures; "<iv=None>" is
  /// what Numba prints behind.
  std::vector<const Type *> container_items() {
    std::vector<const Type *> items = peek('[') ? list_until('[', ']') : list_until('(', ')');
    accept("<iv=None>");
    return items;
  }
  const Type *typed_list_form() {
    std::vector<const Type *> items = container_items();
    if (items.size() != 1)
      fail("a list has items of one type");
    return list(items[0], true);
  }
  const Type *typed_set_form() {
    std::vector<const Type *> items = container_items();
    if (items.size() != 1)
      fail("a set has items of one type");
    return set(items[0], true);
  }
  const Type *view_of(const char *what) {
    const Type *of = only();
    if (of->kind != Kind::Dict)
      fail("expected a dict");
    return dict_view(of, constants::string(what));
  }
  const Type *keys_form() { return view_of("keys"); }
  const Type *values_form() { return view_of("values"); }
  const Type *items_form() { return view_of("items"); }
  const Type *dict_form() {
    std::vector<const Type *> items = container_items();
    if (items.size() != 2)
      fail("a dict has a type of keys and a type of values");
    return dict(items[0], items[1]);
  }

  const Type *readonly_form() {
    const std::string_view what = word();
    if (what == "bytes")
      return bytes_form();
    if (what != "array")
      fail("expected 'array'");
    return array_with(true);
  }

  const Type *array_form() { return array_with(false); }

  /// "(int64 x 3)" as printed, "(int64, 3)" as written in signatures.
  const Type *uniform_form() {
    expect("(");
    const Type *item = type();
    if (!accept(",") && word() != "x")
      fail("expected ', count'");
    int count = whole_number();
    expect(")");
    return uniform_tuple(item, count);
  }

  /// "(int64, float64)" as printed, "((int64, float64))" or with brackets as written in signatures.
  const Type *tuple_form() {
    size_t start = at_;
    expect("(");
    bool nested = peek('(') || peek('[');
    at_ = nested ? at_ : start;
    std::vector<const Type *> items = peek('[') ? list_until('[', ']') : list_until('(', ')');
    if (nested) {
      accept(",");
      expect(")");
    }
    return tuple(std::move(items));
  }

  Layout layout() {
    char quote = accept("'") ? '\'' : accept("\"") ? '"' : 0;
    skip();
    static constexpr std::string_view letters = "CFAI";
    size_t index = at_ < text_.size() ? letters.find(text_[at_]) : std::string_view::npos;
    if (index == std::string_view::npos)
      fail("expected a layout: C, F or A");
    ++at_;
    if (quote)
      expect({&quote, 1});
    return static_cast<Layout>(index);
  }

  /// "(float64, 2d, C)" as printed, "(float64, 2, 'C')" and with `readonly` as written.
  const Type *array_with(bool readonly) {
    expect("(");
    const Type *item = type();
    expect(",");
    int ndim = whole_number();
    accept("d");
    expect(",");
    Layout order = layout();
    int64_t units = -1;
    while (accept(",")) {
      if (accept("units")) { // as printed in typed IR
        units = whole_number();
        continue;
      }
      bool is_readonly = !accept("aligned");
      accept("readonly");
      accept("=");
      std::string_view value = word();
      if (value != "True" && value != "False")
        fail("expected True or False");
      readonly |= is_readonly && value == "True";
    }
    expect(")");
    return with_units(checked_array(item, ndim, order, readonly), units);
  }

  const Type *checked_array(const Type *item, int ndim, Layout order, bool readonly) const {
    if (!item->is_item())
      fail("arrays of " + item->text + " are not supported");
    if (ndim > 64)
      fail("an array has at most 64 dimensions");
    return array(item, ndim, order, readonly);
  }

  /// "[:, ::1]": one colon per axis; "::1" marks the contiguous one, first (F) or last (C).
  const Type *dimensions(const Type *item) {
    expect("[");
    int ndim = 0, contiguous = -1;
    do {
      if (accept("...")) // Numba's spelling of "any number" has no meaning for one specialisation
        fail("the number of dimensions must be given");
      if (accept("::")) {
        if (contiguous >= 0)
          fail("only one axis can be contiguous");
        expect("1");
        contiguous = ndim;
      } else {
        expect(":");
      }
      ++ndim;
    } while (accept(","));
    expect("]");
    if (contiguous > 0 && contiguous != ndim - 1)
      fail("only the first or the last axis can be contiguous");
    Layout order = contiguous < 0 ? Layout::A : contiguous == ndim - 1 ? Layout::C : Layout::F;
    return checked_array(item, ndim, order, false);
  }

  struct Form {
    std::string_view name;
    const Type *(Parser::*parse)();
  };
  static constexpr int form_count = 36;
  static const Form forms[form_count];
};

const Parser::Form Parser::forms[Parser::form_count] = {
    {"void", &Parser::void_form},
    {"unicode_type", &Parser::unicode_form},
    {"string", &Parser::unicode_form},
    {"bytes", &Parser::bytes_form},
    {"bytearray", &Parser::bytearray_form},
    {"none", &Parser::void_form},
    {"ellipsis", &Parser::ellipsis_form},
    {"undefined", &Parser::undefined_form},
    {"owner", &Parser::owner_form},
    {"array", &Parser::array_form},
    {"Array", &Parser::array_form},
    {"readonly", &Parser::readonly_form},
    {"UniTuple", &Parser::uniform_form},
    {"Tuple", &Parser::tuple_form},
    {"OptionalType", &Parser::optional_form},
    {"Optional", &Parser::optional_form},
    {"optional", &Parser::optional_form},
    {"reflected", &Parser::reflected_form},
    {"List", &Parser::list_form},
    {"list", &Parser::list_form},
    {"ListType", &Parser::typed_list_form},
    {"DictType", &Parser::dict_form},
    {"SetType", &Parser::typed_set_form},
    {"dict_keys", &Parser::keys_form},
    {"dict_values", &Parser::values_form},
    {"dict_items", &Parser::items_form},
    {"Set", &Parser::set_form},
    {"set", &Parser::set_form},
    {"frozenset", &Parser::frozen_set_form},
    {"dtype", &Parser::dtype_form},
    {"DType", &Parser::dtype_form},
    {"CPointer", &Parser::pointer_form},
    {"slice", &Parser::slice_form},
    {"iter", &Parser::iterator_form},
    {"enumerate", &Parser::enumerate_form},
    {"zip", &Parser::zip_form},
};

} // namespace

ParseResult parse_prefix(std::string_view text, size_t &position) {
  try {
    Parser parser(text, position);
    const Type *type = parser.type();
    position = parser.position();
    return {type, {}, position};
  } catch (const Lexer::Error &bad) {
    return {nullptr, bad.message, bad.position};
  }
}

ParseResult parse(std::string_view text) {
  try {
    Parser parser(text, 0);
    const Type *type = parser.type();
    parser.end();
    return {type, {}, text.size()};
  } catch (const Lexer::Error &bad) {
    return {nullptr, bad.message, bad.position};
  }
}

SignatureResult parse_signature(std::string_view text) {
  try {
    return Parser(text, 0).signature();
  } catch (const Lexer::Error &bad) {
    SignatureResult result;
    result.error = bad.message;
    result.position = bad.position;
    return result;
  }
}

} // namespace numjit::types
