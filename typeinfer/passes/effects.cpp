// What functions do: whether they call themselves, whether they may raise, whether they may run
// long.
#include "typeinfer/passes/edit.h"
#include "typeinfer/passes/passes.h"
#include "typeinfer/passes/simplify.h"

#include <algorithm>
#include <unordered_map>

namespace numjit::passes {

using namespace tir;

namespace {

/// Tarjan's algorithm: functions in one strongly connected component of the call graph call each
/// other.
class CallGraph {
public:
  explicit CallGraph(Module &module) {
    for (const auto &function : module.functions)
      if (!nodes_.contains(function.get()))
        visit(*function);
  }

private:
  struct Node {
    int number = 0, low = 0;
    bool on_stack = true;
  };

  int visit(Function &function) {
    const int number = ++count_;
    nodes_[&function] = {number, number};
    stack_.push_back(&function);
    int low = number;
    bool calls_itself = false;
    for (const Block *block : function.blocks)
      for (const Value *value : block->values) {
        // Who takes an address may call it.
        if (value->op != Op::Call && value->op != Op::FunctionAddress)
          continue;
        calls_itself |= value->callee == &function;
        if (auto found = nodes_.find(value->callee); found == nodes_.end())
          low = std::min(low, visit(*value->callee));
        else if (found->second.on_stack)
          low = std::min(low, found->second.number);
      }
    if (low == number)
      close(function, calls_itself);
    return low;
  }

  void close(Function &root, bool calls_itself) {
    const bool recursive = calls_itself || stack_.back() != &root;
    Function *member = nullptr;
    do {
      member = stack_.back();
      stack_.pop_back();
      nodes_[member].on_stack = false;
      member->recursive = recursive;
    } while (member != &root);
  }

  std::unordered_map<const Function *, Node> nodes_;
  std::vector<Function *> stack_;
  int count_ = 0;
};

/// A recursion may run long without a loop, so it also polls.
void add_stack_check(Function &function, bool poll) {
  Block &entry = *function.blocks[0];
  auto place = std::find_if(entry.values.begin(), entry.values.end(),
                            [](const Value *value) { return value->op != Op::Param; });
  if ((*place)->op == Op::StackCheck)
    return;
  Value *check = make_value(function, Op::StackCheck, types::none(), {}, **place);
  check->block = &entry;
  place = entry.values.insert(place, check) + 1;
  if (!poll)
    return;
  Value *interrupt = make_value(function, Op::Poll, types::none(), {}, *check);
  interrupt->block = &entry;
  entry.values.insert(place, interrupt);
}

/// Whether exceptions leave the function. What its handlers catch does not count.
bool raises(const Function &function) {
  for (const Block *block : function.blocks) {
    const Value *guarded = guarded_by_try(*block);
    for (const Value *value : block->values) {
      const bool leaves =
          (value->op == Op::Raise || value->op == Op::Reraise) && block->succs.empty();
      if (leaves || (value != guarded && can_raise(*value)))
        return true;
    }
  }
  return false;
}

/// Handlers of what turned out not to raise go.
void drop_idle_tries(Function &function) {
  bool changed = false;
  for (Block *block : function.blocks) {
    const Value *guarded = guarded_by_try(*block);
    if (!guarded || can_raise(*guarded))
      continue;
    Block *handler = block->succs[1];
    std::erase(handler->preds, block); // no phis there
    block->succs.pop_back();
    block->terminator()->op = Op::Jump;
    changed = true;
  }
  if (changed)
    tidy(function);
}

} // namespace

void recursion(Module &module, const PassOptions &options) {
  CallGraph graph(module);
  for (const auto &function : module.functions)
    if (function->recursive)
      add_stack_check(*function, options.polls);
}

void effects(Module &module, const PassOptions &) {
  // Compiling a rare function when it is called may fail.
  for (const auto &function : module.functions)
    function->may_raise = function->rare && module.target != Target::Cuda;
  for (bool changed = true; changed;) {
    changed = false;
    for (const auto &function : module.functions)
      if (!function->may_raise && raises(*function))
        changed = function->may_raise = true;
  }
  for (const auto &function : module.functions)
    drop_idle_tries(*function);
  for (const auto &function : module.functions)
    for (const Block *block : function->blocks)
      for (const Value *value : block->values)
        module.may_run_long |=
            value->op == Op::Poll || value->op == Op::StackCheck ||
            (value->op == Op::CallRuntime && value->runtime_op == RuntimeOp::Parallel);
}

} // namespace numjit::passes
