// The words and slots of objects by their classes (fingerprint.h). Those of containers contain
// those of their items.
#include "pyext/convert/classes.h"
#include "pyext/convert/fingerprint.h"
#include "pyext/convert/intake.h"
#include "pyext/convert/nesting.h"
#include "pyext/convert/tables.h"
#include "pyext/convert/typed_containers.h"
#include "pyext/convert/typeof.h"
#include "pyext/read/objects.h"
#include "pyext/read/scalar_codes.h"

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

ScanResult scan_items(PyObject *tuple, Scan &scan) {
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(tuple); ++i)
    if (ScanResult result = scan_value(PyTuple_GET_ITEM(tuple, i), scan);
        result != ScanResult::Fine)
      return result;
  return ScanResult::Fine;
}

} // namespace

ScanResult scan_int(PyObject *object, Scan &scan) {
  const Type *type = type_of_int(object);
  if (type)
    return scan_scalar(object, type, scan);
  *scan.words++ = word(Tag::BigInt);
  return ScanResult::Fine;
}

ScanResult scan_tuple(PyObject *object, Scan &scan) {
  const Nesting nesting("reading a tuple");
  if (nesting.is_too_deep())
    return ScanResult::Failed;
  const auto count = static_cast<uint64_t>(PyTuple_GET_SIZE(object));
  if (PyTuple_CheckExact(object)) {
    *scan.words++ = word(Tag::Tuple, count);
  } else {
    *scan.words++ = word(Tag::NamedTuple, count);
    *scan.words++ = reinterpret_cast<uint64_t>(Py_TYPE(object));
  }
  return scan_items(object, scan);
}

/// The first item speaks for the list; where unboxing finds that another one needs a wider type,
/// the call is made again by the types of all (call_mixed).
ScanResult scan_list(PyObject *object, Scan &scan) {
  scan.indirect = true;
  if (PyList_GET_SIZE(object) == 0) {
    *scan.words++ = word(Tag::List);
    return ScanResult::Fine;
  }
  *scan.words++ = word(Tag::List, 1);
  const Nesting nesting("reading a list");
  return nesting.is_too_deep() ? ScanResult::Failed : scan_value(PyList_GET_ITEM(object, 0), scan);
}

ScanResult scan_dict(PyObject *object, Scan &scan) {
  scan.indirect = true;
  *scan.words++ = word(Tag::Dict, PyDict_GET_SIZE(object) != 0);
  Py_ssize_t at = 0;
  PyObject *key, *value;
  if (!PyDict_Next(object, &at, &key, &value))
    return ScanResult::Fine;
  const Nesting nesting("reading a dict");
  if (nesting.is_too_deep())
    return ScanResult::Failed;
  const ScanResult result = scan_value(key, scan);
  return result == ScanResult::Fine ? scan_value(value, scan) : result;
}

ScanResult scan_set(PyObject *object, Scan &scan) {
  scan.indirect = true;
  const uint64_t frozen = PyFrozenSet_Check(object) ? 2 : 0;
  *scan.words++ = word(Tag::Set, frozen | (PySet_GET_SIZE(object) != 0));
  if (PySet_GET_SIZE(object) == 0)
    return ScanResult::Fine;
  Ref first(any_of_set(object));
  const Nesting nesting("reading a set");
  return !first || nesting.is_too_deep() ? ScanResult::Failed : scan_value(first.get(), scan);
}

