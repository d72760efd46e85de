// The type of a Python value as an argument of a compiled function.
#pragma once

#include "pyext/python.h"
#include "typeinfer/types/types.h"

#include <string>

namespace numjit {

struct TypeOf {
  const Type *type = nullptr;
  std::string error = {};                  ///< without type: why
  PyObject *raised = nullptr;              ///< a builtin class of exceptions for that
  const char *error_class = "TypingError"; ///< else one of numjit.errors
  /// The type differs from that in the words of a call, which hold the first item of a list or set
  /// only.
  bool mixed = false;
  /// Without type, as an empty list, set or dict has none: its type with `undefined` in place of
  /// what its items would be.
  const Type *empty = nullptr;
};

// These need the GIL.

TypeOf type_of(PyObject *object);
/// The same, but of an array whose rows are contiguous (`a[1:-1, 1:-1]`) the type says so. Items of
/// tuples and containers keep the type that they share with others.
TypeOf type_of_argument(PyObject *object);
/// The type of a list of the items in a Python list, and of a dict of keys and values in two.
TypeOf type_of_list_of(PyObject *items);
TypeOf type_of_dict_of(PyObject *keys, PyObject *values);
/// Whether a type is that of a dict with a type for each value, or holds such ones: arguments may
/// be, or be in tuples and other such dicts.
bool holds_settings(const Type *type);
/// Whether values of the type are, or hold, copies of Python lists or sets.
bool is_reflected(const Type *type);

/// int64, uint64 if it only fits there, nullptr if it fits neither.
const Type *type_of_int(PyObject *object);
/// Values whose type is their own: functions, classes, modules, dtypes.
bool is_typed_by_identity(PyObject *object);
/// Arrays, and instances of subclasses (not of masked arrays: they have a second one).
bool is_plain_array(PyObject *object);

} // namespace numjit
