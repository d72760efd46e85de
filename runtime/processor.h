/* What the processor can do, for programs that hold machine code made elsewhere. */
#ifndef NUMJIT_RUNTIME_PROCESSOR_H
#define NUMJIT_RUNTIME_PROCESSOR_H

#ifdef __cplusplus
extern "C" {
#endif

/* The first of `wanted` (as LLVM writes features: "+avx2,-sse4a,+fma") that this processor lacks;
   null if it has all. Those that no instruction needs, or that we do not know of, are passed over.
 */
const char *nj_missing_feature(const char *wanted);

#ifdef __cplusplus
}
#endif

#endif
