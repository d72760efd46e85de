// Memory of the pool of numjit.cupy (pool.py): a block goes back to the list that it came from.
#include "pyext/gpu/lazy.h"

#include <structmember.h>

#include <pybind11/pybind11.h>

#include <map>
#include <tuple>

namespace numjit {

namespace {

/// Memory of the pool. What Python sees of any memory of a device: driver.Memory.
struct BlockObject {
  PyObject_HEAD unsigned long long pointer;
  Py_ssize_t size;
  PyObject *context, *place; ///< the list of addresses that are free; null: it was put back
  std::shared_ptr<DriverContext> *driver_context;
};

/// Where free addresses are: by context, stream and size. Lists stay with their pool.
struct PoolObject {
  PyObject_HEAD PyTypeObject *block;
  std::map<std::tuple<uint64_t, uint64_t, Py_ssize_t>, std::pair<Ref, Ref>> *places;
};

BlockObject *as_block(PyObject *object) { return reinterpret_cast<BlockObject *>(object); }
PoolObject *as_pool(PyObject *object) { return reinterpret_cast<PoolObject *>(object); }

constexpr Py_ssize_t kStep = 512;
Py_ssize_t rounded(Py_ssize_t size) { return size <= 0 ? kStep : (size + kStep - 1) & -kStep; }

PyObject *make_block(PyTypeObject *type, unsigned long long pointer, Py_ssize_t size,
                     PyObject *context, PyObject *place) {
  PyObject *object = type->tp_alloc(type, 0);
  if (!object)
    return nullptr;
  BlockObject &self = *as_block(object);
  self.pointer = pointer;
  self.size = size;
  self.context = Py_NewRef(context);
  self.place = Py_NewRef(place);
  self.driver_context = new std::shared_ptr<DriverContext>(chosen_driver_context());
  return object;
}

/// Block(pointer, size, context, place)
PyObject *create_block(PyTypeObject *type, PyObject *arguments, PyObject *) {
  unsigned long long pointer;
  Py_ssize_t size;
  PyObject *context, *place;
  if (!PyArg_ParseTuple(arguments, "KnOO!:Block", &pointer, &size, &context, &PyList_Type, &place))
    return nullptr;
  return make_block(type, pointer, size, context, place);
}

/// Puts the address back; what belonged to a context that is gone is gone.
void put_back(BlockObject &self) {
  Ref place(std::exchange(self.place, nullptr));
  if (!place || (*self.driver_context && !(*self.driver_context)->alive))
    return;
  PyObject *type, *value, *trace; // an exception that is on its way
  PyErr_Fetch(&type, &value, &trace);
  Ref pointer(PyLong_FromUnsignedLongLong(self.pointer));
  if (!pointer || PyList_Append(place.get(), pointer.get()) != 0)
    PyErr_Clear();
  PyErr_Restore(type, value, trace);
}

void destroy_block(PyObject *object) {
  BlockObject &self = *as_block(object);
  put_back(self);
  PyObject *context = self.context;
  delete self.driver_context;
  PyTypeObject *type = Py_TYPE(object);
  type->tp_free(object);
  Py_XDECREF(context);
  Py_DECREF(type);
}

PyObject *free_block(PyObject *self, PyObject *) {
  put_back(*as_block(self));
  Py_RETURN_NONE;
}

PyMemberDef block_members[] = {
    {"device_pointer_value", T_ULONGLONG, offsetof(BlockObject, pointer), READONLY, nullptr},
    {"size", T_PYSSIZET, offsetof(BlockObject, size), READONLY, nullptr},
    {"context", T_OBJECT, offsetof(BlockObject, context), READONLY, nullptr},
    {}};
PyMethodDef block_methods[] = {
    {"free", free_block, METH_NOARGS, "Gives the memory back to its pool."}, {}};

/// Pool(class of blocks)
PyObject *create_pool(PyTypeObject *type, PyObject *arguments, PyObject *) {
  PyObject *block;
  if (!PyArg_ParseTuple(arguments, "O!:Pool", &PyType_Type, &block))
    return nullptr;
  PyObject *object = type->tp_alloc(type, 0);
  if (object) {
    as_pool(object)->block = reinterpret_cast<PyTypeObject *>(Py_NewRef(block));
    as_pool(object)->places = new std::remove_pointer_t<decltype(PoolObject::places)>;
  }
  return object;
}

void destroy_pool(PyObject *object) {
  delete as_pool(object)->places;
  Py_XDECREF(as_pool(object)->block);
  PyTypeObject *type = Py_TYPE(object);
  type->tp_free(object);
  Py_DECREF(type);
}

/// keep(size, context, place): where free memory of this thread's context and stream is.
PyObject *keep(PyObject *object, PyObject *arguments) {
  Py_ssize_t size;
  PyObject *context, *place;
  if (!PyArg_ParseTuple(arguments, "nOO!:keep", &size, &context, &PyList_Type, &place))
    return nullptr;
  (*as_pool(object)->places)[{chosen_context(), current_stream, rounded(size)}] = {
      Ref::borrow(place), Ref::borrow(context)};
  Py_RETURN_NONE;
}

/// A block of at least `size` bytes that was free; null without an exception if there is none.
PyObject *taken(PoolObject *self, Py_ssize_t size) {
  const uint64_t context = chosen_context();
  const auto found = self->places->find({context, current_stream, rounded(size)});
  if (!context || found == self->places->end())
    return nullptr;
  PyObject *place = found->second.first.get();
  const Py_ssize_t count = PyList_GET_SIZE(place);
  if (!count)
    return nullptr;
  Ref last = Ref::borrow(PyList_GET_ITEM(place, count - 1));
  if (PyList_SetSlice(place, count - 1, count, nullptr) != 0)
    return nullptr;
  return make_block(self->block, PyLong_AsUnsignedLongLong(last.get()), rounded(size),
                    found->second.second.get(), place);
}

PyObject *take(PyObject *self, PyObject *size) {
  PyObject *block = taken(as_pool(self), PyLong_AsSsize_t(size));
  if (block || PyErr_Occurred())
    return block;
  Py_RETURN_NONE;
}

PyObject *pool_in_use = nullptr; ///< null: an allocator of the program's
PyTypeObject *pool_type = nullptr, *block_type = nullptr;

/// Chooses the pool that arrays are made in; None: a function gives memory.
PyObject *use_pool(PyObject *, PyObject *pool) {
  Ref before(std::exchange(pool_in_use, Py_TYPE(pool) == pool_type ? Py_NewRef(pool) : nullptr));
  Py_RETURN_NONE;
}

PyMethodDef pool_methods[] = {{"keep", keep, METH_VARARGS, "keep(size, context, place)"},
                              {"take", take, METH_O, "A block that was free, or None."},
                              {}};
PyMethodDef pool_functions[] = {
    {"use_pool", use_pool, METH_O, "The pool that arrays are made in, or None."}, {}};

PyType_Slot block_slots[] = {{Py_tp_new, reinterpret_cast<void *>(create_block)},
                             {Py_tp_init, reinterpret_cast<void *>(ignore_arguments)},
                             {Py_tp_dealloc, reinterpret_cast<void *>(destroy_block)},
                             {Py_tp_members, block_members},
                             {Py_tp_methods, block_methods},
                             {0, nullptr}};
PyType_Spec block_spec = {"numjit._core.Block", sizeof(BlockObject), 0,
                          Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, block_slots};
PyType_Slot pool_slots[] = {{Py_tp_new, reinterpret_cast<void *>(create_pool)},
                            {Py_tp_init, reinterpret_cast<void *>(ignore_arguments)},
                            {Py_tp_dealloc, reinterpret_cast<void *>(destroy_pool)},
                            {Py_tp_methods, pool_methods},
                            {0, nullptr}};
PyType_Spec pool_spec = {"numjit._core.Pool", sizeof(PoolObject), 0, Py_TPFLAGS_DEFAULT,
                         pool_slots};

} // namespace

/// Strides of an array in Fortran's order.
static Ref fortran_strides(PyObject *shape, npy_intp step) {
  Ref strides(PyTuple_New(PyTuple_GET_SIZE(shape)));
  for (Py_ssize_t i = 0; strides && i < PyTuple_GET_SIZE(shape); ++i) {
    PyTuple_SET_ITEM(strides.get(), i, PyLong_FromSsize_t(step));
    step *= PyLong_AsSsize_t(PyTuple_GET_ITEM(shape, i));
  }
  return strides;
}

Ref new_elements(PyObject *shape, PyObject *dtype, bool fortran) {
  npy_intp size = PyDataType_ELSIZE(reinterpret_cast<PyArray_Descr *>(dtype));
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(shape); ++i)
    size *= PyLong_AsSsize_t(PyTuple_GET_ITEM(shape, i));
  if (PyErr_Occurred())
    return Ref();
  Ref memory(pool_in_use ? taken(as_pool(pool_in_use), size) : nullptr);
  if (!memory && !PyErr_Occurred())
    memory = Ref(PyObject_CallFunction(array_classes.pool, "n", size));
  if (!memory)
    return Ref();
  unsigned long long pointer;
  if (PyObject_TypeCheck(memory.get(), block_type)) {
    pointer = as_block(memory.get())->pointer;
  } else {
    Ref value(PyObject_GetAttrString(memory.get(), "device_pointer_value"));
    pointer = value ? PyLong_AsUnsignedLongLong(value.get()) : 0;
    if (PyErr_Occurred())
      return Ref();
  }
  Ref strides;
  if (fortran) {
    strides = fortran_strides(shape, PyDataType_ELSIZE(reinterpret_cast<PyArray_Descr *>(dtype)));
    if (!strides)
      return Ref();
  }
  return Ref(new_device_array(array_classes.device_array, memory.get(),
                              reinterpret_cast<void *>(pointer), shape, strides.get(), dtype));
}

