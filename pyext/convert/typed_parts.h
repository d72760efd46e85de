// What numjit.typed's containers share, and the parts that each file of them has for the others.
#pragma once

#include "pyext/python.h"
#include "runtime/runtime.h"
#include "typeinfer/types/types.h"

namespace numjit {

struct Typed {
  PyObject_HEAD const Type *type; ///< null: nothing was put into it yet
  nj_block *block;                ///< one count of it
};

extern PyTypeObject *typed_base;
/// The container that an object is; null if it is none.
inline const Typed *typed_container(PyObject *object) {
  return PyObject_TypeCheck(object, typed_base) ? reinterpret_cast<Typed *>(object) : nullptr;
}

} // namespace numjit

namespace numjit::typed_parts {

inline Typed *as_typed(PyObject *object) { return reinterpret_cast<Typed *>(object); }
inline const Type *item_of(Typed *self) { return self->type->params[0]; }
PyObject *out_of_memory();
/// An empty block for a container of a type; false with an exception set.
bool make_block(Typed *self, const Type *type);
/// _init(type or None): what __init__ of the Python class calls.
PyObject *init(PyObject *object, PyObject *handle);

extern PyType_Spec list_spec; // typed_lists.cpp

} // namespace numjit::typed_parts
