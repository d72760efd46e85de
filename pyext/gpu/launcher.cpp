// The road of a launch, which makes no Python objects.
#include "pyext/convert/fingerprint.h"
#include "pyext/convert/typeof.h"
#include "pyext/errors.h"
#include "pyext/gpu/contexts.h"
#include "pyext/gpu/device_array.h"
#include "pyext/gpu/kernels.h"
#include "pyext/gpu/lazy.h"
#include "pyext/read/objects.h"
#include "pyext/read/scalar_codes.h"
#include "pyext/read/type_handle.h"

#include <structmember.h>

#include <pybind11/pybind11.h>

#include <algorithm>
#include <cstring>
#include <utility>

namespace py = pybind11;

namespace numjit {

namespace {

// --- arguments ---

/// What a walk over the arguments found besides their words and slots.
struct Found {
  bool host_array = false; ///< memory of the host: the kernel needs a copy
  bool unknown = false;    ///< no value that has a type: numjit.cuda may make one of it
};

ScanResult scan_device_array(const DeviceArrayObject &array, Scan &scan) {
  if (!scan.has_room(2 + 2 * array.ndim, 2))
    return ScanResult::NoRoom;
  *scan.words++ = word(Tag::Array, static_cast<uint64_t>(array.ndim) |
                                       static_cast<uint64_t>(array.is_record) << 8 |
                                       static_cast<uint64_t>(array.flags) << 16);
  *scan.words++ = reinterpret_cast<uint64_t>(array.item);
  uint64_t *slots = scan.slots;
  *slots++ = reinterpret_cast<uint64_t>(array.data);
  *slots++ = 0;
  for (int i = 0; i < array.ndim; ++i)
    *slots++ = static_cast<uint64_t>(array.shape[i]);
  if (!(array.flags & (NPY_ARRAY_C_CONTIGUOUS | NPY_ARRAY_F_CONTIGUOUS)))
    for (int i = 0; i < array.ndim; ++i)
      *slots++ = static_cast<uint64_t>(array.strides[i]);
  scan.slots = slots;
  return ScanResult::Fine;
}

ScanResult scan_argument(PyObject *object, Scan &scan, Found &found) {
  if (device_array_check(object))
    return scan_device_array(*reinterpret_cast<DeviceArrayObject *>(object), scan);
  if (PyTuple_Check(object) && (PyTuple_CheckExact(object) || is_named_tuple(object))) {
    if (!scan.has_room(3, 3))
      return ScanResult::NoRoom;
    const auto count = static_cast<uint64_t>(PyTuple_GET_SIZE(object));
    *scan.words++ = word(PyTuple_CheckExact(object) ? Tag::Tuple : Tag::NamedTuple, count);
    if (!PyTuple_CheckExact(object))
      *scan.words++ = reinterpret_cast<uint64_t>(Py_TYPE(object));
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(object); ++i)
      if (ScanResult result = scan_argument(PyTuple_GET_ITEM(object, i), scan, found);
          result != ScanResult::Fine)
        return result;
    return ScanResult::Fine;
  }
  found.host_array = found.host_array || PyArray_Check(object) || PyArray_IsScalar(object, Void);
  const uint64_t *before = scan.words;
  ScanResult result = scan_value(object, scan);
  if (result == ScanResult::Fine && scan.words > before)
    found.unknown = found.unknown || static_cast<Tag>(*before & 0xff) == Tag::Other;
  return result;
}

TypeOf argument_type(PyObject *object) {
  if (device_array_check(object)) {
    const Type *type = type_of_device_array(*reinterpret_cast<DeviceArrayObject *>(object));
    return type ? TypeOf{type}
                : TypeOf{nullptr,
                         "cannot determine Numba type of a device array: unsupported array dtype"};
  }
  if (PyTuple_Check(object) && (PyTuple_CheckExact(object) || is_named_tuple(object))) {
    std::vector<const Type *> items;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(object); ++i) {
      TypeOf item = argument_type(PyTuple_GET_ITEM(object, i));
      if (!item.type)
        return item;
      items.push_back(item.type);
    }
    if (PyTuple_CheckExact(object))
      return {types::tuple(std::move(items))};
    return {types::named_tuple(const_of(reinterpret_cast<PyObject *>(Py_TYPE(object))),
                               std::move(items))};
  }
  return type_of(object);
}

