// What Python's operators mean for each kind of operand.
#include "typeinfer/infer/big_ints.h"
#include "typeinfer/infer/engine.h"
#include "typeinfer/infer/overloads.h"
#include "typeinfer/infer/unify.h"
#include "typeinfer/rules/elementwise.h"
#include "typeinfer/types/open_fields.h"

#include <algorithm>
#include <array>

namespace numjit {

bool holds_time(const Type *type) {
  return type->is_time() || (is_arraylike(type) && type->dtype()->is_time());
}

namespace {

/// Types whose values are known from the type alone.
bool is_singleton(const Type *type) { return has_trait(type->kind, traits::one_value); }

/// type(e) of a caught exception (library/python/raised_classes.py).
bool is_class_of_caught(const Type *type) {
  return type->kind == Kind::Struct && type->constant->object->short_name() == "ClassOfCaught";
}

Operand identity(Emitter &e, const Operand &a, const Operand &b);

/// Where one side is None or may be; nothing for others.
Operand identity_of_none(Emitter &e, const Operand &a, const Operand &b) {
  for (auto [x, y] : {std::pair{&a, &b}, std::pair{&b, &a}}) {
    if (x->type->kind != Kind::None)
      continue;
    if (y->type->kind == Kind::Optional)
      return e.logical_not(e.field(*y, 0));
    return e.boolean(y->type->kind == Kind::None);
  }
  if (a.type->kind != Kind::Optional && b.type->kind != Kind::Optional)
    return {};
  auto part = [&](const Operand &x, bool value) {
    if (x.type->kind == Kind::Optional)
      return e.field(x, value);
    return value ? x : e.boolean(true);
  };
  const Operand one = part(a, false), other = part(b, false);
  return e.choose(
      e.logical_and(one, other), [&] { return identity(e, part(a, true), part(b, true)); },
      [&] { return e.op(Operator::Eq, one, other); });
}

Operand identity(Emitter &e, const Operand &a, const Operand &b) {
  if (is_class_of_caught(a.type) || is_class_of_caught(b.type))
    return e.truth(rule_operator(e, Operator::Eq, a, b, false));
  if (Operand same = identity_of_none(e, a, b))
    return same;
  if ((a.type->kind == Kind::DType && b.type->kind == Kind::Function) ||
      (a.type->kind == Kind::Function && b.type->kind == Kind::DType)) { // type(x) is int
    const Type *of = scalar_of_dtype(a);
    return e.boolean(of && of == scalar_of_dtype(b));
  }
  for (auto [x, y] : {std::pair{&a, &b}, std::pair{&b, &a}}) { // one of several functions
    if (x->type->kind != Kind::Choice)
      continue;
    if (y->type == x->type)
      return e.op(Operator::Eq, e.field(*x, 0), e.field(*y, 0));
    const auto place = std::ranges::find(x->type->params, y->type);
    return place == x->type->params.end()
               ? e.boolean(false)
               : e.op(Operator::Eq, e.field(*x, 0), e.i64(place - x->type->params.begin()));
  }
  if (is_singleton(a.type) || is_singleton(b.type))
    return e.boolean(a.type == b.type);
  if (a.type->is_bool() && b.type->is_bool())
    return e.op(Operator::Eq, a, b);
  if (a.type->is_scalar() && b.type->is_scalar())
    return a.type == b.type ? e.op(Operator::Eq, a, b) : e.boolean(false);
  if (a.type->is_array() && b.type->is_array())
    return e.library("numjit.same_memory", {a, b});
  if (a.type == b.type && (a.type->kind == Kind::Unicode || a.type->kind == Kind::Bytes)) {
    Operand same = e.op(Operator::Eq, e.pointer_bits(e.field(a, 0)), e.pointer_bits(e.field(b, 0)));
    return e.logical_and(same, e.op(Operator::Eq, e.field(a, 2), e.field(b, 2)));
  }
  if (a.type == b.type && (a.type->kind == Kind::List || is_table(a.type)))
    return e.library("numjit.same_list", {a, b});
  if (a.type->kind == Kind::Instance && b.type->kind == Kind::Instance &&
      a.type->constant == b.type->constant)
    return e.library("numjit.same_instance", {a, b});
  if (a.type == b.type && a.type->kind == Kind::Enum)
    return e.op(Operator::Eq, e.field(a, 0), e.field(b, 0));
  // Tuples, frozen dataclasses, deques and Counters are the same where all their parts are.
  const bool of_parts = a.type->is_tuple() || a.type->kind == Kind::Struct;
  if (a.type == b.type && of_parts) {
    Operand same = e.boolean(true);
    for (size_t i = 0; i < a.type->fields.size(); ++i)
      same = e.logical_and(
          same, identity(e, e.field(a, static_cast<int>(i)), e.field(b, static_cast<int>(i))));
    return same;
  }
  return e.boolean(a.type == b.type && a.type->fields.empty());
}

/// Lexicographic comparison, item by item.
Operand compare_tuples(Emitter &e, Operator oper, const Operand &a, const Operand &b, size_t from) {
  const size_t m = a.type->params.size(), n = b.type->params.size();
  if (from == std::min(m, n)) {
    switch (oper) {
    case Operator::Lt: return e.boolean(m < n);
    case Operator::Le: return e.boolean(m <= n);
    case Operator::Gt: return e.boolean(m > n);
    case Operator::Ge: return e.boolean(m >= n);
    case Operator::Ne: return e.boolean(m != n);
    default: return e.boolean(m == n);
    }
  }
  if ((oper == Operator::Eq || oper == Operator::Ne) && m != n)
    return e.boolean(oper == Operator::Ne);
  const int i = static_cast<int>(from);
  Operand x = e.field(a, i), y = e.field(b, i);
  Operand equal = rule_operator(e, Operator::Eq, x, y, false);
  return e.choose(
      e.truth(equal), [&] { return compare_tuples(e, oper, a, b, from + 1); },
      [&] {
        if (oper == Operator::Eq || oper == Operator::Ne)
          return e.boolean(oper == Operator::Ne);
        return e.truth(rule_operator(e, oper, x, y, false));
      });
}

Operand tuple_operator(Emitter &e, Operator oper, const Operand &a, const Operand &b) {
  Operands items;
  if (oper == Operator::Add && e.options().long_tuples)
    if (const Type *sum = as_long_tuple(e, a.type, b.type))
      return e.library("numjit.sum_of_tuples", {e.convert(a, sum), e.convert(b, sum)});
  if (oper == Operator::Add) {
    for (const Operand *side : {&a, &b})
      for (size_t i = 0; i < side->type->params.size(); ++i)
        items.push_back(e.field(*side, static_cast<int>(i)));
    return e.tuple(items);
  }
  return compare_tuples(e, oper, a, b, 0);
}

Operand repeat_tuple(Emitter &e, const Operand &tuple, const Operand &count) {
  if (!count.constant) {
    const std::vector<const Type *> &items = tuple.type->params;
    const Type *kept = items.empty() ? nullptr : item_type_of(items[0]);
    if (kept && (kept->kind == Kind::Slice || !layout_of(kept).leaves.empty()) &&
        std::ranges::all_of(items, [&](const Type *item) { return item_type_of(item) == kept; }))
      return e.library("numjit.repeated_tuple", {tuple, count});
    e.fail("a tuple can be repeated a constant number of times only, unless its items are of one "
           "type",
           "its length is part of its type; use a list or an array");
  }
  Operands items;
  for (int64_t k = 0; k < count.constant->integer; ++k)
    for (size_t i = 0; i < tuple.type->params.size(); ++i)
      items.push_back(e.field(tuple, static_cast<int>(i)));
  return e.tuple(items);
}

/// Whether values may equal those of another kind: None, ints, what the class says.
bool may_equal_others(const Type *type) {
  return type->kind == Kind::Optional || type->kind == Kind::Enum || type->kind == Kind::Struct ||
         type->kind == Kind::Instance;
}

/// A member of an IntFlag; of several together only the number is left.
bool is_flag(const Type *type) {
  return type->kind == Kind::Enum && type->constant->object->is_flag;
}

Operand contains(Emitter &e, const Operand &item, const Operand &container) {
  if (container.type->is_tuple()) {
    Operand found = e.boolean(false);
    for (size_t i = 0; i < container.type->params.size(); ++i) {
      Operand each = e.field(container, static_cast<int>(i));
      auto any = [&](auto holds) { return holds(each.type) || holds(item.type); };
      const bool comparable =
          (each.type->is_number() && item.type->is_number()) ||
          each.type->kind == item.type->kind || (each.type->is_text() && item.type->is_text()) ||
          any([](const Type *type) { return type->kind == Kind::DType || may_equal_others(type); });
      if (!comparable)
        continue;
      Operand equal = e.truth(rule_operator(e, Operator::Eq, each, item, false));
      found = equal.constant ? (equal.constant->integer ? equal : found)
              : found.constant && !found.constant->integer ? equal
                                                           : e.op(Operator::Or, found, equal);
    }
    return found;
  }
  if (Operand found; call_class_method(e, container, "__contains__", {{item}}, found))
    return e.truth(found);
  if (container.type->is_text())
    return text_operator(e, Operator::In, item, container);
  if (is_flag(item.type) && (is_flag(container.type) || container.type->is_integer())) {
    const Operand bits = e.unwrap(item);
    return rule_operator(e, Operator::Eq,
                         rule_operator(e, Operator::And, e.unwrap(container), bits, false), bits,
                         false);
  }
  const std::string method = std::string(kind_name(container.type)) + ".__contains__";
  if (class_member(container.type, "__iter__") || class_member(container.type, "__getitem__"))
    return e.library("numjit.is_among", {item, container});
  if (!e.engine.host.library(method))
    e.fail("No implementation of function in for (" + item.type->text + ", " +
           container.type->text + "): a value of type " + container.type->text +
           " contains nothing");
  return e.library(method, {container, item});
}

/// Whether values of a type are strings, or None in their place.
bool may_be_text(const Type *type) {
  return type->is_text() || (type->kind == Kind::Optional && type->params[0]->is_text());
}

/// None equals None and nothing else.
Operand compare_optionals(Emitter &e, Operator oper, const Operand &left, const Operand &right) {
  auto valid = [&](const Operand &x) {
    return x.type->kind == Kind::Optional ? e.field(x, 0) : e.boolean(true);
  };
  auto value = [&](const Operand &x) { return x.type->kind == Kind::Optional ? e.field(x, 1) : x; };
  return e.choose(
      e.logical_and(valid(left), valid(right)),
      [&] { return e.truth(rule_operator(e, oper, value(left), value(right), false)); },
      [&] {
        Operand same = e.op(Operator::Eq, valid(left), valid(right));
        return oper == Operator::Eq ? same : e.logical_not(same);
      });
}

/// Records are equal if their fields are.
Operand compare_records(Emitter &e, Operator oper, const Operand &a, const Operand &b) {
  Operand equal = e.boolean(a.type->names == b.type->names);
  for (size_t i = 0; a.type->names == b.type->names && i < a.type->names.size(); ++i) {
    const int field = static_cast<int>(i);
    Operand same =
        rule_operator(e, Operator::Eq, record_field(e, a, field), record_field(e, b, field), false);
    if (is_arraylike(same.type))
      same = e.library("numpy.all", {same});
    equal = e.logical_and(equal, e.truth(same));
  }
  return oper == Operator::Eq ? equal : e.logical_not(equal);
}

std::string hint_for(Operator op, const Operand &a, const Operand &b) {
  if (op == Operator::Mod && a.type->is_text())
    return known_text_hint;
  if (a.type->kind == Kind::None || b.type->kind == Kind::None)
    return "one side is None here; test `is None` first";
  if (a.type->kind == Kind::Set || b.type->kind == Kind::Set)
    return "All arguments must be Sets: make one of the other first, set(...)";
  if (a.type->is_text() != b.type->is_text())
    return op == Operator::Mul
               ? "an int repeats a string; for a product make a number of it first: float(...)"
               : "make a string of the other one first: str(...)";
  return {};
}

} // namespace

/// a += b for an array, where `result` is what the operator returns: its elements go to those of
/// `a`, under the rules for outputs of ufuncs.
static Operand store_output(Emitter &e, Operator oper, const Operand &a, const Operand &result) {
  const OperatorRow &row = operator_row(oper);
  if (a.type->readonly)
    e.fail("Cannot modify readonly array of type: " + a.type->text);
  const Type *from = is_arraylike(result.type) ? result.type->dtype() : result.type;
  const Type *to = a.type->dtype();
  const bool times = from->is_time() || to->is_time();
  if (times ? !to->is_time() || from->is_float() : !can_cast(from, to, "same_kind"))
    e.fail("Cannot cast the output of '" + std::string(row.symbol) + "=' from " + from->text +
               " to " + to->text + " with casting rule 'same_kind'",
           "make a new array: a = a " + std::string(row.symbol) + " b");
  const int32_t ndim = is_arraylike(result.type) ? result.type->ndim : 0;
  const bool converts = times && from != to;
  e.library(
      oper != Operator::MatMul && ndim > a.type->ndim ? "numjit.refuse_output" : "numjit.assign",
      {a, converts ? e.library("numjit.time_like", {result, time_constant(e, to, 0)}) : result});
  return a;
}

/// An integer beside an array of integers is of the array's type, if it is a plain int: what else
/// they give cannot be stored there. Literals have rules of their own.
static Operand as_item_of(Emitter &e, const Operand &a, const Operand &b) {
  const bool is_weak = is_literal(b) && !promotes_as_numba(e);
  return b.type->is(ScalarId::Int64) && a.type->dtype()->is_unsigned() && !is_weak
             ? e.cast(b, a.type->dtype())
             : b;
}

/// Users' overloads of operators. Where there is none of `+=`, one of `+` will do.
static bool overloaded(Emitter &e, Operator oper, const Operand &left, const Operand &right,
                       bool inplace, Operand &result) {
  const std::string_view name = operator_row(oper).name;
  if (oper == Operator::In || oper == Operator::NotIn) { // operator.contains(container, item)
    if (!call_operator_overload(e, operator_row(Operator::In).name, {right, left}, result))
      return false;
    if (oper == Operator::NotIn)
      result = e.logical_not(e.truth(result));
    return true;
  }
  if (inplace) {
    const std::string_view stem = name.ends_with('_') ? name.substr(0, name.size() - 1) : name;
    if (call_operator_overload(e, "i" + std::string(stem), {left, right}, result))
      return true;
  }
  return call_operator_overload(e, name, {left, right}, result);
}

/// Arrays of strings are compared with each other, and with a string.
static Operand compare_text_arrays(Emitter &e, Operator oper, const Operand &a, const Operand &b) {
  auto kind = [](const Type *type) {
    return is_text_array(type)         ? type->dtype()->params[0]->bits()
           : type->is_text()           ? 32
           : type->kind == Kind::Bytes ? 8
                                       : 0;
  };
  if (kind(a.type) != kind(b.type))
    e.fail("No implementation of function operator." + std::string(operator_row(oper).name) +
           " for (" + a.type->text + ", " + b.type->text + ")");
  return e.library("numjit.texts_" + std::string(operator_row(oper).name),
                   {force(e, a), force(e, b)});
}

/// The operator ** squares arrays of bools, which gives int8; np.power(bools, 2) gives int64.
static bool is_square_of_bools(Emitter &e, Operator oper, const Operand &a, const Operand &b) {
  return oper == Operator::Pow && is_arraylike(a.type) && a.type->dtype()->is_bool() &&
         is_literal(b) && b.type->is(ScalarId::Int64) && b.constant->integer == 2 &&
         !promotes_as_numba(e);
}

/// Comparisons that look at values as they are: of texts, dtypes, optionals, and with None or
/// another type, which is decided now. False if this is none of these.
static bool compare_given(Emitter &e, Operator oper, const Operand &left, const Operand &right,
                          Operand &result) {
  const bool equality = oper == Operator::Eq || oper == Operator::Ne;
  if (is_text_array(left.type) || is_text_array(right.type))
    return result = compare_text_arrays(e, oper, left, right), true;
  if (equality && (left.type->kind == Kind::DType || right.type->kind == Kind::DType)) {
    const Type *a = item_of_dtype(left), *b = item_of_dtype(right); // a.dtype == np.float64
    return result = e.boolean((a && a == b) == (oper == Operator::Eq)), true;
  }
  if (equality && (may_be_text(left.type) || may_be_text(right.type)))
    return result = text_operator(e, oper, left, right), true;
  if (equality && (is_singleton(left.type) || is_singleton(right.type)) &&
      !is_class_of_caught(left.type) && !is_class_of_caught(right.type)) {
    auto needs_look = [](const Operand &operand) { // at the value
      return operand.type->kind == Kind::Optional || operand.type->kind == Kind::Choice;
    };
    if (needs_look(left) || needs_look(right)) {
      Operand same = identity(e, left, right);
      return result = oper == Operator::Eq ? same : e.logical_not(same), true;
    }
    return result = e.boolean((left.type == right.type) == (oper == Operator::Eq)), true;
  }
  auto is_optional = [](const Type *type) {
    return type->kind == Kind::Optional && !is_arraylike(type->params[0]);
  };
  if (equality && (is_optional(left.type) || is_optional(right.type)) && !is_arraylike(left.type) &&
      !is_arraylike(right.type))
    return result = compare_optionals(e, oper, left, right), true;
  return false;
}

/// Which of Python's classes whose values only equal each other, by the column `equality` of
/// kinds.def; numbers of NumPy compare with the items of lists and tuples.
enum class Equality { none, number, list, tuple, dict, set, text, bytes };
static constexpr Equality kEquality[] = {
#define NUMJIT_KIND(id, attributes, cls, fields, text, items, iteration, truth, join, equality,    \
                    ...)                                                                           \
  Equality::equality,
#include "typeinfer/types/kinds.def"
#undef NUMJIT_KIND
};
static Equality equality_of(const Type *type) { return kEquality[static_cast<size_t>(type->kind)]; }
static bool is_sequence(Equality cls) {
  return cls == Equality::list || cls == Equality::tuple || cls == Equality::text ||
         cls == Equality::bytes;
}
static bool never_equal(const Type *a, const Type *b) {
  const Equality of_a = equality_of(a), of_b = equality_of(b);
  auto compares_items = [](Equality x, Equality y) {
    return x == Equality::number && (y == Equality::list || y == Equality::tuple);
  };
  return of_a != of_b && of_a != Equality::none && of_b != Equality::none &&
         !compares_items(of_a, of_b) && !compares_items(of_b, of_a);
}

