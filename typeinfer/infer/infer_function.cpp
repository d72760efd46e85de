// Conditional propagation over one function's SSA: types, constants and reachability solved
// together.
//
// Every value starts without a type. Blocks are swept in reverse postorder; a block is looked at
// once an edge into it can be taken, a value once its operands have types. A phi joins what arrives
// over edges that can be taken. Sweeps repeat until nothing changes. A rule that fails leaves its
// value without a type; the error is reported if it still stands when everything is stable, because
// then it is a root cause.
#include "frontend/parallel_loops.h"
#include "typeinfer/infer/function_inference.h"
#include "typeinfer/infer/unify.h"
#include "typeinfer/types/open_fields.h"

#include <algorithm>
#include <map>
#include <optional>

namespace numjit {

static constexpr int kSweepLimit = 60;

void FunctionInference::run(bool defers) {
  spec.late_errors.clear();
  find_facts();
  if (entered_untaken_ && first_error()) { // what never runs need not fit
    may_enter_untaken_ = false;
    find_facts();
  }
  while (const ssa::Value *value = first_error()) {
    const CompileError error = errors_.at(value);
    std::optional<LateError> late = late_error(emitter_, spec, *value, error);
    if (!late && defers)
      late = deferred_error(emitter_, spec, *value, error);
    if (!late)
      throw CompileError(error);
    spec.late_errors[value] = *std::move(late);
    find_facts();
    if (spec.late_errors[value].maker && returned_.empty())
      throw CompileError(error); // every call reaches it
  }
  if (spec.def->code.is_generator())
    join_items();
  else
    join_results();
}

void FunctionInference::find_facts() {
  const ssa::Function &source = *spec.source;
  errors_.clear();
  returned_.clear();
  yielded_.clear();
  entered_untaken_ = false;
  spec.facts.assign(source.values.size(), {});
  spec.reachable.assign(source.blocks.size(), false);
  spec.ends.assign(source.blocks.size(), nullptr);
  edges_.assign(source.blocks.size(), 0);
  varies_.assign(source.values.size(), false);
  stay_empty_.clear();
  spec.callees.clear();
  container_uses_ = find_container_uses(source);
  unknown_.start();
  questions_failed_.clear();
  given_up_ = false;
  spec.reachable[0] = true;
  int sweeps = 0;
  do {
    changed_ = waiting_ = false;
    for (const ssa::Block &block : source.blocks)
      if (spec.reachable[block.id])
        sweep(block);
    if (!changed_ && waiting_)
      explore();
    if (++sweeps > kSweepLimit)
      unstable();
  } while (changed_);
  find_reachable();
  if (unknown_.active())
    spec.learned = unknown_.say(stay_empty_);
}

Operand FunctionInference::operand_of(const ssa::Value &value) {
  if (asking_ && !(asks_with_known_ && spec.facts[value.id].type)) {
    if (const Type *open = unknown_.open_type(value))
      return {open, nullptr, nullptr, value.position};
    if (const ssa::Value *maker = unknown_.maker_of(value))
      return open_object(*maker);
    if (unknown_.captures_open(value))
      return evaluate(value);
  }
  const Fact &fact = spec.facts[value.id];
  if (!fact.type)
    throw NotKnownYet{};
  return {fact.type, fact.constant, nullptr, value.position};
}

const Type *FunctionInference::arguments_type(const ssa::Value &attribute) {
  return find_arguments_type(e, spec, attribute);
}

const Type *FunctionInference::caught_attribute_type(const ssa::Value &attribute) {
  return find_caught_attribute_type(e, spec, attribute);
}

void FunctionInference::sweep(const ssa::Block &block) {
  for (const ssa::Value *value : block.values) {
    try {
      if (value->op == ssa::Op::Phi)
        join(*value);
      else if (ssa::is_terminator(value->op))
        leave(block, *value);
      else if (spec.late_errors.contains(value) || !compute(*value)) {
        errors_.erase(value);
        end_with(block, *value);
        return;
      }
      errors_.erase(value);
    } catch (const NotKnownYet &) {
      errors_.erase(value);
      waiting_ = waiting_ || meets_item_of_field(*value);
    } catch (CompileError &error) {
      errors_.insert_or_assign(value, std::move(error));
      waiting_ = waiting_ || meets_item_of_field(*value);
    }
  }
}

bool FunctionInference::meets_item_of_field(const ssa::Value &value) const {
  return std::ranges::any_of(value.operands, [this](const ssa::Value *operand) {
    const Type *type = spec.facts[operand->id].type;
    return type && holds_item_of_field(type);
  });
}

Fact FunctionInference::known_part(const ssa::Value &value) const {
  if (value.op != ssa::Op::GetAttr || value.operands[0]->op != ssa::Op::Param)
    return {};
  const Type *object = spec.arguments[value.operands[0]->index].type;
  if (!is_open(object) || !items_of_object(object))
    return {};
  const auto name = std::ranges::find(object->names, value.name);
  if (name == object->names.end() || value.name == "_items")
    return {};
  const Type *part = object->params[static_cast<size_t>(name - object->names.begin())];
  return {part, part->kind == Kind::None       ? constants::none()
                : part->kind == Kind::Function ? part->constant
                                               : nullptr};
}

bool FunctionInference::compute(const ssa::Value &value) {
  if (const Fact known = unknown_.in_question() ? known_part(value) : Fact{}; known.type) {
    update(value, known);
    return true;
  }
  const Fact answer = unknown_.active() ? ask(value) : Fact{};
  if (answer.type && (unknown_.in_question() || !has_types(value.operands))) {
    update(value, answer);
    return true;
  }
  engine_.last_called = nullptr;
  update(value, known_here(evaluate(value).fact()));
  const bool is_loop = value.op == ssa::Op::ParallelLoop;
  const Specialization *callee = is_loop || calls_function(value) ? engine_.last_called : nullptr;
  if (!callee)
    return true;
  spec.callees[&value] = callee;
  if (is_loop)
    return true;
  // What recursion has not settled yet may still come to return.
  return callee->returns || callee->state != Specialization::Done;
}

bool FunctionInference::calls_function(const ssa::Value &value) const {
  if (value.op == ssa::Op::GetItem) // sys.modules["numpy"]
    return spec.facts[value.operands[0]->id].type->kind == Kind::Function;
  if (value.op != ssa::Op::Call && value.op != ssa::Op::CallStar)
    return false;
  const Type *callee = spec.facts[value.operands[0]->id].type;
  return callee->kind == Kind::Closure ||
         ((callee->kind == Kind::Function || callee->kind == Kind::Method) &&
          (callee->constant->is_object(ObjectKind::Function) ||
           is_library_function(*callee->constant)));
}

bool FunctionInference::is_library_function(const Const &callee) const {
  const bool is_method = callee.kind == ConstKind::Str;
  if (!is_method && !callee.is_object(ObjectKind::Builtin) && !callee.is_object(ObjectKind::Class))
    return false;
  const std::string &name = is_method ? callee.text : callee.object->name;
  return !find_builtin(name) && engine_.host.library(name);
}

void FunctionInference::end_with(const ssa::Block &block, const ssa::Value &call) {
  spec.ends[block.id] = &call;
  edges_[block.id] &= block.guarded ? 1 << (block.succs.size() - 1) : 0;
  if (block.guarded)
    take_edge(block, block.succs.size() - 1);
}

void FunctionInference::find_reachable() {
  spec.reachable.assign(spec.source->blocks.size(), false);
  std::vector<const ssa::Block *> stack{&spec.source->blocks.front()};
  while (!stack.empty()) {
    const ssa::Block &block = *stack.back();
    stack.pop_back();
    if (spec.reachable[block.id])
      continue;
    spec.reachable[block.id] = true;
    for (size_t i = 0; i < block.succs.size(); ++i)
      if (edges_[block.id] & (1 << i))
        stack.push_back(block.succs[i]);
  }
}

Fact FunctionInference::known_here(Fact fact) {
  const Type *item = fact.type && fact.type->is_array() ? fact.type->dtype() : fact.type;
  if (e.on_device() || !item)
    return fact;
  if (item->is_scalar() && item->is(ScalarId::BFloat16))
    e.fail("unsupported array dtype: " + item->text + " exists in kernels of numjit.cuda alone",
           "compute with float32");
  if (fact.constant && fact.constant->is_object(ObjectKind::Array) &&
      fact.constant->object->array->on_device)
    e.fail("cannot determine Numba type of an array in the memory of a GPU",
           "kernels of numjit.cuda alone can use it");
  return fact;
}

bool FunctionInference::edge_taken(const ssa::Block &from, const ssa::Block &to) const {
  for (size_t i = 0; i < from.succs.size(); ++i)
    if (from.succs[i] == &to && edges_[from.id] & (1 << i))
      return true;
  return false;
}

bool FunctionInference::is_own_state(const ssa::Value &operand, const ssa::Value &phi) {
  return operand.op == ssa::Op::IterState && operand.operands[0]->operands[0] == &phi;
}

void FunctionInference::join(const ssa::Value &phi) {
  const Type *old = spec.facts[phi.id].type;
  // The type of a container grows with what is put into it, and that of an iterator with what it
  // runs over. Of other types the earlier one is forgotten where it does not fit any more.
  const bool grows =
      old && (old->kind == Kind::List || old->kind == Kind::Iterator || is_table(old));
  const bool united = old && old->kind == Kind::Union; // maybe with what it is no more
  if (!grows && !united && join_from(phi, spec.facts[phi.id], false))
    return;
  join_from(phi, {}, true);
}

bool FunctionInference::join_from(const ssa::Value &phi, Fact joined, bool must_fit) {
  const ssa::Block &block = *phi.block;
  for (size_t i = 0; i < phi.operands.size(); ++i) {
    if (!edge_taken(*block.preds[i], block) || is_own_state(*phi.operands[i], phi))
      continue;
    const Fact &fact = spec.facts[phi.operands[i]->id];
    if (!fact.type)
      continue;
    if (!joined.type) {
      joined = fact;
      continue;
    }
    const Type *type = unify(joined.type, fact.type);
    if (!type && !must_fit)
      return false;
    if (!type)
      type = meet(emitter_, joined.type, fact.type);
    if (!type)
      cannot_unify(phi, joined.type, *phi.operands[i], fact.type);
    check_integers("'" + phi.name + "'", joined.type, fact.type, type, phi.operands[i]->position);
    if (joined.constant != fact.constant || type != fact.type) {
      joined.constant = nullptr;
      varies_[phi.id] = true;
    }
    joined.type = type;
  }
  if (varies_[phi.id] && joined.type && !joined.type->fields.empty())
    joined.constant = nullptr;
  if (varies_[phi.id] && joined.type && joined.type->is_scalar())
    joined.constant = nullptr;
  update(phi, joined);
  return true;
}

void FunctionInference::check_integers(const std::string &what, const Type *a, const Type *b,
                                       const Type *met, Position position) {
  if (!spec.options.strict_ints || spec.def->is_library || !integers_met_in_float(a, b, met))
    return;
  const std::string fault = what + " is " + a->text + " on one path and " + b->text + " on another";
  if (engine_.host.warn_of_integers(fault + ", and becomes a " + met->text, spec.def, position))
    return;
  throw CompileError(
      "TypingError", fault + ", and would become a " + met->text + " (strict_ints=True)",
      {Blame{spec.def, position, b->text}}, "convert one of them: np.int64(x) or np.uint64(x)");
}

void FunctionInference::cannot_unify(const ssa::Value &phi, const Type *first,
                                     const ssa::Value &operand, const Type *second) {
  std::vector<Blame> places;
  auto place = [&](const ssa::Value &value, const Type *type) {
    if (value.position.known())
      places.push_back({spec.def, value.position, type->text});
  };
  place(operand, second);
  for (const ssa::Value *other : phi.operands)
    if (other != &operand && spec.facts[other->id].type == first) {
      place(*other, first);
      break;
    }
  if (places.empty())
    places.push_back({spec.def, phi.position, {}});
  throw CompileError("TypingError",
                     "Cannot unify " + first->text + " and " + second->text + " for '" + phi.name +
                         "'",
                     std::move(places), "give the variable one type on every path");
}

void FunctionInference::take_edge(const ssa::Block &from, size_t index) {
  if (edges_[from.id] & (1 << index))
    return;
  edges_[from.id] |= 1 << index;
  spec.reachable[from.succs[index]->id] = true;
  changed_ = true;
}

void FunctionInference::leave(const ssa::Block &block, const ssa::Value &end) {
  e.position = end.position;
  if (block.guarded)
    take_edge(block, block.succs.size() - 1);
  switch (end.op) {
  case ssa::Op::Jump: take_edge(block, 0); break;
  case ssa::Op::Branch: {
    Operand condition = use(*end.operands[0]);
    if (!condition.constant || condition.constant->integer)
      take_edge(block, 0);
    if (!condition.constant || !condition.constant->integer)
      take_edge(block, 1);
    break;
  }
  case ssa::Op::Return: returned_[&end] = use(*end.operands[0]).fact(); break;
  case ssa::Op::Raise: {
    const Operands operands = raise_operands(end);
    rule_raise(e, operands);
    if (!operands.empty())
      update(end, {operands[0].type, nullptr});
    break;
  }
  default: break;
  }
}

const ssa::Value *FunctionInference::first_error() const {
  for (const ssa::Block &block : spec.source->blocks) {
    if (!spec.reachable[block.id])
      continue;
    for (const ssa::Value *value : block.values) {
      if (errors_.contains(value))
        return value;
      if (value == spec.ends[block.id])
        break;
    }
  }
  return nullptr;
}

/// Two expressions that differ (`np.degrees(x) if deg else x`) are arrays.
const Type *FunctionInference::meet_results(const Type *a, const Type *b) {
  const Type *met = meet(emitter_, a, b);
  if (met || (a->kind != Kind::Lazy && b->kind != Kind::Lazy))
    return met;
  DryScope dry(emitter_);
  return meet(emitter_, force(emitter_, {a, nullptr, nullptr, {}}).type,
              force(emitter_, {b, nullptr, nullptr, {}}).type);
}

Fact FunctionInference::joined_returns(bool &returns) {
  Fact joined;
  const ssa::Value *first = nullptr;
  for (const ssa::Block &block : spec.source->blocks) {
    const ssa::Value &end = *block.terminator();
    if (!spec.reachable[block.id] || spec.ends[block.id] || end.op != ssa::Op::Return)
      continue;
    returns = true;
    const Fact fact = returned_[&end];
    if (!fact.type)
      continue;
    if (!joined.type) {
      joined = fact;
      first = end.operands[0];
      continue;
    }
    const Type *type = meet_results(joined.type, fact.type);
    if (type)
      check_integers("the result", joined.type, fact.type, type, end.position);
    if (!type)
      throw CompileError("TypingError",
                         "Cannot unify " + joined.type->text + " and " + fact.type->text +
                             ": the function returns values of types that do not go together",
                         {Blame{spec.def, end.position, "returns " + fact.type->text},
                          Blame{spec.def, first->position, joined.type->text}},
                         "return one type on every path");
    if (joined.constant != fact.constant || type != fact.type)
      joined.constant = nullptr;
    joined.type = type;
  }
  if (!returns)
    joined = {types::none(), constants::none()};
  return joined;
}

void FunctionInference::join_results() {
  bool returns = false;
  // A constant result saves nothing where it is a number, and must be returned by the code
  // anyway.
  spec.result = joined_returns(returns);
  spec.returns = returns;
}

void FunctionInference::unstable() {
  for (const ssa::Block &block : spec.source->blocks)
    for (const ssa::Value *value : block.values)
      if (value->op == ssa::Op::Phi && spec.facts[value->id].type)
        throw CompileError(
            "TypingError",
            "the type of variable '" + value->name +
                "' grows with every iteration: " + spec.facts[value->id].type->text.substr(0, 60),
            {Blame{spec.def, value->position, {}}}, "use a list or an array");
  throw InternalError("inference does not end");
}

namespace {

/// Iterators with items of different types need their loop unrolled: the frontend then builds SSA
/// again.
bool plan_unrolling(Specialization &spec) {
  const bool short_tuples = spec.plan.contains(ssa::kKnownItems); // lists are made in such loops
  constexpr int64_t most_copies = 256;                            // of a loop in others
  int64_t copies = 1;
  for (const auto &[key, count] : spec.plan)
    if (key >= 0 && count != ssa::kRunsInOrder)
      copies *= std::max(count < 0 ? -1 - count : count, 1);
  bool grown = false;
  for (const ssa::Block &block : spec.source->blocks) {
    if (!spec.reachable[block.id] || block.for_loop < 0 || spec.plan.count(block.for_loop))
      continue;
    for (const ssa::Value *value : block.values) {
      if (value->op != ssa::Op::IterNext)
        continue;
      const Type *state = spec.facts[value->operands[0]->id].type;
      int count = state ? rule_unroll_count(state) : -1;
      if (count < 0 && short_tuples) {
        count = state ? rule_unroll_count(state, true) : -1;
        count = count < 0 ? count_of_range(*value->operands[0], spec.facts) : count;
        count = copies * count > most_copies ? -1 : count;
      }
      if (count >= 0) {
        const bool exact = is_range_of(*value->operands[0]) || has_known_length(state);
        spec.plan[block.for_loop] = exact ? count : -1 - count;
        copies *= std::max(count, 1);
        grown = true;
      }
    }
  }
  return grown;
}

} // namespace

/// What the frontend is told of a parameter that is an object of `collections`.
static int32_t plan_of_object(const Type *object) {
  const std::string &cls = object->constant->object->name;
  const Type *part = object->params.front(); // of a deque the last one says more
  if (cls == "collections.deque")
    return ssa::kDeque + (object->params.back()->kind == Kind::None ? 0 : ssa::kLimited);
  if (cls != "collections.defaultdict")
    return cls == "collections.Counter" ? ssa::kCounter : ssa::kOrderedDict;
  if (part->kind == Kind::None)
    return ssa::kDefaultDict;
  if (part->kind == Kind::Closure && part->params.empty())
    return ssa::kDefaultDict + ssa::kMakesOther +
           ssa::kFactory * ssa::number_of_factory(part->constant);
  const bool is_named = part->kind == Kind::Function && part->constant->object;
  const std::string made = is_named ? part->constant->object->name : "";
  return ssa::kDefaultDict + (made == "builtins.list"         ? ssa::kMakesList
                              : made == "builtins.dict"       ? ssa::kMakesDict
                              : made == "builtins.set"        ? ssa::kMakesSet
                              : made == "collections.deque"   ? ssa::kMakesDeque
                              : made == "collections.Counter" ? ssa::kMakesCounter
                                                              : ssa::kMakesOther);
}

static void plan_objects(Specialization &spec) {
  for (size_t i = 0; i < spec.arguments.size(); ++i)
    if (const Type *type = spec.arguments[i].type; is_open(type) && items_of_object(type))
      spec.plan[ssa::kObjects - static_cast<int32_t>(i)] = plan_of_object(type);
}

/// Whether a function has lists or dicts whose items compilation can tell apart: not looked at yet,
/// as nothing asked for it before an error.
static bool plan_known_items(Engine &engine, Specialization &spec, const CompileError &error) {
  if (!spec.plan.emplace(ssa::kKnownItems, 1).second)
    return false;
  const bool is_here = !error.places.empty() && error.places[0].function == spec.def;
  return plan_unrolling(spec) ||
         (is_here &&
          ssa::print(*engine.host.source(*spec.def, spec.plan)) != ssa::print(*spec.source));
}

/// Whether a function returns a dict whose keys are strings that it says.
static bool returns_known_keys(const ssa::Function &source) {
  const auto is_display = [](const ssa::Value *value) {
    if (value->op != ssa::Op::BuildMap || value->operands.empty())
      return false;
    for (size_t i = 0; i < value->operands.size(); i += 2)
      if (value->operands[i]->op != ssa::Op::Const ||
          value->operands[i]->constant->kind != ConstKind::Str)
        return false;
    return true;
  };
  return std::ranges::any_of(source.blocks, [&](const ssa::Block &block) {
    return !block.values.empty() && block.values.back()->op == ssa::Op::Return &&
           is_display(block.values.back()->operands[0]);
  });
}

/// In the last attempt to type a program, a caller may need the keys: f(**settings(x)).
static void plan_returned_dicts(Engine &engine, Specialization &spec) {
  if (spec.options.long_tuples && !spec.def->is_library &&
      returns_known_keys(*engine.host.source(*spec.def, spec.plan)))
    spec.plan.emplace(ssa::kKnownItems, 1);
}

void infer_function(Engine &engine, Specialization &spec) {
  const NamesOf names(engine, spec);
  plan_objects(spec);
  if (spec.options.parallel && !spec.def->options.parallel && !spec.def->is_library)
    spec.plan[ssa::kLoopsOfCaller] = 1;
  plan_returned_dicts(engine, spec);
  std::optional<CompileError> before;
  bool defers = false; // errors in branches: where nothing else helps
  for (;;) {
    spec.source = engine.host.source(*spec.def, spec.plan);
    spec.lazy = find_lazy_values(*spec.source);
    try {
      FunctionInference(engine, spec).run(defers);
    } catch (const CompileError &error) {
      if (plan_unrolling(spec))
        continue;
      if (!before && plan_known_items(engine, spec, error)) {
        before = error;
        continue;
      }
      if (before && error.cls == "LiteralTypingError")
        throw; // a caller may know the value
      if (spec.defers && !std::exchange(defers, true))
        continue;
      if (before)
        throw CompileError(*before); // which says more
      throw;
    }
    if (!plan_unrolling(spec) && !plan_loops_in_order(engine, spec))
      return;
  }
}

} // namespace numjit
