// What a generator yields, takes and returns, all of which are in its type.
#include "typeinfer/infer/function_inference.h"
#include "typeinfer/infer/unify.h"

#include <algorithm>

namespace numjit {

Operand FunctionInference::yield(const ssa::Value &value) {
  yielded_[&value] = force(e, use(*value.operands[0])).fact();
  const Sent use = use_of_sent(value);
  if (use == Sent::Dropped)
    return e.none();
  if (use == Sent::Used && spec.sent && spec.sent->kind == Kind::None && !spec.def->is_library)
    engine_.awaits_sent = true;
  const Type *sent = sent_type();
  if (sent->kind == Kind::None)
    return e.none();
  return {types::optional(sent), nullptr, nullptr, e.position};
}

/// Whether what is sent is only handed on by `yield from`.
FunctionInference::Sent FunctionInference::use_of_sent(const ssa::Value &yield) {
  if (auto known = uses_of_sent_.find(&yield); known != uses_of_sent_.end())
    return known->second;
  std::set<const ssa::Value *> same{&yield};
  Sent use = Sent::Dropped;
  for (size_t before = 0; before != same.size();) {
    before = same.size();
    for (const ssa::Block &block : spec.source->blocks)
      for (const ssa::Value *user : block.values) {
        if (std::ranges::none_of(user->operands,
                                 [&](const auto *each) { return same.contains(each); }))
          continue;
        if (user->op == ssa::Op::Phi)
          same.insert(user);
        const bool hands_on = user->op == ssa::Op::Phi || user->op == ssa::Op::IterNext;
        use = std::max(use, hands_on ? Sent::HandedOn : Sent::Used);
      }
  }
  return uses_of_sent_[&yield] = use;
}

const Type *FunctionInference::sent_type() {
  if (spec.sent)
    return spec.sent;
  const Type *sent = types::none();
  bool is_used = false;
  for (const ssa::Block &block : spec.source->blocks)
    for (const ssa::Value *value : block.values) {
      is_used = is_used || (value->op == ssa::Op::Yield && use_of_sent(*value) == Sent::Used);
      if (value->op != ssa::Op::IterNext || value->operands.size() < 2)
        continue;
      const Type *iterator = spec.facts[value->operands[0]->id].type;
      if (iterator && iterator->params[0]->kind == Kind::Generator)
        sent = iterator->params[0]->params[1];
    }
  if (!is_used)
    return sent;
  const Type *item = joined_items();
  const bool tells = item && item->kind != Kind::None && item->kind != Kind::Union;
  return tells ? item : types::float64();
}

const Type *FunctionInference::joined_items() {
  const Type *item = nullptr;
  for (const ssa::Block &block : spec.source->blocks)
    for (const ssa::Value *value : block.values) {
      auto found = yielded_.find(value);
      if (found == yielded_.end() || !found->second.type)
        continue;
      const Type *type = found->second.type;
      if (!item) {
        item = type;
        continue;
      }
      const Type *both = meet(emitter_, item, type);
      if (!both)
        throw CompileError("TypingError",
                           "Cannot unify " + item->text + " and " + type->text +
                               ": the generator yields values of types that do not go together",
                           {Blame{spec.def, value->position, "yields " + type->text}},
                           "yield values of one type");
      item = both;
    }
  return item;
}

void FunctionInference::join_items() {
  const Type *item = joined_items();
  bool returns = false;
  const Type *returned = joined_returns(returns).type;
  FunctionDef &def = *spec.def;
  if (!def.self) {
    auto *object = new Object; // rows live as long as the process
    object->kind = ObjectKind::Function;
    object->name = def.name();
    object->function = &def;
    def.self = constants::object(object);
  }
  std::vector<const Type *> arguments;
  for (const Fact &fact : spec.arguments)
    arguments.push_back(fact.type);
  spec.result = {types::generator(def.self, item ? item : types::none(), sent_type(),
                                  returned ? unliteral(returned) : types::none(),
                                  std::move(arguments)),
                 nullptr};
  engine_.note_generator(spec);
}

} // namespace numjit
