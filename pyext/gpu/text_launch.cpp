// Launches of kernels that are text (numjit.cupy's RawKernel, ElementwiseKernel, ReductionKernel):
// arguments become bytes without a Python object in between.
#include "pyext/convert/fast_long.h"
#include "pyext/gpu/lazy.h"

#include <structmember.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <vector>

namespace numjit {

namespace {

using Extents = std::array<unsigned, 3>;

/// Gives a launch to the driver; what it reports.
int give(uint64_t function, const DriverContext &context, bool cooperative, const Extents &grid,
         const Extents &block, unsigned shared, uint64_t stream, void **parameters) {
  auto *code = reinterpret_cast<void *>(function);
  auto *queue = reinterpret_cast<void *>(stream);
  void *handle = context.handle;
  WithoutGil released; // the driver waits while its queue is full
  InContext current(handle);
  return cooperative ? driver.launch_cooperative(code, grid[0], grid[1], grid[2], block[0],
                                                 block[1], block[2], shared, queue, parameters)
                     : driver.launch(code, grid[0], grid[1], grid[2], block[0], block[1], block[2],
                                     shared, queue, parameters, nullptr);
}

/// Extents of a grid or a block; false: they are not a tuple of 1 to 3 small integers.
bool read_extents(PyObject *tuple, Extents &extents) {
  if (!PyTuple_CheckExact(tuple) || PyTuple_GET_SIZE(tuple) < 1 || PyTuple_GET_SIZE(tuple) > 3)
    return false;
  extents = {1, 1, 1};
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(tuple); ++i) {
    int64_t number;
    PyObject *item = PyTuple_GET_ITEM(tuple, i);
    if (!PyLong_CheckExact(item) || !fast_long(item, number) || number < 0 || number >> 32)
      return false;
    extents[static_cast<size_t>(i)] = static_cast<unsigned>(number);
  }
  return true;
}

/// The handle of a stream, of None, an object with `ptr`, or a number; false with an exception set.
bool read_stream(PyObject *object, uint64_t &stream) {
  stream = current_stream;
  if (is_none(object))
    return true;
  Ref number(PyLong_Check(object) ? Py_NewRef(object) : PyObject_GetAttrString(object, "ptr"));
  stream = number ? PyLong_AsUnsignedLongLong(number.get()) : 0;
  return !PyErr_Occurred();
}

struct alignas(16) Slot {
  unsigned char bytes[16];
  template <class T>
  bool set(T value) {
    return std::memcpy(bytes, &value, sizeof value), true;
  }
};

// --- RawKernel ---

struct RawLauncherObject {
  PyObject_HEAD vectorcallfunc vectorcall;
  uint64_t function, context_number;
  std::shared_ptr<DriverContext> *context;
  bool cooperative;
};

RawLauncherObject *as_raw(PyObject *object) {
  return reinterpret_cast<RawLauncherObject *>(object);
}

constexpr size_t kMostArguments = 64;

/// One argument as bytes. False: Python shall look at it, or an exception is set.
bool read_argument(PyObject *object, Slot &slot, Ref &kept) {
  if (is_array(object)) {
    kept = force_for_writing(as_array_object(object));
    return kept && slot.set(as_device_array(kept.get())->data);
  }
  if (device_array_check(object)) {
    const DeviceArrayObject &array = *as_device_array(object);
    return settle(object) && slot.set(array.size() ? array.data : nullptr);
  }
  if (PyArray_IsScalar(object, Number) || PyArray_IsScalar(object, Bool)) {
    Ref dtype(reinterpret_cast<PyObject *>(PyArray_DescrFromScalar(object)));
    if (!dtype || PyDataType_ELSIZE(reinterpret_cast<PyArray_Descr *>(dtype.get())) > 16)
      return false;
    PyArray_ScalarAsCtype(object, slot.bytes);
    return true;
  }
  if (PyBool_Check(object))
    return slot.set(object == Py_True);
  if (int64_t number; PyLong_CheckExact(object) && fast_long(object, number))
    return slot.set(number);
  if (PyFloat_CheckExact(object))
    return slot.set(PyFloat_AS_DOUBLE(object));
  if (PyComplex_CheckExact(object))
    return slot.set(PyComplex_AsCComplex(object));
  return false;
}

PyObject *call_slowly(PyObject *self, PyObject *const *arguments, size_t count_and_flags,
                      PyObject *keywords) {
  Ref slow(PyObject_GetAttrString(self, "_call_slowly"));
  return slow ? PyObject_Vectorcall(slow.get(), arguments,
                                    static_cast<size_t>(PyVectorcall_NARGS(count_and_flags)),
                                    keywords)
              : nullptr;
}

/// kernel(grid, block, args, shared_mem=, stream=)
PyObject *call_raw(PyObject *object, PyObject *const *arguments, size_t count_and_flags,
                   PyObject *keywords) {
  const Py_ssize_t count = PyVectorcall_NARGS(count_and_flags);
  PyObject *stream_object = nullptr, *shared_object = nullptr;
  for (Py_ssize_t i = 0; keywords && i < PyTuple_GET_SIZE(keywords); ++i) {
    PyObject *name = PyTuple_GET_ITEM(keywords, i);
    if (PyUnicode_CompareWithASCIIString(name, "stream") == 0)
      stream_object = arguments[count + i];
    else if (PyUnicode_CompareWithASCIIString(name, "shared_mem") == 0)
      shared_object = arguments[count + i];
    else
      return call_slowly(object, arguments, count_and_flags, keywords);
  }
  Extents grid, block;
  int64_t shared = 0;
  PyObject *values = count == 3 ? arguments[2] : nullptr;
  if (!values || !PyTuple_CheckExact(values) ||
      PyTuple_GET_SIZE(values) > Py_ssize_t{kMostArguments} || !read_extents(arguments[0], grid) ||
      !read_extents(arguments[1], block) ||
      (shared_object && (!PyLong_CheckExact(shared_object) || !fast_long(shared_object, shared) ||
                         shared < 0 || shared >> 31)))
    return call_slowly(object, arguments, count_and_flags, keywords);
  RawLauncherObject *self = as_raw(object);
  if (!self->context_number || self->context_number != chosen_context()) {
    Ref bound(PyObject_CallMethod(object, "_bind", nullptr));
    if (!bound)
      return nullptr;
  }
  Slot slots[kMostArguments];
  Ref kept[kMostArguments];
  void *parameters[kMostArguments];
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(values); ++i) {
    if (!read_argument(PyTuple_GET_ITEM(values, i), slots[i], kept[i]))
      return PyErr_Occurred() ? nullptr : call_slowly(object, arguments, count_and_flags, keywords);
    parameters[i] = slots[i].bytes;
  }
  uint64_t stream;
  if (!read_stream(stream_object, stream))
    return nullptr;
  const std::shared_ptr<DriverContext> context = *self->context;
  const int status = give(self->function, *context, self->cooperative, grid, block,
                          static_cast<unsigned>(shared), stream, parameters);
  if (status)
    return PyObject_CallMethod(object, "_launch_failed", "i", status);
  Py_RETURN_NONE;
}

