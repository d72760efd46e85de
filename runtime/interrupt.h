/* What a host says about the lock that a thread of it holds while compiled code runs. */
#pragma once

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Whether loops in this thread let others have the host's lock now and then; what was said before.
 */
int32_t nj_lend_host_lock(int32_t lends);

#ifdef __cplusplus
}
#endif