/// Tuples times ints, and bools made ints that other sequences are repeated by: "Fizz" * (n % 3 ==
/// 0).
static bool repeat_sequence(Emitter &e, Operator oper, Operand &a, Operand &b, Operand &result) {
  if (oper != Operator::Mul)
    return false;
  for (auto [times, items] : {std::pair{&a, &b}, {&b, &a}}) {
    if (times->type->is_bool() && is_sequence(equality_of(items->type)))
      *times = e.cast(*times, types::int64());
    if (items->type->is_tuple() && times->type->is_integer())
      return result = repeat_tuple(e, *items, *times), true;
  }
  return false;
}

static bool is_class(const Type *type) {
  if (type->is_tuple())
    return std::ranges::all_of(type->params, is_class);
  if (type->kind == Kind::None || type->kind == Kind::DType)
    return true;
  const Const *of = type->kind == Kind::Function ? type->constant : nullptr;
  return of && std::ranges::any_of(std::array{ObjectKind::Class, ObjectKind::Type,
                                              ObjectKind::ExceptionClass, ObjectKind::EnumClass,
                                              ObjectKind::DataClass, ObjectKind::JitClass,
                                              ObjectKind::NamedTupleClass},
                                   [&](ObjectKind kind) { return of->is_object(kind); });
}

