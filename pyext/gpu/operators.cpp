// The road of an operator of numjit.cupy: the node of two arrays, and the kernel of one operation.
// What is not met here before is left to Python (operators.py, evaluate.py).
#include "pyext/gpu/kernels.h"
#include "pyext/gpu/lazy.h"

#include <structmember.h>

#include <algorithm>
#include <cstring>
#include <map>

namespace numjit {

namespace {

constexpr unsigned kThreads = 256, kMostBlocks = 1 << 16;
constexpr int kMostOperands = 8;

// --- kernels of one operation ---

/// The text, numbers of the dtypes of the results, and of the operands (~: numbers of the host;
/// 1000 + i: the same as operand i).
struct KernelKey {
  PyObject *text;
  int row[3 + kMostOperands];
  bool operator<(const KernelKey &other) const {
    return text != other.text ? text < other.text : std::memcmp(row, other.row, sizeof row) < 0;
  }
};

struct SimpleKernel {
  Ref text;   ///< keeps the address that the key has
  Ref kernel; ///< numjit.cuda's dispatcher
  uint64_t context = 0, stream = 0;
  Ref launcher; ///< of that context and stream
};

/// Never destroyed: at the end of the process there is no interpreter.
auto &simple_kernels = *new std::map<KernelKey, SimpleKernel>;
PyObject *simple_kernel_maker = nullptr;

/// What the operands of a node are. False: not of the simple kind.
struct ArrayOperands {
  PyObject *arrays[kMostOperands + 1], *numbers[kMostOperands];
  int array_count = 0, number_count = 0;

  bool read(NodeObject *node, KernelKey &key) {
    const Py_ssize_t count = PyTuple_GET_SIZE(node->operands);
    if (count > kMostOperands)
      return false;
    PyObject *seen[kMostOperands];
    for (Py_ssize_t i = 0; i < count; ++i) {
      PyObject *each = PyTuple_GET_ITEM(node->operands, i);
      if (Py_TYPE(each) == array_classes.operation && !is_none(as_node(each)->value))
        each = as_node(each)->value;
      seen[i] = each;
      int &word = key.row[3 + i];
      for (Py_ssize_t before = 0; before < i && !word; ++before)
        if (seen[before] == each)
          word = 1000 + static_cast<int>(before);
      if (word)
        continue;
      if (Py_TYPE(each) == array_classes.leaf) {
        auto *leaf = reinterpret_cast<LeafObject *>(each);
        if (!(as_device_array(leaf->array)->flags & NPY_ARRAY_C_CONTIGUOUS) ||
            !same_shape(leaf->shape, node->shape))
          return false;
        arrays[array_count++] = leaf->array;
        word = 1 + number_of(leaf->dtype);
      } else if (Py_TYPE(each) == array_classes.scalar) {
        auto *scalar = reinterpret_cast<ScalarObject *>(each);
        numbers[number_count++] = scalar->number;
        word = ~number_of(scalar->dtype);
      } else {
        return false;
      }
    }
    return true;
  }

