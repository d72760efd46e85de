// Python lists as runtime lists and back: in bulk, and only where something changed.
#include "pyext/convert/classes.h"
#include "pyext/convert/fast_long.h"
#include "pyext/convert/owners.h"
#include "pyext/convert/typed_containers.h"
#include "pyext/convert/values.h"
#include "typeinfer/types/item_descriptor.h"

#include <numpy/arrayscalars.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

namespace numjit {

namespace {

nj_list *header_of(void *block) {
  return reinterpret_cast<nj_list *>(static_cast<char *>(block) + NJ_PAYLOAD_OFFSET);
}

/// A runtime list with room for `length` items, none there yet: their memory need not be zeroed.
void *new_list(const Type *item, Py_ssize_t length) {
  const int64_t size = layout_of(item).size;
  void *block = nullptr;
  if (nj_list_new(0, size, item_descriptor(item), &block) == 0 &&
      nj_list_grow(block, length, size) == 0)
    return block;
  nj_release(block);
  nj_clear_error();
  PyErr_NoMemory();
  return nullptr;
}

/// One item by the rules for all types.
bool read_item(PyObject *item, char *memory, const Type *type, Unboxer &unboxer) {
  return unboxer.unbox_part(item, type, memory, Accept::Unifying) ||
         is_heterogeneous("list", item, type);
}

// One function for each way of reading all items; false with an exception set.

bool read_floats(PyObject *const *items, Py_ssize_t length, char *data, const Type *type,
                 Unboxer &unboxer) {
  auto *values = reinterpret_cast<double *>(data);
  for (Py_ssize_t i = 0; i < length; ++i) {
    if (PyFloat_Check(items[i])) // np.float64, too
      values[i] = PyFloat_AS_DOUBLE(items[i]);
    else if (!read_item(items[i], data + i * sizeof(double), type, unboxer))
      return false;
  }
  return true;
}

bool read_integers(PyObject *const *items, Py_ssize_t length, char *data, const Type *type,
                   Unboxer &unboxer) {
  auto *values = reinterpret_cast<int64_t *>(data);
  for (Py_ssize_t i = 0; i < length; ++i) {
    if (PyLong_CheckExact(items[i]) && fast_long(items[i], values[i]))
      continue;
    if (Py_TYPE(items[i]) == &PyLongArrType_Type)
      values[i] = PyArrayScalar_VAL(items[i], Long);
    else if (!read_item(items[i], data + i * sizeof(int64_t), type, unboxer))
      return false;
  }
  return true;
}

/// Items of other types may run Python code, which may change the list.
bool read_any(PyObject *list, Py_ssize_t length, char *data, const Type *type, Unboxer &unboxer) {
  const int64_t size = layout_of(type).size;
  for (Py_ssize_t i = 0; i < length; ++i) {
    if (i >= PyList_GET_SIZE(list)) {
      PyErr_SetString(PyExc_RuntimeError, "list changed size while it was read");
      return false;
    }
    if (!read_item(Ref::borrow(PyList_GET_ITEM(list, i)).get(), data + i * size, type, unboxer))
      return false;
  }
  return true;
}

bool read_items(PyObject *list, Py_ssize_t length, char *data, const Type *type, Unboxer &unboxer) {
  PyObject *const *items = reinterpret_cast<PyListObject *>(list)->ob_item;
  return type->is(ScalarId::Float64) ? read_floats(items, length, data, type, unboxer)
         : type->is(ScalarId::Int64) ? read_integers(items, length, data, type, unboxer)
                                     : read_any(list, length, data, type, unboxer);
}

/// What PyFloat_FromDouble does, without its look at the free list of the interpreter, which holds
/// a hundred floats: a tenth of the time where floats come by the thousand.
PyObject *new_float(double value) {
  auto *made = static_cast<PyFloatObject *>(PyObject_Malloc(sizeof(PyFloatObject)));
  if (!made)
    return PyErr_NoMemory();
  PyObject_Init(reinterpret_cast<PyObject *>(made), &PyFloat_Type);
  made->ob_fval = value;
  return reinterpret_cast<PyObject *>(made);
}

} // namespace

namespace {

/// Whether what the objects of a type were before they were unboxed can be seen in slots: new
/// blocks are made of the objects of classes.
bool has_comparable_slots(const Type *type) {
  const bool made_of_parts = type->is_tuple() || type->kind == Kind::Optional;
  return conversion_of(type).comparable_slots &&
         (!made_of_parts || std::ranges::all_of(type->params, [](const Type *part) {
           return part->kind == Kind::None || has_comparable_slots(part);
         }));
}

/// Whether a Python object still is the item that lies in memory.
bool is_same_item(PyObject *object, const Type *type, const char *memory) {
  const TypeLayout &layout = layout_of(type);
  ValueSlots slots(layout.leaves.size());
  uint64_t *at = slots.data();
  Unboxer unboxer(nullptr, Accept::Unifying);
  if (!unboxer.unbox(object, type, at)) {
    PyErr_Clear();
    return false;
  }
  const uint64_t *slot = slots.data();
  for (const LeafInfo &leaf : layout.leaves) { // little-endian: the low bytes come first
    const uint64_t bytes = in_memory(leaf.leaf, *slot++);
    if (std::memcmp(&bytes, memory + leaf.offset, leaf_size(leaf.leaf)) != 0)
      return false;
  }
  return true;
}

/// The block that lies in memory where a value of a type is a reference to one.
nj_block *block_at(const Type *type, const char *memory) {
  return conversion_of(type).block ? static_cast<nj_block *>(owner_at(memory)) : nullptr;
}

bool is_object_of(const nj_block *block, const Type *type, PyObject *object) {
  if (const Typed *container = typed_container(object))
    return container->block == block;
  if (type->kind == Kind::Instance && type->constant->is_object(ObjectKind::JitClass))
    return reinterpret_cast<PyObject *>(Py_TYPE(object)) == type->constant->object->handle &&
           instance_block(object) == block;
  return block->extra == object;
}

} // namespace

bool still_is(PyObject *object, const Type *type, const char *memory) {
  if (const nj_block *block = block_at(type, memory))
    return is_object_of(block, type, object);
  return has_comparable_slots(type) && is_same_item(object, type, memory);
}

namespace {

/// Makes the objects of items that Python sees.
class ItemBoxer {
public:
  explicit ItemBoxer(const Type *type, PyObject *old)
      : type_(type), size_(layout_of(type).size), floats_(type->is(ScalarId::Float64)),
        integers_(type->is(ScalarId::Int64)), old_(old) {}

