#include "pyext/call/frames.h"

#include <structmember.h>

#include <cstddef>

namespace numjit {

namespace {

struct Frameless {
  PyObject_HEAD vectorcallfunc vectorcall;
  PyObject *function;
  PyObject *dict;
};

/// Whether a frame runs a function of one of our modules.
bool is_ours(PyFrameObject *frame) {
  Ref globals(PyFrame_GetGlobals(frame));
  std::string module = text_of(PyDict_GetItemString(globals.get(), "__name__"));
  return module == "numjit" || module.starts_with("numjit.");
}

/// Takes our frames off the start of the traceback of the exception that is set, unless
/// numjit.config.FULL_TRACEBACKS asks for them.
void drop_our_frames() {
  Ref exception = take_exception();
  PyObject *config = PyDict_GetItemString(PyImport_GetModuleDict(), "numjit.config");
  Ref full = config ? attribute_or_null(config, "FULL_TRACEBACKS") : Ref();
  if (!full || PyObject_IsTrue(full.get()) != 1) {
    Ref traceback(PyException_GetTraceback(exception.get()));
    auto *entry = reinterpret_cast<PyTracebackObject *>(traceback.get());
    while (entry && is_ours(entry->tb_frame))
      entry = entry->tb_next;
    PyException_SetTraceback(exception.get(),
                             entry ? reinterpret_cast<PyObject *>(entry) : Py_None);
  }
  set_exception(std::move(exception));
}

PyObject *call(PyObject *self, PyObject *const *arguments, size_t count, PyObject *names) {
  PyObject *function = reinterpret_cast<Frameless *>(self)->function;
  PyObject *result = PyObject_Vectorcall(function, arguments, count, names);
  if (!result)
    drop_our_frames();
  return result;
}

PyObject *make_frameless(PyTypeObject *type, PyObject *arguments, PyObject *) {
  PyObject *function;
  if (!PyArg_ParseTuple(arguments, "O:frameless", &function))
    return nullptr;
  auto *self = reinterpret_cast<Frameless *>(type->tp_alloc(type, 0));
  if (!self)
    return nullptr;
  self->vectorcall = call;
  self->function = Py_NewRef(function);
  self->dict = PyDict_New();
  return reinterpret_cast<PyObject *>(self);
}

int frame_traverse(PyObject *object, visitproc visit, void *arg) {
  auto *self = reinterpret_cast<Frameless *>(object);
  Py_VISIT(Py_TYPE(object));
  Py_VISIT(self->function);
  Py_VISIT(self->dict);
  return 0;
}

int frame_clear(PyObject *object) {
  auto *self = reinterpret_cast<Frameless *>(object);
  Py_CLEAR(self->function);
  Py_CLEAR(self->dict);
  return 0;
}

void frame_destroy(PyObject *object) {
  PyTypeObject *type = Py_TYPE(object);
  PyObject_GC_UnTrack(object);
  frame_clear(object);
  type->tp_free(object);
  Py_DECREF(type);
}

PyObject *bind(PyObject *self, PyObject *instance, PyObject *) {
  return instance && instance != Py_None ? PyMethod_New(self, instance) : Py_NewRef(self);
}

PyObject *repr(PyObject *self) {
  return PyObject_Repr(reinterpret_cast<Frameless *>(self)->function);
}

/// Pickled by name, as functions are.
PyObject *reduce_frameless(PyObject *self, PyObject *) {
  return PyObject_GetAttrString(reinterpret_cast<Frameless *>(self)->function, "__qualname__");
}

PyMethodDef frame_methods[] = {{"__reduce__", reduce_frameless, METH_NOARGS, nullptr},
                               {nullptr, nullptr, 0, nullptr}};

PyMemberDef frame_members[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(Frameless, vectorcall), READONLY, nullptr},
    {"__dictoffset__", T_PYSSIZET, offsetof(Frameless, dict), READONLY, nullptr},
    {nullptr, 0, 0, 0, nullptr}};

PyGetSetDef frame_attributes[] = {
    {"__dict__", PyObject_GenericGetDict, PyObject_GenericSetDict, nullptr, nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr}};

PyType_Slot frame_slots[] = {{Py_tp_new, reinterpret_cast<void *>(make_frameless)},
                             {Py_tp_call, reinterpret_cast<void *>(PyVectorcall_Call)},
                             {Py_tp_traverse, reinterpret_cast<void *>(frame_traverse)},
                             {Py_tp_clear, reinterpret_cast<void *>(frame_clear)},
                             {Py_tp_dealloc, reinterpret_cast<void *>(frame_destroy)},
                             {Py_tp_descr_get, reinterpret_cast<void *>(bind)},
                             {Py_tp_repr, reinterpret_cast<void *>(repr)},
                             {Py_tp_methods, frame_methods},
                             {Py_tp_members, frame_members},
                             {Py_tp_getset, frame_attributes},
                             {0, nullptr}};

PyType_Spec frame_spec = {"numjit._core.frameless", sizeof(Frameless), 0,
                          Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL |
                              Py_TPFLAGS_IMMUTABLETYPE,
                          frame_slots};

} // namespace

bool init_frameless(PyObject *module) {
  Ref type(PyType_FromSpec(&frame_spec));
  return type && PyModule_AddObjectRef(module, "frameless", type.get()) == 0;
}

} // namespace numjit
