// Calls with argument types that were not seen before: typing, compiling once, falling back.
#include "pyext/call/dispatcher_state.h"
#include "pyext/call/kept_code.h"
#include "pyext/call/known_values.h"
#include "pyext/call/versions.h"
#include "pyext/convert/fingerprint.h"
#include "pyext/convert/intake.h"
#include "pyext/convert/typeof.h"
#include "pyext/errors.h"
#include "pyext/python.h"
#include "pyext/read/objects.h"
#include "pyext/read/type_handle.h"
#include "typeinfer/infer/builtins.h"
#include "typeinfer/types/with_params.h"

#include <algorithm>

namespace numjit {

namespace {

uint64_t hash_of(const uint64_t *words, size_t count) {
  uint64_t hash = count;
  for (size_t i = 0; i < count; ++i)
    hash = (hash ^ words[i]) * 0x9e3779b97f4a7c15, hash ^= hash >> 32;
  return hash;
}

} // namespace

const CallKey *CallTable::find_slowly(const uint64_t *words, size_t count) {
  auto [first, end] = keys_.equal_range(hash_of(words, count));
  for (; first != end; ++first)
    if (first->second->matches(words, count))
      return last_ = first->second.get();
  return nullptr;
}

const CallKey *CallTable::add(const uint64_t *words, size_t count, Specialization *target,
                              bool direct) {
  auto key = std::make_unique<CallKey>(CallKey{{words, words + count}, target, direct});
  last_ = key.get();
  keys_.emplace(hash_of(words, count), std::move(key));
  return last_;
}

void CallTable::clear() {
  last_ = nullptr;
  keys_.clear();
}

Specialization *DispatcherState::find(const std::vector<const Type *> &arguments,
                                      const std::vector<const Const *> &values) const {
  for (const auto &each : specializations)
    if (each->arguments() == arguments && each->compiled().values == values)
      return each.get();
  return nullptr;
}

namespace {

/// Waits for a compilation of another thread.
void wait_for(Pending &pending) {
  WithoutGil released;
  std::unique_lock lock(pending.mutex);
  pending.ended.wait(lock, [&] { return pending.done; });
}

void end(DispatcherState &state, const std::shared_ptr<Pending> &pending) {
  std::erase(state.pending, pending);
  std::lock_guard lock(pending->mutex);
  pending->done = true;
  pending->ended.notify_all();
}

std::shared_ptr<Specialization> compile_now(DispatcherObject *dispatcher,
                                            const std::vector<const Type *> &arguments,
                                            const Type *result,
                                            const std::vector<const Const *> &values, bool defers) {
  DispatcherState &state = *dispatcher->state;
  FunctionDef &function = *dispatcher_function(reinterpret_cast<PyObject *>(dispatcher));
  Compiled compiled;
  load_or_compile(dispatcher, function, arguments, result, values, defers, compiled);
  compiled.wanted_result = result;
  note_versions(function, arguments, compiled);
  auto made = std::make_shared<Specialization>(function, arguments, std::move(compiled));
  state.specializations.push_back(made);
  return made;
}

/// A Specialization that calls a Python callable.
Specialization *add_fallback(DispatcherObject *dispatcher,
                             const std::vector<const Type *> *arguments, Ref callable) {
  DispatcherState &state = *dispatcher->state;
  FunctionDef &function = *dispatcher_function(reinterpret_cast<PyObject *>(dispatcher));
  auto made = std::make_shared<Specialization>(
      function, arguments ? *arguments : std::vector<const Type *>{}, std::move(callable));
  (arguments ? state.specializations : state.others).push_back(made);
  return made.get();
}

/// Asks the Python class what to do with the exception that is set; null with an exception set.
Specialization *fall_back(DispatcherObject *dispatcher,
                          const std::vector<const Type *> *arguments) {
  auto *self = reinterpret_cast<PyObject *>(dispatcher);
  Ref error = take_exception();
  Ref rows(arguments ? type_handles(*arguments) : Py_NewRef(Py_None));
  Ref callable;
  if (rows && PyObject_HasAttrString(self, "_fall_back"))
    callable = Ref(PyObject_CallMethod(self, "_fall_back", "OO", error.get(), rows.get()));
  else
    set_exception(error);
  if (callable)
    return add_fallback(dispatcher, arguments, std::move(callable));
  // The way through our Python files is no news to users.
  Ref raised = take_exception();
  if (raised.get() == error.get())
    PyException_SetTraceback(raised.get(), Py_None);
  set_exception(std::move(raised));
  return nullptr;
}

/// Sets the error about an argument that has no type.
void set_untyped_error(DispatcherObject *dispatcher, size_t index, const TypeOf &why) {
  const FunctionDef &function = *dispatcher_function(reinterpret_cast<PyObject *>(dispatcher));
  const auto &names = function.code.varnames;
  std::string name = index < names.size() ? "'" + names[index] + "'" : std::to_string(index + 1);
  try {
    throw CompileError(why.error_class,
                       why.error + "\n(argument " + name + " of " + function.name() + "())",
                       {{&function, {}, {}}});
  } catch (...) {
    set_current_exception();
  }
}

Specialization *untyped(DispatcherObject *dispatcher, size_t index, const TypeOf &why) {
  set_untyped_error(dispatcher, index, why);
  Specialization *target = fall_back(dispatcher, nullptr);
  if (!target && why.raised) {
    PyErr_Clear();
    PyErr_SetString(why.raised, why.error.c_str());
  }
  return target;
}

/// Classes of arguments without a type are in the key by address: they must not go away.
void keep_classes(DispatcherState &state, PyObject *const *arguments, size_t count) {
  for (size_t i = 0; i < count; ++i)
    state.kept.push_back(Ref::borrow(reinterpret_cast<PyObject *>(Py_TYPE(arguments[i]))));
}

Specialization *object_mode(DispatcherObject *dispatcher,
                            const std::vector<const Type *> *arguments) {
  auto *self = reinterpret_cast<PyObject *>(dispatcher);
  Ref callable(PyObject_CallMethod(self, "_object_mode_function", nullptr));
  return callable ? add_fallback(dispatcher, arguments, std::move(callable)) : nullptr;
}

} // namespace

std::shared_ptr<Specialization>
compile_dispatcher(PyObject *self, const std::vector<const Type *> &arguments, const Type *result,
                   const std::vector<const Const *> &values, bool defers) {
  auto *dispatcher = reinterpret_cast<DispatcherObject *>(self);
  DispatcherState &state = *dispatcher->state;
  for (;;) {
    for (const auto &made : state.specializations)
      if (made->arguments() == arguments && made->compiled().values == values &&
          !made->callable() && (!result || made->result() == result))
        return made;
    auto found = std::find_if(state.pending.begin(), state.pending.end(), [&](const auto &each) {
      return each->arguments == arguments && each->values == values && each->result == result &&
             each->thread != std::this_thread::get_id(); // called by the reading of its own source
    });
    if (found == state.pending.end())
      break;
    wait_for(*std::shared_ptr<Pending>(*found));
  }
  auto pending = std::make_shared<Pending>();
  pending->arguments = arguments;
  pending->values = values;
  pending->result = result;
  state.pending.push_back(pending);
  std::shared_ptr<Specialization> made;
  try {
    made = compile_now(dispatcher, arguments, result, values, defers);
  } catch (...) {
    set_current_exception();
  }
  end(state, pending);
  return made;
}

namespace {

/// The types of a call's arguments.
struct ArgumentTypes {
  std::vector<const Type *> types; ///< up to the first argument that has none
  TypeOf wrong;                    ///< why it has none
  bool complete = true;
  bool mixed = false; ///< of some the words of the call do not tell the type
  bool huge = false;  ///< an int beyond 64 bits is among them, of which there is no slot
};

/// What users declared has arrays of C, F and any layout only.
TypeOf type_of_given(const DispatcherState &state, PyObject *object) {
  if (state.can_compile)
    return type_of_argument(object);
  // A Counter is a dict to those who did not declare Counters.
  const bool is_dict = PyDict_Check(object) && !PyDict_CheckExact(object);
  const bool takes_objects = std::ranges::any_of(state.specializations, [](const auto &each) {
    return std::ranges::any_of(each->arguments(), is_dict_object);
  });
  TypeOf of = is_dict && !takes_objects ? type_of_dict(object) : type_of(object);
  if (!of.type)
    of.type = of.empty;
  return of;
}

/// Raises PythonError where the extensions of installed packages fail.
ArgumentTypes types_of_arguments(const DispatcherState &state, PyObject *const *arguments,
                                 size_t count) {
  ArgumentTypes made;
  for (size_t i = 0; i < count; ++i) {
    TypeOf type = type_of_given(state, arguments[i]);
    if (!type.type && load_extensions())
      type = type_of_given(state, arguments[i]);
    made.mixed = made.mixed || type.mixed;
    if (!type.type && !state.can_compile && PyLong_Check(arguments[i])) {
      type.type = types::uint64(); // a signature may have floats; what does not take it says so
      made.huge = true;
    }
    if (!type.type) {
      made.complete = false;
      made.wrong = std::move(type);
      break;
    }
    made.types.push_back(type.type);
  }
  return made;
}

/// The words of a call that the first items of its lists do not describe.
std::vector<uint64_t> words_of_types(const ArgumentTypes &arguments) {
  std::vector<uint64_t> words{word(Tag::Mixed)};
  for (const Type *type : arguments.types)
    words.push_back(reinterpret_cast<uint64_t>(type));
  if (!arguments.complete)
    words.push_back(0);
  return words;
}

/// A type with another one in each place that is undefined: `first` for items and keys, `second`
/// for the values of dicts.
const Type *filled(const Type *type, const Type *first, const Type *second) {
  if (type->kind == Kind::Undefined)
    return first;
  const bool is_dict = type->kind == Kind::Dict;
  if (!is_dict && type->kind != Kind::List && type->kind != Kind::Struct && !type->is_set() &&
      !type->is_tuple())
    return type;
  std::vector<const Type *> params;
  for (const Type *param : type->params)
    params.push_back(filled(param, is_dict && !params.empty() ? second : first, second));
  return types::with_params(type, std::move(params));
}

/// Whether a declared type is one that an undefined part may stand for.
bool agrees(const Type *given, const Type *declared) {
  return given == declared || given->kind == Kind::Undefined ||
         (given->kind == declared->kind && given->typed == declared->typed &&
          std::ranges::equal(given->params, declared->params, agrees));
}

/// What users declared for such arguments; nullptr: nothing.
Specialization *find_declared(const DispatcherState &state,
                              const std::vector<const Type *> &types) {
  for (const auto &each : state.specializations)
    if (std::ranges::equal(types, each->arguments(), agrees))
      return each.get();
  return nullptr;
}

bool holds_undefined(const std::vector<const Type *> &types) {
  return std::any_of(types.begin(), types.end(), [](const Type *type) {
    return filled(type, types::int64(), types::int64()) != type;
  });
}

/// The item type of an empty list follows from the function: types are tried in order, and the
/// first for which the function compiles is used. If it compiles for none, the first error is
/// raised.
Specialization *find_for_empty(const Wanted &wanted) {
  const Type *const tried[] = {types::int64(), types::float64(), types::unicode(),
                               types::scalar(ScalarId::Complex128)};
  Ref refusal;
  for (const Type *second : tried)
    for (const Type *first : tried) {
      std::vector<const Type *> all, same;
      for (const Type *type : wanted.types) {
        all.push_back(filled(type, first, second));
        same.push_back(filled(type, first, first));
      }
      if (all == same && first != second)
        continue; // there is no dict among them
      if (Specialization *target =
              find_for_values({wanted.dispatcher, all, wanted.arguments, wanted.defers}))
        return target;
      Ref error = take_exception();
      if (!refusal)
        refusal = std::move(error);
    }
  set_exception(std::move(refusal));
  return nullptr;
}

/// What runs arguments of these types; null with an exception set.
Specialization *find_target(DispatcherObject *dispatcher, const std::vector<const Type *> &types,
                            PyObject *const *arguments) {
  DispatcherState &state = *dispatcher->state;
  const bool empty = holds_undefined(types);
  if (!empty && (state.object_mode || !state.can_compile)) {
    const auto values = literal_values(state.literals, arguments, types.size());
    if (Specialization *known =
            state.find(literal_types(types, values, state.literals, arguments), values))
      return known;
  }
  if (state.object_mode)
    return object_mode(dispatcher, empty ? nullptr : &types);
  if (!state.can_compile) {
    Specialization *declared = empty ? find_declared(state, types) : nullptr;
    return declared ? declared : best_match(dispatcher, types);
  }
  Wanted wanted{dispatcher, types, arguments};
  const auto find = empty ? find_for_empty : find_for_values;
  Specialization *target = find(wanted);
  if (!target)
    target = fall_back(dispatcher, empty ? nullptr : &types);
  if (target || !may_be_elsewhere())
    return target;
  Ref error = take_exception();
  wanted.defers = true;
  target = find(wanted);
  if (!target)
    set_exception(std::move(error));
  return target;
}

/// Enters what runs such a call into the table under its words; null with an exception set.
const CallKey *add_target(DispatcherObject *dispatcher, PyObject *const *arguments, size_t count,
                          const ArgumentTypes &given, const uint64_t *words, size_t word_count,
                          bool indirect) {
  DispatcherState &state = *dispatcher->state;
  Specialization *target;
  const bool had_literals = !state.literals.empty();
  if (given.complete)
    target = find_target(dispatcher, given.types, arguments);
  else if (state.object_mode)
    target = object_mode(dispatcher, nullptr);
  else
    target = untyped(dispatcher, given.types.size(), given.wrong);
  if (!target)
    return nullptr;
  keep_classes(state, arguments, count);
  const bool direct = given.complete && !given.huge && !indirect && !target->callable() &&
                      same_slots(given.types, target->arguments());
  if (had_literals == !state.literals.empty())
    return state.table.add(words, word_count, target, direct);
  std::vector<uint64_t> longer(words, words + word_count); // with what later calls end with
  longer.resize(word_count + state.literals.size());
  Scan scan{nullptr, nullptr, longer.data() + word_count, longer.data() + longer.size()};
  scan_literals(state, arguments, scan);
  return state.table.add(longer.data(), longer.size(), target, direct);
}

/// As add_target for a call whose words do not tell the types of its arguments.
const CallKey *find_mixed(DispatcherObject *dispatcher, PyObject *const *arguments, size_t count,
                          const ArgumentTypes &given) {
  DispatcherState &state = *dispatcher->state;
  std::vector<uint64_t> words = words_of_types(given);
  const size_t own = words.size();
  words.resize(own + state.literals.size());
  Scan scan{nullptr, nullptr, words.data() + own, words.data() + words.size()};
  scan_literals(state, arguments, scan);
  if (const CallKey *known = state.table.find(words.data(), words.size()))
    return known;
  return add_target(dispatcher, arguments, count, given, words.data(), words.size(), true);
}

size_t count_parameters(DispatcherObject *dispatcher) {
  return static_cast<size_t>(
      dispatcher_function(reinterpret_cast<PyObject *>(dispatcher))->parameter_count());
}

} // namespace

const CallKey *resolve_call(DispatcherObject *dispatcher, PyObject *const *arguments,
                            const uint64_t *words, size_t word_count, bool indirect) {
  const size_t count = count_parameters(dispatcher);
  try {
    const ArgumentTypes given = types_of_arguments(*dispatcher->state, arguments, count);
    return given.mixed
               ? find_mixed(dispatcher, arguments, count, given)
               : add_target(dispatcher, arguments, count, given, words, word_count, indirect);
  } catch (...) {
    set_current_exception();
    return nullptr;
  }
}

const CallKey *resolve_mixed(DispatcherObject *dispatcher, PyObject *const *arguments) {
  const size_t count = count_parameters(dispatcher);
  try {
    const ArgumentTypes given = types_of_arguments(*dispatcher->state, arguments, count);
    return given.mixed ? find_mixed(dispatcher, arguments, count, given) : nullptr;
  } catch (...) {
    set_current_exception();
    return nullptr;
  }
}

} // namespace numjit
