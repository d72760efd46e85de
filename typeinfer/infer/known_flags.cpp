// Calls that are typed only where values of arguments are known: flags decide which types meet, and
// which branches there are.
#include "typeinfer/infer.h"
#include "typeinfer/infer/engine.h"

#include <algorithm>

namespace numjit {

bool types_do_not_meet(std::string_view error) {
  static constexpr std::string_view texts[] = {
      "Cannot unify",   "cannot put a",      "Cannot mutate a literal",
      "cannot convert", "argument after **", "the keys of"};
  return std::ranges::any_of(texts, [&](auto text) { return error.starts_with(text); });
}

namespace {

/// Whether the type of a library function's result depends on a number that is not known here:
/// which axis, how many.
bool needs_number(const std::vector<Fact> &facts, const CompileError &error) {
  auto is_open_number = [](const Fact &fact) {
    return !fact.constant && fact.type->is_scalar() &&
           (fact.type->is_integer() || fact.type->is_bool());
  };
  return error.message.ends_with("the function returns values of types that do not go together") &&
         std::ranges::any_of(facts, is_open_number);
}

bool is_text_or_texts(const Type *type) {
  return type->is_text() || (type->is_tuple() && !type->params.empty() &&
                             std::ranges::all_of(type->params, &Type::is_text));
}

/// Names the text or None among the arguments of a NumPy function that the error is about, if there
/// is only one. Known texts are subscripts, modes and dtypes.
void name_argument(const FunctionDef &def, const std::vector<Fact> &facts, CompileError &error) {
  const bool no_array = error.message.starts_with("no dtype is known for ");
  const auto is_text = [&](const Fact &fact) {
    return fact.type && !fact.constant &&
           (is_text_or_texts(fact.type) || (no_array && fact.type->kind == Kind::None));
  };
  const auto found = std::ranges::find_if(facts, is_text);
  const auto i = static_cast<size_t>(found - facts.begin());
  const auto &names = def.code.varnames;
  if (def.code.filename.find("/library/numpy/") == std::string::npos || i >= names.size() ||
      std::ranges::count_if(facts, is_text) != 1 ||
      error.message.find(is_text_or_texts(found->type) ? "unicode_type" : "none") ==
          std::string::npos)
    return;
  if (no_array) {
    error.message =
        "The argument \"" + names[i] + "\" must be array-like, not " + found->type->text;
    error.hint.clear();
    return;
  }
  error.hint = "Argument " + names[i] + " is not one of the expected type(s): it is of type " +
               found->type->text;
}

/// Adds the call to the places of an error in what it calls.
void blame_call(const Emitter &e, const FunctionDef &def, const std::vector<Fact> &facts,
                CompileError &error) {
  // The library's own source is no news to users: blame the call in their code.
  if (def.is_library && !e.def->is_library) {
    const bool inside_library = !error.places.empty() && error.places[0].function->is_library;
    if (inside_library) {
      error.places = {{e.def, e.position, {}}};
      name_argument(def, facts, error);
    }
  } else if (!def.is_library && !e.def->is_library && error.places.size() < 3 &&
             (error.places.empty() || error.places.back().function != e.def ||
              error.places.back().position != e.position)) {
    error.places.push_back({e.def, e.position, "called here"});
  }
}

/// For flags whose value is known here, then with unions.
std::pair<Specialization *, Fact> infer_where_types_do_not_meet(Emitter &e, FunctionDef &def,
                                                                CompileOptions options,
                                                                const std::vector<Fact> &facts,
                                                                const CompileError &error) {
  e.engine.specialize_on_constants(def, facts);
  for (bool unions : {false, true}) {
    options.unions = unions;
    Specialization *spec = e.engine.specialize(def, options, facts);
    try {
      return {spec, e.engine.result_of(*spec)};
    } catch (const CompileError &) {     // says less than the first one
    } catch (const EndlessRecursion &) { // each call has another value: build(x, depth + 1)
      e.engine.forget_constants(def);
    }
  }
  throw CompileError(error);
}

/// For flags whose value is known here: the branch with the error may be there for other values.
std::pair<Specialization *, Fact> infer_where_branch_is_not_taken(Emitter &e, FunctionDef &def,
                                                                  const CompileOptions &options,
                                                                  const std::vector<Fact> &facts,
                                                                  const CompileError &error) {
  if (!def.is_library && !e.engine.is_running(def) && e.engine.specialize_on_constants(def, facts))
    try {
      Specialization *spec = e.engine.specialize(def, options, facts);
      return {spec, e.engine.result_of(*spec)};
    } catch (const CompileError &) { // says less than the first one
      e.engine.forget_constants(def);
    } catch (const EndlessRecursion &) { // each call has another value: build(x, depth + 1)
      e.engine.forget_constants(def);
    }
  throw CompileError(error);
}

} // namespace

static std::pair<Specialization *, Fact>
infer_whole(Emitter &e, FunctionDef &def, const CompileOptions &options, std::vector<Fact> facts) {
  Specialization *spec = e.engine.specialize(def, options, facts);
  auto infer_on_constants = [&]() -> std::pair<Specialization *, Fact> {
    if (!e.engine.specialize_on_constants(def, facts))
      throw;
    spec = e.engine.specialize(def, options, facts);
    return {spec, e.engine.result_of(*spec)};
  };
  try {
    try {
      return {spec, e.engine.result_of(*spec)};
    } catch (const EndlessRecursion &) { // a value may end it: atleast_nd(x, 2)
      if (e.engine.is_running(def))
        throw;
      return infer_on_constants();
    } catch (const CompileError &error) {
      if (unions_may_help(error.message, e.engine.defers))
        return infer_where_types_do_not_meet(e, def, options, facts, error);
      if (error.cls == "LiteralTypingError")
        return infer_on_constants();
      return infer_where_branch_is_not_taken(e, def, options, facts, error);
    }
  } catch (EndlessRecursion &endless) {
    blame_call(e, def, facts, endless.error);
    throw;
  } catch (CompileError &error) {
    blame_call(e, def, facts, error);
    throw;
  }
}

std::pair<Specialization *, Fact>
infer_call(Emitter &e, FunctionDef &def, const CompileOptions &options, std::vector<Fact> facts) {
  try {
    return infer_whole(e, def, options, facts);
  } catch (CompileError &error) {
    if (def.is_library && !e.def->is_library && needs_number(facts, error))
      error.cls = "LiteralTypingError";
    if (!e.engine.defer_errors_of(def))
      throw;
    return infer_whole(e, def, options, std::move(facts));
  }
}

} // namespace numjit
