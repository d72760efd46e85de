// a[...]: elements, views, tuple and list items, slices.
#include "typeinfer/rules/indexing.h"

#include "typeinfer/infer/engine.h"
#include "typeinfer/infer/overloads.h"
#include "typeinfer/infer/unify.h"
#include "typeinfer/rules/array_expressions.h"
#include "typeinfer/rules/elementwise.h"
#include "typeinfer/rules/type_values.h"
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
    part = e.nearest_int(e.unwrap(part));
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

namespace {

/// A part of a slice that indexes; np.mgrid[0:1:5j] has others than integers.
Operand index_part(Emitter &e, const Operand &slice, int part) {
  const Type *type = slice.type->params[part];
  if (type->kind != Kind::None && !type->is_integer())
    e.fail("slice indices must be integers or None, not " + type->text);
  return slice_part(e, slice, part);
}

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

} // namespace

Extent slice_extent(Emitter &e, const Operand &slice, const Operand &length) {
  Operand start = index_part(e, slice, 0), stop = index_part(e, slice, 1),
          step = index_part(e, slice, 2);
  const bool no_start = start.type->kind == Kind::None, no_stop = stop.type->kind == Kind::None;
  Operand zero = e.i64(0);
  if (is_unit(step)) {
    Operand first = no_start ? zero : clamp_index(e, start, zero, length, length);
    Operand last = no_stop ? length : clamp_index(e, stop, zero, length, length);
    if (first.constant && first.constant->integer == 0)
      return {first, e.i64(1), last};
    return {first, e.i64(1),
            e.nonneg(maximum(e, e.index_add(last, e.index_mul(first, e.i64(-1))), zero))};
  }
  e.raise_if(e.op(Operator::Eq, step, zero), "ValueError", "slice step cannot be zero");
  Operand up = e.op(Operator::Gt, step, zero);
  Operand low = e.select(up, zero, e.i64(-1));
  Operand high = e.select(up, length, e.index_add(length, e.i64(-1)));
  Operand first = no_start ? e.select(up, zero, high) : clamp_index(e, start, low, high, length);
  Operand last = no_stop ? e.select(up, high, low) : clamp_index(e, stop, low, high, length);
  Operand distance = e.select(up, e.sub(last, first), e.sub(first, last));
  Operand stride = e.select(up, step, e.op(Operator::Neg, maximum(e, step, e.i64(-INT64_MAX))));
  // ceil(distance / stride), both positive here
  Operand count =
      e.select(e.op(Operator::Gt, distance, zero),
               e.index_add(e.div_nonneg(e.index_add(distance, e.i64(-1)), stride), e.i64(1)), zero);
  return {first, step, e.nonneg(count)};
}

