/* For LLVM IR that was written outside of the compiler, and for C libraries made for Numba. */
#ifndef NUMJIT_RUNTIME_FOREIGN_H
#define NUMJIT_RUNTIME_FOREIGN_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Set by the host. */
typedef struct nj_foreign_hooks {
  void *(*box_value)(const void *type, const uint64_t *slots);
  int32_t (*unbox_value)(void *object, const void *type, uint64_t *slots);
  void (*raise_pending)(void);
} nj_foreign_hooks;
extern nj_foreign_hooks nj_foreign;

/* Conversion between values and objects of the host; the caller holds the host's lock. Boxing takes
   over the counts of the value; null with a host exception set. Unboxing makes a value with counts
   of its own: 0, or 1 with a host exception set. */
void *nj_box_value(const void *type, const uint64_t *slots);
int32_t nj_unbox_value(void *object, const void *type, uint64_t *slots);
void nj_raise_pending(void); /* the pending error becomes the host's exception */

/* The payload of a block, or the memory that a C library attached to it; and the table of functions
   by which such libraries make and count blocks: that of Numba's NRT_get_api(). */
void *nj_block_data(void *owner);
const void *nj_nrt_api(void);

#ifdef __cplusplus
}
#endif

#endif
