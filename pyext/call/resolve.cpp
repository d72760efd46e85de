// Calls with argument types that were not seen before: typing, compiling once, falling back.
#include "pyext/call/dispatcher_state.h"
#include "pyext/call/kept_code.h"
#include "pyext/call/versions.h"
#include "pyext/convert/fingerprint.h"
#include "pyext/convert/intake.h"
#include "pyext/convert/typeof.h"
#include "pyext/errors.h"
#include "pyext/python.h"
#include "pyext/read/objects.h"
#include "pyext/read/type_handle.h"
#include "typeinfer/infer/builtins.h"
#include "typeinfer/types/units.h"
#include "typeinfer/types/with_params.h"

#include <algorithm>
#include <cctype>
#include <set>

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
                                            const std::vector<const Const *> &values) {
  DispatcherState &state = *dispatcher->state;
  FunctionDef &function = *dispatcher_function(reinterpret_cast<PyObject *>(dispatcher));
  Compiled compiled;
  load_or_compile(dispatcher, function, arguments, result, values, compiled);
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

/// The value that literally() can make known; nullptr where an argument has none.
const Const *literal_value(PyObject *object) {
  if (PyArray_IsScalar(object, Bool)) // as a bool of Python's
    object = PyObject_IsTrue(object) == 1 ? Py_True : Py_False;
  return PyLong_CheckExact(object) || PyBool_Check(object) || PyUnicode_CheckExact(object) ||
                 PySlice_Check(object)
             ? const_of(object)
             : nullptr;
}

/// Which axes of an array are of length one, as bits; -1: it is no array, or has too many axes.
int64_t units_of(PyObject *object) {
  if (!PyArray_Check(object))
    return -1;
  auto *array = reinterpret_cast<PyArrayObject *>(object);
  if (PyArray_NDIM(array) > 32)
    return -1;
  int64_t units = 0;
  for (int i = 0; i < PyArray_NDIM(array); ++i)
    units |= int64_t(PyArray_DIM(array, i) == 1) << i;
  return units;
}

/// The values of some arguments, one for each parameter; empty if `literals` is.
std::vector<const Const *> literal_values(const std::vector<size_t> &literals,
                                          PyObject *const *arguments, size_t count) {
  std::vector<const Const *> values(literals.empty() ? 0 : count);
  for (size_t i : literals)
    values[i] = literal_value(arguments[i]);
  return values;
}

/// The types of arguments of which some are `literals`. A string whose value is known has a type
/// that says so, and no slots; an array is known to have axes of length one.
std::vector<const Type *> literal_types(std::vector<const Type *> types,
                                        const std::vector<const Const *> &values,
                                        const std::vector<size_t> &literals,
                                        PyObject *const *arguments) {
  for (size_t i : literals)
    if (values[i] && values[i]->kind == ConstKind::Str)
      types[i] = types::string(values[i]);
    else if (types[i]->is_array())
      types[i] = types::with_units(types[i], units_of(arguments[i]));
  return types;
}

/// Whether arguments of types `given` have the slots of what was compiled for `compiled`.
bool same_slots(const std::vector<const Type *> &given, const std::vector<const Type *> &compiled) {
  return std::ranges::equal(given, compiled, [](const Type *a, const Type *b) {
    return a == b || (b->is_array() && a == types::with_units(b, -1));
  });
}

/// Whether the exception that is set is one of these of numjit.errors.
bool is_raised(const char *name) {
  Ref error = take_exception(); // nothing is imported while one is set
  Ref module(PyImport_ImportModule("numjit.errors"));
  Ref cls(module ? PyObject_GetAttrString(module.get(), name) : nullptr);
  set_exception(std::move(error));
  return cls && PyErr_ExceptionMatches(cls.get());
}

/// Whether the exception that is set says that literally() needs a value.
bool literals_are_wanted() { return is_raised("LiteralTypingError"); }

/// The text of the exception that is set; empty if none is.
std::string error_text() {
  if (!PyErr_Occurred())
    return {};
  Ref error = take_exception();
  std::string text = text_of(Ref(PyObject_Str(error.get())).get());
  set_exception(std::move(error));
  return text;
}

/// Whether the error that is set may be that of a branch for other values of flags.
bool may_be_for_other_values() {
  return is_raised("TypingError") && error_text().find("(strict_ints=True)") == std::string::npos;
}

/// Compiles with the value of that argument known which literally() needs, or of all if no single
/// one suffices. Which one it is is found by trying: inference alone shows it, and is short.
Specialization *compile_for_values(DispatcherObject *dispatcher,
                                   const std::vector<const Type *> &types,
                                   PyObject *const *arguments) {
  DispatcherState &state = *dispatcher->state;
  const bool extents = error_text().find("extents are not known") != std::string::npos;
  std::vector<size_t> all;
  for (size_t i = 0; i < types.size(); ++i)
    if (extents ? types[i]->is_array() && units_of(arguments[i]) >= 0
                : literal_value(arguments[i]) != nullptr)
      all.push_back(i);
  std::vector<std::vector<size_t>> choices;
  for (size_t i : all)
    choices.push_back({i});
  if (all.size() > 1)
    choices.push_back(all);
  for (const std::vector<size_t> &literals : choices) {
    PyErr_Clear();
    const auto values = literal_values(literals, arguments, types.size());
    auto made =
        compile_dispatcher(reinterpret_cast<PyObject *>(dispatcher),
                           literal_types(types, values, literals, arguments), nullptr, values);
    if (made)
      state.literals = literals;
    if (made || !(literals_are_wanted() || types_do_not_meet(error_text())))
      return made.get();
  }
  return nullptr;
}

/// Whether an object is a string like those that choose between ways to do something: there are few
/// of them, so that a function may be compiled for each.
bool is_word(PyObject *object) {
  const std::string text =
      PyUnicode_CheckExact(object) && PyUnicode_GET_LENGTH(object) <= 32 ? text_of(object) : " ";
  return std::ranges::all_of(text, [](unsigned char c) {
    return std::isalnum(c) || std::string_view("_-+.<>=|/:").find(c) != std::string_view::npos;
  });
}

/// Compiles with the values of those arguments known that are bools, or else of those that are
/// bools or strings, besides those that are known anyway; null with the exception that was set
/// before where that does not help.
Specialization *compile_for_flags(DispatcherObject *dispatcher,
                                  const std::vector<const Type *> &types,
                                  PyObject *const *arguments) {
  DispatcherState &state = *dispatcher->state;
  const bool any_string = types_do_not_meet(error_text());
  Ref before = take_exception();
  std::set<size_t> bools(state.literals.begin(), state.literals.end()), flags = bools;
  for (size_t i = 0; i < types.size(); ++i) {
    const bool is_bool = PyBool_Check(arguments[i]) || PyArray_IsScalar(arguments[i], Bool);
    if (is_bool)
      bools.insert(i);
    if (is_bool || is_word(arguments[i]) || (any_string && PyUnicode_CheckExact(arguments[i])))
      flags.insert(i);
  }
  size_t tried = state.literals.size();
  for (const std::set<size_t> &all : {bools, flags}) {
    if (all.size() == std::exchange(tried, all.size()))
      continue;
    const std::vector<size_t> known(all.begin(), all.end());
    const auto values = literal_values(known, arguments, types.size());
    auto made = compile_dispatcher(reinterpret_cast<PyObject *>(dispatcher),
                                   literal_types(types, values, known, arguments), nullptr, values);
    if (made) {
      state.literals = known;
      return made.get();
    }
    PyErr_Clear();
  }
  set_exception(std::move(before));
  return nullptr;
}

} // namespace

