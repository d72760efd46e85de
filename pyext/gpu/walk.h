// What an expression of arrays consists of: one walk makes the key of what launches need for it.
#pragma once

#include "pyext/gpu/lazy.h"

#include <algorithm>
#include <vector>

namespace numjit {

/// An expression of more arrays is not one kernel.
constexpr size_t kMostLeaves = 16;

inline bool same_value(PyObject *a, PyObject *b) {
  return a == b || PyObject_RichCompareBool(a, b, Py_EQ) == 1;
}

inline npy_intp size_of_shape(PyObject *shape) {
  npy_intp size = 1;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(shape); ++i)
    size *= PyLong_AsSsize_t(PyTuple_GET_ITEM(shape, i));
  return size;
}

/// What an expression consists of.
struct Walk {
  NodeObject *root; ///< null: a copy of an array or of a number, or operands of a reduction
  npy_intp size;
  std::vector<int64_t> key;
  std::vector<PyObject *> seen, arrays, numbers;

  Walk(NodeObject *node, npy_intp count) : root(node), size(count) { key.reserve(64); }

  /// The number of a node among those seen; -1: the expression is left to Python.
  int visit(PyObject *node) {
    if (Py_TYPE(node) == array_classes.operation && !is_none(as_node(node)->value))
      node = as_node(node)->value;
    if (is_reduction(node)) { // it is computed now, and held by its node
      if (is_none(as_node(node)->value) && !compute_reduction(as_node(node)))
        return -1;
      node = as_node(node)->value;
      if (is_none(node))
        return -1;
    }
    const auto found = std::find(seen.begin(), seen.end(), node);
    if (found != seen.end())
      return static_cast<int>(found - seen.begin());
    if (Py_TYPE(node) == array_classes.leaf)
      add_leaf(as_leaf(node));
    else if (Py_TYPE(node) == array_classes.scalar)
      add_number(reinterpret_cast<ScalarObject *>(node));
    else if (Py_TYPE(node) != array_classes.operation || !add_operation(as_node(node)))
      return -1;
    seen.push_back(node);
    return static_cast<int>(seen.size()) - 1;
  }

  void add_leaf(LeafObject *leaf) {
    add_layout(1, *as_device_array(leaf->array));
    arrays.push_back(leaf->array);
  }

  void add_layout(int kind, const DeviceArrayObject &array) {
    key.push_back(int64_t{kind} << 60 | int64_t{array.ndim} << 32 | number_of(array.dtype));
    key.insert(key.end(), array.shape, array.shape + array.ndim);
    key.insert(key.end(), array.strides, array.strides + array.ndim);
  }

  void add_number(ScalarObject *scalar) {
    key.push_back(int64_t{2} << 60 | number_of(scalar->dtype));
    numbers.push_back(scalar->number);
  }

  bool add_operation(NodeObject *node) {
    if (node != root) {
      const npy_intp own = size_of_shape(node->shape);
      if (own != size && (own != 1 || node->count > 4))
        return false;
      if (root && node->owner && same_value(node->shape, root->shape))
        return false; // somebody holds this value
    }
    const Py_ssize_t count = PyTuple_GET_SIZE(node->operands);
    std::vector<int64_t> row{int64_t{3} << 60 | int64_t{count} << 32 | number_of(node->dtype),
                             reinterpret_cast<int64_t>(node->text)};
    for (Py_ssize_t i = 0; i < count; ++i) {
      const int operand = visit(PyTuple_GET_ITEM(node->operands, i));
      if (operand < 0)
        return false;
      row.push_back(int64_t{operand} << 32 | number_of(PyTuple_GET_ITEM(node->inputs, i)));
    }
    key.insert(key.end(), row.begin(), row.end());
    return true;
  }

  /// Whether a result is in Fortran's order: all operands of its shape are.
  bool fortran() const {
    bool any = false;
    for (PyObject *each : arrays) {
      const DeviceArrayObject &array = *as_device_array(each);
      if (!same_value(array.shape_tuple, root->shape))
        continue;
      if (!(array.flags & NPY_ARRAY_F_CONTIGUOUS) || array.flags & NPY_ARRAY_C_CONTIGUOUS)
        return false;
      any = true;
    }
    return any && PyTuple_GET_SIZE(root->shape) > 1;
  }
};

/// How a kernel sees each array: shape and strides; null: as it is.
using Forms = std::vector<std::pair<Ref, Ref>>;

/// Of a list of (shape, strides) or None; false with an exception set.
inline bool read_forms(PyObject *list, Forms &forms) {
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(list); ++i) {
    PyObject *form = PyList_GET_ITEM(list, i), *shape = nullptr, *strides = nullptr;
    if (form != Py_None &&
        !PyArg_ParseTuple(form, "O!O!", &PyTuple_Type, &shape, &PyTuple_Type, &strides))
      return false;
    forms.emplace_back(Ref::borrow(shape), Ref::borrow(strides));
  }
  return true;
}

/// An array in another shape; `strides` may be null: one behind the other.
inline Ref view_of(PyObject *array, PyObject *shape, PyObject *strides) {
  const DeviceArrayObject &self = *as_device_array(array);
  return Ref(new_device_array(array_classes.device_array, self.memory, self.data, shape, strides,
                              self.dtype));
}

/// Adds the texts of an expression to a list, so that the addresses that keys have stay theirs.
inline bool keep_texts(PyObject *node, PyObject *list) {
  if (Py_TYPE(node) != array_classes.operation)
    return true;
  if (PyList_Append(list, as_node(node)->text) != 0)
    return false;
  PyObject *operands = as_node(node)->operands;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(operands); ++i)
    if (!keep_texts(PyTuple_GET_ITEM(operands, i), list))
      return false;
  return true;
}

} // namespace numjit
