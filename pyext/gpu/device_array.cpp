#include "pyext/gpu/device_array.h"

#include "pyext/convert/items.h"

#include <structmember.h>

#include <algorithm>

namespace numjit {

namespace {

PyTypeObject *device_array_type = nullptr;

DeviceArrayObject *as_array(PyObject *object) { return as_device_array(object); }

/// Reads a tuple of integers; its length, or -1 with an exception set.
int read_integers(PyObject *tuple, npy_intp *out) {
  const Py_ssize_t count = PyTuple_GET_SIZE(tuple);
  if (count > kDeviceDimensions) {
    PyErr_Format(PyExc_ValueError,
                 "maximum supported dimension for a device array is %d, found %zd",
                 kDeviceDimensions, count);
    return -1;
  }
  for (Py_ssize_t i = 0; i < count; ++i)
    if ((out[i] = PyLong_AsSsize_t(PyTuple_GET_ITEM(tuple, i))) == -1 && PyErr_Occurred())
      return -1;
  return static_cast<int>(count);
}

/// Whether elements lie one behind the other, the last axis (or the first) fastest. Axes of one
/// element may have any stride.
bool is_contiguous(const DeviceArrayObject &array, npy_intp item, bool last_fastest) {
  npy_intp expected = item;
  if (std::find(array.shape, array.shape + array.ndim, 0) != array.shape + array.ndim)
    return true;
  for (int i = 0; i < array.ndim; ++i) {
    const int axis = last_fastest ? array.ndim - 1 - i : i;
    if (array.shape[axis] != 1 && array.strides[axis] != expected)
      return false;
    expected *= array.shape[axis];
  }
  return true;
}

/// Sets the layout by tuples; false with an exception set.
bool set_layout(DeviceArrayObject &self, PyObject *shape, PyObject *strides, PyArray_Descr *dtype) {
  const npy_intp item = PyDataType_ELSIZE(dtype);
  self.ndim = read_integers(shape, self.shape);
  if (self.ndim < 0)
    return false;
  Ref made;
  if (strides) {
    const int count = read_integers(strides, self.strides);
    if (count >= 0 && count != self.ndim)
      PyErr_SetString(PyExc_ValueError, "strides not match ndim");
    if (count != self.ndim)
      return false;
  } else {
    npy_intp step = item;
    made = Ref(PyTuple_New(self.ndim));
    for (int i = self.ndim; made && i-- > 0; step *= self.shape[i]) {
      self.strides[i] = step;
      PyTuple_SET_ITEM(made.get(), i, PyLong_FromSsize_t(step));
    }
    if (!made || PyErr_Occurred())
      return false;
    strides = made.get();
  }
  self.flags = (is_contiguous(self, item, true) ? NPY_ARRAY_C_CONTIGUOUS : 0) |
               (is_contiguous(self, item, false) ? NPY_ARRAY_F_CONTIGUOUS : 0);
  self.item = item_of_descr(dtype);
  self.shape_tuple = Py_NewRef(shape);
  self.strides_tuple = Py_NewRef(strides);
  self.dtype = Py_NewRef(reinterpret_cast<PyObject *>(dtype));
  return true;
}

PyObject *array_create(PyTypeObject *type, PyObject *arguments, PyObject *) {
  unsigned long long pointer;
  PyObject *shape, *strides;
  PyArray_Descr *dtype;
  int is_record = 0;
  if (!PyArg_ParseTuple(arguments, "KO!O!O!|p:DeviceArray", &pointer, &PyTuple_Type, &shape,
                        &PyTuple_Type, &strides, &PyArrayDescr_Type, &dtype, &is_record))
    return nullptr;
  Ref object(type->tp_alloc(type, 0));
  if (!object)
    return nullptr;
  DeviceArrayObject &self = *as_array(object.get());
  self.data = reinterpret_cast<void *>(pointer);
  self.is_record = is_record != 0;
  return set_layout(self, shape, strides, dtype) ? object.release() : nullptr;
}

void array_destroy(PyObject *object) {
  DeviceArrayObject &self = *as_array(object);
  Py_XDECREF(self.shape_tuple);
  Py_XDECREF(self.strides_tuple);
  Py_XDECREF(self.dtype);
  Py_XDECREF(self.memory);
  Py_XDECREF(self.stream);
  PyTypeObject *type = Py_TYPE(object);
  type->tp_free(object);
  Py_DECREF(type);
}

PyObject *get_flag(PyObject *self, void *flag) {
  return PyBool_FromLong(as_array(self)->flags &
                         static_cast<int>(reinterpret_cast<intptr_t>(flag)));
}

PyMemberDef array_members[] = {
    {"_pointer", T_ULONGLONG, offsetof(DeviceArrayObject, data), READONLY, nullptr},
    {"shape", T_OBJECT, offsetof(DeviceArrayObject, shape_tuple), 0, nullptr},
    {"strides", T_OBJECT, offsetof(DeviceArrayObject, strides_tuple), 0, nullptr},
    {"dtype", T_OBJECT, offsetof(DeviceArrayObject, dtype), 0, nullptr},
    {"gpu_data", T_OBJECT, offsetof(DeviceArrayObject, memory), 0, nullptr},
    {"stream", T_OBJECT, offsetof(DeviceArrayObject, stream), 0, nullptr},
    {}};
PyGetSetDef array_properties[] = {{"_c_contiguous", get_flag, nullptr, nullptr,
                                   reinterpret_cast<void *>(intptr_t(NPY_ARRAY_C_CONTIGUOUS))},
                                  {"_f_contiguous", get_flag, nullptr, nullptr,
                                   reinterpret_cast<void *>(intptr_t(NPY_ARRAY_F_CONTIGUOUS))},
                                  {}};
PyType_Slot array_slots[] = {
    {Py_tp_doc, const_cast<char *>("DeviceArray(pointer, shape, strides, dtype, is_record=False): "
                                   "an array in device memory, as kernels see it, or a record")},
    {Py_tp_new, reinterpret_cast<void *>(array_create)},
    {Py_tp_init, reinterpret_cast<void *>(ignore_arguments)},
    {Py_tp_dealloc, reinterpret_cast<void *>(array_destroy)},
    {Py_tp_members, array_members},
    {Py_tp_getset, array_properties},
    {0, nullptr}};
PyType_Spec array_spec = {"numjit._core.DeviceArray", sizeof(DeviceArrayObject), 0,
                          Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, array_slots};

} // namespace

bool device_array_check(PyObject *object) { return PyObject_TypeCheck(object, device_array_type); }

const Type *type_of_device_array(const DeviceArrayObject &array) {
  if (!array.item || array.is_record)
    return array.item;
  const Layout layout = array.flags & NPY_ARRAY_C_CONTIGUOUS   ? Layout::C
                        : array.flags & NPY_ARRAY_F_CONTIGUOUS ? Layout::F
                                                               : Layout::A;
  return types::array(array.item, array.ndim, layout);
}

PyObject *new_device_array(PyTypeObject *type, PyObject *memory, void *data, PyObject *shape,
                           PyObject *strides, PyObject *dtype) {
  Ref object(type->tp_alloc(type, 0));
  if (!object)
    return nullptr;
  DeviceArrayObject &self = *as_array(object.get());
  self.data = data;
  self.memory = Py_NewRef(memory);
  self.stream = PyLong_FromLong(0);
  return set_layout(self, shape, strides, reinterpret_cast<PyArray_Descr *>(dtype))
             ? object.release()
             : nullptr;
}

bool init_device_array(PyObject *module) {
  device_array_type = reinterpret_cast<PyTypeObject *>(PyType_FromSpec(&array_spec));
  return device_array_type &&
         PyModule_AddObjectRef(module, "DeviceArray",
                               reinterpret_cast<PyObject *>(device_array_type)) == 0;
}

} // namespace numjit
