// What a function says about the types of the containers that it makes: `d = {}` gets its types
// from `d[k] = v` further down.
#include "typeinfer/engine.h"

#include <algorithm>

namespace numjit {

using ssa::Op;

namespace {

/// Name of the class that is called without arguments; empty for anything else.
std::string_view empty_call(const ssa::Value &value) {
  if (value.op != Op::Call || value.operands.size() != 1 || value.operands[0]->op != Op::Const ||
      !value.operands[0]->constant->object)
    return {};
  return value.operands[0]->constant->object->name;
}

class UseFinder {
public:
  explicit UseFinder(const ssa::Function &function) : users_(function.values.size()) {
    for (const ssa::Block &block : function.blocks)
      for (const ssa::Value *user : block.values) {
        for (const ssa::Value *operand : user->operands)
          users_[operand->id].push_back(user);
        if (user->op == Op::Return)
          returned_.push_back(user->operands[0]);
      }
  }

  std::vector<ContainerUse> uses(const ssa::Value &made) {
    kind_ = made_container(made);
    names_ = {&made};
    found_.clear();
    for (size_t i = 0; i < names_.size(); ++i)
      for (const ssa::Value *user : users_[names_[i]->id])
        look(*user, *names_[i]);
    return std::move(found_);
  }

private:
  /// Whether a call f(l, x) puts x into the list l.
  static bool adds_item(const ssa::Value &callee) {
    if (callee.op != Op::Const || !callee.constant->object)
      return false;
    const std::string &name = callee.constant->object->name;
    return name == "heapq.heappush" || name == "bisect.insort" || name == "bisect.insort_left" ||
           name == "bisect.insort_right";
  }

  bool is_name(const ssa::Value *value) const {
    return std::find(names_.begin(), names_.end(), value) != names_.end();
  }

  void add_name(const ssa::Value &value) {
    if (!is_name(&value))
      names_.push_back(&value);
  }

  void look(const ssa::Value &user, const ssa::Value &name) {
    const std::vector<ssa::Value *> &operands = user.operands;
    if (user.op == Op::Phi) {
      add_name(user);
      for (const ssa::Value *other : operands)
        if (!is_name(other))
          found_.push_back({ContainerUse::Same, other});
      return;
    }
    if (user.op == Op::Call && operands.size() == 3 && operands[1] == &name &&
        adds_item(*operands[0]))
      found_.push_back({ContainerUse::Item, operands[2]});
    if (user.op == Op::Call && operands.size() == 3 && operands[2] == &name &&
        operands[0]->op == Op::GetAttr && operands[0]->name == "setdefault")
      add_name(user); // d.setdefault(k, []).append(x)
    if (operands[0] != &name)
      return;
    switch (user.op) {
    case Op::Return: // what a function gives has one type
      for (const ssa::Value *other : returned_)
        if (!is_name(other))
          found_.push_back({ContainerUse::Same, other});
      break;
    case Op::ListAppend:
    case Op::SetAdd: found_.push_back({ContainerUse::Item, operands[1]}); break;
    case Op::MapAdd: found_.push_back({ContainerUse::Entry, operands[1], operands[2]}); break;
    case Op::ListExtend:
    case Op::SetUpdate: found_.push_back({ContainerUse::Items, operands[1]}); break;
    case Op::MapUpdate: found_.push_back({ContainerUse::Same, operands[1]}); break;
    case Op::SetItem:
      if (kind_ == Kind::Dict)
        found_.push_back({ContainerUse::Entry, operands[1], operands[2]});
      break;
    case Op::Operator:
      if (user.inplace && kind_ != Kind::Dict) { // l += items, s |= items
        found_.push_back({ContainerUse::Items, operands[1]});
        add_name(user);
      }
      break;
    case Op::GetAttr:
      for (const ssa::Value *call : users_[user.id])
        if (call->op == Op::Call && call->operands[0] == &user)
          look_at_call(user.name, *call);
      break;
    default: break;
    }
  }

  void look_at_call(const std::string &method, const ssa::Value &call) {
    const std::vector<ssa::Value *> &operands = call.operands; // the method first
    const size_t given = operands.size() - 1;
    if (kind_ == Kind::Dict) {
      if (method == "setdefault" && given == 2)
        found_.push_back({ContainerUse::Entry, operands[1], operands[2]});
      else if ((method == "get" || method == "pop") && given == 2)
        found_.push_back({ContainerUse::Guess, operands[1], operands[2]});
      else if (method == "update" && given == 1)
        found_.push_back({ContainerUse::Same, operands[1]});
    } else if ((method == "append" || method == "add") && given == 1) {
      found_.push_back({ContainerUse::Item, operands[1]});
    } else if (method == "insert" && given == 2) {
      found_.push_back({ContainerUse::Item, operands[2]});
    } else if (method == "extend" || method == "update") {
      for (size_t i = 1; i < operands.size(); ++i)
        found_.push_back({ContainerUse::Items, operands[i]});
    }
  }

  std::vector<std::vector<const ssa::Value *>> users_; ///< by value
  std::vector<const ssa::Value *> returned_;
  Kind kind_ = Kind::Undefined;
  std::vector<const ssa::Value *> names_; ///< values that are the container
  std::vector<ContainerUse> found_;
};

} // namespace

Kind made_container(const ssa::Value &value, bool *typed) {
  switch (value.op) {
  case Op::BuildList: return Kind::List;
  case Op::BuildSet: return Kind::Set;
  case Op::BuildMap: return Kind::Dict;
  default: break;
  }
  const std::string_view name = empty_call(value);
  if (typed)
    *typed = name.starts_with("numjit.typed.");
  return name == "builtins.list" || name == "numjit.typed.List"   ? Kind::List
         : name == "builtins.dict" || name == "numjit.typed.Dict" ? Kind::Dict
         : name == "builtins.set" || name == "numjit.typed.Set"   ? Kind::Set
                                                                  : Kind::Undefined;
}

bool makes_empty(const ssa::Value &value) {
  return value.op == Op::Call && made_container(value) != Kind::Undefined;
}

ContainerUses find_container_uses(const ssa::Function &function) {
  ContainerUses uses;
  std::unique_ptr<UseFinder> finder; // most functions make no containers
  for (const ssa::Block &block : function.blocks)
    for (const ssa::Value *value : block.values) {
      if (made_container(*value) == Kind::Undefined)
        continue;
      if (!finder)
        finder = std::make_unique<UseFinder>(function);
      uses[value] = finder->uses(*value);
    }
  return uses;
}

} // namespace numjit