/// Whether the slots of an argument are those of another type: an integer of an address, an array
/// of integers of one of the other sign (dispatcher.py, _accepted), a class.
bool is_taken_as(const Type *from, const Type *to) {
  if (from->is_array() && to->is_array())
    return from->ndim == to->ndim && from->dtype()->is_scalar() && from->dtype()->is_integer() &&
           to->dtype()->is_scalar() && to->dtype()->is_integer() &&
           from->dtype()->bits() == to->dtype()->bits();
  if (layout_of(from).leaves.empty() && layout_of(to).leaves.empty())
    return true;
  return to->kind == Kind::Pointer && from->is_integer();
}

/// The conversions of scalars between what is given and what the kernel declares; false with an
/// exception set where others would be needed.
bool find_conversions(const std::vector<const Type *> &given,
                      const std::vector<const Type *> &wanted,
                      std::vector<ScalarConversion> &conversions) {
  size_t slot = 0;
  for (size_t i = 0; i < given.size(); ++i) {
    const Type *from = given[i], *to = i < wanted.size() ? wanted[i] : nullptr;
    if (from != to && !(to && is_taken_as(from, to))) {
      if (!to || !from->is_scalar() || !to->is_scalar() || from->is_complex() || to->is_complex()) {
        PyErr_Format(PyExc_TypeError, "No matching definition for argument %zu of type %s", i + 1,
                     from->text.c_str());
        return false;
      }
      conversions.push_back({slot, from, to});
    }
    slot += layout_of(from).leaves.size();
  }
  return given.size() == wanted.size();
}

/// Converts a slot as an argument of a function with a signature is (unbox_scalar); false with an
/// exception set. No Python object is made where an integer fits, or becomes a float.
bool convert(const ScalarConversion &conversion, uint64_t &slot) {
  const Type *from = conversion.from, *to = conversion.to;
  if (to->is_integer() && !from->is_float() && slot >> (to->bits() - 1) == 0)
    return true; // a parameter reads the low bytes of its slot
  if (to->is(ScalarId::Float64) && from->is(ScalarId::Int64)) {
    slot = slot_of(static_cast<double>(static_cast<int64_t>(slot)));
    return true;
  }
  Ref object(box_scalar(from->scalar, &slot));
  uint64_t *made = &slot;
  return object && unbox_scalar(object.get(), to, made);
}

// --- launches ---

struct LauncherObject {
  PyObject_HEAD vectorcallfunc vectorcall;
  PyObject *dispatcher; ///< _launch_copies, _launch_simulated
  PyObject *loaded;     ///< compiled_for; what is compiled in the context of this launcher
  PyObject *callbacks;  ///< pre_launch_callbacks, null until they are asked for
  PyObject *stream;     ///< kept alive
  std::shared_ptr<KernelTable> *table;
  LaunchShape shape;
};

LauncherObject *as_launcher(PyObject *object) { return reinterpret_cast<LauncherObject *>(object); }

/// Gives the launch to the driver; what the driver reports.
int give_to_driver(const LaunchShape &shape, const Kernel &kernel, void **parameters) {
  const unsigned *g = shape.grid, *b = shape.block;
  auto *function = reinterpret_cast<void *>(kernel.function);
  WithoutGil released; // the driver waits while its queue is full
  InContext context(kernel.context->handle);
  return kernel.cooperative
             ? driver.launch_cooperative(function, g[0], g[1], g[2], b[0], b[1], b[2],
                                         shape.shared_bytes, shape.stream, parameters)
             : driver.launch(function, g[0], g[1], g[2], b[0], b[1], b[2], shape.shared_bytes,
                             shape.stream, parameters, nullptr);
}

