// The machine that code is made for.
#pragma once

#include "codegen/machine_code.h"

#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/Module.h>
#include <llvm/Target/TargetMachine.h>

namespace numjit::codegen {

/// This machine: processor, its features in LLVM's spelling. Found once.
const Target &host_target();
/// A processor that LLVM knows by this name. Throws CompileError.
Target named_target(const std::string &cpu);
bool has_feature(const Target &target, llvm::StringRef name);

/// What the calling thread makes code for: this machine, unless there is a ForTarget.
const Target &target();

/// A target machine for the calling thread, which keeps that for this machine: making one costs
/// more than using it.
llvm::TargetMachine &thread_target_machine();

/// As long as it lives, its thread makes code for another target.
class ForTarget {
public:
  explicit ForTarget(Target target);
  ~ForTarget();
  ForTarget(const ForTarget &) = delete;
  ForTarget &operator=(const ForTarget &) = delete;

private:
  friend const Target &target();
  friend llvm::TargetMachine &thread_target_machine();
  Target target_;
  std::unique_ptr<llvm::TargetMachine> machine_;
};

/// Machine code as an object file, or as assembly text.
llvm::SmallVector<char, 0> emit_code(llvm::Module &module, llvm::TargetMachine &machine,
                                     llvm::CodeGenFileType type);

} // namespace numjit::codegen
