#include "codegen/passes/results.h"

#include "codegen/passes/pass_result.h"

#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <llvm/Transforms/Utils/Local.h>

namespace numjit::codegen {

namespace {

/// So it is no phi of itself either.
bool only_fields_used(const llvm::PHINode &phi) {
  return llvm::all_of(phi.users(), [](const llvm::User *user) {
    auto *field = llvm::dyn_cast<llvm::ExtractValueInst>(user);
    return field && field->getNumIndices() == 1;
  });
}

llvm::Value *field_of(llvm::Value *value, unsigned field, llvm::BasicBlock *at_end_of) {
  if (llvm::Value *known = llvm::FindInsertedValue(value, field))
    return known;
  // A result that is returned in its turn: with another status.
  while (auto *insert = llvm::dyn_cast<llvm::InsertValueInst>(value))
    value = insert->getAggregateOperand();
  return llvm::IRBuilder<>(at_end_of->getTerminator()).CreateExtractValue(value, field);
}

void split(llvm::PHINode &phi) {
  llvm::SmallVector<llvm::PHINode *, 8> fields(phi.getType()->getStructNumElements());
  for (llvm::User *user : llvm::make_early_inc_range(phi.users())) {
    auto *use = llvm::cast<llvm::ExtractValueInst>(user);
    const unsigned number = use->getIndices()[0];
    llvm::PHINode *&field = fields[number];
    if (!field) {
      field =
          llvm::PHINode::Create(use->getType(), phi.getNumIncomingValues(), "", phi.getIterator());
      for (unsigned i = 0; i < phi.getNumIncomingValues(); ++i) {
        llvm::BasicBlock *from = phi.getIncomingBlock(i);
        // A block may come twice, of a switch: then with one value.
        const int before = field->getBasicBlockIndex(from);
        field->addIncoming(before >= 0 ? field->getIncomingValue(before)
                                       : field_of(phi.getIncomingValue(i), number, from),
                           from);
      }
    }
    use->replaceAllUsesWith(field);
    use->eraseFromParent();
  }
  llvm::SmallVector<llvm::WeakTrackingVH, 8> structs(phi.incoming_values());
  phi.eraseFromParent();
  llvm::RecursivelyDeleteTriviallyDeadInstructionsPermissive(structs);
}

} // namespace

llvm::PreservedAnalyses ResultFieldsPass::run(llvm::Function &function,
                                              llvm::FunctionAnalysisManager &) {
  llvm::SmallVector<llvm::WeakVH, 16> phis;
  for (llvm::BasicBlock &block : function)
    for (llvm::PHINode &phi : block.phis())
      if (phi.getType()->isStructTy())
        phis.push_back(&phi);
  // Later ones first: what they take apart may leave only fields of earlier ones in use.
  bool changed = false;
  for (const llvm::WeakVH &handle : llvm::reverse(phis)) {
    auto *phi = llvm::cast_or_null<llvm::PHINode>(handle);
    if (phi && only_fields_used(*phi)) {
      split(*phi);
      changed = true;
    }
  }
  return with_same_flow(changed);
}

} // namespace numjit::codegen