PyObject *create_raw(PyTypeObject *type, PyObject *, PyObject *) {
  PyObject *object = type->tp_alloc(type, 0);
  if (object) {
    as_raw(object)->vectorcall = call_raw;
    as_raw(object)->context = new std::shared_ptr<DriverContext>;
  }
  return object;
}

void destroy_raw(PyObject *object) {
  delete as_raw(object)->context;
  PyTypeObject *type = Py_TYPE(object);
  type->tp_free(object);
  Py_DECREF(type);
}

/// _launches_in_context(function, cooperative): which function of this thread's context is launched
PyObject *bind_raw(PyObject *object, PyObject *arguments) {
  unsigned long long function;
  int cooperative;
  if (!PyArg_ParseTuple(arguments, "Kp", &function, &cooperative))
    return nullptr;
  RawLauncherObject *self = as_raw(object);
  self->function = function;
  self->cooperative = cooperative != 0;
  *self->context = chosen_driver_context();
  self->context_number = chosen_context();
  Py_RETURN_NONE;
}

PyMemberDef raw_members[] = {{"__vectorcalloffset__", T_PYSSIZET,
                              offsetof(RawLauncherObject, vectorcall), READONLY, nullptr},
                             {}};
PyMethodDef raw_methods[] = {
    {"_launches_in_context", bind_raw, METH_VARARGS,
     "_launches_in_context(function, cooperative): what is launched in this thread's context."},
    {}};

// --- plans of ElementwiseKernel and ReductionKernel ---

struct PlannedLaunch {
  uint64_t function;
  unsigned blocks, threads;
  std::string bytes;            ///< of all arguments
  std::vector<size_t> places;   ///< where each argument begins
  std::vector<size_t> pointers; ///< where addresses are: of inputs, results, memory in between
};