/// int | None, what isinstance() asks for: the tuple of the classes.
static bool join_classes(Emitter &e, const Operand &a, const Operand &b, Operand &result) {
  if (!is_class(a.type) || !is_class(b.type) ||
      (a.type->kind == Kind::None && b.type->kind == Kind::None))
    return false;
  Operands classes;
  for (const Operand *side : {&a, &b})
    if (side->type->kind == Kind::None)
      classes.push_back(e.constant(e.engine.host.class_named("types.NoneType")));
    else if (side->type->is_tuple())
      for (size_t i = 0; i < side->type->params.size(); ++i)
        classes.push_back(e.field(*side, static_cast<int>(i)));
    else
      classes.push_back(*side);
  result = e.tuple(classes);
  return true;
}

static Operand library_operator(Emitter &e, Operator oper, const Operand &a, const Operand &b,
                                bool inplace) {
  if (Operand classes; oper == Operator::Or && join_classes(e, a, b, classes))
    return classes;
  const OperatorRow &row = operator_row(oper);
  const std::string kinds = std::string(kind_name(a.type)) + "," + std::string(kind_name(b.type));
  const std::string name(row.name);
  for (const char *prefix : {"operator.i", "operator."}) {
    const LibraryKey key(prefix + name, LibraryUse::Call, kinds);
    if ((inplace || key.name == "operator." + name) && e.engine.host.library(key))
      return e.library(key, {a, b});
  }
  e.fail("No implementation of function operator." + name + " for (" + a.type->text + ", " +
             b.type->text + "): unsupported operand types for " + std::string(row.symbol) +
             (inplace && row.form == OperatorForm::Binary ? "=" : ""),
         hint_for(oper, a, b));
}

