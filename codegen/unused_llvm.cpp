// Parts of LLVM that others refer to and that never run here. The functions through which they are
// reached are defined below, before the linker looks into LLVM's archives: so it leaves out what
// lies behind them, 3 MB of an installed package.
#include "codegen/unused_llvm.h"

// All are one function that does nothing and returns null.
extern "C" void *numjit_unused_llvm() { return nullptr; }

#define UNUSED(name)                                                                               \
  __asm__(".globl " #name "\n.hidden " #name "\n.set " #name ", numjit_unused_llvm");

// The instruction selector "GlobalISel", which x86 has to be asked for.
UNUSED(_ZN4llvm12IRTranslatorC1ENS_15CodeGenOptLevelE)
UNUSED(_ZN4llvm13RegBankSelectC1ENS0_4ModeE)
UNUSED(_ZN4llvm17InstructionSelect2IDE)
UNUSED(_ZN4llvm17InstructionSelectC1ENS_15CodeGenOptLevelERc)
UNUSED(_ZN4llvm9LegalizerC1Ev)
UNUSED(_ZN4llvm20initializeGlobalISelERNS_12PassRegistryE)
UNUSED(_ZN4llvm29createX86PreLegalizerCombinerEv)
UNUSED(_ZN4llvm37initializeX86PreLegalizerCombinerPassERNS_12PassRegistryE)
UNUSED(
    _ZN4llvm28createX86InstructionSelectorERKNS_16X86TargetMachineERKNS_12X86SubtargetERKNS_19X86RegisterBankInfoE)

// Code generation by the new pass manager, which is not complete yet.
UNUSED(
    _ZN4llvm16X86TargetMachine20buildCodeGenPipelineERNS_11PassManagerINS_6ModuleENS_15AnalysisManagerIS2_JEEEJEEERNS_17raw_pwrite_streamEPS7_NS_15CodeGenFileTypeERKNS_19CGPassBuilderOptionEPNS_28PassInstrumentationCallbacksE)
UNUSED(_ZN4llvm16X86TargetMachine28registerPassBuilderCallbacksERNS_11PassBuilderE)

// Assembly in the other of two dialects.
UNUSED(_ZTVN4llvm19X86IntelInstPrinterE)

// Debug information and exceptions of Windows and AIX.
UNUSED(_ZN4llvm13CodeViewDebugC1EPNS_10AsmPrinterE)
UNUSED(_ZN4llvm12WinExceptionC1EPNS_10AsmPrinterE)
UNUSED(_ZN4llvm12AIXExceptionC1EPNS_10AsmPrinterE)
UNUSED(_ZN4llvm23createX86WinEHStatePassEv)
UNUSED(_ZN4llvm26createX86WinEHUnwindV2PassEv)
UNUSED(_ZN4llvm28initializeWinEHStatePassPassERNS_12PassRegistryE)
UNUSED(_ZN4llvm30initializeX86WinEHUnwindV2PassERNS_12PassRegistryE)

// Software pipelining, for other processors, and profiles of earlier runs.
UNUSED(_ZN4llvm30initializeMachinePipelinerPassERNS_12PassRegistryE)
UNUSED(_ZN4llvm34initializeMIRProfileLoaderPassPassERNS_12PassRegistryE)
UNUSED(
    _ZN4llvm26createMIRProfileLoaderPassENSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEES5_NS_10sampleprof19FSDiscriminatorPassENS_18IntrusiveRefCntPtrINS_3vfs10FileSystemEEE)

// Compressed sections of object files.
UNUSED(ZSTD_CCtx_setParameter)
UNUSED(ZSTD_compress2)
UNUSED(ZSTD_compressBound)
UNUSED(ZSTD_createCCtx)
UNUSED(ZSTD_decompress)
UNUSED(ZSTD_freeCCtx)
UNUSED(ZSTD_getErrorName)
UNUSED(ZSTD_isError)
UNUSED(compress2)
UNUSED(compressBound)
UNUSED(uncompress)

namespace numjit::codegen {

void leave_out_unused_llvm() {}

} // namespace numjit::codegen
