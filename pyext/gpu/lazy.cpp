#include "pyext/gpu/lazy.h"

#include "pyext/gpu/turns.h"

#include <structmember.h>

#include <algorithm>

namespace numjit {

ArrayClasses array_classes;

namespace {

ArrayObject *arrays = nullptr;   ///< that wait, the newest first
BufferObject *buffers = nullptr; ///< that are to be written
long array_count = 0;
constexpr long kMostWaiting = 64; ///< then the oldest are computed

template <class T>
void link(T *self, T *&first) {
  if (self->waits.linked)
    return;
  self->waits = {nullptr, first, true};
  if (first)
    first->waits.previous = self;
  first = self;
}

template <class T>
bool unlink(T *self, T *&first) {
  if (!self->waits.linked)
    return false;
  (self->waits.previous ? self->waits.previous->waits.next : first) = self->waits.next;
  if (self->waits.next)
    self->waits.next->waits.previous = self->waits.previous;
  self->waits.linked = false;
  return true;
}

/// References to what is linked, the oldest first; what is just ending is left out.
template <class T>
PyObject *listed(T *first) {
  Ref list(PyList_New(0));
  for (T *each = first; list && each; each = each->waits.next)
    if (Py_REFCNT(each) > 0 && PyList_Append(list.get(), reinterpret_cast<PyObject *>(each)) != 0)
      return nullptr;
  if (!list || PyList_Reverse(list.get()) != 0)
    return nullptr;
  return list.release();
}

BufferObject *as_buffer(PyObject *object) { return reinterpret_cast<BufferObject *>(object); }

PyTypeObject *node_type = nullptr;

void unlink_array(ArrayObject *self) { array_count -= unlink(self, arrays); }

/// The node of an array no longer stands for it.
void leave_node(ArrayObject *self) {
  if (self->node && PyObject_TypeCheck(self->node, node_type) && as_node(self->node)->owner == self)
    as_node(self->node)->owner = nullptr;
}

void free_object(PyObject *self, std::initializer_list<PyObject *> members) {
  PyTypeObject *type = Py_TYPE(self);
  type->tp_free(self);
  for (PyObject *each : members)
    Py_XDECREF(each);
  Py_DECREF(type);
}

template <class T>
T *made(PyTypeObject *type) {
  return reinterpret_cast<T *>(type->tp_alloc(type, 0));
}

// --- leaves and numbers ---

PyObject *attribute(PyObject *object, const char *name) {
  return PyObject_GetAttrString(object, name);
}

PyObject *create_leaf(PyTypeObject *type, PyObject *arguments, PyObject *) {
  PyObject *array, *root;
  if (!PyArg_ParseTuple(arguments, "OO:Leaf", &array, &root))
    return nullptr;
  auto *self = made<LeafObject>(type);
  if (!self)
    return nullptr;
  self->array = Py_NewRef(array);
  self->root = Py_NewRef(root);
  self->shape = attribute(array, "shape");
  self->dtype = attribute(array, "dtype");
  if (!self->shape || !self->dtype)
    Py_CLEAR(self);
  return reinterpret_cast<PyObject *>(self);
}

void destroy_leaf(PyObject *object) {
  LeafObject &self = *as_leaf(object);
  free_object(object, {self.array, self.root, self.shape, self.dtype});
}

PyObject *create_scalar(PyTypeObject *type, PyObject *arguments, PyObject *) {
  PyObject *number, *dtype;
  if (!PyArg_ParseTuple(arguments, "OO:Scalar", &number, &dtype))
    return nullptr;
  auto *self = made<ScalarObject>(type);
  if (!self)
    return nullptr;
  self->number = Py_NewRef(number);
  self->dtype = Py_NewRef(dtype);
  return reinterpret_cast<PyObject *>(self);
}

void destroy_scalar(PyObject *object) {
  auto &self = *reinterpret_cast<ScalarObject *>(object);
  free_object(object, {self.number, self.dtype});
}

#define OBJECT(Struct, name, field)                                                                \
  { name, T_OBJECT, offsetof(Struct, field), 0, nullptr }

PyMemberDef leaf_members[] = {OBJECT(LeafObject, "array", array),
                              OBJECT(LeafObject, "root", root),
                              OBJECT(LeafObject, "shape", shape),
                              OBJECT(LeafObject, "dtype", dtype),
                              {}};
PyMemberDef scalar_members[] = {
    OBJECT(ScalarObject, "number", number), OBJECT(ScalarObject, "dtype", dtype), {}};

// --- operations ---

/// How many operations are computed with an operand.
long count_of(PyObject *operand) {
  if (!PyObject_TypeCheck(operand, node_type))
    return 0;
  return is_none(as_node(operand)->value) ? as_node(operand)->count : 0;
}

/// Node(text, inputs, operands, shape, dtype, place, own count = 1)
PyObject *create_node(PyTypeObject *type, PyObject *arguments, PyObject *) {
  PyObject *text, *inputs, *operands, *shape, *dtype;
  unsigned long long place;
  long count = 1;
  if (!PyArg_ParseTuple(arguments, "OOO!OOK|l:Node", &text, &inputs, &PyTuple_Type, &operands,
                        &shape, &dtype, &place, &count))
    return nullptr;
  auto *self = made<NodeObject>(type);
  if (!self)
    return nullptr;
  self->text = Py_NewRef(text);
  if (PyUnicode_CheckExact(text))
    PyUnicode_InternInPlace(&self->text); // kernels are found by its address
  self->inputs = Py_NewRef(inputs);
  self->operands = Py_NewRef(operands);
  self->shape = Py_NewRef(shape);
  self->dtype = Py_NewRef(dtype);
  self->place = place;
  if (count)
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(operands); ++i)
      count += count_of(PyTuple_GET_ITEM(operands, i));
  self->count = count;
  return reinterpret_cast<PyObject *>(self);
}

void destroy_node(PyObject *object) {
  NodeObject &self = *as_node(object);
  free_object(object, {self.text, self.inputs, self.operands, self.shape, self.dtype, self.value});
}

PyObject *get_owner(PyObject *self, void *) {
  ArrayObject *owner = as_node(self)->owner;
  return Py_NewRef(owner && Py_REFCNT(owner) > 0 ? reinterpret_cast<PyObject *>(owner) : Py_None);
}

PyMemberDef node_members[] = {OBJECT(NodeObject, "text", text),
                              OBJECT(NodeObject, "inputs", inputs),
                              OBJECT(NodeObject, "operands", operands),
                              OBJECT(NodeObject, "shape", shape),
                              OBJECT(NodeObject, "dtype", dtype),
                              OBJECT(NodeObject, "value", value),
                              {"place", T_ULONGLONG, offsetof(NodeObject, place), 0, nullptr},
                              {"count", T_LONG, offsetof(NodeObject, count), 0, nullptr},
                              {}};
PyGetSetDef node_properties[] = {
    {"owner", get_owner, nullptr, "The array that stands for it, or None.", nullptr}, {}};

// --- buffers ---

PyObject *create_buffer(PyTypeObject *type, PyObject *arguments, PyObject *keywords) {
  static const char *names[] = {"root", "exposed", nullptr};
  PyObject *root;
  int exposed = 0;
  if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "O|p:Buffer", const_cast<char **>(names),
                                   &root, &exposed))
    return nullptr;
  auto *self = made<BufferObject>(type);
  if (!self)
    return nullptr;
  self->root = Py_NewRef(root);
  self->exposed = exposed != 0;
  return reinterpret_cast<PyObject *>(self);
}

