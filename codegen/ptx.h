// From typed IR to PTX, the assembly of NVIDIA's GPUs.
#pragma once

#include "codegen/machine_code.h"
#include "codegen/passes/known_sizes.h"
#include "codegen/passes/short_offsets.h"

#include <optional>

namespace numjit::codegen {

struct PtxOptions {
  int major = 7, minor = 5;     ///< compute capability
  std::string suffix;           ///< "a": what this processor alone has; "f": its family
  std::string name;             ///< of the kernel in the PTX
  bool device_function = false; ///< a function for other code on the device, by C's conventions
  bool optimise = true;         ///< false: code that steps line by line in a debugger
  bool lines = false;           ///< places in the source, for profilers and debuggers
  bool record_raises = false;   ///< what is raised reaches the host
  bool fma = true;              ///< products and sums may be fused
  int registers = 0;            ///< at most so many for each thread; 0: no limit
  int block_threads = 0, blocks = 0; ///< of the launches it will see, 0: unknown
  int cluster = 0;                   ///< at most so many blocks in a cluster, 0: unknown
  int64_t scratch_bytes = 4096;      ///< of a thread, for arrays whose size is not known
  bool heap = true;                  ///< for arrays that do not fit in
  std::string libdevice;             ///< path of NVIDIA's libm as bitcode
  /// Values of the arguments of a launch, then how many threads it has along x; or none.
  std::vector<int64_t> slots;
};

/// A raise in a kernel: what it raises, and the place.
struct PtxRaise {
  tir::RaiseSite site;
  std::optional<std::string> message; ///< where it is known now
  std::string function, filename;
  int line;
  size_t values; ///< for the places in the message
};

struct Ptx {
  std::string text;
  /// For each parameter of the kernel the slot (leaf) of its arguments that holds it.
  std::vector<uint16_t> parameters;
  std::vector<KnownSlot> known;  ///< what the arguments must be
  std::vector<ArraySlots> small; ///< arrays that must be small; threads along x, likewise
  std::vector<PtxRaise> raises;  ///< number i + 1 of the record
  bool cooperative = false;      ///< all blocks must run at once
};

/// Thread-safe. Throws CompileError where a function of libm is needed and libdevice is missing.
Ptx compile_ptx(const tir::Module &module, const PtxOptions &options, Timings *timings = nullptr);

/// LLVM IR of the same, for inspection.
std::string ptx_llvm_text(const tir::Module &module, const PtxOptions &options);

} // namespace numjit::codegen
