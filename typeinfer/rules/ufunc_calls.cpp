// Calls of scalar operations and ufuncs by name, with `out`, `where`, `dtype` and `casting`.
#include "typeinfer/infer/big_ints.h"
#include "typeinfer/infer/engine.h"
#include "typeinfer/infer/unify.h"
#include "typeinfer/rules/elementwise.h"
#include "typeinfer/rules/lookup.h"

#include <algorithm>
#include <array>

namespace numjit {

bool can_cast(const Type *from, const Type *to, std::string_view casting) {
  // What kind may become what: bool, unsigned and signed integers, floats, complex numbers.
  auto rank = [](const Type *type) {
    return type->is_unsigned()                ? 1
           : type->is_signed()                ? 2
           : type->cls() < ScalarClass::Float ? 0
           : type->is_float()                 ? 3
                                              : 4;
  };
  if (casting == "unsafe" || from == to)
    return true;
  if (casting == "same_kind")
    return rank(from) <= rank(to);
  return casting == "safe" && scalar::promote(from, to) == to;
}

namespace {

/// The keywords of NumPy's element-wise functions.
struct UfuncOptions {
  Operand out, where;
  bool as_array = false; ///< out=...: numbers become arrays without dimensions
  const Type *dtype = nullptr;
  std::string casting = "same_kind";
};

UfuncOptions ufunc_options(Emitter &e, const std::string &name, CallArguments &arguments) {
  UfuncOptions options;
  for (auto &[keyword, value] : arguments.keywords) {
    if ((value.type->kind == Kind::None && keyword != "where") || keyword == "subok")
      continue; // there are no subclasses of arrays
    if (keyword == "out" && value.type->kind == Kind::Ellipsis) {
      options.as_array = true;
    } else if (keyword == "out") {
      options.out = value;
    } else if (keyword == "where") {
      options.where = value;
    } else if (keyword == "dtype") {
      options.dtype = item_of_dtype(e, value);
      if (!options.dtype || !options.dtype->is_scalar())
        e.fail(name + "(): dtype must be a scalar type, not " + value.type->text);
    } else if (keyword == "casting" && value.type->kind == Kind::String) {
      options.casting = value.type->constant->text;
    } else {
      e.fail(name + "() has no argument '" + keyword + "' in compiled code");
    }
  }
  return options;
}

void check_out(Emitter &e, const std::string &name, UfuncOptions &options) {
  Operand &out = options.out;
  if (out.type->kind == Kind::Tuple && out.type->params.size() == 1)
    out = e.field(out, 0);
  if (!out.type->is_array())
    e.fail(name + "(): out must be an array, not " + out.type->text);
  if (out.type->readonly)
    e.fail("Cannot modify readonly array of type: " + out.type->text);
}

void check_cast(Emitter &e, const std::string &name, const std::string &what, const Type *from,
                const Type *to, const std::string &casting) {
  if (!can_cast(from, to, casting))
    e.fail("Cannot cast ufunc '" + name.substr(name.find('.') + 1) + "' " + what + " from " +
               from->text + " to " + to->text + " with casting rule '" + casting + "'",
           "pass casting='unsafe' to allow it");
}

/// Converts the operands so that the loop is one that gives `dtype`; comparisons and the like give
/// it from operands of any type.
void choose_loop(Emitter &e, const scalar::Row &row, const std::string &name, Operands &operands,
                 const UfuncOptions &options) {
  std::vector<const Type *> types;
  for (Operand &a : operands) {
    if (is_literal(a)) { // it does not choose the loop
      check_literal(e, a, options.dtype);
      if (a.type->is_integer() && options.dtype->is_integer())
        a = e.cast(a, options.dtype);
      if (a.constant)
        a.constant = constants::typed(*a.constant, a.type->text);
    }
    types.push_back(is_arraylike(a.type) ? a.type->dtype() : a.type);
  }
  auto natural = scalar::resolve(row, types, ufunc_form(e));
  if (natural && natural->result == options.dtype)
    return;
  const size_t converted = row.rule == scalar::Rule::FloatByInteger ? 1 : operands.size();
  for (size_t i = 0; i < converted; ++i) {
    check_cast(e, name, "input", types[i], options.dtype, options.casting);
    operands[i] = convert_elements(e, operands[i], options.dtype);
  }
}

} // namespace

/// What a ufunc returns where there is `out=` or `where=`.
static Operand stored(Emitter &e, const std::string &name, UfuncOptions &options, Operand result) {
  // Elements that `where` leaves out keep what `out` holds; in a new array they are 0.
  const Type *dtype = is_arraylike(result.type) ? result.type->dtype() : result.type;
  if (options.out) {
    check_out(e, name, options);
    check_cast(e, name, "output", dtype, options.out.type->dtype(), options.casting);
    dtype = options.out.type->dtype();
  }
  if (options.where) {
    const Type *type =
        is_arraylike(options.where.type) ? options.where.type->dtype() : options.where.type;
    if (!type->is_bool())
      e.fail(name + "(): where must be a bool or an array of bools, not " +
             options.where.type->text);
    Operand other = options.out ? options.out : e.cast(e.i64(0), dtype);
    const std::array<Operand, 3> choice{options.where, convert_elements(e, result, dtype), other};
    const bool lazy = is_arraylike(result.type) || options.out || is_arraylike(options.where.type);
    const scalar::Row &select = scalar::row(scalar::OpId::Select);
    result = lazy ? elementwise(e, select, choice) : e.scalar(select, choice, scalar::Form::NumPy);
  }
  if (!options.out)
    return result;
  e.library("numjit.assign", {options.out, result});
  return options.out;
}

/// Whether any operand is an array; sequences become such for ufuncs.
static bool holds_arrays(Emitter &e, const std::string &name, bool ufunc, Operands &operands) {
  bool arrays = false;
  for (Operand &a : operands) {
    if (!a.type->is_number() && !is_arraylike(a.type)) {
      if (ufunc && (a.type->is_tuple() || a.type->kind == Kind::List))
        a = e.library("numpy.asarray", {a});
      else if (ufunc && a.type->kind == Kind::Method && a.type->constant->text == "Flat") // x.flat
        a = e.library("Flat.copy", {a});
      else
        e.fail("No implementation of function " + name + " for argument of type " + a.type->text);
    }
    arrays = arrays || is_arraylike(a.type);
  }
  return arrays;
}

Operand call_scalar(Emitter &e, const scalar::Row &row, const std::string &name,
                    CallArguments arguments) {
  const bool ufunc = name.starts_with("numpy.") || row.rule == scalar::Rule::Select;
  if (!ufunc && !arguments.keywords.empty())
    e.fail(name + "() has no argument '" + arguments.keywords[0].first + "' in compiled code");
  UfuncOptions options = ufunc_options(e, name, arguments);
  Operands &operands = arguments.positional;
  if (ufunc && static_cast<int>(operands.size()) == row.arity + 1) {
    if (operands.back().type->kind != Kind::None)
      options.out = operands.back();
    operands.pop_back();
  }
  if (static_cast<int>(operands.size()) != row.arity)
    e.fail(name + "() takes " + std::to_string(row.arity) + " arguments, got " +
           std::to_string(operands.size()));
  bool times = false;
  for (Operand &a : operands) {
    a = e.unwrap(a);
    const Type *item = is_arraylike(a.type) ? a.type->dtype() : a.type;
    if (item->kind == Kind::Record && row.rule == scalar::Rule::Select)
      return e.library("numjit.select_items", operands);
    times = times || holds_time(a.type);
  }
  if (times) {
    const std::string library = "numjit.time_" + std::string(row.name);
    if (!e.engine.host.library(library))
      e.fail("No implementation of function " + name + " for datetime64 and timedelta64");
    Operand result = e.library(library, operands);
    if (options.out)
      e.library("numjit.assign", {options.out, result});
    return options.out ? options.out : result;
  }
  const bool arrays = holds_arrays(e, name, ufunc, operands);
  if (row.oper == Operator::Pow && !ufunc) // pow(2, 70)
    if (Operand exact = exact_operator(e, Operator::Pow, operands[0], operands[1]))
      return exact;
  operands = settle_big_ints(e, row, operands, !ufunc);
  if (options.dtype)
    choose_loop(e, row, name, operands, options);
  if (ufunc && (row.id == scalar::OpId::Real || row.id == scalar::OpId::Imag) &&
      operands[0].type->is_array()) // views, not ufuncs
    return rule_getattr(e, operands[0], std::string(row.name));
  Operand result = arrays ? elementwise(e, row, operands)
                          : e.scalar(row, operands, ufunc ? ufunc_form(e) : scalar::Form::Python);
  const Type *computed = is_arraylike(result.type) ? result.type->dtype() : result.type;
  if (options.dtype && computed != options.dtype)
    e.fail("No loop matching the specified signature and casting was found for ufunc " +
           name.substr(name.find('.') + 1) + ": it returns " + computed->text + ", not " +
           options.dtype->text);
  if (options.out || options.where)
    result = stored(e, name, options, result);
  return options.as_array && result.type->is_scalar() ? e.library("numpy.asarray", {result})
                                                      : result;
}

} // namespace numjit
