// Calls of what has a name, such as numpy.sum, builtins.len, Array.sort: a list of meanings is
// asked in order, and the first that takes the call compiles it. NUMJIT_DUMP=lookup prints what was
// asked.
#include "typeinfer/rules/lookup.h"

#include "typeinfer/infer/engine.h"
#include "typeinfer/infer/unify.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string_view>

namespace numjit {

namespace {

/// operator.add and operator.iadd mean what the syntax means.
bool call_operator(Emitter &e, const std::string &name, CallArguments &arguments, Operand &result) {
  if (!name.starts_with("operator.") || !arguments.keywords.empty())
    return false;
  std::string plain = name.substr(9);
  for (bool inplace : {false, true}) {
    for (int i = 0; i <= static_cast<int>(Operator::Truth); ++i) {
      const OperatorRow &row = operator_row(static_cast<Operator>(i));
      std::string_view stem =
          row.name.ends_with('_') ? row.name.substr(0, row.name.size() - 1) : row.name;
      if (inplace ? row.form != OperatorForm::Binary || plain != "i" + std::string(stem)
                  : plain != row.name)
        continue;
      Operands &a = arguments.positional;
      const size_t arity = row.form == OperatorForm::Unary ? 1 : 2;
      if (a.size() != arity)
        e.fail(name + "() takes " + std::to_string(arity) + " arguments, got " +
               std::to_string(a.size()));
      if (arity == 1)
        result = row.id == Operator::Truth ? e.truth(force(e, a[0])) : rule_unary(e, row.id, a[0]);
      else if (row.id == Operator::In ||
               row.id == Operator::NotIn) // operator.contains(container, item)
        result = rule_operator(e, row.id, a[1], a[0], false);
      else
        result = rule_operator(e, row.id, a[0], a[1], inplace);
      return true;
    }
  }
  return false;
}

/// Functions that call a method of their first argument's class, as abs() calls __abs__.
bool call_protocol(Emitter &e, const std::string &name, const CallArguments &arguments,
                   Operand &result) {
  static constexpr std::pair<std::string_view, const char *> protocols[] = {
      {"builtins.abs", "__abs__"},       {"operator.abs", "__abs__"},
      {"builtins.divmod", "__divmod__"}, {"builtins.round", "__round__"},
      {"math.floor", "__floor__"},       {"math.ceil", "__ceil__"},
      {"math.trunc", "__trunc__"},       {"operator.index", "__index__"}};
  if (arguments.positional.empty() || !arguments.keywords.empty())
    return false;
  for (auto [function, method] : protocols)
    if (name == function)
      return call_class_method(
          e, e.unwrap(arguments.positional[0]), method,
          {Operands(arguments.positional.begin() + 1, arguments.positional.end())}, result);
  return false;
}

/// Whether both compile, to values that are of one type without None.
bool give_one_type(Emitter &e, const std::function<Operand()> &a,
                   const std::function<Operand()> &b) {
  DryScope dry(e);
  try {
    const Type *first = a().type, *second = b().type;
    const Type *type = unify(first, second);
    return type && type->kind == first->kind && type->kind == second->kind;
  } catch (const CompileError &) {
    return false;
  }
}

/// Arguments of NumPy's functions and of array methods that may be None: parameters with the
/// default None are tested at run time, others unwrapped. False: there are none.
bool call_of_optional(Emitter &e, const std::string &name, CallArguments &arguments,
                      Operand &result) {
  if (!name.starts_with("numpy.") && !name.starts_with("Array."))
    return false;
  auto values = [&](const Operand &a) {
    if (a.type->kind != Kind::Tuple)
      return a;
    Operands items;
    bool changed = false;
    for (size_t i = 0; i < a.type->params.size(); ++i) {
      items.push_back(e.field(a, static_cast<int>(i)));
      const Operand value = e.unwrap(items.back());
      changed |= value.type != items.back().type;
      items.back() = value;
    }
    return changed ? e.tuple(items) : a;
  };
  for (Operand &a : arguments.positional)
    a = values(a);
  FunctionDef *def = e.engine.host.library(name);
  const Code *code = def ? &def->code : nullptr;
  auto parameter_of = [&](const std::string &keyword) {
    const auto found = std::find(code->varnames.begin(), code->varnames.end(), keyword);
    return static_cast<int>(found - code->varnames.begin());
  };
  auto is_optional = [](const Operand &a) { return a.type->kind == Kind::Optional; };
  Operand *given = nullptr;
  bool takes_none = false;
  for (size_t i = 0; i < arguments.positional.size() && !given; ++i)
    if (is_optional(arguments.positional[i])) {
      given = &arguments.positional[i];
      takes_none = def && may_be_none(*def, static_cast<int>(i));
    }
  for (auto &[keyword, a] : arguments.keywords)
    if (!given && is_optional(a)) {
      given = &a;
      takes_none = def && may_be_none(*def, parameter_of(keyword));
    }
  if (!given)
    return false;
  const Operand optional = *given;
  auto call = [&](const Operand &value) {
    *given = value;
    return call_named(e, name, arguments);
  };
  auto with_value = [&] { return force(e, call(e.field(optional, 1))); };
  auto without = [&] { return force(e, call(e.none())); };
  result = takes_none && give_one_type(e, with_value, without)
               ? e.choose(e.field(optional, 0), with_value, without)
               : call(e.unwrap(optional));
  return true;
}

/// Functions of constants: what they return is made now, so that calls of it know what it holds.
struct MadeNow {
  std::string_view name, by, instead;
};
constexpr std::string_view kUseLambda = "use a lambda",
                           kOutside = "make it outside of the function";
constexpr MadeNow kMadeNow[] = {
    {"operator.itemgetter", "operator.itemgetter", kUseLambda},
    {"operator.attrgetter", "operator.attrgetter", kUseLambda},
    {"operator.methodcaller", "operator.methodcaller", kUseLambda},
    {"collections.namedtuple", "collections.namedtuple", "make the class outside of the function"},
    {"inspect.signature", "numjit.library.python.signatures.signature_of", kOutside},
};

Operand made_now(Emitter &e, const MadeNow &row, const CallArguments &arguments) {
  const std::string name(row.name), instead(row.instead);
  std::vector<const Const *> constants;
  for (const Operand &a : arguments.positional) {
    const bool is_known = a.type->kind == Kind::String || a.type->kind == Kind::Function;
    const Const *known = is_known ? a.type->constant : a.constant;
    if (!known)
      e.fail(name + "(): the arguments must be known at compile time", instead);
    constants.push_back(known);
  }
  if (!arguments.keywords.empty())
    e.fail(name + "() takes no keywords in compiled code", instead);
  return e.constant(e.engine.host.called(std::string(row.by), constants));
}

/// A call that is being resolved.
struct Call {
  Emitter &e;
  const std::string &name;
  CallArguments &arguments;
  Operand result;        ///< of the meaning that took the call
  std::string why = {};  ///< a meaning declined
  std::string said = {}; ///< by overloads that declined

