// Looking into the tables of dicts and sets from Python, and putting entries there.
#pragma once

#include "pyext/convert/values.h"

#include <vector>

namespace numjit {

inline nj_table &table_of(nj_block *block) {
  return *reinterpret_cast<nj_table *>(reinterpret_cast<char *>(block) + NJ_PAYLOAD_OFFSET);
}

/// Where the parts of the entries of a type lie.
struct TableShape {
  const Type *type, *key;
  int64_t size;
  uint32_t key_offset, value_offset;
  const TypeLayout *key_layout;
};

/// A dict or set of compiled code. The hash of a key is what library/core/tables.py makes of it.
class Table {
public:
  Table(const Type *type, nj_block *block, Accept accept = Accept::Convertible);

  nj_table &header() const { return table_of(block_); }
  char *entry(int64_t number) const { return header().entries + number * shape_.size; }
  char *value_at(int64_t number) const { return entry(number) + shape_.value_offset; }
  bool is_alive(int64_t number) const { return hash_at(entry(number)) != NJ_DEAD; }

  /// Number of the entry of a key, or -1; -2 with an exception set. The key is kept for insert().
  int64_t find(PyObject *key);
  /// A new entry for the key that find() did not find; a value must follow. -1 with an exception
  /// set.
  int64_t insert();
  bool set_value(int64_t number, PyObject *value, bool overwrite);
  /// Takes an entry out.
  void remove(int64_t number);

  PyObject *key(int64_t number) const;
  PyObject *value(int64_t number) const;

private:
  static int64_t hash_at(const char *entry);
  bool equal(const char *entry, PyObject *key, bool &failed);
  bool hash_key(PyObject *key);
  void release_part(char *memory, const Type *part) const;

  const TableShape &shape_;
  nj_block *block_;
  ValueSlots key_slots_;
  ValueSlots key_; ///< in its memory layout; counts nothing
  int64_t hash_ = 0, slot_ = 0;
  Unboxer unboxer_; ///< what the key needs
};

/// Any item of a set that is not empty.
PyObject *any_of_set(PyObject *set);

} // namespace numjit
