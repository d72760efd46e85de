#include "typeinfer/passes/ownership.h"

#include "typeinfer/errors.h"

#include <algorithm>

namespace numjit::tir {

size_t owner_count(const Type *type) {
  const std::vector<LeafInfo> &leaves = layout_of(type).leaves;
  return static_cast<size_t>(
      std::count_if(leaves.begin(), leaves.end(), [](const LeafInfo &leaf) { return leaf.owner; }));
}

static bool holds_pointers(const Type *type) {
  for (const LeafInfo &leaf : layout_of(type).leaves)
    if (leaf.leaf == Leaf::Ptr)
      return true;
  return false;
}

/// Whether nothing but addresses of unknown things is in it: of a type of the user's own, who keeps
/// alive what they are of.
static bool holds_plain_addresses(const Type *type) {
  if (type->kind == Kind::Pointer)
    return type->params[0]->kind == Kind::None;
  return !type->counted &&
         (type->fields.empty() ? !holds_pointers(type)
                               : std::ranges::all_of(type->fields, holds_plain_addresses));
}

/// Operations whose counted result comes with a count of its own.
static bool gives_count(const Value &value) {
  switch (value.op) {
  case Op::Alloc:
  case Op::Call:
  case Op::CallPointer:
  case Op::CallRuntime:
  case Op::Exchange:
  case Op::Load: return value.type->counted;
  default: return false;
  }
}

Ownership::Ownership(const Function &function, const Cfg &cfg, HeldLoads loads)
    : loads_(std::move(loads)), root_index_(function.values.size(), -1),
      keeps_(function.values.size()) {
  find_roots(cfg);
  // A phi is a root as soon as one operand comes from a root; that makes more phis roots.
  while (update_keeps(cfg)) {
  }
  if (!roots_.empty())
    find_stack_uses(cfg);
}

void Ownership::find_roots(const Cfg &cfg) {
  for (const Block *block : cfg.order())
    for (Value *value : block->values)
      if (gives_count(*value) && held(*value) != Held::Borrowed) {
        root_index_[value->id] = static_cast<int>(roots_.size());
        roots_.push_back(value);
      }
}

/// Computes what every value keeps; true if a phi turned out to be a root.
bool Ownership::update_keeps(const Cfg &cfg) {
  if (roots_.empty())
    return false;
  for (const Block *block : cfg.order())
    for (const Value *value : block->values) {
      std::vector<uint32_t> &kept = keeps_[value->id];
      kept.clear();
      const int index = root_index_[value->id];
      if (index >= 0)
        kept.push_back(static_cast<uint32_t>(index));
      if (index >= 0 ? held(*value) == Held::Watched
                     : value->op != Op::Phi && holds_pointers(value->type))
        for (const Value *operand : value->operands)
          for (uint32_t root : keeps_[operand->id])
            if (std::find(kept.begin(), kept.end(), root) == kept.end())
              kept.push_back(root);
    }
  bool changed = false;
  for (const Block *block : cfg.order())
    for (Value *value : block->values) {
      if (value->op != Op::Phi)
        break;
      if (root_index_[value->id] >= 0 || !holds_pointers(value->type))
        continue;
      bool owning = std::any_of(value->operands.begin(), value->operands.end(),
                                [&](const Value *operand) { return !keeps_[operand->id].empty(); });
      if (!owning || holds_plain_addresses(value->type))
        continue;
      if (!value->type->counted)
        throw InternalError("a phi of pointers into counted memory cannot keep it alive: " +
                            print(*value));
      root_index_[value->id] = static_cast<int>(roots_.size());
      roots_.push_back(value);
      changed = true;
    }
  return changed;
}

static const Value *stack_memory(const Value *pointer) {
  while (pointer->op == Op::PtrAdd)
    pointer = pointer->operands[0];
  return pointer->op == Op::StackAlloc ? pointer : nullptr;
}

void Ownership::find_stack_uses(const Cfg &cfg) {
  using Uses = std::unordered_map<const Value *, std::vector<const Value *>>; // by stack memory
  Uses stores, users;
  for (const Block *block : cfg.order())
    for (const Value *value : block->values) {
      if (value->op == Op::PtrAdd || value->op == Op::Phi)
        continue;
      for (const Value *operand : value->operands)
        if (const Value *memory = stack_memory(operand)) {
          const bool writes = value->op == Op::Store && operand == value->operands[0];
          (writes ? stores : users)[memory].push_back(value);
        }
    }
  auto comes_before = [&](const Value *store, const Value *user) {
    if (store->block != user->block)
      return cfg.dominates(store->block, user->block);
    for (const Value *value : user->block->values)
      if (value == store || value == user)
        return value == store;
    return false;
  };
  for (const auto &[memory, writes] : stores)
    for (const Value *user : users[memory])
      for (const Value *store : writes)
        if (const std::vector<uint32_t> &kept = keeps(store->operands[1]);
            !kept.empty() && comes_before(store, user)) {
          std::vector<uint32_t> &all = through_stack_[user];
          all.insert(all.end(), kept.begin(), kept.end());
        }
}

std::vector<uint32_t> Ownership::used_by(const Value &value) const {
  std::vector<uint32_t> used;
  for (const Value *operand : value.operands)
    used.insert(used.end(), keeps(operand).begin(), keeps(operand).end());
  if (auto found = through_stack_.find(&value); found != through_stack_.end())
    used.insert(used.end(), found->second.begin(), found->second.end());
  return used;
}

std::vector<OwnerSource> Ownership::sources(Value *value) const {
  std::vector<OwnerSource> found;
  if (!value->type->counted)
    return found;
  switch (value->op) {
  case Op::Struct:
    for (Value *operand : value->operands)
      for (OwnerSource source : sources(operand))
        found.push_back(source);
    return found;
  case Op::Field: {
    Value *whole = value->operands[0];
    size_t first = 0;
    for (int i = 0; i < value->index; ++i)
      first += owner_count(whole->type->fields[static_cast<size_t>(i)]);
    std::vector<OwnerSource> all = sources(whole);
    auto begin = all.begin() + static_cast<ptrdiff_t>(first);
    return {begin, begin + static_cast<ptrdiff_t>(owner_count(value->type))};
  }
  case Op::Const:
    if (value->integer == 0)
      return {OwnerSource{}};
    break; // a foreign object, kept alive by the compiled function
  default: break;
  }
  for (size_t i = 0, count = owner_count(value->type); i < count; ++i)
    found.push_back({value, i});
  return found;
}

} // namespace numjit::tir
