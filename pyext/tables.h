// Looking into the tables of dicts and sets from Python, and putting entries there.
#pragma once

#include "pyext/values.h"

#include <vector>

namespace numjit {

inline nj_table &table_of(nj_block *block) {
  return *reinterpret_cast<nj_table *>(reinterpret_cast<char *>(block) + NJ_PAYLOAD_OFFSET);
}

/// A dict or set of compiled code. The hash of a key is what library/tables.py makes of it.
class Table {
public:
  Table(const Type *type, nj_block *block);

  nj_table &header() const { return table_of(block_); }
  char *entry(int64_t number) const { return header().entries + number * size_; }
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
  bool equal(const char *entry, PyObject *key, bool &failed) const;
  bool hash_key(PyObject *key);
  void release_part(char *memory, const Type *part) const;

  const Type *type_;
  nj_block *block_;
  const Type *key_type_;
  int64_t size_;
  uint32_t key_offset_, value_offset_;
  std::vector<char> key_; ///< in its memory layout; counts nothing
  std::vector<uint64_t> key_slots_;
  int64_t hash_ = 0, slot_ = 0;
  Unboxer unboxer_; ///< what the key needs
};

} // namespace numjit
