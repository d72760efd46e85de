// CPython tests the condition of `while` in front of the loop and again at its end:
//
//   before: if (i0 < n) body else exit
//   body:   i = phi(i0, j); ...; j = i + 1; if (j < n) body else exit
//
// Where such a loop counts, it gets the form that `for` loops have, which range analysis and
// interrupt points understand:
//
//   header: i = phi(i0, j); if (i < n) body else exit
//   body:   ...; j = i + 1; goto header
#include "typeinfer/passes/edit.h"
#include "typeinfer/passes/passes.h"
#include "typeinfer/passes/range_loop.h"
#include "typeinfer/passes/simplify.h"

#include <algorithm>

namespace numjit::passes {

using namespace tir;

namespace {

bool same_constant(const Value *a, const Value *b) {
  return a->op == Op::Const && b->op == Op::Const && a->type == b->type &&
         a->integer == b->integer && a->real == b->real && a->imag == b->imag &&
         a->reference == b->reference;
}

class WhileLoop {
public:
  WhileLoop(Function &function, const Loop &loop, const Loops &loops)
      : function_(function), loop_(loop), loops_(loops), body_(*loop.header) {}

  bool run() {
    if (!find_tests() || !counts() || !same_test())
      return false;
    for (Value *phi : exit_phis())
      if (!value_at_exit(*phi))
        return false;
    rebuild();
    return true;
  }

private:
  /// A branch that leads to the body or to the exit, each perhaps by an empty block.
  struct Test {
    Block *block = nullptr;
    size_t into_body = 0;    ///< successor
    Block *enters = nullptr; ///< predecessor of the body
    Block *leaves = nullptr; ///< predecessor of the exit
    Block *exit = nullptr;
    Value *condition() const { return block->terminator()->operands[0]; }
  };

  /// Nothing but constants and the jump.
  static bool is_empty(const Block &block) {
    return block.terminator()->op == Op::Jump &&
           std::all_of(block.values.begin(), block.values.end() - 1,
                       [](const Value *value) { return value->op == Op::Const; });
  }

  /// The test whose one way leads to the body from its predecessor `from`.
  bool find_test(Test &test, Block *from) const {
    test.enters = from;
    test.block = is_empty(*from) && from->preds.size() == 1 ? from->preds[0] : from;
    if (test.block->terminator()->op != Op::Branch)
      return false;
    Block *first = test.block == from ? &body_ : from;
    test.into_body = test.block->succs[0] == first ? 0 : 1;
    Block *out = test.block->succs[1 - test.into_body];
    test.leaves = is_empty(*out) ? out : test.block;
    test.exit = is_empty(*out) ? out->succs[0] : out;
    return true;
  }

  bool find_tests() {
    if (loop_.latches.size() != 1 || body_.preds.size() != 2 || body_.terminator()->op == Op::Try)
      return false;
    latch_ = body_.preds[0] == loop_.latches[0] ? 0 : 1;
    if (!find_test(end_, body_.preds[latch_]) || !find_test(start_, body_.preds[1 - latch_]))
      return false;
    if (start_.leaves == end_.leaves) // one block for both
      for (Test *test : {&start_, &end_}) {
        test->exit = test->leaves;
        test->leaves = test->block;
      }
    return end_.exit == start_.exit && end_.into_body == start_.into_body &&
           end_.leaves != start_.leaves && !loops_.contains(loop_, end_.exit) &&
           loops_.contains(loop_, end_.block) && !loops_.contains(loop_, start_.block);
  }

  /// Whether a variable that grows by the same in each iteration is compared.
  bool counts() const {
    const Value *test = end_.condition();
    if (!is_operator(test, Operator::Lt) && !is_operator(test, Operator::Gt))
      return false;
    const Value *next = test->operands[0];
    return std::any_of(body_.values.begin(), body_.values.begin() + phi_count(body_),
                       [&](const Value *phi) {
                         return phi->type->is(ScalarId::Int64) && phi->operands[latch_] == next &&
                                (next->op == Op::IndexAdd || is_operator(next, Operator::Add)) &&
                                (next->operands[0] == phi || next->operands[1] == phi);
                       });
  }

  /// The phi that is `first` when the loop starts and `later` after an iteration.
  Value *phi_of(const Value *first, const Value *later) const {
    for (size_t i = 0; i < phi_count(body_); ++i) {
      Value *phi = body_.values[i];
      const Value *start = phi->operands[1 - latch_];
      if (phi->operands[latch_] == later && (start == first || same_constant(start, first)))
        return phi;
    }
    return nullptr;
  }

  bool is_outside(const Value *value) const { return !loops_.contains(loop_, value->block); }

  /// Whether both tests compute the same, of the variables as they are then.
  bool same_test() const { return same(start_.condition(), end_.condition(), 8); }

  bool same(const Value *first, const Value *later, int depth) const {
    if (phi_of(first, later) || (first == later && is_outside(later)) ||
        same_constant(first, later))
      return true;
    if (depth == 0 || first->op != later->op || first->type != later->type ||
        first->index != later->index || first->scalar_op != later->scalar_op ||
        first->alias != later->alias || first->operands.size() != later->operands.size() ||
        !may_repeat(*first, *start_.block) || !may_repeat(*later, *end_.block))
      return false;
    for (size_t i = 0; i < first->operands.size(); ++i)
      if (!same(first->operands[i], later->operands[i], depth - 1))
        return false;
    return !first->operands.empty();
  }

