// numjit.typed.List and Dict: Python objects around the blocks that compiled code works on, so that
// nothing is copied on the way in and out. Their methods that need not be fast are Python
// (numjit/typed.py).
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

/// A Python object around a block, whose count it takes over.
PyObject *box_typed(const Type *type, nj_block *block);
PyObject *box_dict(const Type *type, const uint64_t *&slots);
bool unbox_typed(PyObject *object, const Type *type, uint64_t *&slots);

/// Any item of a set that is not empty.
PyObject *any_of_set(PyObject *set);

/// Makes the classes and adds them to the module; false with an exception set.
bool init_typed_containers(PyObject *module);

} // namespace numjit
