// Dicts and sets: loops over them, and intrinsics over the runtime's nj_table, from which
// library/core/tables.py makes what both are, and library/python/dicts.py and sets.py their
// methods.
#include "typeinfer/infer/engine.h"
#include "typeinfer/infer/unify.h"
#include "typeinfer/rules/kind_rules.h"
#include "typeinfer/types/frozen.h"
#include "typeinfer/types/item_descriptor.h"

#include <algorithm>
#include <array>
#include <cstddef>

namespace numjit {

/// Of values that are all known it is a constant, as a tuple of them would be.
Operand literal_dict(Emitter &e, std::vector<std::string> names, const Operands &values) {
  std::vector<const Type *> types;
  for (const Operand &value : values)
    types.push_back(value.type);
  const Type *type = types::literal_dict(std::move(names), std::move(types));
  const Const *known = nullptr;
  if (DryScope dry(e); !values.empty())
    known = e.tuple(values).constant;
  return known ? Operand{type, known, nullptr, e.position} : e.make(type, values);
}

namespace {

struct HeaderField {
  std::string_view name;
  size_t offset;
};
constexpr HeaderField kHeader[] = {
    {"used", offsetof(nj_table, used)},   {"end", offsetof(nj_table, end)},
    {"room", offsetof(nj_table, room)},   {"mask", offsetof(nj_table, mask)},
    {"dirty", offsetof(nj_table, dirty)},
};

Operand header_pointer(Emitter &e, const Operand &table, size_t offset, const Type *to) {
  Operand header = e.owner_data(e.field(table, 0), types::int64());
  return e.ptr_add(header, e.i64(static_cast<int64_t>(offset)), to);
}

Operand header_number(Emitter &e, const Operand &table, std::string_view name) {
  for (const HeaderField &field : kHeader)
    if (field.name == name)
      return e.nonneg(
          e.load(header_pointer(e, table, field.offset, types::int64()), tir::Alias::ListHeader));
  throw InternalError("a table has no " + std::string(name));
}

/// numjit.table_get(table, name), numjit.table_put(table, name, number): the header.
Operand table_get(Emitter &e, Operands &a) {
  return header_number(e, a[0], a[1].type->constant->text);
}

Operand table_put(Emitter &e, Operands &a) {
  check_changeable(e, a[0]);
  for (const HeaderField &field : kHeader)
    if (field.name == a[1].type->constant->text)
      e.store(header_pointer(e, a[0], field.offset, types::int64()), a[2], tir::Alias::ListHeader);
  return e.none();
}

Operand slot_pointer(Emitter &e, const Operand &table, const Operand &slot) {
  const Type *number = types::scalar(ScalarId::Int32);
  Operand index =
      e.load(header_pointer(e, table, offsetof(nj_table, index), types::pointer(number)),
             tir::Alias::ListHeader);
  return e.ptr_add(index, e.index_mul(slot, e.i64(4)), number);
}

/// numjit.slot_get(table, slot), numjit.slot_put(table, slot, entry): the index.
Operand slot_get(Emitter &e, Operands &a) {
  return e.cast(e.load(slot_pointer(e, a[0], a[1]), tir::Alias::ListData), types::int64());
}

Operand slot_put(Emitter &e, Operands &a) {
  e.store(slot_pointer(e, a[0], a[1]), e.cast(a[2], types::scalar(ScalarId::Int32)),
          tir::Alias::ListData);
  return e.none();
}

/// Where a part of an entry lies.
Operand entry_pointer(Emitter &e, const Operand &table, const Operand &entry, int part) {
  const Type *type = entry_type(table.type), *to = type->params[part];
  Operand entries =
      e.load(header_pointer(e, table, offsetof(nj_table, entries), types::pointer(to)),
             tir::Alias::ListHeader);
  Operand offset = e.index_add(e.index_mul(entry, e.i64(layout_of(type).size)),
                               e.i64(entry_offset(table.type, part)));
  return e.ptr_add(entries, offset, to);
}

Operand entry_part(Emitter &e, const Operand &table, const Operand &entry, int part, bool take) {
  const Type *type = entry_type(table.type)->params[part];
  if (type->kind == Kind::None)
    return e.none();
  return e.load(entry_pointer(e, table, entry, part), tir::Alias::ListData, take);
}

template <int part>
Operand entry_get(Emitter &e, Operands &a) {
  return entry_part(e, a[0], a[1], part, false);
}

/// Takes a part out of its memory, and its count with it.
template <int part>
Operand entry_take(Emitter &e, Operands &a) {
  check_changeable(e, a[0]);
  return entry_part(e, a[0], a[1], part, true);
}

/// Writes a part where there is none.
template <int part>
Operand entry_init(Emitter &e, Operands &a) {
  check_changeable(e, a[0]);
  if (entry_type(a[0].type)->params[part]->kind != Kind::None)
    e.store(entry_pointer(e, a[0], a[1], part), a[2], tir::Alias::ListData);
  return e.none();
}

/// Overwrites a value: the old one is released.
Operand value_set(Emitter &e, Operands &a) {
  check_changeable(e, a[0]);
  if (a[0].type->params[1]->kind != Kind::None)
    e.overwrite(entry_pointer(e, a[0], a[1], kEntryValue), a[2], tir::Alias::ListData);
  return e.none();
}

template <int part>
Operand as_part(Emitter &e, Operands &a) {
  return as_item(e, a[0].type->params[part], a[0], a[1]);
}

/// numjit.table_copy(table): a new one with the same entries.
Operand table_copy(Emitter &e, Operands &a) {
  std::array<Operand, 1> table{e.field(a[0], 0)};
  return e.make(types::thawed(a[0].type),
                {e.runtime(tir::RuntimeOp::TableCopy, types::owner(), table)});
}

// --- making dicts and sets ---

[[noreturn]] void fail_empty(Emitter &e, const std::string &what, const std::string &typed) {
  e.fail("Cannot infer the type of an empty " + what + ": nothing is put into it",
         "put something into it in the same function" + typed);
}

/// dict(d) of one with constant keys, such as a **parameter: one that can change.
Operand dict_of_literal(Emitter &e, const Operand &dict) {
  const Type *value = nullptr;
  Operands entries;
  for (size_t i = 0; i < dict.type->names.size(); ++i) {
    const Operand item = e.unliteral(e.field(dict, static_cast<int>(i)));
    value = i ? unify(value, item.type) : item.type;
    if (!value)
      e.fail("dict() of " + dict.type->text + ": its values have no common type");
    entries.push_back(e.constant(constants::string(dict.type->names[i])));
    entries.push_back(item);
  }
  return rule_container(e, types::dict(types::unicode(), value), entries);
}

Operand make_dict(Emitter &e, Operands &a) {
  if (a[0] && a[0].type->kind == Kind::LiteralDict && !a[0].type->names.empty())
    return dict_of_literal(e, a[0]);
  if (a[0])
    return e.library("numjit.dict_of", {a[0]});
  fail_empty(e, "dict", ", or use typed.Dict.empty(key_type, value_type)");
}

Operand make_set(Emitter &e, Operands &a) {
  if (a[0])
    return e.library("numjit.set_of", {a[0]});
  fail_empty(e, "set", "");
}

Operand make_frozen_set(Emitter &e, Operands &a) {
  if (a[0])
    return e.library("numjit.frozen_set_of", {a[0]});
  fail_empty(e, "frozenset", "");
}

/// numjit.as_frozen(set): the same memory, which nothing changes from now on, as a frozenset.
Operand as_frozen(Emitter &e, Operands &a) {
  return e.make(types::frozen_set(a[0].type->params[0]), {e.field(a[0], 0)});
}

/// numjit.as_changeable(set): while a frozenset is made, it is a set.
Operand as_changeable(Emitter &e, Operands &a) {
  return e.make(types::set(a[0].type->params[0]), {e.field(a[0], 0)});
}

Operand make_typed_set(Emitter &e, Operands &a) {
  if (a[0])
    return e.library("numjit.typed_set_of", {a[0]});
  fail_empty(e, "set", ", or use typed.Set.empty(item_type)");
}

/// typed.Set.empty(item_type)
Operand empty_set(Emitter &e, Operands &a) {
  return new_table(e, types::set(named_type(e, a[0]), true));
}

/// typed.Dict.empty(key_type, value_type)
Operand empty_dict(Emitter &e, Operands &a) {
  return new_table(e, types::dict(named_type(e, a[0]), named_type(e, a[1])));
}

template <int what>
Operand dict_view(Emitter &e, Operands &a) {
  static constexpr const char *names[] = {"keys", "values", "items"};
  return e.make(types::dict_view(a[0].type, constants::string(names[what])), {a[0]});
}

/// numjit.viewed(view): the dict.
Operand viewed(Emitter &e, Operands &a) { return e.field(a[0], 0); }

template <const char *part>
Operand literal_part(Emitter &e, Operands &a) {
  return literal_dict_part(e, a[0], part);
}

constexpr char kKeys[] = "keys", kValues[] = "values", kItems[] = "items";

/// numjit.merged(a, b): the keywords of both; where both have one, that of b.
Operand merged(Emitter &e, Operands &a) {
  std::vector<std::string> names = a[0].type->names;
  Operands values;
  for (size_t i = 0; i < names.size(); ++i)
    values.push_back(e.field(a[0], static_cast<int>(i)));
  for (size_t i = 0; i < a[1].type->names.size(); ++i) {
    const std::string &name = a[1].type->names[i];
    const Operand value = e.field(a[1], static_cast<int>(i));
    const auto place = std::find(names.begin(), names.end(), name);
    if (place != names.end()) {
      values[static_cast<size_t>(place - names.begin())] = value;
      continue;
    }
    names.push_back(name);
    values.push_back(value);
  }
  return literal_dict(e, std::move(names), values);
}

// --- literal dicts that stand for dicts (frontend/known_items.cpp) ---

/// The items of a literal dict, in order.
struct LiteralItems {
  explicit LiteralItems(Emitter &e) : e(e) {}

