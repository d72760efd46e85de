// The passes over typed IR, in the order in which they run. See docs/add-a-pass.md.
#pragma once

#include "typeinfer/ir/typed_ir.h"

#include <span>
#include <string>
#include <utility>
#include <vector>

namespace numjit::passes {

struct PassOptions {
  bool polls = true; ///< interrupt points in loops
  /// Iterations of a counting loop over numbers between two of them.
  uint64_t poll_distance = uint64_t{1} << 20;
  /// Where to add the milliseconds that each pass took.
  std::vector<std::pair<std::string, double>> *timings = nullptr;
};

/// What a pass is for: any code; not that for GPUs; kernels; kernels that the processor simulates.
enum class When : uint8_t { Always, Processor, Kernels, Simulator };

struct Pass {
  const char *name;
  void (*run)(tir::Module &module, const PassOptions &options);
  When when;
  const char *description;

  bool runs_for(tir::Target target) const {
    return when == When::Always || (when == When::Processor && target != tir::Target::Cuda) ||
           (when == When::Kernels && target != tir::Target::Host) ||
           (when == When::Simulator && target == tir::Target::Simulator);
  }
};
/// The rows of passes.def.
std::span<const Pass> all_passes();

/// Runs all passes. In debug builds, and where the environment has NUMJIT_VERIFY=1, the module is
/// verified before and after each. NUMJIT_DUMP=name,name (or `all`) prints the module after these
/// passes to stderr.
void run_passes(tir::Module &module, const PassOptions &options = {});

#define NUMJIT_PASS(name, ...) void name(tir::Module &module, const PassOptions &options);
#include "typeinfer/passes/passes.def"
#undef NUMJIT_PASS

} // namespace numjit::passes
