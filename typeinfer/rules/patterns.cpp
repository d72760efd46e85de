// Class patterns of the match statement. Types decide whether they match.
#include "typeinfer/infer/engine.h"

#include <algorithm>

namespace numjit {

namespace {

/// Classes of which a pattern with one place matches the value itself.
constexpr std::string_view matched_whole[] = {
    "builtins.bool",  "builtins.bytearray", "builtins.bytes", "builtins.dict",
    "builtins.float", "builtins.frozenset", "builtins.int",   "builtins.list",
    "builtins.set",   "builtins.str",       "builtins.tuple"};

std::string text_of(Emitter &e, const Operand &name) {
  if (name.type->kind != Kind::String)
    e.fail("names in a class pattern must be known at compile time");
  return name.type->constant->text;
}

/// numjit.match_class(subject, class, names, count): the attributes of `count` places and of the
/// names, or None.
Operand match_class(Emitter &e, Operands &a) {
  const Operand &subject = a[0], &cls = a[1], &names = a[2];
  Operands asked{subject, cls};
  Operand matches = find_builtin("builtins.isinstance")->rule(e, asked);
  if (!matches.constant)
    e.fail_as("UnsupportedError", "whether a class pattern matches " + subject.type->text +
                                      " is known at run time only");
  if (!matches.constant->integer)
    return e.none();
  const auto count = static_cast<size_t>(a[3].constant->integer);
  Operands parts;
  if (count) {
    const Const *known = cls.type->constant;
    const bool whole =
        known && known->kind == ConstKind::Object &&
        std::ranges::find(matched_whole, known->object->name) != std::end(matched_whole);
    if (whole && count == 1) {
      parts.push_back(subject);
    } else {
      const Operand places = rule_getattr(e, cls, "__match_args__");
      if (places.type->params.size() < count)
        e.fail("the class accepts " + std::to_string(places.type->params.size()) +
               " positional sub-patterns, " + std::to_string(count) + " are given");
      for (size_t i = 0; i < count; ++i)
        parts.push_back(rule_getattr(e, subject, text_of(e, e.field(places, static_cast<int>(i)))));
    }
  }
  for (size_t i = 0; i < names.type->params.size(); ++i)
    parts.push_back(rule_getattr(e, subject, text_of(e, e.field(names, static_cast<int>(i)))));
  return e.tuple(parts);
}

const Builtin kPatternRows[] = {
    {"numjit.match_class", "subject cls names count", match_class},
};

} // namespace

BuiltinTable pattern_builtins() { return kPatternRows; }

} // namespace numjit
