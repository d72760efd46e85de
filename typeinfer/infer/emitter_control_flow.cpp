// Branches, loops and exceptions that a rule makes. Of conditions that are known only the side that
// is taken gets code; a dry Emitter looks at both sides for their types.
#include "typeinfer/infer/emitter.h"
#include "typeinfer/infer/engine.h"
#include "typeinfer/infer/plain_constants.h"
#include "typeinfer/infer/unify.h"

namespace numjit {

using tir::Op;

void Emitter::if_(const Operand &condition, const std::function<void()> &then,
                  const std::function<void()> &otherwise, int likely) {
  if (plain_bool(condition)) {
    if (condition.constant->integer)
      then();
    else if (otherwise)
      otherwise();
    return;
  }
  if (dry()) {
    then();
    if (otherwise)
      otherwise();
    return;
  }
  tir::Block *yes = new_block(), *no = otherwise ? new_block() : nullptr, *end = new_block();
  branch(code(condition), yes, no ? no : end, likely);
  block = yes;
  then();
  if (!terminated())
    jump(end);
  if (no) {
    block = no;
    otherwise();
    if (!terminated())
      jump(end);
  }
  block = end;
}

Operand Emitter::choose(const Operand &condition, const std::function<Operand()> &then,
                        const std::function<Operand()> &otherwise, Meet meet) {
  if (plain_bool(condition))
    return condition.constant->integer ? then() : otherwise();
  if (dry()) {
    Operand a = then(), b = otherwise();
    const Type *type = meet(a.type, b.type);
    if (!type)
      fail("Cannot unify " + a.type->text + " and " + b.type->text);
    convert(a, type), convert(b, type);
    return finish(type, nullptr);
  }
  // The type of the second side is only known after its code exists, so conversions are appended
  // later.
  tir::Block *yes = new_block(), *no = new_block(), *end = new_block();
  branch(code(condition), yes, no);
  block = yes;
  Operand a = then();
  tir::Block *yes_end = block;
  block = no;
  Operand b = otherwise();
  tir::Block *no_end = block;
  const Type *type = meet(a.type, b.type);
  block = yes_end;
  tir::Value *left = code(convert(a, type));
  jump(end);
  block = no_end;
  tir::Value *right = code(convert(b, type));
  jump(end);
  block = end;
  tir::Value *phi = append(Op::Phi, type, {left, right});
  phi->nonneg = left->nonneg && right->nonneg;
  return finish(type, phi);
}

void Emitter::loop(const Operand &count, const std::function<void(const Operand &)> &body) {
  if (dry()) {
    body({types::int64(), nullptr, nullptr, position});
    return;
  }
  tir::Value *limit = code(count);
  tir::Value *zero = code(i64(0)), *one = code(i64(1));
  tir::Block *header = new_block(), *inside = new_block(), *end = new_block();
  jump(header);
  block = header;
  tir::Value *i = append(Op::Phi, types::int64(), {zero});
  i->nonneg = true;
  tir::Value *more = append(Op::Scalar, types::boolean(), {i, limit});
  more->scalar_op = scalar::by_operator(Operator::Lt)->id;
  branch(more, inside, end);
  block = inside;
  body(finish(types::int64(), i));
  tir::Value *next = append(Op::IndexAdd, types::int64(), {i, one});
  next->nonneg = true;
  jump(header);
  i->operands.push_back(next);
  block = end;
}

const tir::RaiseSite *Emitter::new_site(tir::RaiseSite site) {
  return &engine.module.sites.emplace_back(std::move(site));
}

void Emitter::raise(const std::string &cls, const std::string &message) {
  if (dry())
    return;
  tir::RaiseSite site;
  site.builtin = cls;
  site.message = message;
  site.has_message = !message.empty();
  append(Op::Raise, types::none())->site = new_site(std::move(site));
  block = new_block(); // what follows is never executed
}

void Emitter::raise_if(const Operand &condition, const std::string &cls,
                       const std::string &message) {
  if (!plain_bool(condition)) {
    if (dry())
      return;
    tir::Block *bad = new_block(), *good = new_block();
    branch(code(condition), bad, good, 2);
    block = bad;
    raise(cls, message);
    block = good;
  } else if (condition.constant->integer) {
    raise(cls, message);
  }
}

void Emitter::raise_if(const Operand &condition, const std::string &cls, const std::string &format,
                       std::span<const Operand> values) {
  if (dry() || (plain_bool(condition) && !condition.constant->integer))
    return;
  tir::Block *bad = new_block(), *good = new_block();
  branch(code(condition), bad, good, 2);
  block = bad;
  std::vector<tir::Value *> arguments;
  for (const Operand &value : values)
    arguments.push_back(code(value));
  tir::RaiseSite site;
  site.builtin = cls;
  site.message = format;
  site.has_message = true;
  tir::Value *raised = append(Op::Raise, types::none());
  raised->operands = std::move(arguments);
  raised->site = new_site(std::move(site));
  block = good;
}

void Emitter::raise_exception(const Operand &exception, const Operand &cause) {
  if (dry())
    return;
  if (exception.type == types::caught_exception()) {
    std::array<Operand, 1> caught{field(exception, 0)};
    runtime(tir::RuntimeOp::RaiseCaught, types::none(), caught);
    append(Op::Reraise, types::none());
    block = new_block();
    return;
  }
  tir::RaiseSite site;
  site.cls = exception.type->constant;
  std::vector<tir::Value *> arguments;
  if (exception.type->kind == Kind::Exception)
    for (size_t i = 0; i < exception.type->fields.size(); ++i)
      arguments.push_back(code(field(exception, static_cast<int>(i))));
  if (cause) {
    site.has_cause = true;
    arguments.push_back(code(cause));
  }
  tir::Value *value = append(Op::Raise, types::none());
  value->operands = std::move(arguments);
  value->site = new_site(std::move(site));
  block = new_block();
}

} // namespace numjit
