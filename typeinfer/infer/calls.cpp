// Calls of functions with source: arguments are bound to parameters, the callee specialised, the
// call appended.
#include "typeinfer/infer/engine.h"
#include "typeinfer/infer/overloads.h"
#include "typeinfer/infer/unify.h"
#include "typeinfer/types/unknown.h"

#include <algorithm>
#include <utility>

namespace numjit {

namespace {

/// 'a', 'b', and 'c', as CPython lists names.
std::string listed_names(const std::vector<std::string> &names) {
  std::string text;
  for (size_t i = 0; i < names.size(); ++i)
    text += (i == 0                 ? ""
             : i + 1 < names.size() ? ", "
             : names.size() == 2    ? " and "
                                    : ", and ") +
            ("'" + names[i] + "'");
  return text;
}

std::string counted(size_t count, const std::string &what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

/// Defaults of inner functions are captured: behind the free variables come the defaults.
Operand default_of(Emitter &e, const FunctionDef &def, int parameter,
                   std::span<const Operand> captured) {
  const Code &code = def.code;
  if (parameter < code.argcount) {
    const size_t free_count = def.runtime_closure ? code.freevars.size() : 0;
    const size_t captured_defaults =
        captured.size() > free_count ? captured.size() - free_count : 0;
    if (captured_defaults && parameter >= code.argcount - static_cast<int>(captured_defaults))
      return captured[free_count + parameter - (code.argcount - captured_defaults)];
    int index = parameter - (code.argcount - static_cast<int>(def.defaults.size()));
    if (index >= 0)
      return e.constant(def.defaults[index]);
    return {};
  }
  auto found = def.kwdefaults.find(code.varnames[parameter]);
  return found == def.kwdefaults.end() ? Operand{} : e.constant(found->second);
}

// What is wrong with the arguments of a call is said in CPython's words.

[[noreturn]] void fail_too_many(Emitter &e, const FunctionDef &def,
                                const CallArguments &arguments) {
  const Code &code = def.code;
  size_t required = static_cast<size_t>(code.argcount);
  while (required > 0 && default_of(e, def, static_cast<int>(required) - 1, {}))
    --required;
  const size_t most = static_cast<size_t>(code.argcount), given = arguments.positional.size();
  size_t keyword_only = 0;
  for (const auto &[keyword, value] : arguments.keywords)
    for (int i = code.argcount; i < code.argcount + code.kwonlyargcount; ++i)
      keyword_only += code.varnames[i] == keyword;
  std::string text = def.name() + "() takes ";
  if (required < most)
    text += "from " + std::to_string(required) + " to " + std::to_string(most) +
            " positional arguments but ";
  else
    text += counted(most, "positional argument") + " but ";
  if (keyword_only)
    text += counted(given, "positional argument") + " (and " +
            counted(keyword_only, "keyword-only argument") + ") were given";
  else
    text += std::to_string(given) + (given == 1 ? " was given" : " were given");
  e.fail(text);
}

/// Positional ones first; those that only have a name if no other is missing.
void check_missing(Emitter &e, const FunctionDef &def, const Operands &bound) {
  const Code &code = def.code;
  for (const bool keyword_only : {false, true}) {
    std::vector<std::string> missing;
    const int first = keyword_only ? code.argcount : 0;
    const int end = code.argcount + (keyword_only ? code.kwonlyargcount : 0);
    for (int i = first; i < end; ++i)
      if (!bound[i])
        missing.push_back(code.varnames[i]);
    if (!missing.empty())
      e.fail(def.name() + "() missing " +
             counted(missing.size(), keyword_only ? "required keyword-only argument"
                                                  : "required positional argument") +
             ": " + listed_names(missing));
  }
}

/// Puts the keywords to their parameters; returns those that have none, for **parameter.
std::vector<std::pair<std::string, Operand>>
bind_keywords(Emitter &e, const FunctionDef &def, const CallArguments &arguments, Operands &bound) {
  const Code &code = def.code;
  std::vector<std::pair<std::string, Operand>> others;
  for (const auto &[keyword, value] : arguments.keywords) {
    auto is_named = [&, &keyword = keyword](int i) { return code.varnames[i] == keyword; };
    int i = code.posonlyargcount;
    while (i < static_cast<int>(bound.size()) && !is_named(i))
      ++i;
    if (i < static_cast<int>(bound.size())) {
      if (bound[i])
        e.fail(def.name() + "() got multiple values for argument '" + keyword + "'");
      bound[i] = value;
      continue;
    }
    for (const auto &other : others)
      if (other.first == keyword)
        e.fail(def.name() + "() got multiple values for keyword argument '" + keyword + "'");
    if (!code.has_varkeywords()) {
      for (int k = 0; k < code.posonlyargcount; ++k)
        if (is_named(k))
          e.fail(def.name() +
                 "() got some positional-only arguments passed as keyword arguments: '" + keyword +
                 "'");
      std::string names;
      for (size_t k = static_cast<size_t>(code.posonlyargcount); k < bound.size(); ++k)
        names += (names.empty() ? "" : ", ") + code.varnames[k];
      e.fail(def.name() + "() got an unexpected keyword argument '" + keyword + "'",
             names.empty() ? "it takes no keywords" : "it takes " + names);
    }
    others.emplace_back(keyword, force(e, value));
  }
  return others;
}

/// The value of a **parameter: its keys are part of its type.
Operand keyword_dict(Emitter &e, const std::vector<std::pair<std::string, Operand>> &keywords) {
  std::vector<std::string> names;
  Operands values;
  for (const auto &[name, value] : keywords) {
    names.push_back(name);
    values.push_back(value);
  }
  return literal_dict(e, std::move(names), values);
}

Operands bind_arguments(Emitter &e, const FunctionDef &def, std::span<const Operand> captured,
                        CallArguments &arguments) {
  const Code &code = def.code;
  const int named = code.argcount + code.kwonlyargcount;
  Operands bound(named);
  const int given = static_cast<int>(arguments.positional.size());
  for (int i = 0; i < std::min(given, code.argcount); ++i)
    bound[i] = arguments.positional[i];
  const auto others = bind_keywords(e, def, arguments, bound);
  if (given > code.argcount && !code.has_varargs())
    fail_too_many(e, def, arguments);
  for (int i = 0; i < named; ++i)
    if (!bound[i])
      bound[i] = default_of(e, def, i, captured);
  check_missing(e, def, bound);
  if (code.has_varargs()) {
    Operands rest;
    for (int i = code.argcount; i < given; ++i)
      rest.push_back(force(e, arguments.positional[i]));
    bound.push_back(arguments.rest ? arguments.rest : e.tuple(rest));
  }
  if (code.has_varkeywords())
    bound.push_back(keyword_dict(e, others));
  if (def.runtime_closure) {
    const std::span<const Operand> free = captured.first(code.freevars.size());
    const bool reads_itself = std::ranges::any_of(
        free, [](const Operand &variable) { return variable.type->kind == Kind::Undefined; });
    const std::span<const Operand> passed = reads_itself ? captured : free; // defaults, too
    bound.insert(bound.end(), passed.begin(), passed.end());
  }
  return bound;
}

using Types = std::vector<const Type *>;

Types argument_types(const DeclaredSignature &signature) {
  Types types;
  for (const void *type : signature.arguments)
    types.push_back(static_cast<const Type *>(type));
  return types;
}

std::string listed(const Types &types) {
  std::string text;
  for (const Type *type : types)
    text += (text.empty() ? "" : ", ") + type->text;
  return "(" + text + ")";
}

/// The explicit signature that a call is converted to: the first of the best, as in Numba. Null if
/// the function has none.
const DeclaredSignature *declared_signature(Emitter &e, const FunctionDef &def,
                                            const Operands &arguments) {
  const auto &signatures = def.options.signatures;
  if (signatures.empty() || def.code.has_varargs() || def.code.has_varkeywords())
    return nullptr;
  Types given;
  for (const Operand &a : arguments)
    given.push_back(a.type);
  const DeclaredSignature *best = nullptr;
  std::array<int, 3> best_rating{};
  std::string accepted;
  for (const DeclaredSignature &signature : signatures) {
    const Types types = argument_types(signature);
    accepted += (accepted.empty() ? "" : ", ") + listed(types);
    Types known = given;
    for (size_t i = 0; i < std::min(known.size(), types.size()); ++i)
      if (is_open(given[i]) && fits_open(given[i], types[i], [](int, const Type *) {}))
        known[i] = types[i];
    const auto rating = conversion_rating(known, types);
    if (rating && (!best || *rating < best_rating)) {
      best = &signature;
      best_rating = *rating;
    }
  }
  if (!best)
    e.fail("No matching definition of " + def.name() + " for argument type(s) " + listed(given) +
           "; accepted are: " + accepted);
  return best;
}

} // namespace

bool may_be_none(const FunctionDef &def, int parameter) {
  const Code &code = def.code;
  if (def.is_library && code.varnames[parameter] == "copy") // np.array: only where one is needed
    return true;
  const int index = parameter - (code.argcount - static_cast<int>(def.defaults.size()));
  if (parameter < code.argcount)
    return index >= 0 && def.defaults[index]->kind == ConstKind::None;
  if (parameter >= code.argcount + code.kwonlyargcount)
    return false;
  auto found = def.kwdefaults.find(code.varnames[parameter]);
  return found != def.kwdefaults.end() && found->second->kind == ConstKind::None;
}

namespace {

/// What a function is specialised on: its arguments as they are, or converted to what it declares.
std::vector<Fact> facts_of(Emitter &e, const DeclaredSignature *declared, Operands &bound) {
  std::vector<Fact> facts;
  for (size_t i = 0; i < bound.size(); ++i) {
    if (declared) {
      const auto *type = static_cast<const Type *>(declared->arguments[i]);
      if (is_open(bound[i].type)) { // the declaration says what is not known yet
        fits_open(bound[i].type, type, [&](int number, const Type *part) {
          if (e.engine.learning)
            e.engine.learning->push_back({number, part});
        });
        bound[i] = {type, nullptr, nullptr, bound[i].position};
      }
      if (type->is_scalar())
        bound[i] = e.unwrap(bound[i]);
      bound[i] = bound[i].type->is_scalar() && type->is_scalar() ? e.cast(bound[i], type)
                                                                 : e.convert(bound[i], type);
      facts.push_back({type, nullptr});
    } else {
      facts.push_back(bound[i].fact());
    }
  }
  return facts;
}

/// With which options a function is compiled that is called here. What is inlined by the program's
/// wish, or loops over prange, is part of a caller with parallel=True.
CompileOptions options_of_call(const Emitter &e, const FunctionDef &def) {
  if (def.is_library)
    return e.options();
  CompileOptions options = e.options().of_callee(def.options);
  options.long_tuples = e.options().long_tuples;
  const auto &names = def.code.names;
  options.parallel |=
      e.options().parallel &&
      (def.options.inline_always || std::find(names.begin(), names.end(), "prange") != names.end());
  return options;
}

} // namespace

Operand call_function(Emitter &e, FunctionDef &def, std::span<const Operand> captured,
                      CallArguments arguments) {
  Operands bound = bind_arguments(e, def, captured, arguments);
  for (Operand &a : bound) {
    if (!def.accepts_lazy)
      a = force(e, a);
    if (!def.takes_literals)
      a = e.unliteral(a);
  }
  const DeclaredSignature *declared = declared_signature(e, def, bound);
  std::vector<Fact> facts = facts_of(e, declared, bound);
  const bool gives_result = declared && !def.code.is_generator();
  const auto *declared_result =
      gives_result ? static_cast<const Type *>(declared->result) : nullptr;
  const CompileOptions options = options_of_call(e, def);
  const auto [spec, result] = infer_call(e, def, options, std::move(facts));
  if (e.engine.learning)
    e.engine.learning->insert(e.engine.learning->end(), spec->learned.begin(), spec->learned.end());
  if (!result.type) {
    if (e.dry() && declared_result) // it calls itself
      return {declared_result, nullptr, nullptr, e.position};
    if (e.dry())
      throw NotKnownYet{};
    e.fail("cannot type infer runaway recursion: " + def.name() +
           " never returns without calling itself");
  }
  e.engine.last_called = spec;
  if (e.dry() && declared_result)
    return {declared_result, nullptr, nullptr, e.position};
  if (e.dry())
    return {result.type, result.constant, nullptr, e.position};
  tir::Function *callee = e.engine.code_of(*spec);
  std::vector<tir::Value *> codes;
  for (size_t i = 0; i < bound.size(); ++i)
    codes.push_back(e.code(e.convert(bound[i], callee->params[i])));
  tir::Value *value = e.append(tir::Op::Call, callee->result);
  value->callee = callee;
  value->operands = std::move(codes);
  Operand given{result.type, result.constant,
                layout_of(result.type).leaves.empty() ? nullptr : value, e.position};
  return declared_result && result.type != declared_result ? e.convert(given, declared_result)
                                                           : given;
}

Operand Emitter::library(const LibraryKey &key, std::span<const Operand> arguments) {
  const Builtin *row = key.is_plain() ? find_builtin(key.name) : nullptr;
  if (row) {
    Operands given(arguments.begin(), arguments.end());
    return row->rule(*this, given);
  }
  FunctionDef *callee = engine.host.library(key);
  if (!callee)
    throw InternalError("library function " + text_of(key) + " is missing");
  CallArguments call;
  call.positional.assign(arguments.begin(), arguments.end());
  return call_function(*this, *callee, {}, std::move(call));
}

Operand Emitter::runtime(tir::RuntimeOp op, const Type *result, std::span<const Operand> operands) {
  if (engine.module.target == tir::Target::Cuda)
    fail("No implementation of function for this operation in a kernel: it needs the runtime of "
         "the processor (" +
         std::string(tir::runtime_op_row(op).symbol) + ")");
  if (dry())
    return finish(result, nullptr);
  std::vector<tir::Value *> codes;
  for (const Operand &a : operands)
    codes.push_back(code(a));
  tir::Value *value = append(tir::Op::CallRuntime, result);
  value->runtime_op = op;
  value->operands = std::move(codes);
  if (tir::runtime_op_row(op).raises)
    protect(*value);
  return finish(result, value);
}

std::string parameter_name(const ssa::Function &source, size_t index) {
  return index < source.parameter_names.size() ? source.parameter_names[index] : "default";
}

} // namespace numjit