/// `row` may move while other threads add rows, but what it refers to lives as long as the table.
PyObject *launch_on_gpu(const LaunchShape &shape, const KernelTable::Row &row,
                        const uint64_t *slots) {
  const Kernel &kernel = *row.kernel;
  PyObject *owner = row.owner.get();
  const auto &places = kernel.compiled.ptx.parameters;
  constexpr size_t kMostParameters = 512; // 4 KB, the limit of the hardware
  void *parameters[kMostParameters];
  if (places.size() > kMostParameters) {
    PyErr_SetString(PyExc_TypeError, "the arguments of the kernel need more than 4 KB");
    return nullptr;
  }
  for (size_t i = 0; i < places.size(); ++i)
    parameters[i] = const_cast<uint64_t *>(slots + places[i]);
  if (!kernel.context->alive)
    return PyObject_CallMethod(owner, "launch_failed", "ii", 709,
                               0); // CUDA_ERROR_CONTEXT_IS_DESTROYED
  const bool one_by_one = kernel.checked;
  if (one_by_one && !Ref(PyObject_CallMethod(owner, "begin_launch", nullptr)))
    return nullptr;
  if (int status = give_to_driver(shape, kernel, parameters); status != 0)
    return PyObject_CallMethod(owner, "launch_failed", "ii", status, one_by_one);
  if (one_by_one)
    return PyObject_CallMethod(owner, "end_launch", "K",
                               reinterpret_cast<unsigned long long>(shape.stream));
  Py_RETURN_NONE;
}

PyObject *tuple_of(PyObject *const *items, Py_ssize_t count) {
  PyObject *tuple = PyTuple_New(count);
  for (Py_ssize_t i = 0; tuple && i < count; ++i)
    PyTuple_SET_ITEM(tuple, i, Py_NewRef(items[i]));
  return tuple;
}

PyObject *tuple_of_slots(const uint64_t *slots, size_t count) {
  PyObject *tuple = PyTuple_New(static_cast<Py_ssize_t>(count));
  for (size_t i = 0; tuple && i < count; ++i)
    PyTuple_SET_ITEM(tuple, static_cast<Py_ssize_t>(i),
                     PyLong_FromLongLong(static_cast<int64_t>(slots[i])));
  return tuple;
}

/// Asks Python for the kernel, which is compiled there if need be; null with an exception set.
KernelTable::Row *new_kernel(LauncherObject *self, PyObject *const *arguments, Py_ssize_t count,
                             const uint64_t *words, size_t word_count, const uint64_t *slots,
                             size_t slot_count) {
  std::vector<const Type *> types;
  if (!types_of_arguments(arguments, count, types))
    return nullptr;
  Ref handles(type_handles(types));
  Ref all(tuple_of(arguments, count));
  Ref values(tuple_of_slots(slots, slot_count));
  Ref made(handles && all && values
               ? PyObject_CallMethod(self->loaded, "compiled_for", "(OOOO)", handles.get(), self,
                                     all.get(), values.get())
               : nullptr);
  if (!made)
    return nullptr;
  KernelTable &table = **self->table;
  if (KernelTable::Row *row = table.find(words, word_count, slots))
    return row; // another thread was first
  try {
    auto kernel = py::cast<std::shared_ptr<Kernel>>(py::getattr(made.get(), "kernel"));
    std::vector<ScalarConversion> conversions;
    if (!find_conversions(fold_types(*kernel->definition, types), kernel->arguments, conversions))
      return nullptr;
    for (Py_ssize_t i = 0; i < count; ++i) // their classes' addresses may be in the words
      table.kept.push_back(Ref::borrow(reinterpret_cast<PyObject *>(Py_TYPE(arguments[i]))));
    table.rows.push_back(
        {{words, words + word_count}, kernel, std::move(made), std::move(conversions)});
    table.last = table.rows.size() - 1;
    return &table.rows.back();
  } catch (py::error_already_set &error) {
    error.restore();
  } catch (const py::cast_error &) {
    PyErr_SetString(PyExc_TypeError, "expected a kernel");
  }
  return nullptr;
}

