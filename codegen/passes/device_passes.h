// Passes for GPUs that are needed because NVIDIA's assembler reads the code.
#pragma once

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/PassManager.h>

namespace numjit::codegen {

/// Keeps branches around arithmetic of doubles. LLVM would compute both sides and select, and GPUs
/// have few units for doubles. Where a block is short the assembler predicates its instructions.
struct KeepBranchesPass : llvm::PassInfoMixin<KeepBranchesPass> {
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

/// An integer of 16, 32 or 64 bits, by an instruction that neither LLVM nor ptxas looks through.
llvm::Value *moved(llvm::IRBuilder<> &b, llvm::Value &integer);

/// Bits of a float that are stored in parts are moved to a register of their own. PTX has no types
/// for registers; ptxas up to CUDA 13.0 takes them from the instruction that computes a value, and
/// converts the number where `st.b8` stores the low byte of what `add.f64` has computed.
void separate_stored_bits(llvm::Module &module);

/// Loops that load from global memory, and whose number of iterations is not known, are to be
/// unrolled by four, with what branches they have: the loads of four iterations are then under way
/// at once. LLVM by itself unrolls the shortest loops only.
struct UnrollLoadsPass : llvm::PassInfoMixin<UnrollLoadsPass> {
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

} // namespace numjit::codegen
