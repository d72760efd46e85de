// Parts of arrays of numjit.cupy by integers and slices. Other indices are left to Python.
#include "pyext/convert/fast_long.h"
#include "pyext/gpu/lazy.h"

namespace numjit {

namespace {

struct Layout {
  Py_ssize_t shape[kDeviceDimensions], strides[kDeviceDimensions];
  int axes = 0;

  void add(Py_ssize_t n, Py_ssize_t step) {
    shape[axes] = n;
    strides[axes++] = step;
  }
};

/// A view of an array: other extents and strides from an address on.
PyObject *view_at(ArrayObject *self, const DeviceArrayObject &array, char *data,
                  const Layout &layout) {
  Ref extents(PyTuple_New(layout.axes)), steps(PyTuple_New(layout.axes));
  for (int i = 0; extents && steps && i < layout.axes; ++i) {
    PyTuple_SET_ITEM(extents.get(), i, PyLong_FromSsize_t(layout.shape[i]));
    PyTuple_SET_ITEM(steps.get(), i, PyLong_FromSsize_t(layout.strides[i]));
  }
  if (!extents || !steps || PyErr_Occurred())
    return nullptr;
  Ref made(new_device_array(array_classes.device_array, array.memory, data, extents.get(),
                            steps.get(), array.dtype));
  PyObject *base = is_none(self->base) ? reinterpret_cast<PyObject *>(self) : self->base;
  return array_over(Py_TYPE(self), made, Ref::borrow(self->buffer), base);
}

/// Counts what indices take and make: -1 for axes left to Python.
int added_axes(PyObject *const *items, Py_ssize_t count, int ndim, int &rest) {
  int made = 0, taken = 0;
  bool dots = false;
  for (Py_ssize_t i = 0; i < count; ++i) {
    if (items[i] == Py_None)
      ++made;
    else if (items[i] == Py_Ellipsis && !dots)
      dots = true;
    else if (PyLong_CheckExact(items[i]) || PySlice_Check(items[i]))
      ++taken;
    else
      return -1;
  }
  rest = ndim - taken; // of the ellipsis
  return rest < 0 || ndim + made > kDeviceDimensions ? -1 : made;
}

/// A part of an array by integers, slices, None and an ellipsis; null without an exception: others.
PyObject *part(ArrayObject *self, PyObject *const *items, Py_ssize_t count) {
  int rest;
  if (added_axes(items, count, static_cast<int>(PyTuple_GET_SIZE(self->shape)), rest) < 0)
    return nullptr;
  Ref device = force(self);
  if (!device)
    return nullptr;
  const DeviceArrayObject &array = *as_device_array(device.get());
  Layout layout;
  char *data = static_cast<char *>(array.data);
  int axis = 0;
  for (Py_ssize_t i = 0; i < count; ++i) {
    if (items[i] == Py_None) {
      layout.add(1, 0);
      continue;
    }
    if (items[i] == Py_Ellipsis) {
      for (; rest > 0; --rest, ++axis)
        layout.add(array.shape[axis], array.strides[axis]);
      continue;
    }
    Py_ssize_t n = array.shape[axis], step = 1, begin, end;
    const Py_ssize_t stride = array.strides[axis++];
    if (PyLong_CheckExact(items[i])) {
      int64_t at;
      if (!fast_long(items[i], at) || at < -n || at >= n)
        return nullptr; // Python says what is wrong
      data += (at < 0 ? at + n : at) * stride;
      continue;
    }
    if (PySlice_Unpack(items[i], &begin, &end, &step) != 0)
      return nullptr;
    n = PySlice_AdjustIndices(n, &begin, &end, step);
    data += n ? begin * stride : 0;
    layout.add(n, stride * step);
  }
  for (; axis < array.ndim; ++axis)
    layout.add(array.shape[axis], array.strides[axis]);
  return view_at(self, array, data, layout);
}

bool read_integers(PyObject *sequence, Py_ssize_t *out, int &count) {
  Ref items(PySequence_Fast(sequence, "a sequence of integers"));
  if (!items || PySequence_Fast_GET_SIZE(items.get()) > kDeviceDimensions)
    return false;
  count = static_cast<int>(PySequence_Fast_GET_SIZE(items.get()));
  for (int i = 0; i < count; ++i) {
    PyObject *item = PySequence_Fast_GET_ITEM(items.get(), i);
    int64_t number;
    if (!PyLong_CheckExact(item) || !fast_long(item, number))
      return false;
    out[i] = number;
  }
  return true;
}

/// _strided(shape, strides, offset): a view that is what the caller says.
PyObject *strided(PyObject *object, PyObject *arguments) {
  PyObject *shape, *strides;
  Py_ssize_t offset = 0;
  if (!PyArg_ParseTuple(arguments, "OO|n", &shape, &strides, &offset))
    return nullptr;
  Layout layout;
  int steps = 0;
  if (!read_integers(shape, layout.shape, layout.axes) ||
      !read_integers(strides, layout.strides, steps) || steps != layout.axes)
    return PyErr_Occurred() ? nullptr : PyErr_Format(PyExc_TypeError, "extents and strides");
  ArrayObject *self = as_array_object(object);
  Ref device = force(self);
  if (!device)
    return nullptr;
  const DeviceArrayObject &array = *as_device_array(device.get());
  return view_at(self, array, static_cast<char *>(array.data) + offset, layout);
}

/// The one argument of a method where that is a sequence, or else all of them.
PyObject *spread(PyObject *arguments) {
  if (PyTuple_GET_SIZE(arguments) != 1)
    return arguments;
  PyObject *only = PyTuple_GET_ITEM(arguments, 0);
  return PyTuple_CheckExact(only) || PyList_CheckExact(only) ? only : arguments;
}

/// _reshaped(arguments): None where it is no view of an array in C's order, or an error.
PyObject *reshaped(PyObject *object, PyObject *arguments) {
  Layout layout;
  if (!PyTuple_CheckExact(arguments) ||
      !read_integers(spread(arguments), layout.shape, layout.axes))
    return PyErr_Occurred() ? nullptr : Py_NewRef(Py_None);
  ArrayObject *self = as_array_object(object);
  Ref device = force(self);
  if (!device)
    return nullptr;
  const DeviceArrayObject &array = *as_device_array(device.get());
  const Py_ssize_t size = array.size();
  Py_ssize_t known = 1;
  int unknown = -1;
  for (int i = 0; i < layout.axes; ++i) {
    if (layout.shape[i] == -1 && unknown < 0)
      unknown = i;
    else if (layout.shape[i] < 1 || known > size / layout.shape[i])
      Py_RETURN_NONE; // also arrays without elements
    else
      known *= layout.shape[i];
  }
  if (unknown >= 0) {
    layout.shape[unknown] = size / known;
    known *= layout.shape[unknown];
  }
  if (!size || known != size || !(array.flags & NPY_ARRAY_C_CONTIGUOUS))
    Py_RETURN_NONE;
  Py_ssize_t step = PyDataType_ELSIZE(reinterpret_cast<PyArray_Descr *>(array.dtype));
  for (int i = layout.axes - 1; i >= 0; --i) {
    layout.strides[i] = step;
    step *= layout.shape[i];
  }
  return view_at(self, array, static_cast<char *>(array.data), layout);
}

/// _permuted(axes): None where it is an error. Without axes they are turned round.
PyObject *permuted(PyObject *object, PyObject *arguments) {
  Py_ssize_t axes[kDeviceDimensions];
  int count = 0;
  ArrayObject *self = as_array_object(object);
  const int ndim = static_cast<int>(PyTuple_GET_SIZE(self->shape));
  if (PyTuple_CheckExact(arguments) && !PyTuple_GET_SIZE(arguments)) {
    for (count = 0; count < ndim; ++count)
      axes[count] = ndim - 1 - count;
  } else if (!PyTuple_CheckExact(arguments) || !read_integers(spread(arguments), axes, count)) {
    return PyErr_Occurred() ? nullptr : Py_NewRef(Py_None);
  }
  Ref device = force(self);
  if (!device)
    return nullptr;
  const DeviceArrayObject &array = *as_device_array(device.get());
  Layout layout;
  uint64_t seen = 0;
  for (int i = 0; i < count; ++i) {
    const Py_ssize_t axis = axes[i] < 0 ? axes[i] + ndim : axes[i];
    if (axis < 0 || axis >= ndim || seen >> axis & 1)
      Py_RETURN_NONE;
    seen |= uint64_t{1} << axis;
    layout.add(array.shape[axis], array.strides[axis]);
  }
  if (count != ndim)
    Py_RETURN_NONE;
  return view_at(self, array, static_cast<char *>(array.data), layout);
}

} // namespace

PyMethodDef view_methods[3] = {
    {"_strided", strided, METH_VARARGS,
     "_strided(shape, strides, offset=0): a view with other extents and strides, from a byte on."},
    {"_reshaped", reshaped, METH_O,
     "The view that reshape(*arguments) is; None for arrays that are not in C's order, and "
     "errors."},
    {"_permuted", permuted, METH_O, "The view that transpose(*arguments) is; None for errors."}};

PyObject *array_subscript(PyObject *object, PyObject *index) {
  PyObject *const *items =
      PyTuple_CheckExact(index) ? reinterpret_cast<PyTupleObject *>(index)->ob_item : &index;
  const Py_ssize_t count = PyTuple_CheckExact(index) ? PyTuple_GET_SIZE(index) : 1;
  PyObject *found = part(as_array_object(object), items, count);
  return found || PyErr_Occurred() ? found
                                   : PyObject_CallMethod(object, "_get_slowly", "(O)", index);
}

} // namespace numjit