void destroy_buffer(PyObject *object) {
  BufferObject &self = *as_buffer(object);
  unlink(&self, buffers);
  if (self.weak)
    PyObject_ClearWeakRefs(object);
  free_object(object, {self.root, self.target, self.write, self.place});
}

PyObject *get_write(PyObject *self, void *) {
  PyObject *write = as_buffer(self)->write;
  return Py_NewRef(write ? write : Py_None);
}

int set_write(PyObject *object, PyObject *value, void *) {
  BufferObject *self = as_buffer(object);
  Ref before(std::exchange(self->write, is_none(value) ? nullptr : Py_NewRef(value)));
  if (self->write)
    link(self, buffers);
  else
    unlink(self, buffers);
  return 0;
}

PyMemberDef buffer_members[] = {
    OBJECT(BufferObject, "root", root),
    OBJECT(BufferObject, "target", target),
    OBJECT(BufferObject, "place", place),
    {"exposed", T_BOOL, offsetof(BufferObject, exposed), 0, nullptr},
    {"__weaklistoffset__", T_PYSSIZET, offsetof(BufferObject, weak), READONLY, nullptr},
    {}};
PyGetSetDef buffer_properties[] = {
    {"write", get_write, set_write, "The node for the elements of `target`, or None.", nullptr},
    {}};

