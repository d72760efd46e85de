// What the host provides, and what the linker of the JIT may see of the runtime.
#include "runtime/clock.h"
#include "runtime/entries.h"
#include "runtime/foreign.h"
#include "runtime/math.h"
#include "runtime/parallel.h"
#include "runtime/random.h"
#include "runtime/runtime.h"
#include "runtime/simulator.h"
#include "runtime/sort.h"
#include "runtime/strings.h"

namespace {

template <class Function>
nj_symbol symbol_row(const char *name, Function *function) {
  return {name, reinterpret_cast<void *>(function)};
}

} // namespace

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

#define NUMJIT_CMATH(name)                                                                         \
  __complex__ double nj_c##name(__complex__ double z);                                             \
  __complex__ float nj_c##name##f(__complex__ float z);
#include "runtime/complex.def"

const nj_symbol *nj_symbols(int64_t *count) {
  static const nj_symbol symbols[] = {
#define NUMJIT_RUNTIME_OP(id, symbol, ...) symbol_row(#symbol, symbol),
#define NUMJIT_RUNTIME_ENTRY(symbol, ...) symbol_row(#symbol, symbol),
#include "runtime/runtime_ops.def"
#undef NUMJIT_RUNTIME_OP
#define NUMJIT_CMATH(name)                                                                         \
  symbol_row("nj_c" #name, nj_c##name), symbol_row("nj_c" #name "f", nj_c##name##f),
#include "runtime/complex.def"
      symbol_row("nj_set_host_error", nj_set_host_error), // these are for foreign LLVM IR
      symbol_row("nj_alloc", nj_alloc),
      symbol_row("nj_box_value", nj_box_value),
      symbol_row("nj_unbox_value", nj_unbox_value),
      symbol_row("nj_raise_pending", nj_raise_pending),
      symbol_row("nj_block_data", nj_block_data),
      symbol_row("NRT_get_api", nj_nrt_api), // as C libraries for Numba know it
      {"nj_poll_flag", const_cast<int32_t *>(&nj_poll_flag)},
      {"nj_threads_flag", &nj_threads_flag},
  };
  *count = sizeof symbols / sizeof symbols[0];
  return symbols;
}

} // extern "C"
