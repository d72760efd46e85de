// The order of passes. It is far shorter than -O3: what arrives is SSA already, with redundancies
// of front ends absent, and in small modules. What each part is for stands beside it; what it costs
// and brings is measured by tests/bench. Tail calls are never made loops: a runaway recursion must
// reach its stack check.
#include "codegen/passes/pipeline.h"

#include "codegen/pass_list.h"
#include "codegen/passes/device_passes.h"
#include "codegen/passes/early_exits.h"
#include "codegen/passes/fresh_memory.h"
#include "codegen/passes/local_blocks.h"
#include "codegen/passes/loop_hints.h"
#include "codegen/passes/loop_variables.h"
#include "codegen/passes/paired_counts.h"
#include "codegen/passes/reductions.h"
#include "codegen/passes/results.h"
#include "codegen/passes/scaled_addresses.h"
#include "codegen/passes/single_lanes.h"
#include "codegen/passes/unroll_local.h"
#include "codegen/passes/vector_math.h"
#include "typeinfer/errors.h"
#include "typeinfer/passes/passes.h"

#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Transforms/Scalar/LoopPassManager.h>

#include <span>

namespace numjit::codegen {

namespace {

/// What a part of the pipeline is needed for; it is skipped in modules without.
enum class When : uint8_t { Always, Calls, Loops, LocalArrays };

struct Part {
  const char *name;
  When when;
  const char *what;   ///< it does; docs/architecture-codegen.md has a row for each
  const char *passes; ///< in the language of `opt -passes=`
  bool vectorises = false;
};

const char *text_of(When when) {
  switch (when) {
  case When::Always: return "always";
  case When::Calls: return "with calls";
  case When::Loops: return "with loops";
  case When::LocalArrays: return "with local arrays";
  }
  return "";
}

// Only trivial unswitching: copying loops for each invariant condition (an index that may be
// negative, say) costs a sixth of all compile time, and what it brings the vectoriser gets by
// predication.
constexpr Part kLoops = {"loops", When::Loops,
                         "bring loops into the form that others need, hoist, unroll short ones",
                         "function(loop-simplify,lcssa,"
                         "loop-mssa(loop-rotate,licm,simple-loop-unswitch<no-nontrivial;trivial>),"
                         "simplifycfg,instcombine<no-verify-fixpoint>,"
                         "loop(loop-idiom,indvars,early-exits,loop-deletion,loop-unroll-full))"};

// indvars makes tests of the whole loop of tests of its index (`j < len(mass)` for j in range(n));
// they go in front of the loop, which may then be vectorised. No loads of the last iteration are
// kept for the next: vectors of neighbours (image[y, x - 1], image[y, x], image[y, x + 1]) are
// loaded faster than put together.
constexpr Part kRedundancy = {
    "redundancy", When::Loops, "find what is computed or stored twice",
    "function(sroa,scaled-addresses,gvn<no-load-pre>,bdce,plain-divisions,instcombine<no-verify-"
    "fixpoint>,dse,"
    "loop-mssa(licm,simple-loop-unswitch<no-nontrivial;trivial>),simplifycfg)"};

constexpr Part kPipeline[] = {
    // Most of what is called is always inlined, often through several levels: it is simplified
    // once, where it arrives. The inliner that weighs costs would simplify it at every level.
    {"inline always", When::Calls, "functions of the library into their callers", "always-inline"},
    {"inline", When::Calls, "functions into callers where that costs little",
     "cgscc(inline,function(sroa,result-fields,early-cse,simplifycfg,"
     "instcombine<no-verify-fixpoint>)),globaldce"},
    // jump-threading: an inlined call that failed leads to where its caller fails, past the test of
    // its status.
    {"simplify", When::Always, "values instead of memory, known branches and pairs of counts go",
     "function(sroa,result-fields,early-cse<memssa>,simplifycfg<switch-range-to-icmp>,"
     "jump-threading,instcombine<no-verify-fixpoint>,paired-counts,local-blocks)"},
    kLoops,
    kRedundancy,
    // An element stored by one iteration and loaded by the next stays in a register
    // (loop-load-elim). Of loops whose trip count is unknown only short ones are unrolled: the
    // vectoriser interleaves where it helps. Loops were peeled before, where what the first
    // iteration tells can still be used.
    {"vectorise", When::Loops, "vectors of iterations and of neighbours",
     "function(plain-sums,scalar-gathers,loop-vectorize,loop-load-elim,instcombine<no-verify-"
     "fixpoint>,"
     "simplifycfg<switch-to-lookup;sink-common-insts>,"
     "straight-line,vector-combine,short-loops,loop-unroll<O2;no-runtime;no-peeling>,"
     "loop-variables,simplifycfg,"
     "join-copies,single-lanes)",
     true},
};

/// For GPUs. libdevice asks by __nvvm_reflect what it is compiled for. A loop whose trip count is
/// not known is unrolled at run time by a few: loads of several iterations are then under way at
/// once.
constexpr Part kDevicePipeline[] = {
    {"inline", When::Always, "all functions into the kernel",
     "nvvm-reflect,cgscc(inline,function(sroa,result-fields,early-cse,keep-branches,simplifycfg,"
     "instcombine<no-verify-fixpoint>)),globaldce"},
    {"simplify", When::Always, "values instead of memory, address spaces",
     "function(sroa,infer-address-spaces,early-cse<memssa>,keep-branches,"
     "simplifycfg<switch-range-to-icmp>,"
     "instcombine<no-verify-fixpoint>,local-blocks)"},
    // Rotated loops are one block: half as many to copy and to join again.
    {"registers", When::LocalArrays, "unroll loops over small arrays until these are registers",
     "function(loop-simplify,lcssa,loop-mssa(loop-rotate,licm),unroll-local,sroa,simplifycfg,"
     "early-cse<memssa>)"},
    kLoops,
    kRedundancy,
    {"unroll", When::Loops, "loads of several iterations at once",
     "function(loop-simplify,lcssa,loop-unroll<O2>,sroa,early-cse<memssa>,"
     "instcombine<no-verify-fixpoint>,simplifycfg<switch-to-lookup;sink-common-insts>)"},
    // The back end joins neighbouring accesses to memory that is known to be aligned.
    {"alignment", When::Always, "of accesses, for the back end to join",
     "function(infer-alignment)"},
};

bool has_loops(const llvm::Module &module) {
  // A block that jumps to itself or to an earlier one: emission is in reverse post-order.
  for (const llvm::Function &function : module) {
    llvm::SmallPtrSet<const llvm::BasicBlock *, 32> seen;
    for (const llvm::BasicBlock &block : function) {
      seen.insert(&block);
      for (const llvm::BasicBlock *successor : llvm::successors(&block))
        if (seen.contains(successor))
          return true;
    }
  }
  return false;
}

/// Whether there is something to inline.
bool has_calls(const llvm::Module &module) {
  return llvm::any_of(module, [](const llvm::Function &function) {
    return !function.isDeclaration() && function.hasLocalLinkage() &&
           !function.hasFnAttribute(llvm::Attribute::NoInline);
  });
}

bool has_local_arrays(const llvm::Module &module) {
  return llvm::any_of(module, [](const llvm::Function &function) {
    return !function.isDeclaration() &&
           llvm::any_of(function.getEntryBlock(), llvm::IsaPred<llvm::AllocaInst>);
  });
}

bool is_needed(When when, const llvm::Module &module, bool with_loops) {
  switch (when) {
  case When::Always: return true;
  case When::Calls: return has_calls(module);
  case When::Loops: return with_loops;
  case When::LocalArrays: return with_loops && has_local_arrays(module);
  }
  return true;
}

/// Ours, by the names that the parts use.
struct OwnPass {
  llvm::StringLiteral name;
  void (*add)(llvm::FunctionPassManager &passes);
};
template <class Pass>
void add(llvm::FunctionPassManager &passes) {
  passes.addPass(Pass());
}
constexpr OwnPass kOwnPasses[] = {
    {"plain-sums", add<PlainSumsPass>},
    {"result-fields", add<ResultFieldsPass>},
    {"local-blocks", add<LocalBlocksPass>},
    {"paired-counts", add<PairedCountsPass>},
    {"keep-branches", add<KeepBranchesPass>},
    {"single-lanes", add<SingleLanesPass>},
    {"unroll-local", add<UnrollLocalPass>},
    {"plain-divisions", add<PlainDivisionsPass>},
    {"scalar-gathers", add<ScalarGathersPass>},
    {"short-loops", add<ShortLoopsPass>},
    {"join-copies", add<JoinCopiesPass>},
    {"straight-line", add<StraightLinePass>},
    {"scaled-addresses", add<ScaledAddressesPass>},
    {"loop-variables", add<LoopVariablesPass>},
};

void run(std::span<const Part> pipeline, llvm::Module &module, llvm::TargetMachine &machine) {
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager components;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder builder(&machine);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  functions.registerPass([] { return FreshMemory(); });
  functions.registerPass([&builder] {
    llvm::AAManager aliases = builder.buildDefaultAAPipeline();
    aliases.registerFunctionAnalysis<FreshMemory>();
    return aliases;
  });
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);