PyObject *launch_with(LauncherObject *self, const LaunchShape &shape, PyObject *const *arguments,
                      Py_ssize_t count, uint64_t *slots, size_t slot_count, uint64_t *words,
                      size_t word_count, bool &no_room) {
  Scan scan{slots, slots + slot_count, words, words + word_count};
  Found found;
  for (Py_ssize_t i = 0; i < count; ++i) {
    ScanResult result = scan_argument(arguments[i], scan, found);
    if (result == ScanResult::Failed)
      return nullptr;
    if (several_contexts() && device_array_check(arguments[i]) && !settle(arguments[i]))
      return nullptr;
    if (result == ScanResult::NoRoom) {
      no_room = true;
      return nullptr;
    }
  }
  KernelTable &table = **self->table;
  if (found.unknown || scan.indirect || found.host_array) {
    Ref all(tuple_of(arguments, count));
    return all ? PyObject_CallMethod(self->dispatcher, "_launch_copies", "OO", self, all.get())
               : nullptr;
  }
  if (scan.slots == scan.slots_end) {
    no_room = true;
    return nullptr;
  }
  *scan.slots++ = uint64_t{shape.grid[0]} * shape.block[0];
  const auto used = static_cast<size_t>(scan.words - words);
  KernelTable::Row *row = table.find(words, used, slots);
  if (!row && !(row = new_kernel(self, arguments, count, words, used, slots,
                                 static_cast<size_t>(scan.slots - slots))))
    return nullptr;
  for (const ScalarConversion &conversion : row->conversions)
    if (!convert(conversion, slots[conversion.slot]))
      return nullptr;
  return launch_on_gpu(shape, *row, slots);
}

/// Python calls what was added to pre_launch_callbacks.
bool call_back(LauncherObject *self, PyObject *const *arguments, Py_ssize_t count) {
  Ref all(tuple_of(arguments, count));
  return all && Ref(PyObject_CallMethod(self->dispatcher, "_call_back", "OOO", self, all.get(),
                                        self->callbacks));
}

PyObject *launch(PyObject *object, PyObject *const *arguments, size_t count_and_flags,
                 PyObject *keyword_names) {
  auto *self = as_launcher(object);
  const Py_ssize_t count = PyVectorcall_NARGS(count_and_flags);
  if (keyword_names && PyTuple_GET_SIZE(keyword_names)) {
    PyErr_SetString(PyExc_TypeError, "kernels take no keyword arguments");
    return nullptr;
  }
  if (self->callbacks && !call_back(self, arguments, count))
    return nullptr;
  return launch_as(object, self->shape, arguments, count);
}

PyObject *launcher_create(PyTypeObject *type, PyObject *arguments, PyObject *) {
  PyObject *dispatcher, *loaded, *table, *stream;
  unsigned g[3], b[3], shared;
  unsigned long long handle;
  if (!PyArg_ParseTuple(arguments, "OOO(III)(III)OKI:Launcher", &dispatcher, &loaded, &table, &g[0],
                        &g[1], &g[2], &b[0], &b[1], &b[2], &stream, &handle, &shared))
    return nullptr;
  std::shared_ptr<KernelTable> kernels;
  try {
    kernels = py::cast<std::shared_ptr<KernelTable>>(py::handle(table));
  } catch (const std::exception &) {
    PyErr_SetString(PyExc_TypeError, "expected a KernelTable");
    return nullptr;
  }
  if (!(type->tp_flags & Py_TPFLAGS_HAVE_VECTORCALL) && type->tp_call == PyVectorcall_Call)
    type->tp_flags |= Py_TPFLAGS_HAVE_VECTORCALL; // before 3.12, subclasses don't inherit it
  auto *self = as_launcher(type->tp_alloc(type, 0));
  if (!self)
    return nullptr;
  self->vectorcall = launch;
  self->dispatcher = Py_NewRef(dispatcher);
  self->loaded = Py_NewRef(loaded);
  self->stream = Py_NewRef(stream);
  self->table = new std::shared_ptr<KernelTable>(std::move(kernels));
  std::copy(g, g + 3, self->shape.grid);
  std::copy(b, b + 3, self->shape.block);
  self->shape.shared_bytes = shared;
  self->shape.stream = reinterpret_cast<void *>(handle);
  return reinterpret_cast<PyObject *>(self);
}

int launcher_traverse(PyObject *object, visitproc visit, void *arg) {
  Py_VISIT(Py_TYPE(object));
  Py_VISIT(as_launcher(object)->dispatcher);
  Py_VISIT(as_launcher(object)->loaded);
  Py_VISIT(as_launcher(object)->stream);
  Py_VISIT(as_launcher(object)->callbacks);
  return 0;
}

