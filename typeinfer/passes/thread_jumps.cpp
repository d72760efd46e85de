// Jump threading: if the condition of a branch is known on one of the edges into its block, that
// edge is led past the branch. So the `next` of a generator in a loop continues where it stopped,
// without a test of its state. Loop headers are included: the loop is then the generator's own.
#include "typeinfer/ir/cfg.h"
#include "typeinfer/passes/edit.h"
#include "typeinfer/passes/simplify.h"
#include "typeinfer/passes/ssa_update.h"

#include <algorithm>
#include <array>
#include <optional>
#include <unordered_map>

namespace numjit::passes {

using namespace tir;

namespace {

constexpr size_t kMostInThreadedBlock = 12; ///< operations of a block that may be copied

/// One block's branch.
class Thread {
public:
  Thread(Function &function, Block &block) : function_(function), block_(block) {}

  bool run() {
    if (!possible())
      return false;
    std::array<std::vector<size_t>, 2> known; // ways on which the condition is false, true
    for (size_t i = 0; i < block_.preds.size(); ++i)
      if (block_.preds[i] != &block_)
        if (std::optional<int64_t> value = on_way(block_.terminator()->operands[0], i))
          known[*value != 0].push_back(i);
    if (known[0].empty() && known[1].empty())
      return false;
    for (size_t outcome : {1, 0})
      if (!known[outcome].empty())
        copy(known[outcome], *block_.succs[1 - outcome]);
    drop_ways(known);
    remove_unreachable(function_);
    repair();
    return true;
  }

private:
  bool possible() const {
    if (block_.terminator()->op != Op::Branch || phi_count(block_) == 0 ||
        block_.values.size() - phi_count(block_) - 1 > kMostInThreadedBlock)
      return false;
    return std::all_of(block_.values.begin(), block_.values.end() - 1, [](const Value *value) {
      return effect_of(*value) == Effect::Pure && value->op != Op::StackAlloc;
    });
  }

  /// What is known of a bool or int64 when control comes from predecessor `way`. Comparisons other
  /// than equality say how long loops run: those stay as they are.
  std::optional<int64_t> on_way(const Value *value, size_t way) const {
    if (value->block == &block_ && value->op == Op::Phi)
      value = value->operands[way];
    if (value->op == Op::Const && (value->type->is_bool() || value->type->is(ScalarId::Int64)))
      return value->integer;
    if (value->block != &block_ || value->op != Op::Scalar || !value->type->is_bool())
      return std::nullopt;
    const std::optional<Operator> oper = scalar::row(value->scalar_op).oper;
    const std::optional<int64_t> a = on_way(value->operands[0], way);
    const std::optional<int64_t> b =
        value->operands.size() > 1 ? on_way(value->operands[1], way) : std::nullopt;
    const int64_t x = a.value_or(0), y = b.value_or(0);
    if (oper == Operator::Not && a)
      return !x;
    if (oper == Operator::Eq && a && b)
      return x == y;
    if (oper == Operator::And || oper == Operator::Or) {
      const int64_t decides = oper == Operator::Or;
      if ((a && x == decides) || (b && y == decides))
        return decides;
      if (a && b)
        return !decides;
    }
    return std::nullopt;
  }

  /// A copy of the block for these ways, which leads to one successor.
  void copy(const std::vector<size_t> &ways, Block &to) {
    Block *made = function_.new_block();
    Copy &copied = copies_.emplace_back(made);
    auto copy_of = [&](Value *value) {
      auto found = copied.values.find(value);
      return found == copied.values.end() ? value : found->second;
    };
    for (Value *value : block_.values) {
      if (value == block_.terminator()) {
        append(*made, make_value(function_, Op::Jump, types::none(), {}, *value));
        break;
      }
      Value *same = copy_value(function_, *value);
      if (value->op == Op::Phi) {
        same->operands.clear();
        for (size_t way : ways)
          same->operands.push_back(value->operands[way]);
      } else {
        for (Value *&operand : same->operands)
          operand = copy_of(operand);
      }
      append(*made, same);
      copied.values[value] = same;
    }
    for (size_t way : ways)
      made->preds.push_back(block_.preds[way]);
    const size_t from = pred_index(to, &block_);
    for (size_t i = 0; i < phi_count(to); ++i)
      to.values[i]->operands.push_back(copy_of(to.values[i]->operands[from]));
    to.preds.push_back(made);
    made->succs = {&to};
    for (Block *pred : made->preds)
      std::replace(pred->succs.begin(), pred->succs.end(), &block_, made);
  }

  void drop_ways(const std::array<std::vector<size_t>, 2> &known) {
    std::vector<bool> gone(block_.preds.size());
    for (const std::vector<size_t> &ways : known)
      for (size_t way : ways)
        gone[way] = true;
    const size_t phis = phi_count(block_);
    for (size_t i = gone.size(); i-- > 0;) {
      if (!gone[i])
        continue;
      block_.preds.erase(block_.preds.begin() + static_cast<ptrdiff_t>(i));
      for (size_t k = 0; k < phis; ++k) {
        std::vector<Value *> &operands = block_.values[k]->operands;
        operands.erase(operands.begin() + static_cast<ptrdiff_t>(i));
      }
    }
  }

  /// What uses values of the block from elsewhere may now come by a copy.
  void repair() {
    std::unordered_map<Value *, SsaVariable> variables;
    auto variable = [&](Value *of) -> SsaVariable & {
      auto [found, is_new] = variables.try_emplace(of, function_, of->type, *of);
      if (is_new) {
        found->second.write(block_, of);
        for (const Copy &copied : copies_)
          found->second.write(*copied.block, copied.values.at(of));
      }
      return found->second;
    };
    struct Use {
      Value *user;
      size_t operand;
    };
    std::vector<Use> uses; // phis are made while they are rewritten
    for (Block *block : function_.blocks)
      for (Value *value : block->values)
        for (size_t i = 0; i < value->operands.size(); ++i)
          if (value->operands[i]->block == &block_ &&
              (value->op == Op::Phi ? block->preds[i] : block) != &block_)
            uses.push_back({value, i});
    for (auto [user, i] : uses) {
      SsaVariable &of = variable(user->operands[i]);
      user->operands[i] =
          user->op == Op::Phi ? of.at_end(*user->block->preds[i]) : of.at_start(*user->block);
    }
  }

  struct Copy {
    explicit Copy(Block *made) : block(made) {}
    Block *block;
    std::unordered_map<Value *, Value *> values;
  };
  Function &function_;
  Block &block_;
  std::vector<Copy> copies_;
};

} // namespace

void thread_jumps(Function &function) {
  constexpr int kMost = 64; // states may follow from states without end
  int made = 0;
  for (bool changed = true; changed && made < kMost;) {
    changed = false;
    const std::vector<Block *> blocks = Cfg(function).order();
    for (Block *block : blocks)
      if (made < kMost &&
          std::find(function.blocks.begin(), function.blocks.end(), block) !=
              function.blocks.end() &&
          Thread(function, *block).run()) {
        changed = true;
        ++made;
      }
    if (changed)
      tidy(function);
  }
}

} // namespace numjit::passes
