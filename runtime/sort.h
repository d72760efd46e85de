/* Sorting and selection along an axis of arrays, as NumPy orders them: NaN last, complex numbers by
   real part first. Equal elements keep their order.

   Data, strides (in bytes), shape, dimensions and NumPy's character of the dtype give the array.
   The result goes to `out`, which has the same shape and may be the array itself; it has int64
   elements if it takes positions. The axis is in range. Nonzero: out of memory, and the error is
   set. */
#ifndef NUMJIT_RUNTIME_SORT_H
#define NUMJIT_RUNTIME_SORT_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

int32_t nj_sort(void *out, const int64_t *out_strides, void *data, const int64_t *strides,
                const int64_t *shape, int64_t ndim, int64_t axis, int64_t dtype);
int32_t nj_argsort(void *out, const int64_t *out_strides, void *data, const int64_t *strides,
                   const int64_t *shape, int64_t ndim, int64_t axis, int64_t dtype);
/* The elements at the positions `kth` (in range) are those of the sorted line; no smaller one is
   behind and no larger one in front of them. */
int32_t nj_partition(void *out, const int64_t *out_strides, void *data, const int64_t *strides,
                     const int64_t *shape, int64_t ndim, int64_t axis, int64_t dtype,
                     const int64_t *kth, int64_t kth_count);
int32_t nj_argpartition(void *out, const int64_t *out_strides, void *data, const int64_t *strides,
                        const int64_t *shape, int64_t ndim, int64_t axis, int64_t dtype,
                        const int64_t *kth, int64_t kth_count);

#ifdef __cplusplus
}
#endif
#endif