static Operand time_operator(Emitter &e, Operator oper, const Operand &a, const Operand &b,
                             bool inplace) {
  const std::string time = "numjit.time_" + std::string(operator_row(oper).name);
  if (!e.engine.host.library(time))
    e.fail("No implementation of function operator." + std::string(operator_row(oper).name) +
           " for (" + a.type->text + ", " + b.type->text + ")");
  Operand result = e.library(time, {a, b});
  return inplace && a.type->is_array() ? store_output(e, oper, a, result) : result;
}

/// What NumPy makes an array of beside an array.
static bool is_sequence_of_numbers(const Type *type) {
  return (type->kind == Kind::List || type->is_tuple()) && !type->params.empty() &&
         std::ranges::all_of(type->params, [](const Type *item) {
           return item->is_scalar() || is_sequence_of_numbers(item);
         });
}

static Operand matrix_product(Emitter &e, const Operand &a, const Operand &b, bool inplace) {
  if (!inplace || !a.type->is_array())
    return e.library("numpy.matmul", {a, b});
  return store_output(e, Operator::MatMul, a, e.library("numjit.matmul_inplace", {a, b}));
}

/// Of an array beside an array, a number or a sequence of numbers. False if it is none of these.
static bool array_operator(Emitter &e, Operator oper, const Operand &a, const Operand &b,
                           bool inplace, Operand &result) {
  const bool a_array = is_arraylike(a.type), b_array = is_arraylike(b.type);
  if (a_array && is_sequence_of_numbers(b.type))
    return array_operator(e, oper, a, e.library("numpy.asarray", {b}), inplace, result);
  if (b_array && is_sequence_of_numbers(a.type))
    return array_operator(e, oper, e.library("numpy.asarray", {a}), b, false, result);
  if (oper == Operator::MatMul && a_array && b_array)
    return result = matrix_product(e, force(e, a), force(e, b), inplace), true;
  if (oper == Operator::MatMul ||
      !((a_array && (b_array || b.type->is_number())) || (b_array && a.type->is_number())))
    return false;
  const bool stores = inplace && a.type->is_array();
  std::array<Operand, 2> operands{a, stores ? as_item_of(e, a, b) : b};
  result = is_square_of_bools(e, oper, a, b)
               ? elementwise(e, *scalar::by_name("numpy.square"), {operands.data(), 1})
               : elementwise(e, *scalar::by_operator(oper), operands, true);
  if (stores)
    result = store_output(e, oper, a, result);
  return true;
}

