// Operands as values of other types: casts of scalars, implicit conversions, truth, and the value
// in an Optional or a variable that may be unassigned.
#include "typeinfer/infer/emitter.h"
#include "typeinfer/infer/engine.h"
#include "typeinfer/infer/plain_constants.h"
#include "typeinfer/infer/unify.h"
#include "typeinfer/types/function_values.h"
#include "typeinfer/types/open_fields.h"

#include <algorithm>

namespace numjit {

using tir::Op;

Operand Emitter::cast(const Operand &a, const Type *to) {
  if (a.type == to)
    return a;
  if (a.type->kind == Kind::Optional || (a.type->kind == Kind::Enum && a.type->unit))
    return cast(unwrap(a), to);
  if (a.type->is_time() && to->is_time())
    return convert(a, to);
  if (a.type->kind == Kind::Timedelta && to->is(ScalarId::Int64))
    return field(a, 0);
  if (a.type->kind == Kind::BigInt && to->is_scalar())
    return big_as(a, to);
  if (!a.type->is_scalar() || !to->is_scalar())
    fail("cannot convert " + a.type->text + " to " + to->text);
  // Small constants keep their value through the cast, so folding goes on behind it.
  if (plain_int(a) && (to->is_float() || to->is_complex()))
    return {to, constants::floating(static_cast<double>(a.constant->integer)), nullptr, a.position};
  if (dry())
    return finish(to, nullptr);
  tir::Value *from = code(a);
  tir::Value *value = append(Op::Cast, to, {from});
  if (to->is_integer() && a.type->is_integer()) // a narrower one may wrap around
    value->nonneg = a.type->is_unsigned() ? a.type->bits() < to->bits()
                                          : from->nonneg && a.type->bits() <= to->bits();
  return finish(to, value);
}

/// Of ranges and slices.
static Operand convert_bounds(Emitter &e, const Operand &a, const Type *to) {
  Operands parts;
  for (int i = 0; i < 3; ++i)
    if (to->kind == Kind::Range)
      parts.push_back(e.convert(e.field(a, i), to->params[0]));
    else if (to->params[i]->kind != Kind::None)
      parts.push_back(e.convert(slice_part(e, a, i), to->params[i]));
    else if (a.type->params[i]->kind != Kind::None)
      e.fail("cannot convert " + a.type->text + " to " + to->text);
  return e.make(to, parts);
}

/// To an array type of another layout.
static Operand convert_array(Emitter &e, const Operand &a, const Type *to) {
  Operands shape, strides;
  for (int i = 0; i < to->ndim; ++i) {
    shape.push_back(array_shape(e, a, i));
    strides.push_back(array_stride(e, a, i));
  }
  return make_array(e, to, e.field(a, 0), e.field(a, 1), shape, strides);
}

/// The fields of a struct or tuple as those of another; or as items, of a tuple whose length is
/// known at run time.
static Operands converted_fields(Emitter &e, const Operand &a, const Type *to) {
  const Type *item =
      a.type->is_tuple() && is_run_time_tuple(to) ? to->params[0]->params[0] : nullptr;
  Operands fields;
  for (size_t i = 0; i < a.type->params.size(); ++i)
    fields.push_back(e.convert(e.field(a, static_cast<int>(i)), item ? item : to->params[i]));
  return fields;
}

/// A conversion to or from what is not known of a field yet, of which there will be no code.
static Operand put_into_field(Emitter &e, const Operand &given, const Type *to) {
  if (!e.engine.field_items.put(to, item_type_of(given.type)))
    e.fail("a field of a plain class cannot refer to what it is a part of",
           "make it a @jitclass, which says its types");
  return e.undef(to);
}

Operand Emitter::convert(const Operand &a, const Type *to) {
  const Type *from = a.type;
  if (from == to)
    return a;
  if (from->is_scalar() && to->is_scalar())
    return cast(a, to);
  if (holds_item_of_field(to) || holds_item_of_field(from))
    return put_into_field(*this, a, to);
  if (to->kind == Kind::Maybe) {
    if (from->kind == Kind::Undefined)
      return make(to, {boolean(false), undef(to->params[0])});
    if (from->kind == Kind::Maybe)
      return make(to, {field(a, 0), convert(field(a, 1), to->params[0])});
    return make(to, {boolean(true), convert(a, to->params[0])});
  }
  if (to->kind == Kind::Union)
    return as_one_of(*this, force(*this, a), to);
  if (to->kind == Kind::Optional) {
    if (from->kind == Kind::None)
      return make(to, {boolean(false), undef(to->params[0])});
    if (from->kind == Kind::Optional)
      return make(to, {field(a, 0), convert(field(a, 1), to->params[0])});
    return make(to, {boolean(true), convert(a, to->params[0])});
  }
  if (from->kind == Kind::Optional)
    return convert(unwrap_optional(a), to);
  if (from->kind == Kind::String && to->kind == Kind::Unicode)
    return literal_text(*this, from->constant->text);
  if (from->kind == Kind::Record && type_conversion(from, to) != scalar::Conversion::None)
    return make(to, {field(a, 0), field(a, 1)});
  if ((from->kind == Kind::Enum && from->unit && to->is_scalar()) ||
      (from->kind == Kind::BigInt && to->is_scalar()))
    return cast(a, to);
  if (from->is_time() && to->is_time() && type_conversion(from, to) != scalar::Conversion::None)
    return library("numjit.convert_time", {a, unit(types::dtype(to))});
  if (from->is_array() && to->is_array() && type_conversion(from, to) != scalar::Conversion::None)
    return convert_array(*this, a, to);
  const bool of_one_class =
      from->kind == Kind::Struct && to->kind == Kind::Struct && from->constant == to->constant;
  if (of_one_class ||
      (from->is_tuple() && to->is_tuple() && from->params.size() == to->params.size())) {
    return make(to, converted_fields(*this, a, to));
  }
  if (from->kind == to->kind && (from->kind == Kind::Range || from->kind == Kind::Slice))
    return convert_bounds(*this, a, to);
  if (to->kind == Kind::Choice && from->is_function())
    return as_one_of(*this, a, to);
  if (from->is_function() && function_maker(to))
    return call_function(*this, *function_maker(to)->object->function, {}, {{a}, {}});
  if (from->kind == Kind::Lazy)
    return convert(force(*this, a), to);
  if (from->is_tuple() && is_run_time_tuple(to))
    return make(to, {rule_container(*this, to->params[0], converted_fields(*this, a, to))});
  fail("cannot convert " + from->text + " to " + to->text);
}

Operand Emitter::unliteral(const Operand &a) {
  const Type *type = numjit::unliteral(a.type);
  return type == a.type ? a : convert(a, type);
}

Operand Emitter::unwrap(const Operand &a) {
  if (a.type->kind == Kind::Enum && a.type->unit)
    return a.constant ? constant(a.constant->object->value) : field(a, 0);
  if (a.type->kind != Kind::Optional)
    return a;
  if (a.type->params[0]->kind == Kind::Enum && a.type->params[0]->unit)
    return unwrap(unwrap_optional(a));
  return unwrap_optional(a);
}

Operand Emitter::unwrap_optional(const Operand &a) {
  raise_if(logical_not(field(a, 0)), "TypeError",
           "expected " + a.type->params[0]->text + ", got None");
  return field(a, 1);
}

Operand Emitter::assigned(const Operand &a, const std::string &variable) {
  if (a.type->kind == Kind::Undefined)
    fail("variable '" + variable + "' is used before it is assigned", "assign it on every path");
  if (a.type->kind != Kind::Maybe)
    return a;
  if (on_device() && !options().debug && a.type->params[0]->is_scalar())
    return field(a, 1); // zero: lanes that have no value may take part in a shuffle
  raise_if(logical_not(field(a, 0)), "UnboundLocalError",
           "cannot access local variable '" + variable +
               "' where it is not associated with a value");
  return field(a, 1);
}

} // namespace numjit
