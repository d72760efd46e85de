// Strings, bytes, memoryviews and array.arrays to slots and back. They are passed where they lie;
// the object is the owner.
#include "pyext/convert/values.h"
#include "pyext/read/scalar_codes.h"
#include "runtime/runtime.h"

#include <cstring>

namespace numjit {

namespace {

uint64_t owner_of(PyObject *object) { return reinterpret_cast<uint64_t>(object) | NJ_FOREIGN_BIT; }

/// The Python object behind an owner; null for a block of ours.
PyObject *foreign(uint64_t owner) {
  return owner & NJ_FOREIGN_BIT ? reinterpret_cast<PyObject *>(owner - NJ_FOREIGN_BIT) : nullptr;
}

/// NumPy's number of a buffer's items, by their letter; -1 if they are no numbers.
int typenum_of_format(const char *format) {
  static constexpr struct {
    char letter;
    int number;
  } rows[] = {{'?', NPY_BOOL},   {'b', NPY_BYTE}, {'B', NPY_UBYTE}, {'h', NPY_SHORT},
              {'H', NPY_USHORT}, {'i', NPY_INT},  {'I', NPY_UINT},  {'l', NPY_LONG},
              {'L', NPY_ULONG},  {'q', NPY_LONG}, {'Q', NPY_ULONG}, {'f', NPY_FLOAT},
              {'d', NPY_DOUBLE}};
  if (!format)
    return NPY_UBYTE;
  for (const auto &row : rows)
    if (format[0] == row.letter && !format[1])
      return row.number;
  return -1;
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

/// The array that a buffer shows; nullptr if it is no array of numbers in order.
const Type *type_of_view(const Py_buffer &view) {
  const int number = typenum_of_format(view.format);
  if (number < 0 || view.ndim < 1 || view.ndim > NPY_MAXDIMS || !PyBuffer_IsContiguous(&view, 'C'))
    return nullptr;
  const Type *dtype = scalar_of_typenum(number);
  return dtype ? types::array(dtype, view.ndim, Layout::C, view.readonly != 0) : nullptr;
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
  return true;
}

} // namespace numjit
