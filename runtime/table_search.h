// Which slots of a table's index a search for a hash visits, as probe() of library/core/tables.py
// does in compiled code.
#pragma once

#include "runtime/runtime.h"

namespace numjit {

/// All bits of a number in the lower half.
inline uint64_t spread_bits(uint64_t bits) {
  bits = (bits ^ bits >> 32) * NJ_HASH_FACTOR;
  return bits ^ bits >> 32;
}

/// Hash of a float by its bits, most of which are often 0 at the end.
inline int64_t hash_of_bits(uint64_t bits) { return static_cast<int64_t>(spread_bits(bits)); }

/// The hash itself first: keys that lie close together (numbers of nodes, cells, days) have slots
/// that do, each its own. What is taken there goes on by steps that depend on all bits of the
/// hash: multiples of powers of two spread, and so do ranges on top of each other, which would be
/// searched to their ends by steps of one. `5 * slot + odd` meets all slots.
class TableSearch {
public:
  TableSearch(const nj_table &table, int64_t hash)
      : mask_(static_cast<uint64_t>(table.mask)), slot_(static_cast<uint64_t>(hash) & mask_),
        step_(spread_bits(static_cast<uint64_t>(hash)) | 1) {}

  int64_t slot() const { return static_cast<int64_t>(slot_); }
  void go_on() { slot_ = (5 * slot_ + step_) & mask_; }

private:
  uint64_t mask_, slot_, step_;
};

} // namespace numjit
