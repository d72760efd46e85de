// Sums of indices: whether `i + j - n` stays below a number, for the loops that count i and j.
#pragma once

#include "typeinfer/passes/intervals.h"

#include <algorithm>

namespace numjit::tir {

/// Values times factors, plus a constant. Nothing is known of it once a number overflowed.
struct Sum {
  std::vector<std::pair<const Value *, int64_t>> terms;
  int64_t constant = 0;
  bool known = true;

  void add(int64_t number, int64_t factor) {
    int64_t product = 0;
    known = known && !__builtin_mul_overflow(number, factor, &product) &&
            !__builtin_add_overflow(constant, product, &constant);
  }
  auto term_of(const Value *value) {
    return std::find_if(terms.begin(), terms.end(),
                        [&](const auto &term) { return is_same(term.first, value); });
  }
  void add(const Value *value, int64_t factor) {
    auto term = term_of(value);
    if (term == terms.end())
      terms.emplace_back(value, factor);
    else if (__builtin_add_overflow(term->second, factor, &term->second))
      known = false;
    else if (term->second == 0)
      terms.erase(term);
  }
};

class IndexSums {
public:
  explicit IndexSums(Intervals &intervals) : intervals_(intervals) {}

  /// Adds `factor * value`, taken apart as far as nothing can wrap around.
  void add_product(Sum &sum, const Value *value, int64_t factor, int depth = 0);
  /// Whether the sum is at most `limit` in `block`.
  bool at_most(Sum sum, int64_t limit, const Block *block);
  /// Whether `factor * value` is.
  bool product_at_most(const Value *value, int64_t factor, int64_t limit, const Block *block);

private:
  bool add_last(Sum &sum, const RangeLoop &range, int64_t factor);

  static constexpr int deepest = 16;
  Intervals &intervals_;
};

} // namespace numjit::tir