int launcher_clear(PyObject *object) {
  Py_CLEAR(as_launcher(object)->dispatcher);
  Py_CLEAR(as_launcher(object)->loaded);
  Py_CLEAR(as_launcher(object)->stream);
  Py_CLEAR(as_launcher(object)->callbacks);
  return 0;
}

void launcher_destroy(PyObject *object) {
  PyObject_GC_UnTrack(object);
  launcher_clear(object);
  delete as_launcher(object)->table;
  PyTypeObject *type = Py_TYPE(object);
  type->tp_free(object);
  Py_DECREF(type);
}

PyMemberDef launcher_members[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(LauncherObject, vectorcall), READONLY, nullptr},
    {"dispatcher", T_OBJECT, offsetof(LauncherObject, dispatcher), READONLY, nullptr},
    {"loaded", T_OBJECT, offsetof(LauncherObject, loaded), READONLY, nullptr},
    {"sharedmem", T_UINT, offsetof(LauncherObject, shape.shared_bytes), READONLY, nullptr},
    {}};

PyObject *get_extents(const unsigned *extents) {
  return Py_BuildValue("III", extents[0], extents[1], extents[2]);
}
PyObject *get_grid(PyObject *self, void *) { return get_extents(as_launcher(self)->shape.grid); }
PyObject *get_block(PyObject *self, void *) { return get_extents(as_launcher(self)->shape.block); }

/// The Stream object; that of a number is the number.
PyObject *get_stream(PyObject *self, void *) {
  if (as_launcher(self)->stream != Py_None)
    return Py_NewRef(as_launcher(self)->stream);
  return PyLong_FromVoidPtr(as_launcher(self)->shape.stream);
}

PyObject *get_callbacks(PyObject *self, void *) {
  PyObject *&callbacks = as_launcher(self)->callbacks;
  if (!callbacks)
    callbacks = PyList_New(0);
  return Py_XNewRef(callbacks);
}

/// Pickled as the kernel and its configuration. Streams belong to a process.
PyObject *reduce_launcher(PyObject *self, PyObject *) {
  if (as_launcher(self)->shape.stream)
    return PyErr_Format(PyExc_TypeError,
                        "a kernel that is configured with a stream is not pickled");
  Ref get(PyObject_GetAttrString(as_launcher(self)->dispatcher, "configure"));
  return get ? Py_BuildValue("N(NNiI)", get.release(), get_grid(self, nullptr),
                             get_block(self, nullptr), 0, as_launcher(self)->shape.shared_bytes)
             : nullptr;
}

PyGetSetDef launcher_properties[] = {
    {"griddim", get_grid, nullptr, nullptr, nullptr},
    {"blockdim", get_block, nullptr, nullptr, nullptr},
    {"stream", get_stream, nullptr, nullptr, nullptr},
    {"pre_launch_callbacks", get_callbacks, nullptr, nullptr, nullptr},
    {}};
/// Another place for what is compiled for it, and its table; launches that are under way have what
/// they began with, which their owner keeps.
PyObject *compile_in(PyObject *self, PyObject *arguments) {
  PyObject *loaded, *table;
  if (!PyArg_ParseTuple(arguments, "OO", &loaded, &table))
    return nullptr;
  try {
    *as_launcher(self)->table = py::cast<std::shared_ptr<KernelTable>>(py::handle(table));
  } catch (const std::exception &) {
    PyErr_SetString(PyExc_TypeError, "expected a KernelTable");
    return nullptr;
  }
  Ref before(std::exchange(as_launcher(self)->loaded, Py_NewRef(loaded)));
  Py_RETURN_NONE;
}

/// A launch with copies of the arguments of one that has called back.
PyObject *launch_quietly(PyObject *self, PyObject *const *arguments, Py_ssize_t count) {
  return launch_as(self, as_launcher(self)->shape, arguments, count);
}

PyMethodDef launcher_methods[] = {
    {"__reduce__", reduce_launcher, METH_NOARGS, nullptr},
    {"launch_quietly", reinterpret_cast<PyCFunction>(reinterpret_cast<void *>(launch_quietly)),
     METH_FASTCALL, nullptr},
    {"compile_in", compile_in, METH_VARARGS, nullptr},
    {}};
