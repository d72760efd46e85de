// Scalars to slots and back.
#include "pyext/convert/fast_long.h"
#include "pyext/convert/typeof.h"
#include "pyext/convert/values.h"
#include "pyext/read/scalar_codes.h"
#include "typeinfer/infer/unify.h"

#include <numpy/arrayscalars.h>

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

bool does_not_fit(PyObject *object, const Type *type) {
  PyErr_Format(PyExc_OverflowError, "%R does not fit into %s", object, type->text.c_str());
  return false;
}

/// An int beyond 64 bits is no value of an integer type; floats take what Python's float() makes of
/// it.
bool read_huge(PyObject *integer, const Type *type, Number &number) {
  if (type->is_integer())
    return does_not_fit(integer, type);
  number.form = Number::Real;
  number.real = type->is_bool() ? 1 : PyLong_AsDouble(integer);
  return !PyErr_Occurred();
}

bool read_integer(PyObject *object, const Type *type, Number &number) {
  int overflow = 0;
  number.integer = PyLong_AsLongLongAndOverflow(object, &overflow);
  if (overflow > 0) {
    number.form = Number::Unsigned;
    number.integer = static_cast<int64_t>(PyLong_AsUnsignedLongLong(object));
    if (!PyErr_Occurred())
      return true;
    PyErr_Clear();
  }
  if (overflow)
    return read_huge(object, type, number);
  return !PyErr_Occurred();
}

/// NumPy's scalars of the usual classes, where their values lie; false for others.
bool read_numpy_scalar(PyObject *object, Number &number) {
  const auto real = [&](double value) { number.form = Number::Real, number.real = value; };
  switch (typenum_of_scalar_class(Py_TYPE(object))) {
  case NPY_BOOL: number.integer = PyArrayScalar_VAL(object, Bool); break;
  case NPY_BYTE: number.integer = PyArrayScalar_VAL(object, Byte); break;
  case NPY_SHORT: number.integer = PyArrayScalar_VAL(object, Short); break;
  case NPY_INT: number.integer = PyArrayScalar_VAL(object, Int); break;
  case NPY_LONG: number.integer = PyArrayScalar_VAL(object, Long); break;
  case NPY_LONGLONG: number.integer = PyArrayScalar_VAL(object, LongLong); break;
  case NPY_UBYTE: number.integer = PyArrayScalar_VAL(object, UByte); break;
  case NPY_USHORT: number.integer = PyArrayScalar_VAL(object, UShort); break;
  case NPY_UINT: number.integer = PyArrayScalar_VAL(object, UInt); break;
  case NPY_FLOAT: real(PyArrayScalar_VAL(object, Float)); break;
  case kBFloat16Number: real(PyFloat_AsDouble(object)); break;
  default: return false;
  }
  return true;
}

bool read_number(PyObject *object, const Type *type, Number &number) {
  if (PyFloat_Check(object)) {
    number.form = Number::Real;
    number.real = PyFloat_AS_DOUBLE(object);
    return true;
  }
  if (PyLong_Check(object))
    return read_integer(object, type, number);
  if (read_numpy_scalar(object, number))
    return true;
  if (PyComplex_Check(object) || PyArray_IsScalar(object, ComplexFloating)) {
    Py_complex parts = PyComplex_AsCComplex(object);
    number = {Number::Complex, 0, parts.real, parts.imag};
    return !PyErr_Occurred();
  }
  if (PyArray_IsScalar(object, Integer)) {
    Ref integer(PyNumber_Index(object));
    return integer && read_integer(integer.get(), type, number);
  }
  if (PyArray_IsScalar(object, Floating)) {
    number.form = Number::Real;
    number.real = PyFloat_AsDouble(object);
    return !PyErr_Occurred();
  }
  PyErr_Format(PyExc_TypeError, "must be a number, not %.200s", Py_TYPE(object)->tp_name);
  return false;
}

