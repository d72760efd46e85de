// What the linker of the JIT may see of the runtime. Other programs link what they need of it, so
// nothing else refers to this table.
#include "runtime/clock.h"
#include "runtime/entries.h"
#include "runtime/foreign.h"
#include "runtime/makers.h"
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
      symbol_row("numjit_new_block", numjit_new_block),
      symbol_row("numjit_new_list", numjit_new_list),
      symbol_row("numjit_new_instance", numjit_new_instance),
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
