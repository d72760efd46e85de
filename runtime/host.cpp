// What the host provides, and what the linker of the JIT may see of the runtime.
#include "runtime/math.h"
#include "runtime/parallel.h"
#include "runtime/random.h"
#include "runtime/runtime.h"
#include "runtime/sort.h"

namespace {

template <class Function>
nj_symbol symbol_row(const char *name, Function *function) {
  return {name, reinterpret_cast<void *>(function)};
}

} // namespace

extern "C" {

nj_hooks nj_host = {};

int32_t nj_print(const nj_print_site *site, const uint64_t *slots) {
  if (nj_host.print && nj_host.print(site, slots)) {
    nj_set_host_error();
    return 1;
  }
  return 0;
}

const nj_symbol *nj_symbols(int64_t *count) {
  // test_runtime.cpp checks that no row of runtime_ops.def is missing.
#define NUMJIT_SYMBOL(name) symbol_row(#name, name)
  static const nj_symbol symbols[] = {
      NUMJIT_SYMBOL(nj_alloc),
      NUMJIT_SYMBOL(nj_retain),
      NUMJIT_SYMBOL(nj_release),
      NUMJIT_SYMBOL(nj_list_new),
      NUMJIT_SYMBOL(nj_list_grow),
      NUMJIT_SYMBOL(nj_instance_new),
      NUMJIT_SYMBOL(nj_set_error),
      NUMJIT_SYMBOL(nj_set_simple_error),
      NUMJIT_SYMBOL(nj_poll),
      NUMJIT_SYMBOL(nj_stack_limit),
      NUMJIT_SYMBOL(nj_print),
      NUMJIT_SYMBOL(nj_pow_i64),
      NUMJIT_SYMBOL(nj_lgamma),
      NUMJIT_SYMBOL(nj_round_digits),
      NUMJIT_SYMBOL(nj_sort),
      NUMJIT_SYMBOL(nj_argsort),
      NUMJIT_SYMBOL(nj_partition),
      NUMJIT_SYMBOL(nj_argpartition),
      NUMJIT_SYMBOL(nj_random_state),
      NUMJIT_SYMBOL(nj_random_seed),
      NUMJIT_SYMBOL(nj_random_double),
      NUMJIT_SYMBOL(nj_random_interval),
      NUMJIT_SYMBOL(nj_random_below),
      NUMJIT_SYMBOL(nj_random_bits),
      NUMJIT_SYMBOL(nj_random_integers),
      NUMJIT_SYMBOL(nj_random_draw),
      NUMJIT_SYMBOL(nj_random_draw_int),
      NUMJIT_SYMBOL(nj_random_fill),
      NUMJIT_SYMBOL(nj_copy_matrix),
      NUMJIT_SYMBOL(nj_parallel),
      NUMJIT_SYMBOL(nj_get_num_threads),
      NUMJIT_SYMBOL(nj_set_num_threads),
      NUMJIT_SYMBOL(nj_thread_id),
      NUMJIT_SYMBOL(nj_get_chunk_size),
      NUMJIT_SYMBOL(nj_set_chunk_size),
      {"nj_poll_flag", const_cast<int32_t *>(&nj_poll_flag)},
  };
#undef NUMJIT_SYMBOL
  *count = sizeof symbols / sizeof symbols[0];
  return symbols;
}

} // extern "C"