  builder.registerPipelineParsingCallback([](llvm::StringRef name,
                                             llvm::FunctionPassManager &passes,
                                             llvm::ArrayRef<llvm::PassBuilder::PipelineElement>) {
    for (const OwnPass &row : kOwnPasses)
      if (name == row.name) {
        row.add(passes);
        return true;
      }
    return false;
  });

  builder.registerPipelineParsingCallback([](llvm::StringRef name, llvm::LoopPassManager &passes,
                                             llvm::ArrayRef<llvm::PassBuilder::PipelineElement>) {
    if (name != "early-exits")
      return false;
    passes.addPass(EarlyExitsPass());
    return true;
  });

  const bool with_loops = has_loops(module);
  for (const Part &part : pipeline) {
    if (!is_needed(part.when, module, with_loops))
      continue;
    // Analyses are kept from part to part, except where the width of vectors changes.
    if (part.vectorises) {
      const bool wide = prefer_widest_registers(module, functions);
      if (offer_vector_math(module, functions) || wide)
        modules.clear();
    }
    llvm::ModulePassManager passes;
    if (llvm::Error error = builder.parsePassPipeline(passes, part.passes))
      throw InternalError("bad pipeline: " + llvm::toString(std::move(error)));
    passes.run(module, modules);
  }
}

} // namespace

