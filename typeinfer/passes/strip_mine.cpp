#include "typeinfer/passes/strip_mine.h"

#include "typeinfer/errors.h"
#include "typeinfer/passes/edit.h"

#include <algorithm>

namespace numjit::passes {

using namespace tir;

/// Steps up to this size: chunk * step cannot overflow. With larger ones any loop over int64 is
/// short.
constexpr int64_t largest_step = int64_t(1) << 40;

bool StripMine::possible(const RangeLoop &range) {
  if (range.step->op == Op::Const) {
    const int64_t step = range.step->integer;
    if (range.up || step == 0 || (step > 0) != range.counts_up() || step > largest_step ||
        step < -largest_step)
      return false;
  }
  return range.fixed_bound || (range.counts_up() && range.step->op == Op::Const);
}

/// Whether it matters what LLVM knows of a loop's index: its last bits where quotients and
/// remainders by even constants may be shared by copies of the body, that it is not negative where
/// a function that will be inlined asks for that.
static bool asks_for_index(const Loop &loop, const RangeLoop &range) {
  auto asks = [&](const Value *value) {
    if (is_operator(value, Operator::Mod) || is_operator(value, Operator::FloorDiv))
      return value->operands[0] == range.index && value->operands[1]->op == Op::Const &&
             value->operands[1]->integer % 2 == 0;
    return value->op == Op::Call && std::find(value->operands.begin(), value->operands.end(),
                                              range.index) != value->operands.end();
  };
  return std::any_of(loop.blocks.begin(), loop.blocks.end(), [&](const Block *block) {
    return std::any_of(block->values.begin(), block->values.end(), asks);
  });
}

/// Whether a loop counts between the same numbers whenever the loop around comes to it.
static bool is_same_each_time(const RangeLoop &range, const Loop &loop, const Loops &loops) {
  return loop.parent && range.start && range.start->op == Op::Const &&
         range.step->op == Op::Const && range.start->integer <= largest_step &&
         range.start->integer >= -largest_step && range.fixed_bound &&
         is_invariant(range.bound, *loop.parent, loops);
}

StripMine::StripMine(const Loop &loop, const Loops &loops, const RangeLoop &range, Block &before,
                     uint64_t chunk)
    : header_(loop.header), latches_(loop.latches), range_(range), chunk_(chunk),
      asks_for_index_(asks_for_index(loop, range)),
      same_each_time_(is_same_each_time(range, loop, loops)) {
  hoist(range_.step, loop, loops, before);
  if (range_.fixed_bound)
    hoist(range_.bound, loop, loops, before);
  if (range_.up)
    hoist(range_.up, loop, loops, before);
}

/// Gives `outer` a phi for each of the header, of what comes into the loop and what the last chunk
/// leaves. Returns that of the index, and its operand of the last chunk.
std::pair<Value *, Value **> StripMine::merge_phis(Function &function, Block &outer,
                                                   const std::vector<Block *> &preds) {
  Block &header = *header_;
  Value *outer_index = nullptr;
  Value **next_start = nullptr; // of the index, behind the last chunk
  for (size_t i = 0, count = phi_count(header); i < count; ++i) {
    Value *phi = header.values[i];
    Value *merged = append(outer, make_value(function, Op::Phi, phi->type, {}, *phi));
    merged->name = phi->name;
    merged->nonneg = phi->nonneg;
    std::vector<Value *> operands = {merged};
    for (size_t k = 0; k < preds.size(); ++k) {
      const bool inside = std::find(latches_.begin(), latches_.end(), preds[k]) != latches_.end();
      (inside ? operands : merged->operands).push_back(phi->operands[k]);
    }
    merged->operands.push_back(phi);
    phi->operands = std::move(operands);
    if (phi == range_.index) {
      outer_index = merged;
      next_start = &merged->operands.back();
    }
  }
  if (!next_start)
    throw InternalError("the index of a loop is no phi of its header");
  return {outer_index, next_start};
}

void StripMine::apply(Function &function) {
  function_ = &function;
  Block &header = *header_;
  Value *branch = header.terminator();
  Block *exit = header.succs[1];
  Block *outer = function.new_block(), *check = function.new_block(), *again = function.new_block();

  // Ways in lead to `outer`, whose phis merge them with the values at the end of the last chunk.
  const std::vector<Block *> preds = header.preds;
  header.preds = {outer};
  for (Block *pred : preds) {
    const bool inside = std::find(latches_.begin(), latches_.end(), pred) != latches_.end();
    (inside ? header.preds : outer->preds).push_back(pred);
    if (!inside)
      std::replace(pred->succs.begin(), pred->succs.end(), &header, outer);
  }
  outer->preds.push_back(again);
  outer->succs = {&header};
  again->preds = {check};
  again->succs = {outer};
  const auto [outer_index, next_start] = merge_phis(function, *outer, preds);
  append(*outer, make_value(function, Op::Jump, types::none(), {}, *branch));
  append(*again, make_value(function, Op::Poll, types::none(), {}, *branch));
  append(*again, make_value(function, Op::Jump, types::none(), {}, *branch));

  // The header leaves for `check` at the limit; there the condition that was decides. If it is all
  // about the index, then it holds if the limit was before the bound. (Comparisons with the bound
  // behind every loop would be facts about it to LLVM, whose number makes its analysis slow.)
  block_ = outer;
  Limit limit = this->limit(outer_index);
  Value *go_on = branch->operands[0];
  if (limit.before_bound && go_on == range_.compare) {
    go_on = same_each_time_ ? add(Operator::And, types::boolean(), {limit.before_bound, is_long()})
                            : limit.before_bound;
    *next_start = (asks_for_index_ || same_each_time_) && limit.end ? limit.end : limit.value;
  }
  append(*check, make_value(function, Op::Branch, types::none(), {go_on}, *branch));
  check->preds = {&header};
  check->succs = {again, exit};
  std::replace(exit->preds.begin(), exit->preds.end(), &header, check);
  header.succs[1] = check;
  block_ = &header;
  branch->operands[0] = limited(branch->operands[0], limit.value);
}

/// The condition of the loop, for this chunk only.
Value *StripMine::limited(Value *condition, Value *limit) {
  if (condition == range_.compare) {
    if (range_.up)
      return add(Op::Select, types::boolean(),
                 {range_.up, add(Operator::Lt, types::boolean(), {range_.index, limit}),
                  add(Operator::Gt, types::boolean(), {range_.index, limit})});
    Value *in_chunk = add(range_.counts_up() ? Operator::Lt : Operator::Gt, types::boolean(),
                          {range_.index, limit});
    return range_.fixed_bound ? in_chunk
                              : add(Operator::And, types::boolean(), {condition, in_chunk});
  }
  if (!is_operator(condition, Operator::And))
    return condition;
  Value *a = limited(condition->operands[0], limit);
  Value *b =
      a == condition->operands[0] ? limited(condition->operands[1], limit) : condition->operands[1];
  if (a == condition->operands[0] && b == condition->operands[1])
    return condition;
  return add(Operator::And, types::boolean(), {a, b});
}

/// Whether a loop with the same numbers each time needs several chunks. Loops of short loops are
/// copied for the answer (codegen/passes/fixed_choices.h).
Value *StripMine::is_long() {
  const int64_t length = range_.step->integer * static_cast<int64_t>(chunk_);
  return add(range_.counts_up() ? Operator::Gt : Operator::Lt, types::boolean(),
             {range_.bound, constant(types::int64(), range_.start->integer + length)});
}

StripMine::Limit StripMine::limit(Value *start) {
  if (!range_.up)
    return limit(start, range_.counts_up());
  Limit upwards = limit(start, true), downwards = limit(start, false);
  Limit either;
  either.value = add(Op::Select, types::int64(), {range_.up, upwards.value, downwards.value});
  if (upwards.before_bound && downwards.before_bound)
    either.before_bound = add(Op::Select, types::boolean(),
                              {range_.up, upwards.before_bound, downwards.before_bound});
  return either;
}

/// Whether the distance to the bound, if it wraps around at all, becomes negative: the loop then
/// runs in one chunk. Behind the bound it is negative, too.
bool StripMine::is_near(const Value *start, bool up) const {
  if (!up)
    return start->nonneg;
  return start->nonneg && (range_.bound->nonneg || (range_.start && range_.start->op == Op::Const &&
                                                    range_.start->integer == 0));
}

/// A chunk further than `start` if that is before the bound.
StripMine::Limit StripMine::limit(Value *start, bool up) {
  const Type *i64 = types::int64(), *u64 = types::uint64(), *boolean = types::boolean();
  const bool constant_step = range_.step->op == Op::Const;
  const int64_t chunk = static_cast<int64_t>(chunk_);
  Value *length = // of the chunk, signed
      constant_step ? constant(i64, range_.step->integer * chunk)
                    : add(Operator::Mul, i64, {range_.step, constant(i64, chunk)});
  Value *end = add(Op::IndexAdd, i64, {start, length}); // selected only where it does not overflow
  if (!range_.fixed_bound) {
    const int64_t last = INT64_MAX - length->integer;
    Value *fits = add(Operator::Lt, boolean, {start, constant(i64, last)});
    return {add(Op::Select, i64, {fits, end, constant(i64, INT64_MAX)})};
  }
  if (constant_step && is_near(start, up)) {
    Value *distance = up ? add(Operator::Sub, i64, {range_.bound, start})
                         : add(Operator::Sub, i64, {start, range_.bound});
    Value *more = add(Operator::Gt, boolean,
                      {distance, constant(i64, up ? length->integer : -length->integer)});
    return {add(Op::Select, i64, {more, end, range_.bound}), more, end};
  }
  // The distance to the bound fits a uint64 once we know its sign.
  Value *before = add(up ? Operator::Lt : Operator::Gt, boolean, {start, range_.bound});
  Value *distance = up ? add(Operator::Sub, i64, {range_.bound, start})
                       : add(Operator::Sub, i64, {start, range_.bound});
  Value *size = length;
  if (!up)
    size = constant_step ? constant(i64, -length->integer)
                         : add(Operator::Sub, i64, {constant(i64, 0), length});
  Value *far =
      add(Operator::Lt, boolean, {add(Op::Cast, u64, {size}), add(Op::Cast, u64, {distance})});
  Value *more = add(Operator::And, boolean, {before, far});
  if (!constant_step) { // a step of the wrong sign or a huge one: no chunks
    Value *stride = up ? range_.step : add(Operator::Sub, i64, {constant(i64, 0), range_.step});
    Value *small =
        add(Operator::Lt, boolean,
            {add(Op::Cast, u64, {stride}), add(Op::Cast, u64, {constant(i64, largest_step)})});
    more = add(Operator::And, boolean, {more, small});
  }
  return {add(Op::Select, i64, {more, end, range_.bound}), more, end};
}

// --- code ---

Value *StripMine::add(Op op, const Type *type, std::initializer_list<Value *> operands) {
  Value *value = make_value(*function_, op, type, operands, *header_->terminator());
  value->block = block_;
  block_->values.insert(block_->values.end() - 1, value);
  return value;
}

Value *StripMine::add(Operator oper, const Type *type, std::initializer_list<Value *> operands) {
  Value *value = add(Op::Scalar, type, operands);
  value->scalar_op = scalar::by_operator(oper)->id;
  return value;
}

Value *StripMine::constant(const Type *type, int64_t integer) {
  Value *value = add(Op::Const, type, {});
  value->integer = integer;
  value->nonneg = integer >= 0;
  return value;
}

} // namespace numjit::passes
