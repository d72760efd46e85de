#include "codegen/target.h"

#include "codegen/unused_llvm.h"
#include "typeinfer/errors.h"

#include <llvm/ADT/ScopeExit.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Support/CommandLine.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/TargetParser/Host.h>
#include <llvm/TargetParser/X86TargetParser.h>

namespace numjit::codegen {

namespace {

/// What LLVM lets only its command line decide.
struct Switch {
  const char *name, *value;
};
constexpr Switch kSwitches[] = {
    // Loop strength reduction takes half the time of code emission in loops over several arrays,
    // and x86's addressing modes do without what it brings (tests/bench: no kernel is slower).
    {"disable-lsr", "true"},
    // Sums of floats in program order may stand in vectorised loops (see reductions.cpp).
    {"force-ordered-reductions", "true"},
    // What takes quadratic time in large functions: the scheduler's look at the memory operations
    // of a block (from 100 on it forgets the oldest; the default is 1000), the register allocator's
    // search for regions to split (1000 edges; the default is 10000), and that for equal ends of
    // blocks that lead to one place (of 20; the default is 150).
    {"dag-maps-huge-region", "100"},
    {"grow-region-complexity-budget", "1000"},
    {"tail-merge-threshold", "20"},
    // Whether arrays overlap is asked in front of each loop, not for all that the loop around will
    // touch: rows of one matrix never do, the matrix and its row always.
    {"hoist-runtime-checks", "false"},
    // Choices between two numbers stay without a branch: for the least of a table's neighbours or
    // the side to search on, a branch goes wrong half of the time.
    {"x86-cmov-converter", "false"},
    // Packing scalar operations into vectors must save more than the error of LLVM's estimate: sums
    // of neighbours (game of life) took 1.3 times as long packed.
    {"slp-threshold", "3"},
    // Threading copies no more than a test: it is for that of a status (pipeline.cpp).
    {"jump-threading-threshold", "1"},
};

void set_switches() {
  auto &options = llvm::cl::getRegisteredOptions();
  for (const Switch &row : kSwitches)
    if (auto found = options.find(row.name); found != options.end())
      found->second->addOccurrence(1, row.name, row.value);
}

Target describe_host() {
  Target target;
  target.cpu = llvm::sys::getHostCPUName().str();
  std::vector<std::string> features;
  for (const auto &[name, enabled] : llvm::sys::getHostCPUFeatures())
    features.push_back((enabled ? "+" : "-") + name.str());
  // Loads by computed addresses, one after the other, are as fast as gathers or faster.
  features.push_back("+prefer-no-gather");
  features.push_back("+prefer-no-scatter");
  std::sort(features.begin(), features.end());
  for (const std::string &feature : features)
    target.features += (target.features.empty() ? "" : ",") + feature;
  return target;
}

/// The part of LLVM that makes code for this machine.
struct Backend {
  llvm::Triple triple;
  const llvm::Target *target = nullptr;

  Backend() {
    leave_out_unused_llvm();
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86Target();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86AsmPrinter();
    set_switches();
    triple = llvm::Triple(llvm::sys::getProcessTriple());
    std::string error;
    target = llvm::TargetRegistry::lookupTarget(triple, error);
    if (!target)
      throw InternalError("no LLVM target for this machine: " + error);
  }
};

const Backend &backend() {
  static const Backend row;
  return row;
}

} // namespace

const Target &host_target() {
  static const Target target = describe_host();
  return target;
}

Target named_target(const std::string &cpu) {
  if (cpu == "host")
    return host_target();
  const std::string known = cpu == "generic" ? "x86-64" : cpu;
  if (llvm::X86::parseArchX86(known, /*Only64Bit=*/true) == llvm::X86::CK_None)
    throw CompileError("OptionValueError", "there is no processor '" + cpu + "'", {},
                       "\"host\", \"generic\", \"x86-64-v3\", or a name that clang's -march takes");
  llvm::SmallVector<llvm::StringRef, 64> features;
  llvm::X86::getFeaturesForCPU(known, features, /*NeedPlus=*/true);
  return {known, llvm::join(features, ",") + ",+prefer-no-gather,+prefer-no-scatter"};
}

bool has_feature(const Target &target, llvm::StringRef name) {
  for (llvm::StringRef rest = target.features; !rest.empty();) {
    auto [feature, others] = rest.split(',');
    if (feature.consume_front("+") && feature == name)
      return true;
    rest = others;
  }
  return false;
}

static std::unique_ptr<llvm::TargetMachine> make_machine(const Target &target) {
  llvm::TargetOptions options;
  // A processor fetches decoded instructions by blocks of 32 or 64 bytes: with LLVM's 16, equal
  // loops run at speeds that depend on what stands before them (docs/decisions.md).
  options.LoopAlignment = 32;
  return std::unique_ptr<llvm::TargetMachine>(backend().target->createTargetMachine(
      backend().triple, target.cpu, target.features, options, llvm::Reloc::PIC_,
      llvm::CodeModel::Small, llvm::CodeGenOptLevel::Default, /*JIT=*/true));
}

static thread_local ForTarget *other_target = nullptr;

ForTarget::ForTarget(Target target) : target_(std::move(target)), machine_(make_machine(target_)) {
  other_target = this;
}

ForTarget::~ForTarget() { other_target = nullptr; }

const Target &target() { return other_target ? other_target->target_ : host_target(); }

llvm::TargetMachine &thread_target_machine() {
  if (other_target)
    return *other_target->machine_;
  static thread_local const std::unique_ptr<llvm::TargetMachine> machine =
      make_machine(host_target());
  return *machine;
}

/// Whether a debugger reads the module: then instructions stay in the order of the source.
static bool is_for_debuggers(const llvm::Module &module) {
  return llvm::any_of(module.debug_compile_units(), [](const llvm::DICompileUnit *unit) {
    return unit->getEmissionKind() == llvm::DICompileUnit::FullDebug;
  });
}

llvm::SmallVector<char, 0> emit_code(llvm::Module &module, llvm::TargetMachine &machine,
                                     llvm::CodeGenFileType type) {
  llvm::SmallVector<char, 0> bytes;
  llvm::raw_svector_ostream stream(bytes);
  llvm::legacy::PassManager passes;
  const llvm::CodeGenOptLevel level = machine.getOptLevel();
  const bool fast = machine.Options.EnableFastISel;
  if (is_for_debuggers(module))
    machine.setOptLevel(llvm::CodeGenOptLevel::None);
  llvm::scope_exit restored([&] {
    machine.setOptLevel(level);
    machine.setFastISel(fast);
  });
  if (machine.addPassesToEmitFile(passes, stream, nullptr, type, /*DisableVerify=*/true))
    throw InternalError("LLVM cannot emit code for this machine");
  passes.run(module);
  return bytes;
}

} // namespace numjit::codegen
