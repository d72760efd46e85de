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

#ifdef __cplusplus
}
#endif
#endif
