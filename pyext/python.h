// Python and NumPy headers, and the few helpers that every file here needs. What differs between
// the C APIs of Python versions is behind functions of this header and of fast_long.h.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#if PY_VERSION_HEX < 0x030b0000 || PY_VERSION_HEX >= 0x030f0000
#error "frontend/opcodes has no table of this Python version's instructions"
#endif
#if PY_VERSION_HEX >= 0x030e0000 && !defined(NUMJIT_UNTESTED_PYTHON)
#error "numjit has never run on CPython 3.14: see docs/architecture-frontend.md"
#endif
#ifdef Py_GIL_DISABLED
#error "numjit relies on the GIL: free-threaded builds are not supported"
#endif

#define NPY_NO_DEPRECATED_API NPY_2_0_API_VERSION
#define NPY_TARGET_VERSION NPY_2_0_API_VERSION
#define PY_ARRAY_UNIQUE_SYMBOL numjit_array_api
#ifndef NUMJIT_IMPORTS_NUMPY // module.cpp alone holds the table of NumPy's functions
#define NO_IMPORT_ARRAY
#endif
#include "pyext/gil.h"

#include <numpy/arrayobject.h>

#include <exception>
#include <string>
#include <utility>

namespace numjit {

/// Owns one reference. Needs the GIL wherever it is made, copied or destroyed.
class Ref {
public:
  Ref() = default;
  /// Takes over a reference.
  explicit Ref(PyObject *owned) : object_(owned) {}
  static Ref borrow(PyObject *object) {
    Py_XINCREF(object);
    return Ref(object);
  }
  Ref(Ref &&other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  Ref(const Ref &other) : object_(other.object_) { Py_XINCREF(object_); }
  Ref &operator=(Ref other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }
  ~Ref() { Py_XDECREF(object_); }

  PyObject *get() const { return object_; }
  PyObject *release() { return std::exchange(object_, nullptr); }
  explicit operator bool() const { return object_; }

private:
  PyObject *object_ = nullptr;
};

/// Work without the GIL that uses static objects of libraries, as compilations do LLVM's: the
/// interpreter waits for its end, before they are destroyed.
class BeforeExit {
public:
  BeforeExit();
  ~BeforeExit();
  BeforeExit(const BeforeExit &) = delete;
  BeforeExit &operator=(const BeforeExit &) = delete;
  /// Called once, with the GIL.
  static void arrange();
};

/// Holds the GIL, whether or not this thread held it before.
class WithGil {
public:
  WithGil() : state_(nj_ensure_gil()) {}
  ~WithGil() { PyGILState_Release(state_); }
  WithGil(const WithGil &) = delete;
  WithGil &operator=(const WithGil &) = delete;

private:
  PyGILState_STATE state_;
};

/// Releases the GIL for as long as it lives.
class WithoutGil {
public:
  WithoutGil() : state_(PyEval_SaveThread()) {}
  ~WithoutGil() { nj_take_gil(state_); }
  WithoutGil(const WithoutGil &) = delete;
  WithoutGil &operator=(const WithoutGil &) = delete;

private:
  PyThreadState *state_;
};

/// A Python exception is set in this thread.
struct PythonError : std::exception {
  const char *what() const noexcept override { return "a Python exception"; }
};

/// Text of a str; empty (and no exception) for anything else.
std::string text_of(PyObject *object);
/// An attribute as text; empty if there is none.
std::string text_attribute(PyObject *object, const char *name);
/// An attribute, or null with no exception set.
Ref attribute_or_null(PyObject *object, const char *name);

/// Gives a str the form whose data, length and kind can be read: only 3.11 has others.
inline void make_ready(PyObject *string) {
#if PY_VERSION_HEX < 0x030c0000
  if (PyUnicode_READY(string) < 0) // no memory: the string is empty
    PyErr_Clear();
#else
  (void)string;
#endif
}

/// Py_tp_init of a class whose Python subclass takes what arguments it likes.
inline int ignore_arguments(PyObject *, PyObject *, PyObject *) { return 0; }

/// The exception that is set, taken away; and set again.
Ref take_exception();
void set_exception(Ref exception);

} // namespace numjit