  bool decline(std::string reason) {
    why = std::move(reason);
    return false;
  }
  bool take(const Operand &value) {
    result = value;
    return true;
  }
};

bool by_overload(Call &call) {
  Host &host = call.e.engine.host;
  if (!host.has_overloads(call.name) &&
      !(call.e.on_device() && host.has_overloads(call.name + "@cuda")))
    return call.decline("it has no overloads");
  return call_overload(call.e, call.name, call.arguments, call.result, &call.said) ||
         call.decline("no overload takes these types");
}

bool by_optional(Call &call) {
  return call_of_optional(call.e, call.name, call.arguments, call.result) ||
         call.decline("no argument may be None");
}

bool by_row(Call &call, LibraryUse when) {
  const LibraryKey key(call.name, when);
  FunctionDef *def = call.e.engine.host.library(key);
  return def ? call.take(call_function(call.e, *def, {}, std::move(call.arguments)))
             : call.decline("the library has no row " + text_of(key));
}

bool by_times(Call &call) {
  const Operands &given = call.arguments.positional;
  if (given.empty() || !holds_time(given[0].type))
    return call.decline("the first argument is no time");
  return by_row(call, LibraryUse::Times);
}

bool by_special_form(Call &call) {
  if (call.name == "dataclasses.replace")
    return call.take(call_replace(call.e, std::move(call.arguments)));
  if (const auto *row = std::ranges::find(kMadeNow, call.name, &MadeNow::name);
      row != std::end(kMadeNow))
    return call.take(made_now(call.e, *row, call.arguments));
  if (call.name == "String.format" && !call.arguments.positional.empty() &&
      call.arguments.positional[0].type->kind == Kind::String)
    return call.take(call_format(call.e, call.arguments));
  return call.decline("no special form");
}

bool by_protocol(Call &call) {
  return call_protocol(call.e, call.name, call.arguments, call.result) ||
         call.decline("the class of the first argument has no method for it");
}

/// min(key=), pow(a, b, m), math.gcd(a, b, c).
bool by_keywords(Call &call) {
  const scalar::Row *operation = scalar::by_name(call.name);
  const bool has_more = operation && !find_builtin(call.name) &&
                        call.arguments.positional.size() != static_cast<size_t>(operation->arity);
  if (call.arguments.keywords.empty() && !has_more)
    return call.decline("no keywords, and as many operands as the operation has");
  return by_row(call, LibraryUse::Keywords);
}

bool by_compiler(Call &call) {
  const Builtin *row = find_builtin(call.name);
  return row ? call.take(call_builtin(call.e, *row, std::move(call.arguments)))
             : call.decline("no rule of the compiler");
}

bool by_library(Call &call) { return by_row(call, LibraryUse::Call); }

bool by_operator(Call &call) {
  return call_operator(call.e, call.name, call.arguments, call.result) ||
         call.decline("no operator of the syntax");
}

bool by_scalar_operation(Call &call) {
  const scalar::Row *operation = scalar::by_name(call.name);
  return operation
             ? call.take(call_scalar(call.e, *operation, call.name, std::move(call.arguments)))
             : call.decline("no scalar operation");
}

/// str.lower(x) is x.lower().
bool by_class_of_method(Call &call) {
  const size_t dot = call.name.rfind('.');
  Operands &given = call.arguments.positional;
  if (dot == std::string::npos || given.empty())
    return call.decline("no method of a class");
  const std::string cls = call.name.substr(0, dot);
  const Operand self = force(call.e, call.e.unwrap(given[0]));
  const int holds = is_instance(self.type, cls);
  if (holds < 0)
    return call.decline("no method of a class");
  if (!holds)
    call.e.fail("descriptor '" + call.name.substr(dot + 1) + "' of " + cls + " does not apply to " +
                self.type->text);
  const Operand method = rule_getattr(call.e, self, call.name.substr(dot + 1));
  given.erase(given.begin());
  return call.take(rule_call(call.e, method, std::move(call.arguments)));
}

struct Meaning {
  std::string_view name;
  bool (*take)(Call &call);
};

constexpr Meaning kOrder[] = {
    {"an overload of the user's", by_overload},
    {"each of value and None", by_optional},
    {"the library, for times", by_times},
    {"a special form", by_special_form},
    {"a method of the argument's class", by_protocol},
    {"the library, for keywords", by_keywords},
    {"a rule of the compiler", by_compiler},
    {"the library", by_library},
    {"an operator", by_operator},
    {"a scalar operation", by_scalar_operation},
    {"a method of a class", by_class_of_method},
};

bool dumps_lookup() {
  static const bool asked = [] {
    const char *value = std::getenv("NUMJIT_DUMP");
    return ("," + std::string(value ? value : "") + ",").find(",lookup,") != std::string::npos;
  }();
  return asked;
}

void dump(const Call &call, const Meaning &meaning, bool took) {
  std::fprintf(stderr, ";   %s: %s\n", std::string(meaning.name).c_str(),
               took ? "takes it" : call.why.c_str());
}

void dump_head(const std::string &name, const CallArguments &arguments) {
  std::string types;
  for (const Operand &a : arguments.positional)
    types += (types.empty() ? "" : ", ") + a.type->text;
  for (const auto &[keyword, a] : arguments.keywords)
    types += (types.empty() ? "" : ", ") + keyword + "=" + a.type->text;
  std::fprintf(stderr, "; lookup of %s(%s)\n", name.c_str(), types.c_str());
}

/// Members of an IntEnum are integers to functions of numbers.
void unwrap_enums(Emitter &e, CallArguments &arguments) {
  for (Operand &a : arguments.positional)
    if (a.type->kind == Kind::Enum)
      a = e.unwrap(a);
  for (auto &[keyword, a] : arguments.keywords)
    if (a.type->kind == Kind::Enum)
      a = e.unwrap(a);
}

} // namespace

std::span<const std::string_view> lookup_order() {
  static const auto names = [] {
    std::array<std::string_view, std::size(kOrder)> all;
    std::ranges::transform(kOrder, all.begin(), &Meaning::name);
    return all;
  }();
  return names;
}

/// Whether a function of NumPy makes or reduces arrays in several threads where that pays, or
/// leaves it to BLAS. Memory that is zero to begin with and numbers of one stream are not shared
/// out.
static bool is_parallel_function(std::string_view name) {
  static constexpr std::string_view names[] = {
      "numpy.zeros",     "numpy.zeros_like", "numpy.ones",      "numpy.ones_like",   "numpy.full",
      "numpy.full_like", "numpy.arange",     "numpy.linspace",  "numpy.dot",         "numpy.vdot",
      "numpy.matmul",    "numpy.argmin",     "numpy.argmax",    "Array.argmin",      "Array.argmax",
      "Array.fill",      "Array.dot",        "operator.matmul", "numpy.linalg.solve"};
  return name.starts_with("numpy.random.") || std::ranges::find(names, name) != std::end(names);
}

/// NumPy's functions that make arrays take `device="cpu"` and `like=None`, which change nothing.
static void drop_placement(Emitter &e, const std::string &name, CallArguments &arguments) {
  static constexpr std::string_view makers[] = {
      "numpy.arange",    "numpy.asanyarray", "numpy.asarray",   "numpy.astype",
      "numpy.empty",     "numpy.empty_like", "numpy.eye",       "numpy.full",
      "numpy.full_like", "numpy.linspace",   "numpy.ones",      "numpy.ones_like",
      "numpy.zeros",     "numpy.zeros_like", "numpy.array",     "numpy.identity",
      "numpy.tri",       "numpy.fromiter",   "numpy.frombuffer"};
  if (arguments.keywords.empty() || std::ranges::find(makers, name) == std::end(makers))
    return;
  std::erase_if(arguments.keywords, [&](const auto &each) {
    const auto &[keyword, value] = each;
    if (keyword != "device" && keyword != "like")
      return false;
    const Operand given = e.unwrap(value);
    if (given.type->kind == Kind::None)
      return true;
    if (keyword == "like")
      return false;
    const bool literal = given.type->kind == Kind::String;
    if (!literal && !given.type->is_text())
      e.fail("device= is \"cpu\" or None, not " + given.type->text);
    const Operand cpu = e.constant(constants::string("cpu"));
    e.raise_if(literal ? e.boolean(given.type->constant->text != "cpu")
                       : rule_operator(e, Operator::Ne, given, force(e, cpu), false),
               "ValueError", "Device not understood. Only \"cpu\" is allowed");
    return true;
  });
}

Operand call_named(Emitter &e, const std::string &name, CallArguments arguments) {
  if (e.options().parallel && !e.def->is_library && is_parallel_function(name))
    e.engine.calls_parallel = true;
  if (name.starts_with("numpy.") || name.starts_with("math."))
    unwrap_enums(e, arguments);
  drop_placement(e, name, arguments);
  if (dumps_lookup())
    dump_head(name, arguments);
  Call call{e, name, arguments, {}};
  try {
    for (const Meaning &meaning : kOrder) {
      const bool took = meaning.take(call);
      if (dumps_lookup())
        dump(call, meaning, took);
      if (took)
        return call.result;
    }
  } catch (CompileError &error) { // overloads of the program declined, and nothing else takes it
    if (!call.said.empty())
      error.message += "\n" + call.said;
    throw;
  }
  e.fail("No implementation of function " + name + ": numjit does not know it in compiled code",
         "a class can be made a @dataclass or a @jitclass; other calls belong outside of compiled "
         "code, or into a block of object mode");
}

} // namespace numjit
