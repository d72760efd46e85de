#include "pyext/call/ufuncs.h"

#include "pyext/call/dispatcher.h"
#include "pyext/convert/raised.h"
#include "pyext/errors.h"
#include "pyext/read/scalar_codes.h"
#include "runtime/parallel.h"
#include "runtime/runtime.h"

#include <structmember.h>

#include <numpy/ufuncobject.h>

#include <algorithm>
#include <atomic>
#include <cfenv>
#include <cstddef>
#include <cstring>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace numjit {

namespace {

// --- inner loops ---------------------------------------------------------------------------------

/// Inputs beyond this many have no loops of their own for scalars among them.
constexpr int kMaxScalarInputs = 4;

/// One inner loop of a ufunc: for one list of dtypes. Its machine code is made for the *pattern* of
/// strides that a call needs when the first such call comes:
///
///   mask of inputs with stride 0; all other operands contiguous      0 .. scalars - 1
///   any strides                                                      scalars
///   reduction into one element                                       scalars + 1
///
/// and, for generalised ufuncs, 0: core dimensions contiguous, 1: any strides.
///
/// The code for any strides stands in for another until a pattern has seen so many elements that
/// compiling for it pays.
struct Loop {
  int nin = 0, nout = 0;
  std::vector<npy_intp> sizes;        // of an element, by operand
  std::vector<std::vector<int>> core; // generalised: which core dimensions an operand has
  bool generalised = false;
  bool parallel = false;
  Ref compile; // pattern -> dispatcher

  struct Code {
    Ref dispatcher; // owns the function, which errors name
    std::shared_ptr<Specialization> specialization;
    codegen::Entry entry = nullptr;
  };
  std::mutex mutex; // never held while Python runs
  std::vector<std::atomic<Code *>> codes;
  std::vector<std::atomic<int64_t>> seen; // elements, by pattern without code
  std::atomic<Code *> any{nullptr};       // not of a reduction: will do for a single element
  std::vector<std::unique_ptr<Code>> owned;

  int nargs() const { return nin + nout; }
  int scalars() const { return nin <= kMaxScalarInputs ? 1 << nin : 1; }
  int any_strides() const { return generalised ? 1 : scalars(); }
  int reduction() const { return scalars() + 1; }
  int pattern_count() const { return generalised ? 2 : scalars() + 2; }

  int pattern(char **args, const npy_intp *dimensions, const npy_intp *steps) const;
  int core_dimensions() const;
  int core_pattern(const npy_intp *dimensions, const npy_intp *steps) const;
  Code *stand_in(int pattern, const npy_intp *dimensions);
};

int Loop::core_dimensions() const {
  int count = 0;
  for (const std::vector<int> &dimensions : core)
    for (int d : dimensions)
      count = std::max(count, d + 1);
  return count;
}

int Loop::core_pattern(const npy_intp *dimensions, const npy_intp *steps) const {
  const npy_intp *strides = steps + nargs();
  for (int k = 0; k < nargs(); ++k) {
    npy_intp size = sizes[k];
    for (size_t d = core[k].size(); d-- > 0;) {
      const npy_intp n = dimensions[1 + core[k][d]];
      if (n != 1 && strides[d] != size)
        return 1;
      size *= n;
    }
    strides += core[k].size();
  }
  return 0;
}

int Loop::pattern(char **args, const npy_intp *dimensions, const npy_intp *steps) const {
  if (generalised)
    return core_pattern(dimensions, steps);
  const int strided = scalars();
  if (nin == 2 && nout == 1 && steps[0] == 0 && steps[2] == 0 && args[0] == args[2])
    return reduction();
  for (int k = nin; k < nargs(); ++k)
    if (steps[k] != sizes[k])
      return strided;
  int mask = 0;
  for (int k = 0; k < nin; ++k) {
    if (steps[k] == sizes[k])
      continue;
    if (steps[k] != 0 || nin > kMaxScalarInputs)
      return strided;
    mask |= 1 << k;
  }
  return mask;
}

/// The code for any strides while a pattern is not worth code of its own; null if there is none.
Loop::Code *Loop::stand_in(int pattern, const npy_intp *dimensions) {
  constexpr int64_t enough = 1 << 20;
  Code *code = codes[any_strides()].load(std::memory_order_acquire);
  if (!code)
    return nullptr;
  int64_t elements = dimensions[0];
  for (int d = 0; d < core_dimensions(); ++d)
    elements *= std::max<npy_intp>(dimensions[1 + d], 1);
  return seen[pattern].fetch_add(elements, std::memory_order_relaxed) < enough ? code : nullptr;
}

/// The code for a pattern, compiled if need be. Null with a Python exception set. Needs the GIL.
Loop::Code *compiled(Loop &loop, int pattern) {
  if (Loop::Code *code = loop.codes[pattern].load(std::memory_order_acquire))
    return code;
  Ref dispatcher(PyObject_CallFunction(loop.compile.get(), "i", pattern));
  if (!dispatcher)
    return nullptr;
  auto code = std::make_unique<Loop::Code>();
  auto specializations = dispatcher_specializations(dispatcher.get());
  if (specializations.size() != 1) {
    PyErr_SetString(PyExc_SystemError, "the inner loop of a ufunc was not compiled");
    return nullptr;
  }
  code->dispatcher = std::move(dispatcher);
  code->specialization = specializations.front();
  code->entry = code->specialization->compiled().code->entry();
  std::lock_guard lock(loop.mutex);
  if (!loop.codes[pattern].load()) { // another thread may have been faster
    loop.codes[pattern].store(code.get(), std::memory_order_release);
    if (!loop.any.load() && pattern != loop.reduction())
      loop.any.store(code.get(), std::memory_order_release);
  }
  loop.owned.push_back(std::move(code));
  return loop.codes[pattern].load();
}

/// An inner loop of this thread has raised: NumPy goes on with its next piece all the same.
thread_local bool raised = false;

bool still_raised() {
  if (!raised)
    return false;
  WithGil gil;
  raised = PyErr_Occurred();
  return raised;
}

/// A call of an inner loop, which threads do piece by piece.
struct Call {
  const Loop &loop;
  codegen::Entry entry;
  char **args;
  const npy_intp *dimensions, *steps;

