// The functions of the driver that C++ calls, and the context of each thread.
#pragma once

#include "pyext/python.h"

#include <cstdint>
#include <memory>
#include <set>

namespace numjit {

/// numjit.cuda finds them.
struct DriverFunctions {
  int (*launch)(void *function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                unsigned block_y, unsigned block_z, unsigned shared_bytes, void *stream,
                void **parameters, void **extra) = nullptr;
  int (*launch_cooperative)(void *function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                            unsigned block_x, unsigned block_y, unsigned block_z,
                            unsigned shared_bytes, void *stream, void **parameters) = nullptr;
  int (*get_context)(void **context) = nullptr;
  int (*set_context)(void *context) = nullptr;
  int (*synchronize)() = nullptr;
  int (*is_capturing)(void *stream, int *status) = nullptr;
};
extern DriverFunctions driver;

/// A context of the driver, which threads share. With the GIL only.
struct DriverContext {
  /// Never the same for two contexts; the driver may give the handle of one that was destroyed to
  /// another one.
  uint64_t number = 0;
  void *handle = nullptr;
  bool alive = true;             ///< false: what was made in it is gone
  std::set<void *> reached = {}; ///< contexts whose memory its kernels can use
};

/// The stream that this thread works in, of the chosen context.
extern thread_local uint64_t current_stream;
/// Whether this thread computes arrays at once.
extern thread_local bool computes_at_once;

/// Number of the context that this thread has chosen; 0 if it has chosen none that is alive.
uint64_t chosen_context();
/// The context itself; null if there is none.
const std::shared_ptr<DriverContext> &chosen_driver_context();

/// Context and stream in one number: where something is asked for and shall be computed. Handles
/// are addresses, of 47 bits.
inline uint64_t current_place() { return chosen_context() << 48 | current_stream; }

/// Whether there was ever more than one context: only then is memory of another one possible.
bool several_contexts();
/// Before this thread's context works with memory of another one: what is under way there ends. And
/// before the thread leaves its context, what is under way there ends, too.
void wait_for_context(void *other);
/// The same before kernels use that memory; false: they cannot, and an exception is set.
bool reach_context(const DriverContext &other);

/// The driver works in a context while this lives, then in the one that was current before. A
/// thread that had none keeps it. Needs no GIL.
class InContext {
public:
  explicit InContext(void *handle);
  ~InContext();
  InContext(const InContext &) = delete;
  InContext &operator=(const InContext &) = delete;

private:
  void *before_ = nullptr; ///< to be current again
};

} // namespace numjit