  static bool same_shape(PyObject *a, PyObject *b) {
    return a == b || PyObject_RichCompareBool(a, b, Py_EQ) == 1;
  }
};

/// The kernel for a node in this context and stream; null with an exception set.
SimpleKernel *kernel_of(NodeObject *node, const KernelKey &key) {
  auto found = simple_kernels.find(key);
  if (found == simple_kernels.end()) {
    Ref made(PyObject_CallFunctionObjArgs(simple_kernel_maker, node, nullptr));
    if (!made)
      return nullptr;
    if (simple_kernels.size() > 4096)
      simple_kernels.clear();
    found = simple_kernels.try_emplace(key).first;
    found->second.text = Ref::borrow(key.text);
    found->second.kernel = std::move(made);
  }
  SimpleKernel &kernel = found->second;
  const uint64_t context = chosen_context();
  if (!kernel.launcher || !context || kernel.context != context ||
      kernel.stream != current_stream) {
    Ref of = kernel.kernel;
    Ref launcher = element_launcher(of.get());
    if (!launcher)
      return nullptr;
    SimpleKernel &again = simple_kernels[key]; // others may have changed the table
    again.text = Ref::borrow(key.text);
    again.kernel = std::move(of);
    again.launcher = std::move(launcher);
    again.context = chosen_context();
    again.stream = current_stream;
    return &again;
  }
  return &kernel;
}

/// An array that is one piece, as a vector.
Ref as_line(PyObject *array) {
  DeviceArrayObject &self = *as_device_array(array);
  if (self.ndim == 1)
    return Ref::borrow(array);
  Ref shape(Py_BuildValue("(n)", self.size()));
  return shape ? Ref(new_device_array(array_classes.device_array, self.memory, self.data,
                                      shape.get(), nullptr, self.dtype))
               : Ref();
}

int launch(SimpleKernel &kernel, ArrayOperands &operands, PyObject *target) {
  Ref lines[kMostOperands + 1], launcher = kernel.launcher;
  PyObject *arguments[2 * kMostOperands + 1];
  int count = 0;
  operands.arrays[operands.array_count++] = target;
  for (int i = 0; i < operands.array_count; ++i) {
    lines[i] = as_line(operands.arrays[i]);
    if (!lines[i])
      return -1;
    arguments[count++] = lines[i].get();
  }
  for (int i = 0; i < operands.number_count; ++i)
    arguments[count++] = operands.numbers[i];
  return launch_elements(launcher.get(), as_device_array(target)->size(), arguments, count);
}

PyObject *run_simply(PyObject *, PyObject *arguments) {
  PyObject *node, *target;
  if (!PyArg_ParseTuple(arguments, "OO", &node, &target))
    return nullptr;
  if (Py_TYPE(node) != array_classes.operation)
    Py_RETURN_FALSE;
  Ref into = Ref::borrow(target);
  const int done = run_simply(as_node(node), into);
  return done < 0 ? nullptr : PyBool_FromLong(done);
}

PyObject *set_simple_kernels(PyObject *, PyObject *maker) {
  simple_kernel_maker = Py_NewRef(maker);
  Py_RETURN_NONE;
}

PyMethodDef operator_functions[] = {
    {"run_simply", run_simply, METH_VARARGS,
     "run_simply(node, target): computes an operation on arrays that are one piece of memory in "
     "C's order; False for others."},
    {"set_simple_kernels", set_simple_kernels, METH_O,
     "The function that makes the kernel of a node."},
    {}};

// --- operators ---

/// What a call before found out about dtypes.
struct ArrayLoop {
  Ref inputs, result, text;
  Ref number_dtype, number_class; ///< of a number of Python
};

struct OperatorObject {
  PyObject_HEAD vectorcallfunc vectorcall;
  PyObject *function, *general, *known; ///< NumPy's; what does the rest; known_loops
  bool in_place;
  std::map<int, ArrayLoop> *loops; ///< by the dtypes' numbers
};

OperatorObject *as_operator(PyObject *object) { return reinterpret_cast<OperatorObject *>(object); }

enum : int { kFloat = 1, kInt, kComplex, kBool };

int kind_of_number(PyObject *object) {
  return PyFloat_CheckExact(object)     ? kFloat
         : PyLong_CheckExact(object)    ? kInt
         : PyComplex_CheckExact(object) ? kComplex
         : PyBool_Check(object)         ? kBool
                                        : 0;
}

/// The node that stands for the elements of an array as they are now; new reference.
/// `into` is null or the array that the result is assigned to.
Ref operand_of(ArrayObject *array, ArrayObject *into) {
  auto *buffer = reinterpret_cast<BufferObject *>(array->buffer);
  if (!buffer || !buffer->write)
    return node_here(array);
  const bool in_memory = into && Py_TYPE(into->node) == array_classes.leaf;
  Ref target = Ref::borrow(in_memory ? reinterpret_cast<LeafObject *>(into->node)->array : Py_None);
  return target ? Ref(PyObject_CallMethod(reinterpret_cast<PyObject *>(array), "_operand", "O",
                                          target.get()))
                : Ref();
}

PyObject *dtype_of(PyObject *node) {
  PyTypeObject *type = Py_TYPE(node);
  return type == array_classes.leaf        ? reinterpret_cast<LeafObject *>(node)->dtype
         : type == array_classes.operation ? as_node(node)->dtype
                                           : nullptr;
}

PyObject *shape_of(PyObject *node) {
  return Py_TYPE(node) == array_classes.leaf ? reinterpret_cast<LeafObject *>(node)->shape
                                             : as_node(node)->shape;
}

long operations_in(PyObject *node) {
  return Py_TYPE(node) == array_classes.operation ? as_node(node)->count : 0;
}

/// The loop for dtypes, if a call before found it; null without an exception if not.
ArrayLoop *loop_of(OperatorObject *self, PyObject *one, PyObject *two, int kind, PyObject *other) {
  const int key = number_of(one) << 16 | (two ? number_of(two) : 1 << 8 | kind);
  const auto found = self->loops->find(key);
  if (found != self->loops->end())
    return &found->second;
  for (PyObject *casting : {Py_None, static_cast<PyObject *>(nullptr)}) {
    Ref rule(casting ? Py_NewRef(casting) : PyUnicode_FromString("same_kind"));
    Ref last(two ? PyLong_FromLong(number_of(two))
                 : Py_NewRef(reinterpret_cast<PyObject *>(
                       kind == kBool ? reinterpret_cast<PyTypeObject *>(Py_TYPE(other))
                                     : Py_TYPE(other))));
    Ref words(rule && last
                  ? Py_BuildValue("(OOiO)", self->function, rule.get(), number_of(one), last.get())
                  : nullptr);
    if (!words)
      return nullptr;
    PyObject *row = PyDict_GetItemWithError(self->known, words.get());
    if (!row)
      continue;
    PyObject *inputs, *results, *texts;
    if (!PyArg_ParseTuple(row, "OOO", &inputs, &results, &texts) || PyTuple_GET_SIZE(texts) != 1)
      return nullptr;
    ArrayLoop loop{Ref::borrow(inputs), Ref::borrow(PyTuple_GET_ITEM(results, 0)),
                   Ref::borrow(PyTuple_GET_ITEM(texts, 0)), Ref(), Ref()};
    if (!two) {
      loop.number_dtype = Ref::borrow(PyTuple_GET_ITEM(inputs, 1));
      loop.number_class = Ref(PyObject_GetAttrString(loop.number_dtype.get(), "type"));
      if (!loop.number_class)
        return nullptr;
    }
    return &(*self->loops)[key].operator=(std::move(loop));
  }
  return nullptr;
}

/// The shape of two that are broadcast; null without an exception where they do not fit.
Ref broadcast(PyObject *one, PyObject *two) {
  if (PyTuple_GET_SIZE(one) < PyTuple_GET_SIZE(two))
    std::swap(one, two);
  const Py_ssize_t ndim = PyTuple_GET_SIZE(one), missing = ndim - PyTuple_GET_SIZE(two);
  Ref shape(PyTuple_New(ndim));
  for (Py_ssize_t i = 0; shape && i < ndim; ++i) {
    PyObject *n = PyTuple_GET_ITEM(one, i);
    if (i >= missing) {
      PyObject *other = PyTuple_GET_ITEM(two, i - missing);
      const long a = PyLong_AsLong(n), b = PyLong_AsLong(other);
      if (a != b && a != 1 && b != 1)
        return Ref();
      n = a == 1 ? other : n;
    }
    PyTuple_SET_ITEM(shape.get(), i, Py_NewRef(n));
  }
  return shape;
}

/// The node of an operation on two arrays, or an array and a number. Null without an
/// exception: others.
Ref quick_node(OperatorObject *self, PyObject *left, PyObject *right) {
  if (!is_array(left))
    return Ref();
  const bool array = Py_TYPE(right) == Py_TYPE(left);
  const int kind = array ? 0 : kind_of_number(right);
  if (!array && !kind)
    return Ref();
  ArrayObject *into = self->in_place ? as_array_object(left) : nullptr;
  Ref one = operand_of(as_array_object(left), into);
  Ref two = array && one ? operand_of(as_array_object(right), into) : Ref();
  if (!one || (array && !two) || !dtype_of(one.get()) || (array && !dtype_of(two.get())))
    return Ref();
  Ref shape = Ref::borrow(shape_of(one.get()));
  if (array && !ArrayOperands::same_shape(shape.get(), shape_of(two.get()))) {
    if (operations_in(one.get()) > 4 || operations_in(two.get()) > 4 ||
        !(shape = broadcast(shape.get(), shape_of(two.get()))))
      return Ref();
  }
  const long count = operations_in(one.get()) + (array ? operations_in(two.get()) : 0);
  ArrayLoop *loop =
      count < kMostOperations - 1
          ? loop_of(self, dtype_of(one.get()), array ? dtype_of(two.get()) : nullptr, kind, right)
          : nullptr;
  if (!loop)
    return Ref();
  if (!array) {
    Ref number(PyObject_CallOneArg(loop->number_class.get(), right));
    auto *made = number ? reinterpret_cast<ScalarObject *>(
                              array_classes.scalar->tp_alloc(array_classes.scalar, 0))
                        : nullptr;
    if (!made)
      return Ref();
    made->number = number.release();
    made->dtype = Py_NewRef(loop->number_dtype.get());
    two = Ref(reinterpret_cast<PyObject *>(made));
  }
  auto *node =
      reinterpret_cast<NodeObject *>(array_classes.operation->tp_alloc(array_classes.operation, 0));
  if (!node)
    return Ref();
  Ref result(reinterpret_cast<PyObject *>(node));
  node->text = Py_NewRef(loop->text.get());
  node->inputs = Py_NewRef(loop->inputs.get());
  node->operands = PyTuple_Pack(2, one.get(), two.get());
  node->shape = shape.release();
  node->dtype = Py_NewRef(loop->result.get());
  node->place = current_place();
  node->count = 1;
  for (PyObject *each : {one.get(), two.get()})
    if (Py_TYPE(each) == array_classes.operation && is_none(as_node(each)->value))
      node->count += as_node(each)->count;
  return node->operands ? std::move(result) : Ref();
}

PyObject *call_operator(PyObject *object, PyObject *const *arguments, size_t count_and_flags,
                        PyObject *keywords) {
  auto *self = as_operator(object);
  if (PyVectorcall_NARGS(count_and_flags) == 2 && !keywords) {
    Ref node = quick_node(self, arguments[0], arguments[1]);
    if (node && !self->in_place)
      return waiting_array(Py_TYPE(arguments[0]), node.get());
    if (node &&
        ArrayOperands::same_shape(shape_of(node.get()), as_array_object(arguments[0])->shape) &&
        number_of(as_node(node.get())->dtype) == number_of(as_array_object(arguments[0])->dtype)) {
      Ref done(PyObject_CallMethod(arguments[0], "_assign", "O", node.get()));
      return done ? Py_NewRef(arguments[0]) : nullptr;
    }
    if (PyErr_Occurred())
      return nullptr;
  }
  return PyObject_Vectorcall(self->general, arguments, count_and_flags, keywords);
}

/// Operator(function, general, known loops, in place)
PyObject *create_operator(PyTypeObject *type, PyObject *arguments, PyObject *) {
  PyObject *function, *general, *known;
  int in_place;
  if (!PyArg_ParseTuple(arguments, "OOO!p:Operator", &function, &general, &PyDict_Type, &known,
                        &in_place))
    return nullptr;
  auto *self = as_operator(type->tp_alloc(type, 0));
  if (!self)
    return nullptr;
  self->vectorcall = call_operator;
  self->function = Py_NewRef(function);
  self->general = Py_NewRef(general);
  self->known = Py_NewRef(known);
  self->in_place = in_place != 0;
  self->loops = new std::map<int, ArrayLoop>;
  return reinterpret_cast<PyObject *>(self);
}

/// Bound as functions are.
PyObject *bind_operator(PyObject *self, PyObject *instance, PyObject *) {
  return is_none(instance) ? Py_NewRef(self) : PyMethod_New(self, instance);
}

PyMemberDef operator_members[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(OperatorObject, vectorcall), READONLY, nullptr},
    {"general", T_OBJECT, offsetof(OperatorObject, general), READONLY, nullptr},
    {}};
PyType_Slot operator_slots[] = {{Py_tp_new, reinterpret_cast<void *>(create_operator)},
                                {Py_tp_init, reinterpret_cast<void *>(ignore_arguments)},
                                {Py_tp_call, reinterpret_cast<void *>(PyVectorcall_Call)},
                                {Py_tp_descr_get, reinterpret_cast<void *>(bind_operator)},
                                {Py_tp_members, operator_members},
                                {0, nullptr}};
// Operators live as long as the interpreter.
PyType_Spec operator_spec = {
    "numjit._core.Operator", sizeof(OperatorObject), 0,
    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_VECTORCALL | Py_TPFLAGS_METHOD_DESCRIPTOR, operator_slots};

} // namespace