// --- arrays ---

void destroy_array(PyObject *object) {
  ArrayObject &self = *as_array_object(object);
  unlink_array(&self);
  leave_node(&self);
  if (self.weak)
    PyObject_ClearWeakRefs(object);
  free_object(object, {self.node, self.buffer, self.shape, self.dtype, self.base});
}

PyObject *get_node(PyObject *self, void *) {
  PyObject *node = as_array_object(self)->node;
  return Py_NewRef(node ? node : Py_None);
}

/// Also makes the array that for which the node stands, if that waits.
int set_node(PyObject *object, PyObject *value, void *) {
  ArrayObject *self = as_array_object(object);
  leave_node(self);
  Ref before(std::exchange(self->node, Py_XNewRef(value)));
  if (value && PyObject_TypeCheck(value, node_type))
    as_node(value)->owner = self;
  return 0;
}

PyObject *get_buffer(PyObject *self, void *) {
  PyObject *buffer = as_array_object(self)->buffer;
  return Py_NewRef(buffer ? buffer : Py_None);
}

int set_buffer(PyObject *object, PyObject *value, void *) {
  ArrayObject *self = as_array_object(object);
  Ref before(std::exchange(self->buffer, is_none(value) ? nullptr : Py_NewRef(value)));
  if (self->buffer)
    unlink_array(self);
  return 0;
}

PyObject *forced(PyObject *self, PyObject *) { return force(as_array_object(self)).release(); }
PyObject *forced_for_writing(PyObject *self, PyObject *) {
  return force_for_writing(as_array_object(self)).release();
}
PyObject *make_waiting(PyObject *type, PyObject *node) {
  return waiting_array(reinterpret_cast<PyTypeObject *>(type), node);
}

PyMemberDef lazy_array_members[] = {
    OBJECT(ArrayObject, "shape_", shape),
    OBJECT(ArrayObject, "dtype", dtype),
    OBJECT(ArrayObject, "base", base),
    {"__weaklistoffset__", T_PYSSIZET, offsetof(ArrayObject, weak), READONLY, nullptr},
    {}};
PyGetSetDef lazy_array_properties[] = {
    {"_node", get_node, set_node, "The expression that the elements are.", nullptr},
    {"_buffer", get_buffer, set_buffer, "The memory of the elements; None: they wait.", nullptr},
    {}};
PyMethodDef array_methods[] = {
    {"_force", forced, METH_NOARGS, "The device array, computed if it is not."},
    {"_for_writing", forced_for_writing, METH_NOARGS,
     "The device array, when nothing waits that reads it: somebody is about to change it."},
    {"_waiting", make_waiting, METH_O | METH_CLASS, "An array whose elements are those of a node."},
    view_methods[0],
    view_methods[1],
    view_methods[2],
    {}};

PyObject *waiting_arrays(PyObject *, PyObject *) { return listed(arrays); }
PyObject *waiting_buffers(PyObject *, PyObject *) { return listed(buffers); }

PyObject *set_classes(PyObject *, PyObject *arguments) {
  ArrayClasses &c = array_classes;
  PyObject *types[6], *pool;
  if (!PyArg_ParseTuple(arguments, "O!O!O!O!O!O!O", &PyType_Type, &types[0], &PyType_Type,
                        &types[1], &PyType_Type, &types[2], &PyType_Type, &types[3], &PyType_Type,
                        &types[4], &PyType_Type, &types[5], &pool))
    return nullptr;
  PyTypeObject **places[] = {&c.array,     &c.leaf,   &c.scalar,
                             &c.operation, &c.buffer, &c.device_array};
  for (int i = 0; i < 6; ++i)
    *places[i] = reinterpret_cast<PyTypeObject *>(Py_NewRef(types[i]));
  c.pool = Py_NewRef(pool);
  Py_RETURN_NONE;
}

