#include "pyext/tables.h"

#include "pyext/typed_containers.h"
#include "typeinfer/item_descriptor.h"

#include <bit>
#include <cstring>

namespace numjit {

Table::Table(const Type *type, nj_block *block)
    : type_(type), block_(block), key_type_(type->params[0]),
      size_(layout_of(entry_type(type)).size), key_offset_(entry_offset(type, kEntryKey)),
      value_offset_(type->kind == Kind::Dict ? entry_offset(type, kEntryValue) : 0),
      key_(layout_of(key_type_).size), key_slots_(layout_of(key_type_).leaves.size()) {}

int64_t Table::hash_at(const char *entry) {
  int64_t hash;
  std::memcpy(&hash, entry, sizeof hash);
  return hash;
}

/// As key_hash() of library/tables.py.
bool Table::hash_key(PyObject *key) {
  if (key_type_->is_scalar() && !key_type_->is_complex()) {
    const uint64_t slot = key_slots_[0];
    if (!key_type_->is_float())
      hash_ = static_cast<int64_t>(slot);
    else
      hash_ = std::bit_cast<int64_t>(
          (key_type_->bits() == 64 ? double_of(slot) : double(float_of(slot))) + 0.0);
    if (hash_ == NJ_DEAD)
      hash_ = -2;
    return true;
  }
  hash_ = PyObject_Hash(key);
  return hash_ != -1;
}

bool Table::equal(const char *entry, PyObject *key, bool &failed) const {
  const char *memory = entry + key_offset_;
  if (key_type_->is_integer() || key_type_->is_bool())
    return std::memcmp(memory, key_.data(), key_.size()) == 0;
  Ref other(box_from(key_type_, memory));
  int answer = other ? PyObject_RichCompareBool(other.get(), key, Py_EQ) : -1;
  failed = answer < 0;
  return answer == 1;
}

int64_t Table::find(PyObject *key) {
  uint64_t *slots = key_slots_.data();
  if (!unboxer_.unbox(key, key_type_, slots) || !hash_key(key))
    return -2;
  store_leaves(layout_of(key_type_), key_slots_.data(), key_.data());
  const nj_table &table = header();
  auto bits = static_cast<uint64_t>(hash_);
  bits = (bits ^ bits >> 32) * NJ_HASH_FACTOR;
  for (auto slot = static_cast<int64_t>((bits ^ bits >> 32) & static_cast<uint64_t>(table.mask));;
       slot = (slot + 1) & table.mask) {
    const int32_t number = table.index[slot];
    slot_ = slot;
    if (number < 0)
      return -1;
    bool failed = false;
    if (hash_at(entry(number)) == hash_ && equal(entry(number), key, failed))
      return number;
    if (failed)
      return -2;
  }
}

int64_t Table::insert() {
  nj_table &table = header();
  if (table.room == 0 && nj_table_grow(block_, hash_, &slot_) != 0) {
    nj_clear_error();
    PyErr_NoMemory();
    return -1;
  }
  const int64_t number = table.end++;
  table.index[slot_] = static_cast<int32_t>(number);
  ++table.used;
  --table.room;
  table.dirty = 1;
  const TypeLayout &layout = layout_of(key_type_);
  for (size_t i = 0; i < layout.leaves.size(); ++i)
    if (layout.leaves[i].owner)
      nj_retain(reinterpret_cast<void *>(key_slots_[i]));
  std::memcpy(entry(number), &hash_, sizeof hash_);
  std::memcpy(entry(number) + key_offset_, key_.data(), key_.size());
  return number;
}

void Table::release_part(char *memory, const Type *part) const {
  for (const LeafInfo &leaf : layout_of(part).leaves) {
    if (!leaf.owner)
      continue;
    void *owner;
    std::memcpy(&owner, memory + leaf.offset, sizeof owner);
    nj_release(owner);
  }
}

bool Table::set_value(int64_t number, PyObject *value, bool overwrite) {
  const Type *type = type_->params[1];
  std::vector<char> made(layout_of(type).size);
  if (!unbox_to(value, type, made.data()))
    return false;
  char *memory = entry(number) + value_offset_;
  std::vector<char> old(memory, memory + made.size());
  std::memcpy(memory, made.data(), made.size());
  header().dirty = 1;
  if (overwrite)
    release_part(old.data(), type);
  return true;
}

void Table::remove(int64_t number) {
  std::vector<char> old(entry(number), entry(number) + size_);
  const int64_t dead = NJ_DEAD;
  std::memcpy(entry(number), &dead, sizeof dead);
  --header().used;
  header().dirty = 1;
  release_part(old.data(), entry_type(type_));
}

PyObject *Table::key(int64_t number) const {
  return box_from(key_type_, entry(number) + key_offset_);
}

PyObject *Table::value(int64_t number) const {
  return box_from(type_->params[1], entry(number) + value_offset_);
}

// --- sets
// --------------------------------------------------------------------------------------------------

PyObject *any_of_set(PyObject *set) {
  Ref iterator(PyObject_GetIter(set));
  return iterator ? PyIter_Next(iterator.get()) : nullptr;
}

void *set_from_python(PyObject *set, const Type *type) {
  void *block = nullptr;
  if (nj_table_new(item_descriptor(entry_type(type)), &block) != 0) {
    nj_clear_error();
    PyErr_NoMemory();
    return nullptr;
  }
  Table table(type, static_cast<nj_block *>(block));
  Ref iterator(PyObject_GetIter(set));
  bool fine = static_cast<bool>(iterator);
  while (fine) {
    Ref item(PyIter_Next(iterator.get()));
    if (!item)
      break;
    if (!is_of_class(item.get(), type->params[0])) {
      PyErr_Format(PyExc_TypeError, "can't unbox heterogeneous set: %.200s != %s",
                   Py_TYPE(item.get())->tp_name, type->params[0]->text.c_str());
      fine = false;
      break;
    }
    const int64_t found = table.find(item.get());
    fine = found >= 0 || (found == -1 && table.insert() >= 0);
  }
  if (!fine || PyErr_Occurred()) {
    nj_release(block);
    return nullptr;
  }
  table_of(static_cast<nj_block *>(block)).dirty = 0;
  return block;
}

static bool add_items(PyObject *python, const Type *type, void *block) {
  Table table(type, static_cast<nj_block *>(block));
  for (int64_t i = 0; i < table.header().end; ++i) {
    if (!table.is_alive(i))
      continue;
    Ref item(table.key(i));
    if (!item || PySet_Add(python, item.get()) < 0)
      return false;
  }
  return true;
}

bool write_set(void *block, const Type *type, PyObject *python) {
  if (!table_of(static_cast<nj_block *>(block)).dirty)
    return true;
  if (PyFrozenSet_Check(python)) {
    PyErr_SetString(PyExc_TypeError, "a frozenset was changed by a compiled function");
    return false;
  }
  return PySet_Clear(python) == 0 && add_items(python, type, block);
}

PyObject *box_set(const Type *type, const uint64_t *&slots) {
  auto *block = reinterpret_cast<nj_block *>(*slots++);
  if (type->typed)
    return box_typed(type, block);
  PyObject *made;
  if (block->extra) { // the block of an argument names the set it came from
    made = Py_NewRef(static_cast<PyObject *>(block->extra));
  } else {
    made = PySet_New(nullptr);
    if (made && !add_items(made, type, block))
      Py_CLEAR(made);
  }
  nj_release(block);
  return made;
}

} // namespace numjit
