/* A libcuda.so.1 without a GPU, for test_launches.py: memory is the host's, a launch runs nothing but
 * writes down what it was given. */
#include <stdlib.h>
#include <string.h>

typedef unsigned long long pointer;

static __thread void *current;

struct {
  int count, status, context_calls;
  unsigned grid[3], block[3], shared_bytes;
  void *stream, *context;
  pointer values[16]; /* what the first parameters point to */
  char linked[16];    /* kinds of what was linked last, as digits */
} last;

int cuInit(unsigned flags) { return 0; }
int cuDriverGetVersion(int *version) { return *version = 13000, 0; }
int cuDeviceGetCount(int *count) { return *count = 1, 0; }
int cuDeviceGet(int *device, int number) { return *device = number, 0; }
int cuDeviceGetName(char *name, int size, int device) { return strcpy(name, "fake"), 0; }
int cuDeviceGetAttribute(int *value, int attribute, int device) {
  return *value = attribute == 75 ? 9 : attribute == 76 ? 0 : 65536, 0;
}
int cuDevicePrimaryCtxRetain(void **context, int device) { return *context = (void *)0x1000, 0; }
int cuDevicePrimaryCtxReset_v2(int device) { return 0; }
int cuCtxGetCurrent(void **context) { return ++last.context_calls, *context = current, 0; }
int cuCtxSetCurrent(void *context) { return current = context, 0; }
int cuCtxSynchronize(void) { return 0; }
int cuMemAlloc_v2(pointer *result, size_t size) { return *result = (pointer)malloc(size), 0; }
int cuMemFree_v2(pointer memory) { return free((void *)memory), 0; }
int cuMemcpyHtoD_v2(void *to, void *from, size_t size) { return memcpy(to, from, size), 0; }
int cuMemcpyDtoH_v2(void *to, void *from, size_t size) { return memcpy(to, from, size), 0; }
int cuStreamCreate(void **stream, unsigned flags) { return *stream = (void *)0x4000, 0; }
int cuStreamDestroy_v2(void *stream) { return 0; }
int cuModuleLoadDataEx(void **module, void *image, unsigned n, int *keys, void **values) {
  return *module = (void *)0x2000, 0;
}
int cuLinkCreate_v2(unsigned n, int *keys, void **values, void **state) {
  last.linked[0] = 0;
  return *state = (void *)0x6000, 0;
}
int cuLinkAddData_v2(void *state, int kind, void *data, size_t size, char *name, unsigned n,
                     int *keys, void **values) {
  char *end = last.linked + strlen(last.linked);
  *end++ = (char)('0' + kind);
  *end = 0;
  return 0;
}
int cuLinkComplete(void *state, void **image, size_t *size) {
  return *image = "cubin", *size = 5, 0;
}
int cuLinkDestroy(void *state) { return 0; }
int cuModuleUnload(void *module) { return 0; }
int cuModuleGetFunction(void **function, void *module, char *name) {
  static char *next = (char *)0x3000;
  return *function = ++next, 0;
}
int cuGetErrorName(int status, const char **name) { return *name = "CUDA_ERROR_FAKE", 0; }

int cuLaunchKernel(void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
                   unsigned bz, unsigned shared_bytes, void *stream, void **parameters,
                   void **extra) {
  const unsigned grid[] = {gx, gy, gz}, block[] = {bx, by, bz};
  ++last.count;
  memcpy(last.grid, grid, sizeof grid);
  memcpy(last.block, block, sizeof block);
  last.shared_bytes = shared_bytes;
  last.stream = stream;
  last.context = current;
  /* As many as the test has said: parameters have no end that shows. */
  for (int i = 0; i < (int)last.values[15]; ++i)
    last.values[i] = *(pointer *)parameters[i];
  return last.status;
}
int cuLaunchCooperativeKernel(void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
                              unsigned by, unsigned bz, unsigned shared_bytes, void *stream,
                              void **parameters) {
  return cuLaunchKernel(function, gx, gy, gz, bx, by, bz, shared_bytes, stream, parameters, 0);
}
