// range and prange: how they are made, and loops over them.
#include "typeinfer/types/ranges.h"

#include "typeinfer/infer/big_ints.h"
#include "typeinfer/infer/engine.h"
#include "typeinfer/rules/kind_rules.h"

namespace numjit {

namespace {

/// Bounds beyond 64 bits count as the nearest int, which gives the same ints if all of them have at
/// most 64 bits; else OverflowError.
void check_bounds_of_range(Emitter &e, const Operands &a) {
  const Operand &start = a[1] ? a[0] : a[1], &stop = a[1] ? a[1] : a[0], &step = a[2];
  auto is_negative = [](const Operand &x) {
    return is_big_int(x) ? is_negative_big_int(x) : x.constant->integer < 0;
  };
  const bool starts_beyond = start && is_big_int(start);
  const bool is_empty = starts_beyond && !is_big_int(stop) &&
                        (!step || step.constant || is_big_int(step)) &&
                        is_negative(start) == (step && is_negative(step));
  if ((starts_beyond && !is_empty) || (step && is_big_int(step) && is_big_int(stop)))
    e.raise("OverflowError", "Python int too large to convert to C ssize_t");
}

Operand range(Emitter &e, Operands &a) {
  check_bounds_of_range(e, a);
  const bool beyond = is_big_int(a[1] ? a[1] : a[0]);
  for (Operand &x : a) {
    if (!x)
      continue;
    x = e.nearest_int(e.unwrap(x));
    if (x.type->is_float()) // as Numba: what int() makes of it
      x = e.cast(x, types::int64());
    if (!x.type->is_integer() && !x.type->is_bool())
      e.fail("range() needs integers, not " + x.type->text);
  }
  Operand start = a[1] ? a[0] : e.i64(0), stop = a[1] ? a[1] : a[0], step = a[2] ? a[2] : e.i64(1);
  // As Numba: uint64 if all are unsigned, int32 if all are at most that, else int64.
  const Type *type = types::int64();
  bool all_unsigned = true;
  for (const Operand *x : {&start, &stop, &step})
    all_unsigned = all_unsigned &&
                   (x->type->is(ScalarId::UInt64) || (x->constant && x->constant->integer >= 0));
  if (all_unsigned && (start.type->is(ScalarId::UInt64) || stop.type->is(ScalarId::UInt64)))
    type = types::uint64();
  types::Stride stride = types::Stride::Any;
  if (step.constant && step.constant->kind == ConstKind::Int) {
    const int64_t by = step.constant->integer;
    if (by == 1)
      stride = types::Stride::One;
    else if (by >= -types::usual_stride && by <= types::usual_stride)
      stride = types::Stride::Usual;
  }
  if (stride != types::Stride::One)
    e.raise_if(e.op(Operator::Eq, step, e.i64(0)), "ValueError", "range() arg 3 must not be zero");
  return e.make(beyond ? types::range_beyond(type, stride) : types::range(type, stride),
                {e.cast(start, type), e.cast(stop, type), e.cast(step, type)});
}

const Builtin kRangeRows[] = {
    {"builtins.range", "start_or_stop stop? step?", range},
    {"numjit.prange", "start_or_stop stop? step?", range},
};

// --- loops ---

/// State: current, stop, step (not of a unit range), and a None as mark of "never negative". With
/// a step of any size the index might go over the end of its type instead of reaching the stop: the
/// state is current, how many are left, step, None.
Operand iter_range(Emitter &e, const Operand &object) {
  Operand start = e.field(object, 0);
  const Type *integer = object.type->params[0];
  if (types::stride_of(object.type) == types::Stride::Any) {
    Operand step = e.field(object, 2);
    Operand count = e.library("numjit.range_trips", {start, e.field(object, 1), step});
    return e.make(types::iterator(object.type, {integer, types::int64(), integer, types::none()}),
                  {start, count, step, e.none()});
  }
  std::vector<const Type *> state{integer, integer};
  Operands fields{start, e.field(object, 1)};
  if (!object.type->unit) {
    state.push_back(integer);
    fields.push_back(e.field(object, 2));
  } else if (start.constant && start.constant->integer >= 0) {
    state.push_back(types::none());
    fields.push_back(e.none());
  }
  return e.make(types::iterator(object.type, state), fields);
}

NextResult next_range(Emitter &e, const Operand &it, const Operand *) {
  const Type *range_type = it.type->params[0];
  Operand current = e.field(it, 0), stop = e.field(it, 1);
  if (range_type->unit) {
    const bool never_negative = it.type->fields.size() == 3;
    if (never_negative)
      current = e.nonneg(current);
    Operand valid = e.op(Operator::Lt, current, stop);
    Operand next = range_type->params[0]->is_signed()
                       ? e.index_add(current, e.i64(1))
                       : e.cast(e.add(current, e.i64(1)), range_type->params[0]);
    if (never_negative)
      return {valid, current, e.make(it.type, {next, stop, e.none()}), {}};
    return {valid, current, e.make(it.type, {next, stop}), {}};
  }
  Operand step = e.field(it, 2);
  const Type *integer = range_type->params[0];
  if (types::stride_of(range_type) == types::Stride::Any) {
    Operand next = e.cast(e.add(current, step), integer), left = e.index_add(stop, e.i64(-1));
    return {e.op(Operator::Gt, stop, e.i64(0)),
            current,
            e.make(it.type, {next, left, step, e.none()}),
            {}};
  }
  Operand up =
      integer->is_signed() ? e.op(Operator::Gt, step, e.cast(e.i64(0), integer)) : e.boolean(true);
  Operand valid =
      e.select(up, e.op(Operator::Lt, current, stop), e.op(Operator::Gt, current, stop));
  Operand next = e.cast(e.add(current, step), integer);
  return {valid, current, e.make(it.type, {next, stop, step}), {}};
}

Operand later_in_range(Emitter &e, const Operand &it, int index) {
  Operand step = it.type->params[0]->unit ? e.i64(1) : e.field(it, 2);
  return e.index_add(e.field(it, 0), e.index_mul(step, e.i64(index)));
}

} // namespace

BuiltinTable range_builtins() { return kRangeRows; }

constinit const IterationRules iterate_range{iter_range, next_range, later_in_range};

} // namespace numjit
