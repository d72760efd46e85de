#include "codegen/passes/moved_fields.h"

#include "codegen/passes/runtime_calls.h"
#include "runtime/runtime.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include <cstddef>

namespace numjit::codegen {

namespace {

/// Whether `load` reads a field of the instance: an owner that is retained lies there with a count.
bool is_field(const llvm::LoadInst &load, const llvm::Value *instance) {
  const llvm::DataLayout &layout = load.getDataLayout();
  const llvm::Value *place = load.getPointerOperand();
  llvm::APInt offset(layout.getIndexTypeSizeInBits(place->getType()), 0);
  return place->stripAndAccumulateConstantOffsets(layout, offset, true) == instance &&
         offset.sge(NJ_PAYLOAD_OFFSET + sizeof(nj_instance)) && !load.isVolatile();
}

/// A load of a field, its retain, and the release of the instance, with no write between them.
struct Move {
  llvm::LoadInst *load;
  llvm::CallInst *retain, *release;
};

bool is_untouched(const llvm::LoadInst &load, const llvm::Instruction &until) {
  for (const llvm::Instruction *at = load.getNextNode(); at != &until; at = at->getNextNode())
    if (!at || at->mayWriteToMemory())
      return false;
  return true;
}

llvm::SmallVector<Move, 4> moves_of(llvm::Function &function) {
  llvm::SmallVector<Move, 4> moves;
  for (llvm::Instruction &instruction : llvm::instructions(function)) {
    if (!is_call_of(&instruction, {"nj_retain"}) ||
        !is_call_of(instruction.getNextNode(), {"nj_release"}))
      continue;
    auto *retain = llvm::cast<llvm::CallInst>(&instruction);
    auto *release = llvm::cast<llvm::CallInst>(retain->getNextNode());
    auto *load = llvm::dyn_cast<llvm::LoadInst>(retain->getArgOperand(0));
    if (load && load->getParent() == retain->getParent() &&
        is_field(*load, release->getArgOperand(0)) && is_untouched(*load, *retain))
      moves.push_back({load, retain, release});
  }
  return moves;
}

void take_over(const Move &move) {
  llvm::IRBuilder<> builder(move.retain);
  llvm::Value *instance = move.release->getArgOperand(0);
  llvm::LoadInst *count = builder.CreateAlignedLoad(
      builder.getInt64Ty(),
      builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), instance, offsetof(nj_block, count)),
      llvm::Align(8));
  count->setAtomic(llvm::AtomicOrdering::Acquire); // what others did before they let go of it
  llvm::Value *is_last = builder.CreateICmpEQ(count, builder.getInt64(1));
  llvm::Instruction *taken = nullptr, *counted = nullptr;
  llvm::SplitBlockAndInsertIfThenElse(is_last, move.retain->getIterator(), &taken, &counted);
  builder.SetInsertPoint(taken);
  builder.CreateAlignedStore(llvm::ConstantPointerNull::get(builder.getPtrTy()),
                             move.load->getPointerOperand(), move.load->getAlign());
  move.retain->moveBefore(counted->getIterator());
}

} // namespace

llvm::PreservedAnalyses MovedFieldsPass::run(llvm::Function &function,
                                             llvm::FunctionAnalysisManager &) {
  const llvm::SmallVector<Move, 4> moves = moves_of(function);
  for (const Move &move : moves)
    take_over(move);
  return moves.empty() ? llvm::PreservedAnalyses::all() : llvm::PreservedAnalyses::none();
}

} // namespace numjit::codegen
