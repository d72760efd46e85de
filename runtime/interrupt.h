/* How a host controls the lock that its threads hold while compiled code runs. */
#pragma once

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Sets whether loops in this thread release the host's lock now and then; returns the former value.
 */
int32_t nj_lend_host_lock(int32_t lends);

#ifdef __cplusplus
}
#endif