ScanResult scan_typed(PyObject *object, Scan &scan) {
  const Typed *typed = typed_container(object);
  *scan.words++ = word(Tag::Typed);
  *scan.words++ = reinterpret_cast<uint64_t>(typed->type);
  *scan.slots++ = reinterpret_cast<uint64_t>(typed->block);
  return ScanResult::Fine;
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

ScanResult scan_memory(PyObject *object, Scan &scan) {
  const Type *type = type_of(object).type;
  if (!type)
    return scan_unknown(object, scan);
  if (!scan.has_room(2 + 2 * type->ndim, 2))
    return ScanResult::NoRoom;
  *scan.words++ = word(Tag::Memory);
  *scan.words++ = reinterpret_cast<uint64_t>(type);
  scan.indirect = true;
  return ScanResult::Fine;
}

ScanResult scan_none(PyObject *, Scan &scan) {
  *scan.words++ = word(Tag::None);
  return ScanResult::Fine;
}

ScanResult scan_ellipsis(PyObject *, Scan &scan) {
  *scan.words++ = word(Tag::Ellipsis);
  return ScanResult::Fine;
}

ScanResult scan_bool(PyObject *object, Scan &scan) {
  *scan.words++ = word(Tag::Scalar, static_cast<uint64_t>(ScalarId::Bool));
  *scan.slots++ = object == Py_True;
  return ScanResult::Fine;
}

ScanResult scan_float(PyObject *object, Scan &scan) {
  return scan_scalar(object, types::float64(), scan);
}

ScanResult scan_complex(PyObject *object, Scan &scan) {
  return scan_scalar(object, types::scalar(ScalarId::Complex128), scan);
}

ScanResult scan_numpy_scalar(PyObject *object, Scan &scan) {
  return scan_scalar(object, scalar_of_typenum(typenum_of_scalar_class(Py_TYPE(object))), scan);
}

ScanResult scan_memory_item(PyObject *object, Scan &scan) {
  const Type *type = type_of_item(object);
  if (!type)
    return scan_unknown(object, scan);
  *scan.words++ = word(Tag::Item);
  *scan.words++ = reinterpret_cast<uint64_t>(type);
  return unbox_item(object, type, scan.slots) ? ScanResult::Fine : ScanResult::Failed;
}

ScanResult scan_string(PyObject *object, Scan &scan) {
  *scan.words++ = word(Tag::Unicode);
  put_string(object, scan.slots);
  return ScanResult::Fine;
}

ScanResult scan_bytes(PyObject *object, Scan &scan) {
  const bool resizable = PyByteArray_Check(object);
  *scan.words++ = word(Tag::Bytes, resizable);
  if (resizable)
    scan.indirect = true;
  else
    put_bytes(object, scan.slots);
  return ScanResult::Fine;
}

ScanResult scan_any_array(PyObject *object, Scan &scan) {
  return is_plain_array(object) ? scan_array(object, scan) : scan_unknown(object, scan);
}

ScanResult scan_user_object(PyObject *object, Scan &scan) {
  return scan_instance(object, user_class(Py_TYPE(object)), scan);
}

ScanResult scan_generator(PyObject *object, Scan &scan) {
  const Type *type = type_of_generator(object);
  *scan.words++ = word(Tag::Generator);
  *scan.words++ = reinterpret_cast<uint64_t>(type);
  return Unboxer().unbox(object, type, scan.slots) ? ScanResult::Fine : ScanResult::Failed;
}

ScanResult scan_other(PyObject *object, Scan &scan) {
  if (!scan.has_room(4, 3))
    return ScanResult::NoRoom;
  if (object == Py_None) // told apart sooner than their classes are looked up
    return scan_none(object, scan);
  if (object == Py_True || object == Py_False)
    return scan_bool(object, scan);
  return intake_of(Py_TYPE(object)).scan(object, scan);
}

ScanResult scan_unknown(PyObject *object, Scan &scan) {
  const bool identity = is_typed_by_identity(object);
  if (const Type *plain = identity ? nullptr : type_of_plain_object(object).type) {
    *scan.words++ = word(Tag::Instance);
    *scan.words++ = reinterpret_cast<uint64_t>(plain);
    scan.indirect = true;
    return ScanResult::Fine;
  }
  *scan.words++ = word(identity ? Tag::Identity : Tag::Other);
  *scan.words++ =
      reinterpret_cast<uint64_t>(identity ? object : reinterpret_cast<PyObject *>(Py_TYPE(object)));
  return ScanResult::Fine;
}

} // namespace numjit