struct NumberPlace {
  size_t argument; ///< number of the argument that is a number
  size_t place;    ///< where its bytes are, in the first launch
  int type;        ///< NumPy's number of the dtype that the kernel takes
};

struct TextPlan {
  std::vector<int64_t> key;
  std::shared_ptr<DriverContext> context;
  std::vector<PlannedLaunch> launches;
  std::vector<NumberPlace> numbers;
  std::vector<std::pair<Ref, Ref>> made; ///< shapes and dtypes of results, then of what is between
  size_t results;
  uint64_t written; ///< bits of the arguments that are written
};

struct PlansObject {
  PyObject_HEAD std::vector<std::shared_ptr<TextPlan>> *plans;
};

PlansObject *as_plans(PyObject *object) { return reinterpret_cast<PlansObject *>(object); }

/// Adds what a launch depends on in an argument; false: nothing that plans know.
bool add_to_key(PyObject *object, std::vector<int64_t> &key, Ref &device) {
  if (is_array(object)) {
    device = force(as_array_object(object));
    if (!device)
      return false;
    const DeviceArrayObject &array = *as_device_array(device.get());
    const int type = reinterpret_cast<PyArray_Descr *>(array.dtype)->type_num;
    key.push_back(int64_t{1} << 60 | int64_t{array.ndim} << 32 | type);
    key.insert(key.end(), array.shape, array.shape + array.ndim);
    key.insert(key.end(), array.strides, array.strides + array.ndim);
    return true;
  }
  if (PyFloat_CheckExact(object))
    return key.push_back(int64_t{2} << 60 | 1), true;
  if (int64_t number; PyLong_CheckExact(object) && fast_long(object, number))
    return key.push_back(int64_t{2} << 60 | 2), true;
  if (PyArray_IsScalar(object, Number)) {
    Ref dtype(reinterpret_cast<PyObject *>(PyArray_DescrFromScalar(object)));
    if (dtype)
      key.push_back(int64_t{3} << 60 | reinterpret_cast<PyArray_Descr *>(dtype.get())->type_num);
    return bool(dtype);
  }
  return false;
}

template <class T>
bool put(unsigned char *to, T value) {
  std::memcpy(to, &value, sizeof value);
  return true;
}

/// Writes a number as a dtype; false: not one of these.
bool put_number(PyObject *object, int type, unsigned char *to) {
  if (PyArray_IsScalar(object, Number)) {
    Ref dtype(reinterpret_cast<PyObject *>(PyArray_DescrFromScalar(object)));
    if (!dtype || reinterpret_cast<PyArray_Descr *>(dtype.get())->type_num != type)
      return false;
    PyArray_ScalarAsCtype(object, to);
    return true;
  }
  if (PyFloat_CheckExact(object)) {
    const double value = PyFloat_AS_DOUBLE(object);
    return type == NPY_DOUBLE  ? put(to, value)
           : type == NPY_FLOAT ? put(to, static_cast<float>(value))
                               : false;
  }
  int64_t value;
  if (!PyLong_CheckExact(object) || !fast_long(object, value))
    return false;
  switch (type) {
  case NPY_DOUBLE: return put(to, static_cast<double>(value));
  case NPY_FLOAT: return put(to, static_cast<float>(value));
  case NPY_LONG:
  case NPY_LONGLONG:
  case NPY_ULONG:
  case NPY_ULONGLONG: return put(to, value);
  case NPY_INT:
  case NPY_UINT: return put(to, static_cast<int32_t>(value));
  default: return false;
  }
}

bool make_key(PyObject *arguments, PyObject *more, std::vector<int64_t> &key,
              std::vector<Ref> &devices) {
  key.push_back(static_cast<int64_t>(chosen_context()));
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(more); ++i)
    key.push_back(PyLong_AsLongLong(PyTuple_GET_ITEM(more, i)));
  if (PyErr_Occurred())
    return false;
  devices.resize(static_cast<size_t>(PyTuple_GET_SIZE(arguments)));
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(arguments); ++i)
    if (!add_to_key(PyTuple_GET_ITEM(arguments, i), key, devices[static_cast<size_t>(i)]))
      return false;
  return true;
}

