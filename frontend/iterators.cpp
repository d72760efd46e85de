// zip(), enumerate(), map() and the like return a value: each loop over it starts from the
// beginning. That equals Python's iterator if one loop or function consumes it where it is made:
//
//     for x, y in zip(a, b):
//     total = sum(map(f, a))
//
// Elsewhere a generator is made, which has a position:
//
//     pairs = zip(a, b)
//     first = next(pairs)
//
// The values of map() and filter() are lists, so a loop over them has a generator, too.
#include "frontend/ssa_draft.h"

#include <algorithm>
#include <map>

namespace numjit::ssa {

namespace {

constexpr std::string_view kMakers[] = {"builtins.enumerate", "builtins.filter", "builtins.map",
                                        "builtins.reversed", "builtins.zip"};

/// The name of the builtin that a call calls; empty if it is none.
std::string_view called_builtin(const Value &value) {
  if (value.op != Op::Call && value.op != Op::CallStar)
    return {};
  const Value &callee = *value.operands[0];
  if (callee.op != Op::Const || !(callee.constant->is_object(ObjectKind::Builtin) ||
                                  callee.constant->is_object(ObjectKind::Class)))
    return {};
  return callee.constant->object->name;
}

/// Whether an operation is done with an iterator when its result is there.
bool exhausts(const Value &user, const Value &made) {
  switch (user.op) {
  case Op::GetIter:
  case Op::ListExtend:
  case Op::SetUpdate:
  case Op::MapUpdate:
  case Op::ListToTuple:
  case Op::Unpack:
  case Op::Operator: // in
    return true;
  case Op::CallStar:
    if (user.operands[1] == &made)
      return true;
    [[fallthrough]];
  case Op::Call: {
    const std::string_view name = called_builtin(user);
    return user.operands[0]->op == Op::GetAttr || (!name.empty() && name != "builtins.next");
  }
  default: return false;
  }
}

/// Whether a loop takes what map() or filter() returns.
bool is_walked(const Value &made, const Value &user) {
  const std::string_view maker = called_builtin(made);
  return (maker == "builtins.map" || maker == "builtins.filter") && user.op == Op::GetIter;
}

} // namespace

void keep_iterators(Draft &draft) {
  std::map<Value *, std::vector<const Value *>> users;
  auto each_value = [&](auto visit) {
    for (int32_t id : draft.order)
      if (!draft.blocks[id].dropped)
        for (Value *value : draft.blocks[id].block.values)
          visit(value);
  };
  each_value([&](Value *value) {
    if (std::ranges::find(kMakers, called_builtin(*value)) != std::end(kMakers))
      users[value];
  });
  if (users.empty())
    return;
  each_value([&](const Value *value) {
    for (Value *operand : value->operands)
      if (auto found = users.find(operand); found != users.end())
        found->second.push_back(value);
  });
  for (auto &[made, using_] : users) {
    if (using_.empty() || (using_.size() == 1 && using_[0]->block == made->block &&
                           exhausts(*using_[0], *made) && !is_walked(*made, *using_[0])))
      continue;
    made->operands[0] = draft.constant_before(
        *made, constants::builtin("numjit.kept." + std::string(called_builtin(*made)).substr(9)));
  }
}

} // namespace numjit::ssa
