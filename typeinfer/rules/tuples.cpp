// Tuples, and displays of lists whose items have no common type: their items, and loops over them.
#include "typeinfer/infer/engine.h"
#include "typeinfer/infer/unify.h"
#include "typeinfer/rules/indexing.h"
#include "typeinfer/rules/kind_rules.h"

#include <algorithm>
#include <optional>

namespace numjit {

namespace {

/// One of the functions of a tuple, from item `first` on.
Operand function_at(Emitter &e, const Operand &tuple, const Operand &index, int first) {
  Operand item = e.field(tuple, first);
  if (static_cast<size_t>(first) + 1 == tuple.type->params.size())
    return item;
  return e.choose(
      e.op(Operator::Eq, index, e.i64(first)), [&] { return item; },
      [&] { return function_at(e, tuple, index, first + 1); });
}

/// Of a tuple, by a slice whose bounds are known at run time only.
Operand run_time_part(Emitter &e, const Operand &tuple, const Operand &slice) {
  const Operand items = e.unliteral(tuple);
  if (tuple.type->kind == Kind::LiteralList || !items.type->is_homogeneous())
    e.fail("a " + tuple.type->text + " can only be sliced by constants",
           "its items have different types");
  return items.type->params.empty() ? items : e.library("numjit.tuple_part", {items, slice});
}

} // namespace

Operand literal_list(Emitter &e, const Operands &items) {
  std::vector<const Type *> item_types;
  for (const Operand &item : items)
    item_types.push_back(item.type);
  return e.make(types::literal_list(std::move(item_types)), items);
}

Operand items_tuple(Emitter &e, const Operand &tuple, const Operand &index) {
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
    return items_tuple(e, e.unliteral(tuple), index);
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

namespace {

/// A few literal strings keep their values: names of fields, dtypes.
Operand iter_tuple(Emitter &e, const Operand &object) {
  if (constexpr size_t few = 8; object.type->params.size() > few &&
                                !object.type->is_homogeneous() &&
                                unliteral(object.type)->is_homogeneous())
    return indexed_iter(e, e.unliteral(object));
  return indexed_iter(e, object);
}

NextResult next_tuple(Emitter &e, const Operand &it, const Operand *) {
  const Type *of = it.type->params[0];
  if (of->params.empty()) // known now, so that the loop's body is not typed
    return {e.boolean(false), e.none(), it, {}};
  return indexed_next(e, it, e.i64(static_cast<int64_t>(of->params.size())),
                      [&e, of](const Operand &tuple, const Operand &index) {
                        if (is_mixed_tuple(of)) // the loop is going to be unrolled
                          throw NotKnownYet();
                        return e.field_at(tuple, index);
                      });
}

Operand later_in_tuple(Emitter &e, const Operand &it, int index) {
  return e.field(e.field(it, 0), index);
}

} // namespace

constinit const IterationRules iterate_tuple{iter_tuple, next_tuple, later_in_tuple};

} // namespace numjit
