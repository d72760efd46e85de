// The mechanism is LLVM's "vector-function-abi-variant": an attribute of a scalar call names
// functions that compute several of them, and the loop and SLP vectorisers use one where they widen
// the call. Forms narrower than the widest are offered down to 256 bits, for loops over what a main
// loop leaves over. Calls that stay scalar go to libm as before.
#include "codegen/passes/vector_math.h"

#include "codegen/target.h"

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/LoopUtils.h>

#include <algorithm>
#include <dlfcn.h>
#include <span>
#include <string>

namespace numjit::codegen {

namespace {

struct Row {
  std::string_view name, accuracy, fast_accuracy;
};
constexpr Row kRows[] = {
#define NUMJIT_VECTOR_MATH(name, accuracy, fast_accuracy) {#name, accuracy, fast_accuracy},
#include "codegen/passes/vector_math.def"
#undef NUMJIT_VECTOR_MATH
};

/// The function of libm that a call computes, without the letter for float32.
const Row *row_of(const llvm::CallInst &call) {
  const llvm::Function *callee = call.getCalledFunction();
  if (!callee || !(call.getType()->isFloatTy() || call.getType()->isDoubleTy()))
    return nullptr;
  llvm::StringRef name = callee->getName();
  if (name.consume_front("llvm."))
    name = name.rsplit('.').first; // llvm.exp.f64
  else if (call.getType()->isFloatTy() && !name.consume_back("f"))
    return nullptr;
  for (const Row &row : kRows)
    if (name == llvm::StringRef(row.name) && callee->isDeclaration())
      return &row;
  return nullptr;
}

/// The functions that SLEEF has for a kind of processor; their names end in `name`.
struct Set {
  unsigned bits; ///< of a vector
  const char *name;
};

/// Widest first; a processor that runs one runs those behind it.
constexpr Set kSets[] = {{512, "avx512f"}, {256, "avx2"}, {128, "sse4"}, {128, "sse2"}};

bool runs(const Set &set) {
  const std::string_view name = set.name;
  if (name == "sse2")
    return true; // every x86-64 processor
  if (name == "sse4")
    return has_feature(host_target(), "sse4.1");
  return has_feature(host_target(), name) && has_feature(host_target(), "fma");
}

/// Those to offer on this machine.
std::span<const Set> sets() {
  static const std::span<const Set> offered = [] {
    const Set *first = std::find_if(std::begin(kSets), std::end(kSets), runs);
    const Set *last = first + 1;
    while (last != std::end(kSets) && last->bits >= 256)
      ++last;
    return std::span(first, last);
  }();
  return offered;
}

/// The copy beside our own file, which a wheel brings; else the system's. It is loaded in private:
/// another extension module may have brought a SLEEF of its own.
void *library() {
  static void *const handle = [] {
    void *found = nullptr;
    Dl_info self;
    if (dladdr(reinterpret_cast<void *>(&library), &self) && self.dli_fname) {
      std::string path = self.dli_fname;
      path.replace(path.rfind('/') + 1, path.npos, "libsleef.so.3");
      found = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    }
    return found ? found : dlopen("libsleef.so.3", RTLD_NOW | RTLD_LOCAL);
  }();
  return handle;
}

void declare(llvm::Module &module, const std::string &name, const llvm::CallInst &call,
             unsigned lanes) {
  if (module.getFunction(name))
    return;
  llvm::Type *vector = llvm::FixedVectorType::get(call.getType(), lanes);
  llvm::SmallVector<llvm::Type *, 2> parameters(call.arg_size(), vector);
  auto *function = llvm::Function::Create(llvm::FunctionType::get(vector, parameters, false),
                                          llvm::GlobalValue::ExternalLinkage, name, module);
  function->setDoesNotAccessMemory();
  function->setDoesNotThrow();
  function->setWillReturn();
}

void offer(llvm::CallInst &call, const Row &row) {
  const bool single = call.getType()->isFloatTy();
  const std::string_view accuracy = call.hasApproxFunc() ? row.fast_accuracy : row.accuracy;
  std::string variants;
  for (const Set &set : sets()) {
    const unsigned lanes = set.bits / (single ? 32 : 64);
    std::string function = "Sleef_";
    (function += row.name) += single ? "f" : "d";
    ((function += std::to_string(lanes)) += "_") += accuracy;
    function += set.name;
    declare(*call.getModule(), function, call, lanes);
    variants += (variants.empty() ? "_ZGV_LLVM_N" : ",_ZGV_LLVM_N") + std::to_string(lanes) +
                std::string(call.arg_size(), 'v') + "_" +
                call.getCalledFunction()->getName().str() + "(" + function + ")";
  }
  call.addFnAttr(llvm::Attribute::get(call.getContext(), "vector-function-abi-variant", variants));
}

} // namespace

bool offer_vector_math(llvm::Module &module, llvm::FunctionAnalysisManager &analyses) {
  llvm::SmallVector<std::pair<llvm::CallInst *, const Row *>, 8> calls;
  for (llvm::Function &function : module)
    for (llvm::Instruction &instruction : llvm::instructions(function))
      if (auto *call = llvm::dyn_cast<llvm::CallInst>(&instruction))
        if (const Row *row = row_of(*call))
          calls.emplace_back(call, row);
  if (calls.empty() || !target().vector_math || !library())
    return false;
  // What wide calls save outweighs what wide registers cost elsewhere (docs/vector-math.md).
  const std::string bits = std::to_string(std::max(256u, sets().front().bits));
  for (auto [call, row] : calls) {
    offer(*call, *row);
    call->getFunction()->addFnAttr("prefer-vector-width", bits);
    call->getFunction()->addFnAttr("min-legal-vector-width", bits);
    // A call empties the vector registers, so copies of the loop's body side by side gain nothing.
    const auto &loops = analyses.getResult<llvm::LoopAnalysis>(*call->getFunction());
    if (llvm::Loop *loop = loops.getLoopFor(call->getParent()))
      llvm::addStringMetadataToLoop(loop, "llvm.loop.interleave.count", 1);
  }
  return true;
}

void *vector_math_address(const char *name) { return library() ? dlsym(library(), name) : nullptr; }

} // namespace numjit::codegen
