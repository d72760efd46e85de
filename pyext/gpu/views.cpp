// Parts of arrays of numjit.cupy by integers and slices. Other indices are left to Python.
#include "pyext/convert/fast_long.h"
#include "pyext/gpu/lazy.h"

namespace numjit {

namespace {

/// A part of an array by integers and slices; null without an exception: others.
PyObject *part(ArrayObject *self, PyObject *const *items, Py_ssize_t count) {
  for (Py_ssize_t i = 0; i < count; ++i)
    if (!PyLong_CheckExact(items[i]) && !PySlice_Check(items[i]))
      return nullptr;
  Ref device = force(self);
  if (!device || as_device_array(device.get())->ndim < count)
    return nullptr;
  const DeviceArrayObject &array = *as_device_array(device.get());
  Py_ssize_t shape[kDeviceDimensions], strides[kDeviceDimensions];
  char *data = static_cast<char *>(array.data);
  int axes = 0;
  for (int i = 0; i < array.ndim; ++i) {
    Py_ssize_t n = array.shape[i], step = 1, begin = 0;
    if (i < count && PyLong_CheckExact(items[i])) {
      int64_t at;
      if (!fast_long(items[i], at) || at < -n || at >= n)
        return nullptr; // Python says what is wrong
      data += (at < 0 ? at + n : at) * array.strides[i];
      continue;
    }
    if (i < count) {
      Py_ssize_t end;
      if (PySlice_Unpack(items[i], &begin, &end, &step) != 0)
        return nullptr;
      n = PySlice_AdjustIndices(n, &begin, &end, step);
    }
    data += n ? begin * array.strides[i] : 0;
    shape[axes] = n;
    strides[axes++] = array.strides[i] * step;
  }
  Ref extents(PyTuple_New(axes)), steps(PyTuple_New(axes));
  for (int i = 0; extents && steps && i < axes; ++i) {
    PyTuple_SET_ITEM(extents.get(), i, PyLong_FromSsize_t(shape[i]));
    PyTuple_SET_ITEM(steps.get(), i, PyLong_FromSsize_t(strides[i]));
  }
  if (!extents || !steps || PyErr_Occurred())
    return nullptr;
  Ref made(new_device_array(array_classes.device_array, array.memory, data, extents.get(),
                            steps.get(), array.dtype));
  PyObject *base = is_none(self->base) ? reinterpret_cast<PyObject *>(self) : self->base;
  return array_over(Py_TYPE(self), std::move(made), Ref::borrow(self->buffer), base);
}

} // namespace

PyObject *array_subscript(PyObject *object, PyObject *index) {
  PyObject *const *items =
      PyTuple_CheckExact(index) ? reinterpret_cast<PyTupleObject *>(index)->ob_item : &index;
  const Py_ssize_t count = PyTuple_CheckExact(index) ? PyTuple_GET_SIZE(index) : 1;
  PyObject *found = part(as_array_object(object), items, count);
  return found || PyErr_Occurred() ? found
                                   : PyObject_CallMethod(object, "_get_slowly", "(O)", index);
}

} // namespace numjit
