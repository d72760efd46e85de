// From final facts to typed IR: the rules run once more, now appending code.
#include "typeinfer/engine.h"
#include "typeinfer/unify.h"

#include <algorithm>
#include <set>

namespace numjit {

using ssa::Op;

namespace {

class FunctionEmission : SsaRules {
public:
  FunctionEmission(Engine &engine, Specialization &spec)
      : SsaRules(emitter_, spec), emitter_(engine, spec.def, spec.options), function_(*spec.code) {
    emitter_.function = &function_;
  }

  void run() {
    const ssa::Function &source = *spec.source;
    operands_.resize(source.values.size());
    first_.assign(source.blocks.size(), nullptr);
    last_.assign(source.blocks.size(), nullptr);
    for (const ssa::Block &block : source.blocks)
      if (spec.reachable[block.id])
        first_[block.id] = function_.new_block();
    for (const ssa::Block &block : source.blocks)
      if (spec.reachable[block.id])
        emit(block);
    for (auto &[phi, code] : phis_)
      finish_phi(*phi, *code);
    prune();
  }

protected:
  Operand operand_of(const ssa::Value &value) override {
    const Operand &operand = operands_[value.id];
    if (!operand.type)
      throw InternalError("SSA value %" + std::to_string(value.id) + " of " + spec.def->name() +
                          " is used before it is compiled");
    return operand;
  }

  const Type *container_type(const ssa::Value &made) override { return spec.facts[made.id].type; }

private:
  void emit(const ssa::Block &block) {
    e.block = first_[block.id];
    for (const ssa::Value *value : block.values) {
      if (ssa::is_terminator(value->op)) {
        e.position = value->position;
        last_[block.id] = e.block;
        leave(block, *value);
      } else if (value->op == Op::Phi) {
        operands_[value->id] = make_phi(*value);
      } else if (value->op == Op::Param &&
                 spec.arguments[value->index].type->kind != Kind::Undefined) {
        e.position = value->position;
        operands_[value->id] = parameter(value->index);
      } else {
        operands_[value->id] = evaluate(*value);
        if (operands_[value->id].type != spec.facts[value->id].type)
          throw InternalError(
              "inference gave " +
              (spec.facts[value->id].type ? spec.facts[value->id].type->text : "nothing") +
              ", compilation " + operands_[value->id].type->text + " for %" +
              std::to_string(value->id) + " of " + spec.def->name());
      }
    }
  }

  Operand make_phi(const ssa::Value &phi) {
    const Fact &fact = spec.facts[phi.id];
    if (!fact.type)
      return {types::undefined(), nullptr, nullptr, phi.position}; // never used by code that runs
    if (fact.constant || layout_of(fact.type).leaves.empty())
      return {fact.type, fact.constant, nullptr, phi.position};
    e.position = phi.position;
    tir::Value *code = e.append(tir::Op::Phi, fact.type);
    code->name = phi.name;
    phis_.emplace_back(&phi, code);
    return {fact.type, nullptr, code, phi.position};
  }

  /// Operands are converted at the end of their predecessors; values must be known there, so this
  /// comes last.
  void finish_phi(const ssa::Value &phi, tir::Value &code) {
    for (const tir::Block *pred : code.block->preds) {
      size_t index = 0;
      for (; index < phi.block->preds.size(); ++index)
        if (last_[phi.block->preds[index]->id] == pred)
          break;
      if (index == phi.block->preds.size())
        throw InternalError("phi of " + phi.name + " has no operand for a predecessor");
      tir::Block *block = const_cast<tir::Block *>(pred);
      tir::Value *end = block->values.back();
      block->values.pop_back();
      e.block = block;
      e.position = phi.position;
      tir::Value *value = e.code(e.convert(operand_of(*phi.operands[index]), code.type));
      block = e.block;
      block->values.push_back(end);
      code.operands.push_back(value);
    }
  }

  void leave(const ssa::Block &block, const ssa::Value &end) {
    switch (end.op) {
    case Op::Jump: e.jump(first_[block.succs[0]->id]); break;
    case Op::Branch: {
      Operand condition = operand_of(*end.operands[0]);
      if (condition.constant)
        e.jump(first_[block.succs[condition.constant->integer ? 0 : 1]->id]);
      else if (block.succs[0] == block.succs[1])
        e.jump(first_[block.succs[0]->id]);
      else
        e.branch(e.code(condition), first_[block.succs[0]->id], first_[block.succs[1]->id]);
      break;
    }
    case Op::Return: {
      Operand value = use(*end.operands[0]);
      if (function_.result->kind != Kind::Lazy) // the library gives expressions as they are
        value = e.convert(force(e, value), function_.result);
      tir::Value *code = e.code(value);
      e.append(tir::Op::Return, types::none(), {code});
      break;
    }
    case Op::Raise: raise(end); break;
    default: e.append(tir::Op::Unreachable, types::none());
    }
    if (!e.terminated()) // what follows a raise
      e.append(tir::Op::Unreachable, types::none());
  }

  void raise(const ssa::Value &end) {
    if (end.operands.empty())
      e.fail_as("UnsupportedError", "re-raising an exception is not supported in compiled code");
    Operand exception = use(*end.operands[0]);
    const bool is_class = exception.type->kind == Kind::Function && exception.constant &&
                          exception.constant->is_object(ObjectKind::ExceptionClass);
    if (exception.type->kind != Kind::Exception && !is_class)
      e.fail("exceptions must derive from BaseException, not " + exception.type->text);
    e.raise_exception(exception);
  }

  /// Removes blocks that nothing leads to (code behind a raise, arms of checks that always fail).
  void prune() {
    std::set<tir::Block *> seen;
    std::vector<tir::Block *> stack{function_.blocks[0]};
    while (!stack.empty()) {
      tir::Block *block = stack.back();
      stack.pop_back();
      if (!seen.insert(block).second)
        continue;
      for (tir::Block *next : block->succs)
        stack.push_back(next);
    }
    for (tir::Block *block : function_.blocks) {
      if (!seen.count(block))
        continue;
      for (size_t i = block->preds.size(); i-- > 0;) {
        if (seen.count(block->preds[i]))
          continue;
        block->preds.erase(block->preds.begin() + i);
        for (tir::Value *value : block->values)
          if (value->op == tir::Op::Phi)
            value->operands.erase(value->operands.begin() + i);
      }
    }
    std::erase_if(function_.blocks, [&](tir::Block *block) { return !seen.count(block); });
    for (tir::Block *block : function_.blocks) // blocks that end a check that always fails
      if (block->values.empty() ||
          tir::op_row(block->values.back()->op).effect != tir::Effect::Terminator) {
        e.block = block;
        e.append(tir::Op::Unreachable, types::none());
      }
  }

  Emitter emitter_;
  tir::Function &function_;
  std::vector<Operand> operands_;
  std::vector<tir::Block *> first_, last_; ///< of each SSA block
  std::vector<std::pair<const ssa::Value *, tir::Value *>> phis_;
};

} // namespace

void emit_function(Engine &engine, Specialization &spec) { FunctionEmission(engine, spec).run(); }

} // namespace numjit
