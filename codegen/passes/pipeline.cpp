// The order of passes. It is far shorter than -O3: what arrives is SSA already, with redundancies
// of front ends absent, and in small modules. What each part is for stands beside it; what it costs
// and brings is measured by tests/bench. Tail calls are never made loops: a runaway recursion must
// reach its stack check.
#include "codegen/passes/pipeline.h"

#include "codegen/pass_list.h"
#include "codegen/passes/carried_blocks.h"
#include "codegen/passes/device_passes.h"
#include "codegen/passes/distinct_arrays.h"
#include "codegen/passes/early_exits.h"
#include "codegen/passes/fixed_choices.h"
#include "codegen/passes/fresh_instances.h"
#include "codegen/passes/fresh_memory.h"
#include "codegen/passes/kept_tests.h"
#include "codegen/passes/local_blocks.h"
#include "codegen/passes/loop_counts.h"
#include "codegen/passes/loop_hints.h"
#include "codegen/passes/loop_variables.h"
#include "codegen/passes/memory_calls.h"
#include "codegen/passes/moved_fields.h"
#include "codegen/passes/narrow_integers.h"
#include "codegen/passes/paired_counts.h"
#include "codegen/passes/plain_indices.h"
#include "codegen/passes/rare_records.h"
#include "codegen/passes/reductions.h"
#include "codegen/passes/register_pressure.h"
#include "codegen/passes/results.h"
#include "codegen/passes/scaled_addresses.h"
#include "codegen/passes/shared_polls.h"
#include "codegen/passes/short_counters.h"
#include "codegen/passes/short_offsets.h"
#include "codegen/passes/short_remainders.h"
#include "codegen/passes/single_lanes.h"
#include "codegen/passes/stack_addresses.h"
#include "codegen/passes/unequal_items.h"
#include "codegen/passes/unroll_local.h"
#include "codegen/passes/vector_math.h"
#include "typeinfer/errors.h"
#include "typeinfer/passes/passes.h"

#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Transforms/IPO/AlwaysInliner.h>
#include <llvm/Transforms/IPO/GlobalDCE.h>
#include <llvm/Transforms/IPO/Inliner.h>
#include <llvm/Transforms/InstCombine/InstCombine.h>
#include <llvm/Transforms/Scalar/BDCE.h>
#include <llvm/Transforms/Scalar/DeadStoreElimination.h>
#include <llvm/Transforms/Scalar/EarlyCSE.h>
#include <llvm/Transforms/Scalar/GVN.h>
#include <llvm/Transforms/Scalar/IndVarSimplify.h>
#include <llvm/Transforms/Scalar/InferAddressSpaces.h>
#include <llvm/Transforms/Scalar/InferAlignment.h>
#include <llvm/Transforms/Scalar/JumpThreading.h>
#include <llvm/Transforms/Scalar/LICM.h>
#include <llvm/Transforms/Scalar/LoopDeletion.h>
#include <llvm/Transforms/Scalar/LoopLoadElimination.h>
#include <llvm/Transforms/Scalar/LoopPassManager.h>
#include <llvm/Transforms/Scalar/LoopRotation.h>
#include <llvm/Transforms/Scalar/LoopUnrollPass.h>
#include <llvm/Transforms/Scalar/SROA.h>
#include <llvm/Transforms/Scalar/SimpleLoopUnswitch.h>
#include <llvm/Transforms/Scalar/SimplifyCFG.h>
#include <llvm/Transforms/Utils/LCSSA.h>
#include <llvm/Transforms/Utils/LoopSimplify.h>
#include <llvm/Transforms/Vectorize/LoopVectorize.h>
#include <llvm/Transforms/Vectorize/VectorCombine.h>

#include <span>

