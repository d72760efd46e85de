// a[...] with arrays among the indices: masks, arrays and lists of integers, in any mixture with
// integers, slices, newaxis and ellipsis.
//
// The basic items are applied as a view in which every axis that an array indexes stays whole. The
// library (library/numpy/indexing.py) then gathers from that view, or scatters to it, for arrays of
// integers only: a mask stands for the positions of its true elements. Where the indexed axes do
// not lie side by side, NumPy puts the axes of the indices in front; so does the view.
#include "typeinfer/infer/builtins.h"
#include "typeinfer/infer/engine.h"
#include "typeinfer/rules/array_expressions.h"
#include "typeinfer/rules/indexing.h"

#include <algorithm>

namespace numjit {

namespace {

bool is_sequence(const Type *type) {
  return type->kind == Kind::List || type->kind == Kind::Range || type->is_tuple();
}

bool is_advanced_item(const Type *type) {
  return is_arraylike(type) || is_sequence(type) || type->is_bool();
}

int axes_of(const Type *item) {
  if (item->kind == Kind::None || item->kind == Kind::Ellipsis || item->is_bool())
    return 0;
  return is_arraylike(item) && item->dtype()->is_bool() ? item->ndim : 1;
}

/// Lists and tuples as arrays; wrong types are refused. A lazy expression may only be the one
/// index.
Operands advanced_items(Emitter &e, const Operand &array, const Operand &index) {
  Operands items = index_items(e, index);
  for (Operand &item : items) {
    if (is_sequence(item.type))
      item = e.library("numpy.asarray", {item});
    const Type *type = item.type;
    const Type *element = is_arraylike(type) ? type->dtype() : type;
    if (element->is_float() || element->is_complex())
      e.fail("cannot index " + array.type->text + " with " + type->text,
             "arrays used as indices must be of integer (or boolean) type: use astype(np.int64)");
    if (!is_arraylike(type) && !is_index(type) && !type->is_bool() && type->kind != Kind::None &&
        type->kind != Kind::Ellipsis && type->kind != Kind::Slice)
      e.fail("cannot index " + array.type->text + " with " + type->text);
  }
  return items;
}

/// The view to gather from, one array of integers for each of its axes from `lead` on.
struct Gather {
  Operand view;
  Operands indices;
  int lead = 0;
};

Gather plan(Emitter &e, const Operand &array, const Operands &given) {
  const Operands items = expand_ellipsis(e, array, given, axes_of);
  const Operand all = rule_slice(e, e.none(), e.none(), e.none());
  Operands basic;
  Gather gather;
  std::vector<int> indexed; // axes of the view
  int axis = 0;             // of the array
  int view_axis = 0;
  int runs = 0; // of indices side by side; integers count among them
  bool in_run = false;
  auto indexed_axis = [&](const Operand &positions, const Operand &item) {
    gather.indices.push_back(positions);
    indexed.push_back(view_axis++);
    basic.push_back(item);
  };
  for (const Operand &item : items) {
    const bool picks = is_index(item.type) || is_advanced_item(item.type);
    if (picks && !in_run && ++runs == 1)
      gather.lead = view_axis;
    in_run = picks;
    if (item.type->is_bool()) { // a mask of no dimensions: takes a new axis, or nothing of it
      indexed_axis(e.library("numjit.flag_positions", {item}), e.none());
    } else if (is_arraylike(item.type) && item.type->dtype()->is_bool()) {
      Operands lengths;
      for (int i = 0; i < item.type->ndim; ++i)
        lengths.push_back(array_shape(e, array, axis + i));
      Operand positions = e.library("numjit.mask_positions", {item, e.tuple(lengths)});
      for (int i = 0; i < item.type->ndim; ++i, ++axis)
        indexed_axis(e.field(positions, i), all);
      if (item.type->ndim == 0)
        indexed_axis(e.field(positions, 0), e.none());
    } else if (is_arraylike(item.type)) {
      indexed_axis(item, all);
      ++axis;
    } else {
      basic.push_back(item);
      view_axis += !is_index(item.type);
      axis += item.type->kind != Kind::None;
    }
  }
  gather.view = array_view(e, array, basic);
  if (runs > 1) {
    gather.lead = 0;
    std::vector<int> order = indexed;
    for (int i = 0; i < view_axis; ++i)
      if (std::find(indexed.begin(), indexed.end(), i) == indexed.end())
        order.push_back(i);
    Operands shape, strides;
    for (int i : order) {
      shape.push_back(array_shape(e, gather.view, i));
      strides.push_back(array_stride(e, gather.view, i));
    }
    const Type *type = types::view(array.type, view_axis, Layout::A);
    gather.view =
        make_array(e, type, e.field(gather.view, 0), e.field(gather.view, 1), shape, strides);
  }
  return gather;
}

bool is_mask(const Type *type) {
  return is_arraylike(type) && type->dtype()->is_bool() && type->ndim > 0;
}

/// a[mask], with nothing but full slices behind the mask.
bool is_mask_alone(const Operand &array, const Operands &items) {
  return items.size() == 1 && is_mask(items[0].type) && items[0].type->ndim <= array.type->ndim;
}

int cost_of(const Type *expression) {
  int cost = 0;
  if (expression->kind == Kind::Lazy) {
    constexpr int kCallCost = 100; // a user's function may do anything
    const bool call = expression->expression == kCallExpression;
    cost = call ? kCallCost : row_of(expression).cost;
    for (const Type *operand : expression->params)
      cost += cost_of(operand);
  }
  return cost;
}

/// A mask expression is evaluated twice if it stays one: to count, and to pick.
Operand cheap_mask(Emitter &e, const Operand &mask) {
  constexpr int kCheap = 8;
  if (mask.type->kind != Kind::Lazy)
    return mask;
  Operand alike = e.library("numjit.same_shapes", {mask});
  const bool one_array = alike.constant && alike.constant->integer;
  return one_array && cost_of(mask.type) <= kCheap ? mask : force(e, mask);
}

} // namespace

bool is_advanced(Emitter &e, const Operand &index) {
  if (!index.type->is_tuple())
    return is_advanced_item(index.type);
  for (const Operand &item : index_items(e, index))
    if (is_advanced_item(item.type))
      return true;
  return false;
}

Operand advanced_getitem(Emitter &e, const Operand &array, const Operand &index) {
  Operands items = advanced_items(e, array, index);
  if (is_mask_alone(array, items))
    return e.library("numjit.pick", {array, cheap_mask(e, items[0])});
  for (Operand &item : items)
    item = force(e, item);
  Gather gather = plan(e, array, items);
  return e.library("numjit.gather", {gather.view, e.tuple(gather.indices), e.i64(gather.lead)});
}

void advanced_setitem(Emitter &e, const Operand &array, const Operand &index,
                      const Operand &given) {
  Operands items = advanced_items(e, array, index);
  Operand value = given.type->is_scalar() ? e.cast(given, array.type->dtype()) : force(e, given);
  if (is_mask_alone(array, items)) {
    e.library("numjit.put_masked", {array, items[0], value});
    return;
  }
  Gather gather = plan(e, array, items);
  e.library("numjit.scatter", {gather.view, e.tuple(gather.indices), e.i64(gather.lead), value});
}

} // namespace numjit
