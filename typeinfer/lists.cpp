// Lists: intrinsics over the runtime's nj_list, from which library/lists.py makes the methods.
#include "runtime/runtime.h"
#include "typeinfer/engine.h"
#include "typeinfer/unify.h"

#include <cstddef>
#include <deque>
#include <map>
#include <mutex>

namespace numjit {

namespace {

/// What the runtime must know of the items of a list type. Kept for the life of the process.
const void *item_descriptor(const Reference &reference) {
  const Type *item = reference.types[0];
  struct Row {
    nj_item item;
    std::vector<uint32_t> owners;
  };
  static std::mutex mutex;
  static std::map<const Type *, Row> rows;
  std::lock_guard lock(mutex);
  auto [found, made] = rows.try_emplace(item);
  Row &row = found->second;
  if (made) {
    const TypeLayout &layout = layout_of(item);
    for (const LeafInfo &leaf : layout.leaves)
      if (leaf.owner)
        row.owners.push_back(leaf.offset);
    row.item = {layout.size, static_cast<int32_t>(row.owners.size()), row.owners.data()};
  }
  return &row.item;
}

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
  set_header_field(e, list, offsetof(nj_list, dirty), e.i64(1));
}

Operand new_list(Emitter &e, const Type *item, const Operand &length) {
  Operand size = e.i64(layout_of(item).size);
  Operands arguments{length, size,
                     e.address(references::make(references::list_item, {item}), types::int64())};
  Operand owner = e.runtime(tir::RuntimeOp::ListNew, types::owner(), arguments);
  return e.make(types::list(item), {owner});
}

const Type *item_type(const Operand &list) { return list.type->params[0]; }

// --- intrinsics
// ----------------------------------------------------------------------------------------------

/// numjit.list_new(like, n): n zeroed items of the list's type.
Operand list_new(Emitter &e, Operands &a) {
  const Type *item = a[0].type->kind == Kind::List ? item_type(a[0]) : a[0].type;
  return new_list(e, item, a[1]);
}

Operand list_get(Emitter &e, Operands &a) {
  return e.load(list_item_pointer(e, a[0], a[1]), tir::Alias::ListData);
}

/// Overwrites an item: the old one is released.
Operand list_set(Emitter &e, Operands &a) {
  Operand pointer = list_item_pointer(e, a[0], a[1]);
  if (item_type(a[0])->counted)
    e.load(pointer, tir::Alias::ListData, true);
  e.store(pointer, a[2], tir::Alias::ListData);
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
  Operands arguments{e.field(a[0], 0), a[1], e.i64(layout_of(item_type(a[0])).size)};
  e.runtime(tir::RuntimeOp::ListGrow, types::none(), arguments);
  return e.none();
}

Operand same_list(Emitter &e, Operands &a) {
  return e.op(Operator::Eq, e.pointer_bits(e.field(a[0], 0)), e.pointer_bits(e.field(a[1], 0)));
}

Operand item_like(Emitter &e, Operands &a) { return as_list_item(e, a[0], a[1]); }

Operand make_list(Emitter &e, Operands &a) {
  if (a[0])
    return e.library("numjit.list_of", {a[0]});
  return rule_list(e, {});
}

const Builtin kRows[] = {
    {"builtins.list", "iterable?", make_list},
    {"numjit.list_new", "like n", list_new},
    {"numjit.list_get", "list i", list_get},
    {"numjit.list_set", "list i value", list_set},
    {"numjit.list_init", "list i value", list_init},
    {"numjit.list_take", "list i", list_take},
    {"numjit.list_set_length", "list n", list_set_length},
    {"numjit.list_capacity", "list", list_capacity},
    {"numjit.list_reserve", "list n", list_reserve},
    {"numjit.same_list", "a b", same_list},
    {"numjit.item_like", "list x", item_like}, // x converted to the list's item type
};

} // namespace

BuiltinTable list_builtins() { return kRows; }

Operand as_list_item(Emitter &e, const Operand &list, const Operand &value) {
  const Type *item = item_type(list), *from = value.type;
  const bool loses = from->is_scalar() && item->is_scalar() &&
                     ((from->is_complex() && !item->is_complex()) ||
                      (from->is_float() && !item->is_float() && !item->is_complex()));
  if (loses)
    e.fail("cannot put a " + from->text + " into a " + list.type->text +
               ": its items would lose their value",
           item->is_complex() || from->is_complex()
               ? "start the list with a complex number"
               : "start the list with a float, or use int(...)");
  if (from->kind != item->kind && item->kind != Kind::Optional && from->kind != Kind::Optional)
    e.fail("cannot put a " + from->text + " into a " + list.type->text,
           "a list has items of one type");
  return e.convert(value, item);
}

Operand list_length(Emitter &e, const Operand &list) {
  return e.nonneg(header_field(e, list, offsetof(nj_list, length), types::int64()));
}

Operand list_item_pointer(Emitter &e, const Operand &list, const Operand &index) {
  const Type *item = item_type(list);
  Operand data = header_field(e, list, offsetof(nj_list, data), types::pointer(item));
  return e.ptr_add(data, e.index_mul(index, e.i64(layout_of(item).size)), item);
}

Operand rule_list(Emitter &e, std::span<const Operand> items) {
  if (items.empty())
    e.fail("Cannot infer the type of an empty list: nothing is appended to it",
           "append to it in the same function, or start from a list with an item");
  const Type *item = items[0].type;
  for (const Operand &x : items) {
    const Type *both = unify(item, x.type);
    if (!both)
      e.fail("Cannot unify " + item->text + " and " + x.type->text + " for the items of a list",
             "a list has items of one type");
    item = both;
  }
  Operand list = new_list(e, item, e.i64(static_cast<int64_t>(items.size())));
  for (size_t i = 0; i < items.size(); ++i)
    e.store(list_item_pointer(e, list, e.i64(static_cast<int64_t>(i))), e.convert(items[i], item),
            tir::Alias::ListData);
  return list;
}

Operand rule_empty_list(Emitter &e, const Type *item) { return new_list(e, item, e.i64(0)); }

void rule_list_append(Emitter &e, const Operand &list, const Operand &item) {
  e.library("List.append", {list, item});
}

const ReferenceRow references::list_item = {"list item", item_descriptor};

} // namespace numjit
