// Global and captured lists, dicts and sets as constants: their contents are read when a function
// is compiled.
#pragma once

#include "frontend/constant.h"
#include "pyext/python.h"

namespace numjit {

/// The constant of a list, dict or set of numbers, strings, arrays, functions and more of these;
/// nullptr if it is no such one. Equal contents are the same constant.
const Const *constant_container(PyObject *object);

/// How many blocks of memory such constants have, which stay: they are no leaks.
int64_t blocks_of_constants();

} // namespace numjit