  /// A new object for item `i`; null with an exception set.
  PyObject *make(const char *data, int64_t i) const {
    const char *memory = data + i * size_;
    return floats_     ? new_float(*reinterpret_cast<const double *>(memory))
           : integers_ ? PyLong_FromLongLong(*reinterpret_cast<const int64_t *>(memory))
                       : box_from(type_, memory);
  }

  /// The object that stands for it already, borrowed; null if there is none.
  PyObject *kept(const char *data, int64_t i) const {
    if (!old_ || i >= PyList_GET_SIZE(old_))
      return nullptr;
    const char *memory = data + i * size_;
    PyObject *before = PyList_GET_ITEM(old_, i);
    int64_t value;
    bool same;
    if (floats_ && PyFloat_CheckExact(before)) // its very bits: then it costs no allocation
      same = std::bit_cast<int64_t>(PyFloat_AS_DOUBLE(before)) ==
             *reinterpret_cast<const int64_t *>(memory);
    else if (integers_ && PyLong_CheckExact(before) && fast_long(before, value))
      same = value == *reinterpret_cast<const int64_t *>(memory);
    else
      same = still_is(before, type_, memory);
    return same ? before : nullptr;
  }

private:
  const Type *type_;
  int64_t size_;
  bool floats_, integers_;
  PyObject *old_;
};

} // namespace

PyObject *items_to_python(const nj_list &list, const Type *item, PyObject *old) {
  PyObject *made = PyList_New(list.length);
  if (!made)
    return nullptr;
  const ItemBoxer boxed(item, old);
  int64_t i = 0;
  for (; i < std::min<int64_t>(list.length, PyList_GET_SIZE(made)); ++i) {
    PyObject *same = boxed.kept(list.data, i);
    PyObject *value = same ? Py_NewRef(same) : boxed.make(list.data, i);
    if (!value) {
      Py_DECREF(made);
      return nullptr;
    }
    PyList_SET_ITEM(made, i, value);
  }
  Py_SET_SIZE(made, i); // making items may run Python code, which may have shortened the list
  return made;
}

namespace {

/// Lists of numbers that keep their length change in place. What goes may be of a class with
/// __del__, which may do anything to the list.
bool write_numbers(const nj_list &list, const Type *item, PyObject *python) {
  const ItemBoxer boxed(item, python);
  for (int64_t i = 0; i < std::min<int64_t>(list.length, PyList_GET_SIZE(python)); ++i) {
    if (boxed.kept(list.data, i))
      continue;
    PyObject *old = PyList_GET_ITEM(python, i);
    PyObject *made = boxed.make(list.data, i);
    if (!made)
      return false;
    PyList_SET_ITEM(python, i, made);
    Py_DECREF(old);
  }
  return true;
}

} // namespace

void *list_from_python(PyObject *list, const Type *item, Unboxer &unboxer) {
  const Py_ssize_t length = PyList_GET_SIZE(list);
  void *block = new_list(item, length);
  if (!block)
    return nullptr;
  nj_list &header = *header_of(block);
  header.length = length;
  // An item that cannot be read leaves those behind it without an owner.
  if (item->counted && length)
    std::memset(header.data, 0, length * layout_of(item).size);
  if (read_items(list, length, header.data, item, unboxer))
    return block;
  nj_release(block);
  return nullptr;
}

bool update_list(void *block, const Type *item, PyObject *list, const PythonView &view) {
  Unboxer unboxer(&view);
  void *fresh = list_from_python(list, item, unboxer);
  if (!fresh)
    return false;
  std::swap(*header_of(block), *header_of(fresh));
  header_of(block)->dirty = 0;
  nj_release(fresh);
  return true;
}

bool write_list(void *block, const Type *item, PyObject *python) {
  nj_list &list = *header_of(block);
  if (!list.dirty)
    return true;
  list.dirty = 0;
  const bool numbers = item->is(ScalarId::Float64) || item->is(ScalarId::Int64);
  if (numbers && list.length == PyList_GET_SIZE(python))
    return write_numbers(list, item, python);
  Ref made(items_to_python(list, item, python));
  return made && PyList_SetSlice(python, 0, PyList_GET_SIZE(python), made.get()) == 0;
}

PyObject *box_list(const Type *type, const uint64_t *&slots) {
  auto *block = reinterpret_cast<nj_block *>(*slots++);
  if (type->typed)
    return box_typed(type, block);
  // The block of an argument names the list it came from (Unboxer::unbox_copy).
  auto *made = static_cast<PyObject *>(block->extra);
  if (!made)
    made = items_to_python(*header_of(block), type->params[0]);
  else
    made = write_list(block, type->params[0], made) ? Py_NewRef(made) : nullptr;
  if (made && !block->extra && shared_lists && block->count > 1)
    shared_lists->add(block, type->params[0], made);
  else
    nj_release(block);
  return made;
}

thread_local SharedLists *shared_lists = nullptr;

void SharedLists::add(nj_block *block, const Type *item, PyObject *list) {
  if (lists_.size() == kMost) {
    const Shared oldest = lists_.front();
    lists_.erase(lists_.begin());
    forget(oldest);
  }
  header_of(block)->dirty = 0;
  block->extra = list;
  lists_.push_back({block, item, Py_NewRef(list)});
}

bool SharedLists::write() {
  for (const Shared &each : lists_)
    if (!write_list(each.block, each.item, each.list))
      return false;
  const auto last = std::stable_partition(lists_.begin(), lists_.end(), [](const Shared &each) {
    return each.block->count > 1 && Py_REFCNT(each.list) > 1;
  });
  const std::vector<Shared> gone(last, lists_.end());
  lists_.erase(last, lists_.end());
  for (const Shared &each : gone)
    forget(each);
  return true;
}

void SharedLists::clear() {
  for (const Shared &each : std::exchange(lists_, {}))
    forget(each);
}

void SharedLists::forget(const Shared &each) {
  each.block->extra = nullptr;
  nj_release(each.block);
  Py_DECREF(each.list);
}

} // namespace numjit
