// What the host provides, and what the linker of the JIT may see of the runtime.
#include "runtime/entries.h"
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
  // test_runtime.cpp checks that no row of runtime_ops.def is missing.
#define NUMJIT_SYMBOL(name) symbol_row(#name, name)
  static const nj_symbol symbols[] = {
      NUMJIT_SYMBOL(nj_alloc),
      NUMJIT_SYMBOL(nj_retain),
      NUMJIT_SYMBOL(nj_release),
      NUMJIT_SYMBOL(nj_lock_place),
      NUMJIT_SYMBOL(nj_unlock_place),
      NUMJIT_SYMBOL(nj_list_new),
      NUMJIT_SYMBOL(nj_list_grow),
      NUMJIT_SYMBOL(nj_list_append_part),
      NUMJIT_SYMBOL(nj_list_move),
      NUMJIT_SYMBOL(nj_list_drop_front),
      NUMJIT_SYMBOL(nj_list_add_front),
      NUMJIT_SYMBOL(nj_list_reverse),
      NUMJIT_SYMBOL(nj_frame_new),
      NUMJIT_SYMBOL(nj_call_python),
      NUMJIT_SYMBOL(nj_table_new),
      NUMJIT_SYMBOL(nj_table_grow),
      NUMJIT_SYMBOL(nj_table_clear),
      NUMJIT_SYMBOL(nj_table_copy),
      NUMJIT_SYMBOL(nj_instance_new),
      NUMJIT_SYMBOL(nj_set_error),
      NUMJIT_SYMBOL(nj_take_error),
      NUMJIT_SYMBOL(nj_error_matches),
      NUMJIT_SYMBOL(nj_raise_caught),
      NUMJIT_SYMBOL(nj_error_text),
      NUMJIT_SYMBOL(nj_error_arguments),
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
      NUMJIT_SYMBOL(nj_sim_barrier),
      NUMJIT_SYMBOL(nj_sim_warp),
      NUMJIT_SYMBOL(nj_sim_access),
      NUMJIT_SYMBOL(nj_sim_alloc),
      NUMJIT_SYMBOL(nj_str_equal),
      NUMJIT_SYMBOL(nj_str_compare),
      NUMJIT_SYMBOL(nj_str_hash),
      NUMJIT_SYMBOL(nj_str_find),
      NUMJIT_SYMBOL(nj_str_count),
      NUMJIT_SYMBOL(nj_str_matches),
      NUMJIT_SYMBOL(nj_str_skip),
      NUMJIT_SYMBOL(nj_str_is),
      NUMJIT_SYMBOL(nj_latin1_characters),
      NUMJIT_SYMBOL(nj_str_concat),
      NUMJIT_SYMBOL(nj_str_repeat),
      NUMJIT_SYMBOL(nj_str_stride),
      NUMJIT_SYMBOL(nj_str_join),
      NUMJIT_SYMBOL(nj_str_replace),
      NUMJIT_SYMBOL(nj_str_pad),
      NUMJIT_SYMBOL(nj_str_expandtabs),
      NUMJIT_SYMBOL(nj_str_convert),
      NUMJIT_SYMBOL(nj_str_chr),
      NUMJIT_SYMBOL(nj_str_repr),
      NUMJIT_SYMBOL(nj_str_split),
      NUMJIT_SYMBOL(nj_str_splitlines),
      NUMJIT_SYMBOL(nj_str_sort),
      NUMJIT_SYMBOL(nj_str_of_int),
      NUMJIT_SYMBOL(nj_str_of_uint),
      NUMJIT_SYMBOL(nj_str_of_double),
      NUMJIT_SYMBOL(nj_str_of_complex),
      NUMJIT_SYMBOL(nj_format_int),
      NUMJIT_SYMBOL(nj_format_uint),
      NUMJIT_SYMBOL(nj_format_double),
      NUMJIT_SYMBOL(nj_format_str),
      NUMJIT_SYMBOL(nj_str_to_int),
      NUMJIT_SYMBOL(nj_str_to_double),
      NUMJIT_SYMBOL(nj_str_encode),
      NUMJIT_SYMBOL(nj_str_decode),
      NUMJIT_SYMBOL(nj_bytes_repr),
      NUMJIT_SYMBOL(nj_charseq_read),
      NUMJIT_SYMBOL(nj_charseq_write),
#define NUMJIT_CMATH(name) NUMJIT_SYMBOL(nj_c##name), NUMJIT_SYMBOL(nj_c##name##f),
#include "runtime/complex.def"
      {"nj_poll_flag", const_cast<int32_t *>(&nj_poll_flag)},
      {"nj_threads_flag", &nj_threads_flag},
  };
#undef NUMJIT_SYMBOL
  *count = sizeof symbols / sizeof symbols[0];
  return symbols;
}

} // extern "C"
