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

PyObject *next(PyObject *object) {
  GeneratorObject *self = as_generator(object);
  if (!self->block)
    return nullptr;
  auto *frame = reinterpret_cast<nj_frame *>(static_cast<char *>(self->block) + NJ_PAYLOAD_OFFSET);
  const Type *item = self->type->params[0];
  std::vector<uint64_t> result(1 + layout_of(item).leaves.size());
  const uint64_t argument = reinterpret_cast<uint64_t>(self->block);
  Py_INCREF(object); // what it runs may drop the last reference
  nj_enter_long();
  auto *outer = std::exchange(boxed_code, &self->code);
  const int32_t status = frame->next(&argument, result.data());
  nj_leave_long();
  PyObject *value = nullptr;
  if (status) {
    set_native_exception(function_of(*self), self->code->place(status));
  } else if (result[0] & 1) {
    const uint64_t *at = result.data() + 1;
    value = box(item, at);
  }
  boxed_code = outer;
  Py_DECREF(object);
  return value;
}

PyObject *close(PyObject *object, PyObject *) {
  close_generator(as_generator(object));
  Py_RETURN_NONE;
}

PyObject *refuse(PyObject *, PyObject *) {
  PyErr_SetString(PyExc_NotImplementedError,
                  "generators of compiled functions take nothing: send() and throw() are not "
                  "supported");
  return nullptr;
}

PyMethodDef methods[] = {{"close", close, METH_NOARGS, "Ends the generator."},
                         {"send", refuse, METH_VARARGS, "Not supported."},
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