  /// Whether a value may be computed at the end of the block instead.
  static bool may_repeat(const Value &value, const Block &block) {
    switch (value.op) {
    case Op::Scalar:
    case Op::Cast:
    case Op::Field:
    case Op::Struct:
    case Op::Select:
    case Op::IndexAdd:
    case Op::IndexMul:
    case Op::OwnerData:
    case Op::PtrAdd: return true;
    case Op::Load: break;
    default: return false;
    }
    if (value.block != &block || value.type->counted || value.index == 2)
      return false;
    auto place = std::find(block.values.begin(), block.values.end(), &value);
    return std::all_of(place, block.values.end() - 1, [](const Value *behind) {
      return effect_of(*behind) == Effect::Pure || effect_of(*behind) == Effect::Reads;
    });
  }

  std::vector<Value *> exit_phis() const {
    const auto begin = end_.exit->values.begin();
    return {begin, begin + static_cast<ptrdiff_t>(phi_count(*end_.exit))};
  }

  struct AtExit {
    Value *first, *later;
  };
  AtExit at_exit(const Value &phi) const {
    return {phi.operands[pred_index(*phi.block, start_.leaves)],
            phi.operands[pred_index(*phi.block, end_.leaves)]};
  }
  /// Whether what the exit is given is a variable of the loop, or may become one.
  bool value_at_exit(const Value &phi) const {
    auto [first, later] = at_exit(phi);
    return first->type == later->type;
  }

  void rebuild() {
    const Value &like = *end_.block->terminator();
    Block *header = function_.new_block(), *out = function_.new_block();
    // Phis of the exit that are no variables of the loop become ones.
    std::vector<Value *> given;
    for (const Value *phi : exit_phis()) {
      auto [first, later] = at_exit(*phi);
      Value *value = phi_of(first, later);
      if (!value && first == later && is_outside(later))
        value = later;
      if (!value) {
        value = make_value(function_, Op::Phi, phi->type, {}, *phi);
        value->operands.resize(2);
        value->operands[latch_] = in_block(*later, *end_.enters);
        value->operands[1 - latch_] = in_block(*first, *start_.enters);
        value->block = &body_;
        body_.values.insert(body_.values.begin(), value);
      }
      given.push_back(value);
    }
    const size_t phis = phi_count(body_);
    Value *condition = copy(start_.condition(), end_.condition(), *header);
    std::vector<Value *> code = std::move(header->values);
    header->values.assign(body_.values.begin(),
                          body_.values.begin() + static_cast<ptrdiff_t>(phis));
    body_.values.erase(body_.values.begin(), body_.values.begin() + static_cast<ptrdiff_t>(phis));
    for (Value *phi : header->values)
      phi->block = header;
    for (Value *value : code)
      append(*header, value);
    append(*header, make_value(function_, Op::Branch, types::none(), {condition}, like))->index =
        end_.block->terminator()->index;
    header->preds = body_.preds;
    body_.preds = {header};
    header->succs = {&body_, out};
    if (end_.into_body == 1)
      std::swap(header->succs[0], header->succs[1]);
    append(*out, make_value(function_, Op::Jump, types::none(), {}, like));
    out->preds = {header};
    out->succs = {end_.exit};
    end_.exit->preds.push_back(out);
    const std::vector<Value *> exits = exit_phis();
    for (size_t i = 0; i < exits.size(); ++i)
      exits[i]->operands.push_back(given[i]);
    for (const Test *test : {&start_, &end_})
      go_on(*test, *header);
    remove_unreachable(function_);
  }

  /// A constant of the way out, for the way in.
  Value *in_block(Value &value, Block &block) {
    if (value.op != Op::Const)
      return &value;
    Value *made = copy_value(function_, value);
    made->block = &block;
    block.values.insert(block.values.end() - 1, made);
    return made;
  }

  /// The test always leads to the header now.
  void go_on(const Test &test, Block &header) {
    Block *block = test.block;
    Block *out = block->succs[1 - test.into_body];
    Block *in = block->succs[test.into_body] == &body_ ? &header : block->succs[test.into_body];
    Value *end = block->terminator();
    end->op = Op::Jump;
    end->operands.clear();
    end->index = 0;
    block->succs = {in};
    if (test.enters != block)
      test.enters->succs = {&header};
    const size_t index = pred_index(*out, block);
    out->preds.erase(out->preds.begin() + static_cast<ptrdiff_t>(index));
    for (size_t i = 0; i < phi_count(*out); ++i)
      out->values[i]->operands.erase(out->values[i]->operands.begin() +
                                     static_cast<ptrdiff_t>(index));
  }

  /// What both tests compute, of the phis.
  Value *copy(Value *first, Value *later, Block &to) {
    if (Value *phi = phi_of(first, later))
      return phi;
    if (first == later && is_outside(later))
      return later;
    Value *made = copy_value(function_, *later);
    for (size_t i = 0; i < made->operands.size(); ++i)
      made->operands[i] = copy(first->operands[i], later->operands[i], to);
    return append(to, made);
  }

  Function &function_;
  const Loop &loop_;
  const Loops &loops_;
  Block &body_;
  size_t latch_ = 0; ///< which predecessor of the body
  Test start_, end_;
};

/// One at a time: the analyses are those of the function before.
bool change_one(Function &function) {
  const Cfg cfg(function);
  Loops loops(cfg);
  return std::any_of(loops.all().begin(), loops.all().end(),
                     [&](const Loop &loop) { return WhileLoop(function, loop, loops).run(); });
}

} // namespace

void while_loops(Module &module, const PassOptions &) {
  for (const auto &function : module.functions) {
    bool changed = false;
    while (change_one(*function))
      changed = true;
    if (changed)
      tidy(*function);
  }
}

} // namespace numjit::passes
