// The parts of arrays of numjit.cupy: memory of a pool, expressions that wait, and the array
// itself. Python subclasses them (nodes.py, pending.py, ndarrays.py, pool.py); the members that
// every operation uses are here. With the GIL only.
#pragma once

#include "pyext/gpu/contexts.h"
#include "pyext/gpu/device_array.h"

namespace numjit {

struct ArrayObject;

/// Expressions with more operations are not made one kernel.
constexpr long kMostOperations = 48;

/// A link of the list of what waits. The list holds no references.
template <class T>
struct Waits {
  T *previous, *next;
  bool linked;
};

/// An array in memory, in an expression.
struct LeafObject {
  PyObject_HEAD PyObject *array, *root, *shape, *dtype;
};

/// A number of the host in an expression.
struct ScalarObject {
  PyObject_HEAD PyObject *number, *dtype;
};

/// An operation or a reduction.
struct NodeObject {
  PyObject_HEAD PyObject *text; ///< of an operation; of a reduction, its plan
  PyObject *inputs, *operands, *shape, *dtype;
  PyObject *value;    ///< the leaf with the result, once there is one
  ArrayObject *owner; ///< the array that stands for it; it clears this when it ends
  uint64_t place;     ///< where it was asked for (contexts.h)
  long count;         ///< of operations in it
};

/// Memory that arrays share, and what is to be written to it.
struct BufferObject {
  PyObject_HEAD PyObject *root, *target, *write, *place;
  bool exposed;
  Waits<BufferObject> waits; ///< linked while `write` is set
  PyObject *weak;
};

/// An array: its elements are those of `node`; without a buffer that waits to be computed.
struct ArrayObject {
  PyObject_HEAD PyObject *node, *buffer, *shape, *dtype, *base;
  Waits<ArrayObject> waits;
  PyObject *weak;
};

/// The classes that Python made of these (`_core.set_array_classes`).
struct ArrayClasses {
  PyTypeObject *array, *leaf, *scalar, *operation, *buffer, *device_array;
  PyObject *pool; ///< the function of bytes that gives memory
};
extern ArrayClasses array_classes;

inline ArrayObject *as_array_object(PyObject *object) {
  return reinterpret_cast<ArrayObject *>(object);
}
inline NodeObject *as_node(PyObject *object) { return reinterpret_cast<NodeObject *>(object); }
inline LeafObject *as_leaf(PyObject *object) { return reinterpret_cast<LeafObject *>(object); }
inline int number_of(PyObject *dtype) { return reinterpret_cast<PyArray_Descr *>(dtype)->type_num; }
inline bool is_array(PyObject *object) {
  return array_classes.array && PyObject_TypeCheck(object, array_classes.array);
}
inline bool is_none(PyObject *object) { return !object || object == Py_None; }

/// Whether nothing waits that could read memory, so that it may be overwritten.
bool nothing_waits();
/// An array of a class whose elements are those of a node (a new reference is made).
PyObject *waiting_array(PyTypeObject *type, PyObject *node);
/// A new array over memory that there is; both are new references that it takes.
PyObject *array_over(PyTypeObject *type, Ref device, Ref buffer, PyObject *base);
/// A buffer for memory that nobody else knows.
Ref new_buffer(PyObject *root);
/// The device array of an array, computed if it is not; null with an exception set.
Ref force(ArrayObject *self);
/// The node of an array, computed if it waits in another context than this thread's.
Ref node_here(ArrayObject *self);
/// The same, after computing what waits and reads it: for callers that are about to change it.
Ref force_for_writing(ArrayObject *self);
/// A device array without values, in memory of the pool.
Ref new_elements(PyObject *shape, PyObject *dtype, bool fortran = false);
/// The memory that a device array lies in.
Ref root_of(PyObject *device);
/// Before a device array is used: what is under way in its context ends, if it is of another one
/// than this thread's. False with an exception set.
bool settle(PyObject *device);
/// Gives an array its elements.
bool have(ArrayObject *self, PyObject *device);
/// Computes an operation on arrays that are one piece of memory in C's order, and on numbers, into
/// `target`, or into new memory where that is null: 1. 0: it is none; -1 with an exception set.
int run_simply(NodeObject *node, Ref &target);
/// The same for an expression whose intermediate values are not referenced, or a copy.
int run_planned(PyObject *node, Ref &target);

/// Whether a node is a reduction.
bool is_reduction(PyObject *node);
/// The device array with the results of a reduction. Null without an exception: others compute it.
Ref run_reduction(NodeObject *node);
/// Computes a reduction, so that its node has a value; false with an exception set.
bool compute_reduction(NodeObject *node);
/// Gives a node, and the array that stands for it, a value.
bool has_value(NodeObject *node, PyObject *device);

/// A Launcher of a kernel over elements in the current stream; null with an exception set.
Ref element_launcher(PyObject *kernel);
/// Launches it with threads for `size` elements, of which each takes several where that is many: 1,
/// or -1 with an exception set.
int launch_elements(PyObject *launcher, npy_intp size, PyObject *const *arguments,
                    Py_ssize_t count);
/// Whether an expression reads memory.
bool reads(PyObject *node, PyObject *root);
/// Whether elements of memory are read at another place than they are written: they need a copy.
bool reads_elsewhere(PyObject *node, PyObject *root, const DeviceArrayObject &target);

/// array[index].
PyObject *array_subscript(PyObject *array, PyObject *index);
/// Methods of arrays for views: _strided, _reshaped, _permuted.
extern PyMethodDef view_methods[3];

bool init_planned(PyObject *module);
bool init_reduced(PyObject *module);
bool init_blas_call(PyObject *module);
bool init_lazy(PyObject *module);
bool init_pool(PyObject *module);
bool init_operators(PyObject *module);
bool init_text_launch(PyObject *module);

} // namespace numjit
