// Arrays to slots and back, without a copy: data, owner, shape and, unless they follow from the
// shape, strides.
#include "pyext/convert/items.h"
#include "pyext/convert/values.h"
#include "runtime/runtime.h"

#include <algorithm>

namespace numjit {

namespace {

/// The base object of an array that lies in a block of ours: holds one count of the block.
struct ArrayMemory {
  PyObject_HEAD void *block;
};

void release_memory(PyObject *self) {
  nj_release(reinterpret_cast<ArrayMemory *>(self)->block);
  PyObject_Free(self);
}

PyObject *count_of_memory(PyObject *self, void *) {
  auto *block = static_cast<nj_block *>(reinterpret_cast<ArrayMemory *>(self)->block);
  return PyLong_FromLongLong(__atomic_load_n(&block->count, __ATOMIC_RELAXED));
}

PyGetSetDef memory_properties[] = {
    {"refcount", count_of_memory, nullptr, "How many hold the memory: arrays, containers.",
     nullptr},
    {},
};

PyTypeObject memory_type = {};

PyObject *make_memory(void *block) {
  auto *memory = PyObject_New(ArrayMemory, &memory_type);
  if (memory)
    memory->block = block;
  return reinterpret_cast<PyObject *>(memory);
}

bool is_same_array(PyObject *object, const Type *type, const void *data, const npy_intp *shape,
                   const npy_intp *strides) {
  if (!PyArray_Check(object))
    return false;
  auto *array = reinterpret_cast<PyArrayObject *>(object);
  int ndim = type->ndim;
  return PyArray_DATA(array) == data && PyArray_NDIM(array) == ndim &&
         item_of_descr(PyArray_DESCR(array)) == type->dtype() &&
         std::equal(shape, shape + ndim, PyArray_DIMS(array)) &&
         (!strides || std::equal(strides, strides + ndim, PyArray_STRIDES(array))) &&
         (strides || (type->layout == Layout::F ? PyArray_IS_F_CONTIGUOUS(array)
                                                : PyArray_IS_C_CONTIGUOUS(array))) &&
         type->readonly == !PyArray_ISWRITEABLE(array);
}

bool wrong_array(PyObject *object, const Type *type) {
  PyErr_Format(PyExc_TypeError, "can't unbox %.200s as %s", Py_TYPE(object)->tp_name,
               type->text.c_str());
  return false;
}

} // namespace

bool init_array_memory() {
  Py_SET_REFCNT(reinterpret_cast<PyObject *>(&memory_type), 1);
  memory_type.tp_name = "numjit._core.ArrayMemory";
  memory_type.tp_doc = "Memory of an array that a compiled function made.";
  memory_type.tp_basicsize = sizeof(ArrayMemory);
  memory_type.tp_flags = Py_TPFLAGS_DEFAULT;
  memory_type.tp_dealloc = release_memory;
  memory_type.tp_getset = memory_properties;
  return PyType_Ready(&memory_type) == 0;
}

PyObject *box_array(const Type *type, const uint64_t *&slots) {
  const int ndim = type->ndim;
  auto *data = reinterpret_cast<void *>(slots[0]);
  const uint64_t owner = slots[1];
  auto *shape = reinterpret_cast<npy_intp *>(const_cast<uint64_t *>(slots + 2));
  npy_intp *strides = type->is_contiguous() ? nullptr : shape + ndim;
  slots += 2 + (strides ? 2 : 1) * ndim;

  PyObject *base = nullptr; // the reference that we were given
  if (owner & NJ_FOREIGN_BIT) {
    base = reinterpret_cast<PyObject *>(owner - NJ_FOREIGN_BIT);
    if (is_same_array(base, type, data, shape, strides))
      return base;
  } else if (owner) {
    base = make_memory(reinterpret_cast<void *>(owner));
    if (!base)
      return nullptr;
  }
  int flags = type->readonly ? 0 : NPY_ARRAY_WRITEABLE;
  npy_intp fortran[NPY_MAXDIMS];
  if (type->layout == Layout::F && ndim > 1) {
    npy_intp step = item_size(type->dtype());
    for (int axis = 0; axis < ndim; ++axis) {
      fortran[axis] = step;
      step *= shape[axis];
    }
    strides = fortran;
  }
  PyArray_Descr *descr = descr_of(type->dtype());
  PyObject *array =
      descr ? PyArray_NewFromDescr(&PyArray_Type, descr, ndim, shape, strides, data, flags, nullptr)
            : nullptr;
  if (!array) {
    Py_XDECREF(base);
    return nullptr;
  }
  if (base && PyArray_SetBaseObject(reinterpret_cast<PyArrayObject *>(array), base) < 0) {
    Py_DECREF(array);
    return nullptr;
  }
  return array;
}

bool unbox_array(PyObject *object, const Type *type, uint64_t *&slots) {
  if (!PyArray_Check(object))
    return wrong_array(object, type);
  auto *array = reinterpret_cast<PyArrayObject *>(object);
  const int ndim = PyArray_NDIM(array);
  const bool aligned = type->unaligned || PyArray_ISALIGNED(array);
  bool fits = ndim == type->ndim && item_of_descr(PyArray_DESCR(array)) == type->dtype() &&
              PyArray_ISNBO(PyArray_DESCR(array)->byteorder) && aligned &&
              (type->readonly || PyArray_ISWRITEABLE(array)) &&
              (type->layout != Layout::C || PyArray_IS_C_CONTIGUOUS(array)) &&
              (type->layout != Layout::F || PyArray_IS_F_CONTIGUOUS(array));
  if (!fits)
    return wrong_array(object, type);
  *slots++ = reinterpret_cast<uint64_t>(PyArray_DATA(array));
  *slots++ = reinterpret_cast<uint64_t>(object) | NJ_FOREIGN_BIT;
  slots = std::copy_n(PyArray_DIMS(array), ndim, slots);
  if (!type->is_contiguous())
    slots = std::copy_n(PyArray_STRIDES(array), ndim, slots);
  return true;
}

} // namespace numjit
