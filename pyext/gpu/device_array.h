// numjit._core.DeviceArray: what kernels need to know of an array in the memory of a device.
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
};

bool device_array_check(PyObject *object);
/// The type that kernels see; nullptr where elements have no type.
const Type *type_of_device_array(const DeviceArrayObject &array);

/// Makes the class and adds it to the module; false with an exception set.
bool init_device_array(PyObject *module);

} // namespace numjit
