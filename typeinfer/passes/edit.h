// Small changes to typed IR that several passes make.
#pragma once

#include "typeinfer/ir/typed_ir.h"

#include <initializer_list>

namespace numjit::tir {

/// A value that is in no block yet.
inline Value *make_value(Function &function, Op op, const Type *type,
                         std::initializer_list<Value *> operands, const Value &like) {
  Value *value = function.new_value(op, type, like.position);
  value->origin = like.origin;
  value->operands.assign(operands.begin(), operands.end());
  return value;
}

/// A copy with the same operands that is in no block yet.
inline Value *copy_value(Function &function, const Value &of) {
  Value *made = function.new_value(of.op, of.type, of.position);
  const uint32_t id = made->id;
  *made = of;
  made->id = id;
  made->block = nullptr;
  return made;
}

inline Value *append(Block &block, Value *value) {
  value->block = &block;
  block.values.push_back(value);
  return value;
}

inline size_t phi_count(const Block &block) {
  size_t count = 0;
  while (count < block.values.size() && block.values[count]->op == Op::Phi)
    ++count;
  return count;
}

inline size_t pred_index(const Block &block, const Block *pred) {
  size_t i = 0;
  while (block.preds[i] != pred)
    ++i;
  return i;
}

/// Puts an empty block (but for its jump) on the edge; phis keep their operands.
inline Block *split_edge(Function &function, Block &from, Block &to) {
  Block *middle = function.new_block();
  append(*middle, make_value(function, Op::Jump, types::none(), {}, *from.terminator()));
  for (Block *&succ : from.succs)
    if (succ == &to)
      succ = middle;
  to.preds[pred_index(to, &from)] = middle;
  middle->preds = {&from};
  middle->succs = {&to};
  return middle;
}

} // namespace numjit::tir