  int32_t run(char **first, const npy_intp *sizes) const {
    const uint64_t slots[] = {reinterpret_cast<uint64_t>(first), reinterpret_cast<uint64_t>(sizes),
                              reinterpret_cast<uint64_t>(steps)};
    uint64_t result = 0;
    return entry(slots, &result);
  }
  bool may_be_split() const;
};

constexpr int64_t kFewElements = 4096; // not worth the start of threads

/// The bytes that operand k of an elementwise loop reaches.
std::pair<char *, char *> reach(const Call &call, int k) {
  char *first = call.args[k], *last = first + call.steps[k] * (call.dimensions[0] - 1);
  return {std::min(first, last), std::max(first, last) + call.loop.sizes[k]};
}

/// Whether the order of the iterations does not matter. accumulate() has each element wait for the
/// one before: NumPy then gives operands that overlap but are not the same.
bool Call::may_be_split() const {
  int64_t elements = dimensions[0];
  for (int d = 0; d < loop.core_dimensions(); ++d)
    elements *= std::max<npy_intp>(dimensions[1 + d], 1);
  if (!loop.parallel || dimensions[0] < 2 || elements < kFewElements)
    return false;
  for (int out = loop.nin; out < loop.nargs(); ++out) {
    if (steps[out] == 0)
      return false;
    if (loop.generalised)
      continue; // NumPy copies operands that overlap
    const auto [begin, end] = reach(*this, out);
    for (int k = 0; k < loop.nargs(); ++k) {
      const bool same = args[k] == args[out] && steps[k] == steps[out];
      const auto [other_begin, other_end] = reach(*this, k);
      if (!same && begin < other_end && other_begin < end)
        return false;
    }
  }
  return true;
}

/// A chunk of a parallel loop: iterations slots[0] to slots[1] of the call behind slots[2]. NumPy
/// looks for floating point exceptions in its own thread, so they are collected behind slots[3].
int32_t run_piece(const uint64_t *slots, uint64_t *) {
  const auto &call = *reinterpret_cast<const Call *>(slots[2]);
  std::feclearexcept(FE_ALL_EXCEPT);
  char *args[NPY_MAXARGS];
  for (int k = 0; k < call.loop.nargs(); ++k)
    args[k] = call.args[k] + call.steps[k] * static_cast<npy_intp>(slots[0]);
  std::vector<npy_intp> sizes(call.dimensions, call.dimensions + 1 + call.loop.core_dimensions());
  sizes[0] = static_cast<npy_intp>(slots[1] - slots[0]);
  const int32_t status = call.run(args, sizes.data());
  reinterpret_cast<std::atomic<int> *>(slots[3])->fetch_or(std::fetestexcept(FE_ALL_EXCEPT));
  return status;
}

int32_t run_in_pieces(const Call &call) {
  std::atomic<int> flags = std::fetestexcept(FE_ALL_EXCEPT);
  const uint64_t slots[] = {0, 0, reinterpret_cast<uint64_t>(&call),
                            reinterpret_cast<uint64_t>(&flags)};
  void *none = nullptr;
  const int32_t status =
      do_scheduling_signed(reinterpret_cast<void *>(run_piece), slots, 4, call.dimensions[0], 0,
                           nullptr, 0, 4 * nj_get_num_threads(), &none);
  std::feraiseexcept(flags);
  return status;
}

/// What NumPy calls, with or without the GIL.
void run_loop(char **args, const npy_intp *dimensions, const npy_intp *steps, void *data) {
  auto &loop = *static_cast<Loop *>(data);
  if (dimensions[0] <= 0 || still_raised())
    return;
  Loop::Code *code = nullptr;
  if (dimensions[0] == 1 && !loop.generalised)
    code = loop.any.load(std::memory_order_acquire);
  const int pattern = code ? 0 : loop.pattern(args, dimensions, steps);
  if (!code)
    code = loop.codes[pattern].load(std::memory_order_acquire);
  if (!code)
    code = loop.stand_in(pattern, dimensions);
  if (!code) {
    WithGil gil;
    code = compiled(loop, pattern);
    if (!code) {
      raised = true;
      return;
    }
  }
  const Call call{loop, code->entry, args, dimensions, steps};
  const bool is_long = code->specialization->compiled().may_run_long;
  if (is_long)
    nj_enter_long();
  const int32_t status = call.may_be_split() ? run_in_pieces(call) : call.run(args, dimensions);
  if (is_long)
    nj_leave_long();
  if (status != 0) {
    WithGil gil;
    set_native_exception(code->specialization->function(),
                         code->specialization->compiled().code->place(status));
    raised = true;
  }
}

// --- making a ufunc ------------------------------------------------------------------------------

/// Everything that a ufunc refers to without owning it.
struct Parts {
  std::string name, doc, signature;
  std::vector<PyObject *> loops; // capsules
  std::vector<PyUFuncGenericFunction> functions;
  std::vector<void *> data;
  std::vector<char> types;
  ~Parts() {
    for (PyObject *loop : loops)
      Py_DECREF(loop);
  }
};

template <class T>
void destroy_capsule(PyObject *capsule) {
  delete static_cast<T *>(PyCapsule_GetPointer(capsule, nullptr));
}

bool read_integers(PyObject *tuple, auto &out) {
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(tuple); ++i)
    out.push_back(PyLong_AsSsize_t(PyTuple_GET_ITEM(tuple, i)));
  return !PyErr_Occurred();
}