Operand rule_operator(Emitter &e, Operator oper, const Operand &left, const Operand &right,
                      bool inplace) {
  if (Operand result; overloaded(e, oper, left, right, inplace, result))
    return result;
  switch (oper) {
  case Operator::Is: return identity(e, force(e, left), force(e, right));
  case Operator::IsNot: return e.logical_not(identity(e, force(e, left), force(e, right)));
  case Operator::In: return contains(e, force(e, left), force(e, right));
  case Operator::NotIn: return e.logical_not(contains(e, force(e, left), force(e, right)));
  case Operator::Mod:
    if (left.type->kind == Kind::String || left.type->kind == Kind::Unicode)
      return percent_format(e, left, force(e, right));
    break;
  default: break;
  }
  if (operator_row(oper).form == OperatorForm::Compare)
    if (Operand result; compare_given(e, oper, left, right, result))
      return result;
  Operand a = e.unwrap(left), b = e.unwrap(right);
  if (Operand result; class_operator(e, oper, a, b, inplace, result))
    return result;
  if (holds_time(a.type) || holds_time(b.type))
    return time_operator(e, oper, a, b, inplace);
  const bool equality = oper == Operator::Eq || oper == Operator::Ne;
  auto is_record = [](const Type *type) {
    return (is_arraylike(type) ? type->dtype() : type)->kind == Kind::Record;
  };
  if (equality && is_record(a.type) && is_record(b.type)) {
    if (!is_arraylike(a.type) && !is_arraylike(b.type))
      return compare_records(e, oper, a, b);
    return e.library(oper == Operator::Eq ? "numjit.equal_records" : "numjit.unequal_records",
                     {a, b});
  }
  if (Operand exact = exact_operator(e, oper, a, b))
    return exact;
  if (a.type->is_number() && b.type->is_number() && oper != Operator::MatMul)
    return e.op(oper, a, b);
  if (Operand result; array_operator(e, oper, a, b, inplace, result))
    return result;
  a = force(e, a), b = force(e, b);
  if (a.type->is_text() && b.type->is_text() && operator_row(oper).form == OperatorForm::Compare)
    return text_operator(e, oper, a, b);
  if (a.type->is_tuple() && b.type->is_tuple() &&
      (oper == Operator::Add || operator_row(oper).form == OperatorForm::Compare))
    return tuple_operator(e, oper, a, b);
  if (equality && never_equal(a.type, b.type))
    return e.boolean(oper == Operator::Ne);
  if (Operand result; repeat_sequence(e, oper, a, b, result))
    return result;
  if (a.type->kind == Kind::List && b.type->kind == Kind::List &&
      holds_item_of_field(a.type) != holds_item_of_field(b.type)) // an empty one is of that type
    (holds_item_of_field(a.type) ? a = e.convert(a, b.type) : b = e.convert(b, a.type));
  return library_operator(e, oper, a, b, inplace);
}

