// A variable that several blocks write, made SSA: phis where its values meet (Braun et al. 2013).
#pragma once

#include "typeinfer/ir/typed_ir.h"

#include <unordered_map>
#include <vector>

namespace numjit::tir {

/// All blocks must be reachable, and every way to a block that asks must pass one that writes.
class SsaVariable {
public:
  SsaVariable(Function &function, const Type *type, const Value &like)
      : function_(function), type_(type), like_(like) {}

  /// The value at the end of the block.
  void write(const Block &block, Value *value) { written_[&block] = value; }
  Value *at_end(Block &block);
  Value *at_start(Block &block);

private:
  Value *find(Block *block, bool at_end);

  Function &function_;
  const Type *type_;
  const Value &like_; ///< whose position phis have
  std::unordered_map<const Block *, Value *> written_, entering_;
  std::vector<Value *> unfinished_; ///< phis without operands
};

/// Gives every edge on which an exception arrives a block of its own, since no phis may stand where
/// it leads to.
void split_exception_edges(Function &function);

} // namespace numjit::tir
