// What of LLVM is not linked.
#pragma once

namespace numjit::codegen {

/// Does nothing: who calls it has the linker read its file before LLVM's archives.
void leave_out_unused_llvm();

} // namespace numjit::codegen