Ref element_launcher(PyObject *kernel) {
  return Ref(PyObject_CallMethod(kernel, "_configured", "((IIK)O)", 1U, kThreads,
                                 static_cast<unsigned long long>(current_stream), Py_False));
}

int launch_elements(PyObject *launcher, npy_intp size, PyObject *const *arguments,
                    Py_ssize_t count) {
  const npy_intp blocks = (size + kThreads - 1) / kThreads;
  const LaunchShape shape{{static_cast<unsigned>(std::min<npy_intp>(blocks, kMostBlocks)), 1, 1},
                          {kThreads, 1, 1},
                          0,
                          launcher_stream(launcher)};
  Ref done(launch_as(launcher, shape, arguments, count));
  return done ? 1 : -1;
}

int run_simply(NodeObject *node, Ref &target) {
  KernelKey key{node->text, {}};
  key.row[0] = number_of(node->dtype);
  ArrayOperands operands;
  if (target) {
    DeviceArrayObject &into = *as_device_array(target.get());
    key.row[1] = number_of(into.dtype);
    if (!(into.flags & NPY_ARRAY_C_CONTIGUOUS) ||
        !ArrayOperands::same_shape(into.shape_tuple, node->shape))
      return 0;
  } else {
    key.row[1] = key.row[0];
  }
  if (!operands.read(node, key))
    return 0;
  if (!target)
    target = new_elements(node->shape, node->dtype);
  if (!target)
    return -1;
  if (!as_device_array(target.get())->size())
    return 1;
  SimpleKernel *kernel = kernel_of(node, key);
  return kernel ? launch(*kernel, operands, target.get()) : -1;
}

bool init_operators(PyObject *module) {
  PyObject *type = PyType_FromSpec(&operator_spec);
  return type && PyModule_AddObjectRef(module, "Operator", type) == 0 &&
         PyModule_AddFunctions(module, operator_functions) == 0;
}

} // namespace numjit
