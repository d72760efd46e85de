// What the host provides.
#include "runtime/entries.h"
#include "runtime/runtime.h"
#include "runtime/simulator.h"

extern "C" {

nj_hooks nj_host = {};

int32_t nj_print(const nj_print_site *site, const uint64_t *slots) {
  struct Call {
    const nj_print_site *site;
    const uint64_t *slots;
    int32_t status;
  } call{site, slots, 0};
  if (nj_host.print)
    nj_on_thread_stack(
        [](void *argument) {
          auto &call = *static_cast<Call *>(argument);
          call.status = nj_host.print(call.site, call.slots);
        },
        &call);
  if (call.status)
    nj_set_host_error();
  return call.status != 0;
}

int32_t nj_call_python(const nj_python_call *call, const void *arguments, void *result) {
  if (!nj_host.call_python || !nj_host.call_python(call, arguments, result))
    return 0;
  nj_set_host_error();
  return 1;
}

int32_t nj_call_entry(int64_t entry, const uint64_t *arguments, uint64_t *result) {
  if (!entry) { // a field of an instance that was not assigned
    nj_set_simple_error("ValueError", "a function was called that was never assigned");
    return 1;
  }
  const char here = 0; // callers do not know that they may be recursive by way of this
  if (&here < nj_stack_limit()) {
    nj_set_simple_error("RecursionError", "maximum recursion depth exceeded");
    return 1;
  }
  using Entry = int32_t (*)(const uint64_t *, uint64_t *);
  return reinterpret_cast<Entry>(entry)(arguments, result);
}

} // extern "C"
