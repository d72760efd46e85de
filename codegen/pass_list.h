// The passes of all stages as one list: those over typed IR, then the parts of the LLVM pipelines.
#pragma once

#include <vector>

namespace numjit::codegen {

struct PassRow {
  const char *stage; ///< "typed", "llvm", "llvm of kernels"
  const char *name, *when, *what;
};
/// In the order in which they run.
std::vector<PassRow> pass_list();

} // namespace numjit::codegen