/// A float without its fraction, as int() makes it; false with an exception set if no int64 or
/// uint64 holds it.
bool truncate(PyObject *object, const Type *type, Number &number) {
  const double whole = std::trunc(number.real);
  if (std::isnan(whole)) {
    PyErr_SetString(PyExc_ValueError, "cannot convert float NaN to integer");
    return false;
  }
  if (!(whole >= -0x1p63 && whole < 0x1p64))
    return does_not_fit(object, type);
  number.form = whole < 0x1p63 ? Number::Signed : Number::Unsigned;
  number.integer = whole < 0x1p63 ? static_cast<int64_t>(whole)
                                  : static_cast<int64_t>(static_cast<uint64_t>(whole));
  return true;
}

/// The slot of an integer; false with an exception set if the type does not hold it.
bool put_integer(PyObject *object, Number number, const Type *type, uint64_t &slot) {
  if (number.form == Number::Real && !truncate(object, type, number))
    return false;
  const int64_t value = number.integer;
  const bool huge = number.form == Number::Unsigned && value < 0; // at least 2**63
  const int unused = 64 - type->bits();
  const bool fits = type->is_signed() ? !huge && value << unused >> unused == value
                                      : (huge || value >= 0) &&
                                            static_cast<uint64_t>(value) << unused >> unused ==
                                                static_cast<uint64_t>(value);
  slot = static_cast<uint64_t>(value);
  return fits || does_not_fit(object, type);
}

/// The type of a number that is no Python int; nullptr for what is no number.
const Type *type_of_number(PyObject *object) {
  if (PyFloat_Check(object))
    return types::float64();
  if (PyBool_Check(object))
    return types::boolean();
  if (int number = typenum_of_scalar_class(Py_TYPE(object)); number >= 0)
    return scalar_of_typenum(number);
  return PyComplex_Check(object) ? types::scalar(ScalarId::Complex128) : nullptr;
}

} // namespace

bool belongs_to(PyObject *object, const Type *type) {
  int64_t value;
  PyTypeObject *cls = Py_TYPE(object);
  switch (type->scalar) { // most items are of the class of their type
  case ScalarId::Bool:
    if (cls == &PyBool_Type)
      return true;
    break;
  case ScalarId::Int64:
    if (cls == &PyLong_Type)
      return fast_long(object, value);
    break;
  case ScalarId::Float64:
    if (cls == &PyFloat_Type)
      return true;
    break;
  case ScalarId::Complex128:
    if (cls == &PyComplex_Type)
      return true;
    break;
  default: break;
  }
  if (PyLong_Check(object) && !PyBool_Check(object)) {
    const Type *own = type_of_int(object);
    if (!type->is_integer())
      return own && unify(type, own) == type;
    if (type->is(ScalarId::UInt64) && own == types::int64())
      return PyLong_AsLongLong(object) >= 0;
    return own == type;
  }
  const Type *own = type_of_number(object);
  return own && (own == type || unify(type, own) == type);
}

bool unbox_scalar(PyObject *object, const Type *type, uint64_t *&slots) {
  if (type->is(ScalarId::Float64) && PyFloat_CheckExact(object)) {
    *slots++ = slot_of(PyFloat_AS_DOUBLE(object));
    return true;
  }
  Number number;
  if (!read_number(object, type, number))
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
  case ScalarId::BFloat16: *slots++ = slot_of(rounded_to_bfloat(number.as_double())); break;
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
  default: return put_integer(object, number, type, *slots++);
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
  case ScalarId::BFloat16:
  case ScalarId::Float32: return PyFloat_FromDouble(float_of(*slots));
  case ScalarId::Float64: return PyFloat_FromDouble(double_of(*slots));
  case ScalarId::Complex64: return PyComplex_FromDoubles(float_of(slots[0]), float_of(slots[1]));
  case ScalarId::Complex128: return PyComplex_FromDoubles(double_of(slots[0]), double_of(slots[1]));
  }
  Py_UNREACHABLE();
}

} // namespace numjit
