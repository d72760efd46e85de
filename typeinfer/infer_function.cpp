// Conditional propagation over one function's SSA: types, constants and reachability solved
// together.
//
// Every value starts without a type. Blocks are swept in reverse postorder; a block is looked at
// once an edge into it can be taken, a value once its operands have types. A phi joins what arrives
// over edges that can be taken. Sweeps repeat until nothing changes. A rule that fails leaves its
// value without a type; the error is reported if it still stands when everything is stable, because
// then it is a root cause.
#include "typeinfer/engine.h"
#include "typeinfer/unify.h"

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
    const ssa::Function &source = *spec.source;
    spec.facts.assign(source.values.size(), {});
    spec.reachable.assign(source.blocks.size(), false);
    edges_.assign(source.blocks.size(), 0);
    varies_.assign(source.values.size(), false);
    contents_ = find_display_contents(source);
    spec.reachable[0] = true;
    int sweeps = 0;
    do {
      changed_ = false;
      for (const ssa::Block &block : source.blocks)
        if (spec.reachable[block.id])
          sweep(block);
      if (++sweeps > kSweepLimit)
        unstable();
    } while (changed_);
    report_errors();
    join_results();
  }

protected:
  Operand operand_of(const ssa::Value &value) override {
    const Fact &fact = spec.facts[value.id];
    if (!fact.type)
      throw NotKnownYet{};
    return {fact.type, fact.constant, nullptr, value.position};
  }

  const Type *content_type(const ssa::Value &display, size_t column) override {
    const auto &sources = contents_[&display][column];
    const Type *item = nullptr;
    for (const ssa::Value *source : sources) {
      const Type *type = spec.facts[source->id].type;
      if (!type)
        continue;
      if (type->kind == Kind::Lazy)
        type = types::array(type->dtype(), type->ndim, Layout::C);
      const Type *both = item ? unify(item, type) : type;
      if (!both)
        throw CompileError("TypingError",
                           "Cannot unify " + item->text + " and " + type->text +
                               " for the items of a container",
                           {Blame{spec.def, source->position, type->text},
                            Blame{spec.def, display.position, item->text}},
                           "a list, set or dict has items of one type");
      item = both;
    }
    if (!item && !sources.empty())
      throw NotKnownYet{};
    return item;
  }

private:
  void sweep(const ssa::Block &block) {
    for (const ssa::Value *value : block.values) {
      try {
        if (value->op == Op::Phi)
          join(*value);
        else if (ssa::is_terminator(value->op))
          leave(block, *value);
        else
          update(*value, evaluate(*value).fact());
        errors_.erase(value);
      } catch (const NotKnownYet &) {
        errors_.erase(value);
      } catch (CompileError &error) {
        errors_.insert_or_assign(value, std::move(error));
      }
    }
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

  void join(const ssa::Value &phi) {
    const ssa::Block &block = *phi.block;
    const Fact old = spec.facts[phi.id];
    Fact joined = old;
    for (size_t i = 0; i < phi.operands.size(); ++i) {
      if (!edge_taken(*block.preds[i], block))
        continue;
      const Fact &fact = spec.facts[phi.operands[i]->id];
      if (!fact.type)
        continue;
      if (!joined.type) {
        joined = fact;
        continue;
      }
      const Type *type = unify(joined.type, fact.type);
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

  void leave(const ssa::Block &block, const ssa::Value &end) {
    e.position = end.position;
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
    case Op::Raise:
      for (const ssa::Value *operand : end.operands)
        use(*operand);
      break;
    default: break;
    }
  }

  void report_errors() {
    for (const ssa::Block &block : spec.source->blocks) {
      if (!spec.reachable[block.id])
        continue;
      for (const ssa::Value *value : block.values)
        if (auto error = errors_.find(value); error != errors_.end())
          throw error->second;
    }
  }

  void join_results() {
    bool returns = false;
    Fact joined;
    const ssa::Value *first = nullptr;
    for (const ssa::Block &block : spec.source->blocks) {
      const ssa::Value &end = *block.terminator();
      if (!spec.reachable[block.id] || end.op != Op::Return)
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
    if (!returns)
      joined = {types::none(), constants::none()};
    // A constant result saves nothing where it is a number, and must be returned by the code
    // anyway.
    spec.result = joined;
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
  DisplayContents contents_;
  std::map<const ssa::Value *, Fact> returned_; ///< by Return
  bool changed_ = false;
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
