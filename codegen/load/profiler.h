// Names of compiled functions for profilers: perf, and others that read its formats (VTune,
// hotspot).
#pragma once

#include <cstddef>
#include <string_view>

namespace numjit::codegen {

/// Whether the process was asked to name its functions (NUMJIT_PERF).
bool profiler_wants_names();

/// Names the function whose machine code lies at `code`, `bytes` long. May be called from any
/// thread, and after a fork.
void name_for_profiler(std::string_view name, const char *code, size_t bytes);

} // namespace numjit::codegen
