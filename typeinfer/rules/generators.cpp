// Generators: what is alive while they wait, and asking them for the next item.
#include "typeinfer/infer/engine.h"
#include "typeinfer/infer/unify.h"
#include "typeinfer/rules/kind_rules.h"

#include <array>

namespace numjit {

namespace {

/// The item, of what resuming a generator gave; StopIteration if there is none.
Operand item_of(Emitter &e, const Operand &resumed) {
  Operand ended = e.logical_not(e.field(resumed, 0));
  if (resumed.type->params.size() > 2)
    e.if_(e.logical_and(ended, e.field(resumed, 2)),
          [&] { e.library("numjit.stop_iteration", {e.field(resumed, 3)}); });
  e.raise_if(ended, "StopIteration", "");
  return e.field(resumed, 1);
}

Operand next_of_object(Emitter &e, const Operand &object) {
  Operand item;
  call_special_method(e, object, "__next__", item);
  return item;
}

/// next(generator[, default])
Operand next_of(Emitter &e, Operands &a) {
  if (is_own_iterator(a[0].type))
    return a[1] ? e.library("numjit.next_or", {a[0], a[1]}) : next_of_object(e, a[0]);
  if (a[0].type->kind != Kind::Generator)
    e.fail("No implementation of function next for (" + a[0].type->text + ")",
           "make an iterator of it first: iter(...)");
  Operand result = resume_generator(e, a[0]);
  if (a[1]) {
    const Emitter::Meet meet = e.options().unions ? unify_or_unite : unify; // a sentinel
    return e.choose(
        e.field(result, 0), [&] { return e.field(result, 1); }, [&] { return a[1]; }, meet);
  }
  return item_of(e, result);
}

Operand send(Emitter &e, Operands &a) { return item_of(e, resume_generator(e, a[0], a[1])); }

/// Iterators that remember where they are are generators; others exist in loops only.
Operand iter_of(Emitter &e, Operands &a) {
  return a[0].type->kind == Kind::Generator || is_own_iterator(a[0].type)
             ? a[0]
             : e.library("numjit.iterate", {a[0]});
}

Operand next_method(Emitter &e, Operands &a) {
  Operands arguments{a[0], Operand{}};
  return next_of(e, arguments);
}

/// What the call of one of the functions of a generator gives.
Operand call_generator(Emitter &e, const Operand &generator,
                       tir::Function *(*function_of)(Engine &, Specialization &),
                       std::vector<tir::Value *> more) {
  Specialization &spec = e.engine.generator(generator.type);
  const Type *type = resumed_type(generator.type);
  if (e.dry())
    return {type, nullptr, nullptr, e.position};
  tir::Function *callee = function_of(e.engine, spec);
  more.insert(more.begin(), e.code(generator));
  tir::Value *call = e.function->new_value(tir::Op::Call, type, e.position);
  call->callee = callee;
  call->operands = std::move(more);
  return e.place(call);
}

/// numjit.throw_into(generator, exception): as asking for the next item, but the exception is
/// raised where the generator waits.
Operand throw_into(Emitter &e, Operands &a) {
  if (a[0].type->kind != Kind::Generator || a[1].type != types::caught_exception())
    e.fail("throw() takes a generator and an exception");
  return call_generator(
      e, a[0], [](Engine &engine, Specialization &spec) { return engine.thrower_of(spec); },
      {e.dry() ? nullptr : e.code(a[1])});
}

const Builtin kGeneratorRows[] = {
    {"numjit.throw_into", "generator exception", throw_into},
    {"builtins.iter", "iterable", iter_of},
    {"builtins.next", "iterator default?", next_of},
    {"Generator.__iter__", "self", iter_of},
    {"Generator.__next__", "self", next_method},
    {"Generator.send", "self value", send},
};

} // namespace

BuiltinTable generator_builtins() { return kGeneratorRows; }

const Type *resumed_type(const Type *generator) {
  std::vector<const Type *> parts{types::boolean(), generator->params[0]};
  if (const Type *returned = generator->params[2]; returned->kind != Kind::None)
    parts.insert(parts.end(), {types::boolean(), returned});
  return types::tuple(std::move(parts));
}

Operand returned_by(Emitter &e, const Operand &resumed) {
  if (resumed.type->params.size() == 2)
    return e.none();
  e.raise_if(e.logical_not(e.field(resumed, 2)), "TypeError",
             "the generator had ended before: what it returned is None now");
  return e.field(resumed, 3);
}

Operand resume_generator(Emitter &e, const Operand &generator, const Operand &sent) {
  const Type *taken = generator.type->params[1];
  const Type *given = sent ? item_type_of(sent.type) : types::none();
  if (given->kind == Kind::Optional)
    given = given->params[0];
  if (given->kind != Kind::None) {
    const Type *both = taken->kind == Kind::None ? given : unify(taken, given);
    if (both != taken && both && e.engine.sends(generator.type, both))
      throw MoreIsSent{};
    if (both != taken)
      e.fail("send() of a generator that takes " + taken->text + " got " + given->text);
  }
  std::vector<tir::Value *> arguments;
  if (taken->kind != Kind::None) {
    Operand converted = e.convert(sent ? sent : e.none(), types::optional(taken));
    if (!e.dry())
      arguments.push_back(e.code(converted));
  }
  auto resume_of = [](Engine &engine, Specialization &spec) {
    engine.code_of(spec);
    return spec.resume;
  };
  return call_generator(e, generator, resume_of, std::move(arguments));
}

namespace {

/// What asking a generator returns; only where `wanted` holds, if it is given.
Operand asked(Emitter &e, const Operand &generator, const Operand *wanted) {
  if (!wanted || (wanted->constant && wanted->constant->integer))
    return resume_generator(e, generator);
  auto nothing = [&] {
    const Type *resumed = resumed_type(generator.type);
    Operands fields{e.boolean(false)};
    for (size_t i = 1; i < resumed->params.size(); ++i)
      fields.push_back(i == 2 ? e.boolean(false) : e.undef(resumed->params[i]));
    return e.make(resumed, fields);
  };
  return wanted->constant ? nothing()
                          : e.choose(
                                *wanted, [&] { return resume_generator(e, generator); }, nothing);
}

Operand iter_generator(Emitter &e, const Operand &object) {
  return e.make(types::iterator(object.type, {object.type}), {object});
}
NextResult next_generator(Emitter &e, const Operand &it, const Operand *wanted) {
  Operand result = asked(e, e.field(it, 0), wanted);
  return {e.field(result, 0), e.field(result, 1), it, {}};
}

} // namespace

constinit const IterationRules iterate_generator{iter_generator, next_generator, no_later};

std::vector<bool> find_values_across_yields(const ssa::Function &function) {
  using Set = std::vector<bool>;
  const size_t count = function.values.size();
  std::vector<Set> in(function.blocks.size(), Set(count)), out = in;
  Set across(count);
  auto walk = [&](const ssa::Block &block, bool note) {
    Set live = out[block.id];
    for (size_t i = block.values.size(); i-- > 0;) {
      const ssa::Value &value = *block.values[i];
      live[value.id] = false;
      if (note && value.op == ssa::Op::Yield)
        for (size_t k = 0; k < count; ++k)
          across[k] = across[k] || live[k];
      if (value.op != ssa::Op::Phi)
        for (const ssa::Value *operand : value.operands)
          live[operand->id] = true;
    }
    return live;
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t b = function.blocks.size(); b-- > 0;) {
      const ssa::Block &block = function.blocks[b];
      Set &live = out[b];
      for (const ssa::Block *succ : block.succs) {
        for (size_t k = 0; k < count; ++k)
          live[k] = live[k] || in[succ->id][k];
        for (const ssa::Value *phi : succ->values) {
          if (phi->op != ssa::Op::Phi)
            break;
          for (size_t i = 0; i < succ->preds.size(); ++i)
            if (succ->preds[i] == &block)
              live[phi->operands[i]->id] = true;
        }
      }
      Set entry = walk(block, false);
      changed = changed || entry != in[b];
      in[b] = std::move(entry);
    }
  }
  for (const ssa::Block &block : function.blocks)
    walk(block, true);
  return across;
}

} // namespace numjit
