// x[i] = y, del x[i] and a, b = c.
#include "typeinfer/infer/big_ints.h"
#include "typeinfer/infer/engine.h"
#include "typeinfer/infer/overloads.h"
#include "typeinfer/infer/unify.h"
#include "typeinfer/rules/array_expressions.h"
#include "typeinfer/rules/elementwise.h"
#include "typeinfer/rules/indexing.h"

#include <array>

namespace numjit {

namespace {

/// A value as an element of an array of `dtype`.
Operand as_item(Emitter &e, const Operand &value, const Type *dtype) {
  return value.type->is_scalar() && dtype->is_scalar() ? e.cast(value, dtype)
         : dtype->kind == Kind::Record                 ? value
                                                       : e.convert(value, dtype);
}

void check_real(Emitter &e, const Type *from, const Operand &array) {
  const Type *dtype = array.type->dtype();
  if (from->is_complex() && !dtype->is_complex())
    e.fail("cannot convert " + from->text + " to " + dtype->text + ": items of " +
               array.type->text + " are real",
           "take .real or abs()");
}

/// Values of several parts, which arrays of kernels can hold.
bool is_composite(const Type *type) { return type->kind == Kind::Struct || type->is_tuple(); }

/// Of one element; false if the indices pick more, or the value is none.
bool set_element(Emitter &e, const Operand &object, const Operands &items, const Operand &value) {
  const Type *dtype = object.type->dtype();
  if ((!all_integers(items) || items.empty()) && object.type->ndim != 0)
    return false;
  const bool is_text = fits_char_seq(value.type, dtype);
  if (!is_text && !value.type->is_item() &&
      !(dtype->kind == Kind::Record && value.type->is_tuple()) &&
      !(is_composite(dtype) && is_composite(value.type)))
    return false;
  if (!is_text && !is_composite(dtype))
    check_real(e, value.type, object);
  set_array_item(e, object, element_pointer(e, object, object.type->ndim ? items : Operands{}),
                 is_text ? value : as_item(e, value, dtype));
  return true;
}

/// Of values known to be items or arrays: a part that basic indices pick.
void assign_to_view(Emitter &e, const Operand &target, Operand value) {
  const Type *dtype = target.type->dtype();
  if (value.type->is_item()) {
    e.library("numjit.fill", {target, as_item(e, value, dtype)});
    return;
  }
  const bool texts = is_text_array(target.type) && is_text_array(value.type);
  if (value.type->dtype() != dtype && !texts &&
      !(value.type->dtype()->is_scalar() && dtype->is_scalar()))
    value = convert_elements(e, value, dtype);
  // Axes in front that the target does not have must have length 1.
  while (is_arraylike(value.type) && value.type->ndim > target.type->ndim) {
    Operand extent =
        value.type->is_array() ? array_shape(e, value, 0) : e.field(lazy_shape(e, value), 0);
    e.raise_if(e.op(Operator::Ne, extent, e.i64(1)), "ValueError",
               "could not broadcast input array: it has too many dimensions");
    value = rule_getitem(e, value, e.i64(0));
  }
  e.library("numjit.assign", {target, value});
}

void array_setitem(Emitter &e, const Operand &object, const Operand &index, Operand value) {
  if (object.type->readonly)
    e.fail("Cannot modify readonly array of type: " + object.type->text);
  const Type *dtype = object.type->dtype();
  if (!e.def->is_library)
    check_literal(e, value, dtype);
  if (is_big_int(value) && dtype->is_scalar())
    value = e.big_as(value, dtype);
  if (is_run_time_tuple(index.type)) {
    const Operand item = index_of_item(e, object, index);
    return item ? rule_setitem(e, object, item, value)
                : rule_setitem(e, e.library("numjit.sliced", {object, index}),
                               e.unit(types::ellipsis()), value);
  }
  const bool advanced = is_advanced(e, index);
  Operands items = advanced ? Operands{} : expand(e, object, index);
  if (!advanced && set_element(e, object, items, value))
    return;
  if (value.type->is_tuple() || value.type->kind == Kind::List || value.type->kind == Kind::Range)
    value = dtype->kind == Kind::Record
                ? e.library("numpy.asarray", {value, e.unit(types::dtype(dtype))})
                : e.library("numpy.asarray", {value});
  if (!advanced && fits_char_seq(value.type, dtype)) {
    e.library("numjit.fill", {array_view(e, object, items), e.unliteral(value)});
    return;
  }
  if (!value.type->is_item() && !value.type->is_array() && value.type->kind != Kind::Lazy)
    e.fail("cannot assign a value of type " + value.type->text + " to items of " +
           object.type->text);
  check_real(e, is_arraylike(value.type) ? value.type->dtype() : value.type, object);
  if (advanced) {
    advanced_setitem(e, object, index, value);
    return;
  }
  assign_to_view(e, array_view(e, object, items), value);
}

} // namespace

void rule_setitem(Emitter &e, const Operand &given, const Operand &index_given,
                  const Operand &value_given) {
  if (Operand none; call_operator_overload(e, "setitem", {given, index_given, value_given}, none))
    return;
  Operand object = e.unwrap(given), index = force(e, e.unwrap(index_given)), value = value_given;
  if (object.type->kind == Kind::List) {
    value = force(e, value);
    if (index.type->kind == Kind::Slice) {
      e.library("List.__setitem__", {object, index, value});
      return;
    }
    if (!is_index(index.type) && !index.type->is_bool())
      e.fail("list indices must be integers or slices, not " + index.type->text);
    return list_setitem(e, object, index, as_item(e, object.type->params[0], object, value));
  }
  if (object.type->kind == Kind::Pointer) {
    rule_setitem(e, item_at(e, object, index), e.tuple({}), value);
    return;
  }
  if (object.type->kind == Kind::Record) {
    set_record_field(e, object, record_field_index(e, object.type, index), value);
    return;
  }
  if (names_field(object.type, index)) {
    Operand field = array_field(e, object, record_field_index(e, object.type->dtype(), index));
    rule_setitem(e, field, e.unit(types::ellipsis()), value);
    return;
  }
  if (object.type->kind == Kind::Struct || object.type->kind == Kind::Instance)
    if (Operand none; call_class_method(e, object, "__setitem__", {{index, force(e, value)}}, none))
      return;
  const std::string method = std::string(kind_name(object.type)) + ".__setitem__";
  if (!object.type->is_array() && e.engine.host.library(method)) {
    e.library(method, {object, index, force(e, value)});
    return;
  }
  if (is_literal_container(object.type))
    refuse_mutation(e, object.type);
  if (!object.type->is_array())
    e.fail("No implementation of function setitem for (" + object.type->text + ", " +
               index.type->text + ", " + value.type->text + "): items of " + object.type->text +
               " cannot be assigned",
           object.type->is_tuple()
               ? "tuples do not change; make a new one, or use a list or an array"
           : object.type->is_text() ? "strings do not change; make a new one"
                                    : "");
  array_setitem(e, object, index, e.unwrap(value));
}

void rule_delitem(Emitter &e, const Operand &object, const Operand &index) {
  if (Operand none; call_operator_overload(e, "delitem", {object, index}, none))
    return;
  if (object.type->kind == Kind::Struct)
    if (Operand none; call_class_method(e, object, "__delitem__", {{index}}, none))
      return;
  const std::string method = std::string(kind_name(object.type)) + ".__delitem__";
  if (e.engine.host.library(method)) {
    e.library(method, {e.unwrap(object), index});
    return;
  }
  e.fail("items of " + object.type->text + " cannot be deleted");
}

// --- unpacking ---

/// Whether items are read by number, as often as they are asked for.
static bool is_unpacked_in_place(const Type *type) {
  return type->is_array() || type->kind == Kind::List || type->kind == Kind::Range ||
         type->is_text() || is_run_time_tuple(type);
}

Operand rule_unpack_check(Emitter &e, const Operand &given, int count, int star) {
  Operand object = as_tuple_of_unions(e, given);
  if (given.type->kind == Kind::Optional) {
    e.raise_if(e.logical_not(e.field(given, 0)), "TypeError",
               "cannot unpack non-iterable NoneType object");
    object = e.field(given, 1);
  }
  if (object.type->is_tuple()) {
    const int n = static_cast<int>(object.type->params.size());
    if (star < 0 ? n != count : n < count)
      e.fail_as("NumbaValueError",
                n < count ? "not enough values to unpack (expected " +
                                std::string(star < 0 ? "" : "at least ") + std::to_string(count) +
                                ", got " + std::to_string(n) + ")"
                          : "too many values to unpack (expected " + std::to_string(count) +
                                ", got " + std::to_string(n) + ")");
    return e.none();
  }
  Operand items = e.none();
  if (!is_unpacked_in_place(object.type)) {
    if (!is_iterable(e, object.type) && object.type->kind != Kind::Method)
      e.fail("cannot unpack a value of type " + object.type->text);
    object = items = e.library("builtins.list", {object});
  }
  Operands one{is_run_time_tuple(object.type) ? e.field(object, 0) : object};
  Operand length = find_builtin("builtins.len")->rule(e, one);
  const std::array<Operand, 1> got{length};
  e.raise_if(e.op(Operator::Lt, length, e.i64(count)), "ValueError",
             "not enough values to unpack (expected " + std::string(star < 0 ? "" : "at least ") +
                 std::to_string(count) + ", got {})",
             got);
  if (star < 0)
    e.raise_if(e.op(Operator::Gt, length, e.i64(count)), "ValueError",
               "too many values to unpack (expected " + std::to_string(count) + ")");
  return items;
}

Operand rule_unpack(Emitter &e, const Operand &given, int count, int star, int item) {
  const bool tested = given.type->kind == Kind::Optional;
  const Operand object = tested ? e.field(given, 1) : as_tuple_of_unions(e, given);
  if (object.type->is_tuple()) // items may be asked for before the check is reached
    rule_unpack_check(e, object, count, star);
  if (star < 0)
    return object.type->is_tuple() ? e.field(object, item) : rule_getitem(e, object, e.i64(item));
  const int before = count - star; // items in front of the starred one
  if (!object.type->is_tuple()) {
    if (item != before)
      return rule_getitem(e, object, e.i64(item < before ? item : item - before - 1 - star));
    Operand stop = star ? e.i64(-star) : e.none();
    Operand rest = rule_getitem(e, object, rule_slice(e, e.i64(before), stop, e.none()));
    return object.type->kind == Kind::List ? rest : e.library("builtins.list", {rest});
  }
  const int n = static_cast<int>(object.type->params.size());
  if (item < before)
    return e.field(object, item);
  if (item > before)
    return e.field(object, n - star + (item - before - 1));
  Operands rest;
  for (int i = before; i < n - star; ++i)
    rest.push_back(e.field(object, i));
  if (rest.empty()) // of which type does not matter: it has no items
    return rule_container(e, types::list(n > 0 ? object.type->params[0] : types::int64()), {});
  const Type *common = item_type_of(rest[0].type);
  for (const Operand &each : rest)
    common = common ? unify(common, item_type_of(each.type)) : nullptr;
  return common ? rule_list(e, rest) : literal_list(e, rest);
}

} // namespace numjit