Ref root_of(PyObject *device) {
  Ref memory = Ref::borrow(as_device_array(device)->memory);
  while (Py_TYPE(memory.get()) != block_type && !PyObject_TypeCheck(memory.get(), block_type)) {
    Ref owner(PyObject_GetAttrString(memory.get(), "owner"));
    if (!owner || owner.get() == Py_None || !PyObject_HasAttrString(owner.get(), "owner")) {
      PyErr_Clear();
      break;
    }
    memory = std::move(owner);
  }
  return memory;
}

/// The context of memory of a device; null: unknown.
static std::shared_ptr<DriverContext> context_of(PyObject *memory) {
  if (PyObject_TypeCheck(memory, block_type))
    return *as_block(memory)->driver_context;
  Ref context(PyObject_GetAttrString(memory, "context"));
  Ref driver_context(context && context.get() != Py_None
                         ? PyObject_GetAttrString(context.get(), "for_launches")
                         : nullptr);
  if (!driver_context) {
    PyErr_Clear();
    return nullptr;
  }
  try {
    return pybind11::cast<std::shared_ptr<DriverContext>>(pybind11::handle(driver_context.get()));
  } catch (const pybind11::cast_error &) {
    return nullptr;
  }
}

bool settle(PyObject *device) {
  PyObject *memory = several_contexts() ? as_device_array(device)->memory : nullptr;
  if (is_none(memory))
    return true;
  const std::shared_ptr<DriverContext> context = context_of(memory);
  return !context || reach_context(*context);
}

bool init_pool(PyObject *module) {
  PyObject *block = PyType_FromSpec(&block_spec), *pool = PyType_FromSpec(&pool_spec);
  block_type = reinterpret_cast<PyTypeObject *>(block);
  pool_type = reinterpret_cast<PyTypeObject *>(pool);
  return block && pool && PyModule_AddObjectRef(module, "Block", block) == 0 &&
         PyModule_AddObjectRef(module, "Pool", pool) == 0 &&
         PyModule_AddFunctions(module, pool_functions) == 0;
}

} // namespace numjit
