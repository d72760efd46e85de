// A variable that several blocks write, made SSA: phis where its values meet (Braun et al. 2013).
#pragma once

#include "typeinfer/ir/typed_ir.h"

#include <unordered_map>
#include <vector>

namespace numjit::tir {

/// All blocks must be reachable, and every path to a block that reads must pass one that writes.
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

/// Puts a block on every edge on which an exception arrives, since handlers must not have phis
/// (typed_ir.h).
void split_exception_edges(Function &function);

} // namespace numjit::tir
