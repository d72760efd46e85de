// numjit._core.DeviceArray: an array in the memory of a device, as kernels need it.
#pragma once

#include "pyext/python.h"
#include "typeinfer/types/types.h"

namespace numjit {

constexpr int kDeviceDimensions = 32;

struct DeviceArrayObject {
  PyObject_HEAD void *data;
  const Type *item; ///< null where elements have no type
  int ndim;
  int flags;      ///< NumPy's flags for contiguity
  bool is_record; ///< not an array of no dimensions but the record in it
  npy_intp shape[kDeviceDimensions], strides[kDeviceDimensions];
  // The same for Python; null is None. `memory` keeps the elements alive.
  PyObject *shape_tuple, *strides_tuple, *dtype, *memory, *stream;

  npy_intp size() const {
    npy_intp count = 1;
    for (int i = 0; i < ndim; ++i)
      count *= shape[i];
    return count;
  }
};

bool device_array_check(PyObject *object);
inline DeviceArrayObject *as_device_array(PyObject *object) {
  return reinterpret_cast<DeviceArrayObject *>(object);
}
/// An array of a class over `memory`; `strides` null: C's order. Null with an exception set.
PyObject *new_device_array(PyTypeObject *type, PyObject *memory, void *data, PyObject *shape,
                           PyObject *strides, PyObject *dtype);
/// The type that kernels see; nullptr where elements have no type.
const Type *type_of_device_array(const DeviceArrayObject &array);

/// Makes the class and adds it to the module; false with an exception set.
bool init_device_array(PyObject *module);

} // namespace numjit
