// Generators: what is alive while they wait, and asking them for the next item.
#include "typeinfer/infer/engine.h"

#include <array>

namespace numjit {

using ssa::Op;

namespace {

/// next(generator[, default])
Operand next_of(Emitter &e, Operands &a) {
  if (a[0].type->kind != Kind::Generator)
    e.fail("No implementation of function next for (" + a[0].type->text + ")",
           "make an iterator of it first: iter(...)");
  Operand result = resume_generator(e, a[0]);
  Operand valid = e.field(result, 0);
  if (a[1])
    return e.choose(
        valid, [&] { return e.field(result, 1); }, [&] { return a[1]; });
  e.raise_if(e.logical_not(valid), "StopIteration", "");
  return e.field(result, 1);
}

/// Iterators that remember where they are are generators; others exist in loops only.
Operand iter_of(Emitter &e, Operands &a) {
  return a[0].type->kind == Kind::Generator ? a[0] : e.library("numjit.iterate", {a[0]});
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
  const Type *type = types::tuple({types::boolean(), generator.type->params[0]});
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

const Builtin kRows[] = {
    {"numjit.throw_into", "generator exception", throw_into},
    {"builtins.iter", "iterable", iter_of},
    {"builtins.next", "iterator default?", next_of},
    {"Generator.__iter__", "self", iter_of},
    {"Generator.__next__", "self", next_method},
};

} // namespace

BuiltinTable generator_builtins() { return kRows; }

Operand resume_generator(Emitter &e, const Operand &generator) {
  auto resume_of = [](Engine &engine, Specialization &spec) {
    engine.code_of(spec);
    return spec.resume;
  };
  return call_generator(e, generator, resume_of, {});
}

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
      if (note && value.op == Op::Yield)
        for (size_t k = 0; k < count; ++k)
          across[k] = across[k] || live[k];
      if (value.op != Op::Phi)
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
          if (phi->op != Op::Phi)
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
