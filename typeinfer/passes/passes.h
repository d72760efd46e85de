// The passes over typed IR, in the order in which they run. See docs/add-a-pass.md.
#pragma once

#include "typeinfer/ir/typed_ir.h"

#include <span>
#include <string>
#include <utility>
#include <vector>

namespace numjit::passes {

struct PassOptions {
  bool polls = true; ///< interrupt points in loops; code for devices has none
  /// Where to add the milliseconds that each pass took.
  std::vector<std::pair<std::string, double>> *timings = nullptr;
};

struct Pass {
  const char *name;
  const char *description;
  void (*run)(tir::Module &module, const PassOptions &options);
  bool processor_only = false; ///< not for GPUs, which have no counts and no stack to check
};
std::span<const Pass> all_passes();

/// Runs all passes. In debug builds, and where the environment has NUMJIT_VERIFY=1, the module is
/// verified before and after each. NUMJIT_DUMP=name,name (or `all`) prints the module after these
/// passes to stderr.
void run_passes(tir::Module &module, const PassOptions &options = {});

// --- the passes, for tests ---
void cleanup(tir::Module &module, const PassOptions &options);
void generators(tir::Module &module, const PassOptions &options);
void while_loops(tir::Module &module, const PassOptions &options);
void ranges(tir::Module &module, const PassOptions &options);
void checks(tir::Module &module, const PassOptions &options);
void recursion(tir::Module &module, const PassOptions &options);
void latches(tir::Module &module, const PassOptions &options);
void polls(tir::Module &module, const PassOptions &options);
void simulate(tir::Module &module, const PassOptions &options);
void effects(tir::Module &module, const PassOptions &options);
void refcount(tir::Module &module, const PassOptions &options);

} // namespace numjit::passes
