/* Calls of compiled functions by address: what values of types.FunctionType hold. */
#ifndef NUMJIT_RUNTIME_ENTRIES_H
#define NUMJIT_RUNTIME_ENTRIES_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* `entry` is the entry of a function as the host calls it, or 0. Not 0: an error is pending. */
int32_t nj_call_entry(int64_t entry, const uint64_t *arguments, uint64_t *result);

#ifdef __cplusplus
}
#endif

#endif
