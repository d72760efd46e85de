/* What a launch costs without Python: microseconds of the driver's functions, in a loop of C.
 *
 *     cc -O2 -o launch_floor tests/bench/launch_floor.c -ldl && ./launch_floor
 *
 * numjit's launches (cuda_kernels.py) cannot be faster than the best row; the rows say which
 * function, which way to pass arguments and which stream is the cheapest. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct {
  unsigned grid[3], block[3], shared_bytes;
  void *stream, *attributes;
  unsigned attribute_count;
} LaunchConfig;

static int (*launch)(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                     void *, void **, void **);
static int (*launch_ex)(const LaunchConfig *, void *, void **, void **);
static int (*synchronize)(void);
static int (*get_current)(void **);

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec + 1e-9 * t.tv_nsec;
}

static void *library;

static void *function(const char *name) {
  void *found = dlsym(library, name);
  if (!found) {
    fprintf(stderr, "the driver has no %s\n", name);
    exit(1);
  }
  return found;
}

#define CALL(name, types, ...)                                                                     \
  do {                                                                                             \
    int status = ((int(*) types)function(name))(__VA_ARGS__);                                      \
    if (status) {                                                                                  \
      fprintf(stderr, "%s: error %d\n", name, status);                                             \
      exit(1);                                                                                     \
    }                                                                                              \
  } while (0)

static const char ptx[] =
    ".version 7.0\n.target sm_70\n.address_size 64\n"
    ".visible .entry k0() { ret; }\n"
    ".visible .entry k1(.param .u64 a, .param .u64 n) { ret; }\n"
    ".visible .entry k4(.param .u64 a, .param .u64 b, .param .u64 c, .param .u64 d,\n"
    "  .param .u64 e, .param .u64 f, .param .u64 g, .param .u64 h) { ret; }\n";

enum { Parameters, Buffer, Extended, WithContext };
static const char *const ways[] = {"cuLaunchKernel, parameters", "cuLaunchKernel, buffer",
                                   "cuLaunchKernelEx", "cuCtxGetCurrent, cuLaunchKernel"};

static double measure(void *kernel, int count, int way, void *stream) {
  unsigned long long values[8] = {0};
  void *parameters[8];
  for (int i = 0; i < 8; ++i)
    parameters[i] = &values[i];
  size_t size = 8 * count;
  void *extra[] = {(void *)1, values, (void *)2, &size, (void *)0};
  double best = 1e9;
  for (int round = 0; round < 300; ++round) {
    synchronize();
    double start = now();
    for (int i = 0; i < 100; ++i) {
      LaunchConfig config = {{1, 1, 1}, {32, 1, 1}, 0, stream, NULL, 0};
      void *current;
      switch (way) {
      case WithContext:
        get_current(&current); /* and then as above */
        /* fallthrough */
      case Parameters: launch(kernel, 1, 1, 1, 32, 1, 1, 0, stream, parameters, NULL); break;
      case Buffer: launch(kernel, 1, 1, 1, 32, 1, 1, 0, stream, NULL, extra); break;
      case Extended: launch_ex(&config, kernel, parameters, NULL); break;
      }
    }
    double time = now() - start;
    best = time < best ? time : best;
  }
  synchronize();
  return 1e6 * best / 100;
}

int main(void) {
  void *context, *module, *kernels[3];
  int device;
  library = dlopen("libcuda.so.1", RTLD_NOW);
  if (!library) {
    fprintf(stderr, "%s\n", dlerror());
    return 1;
  }
  CALL("cuInit", (unsigned), 0);
  CALL("cuDeviceGet", (int *, int), &device, 0);
  CALL("cuDevicePrimaryCtxRetain", (void **, int), &context, device);
  CALL("cuCtxSetCurrent", (void *), context);
  CALL("cuModuleLoadData", (void **, const void *), &module, ptx);
  CALL("cuModuleGetFunction", (void **, void *, const char *), &kernels[0], module, "k0");
  CALL("cuModuleGetFunction", (void **, void *, const char *), &kernels[1], module, "k1");
  CALL("cuModuleGetFunction", (void **, void *, const char *), &kernels[2], module, "k4");
  launch = function("cuLaunchKernel");
  launch_ex = function("cuLaunchKernelEx");
  synchronize = function("cuCtxSynchronize");
  get_current = function("cuCtxGetCurrent");
  const char *const streams[] = {"default stream", "per-thread stream", "stream",
                                 "non-blocking stream"};
  const int counts[] = {0, 2, 8};
  printf("%-34s %-20s %8s %8s %8s\n", "microseconds", "", "0 arrays", "1", "4");
  for (int s = 0; s < 4; ++s) {
    void *stream = s == 1 ? (void *)2 : NULL;
    if (s >= 2)
      CALL("cuStreamCreate", (void **, unsigned), &stream, s - 2);
    for (int way = 0; way < 4; ++way) {
      printf("%-34s %-20s", ways[way], streams[s]);
      for (int i = 0; i < 3; ++i)
        printf(" %8.2f", measure(kernels[i], counts[i], way, stream));
      printf("\n");
      fflush(stdout);
    }
  }
  return 0;
}
