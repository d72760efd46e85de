// Basic blocks over neutral instructions, before SSA.
#pragma once

#include "frontend/instruction.h"
#include "frontend/unroll_plan.h"

#include <string>
#include <vector>

namespace numjit {

/// What entering a block does to the stack. The two edges of a FOR_ITER differ in this, so each has
/// a block of its own.
enum class EntryAction : uint8_t { None, LoopBody, UnrolledBody, LoopExit, SendExit, Handler };

struct CfgBlock {
  int32_t begin = 0, end = 0; ///< range of instructions; may be empty
  EntryAction action = EntryAction::None;
  bool is_loop_header = false; ///< the only instruction is ForIter
  int32_t unrolled_item = -1;  ///< copy of a loop header, and of its way in: the item
  std::vector<int32_t> succs;  ///< of a branch: where to go if it holds, if not
  bool guarded = false;        ///< the last of succs is where its exceptions go
  int32_t handler_depth = 0;   ///< guarded: of the stack at the handler
  int32_t entry_depth = 0;     ///< handlers: of the stack at their entry, the exception not counted
  bool pushes_place = false;   ///< handlers: see ProtectedRange
  std::vector<int32_t> preds;

  size_t ways_on() const { return succs.size() - guarded; } ///< successors but for the handler
};

struct Cfg {
  std::vector<CfgBlock> blocks; ///< the entry first
  std::vector<int32_t> order;   ///< reachable blocks in reverse postorder, loop bodies before exits
  const std::string *refusal = nullptr; ///< why the plan could not be carried out
};

/// Splits `bytecode` into blocks, unrolls the loops of `plan` and splits critical edges.
Cfg build_cfg(const Bytecode &bytecode, const UnrollPlan &plan);

/// Unrolls `header`'s loop: copy k of its body has item k. `tested`: if there is one. In
/// unroll.cpp.
void unroll_loop(Cfg &cfg, int32_t header, int32_t items, bool tested);

} // namespace numjit
