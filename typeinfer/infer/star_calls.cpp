// Calls with *items and **settings.
#include "typeinfer/infer/engine.h"

#include <algorithm>
#include <array>

namespace numjit {

namespace {

/// zip(*rows) of rows whose number is known at run time: the columns. A tuple of them where rows
/// are tuples whose items have several types, else a list. No type: it is no such call.
Operand columns_of(Emitter &e, const ssa::Value &call, const Operand &rows) {
  const Const *callee =
      call.operands[0]->op == ssa::Op::Const ? call.operands[0]->constant : nullptr;
  if (!callee || !callee->object || !call.keywords.empty())
    return {};
  const bool kept = callee->object->name == "numjit.kept.zip"; // next() asks for the columns
  if (!kept && callee->object->name != "builtins.zip")
    return {};
  Operands given{rows};
  Operand list =
      rows.type->kind == Kind::List ? rows : find_builtin("builtins.list")->rule(e, given);
  const Type *row = list.type->params[0];
  Operand columns = row->is_tuple() && !row->is_homogeneous()
                        ? e.library("numjit.tuple_columns",
                                    {list, e.i64(static_cast<int64_t>(row->params.size()))})
                        : e.library("numjit.columns", {list});
  return kept ? e.library("numjit.iterate", {columns}) : columns;
}

/// The function with source that a call calls; null if it is none, or the type does not tell.
const FunctionDef *called_source(const Operand &callee) {
  const Const *object = callee.type->constant;
  const bool has_source =
      object && object->kind == ConstKind::Object && object->object->function &&
      (callee.type->kind == Kind::Closure ||
       (callee.type->kind == Kind::Function && object->is_object(ObjectKind::Function)));
  return has_source ? object->object->function : nullptr;
}

/// The parameters of a function with source or the fields of a named tuple; nothing where a call
/// may have fewer or more arguments.
std::vector<std::string> parameters_of(const Operand &callee) {
  const Const *cls = callee.type->constant;
  if (cls && cls->is_object(ObjectKind::NamedTupleClass))
    return cls->object->field_defaults.empty() ? cls->object->fields : std::vector<std::string>{};
  const FunctionDef *def = called_source(callee);
  if (!def || def->code.has_varargs() || !def->defaults.empty())
    return {};
  return {def->code.varnames.begin(), def->code.varnames.begin() + def->code.argcount};
}

/// f(*items) of a list, an array or another iterable, whose length is known at run time: as many as
/// f takes.
Operand items_for(Emitter &e, const Operand &callee, Operand given,
                  const std::vector<std::string> &keywords) {
  const std::string refusal = "argument after * must be a tuple, not " + given.type->text;
  const char *hint = "how many arguments there are must be known when the call is compiled: "
                     "f(a[0], a[1]), or a function without defaults and *args";
  const std::vector<std::string> parameters = parameters_of(callee);
  const Kind kind = given.type->kind;
  const bool has_length =
      kind == Kind::List || given.type->is_array() || is_run_time_tuple(given.type);
  const bool is_iterable = kind == Kind::Generator || kind == Kind::Range;
  if (parameters.empty() || (!has_length && !is_iterable))
    e.fail(refusal, hint);
  if (is_iterable) {
    Operands one{given};
    given = find_builtin("builtins.list")->rule(e, one);
  }
  auto count = static_cast<int64_t>(parameters.size());
  for (const std::string &name : parameters)
    count -= std::ranges::count(keywords, name);
  const std::string name =
      callee.type->constant && callee.type->constant->is_object(ObjectKind::NamedTupleClass)
          ? callee.type->constant->object->short_name() + ".__new__"
          : called_source(callee)->code.name;
  const std::array<Operand, 1> length{e.library("builtins.len", {given})};
  e.raise_if(e.compare(Operator::Ne, length[0], e.i64(count)), "TypeError",
             name + "() takes " + std::to_string(count) + " positional arguments but {} were given",
             length);
  Operands items;
  for (int64_t i = 0; i < count; ++i)
    items.push_back(rule_getitem(e, given, e.i64(i)));
  return e.tuple(items);
}

} // namespace

Operand SsaRules::call_star(const ssa::Value &value) {
  Operand arguments = without_object(e, force(e, use(*value.operands[1])));
  if (!arguments.type->is_tuple())
    if (Operand columns = columns_of(e, value, arguments))
      return columns;
  if (!arguments.type->is_tuple())
    arguments = items_for(e, use(*value.operands[0]), arguments, value.keywords);
  CallArguments call;
  for (size_t i = 0; i < arguments.type->params.size(); ++i)
    call.positional.push_back(e.field(arguments, static_cast<int>(i)));
  for (size_t i = 0; i < value.keywords.size(); ++i) {
    Operand given = use(*value.operands[2 + i]);
    if (value.keywords[i] != "**") {
      call.keywords.emplace_back(value.keywords[i], given);
      continue;
    }
    if (given.type->kind != Kind::LiteralDict)
      e.fail("argument after ** must be a dict whose keys are known at compile time, not " +
                 given.type->text,
             "pass keyword arguments by name, or a **parameter on");
    for (size_t k = 0; k < given.type->names.size(); ++k)
      call.keywords.emplace_back(given.type->names[k], e.field(given, static_cast<int>(k)));
  }
  return rule_call(e, use(*value.operands[0]), std::move(call));
}

} // namespace numjit
