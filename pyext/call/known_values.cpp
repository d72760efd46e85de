#include "pyext/call/known_values.h"

#include "pyext/call/dispatcher.h"
#include "pyext/read/objects.h"
#include "typeinfer/infer.h"
#include "typeinfer/types/units.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <set>
#include <utility>

namespace numjit {

namespace {

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

/// The text of the exception that is set; empty if none is.
std::string error_text() {
  if (!PyErr_Occurred())
    return {};
  Ref error = take_exception();
  std::string text = text_of(Ref(PyObject_Str(error.get())).get());
  set_exception(std::move(error));
  return text;
}

/// Whether the exception that is set is one of these of numjit.errors.
bool is_raised(const char *name) {
  Ref error = take_exception(); // nothing is imported while one is set
  Ref module(PyImport_ImportModule("numjit.errors"));
  Ref cls(module ? PyObject_GetAttrString(module.get(), name) : nullptr);
  set_exception(std::move(error));
  return cls && PyErr_ExceptionMatches(cls.get());
}

} // namespace

std::vector<const Const *> literal_values(const std::vector<size_t> &literals,
                                          PyObject *const *arguments, size_t count) {
  std::vector<const Const *> values(literals.empty() ? 0 : count);
  for (size_t i : literals)
    values[i] = literal_value(arguments[i]);
  return values;
}

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

bool same_slots(const std::vector<const Type *> &given, const std::vector<const Type *> &compiled) {
  return std::ranges::equal(given, compiled, [](const Type *a, const Type *b) {
    return a == b || (b->is_array() && a == types::with_units(b, -1));
  });
}

bool may_be_elsewhere() {
  return is_raised("NumbaError") && error_text().find("(strict_ints=True)") == std::string::npos;
}

namespace {

/// Whether the exception that is set says that literally() needs a value.
bool literals_are_wanted() { return is_raised("LiteralTypingError"); }

/// Whether the error that is set may be that of a branch for other values of flags.
bool may_be_for_other_values() { return is_raised("TypingError") && may_be_elsewhere(); }

std::shared_ptr<Specialization> compile_with(const Wanted &wanted,
                                             const std::vector<size_t> &literals) {
  const auto values = literal_values(literals, wanted.arguments, wanted.types.size());
  return compile_dispatcher(reinterpret_cast<PyObject *>(wanted.dispatcher),
                            literal_types(wanted.types, values, literals, wanted.arguments),
                            nullptr, values, wanted.defers);
}

/// Compiles with the value of that argument known which literally() needs, or of all if no single
/// one suffices. Which one it is is found by trying: inference alone shows it, and is short.
Specialization *compile_for_values(const Wanted &wanted) {
  const auto &[dispatcher, types, arguments, defers] = wanted;
  DispatcherState &state = *dispatcher->state;
  const bool extents = extents_are_open(error_text());
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
    auto made = compile_with(wanted, literals);
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
  constexpr Py_ssize_t longest = 32;
  const std::string text = PyUnicode_CheckExact(object) && PyUnicode_GET_LENGTH(object) <= longest
                               ? text_of(object)
                               : " ";
  return std::ranges::all_of(text, [](unsigned char c) {
    return std::isalnum(c) || std::string_view("_-+.<>=|/:").find(c) != std::string_view::npos;
  });
}

/// The arguments that are bools, and those that are bools or strings, besides those whose values
/// are known anyway.
std::array<std::set<size_t>, 2> flags_of(const Wanted &wanted, bool any_string) {
  const std::vector<size_t> &known = wanted.dispatcher->state->literals;
  std::array<std::set<size_t>, 2> flags;
  flags.fill({known.begin(), known.end()});
  auto &[bools, all] = flags;
  for (size_t i = 0; i < wanted.types.size(); ++i) {
    PyObject *argument = wanted.arguments[i];
    const bool is_bool = PyBool_Check(argument) || PyArray_IsScalar(argument, Bool);
    if (is_bool)
      bools.insert(i);
    if (is_bool || is_word(argument) || (any_string && PyUnicode_CheckExact(argument)))
      all.insert(i);
  }
  return flags;
}

/// Compiles with the values of these arguments known, and keeps to that; null with an exception set
/// where that does not help.
Specialization *compile_knowing(const Wanted &wanted, const std::set<size_t> &known) {
  const std::vector<size_t> literals(known.begin(), known.end());
  auto made = compile_with(wanted, literals);
  if (made)
    wanted.dispatcher->state->literals = literals;
  return made.get();
}

/// Compiles with the values of those arguments known that are bools, or else of those that are
/// bools or strings; null with the exception that was set before where that does not help.
Specialization *compile_for_flags(const Wanted &wanted) {
  const bool any_string = types_do_not_meet(error_text());
  Ref before = take_exception();
  size_t tried = wanted.dispatcher->state->literals.size();
  for (const std::set<size_t> &known : flags_of(wanted, any_string)) {
    if (known.size() == tried)
      continue;
    tried = known.size();
    if (Specialization *made = compile_knowing(wanted, known))
      return made;
    PyErr_Clear();
  }
  set_exception(std::move(before));
  return nullptr;
}

/// Warns once of a function that is compiled for value after value. Null with an exception set
/// where warnings are errors.
Specialization *told_of_versions(const Wanted &wanted, Specialization *made) {
  constexpr size_t many = 64;
  DispatcherState &state = *wanted.dispatcher->state;
  if (!made || state.literals.empty() || state.specializations.size() < many ||
      std::exchange(state.told_of_versions, true))
    return made;
  Ref positions(PyList_New(0));
  for (size_t i : state.literals)
    if (Ref position(PyLong_FromSize_t(i));
        !position || PyList_Append(positions.get(), position.get()))
      return nullptr;
  return Ref(PyObject_CallMethod(reinterpret_cast<PyObject *>(wanted.dispatcher), "_warn_versions",
                                 "nO", static_cast<Py_ssize_t>(many), positions.get()))
             ? made
             : nullptr;
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

Specialization *find_for_values(const Wanted &wanted) {
  const DispatcherState &state = *wanted.dispatcher->state;
  const auto values = literal_values(state.literals, wanted.arguments, wanted.types.size());
  Specialization *target =
      state.find(literal_types(wanted.types, values, state.literals, wanted.arguments), values);
  if (target)
    return target;
  target = wanted.defers // what is known says which branches there are
               ? compile_knowing(wanted, flags_of(wanted, false)[1])
               : compile_with(wanted, state.literals).get();
  if (!target && literals_are_wanted())
    target = compile_for_values(wanted);
  else if (!target && !wanted.defers && may_be_for_other_values())
    target = compile_for_flags(wanted);
  return told_of_versions(wanted, target);
}

} // namespace numjit
