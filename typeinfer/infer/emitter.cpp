// What every rule needs of an Emitter: failing, struct-like values, memory, calls, appending.
// Constants, scalars, conversions and control flow have files of their own, emitter_*.cpp.
#include "typeinfer/infer/emitter.h"

#include "typeinfer/infer/unify.h"
#include "typeinfer/types/frozen.h"
#include "typeinfer/types/function_values.h"

#include <algorithm>
#include <array>
#include <optional>

namespace numjit {

using tir::Op;

// --- leaving ---

void Emitter::fail_as(const std::string &cls, const std::string &message,
                      const std::string &hint) const {
  throw CompileError(cls, message, {Blame{def, position, {}}}, hint);
}

void Emitter::fail(const std::string &message, const std::string &hint) const {
  fail_as("TypingError", message, hint);
}

void Emitter::fail_at(Position where, const std::string &message, const std::string &hint) const {
  throw CompileError("TypingError", message, {Blame{def, where.known() ? where : position, {}}},
                     hint);
}

// --- struct-like values ---

Operand Emitter::make(const Type *type, std::span<const Operand> fields) {
  if (fields.size() != type->fields.size())
    throw InternalError("wrong number of fields for " + type->text);
  Operands converted;
  for (size_t i = 0; i < fields.size(); ++i)
    converted.push_back(convert(fields[i], type->fields[i]));
  if (dry())
    return finish(type, nullptr);
  std::vector<tir::Value *> codes;
  for (const Operand &a : converted)
    codes.push_back(code(a));
  tir::Value *value = append(Op::Struct, type);
  value->operands = std::move(codes);
  return finish(type, value);
}

Operand Emitter::field(const Operand &a, int index) {
  const Type *type = a.type->fields.at(index);
  if (a.constant && a.type->is_time())
    return i64(a.constant->integer);
  if (a.constant && a.type->kind == Kind::Enum) // of an int the value, else the place
    return a.type->unit ? convert(constant(a.constant->object->value), type)
                        : i64(a.constant->object->number);
  if (a.constant && (a.type->is_tuple() || a.type->kind == Kind::Struct)) {
    Operand item = constant(a.constant->items[index]);
    return item.type == type ? item : convert(item, type);
  }
  if (a.constant && a.type->kind == Kind::LiteralDict) {
    const bool of_tuple = a.constant->kind == ConstKind::Tuple; // rules/tables.cpp
    Operand item =
        constant(of_tuple ? a.constant->items[index] : a.constant->object->members[index].second);
    return item.type == type ? item : convert(item, type);
  }
  if (type->kind == Kind::None)
    return none();
  if (type->kind == Kind::String)
    return constant(type->constant);
  if (type->kind == Kind::Function || type->kind == Kind::DType)
    return unit(type);
  if (dry())
    return finish(type, nullptr);
  tir::Value *from = code(a);
  if (from->op == Op::Struct)
    return finish(type, from->operands[index]);
  tir::Value *value = append(Op::Field, type, {from});
  value->index = index;
  return finish(type, value);
}

Operand Emitter::field_at(const Operand &a, const Operand &index) {
  if (index.constant)
    return field(a, static_cast<int>(index.constant->integer));
  const Type *type = a.type->params[0];
  if (dry())
    return finish(type, nullptr);
  tir::Value *from = code(a), *at = code(index);
  return finish(type, append(Op::FieldAt, type, {from, at}));
}

/// What arrays that users see as of one type have in common, if not all are of it; else nullptr.
static const Type *common_view(std::span<const Operand> items) {
  const Type *common = nullptr;
  for (const Operand &a : items) {
    if (!a.type->is_array() || a.type->text != items[0].type->text)
      return nullptr;
    common = common ? unify(common, a.type) : a.type;
  }
  return common;
}

Operand Emitter::tuple(std::span<const Operand> items) {
  const Type *common = common_view(items);
  if (common && std::ranges::any_of(items, [&](const Operand &a) { return a.type != common; })) {
    Operands views;
    for (const Operand &a : items)
      views.push_back(convert(a, common));
    return tuple(views);
  }
  std::vector<const Type *> item_types;
  std::vector<const Const *> item_constants;
  for (const Operand &a : items) {
    item_types.push_back(a.type);
    const Const *c = a.constant;
    if (c && c->kind != ConstKind::Object && (!c->scalar.empty() || fact_of(c).type == a.type))
      item_constants.push_back(c);
  }
  const Type *type = types::tuple(std::move(item_types));
  if (item_constants.size() == items.size())
    return {type, constants::tuple(std::move(item_constants)), nullptr, position};
  return make(type, items);
}

// --- memory ---

Operand Emitter::ptr_add(const Operand &pointer, const Operand &bytes, const Type *to) {
  const Type *type = types::pointer(to);
  if (dry())
    return finish(type, nullptr);
  tir::Value *base = code(pointer), *offset = code(bytes);
  return finish(type, append(Op::PtrAdd, type, {base, offset}));
}

Operand Emitter::load(const Operand &pointer, tir::Alias alias, bool take) {
  const Type *type = pointer.type->params[0];
  if (dry())
    return finish(type, nullptr);
  tir::Value *value = append(Op::Load, type, {code(pointer)});
  value->alias = alias;
  value->index = take ? 2 : 0;
  return finish(type, value);
}

void Emitter::store(const Operand &pointer, const Operand &value, tir::Alias alias) {
  Operand converted = convert(value, pointer.type->params[0]);
  if (dry())
    return;
  tir::Value *to = code(pointer), *what = code(converted);
  append(Op::Store, types::none(), {to, what})->alias = alias;
}

void Emitter::overwrite(const Operand &pointer, const Operand &value, tir::Alias alias) {
  const Type *type = pointer.type->params[0];
  if (!type->counted)
    return store(pointer, value, alias);
  Operand converted = convert(value, type);
  if (dry())
    return;
  tir::Value *to = code(pointer), *what = code(converted);
  append(Op::Exchange, type, {to, what})->alias = alias;
}

Operand Emitter::alloc(const Operand &bytes, bool zeroed) {
  if (dry())
    return finish(types::owner(), nullptr);
  tir::Value *value = append(Op::Alloc, types::owner(), {code(bytes)});
  value->index = zeroed;
  return finish(types::owner(), value);
}

Operand Emitter::owner_data(const Operand &owner, const Type *to) {
  const Type *type = types::pointer(to);
  return finish(type, dry() ? nullptr : append(Op::OwnerData, type, {code(owner)}));
}

Operand Emitter::pointer_bits(const Operand &a) {
  return finish(types::int64(), dry() ? nullptr : append(Op::PtrToInt, types::int64(), {code(a)}));
}

void Emitter::copy(const Operand &to, const Operand &from, const Operand &bytes) {
  if (dry())
    return;
  tir::Value *a = code(to), *b = code(from), *c = code(bytes);
  append(Op::Copy, types::none(), {a, b, c});
}

/// Leaves of a value in 8-byte slots, as runtime.h wants arguments; returns the slots used.
int Emitter::store_slots(const Operand &slots, int slot, const Operand &a) {
  auto put = [&](const Operand &value) {
    store(ptr_add(slots, i64(8 * slot), value.type), value, tir::Alias::Stack);
    ++slot;
  };
  if (a.type->is_complex()) {
    for (const char *part : {"numpy.real", "numpy.imag"}) {
      std::array<Operand, 1> one{a};
      put(scalar(*scalar::by_name(part), one, scalar::Form::NumPy));
    }
  } else if (a.type->is_scalar()) {
    const bool widen = a.type->is_signed() || a.type->is_bool();
    // A float of 16 bits lies in its slot as a float.
    put(!a.type->is_float()    ? cast(a, widen ? types::int64() : types::uint64())
           : a.type->bits() == 16 ? cast(a, types::scalar(ScalarId::Float32))
                               : a);
  } else if (a.type->kind == Kind::Pointer || a.type->kind == Kind::Owner) {
    put(a);
  } else {
    for (size_t i = 0; i < a.type->fields.size(); ++i)
      slot = store_slots(slots, slot, field(a, static_cast<int>(i)));
  }
  return slot;
}

Operand Emitter::stack_alloc(int64_t bytes, const Type *to, bool outlives_call) {
  const Type *type = types::pointer(to);
  if (dry())
    return finish(type, nullptr);
  tir::Value *value = append(Op::StackAlloc, type);
  value->integer = bytes;
  value->index = outlives_call;
  return finish(type, value);
}

Operand Emitter::make_complex(const Type *type, const Operand &real, const Operand &imag) {
  std::array<Operand, 2> parts{real, imag};
  return cast(scalar(*scalar::by_name("numjit.complex"), parts, scalar::Form::Python), type);
}

// --- appending ---

tir::Value *Emitter::append(Op op, const Type *type, std::initializer_list<tir::Value *> operands) {
  tir::Value *value = function->new_value(op, type, position);
  value->operands.assign(operands.begin(), operands.end());
  place(value);
  return value;
}

Operand Emitter::place(tir::Value *value) {
  value->block = block;
  block->values.push_back(value);
  if (value->op != Op::CallRuntime) // of which the row says whether it raises
    protect(*value);
  return finish(value->type, value);
}

void Emitter::protect(const tir::Value &value) {
  if (!handler)
    return;
  auto lead_to = [&](tir::Block *to) {
    block->succs.push_back(to);
    to->preds.push_back(block);
  };
  if (value.op == Op::Raise || value.op == Op::Reraise) {
    lead_to(handler);
  } else if (tir::op_row(value.op).effect == tir::Effect::Raises) {
    tir::Block *next = new_block();
    tir::Value *end = function->new_value(Op::Try, types::none(), position);
    end->block = block;
    block->values.push_back(end);
    lead_to(next);
    lead_to(handler);
    block = next;
  }
}

tir::Block *Emitter::new_block() { return dry() ? nullptr : function->new_block(); }

void Emitter::jump(tir::Block *to) {
  append(Op::Jump, types::none());
  block->succs = {to};
  to->preds.push_back(block);
}

void Emitter::branch(tir::Value *condition, tir::Block *then, tir::Block *otherwise, int likely) {
  append(Op::Branch, types::none(), {condition})->index = likely;
  block->succs = {then, otherwise};
  then->preds.push_back(block);
  otherwise->preds.push_back(block);
}

bool Emitter::terminated() const {
  return !block->values.empty() &&
         tir::op_row(block->values.back()->op).effect == tir::Effect::Terminator;
}

Operand Emitter::finish(const Type *type, tir::Value *value) {
  return {type, nullptr, value, position};
}

} // namespace numjit
