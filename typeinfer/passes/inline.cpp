#include "typeinfer/passes/inline.h"

#include "frontend/code.h"
#include "typeinfer/passes/edit.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

namespace numjit::tir {

namespace {

class Inliner {
public:
  Inliner(Function &function, Value &call)
      : function_(function), call_(call), callee_(*call.callee) {}

  void run() {
    split();
    for (Block *block : callee_.blocks)
      blocks_[block] = function_.new_block();
    for (Block *block : callee_.blocks)
      copy(*block);
    copy_edges();
    for (Value *copied : copied_)
      for (Value *&operand : copied->operands)
        operand = values_.at(operand);
    Block *before = call_.block;
    append(*before, make_value(function_, Op::Jump, types::none(), {}, call_));
    link(*before, *blocks_.at(callee_.blocks[0]));
    give_result();
  }

private:
  static void link(Block &from, Block &to) {
    from.succs.push_back(&to);
    to.preds.push_back(&from);
  }

  /// What follows the call moves to a block of its own. A handler of the call becomes that of the
  /// operations in the callee.
  void split() {
    Block *before = call_.block;
    const bool guarded = guarded_by_try(*before) == &call_;
    after_ = function_.new_block();
    auto place = std::find(before->values.begin(), before->values.end(), &call_);
    for (auto value = place + 1; value != before->values.end(); ++value)
      append(*after_, *value);
    before->values.erase(place, before->values.end());
    after_->succs = std::move(before->succs);
    before->succs.clear();
    for (Block *succ : after_->succs)
      std::replace(succ->preds.begin(), succ->preds.end(), before, after_);
    if (!guarded)
      return;
    after_->terminator()->op = Op::Jump;
    handler_ = after_->succs[1];
    std::erase(handler_->preds, after_); // no phis there
    after_->succs.pop_back();
  }

  void copy(const Block &block) {
    Block *to = blocks_.at(&block);
    const Value *guarded = guarded_by_try(block);
    for (const Value *value : block.values) {
      if (value->op == Op::Param) {
        values_[value] = call_.operands[static_cast<size_t>(value->index)];
        continue;
      }
      if (value->op == Op::Return) {
        append(*to, make_value(function_, Op::Jump, types::none(), {}, call_));
        returned_.emplace_back(to, value->operands[0]);
        link(*to, *after_);
        return;
      }
      append(*to, copy(*value));
      if (handler_ && value != guarded && effect_of(*value) == Effect::Raises)
        to = guard(*to);
    }
    ends_[&block] = to;
    const Op end = to->terminator()->op;
    if (handler_ && (end == Op::Raise || end == Op::Reraise) && block.succs.empty())
      link(*to, *handler_);
  }

  /// Edges inside the callee, in their order: phis rely on it.
  void copy_edges() {
    for (const Block *block : callee_.blocks) {
      for (Block *succ : block->succs)
        ends_.at(block)->succs.push_back(blocks_.at(succ));
      for (const Block *pred : block->preds)
        blocks_.at(block)->preds.push_back(ends_.at(pred));
    }
  }

  Value *copy(const Value &value) {
    Value *copied = copy_value(function_, value);
    copied->cleanup.clear();
    const FunctionDef *def = value.origin ? value.origin : callee_.def;
    if (!value.position.known() || !def || def->is_library) {
      copied->position = call_.position;
      copied->origin = call_.origin;
    } else {
      copied->origin = def;
    }
    if (value.op == Op::StackAlloc)
      copied->index = 0; // "the function that this one is inlined into" is this one
    values_[&value] = copied;
    copied_.push_back(copied);
    return copied;
  }

  Block *guard(Block &block) {
    Block *next = function_.new_block();
    append(block, make_value(function_, Op::Try, types::none(), {}, call_));
    link(block, *next);
    link(block, *handler_);
    return next;
  }

  void give_result() {
    std::vector<Value *> given;
    for (auto &[block, value] : returned_)
      given.push_back(values_.at(value));
    Value *result = nullptr;
    if (given.size() == 1) {
      result = given[0];
    } else {
      result = make_value(function_, Op::Phi, call_.type, {}, call_);
      result->operands = given;
      result->block = after_;
      after_->values.insert(after_->values.begin(), result);
    }
    for (Block *block : function_.blocks)
      for (Value *value : block->values)
        std::replace(value->operands.begin(), value->operands.end(), &call_, result);
  }

  Function &function_;
  Value &call_;
  const Function &callee_;
  Block *after_ = nullptr, *handler_ = nullptr;
  std::unordered_map<const Block *, Block *> blocks_, ends_; ///< where copies begin and end
  std::unordered_map<const Value *, Value *> values_;
  std::vector<Value *> copied_;
  std::vector<std::pair<Block *, Value *>> returned_; ///< where, and what of the callee's values
};

bool reaches(const Function &from, const Function &to, std::unordered_set<const Function *> &seen) {
  for (const Block *block : from.blocks)
    for (const Value *value : block->values)
      if (value->callee && (value->callee == &to || (seen.insert(value->callee).second &&
                                                     reaches(*value->callee, to, seen))))
        return true;
  return false;
}

} // namespace

bool may_inline(const Function &function, const Value &call) {
  const Function &callee = *call.callee;
  if (callee.blocks.empty() || callee.inline_never || callee.rare ||
      callee.fastmath != function.fastmath)
    return false;
  std::unordered_set<const Function *> seen;
  return &callee != &function && !reaches(callee, callee, seen) && !seen.contains(&function);
}

void inline_call(Function &function, Value &call) { Inliner(function, call).run(); }

} // namespace numjit::tir