namespace {

// --- arrays ---

/// Python's meaning of negative indices, checked: `raise_if` is called with whether the index is
/// outside. One that is inside as it stands takes one test, which the pass `ranges` knows.
template <typename RaiseIf>
Operand checked_index(Emitter &e, const Operand &given, const Operand &length, RaiseIf raise_if) {
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

bool names_field(const Type *array, const Operand &index) {
  return array->is_array() && array->dtype()->kind == Kind::Record &&
         index.type->kind == Kind::String;
}

namespace {

Operand array_getitem(Emitter &e, const Operand &array, const Operand &index) {
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

/// An element or a part of an unevaluated expression; sizes were checked (array_expressions.cpp).
Operand lazy_getitem(Emitter &e, const Operand &lazy, const Operand &index) {
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

// --- tuples and lists ---

/// One of the functions of a tuple, from item `first` on.
Operand function_at(Emitter &e, const Operand &tuple, const Operand &index, int first) {
  Operand item = e.field(tuple, first);
  if (static_cast<size_t>(first) + 1 == tuple.type->params.size())
    return item;
  return e.choose(
      e.op(Operator::Eq, index, e.i64(first)), [&] { return item; },
      [&] { return function_at(e, tuple, index, first + 1); });
}

} // namespace

Operand literal_list(Emitter &e, const Operands &items) {
  std::vector<const Type *> item_types;
  for (const Operand &item : items)
    item_types.push_back(item.type);
  return e.make(types::literal_list(std::move(item_types)), items);
}

namespace {

Operand literal_dict_getitem(Emitter &e, const Operand &dict, const Operand &key) {
  const std::vector<std::string> &keys = dict.type->names;
  if (key.type->kind != Kind::String)
    e.fail("the keys of " + dict.type->text + " are constant strings, not " + key.type->text,
           "its values have different types: which one is meant must be known at compile time");
  auto found = std::find(keys.begin(), keys.end(), key.type->constant->text);
  if (found == keys.end())
    e.fail_as("NumbaKeyError",
              "key '" + key.type->constant->text + "' is not in " + dict.type->text);
  return e.field(dict, static_cast<int>(found - keys.begin()));
}

} // namespace

Operand item_at(Emitter &e, const Operand &pointer, const Operand &index) {
  const Type *pointee = pointer.type->params[0];
  if (!is_index(index.type) || !pointee->is_item())
    e.fail("No implementation of function getitem for (" + pointer.type->text + ", " +
               index.type->text + ")",
           "carray(pointer, shape) makes an array of what a pointer points to");
  return make_array(e, types::array(pointee, 0, Layout::C),
                    e.ptr_add(pointer,
                              e.index_mul(e.cast(index, types::int64()), e.i64(item_size(pointee))),
                              pointee),
                    e.null_owner(), {}, {});
}

namespace {

/// Of a tuple, by a slice whose bounds are known at run time only.
Operand run_time_part(Emitter &e, const Operand &tuple, const Operand &slice) {
  const Operand items = e.unliteral(tuple);
  if (tuple.type->kind == Kind::LiteralList || !items.type->is_homogeneous())
    e.fail("a " + tuple.type->text + " can only be sliced by constants",
           "its items have different types");
  return items.type->params.empty() ? items : e.library("numjit.tuple_part", {items, slice});
}

Operand tuple_getitem(Emitter &e, const Operand &tuple, const Operand &index) {
  const int64_t n = static_cast<int64_t>(tuple.type->params.size());
  if (index.type->kind == Kind::Slice) {
    std::optional<int64_t> part[3];
    for (int i = 0; i < 3; ++i) {
      Operand given = index_part(e, index, i);
      if (given.type->kind != Kind::None && !given.constant)
        return run_time_part(e, tuple, index);
      if (given.type->kind != Kind::None)
        part[i] = given.constant->integer;
    }
    if (part[2] == 0)
      e.fail_as("NumbaValueError", "slice step cannot be zero");
    const int64_t step =
        std::clamp(part[2].value_or(1), -n - 1, n + 1); // so that no huge one wraps
    auto bound = [&](std::optional<int64_t> given, int64_t missing) {
      if (!given)
        return missing;
      const int64_t at = *given < 0 ? *given + n : *given;
      return std::clamp<int64_t>(at, step > 0 ? 0 : -1, step > 0 ? n : n - 1);
    };
    const int64_t first = bound(part[0], step > 0 ? 0 : n - 1),
                  last = bound(part[1], step > 0 ? n : -1);
    Operands items;
    for (int64_t i = first; step > 0 ? i < last : i > last; i += step)
      items.push_back(e.field(tuple, static_cast<int>(i)));
    return tuple.type->kind == Kind::LiteralList ? literal_list(e, items) : e.tuple(items);
  }
  if (!is_index(index.type) && !index.type->is_bool())
    e.fail("tuple indices must be integers or slices, not " + index.type->text);
  if (index.constant) {
    int64_t i = index.constant->integer;
    if (i < 0)
      i += n;
    if (i < 0 || i >= n)
      e.fail_as("NumbaIndexError", "tuple index " + std::to_string(index.constant->integer) +
                                       " is out of range for " + tuple.type->text);
    return e.field(tuple, static_cast<int>(i));
  }
  const bool functions = std::all_of(tuple.type->params.begin(), tuple.type->params.end(),
                                     [](const Type *item) { return item->is_function(); });
  if (!tuple.type->is_homogeneous() && unliteral(tuple.type)->is_homogeneous())
    return tuple_getitem(e, e.unliteral(tuple), index);
  if (n == 0) { // of *args, in a loop over their number
    e.raise_if(e.boolean(true), "IndexError", "tuple index out of range");
    return e.i64(0);
  }
  if (!tuple.type->is_homogeneous() && !functions)
    e.fail("a " + tuple.type->text +
               " can only be indexed by constants: its items have different types",
           "iterate with `for x in literal_unroll(t)`");
  Operand at = checked_index(e, index, e.i64(n), [&](const Operand &outside, const Operand &) {
    e.raise_if(outside, "IndexError", "tuple index out of range");
  });
  return tuple.type->is_homogeneous() ? e.field_at(tuple, at) : function_at(e, tuple, at, 0);
}

} // namespace

Operand list_index(Emitter &e, const Operand &list, const Operand &index, const char *outside) {
  return checked_index(e, index, list_length(e, list), [&](const Operand &bad, const Operand &) {
    e.raise_if(bad, "IndexError", outside);
  });
}

namespace {

// --- x[i] by kind of x: the column `items` of kinds.def ---

Operand items_array(Emitter &e, const Operand &object, const Operand &index) {
  return array_getitem(e, object, index);
}
Operand items_lazy(Emitter &e, const Operand &object, const Operand &index) {
  return lazy_getitem(e, object, index);
}
Operand items_tuple(Emitter &e, const Operand &object, const Operand &index) {
  return tuple_getitem(e, object, index);
}
Operand items_literal_dict(Emitter &e, const Operand &object, const Operand &index) {
  return literal_dict_getitem(e, object, index);
}
Operand items_pointer(Emitter &e, const Operand &object, const Operand &index) {
  return rule_getitem(e, item_at(e, object, index), e.tuple({}));
}
Operand items_record(Emitter &e, const Operand &object, const Operand &index) {
  return record_field(e, object, record_field_index(e, object.type, index));
}
Operand items_list(Emitter &e, const Operand &object, const Operand &index) {
  if (is_index(index.type) || index.type->is_bool())
    return list_getitem(e, object, index);
  if (index.type->kind == Kind::Slice)
    return e.library("List.__getitem__", {object, index});
  e.fail("list indices must be integers or slices, not " + index.type->text);
}
Operand items_string(Emitter &e, const Operand &object, const Operand &index) {
  return text_getitem(e, e.unliteral(object), index);
}
Operand items_text(Emitter &e, const Operand &object, const Operand &index) {
  return text_getitem(e, object, index);
}

/// By what classes, functions and the library define.
Operand items_none(Emitter &e, const Operand &object, const Operand &index) {
  if (Operand type = type_getitem(e, object, index))
    return type;
  if (object.type->kind == Kind::Function &&
      object.type->constant->is_object(ObjectKind::EnumClass))
    return enum_member_named(e, object.type->constant, index);
  if (Operand item; call_class_method(e, object, "__getitem__", {index}, item))
    return item;
  if (object.type->kind == Kind::Function) // np.mgrid and the like
    if (const std::string method = object.type->constant->object->name + ".__getitem__";
        e.engine.host.library(method))
      return e.library(method, {index});
  const std::string method = std::string(kind_name(object.type)) + ".__getitem__";
  if (e.engine.host.library(method))
    return e.library(method, {object, index});
  e.fail("No implementation of function getitem for (" + object.type->text + ", " +
         index.type->text + "): a value of type " + object.type->text + " cannot be indexed");
}

constexpr Operand (*kItems[])(Emitter &, const Operand &object, const Operand &index) = {
#define NUMJIT_KIND(id, attributes, cls, fields, text, items, ...) items_##items,
#include "typeinfer/types/kinds.def"
#undef NUMJIT_KIND
};

} // namespace

Operand rule_getitem(Emitter &e, const Operand &given, const Operand &index_given) {
  if (Operand result; call_operator_overload(e, "getitem", {given, index_given}, result))
    return result;
  Operand object = e.unwrap(given), index = e.unwrap(index_given);
  if (!object.type->is_array()) // a[b > 0] takes the mask unevaluated
    index = force(e, index);
  return kItems[static_cast<size_t>(object.type->kind)](e, object, index);
}

} // namespace numjit
