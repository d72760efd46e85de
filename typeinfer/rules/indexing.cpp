// a[...]: slices, elements and views of arrays, and the items of any kind of object: those of most
// kinds are in the files of the kinds.
#include "typeinfer/rules/indexing.h"

#include "typeinfer/infer/engine.h"
#include "typeinfer/infer/overloads.h"
#include "typeinfer/rules/kind_rules.h"
#include "typeinfer/types/units.h"

#include <algorithm>
#include <array>

namespace numjit {

// --- slices ---

Operand rule_slice(Emitter &e, const Operand &start, const Operand &stop, const Operand &step) {
  Operands fields;
  std::vector<const Type *> parts;
  std::vector<const Const *> constants;
  for (Operand part : {start, stop, step}) {
    if (part.type->kind == Kind::Optional && part.type->params[0]->is_integer()) {
      const Type *type = types::optional(types::int64()); // `a[:end]`, and `end` may be None
      parts.push_back(type);
      fields.push_back(e.convert(part, type));
      continue;
    }
    part = e.nearest_int(e.unwrap(part));
    if (part.type->is_array() && part.type->ndim == 0 && part.type->dtype()->is_integer())
      part = rule_getitem(e, part, e.make(types::tuple({}), {}));
    if (part.constant && part.constant->is_unsigned && part.constant->integer < 0)
      part = e.i64(INT64_MAX);
    if (part.type->kind == Kind::None) {
      parts.push_back(types::none());
      constants.push_back(constants::none());
      continue;
    }
    const Type *type = part.type->is_float()     ? types::float64()
                       : part.type->is_complex() ? types::scalar(ScalarId::Complex128)
                                                 : types::int64();
    if (!part.type->is_scalar())
      e.fail("slice indices must be integers or None, not " + part.type->text);
    part = e.cast(part, type);
    parts.push_back(type);
    if (part.constant)
      constants.push_back(part.constant);
    fields.push_back(part);
  }
  const Type *type = types::slice(parts[0], parts[1], parts[2]);
  if (constants.size() == 3) {
    Const c;
    c.kind = ConstKind::Slice;
    c.items = constants;
    return {type, constants::intern(std::move(c)), nullptr, e.position};
  }
  return e.make(type, fields);
}

Operand slice_part(Emitter &e, const Operand &slice, int part) {
  const Type *type = slice.type->params[part];
  if (type->kind == Kind::None)
    return e.none();
  if (slice.constant)
    return e.constant(slice.constant->items[part]);
  int field = 0;
  for (int i = 0; i < part; ++i)
    field += slice.type->params[i]->kind != Kind::None;
  return e.field(slice, field);
}

Operand index_part(Emitter &e, const Operand &slice, int part) {
  const Type *type = slice.type->params[part];
  const Type *present = type->kind == Kind::Optional ? type->params[0] : type;
  if (present->kind != Kind::None && !present->is_integer())
    e.fail("slice indices must be integers or None, not " + type->text);
  return slice_part(e, slice, part);
}

namespace {

Operand minimum(Emitter &e, const Operand &a, const Operand &b) {
  return e.select(e.op(Operator::Lt, a, b), a, b);
}
Operand maximum(Emitter &e, const Operand &a, const Operand &b) {
  return e.select(e.op(Operator::Gt, a, b), a, b);
}

bool is_unit(const Operand &step) {
  return step.type->kind == Kind::None || (step.constant && step.constant->integer == 1);
}

Operand clamp_index(Emitter &e, const Operand &index, const Operand &low, const Operand &high,
                    const Operand &length) {
  Operand wrapped = index;
  if (!e.is_nonneg(index)) {
    wrapped = e.select(e.op(Operator::Lt, index, e.i64(0)), e.index_add(index, length), index);
    wrapped = maximum(e, wrapped, low);
  }
  Operand result = minimum(e, wrapped, high);
  return low.constant && low.constant->integer == 0 ? e.nonneg(result) : result;
}

/// A bound of a slice, `missing` where it is None.
Operand bound(Emitter &e, const Operand &given, const Operand &missing, const Operand &low,
              const Operand &high, const Operand &length) {
  if (given.type->kind == Kind::None)
    return missing;
  if (given.type->kind != Kind::Optional)
    return clamp_index(e, given, low, high, length);
  return e.select(e.field(given, 0), clamp_index(e, e.field(given, 1), low, high, length), missing);
}

} // namespace

Extent slice_extent(Emitter &e, const Operand &slice, const Operand &length) {
  Operand start = index_part(e, slice, 0), stop = index_part(e, slice, 1),
          step = index_part(e, slice, 2);
  Operand zero = e.i64(0);
  if (is_unit(step)) {
    Operand first = bound(e, start, zero, zero, length, length);
    Operand last = bound(e, stop, length, zero, length, length);
    if (first.constant && first.constant->integer == 0)
      return {first, e.i64(1), last};
    return {first, e.i64(1),
            e.nonneg(maximum(e, e.index_add(last, e.index_mul(first, e.i64(-1))), zero))};
  }
  if (step.type->kind == Kind::Optional)
    step = e.select(e.field(step, 0), e.field(step, 1), e.i64(1));
  e.raise_if(e.op(Operator::Eq, step, zero), "ValueError", "slice step cannot be zero");
  Operand up = e.op(Operator::Gt, step, zero);
  Operand low = e.select(up, zero, e.i64(-1));
  Operand high = e.select(up, length, e.index_add(length, e.i64(-1)));
  Operand first = bound(e, start, e.select(up, zero, high), low, high, length);
  Operand last = bound(e, stop, e.select(up, high, low), low, high, length);
  Operand distance = e.select(up, e.sub(last, first), e.sub(first, last));
  Operand stride = e.select(up, step, e.op(Operator::Neg, maximum(e, step, e.i64(-INT64_MAX))));
  // ceil(distance / stride), both positive here
  Operand count =
      e.select(e.op(Operator::Gt, distance, zero),
               e.index_add(e.div_nonneg(e.index_add(distance, e.i64(-1)), stride), e.i64(1)), zero);
  return {first, step, e.nonneg(count)};
}

Operand checked_index(Emitter &e, const Operand &given, const Operand &length,
                      const RaiseIfOutside &raise_if) {
  Operand index = e.cast(given, types::int64());
  auto outside = [&](const Operand &i) {
    return e.op(Operator::Ge, e.cast(i, types::uint64()), e.cast(length, types::uint64()));
  };
  if (e.is_nonneg(given)) {
    raise_if(outside(index), index);
    return e.nonneg(index);
  }
  auto from_the_end = [&] {
    Operand wrapped = e.index_add(index, length);
    raise_if(outside(wrapped), index);
    return wrapped; // not negative here, but it may be where the check is made
  };
  return e.nonneg(e.choose(outside(index), from_the_end, [&] { return index; }));
}

// --- arrays ---

namespace {

/// Python's meaning of negative indices; with boundscheck an IndexError outside.
Operand wrap_index(Emitter &e, const Operand &given, const Operand &length, int axis, bool check) {
  if (!check) {
    Operand index = e.cast(given, types::int64());
    return e.is_nonneg(given)
               ? e.nonneg(index)
               : e.select(e.op(Operator::Lt, index, e.i64(0)), e.index_add(index, length), index);
  }
  return checked_index(e, given, length, [&](const Operand &outside, const Operand &index) {
    const std::array<Operand, 2> values{index, length};
    e.raise_if(outside, "IndexError",
               "index {} is out of bounds for axis " + std::to_string(axis) + " with size {}",
               values);
  });
}

} // namespace

Operands index_items(Emitter &e, const Operand &index) {
  if (!index.type->is_tuple())
    return {e.unwrap(index)};
  Operands items;
  for (size_t i = 0; i < index.type->params.size(); ++i)
    items.push_back(e.unwrap(e.field(index, static_cast<int>(i))));
  return items;
}

Operands expand_ellipsis(Emitter &e, const Operand &array, const Operands &items,
                         int (*axes_of)(const Type *item)) {
  Operands expanded;
  int used = 0, ellipses = 0;
  for (const Operand &item : items) {
    used += axes_of(item.type);
    ellipses += item.type->kind == Kind::Ellipsis;
  }
  const int ndim = array.type->ndim;
  if (used > ndim)
    e.fail("cannot index " + array.type->text + " with " + std::to_string(used) +
           (used == 1 ? " index" : " indices") + ": the array has " + std::to_string(ndim) +
           (ndim == 1 ? " dimension" : " dimensions"));
  if (ellipses > 1)
    e.fail("an index can only have one ellipsis");
  Operand all = rule_slice(e, e.none(), e.none(), e.none());
  auto fill = [&] {
    for (int i = used; i < ndim; ++i)
      expanded.push_back(all);
  };
  for (const Operand &item : items) {
    if (item.type->kind == Kind::Ellipsis)
      fill();
    else
      expanded.push_back(item);
  }
  if (!ellipses)
    fill();
  return expanded;
}

Operands expand(Emitter &e, const Operand &array, const Operand &index) {
  Operands items = index_items(e, index);
  for (const Operand &item : items)
    if (!is_index(item.type) && item.type->kind != Kind::None &&
        item.type->kind != Kind::Ellipsis && item.type->kind != Kind::Slice)
      e.fail("cannot index " + array.type->text + " with " + item.type->text,
             item.type->is_float() ? "indices must be integers: use int(...)" : "");
  return expand_ellipsis(e, array, items, [](const Type *item) -> int {
    return item->kind != Kind::None && item->kind != Kind::Ellipsis;
  });
}

namespace {

bool is_full_slice(const Operand &item) {
  if (item.type->kind != Kind::Slice)
    return false;
  for (const Type *part : item.type->params)
    if (part->kind != Kind::None)
      return false;
  return true;
}

bool is_unit_slice(Emitter &e, const Operand &item) {
  return item.type->kind == Kind::Slice && is_unit(index_part(e, item, 2));
}

/// Layout of a view, from the source's layout and the kinds of index items alone.
Layout view_layout(Emitter &e, const Type *array, const Operands &items, int result_ndim) {
  if (result_ndim == 0)
    return Layout::C;
  Operands axes; // without newaxis, which changes no address
  for (const Operand &item : items)
    if (item.type->kind != Kind::None)
      axes.push_back(item);
  const bool all_full = std::all_of(axes.begin(), axes.end(), is_full_slice);
  if (all_full && (array->layout == Layout::C || axes.size() == items.size()))
    return array->layout;
  if (array->layout == Layout::F) {
    // The mirror of the C case below: a[:, :, 2:5] and a[:, k] stay contiguous.
    size_t last = axes.size();
    while (last > 0 && is_index(axes[last - 1].type))
      --last;
    const bool contiguous = last > 0 && is_unit_slice(e, axes[last - 1]) &&
                            std::all_of(axes.begin(), axes.begin() + (last - 1), is_full_slice);
    if (contiguous && axes.size() == items.size())
      return last == 1 ? Layout::C : Layout::F;
    return Layout::A;
  }
  if (array->layout == Layout::C) {
    size_t first = 0;
    while (first < axes.size() && is_index(axes[first].type))
      ++first;
    if (first < axes.size() && is_unit_slice(e, axes[first]) &&
        std::all_of(axes.begin() + first + 1, axes.end(), is_full_slice))
      return Layout::C;
  }
  if ((array->layout == Layout::C || array->layout == Layout::I) && is_unit_slice(e, axes.back()) &&
      items.back().type->kind != Kind::None)
    return result_ndim == 1 ? Layout::C : Layout::I;
  return Layout::A;
}

} // namespace

Operand element_pointer(Emitter &e, const Operand &array, const Operands &indices) {
  Operand pointer = e.field(array, 0);
  for (size_t i = 0; i < indices.size(); ++i) {
    const int axis = static_cast<int>(i);
    Operand index =
        wrap_index(e, indices[i], array_shape(e, array, axis), axis, e.options().boundscheck);
    pointer =
        e.ptr_add(pointer, e.index_mul(index, array_stride(e, array, axis)), array.type->dtype());
  }
  return pointer;
}

Operand array_view(Emitter &e, const Operand &array, const Operands &items) {
  const Type *from = array.type;
  Operand pointer = e.field(array, 0);
  Operands shape, strides;
  int axis = 0;
  int64_t units = types::units_of(from) < 0 ? -1 : 0;
  for (const Operand &item : items) {
    const bool is_new = item.type->kind == Kind::None;
    if (units >= 0 && (is_new || (is_full_slice(item) && types::units_of(from) >> axis & 1)))
      units |= int64_t(1) << shape.size();
    else if (item.type->kind == Kind::Slice && !is_full_slice(item))
      units = -1;
    if (is_new) {
      shape.push_back(e.i64(1));
      strides.push_back(e.i64(0));
      continue;
    }
    Operand length = array_shape(e, array, axis), stride = array_stride(e, array, axis);
    if (is_index(item.type)) {
      Operand index = wrap_index(e, item, length, axis, e.options().boundscheck);
      pointer = e.ptr_add(pointer, e.index_mul(index, stride), from->dtype());
    } else if (is_full_slice(item)) {
      shape.push_back(length);
      strides.push_back(stride);
    } else {
      Extent extent = slice_extent(e, item, length);
      pointer = e.ptr_add(pointer, e.index_mul(extent.start, stride), from->dtype());
      shape.push_back(extent.count);
      strides.push_back(e.index_mul(extent.step, stride));
    }
    ++axis;
  }
  const int ndim = static_cast<int>(shape.size());
  const Type *type =
      types::with_units(types::view(from, ndim, view_layout(e, from, items, ndim)), units);
  return make_array(e, type, pointer, e.field(array, 1), shape, strides);
}

bool all_integers(const Operands &items) {
  return std::all_of(items.begin(), items.end(),
                     [](const Operand &item) { return is_index(item.type); });
}

Operand index_of_item(Emitter &e, const Operand &array, const Operand &index) {
  const Type *item = index.type->params[0]->params[0]; // of the list in it
  return is_index(item) ? e.library("numjit.index_of_item", {array, index}) : Operand{};
}

bool names_field(const Type *array, const Operand &index) {
  return array->is_array() && array->dtype()->kind == Kind::Record &&
         index.type->kind == Kind::String;
}

Operand items_array(Emitter &e, const Operand &array, const Operand &index) {
  if (is_run_time_tuple(index.type)) {
    const Operand item = index_of_item(e, array, index);
    return item ? rule_getitem(e, array, item) : e.library("numjit.sliced", {array, index});
  }
  if (names_field(array.type, index))
    return array_field(e, array, record_field_index(e, array.type->dtype(), index));
  if (is_advanced(e, index))
    return advanced_getitem(e, array, index);
  Operands items = expand(e, array, index);
  if (all_integers(items) && !items.empty())
    return array_item(e, array, element_pointer(e, array, items));
  if (array.type->ndim == 0 && index.type->is_tuple() &&
      index.type->params.empty()) // a[()] is the element
    return array_item(e, array, e.field(array, 0));
  return array_view(e, array, items);
}

// --- x[i] by kind of x: the column `items` of kinds.def ---

/// Whether an index makes a number of NumPy's an array, `x[..., None]`, or leaves it, `x[()]`.
static bool takes_numbers(const Type *index) {
  return index->kind == Kind::Tuple && std::ranges::all_of(index->params, [](const Type *item) {
           return item->kind == Kind::Ellipsis || item->kind == Kind::None;
         });
}

Operand items_none(Emitter &e, const Operand &object, const Operand &index) {
  if (object.type->is_scalar() && takes_numbers(index.type))
    return index.type->params.empty() ? object
                                      : items_array(e, e.library("numpy.asarray", {object}), index);
  if (Operand item; call_class_method(e, object, "__getitem__", {{index}}, item))
    return item;
  const std::string method = std::string(kind_name(object.type)) + ".__getitem__";
  if (e.engine.host.library(method))
    return e.library(method, {object, index});
  e.fail("No implementation of function getitem for (" + object.type->text + ", " +
         index.type->text + "): a value of type " + object.type->text + " cannot be indexed");
}

static constexpr Operand (*kItems[])(Emitter &, const Operand &object, const Operand &index) = {
#define NUMJIT_KIND(id, attributes, cls, fields, text, items, ...) items_##items,
#include "typeinfer/types/kinds.def"
#undef NUMJIT_KIND
};

Operand rule_getitem(Emitter &e, const Operand &given, const Operand &index_given) {
  std::string said; // by overloads that declined
  if (Operand result; call_operator_overload(e, "getitem", {given, index_given}, result, &said))
    return result;
  Operand object = e.unwrap(given), index = e.unwrap(index_given);
  if (!object.type->is_array()) // a[b > 0] takes the mask unevaluated
    index = force(e, index);
  if (Operand known = known_item_of(e, object, index))
    return known;
  try {
    return kItems[static_cast<size_t>(object.type->kind)](e, object, index);
  } catch (CompileError &error) {
    if (!said.empty())
      error.message += "\n" + said;
    throw;
  }
}

} // namespace numjit
