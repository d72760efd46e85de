// The key by which a call is looked up: words that encode the types of its arguments. Made without
// creating Python objects; the same walk writes the argument slots, so that a call whose words are
// known does not read its arguments again.
#pragma once

#include "pyext/convert/fast_long.h"
#include "pyext/convert/items.h"
#include "pyext/convert/values.h"
#include "pyext/python.h"
#include "runtime/runtime.h"

#include <cstdint>

namespace numjit {

/// In the low byte of a word. Values with one tag have equal words only if they have one type.
enum class Tag : uint8_t {
  Scalar, ///< | ScalarId << 8
  None,
  Ellipsis,
  Array,      ///< | NumPy type number << 8 | ndim << 16 | flags << 24; then, unless it holds
              ///< numbers, the type of its elements
  Tuple,      ///< | count << 8, then the items
  NamedTuple, ///< | count << 8, the class, then the items
  List,       ///< | 1 << 8 if there is an item: then the first one
  Unicode,
  Bytes,     ///< | mutable << 8
  Memory,    ///< then the type: a memoryview or array.array as the array that it shows
  Range,     ///< | step is 1 << 8
  Slice,     ///< | bits of those of start, stop, step that are integers << 8
  Generator, ///< then its type
  Item,      ///< then the type: a record, a datetime64
  Instance,  ///< then the class, and the words of a dataclass's fields; of a jitclass the type
  Identity,  ///< then the object: a function, class, module, dtype
  Other,     ///< then the class: nothing that has a type
  BigInt,    ///< an int that fits no integer type
  Set,       ///< | 2 << 8 if it is a frozenset; else as List
  Dict,      ///< | 1 << 8 if there is an item: then the first key and its value
  Typed,     ///< numjit.typed.List and Dict: then the type
  Mixed,     ///< the first of all words: then the type of each argument, 0 if it has none
};

constexpr uint64_t word(Tag tag, uint64_t payload = 0) {
  return static_cast<uint64_t>(tag) | payload << 8;
}

/// The words and slots of one call's arguments.
struct Scan {
  uint64_t *slots, *slots_end;
  uint64_t *words, *words_end;
  bool indirect = false; ///< the slots are incomplete: lists need memory of their own

  bool has_room(Py_ssize_t more_slots, Py_ssize_t more_words) const {
    return slots_end - slots >= more_slots && words_end - words >= more_words;
  }
};

enum class ScanResult : uint8_t { Fine, NoRoom, Failed /* an exception is set */ };

/// Functions, classes and the like; and what has no type.
ScanResult scan_unknown(PyObject *object, Scan &scan);
/// Everything but floats, ints and arrays.
ScanResult scan_other(PyObject *object, Scan &scan);

/// Whether an array that is not contiguous is so along its last axis.
inline bool has_contiguous_rows(PyArrayObject *array) {
  constexpr int whole = NPY_ARRAY_C_CONTIGUOUS | NPY_ARRAY_F_CONTIGUOUS;
  const int ndim = PyArray_NDIM(array);
  return !(PyArray_FLAGS(array) & whole) && ndim > 1 &&
         PyArray_STRIDE(array, ndim - 1) == PyArray_ITEMSIZE(array);
}

inline void scan_array_words(PyArrayObject *array, Scan &scan) {
  PyArray_Descr *descr = PyArray_DESCR(array);
  constexpr int used = NPY_ARRAY_C_CONTIGUOUS | NPY_ARRAY_F_CONTIGUOUS;
  uint64_t flags = (PyArray_FLAGS(array) & used) | (PyArray_ISALIGNED(array) ? 4 : 0) |
                   (PyArray_ISWRITEABLE(array) ? 8 : 0) |
                   (PyArray_ISNBO(descr->byteorder) ? 16 : 0) |
                   (has_contiguous_rows(array) ? 32 : 0);
  *scan.words++ =
      word(Tag::Array, static_cast<uint8_t>(descr->type_num) |
                           static_cast<uint64_t>(PyArray_NDIM(array)) << 8 | flags << 16);
  if (descr->type_num >= NPY_OBJECT)
    *scan.words++ = reinterpret_cast<uint64_t>(item_of_descr(descr));
}

inline ScanResult scan_array(PyObject *object, Scan &scan) {
  auto *array = reinterpret_cast<PyArrayObject *>(object);
  const int ndim = PyArray_NDIM(array);
  if (!scan.has_room(2 + 2 * ndim, 2))
    return ScanResult::NoRoom;
  scan_array_words(array, scan);
  uint64_t *slots = scan.slots;
  *slots++ = reinterpret_cast<uint64_t>(PyArray_DATA(array));
  *slots++ = reinterpret_cast<uint64_t>(object) | NJ_FOREIGN_BIT;
  const npy_intp *shape = PyArray_DIMS(array);
  for (int i = 0; i < ndim; ++i)
    *slots++ = static_cast<uint64_t>(shape[i]);
  if (!(PyArray_FLAGS(array) & (NPY_ARRAY_C_CONTIGUOUS | NPY_ARRAY_F_CONTIGUOUS))) {
    const npy_intp *strides = PyArray_STRIDES(array);
    for (int i = 0; i < ndim; ++i)
      *slots++ = static_cast<uint64_t>(strides[i]);
  }
  scan.slots = slots;
  return ScanResult::Fine;
}

inline ScanResult scan_value(PyObject *object, Scan &scan) {
  PyTypeObject *cls = Py_TYPE(object);
  if (cls == &PyArray_Type)
    return scan_array(object, scan);
  if (!scan.has_room(2, 2))
    return ScanResult::NoRoom;
  if (cls == &PyFloat_Type) {
    *scan.words++ = word(Tag::Scalar, static_cast<uint64_t>(ScalarId::Float64));
    *scan.slots++ = slot_of(PyFloat_AS_DOUBLE(object));
    return ScanResult::Fine;
  }
  int64_t value;
  if (cls == &PyLong_Type && fast_long(object, value)) {
    *scan.words++ = word(Tag::Scalar, static_cast<uint64_t>(ScalarId::Int64));
    *scan.slots++ = static_cast<uint64_t>(value);
    return ScanResult::Fine;
  }
  return scan_other(object, scan);
}

} // namespace numjit
