#ifndef NUMJIT_RUNTIME_CLOCK_H
#define NUMJIT_RUNTIME_CLOCK_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

int64_t nj_clock_ns(int64_t clock); /* nanoseconds that one of clock_gettime's clocks shows */

#ifdef __cplusplus
}
#endif
#endif
