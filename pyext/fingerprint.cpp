#include "pyext/fingerprint.h"

#include "pyext/classes.h"
#include "pyext/objects.h"
#include "pyext/scalar_codes.h"
#include "pyext/typeof.h"

#include <algorithm>

namespace numjit {

namespace {

ScanResult scan_scalar(PyObject *object, const Type *type, Scan &scan) {
  uint64_t *slots = scan.slots;
  if (!unbox_scalar(object, type, slots))
    return ScanResult::Failed;
  scan.slots = slots;
  *scan.words++ = word(Tag::Scalar, static_cast<uint64_t>(type->scalar));
  return ScanResult::Fine;
}

ScanResult scan_int(PyObject *object, Scan &scan) {
  const Type *type = type_of_int(object);
  if (type)
    return scan_scalar(object, type, scan);
  *scan.words++ = word(Tag::BigInt);
  return ScanResult::Fine;
}

ScanResult scan_items(PyObject *tuple, Scan &scan) {
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(tuple); ++i)
    if (ScanResult result = scan_value(PyTuple_GET_ITEM(tuple, i), scan);
        result != ScanResult::Fine)
      return result;
  return ScanResult::Fine;
}

ScanResult scan_tuple(PyObject *object, Scan &scan) {
  const auto count = static_cast<uint64_t>(PyTuple_GET_SIZE(object));
  if (PyTuple_CheckExact(object)) {
    *scan.words++ = word(Tag::Tuple, count);
  } else {
    *scan.words++ = word(Tag::NamedTuple, count);
    *scan.words++ = reinterpret_cast<uint64_t>(Py_TYPE(object));
  }
  return scan_items(object, scan);
}

/// The first item speaks for the list; unboxing checks the others.
ScanResult scan_list(PyObject *object, Scan &scan) {
  scan.indirect = true;
  if (PyList_GET_SIZE(object) == 0) {
    *scan.words++ = word(Tag::List);
    return ScanResult::Fine;
  }
  *scan.words++ = word(Tag::List, 1);
  PyObject *first = PyList_GET_ITEM(object, 0);
  if (PyList_Check(first)) { // not supported, and may hold itself
    *scan.words++ = word(Tag::List);
    return ScanResult::Fine;
  }
  return scan_value(first, scan);
}

ScanResult scan_range(PyObject *object, Scan &scan) {
  const Type *type = type_of(object).type;
  if (!type) {
    *scan.words++ = word(Tag::BigInt);
    return ScanResult::Fine;
  }
  if (!scan.has_room(3, 1))
    return ScanResult::NoRoom;
  *scan.words++ = word(Tag::Range, type->unit);
  return Unboxer().unbox(object, type, scan.slots) ? ScanResult::Fine : ScanResult::Failed;
}

ScanResult scan_slice(PyObject *object, Scan &scan) {
  const Type *type = type_of(object).type;
  if (!type) {
    *scan.words++ = word(Tag::Other);
    *scan.words++ = reinterpret_cast<uint64_t>(Py_TYPE(object));
    return ScanResult::Fine;
  }
  if (!scan.has_room(3, 1))
    return ScanResult::NoRoom;
  uint64_t given = 0;
  for (int i = 0; i < 3; ++i)
    given |= static_cast<uint64_t>(type->params[i]->kind != Kind::None) << i;
  *scan.words++ = word(Tag::Slice, given);
  return Unboxer().unbox(object, type, scan.slots) ? ScanResult::Fine : ScanResult::Failed;
}

} // namespace

ScanResult scan_other(PyObject *object, Scan &scan) {
  if (!scan.has_room(3, 3))
    return ScanResult::NoRoom;
  if (object == Py_None) {
    *scan.words++ = word(Tag::None);
    return ScanResult::Fine;
  }
  if (PyBool_Check(object)) {
    *scan.words++ = word(Tag::Scalar, static_cast<uint64_t>(ScalarId::Bool));
    *scan.slots++ = object == Py_True;
    return ScanResult::Fine;
  }
  if (int number = typenum_of_scalar_class(Py_TYPE(object)); number >= 0)
    return scan_scalar(object, scalar_of_typenum(number), scan);
  if (const Type *type = type_of_item(object)) {
    *scan.words++ = word(Tag::Item);
    *scan.words++ = reinterpret_cast<uint64_t>(type);
    return unbox_item(object, type, scan.slots) ? ScanResult::Fine : ScanResult::Failed;
  }
  if (PyTuple_Check(object))
    return scan_tuple(object, scan);
  if (PyComplex_CheckExact(object))
    return scan_scalar(object, types::scalar(ScalarId::Complex128), scan);
  if (PyList_CheckExact(object))
    return scan_list(object, scan);
  if (PyArray_Check(object))
    return is_plain_array(object) ? scan_array(object, scan) : scan_unknown(object, scan);
  if (UserClass kind = user_class(Py_TYPE(object)); kind != UserClass::None)
    return scan_instance(object, kind, scan);
  if (PyLong_Check(object))
    return scan_int(object, scan);
  if (PyFloat_Check(object))
    return scan_scalar(object, types::float64(), scan);
  if (PyRange_Check(object))
    return scan_range(object, scan);
  if (PySlice_Check(object))
    return scan_slice(object, scan);
  if (object == Py_Ellipsis) {
    *scan.words++ = word(Tag::Ellipsis);
    return ScanResult::Fine;
  }
  if (PyUnicode_CheckExact(object)) {
    *scan.words++ = word(Tag::String);
    *scan.words++ = reinterpret_cast<uint64_t>(constants::string(text_of(object)));
    return ScanResult::Fine;
  }
  return scan_unknown(object, scan);
}

ScanResult scan_unknown(PyObject *object, Scan &scan) {
  const bool identity = is_typed_by_identity(object);
  *scan.words++ = word(identity ? Tag::Identity : Tag::Other);
  *scan.words++ =
      reinterpret_cast<uint64_t>(identity ? object : reinterpret_cast<PyObject *>(Py_TYPE(object)));
  return ScanResult::Fine;
}

} // namespace numjit
