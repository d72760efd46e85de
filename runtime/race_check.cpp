#include "runtime/race_check.h"

#include <algorithm>
#include <utility>

namespace numjit {

RaceCheck::Page &RaceCheck::page_of(uintptr_t address) {
  const uintptr_t number = address / kPage;
  if (last_page_ && number == last_number_)
    return *last_page_;
  std::unique_ptr<Page> &page = pages_[number];
  if (!page)
    page = std::make_unique<Page>();
  last_number_ = number;
  last_page_ = page.get();
  return *page;
}

bool RaceCheck::ordered(const Access &before, const RaceClock &now) {
  if (before.clock.thread == now.thread)
    return true;
  if (before.clock.block != now.block)
    return false;
  return before.clock.epoch < now.epoch ||
         (before.clock.warp == now.warp && before.clock.warp_epoch < now.warp_epoch);
}

void RaceCheck::meet(const Access &before, const Access &now, uintptr_t address, int64_t bytes,
                     bool shared, bool counts) {
  if (before.place < 0 || !(before.bytes & now.bytes) || ordered(before, now.clock))
    return;
  if (before.how & now.how & NJ_SIM_ATOMIC)
    return;
  for (Found &known : found_)
    if (known.first.place == before.place && known.second.place == now.place &&
        known.first.how == before.how && known.second.how == now.how && known.shared == shared) {
      known.count += counts;
      return;
    }
  constexpr size_t kMost = 64;
  if (found_.size() < kMost)
    found_.push_back({address, bytes, shared, before, now, 1});
}

void RaceCheck::remember_reader(Cell &cell, const Access &now) {
  for (Access &read : cell.reads)
    if (read.place < 0 || ordered(read, now.clock)) {
      // Bytes of the granule that were read in the same epoch stay known.
      const uint8_t bytes = read.place >= 0 && read.clock.thread == now.clock.thread &&
                                    read.clock.epoch == now.clock.epoch
                                ? read.bytes
                                : 0;
      read = now;
      read.bytes |= bytes;
      return;
    }
  if (cell.reads[0].clock.block == cell.reads[1].clock.block)
    cell.reads[1] = now;
}

void RaceCheck::access(const RaceClock &clock, const void *pointer, int64_t bytes, int how,
                       int32_t place, bool shared) {
  const auto begin = reinterpret_cast<uintptr_t>(pointer), end = begin + bytes;
  for (uintptr_t granule = begin / kGranule; granule * kGranule < end; ++granule) {
    const uintptr_t first = granule * kGranule;
    uint8_t mask = 0;
    for (uintptr_t byte = 0; byte < kGranule; ++byte)
      if (first + byte >= begin && first + byte < end)
        mask |= 1 << byte;
    Cell &cell = page_of(first).cells[granule % (kPage / kGranule)];
    const bool counts = first <= begin; // an access counts once, in its first granule
    const Access now{clock, place, mask, static_cast<uint8_t>(how)};
    meet(cell.write, now, begin, bytes, shared, counts);
    if (!(how & NJ_SIM_WRITES)) {
      remember_reader(cell, now);
      continue;
    }
    for (const Access &read : cell.reads)
      meet(read, now, begin, bytes, shared, counts);
    // A thread's atomic access must not hide its plain one in the same granule.
    cell.write = now;
  }
}

void RaceCheck::forget(const void *memory, int64_t bytes) {
  const auto begin = reinterpret_cast<uintptr_t>(memory);
  for (uintptr_t granule = begin / kGranule; granule * kGranule < begin + bytes; ++granule)
    if (auto page = pages_.find(granule * kGranule / kPage); page != pages_.end())
      page->second->cells[granule % (kPage / kGranule)] = Cell{};
}

std::vector<nj_sim_race> RaceCheck::races() const {
  const int64_t threads = int64_t(launch_.block[0]) * launch_.block[1] * launch_.block[2];
  auto split = [](int64_t number, const int32_t *sizes, int32_t *parts) {
    for (int i = 0; i < 3; ++i, number /= sizes[i - 1])
      parts[i] = static_cast<int32_t>(number % sizes[i]);
  };
  std::vector<nj_sim_race> all;
  for (const Found &found : found_) {
    nj_sim_race race{};
    race.address = found.address;
    race.bytes = found.bytes;
    race.shared = found.shared;
    race.count = found.count;
    auto describe = [&](auto &out, const Access &access) {
      split(access.clock.thread % threads, launch_.block, out.thread);
      split(access.clock.block, launch_.grid, out.block);
      out.how = access.how;
      out.place = launch_.kernel->places[access.place];
    };
    describe(race.first, found.first);
    describe(race.second, found.second);
    all.push_back(race);
  }
  return all;
}

} // namespace numjit