/// Fills in addresses and launches; what the driver reports.
int run_launch(const TextPlan &plan, const PlannedLaunch &launch, const std::vector<void *> &places,
               PyObject *arguments, uint64_t stream, bool first, bool &unknown) {
  constexpr size_t kMostBytes = 4096;
  alignas(16) unsigned char bytes[kMostBytes];
  void *parameters[256];
  if (launch.pointers.size() > places.size())
    return unknown = true, 0;
  std::ranges::copy(launch.bytes, bytes);
  for (size_t i = 0; i < launch.pointers.size(); ++i)
    std::memcpy(bytes + launch.pointers[i], &places[i], sizeof(void *));
  if (first)
    for (const NumberPlace &number : plan.numbers)
      if (!put_number(PyTuple_GET_ITEM(arguments, static_cast<Py_ssize_t>(number.argument)),
                      number.type, bytes + number.place)) {
        unknown = true;
        return 0;
      }
  for (size_t i = 0; i < launch.places.size(); ++i)
    parameters[i] = bytes + launch.places[i];
  return give(launch.function, *plan.context, false, {launch.blocks, 1, 1}, {launch.threads, 1, 1},
              0, stream, parameters);
}

/// run(args, more, stream): the results of a call like one before as a tuple of arrays; None: there
/// was none like it. An integer is what the driver reports.
PyObject *run_plan(PyObject *object, PyObject *const *given, Py_ssize_t count) {
  if (count != 3 || !PyTuple_Check(given[0]) || !PyTuple_Check(given[1]))
    return PyErr_Format(PyExc_TypeError, "run(args, more, stream)");
  std::vector<int64_t> key;
  std::vector<Ref> devices;
  key.reserve(32);
  if (!make_key(given[0], given[1], key, devices))
    return PyErr_Occurred() ? nullptr : Py_NewRef(Py_None);
  std::shared_ptr<TextPlan> plan;
  for (const auto &each : *as_plans(object)->plans)
    if (each->key == key) {
      plan = each;
      break;
    }
  if (!plan)
    Py_RETURN_NONE;
  std::vector<void *> places;
  for (size_t i = 0; i < devices.size(); ++i) {
    if (!devices[i])
      continue;
    if (plan->written >> i & 1) {
      devices[i] = force_for_writing(
          as_array_object(PyTuple_GET_ITEM(given[0], static_cast<Py_ssize_t>(i))));
      if (!devices[i])
        return nullptr;
    }
    places.push_back(as_device_array(devices[i].get())->data);
  }
  std::vector<Ref> made;
  for (const auto &[shape, dtype] : plan->made) {
    made.push_back(new_elements(shape.get(), dtype.get()));
    if (!made.back())
      return nullptr;
    places.push_back(as_device_array(made.back().get())->data);
  }
  uint64_t stream;
  if (!read_stream(given[2], stream))
    return nullptr;
  bool first = true, unknown = false;
  for (const PlannedLaunch &launch : plan->launches) {
    const int status = run_launch(*plan, launch, places, given[0], stream, first, unknown);
    if (unknown)
      Py_RETURN_NONE;
    if (status)
      return PyLong_FromLong(status);
    first = false;
  }
  Ref results(PyTuple_New(static_cast<Py_ssize_t>(plan->results)));
  for (size_t i = 0; results && i < plan->results; ++i) {
    Ref root = root_of(made[i].get());
    PyObject *array =
        root ? array_over(array_classes.array, made[i], new_buffer(root.get()), nullptr) : nullptr;
    if (!array)
      return nullptr;
    PyTuple_SET_ITEM(results.get(), static_cast<Py_ssize_t>(i), array);
  }
  return results.release();
}

bool read_sizes(PyObject *sequence, std::vector<size_t> &sizes) {
  Ref fast(PySequence_Fast(sequence, "expected a sequence"));
  for (Py_ssize_t i = 0; fast && i < PySequence_Fast_GET_SIZE(fast.get()); ++i)
    sizes.push_back(PyLong_AsSize_t(PySequence_Fast_GET_ITEM(fast.get(), i)));
  return fast && !PyErr_Occurred();
}

/// (function, blocks, threads, bytes, places, pointers)
bool read_launch(PyObject *row, PlannedLaunch &launch) {
  unsigned long long function;
  const char *bytes;
  Py_ssize_t size;
  PyObject *places, *pointers;
  if (!PyArg_ParseTuple(row, "KIIy#OO", &function, &launch.blocks, &launch.threads, &bytes, &size,
                        &places, &pointers))
    return false;
  launch.function = function;
  launch.bytes.assign(bytes, static_cast<size_t>(size));
  if (!read_sizes(places, launch.places) || !read_sizes(pointers, launch.pointers))
    return false;
  if (size > 4096 || launch.places.size() > 256) {
    PyErr_SetString(PyExc_ValueError, "the arguments of a kernel take more than 4096 bytes");
    return false;
  }
  return true;
}