bool anybody_reads(PyObject *root) {
  bool read = false;
  for (ArrayObject *each = arrays; each && !read; each = each->waits.next)
    read = each->node && reads(each->node, root);
  for (BufferObject *each = buffers; each && !read; each = each->waits.next)
    read = reads(each->write, root);
  return read;
}

PyObject *is_read(PyObject *, PyObject *root) { return PyBool_FromLong(anybody_reads(root)); }

PyMethodDef lazy_functions[] = {
    {"is_read", is_read, METH_O, "Whether something that waits reads memory."},
    {"waiting_arrays", waiting_arrays, METH_NOARGS, "Arrays that wait to be computed."},
    {"waiting_buffers", waiting_buffers, METH_NOARGS, "Buffers that wait to be written."},
    {"set_array_classes", set_classes, METH_VARARGS,
     "set_array_classes(array, leaf, scalar, operation, buffer, device_array, pool)"},
    {}};

template <size_t N>
PyTypeObject *add_class(PyObject *module, const char *name, int size, PyType_Slot (&slots)[N]) {
  PyType_Spec spec = {name, size, 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, slots};
  PyObject *type = PyType_FromSpec(&spec);
  if (!type || PyModule_AddObjectRef(module, name + sizeof("numjit._core.") - 1, type) != 0)
    return nullptr;
  return reinterpret_cast<PyTypeObject *>(type);
}

template <class F>
PyType_Slot slot(int number, F *function) {
  return {number, reinterpret_cast<void *>(function)};
}

} // namespace

bool nothing_waits() { return !arrays && !buffers; }

PyObject *waiting_array(PyTypeObject *type, PyObject *node) {
  Ref object(type->tp_alloc(type, 0));
  if (!object)
    return nullptr;
  ArrayObject *self = as_array_object(object.get());
  if (PyObject_TypeCheck(node, node_type)) {
    self->shape = Py_NewRef(as_node(node)->shape);
    self->dtype = Py_NewRef(as_node(node)->dtype);
  } else {
    self->shape = attribute(node, "shape");
    self->dtype = attribute(node, "dtype");
  }
  if (!self->shape || !self->dtype)
    return nullptr;
  set_node(object.get(), node, nullptr);
  link(self, arrays);
  ++array_count;
  if (computes_at_once)
    return force(self) ? object.release() : nullptr;
  if (array_count > kMostWaiting) {
    Ref done(PyObject_CallMethod(object.get(), "_compute_oldest", nullptr));
    if (!done)
      return nullptr;
  }
  return object.release();
}

Ref new_buffer(PyObject *root) {
  auto *self = made<BufferObject>(array_classes.buffer);
  if (self)
    self->root = Py_NewRef(root);
  return Ref(reinterpret_cast<PyObject *>(self));
}

/// A leaf over a device array.
static Ref new_leaf(PyObject *device, PyObject *root) {
  auto *self = made<LeafObject>(array_classes.leaf);
  if (self) {
    self->array = Py_NewRef(device);
    self->root = Py_NewRef(root);
    self->shape = Py_NewRef(as_device_array(device)->shape_tuple);
    self->dtype = Py_NewRef(as_device_array(device)->dtype);
  }
  return Ref(reinterpret_cast<PyObject *>(self));
}

PyObject *array_over(PyTypeObject *type, const Ref &device, Ref buffer, PyObject *base) {
  if (!device || !buffer)
    return nullptr;
  Ref object(type->tp_alloc(type, 0));
  Ref leaf = new_leaf(device.get(), as_buffer(buffer.get())->root);
  if (!object || !leaf)
    return nullptr;
  ArrayObject *self = as_array_object(object.get());
  self->node = leaf.release();
  self->buffer = buffer.release();
  self->shape = Py_NewRef(as_device_array(device.get())->shape_tuple);
  self->dtype = Py_NewRef(as_device_array(device.get())->dtype);
  self->base = Py_XNewRef(is_none(base) ? nullptr : base);
  return object.release();
}

