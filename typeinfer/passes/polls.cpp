// Interrupt points, so that Ctrl-C ends a loop, at next to no cost:
//
// - A loop that contains loops or calls polls in each iteration, where it jumps back, and so does a
//   loop that doesn't count.
// - An innermost loop that counts (range_loop.h) runs in chunks of about a million iterations, with
//   a poll between the chunks (strip_mine.cpp); fewer by what an iteration does besides arithmetic:
//   short loops, calls of the runtime. Inside a chunk there is none, so that it vectorises.
// - An innermost loop in another loop has none if its bound comes from the size of an array or
//   list, or if it steps through one: the loop around it polls often enough.
// - Loops of few iterations, by a limit known at compile time, have none and count as straight-line
//   code; so do calls of functions without other loops. Loops that make a number smaller by bits or
//   digits are such (walks.cpp).
// - Loops of functions that declare them to be short (a search in a hash table) have none. The
//   loops around their calls poll in each iteration: in chunks, such a nest is only longer.
#include "frontend/code.h"
#include "typeinfer/passes/edit.h"
#include "typeinfer/passes/intervals.h"
#include "typeinfer/passes/passes.h"
#include "typeinfer/passes/range_loop.h"
#include "typeinfer/passes/strip_mine.h"

#include <algorithm>
#include <bit>
#include <unordered_map>

namespace numjit::passes {

using namespace tir;

namespace {

constexpr uint64_t short_work = 65536; ///< iterations of loops that need no poll
constexpr uint64_t smallest_chunk = 16;
/// Memory, strings, hash tables take as long as so many iterations of a loop over numbers.
constexpr uint64_t runtime_call = 16;
constexpr uint64_t very_long = uint64_t{1} << 30; ///< as far as times are counted

/// A loop that needs no poll.
struct Work {
  uint64_t iterations; ///< of its innermost loops
  uint64_t time;       ///< in units of quick iterations
};
using Works = std::unordered_map<const Loop *, Work>;

/// What is asked for in some functions only.
class Known {
public:
  explicit Known(const Function &function) : function_(function) {}
  Intervals &intervals() {
    if (!intervals_)
      intervals_.emplace(function_);
    return *intervals_;
  }

private:
  const Function &function_;
  std::optional<Intervals> intervals_;
};

/// Whether a call returns soon: no recursion, no loops but short ones.
class ShortFunctions {
public:
  bool contains(const Function &function) { return time_of(function).has_value(); }
  /// Whether a loop is short, and how short, where those inside it are known.
  bool is_short_loop(const Loop &loop, const Loops &loops, const Cfg &cfg, Known &known,
                     Works &work) {
    uint64_t inner = 1;
    for (const Loop *child : loop.children) {
      auto found = work.find(child);
      if (found == work.end())
        return false;
      inner += found->second.iterations;
    }
    std::optional<RangeLoop> range = find_range(loop, loops);
    std::optional<uint64_t> trips = range ? range->most_trips() : shrinking_trips(loop, loops, cfg);
    if (!trips && loop.parent)
      trips = counted_trips(loop, loops, cfg, known.intervals());
    if (!trips || *trips > short_work || *trips * inner > short_work || calls_long(loop, loops))
      return false;
    work[&loop] = {*trips * inner,
                   std::min(*trips * time_of_iteration(loop, loops, work), very_long)};
    return true;
  }
  /// Of a loop whose inner loops are short.
  uint64_t time_of_iteration(const Loop &loop, const Loops &loops, const Works &work) {
    uint64_t time = 1;
    for (const Loop *child : loop.children)
      time += work.at(child).time;
    for (const Block *block : loop.blocks)
      if (loops.of(block) == &loop)
        time += time_of(*block);
    return std::min(time, very_long);
  }
  /// Calls in the loop itself, not in loops inside it.
  bool calls_long(const Loop &loop, const Loops &loops) {
    for (const Block *block : loop.blocks)
      if (loops.of(block) == &loop && calls_long(*block))
        return true;
    return false;
  }

private:
  /// Nothing for a function that is not short.
  std::optional<uint64_t> time_of(const Function &function) {
    auto [found, is_new] = known_.emplace(&function, std::nullopt); // while it is being found out
    if (!is_new)
      return found->second;
    std::optional<uint64_t> time = function.recursive ? std::nullopt : find(function);
    return known_[&function] = time;
  }

