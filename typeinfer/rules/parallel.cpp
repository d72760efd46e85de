// Loops over prange in typed IR. The frontend has made a function of the loop's body
// (frontend/parallel_loops.h); here its arguments go to slots, the runtime is asked to run it in
// chunks, and the library (library/core/parallel.py) combines what the chunks give.
#include "runtime/parallel.h"

#include "typeinfer/infer/engine.h"
#include "typeinfer/types/function_values.h"

#include <map>
#include <mutex>

namespace numjit {

Operand load_slots(Emitter &e, const Operand &memory, Operand &slot, const Type *type,
                   tir::Alias alias, bool take) {
  auto next = [&](const Type *leaf, int64_t count) {
    Operand loaded = e.load(e.ptr_add(memory, e.index_mul(slot, e.i64(8)), leaf), alias, take);
    slot = e.index_add(slot, e.i64(count));
    return loaded;
  };
  if (type->is_complex()) {
    const Type *part = types::scalar(type->bits() == 64 ? ScalarId::Float32 : ScalarId::Float64);
    Operand real = next(part, 1), imag = next(part, 1);
    return e.make_complex(type, real, imag);
  }
  if (type->is_scalar() || type->kind == Kind::Pointer || type->kind == Kind::Owner)
    return next(type, 1);
  if (type->kind == Kind::None)
    return e.none();
  if (type->fields.empty())
    return e.unit(type);
  if (type->counted) {
    // Loaded as a whole, so that pointers in it keep its owner. Its leaves have 8 bytes each.
    const auto &leaves = layout_of(type).leaves;
    for (size_t i = 0; i < leaves.size(); ++i)
      if (leaves[i].offset != 8 * i)
        return {};
    return next(type, static_cast<int64_t>(leaves.size()));
  }
  Operands fields;
  for (const Type *each : type->fields)
    fields.push_back(load_slots(e, memory, slot, each, alias, take));
  return e.make(type, fields);
}

namespace {

/// Chunks at most. Each chunk that adds up an array has an array of its own; the loop around a
/// nested one gives the threads work already.
constexpr int64_t kMostChunks = 128, kMostArrayChunks = 32, kMostNestedChunks = 16;

/// Which slots of a row of results are counted references. Kept for the life of the process.
const std::vector<int64_t> &owner_slots(const Type *results) {
  static std::mutex mutex;
  static std::map<const Type *, std::vector<int64_t>> rows;
  std::lock_guard lock(mutex);
  auto [found, made] = rows.try_emplace(results);
  const auto &leaves = layout_of(results).leaves;
  for (size_t i = 0; made && i < leaves.size(); ++i)
    if (leaves[i].owner)
      found->second.push_back(static_cast<int64_t>(i));
  return found->second;
}

/// The result of a loop: the block with its chunks' results, and a pointer that says their types.
const Type *loop_type(const Type *results) {
  return types::tuple({types::owner(), types::pointer(results)});
}
const Type *results_of(const Operand &loop) { return loop.type->params[1]->params[0]; }

int64_t slot_count(const Type *type) { return static_cast<int64_t>(layout_of(type).leaves.size()); }

int number(const Operand &a) { return static_cast<int>(a.constant->integer); }

/// numjit.chunk_count(loop)
Operand chunk_count(Emitter &e, Operands &a) {
  if (slot_count(results_of(a[0])) == 0)
    return e.i64(0);
  Operand head = e.owner_data(e.field(a[0], 0), types::int64());
  return e.nonneg(e.load(head, tir::Alias::Any));
}

/// numjit.partial(loop, index, chunk): a result of one chunk.
Operand partial(Emitter &e, Operands &a) {
  const Type *results = results_of(a[0]);
  const int index = number(a[1]);
  int64_t first = sizeof(nj_chunks) / 8;
  for (int i = 0; i < index; ++i)
    first += slot_count(results->params[i]);
  Operand slot = e.index_add(e.index_mul(a[2], e.i64(slot_count(results))), e.i64(first));
  const Type *type = results->params[index];
  Operand memory = e.owner_data(e.field(a[0], 0), types::int64());
  Operand loaded = load_slots(e, memory, slot, type, tir::Alias::Any);
  if (!loaded)
    e.fail("a variable of type " + type->text +
           " cannot be used behind the loop over prange that assigns it");
  return loaded;
}

/// numjit.is_assigned(loop, index, chunk): whether a chunk has given the variable a value.
Operand is_assigned(Emitter &e, Operands &a) {
  const Type *type = results_of(a[0])->params[number(a[1])];
  if (type->kind != Kind::Maybe)
    return e.boolean(type->kind != Kind::Undefined);
  return e.field(partial(e, a), 0);
}

/// numjit.as_partial(loop, index, value): a value as chunks give it.
Operand as_partial(Emitter &e, Operands &a) {
  return e.convert(a[2], results_of(a[0])->params[number(a[1])]);
}

/// numjit.is_parallel(): whether array expressions are to run in several threads.
Operand is_parallel(Emitter &e, Operands &) { return e.boolean(e.options().parallel); }

const Builtin kParallelRows[] = {
    {"numjit.chunk_count", "loop", chunk_count},
    {"numjit.partial", "loop index chunk", partial},
    {"numjit.is_assigned", "loop index chunk", is_assigned},
    {"numjit.as_partial", "loop index value", as_partial},
    {"numjit.is_parallel", "", is_parallel},
};

} // namespace

BuiltinTable parallel_builtins() { return kParallelRows; }

Operand rule_parallel_loop(Emitter &e, const ssa::Value &loop, Operands operands) {
  FunctionDef &def = *loop.constant->object->function;
  const size_t initial = operands.size() - loop.keywords.size();
  bool arrays = false;
  for (size_t i = initial; i < operands.size(); ++i)
    arrays = arrays || operands[i].type->is_array();
  std::vector<Fact> facts{{types::int64(), nullptr}, {types::int64(), nullptr}};
  for (const Operand &a : operands)
    facts.push_back(a.fact());
  CompileOptions options = e.options();
  options.parallel = false;        // the threads are busy with the loop
  options.divides_as_numpy = true; // as in Numba: x / 0 does not raise
  Specialization *spec = e.engine.specialize(def, options, facts);
  const Type *results = e.engine.result_of(*spec).type;
  if (!results)
    throw NotKnownYet{};
  const Type *type = loop_type(results);
  Operand count = e.cast(e.library("builtins.len", {operands[0]}), types::int64());
  e.engine.last_called = spec;
  if (e.dry())
    return {type, nullptr, nullptr, e.position};

  tir::Function *callee = e.engine.code_of(*spec);
  int64_t slots = 2; // the chunk's first iteration and its end
  for (const Operand &a : operands)
    slots += slot_count(a.type);
  Operand memory = e.stack_alloc(8 * slots, types::int64());
  int slot = 2;
  for (const Operand &a : operands)
    slot = e.store_slots(memory, slot, a);
  const Type *pointer = types::pointer(types::none());
  tir::Value *address = e.append(tir::Op::FunctionAddress, pointer);
  address->callee = callee;
  address->index = 1;
  const std::vector<int64_t> &owners = owner_slots(results);
  Operands arguments{
      {pointer, nullptr, address, e.position},
      memory,
      e.i64(slots),
      count,
      e.i64(slot_count(results)),
      e.address(references::make(references::owner_slots, {results}), types::int64()),
      e.i64(static_cast<int64_t>(owners.size())),
      e.i64(e.def->loop_of ? kMostNestedChunks
            : arrays       ? kMostArrayChunks
                           : kMostChunks)};
  Operand owner = e.runtime(tir::RuntimeOp::Parallel, types::owner(), arguments);
  return e.make(type, {owner, e.owner_data(owner, results)});
}

Operand rule_parallel_result(Emitter &e, const Operand &loop, int index, const std::string &kind,
                             const Operand &start) {
  if (kind != "last")
    return e.library("numjit.combined",
                     {loop, e.i64(index), e.constant(constants::string(kind)), start});
  const Type *type = results_of(loop)->params[index];
  if (type->kind == Kind::Undefined)
    return start ? start : e.unit(type);
  Operand chunk = e.library("numjit.last_assigned", {loop, e.i64(index)});
  Operand found = e.op(Operator::Ge, chunk, e.i64(0));
  Operands which{loop, e.i64(index), e.select(found, chunk, e.i64(0))};
  Operand value = partial(e, which);
  if (type->kind == Kind::Maybe)
    value = e.field(value, 1);
  if (!start)
    return e.make(types::maybe(value.type), {found, value});
  return e.choose(
      found, [&] { return value; }, [&] { return start; });
}

Operand rule_chunk_range(Emitter &e, const Operand &range, const Operand &first, const Operand &end,
                         bool nonnegative) {
  const Type *integer = range.type->params[0];
  Operand start = e.field(range, 0);
  auto number = [&](const Operand &iteration) {
    Operand steps = e.cast(iteration, integer);
    if (!range.type->unit)
      steps = e.cast(e.mul(steps, e.field(range, 2)), integer);
    Operand result =
        integer->is_signed() ? e.index_add(start, steps) : e.cast(e.add(start, steps), integer);
    return nonnegative ? e.nonneg(result) : result;
  };
  Operand low = number(first), high = number(end);
  Operand step = range.type->unit ? e.cast(e.i64(1), integer) : e.field(range, 2);
  return e.make(range.type, {low, high, step});
}

const ReferenceRow references::owner_slots = {
    "owner slots", [](const Reference &reference) -> const void * {
      return numjit::owner_slots(reference.types[0]).data();
    }};

} // namespace numjit
