// Loops that count: what compilation knows of the numbers of `for i in range(x.ndim)` and of
// `for i, x in enumerate(args)`.
#include "typeinfer/infer/engine.h"
#include "typeinfer/infer/known_calls.h"

namespace numjit {

/// The call that made what a loop iterates over; null where there are several, or none.
static const ssa::Value *iterated(const ssa::Value &state) {
  const ssa::Value *start = &state;
  if (state.op == ssa::Op::Phi)
    for (const ssa::Value *operand : state.operands)
      if (operand->op == ssa::Op::GetIter)
        start = operand;
  return start->op == ssa::Op::GetIter ? start->operands[0] : nullptr;
}

bool is_range_of(const ssa::Value &state) {
  const ssa::Value *made = iterated(state);
  return made && calls(*made, "builtins.range");
}

std::optional<std::vector<int64_t>> items_of_range(const ssa::Value &range,
                                                   const std::vector<Fact> &facts) {
  constexpr size_t most = 64;
  std::vector<int64_t> parts, items;
  for (size_t i = 1; i < range.operands.size(); ++i)
    if (const Const *bound = facts[range.operands[i]->id].constant;
        bound && bound->kind == ConstKind::Int && !bound->big)
      parts.push_back(bound->integer);
  if (parts.size() + 1 != range.operands.size() || parts.empty() || parts.size() > 3)
    return std::nullopt;
  const int64_t start = parts.size() == 1 ? 0 : parts[0], stop = parts[parts.size() > 1],
                step = parts.size() == 3 ? parts[2] : 1;
  if (step == 0)
    return std::nullopt;
  for (int64_t i = start; step > 0 ? i < stop : i > stop; i += step) {
    if (items.size() == most)
      return std::nullopt;
    items.push_back(i);
  }
  return items;
}

int count_of_range(const ssa::Value &state, const std::vector<Fact> &facts) {
  const auto items = is_range_of(state) ? items_of_range(*iterated(state), facts) : std::nullopt;
  const size_t count = items ? items->size() : 0;
  return count > 0 && count <= kShortTuple ? static_cast<int>(count) : -1;
}

std::optional<int64_t> counted(const ssa::Value &item, const std::vector<Fact> &facts) {
  if (item.op != ssa::Op::UnrolledItem)
    return std::nullopt;
  const ssa::Value *made = iterated(*item.operands[0]);
  if (!made)
    return std::nullopt;
  if (calls(*made, "builtins.range")) {
    const auto items = items_of_range(*made, facts);
    return items && static_cast<size_t>(item.index) < items->size()
               ? std::optional((*items)[item.index])
               : std::nullopt;
  }
  return calls(*made, "builtins.enumerate") && made->operands.size() == 2
             ? std::optional<int64_t>(item.index)
             : std::nullopt;
}

const Const *known_item(const ssa::Value &item, const std::vector<Fact> &facts) {
  if (is_range_of(*item.operands[0])) {
    const auto number = counted(item, facts);
    return number ? constants::integer(*number) : nullptr;
  }
  const ssa::Value *made = iterated(*item.operands[0]);
  if (made && calls(*made, "numjit.literal_unroll") && made->operands.size() == 2)
    made = made->operands[1];
  if (!made)
    return nullptr;
  const auto index = static_cast<size_t>(item.index);
  const Const *display = facts[made->id].constant, *known = nullptr;
  if (display && display->kind == ConstKind::Tuple && index < display->items.size())
    known = display->items[index];
  else if (made->op == ssa::Op::BuildTuple && index < made->operands.size())
    known = facts[made->operands[index]->id].constant;
  return known && known->kind == ConstKind::Int ? known : nullptr;
}

Operand tuple_of_range(Emitter &e, const ssa::Value &given, const std::vector<Fact> &facts) {
  const auto known = calls(given, "builtins.range") ? items_of_range(given, facts) : std::nullopt;
  if (!known)
    return {};
  Operands items;
  for (int64_t item : *known)
    items.push_back(e.i64(item));
  return e.tuple(items);
}

} // namespace numjit