  std::optional<uint64_t> find(const Function &function) {
    uint64_t time = 0;
    for (const Block *block : function.blocks) {
      if (calls_long(*block))
        return std::nullopt;
      time += time_of(*block);
    }
    Cfg cfg(function);
    Loops loops(cfg);
    Known known(function);
    Works work;
    for (const Loop &loop : loops.all()) {
      if (!is_short_loop(loop, loops, cfg, known, work))
        return std::nullopt;
      if (!loop.parent)
        time += work.at(&loop).time;
    }
    return std::min(time, very_long);
  }

  /// Of what takes longer than arithmetic.
  uint64_t time_of(const Block &block) {
    uint64_t time = 0;
    for (const Value *value : block.values) {
      if (value->op == Op::Call)
        time += time_of(*value->callee).value_or(0);
      else if (value->op == Op::CallRuntime || value->op == Op::Alloc)
        time += runtime_call;
    }
    return time;
  }

  bool calls_long(const Block &block) {
    for (const Value *value : block.values)
      if ((value->op == Op::Call && !contains(*value->callee)) || value->op == Op::CallPointer)
        return true;
    return false;
  }

  std::unordered_map<const Function *, std::optional<uint64_t>> known_;
};

/// Adds a poll where a loop jumps back, so that LLVM may move the loop's test there, too; in code
/// for debuggers in front of the test, which then stays in front of the body.
void poll_in_each_iteration(Function &function, const Loop &loop, const Loops &loops) {
  const bool debugs = function.def && function.def->options.debug;
  Block *block = debugs ? loop.header : loop.latches.front();
  if (loops.of(block) != &loop) // where a loop inside ends
    block = split_edge(function, *block, *loop.header);
  Value *poll = make_value(function, Op::Poll, types::none(), {}, *block->terminator());
  poll->block = block;
  block->values.insert(debugs ? block->values.begin() + static_cast<ptrdiff_t>(phi_count(*block))
                              : block->values.end() - 1,
                       poll);
}

/// The header runs once more at the end of each chunk.
bool header_may_run_twice(const Block &header) {
  return std::all_of(header.values.begin(), header.values.end() - 1, [](const Value *value) {
    Effect effect = effect_of(*value);
    return effect == Effect::Pure || (effect == Effect::Reads && !value->type->counted);
  });
}

void add_polls(Function &function, ShortFunctions &short_functions, uint64_t chunk_work) {
  Cfg cfg(function);
  Loops loops(cfg);
  Known known(function);
  Works work;
  std::vector<const Loop *> nests;
  std::vector<StripMine> plans;
  for (Loop &loop : loops.all()) {
    if (short_functions.is_short_loop(loop, loops, cfg, known, work) ||
        (function.short_loops && !short_functions.calls_long(loop, loops)))
      continue;
    const bool nest =
        short_functions.calls_long(loop, loops) ||
        std::any_of(loop.children.begin(), loop.children.end(),
                    [&](const Loop *child) { return work.find(child) == work.end(); });
    std::optional<RangeLoop> range;
    if (!nest)
      range = find_range(loop, loops);
    if (loop.parent && ((range && bounded_by_memory(range->bound, loops)) ||
                        (!nest && walks_memory(loop, loops, cfg))))
      continue;
    // A power of two: LLVM then knows the last bits of the index.
    const uint64_t chunk =
        range ? std::bit_floor(chunk_work / short_functions.time_of_iteration(loop, loops, work))
              : 0;
    if (range && chunk >= smallest_chunk && header_may_run_twice(*loop.header) &&
        StripMine::possible(*range))
      plans.emplace_back(loop, loops, *range, *cfg.immediate_dominator(loop.header), chunk);
    else
      nests.push_back(&loop);
  }
  // The graph changes only now, when nothing more is asked of the analyses.
  for (const Loop *loop : nests)
    poll_in_each_iteration(function, *loop, loops);
  for (StripMine &plan : plans)
    plan.apply(function);
}

} // namespace

void polls(Module &module, const PassOptions &options) {
  if (!options.polls)
    return;
  ShortFunctions short_functions;
  for (const auto &function : module.functions) // before any of them changes
    short_functions.contains(*function);
  for (const auto &function : module.functions)
    add_polls(*function, short_functions, options.poll_distance);
}

} // namespace numjit::passes
