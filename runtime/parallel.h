/* Parallel loops: their iterations in chunks, chunks in several threads. */
#ifndef NUMJIT_RUNTIME_PARALLEL_H
#define NUMJIT_RUNTIME_PARALLEL_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define NJ_MOST_RESULTS 1024 /* chunks at most, if they have results */

/* What do_scheduling_signed returns if chunks have results: the payload of a block that owns what
   is in it. Rows of `slots` 8-byte slots follow, one for each chunk, in order; there is one at
   least. */
typedef struct nj_chunks {
  int64_t count; /* of chunks that ran */
  int64_t slots;
  const int64_t *owners; /* which slots of a row are counted references */
  int64_t owner_count;
} nj_chunks;

/* The scheduler of loops, under the name of Numba's: programs' tests look for it in the LLVM code
   of what is to be parallel. Runs iterations 0 to n-1 in `most` chunks or less; their number
   depends on n (and the chunk size that was set) only. `entry` is the code of one chunk
   (codegen::Entry); slots 0 and 1 are its first iteration and the one behind its last, the others
   are given. The lowest chunk that fails decides which error is pending at the end. */
int32_t do_scheduling_signed(const void *entry, const void *slots, int64_t slot_count, int64_t n,
                             int64_t result_slots, const void *owners, int64_t owner_count,
                             int64_t most, void **result);

int64_t nj_thread_limit(void);             /* threads there are for loops */
int64_t nj_get_num_threads(void);          /* those that loops of this thread use */
int32_t nj_set_num_threads(int64_t count); /* ValueError unless 1 to nj_thread_limit() */
int64_t nj_thread_id(void);                /* 0 to nj_get_num_threads()-1; 0 outside of loops */
int64_t nj_get_chunk_size(void);
int32_t nj_set_chunk_size(int64_t size, int64_t *before); /* 0: as many chunks as are useful */

/* Whether the chunk that this thread works on is no longer wanted; asked by nj_poll. */
int32_t nj_chunk_cancelled(void);

#ifdef __cplusplus
}
#endif
#endif
