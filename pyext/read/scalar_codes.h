// NumPy's scalar types and ours.
#pragma once

#include "pyext/python.h"
#include "typeinfer/types/types.h"

#include <bit>
#include <cmath>
#include <cstring>

namespace numjit {

/// What stands for the type number of ml_dtypes.bfloat16: NumPy has none of its own for it.
constexpr int kBFloat16Number = 0xBF16;

/// Our scalar type for one of NumPy's type numbers; nullptr if there is none (str, records).
inline const Type *scalar_of_typenum(int typenum) {
  switch (typenum) {
  case NPY_BOOL: return types::scalar(ScalarId::Bool);
  case NPY_BYTE: return types::scalar(ScalarId::Int8);
  case NPY_SHORT: return types::scalar(ScalarId::Int16);
  case NPY_INT: return types::scalar(ScalarId::Int32);
  case NPY_LONG:
  case NPY_LONGLONG: return types::scalar(ScalarId::Int64);
  case NPY_UBYTE: return types::scalar(ScalarId::UInt8);
  case NPY_USHORT: return types::scalar(ScalarId::UInt16);
  case NPY_UINT: return types::scalar(ScalarId::UInt32);
  case NPY_ULONG:
  case NPY_ULONGLONG: return types::scalar(ScalarId::UInt64);
  case NPY_HALF: return types::scalar(ScalarId::Float16);
  case kBFloat16Number: return types::scalar(ScalarId::BFloat16);
  case NPY_FLOAT: return types::scalar(ScalarId::Float32);
  case NPY_DOUBLE: return types::scalar(ScalarId::Float64);
  case NPY_CFLOAT: return types::scalar(ScalarId::Complex64);
  case NPY_CDOUBLE: return types::scalar(ScalarId::Complex128);
  default: return nullptr;
  }
}

inline int typenum_of(const Type *scalar) {
  static constexpr int numbers[kScalarCount] = {
      NPY_BOOL,    NPY_INT8,      NPY_INT16,      NPY_INT32,  NPY_INT64,
      NPY_UINT8,   NPY_UINT16,    NPY_UINT32,     NPY_UINT64, NPY_FLOAT32,
      NPY_FLOAT64, NPY_COMPLEX64, NPY_COMPLEX128, NPY_HALF,   kBFloat16Number};
  return numbers[static_cast<size_t>(scalar->scalar)];
}

/// The type number of a NumPy scalar class (numpy.float32), -1 if `type` is none of ours.
inline int typenum_of_scalar_class(PyTypeObject *type) {
  struct Row {
    PyTypeObject *type;
    int number;
  };
  static const Row rows[] = {
      {&PyDoubleArrType_Type, NPY_DOUBLE},       {&PyFloatArrType_Type, NPY_FLOAT},
      {&PyLongArrType_Type, NPY_LONG},           {&PyIntArrType_Type, NPY_INT},
      {&PyBoolArrType_Type, NPY_BOOL},           {&PyByteArrType_Type, NPY_BYTE},
      {&PyShortArrType_Type, NPY_SHORT},         {&PyLongLongArrType_Type, NPY_LONGLONG},
      {&PyUByteArrType_Type, NPY_UBYTE},         {&PyUShortArrType_Type, NPY_USHORT},
      {&PyUIntArrType_Type, NPY_UINT},           {&PyULongArrType_Type, NPY_ULONG},
      {&PyULongLongArrType_Type, NPY_ULONGLONG}, {&PyCFloatArrType_Type, NPY_CFLOAT},
      {&PyCDoubleArrType_Type, NPY_CDOUBLE},     {&PyHalfArrType_Type, NPY_HALF}};
  for (const Row &row : rows)
    if (row.type == type)
      return row.number;
  if (type->tp_base == &PyGenericArrType_Type) {
    const char *dot = std::strrchr(type->tp_name, '.');
    if (!std::strcmp(dot ? dot + 1 : type->tp_name, "bfloat16"))
      return kBFloat16Number;
  }
  return -1;
}

/// The nearest float16.
inline float rounded_to_half(double value) {
  return static_cast<float>(static_cast<_Float16>(value));
}

/// The nearest bfloat16, of two the even one.
inline float rounded_to_bfloat(double value) {
  float single = static_cast<float>(value);
  if (single != single)
    return single;
  auto bits = std::bit_cast<uint32_t>(single);
  // What the float has lost is noted in its last bit, or it would be rounded twice.
  if (static_cast<double>(single) != value && !(bits & 1) && single - single == 0)
    bits += std::fabs(static_cast<double>(single)) < std::fabs(value) ? 1 : -1;
  bits += 0x7FFF + (bits >> 16 & 1);
  return std::bit_cast<float>(bits & 0xFFFF0000u);
}

} // namespace numjit
