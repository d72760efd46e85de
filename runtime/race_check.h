// Finds accesses to memory that nothing orders: races. The simulator of kernels reports each access
// to a shadow memory.
#pragma once

#include "runtime/simulated.h"

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

namespace numjit {

/// The position of a thread in the order of accesses. Two accesses of different threads are ordered
/// by a barrier of their block, or of their warp, between them.
struct RaceClock {
  int64_t thread; ///< its number in the grid
  int64_t block;  ///< that of its block
  uint32_t warp;  ///< that of its warp in the block
  uint32_t epoch; ///< barriers that the block has passed
  uint32_t warp_epoch;
};

/// One thread of the operating system runs all of a launch that is checked, so nothing is locked
/// here.
class RaceCheck {
public:
  explicit RaceCheck(const nj_sim_launch &launch) : launch_(launch) {}

  void access(const RaceClock &clock, const void *address, int64_t bytes, int how, int32_t place,
              bool shared);
  /// All that was before is ordered before all that follows: a barrier of the grid, or memory of a
  /// block that another block gets.
  void forget() { pages_.clear(), last_page_ = nullptr; }
  void forget(const void *memory, int64_t bytes);

  std::vector<nj_sim_race> races() const;

private:
  /// Memory is watched in granules; `bytes` tells which of the granule's were meant.
  static constexpr int64_t kGranule = 4, kPage = 4096;
  struct Access {
    RaceClock clock{-1, -1, 0, 0, 0};
    int32_t place = -1;
    uint8_t bytes = 0, how = 0;
  };
  /// Two readers are enough to know of: any write that races with one that is not remembered races
  /// with one of these, as long as they are of different blocks if readers are.
  struct Cell {
    Access write, reads[2];
  };
  struct Page {
    Cell cells[kPage / kGranule];
  };
  struct Found {
    uintptr_t address;
    int64_t bytes;
    bool shared;
    Access first, second;
    int64_t count;
  };

  static bool ordered(const Access &before, const RaceClock &now);
  void meet(const Access &before, const Access &now, uintptr_t address, int64_t bytes, bool shared,
            bool counts);
  static void remember_reader(Cell &cell, const Access &now);
  Page &page_of(uintptr_t address);

  const nj_sim_launch &launch_;
  std::unordered_map<uintptr_t, std::unique_ptr<Page>> pages_;
  uintptr_t last_number_ = 0;
  Page *last_page_ = nullptr;
  std::vector<Found> found_;
};

} // namespace numjit
