#include "frontend/ssa_builder.h"

#include "frontend/cfg.h"
#include "frontend/decode.h"
#include "frontend/ssa_draft.h"
#include "frontend/stack_machine.h"

namespace numjit {

std::shared_ptr<const ssa::Function> build_ssa(const FunctionDef &function,
                                               Environment &environment, const UnrollPlan &plan) {
  Bytecode bytecode = decode(function);
  Cfg cfg = build_cfg(bytecode, plan);
  ssa::Draft draft(function, bytecode, cfg);
  ssa::StackMachine machine(draft, cfg, environment);
  machine.add_parameters();
  for (int32_t block : cfg.order)
    machine.fill_block(block);
  ssa::check_captures(draft);
  return ssa::finish(draft, environment);
}

} // namespace numjit