std::vector<PassRow> pass_list() {
  static constexpr const char *places[] = {"always", "not on GPUs", "in the simulator"};
  std::vector<PassRow> rows;
  for (const passes::Pass &pass : passes::all_passes())
    rows.push_back({"typed", pass.name, places[static_cast<size_t>(pass.when)], pass.description});
  for (const Part &part : kPipeline)
    rows.push_back({"llvm", part.name, text_of(part.when), part.what});
  for (const Part &part : kDevicePipeline)
    rows.push_back({"llvm of kernels", part.name, text_of(part.when), part.what});
  return rows;
}

void optimise(llvm::Module &module, llvm::TargetMachine &machine) {
  run(kPipeline, module, machine);
}

void merge_calls_for_device(llvm::Module &module, llvm::TargetMachine &machine) {
  static constexpr Part merge[] = {{"merge calls", When::Always, "equal calls of libm",
                                    "cgscc(inline,function(sroa,early-cse)),globaldce"}};
  if (llvm::any_of(module, [](const llvm::Function &function) {
        return function.isDeclaration() && function.getName().starts_with("__nv_");
      }))
    run(merge, module, machine);
}

void optimise_for_device(llvm::Module &module, llvm::TargetMachine &machine, bool fully) {
  run(fully ? std::span(kDevicePipeline) : std::span(kDevicePipeline).first(1), module, machine);
  separate_stored_bits(module);
}

} // namespace numjit::codegen
