// Strings, bytes, memoryviews and array.arrays to slots and back. They are passed where they lie;
// the object is the owner.
#include "pyext/convert/values.h"
#include "pyext/read/scalar_codes.h"
#include "runtime/runtime.h"

#include <bit>
#include <cstring>
#include <string_view>

namespace numjit {

namespace {

uint64_t owner_of(PyObject *object) { return reinterpret_cast<uint64_t>(object) | NJ_FOREIGN_BIT; }

/// The Python object behind an owner; null for a block of ours.
PyObject *foreign(uint64_t owner) {
  return owner & NJ_FOREIGN_BIT ? reinterpret_cast<PyObject *>(owner - NJ_FOREIGN_BIT) : nullptr;
}

/// The type of a buffer's items, by the letters of module struct; nullptr if they are no numbers in
/// the order of this machine.
const Type *item_of_buffer(const Py_buffer &view) {
  std::string_view format = view.format ? view.format : "B";
  if (format.starts_with('<') || format.starts_with('@') || format.starts_with('='))
    format.remove_prefix(1);
  static constexpr struct {
    std::string_view format;
    int numbers[4]; ///< NumPy's, of items with 1, 2, 4, 8 bytes
  } rows[] = {{"?", {NPY_BOOL, -1, -1, -1}},
              {"bhilqn", {NPY_BYTE, NPY_SHORT, NPY_INT, NPY_LONG}},
              {"BHILQN", {NPY_UBYTE, NPY_USHORT, NPY_UINT, NPY_ULONG}},
              {"efd", {-1, NPY_HALF, NPY_FLOAT, NPY_DOUBLE}}};
  if (format == "Zf" || format == "Zd")
    return scalar_of_typenum(format == "Zf" ? NPY_CFLOAT : NPY_CDOUBLE);
  if (format.size() != 1 || !std::has_single_bit(static_cast<size_t>(view.itemsize)) ||
      view.itemsize > 8)
    return nullptr;
  for (const auto &row : rows)
    if (const int number = row.numbers[std::countr_zero(static_cast<size_t>(view.itemsize))];
        row.format.find(format[0]) != row.format.npos && number >= 0)
      return scalar_of_typenum(number);
  return nullptr;
}

/// The buffer of a memoryview or an array.array, as long as this lives.
class ShownMemory {
public:
  explicit ShownMemory(PyObject *object) {
    if (PyMemoryView_Check(object))
      view_ = PyMemoryView_GET_BUFFER(object);
    else if (PyObject_GetBuffer(object, &own_, PyBUF_FULL) == 0)
      view_ = &own_;
    else
      PyErr_Clear();
  }
  ~ShownMemory() {
    if (view_ == &own_)
      PyBuffer_Release(&own_);
  }
  ShownMemory(const ShownMemory &) = delete;
  explicit operator bool() const { return view_; }
  const Py_buffer &operator*() const { return *view_; }

private:
  Py_buffer own_;
  const Py_buffer *view_ = nullptr;
};

bool is_aligned(const Py_buffer &view, size_t alignment) {
  size_t bits = reinterpret_cast<size_t>(view.buf);
  for (int i = 0; view.strides && i < view.ndim; ++i)
    bits |= static_cast<size_t>(view.strides[i]);
  return bits % alignment == 0;
}

/// The array that a buffer shows; nullptr if it is no array of numbers.
const Type *type_of_view(const Py_buffer &view) {
  const Type *dtype = item_of_buffer(view);
  if (!dtype || view.ndim > NPY_MAXDIMS || view.suboffsets)
    return nullptr;
  const Layout layout = PyBuffer_IsContiguous(&view, 'C')   ? Layout::C
                        : PyBuffer_IsContiguous(&view, 'F') ? Layout::F
                                                            : Layout::A;
  const size_t alignment = dtype->is_complex() ? view.itemsize / 2 : view.itemsize;
  return types::array(dtype, view.ndim, layout, view.readonly != 0, !is_aligned(view, alignment));
}

} // namespace

bool is_string(PyObject *object) {
  return PyUnicode_CheckExact(object) ||
         (PyUnicode_Check(object) && PyArray_IsScalar(object, Unicode));
}

bool is_bytes(PyObject *object) {
  return PyBytes_CheckExact(object) || PyByteArray_CheckExact(object) ||
         (PyBytes_Check(object) && PyArray_IsScalar(object, String));
}

void put_string(PyObject *object, uint64_t *&slots) {
  make_ready(object);
  *slots++ = reinterpret_cast<uint64_t>(PyUnicode_DATA(object));
  *slots++ = owner_of(object);
  *slots++ = static_cast<uint64_t>(PyUnicode_GET_LENGTH(object));
  *slots++ = static_cast<uint64_t>(PyUnicode_KIND(object));
}

void put_bytes(PyObject *object, uint64_t *&slots) {
  const bool fixed = PyBytes_Check(object);
  *slots++ =
      reinterpret_cast<uint64_t>(fixed ? PyBytes_AS_STRING(object) : PyByteArray_AS_STRING(object));
  *slots++ = owner_of(object);
  *slots++ = static_cast<uint64_t>(fixed ? PyBytes_GET_SIZE(object) : PyByteArray_GET_SIZE(object));
}

PyObject *box_string(const Type *, const uint64_t *&slots) {
  const auto *data = reinterpret_cast<const void *>(slots[0]);
  const uint64_t owner = slots[1];
  const auto length = static_cast<Py_ssize_t>(slots[2]);
  const auto kind = static_cast<int>(slots[3]);
  slots += 4;
  PyObject *object = foreign(owner);
  if (object && PyUnicode_Check(object) && PyUnicode_DATA(object) == data &&
      PyUnicode_GET_LENGTH(object) == length)
    return object; // with the count that we were given
  PyObject *made = PyUnicode_FromKindAndData(kind, data, length);
  nj_release(reinterpret_cast<void *>(owner));
  return made;
}

PyObject *box_bytes(const Type *type, const uint64_t *&slots) {
  const auto *data = reinterpret_cast<const char *>(slots[0]);
  const uint64_t owner = slots[1];
  const auto length = static_cast<Py_ssize_t>(slots[2]);
  slots += 3;
  if (PyObject *object = foreign(owner)) {
    const bool same_bytes = type->readonly && PyBytes_Check(object) &&
                            PyBytes_AS_STRING(object) == data && PyBytes_GET_SIZE(object) == length;
    const bool same_array = !type->readonly && PyByteArray_Check(object) &&
                            PyByteArray_AS_STRING(object) == data &&
                            PyByteArray_GET_SIZE(object) == length;
    if (same_bytes || same_array)
      return object;
  }
  PyObject *made = type->readonly ? PyBytes_FromStringAndSize(data, length)
                                  : PyByteArray_FromStringAndSize(data, length);
  nj_release(reinterpret_cast<void *>(owner));
  return made;
}

bool shows_memory(PyObject *object) {
  return PyMemoryView_Check(object) || std::strcmp(Py_TYPE(object)->tp_name, "array.array") == 0;
}

const Type *type_of_memory(PyObject *object) {
  const ShownMemory memory(object);
  return memory ? type_of_view(*memory) : nullptr;
}

bool unbox_memory(PyObject *object, const Type *type, uint64_t *&slots) {
  const ShownMemory memory(object);
  if (!memory || type_of_view(*memory) != type) {
    PyErr_Format(PyExc_TypeError, "can't unbox %.200s as %s", Py_TYPE(object)->tp_name,
                 type->text.c_str());
    return false;
  }
  const Py_buffer &view = *memory;
  *slots++ = reinterpret_cast<uint64_t>(view.buf);
  *slots++ = owner_of(object);
  for (int i = 0; i < view.ndim; ++i)
    *slots++ = static_cast<uint64_t>(view.shape ? view.shape[i] : view.len / view.itemsize);
  for (int i = 0; type->layout == Layout::A && i < view.ndim; ++i)
    *slots++ = static_cast<uint64_t>(view.strides[i]);
  return true;
}

} // namespace numjit
