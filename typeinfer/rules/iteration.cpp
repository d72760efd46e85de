// range, enumerate, zip, and what a `for` loop does with each kind of object.
//
// An iterator is a struct-like value: Iterator(of, state types). Its state travels through the
// loop's phi.
#include "typeinfer/infer/big_ints.h"
#include "typeinfer/infer/engine.h"
#include "typeinfer/infer/unify.h"

#include <array>

namespace numjit {

namespace {

// --- range ---

/// Bounds beyond 64 bits count as the nearest int, which gives the same ints if all of them have at
/// most 64 bits; else OverflowError.
void check_bounds_of_range(Emitter &e, const Operands &a) {
  const Operand &start = a[1] ? a[0] : a[1], &stop = a[1] ? a[1] : a[0], &step = a[2];
  auto is_negative = [](const Operand &x) {
    return is_big_int(x) ? is_negative_big_int(x) : x.constant->integer < 0;
  };
  const bool starts_beyond = start && is_big_int(start);
  const bool is_empty = starts_beyond && !is_big_int(stop) &&
                        (!step || step.constant || is_big_int(step)) &&
                        is_negative(start) == (step && is_negative(step));
  if ((starts_beyond && !is_empty) || (step && is_big_int(step) && is_big_int(stop)))
    e.raise("OverflowError", "Python int too large to convert to C ssize_t");
}

Operand range(Emitter &e, Operands &a) {
  check_bounds_of_range(e, a);
  for (Operand &x : a) {
    if (!x)
      continue;
    x = e.nearest_int(e.unwrap(x));
    if (x.type->is_float()) // as Numba: what int() makes of it
      x = e.cast(x, types::int64());
    if (!x.type->is_integer() && !x.type->is_bool())
      e.fail("range() needs integers, not " + x.type->text);
  }
  Operand start = a[1] ? a[0] : e.i64(0), stop = a[1] ? a[1] : a[0], step = a[2] ? a[2] : e.i64(1);
  // As Numba: uint64 if all are unsigned, int32 if all are at most that, else int64.
  const Type *type = types::int64();
  bool all_unsigned = true;
  for (const Operand *x : {&start, &stop, &step})
    all_unsigned = all_unsigned &&
                   (x->type->is(ScalarId::UInt64) || (x->constant && x->constant->integer >= 0));
  if (all_unsigned && (start.type->is(ScalarId::UInt64) || stop.type->is(ScalarId::UInt64)))
    type = types::uint64();
  types::Stride stride = types::Stride::Any;
  if (step.constant && step.constant->kind == ConstKind::Int) {
    const int64_t by = step.constant->integer;
    if (by == 1)
      stride = types::Stride::One;
    else if (by >= -types::usual_stride && by <= types::usual_stride)
      stride = types::Stride::Usual;
  }
  if (stride != types::Stride::One)
    e.raise_if(e.op(Operator::Eq, step, e.i64(0)), "ValueError", "range() arg 3 must not be zero");
  return e.make(types::range(type, stride),
                {e.cast(start, type), e.cast(stop, type), e.cast(step, type)});
}

/// State: current, stop, step (not of a unit range), and a None as mark of "never negative". With
/// a step of any size the index might go over the end of its type instead of reaching the stop: the
/// state is current, how many are left, step, None.
Operand range_iter(Emitter &e, const Operand &object) {
  Operand start = e.field(object, 0);
  const Type *integer = object.type->params[0];
  if (types::stride_of(object.type) == types::Stride::Any) {
    Operand step = e.field(object, 2);
    Operand count = e.library("numjit.range_trips", {start, e.field(object, 1), step});
    return e.make(types::iterator(object.type, {integer, types::int64(), integer, types::none()}),
                  {start, count, step, e.none()});
  }
  std::vector<const Type *> state{integer, integer};
  Operands fields{start, e.field(object, 1)};
  if (!object.type->unit) {
    state.push_back(integer);
    fields.push_back(e.field(object, 2));
  } else if (start.constant && start.constant->integer >= 0) {
    state.push_back(types::none());
    fields.push_back(e.none());
  }
  return e.make(types::iterator(object.type, state), fields);
}

NextResult range_next(Emitter &e, const Operand &it) {
  const Type *range_type = it.type->params[0];
  Operand current = e.field(it, 0), stop = e.field(it, 1);
  if (range_type->unit) {
    const bool never_negative = it.type->fields.size() == 3;
    if (never_negative)
      current = e.nonneg(current);
    Operand valid = e.op(Operator::Lt, current, stop);
    Operand next = range_type->params[0]->is_signed()
                       ? e.index_add(current, e.i64(1))
                       : e.cast(e.add(current, e.i64(1)), range_type->params[0]);
    if (never_negative)
      return {valid, current, e.make(it.type, {next, stop, e.none()}), {}};
    return {valid, current, e.make(it.type, {next, stop}), {}};
  }
  Operand step = e.field(it, 2);
  const Type *integer = range_type->params[0];
  if (types::stride_of(range_type) == types::Stride::Any) {
    Operand next = e.cast(e.add(current, step), integer), left = e.index_add(stop, e.i64(-1));
    return {e.op(Operator::Gt, stop, e.i64(0)),
            current,
            e.make(it.type, {next, left, step, e.none()}),
            {}};
  }
  Operand up =
      integer->is_signed() ? e.op(Operator::Gt, step, e.cast(e.i64(0), integer)) : e.boolean(true);
  Operand valid =
      e.select(up, e.op(Operator::Lt, current, stop), e.op(Operator::Gt, current, stop));
  Operand next = e.cast(e.add(current, step), integer);
  return {valid, current, e.make(it.type, {next, stop, step}), {}};
}

// --- sequences: state is the index ---

Operand indexed_iter(Emitter &e, const Operand &object) {
  return e.make(types::iterator(object.type, {object.type, types::int64()}), {object, e.i64(0)});
}

NextResult
indexed_next(Emitter &e, const Operand &it, const Operand &length,
             const std::function<Operand(const Operand &object, const Operand &index)> &item) {
  Operand object = e.field(it, 0), index = e.nonneg(e.field(it, 1));
  NextResult next;
  next.valid = e.op(Operator::Lt, index, length);
  next.state = e.make(it.type, {object, e.nonneg(e.index_add(index, e.i64(1)))});
  // The item exists only where the index is valid; code behind the test reads it.
  next.read = [&e, object, index, item] { return item(object, index); };
  next.item = e.dry() ? item(object, index) : Operand{};
  return next;
}

// --- enumerate, zip ---

Operand enumerate(Emitter &e, Operands &a) {
  Operand start = a[1] ? e.cast(e.unwrap(a[1]), types::int64()) : e.i64(0);
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

NextResult next_if(Emitter &e, const Operand &it, const Operand *wanted);

/// Iterators are asked one after the other: none behind one that has ended.
NextResult joined_next(Emitter &e, const Operand &it, size_t first, const Operand *wanted) {
  NextResult joined;
  joined.valid = e.boolean(true);
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

NextResult walk_next(Emitter &e, const Operand &it) {
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

const Builtin kRows[] = {
    {"numjit.gives_arrays", "iterable", gives_arrays},
    {"numpy.ndindex", "*", ndindex},
    {"numpy.ndenumerate", "arr", ndenumerate},
    {"numpy.nditer", "op", nditer},
    {"builtins.range", "start_or_stop stop? step?", range},
    {"numjit.prange", "start_or_stop stop? step?", range},
    {"builtins.enumerate", "iterable start?", enumerate},
    {"builtins.zip", "*", zip},
};

bool is_mixed_tuple(const Type *type) { return type->is_tuple() && !type->is_homogeneous(); }

} // namespace

BuiltinTable iteration_builtins() { return kRows; }

bool is_walk(const Type *type) {
  if (type->kind != Kind::Method)
    return false;
  const std::string &how = type->constant->text;
  return how == kIndex || how == kEnumerate || how == kViews;
}

namespace {

// --- what each kind of type does, by the column `iteration` of kinds.def: iter_* makes the
// iterator of an object, next_* what it returns next (where `wanted` holds, if that is given) ---

Operand iter_range(Emitter &e, const Operand &object) { return range_iter(e, object); }
NextResult next_range(Emitter &e, const Operand &it, const Operand *) { return range_next(e, it); }

Operand iter_array(Emitter &e, const Operand &object) {
  if (object.type->ndim == 0)
    e.fail("iteration over a 0-dimensional array");
  return indexed_iter(e, object);
}
NextResult next_array(Emitter &e, const Operand &it, const Operand *) {
  return indexed_next(e, it, array_shape(e, e.field(it, 0), 0),
                      [&e](const Operand &array, const Operand &index) {
                        return rule_getitem(e, array, e.nonneg(index));
                      });
}

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

Operand iter_list(Emitter &e, const Operand &object) { return indexed_iter(e, object); }
NextResult next_list(Emitter &e, const Operand &it, const Operand *) {
  return indexed_next(e, it, list_length(e, e.field(it, 0)),
                      [&e](const Operand &list, const Operand &index) {
                        return e.load(list_item_pointer(e, list, index), tir::Alias::ListData);
                      });
}

Operand iter_text(Emitter &e, const Operand &object) { return indexed_iter(e, object); }
NextResult next_text(Emitter &e, const Operand &it, const Operand *) {
  return indexed_next(
      e, it, e.nonneg(e.field(e.field(it, 0), 2)),
      [&e](const Operand &text, const Operand &index) { return text_item(e, text, index); });
}

Operand iter_enumerate(Emitter &e, const Operand &object) {
  return tuple_of_iterators(e, object, 1);
}
NextResult next_enumerate(Emitter &e, const Operand &it, const Operand *wanted) {
  return joined_next(e, it, 1, wanted);
}

Operand iter_zip(Emitter &e, const Operand &object) { return tuple_of_iterators(e, object, 0); }
NextResult next_zip(Emitter &e, const Operand &it, const Operand *wanted) {
  return joined_next(e, it, 0, wanted);
}

Operand iter_table(Emitter &e, const Operand &object) { return table_iter(e, object); }
NextResult next_table(Emitter &e, const Operand &it, const Operand *) { return table_next(e, it); }

/// What asking a generator returns; only where `wanted` holds, if it is given.
Operand asked(Emitter &e, const Operand &generator, const Operand *wanted) {
  if (!wanted || (wanted->constant && wanted->constant->integer))
    return resume_generator(e, generator);
  auto nothing = [&] {
    const Type *resumed = resumed_type(generator.type);
    Operands fields{e.boolean(false)};
    for (size_t i = 1; i < resumed->params.size(); ++i)
      fields.push_back(i == 2 ? e.boolean(false) : e.undef(resumed->params[i]));
    return e.make(resumed, fields);
  };
  return wanted->constant ? nothing()
                          : e.choose(
                                *wanted, [&] { return resume_generator(e, generator); }, nothing);
}

Operand iter_generator(Emitter &e, const Operand &object) {
  return e.make(types::iterator(object.type, {object.type}), {object});
}
NextResult next_generator(Emitter &e, const Operand &it, const Operand *wanted) {
  Operand result = asked(e, e.field(it, 0), wanted);
  return {e.field(result, 0), e.field(result, 1), it, {}};
}

Operand iter_by_library(Emitter &e, const Operand &object) {
  const std::string method = std::string(kind_name(object.type)) + ".__iter__";
  if (e.engine.host.library(method))
    return rule_iter(e, e.library(method, {object}));
  if (Operand made; call_class_method(e, object, "__iter__", {}, made))
    return rule_iter(e, force(e, made));
  if (e.engine.host.overloaded_member("__iter__", object.fact()) == Host::Member::Method) {
    CallArguments self{{object}, {}};
    if (Operand made; call_overload(e, "method .__iter__", self, made))
      return rule_iter(e, force(e, made));
  }
  e.fail("getiter: a value of type " + object.type->text + " cannot be iterated over");
}

/// np.ndindex and the like; on devices there are no generators.
Operand iter_method(Emitter &e, const Operand &object) {
  if (!is_walk(object.type))
    return iter_by_library(e, object);
  if (e.on_device())
    return indexed_iter(e, object);
  return rule_iter(e, e.library("numjit." + object.type->constant->text, {e.field(object, 0)}));
}
NextResult next_method(Emitter &e, const Operand &it, const Operand *) { return walk_next(e, it); }

// What iterates as something else does, so that no iterator is over it.
NextResult next_none(Emitter &, const Operand &it, const Operand *) {
  throw InternalError("iteration over " + it.type->params[0]->text);
}

Operand iter_none(Emitter &e, const Operand &object) { return iter_by_library(e, object); }

Operand iter_string(Emitter &e, const Operand &object) { return rule_iter(e, e.unliteral(object)); }
constexpr auto next_string = next_none;

Operand iter_literal_dict(Emitter &e, const Operand &object) {
  return rule_iter(e, literal_dict_part(e, object, "keys"));
}
constexpr auto next_literal_dict = next_none;

Operand iter_iterator(Emitter &, const Operand &object) { return object; }
constexpr auto next_iterator = next_none;

/// The members of an enumeration.
Operand iter_function(Emitter &e, const Operand &object) {
  if (object.type->constant->is_object(ObjectKind::EnumClass))
    return rule_iter(e, enum_members(e, object.type->constant));
  return iter_by_library(e, object);
}
constexpr auto next_function = next_none;

struct IterationRules {
  Operand (*iter)(Emitter &, const Operand &object);
  NextResult (*next)(Emitter &, const Operand &iterator, const Operand *wanted);
};

constexpr IterationRules kRules[] = {
#define NUMJIT_KIND(id, attributes, cls, fields, text, items, iteration, ...)                      \
  {iter_##iteration, next_##iteration},
#include "typeinfer/types/kinds.def"
#undef NUMJIT_KIND
};

const IterationRules &rules_of(const Type *type) { return kRules[static_cast<size_t>(type->kind)]; }

NextResult next_if(Emitter &e, const Operand &it, const Operand *wanted) {
  return rules_of(it.type->params[0]).next(e, it, wanted);
}

} // namespace

Operand rule_iter(Emitter &e, const Operand &given) {
  const Operand object = e.unwrap(given);
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

int rule_unroll_count(const Type *iterator) {
  if (iterator->kind != Kind::Iterator)
    return -1;
  const Type *of = iterator->params[0];
  if (is_mixed_tuple(of))
    return static_cast<int>(of->params.size());
  if (of->kind == Kind::Enumerate || of->kind == Kind::Zip) {
    int count = -1;
    bool mixed = false;
    for (const Type *state : iterator->fields) {
      if (state->kind != Kind::Iterator)
        continue;
      const Type *part = state->params[0];
      mixed = mixed || rule_unroll_count(state) >= 0;
      int n = part->is_tuple() ? static_cast<int>(part->params.size()) : rule_unroll_count(state);
      if (n >= 0)
        count = count < 0 ? n : std::min(count, n);
    }
    return mixed ? count : -1;
  }
  return -1;
}

Operand rule_unrolled_item(Emitter &e, const Operand &it, int index) {
  const Type *of = it.type->params[0];
  if (of->is_tuple())
    return e.field(e.field(it, 0), index);
  if (of->kind == Kind::Array || of->kind == Kind::List || of->kind == Kind::Unicode ||
      of->kind == Kind::Bytes)
    return rule_getitem(e, e.field(it, 0), e.i64(index));
  if (of->kind == Kind::Range) {
    Operand step = of->unit ? e.i64(1) : e.field(it, 2);
    return e.index_add(e.field(it, 0), e.index_mul(step, e.i64(index)));
  }
  Operands items;
  const size_t first = of->kind == Kind::Enumerate;
  if (first)
    items.push_back(e.index_add(e.field(it, 0), e.i64(index)));
  for (size_t i = first; i < it.type->fields.size(); ++i)
    items.push_back(rule_unrolled_item(e, e.field(it, static_cast<int>(i)), index));
  return e.tuple(items);
}

} // namespace numjit