namespace numjit::codegen {

namespace {

/// What a part of the pipeline is needed for; it is skipped in modules without.
enum class When : uint8_t { Always, Calls, Loops, LocalArrays };

struct Part {
  const char *name;
  When when;
  const char *what; ///< it does; docs/passes.md is written from the list
  void (*add)(llvm::ModulePassManager &passes);
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

template <class Manager, class... Passes>
Manager sequence(Passes &&...passes) {
  Manager manager;
  (manager.addPass(std::forward<Passes>(passes)), ...);
  return manager;
}
template <class... Passes>
auto functions(Passes &&...passes) {
  return llvm::createModuleToFunctionPassAdaptor(
      sequence<llvm::FunctionPassManager>(std::forward<Passes>(passes)...));
}
template <class... Passes>
auto loops(Passes &&...passes) {
  return llvm::createFunctionToLoopPassAdaptor(
      sequence<llvm::LoopPassManager>(std::forward<Passes>(passes)...));
}
template <class... Passes>
auto loops_with_memory(Passes &&...passes) {
  return llvm::createFunctionToLoopPassAdaptor(
      sequence<llvm::LoopPassManager>(std::forward<Passes>(passes)...), true);
}
/// Inlines callees first, then simplifies the function they are in.
template <class... Passes>
auto inlined(Passes &&...passes) {
  return llvm::createModuleToPostOrderCGSCCPassAdaptor(sequence<llvm::CGSCCPassManager>(
      llvm::InlinerPass(),
      llvm::createCGSCCToFunctionPassAdaptor(
          sequence<llvm::FunctionPassManager>(std::forward<Passes>(passes)...))));
}

// Passes with the options that they have in several parts.
llvm::SROAPass sroa() { return llvm::SROAPass(llvm::SROAOptions::ModifyCFG); }
llvm::EarlyCSEPass early_cse(bool with_memory) { return llvm::EarlyCSEPass(with_memory); }
llvm::LICMPass licm() { return llvm::LICMPass(llvm::LICMOptions()); }
llvm::SimplifyCFGPass simplify_cfg(const llvm::SimplifyCFGOptions &options = {}) {
  return llvm::SimplifyCFGPass(options);
}
llvm::SimplifyCFGPass simplify_switches() {
  return simplify_cfg(llvm::SimplifyCFGOptions().convertSwitchRangeToICmp(true));
}
llvm::SimplifyCFGPass simplify_last() {
  return simplify_cfg(
      llvm::SimplifyCFGOptions().convertSwitchToLookupTable(true).sinkCommonInsts(true));
}
// Copying loops for each invariant condition (an index that may be negative, say) costs a sixth of
// all compile time, and what it brings the vectoriser gets by predication.
llvm::SimpleLoopUnswitchPass trivial_unswitch() {
  return llvm::SimpleLoopUnswitchPass(/*NonTrivial=*/false, /*Trivial=*/true);
}

// Loops of a few iterations are unrolled before others become calls of memcpy: their items may then
// stay in registers. Up to 300 instructions in all (level 3): four passes over the digits of a
// radix sort each know their shift.
constexpr Part kLoops = {
    "loops", When::Loops, "bring loops into the form that others need, hoist, unroll short ones",
    [](llvm::ModulePassManager &passes) {
      passes.addPass(functions(
          llvm::LoopSimplifyPass(), LoopCountsPass(), llvm::LCSSAPass(),
          loops_with_memory(llvm::LoopRotatePass(), KeptTestsPass(), licm(), trivial_unswitch()),
          simplify_cfg(), llvm::InstCombinePass(),
          loops(llvm::IndVarSimplifyPass(), EarlyExitsPass(), llvm::LoopFullUnrollPass(3),
                MemoryCallsPass(), llvm::LoopDeletionPass())));
    }};

// indvars makes tests of the whole loop of tests of its index (`j < len(mass)` for j in range(n));
// they go in front of the loop, which may then be vectorised. No loads of the last iteration are
// kept for the next: vectors of neighbours (image[y, x - 1], image[y, x], image[y, x + 1]) are
// loaded faster than put together.
constexpr Part kRedundancy = {
    "redundancy", When::Loops, "find what is computed or stored twice",
    [](llvm::ModulePassManager &passes) {
      passes.addPass(functions(
          sroa(), ScaledAddressesPass(), llvm::GVNPass(llvm::GVNOptions().setLoadPRE(false)),
          llvm::BDCEPass(), PlainDivisionsPass(), llvm::InstCombinePass(), llvm::DSEPass(),
          loops_with_memory(licm(), trivial_unswitch()), simplify_cfg()));
    }};

constexpr Part kPipeline[] = {
    // Most of what is called is always inlined, often through several levels: it is simplified
    // once, where it arrives. The inliner that weighs costs would simplify it at every level.
    {"inline always", When::Calls, "functions of the library into their callers",
     [](llvm::ModulePassManager &passes) { passes.addPass(llvm::AlwaysInlinerPass()); }},
    {"inline", When::Calls, "functions into callers where that costs little",
     [](llvm::ModulePassManager &passes) {
       passes.addPass(inlined(sroa(), ResultFieldsPass(), early_cse(false), simplify_cfg(),
                              llvm::InstCombinePass()));
       passes.addPass(llvm::GlobalDCEPass());
     }},
    // Jump threading: an inlined call that failed leads to where its caller fails, past the test of
    // its status.
    {"simplify", When::Always, "values instead of memory, known branches and pairs of counts go",
     [](llvm::ModulePassManager &passes) {
       passes.addPass(functions(sroa(), ResultFieldsPass(), early_cse(true), simplify_switches(),
                                llvm::JumpThreadingPass(), llvm::InstCombinePass(),
                                FreshInstancesPass(), PairedCountsPass(), DistinctArraysPass(),
                                CarriedBlocksPass(), LocalBlocksPass()));
       passes.addPass(llvm::GlobalDCEPass());
     }},
    kLoops,
    kRedundancy,
    // An element stored by one iteration and loaded by the next stays in a register
    // (LoopLoadElimination). Of loops whose trip count is unknown only short ones are unrolled: the
    // vectoriser interleaves where it helps. Loops were peeled before, where what the first
    // iteration tells can still be used.
    {"vectorise", When::Loops, "vectors of iterations and of neighbours",
     [](llvm::ModulePassManager &passes) {
       passes.addPass(functions(
           NarrowIntegersPass(), PlainSumsPass(), ComparedFloatsPass(), ScalarGathersPass(),
           llvm::LoopVectorizePass(), llvm::LoopLoadEliminationPass(), llvm::InstCombinePass(),
           simplify_last(), PairedCountsPass(), StraightLinePass(), llvm::VectorCombinePass(),
           RareRecordsPass(), loops_with_memory(FixedChoicesPass()), simplify_cfg(),
           ShortLoopsPass(),
           llvm::LoopUnrollPass(
               llvm::LoopUnrollOptions().setOptLevel(2).setRuntime(false).setPeeling(false)),
           SharedPollsPass(), ReadOncePass(), LoopVariablesPass(), simplify_cfg(), JoinCopiesPass(),
           SingleLanesPass(), RecordBranchesPass(), MovedFieldsPass(), StackAddressesPass(),
           ShortRemaindersPass(), UnequalItemsPass()));
     },
     true},
};

/// For GPUs. A loop whose trip count is not known is unrolled at run time by a few: loads of
/// several iterations are then under way at once.
constexpr Part kDevicePipeline[] = {
    {"inline", When::Always, "all functions into the kernel",
     [](llvm::ModulePassManager &passes) {
       passes.addPass(inlined(sroa(), ResultFieldsPass(), early_cse(false), KeepBranchesPass(),
                              simplify_cfg(), llvm::InstCombinePass()));
       passes.addPass(llvm::GlobalDCEPass());
     }},
    {"simplify", When::Always, "values instead of memory, address spaces",
     [](llvm::ModulePassManager &passes) {
       passes.addPass(functions(sroa(), llvm::InferAddressSpacesPass(), early_cse(true),
                                ShortPlacesPass(), KeepBranchesPass(), simplify_switches(),
                                llvm::InstCombinePass(), DistinctArraysPass(), CarriedBlocksPass(),
                                LocalBlocksPass()));
     }},
    // Rotated loops are one block: half as many to copy and to join again.
    {"registers", When::LocalArrays, "unroll loops over small arrays until these are registers",
     [](llvm::ModulePassManager &passes) {
       passes.addPass(functions(llvm::LoopSimplifyPass(), llvm::LCSSAPass(),
                                loops_with_memory(llvm::LoopRotatePass(), licm()),
                                UnrollLocalPass(), sroa(), simplify_cfg(), early_cse(true)));
     }},
    kLoops,
    kRedundancy,
    {"unroll", When::Loops, "loads of several iterations at once",
     [](llvm::ModulePassManager &passes) {
       passes.addPass(functions(llvm::LoopSimplifyPass(), llvm::LCSSAPass(), PlainIndicesPass(),
                                llvm::LoopSimplifyPass(), llvm::LCSSAPass(), ShortCountersPass(),
                                UnrollLoadsPass(),
                                llvm::LoopUnrollPass(llvm::LoopUnrollOptions().setOptLevel(2)),
                                sroa(), early_cse(true), llvm::InstCombinePass(), simplify_last()));
     }},
    {"offsets", When::Always,
     "and tests of them, in arrays of fewer than 2^31 - 2^24 items, with 32 bits",
     [](llvm::ModulePassManager &passes) {
       passes.addPass(functions(ShortOffsetsPass(), ShortTestsPass(), early_cse(false)));
     }},
    // The back end joins neighbouring accesses to memory that is known to be aligned.
    {"alignment", When::Always, "of accesses, for the back end to join",
     [](llvm::ModulePassManager &passes) {
       passes.addPass(functions(llvm::InferAlignmentPass()));
     }},
    {"addresses", When::Loops, "computed again behind loops, where many would be kept for that",
     [](llvm::ModulePassManager &passes) { passes.addPass(functions(RepeatAddressesPass())); }},
    {"pressure", When::Always, "reorder long blocks so that fewer values are alive",
     [](llvm::ModulePassManager &passes) { passes.addPass(functions(RegisterPressurePass())); }},
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

/// `inlined` is called behind the first part.
void run(std::span<const Part> pipeline, llvm::Module &module, llvm::TargetMachine &machine,
         llvm::function_ref<void()> inlined = nullptr) {
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

  // What the target asks for: on GPUs, answers to libdevice's __nvvm_reflect.
  llvm::ModulePassManager first;
  builder.invokePipelineStartEPCallbacks(first, llvm::OptimizationLevel::O0);
  first.run(module, modules);

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
    part.add(passes);
    passes.run(module, modules);
    if (inlined && &part == &pipeline.front()) {
      inlined();
      modules.clear();
    }
  }
}

} // namespace

std::vector<PassRow> pass_list() {
  static constexpr const char *places[] = {"always", "not on GPUs", "in kernels",
                                           "in the simulator"};
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
  static constexpr Part merge[] = {
      {"merge calls", When::Always, "equal calls of libm", [](llvm::ModulePassManager &passes) {
         passes.addPass(inlined(sroa(), early_cse(false)));
         passes.addPass(llvm::GlobalDCEPass());
       }}};
  if (llvm::any_of(module, [](const llvm::Function &function) {
        return function.isDeclaration() && function.getName().starts_with("__nv_");
      }))
    run(merge, module, machine);
}

void optimise_for_device(llvm::Module &module, llvm::TargetMachine &machine, bool fully,
                         llvm::function_ref<void()> inlined) {
  run(fully ? std::span(kDevicePipeline) : std::span(kDevicePipeline).first(1), module, machine,
      inlined);
  separate_stored_bits(module);
}

} // namespace numjit::codegen