/// make_loop(nin, nout, item sizes, core or None, compile, parallel) -> capsule
PyObject *make_loop(PyObject *, PyObject *arguments) {
  int nin, nout, parallel;
  PyObject *sizes, *core, *compile;
  if (!PyArg_ParseTuple(arguments, "iiO!OOp", &nin, &nout, &PyTuple_Type, &sizes, &core, &compile,
                        &parallel))
    return nullptr;
  auto loop = std::make_unique<Loop>();
  loop->nin = nin;
  loop->nout = nout;
  loop->parallel = parallel;
  loop->compile = Ref::borrow(compile);
  if (!read_integers(sizes, loop->sizes))
    return nullptr;
  if (core != Py_None) {
    loop->generalised = true;
    for (Py_ssize_t k = 0; k < PyTuple_GET_SIZE(core); ++k)
      if (!read_integers(PyTuple_GET_ITEM(core, k), loop->core.emplace_back()))
        return nullptr;
  }
  loop->codes = std::vector<std::atomic<Loop::Code *>>(loop->pattern_count());
  loop->seen = std::vector<std::atomic<int64_t>>(loop->pattern_count());
  PyObject *capsule = PyCapsule_New(loop.get(), nullptr, destroy_capsule<Loop>);
  if (capsule)
    (void)loop.release(); // the capsule owns it
  return capsule;
}

