// Lists of extents and axes whose length compilation knows: `shape = list(x.shape); shape[axis] =
// n; np.zeros(shape)`. How many dimensions an array has is part of its type, so such a list is
// passed on as a tuple of its items.
#include "typeinfer/infer/engine.h"

#include <algorithm>
#include <functional>

namespace numjit {

namespace {

constexpr int64_t kMostDimensions = 64; ///< dimensions that an array of NumPy's has at most

/// What an operation does to the length of a list that it is given; nothing: that is not known.
std::optional<int64_t> change_of_length(const ssa::Value &use, const ssa::Value &list,
                                        const std::vector<Fact> &facts) {
  const bool is_object = use.operands[0] == &list;
  const auto is_integer = [&](const ssa::Value &value) {
    const Type *type = facts[value.id].type;
    return type && type->is_scalar() && type->is_integer();
  };
  switch (use.op) {
  case ssa::Op::GetItem:
  case ssa::Op::GetIter:
  case ssa::Op::Unpack:
  case ssa::Op::UnpackItem:
  case ssa::Op::Return: return 0;
  case ssa::Op::Operator:
    return use.inplace && is_object ? std::nullopt : std::optional<int64_t>(0);
  case ssa::Op::SetItem:
    return is_object && is_integer(*use.operands[1]) ? std::optional<int64_t>(0) : std::nullopt;
  case ssa::Op::DelItem:
    return is_object && is_integer(*use.operands[1]) ? std::optional<int64_t>(-1) : std::nullopt;
  case ssa::Op::GetAttr:
    for (const char *name : {"index", "count", "copy", "sort", "reverse"})
      if (use.name == name)
        return 0;
    return use.name == "append" || use.name == "insert" ? std::optional<int64_t>(1)
           : use.name == "pop" || use.name == "remove"  ? std::optional<int64_t>(-1)
                                                        : std::nullopt;
  case ssa::Op::Call: {
    const ssa::Value &callee = *use.operands[0];
    if (callee.op == ssa::Op::GetAttr) // a method of another object that keeps no lists
      return facts[callee.operands[0]->id].type && is_arraylike(facts[callee.operands[0]->id].type)
                 ? std::optional<int64_t>(0)
                 : std::nullopt;
    const bool is_builtin = callee.op == ssa::Op::Const && callee.constant->object &&
                            callee.constant->object->kind != ObjectKind::Function;
    return is_builtin ? std::optional<int64_t>(0) : std::nullopt;
  }
  default: return std::nullopt;
  }
}

/// How many items a list is made with; -1: not known. `length_of`: of a list that it is made of,
/// which may have changed before.
int64_t made_length(const ssa::Value &list, const std::vector<Fact> &facts,
                    const std::function<int64_t(const ssa::Value &)> &length_of) {
  const auto length = [&](const ssa::Value &value) -> int64_t {
    const Type *type = facts[value.id].type;
    if (type && type->is_tuple())
      return static_cast<int64_t>(type->params.size());
    return type && type->kind == Kind::List ? length_of(value) : -1;
  };
  const auto number = [&](const ssa::Value &value) -> int64_t {
    const Fact &fact = facts[value.id];
    const bool known =
        fact.constant && fact.constant->kind == ConstKind::Int && !fact.constant->big;
    return known ? std::max<int64_t>(fact.constant->integer, 0) : -1;
  };
  if (list.op == ssa::Op::BuildList)
    return static_cast<int64_t>(list.operands.size());
  if (calls(list, "builtins.list") && list.operands.size() == 2) {
    const ssa::Value &given = *list.operands[1];
    const bool counts = calls(given, "builtins.range") && given.operands.size() == 2;
    return counts ? number(*given.operands[1]) : length(given);
  }
  if (list.op != ssa::Op::Operator || list.inplace || list.operands.size() != 2)
    return -1;
  const ssa::Value &a = *list.operands[0], &b = *list.operands[1];
  if (list.oper == Operator::Add) {
    const int64_t first = length(a), second = length(b);
    return first < 0 || second < 0 ? -1 : first + second;
  }
  if (list.oper != Operator::Mul)
    return -1;
  const bool list_first = facts[a.id].type && facts[a.id].type->kind == Kind::List;
  const int64_t once = length(list_first ? a : b), times = number(list_first ? b : a);
  return once < 0 || times < 0 || (times && once > kMostDimensions / times) ? -1 : once * times;
}

} // namespace

/// How long a list is where it is used; -1: not known. Only what changes it in the block where it
/// is made is followed.
int64_t SsaRules::length_where_used(const ssa::Value &list, const ssa::Value &use) const {
  int64_t length = made_length(
      list, spec.facts, [&](const ssa::Value &part) { return length_where_used(part, list); });
  if (length < 0)
    return -1;
  bool before = true; // the use
  for (const ssa::Block &block : spec.source->blocks)
    for (const ssa::Value *value : block.values) {
      before = before && value != &use;
      if (std::ranges::find(value->operands, &list) == value->operands.end())
        continue;
      const std::optional<int64_t> change = change_of_length(*value, list, spec.facts);
      if (!change || (*change && block.id != list.block->id))
        return -1;
      if (before || use.block != list.block)
        length += *change;
    }
  return length <= kMostDimensions ? length : -1;
}

/// An argument for a function that takes tuples of integers: of a list of them whose length is
/// known, a tuple.
Operand SsaRules::with_known_length(const ssa::Value &call, const ssa::Value &argument,
                                    const Operand &given) {
  if (given.type->kind != Kind::List || !given.type->params[0]->is_scalar() ||
      !given.type->params[0]->is_integer())
    return given;
  const int64_t length = length_where_used(argument, call);
  if (length < 0)
    return given;
  const std::array<Operand, 1> found{e.library("builtins.len", {given})};
  e.raise_if(e.compare(Operator::Ne, found[0], e.i64(length)), "RuntimeError",
             "a list with {} items, of which compilation expected " + std::to_string(length) +
                 ": pass a tuple",
             found);
  Operands items;
  for (int64_t i = 0; i < length; ++i)
    items.push_back(rule_getitem(e, given, e.i64(i)));
  return e.tuple(items);
}

} // namespace numjit
