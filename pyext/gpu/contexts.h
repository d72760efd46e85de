// The functions of the driver that C++ calls, and the context of each thread.
#pragma once

#include "pyext/python.h"

#include <pybind11/pybind11.h>

#include <cstdint>
#include <memory>

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
  int (*is_capturing)(void *stream, int *status) = nullptr;
};
extern DriverFunctions driver;

/// A context of the driver, which threads share. With the GIL only.
struct DriverContext {
  /// Never the same for two contexts; the driver may give the handle of one that was destroyed to
  /// another one.
  uint64_t number = 0;
  void *handle = nullptr;
  bool alive = true; ///< false: what was made in it is gone
};

/// Number of the context that this thread has chosen; 0 if it has chosen none that is alive.
uint64_t chosen_context();
/// The context itself; null if there is none.
const std::shared_ptr<DriverContext> &chosen_driver_context();

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

void add_contexts(pybind11::module_ &module);

} // namespace numjit
