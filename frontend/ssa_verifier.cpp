// The rules of SSA, checked in this order:
//
//  1. Blocks have dense ids in reverse postorder: every block but the entry has a predecessor
//     with a smaller id. The entry has none. Each edge is in one succs and one preds list, at most
//     once, and no edge leads from a block with two successors to one with two predecessors. A
//     guarded block has its handler as one more successor.
//  2. A block has phis first, then other values, one terminator at the end. Value ids are dense.
//  3. Operands: as many as the op's row says; every one is defined on every way to its use; `uses`
//     counts them.
//  4. A phi has one operand per predecessor, is not trivial, and is used by something.
//  5. What an op needs besides its operands is there: constants, names, keywords, the IterNext of
//     an IterValue, a Truth or IterValid for a Branch.
//     Parameters are in the entry.
#include "frontend/ssa.h"

#include <algorithm>

namespace numjit::ssa {

namespace {

class Verifier {
public:
  explicit Verifier(const Function &function) : function_(function) {}

  std::string run() {
    if (function_.blocks.empty())
      return "no blocks";
    if (check_blocks() && check_values()) {
      find_dominators();
      check_operands();
    }
    return error_;
  }

private:
  bool fail(const Block &block, const std::string &text) {
    if (error_.empty())
      error_ = "block" + std::to_string(block.id) + ": " + text;
    return false;
  }

  bool fail(const Value &value, const std::string &text) {
    return fail(*value.block,
                "%" + std::to_string(value.id) + " (" + op_row(value.op).name + "): " + text);
  }

  bool check_blocks() {
    for (size_t i = 0; i < function_.blocks.size(); ++i) {
      const Block &block = function_.blocks[i];
      if (block.id != i)
        return fail(block, "id is not its place");
      if (i == 0 ? !block.preds.empty()
                 : std::none_of(block.preds.begin(), block.preds.end(),
                                [&](const Block *pred) { return pred->id < i; }))
        return fail(block, i == 0 ? "the entry has a predecessor" : "not in reverse postorder");
      for (const Block *succ : block.succs) {
        if (std::count(block.succs.begin(), block.succs.end(), succ) != 1 ||
            std::count(succ->preds.begin(), succ->preds.end(), &block) != 1)
          return fail(block, "edge to block" + std::to_string(succ->id) + " is not there once");
        if (block.succs.size() > 1 && succ->preds.size() > 1)
          return fail(block, "critical edge to block" + std::to_string(succ->id));
      }
      for (const Block *pred : block.preds)
        if (std::count(pred->succs.begin(), pred->succs.end(), &block) != 1)
          return fail(block, "block" + std::to_string(pred->id) + " doesn't lead here");
    }
    return true;
  }

  bool check_values() {
    uint32_t next_id = 0;
    index_.resize(function_.values.size());
    for (const Block &block : function_.blocks) {
      if (block.values.empty())
        return fail(block, "empty");
      bool in_phis = true;
      for (size_t i = 0; i < block.values.size(); ++i) {
        const Value &value = *block.values[i];
        if (value.block != &block)
          return fail(block, "holds a value of another block");
        if (value.id != next_id++ || value.id >= index_.size())
          return fail(value, "id is not its place");
        index_[value.id] = i;
        if (is_terminator(value.op) != (i + 1 == block.values.size()))
          return fail(value, "terminator in the middle, or none at the end");
        if (value.op == Op::Phi && !in_phis)
          return fail(value, "phi behind another value");
        in_phis = value.op == Op::Phi;
      }
      size_t succs = block.terminator()->op == Op::Jump     ? 1
                     : block.terminator()->op == Op::Branch ? 2
                                                            : 0;
      if (block.succs.size() != succs + block.guarded)
        return fail(*block.terminator(), "wrong number of successors");
    }
    return true;
  }

  /// Cooper, Harvey and Kennedy: immediate dominators by intersection in reverse postorder.
  void find_dominators() {
    size_t count = function_.blocks.size();
    idom_.assign(count, ~0u);
    idom_[0] = 0;
    for (bool changed = true; changed;) {
      changed = false;
      for (size_t i = 1; i < count; ++i) {
        uint32_t dominator = ~0u;
        for (const Block *pred : function_.blocks[i].preds) {
          if (idom_[pred->id] == ~0u)
            continue;
          dominator = dominator == ~0u ? pred->id : common(dominator, pred->id);
        }
        changed = changed || idom_[i] != dominator;
        idom_[i] = dominator;
      }
    }
  }

  uint32_t common(uint32_t a, uint32_t b) const {
    while (a != b) {
      while (a > b)
        a = idom_[a];
      while (b > a)
        b = idom_[b];
    }
    return a;
  }

