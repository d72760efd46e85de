#include "runtime/simulator.h"

#include "runtime/runtime.h"

int32_t nj_simulate(int32_t (*)(const uint64_t *, uint64_t *), const uint64_t *,
                    const nj_launch *) {
  nj_set_simple_error("SystemError", "this build has no simulator");
  return 1;
}
