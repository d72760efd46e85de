// Operands that are constants, and the code that makes their values.
#include "frontend/parallel_loops.h"
#include "typeinfer/infer/emitter.h"
#include "typeinfer/infer/engine.h"
#include "typeinfer/infer/known_calls.h"
#include "typeinfer/types/frozen.h"

#include <algorithm>

namespace numjit {

using tir::Op;

Operand Emitter::constant(const Const *value) {
  if (value->is_object(ObjectKind::Function) && value->object->name == "numjit.constant")
    return call_function(*this, *value->object->function, {}, {}); // of a type of the user's own
  Fact fact = fact_of(value);
  if (value->is_object(ObjectKind::Code)) // where nonlocals.cpp has not replaced it
    fail_as("UnsupportedError",
            "inner function '" + value->object->short_name() +
                "' assigns a variable of the function around it (nonlocal), so it can only be "
                "called by its name",
            "return the new value, or use a list of one item");
  if (!fact.type) {
    const std::string name = to_string(*value);
    const bool builtin = name.starts_with("builtins.") || name.starts_with("_io.");
    fail("cannot determine Numba type of " + name,
         builtin
             ? "it is not compiled: call it outside, or in a block of object mode"
             : "constants are numbers, strings, arrays, containers of them, functions, modules and "
               "objects of the program's classes");
  }
  return {fact.type, fact.constant, nullptr, position};
}

Operand Emitter::i64(int64_t value) {
  return {types::int64(), constants::integer(value), nullptr, position};
}
Operand Emitter::boolean(bool value) {
  return {types::boolean(), constants::boolean(value), nullptr, position};
}
Operand Emitter::f64(double value) {
  return {types::float64(), constants::floating(value), nullptr, position};
}
Operand Emitter::none() { return {types::none(), constants::none(), nullptr, position}; }

Operand Emitter::null_owner() {
  return finish(types::owner(), dry() ? nullptr : append(Op::Const, types::owner()));
}

Operand Emitter::unit(const Type *type) { return {type, nullptr, nullptr, position}; }

Operand Emitter::undef(const Type *type) {
  if (type->kind == Kind::Function)
    return unit(type);
  if (type->kind == Kind::Owner)
    return null_owner(); // it may be released
  if (type->counted) {
    Operands fields;
    for (const Type *field : type->fields)
      fields.push_back(undef(field));
    return make(type, fields);
  }
  return finish(type, dry() ? nullptr : append(Op::Undef, type));
}

Operand Emitter::null_pointer(const Type *to) {
  const Type *pointer = types::pointer(to);
  return finish(pointer, dry() ? nullptr : append(Op::Const, pointer));
}

Operand Emitter::address(const void *address, const Type *to) {
  Operand pointer = null_pointer(to);
  if (!dry())
    pointer.value->integer = reinterpret_cast<int64_t>(address);
  return pointer;
}

Operand Emitter::address(const Reference *of, const Type *to) {
  Operand pointer = null_pointer(to);
  if (!dry())
    pointer.value->refer_to(of);
  return pointer;
}

Operand Emitter::bytes(std::string_view content) {
  const Type *type = types::pointer(types::scalar(ScalarId::UInt8));
  if (dry())
    return finish(type, nullptr);
  tir::Value *value = append(Op::Bytes, type);
  for (const char c : content)
    for (const int shift : {4, 0})
      value->name += "0123456789abcdef"[static_cast<uint8_t>(c) >> shift & 15];
  return finish(type, value);
}

tir::Value *Emitter::scalar_code(const Operand &operand) {
  const Type *type = operand.type;
  const Const *c = operand.constant;
  if (!c)
    throw InternalError("operand of type " + type->text + " has no code");
  tir::Value *value = append(Op::Const, type);
  switch (type->cls()) {
  case ScalarClass::Bool:
  case ScalarClass::Signed:
  case ScalarClass::Unsigned:
    value->integer = c->kind == ConstKind::Float ? static_cast<int64_t>(c->real) : c->integer;
    value->nonneg = value->integer >= 0;
    break;
  case ScalarClass::Float:
  case ScalarClass::Complex:
    value->real = c->kind == ConstKind::Int || c->kind == ConstKind::Bool
                      ? (c->is_unsigned ? static_cast<double>(static_cast<uint64_t>(c->integer))
                                        : static_cast<double>(c->integer))
                      : c->real;
    value->imag = c->imag;
  }
  return value;
}

static tir::Value *structure_of(Emitter &e, const Type *type, std::vector<tir::Value *> parts) {
  tir::Value *value = e.append(Op::Struct, type);
  value->operands = std::move(parts);
  return value;
}

tir::Value *Emitter::code(const Operand &operand) {
  if (dry())
    return nullptr;
  if (operand.value)
    return operand.value;
  const Type *type = operand.type;
  const Const *c = operand.constant;
  if (c && (type->is_time() || type->kind == Kind::Enum)) {
    tir::Value *number = code(field(operand, 0));
    return append(Op::Struct, type, {number});
  }
  if (c && (is_frozen(type) || type->kind == Kind::FrozenSet)) {
    if (engine.module.target == tir::Target::Cuda)
      fail("No implementation of function for a " + type->text + ", in a kernel",
           "make it a tuple or an array");
    Operand owner = null_owner();
    owner.value->refer_to(references::make(references::memory, {}, c));
    return code(make(type, {owner}));
  }
  if (c && type->kind == Kind::LiteralDict) {
    Operands items;
    for (size_t i = 0; i < type->fields.size(); ++i)
      items.push_back(field(operand, static_cast<int>(i)));
    return code(make(type, items));
  }
  if (c && c->is_object(ObjectKind::Record)) { // kept alive by the compiled function
    Operand owner = null_owner();
    owner.value->integer = reinterpret_cast<int64_t>(c->object->handle) | 1;
    return code(make(type, {address(c->object->data, types::scalar(ScalarId::UInt8)), owner}));
  }
  if (type->is_scalar())
    return scalar_code(operand);
  if ((type->is_tuple() || type->kind == Kind::Struct) && c) {
    std::vector<tir::Value *> items;
    for (size_t i = 0; i < c->items.size(); ++i)
      items.push_back(code(convert(constant(c->items[i]), type->params[i])));
    return structure_of(*this, type, std::move(items));
  }
  if (type->is_array() && c)
    return code(global_array(*c));
  if (type->kind == Kind::Slice && c) {
    std::vector<tir::Value *> parts; // those that are not None
    for (const Const *part : c->items)
      if (!part->is_none())
        parts.push_back(code(constant(part)));
    return structure_of(*this, type, std::move(parts));
  }
  if (type->kind == Kind::Bytes && c)
    return code(
        make(type, {bytes(c->text), null_owner(), i64(static_cast<int64_t>(c->text.size()))}));
  if (layout_of(type).leaves.empty()) { // a closure whose captured functions capture nothing
    std::vector<tir::Value *> parts;
    for (const Type *field : type->fields)
      parts.push_back(code(unit(field)));
    return structure_of(*this, type, std::move(parts));
  }
  throw InternalError("operand of type " + type->text + " has no code");
}

/// A global array: its memory is known now and kept alive by the compiled function.
Operand Emitter::global_array(const Const &c) {
  const ArrayData &array = *c.object->array;
  const Type *type = fact_of(&c).type;
  Operands shape, strides;
  for (int64_t n : array.shape)
    shape.push_back(i64(n));
  for (int64_t n : array.strides)
    strides.push_back(i64(n));
  if (array.on_device) // its row keeps it alive
    return make_array(*this, type, address(array.data, type->dtype()), null_owner(), shape,
                      strides);
  if (engine.module.target == tir::Target::Cuda) {
    int64_t bytes = layout_of(type->dtype()).size;
    const void *items = contiguous_items(array, bytes);
    if (array.layout == 'A') {
      int64_t step = bytes;
      for (size_t i = strides.size(); i-- > 0; step *= array.shape[i])
        strides[i] = i64(step);
    }
    for (int64_t n : array.shape)
      bytes *= n;
    const Operand from[]{address(items, type->dtype())};
    Operand data = device(tir::DeviceOp::Constant, types::pointer(type->dtype()), from,
                          std::max<int64_t>(bytes, 1));
    return make_array(*this, type, data, null_owner(), shape, strides);
  }
  // The owner is the ndarray itself, tagged as foreign (runtime.h), so that views of it may leave.
  Operand owner = null_owner();
  if (!dry())
    owner.value->refer_to(references::make(references::owner, {}, &c));
  const Reference *data = references::make(references::array_data, {}, &c);
  return make_array(*this, type, address(data, type->dtype()), owner, shape, strides);
}

static bool is_in_loop(const ssa::Block &block) {
  return std::ranges::any_of(block.succs, [&](const ssa::Block *next) {
    return ssa::reach(next, nullptr).contains(&block);
  });
}

Operand sentinel_of(Emitter &e, const ssa::Value &call) {
  if (is_in_loop(*call.block))
    e.fail("object() in a loop: compiled code has one for each place in the program",
           "call it in front of the loop, or outside of the function");
  const Position &at = call.position;
  const std::string place = e.def->code.filename + ":" + std::to_string(at.line) + ":" +
                            std::to_string(at.column) + ":" + e.def->name();
  return e.constant(e.engine.host.called("numjit.library.python.python_builtins.sentinel_of",
                                         {constants::string(place)}));
}

} // namespace numjit