PyType_Slot launcher_slots[] = {
    {Py_tp_doc,
     const_cast<char *>("Launcher(dispatcher, loaded, table, grid, block, stream, its handle, "
                        "dynamic shared bytes): a kernel with a launch configuration")},
    {Py_tp_new, reinterpret_cast<void *>(launcher_create)},
    {Py_tp_init, reinterpret_cast<void *>(ignore_arguments)},
    {Py_tp_dealloc, reinterpret_cast<void *>(launcher_destroy)},
    {Py_tp_traverse, reinterpret_cast<void *>(launcher_traverse)},
    {Py_tp_clear, reinterpret_cast<void *>(launcher_clear)},
    {Py_tp_call, reinterpret_cast<void *>(PyVectorcall_Call)},
    {Py_tp_members, launcher_members},
    {Py_tp_getset, launcher_properties},
    {Py_tp_methods, launcher_methods},
    {0, nullptr}};
PyType_Spec launcher_spec = {"numjit._core.Launcher", sizeof(LauncherObject), 0,
                             Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC |
                                 Py_TPFLAGS_HAVE_VECTORCALL,
                             launcher_slots};

} // namespace

bool types_of_arguments(PyObject *const *arguments, Py_ssize_t count,
                        std::vector<const Type *> &types) {
  for (Py_ssize_t i = 0; i < count; ++i) {
    TypeOf type = argument_type(arguments[i]);
    if (!type.type) {
      try {
        throw CompileError(type.error_class,
                           type.error + "\n(argument " + std::to_string(i + 1) + " of a kernel)",
                           {});
      } catch (...) {
        set_current_exception();
      }
      return false;
    }
    types.push_back(type.type);
  }
  return true;
}

static PyObject *launch_records = nullptr;

void record_launches(PyObject *list) {
  Ref before(std::exchange(launch_records, Py_XNewRef(list)));
}

void *launcher_stream(PyObject *launcher) { return as_launcher(launcher)->shape.stream; }

PyObject *launch_as(PyObject *launcher, const LaunchShape &shape, PyObject *const *arguments,
                    Py_ssize_t count) {
  auto *self = as_launcher(launcher);
  if (launch_records) {
    Ref row(Py_BuildValue("(OK)", self->dispatcher,
                          reinterpret_cast<unsigned long long>(shape.stream)));
    if (!row || PyList_Append(launch_records, row.get()) != 0)
      return nullptr;
  }
  if ((*self->table)->simulated) {
    Ref all(tuple_of(arguments, count));
    const unsigned *g = shape.grid, *b = shape.block;
    return all ? PyObject_CallMethod(self->dispatcher, "_launch_simulated", "(III)(III)IOO", g[0],
                                     g[1], g[2], b[0], b[1], b[2], shape.shared_bytes, all.get(),
                                     launcher)
               : nullptr;
  }
  constexpr size_t kSlots = 96, kWords = 32;
  uint64_t slots[kSlots], words[kWords];
  bool no_room = false;
  PyObject *result =
      launch_with(self, shape, arguments, count, slots, kSlots, words, kWords, no_room);
  for (size_t size = 1024; no_room; size *= 4) {
    std::vector<uint64_t> more_slots(size), more_words(size);
    no_room = false;
    result = launch_with(self, shape, arguments, count, more_slots.data(), size, more_words.data(),
                         size, no_room);
  }
  return result;
}

KernelTable::Row *KernelTable::find(const uint64_t *words, size_t count, const uint64_t *slots) {
  auto matches = [&](const Row &row) {
    return row.words.size() == count &&
           std::memcmp(row.words.data(), words, count * sizeof *words) == 0 &&
           row.kernel->fits(slots);
  };
  if (last < rows.size() && matches(rows[last]))
    return &rows[last];
  for (size_t i = 0; i < rows.size(); ++i)
    if (matches(rows[i])) {
      last = i;
      return &rows[i];
    }
  return nullptr;
}

bool init_launcher(PyObject *module) {
  PyObject *type = PyType_FromSpec(&launcher_spec);
  return type && PyModule_AddObjectRef(module, "Launcher", type) == 0;
}

} // namespace numjit