/// compile_loop(loop, any strides): code for contiguous operands, and for any, before it is needed.
PyObject *compile_loop(PyObject *, PyObject *arguments) {
  PyObject *capsule;
  int any_strides;
  if (!PyArg_ParseTuple(arguments, "Op", &capsule, &any_strides))
    return nullptr;
  auto *loop = static_cast<Loop *>(PyCapsule_GetPointer(capsule, nullptr));
  if (!loop || !compiled(*loop, 0) || (any_strides && !compiled(*loop, loop->any_strides())))
    return nullptr;
  Py_RETURN_NONE;
}

/// Adds loops of operands some of which are records: ((dtypes, loop), ...).
bool add_record_loops(PyUFuncObject *ufunc, PyObject *rows, Parts &parts) {
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(rows); ++i) {
    PyObject *dtypes, *loop;
    const bool read =
        PyArg_ParseTuple(PyTuple_GET_ITEM(rows, i), "O!O", &PyTuple_Type, &dtypes, &loop);
    void *data = read ? PyCapsule_GetPointer(loop, nullptr) : nullptr;
    if (!data)
      return false;
    parts.loops.push_back(Py_NewRef(loop));
    std::vector<PyArray_Descr *> types;
    PyArray_Descr *record = nullptr;
    for (Py_ssize_t k = 0; k < PyTuple_GET_SIZE(dtypes); ++k) {
      types.push_back(reinterpret_cast<PyArray_Descr *>(PyTuple_GET_ITEM(dtypes, k)));
      if (types.back()->type_num == NPY_VOID)
        record = types.back();
    }
    if (PyUFunc_RegisterLoopForDescr(ufunc, record, run_loop, types.data(), data) < 0)
      return false;
  }
  return true;
}

/// make_ufunc(name, doc, nin, nout, identity, signature or None, ((type numbers, loop), ...),
///            ((dtypes, loop), ...) of loops with records, writable inputs) -> numpy.ufunc
PyObject *make_ufunc(PyObject *, PyObject *arguments) {
  const char *name, *doc, *signature;
  int nin, nout, identity;
  PyObject *rows, *record_rows, *writable;
  if (!PyArg_ParseTuple(arguments, "sziiizO!O!O!", &name, &doc, &nin, &nout, &identity, &signature,
                        &PyTuple_Type, &rows, &PyTuple_Type, &record_rows, &PyTuple_Type,
                        &writable))
    return nullptr;
  auto parts = std::make_unique<Parts>();
  parts->name = name;
  parts->doc = doc ? doc : "";
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(rows); ++i) {
    PyObject *types, *loop;
    if (!PyArg_ParseTuple(PyTuple_GET_ITEM(rows, i), "O!O", &PyTuple_Type, &types, &loop) ||
        !read_integers(types, parts->types))
      return nullptr;
    void *data = PyCapsule_GetPointer(loop, nullptr);
    if (!data)
      return nullptr;
    parts->loops.push_back(Py_NewRef(loop));
    parts->functions.push_back(run_loop);
    parts->data.push_back(data);
  }
  Parts &p = *parts;
  Ref owner(PyCapsule_New(parts.get(), nullptr, destroy_capsule<Parts>));
  if (!owner)
    return nullptr;
  (void)parts.release(); // the capsule owns them
  Ref made(PyUFunc_FromFuncAndDataAndSignature(
      p.functions.data(), p.data.data(), p.types.data(), static_cast<int>(p.functions.size()), nin,
      nout, identity, p.name.c_str(), doc ? p.doc.c_str() : nullptr, 0, signature));
  if (!made)
    return nullptr;
  auto *ufunc = reinterpret_cast<PyUFuncObject *>(made.get());
  ufunc->obj = owner.release(); // NumPy drops it with the ufunc
  if (!add_record_loops(ufunc, record_rows, p))
    return nullptr;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(writable); ++i) {
    const long k = PyLong_AsLong(PyTuple_GET_ITEM(writable, i));
    if (k < 0 || k >= nin)
      return PyErr_Format(PyExc_ValueError, "a writable argument must be an input");
    ufunc->op_flags[k] = NPY_ITER_READWRITE | NPY_ITER_UPDATEIFCOPY;
  }
  for (int k = nin; signature && k < nin + nout; ++k) // kernels may leave parts as they are
    ufunc->op_flags[k] = NPY_ITER_READWRITE | NPY_ITER_UPDATEIFCOPY | NPY_ITER_ALIGNED |
                         NPY_ITER_ALLOCATE | NPY_ITER_NO_BROADCAST | NPY_ITER_NO_SUBTYPE;
  return made.release();
}

