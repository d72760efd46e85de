/* Random numbers with the streams of NumPy's RandomState and of CPython's random module: both are
   Mersenne twisters, with different ways from words to numbers. Each thread has one state of each,
   seeded by the system when it is first used. */
#ifndef NUMJIT_RUNTIME_RANDOM_H
#define NUMJIT_RUNTIME_RANDOM_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct nj_random nj_random;
nj_random *nj_random_state(int64_t which); /* of this thread; 0: NumPy's, 1: CPython's */
#define NJ_RANDOM_SYSTEM_SEED UINT64_MAX
void nj_random_seed(nj_random *state, uint64_t seed); /* or NJ_RANDOM_SYSTEM_SEED */

double nj_random_double(nj_random *state);                    /* in [0, 1), 53 bits */
uint64_t nj_random_interval(nj_random *state, uint64_t most); /* in [0, most], NumPy's way */
uint64_t nj_random_below(nj_random *state, uint64_t end);     /* in [0, end), CPython's way */
uint64_t nj_random_bits(nj_random *state, int64_t count);     /* 0 to 64 random bits */
/* n integers in [low, low + range] to an array of the dtype (NumPy's character). */
void nj_random_integers(nj_random *state, void *out, int64_t n, int64_t low, uint64_t range,
                        int64_t dtype);

/* One number, or n of them, of a distribution: its place in nj_distributions. Parameters that it
   does not have are ignored. Nonzero: a parameter is wrong, and ValueError is set. */
int32_t nj_random_draw(nj_random *state, int64_t distribution, double a, double b, double c,
                       double *result);
int32_t nj_random_draw_int(nj_random *state, int64_t distribution, double a, double b, double c,
                           int64_t *result);
int32_t nj_random_fill(nj_random *state, int64_t distribution, void *out, int64_t n, double a,
                       double b, double c);

typedef struct nj_distribution {
  const char *name;
  int32_t is_integer; /* numbers are int64, else double */
} nj_distribution;
const nj_distribution *nj_distributions(int64_t *count);

#ifdef __cplusplus
}
#endif
#endif