ScanResult scan_literals(const DispatcherState &state, PyObject *const *arguments, Scan &scan) {
  if (!scan.has_room(0, static_cast<Py_ssize_t>(state.literals.size())))
    return ScanResult::NoRoom;
  for (size_t i : state.literals)
    *scan.words++ = PyArray_Check(arguments[i])
                        ? static_cast<uint64_t>(units_of(arguments[i]))
                        : reinterpret_cast<uint64_t>(literal_value(arguments[i]));
  return ScanResult::Fine;
}

std::shared_ptr<Specialization> compile_dispatcher(PyObject *self,
                                                   const std::vector<const Type *> &arguments,
                                                   const Type *result,
                                                   const std::vector<const Const *> &values) {
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
    made = compile_now(dispatcher, arguments, result, values);
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

/// What machine code runs arguments of these types; null with an exception set.
Specialization *find_compiled(DispatcherObject *dispatcher, const std::vector<const Type *> &types,
                              PyObject *const *arguments) {
  DispatcherState &state = *dispatcher->state;
  const auto values = literal_values(state.literals, arguments, types.size());
  const std::vector<const Type *> wanted = literal_types(types, values, state.literals, arguments);
  Specialization *target = state.find(wanted, values);
  if (!target)
    target =
        compile_dispatcher(reinterpret_cast<PyObject *>(dispatcher), wanted, nullptr, values).get();
  if (!target && literals_are_wanted())
    target = compile_for_values(dispatcher, types, arguments);
  else if (!target && may_be_for_other_values())
    target = compile_for_flags(dispatcher, types, arguments);
  return target;
}

/// The item type of an empty list follows from the function: types are tried in order, and the
/// first for which the function compiles is used. If it compiles for none, the first error is
/// raised.
Specialization *find_for_empty(DispatcherObject *dispatcher, const std::vector<const Type *> &types,
                               PyObject *const *arguments) {
  const Type *const tried[] = {types::int64(), types::float64(), types::unicode(),
                               types::scalar(ScalarId::Complex128)};
  Ref refusal;
  for (const Type *second : tried)
    for (const Type *first : tried) {
      std::vector<const Type *> all, same;
      for (const Type *type : types) {
        all.push_back(filled(type, first, second));
        same.push_back(filled(type, first, first));
      }
      if (all == same && first != second)
        continue; // there is no dict among them
      if (Specialization *target = find_compiled(dispatcher, all, arguments))
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
  Specialization *target = empty ? find_for_empty(dispatcher, types, arguments)
                                 : find_compiled(dispatcher, types, arguments);
  return target ? target : fall_back(dispatcher, empty ? nullptr : &types);
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
