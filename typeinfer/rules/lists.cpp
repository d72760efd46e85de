// Lists: their items, loops over them, and intrinsics over the runtime's nj_list, from which
// library/python/lists.py makes the methods.
#include "typeinfer/infer/engine.h"
#include "typeinfer/infer/unify.h"
#include "typeinfer/rules/indexing.h"
#include "typeinfer/rules/kind_rules.h"
#include "typeinfer/types/frozen.h"
#include "typeinfer/types/function_values.h"
#include "typeinfer/types/item_descriptor.h"
#include "typeinfer/types/open_fields.h"
#include "typeinfer/types/struct_classes.h"

#include <algorithm>
#include <cstddef>

namespace numjit {

namespace {

Operand header_field(Emitter &e, const Operand &list, size_t offset, const Type *type) {
  Operand header = e.owner_data(e.field(list, 0), types::int64());
  return e.load(e.ptr_add(header, e.i64(static_cast<int64_t>(offset)), type),
                tir::Alias::ListHeader);
}

void set_header_field(Emitter &e, const Operand &list, size_t offset, const Operand &value) {
  Operand header = e.owner_data(e.field(list, 0), types::int64());
  e.store(e.ptr_add(header, e.i64(static_cast<int64_t>(offset)), types::int64()), value,
          tir::Alias::ListHeader);
}

void mark_dirty(Emitter &e, const Operand &list) {
  check_changeable(e, list);
  set_header_field(e, list, offsetof(nj_list, dirty), e.i64(1));
}

const Type *item_type(const Operand &list) { return list.type->params[0]; }

// --- intrinsics ---

/// numjit.list_new(like, n): n zeroed items of the list's type.
Operand list_new(Emitter &e, Operands &a) {
  return new_list(
      e, a[0].type->kind == Kind::List ? types::thawed(a[0].type) : types::list(a[0].type), a[1]);
}

Operand list_get(Emitter &e, Operands &a) {
  return e.load(list_item_pointer(e, a[0], a[1]), tir::Alias::ListData);
}

Operand list_set(Emitter &e, Operands &a) {
  e.overwrite(list_item_pointer(e, a[0], a[1]), a[2], tir::Alias::ListData);
  mark_dirty(e, a[0]);
  return e.none();
}

/// Writes an item whose memory holds none: behind the end, or a moved one.
Operand list_init(Emitter &e, Operands &a) {
  e.store(list_item_pointer(e, a[0], a[1]), a[2], tir::Alias::ListData);
  mark_dirty(e, a[0]);
  return e.none();
}

/// Takes an item out of its memory; the caller closes the gap.
Operand list_take(Emitter &e, Operands &a) {
  mark_dirty(e, a[0]);
  return e.load(list_item_pointer(e, a[0], a[1]), tir::Alias::ListData, true);
}

Operand list_set_length(Emitter &e, Operands &a) {
  set_header_field(e, a[0], offsetof(nj_list, length), a[1]);
  mark_dirty(e, a[0]);
  return e.none();
}

Operand list_capacity(Emitter &e, Operands &a) {
  return header_field(e, a[0], offsetof(nj_list, capacity), types::int64());
}

Operand list_reserve(Emitter &e, Operands &a) {
  check_changeable(e, a[0]);
  Operands arguments{e.field(a[0], 0), a[1], e.i64(layout_of(item_type(a[0])).size)};
  e.runtime(tir::RuntimeOp::ListGrow, types::none(), arguments);
  return e.none();
}

Operand same_list(Emitter &e, Operands &a) {
  return e.op(Operator::Eq, e.pointer_bits(e.field(a[0], 0)), e.pointer_bits(e.field(a[1], 0)));
}

/// numjit.same_items(a, b): whether the items of two lists are of one type.
Operand same_items(Emitter &e, Operands &a) {
  return e.boolean(item_type(a[0]) == item_type(a[1]));
}

/// numjit.mixed_items(list): whether its items may be of several types.
Operand mixed_items(Emitter &e, Operands &a) {
  const Kind kind = item_type(a[0])->kind;
  return e.boolean(kind == Kind::Union || kind == Kind::Optional);
}

Operand item_like(Emitter &e, Operands &a) { return as_item(e, item_type(a[0]), a[0], a[1]); }

Operand make_list(Emitter &e, Operands &a) {
  if (a[0])
    return e.library("numjit.list_of", {a[0]});
  return rule_list(e, {});
}

/// numjit.as_typed(container): the same memory as a list or set of numjit.typed.
Operand as_typed(Emitter &e, Operands &a) {
  const Type *item = item_type(a[0]);
  return e.make(a[0].type->kind == Kind::Set ? types::set(item, true) : types::list(item, true),
                {e.field(a[0], 0)});
}

Operand is_typed(Emitter &e, Operands &a) { return e.boolean(a[0].type->typed); }

Operand make_typed_list(Emitter &e, Operands &a) {
  if (a[0])
    return e.library("numjit.typed_list_of", {a[0]});
  return rule_list(e, {});
}

/// typed.List.empty_list(item_type)
Operand empty_typed_list(Emitter &e, Operands &a) {
  return new_list(e, types::list(named_type(e, a[0]), true), e.i64(0));
}

/// items[index] = value, where the index is not known: all items get one type. Numbers and
/// None keep theirs.
Operand with_item_somewhere(Emitter &e, const Operand &items, const Operand &index,
                            const Operand &value) {
  const Type *common = item_type_of(value.type);
  for (const Type *item : items.type->params)
    common = common ? unify(common, item) : nullptr;
  const auto is_other = [&](const Type *item) { return item != common; };
  const bool keep = common && (common->is_scalar() || common->kind == Kind::Optional);
  if (!common || (keep && (std::ranges::any_of(items.type->params, is_other) ||
                           is_other(item_type_of(value.type)))))
    e.fail_as("LiteralTypingError",
              "which item of a list is assigned to is not known when it is compiled, and its items "
              "have several types");
  Operands converted;
  for (size_t i = 0; i < items.type->params.size(); ++i)
    converted.push_back(e.convert(e.field(items, static_cast<int>(i)), common));
  return e.library("numjit.with_any_item", {e.tuple(converted), index, e.convert(value, common)});
}

/// numjit.with_item(items, index, value): the tuple that stands for a list after
/// items[index] = value.
Operand with_item(Emitter &e, Operands &a) {
  const Type *type = a[0].type;
  const Operand index = e.unwrap(a[1]);
  if (!type->is_tuple() || !index.type->is_scalar() || !index.type->is_integer())
    e.fail("cannot put an item into " + type->text);
  if (!index.constant)
    return with_item_somewhere(e, a[0], index, force(e, a[2]));
  const auto size = static_cast<int64_t>(type->params.size());
  int64_t place = index.constant->integer;
  place += place < 0 ? size : 0;
  if (place < 0 || place >= size)
    e.fail_as("NumbaIndexError", "list assignment index out of range");
  Operands items;
  for (int64_t i = 0; i < size; ++i)
    items.push_back(i == place ? force(e, a[2]) : e.field(a[0], static_cast<int>(i)));
  return e.tuple(items);
}

/// Where an int that is known lies: below what an int64 holds (-1), above (1), or there (0);
/// nothing of other values.
std::optional<int> place_of_int(const Operand &item) {
  const Const *number = item.constant;
  if (number && number->kind == ConstKind::Int && number->scalar.empty()) {
    if (number->big)
      return number->text[0] == '-' ? -1 : 1;
    if (number->is_unsigned && number->integer < 0)
      return 1;
  }
  return item.type == types::int64() ? std::optional<int>(0) : std::nullopt;
}

/// numjit.int64_part(items, x): how many items of a tuple in ascending order no x is above, and the
/// items that an x may equal; the others are ints of more bits than the signed integer x has. All
/// items where that is not known.
Operand int64_part(Emitter &e, Operands &a) {
  const Operands all{e.i64(0), a[0]};
  const Type *x = e.unwrap(a[1]).type;
  if (a[0].type->kind != Kind::Tuple || a[0].type->is_homogeneous() || !x->is_scalar() ||
      !(x->is_signed() || x->is_bool()))
    return e.tuple(all);
  Operands items;
  int64_t below = 0;
  int last = -1;
  for (size_t i = 0; i < a[0].type->params.size(); ++i) {
    const Operand item = e.field(a[0], static_cast<int>(i));
    const std::optional<int> place = place_of_int(item);
    if (!place || *place < last)
      return e.tuple(all);
    last = *place;
    below += last < 0;
    if (last == 0)
      items.push_back(item);
  }
  const Operands part{e.i64(below), e.tuple(items)};
  return e.tuple(part);
}

const Builtin kListRows[] = {
    {"numjit.int64_part", "items x", int64_part},
    {"numjit.with_item", "items index value", with_item},
    {"builtins.list", "iterable?", make_list},
    {"numjit.typed.List", "iterable?", make_typed_list},
    {"numjit.typed.List.empty_list", "item_type allocated?", empty_typed_list},
    {"numjit.as_typed", "container", as_typed},
    {"numjit.is_typed", "container", is_typed},
    {"numjit.list_new", "like n", list_new},
    {"numjit.list_get", "list i", list_get},
    {"numjit.list_set", "list i value", list_set},
    {"numjit.list_init", "list i value", list_init},
    {"numjit.list_take", "list i", list_take},
    {"numjit.list_set_length", "list n", list_set_length},
    {"numjit.list_capacity", "list", list_capacity},
    {"numjit.list_reserve", "list n", list_reserve},
    {"numjit.same_list", "a b", same_list},
    {"numjit.same_items", "a b", same_items},
    {"numjit.mixed_items", "self", mixed_items},
    {"numjit.item_like", "list x", item_like}, // x converted to the list's item type
};

} // namespace

BuiltinTable list_builtins() { return kListRows; }

namespace {

/// Whether a number loses more than precision: a float as an int, a complex number as a float.
bool loses(const Type *from, const Type *to) {
  if (from->is_tuple() && to->is_tuple() && from->params.size() == to->params.size()) {
    for (size_t i = 0; i < from->params.size(); ++i)
      if (loses(from->params[i], to->params[i]))
        return true;
    return false;
  }
  return from->is_scalar() && to->is_scalar() &&
         ((from->is_complex() && !to->is_complex()) ||
          (from->is_float() && !to->is_float() && !to->is_complex()));
}

} // namespace

void check_changeable(Emitter &e, const Operand &container) {
  if (is_frozen(container.type))
    e.fail("cannot change a " + container.type->text +
               ": its items are constants of what is compiled",
           "copy it in the function, or pass it as an argument");
}

Operand as_item(Emitter &e, const Type *item, const Operand &container, const Operand &given) {
  const Operand value =
      item->is_scalar() && given.type->kind == Kind::Enum ? e.unwrap(given) : e.unliteral(given);
  const Type *from = value.type;
  if (holds_item_of_field(item))
    return e.convert(value, item);
  auto refuse = [&](const char *hint) {
    e.engine.field_items.widen(item, from);
    e.fail("cannot put a " + from->text + " into a " + container.type->text +
               ": cannot safely cast " + from->text + " to " + item->text,
           hint);
  };
  if (loses(from, item))
    refuse(item->is_complex() || from->is_complex() ? "start with a complex number"
                                                    : "start with a float, or use int(...)");
  const bool functions = from->is_function() && (item->is_function() || function_maker(item));
  const bool several = item->kind == Kind::Union || item->kind == Kind::Optional ||
                       from->kind == Kind::Union || from->kind == Kind::Optional;
  const bool is_long = from->is_tuple() && is_run_time_tuple(item);
  if (from->kind != item->kind && !functions && !several && !is_long)
    refuse(container.type->kind == Kind::Set ? "All Sets must be of the same type in an operation"
                                             : "all its items are of one type");
  return e.convert(value, item);
}

static bool is_of_integers(const Type *slice) {
  return std::ranges::all_of(slice->params, [](const Type *part) {
    return part->kind == Kind::None || part->kind == Kind::Optional || part->is_integer();
  });
}

const Type *item_type_of(const Type *value) {
  if (value->kind == Kind::Maybe)
    return item_type_of(value->params[0]);
  if (value->kind == Kind::Lazy)
    return types::array(value->dtype(), value->ndim, Layout::C);
  if (value->kind == Kind::Slice && is_of_integers(value)) { // one type for all slices
    const Type *part = types::optional(types::int64());
    return types::slice(part, part, part);
  }
  return unliteral(value);
}

Operand new_list(Emitter &e, const Type *list, const Operand &length) {
  const Type *item = list->params[0];
  Operands arguments{length, e.i64(layout_of(item).size),
                     e.address(references::make(references::list_item, {item}), types::int64())};
  return e.make(list, {e.runtime(tir::RuntimeOp::ListNew, types::owner(), arguments)});
}

Operand list_length(Emitter &e, const Operand &list) {
  return e.nonneg(header_field(e, list, offsetof(nj_list, length), types::int64()));
}

static Operand list_data(Emitter &e, const Operand &list) {
  return header_field(e, list, offsetof(nj_list, data), types::pointer(item_type(list)));
}

static Operand item_in(Emitter &e, const Operand &data, const Operand &index, const Type *item) {
  return e.ptr_add(data, e.index_mul(index, e.i64(layout_of(item).size)), item);
}

Operand list_item_pointer(Emitter &e, const Operand &list, const Operand &index) {
  return item_in(e, list_data(e, list), index, item_type(list));
}

Operand list_index(Emitter &e, const Operand &list, const Operand &index, const char *outside) {
  return checked_index(e, index, list_length(e, list), [&](const Operand &bad, const Operand &) {
    e.raise_if(bad, "IndexError", outside);
  });
}

// What a loop does not change comes before the check, which may leave the loop: only what runs in
// any case is moved out of it.

Operand list_getitem(Emitter &e, const Operand &list, const Operand &index) {
  Operand data = list_data(e, list);
  Operand at = list_index(e, list, index, "list index out of range");
  return e.load(item_in(e, data, at, item_type(list)), tir::Alias::ListData);
}

void list_setitem(Emitter &e, const Operand &list, const Operand &index, const Operand &value) {
  mark_dirty(e, list);
  Operand data = list_data(e, list);
  Operand at = list_index(e, list, index, "list assignment index out of range");
  e.overwrite(item_in(e, data, at, item_type(list)), value, tir::Alias::ListData);
}

Operand items_list(Emitter &e, const Operand &list, const Operand &index) {
  if (is_index(index.type) || index.type->is_bool())
    return list_getitem(e, list, index);
  if (index.type->kind == Kind::Slice)
    return e.library("List.__getitem__", {list, index});
  e.fail("list indices must be integers or slices, not " + index.type->text);
}

/// Iterators over lists of numjit.typed know the length at their start: they raise when it changes.
static Operand iter_list(Emitter &e, const Operand &list) {
  if (!list.type->typed)
    return indexed_iter(e, list);
  return e.make(types::iterator(list.type, {list.type, types::int64(), types::int64()}),
                {list, e.i64(0), list_length(e, list)});
}

static NextResult next_list(Emitter &e, const Operand &it, const Operand *) {
  const Operand length = list_length(e, e.field(it, 0));
  Operands started;
  if (it.type->fields.size() > 2) {
    started.push_back(e.field(it, 2));
    e.raise_if(e.op(Operator::Ne, length, started[0]), "RuntimeError",
               "list was mutated during iteration");
  }
  return indexed_next(
      e, it, length,
      [&e](const Operand &list, const Operand &index) {
        return e.load(list_item_pointer(e, list, index), tir::Alias::ListData);
      },
      started);
}
constinit const IterationRules iterate_list{iter_list, next_list, indexed_later};

Operand rule_list(Emitter &e, std::span<const Operand> items) {
  if (items.empty())
    e.fail("Cannot infer the type of an empty list: nothing is appended to it",
           "append to it in the same function, or start from a list with an item");
  const Type *item = item_type_of(items[0].type);
  for (const Operand &x : items) {
    const Type *other = item_type_of(x.type);
    const Type *both = meet(e, item, other);
    if (!both)
      e.fail("Cannot unify " + item->text + " and " + x.type->text + " for the items of a list",
             "a list has items of one type");
    item = both;
  }
  return rule_container(e, types::list(item), items);
}

Operand rule_container(Emitter &e, const Type *type, std::span<const Operand> items) {
  if (type->kind == Kind::List) {
    const Type *item = type->params[0];
    Operand list = new_list(e, type, e.i64(static_cast<int64_t>(items.size())));
    for (size_t i = 0; i < items.size(); ++i)
      e.store(list_item_pointer(e, list, e.i64(static_cast<int64_t>(i))), e.convert(items[i], item),
              tir::Alias::ListData);
    return list;
  }
  if (type->kind == Kind::LiteralList || type->kind == Kind::LiteralDict) {
    const size_t step = items.size() / type->params.size(); // keys are in the type
    Operands values;
    for (size_t i = step - 1; i < items.size(); i += step)
      values.push_back(items[i]);
    return e.make(type, values);
  }
  // One loop over a tuple of what goes in: the code of an insertion is needed once.
  const bool is_set = type->kind == Kind::Set;
  Operands entries;
  for (size_t i = 0; i < items.size(); i += type->params.size()) {
    Operands parts;
    for (size_t k = 0; k < type->params.size(); ++k)
      parts.push_back(e.convert(items[i + k], type->params[k]));
    entries.push_back(is_set ? parts[0] : e.make(types::tuple(type->params), parts));
  }
  Operand table = new_table(e, type);
  if (!entries.empty())
    e.library(
        "numjit.fill_table",
        {table,
         e.make(types::uniform_tuple(entries[0].type, static_cast<int>(entries.size())), entries)});
  return table;
}

} // namespace numjit
