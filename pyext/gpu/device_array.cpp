#include "pyext/gpu/device_array.h"

#include "pyext/convert/items.h"

#include <structmember.h>

namespace numjit {

namespace {

PyTypeObject *device_array_type = nullptr;

DeviceArrayObject *as_array(PyObject *object) {
  return reinterpret_cast<DeviceArrayObject *>(object);
}

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
  for (int i = 0; i < array.ndim; ++i) {
    const int axis = last_fastest ? array.ndim - 1 - i : i;
    if (array.shape[axis] == 0)
      return true;
    if (array.shape[axis] != 1 && array.strides[axis] != expected)
      return false;
    expected *= array.shape[axis];
  }
  return true;
}

PyObject *create(PyTypeObject *type, PyObject *arguments, PyObject *) {
  unsigned long long pointer;
  PyObject *shape, *strides;
  PyArray_Descr *dtype;
  int is_record = 0;
  if (!PyArg_ParseTuple(arguments, "KO!O!O!|p:DeviceArray", &pointer, &PyTuple_Type, &shape,
                        &PyTuple_Type, &strides, &PyArrayDescr_Type, &dtype, &is_record))
    return nullptr;
  PyObject *object = type->tp_alloc(type, 0);
  if (!object)
    return nullptr;
  DeviceArrayObject &self = *as_array(object);
  self.data = reinterpret_cast<void *>(pointer);
  self.item = item_of_descr(dtype);
  self.is_record = is_record != 0;
  self.ndim = read_integers(shape, self.shape);
  const int count = self.ndim < 0 ? -1 : read_integers(strides, self.strides);
  if (count < 0 || count != self.ndim) {
    if (count >= 0)
      PyErr_SetString(PyExc_ValueError, "strides not match ndim");
    Py_DECREF(object);
    return nullptr;
  }
  const npy_intp item = PyDataType_ELSIZE(dtype);
  self.flags = (is_contiguous(self, item, true) ? NPY_ARRAY_C_CONTIGUOUS : 0) |
               (is_contiguous(self, item, false) ? NPY_ARRAY_F_CONTIGUOUS : 0);
  return object;
}

int initialise(PyObject *, PyObject *, PyObject *) { return 0; }

PyObject *get_flag(PyObject *self, void *flag) {
  return PyBool_FromLong(as_array(self)->flags &
                         static_cast<int>(reinterpret_cast<intptr_t>(flag)));
}

PyMemberDef members[] = {
    {"_pointer", T_ULONGLONG, offsetof(DeviceArrayObject, data), READONLY, nullptr}, {}};
PyGetSetDef properties[] = {{"_c_contiguous", get_flag, nullptr, nullptr,
                             reinterpret_cast<void *>(intptr_t(NPY_ARRAY_C_CONTIGUOUS))},
                            {"_f_contiguous", get_flag, nullptr, nullptr,
                             reinterpret_cast<void *>(intptr_t(NPY_ARRAY_F_CONTIGUOUS))},
                            {}};
PyType_Slot slots[] = {
    {Py_tp_doc, const_cast<char *>("DeviceArray(pointer, shape, strides, dtype, is_record=False): "
                                   "an array in device memory, as kernels see it, or a record")},
    {Py_tp_new, reinterpret_cast<void *>(create)},
    {Py_tp_init, reinterpret_cast<void *>(initialise)},
    {Py_tp_members, members},
    {Py_tp_getset, properties},
    {0, nullptr}};
PyType_Spec spec = {"numjit._core.DeviceArray", sizeof(DeviceArrayObject), 0,
                    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, slots};

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

bool init_device_array(PyObject *module) {
  device_array_type = reinterpret_cast<PyTypeObject *>(PyType_FromSpec(&spec));
  return device_array_type &&
         PyModule_AddObjectRef(module, "DeviceArray",
                               reinterpret_cast<PyObject *>(device_array_type)) == 0;
}

} // namespace numjit
