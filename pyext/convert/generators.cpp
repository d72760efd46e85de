// Generators of compiled code as Python iterators.
#include "codegen/compiler.h"
#include "pyext/convert/intake.h"
#include "pyext/convert/raised.h"
#include "pyext/convert/values.h"
#include "pyext/errors.h"
#include "runtime/runtime.h"

#include <vector>

namespace numjit {

thread_local const std::shared_ptr<codegen::MachineCode> *boxed_code = nullptr;

namespace {

struct GeneratorObject {
  PyObject_HEAD void *block; ///< null: closed
  const Type *type;
  PyObject *dispatcher; ///< owns the function, which errors name; null if that is never destroyed
  std::shared_ptr<codegen::MachineCode> code; ///< of the frame's `next`
  SharedLists lists;
};

PyTypeObject generator_type = {};

GeneratorObject *as_generator(PyObject *object) {
  return reinterpret_cast<GeneratorObject *>(object);
}

const FunctionDef &function_of(const GeneratorObject &self) {
  return *self.type->constant->object->function;
}

void close_generator(GeneratorObject *self) {
  nj_release(std::exchange(self->block, nullptr));
  self->lists.clear();
}

void generator_destroy(PyObject *object) {
  if (PyObject_CallFinalizerFromDealloc(object) < 0)
    return; // there is a reference to it again
  GeneratorObject *self = as_generator(object);
  close_generator(self);
  self->code.~shared_ptr();
  self->lists.~SharedLists();
  Py_XDECREF(self->dispatcher);
  PyObject_Free(object);
}

/// Sets StopIteration with what the generator returned, from the slots behind its item.
void set_returned(const Type *type, const uint64_t *at) {
  const Type *returned = type->params[2];
  if (returned->kind == Kind::None || !(*at++ & 1))
    return;
  Ref value(box(returned, at));
  if (value.get() == Py_None)
    return;
  Ref stop(value ? PyObject_CallOneArg(PyExc_StopIteration, value.get()) : nullptr);
  if (stop)
    PyErr_SetObject(PyExc_StopIteration, stop.get());
}

nj_frame *frame_of(const GeneratorObject &self) {
  return reinterpret_cast<nj_frame *>(static_cast<char *>(self.block) + NJ_PAYLOAD_OFFSET);
}

using Resumed = decltype(nj_frame::next);

/// Null without an exception at the end of a generator that returns nothing.
PyObject *resume(PyObject *object, const uint64_t *arguments, Resumed go_on) {
  GeneratorObject *self = as_generator(object);
  const Type *item = self->type->params[0];
  const size_t items = layout_of(item).leaves.size();
  ValueSlots result(2 + items + layout_of(self->type->params[2]).leaves.size());
  Py_INCREF(object); // what it runs may drop the last reference
  nj_enter_long();
  auto *outer = std::exchange(boxed_code, &self->code);
  const int32_t status = go_on(arguments, result.data());
  nj_leave_long();
  auto *outer_lists = std::exchange(shared_lists, &self->lists);
  PyObject *value = nullptr;
  const uint64_t *at = result.data() + 1;
  if (status)
    set_native_exception(function_of(*self), self->code->place(status));
  else if (result.data()[0] & 1)
    value = box(item, at);
  else
    set_returned(self->type, at + items);
  boxed_code = outer;
  shared_lists = outer_lists;
  if (!self->lists.is_empty()) {
    Ref raised = take_exception();
    if (!self->lists.write())
      Py_CLEAR(value);
    else if (raised)
      set_exception(std::move(raised));
  }
  Py_DECREF(object);
  return value;
}

PyObject *resume(PyObject *object, const uint64_t *arguments) {
  return resume(object, arguments, frame_of(*as_generator(object))->next);
}

/// The slots of a generator and of what is sent, None at first.
std::vector<uint64_t> arguments_of(const GeneratorObject &self) {
  std::vector<uint64_t> slots(2 + layout_of(self.type->params[1]).leaves.size());
  slots[0] = reinterpret_cast<uint64_t>(self.block);
  return slots;
}

PyObject *next(PyObject *object) {
  const GeneratorObject &self = *as_generator(object);
  if (!self.block)
    return nullptr;
  if (self.type->params[1]->kind != Kind::None)
    return resume(object, arguments_of(self).data());
  const auto argument = reinterpret_cast<uint64_t>(self.block);
  return resume(object, &argument);
}

PyObject *resume_with(PyObject *object, PyObject *sent) {
  const GeneratorObject &self = *as_generator(object);
  const Type *taken = self.type->params[1];
  std::vector<uint64_t> slots = arguments_of(self);
  if (sent == Py_None)
    return resume(object, slots.data());
  if (taken->kind == Kind::None) {
    PyErr_Format(PyExc_TypeError,
                 "generator %s was compiled to be sent nothing: the values of its yields are not "
                 "used, or have no type that what it yields tells",
                 function_of(self).name().c_str());
    return nullptr;
  }
  Unboxer unboxer;
  uint64_t *at = slots.data() + 1;
  if (!unboxer.unbox(sent, types::optional(taken), at)) {
    PyErr_Clear();
    PyErr_Format(PyExc_TypeError, "generator %s was compiled to be sent %s, not %R",
                 function_of(self).name().c_str(), taken->text.c_str(), sent);
    return nullptr;
  }
  Ref value(resume(object, slots.data()));
  if (!value && PyErr_Occurred())
    return nullptr;
  return unboxer.write_back() ? value.release() : nullptr;
}

PyObject *send(PyObject *object, PyObject *sent) {
  PyObject *value = as_generator(object)->block ? resume_with(object, sent) : nullptr;
  if (!value && !PyErr_Occurred())
    PyErr_SetNone(PyExc_StopIteration);
  return value;
}

/// Raises the exception that is set where the generator waits; null with an exception set, or none
/// at its end.
PyObject *throw_set(PyObject *object) {
  const GeneratorObject &self = *as_generator(object);
  if (!self.block)
    return nullptr;
  if (const auto throw_in = frame_of(self)->throw_in) {
    nj_set_host_error();
    void *error = nj_take_error();
    const uint64_t arguments[] = {reinterpret_cast<uint64_t>(self.block),
                                  reinterpret_cast<uint64_t>(error)};
    PyObject *value = resume(object, arguments, throw_in);
    nj_release(error);
    return value;
  }
  close_generator(as_generator(object));
  return nullptr;
}

/// Sets the exception that `throw(class or instance, value, traceback)` means.
bool set_thrown(PyObject *what, PyObject *value, PyObject *traceback) {
  Ref error;
  if (PyExceptionInstance_Check(what)) {
    if (value && value != Py_None) {
      PyErr_SetString(PyExc_TypeError, "instance exception may not have a separate value");
      return false;
    }
    error = Ref(Py_NewRef(what));
  } else if (!PyExceptionClass_Check(what)) {
    PyErr_Format(PyExc_TypeError,
                 "exceptions must be classes or instances deriving from BaseException, not %s",
                 Py_TYPE(what)->tp_name);
    return false;
  } else if (value && PyObject_IsInstance(value, what) == 1) {
    error = Ref(Py_NewRef(value));
  } else {
    error = Ref(!value || value == Py_None ? PyObject_CallNoArgs(what)
                : PyTuple_Check(value)     ? PyObject_CallObject(what, value)
                                           : PyObject_CallOneArg(what, value));
  }
  if (traceback && traceback != Py_None && !PyTraceBack_Check(traceback)) {
    PyErr_SetString(PyExc_TypeError, "throw() third argument must be a traceback object");
    return false;
  }
  if (!error ||
      (traceback && traceback != Py_None && PyException_SetTraceback(error.get(), traceback) != 0))
    return false;
  set_exception(std::move(error));
  return true;
}

PyObject *throw_in(PyObject *object, PyObject *arguments) {
  PyObject *what, *value = nullptr, *traceback = nullptr;
  if (!PyArg_UnpackTuple(arguments, "throw", 1, 3, &what, &value, &traceback) ||
      !set_thrown(what, value, traceback))
    return nullptr;
  PyObject *item = throw_set(object);
  if (!item && !PyErr_Occurred())
    PyErr_SetNone(PyExc_StopIteration);
  return item;
}

/// The value of the StopIteration that is set, as generators return it from close().
PyObject *returned_at_close() {
  Ref error = take_exception();
#if PY_VERSION_HEX >= 0x030d0000
  return PyObject_GetAttrString(error.get(), "value");
#else
  Py_RETURN_NONE;
#endif
}

PyObject *close(PyObject *object, PyObject *) {
  GeneratorObject *self = as_generator(object);
  if (!self->block || !frame_of(*self)->throw_in || frame_of(*self)->state <= 0) {
    close_generator(self);
    Py_RETURN_NONE;
  }
  PyErr_SetNone(PyExc_GeneratorExit);
  if (Ref item = Ref(throw_set(object))) {
    PyErr_SetString(PyExc_RuntimeError, "generator ignored GeneratorExit");
    return nullptr;
  }
  close_generator(self);
  if (PyErr_ExceptionMatches(PyExc_StopIteration))
    return returned_at_close();
  if (PyErr_Occurred() && !PyErr_ExceptionMatches(PyExc_GeneratorExit))
    return nullptr;
  PyErr_Clear();
  Py_RETURN_NONE;
}

/// One that is forgotten while it waits runs its handlers.
void finalize(PyObject *object) {
  GeneratorObject *self = as_generator(object);
  if (!self->block || !frame_of(*self)->throw_in || frame_of(*self)->state <= 0)
    return;
  Ref before = take_exception();
  if (!Ref(close(object, nullptr)))
    PyErr_WriteUnraisable(object);
  if (before)
    set_exception(std::move(before));
}

PyMethodDef generator_methods[] = {
    {"close", close, METH_NOARGS, "Ends the generator."},
    {"send", send, METH_O, "Goes on with a value for the yield."},
    {"throw", throw_in, METH_VARARGS,
     "Raises an exception where the generator waits; returns the next item."},
    {}};

} // namespace

bool init_generators(PyObject *module) {
  Py_SET_REFCNT(reinterpret_cast<PyObject *>(&generator_type), 1);
  generator_type.tp_name = "numjit._core.Generator";
  generator_type.tp_doc = "An iterator over what a compiled generator yields.";
  generator_type.tp_basicsize = sizeof(GeneratorObject);
  generator_type.tp_flags = Py_TPFLAGS_DEFAULT;
  generator_type.tp_dealloc = generator_destroy;
  generator_type.tp_finalize = finalize;
  generator_type.tp_iter = PyObject_SelfIter;
  generator_type.tp_iternext = next;
  generator_type.tp_methods = generator_methods;
  return PyType_Ready(&generator_type) == 0 &&
         PyModule_AddObjectRef(module, "Generator",
                               reinterpret_cast<PyObject *>(&generator_type)) == 0;
}

PyObject *box_generator(const Type *type, const uint64_t *&slots) {
  auto *self = PyObject_New(GeneratorObject, &generator_type);
  if (!self)
    return nullptr;
  self->block = reinterpret_cast<void *>(*slots++);
  self->type = type;
  self->dispatcher = static_cast<PyObject *>(function_of(*self).dispatcher);
  Py_XINCREF(self->dispatcher);
  new (&self->code) std::shared_ptr<codegen::MachineCode>();
  new (&self->lists) SharedLists();
  if (boxed_code)
    self->code = *boxed_code;
  return reinterpret_cast<PyObject *>(self);
}

bool unbox_generator(PyObject *object, const Type *type, uint64_t *&slots) {
  if (type_of_generator(object) != type || !as_generator(object)->block)
    return false;
  *slots++ = reinterpret_cast<uint64_t>(as_generator(object)->block);
  return true;
}

const Type *type_of_generator(PyObject *object) {
  return Py_TYPE(object) == &generator_type ? as_generator(object)->type : nullptr;
}

PyTypeObject *generator_class() { return &generator_type; }

} // namespace numjit
