// Operations of a warp: lanes of one mask exchange values once all of them have come.
#include "runtime/gang.h"

#include <algorithm>
#include <bit>
#include <ranges>
#include <span>
#include <string>

namespace numjit::simulator {

int32_t Gang::warp(Thread &thread, int64_t operation, uint32_t mask, int64_t value,
                   int64_t argument, int32_t site, int64_t &result) {
  if (operation != NJ_SIM_WARP_ACTIVE && !(mask >> thread.lane & 1)) {
    set_error("the mask of " + std::string(kWarpNames[operation]) + "() in line " +
              std::to_string(launch_.request.kernel->places[site].line) +
              " does not contain the lane that calls it, lane " + std::to_string(thread.lane));
    return 1;
  }
  thread.kind = operation;
  thread.mask = mask;
  thread.value = value;
  thread.argument = argument;
  thread.site = site;
  thread.state = State::InWarp;
  // Lanes run in their order, so that often the last one of the mask is this one.
  if (operation != NJ_SIM_WARP_ACTIVE)
    complete_warp(*thread.home, static_cast<size_t>(thread.index / NJ_SIM_WARP));
  if (thread.state == State::InWarp) {
    // Others of its warp may still come.
    thread.home->changed = true;
    leave(thread);
    if (failed_)
      return 1;
  }
  result = thread.result;
  return 0;
}

/// Finds lanes of one mask that have all come (but for ended ones) and lets them go on.
bool Gang::complete_warp(Block &block, size_t warp) {
  const size_t first = warp * NJ_SIM_WARP,
               count = std::min<size_t>(NJ_SIM_WARP, block.threads.size() - first);
  uint32_t alive = 0, left = 0;
  for (size_t i = 0; i < count; ++i) {
    const Thread &thread = block.threads[first + i];
    if (thread.state != State::Ended)
      alive |= uint32_t(1) << i;
    if (thread.state == State::InWarp && thread.kind != NJ_SIM_WARP_ACTIVE)
      left |= uint32_t(1) << i;
  }
  bool completed = false;
  while (left) {
    const Thread &one = block.threads[first + static_cast<size_t>(std::countr_zero(left))];
    uint32_t here = 0;
    for (uint32_t bits = left; bits; bits &= bits - 1) {
      const auto i = static_cast<size_t>(std::countr_zero(bits));
      const Thread &thread = block.threads[first + i];
      if (thread.kind == one.kind && thread.mask == one.mask)
        here |= uint32_t(1) << i;
    }
    left &= ~here;
    if ((one.mask & alive & ~here) == 0) {
      give_results(block, first, here);
      completed = true;
    }
  }
  return completed;
}

/// As complete_warp for all warps, when no thread of the block can go on: then it is also known
/// which lanes are active together.
bool Gang::complete_warps(Block &block) {
  bool completed = false;
  for (size_t first = 0; first < block.threads.size(); first += NJ_SIM_WARP) {
    if (complete_warp(block, first / NJ_SIM_WARP)) {
      completed = true;
      continue;
    }
    const size_t end = std::min(first + NJ_SIM_WARP, block.threads.size());
    const auto lanes = std::span(block.threads).subspan(first, end - first);
    if (std::ranges::any_of(lanes, [](const Thread &lane) { return lane.state == State::Ready; })) {
      block.changed = true; // they may come, too
      continue;
    }
    for (size_t i = first; i < end; ++i) {
      Thread &one = block.threads[i];
      if (one.state != State::InWarp || one.kind != NJ_SIM_WARP_ACTIVE)
        continue;
      uint32_t active = 0;
      for (size_t k = first; k < end; ++k)
        if (const Thread &lane = block.threads[k];
            lane.state == State::InWarp && lane.kind == NJ_SIM_WARP_ACTIVE && lane.site == one.site)
          active |= uint32_t(1) << (k - first);
      give_results(block, first, active);
      completed = true;
    }
  }
  return completed;
}

void Gang::give_results(Block &block, size_t first, uint32_t lanes) {
  Thread *const warp = block.threads.data() + first;
  auto each = [&](auto body) {
    for (uint32_t bits = lanes; bits; bits &= bits - 1)
      body(warp[std::countr_zero(bits)]);
  };
  const int64_t kind = warp[std::countr_zero(lanes)].kind;
  uint32_t truths = 0, epoch = 0;
  bool equal = true;
  each([&](Thread &lane) {
    truths |= static_cast<uint32_t>(lane.value != 0) << lane.lane;
    equal &= lane.value == warp[std::countr_zero(lanes)].value;
    epoch = std::max(epoch, lane.warp_epoch + 1);
  });
  /// The value of a lane; that of the asking one where there is none.
  auto value_of = [&](const Thread &asks, int64_t lane) {
    return lane >= 0 && lane < NJ_SIM_WARP && (lanes >> lane & 1) ? warp[lane].value : asks.value;
  };
  each([&](Thread &lane) {
    switch (kind) {
    case NJ_SIM_WARP_SYNC: lane.warp_epoch = epoch; break;
    case NJ_SIM_WARP_SHUFFLE:
      lane.result = value_of(lane, lane.argument & (NJ_SIM_WARP - 1));
      break;
    case NJ_SIM_WARP_SHUFFLE_UP: lane.result = value_of(lane, lane.lane - lane.argument); break;
    case NJ_SIM_WARP_SHUFFLE_DOWN: lane.result = value_of(lane, lane.lane + lane.argument); break;
    case NJ_SIM_WARP_SHUFFLE_XOR: lane.result = value_of(lane, lane.lane ^ lane.argument); break;
    case NJ_SIM_WARP_ALL: lane.result = truths == lanes; break;
    case NJ_SIM_WARP_ANY: lane.result = truths != 0; break;
    case NJ_SIM_WARP_EQUAL: lane.result = truths == 0 || truths == lanes; break;
    case NJ_SIM_WARP_BALLOT: lane.result = truths; break;
    case NJ_SIM_WARP_MATCH_ANY: {
      uint32_t same = 0;
      each([&](const Thread &other) {
        same |= static_cast<uint32_t>(other.value == lane.value) << other.lane;
      });
      lane.result = same;
      break;
    }
    case NJ_SIM_WARP_MATCH_ALL: lane.result = equal ? lanes : 0; break;
    case NJ_SIM_WARP_ACTIVE: lane.result = lanes; break;
    default: break; // there are no others
    }
  });
  each([](Thread &lane) { lane.state = State::Ready; });
}

} // namespace numjit::simulator
