// Unevaluated element-wise expressions (Kind::Lazy) and the intrinsics with which the library
// evaluates them.
//
// `np.sqrt(a * a + b)` is a value of type Lazy(sqrt, Lazy(add, Lazy(mul, a, a), b)): its fields are
// its operands, so it costs nothing until an element is asked for. The library
// (library/core/array_expressions.py) decides how to loop over it. Expressions live only from their
// operation to their single use (find_lazy_values), so no write can come between.
#include "typeinfer/rules/array_expressions.h"

#include "typeinfer/infer/engine.h"
#include "typeinfer/infer/unify.h"
#include "typeinfer/rules/indexing.h"
#include "typeinfer/rules/kind_rules.h"
#include "typeinfer/types/struct_classes.h"

#include <algorithm>
#include <array>
#include <limits>

namespace numjit {

Operand force(Emitter &e, const Operand &a) {
  if (a.type->kind != Kind::Lazy)
    return a;
  return e.library("numjit.evaluate", {a});
}

namespace {

/// The arrays and scalars at the bottom of an expression.
void collect(Emitter &e, const Operand &a, Operands &arrays) {
  if (a.type->is_array())
    arrays.push_back(a);
  if (a.type->kind != Kind::Lazy)
    return;
  for (size_t i = 0; i < a.type->fields.size(); ++i)
    collect(e, e.field(a, static_cast<int>(i)), arrays);
}

Operands arrays_of(Emitter &e, const Operand &a) {
  Operands arrays;
  collect(e, a, arrays);
  return arrays;
}

/// The same expression over other arrays.
Operand rebuild(Emitter &e, const Operand &a, int ndim,
                const std::function<Operand(const Operand &)> &of_array) {
  if (a.type->is_array())
    return of_array(a);
  if (a.type->kind != Kind::Lazy)
    return a;
  Operands operands;
  std::vector<const Type *> operand_types;
  for (size_t i = 0; i < a.type->fields.size(); ++i) {
    operands.push_back(rebuild(e, e.field(a, static_cast<int>(i)), ndim, of_array));
    operand_types.push_back(operands.back().type);
  }
  return e.make(types::lazy(a.type->expression, operand_types, a.type->dtype(), ndim), operands);
}

using Load = std::function<Operand(const Operand &)>;

Operand evaluate(Emitter &e, const Operand &a, const Load &load);

/// The element in the type that it is computed in.
Operand evaluate_unconverted(Emitter &e, const Operand &a, const Load &load) {
  if (a.type->is_array())
    return load(a);
  if (a.type->kind != Kind::Lazy)
    return a;
  const bool converts = form_of(a.type) == scalar::Form::NumPy;
  Operands operands;
  for (size_t i = 0; i < a.type->fields.size(); ++i) {
    Operand operand = e.field(a, static_cast<int>(i));
    operands.push_back(converts ? evaluate(e, operand, load)
                                : evaluate_unconverted(e, operand, load));
  }
  return apply_expression(e, a.type, operands);
}

/// The element that `load` gives for each array, combined.
Operand evaluate(Emitter &e, const Operand &a, const Load &load) {
  Operand element = evaluate_unconverted(e, a, load);
  return a.type->kind == Kind::Lazy ? e.cast(element, a.type->dtype()) : element;
}

int dimensions(const Operand &a) { return is_arraylike(a.type) ? a.type->ndim : 0; }

/// numjit.same_shapes(e, ...): whether no array of the expressions needs broadcasting. Known at
/// compile time when there is one array only, or different numbers of dimensions.
Operand same_shapes(Emitter &e, Operands &a) {
  Operands arrays;
  int ndim = 0;
  for (const Operand &x : a) {
    collect(e, x, arrays);
    ndim = std::max(ndim, dimensions(x));
  }
  Operand same = e.boolean(true);
  for (const Operand &array : arrays)
    if (array.type->ndim != ndim)
      return e.boolean(false);
  for (size_t i = 1; i < arrays.size(); ++i)
    for (int axis = 0; axis < ndim; ++axis) {
      Operand x = array_shape(e, arrays[0], axis), y = array_shape(e, arrays[i], axis);
      if (!x.value || x.value != y.value)
        same = e.logical_and(same, e.op(Operator::Eq, x, y));
    }
  return same;
}

/// numjit.contiguous_alike(e, ...): at compile time, whether all arrays are C-contiguous (or all
/// F-contiguous) with equal numbers of dimensions, so that one flat loop visits all elements of
/// equal shapes in step.
Operand contiguous_alike(Emitter &e, Operands &a) {
  Operands arrays;
  for (const Operand &x : a)
    collect(e, x, arrays);
  bool c = true, f = true;
  for (const Operand &array : arrays) {
    const bool line = array.type->ndim <= 1 && array.type->is_contiguous();
    c = c && (array.type->layout == Layout::C || line) && array.type->ndim == arrays[0].type->ndim;
    f = f && (array.type->layout == Layout::F || line) && array.type->ndim == arrays[0].type->ndim;
  }
  return e.boolean(!arrays.empty() && (c || f));
}

} // namespace

Operand as_item(Emitter &e, const Operand &lazy) {
  if (lazy.type->ndim > 0)
    return lazy;
  return evaluate(e, lazy,
                  [&](const Operand &array) { return array_item(e, array, e.field(array, 0)); });
}

namespace {

Operand flat_pointer(Emitter &e, const Operand &array, const Operand &index) {
  Operand bytes = e.index_mul(index, e.i64(item_size(array.type->dtype())));
  return e.ptr_add(e.field(array, 0), bytes, array.type->dtype());
}

/// numjit.get_flat(e, i): element i in memory order of contiguous arrays.
Operand get_flat(Emitter &e, Operands &a) {
  Operand index = a[1];
  return evaluate(e, a[0], [&](const Operand &array) {
    return array_item(e, array, flat_pointer(e, array, index));
  });
}

/// numjit.flat_part(e, first, n): n elements from number `first` on, in memory order of contiguous
/// arrays, as an expression of one dimension.
Operand flat_part(Emitter &e, Operands &a) {
  Operand first = a[1], count = e.at_least_zero(a[2]);
  return rebuild(e, a[0], 1, [&](const Operand &array) {
    const Type *type = types::view(array.type, 1, Layout::C);
    Operands shape{count};
    return make_array(e, type, flat_pointer(e, array, first), e.field(array, 1), shape, {});
  });
}

/// A scalar that is stored; of records it goes to all fields.
Operand as_element(Emitter &e, const Operand &value, const Type *dtype) {
  return value.type->is_scalar() && dtype->kind != Kind::Record ? e.cast(value, dtype) : value;
}

Operand set_flat(Emitter &e, Operands &a) {
  if (a[0].type->readonly)
    e.fail("Cannot modify readonly array of type: " + a[0].type->text);
  Operand value = as_element(e, a[2], a[0].type->dtype());
  set_array_item(e, a[0], flat_pointer(e, a[0], a[1]), value);
  return e.none();
}

/// numjit.set_item(array, index, value): a[i] = value without bounds checks; the value is cast.
Operand set_item(Emitter &e, Operands &a) {
  Operand value = as_element(e, a[2], a[0].type->dtype());
  rule_setitem(e, a[0], a[1], value);
  return e.none();
}

/// numjit.broadcast_shape(a, b, ...): NumPy's broadcasting of the shapes; ValueError when they do
/// not fit.
Operand broadcast_shape(Emitter &e, Operands &a) {
  Operands arrays;
  int ndim = 0;
  for (const Operand &x : a) {
    collect(e, x, arrays);
    ndim = std::max(ndim, dimensions(x));
  }
  Operands shape;
  Operand one = e.i64(1);
  for (int axis = 0; axis < ndim; ++axis) {
    Operand extent;
    for (const Operand &array : arrays) {
      const int own = axis - (ndim - array.type->ndim);
      if (own < 0)
        continue;
      Operand n = array_shape(e, array, own);
      if (!extent) {
        extent = n;
      } else if (!(n.constant && n.constant == extent.constant) &&
                 (!n.value || n.value != extent.value)) {
        Operand is_one = e.op(Operator::Eq, extent, one);
        Operand fits = e.op(Operator::Or, e.op(Operator::Or, e.op(Operator::Eq, n, extent), is_one),
                            e.op(Operator::Eq, n, one));
        e.raise_if(e.logical_not(fits), "ValueError",
                   "operands could not be broadcast together: their shapes do not match");
        extent = e.nonneg(e.select(is_one, n, extent));
      }
    }
    shape.push_back(extent ? extent : one);
  }
  return e.make(types::uniform_tuple(types::int64(), ndim), shape);
}

/// numjit.first_shape(e): shape of the first array with all dimensions, where same_shapes holds.
Operand first_shape(Emitter &e, Operands &a) {
  for (const Operand &array : arrays_of(e, a[0]))
    if (array.type->ndim == a[0].type->ndim)
      return array_shape_tuple(e, array);
  throw InternalError("expression without a full array: " + a[0].type->text);
}

/// numjit.check_broadcast(e, shape): ValueError unless every array of e can be repeated to the
/// shape.
Operand check_broadcast(Emitter &e, Operands &a) {
  const int ndim = static_cast<int>(a[1].type->params.size());
  for (const Operand &array : arrays_of(e, a[0])) {
    const int own_ndim = array.type->ndim;
    for (int axis = 0; axis < own_ndim; ++axis) {
      Operand n = array_shape(e, array, axis);
      Operand fits = e.op(Operator::Eq, n, e.i64(1));
      if (axis - (own_ndim - ndim) >= 0)
        fits = e.op(Operator::Or, fits,
                    e.op(Operator::Eq, n, e.field(a[1], axis - (own_ndim - ndim))));
      e.raise_if(e.logical_not(fits), "ValueError",
                 "could not broadcast input array: the shapes do not match");
    }
  }
  return e.none();
}

/// numjit.broadcast(e, shape): every array as a view of that shape, with stride 0 where it is
/// repeated.
Operand broadcast(Emitter &e, Operands &a) {
  const int ndim = static_cast<int>(a[1].type->params.size());
  return rebuild(e, a[0], ndim, [&](const Operand &array) {
    Operands shape, strides;
    Operand one = e.i64(1), zero = e.i64(0);
    for (int axis = 0; axis < ndim; ++axis) {
      const int own = axis - (ndim - array.type->ndim);
      shape.push_back(e.field(a[1], axis));
      if (own < 0) {
        strides.push_back(zero);
        continue;
      }
      Operand repeated = e.op(Operator::Eq, array_shape(e, array, own), one);
      strides.push_back(e.select(repeated, zero, array_stride(e, array, own)));
    }
    const Type *type = types::view(array.type, ndim, Layout::A);
    return make_array(e, type, e.field(array, 0), e.field(array, 1), shape, strides);
  });
}

/// Lowest address and the address behind the last byte of an array's elements.
std::pair<Operand, Operand> address_range(Emitter &e, const Operand &array) {
  Operand low = e.pointer_bits(e.field(array, 0)), high = low, zero = e.i64(0);
  for (int axis = 0; axis < array.type->ndim; ++axis) {
    Operand last = e.index_add(array_shape(e, array, axis), e.i64(-1));
    Operand reach = e.index_mul(last, array_stride(e, array, axis));
    Operand up = e.op(Operator::Gt, reach, zero);
    low = e.index_add(low, e.select(up, zero, reach));
    high = e.index_add(high, e.select(up, reach, zero));
  }
  return {low, e.index_add(high, e.i64(item_size(array.type->dtype())))};
}

/// numjit.may_overlap(out, e): whether writing `out` element by element could change elements of
/// the expression that are read later. The very same view is safe: each element is read before it
/// is written.
Operand may_overlap(Emitter &e, Operands &a) {
  Operand overlap = e.boolean(false);
  auto [low, high] = address_range(e, a[0]);
  for (const Operand &array : arrays_of(e, a[1])) {
    Operands pair{a[0], array};
    Operand same = find_builtin("numjit.same_memory")->rule(e, pair);
    if (array.type->dtype() != a[0].type->dtype())
      same = e.boolean(false);
    auto [from, to] = address_range(e, array);
    Operand meets = e.logical_and(e.op(Operator::Lt, low, to), e.op(Operator::Lt, from, high));
    Operand harmful = e.logical_and(meets, e.logical_not(same));
    overlap = overlap.constant ? harmful : e.op(Operator::Or, overlap, harmful);
  }
  return overlap;
}

/// numjit.shares_memory(a, e): whether the addresses of an array and of the arrays in an expression
/// meet.
Operand shares_memory(Emitter &e, Operands &a) {
  Operand meet = e.boolean(false);
  auto [low, high] = address_range(e, a[0]);
  for (const Operand &array : arrays_of(e, a[1])) {
    auto [from, to] = address_range(e, array);
    Operand both = e.logical_and(e.op(Operator::Lt, low, to), e.op(Operator::Lt, from, high));
    meet = meet.constant ? both : e.op(Operator::Or, meet, both);
  }
  return meet;
}

/// numjit.is_lazy(x), numjit.is_scalar(x): at compile time.
Operand is_lazy(Emitter &e, Operands &a) { return e.boolean(a[0].type->kind == Kind::Lazy); }
Operand is_scalar(Emitter &e, Operands &a) {
  return e.boolean(a[0].type->is_item() || a[0].type->is_number());
}

/// numjit.transposed(e): the expression with its axes reversed.
Operand transposed(Emitter &e, Operands &a) {
  return rebuild(e, a[0], a[0].type->ndim,
                 [&](const Operand &array) { return rule_getattr(e, array, "T"); });
}

/// numjit.is_fortran(e): at compile time, whether column order is the natural one.
Operand is_fortran(Emitter &e, Operands &a) {
  bool any = false, all = true;
  for (const Operand &array : arrays_of(e, a[0])) {
    any = true;
    all = all && array.type->layout == Layout::F;
  }
  return e.boolean(any && all);
}

Operand cast_to(Emitter &e, Operands &a) {
  const Type *to = item_of_dtype(e, a[1]);
  if (!to)
    e.fail("no scalar type is known for " + a[1].type->text);
  return to->is_scalar() ? e.cast(e.unwrap(a[0]), to) : e.convert(e.unwrap(a[0]), to);
}

/// numjit.nesting(x): how many lists or tuples are around a number, at compile time; dimensions of
/// arrays count.
Operand nesting(Emitter &e, Operands &a) {
  int64_t depth = 0;
  const Type *type = a[0].type;
  for (; type->kind == Kind::List || type->is_tuple() || is_run_time_tuple(type); ++depth) {
    if (type->params.empty())
      return e.i64(depth + 1);
    type = is_run_time_tuple(type) ? type->params[0]->params[0] : type->params[0];
  }
  return e.i64(depth + (type->is_array() ? type->ndim : 0));
}

// --- reductions ---

/// numjit.axes_mask(axis, ndim): the axes that an argument `axis` means (None: all; an integer; a
/// tuple of integers) as a constant with a bit for each; -1 if there is no such axis.
Operand axes_mask(Emitter &e, Operands &a) {
  const int64_t ndim = a[1].constant->integer;
  if (ndim > 63)
    e.fail("reductions take arrays of at most 63 dimensions");
  if (a[0].type->kind == Kind::None)
    return e.i64(static_cast<int64_t>((uint64_t(1) << ndim) - 1));
  Operands items{a[0]};
  if (a[0].type->is_tuple()) {
    items.clear();
    for (size_t i = 0; i < a[0].type->params.size(); ++i)
      items.push_back(e.field(a[0], static_cast<int>(i)));
  }
  int64_t mask = 0;
  for (const Operand &item : items) {
    if (!item.type->is_integer())
      e.fail("axis must be None, an integer or a tuple of integers, not " + a[0].type->text);
    if (!item.constant)
      e.fail("the integers in a tuple of axes must be constants",
             "how many axes the result has is part of its type");
    int64_t axis = item.constant->integer;
    if (axis < -ndim || axis >= ndim)
      return e.i64(-1); // the library raises AxisError
    const int64_t bit = int64_t(1) << (axis < 0 ? axis + ndim : axis);
    if (mask & bit)
      e.fail("duplicate value in 'axis'");
    mask |= bit;
  }
  return e.i64(mask);
}

/// numjit.reduced_shape(shape, mask, keepdims): the shape without the axes of a mask, or with
/// lengths of 1 there.
Operand reduced_shape(Emitter &e, Operands &a) {
  Operands shape;
  for (size_t i = 0; i < a[0].type->params.size(); ++i) {
    if (!(a[1].constant->integer >> i & 1))
      shape.push_back(e.at_least_zero(e.field(a[0], static_cast<int>(i))));
    else if (a[2].constant->integer)
      shape.push_back(e.i64(1));
  }
  return e.make(types::uniform_tuple(types::int64(), static_cast<int>(shape.size())), shape);
}

/// numjit.identity(ufunc, dtype): the number with which a reduction starts; None if there is none,
/// or for a user's function.
/// That of minimum and maximum is the end of the dtype's range, which NumPy does not count as one.
Operand identity(Emitter &e, Operands &a) {
  const scalar::Row *row = nullptr;
  if (a[0].type->kind == Kind::Function)
    row = scalar::by_name(a[0].type->constant->object->name);
  const Type *dtype = scalar_of_dtype(a[1]);
  if (!row && a[0].type->kind == Kind::Function && a[0].type->constant->object->function)
    return e.none();
  if (!row || row->arity != 2 || !dtype)
    e.fail("no reduction is known for " + a[0].type->text);
  using scalar::OpId;
  const bool ignores_nan = row->id == OpId::Fmin || row->id == OpId::Fmax;
  const bool lowest = row->id == OpId::Maximum || row->id == OpId::Fmax;
  if (lowest || row->id == OpId::Minimum || row->id == OpId::Fmin) {
    const double infinity = std::numeric_limits<double>::infinity();
    if (dtype->is_float() || dtype->is_complex()) {
      const Type *part = dtype;
      if (dtype->is_complex())
        part = dtype->bits() == 64 ? types::scalar(ScalarId::Float32) : types::float64();
      Operand end = e.cast(e.f64(ignores_nan ? std::numeric_limits<double>::quiet_NaN()
                                 : lowest    ? -infinity
                                             : infinity),
                           part);
      return dtype->is_complex() ? e.make_complex(dtype, end, end) : end;
    }
    if (dtype->is_bool())
      return e.boolean(!lowest);
    if (dtype->is_unsigned())
      return e.cast(e.i64(lowest ? 0 : -1), dtype);
    const int64_t most = INT64_MAX >> (64 - dtype->bits());
    return e.cast(e.i64(lowest ? ~most : most), dtype);
  }
  if (row->identity.empty())
    return e.none();
  if (row->identity == "-inf")
    return e.cast(e.f64(-std::numeric_limits<double>::infinity()), dtype);
  return e.cast(e.i64(row->identity == "-1" ? -1 : row->identity == "1"), dtype);
}

const Builtin kExpressionRows[] = {
    {"numjit.axes_mask", "axis ndim", axes_mask},
    {"numjit.reduced_shape", "shape mask keepdims", reduced_shape},
    {"numjit.identity", "ufunc dtype", identity},
    {"numjit.same_shapes", "*", same_shapes, true},
    {"numjit.contiguous_alike", "*", contiguous_alike, true},
    {"numjit.get_flat", "e i", get_flat, true},
    {"numjit.set_flat", "a i value", set_flat},
    {"numjit.flat_part", "e first n", flat_part, true},
    {"numjit.set_item", "a i value", set_item},
    {"numjit.broadcast_shape", "*", broadcast_shape, true},
    {"numjit.first_shape", "e", first_shape, true},
    {"numjit.check_broadcast", "e shape", check_broadcast, true},
    {"numjit.broadcast", "e shape", broadcast, true},
    {"numjit.may_overlap", "out e", may_overlap, true},
    {"numjit.shares_memory", "a e", shares_memory, true},
    {"numjit.is_lazy", "x", is_lazy, true},
    {"numjit.is_scalar", "x", is_scalar, true},
    {"numjit.transposed", "e", transposed, true},
    {"numjit.is_fortran", "e", is_fortran, true},
    {"numjit.cast", "x dtype", cast_to},
    {"numjit.nesting", "x", nesting},
};

} // namespace

Operand lazy_shape(Emitter &e, const Operand &lazy) {
  Operands one{lazy};
  return broadcast_shape(e, one);
}

BuiltinTable expression_builtins() { return kExpressionRows; }

/// An element or a part of an unevaluated expression; sizes were checked when it was made.
Operand items_lazy(Emitter &e, const Operand &lazy, const Operand &index) {
  Operands items = index_items(e, index);
  if (!all_integers(items) || static_cast<int>(items.size()) > lazy.type->ndim)
    return rule_getitem(e, force(e, lazy), index);
  Operands operands;
  for (size_t i = 0; i < lazy.type->params.size(); ++i) {
    Operand part = e.field(lazy, static_cast<int>(i));
    if (is_arraylike(part.type)) {
      // Axes count from the right: an operand with fewer ones is not moved by the leading indices.
      const int missing = lazy.type->ndim - part.type->ndim;
      Operands own(items.begin() + std::min<int>(missing, static_cast<int>(items.size())),
                   items.end());
      if (part.type->ndim == 0)
        part = rule_getitem(e, part, e.tuple({}));
      else if (!own.empty())
        part =
            own.size() == 1 ? rule_getitem(e, part, own[0]) : rule_getitem(e, part, e.tuple(own));
    }
    operands.push_back(part);
  }
  if (static_cast<int>(items.size()) == lazy.type->ndim)
    return e.cast(apply_expression(e, lazy.type, operands), lazy.type->dtype());
  std::vector<const Type *> operand_types;
  for (const Operand &a : operands)
    operand_types.push_back(a.type);
  const int ndim = lazy.type->ndim - static_cast<int>(items.size());
  return e.make(types::lazy(lazy.type->expression, operand_types, lazy.type->dtype(), ndim),
                operands);
}

} // namespace numjit
