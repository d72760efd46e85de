// Scalars to slots and back.
#include "pyext/scalar_codes.h"
#include "pyext/values.h"

#include <cmath>

namespace numjit {

namespace {

/// A Python number, read without loss.
struct Number {
  enum Form { Signed, Unsigned, Real, Complex } form = Signed;
  int64_t integer = 0; // Unsigned: the bits
  double real = 0, imag = 0;

  double as_double() const {
    switch (form) {
    case Signed: return static_cast<double>(integer);
    case Unsigned: return static_cast<double>(static_cast<uint64_t>(integer));
    default: return real;
    }
  }
};

bool read_integer(PyObject *object, Number &number) {
  int overflow = 0;
  number.integer = PyLong_AsLongLongAndOverflow(object, &overflow);
  if (overflow > 0) {
    number.form = Number::Unsigned;
    number.integer = static_cast<int64_t>(PyLong_AsUnsignedLongLong(object));
  } else if (overflow < 0) {
    PyErr_SetString(PyExc_OverflowError, "int too big to convert");
  }
  return !PyErr_Occurred();
}

bool read_number(PyObject *object, Number &number) {
  if (PyFloat_Check(object)) {
    number.form = Number::Real;
    number.real = PyFloat_AS_DOUBLE(object);
    return true;
  }
  if (PyLong_Check(object))
    return read_integer(object, number);
  if (PyComplex_Check(object) || PyArray_IsScalar(object, ComplexFloating)) {
    Py_complex parts = PyComplex_AsCComplex(object);
    number = {Number::Complex, 0, parts.real, parts.imag};
    return !PyErr_Occurred();
  }
  if (PyArray_IsScalar(object, Bool)) {
    number.integer = PyObject_IsTrue(object);
    return true;
  }
  if (PyArray_IsScalar(object, Integer)) {
    Ref integer(PyNumber_Index(object));
    return integer && read_integer(integer.get(), number);
  }
  if (PyArray_IsScalar(object, Floating)) {
    number.form = Number::Real;
    number.real = PyFloat_AsDouble(object);
    return !PyErr_Occurred();
  }
  PyErr_Format(PyExc_TypeError, "must be a number, not %.200s", Py_TYPE(object)->tp_name);
  return false;
}

int64_t to_integer(const Number &number) {
  if (number.form < Number::Real)
    return number.integer;
  // C leaves what does not fit undefined; compiled code saturates nothing either.
  if (!(std::fabs(number.real) < 9.3e18))
    return INT64_MIN;
  return number.real < 0 ? static_cast<int64_t>(number.real)
                         : static_cast<int64_t>(static_cast<uint64_t>(number.real));
}

/// Cuts an integer to the width of its type, extended as its sign says.
int64_t wrapped(int64_t value, const Type *type) {
  int unused = 64 - type->bits();
  return type->is_signed() ? value << unused >> unused
                           : static_cast<int64_t>(static_cast<uint64_t>(value) << unused >> unused);
}

} // namespace

bool unbox_scalar(PyObject *object, const Type *type, uint64_t *&slots) {
  if (type->is(ScalarId::Float64) && PyFloat_CheckExact(object)) {
    *slots++ = slot_of(PyFloat_AS_DOUBLE(object));
    return true;
  }
  Number number;
  if (!read_number(object, number))
    return false;
  if (number.form == Number::Complex && !type->is_complex()) {
    PyErr_Format(PyExc_TypeError, "can't convert complex to %s", type->text.c_str());
    return false;
  }
  switch (type->scalar) {
  case ScalarId::Bool:
    *slots++ = number.form < Number::Real ? number.integer != 0 : number.real != 0;
    break;
  case ScalarId::Float16: *slots++ = slot_of(rounded_to_half(number.as_double())); break;
  case ScalarId::Float32: *slots++ = slot_of(static_cast<float>(number.as_double())); break;
  case ScalarId::Float64: *slots++ = slot_of(number.as_double()); break;
  case ScalarId::Complex64:
    *slots++ = slot_of(static_cast<float>(number.as_double()));
    *slots++ = slot_of(static_cast<float>(number.imag));
    break;
  case ScalarId::Complex128:
    *slots++ = slot_of(number.as_double());
    *slots++ = slot_of(number.imag);
    break;
  default: *slots++ = static_cast<uint64_t>(wrapped(to_integer(number), type));
  }
  return true;
}

PyObject *box_scalar(ScalarId scalar, const uint64_t *slots) {
  switch (scalar) {
  case ScalarId::Bool: return Py_NewRef(*slots & 1 ? Py_True : Py_False);
  case ScalarId::Int8: return PyLong_FromLong(static_cast<int8_t>(*slots));
  case ScalarId::Int16: return PyLong_FromLong(static_cast<int16_t>(*slots));
  case ScalarId::Int32: return PyLong_FromLong(static_cast<int32_t>(*slots));
  case ScalarId::Int64: return PyLong_FromLongLong(static_cast<int64_t>(*slots));
  case ScalarId::UInt8: return PyLong_FromLong(static_cast<uint8_t>(*slots));
  case ScalarId::UInt16: return PyLong_FromLong(static_cast<uint16_t>(*slots));
  case ScalarId::UInt32: return PyLong_FromLong(static_cast<uint32_t>(*slots));
  case ScalarId::UInt64: return PyLong_FromUnsignedLongLong(*slots);
  case ScalarId::Float16:
  case ScalarId::Float32: return PyFloat_FromDouble(float_of(*slots));
  case ScalarId::Float64: return PyFloat_FromDouble(double_of(*slots));
  case ScalarId::Complex64: return PyComplex_FromDoubles(float_of(slots[0]), float_of(slots[1]));
  case ScalarId::Complex128: return PyComplex_FromDoubles(double_of(slots[0]), double_of(slots[1]));
  }
  Py_UNREACHABLE();
}

} // namespace numjit
