// Passes of LLVM IR around vectorisation: what is not worth a vector, or copies of a loop.
#pragma once

#include <llvm/IR/PassManager.h>

namespace numjit::codegen {

/// Allows functions whose inner loops read and write no memory the widest vectors that LLVM prefers
/// for the processor. Elsewhere those of 256 bits are as fast, because memory is the limit, or
/// faster. Returns whether there are such functions.
bool prefer_widest_registers(llvm::Module &module, llvm::FunctionAnalysisManager &analyses);

/// Before vectorisation: loops over items of one or two bytes at loaded indices (`lut[image[i]]`)
/// stay scalar. No processor gathers such small items, and LLVM 22 underestimates the cost of doing
/// it one by one. So do ordered sums of products of items at loaded indices (sparse matrices),
/// whose time is that of the additions, and loops that find no two items in a row
/// (`sums[queries[k, 1]]`), or only set such (`sieve[j] = False` of each `i`th).
struct ScalarGathersPass : llvm::PassInfoMixin<ScalarGathersPass> {
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

/// After vectorisation: short loops that stayed scalar (or may, as they read from the array that
/// they write to), without branches but a single `if` in front of a store or an exchange, are to be
/// unrolled by 2; by 4 if they are few instructions or have branches. More copies bring little
/// more, and take time to compile, but for loops that are nothing but arithmetic, and for divisions
/// that copies share. Processors foresee better which way each of four branches goes than which way
/// one does, and which store each of four loads waits for.
struct ShortLoopsPass : llvm::PassInfoMixin<ShortLoopsPass> {
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

/// Behind the copies of short loops that compare and change neighbours (`if a[j] > a[j + 1]`): what
/// one copy stored or loaded the next one has in a register.
struct ReadOncePass : llvm::PassInfoMixin<ReadOncePass> {
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

/// After unrolling: simplifies where ShortLoopsPass asked for many copies. Shifts by one become
/// shifts by several, and copies share divisions.
struct JoinCopiesPass : llvm::PassInfoMixin<JoinCopiesPass> {
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

/// Correlated value propagation, in functions that divide signed integers in loops: divisions of
/// sums of bytes (`total // 9`) become unsigned ones without Python's correction, which vectorise.
/// Elsewhere it brings nothing, and it takes 4 % of code generation.
struct PlainDivisionsPass : llvm::PassInfoMixin<PlainDivisionsPass> {
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

/// SLP vectorisation, except of hash functions: four products of 64 bits by a large constant take
/// longer than one vector instruction promises, and each waits for the last.
struct StraightLinePass : llvm::PassInfoMixin<StraightLinePass> {
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

} // namespace numjit::codegen