bool have(ArrayObject *self, PyObject *device) {
  Ref root = root_of(device);
  Ref buffer = root ? new_buffer(root.get()) : Ref();
  Ref leaf = buffer ? new_leaf(device, root.get()) : Ref();
  if (!leaf)
    return false;
  PyObject *node = self->node;
  if (node && PyObject_TypeCheck(node, node_type) && as_node(node)->owner == self &&
      !as_node(node)->value)
    as_node(node)->value = Py_NewRef(leaf.get());
  set_node(reinterpret_cast<PyObject *>(self), leaf.get(), nullptr);
  set_buffer(reinterpret_cast<PyObject *>(self), buffer.get(), nullptr);
  return true;
}

bool is_reduction(PyObject *node) {
  return PyObject_TypeCheck(node, node_type) && Py_TYPE(node) != array_classes.operation;
}

bool has_value(NodeObject *node, PyObject *device) {
  if (node->owner && Py_REFCNT(node->owner) > 0 && !node->owner->buffer)
    return have(node->owner, device);
  Ref root = root_of(device);
  Ref leaf = root ? new_leaf(device, root.get()) : Ref();
  if (!leaf)
    return false;
  Ref before(std::exchange(node->value, leaf.release()));
  return true;
}

/// Writes what is to be written, where that is an operation or a copy that C++ knows: 1. 0: it is
/// not; -1 with an exception set.
static int write_simply(BufferObject *buffer) {
  if (is_none(buffer->target))
    return 0;
  NodeObject *node =
      Py_TYPE(buffer->write) == array_classes.operation ? as_node(buffer->write) : nullptr;
  if (node ? !is_none(node->value) || node->place != current_place()
           : Py_TYPE(buffer->write) != array_classes.leaf &&
                 Py_TYPE(buffer->write) != array_classes.scalar)
    return 0;
  Ref place = Ref::borrow(buffer->place);
  if (!place || PyLong_AsUnsignedLongLong(place.get()) != current_place())
    return PyErr_Occurred() ? -1 : 0;
  Ref target = Ref::borrow(buffer->target), write = Ref::borrow(buffer->write);
  if (reads_elsewhere(write.get(), buffer->root, *as_device_array(target.get())))
    return 0;
  // It must be written only once.
  set_write(reinterpret_cast<PyObject *>(buffer), nullptr, nullptr);
  int done = node && node->count == 1 ? run_simply(node, target) : 0;
  if (!done)
    done = run_planned(write.get(), target);
  if (done != 1) {
    if (!buffer->write)
      set_write(reinterpret_cast<PyObject *>(buffer), write.get(), nullptr);
    return done;
  }
  Py_CLEAR(buffer->target);
  if (node && node->dtype == as_device_array(target.get())->dtype && is_none(node->value)) {
    Ref leaf = new_leaf(target.get(), buffer->root);
    if (!leaf)
      return -1;
    Ref before(std::exchange(node->value, leaf.release()));
  }
  return 1;
}

