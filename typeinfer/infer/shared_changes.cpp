// Loops over prange that change a dict, set, list or object that all iterations share. Several
// threads at once would break it, so such loops run in one.
#include "frontend/parallel_loops.h"
#include "typeinfer/infer/engine.h"
#include "typeinfer/types/frozen.h"
#include "typeinfer/types/unknown.h"

#include <algorithm>
#include <set>

namespace numjit {

namespace {

/// Containers that are no longer the same memory when they grow or shrink.
bool grows(const Type *type) {
  return (type->kind == Kind::Dict || type->kind == Kind::Set || type->kind == Kind::List ||
          items_of_object(type)) &&
         !is_frozen(type);
}

/// The containers and objects in a value of a type, as far as they are not items of others.
void add_containers(const Type *type, std::set<const Type *> &found) {
  if (grows(type) || type->kind == Kind::Instance)
    found.insert(type);
  else if (type->counted)
    for (const Type *field : type->fields)
      add_containers(field, found);
}

/// Whether an index is, or may well be, the same in several iterations. Of what a function is given
/// that is not known.
bool is_index_of_several(const Specialization &spec, const ssa::Value &index) {
  switch (index.op) {
  case ssa::Op::Const: return true;
  case ssa::Op::Param: return spec.def->loop_of;
  case ssa::Op::Operator:
    return index.oper == Operator::Mod || index.oper == Operator::FloorDiv ||
           index.oper == Operator::And || index.oper == Operator::RShift;
  default: return false;
  }
}

/// Finds what changes containers and objects that a function gets.
class SharedChanges {
public:
  /// A change of what a loop's body gets from outside; null if there is none.
  const ssa::Value *in_body(const Specialization &body) {
    Types all;
    for (const Fact &argument : body.arguments)
      add_containers(argument.type, all);
    return find(body, all);
  }

private:
  using Types = std::set<const Type *>;

  /// A change of what is in parameters of `shared` types.
  const ssa::Value *find(const Specialization &spec, const Types &shared) {
    if (shared.empty() || spec.facts.empty() || !seen_.emplace(&spec, shared).second)
      return nullptr;
    for (const ssa::Block &block : spec.source->blocks)
      for (const ssa::Value *value : block.values) {
        if (!spec.reachable[block.id])
          break;
        if (changes(spec, *value, shared))
          return value;
        if (value == spec.ends[block.id])
          break;
      }
    return nullptr;
  }

  /// Whether a value is, or may be, what such a parameter holds, or a part of it.
  static bool is_shared(const Specialization &spec, const ssa::Value &value, const Types &shared) {
    std::set<const ssa::Value *> seen;
    std::vector<const ssa::Value *> stack{&value};
    while (!stack.empty()) {
      const ssa::Value *at = stack.back();
      stack.pop_back();
      const Type *type = spec.facts[at->id].type;
      if (!type || !type->counted || !seen.insert(at).second)
        continue;
      if (at->op == ssa::Op::Param) {
        Types held;
        add_containers(type, held);
        if (std::ranges::any_of(held, [&](const Type *each) { return shared.contains(each); }))
          return true;
      }
      const bool is_choice = at->op == ssa::Op::Phi || at->op == ssa::Op::BuildTuple;
      const bool is_item =
          at->op == ssa::Op::GetItem && (spec.facts[at->operands[0]->id].type->is_tuple() ||
                                         is_index_of_several(spec, *at->operands[1]));
      const bool is_part = at->op == ssa::Op::GetAttr || is_item;
      if (is_choice)
        stack.insert(stack.end(), at->operands.begin(), at->operands.end());
      else if (is_part)
        stack.push_back(at->operands[0]);
    }
    return false;
  }

  bool changes(const Specialization &spec, const ssa::Value &value, const Types &shared) {
    const std::vector<ssa::Value *> &operands = value.operands;
    const auto type_of = [&](const ssa::Value *operand) { return spec.facts[operand->id].type; };
    const auto shared_and_grows = [&](const ssa::Value *operand) {
      const Type *type = type_of(operand);
      return type && grows(type) && is_shared(spec, *operand, shared);
    };
    switch (value.op) {
    case ssa::Op::SetItem:
      return shared_and_grows(operands[0]) &&
             (type_of(operands[0])->kind != Kind::List || // whose items may be counted references
              (type_of(operands[2]) && type_of(operands[2])->counted &&
               is_index_of_several(spec, *operands[1])));
    case ssa::Op::DelItem:
    case ssa::Op::ListAppend:
    case ssa::Op::ListExtend:
    case ssa::Op::SetAdd:
    case ssa::Op::SetUpdate:
    case ssa::Op::MapAdd:
    case ssa::Op::MapUpdate: return shared_and_grows(operands[0]);
    case ssa::Op::Operator: return value.inplace && shared_and_grows(operands[0]);
    case ssa::Op::SetAttr: // a number that changes is merely another one
      return type_of(operands[1]) && type_of(operands[1])->counted &&
             is_shared(spec, *operands[0], shared);
    case ssa::Op::Call:
    case ssa::Op::CallStar:
      if (operands[0]->op == ssa::Op::GetAttr && shared_and_grows(operands[0]->operands[0]) &&
          ssa::changes_length(operands[0]->name,
                              type_of(operands[0]->operands[0])->kind != Kind::List))
        return true;
      [[fallthrough]];
    case ssa::Op::ParallelLoop: return passes_on(spec, value, shared);
    default: return false;
    }
  }

  /// Whether a function that is called changes what is shared. It is known by its type there.
  bool passes_on(const Specialization &spec, const ssa::Value &call, const Types &shared) {
    const auto callee = spec.callees.find(&call);
    if (callee == spec.callees.end())
      return false;
    Types given;
    for (const ssa::Value *operand : call.operands)
      if (const Type *type = spec.facts[operand->id].type;
          type && is_shared(spec, *operand, shared))
        add_containers(type, given);
    return find(*callee->second, given);
  }

  std::set<std::pair<const Specialization *, Types>> seen_;
};

std::string described(const ssa::Value &change) {
  const ssa::Value *changed = change.operands[0];
  const bool is_method = change.op == ssa::Op::Call && changed->op == ssa::Op::GetAttr;
  const std::string &name = is_method ? changed->operands[0]->name : changed->name;
  return (name.empty() || name[0] == '.' ? "what they share" : "'" + name + "'") + " (line " +
         std::to_string(change.position.line) + ")";
}

} // namespace

bool plan_loops_in_order(Engine &engine, Specialization &spec) {
  bool grown = false;
  for (const auto &[loop, body] : spec.callees) {
    const bool is_loop = loop->op == ssa::Op::ParallelLoop;
    const ssa::Value *change = is_loop ? SharedChanges().in_body(*body) : nullptr;
    if (!change || !spec.plan.emplace(loop->star, ssa::kRunsInOrder).second)
      continue;
    grown = true;
    if (!spec.def->loop_of) // in the body of another loop, it merely is sequential
      engine.host.warn_of_order("all iterations change " + described(*change) +
                                    ", which several threads at once would break: use an array, "
                                    "or range",
                                spec.def, change->position);
  }
  return grown;
}

} // namespace numjit
