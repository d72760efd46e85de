// Interrupt points, so that Ctrl-C ends a loop, at next to no cost:
//
// - A loop that contains loops or calls polls in its header, and so does a loop that doesn't count.
// - An innermost loop that counts (range_loop.h) runs in chunks of 65536 iterations, with a poll
//   between the chunks (strip_mine.cpp). Inside a chunk there is none, so that it vectorises.
// - An innermost loop in another loop has none if its bound comes from the size of an array or
//   list, or if it steps through one: the loop around it polls often enough.
// - Loops of few iterations, by a limit known at compile time, have none and count as straight-line
//   code; so do calls of functions without other loops. Loops that make a number smaller by bits or
//   digits are such (walks.cpp).
// - Loops of functions that declare them to be short (a search in a hash table) have none. The
//   loops around their calls poll in their headers: in chunks, such a nest is only longer.
#include "typeinfer/passes/edit.h"
#include "typeinfer/passes/intervals.h"
#include "typeinfer/passes/passes.h"
#include "typeinfer/passes/range_loop.h"
#include "typeinfer/passes/strip_mine.h"

#include <algorithm>
#include <unordered_map>

namespace numjit::passes {

using namespace tir;

namespace {

constexpr uint64_t chunk_work = 65536; ///< iterations between two polls
constexpr uint64_t smallest_chunk = 16;

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
  bool contains(const Function &function) {
    auto [found, is_new] = known_.emplace(&function, false); // false while it is being found out
    if (!is_new)
      return found->second;
    bool is_short = !function.recursive && find(function);
    return known_[&function] = is_short;
  }
  /// Work of the loops of a function, by header; inner loops first.
  bool is_short_loop(const Loop &loop, const Loops &loops, const Cfg &cfg, Known &known,
                     std::unordered_map<const Loop *, uint64_t> &work) {
    uint64_t inner = 1;
    for (const Loop *child : loop.children) {
      auto found = work.find(child);
      if (found == work.end())
        return false;
      inner += found->second;
    }
    std::optional<RangeLoop> range = find_range(loop, loops);
    std::optional<uint64_t> trips = range ? range->most_trips() : shrinking_trips(loop, loops, cfg);
    if (!trips && loop.parent)
      trips = counted_trips(loop, loops, cfg, known.intervals());
    if (!trips || *trips > chunk_work || *trips * inner > chunk_work || calls_long(loop, loops))
      return false;
    work[&loop] = *trips * inner;
    return true;
  }
  /// Calls in the loop itself, not in loops inside it.
  bool calls_long(const Loop &loop, const Loops &loops) {
    for (const Block *block : loop.blocks)
      if (loops.of(block) == &loop && calls_long(*block))
        return true;
    return false;
  }

private:
  bool find(const Function &function) {
    if (std::any_of(function.blocks.begin(), function.blocks.end(),
                    [&](const Block *block) { return calls_long(*block); }))
      return false;
    Cfg cfg(function);
    Loops loops(cfg);
    Known known(function);
    std::unordered_map<const Loop *, uint64_t> work;
    return std::all_of(loops.all().begin(), loops.all().end(), [&](const Loop &loop) {
      return is_short_loop(loop, loops, cfg, known, work);
    });
  }

  bool calls_long(const Block &block) {
    for (const Value *value : block.values)
      if ((value->op == Op::Call && !contains(*value->callee)) || value->op == Op::CallPointer)
        return true;
    return false;
  }

  std::unordered_map<const Function *, bool> known_;
};

void poll_in_header(Function &function, Block &header) {
  Value *poll = make_value(function, Op::Poll, types::none(), {}, *header.terminator());
  poll->block = &header;
  header.values.insert(header.values.begin() + static_cast<ptrdiff_t>(phi_count(header)), poll);
}

/// The header runs once more at the end of each chunk.
bool header_may_run_twice(const Block &header) {
  return std::all_of(header.values.begin(), header.values.end() - 1, [](const Value *value) {
    Effect effect = effect_of(*value);
    return effect == Effect::Pure || (effect == Effect::Reads && !value->type->counted);
  });
}

void add_polls(Function &function, ShortFunctions &short_functions) {
  Cfg cfg(function);
  Loops loops(cfg);
  Known known(function);
  std::unordered_map<const Loop *, uint64_t> work;
  std::vector<Block *> headers;
  std::vector<StripMine> plans;
  for (Loop &loop : loops.all()) {
    if (short_functions.is_short_loop(loop, loops, cfg, known, work) ||
        (function.short_loops && !short_functions.calls_long(loop, loops)))
      continue;
    uint64_t inner = 1;
    bool nest = short_functions.calls_long(loop, loops);
    for (const Loop *child : loop.children) {
      auto found = work.find(child);
      nest |= found == work.end();
      inner += nest ? 0 : found->second;
    }
    std::optional<RangeLoop> range;
    if (!nest)
      range = find_range(loop, loops);
    if (loop.parent && ((range && bounded_by_memory(range->bound, loops)) ||
                        (!nest && walks_memory(loop, loops, cfg))))
      continue;
    const uint64_t chunk = chunk_work / inner;
    if (range && chunk >= smallest_chunk && header_may_run_twice(*loop.header) &&
        StripMine::possible(*range))
      plans.emplace_back(loop, loops, *range, *cfg.immediate_dominator(loop.header), chunk);
    else
      headers.push_back(loop.header);
  }
  // The graph changes only now, when nothing more is asked of the analyses.
  for (Block *header : headers)
    poll_in_header(function, *header);
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
    add_polls(*function, short_functions);
}

} // namespace numjit::passes