/// Of an integer in its own width, as in NumPy: ~x of a uint8 has eight bits. The result then
/// widens as those of other operators do. Where integers must not wrap, a negation widens first.
static Operand unary_of_scalar(Emitter &e, Operator oper, const Operand &a) {
  const Type *widened = a.type->is_unsigned() ? types::uint64() : types::int64();
  const bool widens_first = oper == Operator::Neg && e.options().raise_overflow;
  if (!a.type->is_integer() || a.type == widened || widens_first)
    return e.op(oper, a);
  std::array<Operand, 1> operands{a};
  return e.cast(e.scalar(*scalar::by_operator(oper), operands, scalar::Form::NumPy), widened);
}

Operand rule_unary(Emitter &e, Operator oper, const Operand &operand) {
  if (oper == Operator::Not)
    return e.logical_not(e.truth(force(e, operand)));
  if (Operand result; call_operator_overload(e, operator_row(oper).name, {operand}, result))
    return result;
  Operand a = e.unwrap(operand);
  if (a.type->kind == Kind::Struct || a.type->kind == Kind::Instance) {
    const std::string dunder = "__" + std::string(operator_row(oper).name) + "__";
    if (Operand result; call_class_method(e, a, dunder, {}, result))
      return result;
  }
  if (holds_time(a.type)) {
    const std::string time = "numjit.time_" + std::string(operator_row(oper).name);
    if (!e.engine.host.library(time))
      e.fail("No implementation of function operator." + std::string(operator_row(oper).name) +
             " for (" + a.type->text + ")");
    return e.library(time, {a});
  }
  if (is_big_int(a)) {
    const bool flips = oper == Operator::Invert;
    return oper == Operator::Pos
               ? a
               : exact_operator(e, flips ? Operator::Xor : Operator::Sub, e.i64(-flips), a);
  }
  if (a.type->is_scalar())
    return unary_of_scalar(e, oper, a);
  if (is_arraylike(a.type)) {
    std::array<Operand, 1> operands{a};
    return elementwise(e, *scalar::by_operator(oper), operands);
  }
  e.fail("No implementation of function operator." + std::string(operator_row(oper).name) +
         " for (" + a.type->text + ")");
}

} // namespace numjit
