#include "typeinfer/infer/unknown_parts.h"

#include "typeinfer/infer/unify.h"

#include <algorithm>

namespace numjit {

void UnknownParts::start() {
  active_ = false;
  containers_.clear();
  by_value_.clear();
  by_name_.clear();
  objects_.clear();
  parameters_.clear();
  numbers_.clear();
  said_.clear();
  for (const Fact &fact : spec_.arguments)
    each_unknown(fact.type, [&](int number) { numbers_.insert(number); });
  active_ = in_question_ = !numbers_.empty();
  if (!active_)
    return;
  for (const ssa::Value *value : spec_.source->blocks.front().values)
    if (value->op == ssa::Op::Param) {
      parameters_[value->index] = value;
      if (const Type *type = spec_.arguments[value->index].type; is_open(type))
        add_parameter(*value, type, 0);
    } else if (value->op == ssa::Op::GetAttr && value->name == "_items" &&
               value->operands[0]->op == ssa::Op::Param) {
      const int index = value->operands[0]->index;
      if (const Type *type = spec_.arguments[index].type; is_open(type) && items_of_object(type)) {
        parameters_[index] = value;
        add_parameter(*value, items_of_object(type), 0);
      }
    }
}

const ssa::Value *UnknownParts::maker_of(const ssa::Value &object) const {
  const auto found = objects_.find(&object);
  return found == objects_.end() ? nullptr : found->second;
}

bool UnknownParts::is_named(const ssa::Value &value) const {
  return by_name_.contains(&value) || objects_.contains(&value);
}

void UnknownParts::add_parameter(const ssa::Value &parameter, const Type *type, int depth) {
  Container made{&parameter, type, type->kind, {}, {}};
  if (items_of_object(type)) { // its list or dict is a container of its own, if that is used
    by_name_.emplace(&parameter, containers_.size());
    containers_.push_back(std::move(made));
    return;
  }
  for (const Type *part : type->params)
    made.numbers.push_back(is_unknown(part) ? static_cast<int>(part->numbers[0]) : -1);
  made.uses = find_parameter_uses(*spec_.source, parameter, depth, type->kind);
  by_value_.emplace(&parameter, containers_.size());
  containers_.push_back(std::move(made));
  name_values(containers_.size() - 1);
  if (const Type *inner = type->params.back(); is_open(inner))
    add_parameter(parameter, inner, depth + 1);
}

void UnknownParts::name_values(size_t container) {
  for (const ssa::Value *name : containers_[container].uses.names)
    by_name_.emplace(name, container);
  for (const auto &[object, maker] : containers_[container].uses.objects)
    objects_.emplace(object, maker);
}

int UnknownParts::free_number() {
  int number = 0; // the least one, so that recursion asks with the same types
  while (!numbers_.insert(number).second)
    ++number;
  return number;
}

bool UnknownParts::open(const ContainerUses &made) {
  bool found = false;
  for (const auto &[value, uses] : made) {
    if (!uses.passed || spec_.facts[value->id].type || !spec_.reachable[value->block->id] ||
        by_value_.contains(value))
      continue;
    const Kind kind = made_container(*value);
    Container container{value, nullptr, kind, {}, uses};
    for (int parts = kind == Kind::Dict ? 2 : 1; parts > 0; --parts)
      container.numbers.push_back(free_number());
    by_value_[value] = containers_.size();
    containers_.push_back(std::move(container));
    name_values(containers_.size() - 1);
    found = active_ = true;
  }
  return found;
}

const Type *UnknownParts::open_type(const ssa::Value &value, int depth) const {
  constexpr int kDeepest = 4; // as what finds the uses
  const auto name = by_name_.find(&value);
  if (name == by_name_.end() || depth > kDeepest)
    return nullptr;
  const Container &container = containers_[name->second];
  if (container.given)
    return container.given;
  std::vector<const Type *> parts;
  for (int number : container.numbers)
    parts.push_back(types::unknown(number));
  auto look = [&](const ssa::Value *item) {
    if (const Type *inner = item ? open_type(*item, depth + 1) : nullptr)
      parts.back() = inner;
  };
  if (container.value->op != ssa::Op::Call)
    for (const ssa::Value *item : container.value->operands)
      look(item);
  for (const ContainerUse &use : container.uses.list)
    switch (use.kind) {
    case ContainerUse::Item:
    case ContainerUse::Value: look(use.key); break;
    case ContainerUse::Entry:
    case ContainerUse::Guess: look(use.value); break;
    default: break;
    }
  bool typed = false;
  made_container(*container.value, &typed);
  return container.kind == Kind::Dict  ? types::dict(parts[0], parts[1])
         : container.kind == Kind::Set ? types::set(parts[0], typed)
                                       : types::list(parts[0], typed);
}

bool UnknownParts::captures_open(const ssa::Value &value) const {
  if (value.op == ssa::Op::Param) // an inner function's own name
    return spec_.arguments[value.index].type->kind == Kind::Undefined;
  return value.op == ssa::Op::MakeFunction &&
         std::ranges::any_of(value.operands, [&](const ssa::Value *captured) {
           return is_named(*captured) || captures_open(*captured) ||
                  (spec_.facts[captured->id].type && holds_unknown(spec_.facts[captured->id].type));
         });
}

bool UnknownParts::may_say(const ssa::Value &call) const {
  return std::ranges::any_of(call.operands, [&](const ssa::Value *operand) {
    const Type *type = spec_.facts[operand->id].type;
    return is_named(*operand) || captures_open(*operand) || (type && holds_unknown(type));
  });
}

std::vector<LearnedPart> UnknownParts::learned_of(const Container &container) const {
  std::vector<LearnedPart> learned;
  for (const auto &[call, said] : said_)
    for (const LearnedType &each : said)
      for (size_t i = 0; i < container.numbers.size(); ++i)
        if (each.type && each.number == container.numbers[i])
          learned.push_back({i, each.type, call});
  return learned;
}

std::vector<LearnedPart> UnknownParts::learned_of(const ssa::Value &made) const {
  const auto found = by_value_.find(&made);
  return found == by_value_.end() ? std::vector<LearnedPart>{}
                                  : learned_of(containers_[found->second]);
}

bool UnknownParts::stays_empty(const ssa::Value &made) const {
  const auto found = by_value_.find(&made);
  if (found == by_value_.end())
    return false;
  const std::vector<int> &numbers = containers_[found->second].numbers;
  bool asked = false;
  for (const auto &[call, said] : said_)
    for (const LearnedType &each : said)
      if (std::ranges::find(numbers, each.number) != numbers.end()) {
        asked = true;
        if (each.type)
          return false;
      }
  return asked;
}

const Type *UnknownParts::known_type(int number) {
  const Type *type = nullptr;
  for (const Container &container : containers_) {
    const auto place = std::ranges::find(container.numbers, number);
    if (!container.given || place == container.numbers.end())
      continue;
    const auto learned = learned_of(container);
    const auto parts =
        types_of_parts(e_, spec_, *container.value, container.kind, container.uses.list, learned);
    const Type *part = parts[static_cast<size_t>(place - container.numbers.begin())];
    const Type *both = type && part ? unify(type, part) : part;
    type = both ? both : type;
  }
  for (const auto &[call, said] : said_) // about what inner functions captured elsewhere
    for (const LearnedType &each : said)
      if (each.number == number && each.type) {
        const Type *both = type ? unify(type, each.type) : each.type;
        type = both ? both : type;
      }
  return type;
}

const Type *UnknownParts::parameter_type(int index, const std::set<const ssa::Value *> &empty) {
  const auto value = parameters_.find(index);
  const bool stays_empty = value != parameters_.end() && empty.contains(value->second);
  const Type *known = with_known(spec_.arguments[index].type, [&](int number) {
    const Type *type = known_type(number);
    return type || !stays_empty ? type : types::int64();
  });
  if (!known)
    throw NotKnownYet{};
  return known;
}

std::vector<const ssa::Value *> UnknownParts::open_parameters() const {
  std::vector<const ssa::Value *> found;
  for (const auto &[index, value] : parameters_)
    if (is_open(spec_.arguments[index].type) && !spec_.facts[value->id].type)
      found.push_back(value);
  return found;
}

bool UnknownParts::learn(const ssa::Value &call, std::vector<LearnedType> said) {
  std::erase_if(said, [this](const LearnedType &each) { return !numbers_.contains(each.number); });
  std::vector<LearnedType> &before = said_[&call];
  if (said.empty() || said == before)
    return false;
  before = std::move(said);
  return true;
}

std::vector<LearnedType> UnknownParts::say(const std::set<const ssa::Value *> &empty) {
  std::vector<LearnedType> said;
  std::set<int> done;
  auto add = [&](int number) {
    if (!done.insert(number).second)
      return;
    if (const Type *type = known_type(number))
      said.push_back({number, type});
  };
  for (const Fact &fact : spec_.arguments)
    each_unknown(fact.type, add);
  for (const Container &container : containers_)
    if (container.given && empty.contains(container.value))
      for (int number : container.numbers)
        if (number >= 0)
          said.push_back({number, nullptr});
  return said;
}

} // namespace numjit
