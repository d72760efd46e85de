// Conditional propagation over one function's SSA: types, constants and reachability solved
// together.
//
// Every value starts without a type. Blocks are swept in reverse postorder; a block is looked at
// once an edge into it can be taken, a value once its operands have types. A phi joins what arrives
// over edges that can be taken. Sweeps repeat until nothing changes. A rule that fails leaves its
// value without a type; the error is reported if it still stands when everything is stable, because
// then it is a root cause.
#include "frontend/parallel_loops.h"
#include "typeinfer/infer/engine.h"
#include "typeinfer/infer/unify.h"

#include <algorithm>
#include <map>
#include <optional>

namespace numjit {

using ssa::Op;

namespace {

constexpr int kSweepLimit = 60;

class FunctionInference : SsaRules {
public:
  FunctionInference(Engine &engine, Specialization &spec)
      : SsaRules(emitter_, spec), engine_(engine), emitter_(engine, spec.def, spec.options) {}

  void run() {
    find_facts();
    if (entered_untaken_ && first_error()) { // what never runs need not fit
      may_enter_untaken_ = false;
      find_facts();
    }
    report_errors();
    if (spec.def->code.is_generator())
      join_items();
    else
      join_results();
  }

  void find_facts() {
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
    spec.called.clear();
    container_uses_ = find_container_uses(source);
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
  }

protected:
  Operand operand_of(const ssa::Value &value) override {
    const Fact &fact = spec.facts[value.id];
    if (!fact.type)
      throw NotKnownYet{};
    return {fact.type, fact.constant, nullptr, value.position};
  }

  void yield(const ssa::Value &value) override {
    yielded_[&value] = force(e, use(*value.operands[0])).fact();
  }

  const Type *container_type(const ssa::Value &made) override {
    try {
      const Type *type = type_of_container(e, spec, made, container_uses_[&made]);
      if (type || !only_asked(*spec.source, made))
        return type;
    } catch (const NotKnownYet &) {
      if (stay_empty_.contains(&made))
        return type_of_empty(made);
      waiting_ = true;
      throw;
    }
    return type_of_empty(made);
  }

  const Type *arguments_type(const ssa::Value &attribute) override {
    return find_arguments_type(spec, attribute);
  }

private:
  void sweep(const ssa::Block &block) {
    for (const ssa::Value *value : block.values) {
      try {
        if (value->op == Op::Phi)
          join(*value);
        else if (ssa::is_terminator(value->op))
          leave(block, *value);
        else if (!compute(*value)) {
          errors_.erase(value);
          end_with(block, *value);
          return;
        }
        errors_.erase(value);
      } catch (const NotKnownYet &) {
        errors_.erase(value);
      } catch (CompileError &error) {
        errors_.insert_or_assign(value, std::move(error));
      }
    }
  }

  /// False if it never comes to a value: a call of a function that always raises.
  bool compute(const ssa::Value &value) {
    engine_.last_called = nullptr;
    update(value, known_here(evaluate(value).fact()));
    const Specialization *callee = calls_function(value) ? engine_.last_called : nullptr;
    if (!callee)
      return true;
    if (!callee->def->is_library || spec.def->is_library) // programs do not see what it raises
      spec.called[&value] = callee;
    // What recursion has not settled yet may still come to return.
    return callee->returns || callee->state != Specialization::Done;
  }

  /// Whether a value is a call of one function, and nothing around it.
  bool calls_function(const ssa::Value &value) const {
    if (value.op != Op::Call && value.op != Op::CallStar)
      return false;
    const Type *callee = spec.facts[value.operands[0]->id].type;
    return callee->kind == Kind::Closure ||
           ((callee->kind == Kind::Function || callee->kind == Kind::Method) &&
            (callee->constant->is_object(ObjectKind::Function) ||
             is_library_function(*callee->constant)));
  }

  /// A function or method that is one of the library's, and no rule.
  bool is_library_function(const Const &callee) const {
    const bool is_method = callee.kind == ConstKind::Str;
    if (!is_method && !callee.is_object(ObjectKind::Builtin) &&
        !callee.is_object(ObjectKind::Class))
      return false;
    const std::string &name = is_method ? callee.text : callee.object->name;
    return !find_builtin(name) && engine_.host.library(name);
  }

  /// What follows the call in its block never runs.
  void end_with(const ssa::Block &block, const ssa::Value &call) {
    spec.ends[block.id] = &call;
    edges_[block.id] &= block.guarded ? 1 << (block.succs.size() - 1) : 0;
    if (block.guarded)
      take_edge(block, block.succs.size() - 1);
  }

