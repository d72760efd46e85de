#include "frontend/ssa_builder.h"

#include "frontend/cfg.h"
#include "frontend/parallel_loops.h"
#include "frontend/splice.h"
#include "frontend/ssa_draft.h"
#include "frontend/stack_machine.h"

namespace numjit {

std::shared_ptr<const ssa::Function> build_ssa(const FunctionDef &function,
                                               Environment &environment, const UnrollPlan &plan) {
  if (function.loop_of) {
    // Its bytecode is part of that of the function around it.
    UnrollPlan whole = plan;
    whole.insert(function.loop_plan.begin(), function.loop_plan.end());
    auto around = build_ssa(*function.loop_of, environment, whole);
    std::shared_ptr<ssa::Function> body = around->parallel_loops.at(function.loop_index);
    body->def = &function;
    return body;
  }
  Bytecode bytecode = decode(function);
  Cfg cfg = build_cfg(bytecode, plan);
  ssa::Draft draft(function, bytecode, cfg);
  draft.known_items = plan.contains(ssa::kKnownItems);
  for (auto [key, object] : plan)
    if (key <= ssa::kObjects && key != ssa::kKnownItems)
      draft.objects[ssa::kObjects - key] = object;
  ssa::StackMachine machine(draft, cfg, environment);
  machine.add_parameters();
  for (int32_t block : cfg.order)
    machine.fill_block(block);
  ssa::check_captures(draft);
  std::shared_ptr<ssa::Function> result = ssa::finish(draft, environment);
  // Functions of the library write prange where the caller's options ask for it.
  if (function.options.parallel || function.is_library || plan.contains(ssa::kLoopsOfCaller))
    result = ssa::outline_parallel_loops(std::move(result), plan);
  return result;
}

} // namespace numjit
