/* What makes blocks in the form that LLVM understands best: the block is the result, null on
   failure, with an error pending. */
#ifndef NUMJIT_RUNTIME_MAKERS_H
#define NUMJIT_RUNTIME_MAKERS_H

#include "runtime/runtime.h"

#ifdef __cplusplus
extern "C" {
#endif

nj_block *numjit_new_block(int64_t bytes, int32_t zeroed);
void *numjit_new_list(int64_t length, int64_t item_size, const nj_item *item);
void *numjit_new_instance(int64_t bytes, const nj_item *item);

#ifdef __cplusplus
}
#endif

#endif
