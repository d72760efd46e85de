#include "pyext/convert/items.h"

#include "pyext/convert/values.h"
#include "pyext/read/scalar_codes.h"
#include "runtime/runtime.h"
#include "typeinfer/infer/unify.h"

#include <numpy/arrayscalars.h>

#include <cstring>
#include <unordered_map>

namespace numjit {

namespace {

PyObject *record_class() {
  static PyObject *cls = nullptr;
  if (!cls)
    if (Ref module = Ref(PyImport_ImportModule("numpy")))
      cls = attribute_or_null(module.get(), "record").release();
  return cls;
}

/// The dtype whose scalars are np.record, with the fields as attributes.
Ref record_dtype(const Type *type) {
  static auto *known = new std::unordered_map<const Type *, PyObject *>;
  PyObject *&dtype = (*known)[type];
  Ref plain(dtype ? nullptr : reinterpret_cast<PyObject *>(descr_of(type)));
  if (plain)
    if (Ref both(PyTuple_Pack(2, record_class(), plain.get())); both)
      dtype = reinterpret_cast<PyObject *>(descr_from(both.get()));
  return Ref::borrow(dtype);
}

} // namespace

bool unbox_item(PyObject *object, const Type *type, uint64_t *&slots) {
  const Type *own = type_of_item(object);
  if (own && type->kind == Kind::Record && type_conversion(own, type) != scalar::Conversion::None) {
    *slots++ = reinterpret_cast<uint64_t>(record_memory(object));
    *slots++ = reinterpret_cast<uint64_t>(object) | NJ_FOREIGN_BIT;
    return true;
  }
  if (own == type) {
    *slots++ = static_cast<uint64_t>(time_count(object));
    return true;
  }
  if (type->is_time() && own && own->kind == type->kind) { // another unit: NumPy converts
    Ref descr(reinterpret_cast<PyObject *>(descr_of(type)));
    Ref converted(descr ? PyObject_CallMethod(object, "astype", "O", descr.get()) : nullptr);
    if (!converted)
      return false;
    if (type_of_item(converted.get()) == type)
      return unbox_item(converted.get(), type, slots);
  }
  PyErr_Format(PyExc_TypeError, "can't unbox %.200s as %s", Py_TYPE(object)->tp_name,
               type->text.c_str());
  return false;
}

/// A record with memory of its own. NumPy stores into fields only where an array holds them.
static PyObject *copied_record(const Ref &dtype, const void *memory) {
  auto *descr = reinterpret_cast<PyArray_Descr *>(dtype.get());
  Ref holder(PyArray_Zeros(0, nullptr, reinterpret_cast<PyArray_Descr *>(Py_NewRef(descr)), 0));
  if (!holder)
    return nullptr;
  auto *array = reinterpret_cast<PyArrayObject *>(holder.get());
  std::memcpy(PyArray_DATA(array), memory, PyArray_ITEMSIZE(array));
  return PyArray_Scalar(PyArray_DATA(array), descr, holder.get());
}

PyObject *box_item_scalar(const Type *type, const uint64_t *&slots) {
  if (type->kind != Kind::Record)
    return time_scalar(type, static_cast<int64_t>(*slots++));
  auto *memory = reinterpret_cast<void *>(slots[0]);
  auto *owner = reinterpret_cast<void *>(slots[1]);
  slots += 2;
  // A copy, as Numba gives: the memory may belong to an array that goes away. A record that came
  // from Python and was not part of an array is itself.
  PyObject *made = nullptr;
  const auto bits = reinterpret_cast<uintptr_t>(owner);
  auto *object = reinterpret_cast<PyObject *>(bits - NJ_FOREIGN_BIT);
  auto *cls = reinterpret_cast<PyTypeObject *>(record_class());
  if ((bits & NJ_FOREIGN_BIT) && Py_TYPE(object) == cls && record_memory(object) == memory)
    made = Py_NewRef(object);
  else if (Ref as_record = record_dtype(type); as_record)
    made = copied_record(as_record, memory);
  nj_release(owner);
  return made;
}

} // namespace numjit
