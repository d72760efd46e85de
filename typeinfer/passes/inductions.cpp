// Variables of a loop with equal steps are replaced by the sum of one of them and a constant: the
// number of `enumerate` and the counter of a generator, or `i` and `k` in `i += 1; k += 1`. It is
// done here because after strip-mining (strip_mine.cpp) LLVM does not
// find that they count alike.
#include "typeinfer/passes/edit.h"
#include "typeinfer/passes/passes.h"
#include "typeinfer/passes/range_loop.h"
#include "typeinfer/passes/simplify.h"

#include <algorithm>
#include <optional>
#include <span>

namespace numjit::passes {

using namespace tir;

namespace {

/// start, start + step, start + 2 * step, ..., which wraps around.
struct Count {
  uint64_t start, step;
};

uint64_t bits_of(const Value *constant) { return static_cast<uint64_t>(constant->integer); }

class Inductions {
public:
  Inductions(Function &function, const Loop &loop, const Loops &loops)
      : function_(function), loop_(loop), loops_(loops) {}

  bool run() {
    Block &header = *loop_.header;
    std::vector<Value *> phis(header.values.begin(),
                              header.values.begin() + static_cast<ptrdiff_t>(phi_count(header)));
    std::ranges::stable_partition(phis, [&](const Value *phi) { return is_behind(*phi); });
    bool changed = false;
    for (Value *phi : phis) {
      const std::optional<Count> count = count_of(phi);
      if (!count || is_compared(phi))
        continue;
      Value *other = phi == index() ? nullptr : find_alike(phi, *count, phis);
      const std::optional<Count> others = other ? count_of(other) : std::nullopt;
      if (!others)
        continue;
      write_as_sum(*phi, *other, count->start - others->start);
      changed = true;
    }
    return changed;
  }

private:
  /// The variable that the loop ends by.
  Value *index() const {
    const std::optional<RangeLoop> range = find_range(loop_, loops_);
    return range ? range->index : nullptr;
  }

  /// Tests of a second variable (`zip` of two generators) are for LLVM, which finds the first that
  /// ends the loop: of one variable they are two tests of the same.
  bool is_compared(const Value *phi) const {
    return std::ranges::any_of(loop_.blocks, [&](const Block *block) {
      return std::ranges::any_of(block->values, [&](const Value *value) {
        if (value->op != Op::Scalar || !value->type->is_bool())
          return false;
        return std::ranges::any_of(value->operands, [&](const Value *operand) {
          return operand == phi ||
                 (operand->op != Op::Const && loops_.contains(loop_, operand->block) &&
                  std::ranges::find(phi->operands, operand) != phi->operands.end());
        });
      });
    });
  }

  /// What a phi counts, if it starts at a constant and steps by one.
  std::optional<Count> count_of(const Value *phi) const {
    if (phi->op != Op::Phi || phi->block != loop_.header || !phi->type->is(ScalarId::Int64))
      return std::nullopt;
    const Value *start = nullptr, *next = nullptr;
    for (size_t i = 0; i < phi->operands.size(); ++i) {
      const Value *operand = phi->operands[i];
      const Value *&seen = loops_.contains(loop_, loop_.header->preds[i]) ? next : start;
      const bool same =
          !seen || seen == operand ||
          (&seen == &start && operand->op == Op::Const && operand->integer == seen->integer);
      if (!same)
        return std::nullopt;
      seen = operand;
    }
    if (!start || !next || start->op != Op::Const)
      return std::nullopt;
    if (std::optional<uint64_t> step = step_of(*next, phi))
      return Count{bits_of(start), *step};
    // One behind another: that one's value of the iteration before.
    if (next == phi || next->op != Op::Phi)
      return std::nullopt;
    std::optional<Count> ahead = is_behind(*next) ? std::nullopt : count_of(next);
    if (!ahead || ahead->start - ahead->step != bits_of(start))
      return std::nullopt;
    return Count{bits_of(start), ahead->step};
  }

  /// Whether a phi of the header is given another one in the next iteration.
  bool is_behind(const Value &phi) const {
    for (size_t i = 0; i < phi.operands.size(); ++i)
      if (phi.block == loop_.header && loops_.contains(loop_, loop_.header->preds[i]) &&
          phi.operands[i]->op == Op::Phi)
        return true;
    return false;
  }

  static std::optional<uint64_t> step_of(const Value &next, const Value *phi) {
    const bool sum = next.op == Op::IndexAdd || is_operator(&next, Operator::Add);
    if (!sum && !is_operator(&next, Operator::Sub))
      return std::nullopt;
    const Value *step = next.operands[0] == phi          ? next.operands[1]
                        : sum && next.operands[1] == phi ? next.operands[0]
                                                         : nullptr;
    if (!step || step->op != Op::Const)
      return std::nullopt;
    return sum ? bits_of(step) : -bits_of(step);
  }

  /// The loop's index or an earlier variable that counts by the same step.
  Value *find_alike(const Value *phi, Count count, std::span<Value *const> phis) const {
    auto alike = [&](const Value *other) {
      const std::optional<Count> of = count_of(other);
      return of && of->step == count.step;
    };
    Value *first = index();
    if (first && alike(first))
      return first;
    for (Value *other : phis)
      if (other == phi || alike(other))
        return other == phi ? nullptr : other;
    return nullptr;
  }

  /// The phi itself turns into the sum, so that its uses stay as they are.
  void write_as_sum(Value &phi, Value &of, uint64_t distance) {
    Block &header = *loop_.header;
    Value *constant = make_value(function_, Op::Const, phi.type, {}, phi);
    constant->integer = static_cast<int64_t>(distance);
    constant->nonneg = constant->integer >= 0;
    constant->block = &header;
    std::erase(header.values, &phi);
    phi.op = Op::Scalar;
    phi.scalar_op = scalar::by_operator(Operator::Add)->id;
    phi.operands = {&of, constant};
    const auto behind = header.values.begin() + static_cast<ptrdiff_t>(phi_count(header));
    header.values.insert(behind, {constant, &phi});
  }

  Function &function_;
  const Loop &loop_;
  const Loops &loops_;
};

} // namespace

void inductions(Module &module, const PassOptions &) {
  for (const auto &function : module.functions) {
    const Cfg cfg(*function);
    Loops loops(cfg);
    bool changed = false;
    for (const Loop &loop : loops.all())
      changed |= Inductions(*function, loop, loops).run();
    if (changed)
      tidy(*function);
  }
}

} // namespace numjit::passes
