// Names of compiled functions for profilers: perf, and others that read its formats (VTune,
// hotspot).
#pragma once

#include "codegen/load/line_table.h"

#include <cstddef>
#include <span>
#include <string_view>

namespace numjit::codegen {

/// Whether the process was asked to name its functions (NUMJIT_PERF).
bool profiler_wants_names();
/// Whether it was asked for lines of the source as well (NUMJIT_PERF=dump).
bool profiler_wants_lines();

/// Names the function whose machine code lies at `code`, `bytes` long; `lines` are its own, by
/// address. May be called from any thread, and after a fork.
void name_for_profiler(std::string_view name, const char *code, size_t bytes,
                       std::span<const CodeLine> lines);

} // namespace numjit::codegen