// --- calling -------------------------------------------------------------------------------------

/// The result of a call into NumPy, unless an inner loop has raised.
PyObject *checked(PyObject *result) {
  raised = false;
  if (result && PyErr_Occurred())
    Py_CLEAR(result);
  return result;
}

/// call_checked(callable, *args, **kwargs)
PyObject *call_checked(PyObject *, PyObject *const *arguments, Py_ssize_t count, PyObject *names) {
  if (count < 1) {
    PyErr_SetString(PyExc_TypeError, "expected a callable");
    return nullptr;
  }
  return checked(PyObject_Vectorcall(arguments[0], arguments + 1, count - 1, names));
}

/// A Python subclass decides what a ufunc without a loop for the types of a call does.
struct UFunc {
  PyObject_HEAD vectorcallfunc vectorcall;
  PyObject *ufunc;
  int nin;
  bool dynamic;                 // loops are made for the types of calls
  std::vector<uint64_t> *known; // input types that have a loop
};

constexpr int kMostKnownInputs = 10; // 6 bits each

/// The types of NumPy arrays and scalars; 0 for anything else.
uint64_t key_of(PyObject *const *arguments, int count) {
  uint64_t key = 1;
  for (int k = 0; k < count; ++k) {
    PyObject *a = arguments[k];
    int number = -1;
    if (PyArray_CheckExact(a))
      number = PyArray_ISNOTSWAPPED(reinterpret_cast<PyArrayObject *>(a))
                   ? PyArray_TYPE(reinterpret_cast<PyArrayObject *>(a))
                   : -1;
    else if (PyArray_CheckScalar(a))
      number = typenum_of_scalar_class(Py_TYPE(a));
    if (number < 0 || number >= 64)
      return 0;
    key = key << 6 | static_cast<uint64_t>(number);
  }
  return key;
}

bool is_known(const UFunc &self, PyObject *const *arguments, Py_ssize_t count) {
  if (count < self.nin || self.nin > kMostKnownInputs)
    return false;
  const uint64_t key = key_of(arguments, self.nin);
  return key && std::find(self.known->begin(), self.known->end(), key) != self.known->end();
}

PyObject *call_ufunc(PyObject *object, PyObject *const *arguments, size_t flags, PyObject *names) {
  auto *self = reinterpret_cast<UFunc *>(object);
  const Py_ssize_t count = PyVectorcall_NARGS(flags);
  if (!self->ufunc) {
    PyErr_SetString(PyExc_RuntimeError, "the ufunc was not made");
    return nullptr;
  }
  if (!self->dynamic || is_known(*self, arguments, count)) {
    Ref ufunc = Ref::borrow(self->ufunc); // another thread may add a loop meanwhile
    return checked(PyObject_Vectorcall(ufunc.get(), arguments, count, names));
  }
  Ref prepare(PyObject_GetAttrString(object, "_prepare"));
  Ref prepared(prepare ? PyObject_Vectorcall(prepare.get(), arguments, count, names) : nullptr);
  if (!prepared)
    return nullptr;
  PyObject *const *items = PySequence_Fast_ITEMS(prepared.get());
  std::vector<PyObject *> all(items, items + PyTuple_GET_SIZE(prepared.get()));
  const bool of_records = // first what runs a loop over them
      !all.empty() && (PyObject_TypeCheck(all[0], &PyUFunc_Type) || PyFunction_Check(all[0]));
  Ref ufunc = Ref::borrow(of_records ? all[0] : self->ufunc);
  const size_t given = all.size() - of_records;
  all.insert(all.end(), arguments + count, arguments + count + (names ? PyTuple_Size(names) : 0));
  return checked(PyObject_Vectorcall(ufunc.get(), all.data() + of_records, given, names));
}