/// What force() returns, whatever the context of the memory.
static Ref computed(ArrayObject *self) {
  if (self->buffer && Py_TYPE(self->node) == array_classes.leaf &&
      !as_buffer(self->buffer)->write && !others_compute())
    return Ref::borrow(as_leaf(self->node)->array);
  Ref kept = Ref::borrow(reinterpret_cast<PyObject *>(self));
  Turn turn;
  if (self->buffer) {
    if (Py_TYPE(self->node) == array_classes.leaf) {
      Ref buffer = Ref::borrow(self->buffer);
      const int done = as_buffer(buffer.get())->write ? write_simply(as_buffer(buffer.get())) : 1;
      if (done < 0)
        return Ref();
      if (done && Py_TYPE(self->node) == array_classes.leaf)
        return Ref::borrow(as_leaf(self->node)->array);
    }
  } else if (is_reduction(self->node) && is_none(as_node(self->node)->value) &&
             as_node(self->node)->place == current_place()) {
    Ref node = Ref::borrow(self->node);
    Ref made = run_reduction(as_node(node.get()));
    if (!made && PyErr_Occurred())
      return Ref();
    if (made && !self->buffer && self->node == node.get())
      return have(self, made.get()) ? std::move(made) : Ref();
  } else if (Py_TYPE(self->node) == array_classes.operation && !as_node(self->node)->value &&
             as_node(self->node)->place == current_place()) {
    Ref node = Ref::borrow(self->node);
    Ref made;
    int done = as_node(node.get())->count == 1 ? run_simply(as_node(node.get()), made) : 0;
    if (!done)
      done = run_planned(node.get(), made);
    if (done < 0)
      return Ref();
    if (done && !self->buffer && self->node == node.get())
      return have(self, made.get()) ? made : Ref();
  }
  return Ref(PyObject_CallMethod(kept.get(), "_force_slowly", nullptr));
}

Ref force(ArrayObject *self) {
  Ref device = computed(self);
  return device && !settle(device.get()) ? Ref() : std::move(device);
}

Ref node_here(ArrayObject *self) {
  if (several_contexts() && !self->buffer && PyObject_TypeCheck(self->node, node_type) &&
      is_none(as_node(self->node)->value) && as_node(self->node)->place >> 48 != chosen_context() &&
      !force(self))
    return Ref();
  return Ref::borrow(self->node);
}

Ref force_for_writing(ArrayObject *self) {
  Ref device = force(self);
  if (!device || nothing_waits() || !self->buffer)
    return device;
  if (!anybody_reads(as_buffer(self->buffer)->root))
    return device;
  Ref done(PyObject_CallMethod(reinterpret_cast<PyObject *>(self), "_compute_readers", nullptr));
  return done ? device : Ref();
}

bool init_lazy(PyObject *module) {
  PyType_Slot leaf_slots[] = {slot(Py_tp_new, create_leaf),
                              slot(Py_tp_init, ignore_arguments),
                              slot(Py_tp_dealloc, destroy_leaf),
                              slot(Py_tp_members, leaf_members),
                              {0, nullptr}};
  PyType_Slot scalar_slots[] = {slot(Py_tp_new, create_scalar),
                                slot(Py_tp_init, ignore_arguments),
                                slot(Py_tp_dealloc, destroy_scalar),
                                slot(Py_tp_members, scalar_members),
                                {0, nullptr}};
  PyType_Slot node_slots[] = {
      slot(Py_tp_new, create_node),        slot(Py_tp_init, ignore_arguments),
      slot(Py_tp_dealloc, destroy_node),   slot(Py_tp_members, node_members),
      slot(Py_tp_getset, node_properties), {0, nullptr}};
  PyType_Slot buffer_slots[] = {
      slot(Py_tp_new, create_buffer),        slot(Py_tp_init, ignore_arguments),
      slot(Py_tp_dealloc, destroy_buffer),   slot(Py_tp_members, buffer_members),
      slot(Py_tp_getset, buffer_properties), {0, nullptr}};
  PyType_Slot array_slots[] = {slot(Py_tp_dealloc, destroy_array),
                               slot(Py_tp_init, ignore_arguments),
                               slot(Py_tp_members, lazy_array_members),
                               slot(Py_tp_getset, lazy_array_properties),
                               slot(Py_tp_methods, array_methods),
                               slot(Py_mp_subscript, array_subscript),
                               {0, nullptr}};
  node_type = add_class(module, "numjit._core.Node", sizeof(NodeObject), node_slots);
  return node_type && add_class(module, "numjit._core.Leaf", sizeof(LeafObject), leaf_slots) &&
         add_class(module, "numjit._core.Scalar", sizeof(ScalarObject), scalar_slots) &&
         add_class(module, "numjit._core.Buffer", sizeof(BufferObject), buffer_slots) &&
         add_class(module, "numjit._core.Array", sizeof(ArrayObject), array_slots) &&
         PyModule_AddFunctions(module, lazy_functions) == 0;
}

} // namespace numjit
