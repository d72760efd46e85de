// Machine code in memory, and options for making it: the types that the folders of this stage
// share.
#pragma once

#include "codegen/object.h"
#include "typeinfer/ir/typed_ir.h"

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

struct nj_place;

namespace numjit::codegen {

/// What Python calls: reads the leaves of the arguments (layout_of, one leaf per 8-byte slot, in
/// order) and writes the leaves of the result the same way. Returns 0, or nonzero with an error
/// pending (runtime.h).
using Entry = int32_t (*)(const uint64_t *arguments, uint64_t *result);

/// Named stages and the milliseconds each took.
using Timings = std::vector<std::pair<std::string, double>>;

/// Machine code of one module; dropping it frees the memory.
class MachineCode {
public:
  virtual ~MachineCode() = default;
  virtual Entry entry() const = 0;
  virtual size_t code_bytes() const = 0;
  /// Where a status that is not 0 comes from (runtime.h); null if the pending error has the place.
  virtual const nj_place *place(int32_t status) const = 0;

  std::shared_ptr<void> keep; ///< what the code refers to
};

/// A processor in LLVM's words.
struct Target {
  std::string cpu, features;
  bool vector_math = true; ///< code may call SLEEF's functions
};

/// Where the code of a module's rare functions comes from when they are first called. Called
/// without locks of the host.
class RareCode {
public:
  virtual ~RareCode() = default;
  virtual std::shared_ptr<const tir::Module> module() = 0;
  /// The code of function number `function` of the module, made earlier; false if there is none.
  virtual bool find(size_t, Object &) { return false; }
  virtual void keep(size_t, const Object &) {}
  /// Whether other processes are to load the code, too.
  virtual bool is_portable() const { return true; }
};

} // namespace numjit::codegen
