// Calls with *items and **settings.
#include "typeinfer/infer/engine.h"
#include "typeinfer/infer/unify.h"

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

/// The __init__ of the program's class that a call makes an instance of; null for others.
const FunctionDef *called_init(const Operand &callee) {
  const Const *cls = callee.type->kind == Kind::Function ? callee.type->constant : nullptr;
  if (!cls || !cls->is_object(ObjectKind::Class) || !cls->object->value)
    return nullptr;
  const Const *init = cls->object->value->object->member("__init__");
  return init ? init->object->function : nullptr;
}

/// The function with source that a call calls; null if it is none, or the type does not tell.
const FunctionDef *called_source(const Operand &callee) {
  if (const FunctionDef *init = called_init(callee))
    return init;
  const Const *object = callee.type->constant;
  const bool has_source =
      object && object->kind == ConstKind::Object && object->object->function &&
      (callee.type->kind == Kind::Closure ||
       (callee.type->kind == Kind::Function && object->is_object(ObjectKind::Function)));
  return has_source ? object->object->function : nullptr;
}

/// The parameters of a function with source, the fields of a named tuple, or the operands of a
/// ufunc.
struct Parameters {
  std::string function;
  std::vector<std::string> names;
  std::vector<const Const *> defaults; ///< of the last ones
  bool takes_more = false;             ///< *args
};

Parameters parameters_of(const Operand &callee) {
  const Const *cls = callee.type->constant;
  if (cls && cls->is_object(ObjectKind::NamedTupleClass))
    return {cls->object->short_name() + ".__new__", cls->object->fields,
            cls->object->field_defaults};
  if (callee.type->kind == Kind::Function && cls && cls->object &&
      cls->object->name.starts_with("numpy."))
    if (const scalar::Row *ufunc = scalar::by_name(cls->object->name))
      return {cls->object->short_name(), std::vector<std::string>(ufunc->arity)};
  const FunctionDef *def = called_source(callee);
  const bool captures_defaults = def && callee.type->kind == Kind::Closure &&
                                 callee.type->params.size() > def->code.freevars.size();
  if (!def || captures_defaults)
    return {};
  const auto first = def->code.varnames.begin();
  return {def->code.name,
          {first + (called_init(callee) ? 1 : 0), first + def->code.argcount},
          def->defaults,
          def->code.has_varargs()};
}

/// The library's function for f(*items) of a list; null if it has none for `callee`.
FunctionDef *library_for_items(Emitter &e, const Operand &callee) {
  const Const *object = callee.type->constant;
  if (callee.type->kind != Kind::Function || !object->object)
    return nullptr;
  const std::string &name = object->object->name;
  Host &host = e.engine.host;
  host.library(name); // which may load the functions of its module
  return host.library(LibraryKey(name, LibraryUse::Star));
}

/// NumPy's functions of several arrays that return a tuple, but for one array that one.
bool gives_only_item(const Operand &callee) {
  const std::string &name = callee.type->constant->object->name;
  return name.starts_with("numpy.atleast_");
}

Operand only_item_or_all(Emitter &e, const Operand &tuple) {
  const Operand one = e.compare(Operator::Eq, e.library("builtins.len", {tuple}), e.i64(1));
  const Emitter::Meet meet = e.options().unions ? unify_or_unite : unify;
  return e.choose(
      one, [&] { return rule_getitem(e, tuple, e.i64(0)); }, [&] { return tuple; }, meet);
}

/// The items of what stands behind a star, where they can be counted at run time: those of other
/// iterables as a list. Fails for other types.
Operand countable(Emitter &e, Operand given) {
  const Kind kind = given.type->kind;
  if (kind == Kind::List || given.type->is_array() || is_run_time_tuple(given.type))
    return given;
  if (given.type->is_scalar() || kind == Kind::None || given.type->is_function())
    e.fail("argument after * must be an iterable, not " + given.type->text);
  Operands one{given};
  return find_builtin("builtins.list")->rule(e, one);
}

/// f(*items) of what has its length at run time: the arguments for the named parameters of f, and a
/// tuple of that kind for *args.
CallArguments arguments_for(Emitter &e, const Operand &callee, const Operand &given,
                            const std::vector<std::string> &keywords) {
  const auto [name, names, defaults, takes_more] = parameters_of(callee);
  if (names.empty() && !takes_more)
    e.fail("argument after * must be a tuple, not " + given.type->text,
           "how many arguments there are must be known when the call is compiled: f(a[0], a[1])");
  auto most = static_cast<int64_t>(names.size());
  for (const std::string &parameter : names)
    most -= std::ranges::count(keywords, parameter);
  const int64_t least =
      std::min(most, static_cast<int64_t>(names.size()) - static_cast<int64_t>(defaults.size()));
  const std::array<Operand, 1> length{e.library("builtins.len", {given})};
  auto check = [&](Operator wrong, int64_t count, const char *words) {
    e.raise_if(e.compare(wrong, length[0], e.i64(count)), "TypeError",
               name + "() takes " + words + std::to_string(count) +
                   " positional arguments but {} were given",
               length);
  };
  if (least == most && !takes_more)
    check(Operator::Ne, most, "");
  else
    check(Operator::Lt, least, "at least ");
  if (least < most && !takes_more)
    check(Operator::Gt, most, ("from " + std::to_string(least) + " to ").c_str());
  CallArguments arguments;
  for (int64_t i = 0; i < most; ++i) {
    auto item = [&] { return rule_getitem(e, given, e.i64(i)); };
    const Const *otherwise = i < least ? nullptr : defaults[i - (names.size() - defaults.size())];
    arguments.positional.push_back(otherwise
                                       ? e.choose(e.compare(Operator::Gt, length[0], e.i64(i)),
                                                  item, [&] { return e.constant(otherwise); })
                                       : item());
  }
  if (takes_more)
    arguments.rest = e.library("numjit.items_from", {given, e.i64(most)});
  return arguments;
}

} // namespace

Operand SsaRules::call_star(const ssa::Value &value) {
  Operand arguments = without_object(e, force(e, use(*value.operands[1])));
  if (!arguments.type->is_tuple())
    if (Operand columns = columns_of(e, value, arguments))
      return columns;
  CallArguments call;
  FunctionDef *of_items = nullptr;
  if (arguments.type->is_tuple()) {
    for (size_t i = 0; i < arguments.type->params.size(); ++i)
      call.positional.push_back(e.field(arguments, static_cast<int>(i)));
  } else {
    const Operand callee = use(*value.operands[0]);
    arguments = countable(e, arguments);
    of_items = library_for_items(e, callee);
    call = of_items ? CallArguments{{arguments}, {}}
                    : arguments_for(e, callee, arguments, value.keywords);
  }
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
  const Operand callee = use(*value.operands[0]);
  if (!of_items)
    return rule_call(e, callee, std::move(call));
  const Operand result = call_function(e, *of_items, {}, std::move(call));
  return gives_only_item(callee) ? only_item_or_all(e, result) : result;
}

} // namespace numjit
