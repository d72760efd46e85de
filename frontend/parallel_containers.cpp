// What makes the containers longer or shorter that the iterations of a loop over prange share.
#include "frontend/parallel_loops.h"

#include <algorithm>

namespace numjit::ssa {

static bool makes_table(const Value &value) {
  const Const *callee = value.op == Op::Call ? value.operands[0]->constant : nullptr;
  return value.op == Op::BuildMap || value.op == Op::BuildSet ||
         (callee && callee->object &&
          (callee->object->name == "builtins.dict" || callee->object->name == "builtins.set"));
}

bool changes_length(std::string_view method, bool of_table) {
  constexpr std::string_view of_all[] = {"append",     "appendleft", "clear", "extend",
                                         "extendleft", "insert",     "pop",   "popitem",
                                         "popleft",    "remove",     "rotate"};
  constexpr std::string_view of_tables[] = {
      "add",        "difference_update", "discard", "intersection_update",        "move_to_end",
      "setdefault", "subtract",          "update",  "symmetric_difference_update"};
  for (const std::string_view prefix : {"counter_", "deque_", "ordered_"}) // of `collections`
    if (method.starts_with(prefix))
      method.remove_prefix(prefix.size());
  return std::ranges::find(of_all, method) != std::end(of_all) ||
         (of_table && std::ranges::find(of_tables, method) != std::end(of_tables));
}

const Value *changed_container(const Value &value) {
  if (value.op == Op::ListAppend || value.op == Op::ListExtend || value.op == Op::DelItem)
    return value.operands[0];
  if (value.op == Op::SetItem)
    return makes_table(*value.operands[0]) ? value.operands[0] : nullptr;
  if (value.op != Op::Call || value.operands[0]->op != Op::GetAttr)
    return nullptr;
  const Value &object = *value.operands[0]->operands[0];
  return changes_length(value.operands[0]->name, makes_table(object)) ? &object : nullptr;
}

} // namespace numjit::ssa