  void add(const Operand &dict) {
    if (dict.type->kind != Kind::LiteralDict)
      e.fail("the keys of " + dict.type->text + " are not known at compile time");
    for (size_t i = 0; i < dict.type->names.size(); ++i)
      put(dict.type->names[i], e.field(dict, static_cast<int>(i)));
  }
  void add(std::span<const Operand> keys_and_values) {
    for (size_t i = 0; i + 1 < keys_and_values.size(); i += 2)
      put(keys_and_values[i].type->constant->text, keys_and_values[i + 1]);
  }
  void put(const std::string &name, const Operand &value) {
    const auto found = std::ranges::find(names, name);
    if (found != names.end()) {
      values[static_cast<size_t>(found - names.begin())] = value;
    } else {
      names.push_back(name);
      values.push_back(value);
    }
  }
  Operand dict() const { return literal_dict(e, names, values); }

  Emitter &e;
  std::vector<std::string> names{};
  Operands values{};
};

Operand literal_dict_of(Emitter &e, Operands &a) {
  LiteralItems items(e);
  items.add(std::span<const Operand>(a));
  return items.dict();
}

/// (dict, key, value, ...) or (dict, other dict, key, value, ...)
Operand with_keys(Emitter &e, Operands &a) {
  LiteralItems items(e);
  items.add(a[0]);
  size_t first = 1;
  if (a.size() % 2 == 0)
    items.add(a[first++]);
  items.add(std::span<const Operand>(a).subspan(first));
  return items.dict();
}

/// The place of a key; -1: it is not there.
int place_of(const Operand &dict, const Operand &key) {
  if (dict.type->kind != Kind::LiteralDict)
    return -1;
  const auto &names = dict.type->names;
  const auto found = std::ranges::find(names, key.type->constant->text);
  return found == names.end() ? -1 : static_cast<int>(found - names.begin());
}

Operand with_default(Emitter &e, Operands &a) {
  return place_of(a[0], a[1]) >= 0 ? a[0] : with_keys(e, a);
}

void raise_key_error(Emitter &e, const Operand &key) {
  e.raise_if(e.boolean(true), "KeyError", to_string(*key.type->constant));
}

Operand without_key(Emitter &e, Operands &a) {
  if (place_of(a[0], a[1]) < 0 && !a[2])
    raise_key_error(e, a[1]);
  LiteralItems all(e), others(e);
  all.add(a[0]);
  for (size_t i = 0; i < all.names.size(); ++i)
    if (all.names[i] != a[1].type->constant->text)
      others.put(all.names[i], all.values[i]);
  return others.dict();
}

Operand item_of(Emitter &e, Operands &a) {
  if (const int place = place_of(a[0], a[1]); place >= 0)
    return e.field(a[0], place);
  if (!a[2])
    raise_key_error(e, a[1]);
  return a[2] ? a[2] : e.none();
}

/// Where the types of items of a dict meet, or the default for a key that is not there.
Emitter::Meet meet_of(const Emitter &e) { return e.options().unions ? unify_or_unite : unify; }

/// The item under a key that is known at run time; `missing` gives what there is for other keys.
Operand item_by_text(Emitter &e, const Operand &dict, const Operand &key,
                     const std::function<Operand()> &missing) {
  const int count = static_cast<int>(dict.type->names.size());
  Operand number = e.i64(count);
  for (int i = 0; i < count; ++i) {
    const Operand name = e.constant(constants::string(dict.type->names[i]));
    number = e.select(rule_operator(e, Operator::Eq, key, name, false), e.i64(i), number);
  }
  std::function<Operand(int)> from = [&](int i) {
    return i == count ? missing()
                      : e.choose(
                            e.op(Operator::Eq, number, e.i64(i)), [&] { return e.field(dict, i); },
                            [&] { return from(i + 1); }, meet_of(e));
  };
  return from(0);
}

/// {"a": 1, "b": "x"}.get(key[, default])
Operand get_literal(Emitter &e, Operands &a) {
  auto otherwise = [&] { return a[2] ? a[2] : e.none(); };
  if (a[1].type->kind == Kind::Optional) {
    const Operand key = a[1];
    return e.choose(
        e.field(key, 0),
        [&] {
          Operands of_value = {a[0], e.field(key, 1), a[2]};
          return get_literal(e, of_value);
        },
        otherwise, meet_of(e));
  }
  if (a[1].type->kind == Kind::Unicode)
    return item_by_text(e, a[0], a[1], otherwise);
  const int place = a[1].type->kind == Kind::String ? place_of(a[0], a[1]) : -1;
  return place < 0 ? otherwise() : e.field(a[0], place);
}

/// The place of a known key in the keys and values of a global dict; -1 if it is not there, nothing
/// if that is not known. Keys of one kind are alike if they are one constant.
std::optional<int> place_in_global(const Operand &dict, const Operand &key) {
  const Const *name = key.type->kind == Kind::String ? key.type->constant : key.constant;
  const bool is_global = dict.type->kind == Kind::Dict && is_frozen(dict.type) && dict.constant &&
                         dict.constant->is_object(ObjectKind::Record) &&
                         dict.constant->object->value;
  if (!is_global || !name || !name->scalar.empty() ||
      (name->kind != ConstKind::Str && name->kind != ConstKind::Int))
    return std::nullopt;
  const std::vector<const Const *> &items = dict.constant->object->value->items;
  for (size_t i = 0; i + 1 < items.size(); i += 2)
    if (items[i]->kind != name->kind || !items[i]->scalar.empty())
      return std::nullopt;
  for (size_t i = 0; i + 1 < items.size(); i += 2)
    if (items[i] == name)
      return static_cast<int>(i);
  return -1;
}

/// d.get(key[, default])
Operand get(Emitter &e, Operands &a) {
  if (Operand known = known_item_of(e, a[0], a[1]))
    return known;
  if (a[2] && place_in_global(a[0], a[1]) == -1)
    return a[2];
  const Type *value = a[0].type->params[1];
  if (!a[2] || !e.options().unions || unify(value, a[2].type))
    return e.library("numjit.dict_get", a);
  return e.choose(
      e.truth(rule_operator(e, Operator::In, a[1], a[0], false)),
      [&] { return rule_getitem(e, a[0], a[1]); }, [&] { return a[2]; }, unify_or_unite);
}

const Builtin kTableRows[] = {
    {"numjit.merged", "a b", merged},
    {"numjit.literal_dict", "*", literal_dict_of},
    {"numjit.with_key", "*", with_keys},
    {"numjit.with_keys", "*", with_keys},
    {"numjit.with_default", "dict key value", with_default},
    {"numjit.without_key", "dict key default?", without_key},
    {"numjit.item_of", "dict key default?", item_of},
    {"Dict.get", "self key default?", get},
    {"LiteralDict.get", "self key default?", get_literal},
    {"LiteralDict.keys", "self", literal_part<kKeys>},
    {"LiteralDict.values", "self", literal_part<kValues>},
    {"LiteralDict.items", "self", literal_part<kItems>},
    {"builtins.dict", "iterable?", make_dict},
    {"builtins.set", "iterable?", make_set},
    {"builtins.frozenset", "iterable?", make_frozen_set},
    {"numjit.as_frozen", "set", as_frozen},
    {"numjit.as_changeable", "set", as_changeable},
    {"numjit.typed.Dict", "iterable?", make_dict},
    {"numjit.typed.Set", "iterable?", make_typed_set},
    {"numjit.typed.Set.empty", "item_type n_items?", empty_set},
    {"numjit.typed.Dict.empty", "key_type value_type n_keys?", empty_dict},
    {"Dict.keys", "self", dict_view<0>},
    {"Dict.values", "self", dict_view<1>},
    {"Dict.items", "self", dict_view<2>},
    {"numjit.viewed", "view", viewed},
    {"numjit.table_get", "table name", table_get},
    {"numjit.table_put", "table name number", table_put},
    {"numjit.slot_get", "table slot", slot_get},
    {"numjit.slot_put", "table slot entry", slot_put},
    {"numjit.hash_get", "table entry", entry_get<kEntryHash>},
    {"numjit.hash_init", "table entry hash", entry_init<kEntryHash>},
    {"numjit.key_get", "table entry", entry_get<kEntryKey>},
    {"numjit.key_take", "table entry", entry_take<kEntryKey>},
    {"numjit.key_init", "table entry key", entry_init<kEntryKey>},
    {"numjit.value_get", "table entry", entry_get<kEntryValue>},
    {"numjit.value_take", "table entry", entry_take<kEntryValue>},
    {"numjit.value_init", "table entry value", entry_init<kEntryValue>},
    {"numjit.value_set", "table entry value", value_set},
    {"numjit.as_key", "table key", as_part<0>},
    {"numjit.as_value", "table value", as_part<1>},
    {"numjit.table_copy", "table", table_copy},
};

} // namespace

Operand known_item_of(Emitter &e, const Operand &dict, const Operand &key) {
  const int place = place_in_global(dict, key).value_or(-1);
  if (place < 0)
    return {};
  const Operand item = e.constant(dict.constant->object->value->items[place + 1]);
  return item.type == dict.type->params[1] || item.type->kind == Kind::String ? item : Operand{};
}

BuiltinTable table_builtins() { return kTableRows; }

Operand literal_dict_part(Emitter &e, const Operand &dict, std::string_view part) {
  Operands items;
  for (size_t i = 0; i < dict.type->names.size(); ++i) {
    Operand key = e.constant(constants::string(dict.type->names[i]));
    Operand value = e.field(dict, static_cast<int>(i));
    items.push_back(part == "keys"     ? key
                    : part == "values" ? value
                                       : e.tuple(Operands{key, value}));
  }
  return e.tuple(items);
}

Operand items_literal_dict(Emitter &e, const Operand &dict, const Operand &key) {
  const std::vector<std::string> &keys = dict.type->names;
  if (key.type->kind == Kind::Unicode && e.options().unions && !keys.empty())
    return item_by_text(e, dict, key, [&] {
      e.library("numjit.missing_key", {key});
      return e.field(dict, 0);
    });
  if (key.type->kind != Kind::String)
    e.fail("the keys of " + dict.type->text + " are constant strings, not " + key.type->text,
           "its values have different types: which one is meant must be known at compile time");
  auto found = std::find(keys.begin(), keys.end(), key.type->constant->text);
  if (found == keys.end())
    e.fail_as("NumbaKeyError",
              "key '" + key.type->constant->text + "' is not in " + dict.type->text);
  return e.field(dict, static_cast<int>(found - keys.begin()));
}

static Operand iter_literal_dict(Emitter &e, const Operand &dict) {
  return rule_iter(e, literal_dict_part(e, dict, "keys"));
}
constinit const IterationRules iterate_literal_dict{iter_literal_dict, no_next, no_later};

Operand new_table(Emitter &e, const Type *type) {
  const Reference *item = references::make(references::list_item, {entry_type(type)});
  std::array<Operand, 1> descriptor{e.address(item, types::int64())};
  return e.make(type, {e.runtime(tir::RuntimeOp::TableNew, types::owner(), descriptor)});
}

/// State: the table, the number of the next entry, and how many were used when the loop began.
static Operand iter_table(Emitter &e, const Operand &object) {
  Operand table = object.type->kind == Kind::DictView ? e.field(object, 0) : object;
  return e.make(types::iterator(object.type, {table.type, types::int64(), types::int64()}),
                {table, e.i64(0), header_number(e, table, "used")});
}

static NextResult next_table(Emitter &e, const Operand &it, const Operand *) {
  const Type *of = it.type->params[0];
  Operand table = e.field(it, 0), position = e.nonneg(e.field(it, 1)), used = e.field(it, 2);
  Operand at = e.library("numjit.next_entry", {table, position, used});
  NextResult next;
  next.valid = e.op(Operator::Lt, at, header_number(e, table, "end"));
  next.state = e.make(it.type, {table, e.nonneg(e.index_add(at, e.i64(1))), used});
  next.read = [&e, of, table, at] {
    const std::string what = of->kind == Kind::DictView ? of->constant->text : "keys";
    if (what == "keys")
      return entry_part(e, table, at, kEntryKey, false);
    if (what == "values")
      return entry_part(e, table, at, kEntryValue, false);
    std::array<Operand, 2> both{entry_part(e, table, at, kEntryKey, false),
                                entry_part(e, table, at, kEntryValue, false)};
    return e.tuple(both);
  };
  next.item = e.dry() ? next.read() : Operand{};
  return next;
}

constinit const IterationRules iterate_table{iter_table, next_table, no_later};

} // namespace numjit
