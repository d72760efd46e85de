// What is done where sweeps over a function find no more types, as a container waits for the type
// of what is put into it, and that for the container's.
#include "typeinfer/infer/function_inference.h"
#include "typeinfer/types/with_params.h"

#include <algorithm>
#include <functional>
#include <utility>

namespace numjit {

const Type *FunctionInference::container_type(const ssa::Value &made) {
  const UsesOfContainer &uses = container_uses_[&made];
  try {
    const auto learned = unknown_.learned_of(made);
    const Type *type = type_of_container(e, spec, made, uses.list, learned);
    if (!type && uses.passed)
      throw NotKnownYet{};
    if (type || !only_asked(*spec.source, made))
      return type;
  } catch (const NotKnownYet &) {
    if (stay_empty_.contains(&made))
      return type_of_empty(made);
    if (given_up_)
      return refuse_open();
    waiting_ = true;
    throw;
  }
  return type_of_empty(made);
}

Operand FunctionInference::parameter(int index) {
  const Type *type = spec.arguments[index].type;
  if (asking_ || !unknown_.active() || !is_open(type))
    return SsaRules::parameter(index);
  try {
    return {unknown_.parameter_type(index, stay_empty_), nullptr, nullptr, e.position};
  } catch (const NotKnownYet &) {
    waiting_ = true;
    throw;
  }
}

/// The type of the object that `maker` makes around a container with unknown parts.
Operand FunctionInference::open_object(const ssa::Value &maker) {
  const ssa::Value &made = *maker.operands[1];
  const Type *open = unknown_.open_type(made);
  const Type *some = type_of_empty(made);
  CallArguments arguments;
  arguments.positional = {{some, nullptr, nullptr, maker.position}, operand_of(*maker.operands[2])};
  const Type *object = rule_call(e, operand_of(*maker.operands[0]), std::move(arguments)).type;
  std::vector<const Type *> parts = object->params;
  std::ranges::replace(parts, some, open);
  return {types::with_params(object, std::move(parts)), nullptr, nullptr, maker.position};
}

/// In its scope operands are what callees are asked with, and `said` gets what they say.
struct FunctionInference::Questions {
  Questions(FunctionInference &of, std::vector<LearnedType> &said)
      : of(of), before(std::exchange(of.engine_.learning, &said)) {
    of.asking_ = true;
  }
  ~Questions() {
    of.asking_ = false;
    of.engine_.learning = before;
  }
  Questions(const Questions &) = delete;
  FunctionInference &of;
  std::vector<LearnedType> *before;
};

Fact FunctionInference::ask(const ssa::Value &value) {
  if ((value.op != ssa::Op::Call && value.op != ssa::Op::CallStar) || makes_empty(value) ||
      !unknown_.may_say(value))
    return {};
  std::vector<LearnedType> said;
  Fact answer = ask(value, said);
  const auto is_named = [this](bool typed, const ssa::Value *operand) {
    return unknown_.is_named(*operand) && (spec.facts[operand->id].type != nullptr) == typed;
  };
  if (std::ranges::any_of(value.operands, std::bind_front(is_named, true)) &&
      std::ranges::any_of(value.operands, std::bind_front(is_named, false))) {
    asks_with_known_ = true; // what one holds may say what is put into the other
    answer = ask(value, said);
    asks_with_known_ = false;
  }
  if (unknown_.learn(value, std::move(said)))
    changed_ = true;
  return answer.type && holds_unknown(answer.type) ? Fact{} : answer;
}

Fact FunctionInference::ask(const ssa::Value &value, std::vector<LearnedType> &said) {
  Fact answer;
  {
    const Questions questions(*this, said);
    try {
      if (may_be_asked(value))
        answer = evaluate(value).fact();
      questions_failed_.erase(&value);
    } catch (const NotKnownYet &) {
    } catch (CompileError &error) {
      questions_failed_.insert_or_assign(&value, std::move(error));
    }
  }
  return answer;
}

bool FunctionInference::may_be_asked(const ssa::Value &call) {
  const Operand callee = operand_of(*call.operands[0]);
  const Const *object = callee.type->constant;
  switch (callee.type->kind) {
  case Kind::Closure:
  case Kind::Choice: return true;
  case Kind::Function:
  case Kind::Method:
    if (object->is_object(ObjectKind::Function) || object->is_object(ObjectKind::JitClass))
      return true;
    break;
  default: break;
  }
  return std::ranges::none_of(
      call.operands, [this](const ssa::Value *operand) { return unknown_.open_type(*operand); });
}

const Type *FunctionInference::refuse_open() {
  if (!questions_failed_.empty())
    throw CompileError(questions_failed_.begin()->second);
  return nullptr;
}

void FunctionInference::explore() {
  for (const ssa::Block &block : spec.source->blocks) {
    if (!spec.reachable[block.id] || spec.ends[block.id])
      continue;
    for (const ssa::Value *value : block.values)
      if (const Type *type = spec.facts[value->id].type ? nullptr : certain_type(*value)) {
        update(*value, {type, nullptr});
        return;
      }
  }
  if (unknown_.open(container_uses_)) {
    changed_ = true;
    return;
  }
  for (const ssa::Block &block : spec.source->blocks) {
    if (!spec.reachable[block.id] || spec.ends[block.id])
      continue;
    const ssa::Value &end = *block.terminator();
    if (end.op != ssa::Op::Branch || spec.facts[end.operands[0]->id].type)
      continue;
    take_edge(block, 0);
    take_edge(block, 1);
    if (changed_)
      return;
  }
  if (may_enter_untaken_)
    enter_untaken();
  if (!changed_)
    settle_empty();
}

void FunctionInference::settle_empty() {
  auto settle = [this](const ssa::Value &value) {
    changed_ = (only_asked(*spec.source, value) || unknown_.stays_empty(value)) &&
               stay_empty_.insert(&value).second;
    return changed_;
  };
  bool untyped = false;
  for (const auto &[made, uses] : container_uses_) {
    if (spec.facts[made->id].type || !spec.reachable[made->block->id])
      continue;
    if (settle(*made) || (is_never_filled(uses) && (changed_ = stay_empty_.insert(made).second)))
      return;
    untyped = true;
  }
  for (const ssa::Value *parameter : unknown_.open_parameters())
    if (settle(*parameter))
      return;
  // What recursion has not settled yet, or an error keeps from having a type, may still say it.
  if (untyped && !given_up_ && errors_.empty() && !engine_.uses_unfinished())
    changed_ = given_up_ = true;
}

bool FunctionInference::is_never_filled(const UsesOfContainer &uses) const {
  auto is_never_made = [this](const ssa::Value *value) {
    return value && value->block && !spec.facts[value->id].type &&
           (!spec.reachable[value->block->id] || spec.ends[value->block->id]);
  };
  return !uses.passed && !uses.list.empty() &&
         std::ranges::all_of(uses.list, [&](const ContainerUse &use) {
           return is_never_made(use.key) || is_never_made(use.value);
         });
}

void FunctionInference::enter_untaken() {
  std::vector<bool> wanted(spec.source->blocks.size(), false);
  for (const auto &[made, uses] : container_uses_)
    for (const ContainerUse &use : uses.list)
      for (const ssa::Value *value : {use.key, use.value})
        if (value && value->block && !spec.facts[made->id].type && !spec.facts[value->id].type)
          wanted[value->block->id] = true;
  for (const ssa::Block &block : spec.source->blocks) {
    if (!spec.reachable[block.id] || spec.ends[block.id] ||
        block.terminator()->op != ssa::Op::Branch)
      continue;
    for (size_t i = 0; i < 2; ++i)
      if (!(edges_[block.id] & (1 << i)) && leads_to(*block.succs[i], wanted)) {
        entered_untaken_ = true;
        take_edge(block, i);
        return;
      }
  }
}

bool FunctionInference::leads_to(const ssa::Block &first, const std::vector<bool> &wanted) const {
  std::vector<bool> seen = spec.reachable;
  std::vector<const ssa::Block *> stack{&first};
  while (!stack.empty()) {
    const ssa::Block &block = *stack.back();
    stack.pop_back();
    if (seen[block.id])
      continue;
    if (wanted[block.id])
      return true;
    seen[block.id] = true;
    stack.insert(stack.end(), block.succs.begin(), block.succs.end());
  }
  return false;
}

const Type *FunctionInference::certain_type(const ssa::Value &value) {
  if (value.op == ssa::Op::Operator)
    switch (value.oper) {
    case Operator::In:
    case Operator::NotIn:
    case Operator::Not:
    case Operator::Truth: return types::boolean();
    default: return nullptr;
    }
  const bool is_len = value.op == ssa::Op::Call && value.operands[0]->op == ssa::Op::Const &&
                      value.operands[0]->constant->object &&
                      value.operands[0]->constant->object->name == "builtins.len";
  return is_len ? types::int64() : nullptr;
}

} // namespace numjit