  bool dominates(uint32_t a, uint32_t b) const {
    while (b > a)
      b = idom_[b];
    return a == b;
  }

  bool check_operands() {
    std::vector<uint32_t> uses(function_.values.size(), 0);
    for (const Block &block : function_.blocks)
      for (const Value *value : block.values) {
        if (!check_operand_count(*value) || !check_details(*value))
          return false;
        for (size_t i = 0; i < value->operands.size(); ++i) {
          const Value *operand = value->operands[i];
          if (!operand || operand->id >= uses.size() || is_terminator(operand->op))
            return fail(*value, "operand is not a value");
          ++uses[operand->id];
          if (!is_defined_before(*operand, *value, i))
            return fail(*value, "operand %" + std::to_string(operand->id) +
                                    " is not defined on every way here");
        }
      }
    for (const Block &block : function_.blocks)
      for (const Value *value : block.values) {
        if (value->uses != uses[value->id])
          return fail(*value, "wrong count of uses");
        if (value->op == Op::Phi && value->uses == 0)
          return fail(*value, "dead phi");
      }
    return true;
  }

  bool is_defined_before(const Value &operand, const Value &user, size_t index) const {
    if (user.op == Op::Phi)
      return dominates(operand.block->id, user.block->preds[index]->id);
    if (operand.block == user.block)
      return index_[operand.id] < index_[user.id];
    return dominates(operand.block->id, user.block->id);
  }

  bool check_operand_count(const Value &value) {
    int expected = op_row(value.op).operands;
    if (expected >= 0 && value.operands.size() != static_cast<size_t>(expected))
      return fail(value, "wrong number of operands");
    size_t count = value.operands.size();
    switch (value.op) {
    case Op::Phi: {
      if (count != value.block->preds.size())
        return fail(value, "needs one operand per predecessor");
      const Value *same = nullptr;
      bool trivial = true;
      for (const Value *operand : value.operands) {
        if (operand == &value || operand == same)
          continue;
        trivial = trivial && !same;
        same = operand;
      }
      return trivial ? fail(value, "trivial phi") : true;
    }
    case Op::Operator: {
      bool unary = operator_row(value.oper).form == OperatorForm::Unary;
      return count == (unary ? 1u : 2u) || fail(value, "wrong number of operands");
    }
    case Op::Call: return count >= 1 + value.keywords.size() || fail(value, "too few operands");
    case Op::CallStar:
      return count == 2 + value.keywords.size() || (count == 3 && value.keywords.empty()) ||
             fail(value, "wrong number of operands");
    case Op::BuildMap: return count % 2 == 0 || fail(value, "key without a value");
    case Op::FormatValue:
      return count == 1 || count == 2 || fail(value, "wrong number of operands");
    case Op::Raise: return count <= 2 || fail(value, "too many operands");
    default: return true;
    }
  }

  bool check_details(const Value &value) {
    auto operand_is = [&](Op op) {
      return value.operands[0]->op == op ||
             fail(value, std::string("operand is not a ") + op_row(op).name);
    };
    switch (value.op) {
    case Op::Param: return value.block->id == 0 || fail(value, "outside of the entry");
    case Op::Const: return value.constant || fail(value, "no constant");
    case Op::Unbound:
    case Op::Undef:
    case Op::Local:
    case Op::GetAttr:
    case Op::SetAttr:
    case Op::RunsInOrder:
    case Op::Unsupported: return !value.name.empty() || fail(value, "no name");
    case Op::UnpackItem: return operand_is(Op::Unpack);
    case Op::IterValid:
    case Op::IterValue:
    case Op::IterState:
    case Op::IterReturned: return operand_is(Op::IterNext);
    case Op::MakeFunction: {
      if (!value.constant || !value.constant->is_object(ObjectKind::Code))
        return fail(value, "no code");
      const FunctionDef *inner = value.constant->object->function;
      size_t expected = inner->code.freevars.size() + static_cast<size_t>(value.index);
      return value.operands.size() == expected || fail(value, "wrong number of operands");
    }
    case Op::Branch: {
      const Value &condition = *value.operands[0];
      bool is_truth = condition.op == Op::Operator && condition.oper == Operator::Truth;
      return is_truth || condition.op == Op::IterValid ||
             fail(value, "condition is neither a truth nor next_valid");
    }
    default: return true;
    }
  }

  const Function &function_;
  std::string error_;
  std::vector<size_t> index_;  ///< place of a value in its block, by value id
  std::vector<uint32_t> idom_; ///< by block id
};

} // namespace

std::string verify(const Function &function) { return Verifier(function).run(); }

} // namespace numjit::ssa
