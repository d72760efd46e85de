// Calls of functions with source: arguments are bound to parameters, the callee specialised, the
// call appended.
#include "typeinfer/infer/engine.h"
#include "typeinfer/infer/overloads.h"
#include "typeinfer/infer/unify.h"

#include <utility>

namespace numjit {

namespace {

std::string signature_text(const FunctionDef &def) {
  std::string text = def.name() + "(";
  const Code &code = def.code;
  for (int i = 0; i < code.argcount; ++i)
    text += (i ? ", " : "") + code.varnames[i];
  return text + ")";
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

Operands bind_arguments(Emitter &e, const FunctionDef &def, std::span<const Operand> captured,
                        CallArguments &arguments) {
  const Code &code = def.code;
  if (code.has_varkeywords())
    e.fail_as("UnsupportedError",
              "functions with **" +
                  code.varnames[code.argcount + code.kwonlyargcount + code.has_varargs()] +
                  " cannot be called from compiled code");
  const int named = code.argcount + code.kwonlyargcount;
  Operands bound(named);
  const int given = static_cast<int>(arguments.positional.size());
  if (given > code.argcount && !code.has_varargs())
    e.fail("too many positional arguments: " + signature_text(def) + " takes " +
           std::to_string(code.argcount) + ", got " + std::to_string(given));
  for (int i = 0; i < std::min(given, code.argcount); ++i)
    bound[i] = arguments.positional[i];
  for (auto &[keyword, value] : arguments.keywords) {
    int i = code.posonlyargcount;
    while (i < named && code.varnames[i] != keyword)
      ++i;
    if (i == named)
      e.fail("got an unexpected keyword argument '" + keyword + "' for " + signature_text(def));
    if (bound[i])
      e.fail("multiple values for argument '" + keyword + "' of " + signature_text(def));
    bound[i] = value;
  }
  for (int i = 0; i < named; ++i)
    if (!bound[i] && !(bound[i] = default_of(e, def, i, captured)))
      e.fail("missing a required argument: '" + code.varnames[i] + "' of " + signature_text(def));
  if (code.has_varargs()) {
    Operands rest;
    for (int i = code.argcount; i < given; ++i)
      rest.push_back(force(e, arguments.positional[i]));
    bound.push_back(e.tuple(rest));
  }
  if (def.runtime_closure)
    bound.insert(bound.end(), captured.begin(), captured.begin() + code.freevars.size());
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
  if (signatures.empty() || def.code.has_varargs())
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
    const auto rating = conversion_rating(given, types);
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
  const int index = parameter - (code.argcount - static_cast<int>(def.defaults.size()));
  if (parameter < code.argcount)
    return index >= 0 && def.defaults[index]->kind == ConstKind::None;
  if (parameter >= code.argcount + code.kwonlyargcount)
    return false;
  auto found = def.kwdefaults.find(code.varnames[parameter]);
  return found != def.kwdefaults.end() && found->second->kind == ConstKind::None;
}

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
  std::vector<Fact> facts;
  for (size_t i = 0; i < bound.size(); ++i) {
    if (declared) {
      const auto *type = static_cast<const Type *>(declared->arguments[i]);
      if (type->is_scalar())
        bound[i] = e.unwrap(bound[i]);
      bound[i] = bound[i].type->is_scalar() && type->is_scalar() ? e.cast(bound[i], type)
                                                                 : e.convert(bound[i], type);
      facts.push_back({type, nullptr});
    } else {
      facts.push_back(bound[i].fact());
    }
  }
  const auto *declared_result = declared ? static_cast<const Type *>(declared->result) : nullptr;
  const CompileOptions options = def.is_library ? e.options() : e.options().of_callee(def.options);
  Specialization *spec = e.engine.specialize(def, options, facts);
  Fact result;
  try {
    try {
      result = e.engine.result_of(*spec);
    } catch (const CompileError &error) {
      if (error.cls != "LiteralTypingError" || !e.engine.specialize_on_constants(def, facts))
        throw;
      spec = e.engine.specialize(def, options, facts);
      result = e.engine.result_of(*spec);
    }
  } catch (CompileError &error) {
    // The library's own source is no news to users: blame the call in their code.
    if (def.is_library && !e.def->is_library) {
      Blame here{e.def, e.position, {}};
      const bool inside_library = !error.places.empty() && error.places[0].function->is_library;
      if (inside_library)
        error.places = {here};
    } else if (!def.is_library && !e.def->is_library && error.places.size() < 3) {
      error.places.push_back({e.def, e.position, "called here"});
    }
    throw;
  }
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

namespace {

/// The fact of an argument as an overload sees it: element-wise expressions are arrays.
Fact evaluated(Emitter &e, const Operand &argument) {
  DryScope dry(e);
  return force(e, argument).fact();
}

} // namespace

bool call_overload(Emitter &e, const std::string &name, CallArguments &arguments, Operand &result) {
  std::vector<Fact> positional;
  Host::Keywords keywords;
  std::string given;
  for (const Operand &a : arguments.positional) {
    positional.push_back(evaluated(e, a));
    given += (given.empty() ? "" : ", ") + positional.back().type->text;
  }
  for (const auto &[keyword, a] : arguments.keywords) {
    keywords.emplace_back(keyword, evaluated(e, a));
    given += (given.empty() ? "" : ", ") + keyword + "=" + keywords.back().second.type->text;
  }
  Host::Choice choice;
  if (e.on_device() && e.engine.host.has_overloads(name + "@cuda"))
    choice = e.engine.host.choose_overload(name + "@cuda", positional, keywords);
  if (!choice.function && !choice.wrong && e.engine.host.has_overloads(name))
    choice = e.engine.host.choose_overload(name, positional, keywords);
  if (choice.function) {
    for (Operand &a : arguments.positional)
      a = force(e, a);
    for (auto &[keyword, a] : arguments.keywords)
      a = force(e, a);
    result = call_function(e, *choice.function, {}, std::move(arguments));
    return true;
  }
  if (choice.wrong)
    e.fail(choice.tried);
  if (find_builtin(name) || scalar::by_name(name) || name.starts_with("operator.") ||
      e.engine.host.library(name))
    return false;
  // "method .name" is how a method is registered; users know it by its name.
  const size_t space = name.find(' ');
  const std::string shown = space == std::string::npos ? name : name.substr(space + 2);
  e.fail_as(choice.asks_for_literals ? "LiteralTypingError" : "TypingError",
            "No implementation of function " + shown + " found for signature " + shown + "(" +
                given + ")" + (choice.tried.empty() ? "" : "\n" + choice.tried));
}

bool call_operator_overload(Emitter &e, std::string_view name, Operands operands, Operand &result) {
  if (e.def->is_library) // what the library computes with are its own values
    return false;
  const std::string full = "operator." + std::string(name);
  if (!e.engine.host.has_overloads(full))
    return false;
  CallArguments arguments;
  arguments.positional = std::move(operands);
  return call_overload(e, full, arguments, result);
}

} // namespace numjit
