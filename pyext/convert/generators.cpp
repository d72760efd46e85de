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
};

PyTypeObject generator_type = {};

GeneratorObject *as_generator(PyObject *object) {
  return reinterpret_cast<GeneratorObject *>(object);
}

const FunctionDef &function_of(const GeneratorObject &self) {
  return *self.type->constant->object->function;
}

void close_generator(GeneratorObject *self) { nj_release(std::exchange(self->block, nullptr)); }

void destroy(PyObject *object) {
  GeneratorObject *self = as_generator(object);
  close_generator(self);
  self->code.~shared_ptr();
  Py_XDECREF(self->dispatcher);
  PyObject_Free(object);
}

/// Sets StopIteration with what the generator returned, from the slots behind its item.
void set_returned(const Type *type, const uint64_t *at) {
  const Type *returned = type->params[2];
  if (returned->kind == Kind::None || !(*at++ & 1))
    return;
  Ref value(box(returned, at));
  Ref stop(value ? PyObject_CallOneArg(PyExc_StopIteration, value.get()) : nullptr);
  if (stop)
    PyErr_SetObject(PyExc_StopIteration, stop.get());
}

/// Null without an exception at the end of a generator that returns nothing.
PyObject *resume(PyObject *object, const uint64_t *arguments) {
  GeneratorObject *self = as_generator(object);
  auto *frame = reinterpret_cast<nj_frame *>(static_cast<char *>(self->block) + NJ_PAYLOAD_OFFSET);
  const Type *item = self->type->params[0];
  const size_t items = layout_of(item).leaves.size();
  ValueSlots result(2 + items + layout_of(self->type->params[2]).leaves.size());
  Py_INCREF(object); // what it runs may drop the last reference
  nj_enter_long();
  auto *outer = std::exchange(boxed_code, &self->code);
  const int32_t status = frame->next(arguments, result.data());
  nj_leave_long();
  PyObject *value = nullptr;
  const uint64_t *at = result.data() + 1;
  if (status)
    set_native_exception(function_of(*self), self->code->place(status));
  else if (result.data()[0] & 1)
    value = box(item, at);
  else
    set_returned(self->type, at + items);
  boxed_code = outer;
  Py_DECREF(object);
  return value;
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

PyObject *close(PyObject *object, PyObject *) {
  close_generator(as_generator(object));
  Py_RETURN_NONE;
}

PyObject *refuse(PyObject *, PyObject *) {
  PyErr_SetString(PyExc_NotImplementedError,
                  "throw() of generators of compiled functions is not supported in Python");
  return nullptr;
}

PyMethodDef methods[] = {{"close", close, METH_NOARGS, "Ends the generator."},
                         {"send", send, METH_O, "Goes on with a value for the yield."},
                         {"throw", refuse, METH_VARARGS, "Not supported."},
                         {}};

} // namespace

bool init_generators(PyObject *module) {
  Py_SET_REFCNT(reinterpret_cast<PyObject *>(&generator_type), 1);
  generator_type.tp_name = "numjit._core.Generator";
  generator_type.tp_doc = "An iterator over what a compiled generator yields.";
  generator_type.tp_basicsize = sizeof(GeneratorObject);
  generator_type.tp_flags = Py_TPFLAGS_DEFAULT;
  generator_type.tp_dealloc = destroy;
  generator_type.tp_iter = PyObject_SelfIter;
  generator_type.tp_iternext = next;
  generator_type.tp_methods = methods;
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