/// add(args, more, launches, numbers, made, count of results, mask of the arguments that are
/// written)
PyObject *add_plan(PyObject *object, PyObject *arguments) {
  PyObject *args, *more, *launches, *numbers, *made;
  Py_ssize_t results;
  unsigned long long written;
  if (!PyArg_ParseTuple(arguments, "O!O!O!O!O!nK", &PyTuple_Type, &args, &PyTuple_Type, &more,
                        &PyList_Type, &launches, &PyList_Type, &numbers, &PyList_Type, &made,
                        &results, &written))
    return nullptr;
  auto plan = std::make_shared<TextPlan>();
  std::vector<Ref> devices;
  if (!make_key(args, more, plan->key, devices)) {
    if (PyErr_Occurred())
      return nullptr;
    Py_RETURN_NONE;
  }
  plan->context = chosen_driver_context();
  plan->results = static_cast<size_t>(results);
  plan->written = written;
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(launches); ++i)
    if (!read_launch(PyList_GET_ITEM(launches, i), plan->launches.emplace_back()))
      return nullptr;
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(numbers); ++i) {
    NumberPlace &number = plan->numbers.emplace_back();
    if (!PyArg_ParseTuple(PyList_GET_ITEM(numbers, i), "nni", &number.argument, &number.place,
                          &number.type))
      return nullptr;
  }
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(made); ++i) {
    PyObject *shape, *dtype;
    if (!PyArg_ParseTuple(PyList_GET_ITEM(made, i), "O!O", &PyTuple_Type, &shape, &dtype))
      return nullptr;
    plan->made.emplace_back(Ref::borrow(shape), Ref::borrow(dtype));
  }
  auto &plans = *as_plans(object)->plans;
  if (plans.size() >= 256)
    plans.clear();
  plans.push_back(std::move(plan));
  Py_RETURN_NONE;
}

PyObject *create_plans(PyTypeObject *type, PyObject *, PyObject *) {
  PyObject *object = type->tp_alloc(type, 0);
  if (object)
    as_plans(object)->plans = new std::vector<std::shared_ptr<TextPlan>>;
  return object;
}

void destroy_plans(PyObject *object) {
  delete as_plans(object)->plans;
  PyTypeObject *type = Py_TYPE(object);
  type->tp_free(object);
  Py_DECREF(type);
}

PyMethodDef plans_methods[] = {
    {"run", reinterpret_cast<PyCFunction>(reinterpret_cast<void *>(run_plan)), METH_FASTCALL,
     "run(args, more, stream): the results of a call like one before, or None."},
    {"add", add_plan, METH_VARARGS, "Notes what the launches of a call were."},
    {}};

PyType_Slot raw_slots[] = {{Py_tp_new, reinterpret_cast<void *>(create_raw)},
                           {Py_tp_init, reinterpret_cast<void *>(ignore_arguments)},
                           {Py_tp_dealloc, reinterpret_cast<void *>(destroy_raw)},
                           {Py_tp_call, reinterpret_cast<void *>(PyVectorcall_Call)},
                           {Py_tp_members, raw_members},
                           {Py_tp_methods, raw_methods},
                           {0, nullptr}};
PyType_Spec raw_spec = {"numjit._core.RawLauncher", sizeof(RawLauncherObject), 0,
                        Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_VECTORCALL,
                        raw_slots};
PyType_Slot plans_slots[] = {{Py_tp_new, reinterpret_cast<void *>(create_plans)},
                             {Py_tp_init, reinterpret_cast<void *>(ignore_arguments)},
                             {Py_tp_dealloc, reinterpret_cast<void *>(destroy_plans)},
                             {Py_tp_methods, plans_methods},
                             {0, nullptr}};
PyType_Spec plans_spec = {"numjit._core.TextPlans", sizeof(PlansObject), 0, Py_TPFLAGS_DEFAULT,
                          plans_slots};

} // namespace

bool init_text_launch(PyObject *module) {
  PyObject *raw = PyType_FromSpec(&raw_spec), *plans = PyType_FromSpec(&plans_spec);
  return raw && plans && PyModule_AddObjectRef(module, "RawLauncher", raw) == 0 &&
         PyModule_AddObjectRef(module, "TextPlans", plans) == 0;
}

} // namespace numjit
