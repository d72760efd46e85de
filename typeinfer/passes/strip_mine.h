// Strip-mining: a counting loop in chunks, with a poll between two chunks.
#pragma once

#include "typeinfer/passes/range_loop.h"

#include <utility>
#include <vector>

namespace numjit::passes {

/// From
///
///   header: i = phi(start, i + step); if (i < bound) body else exit
///
/// makes
///
///   outer:  o = phi(start, i); limit = min(bound, o + chunk * step)
///   header: i = phi(o, i + step); if (i < limit) body else check
///   check:  if (limit < bound) again else exit
///   again:  poll; goto outer
class StripMine {
public:
  static bool possible(const tir::RangeLoop &range);
  /// Hoists what the limit is computed from to `before`, which dominates the loop.
  StripMine(const tir::Loop &loop, const tir::Loops &loops, const tir::RangeLoop &range,
            tir::Block &before, uint64_t chunk);
  void apply(tir::Function &function);

private:
  /// Where a chunk ends. `before_bound`: whether that is short of the loop's end; null if the bound
  /// may change in the loop. `end`: the value where it is short. Chunks that begin there have
  /// starts that LLVM knows: it counts by a constant.
  struct Limit {
    tir::Value *value = nullptr, *before_bound = nullptr, *end = nullptr;
  };
  tir::Value *is_long();
  bool is_near(const tir::Value *start, bool up) const;
  std::pair<tir::Value *, tir::Value **> merge_phis(tir::Function &function, tir::Block &outer,
                                                    const std::vector<tir::Block *> &preds);
  Limit limit(tir::Value *start);
  Limit limit(tir::Value *start, bool up);
  tir::Value *limited(tir::Value *condition, tir::Value *limit);

  tir::Value *add(tir::Op op, const Type *type, std::initializer_list<tir::Value *> operands);
  tir::Value *add(Operator oper, const Type *type, std::initializer_list<tir::Value *> operands);
  tir::Value *constant(const Type *type, int64_t integer);

  tir::Block *header_;
  std::vector<tir::Block *> latches_;
  tir::RangeLoop range_;
  uint64_t chunk_;
  bool asks_for_index_;
  bool same_each_time_; ///< from and to the same numbers in each iteration of the loop around
  tir::Function *function_ = nullptr;
  tir::Block *block_ = nullptr; ///< where code is added, before its terminator if it has one
};

} // namespace numjit::passes