  /// Before a function is known to raise always, what follows its calls counts as reachable.
  void find_reachable() {
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

  /// Only kernels know bfloat16 and arrays in the memory of a GPU.
  Fact known_here(Fact fact) {
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

  void update(const ssa::Value &value, Fact fact) {
    Fact &old = spec.facts[value.id];
    if (!(fact == old)) {
      old = fact;
      changed_ = true;
    }
  }

  bool edge_taken(const ssa::Block &from, const ssa::Block &to) const {
    for (size_t i = 0; i < from.succs.size(); ++i)
      if (from.succs[i] == &to && edges_[from.id] & (1 << i))
        return true;
    return false;
  }

  /// The iterator of a loop's next round, in the phi for the iterator: of its type, whatever that
  /// is.
  static bool is_own_state(const ssa::Value &operand, const ssa::Value &phi) {
    return operand.op == Op::IterState && operand.operands[0]->operands[0] == &phi;
  }

  void join(const ssa::Value &phi) {
    const Type *old = spec.facts[phi.id].type;
    // The type of a container grows with what is put into it, and that of an iterator with what it
    // runs over. Of other types the earlier one is forgotten where it does not fit any more.
    const bool grows =
        old && (old->kind == Kind::List || old->kind == Kind::Iterator || is_table(old));
    if (!grows && join_from(phi, spec.facts[phi.id], false))
      return;
    join_from(phi, {}, true);
  }

  /// Joins what arrives at a phi with a fact; false, or an error, if there is no common type.
  bool join_from(const ssa::Value &phi, Fact joined, bool must_fit) {
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

  /// With strict_ints: signed and unsigned integers that meet are an error.
  void check_integers(const std::string &what, const Type *a, const Type *b, const Type *met,
                      Position position) {
    if (!spec.options.strict_ints || spec.def->is_library || !integers_met_in_float(a, b, met))
      return;
    const std::string fault =
        what + " is " + a->text + " on one path and " + b->text + " on another";
    if (engine_.host.warn_of_integers(fault + ", and becomes a " + met->text, spec.def, position))
      return;
    throw CompileError(
        "TypingError", fault + ", and would become a " + met->text + " (strict_ints=True)",
        {Blame{spec.def, position, b->text}}, "convert one of them: np.int64(x) or np.uint64(x)");
  }

  [[noreturn]] void cannot_unify(const ssa::Value &phi, const Type *first,
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
                       "Cannot unify " + first->text + " and " + second->text + " for '" +
                           phi.name + "'",
                       std::move(places), "give the variable one type on every path");
  }

  void take_edge(const ssa::Block &from, size_t index) {
    if (edges_[from.id] & (1 << index))
      return;
    edges_[from.id] |= 1 << index;
    spec.reachable[from.succs[index]->id] = true;
    changed_ = true;
  }

  /// A container waits for what is put into it, and that for the container: `s.add(len(s))`, or
  /// behind a condition, `if x in d: ... else: d[x] = 1`. Some results have one type whatever the
  /// container holds; and of conditions both ways are looked at.
  void explore() {
    for (const ssa::Block &block : spec.source->blocks) {
      if (!spec.reachable[block.id] || spec.ends[block.id])
        continue;
      for (const ssa::Value *value : block.values)
        if (const Type *type = spec.facts[value->id].type ? nullptr : certain_type(*value)) {
          update(*value, {type, nullptr});
          return;
        }
      const ssa::Value &end = *block.terminator();
      if (end.op != Op::Branch || spec.facts[end.operands[0]->id].type)
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

  /// `found = []` of which only the length is used, or `return []` beside `return None`: the first
  /// container that nothing is put into gets items of some type.
  void settle_empty() {
    for (const auto &[made, uses] : container_uses_)
      if (!spec.facts[made->id].type && spec.reachable[made->block->id] &&
          only_asked(*spec.source, *made) && stay_empty_.insert(made).second) {
        changed_ = true;
        return;
      }
  }

  /// `if v: found.append(1.0)` where `v` is None: nothing else tells the type of the empty list.
  void enter_untaken() {
    std::vector<bool> wanted(spec.source->blocks.size(), false);
    for (const auto &[made, uses] : container_uses_)
      for (const ContainerUse &use : uses)
        for (const ssa::Value *value : {use.key, use.value})
          if (value && value->block && !spec.facts[made->id].type && !spec.facts[value->id].type)
            wanted[value->block->id] = true;
    for (const ssa::Block &block : spec.source->blocks) {
      if (!spec.reachable[block.id] || spec.ends[block.id] || block.terminator()->op != Op::Branch)
        continue;
      for (size_t i = 0; i < 2; ++i)
        if (!(edges_[block.id] & (1 << i)) && leads_to(*block.succs[i], wanted)) {
          entered_untaken_ = true;
          take_edge(block, i);
          return;
        }
    }
  }

  /// Whether one of these blocks is behind `first`, by ways that have not been taken yet.
  bool leads_to(const ssa::Block &first, const std::vector<bool> &wanted) const {
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

  static const Type *certain_type(const ssa::Value &value) {
    if (value.op == Op::Operator)
      switch (value.oper) {
      case Operator::In:
      case Operator::NotIn:
      case Operator::Not:
      case Operator::Truth: return types::boolean();
      default: return nullptr;
      }
    const bool is_len = value.op == Op::Call && value.operands[0]->op == Op::Const &&
                        value.operands[0]->constant->object &&
                        value.operands[0]->constant->object->name == "builtins.len";
    return is_len ? types::int64() : nullptr;
  }

  void leave(const ssa::Block &block, const ssa::Value &end) {
    e.position = end.position;
    if (block.guarded)
      take_edge(block, block.succs.size() - 1);
    switch (end.op) {
    case Op::Jump: take_edge(block, 0); break;
    case Op::Branch: {
      Operand condition = use(*end.operands[0]);
      if (!condition.constant || condition.constant->integer)
        take_edge(block, 0);
      if (!condition.constant || !condition.constant->integer)
        take_edge(block, 1);
      break;
    }
    case Op::Return: returned_[&end] = use(*end.operands[0]).fact(); break;
    case Op::Raise: {
      const Operands operands = raise_operands(end);
      rule_raise(e, operands);
      if (!operands.empty())
        update(end, {operands[0].type, nullptr});
      break;
    }
    default: break;
    }
  }

  const CompileError *first_error() const {
    for (const ssa::Block &block : spec.source->blocks) {
      if (!spec.reachable[block.id])
        continue;
      for (const ssa::Value *value : block.values) {
        if (auto error = errors_.find(value); error != errors_.end())
          return &error->second;
        if (value == spec.ends[block.id])
          break;
      }
    }
    return nullptr;
  }

  void report_errors() {
    if (const CompileError *error = first_error())
      throw *error;
  }

  void join_results() {
    bool returns = false;
    Fact joined;
    const ssa::Value *first = nullptr;
    for (const ssa::Block &block : spec.source->blocks) {
      const ssa::Value &end = *block.terminator();
      if (!spec.reachable[block.id] || spec.ends[block.id] || end.op != Op::Return)
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
      const Type *type = unify(joined.type, fact.type);
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
    spec.returns = returns;
    if (!returns)
      joined = {types::none(), constants::none()};
    // A constant result saves nothing where it is a number, and must be returned by the code
    // anyway.
    spec.result = joined;
  }

  /// What a generator yields is of one type; what it returns is lost.
  void join_items() {
    const Type *item = nullptr;
    for (const ssa::Block &block : spec.source->blocks)
      for (const ssa::Value *value : block.values) {
        auto found = yielded_.find(value);
        if (found == yielded_.end() || !found->second.type)
          continue;
        const Type *type = found->second.type;
        const Type *both = item ? unify(item, type) : type;
        if (!both)
          throw CompileError("TypingError",
                             "Cannot unify " + item->text + " and " + type->text +
                                 ": the generator yields values of types that do not go together",
                             {Blame{spec.def, value->position, "yields " + type->text}},
                             "yield values of one type");
        item = both;
      }
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
    spec.result = {types::generator(def.self, item ? item : types::none(), std::move(arguments)),
                   nullptr};
    engine_.note_generator(spec);
  }

  [[noreturn]] void unstable() {
    for (const ssa::Block &block : spec.source->blocks)
      for (const ssa::Value *value : block.values)
        if (value->op == Op::Phi && spec.facts[value->id].type)
          throw CompileError(
              "TypingError",
              "the type of variable '" + value->name +
                  "' grows with every iteration: " + spec.facts[value->id].type->text.substr(0, 60),
              {Blame{spec.def, value->position, {}}}, "use a list or an array");
    throw InternalError("inference does not end");
  }

  Engine &engine_;
  Emitter emitter_;
  std::vector<uint8_t> edges_; ///< per block: bit set of successors that can be reached
  std::vector<bool> varies_;   ///< per value: phi that is known not to be constant
  std::map<const ssa::Value *, CompileError> errors_;
  ContainerUses container_uses_;
  std::map<const ssa::Value *, Fact> returned_; ///< by Return
  std::set<const ssa::Value *> stay_empty_;     ///< containers that nothing is put into
  std::map<const ssa::Value *, Fact> yielded_;  ///< by Yield
  bool changed_ = false;
  bool waiting_ = false; ///< for the type of a container
  /// Ways that are never gone; the library's are for other types.
  bool may_enter_untaken_ = !spec.def->is_library, entered_untaken_ = false;
};

/// Iterators with items of different types need their loop unrolled: the frontend then builds SSA
/// again.
bool plan_unrolling(Specialization &spec) {
  bool grown = false;
  for (const ssa::Block &block : spec.source->blocks) {
    if (!spec.reachable[block.id] || block.for_loop < 0 || spec.plan.count(block.for_loop))
      continue;
    for (const ssa::Value *value : block.values) {
      if (value->op != Op::IterNext)
        continue;
      const Type *state = spec.facts[value->operands[0]->id].type;
      int count = state ? rule_unroll_count(state) : -1;
      if (count >= 0) {
        spec.plan[block.for_loop] = count;
        grown = true;
      }
    }
  }
  return grown;
}

} // namespace

void infer_function(Engine &engine, Specialization &spec) {
  if (spec.options.parallel && !spec.def->options.parallel && !spec.def->is_library)
    spec.plan[ssa::kLoopsOfCaller] = 1;
  for (;;) {
    spec.source = engine.host.source(*spec.def, spec.plan);
    spec.lazy = find_lazy_values(*spec.source);
    try {
      FunctionInference(engine, spec).run();
    } catch (const CompileError &) {
      if (plan_unrolling(spec))
        continue;
      throw;
    }
    if (!plan_unrolling(spec))
      return;
  }
}

} // namespace numjit
