#include "pyext/read/foreign_objects.h"

#include "pyext/read/names.h"
#include "pyext/read/objects.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <string_view>

namespace numjit {

PyObject *class_in(PyObject *&cache, const char *module, const char *name) {
  if (cache)
    return cache;
  PyObject *loaded = PyDict_GetItemString(PyImport_GetModuleDict(), module);
  if (loaded)
    cache = attribute_or_null(loaded, name).release();
  return cache;
}

bool is_instance_of(PyObject *object, PyObject *cls) {
  if (!cls)
    return false;
  int answer = PyObject_IsInstance(object, cls);
  PyErr_Clear();
  return answer == 1;
}

bool is_ffi(PyObject *object) {
  static PyObject *in_python, *in_c;
  return is_instance_of(object, class_in(in_python, "cffi.api", "FFI")) ||
         is_instance_of(object, class_in(in_c, "_cffi_backend", "FFI"));
}

static bool is_distribution(PyObject *object) {
  static PyObject *cache;
  return is_instance_of(object, class_in(cache, "scipy.stats._distn_infrastructure", "rv_generic"));
}

const char *like_a_module(PyObject *object) {
  return is_ffi(object) ? "cffi.FFI" : is_distribution(object) ? "scipy.stats" : nullptr;
}

/// What functools and operator make of functions, names and indices.
static bool is_made_callable(PyObject *object) {
  static constexpr const char *classes[] = {"functools.partial", "functools._lru_cache_wrapper",
                                            "operator.itemgetter", "operator.attrgetter",
                                            "operator.methodcaller"};
  return std::ranges::find(classes, std::string_view(Py_TYPE(object)->tp_name)) !=
         std::end(classes);
}

/// A method of a ufunc that a variable holds: `add_up = np.add.reduce`.
bool is_method_of_ufunc(PyObject *object) {
  PyObject *self = PyCFunction_Check(object) ? PyCFunction_GET_SELF(object) : nullptr;
  return self && std::strcmp(Py_TYPE(self)->tp_name, "numpy.ufunc") == 0;
}

/// A ufunc of another package whose elements are numbers.
static bool is_foreign_ufunc(PyObject *object) {
  return std::strcmp(Py_TYPE(object)->tp_name, "numpy.ufunc") == 0 && !known_name(object) &&
         attribute_or_null(object, "signature").get() == Py_None;
}

bool is_f2py_function(PyObject *object) {
  return std::strcmp(Py_TYPE(object)->tp_name, "fortran") == 0 && PyCallable_Check(object) &&
         attribute_or_null(object, "_cpointer"); // common blocks have none
}

bool is_foreign_function(PyObject *object) {
  const bool is_method = PyMethod_Check(object) && is_distribution(PyMethod_GET_SELF(object));
  if (is_method || is_made_callable(object) || is_method_of_ufunc(object) ||
      is_foreign_ufunc(object) || is_f2py_function(object))
    return true;
  static PyObject *ctypes_function, *cffi_data, *callback, *element_wise, *vectorized;
  if (is_instance_of(object, class_in(ctypes_function, "_ctypes", "CFuncPtr")) ||
      is_instance_of(object, class_in(callback, "numjit.callbacks", "CFunc")) ||
      is_instance_of(object, class_in(vectorized, "numpy", "vectorize")) ||
      is_instance_of(object, class_in(element_wise, "numjit.derived", "Derived")))
    return true;
  if (is_instance_of(object, class_in(cffi_data, "_cffi_backend", "_CDataBase")))
    return PyCallable_Check(object);
  // A function of a compiled cffi module.
  return PyCFunction_Check(object) && PyCFunction_GET_SELF(object) &&
         std::strcmp(Py_TYPE(PyCFunction_GET_SELF(object))->tp_name, "_cffi_backend.Lib") == 0;
}

PyObject *first_of_bound_method(PyObject *object) {
  static auto *methods = new std::map<std::pair<PyObject *, const void *>, PyObject *>;
  std::pair<PyObject *, const void *> parts;
  if (PyMethod_Check(object))
    parts = {PyMethod_GET_SELF(object), PyMethod_GET_FUNCTION(object)};
  else if (PyCFunction_CheckExact(object) && PyCFunction_GET_SELF(object) &&
           !PyModule_Check(PyCFunction_GET_SELF(object)))
    parts = {PyCFunction_GET_SELF(object), reinterpret_cast<PyCFunctionObject *>(object)->m_ml};
  else
    return object;
  auto [found, is_first] = methods->try_emplace(parts, object);
  if (is_first)
    Py_INCREF(object);
  return found->second;
}

} // namespace numjit
