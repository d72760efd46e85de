/* Functions of runtime_ops.def that need nothing else of the runtime. */
#ifndef NUMJIT_RUNTIME_MATH_H
#define NUMJIT_RUNTIME_MATH_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

int64_t nj_pow_i64(int64_t base, int64_t exponent); /* wraps; uint64 has the same bits */
double nj_lgamma(double x);
double nj_round_digits(double x, int64_t digits); /* as CPython's round(x, digits) */
/* Copies a matrix of items of 1, 2, 4, 8 or 16 bytes between any two layouts; steps in bytes. */
void nj_copy_matrix(void *to, int64_t to_row, int64_t to_column, const void *from, int64_t from_row,
                    int64_t from_column, int64_t rows, int64_t columns, int64_t item_size);

#ifdef __cplusplus
}
#endif
#endif
