// A generator that does not outlive a loop needs no frame on the heap and no calls: `next` is
// inlined, the contents of the frame become SSA values, and each yield jumps to the loop's body,
// which jumps back to the place after the yield. What is left is the generator's own loop around
// the body, which range analysis, interrupt points and LLVM treat like one written by hand.
#include "typeinfer/passes/frames.h"
#include "typeinfer/passes/inline.h"
#include "typeinfer/passes/passes.h"
#include "typeinfer/passes/simplify.h"
#include "typeinfer/passes/ssa_update.h"

#include <algorithm>
#include <unordered_set>

namespace numjit::passes {

using namespace tir;

namespace {

constexpr size_t kMostInInlinedGenerator = 3000; ///< values in one copy
constexpr size_t kMostValues = 30'000;           ///< in the function then
constexpr int kDeepest = 4;                      ///< functions that hand on a generator
constexpr int kMostRounds = 16;                  ///< generators in generators

bool is_generator(const Type *type) { return type->kind == Kind::Generator; }

/// Whether a generator is asked for items by code that may be copied, and nothing else.
bool only_asked(const Function &function, const Value &generator, int depth) {
  for (const Block *block : function.blocks)
    for (const Value *user : block->values)
      for (size_t i = 0; i < user->operands.size(); ++i) {
        if (user->operands[i] != &generator)
          continue;
        if (user->op == Op::Field)
          continue; // its frame, in `next`
        if (user->op != Op::Call || depth == 0 || !may_inline(function, *user) ||
            user->callee->values.size() > kMostInInlinedGenerator)
          return false;
        for (const Value *parameter : user->callee->blocks[0]->values)
          if (parameter->op == Op::Param && static_cast<size_t>(parameter->index) == i &&
              !only_asked(*user->callee, *parameter, depth - 1))
            return false;
      }
  return true;
}

/// Calls that make generators or ask them.
bool inline_calls(Function &function) {
  std::vector<Value *> calls;
  std::unordered_set<const Value *> local;
  for (const Block *block : function.blocks)
    for (Value *value : block->values) {
      const bool makes = value->op == Op::Call && is_generator(value->type);
      const bool made = value->op == Op::Struct && is_generator(value->type);
      if ((makes && !may_inline(function, *value)) || (!makes && !made) ||
          !only_asked(function, *value, kDeepest))
        continue;
      local.insert(value);
      if (makes)
        calls.push_back(value);
    }
  for (const Block *block : function.blocks)
    for (Value *value : block->values)
      if (value->op == Op::Call && std::ranges::find(calls, value) == calls.end() &&
          std::ranges::any_of(value->operands,
                              [&](const Value *operand) { return local.contains(operand); }))
        calls.push_back(value);
  bool changed = false;
  for (Value *call : calls)
    if (function.values.size() + call->callee->values.size() <= kMostValues) {
      inline_call(function, *call);
      changed = true;
    }
  return changed;
}

/// Calls that give parts of what they get, which a function of the library returns with a count of
/// its own: one less in each iteration of a walk over views.
bool inline_views(Function &function) {
  std::vector<Value *> calls;
  for (const Block *block : function.blocks)
    for (Value *value : block->values)
      if (value->op == Op::Call && value->type->counted && value->callee->inline_always &&
          value->callee->blocks.size() == 1 && may_inline(function, *value))
        calls.push_back(value);
  for (Value *call : calls)
    inline_call(function, *call);
  return !calls.empty();
}

void expand(Function &function) {
  bool expanded = false;
  for (int round = 0; round < kMostRounds && inline_calls(function); ++round) {
    expanded = true;
    tidy(function);
    if (!promote_frames(function))
      continue;
    tidy(function);
    thread_jumps(function);
  }
  for (int round = 0; expanded && round < kMostRounds && inline_views(function); ++round)
    tidy(function);
}

using Functions = std::unordered_set<const Function *>;

void visit(Function &function, Functions &seen, bool expanding) {
  if (!seen.insert(&function).second)
    return;
  if (expanding)
    expand(function);
  for (const Block *block : function.blocks)
    for (const Value *value : block->values)
      if (value->callee)
        visit(*value->callee, seen, expanding);
}

} // namespace

void generators(Module &module, const PassOptions &) {
  if (std::ranges::none_of(module.functions,
                           [](const auto &function) { return is_generator(function->result); }))
    return;
  Functions before, after;
  visit(*module.functions[0], before, false);
  visit(*module.functions[0], after, true);
  for (const auto &function : module.functions) // what is reached in other ways may call them, too
    if (!before.contains(function.get()))
      visit(*function, after, false);
  std::erase_if(module.functions, [&](const auto &function) {
    return before.contains(function.get()) && !after.contains(function.get());
  });
}

} // namespace numjit::passes
