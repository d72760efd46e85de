// What a `for` loop does with an object, by its kind; enumerate, zip, walks over all elements, and
// what iterates by a function of the library. The rules of other kinds are in the files of the
// kinds.
#include "typeinfer/infer/engine.h"
#include "typeinfer/rules/kind_rules.h"
#include "typeinfer/rules/lookup.h"

#include <array>

namespace numjit {

// --- what several kinds share ---

NextResult no_next(Emitter &, const Operand &it, const Operand *) {
  throw InternalError("iteration over " + it.type->params[0]->text);
}

Operand no_later(Emitter &e, const Operand &it, int) {
  e.fail("zip() of a tuple whose items have different types and a " + it.type->params[0]->text +
             " is not supported",
         "make a list of it first: list(...)");
}

Operand indexed_iter(Emitter &e, const Operand &object) {
  return e.make(types::iterator(object.type, {object.type, types::int64()}), {object, e.i64(0)});
}

NextResult
indexed_next(Emitter &e, const Operand &it, const Operand &length,
             const std::function<Operand(const Operand &object, const Operand &index)> &item,
             std::span<const Operand> unchanged) {
  Operand object = e.field(it, 0), index = e.nonneg(e.field(it, 1));
  NextResult next;
  next.valid = e.op(Operator::Lt, index, length);
  Operands state{object, e.nonneg(e.index_add(index, e.i64(1)))};
  for (const Operand &part : unchanged)
    state.push_back(part);
  next.state = e.make(it.type, state);
  // The item exists only where the index is valid; code behind the test reads it.
  next.read = [&e, object, index, item] { return item(object, index); };
  next.item = e.dry() ? item(object, index) : Operand{};
  return next;
}

Operand indexed_later(Emitter &e, const Operand &it, int index) {
  return rule_getitem(e, e.field(it, 0), e.i64(index));
}

namespace {

// --- enumerate, zip ---

Operand enumerate(Emitter &e, Operands &a) {
  Operand start =
      a[1] ? e.cast(e.library("operator.index", {e.unwrap(a[1])}), types::int64()) : e.i64(0);
  return e.make(types::enumerate(a[0].type), {start, a[0]});
}

Operand zip(Emitter &e, Operands &a) {
  std::vector<const Type *> parts;
  for (const Operand &x : a) {
    if (x.type->is_item())
      e.fail("zip() takes what can be iterated over, not " + x.type->text);
    parts.push_back(x.type);
  }
  return e.make(types::zip(parts), a);
}

Operand tuple_of_iterators(Emitter &e, const Operand &object, size_t first) {
  Operands state;
  std::vector<const Type *> state_types;
  for (size_t i = 0; i < object.type->fields.size(); ++i) {
    Operand part = e.field(object, static_cast<int>(i));
    state.push_back(i < first ? part : rule_iter(e, part));
    state_types.push_back(state.back().type);
  }
  return e.make(types::iterator(object.type, state_types), state);
}

/// By the column `iteration` of kinds.def.
constexpr const IterationRules *kRules[] = {
#define NUMJIT_KIND(id, attributes, cls, fields, text, items, iteration, ...) &iterate_##iteration,
#include "typeinfer/types/kinds.def"
#undef NUMJIT_KIND
};

const IterationRules &rules_of(const Type *type) {
  return *kRules[static_cast<size_t>(type->kind)];
}

NextResult next_if(Emitter &e, const Operand &it, const Operand *wanted) {
  return rules_of(it.type->params[0]).next(e, it, wanted);
}

/// Iterators are asked one after the other: none behind one that has ended.
NextResult joined_next(Emitter &e, const Operand &it, size_t first, const Operand *wanted) {
  NextResult joined;
  joined.valid = e.boolean(first < it.type->fields.size()); // zip() has no items
  std::vector<NextResult> parts;
  Operands states;
  Operand count;
  if (first) {
    count = e.field(it, 0);
    states.push_back(e.cast(e.index_add(count, e.i64(1)), types::int64()));
  }
  for (size_t i = first; i < it.type->fields.size(); ++i) {
    parts.push_back(next_if(e, e.field(it, static_cast<int>(i)), wanted));
    joined.valid =
        i == first ? parts.back().valid : e.logical_and(joined.valid, parts.back().valid);
    wanted = &joined.valid;
    states.push_back(parts.back().state);
  }
  joined.state = e.make(it.type, states);
  auto items = [&e, parts, count, first]() {
    Operands values;
    if (first)
      values.push_back(count);
    for (const NextResult &part : parts)
      values.push_back(part.read ? part.read() : part.item);
    return e.tuple(values);
  };
  joined.read = items;
  joined.item = e.dry() ? items() : Operand{};
  return joined;
}

Operand joined_later(Emitter &e, const Operand &it, size_t first, int index) {
  Operands items;
  if (first)
    items.push_back(e.index_add(e.field(it, 0), e.i64(index)));
  for (size_t i = first; i < it.type->fields.size(); ++i)
    items.push_back(rule_unrolled_item(e, e.field(it, static_cast<int>(i)), index));
  return e.tuple(items);
}

Operand iter_enumerate(Emitter &e, const Operand &object) {
  return tuple_of_iterators(e, object, 1);
}
NextResult next_enumerate(Emitter &e, const Operand &it, const Operand *wanted) {
  return joined_next(e, it, 1, wanted);
}
Operand later_in_enumerate(Emitter &e, const Operand &it, int index) {
  return joined_later(e, it, 1, index);
}

Operand iter_zip(Emitter &e, const Operand &object) { return tuple_of_iterators(e, object, 0); }
NextResult next_zip(Emitter &e, const Operand &it, const Operand *wanted) {
  return joined_next(e, it, 0, wanted);
}
Operand later_in_zip(Emitter &e, const Operand &it, int index) {
  return joined_later(e, it, 0, index);
}

// --- walks over all elements in C order: generators of the library; on devices, which have none,
// the state is the object and the number of the element ---

constexpr std::string_view kIndex = "ndindex", kEnumerate = "ndenumerate", kViews = "nditer";

Operand walk(Emitter &e, std::string_view how, const Operand &over) {
  return e.make(types::method(over.type, constants::string(std::string(how))), {over});
}

Operand ndindex(Emitter &e, Operands &a) {
  if (a.size() == 1 && a[0].type->is_tuple())
    return walk(e, kIndex, a[0]);
  return walk(
      e, kIndex,
      e.convert(e.tuple(a), types::uniform_tuple(types::int64(), static_cast<int>(a.size()))));
}
Operand ndenumerate(Emitter &e, Operands &a) {
  return walk(e, kEnumerate, e.library("numpy.asarray", {a[0]}));
}
/// One array, or several as a tuple, all with the shape that they broadcast to.
Operand nditer(Emitter &e, Operands &a) {
  return walk(e, kViews, e.library("numjit.nditer_operands", {a[0]}));
}

NextResult next_walk(Emitter &e, const Operand &it, const Operand *) {
  const std::string &how = it.type->params[0]->constant->text;
  Operand over = e.field(e.field(it, 0), 0);
  const bool several = how == kViews && over.type->is_tuple();
  Operand shape = several                 ? array_shape_tuple(e, e.field(over, 0))
                  : over.type->is_array() ? array_shape_tuple(e, over)
                                          : over;
  auto item = [&e, how, over, shape, several](const Operand &, const Operand &number) {
    Operand index = e.library("numjit.index_of", {number, shape});
    if (how == kIndex)
      return index;
    if (several) {
      Operands views;
      for (size_t i = 0; i < over.type->params.size(); ++i)
        views.push_back(
            e.library("numjit.view_of_item", {e.field(over, static_cast<int>(i)), index}));
      return e.tuple(views);
    }
    if (how == kViews)
      return e.library("numjit.view_of_item", {over, index});
    std::array<Operand, 2> both{index, rule_getitem(e, over, index)};
    return e.tuple(both);
  };
  return indexed_next(e, it, e.nonneg(e.library("numjit.product", {shape})), item);
}

/// numjit.gives_arrays(x): whether the items of a list, a set, a generator or an array are arrays.
Operand gives_arrays(Emitter &e, Operands &a) {
  const Type *type = a[0].type;
  if (type->is_array())
    return e.boolean(type->ndim > 1);
  if (type->kind != Kind::List && type->kind != Kind::Generator)
    return e.boolean(false);
  return e.boolean(type->params[0]->is_array() || type->params[0]->kind == Kind::Lazy);
}

/// Whether there is an item that is `index` items later.
Operand has_later(Emitter &e, const Operand &it, int64_t index) {
  const Type *of = it.type->params[0];
  if (of->is_tuple())
    return e.boolean(index < static_cast<int64_t>(of->params.size()));
  if (of->kind == Kind::Enumerate || of->kind == Kind::Zip) {
    Operand all = e.boolean(true);
    for (size_t i = 0; i < it.type->fields.size(); ++i)
      if (it.type->fields[i]->kind == Kind::Iterator)
        all = e.logical_and(all, has_later(e, e.field(it, static_cast<int>(i)), index));
    return all;
  }
  if (rules_of(of).later == no_later) // which says what is wrong
    return e.boolean(true);
  if (of->kind == Kind::Range) {
    Operands state;
    for (size_t i = 0; i < it.type->fields.size(); ++i)
      state.push_back(e.field(it, static_cast<int>(i)));
    if (types::stride_of(of) == types::Stride::Any)
      state[1] = e.index_add(state[1], e.i64(-index)); // counts what is left
    else
      state[0] = e.cast(rule_unrolled_item(e, it, static_cast<int>(index)), state[0].type);
    return rule_next(e, e.make(it.type, state)).valid;
  }
  Operand length = call_builtin(e, *find_builtin("builtins.len"), {{e.field(it, 0)}, {}});
  return e.op(Operator::Lt, e.i64(index), length);
}

/// numjit.has_item(iterator, index): the test of a copy of a loop's body.
Operand has_item(Emitter &e, Operands &a) { return has_later(e, a[0], a[1].constant->integer); }

const Builtin kIterationRows[] = {
    {"numjit.gives_arrays", "iterable", gives_arrays},
    {"numjit.has_item", "iterator index", has_item},
    {"numpy.ndindex", "*", ndindex},
    {"numpy.ndenumerate", "arr", ndenumerate},
    {"numpy.nditer", "op", nditer},
    {"builtins.enumerate", "iterable start?", enumerate},
    {"builtins.zip", "*", zip},
};

} // namespace

BuiltinTable iteration_builtins() { return kIterationRows; }

bool is_walk(const Type *type) {
  if (type->kind != Kind::Method)
    return false;
  const std::string &how = type->constant->text;
  return how == kIndex || how == kEnumerate || how == kViews;
}

// --- the rules ---

static Operand iter_by_library(Emitter &e, const Operand &object) {
  const std::string method = std::string(kind_name(object.type)) + ".__iter__";
  if (e.engine.host.library(method))
    return rule_iter(e, e.library(method, {object}));
  if (Operand made; call_special_method(e, object, "__iter__", made)) {
    if (is_own_iterator(made.type))
      return rule_iter(e, e.library("numjit.iterate_object", {object}));
    return rule_iter(e, force(e, made));
  }
  if (class_member(object.type, "__getitem__"))
    return rule_iter(e, e.library("numjit.iterate_sequence", {object}));
  e.fail("getiter: a value of type " + object.type->text + " cannot be iterated over");
}

/// np.ndindex and the like; on devices there are no generators.
static Operand iter_method(Emitter &e, const Operand &object) {
  if (!is_walk(object.type))
    return iter_by_library(e, object);
  if (e.on_device())
    return indexed_iter(e, object);
  return rule_iter(e, e.library("numjit." + object.type->constant->text, {e.field(object, 0)}));
}

static Operand iter_iterator(Emitter &, const Operand &object) { return object; }

constinit const IterationRules iterate_none{iter_by_library, no_next, no_later};
constinit const IterationRules iterate_method{iter_method, next_walk, no_later};
constinit const IterationRules iterate_iterator{iter_iterator, no_next, no_later};
constinit const IterationRules iterate_enumerate{iter_enumerate, next_enumerate,
                                                 later_in_enumerate};
constinit const IterationRules iterate_zip{iter_zip, next_zip, later_in_zip};

bool is_iterable(Emitter &e, const Type *type) {
  return &rules_of(type) != &iterate_none || class_member(type, "__iter__") ||
         class_member(type, "__getitem__") || !library_method(e, type, "__iter__").empty();
}

Operand rule_iter(Emitter &e, const Operand &given) {
  Operand object = e.unwrap(given);
  if (object.type->kind == Kind::Union)
    object = as_one_tuple(e, object);
  return rules_of(object.type).iter(e, object);
}

NextResult rule_next(Emitter &e, const Operand &it) { return next_if(e, it, nullptr); }

NextResult rule_send(Emitter &e, const Operand &it, const Operand &sent) {
  if (it.type->params[0]->kind == Kind::Generator) {
    Operand result = resume_generator(e, e.field(it, 0), sent);
    return {e.field(result, 0), e.field(result, 1), it, {}, [&e, result] {
              return returned_by(e, result);
            }};
  }
  if (sent.type->kind != Kind::None)
    e.raise_if(sent.type->kind == Kind::Optional ? e.field(sent, 0) : e.boolean(true),
               "AttributeError", "what yield from runs over has no attribute 'send'");
  return rule_next(e, it);
}

int rule_unroll_count(const Type *iterator, bool short_tuples) {
  if (iterator->kind != Kind::Iterator)
    return -1;
  const Type *of = iterator->params[0];
  if (is_mixed_tuple(of) || (short_tuples && of->is_tuple() && of->params.size() <= kShortTuple))
    return static_cast<int>(of->params.size());
  if (of->kind == Kind::Enumerate || of->kind == Kind::Zip) {
    int count = -1;
    bool mixed = false;
    for (const Type *state : iterator->fields) {
      if (state->kind != Kind::Iterator)
        continue;
      const Type *part = state->params[0];
      mixed = mixed || rule_unroll_count(state, short_tuples) >= 0;
      int n = part->is_tuple() ? static_cast<int>(part->params.size())
                               : rule_unroll_count(state, short_tuples);
      if (n >= 0)
        count = count < 0 ? n : std::min(count, n);
    }
    return mixed ? count : -1;
  }
  return -1;
}

bool has_known_length(const Type *iterator) {
  const Type *of = iterator->kind == Kind::Iterator ? iterator->params[0] : iterator;
  if (of->kind != Kind::Enumerate && of->kind != Kind::Zip)
    return of->is_tuple();
  return std::ranges::all_of(iterator->fields, [](const Type *state) {
    return state->kind != Kind::Iterator || has_known_length(state);
  });
}

Operand rule_unrolled_item(Emitter &e, const Operand &it, int index) {
  return rules_of(it.type->params[0]).later(e, it, index);
}

} // namespace numjit