/// _bind(ufunc, nin, dynamic, arguments whose types are known, ...)
PyObject *bind(PyObject *object, PyObject *arguments) {
  auto *self = reinterpret_cast<UFunc *>(object);
  PyObject *ufunc, *known;
  int nin, dynamic;
  if (!PyArg_ParseTuple(arguments, "O!ipO!", &PyUFunc_Type, &ufunc, &nin, &dynamic, &PyTuple_Type,
                        &known))
    return nullptr;
  self->known->clear();
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(known) && nin <= kMostKnownInputs; ++i) {
    std::vector<uint64_t> numbers;
    if (!read_integers(PyTuple_GET_ITEM(known, i), numbers))
      return nullptr;
    uint64_t key = 1;
    for (int k = 0; k < nin; ++k)
      key = key << 6 | numbers[k];
    self->known->push_back(key);
  }
  self->nin = nin;
  self->dynamic = dynamic;
  Py_INCREF(ufunc);
  Py_XSETREF(self->ufunc, ufunc);
  Py_RETURN_NONE;
}

PyObject *new_ufunc(PyTypeObject *type, PyObject *, PyObject *) {
  auto *self = reinterpret_cast<UFunc *>(type->tp_alloc(type, 0));
  if (!self)
    return nullptr;
  self->vectorcall = call_ufunc;
  self->known = new std::vector<uint64_t>;
  return reinterpret_cast<PyObject *>(self);
}

int ufunc_traverse(PyObject *object, visitproc visit, void *arg) {
  Py_VISIT(Py_TYPE(object));
  Py_VISIT(reinterpret_cast<UFunc *>(object)->ufunc);
  return 0;
}

int ufunc_clear(PyObject *object) {
  Py_CLEAR(reinterpret_cast<UFunc *>(object)->ufunc);
  return 0;
}

void ufunc_destroy(PyObject *object) {
  PyTypeObject *type = Py_TYPE(object);
  PyObject_GC_UnTrack(object);
  ufunc_clear(object);
  delete reinterpret_cast<UFunc *>(object)->known;
  type->tp_free(object);
  Py_DECREF(type);
}

PyObject *ufunc_of(PyObject *object, void *) {
  PyObject *ufunc = reinterpret_cast<UFunc *>(object)->ufunc;
  return Py_NewRef(ufunc ? ufunc : Py_None);
}

PyMethodDef ufunc_methods[] = {{"_bind", bind, METH_VARARGS, nullptr},
                               {nullptr, nullptr, 0, nullptr}};
PyMemberDef ufunc_members[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(UFunc, vectorcall), READONLY, nullptr},
    {nullptr, 0, 0, 0, nullptr}};
PyGetSetDef ufunc_attributes[] = {
    {"ufunc", ufunc_of, nullptr, "the numpy.ufunc with the loops made so far", nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr}};
PyType_Slot ufunc_slots[] = {{Py_tp_new, reinterpret_cast<void *>(new_ufunc)},
                             {Py_tp_dealloc, reinterpret_cast<void *>(ufunc_destroy)},
                             {Py_tp_traverse, reinterpret_cast<void *>(ufunc_traverse)},
                             {Py_tp_clear, reinterpret_cast<void *>(ufunc_clear)},
                             {Py_tp_call, reinterpret_cast<void *>(PyVectorcall_Call)},
                             {Py_tp_methods, ufunc_methods},
                             {Py_tp_members, ufunc_members},
                             {Py_tp_getset, ufunc_attributes},
                             {0, nullptr}};
PyType_Spec ufunc_spec = {"numjit._core.UFunc", sizeof(UFunc), 0,
                          Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC |
                              Py_TPFLAGS_HAVE_VECTORCALL,
                          ufunc_slots};

PyMethodDef ufunc_functions[] = {
    {"make_loop", make_loop, METH_VARARGS,
     "(nin, nout, item sizes, core, compile, parallel) -> loop"},
    {"compile_loop", compile_loop, METH_VARARGS, "(loop, pattern): compiled before it is needed"},
    {"make_ufunc", make_ufunc, METH_VARARGS,
     "(name, doc, nin, nout, identity, signature, loops, of records, writable) -> numpy.ufunc"},
    {"call_checked", reinterpret_cast<PyCFunction>(reinterpret_cast<void *>(call_checked)),
     METH_FASTCALL | METH_KEYWORDS, "calls, and raises what inner loops have raised"},
    {nullptr, nullptr, 0, nullptr}};

} // namespace

bool init_ufuncs(PyObject *module) {
  if (PyUFunc_ImportUFuncAPI() < 0)
    return false;
  Ref type(PyType_FromSpec(&ufunc_spec));
  return type && PyModule_AddObjectRef(module, "UFunc", type.get()) == 0 &&
         PyModule_AddFunctions(module, ufunc_functions) == 0;
}

} // namespace numjit
