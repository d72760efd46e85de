"""Loops over prange on their way: a function of a chunk in SSA, an entry for the runtime at the end."""

from numjit import njit, prange

# STAGE: ssa


# TYPES: (float64[::1])
@njit(parallel=True)
def sum_in_parallel(a):
    # CHECK: parallel_loop {{.*}}, +=={{%[0-9]+}}
    # CHECK: parallel_result 's'
    # CHECK: parallel loop of function sum_in_parallel(first, end, range, a, s)
    # CHECK: chunk_range %2, %0, %1
    # CHECK: chunk_values
    s = 0.0
    for i in prange(a.size):
        s += a[i]
    return s
