// Who owns counted memory: which values hold a count of their own, and from which of them every
// other value comes.
#pragma once

#include "typeinfer/ir/cfg.h"

#include <cstdint>
#include <unordered_map>
#include <vector>

namespace numjit::tir {

/// A set of small numbers.
class BitSet {
public:
  explicit BitSet(size_t size = 0) : words_((size + 63) / 64) {}
  bool contains(size_t i) const { return words_[i / 64] >> (i % 64) & 1; }
  void insert(size_t i) { words_[i / 64] |= uint64_t(1) << (i % 64); }
  void remove(size_t i) { words_[i / 64] &= ~(uint64_t(1) << (i % 64)); }
  /// Adds what is in `other`; true if that is anything new.
  bool merge(const BitSet &other) {
    uint64_t news = 0;
    for (size_t w = 0; w < words_.size(); ++w) {
      news |= other.words_[w] & ~words_[w];
      words_[w] |= other.words_[w];
    }
    return news != 0;
  }
  void subtract(const BitSet &other) {
    for (size_t w = 0; w < words_.size(); ++w)
      words_[w] &= ~other.words_[w];
  }
  template <typename Visit>
  void each(Visit visit) const {
    for (size_t w = 0; w < words_.size(); ++w)
      for (uint64_t bits = words_[w]; bits; bits &= bits - 1)
        visit(w * 64 + static_cast<size_t>(__builtin_ctzll(bits)));
  }

private:
  std::vector<uint64_t> words_;
};

/// How many Owners a value of the type holds.
size_t owner_count(const Type *type);

/// Where an Owner inside a value comes from: the `leaf`-th Owner of `base`; without base: null.
struct OwnerSource {
  Value *base = nullptr;
  size_t leaf = 0;
};

/// How a counted value that is read from memory is kept alive.
enum class Held : uint8_t {
  Counted,  ///< by a count of its own
  Borrowed, ///< by the count of the memory, which is not overwritten while the value is used
  Watched,  ///< not decided: a root, whose uses are uses of what it is read from, too
};
/// By value id; empty: all are counted.
using HeldLoads = std::vector<Held>;

/// *Roots* are the values that own a count: results of allocations and calls, loads of counted
/// values, and phis. Parameters are borrowed, and so are phis that only merge borrowed values, and
/// loads that need no count.
/// Whatever is made from roots (views, items, pointers into their memory) keeps them alive.
///
/// Stack memory owns nothing: it passes values to calls that read them. A call with such memory as
/// argument keeps alive what was stored there before.
class Ownership {
public:
  Ownership(const Function &function, const Cfg &cfg, HeldLoads loads = {});

  const std::vector<Value *> &roots() const { return roots_; }
  /// Place in roots(), -1 for other values.
  int root_index(const Value *value) const { return root_index_[value->id]; }
  /// The roots (by place) that must live as long as the value is used.
  const std::vector<uint32_t> &keeps(const Value *value) const { return keeps_[value->id]; }
  /// The roots that must live as long as the operation runs: what its operands keep.
  std::vector<uint32_t> used_by(const Value &value) const;
  /// The sources of the Owners in a counted value, in order.
  std::vector<OwnerSource> sources(Value *value) const;

private:
  Held held(const Value &value) const { return loads_.empty() ? Held::Counted : loads_[value.id]; }
  void find_roots(const Cfg &cfg);
  bool update_keeps(const Cfg &cfg);
  void find_stack_uses(const Cfg &cfg);

  HeldLoads loads_;
  std::vector<Value *> roots_;
  std::vector<int> root_index_;                                            ///< by value id
  std::vector<std::vector<uint32_t>> keeps_;                               ///< by value id
  std::unordered_map<const Value *, std::vector<uint32_t>> through_stack_; ///< by user
};

} // namespace numjit::tir
