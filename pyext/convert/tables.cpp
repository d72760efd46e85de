#include "pyext/convert/tables.h"

#include "pyext/convert/owners.h"
#include "runtime/table_search.h"
#include "typeinfer/types/item_descriptor.h"

#include <bit>
#include <cstring>
#include <unordered_map>
#include <utility>

namespace numjit {

namespace {

const TableShape &shape_of(const Type *type) {
  static auto *const shapes = new std::unordered_map<const Type *, TableShape>; // under the GIL
  auto [found, made] = shapes->try_emplace(type);
  if (made)
    found->second = {type,
                     type->params[0],
                     layout_of(entry_type(type)).size,
                     entry_offset(type, kEntryKey),
                     type->kind == Kind::Dict ? entry_offset(type, kEntryValue) : 0,
                     &layout_of(type->params[0])};
  return found->second;
}

} // namespace

Table::Table(const Type *type, nj_block *block, Accept accept)
    : shape_(shape_of(type)), block_(block), key_slots_(shape_.key_layout->leaves.size()),
      key_((shape_.key_layout->size + 7) / 8), unboxer_(nullptr, accept) {}

int64_t Table::hash_at(const char *entry) {
  int64_t hash;
  std::memcpy(&hash, entry, sizeof hash);
  return hash;
}

/// As key_hash() of library/core/tables.py.
bool Table::hash_key(PyObject *key) {
  if ((shape_.key->is_scalar() && !shape_.key->is_complex()) || shape_.key->is_time()) {
    const uint64_t slot = *key_slots_.data();
    if (!shape_.key->is_float())
      hash_ = static_cast<int64_t>(slot);
    else
      hash_ = hash_of_bits(std::bit_cast<uint64_t>(
          (shape_.key->bits() == 64 ? double_of(slot) : double(float_of(slot))) + 0.0));
    if (hash_ == NJ_DEAD)
      hash_ = -2;
    return true;
  }
  hash_ = PyObject_Hash(key);
  return hash_ != -1;
}

bool Table::equal(const char *entry, PyObject *key, bool &failed) {
  const char *memory = entry + shape_.key_offset;
  if (shape_.key->is_integer() || shape_.key->is_bool() || shape_.key->is_time())
    return std::memcmp(memory, key_.data(), shape_.key_layout->size) == 0;
  Ref other(box_from(shape_.key, memory));
  int answer = other ? PyObject_RichCompareBool(other.get(), key, Py_EQ) : -1;
  failed = answer < 0;
  return answer == 1;
}

int64_t Table::find(PyObject *key) {
  uint64_t *slots = key_slots_.data();
  if (!unboxer_.unbox(key, shape_.key, slots) || !hash_key(key))
    return -2;
  store_leaves(*shape_.key_layout, key_slots_.data(), reinterpret_cast<char *>(key_.data()));
  const nj_table &table = header();
  for (TableSearch search(table, hash_);; search.go_on()) {
    slot_ = search.slot();
    const int32_t number = table.index[slot_];
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
  const TypeLayout &layout = *shape_.key_layout;
  for (size_t i = 0; i < layout.leaves.size(); ++i)
    if (layout.leaves[i].owner)
      nj_retain(reinterpret_cast<void *>(key_slots_.data()[i]));
  std::memcpy(entry(number), &hash_, sizeof hash_);
  std::memcpy(entry(number) + shape_.key_offset, key_.data(), layout.size);
  return number;
}

void Table::release_part(char *memory, const Type *part) const {
  for (const LeafInfo &leaf : layout_of(part).leaves)
    if (leaf.owner)
      nj_release(owner_at(memory + leaf.offset));
}

bool Table::set_value(int64_t number, PyObject *value, bool overwrite) {
  const Type *type = shape_.type->params[1];
  std::vector<char> made(layout_of(type).size);
  if (!unbox_to(value, type, made.data()))
    return false;
  header().dirty = 1;
  if (overwrite)
    replace_item(type, value_at(number), made.data());
  else
    std::memcpy(value_at(number), made.data(), made.size());
  return true;
}

void Table::remove(int64_t number) {
  std::vector<char> old(entry(number), entry(number) + shape_.size);
  const int64_t dead = NJ_DEAD;
  std::memcpy(entry(number), &dead, sizeof dead);
  --header().used;
  header().dirty = 1;
  release_part(old.data(), entry_type(shape_.type));
}

PyObject *Table::key(int64_t number) const {
  return box_from(shape_.key, entry(number) + shape_.key_offset);
}

PyObject *Table::value(int64_t number) const {
  return box_from(shape_.type->params[1], value_at(number));
}

/// An empty block for a dict or set; null with an exception set.
void *new_table(const Type *type) {
  void *block = nullptr;
  if (nj_table_new(item_descriptor(entry_type(type)), &block) == 0)
    return block;
  nj_clear_error();
  PyErr_NoMemory();
  return nullptr;
}

// --- sets ---

PyObject *any_of_set(PyObject *set) {
  Ref iterator(PyObject_GetIter(set));
  return iterator ? PyIter_Next(iterator.get()) : nullptr;
}

void *set_from_python(PyObject *set, const Type *type) {
  void *block = new_table(type);
  if (!block)
    return nullptr;
  Table table(type, static_cast<nj_block *>(block), Accept::Unifying);
  Ref iterator(PyObject_GetIter(set));
  bool fine = static_cast<bool>(iterator);
  while (fine) {
    Ref item(PyIter_Next(iterator.get()));
    if (!item)
      break;
    const int64_t found = table.find(item.get());
    if (found == -2)
      fine = is_heterogeneous("set", item.get(), type->params[0]);
    else
      fine = found >= 0 || table.insert() >= 0;
  }
  if (!fine || PyErr_Occurred()) {
    nj_release(block);
    return nullptr;
  }
  table_of(static_cast<nj_block *>(block)).dirty = 0;
  return block;
}

/// Takes out of a Python set what is no longer in ours; what stays keeps its objects.
static bool remove_others(PyObject *python, const Type *type, void *block) {
  Ref items(PySequence_List(python));
  Table table(type, static_cast<nj_block *>(block), Accept::Unifying);
  for (Py_ssize_t i = 0; items && i < PyList_GET_SIZE(items.get()); ++i) {
    PyObject *item = PyList_GET_ITEM(items.get(), i);
    const int64_t found = table.find(item);
    if (found == -2)
      PyErr_Clear(); // Python code of the call has put another type there
    if (found < 0 && PySet_Discard(python, item) < 0)
      return false;
  }
  return static_cast<bool>(items);
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
  nj_table &table = table_of(static_cast<nj_block *>(block));
  if (!table.dirty)
    return true;
  table.dirty = 0;
  if (PyFrozenSet_Check(python)) {
    PyErr_SetString(PyExc_TypeError, "a frozenset was changed by a compiled function");
    return false;
  }
  return remove_others(python, type, block) && add_items(python, type, block);
}

bool update_set(void *block, const Type *type, PyObject *python) {
  void *fresh = set_from_python(python, type);
  if (!fresh)
    return false;
  std::swap(table_of(static_cast<nj_block *>(block)), table_of(static_cast<nj_block *>(fresh)));
  nj_release(fresh);
  return true;
}

PyObject *box_set(const Type *type, const uint64_t *&slots) {
  auto *block = reinterpret_cast<nj_block *>(*slots++);
  if (type->typed)
    return box_typed(type, block);
  PyObject *made;
  if (block->extra) { // the block of an argument names the set it came from
    made = static_cast<PyObject *>(block->extra);
    made = write_set(block, type, made) ? Py_NewRef(made) : nullptr;
  } else {
    made = PySet_New(nullptr);
    if (made && !add_items(made, type, block))
      Py_CLEAR(made);
  }
  nj_release(block);
  return made;
}

PyObject *box_frozen_set(const Type *type, const uint64_t *&slots) {
  auto *block = reinterpret_cast<nj_block *>(*slots++);
  if (block->extra) { // the frozenset of Python's that was passed
    PyObject *made = Py_NewRef(static_cast<PyObject *>(block->extra));
    nj_release(block);
    return made;
  }
  PyObject *made = PyFrozenSet_New(nullptr);
  if (made && !add_items(made, type, block)) // while nothing else knows it
    Py_CLEAR(made);
  nj_release(block);
  return made;
}

// --- dicts ---

namespace {

/// One item of a Python dict; false with an exception set.
bool read_entry(Table &table, const Type *type, PyObject *key, PyObject *value, Unboxer &unboxer) {
  int64_t entry = table.find(key);
  if (entry == -2)
    return is_heterogeneous("dict", key, type->params[0]);
  if (entry < 0) {
    entry = table.insert();
    if (entry < 0)
      return false;
    std::memset(table.value_at(entry), 0, layout_of(type->params[1]).size); // owns nothing
  }
  return unboxer.unbox_part(value, type->params[1], table.value_at(entry), Accept::Unifying) ||
         is_heterogeneous("dict", value, type->params[1]);
}

/// The keys of a Python dict that are in the table, in its order, with the numbers of their
/// entries. Others are taken out of the dict. False with an exception set.
bool keys_that_stay(PyObject *python, Table &table, std::vector<std::pair<Ref, int64_t>> &keys) {
  Ref all(PyMapping_Keys(python));
  for (Py_ssize_t i = 0; all && i < PyList_GET_SIZE(all.get()); ++i) {
    PyObject *key = PyList_GET_ITEM(all.get(), i);
    const int64_t entry = table.find(key);
    if (entry == -2)
      PyErr_Clear(); // Python code of the call has put another type there
    if (entry >= 0)
      keys.emplace_back(Ref::borrow(key), entry);
    else if (PyObject_DelItem(python, key) < 0)
      return false;
  }
  return static_cast<bool>(all);
}

/// The value of an entry: the object that stands for it in the dict, or a new one.
Ref value_of_entry(PyObject *python, PyObject *key, const Table &table, const Type *type,
                   int64_t entry, bool &same) {
  Ref before(PyObject_GetItem(python, key));
  same = before && still_is(before.get(), type->params[1], table.value_at(entry));
  PyErr_Clear();
  return same ? std::move(before) : Ref(table.value(entry));
}

} // namespace

void *dict_from_python(PyObject *dict, const Type *type, Unboxer &unboxer) {
  void *block = new_table(type);
  if (!block)
    return nullptr;
  Table table(type, static_cast<nj_block *>(block), Accept::Unifying);
  Ref items(PyMapping_Items(dict));
  bool fine = static_cast<bool>(items);
  for (Py_ssize_t i = 0; fine && i < PyList_GET_SIZE(items.get()); ++i) {
    PyObject *item = PyList_GET_ITEM(items.get(), i);
    fine = read_entry(table, type, PyTuple_GET_ITEM(item, 0), PyTuple_GET_ITEM(item, 1), unboxer);
  }
  if (!fine) {
    nj_release(block);
    return nullptr;
  }
  table_of(static_cast<nj_block *>(block)).dirty = 0;
  return block;
}

bool write_dict(void *block, const Type *type, PyObject *python) {
  Table table(type, static_cast<nj_block *>(block), Accept::Unifying);
  if (!table.header().dirty)
    return true;
  table.header().dirty = 0;
  std::vector<std::pair<Ref, int64_t>> keys;
  if (!keys_that_stay(python, table, keys))
    return false;
  std::unordered_map<int64_t, PyObject *> key_of;
  for (auto &[key, entry] : keys)
    key_of.emplace(entry, key.get());
  size_t in_place = 0; // keys that are where they were; the others move to the end
  bool moves = false;
  for (int64_t i = 0; i < table.header().end; ++i) {
    if (!table.is_alive(i))
      continue;
    auto known = key_of.find(i);
    moves = moves || in_place >= keys.size() || keys[in_place].second != i;
    ++in_place;
    Ref key(known != key_of.end() ? Py_NewRef(known->second) : table.key(i)), value;
    bool same = false;
    if (key)
      value = known == key_of.end() ? Ref(table.value(i))
                                    : value_of_entry(python, key.get(), table, type, i, same);
    if (!value || (moves && known != key_of.end() && PyObject_DelItem(python, key.get()) < 0) ||
        ((moves || !same) && PyObject_SetItem(python, key.get(), value.get()) < 0))
      return false;
  }
  return true;
}

PyObject *copy_of_dict(void *block, const Type *type) {
  const Table table(type, static_cast<nj_block *>(block));
  Ref made(PyDict_New());
  for (int64_t i = 0; made && i < table.header().end; ++i) {
    if (!table.is_alive(i))
      continue;
    Ref key(table.key(i)), value(key ? table.value(i) : nullptr);
    if (!value || PyDict_SetItem(made.get(), key.get(), value.get()) < 0)
      return nullptr;
  }
  return made.release();
}

bool update_dict(void *block, const Type *type, PyObject *python, const PythonView &view) {
  Unboxer unboxer(&view);
  void *fresh = dict_from_python(python, type, unboxer);
  if (!fresh)
    return false;
  std::swap(table_of(static_cast<nj_block *>(block)), table_of(static_cast<nj_block *>(fresh)));
  nj_release(fresh);
  return true;
}

PyObject *box_dict(const Type *type, const uint64_t *&slots) {
  auto *block = reinterpret_cast<nj_block *>(*slots++);
  if (type->readonly) { // a global one: Python gets a dict of its own
    PyObject *copy = copy_of_dict(block, type);
    nj_release(block);
    return copy;
  }
  if (!block->extra)
    return box_typed(type, block);
  auto *made = static_cast<PyObject *>(block->extra); // the dict of an argument
  made = write_dict(block, type, made) ? Py_NewRef(made) : nullptr;
  nj_release(block);
  return made;
}

} // namespace numjit
