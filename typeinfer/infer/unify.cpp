#include "typeinfer/infer/unify.h"

#include "typeinfer/types/function_values.h"
#include "typeinfer/types/open_fields.h"
#include "typeinfer/types/ranges.h"
#include "typeinfer/types/struct_classes.h"
#include "typeinfer/types/with_params.h"

#include <algorithm>
#include <utility>

namespace numjit {

namespace {

/// Types that consist of the types of their items, and maybe of one class.
const Type *unify_items(const Type *a, const Type *b) {
  if (a->constant != b->constant || a->params.size() != b->params.size())
    return nullptr;
  std::vector<const Type *> items;
  for (size_t i = 0; i < a->params.size(); ++i) {
    const Type *item = unify(a->params[i], b->params[i]);
    if (!item)
      return nullptr;
    items.push_back(item);
  }
  return types::with_params(a, std::move(items));
}

/// A value that is one function or another remembers which.
const Type *unify_functions(const Type *a, const Type *b) {
  std::vector<const Type *> all;
  for (const Type *each : {a, b})
    for (const Type *function :
         each->kind == Kind::Choice ? each->params : std::vector<const Type *>{each})
      if (std::find(all.begin(), all.end(), function) == all.end())
        all.push_back(function);
  // In one order, whichever path is looked at first.
  std::sort(all.begin(), all.end(), [](const Type *x, const Type *y) { return x->id < y->id; });
  return types::choice(std::move(all));
}

const Type *finer_time(const Type *a, const Type *b) {
  const auto x = static_cast<int>(a->numbers[0]), y = static_cast<int>(b->numbers[0]);
  if (x == kGeneric || y == kGeneric)
    return x == kGeneric ? b : a;
  // A month has no fixed number of days, nor a year: durations in them do not convert.
  if (a->kind == Kind::Timedelta && (x <= kMonth) != (y <= kMonth))
    return nullptr;
  return x > y ? a : b;
}

// --- two types of one kind, by the column `join` of kinds.def ---

const Type *join_none(const Type *, const Type *) { return nullptr; }
const Type *join_time(const Type *a, const Type *b) { return finer_time(a, b); }

const Type *join_array(const Type *a, const Type *b) {
  if (a->dtype() != b->dtype() || a->ndim != b->ndim)
    return nullptr;
  Layout layout = a->layout == b->layout ? a->layout : Layout::A;
  return types::array(a->dtype(), a->ndim, layout, a->readonly || b->readonly,
                      a->unaligned || b->unaligned);
}

constexpr auto join_tuple = unify_items, join_named_tuple = unify_items, join_struct = unify_items;

const Type *join_range(const Type *a, const Type *b) {
  const Type *item = unify(a->params[0], b->params[0]);
  if (!item)
    return nullptr;
  const types::Stride stride = std::min(types::stride_of(a), types::stride_of(b));
  return types::is_beyond(a) || types::is_beyond(b) ? types::range_beyond(item, stride)
                                                    : types::range(item, stride);
}

constexpr auto join_union = unify_or_unite;

constexpr const Type *(*kJoins[])(const Type *, const Type *) = {
#define NUMJIT_KIND(id, attributes, cls, fields, text, items, iteration, truth, join, ...)         \
  join_##join,
#include "typeinfer/types/kinds.def"
#undef NUMJIT_KIND
};

} // namespace

const Type *unliteral(const Type *type) {
  if (type->kind == Kind::String)
    return types::unicode();
  if (!has_trait(type->kind, traits::distributes))
    return type;
  std::vector<const Type *> items;
  for (const Type *item : type->params)
    items.push_back(unliteral(item));
  return types::with_params(type, std::move(items));
}

/// Whether a tuple whose length is known at run time may be one of a type.
static bool holds_items_of(const Type *run_time_tuple, const Type *tuple) {
  const Type *item = run_time_tuple->params[0]->params[0];
  return std::ranges::all_of(tuple->params,
                             [item](const Type *each) { return unify(item, each) == item; });
}

const Type *unify(const Type *a, const Type *b) {
  if (a == b)
    return a;
  if (a->is_scalar() && b->is_scalar())
    return scalar::unify_scalars(a, b);
  if (is_item_of_field(a) || is_item_of_field(b)) // inference starts anew when that is known
    return is_item_of_field(a) ? b : a;
  if (a->kind == Kind::Undefined)
    return types::maybe(b);
  if (b->kind == Kind::Undefined)
    return types::maybe(a);
  if (a->kind == Kind::Maybe || b->kind == Kind::Maybe) {
    const Type *inner =
        unify(a->kind == Kind::Maybe ? a->params[0] : a, b->kind == Kind::Maybe ? b->params[0] : b);
    return inner ? types::maybe(inner) : nullptr;
  }
  if (a->kind == Kind::Union || b->kind == Kind::Union)
    return unify_or_unite(a, b);
  if (a->kind == Kind::None)
    return types::optional(b);
  if (b->kind == Kind::None)
    return types::optional(a);
  if (a->kind == Kind::Optional || b->kind == Kind::Optional) {
    const Type *inner = unify(a->kind == Kind::Optional ? a->params[0] : a,
                              b->kind == Kind::Optional ? b->params[0] : b);
    return inner ? types::optional(inner) : nullptr;
  }
  if (a->is_function() && b->is_function())
    return unify_functions(a, b);
  if (a->is_function() && function_maker(b))
    return b;
  if (b->is_function() && function_maker(a))
    return a;
  if (a->is_text() && b->is_text())
    return types::unicode();
  for (auto [x, y] : {std::pair{a, b}, std::pair{b, a}}) // members of an IntEnum are integers
    if (x->kind == Kind::Enum && x->unit && (y->is_scalar() || (y->kind == Kind::Enum && y->unit)))
      return unify(types::int64(), y->kind == Kind::Enum ? types::int64() : y);
  for (auto [x, y] : {std::pair{a, b}, std::pair{b, a}})
    if (x->kind == Kind::BigInt && (y->is_float() || y->is_complex()))
      return unify(types::float64(), y);
  for (auto [x, y] : {std::pair{a, b}, std::pair{b, a}})
    if (is_run_time_tuple(x) && y->is_tuple())
      return holds_items_of(x, y) ? x : nullptr;
  if (a->kind != b->kind)
    return nullptr;
  if (a->kind == Kind::List && (holds_item_of_field(a) || holds_item_of_field(b)))
    return unify_items(a, b);
  return kJoins[static_cast<size_t>(a->kind)](a, b);
}

const Const *function_maker(const Type *type) {
  return type->kind == Kind::Struct ? type->constant->object->member("static of_function")
                                    : nullptr;
}

namespace {

/// Whether the first fields of a record are all those of another one, and lie at the same places.
bool begins_with(const Type *record, const Type *narrow) {
  const size_t count = narrow->params.size();
  if (record->params.size() < count || (narrow->numbers[1] && !record->numbers[1]))
    return false;
  for (size_t i = 0; i < count; ++i)
    if (record->params[i] != narrow->params[i] || record->names[i] != narrow->names[i] ||
        record->numbers[i + 2] != narrow->numbers[i + 2])
      return false;
  return true;
}

} // namespace

scalar::Conversion type_conversion(const Type *from, const Type *to) {
  using scalar::Conversion;
  if (from == to)
    return Conversion::Exact;
  if (from->is_function() && function_maker(to))
    return Conversion::Promote;
  if (from->is_scalar() && to->is_scalar())
    return scalar::conversion(from, to);
  if (to->kind == Kind::Union)
    return std::ranges::all_of(members_of(from),
                               [&](auto *each) { return place_in(to, each) < to->params.size(); })
               ? Conversion::Promote
               : Conversion::None;
  if (to->kind == Kind::Optional) {
    if (from->kind == Kind::None)
      return Conversion::Promote;
    Conversion inner =
        type_conversion(from->kind == Kind::Optional ? from->params[0] : from, to->params[0]);
    return inner == Conversion::Exact ? Conversion::Promote : inner;
  }
  if (from->kind == Kind::Optional) {
    Conversion inner = type_conversion(from->params[0], to);
    return inner == Conversion::None ? inner : Conversion::Unsafe;
  }
  if (from->kind == Kind::String && to->kind == Kind::Unicode)
    return Conversion::Promote;
  if (from->kind == Kind::Record && to->kind == Kind::Record)
    return begins_with(from, to) ? Conversion::Safe : Conversion::None;
  if (from->kind == Kind::BigInt && (to->is_float() || to->is_complex()))
    return Conversion::Unsafe;
  if (from->is_array() && to->is_array() && from->dtype() == to->dtype() &&
      from->ndim == to->ndim) {
    bool layout = to->layout == from->layout || to->layout == Layout::A ||
                  (to->layout == Layout::I && from->layout == Layout::C) ||
                  (from->ndim <= 1 && from->is_contiguous() && to->is_contiguous());
    const bool allowed = (to->readonly || !from->readonly) && (to->unaligned || !from->unaligned);
    const bool units = to->numbers.empty() || to->numbers == from->numbers;
    return layout && allowed && units ? Conversion::Safe : Conversion::None;
  }
  if (from->is_time() && from->kind == to->kind)
    return finer_time(from, to) == to && to->numbers[0] != kGeneric ? Conversion::Safe
                                                                    : Conversion::None;
  if (from->kind == Kind::Enum && from->unit && to->is_scalar())
    return std::max(Conversion::Promote, scalar::conversion(types::int64(), to));
  if (from->kind == Kind::Struct && to->kind == Kind::Struct && from->constant == to->constant) {
    Conversion worst = Conversion::Exact;
    for (size_t i = 0; i < from->params.size(); ++i)
      worst = std::max(worst, type_conversion(from->params[i], to->params[i]));
    return worst;
  }
  if (from->is_tuple() && to->is_tuple() && from->params.size() == to->params.size()) {
    Conversion worst = Conversion::Exact;
    for (size_t i = 0; i < from->params.size(); ++i)
      worst = std::max(worst, type_conversion(from->params[i], to->params[i]));
    return worst;
  }
  return Conversion::None;
}

std::optional<std::array<int, 3>> conversion_rating(const std::vector<const Type *> &from,
                                                    const std::vector<const Type *> &to) {
  if (from.size() != to.size())
    return {};
  std::array<int, 3> rating{};
  for (size_t i = 0; i < from.size(); ++i)
    switch (type_conversion(from[i], to[i])) {
    case scalar::Conversion::Exact: break;
    case scalar::Conversion::Promote: ++rating[2]; break;
    case scalar::Conversion::Safe: ++rating[1]; break;
    case scalar::Conversion::Unsafe: ++rating[0]; break;
    case scalar::Conversion::None: return {};
    }
  return rating;
}

} // namespace numjit
