/* A libcuda.so.1 without a GPU, for test_launches.py: memory is the host's, a launch runs nothing
 * but writes down what it was given. It is as strict as the driver: what works in the current
 * context fails in a thread without one, and handles of what is gone are refused. */
#include <pthread.h>
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
  int refused;        /* calls without a context, or with a handle of what is gone */
  int modules;        /* that are loaded */
} last;

/* Handles are small numbers above a base; each says whether it is alive. */
enum {
  MODULE = 0x2000000,
  FUNCTION = 0x3000000,
  STREAM = 0x4000000,
  EVENT = 0x5000000,
  MOST = 1 << 16
};
static struct {
  int next;
  char alive[MOST];
} modules, streams, events;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

enum { INVALID_CONTEXT = 201, INVALID_HANDLE = 400 };
static int refuse(int status) {
  return __atomic_add_fetch(&last.refused, 1, __ATOMIC_RELAXED), status;
}
#define IN_CONTEXT                                                                                 \
  if (!current)                                                                                    \
  return refuse(INVALID_CONTEXT)
#define MAKE(table, base) ((void *)(size_t)(base + make(&table.next, table.alive)))
#define ALIVE(table, base, handle) is_alive(table.alive, (size_t)(handle)-base)
static int make(int *next, char *alive) {
  const int number = __atomic_add_fetch(next, 1, __ATOMIC_RELAXED);
  return alive[number % MOST] = 1, number % MOST;
}
static int is_alive(const char *alive, size_t number) { return number < MOST && alive[number]; }
static int is_stream(void *stream) { return (size_t)stream <= 2 || ALIVE(streams, STREAM, stream); }

int cuInit(unsigned flags) { return 0; }
int cuDriverGetVersion(int *version) { return *version = 13000, 0; }
int cuDeviceGetCount(int *count) { return *count = 1, 0; }
int cuDeviceGet(int *device, int number) { return *device = number, 0; }
int cuDeviceGetName(char *name, int size, int device) { return strcpy(name, "fake"), 0; }
int cuDeviceGetAttribute(int *value, int attribute, int device) {
  enum { PROCESSORS = 16, MAJOR = 75, MINOR = 76 };
  return *value = attribute == MAJOR        ? 9
                  : attribute == MINOR      ? 0
                  : attribute == PROCESSORS ? 4
                                            : 2048,
         0;
}
int cuDevicePrimaryCtxRetain(void **context, int device) { return *context = (void *)0x1000, 0; }
int cuDevicePrimaryCtxReset_v2(int device) { return 0; }
int cuCtxGetCurrent(void **context) { return ++last.context_calls, *context = current, 0; }
int cuCtxSetCurrent(void *context) { return current = context, 0; }
int cuStreamIsCapturing(void *stream, int *status) { return *status = 0, 0; }
int cuCtxGetDevice(int *device) {
  IN_CONTEXT;
  return *device = 0, 0;
}
int cuPointerGetAttribute(void *value, int attribute, unsigned long pointer) {
  (void)pointer;
  if (attribute == 1) // the context: this driver has one device
    *(void **)value = current;
  else
    *(int *)value = 0;
  return 0;
}
int cuCtxSynchronize(void) {
  IN_CONTEXT;
  return 0;
}
int cuMemGetInfo_v2(size_t *free, size_t *total) {
  IN_CONTEXT;
  return *free = *total = 1 << 30, 0;
}
int cuMemAlloc_v2(pointer *result, size_t size) {
  IN_CONTEXT;
  return *result = (pointer)calloc(1, size), 0;
}
int cuMemFree_v2(pointer memory) {
  IN_CONTEXT;
  return free((void *)memory), 0;
}
int cuMemHostAlloc(void **result, size_t size, unsigned flags) {
  IN_CONTEXT;
  return *result = malloc(size), 0;
}
int cuMemHostGetDevicePointer_v2(pointer *result, void *memory, unsigned flags) {
  IN_CONTEXT;
  return *result = (pointer)memory, 0;
}
int cuCtxSetLimit(int which, size_t value) {
  IN_CONTEXT;
  return 0;
}
int cuMemFreeHost(void *memory) {
  IN_CONTEXT;
  return free(memory), 0;
}
int cuMemcpyHtoD_v2(void *to, void *from, size_t size) {
  IN_CONTEXT;
  return memcpy(to, from, size), 0;
}
int cuMemcpyDtoH_v2(void *to, void *from, size_t size) { return cuMemcpyHtoD_v2(to, from, size); }
int cuMemcpyDtoD_v2(void *to, void *from, size_t size) { return cuMemcpyHtoD_v2(to, from, size); }
int cuMemcpyHtoDAsync_v2(void *to, void *from, size_t size, void *stream) {
  return is_stream(stream) ? cuMemcpyHtoD_v2(to, from, size) : refuse(INVALID_HANDLE);
}
int cuMemcpyDtoHAsync_v2(void *to, void *from, size_t size, void *stream) {
  return cuMemcpyHtoDAsync_v2(to, from, size, stream);
}
int cuMemsetD8_v2(void *to, unsigned char byte, size_t size) {
  IN_CONTEXT;
  return memset(to, byte, size), 0;
}
int cuStreamCreate(void **stream, unsigned flags) {
  IN_CONTEXT;
  return *stream = MAKE(streams, STREAM), 0;
}
int cuStreamSynchronize(void *stream) {
  IN_CONTEXT;
  return is_stream(stream) ? 0 : refuse(INVALID_HANDLE);
}
int cuStreamQuery(void *stream) { return cuStreamSynchronize(stream); }
int cuStreamDestroy_v2(void *stream) {
  IN_CONTEXT;
  if (!ALIVE(streams, STREAM, stream))
    return refuse(INVALID_HANDLE);
  return streams.alive[(size_t)stream - STREAM] = 0;
}
/* A graph counts the launches that are captured; the program is one thread. */
static struct {
  void *stream;
  int launches, alive;
} capture;
int cuStreamBeginCapture_v2(void *stream, int mode) {
  IN_CONTEXT;
  return is_stream(stream) && !capture.stream ? capture.stream = stream, 0 : refuse(INVALID_HANDLE);
}
int cuStreamEndCapture(void *stream, void **graph) {
  IN_CONTEXT;
  if (capture.stream != stream)
    return refuse(INVALID_HANDLE);
  return capture.stream = 0, *graph = &capture, 0;
}
int cuGraphInstantiateWithFlags(void **executable, void *graph, unsigned long long flags) {
  IN_CONTEXT;
  return capture.alive++, *executable = graph, 0;
}
int cuGraphDestroy(void *graph) { return graph == &capture ? 0 : refuse(INVALID_HANDLE); }
int cuGraphExecDestroy(void *graph) { return capture.alive-- ? 0 : refuse(INVALID_HANDLE); }
int cuGraphLaunch(void *graph, void *stream) {
  IN_CONTEXT;
  return last.count += capture.launches, is_stream(stream) ? 0 : refuse(INVALID_HANDLE);
}

int cuLaunchHostFunc(void *stream, void (*function)(void *), void *data) {
  IN_CONTEXT;
  return function(data), 0;
}
int cuEventCreate(void **event, unsigned flags) {
  IN_CONTEXT;
  return *event = MAKE(events, EVENT), 0;
}
int cuEventSynchronize(void *event) {
  IN_CONTEXT;
  return ALIVE(events, EVENT, event) ? 0 : refuse(INVALID_HANDLE);
}
int cuEventQuery(void *event) { return cuEventSynchronize(event); }
int cuEventRecord(void *event, void *stream) {
  return is_stream(stream) ? cuEventSynchronize(event) : refuse(INVALID_HANDLE);
}
int cuStreamWaitEvent(void *stream, void *event, unsigned flags) {
  return cuEventRecord(event, stream);
}
int cuEventElapsedTime(float *ms, void *start, void *end) {
  return *ms = 1, cuEventSynchronize(start) | cuEventSynchronize(end);
}
int cuEventDestroy_v2(void *event) {
  if (cuEventSynchronize(event))
    return INVALID_HANDLE;
  return events.alive[(size_t)event - EVENT] = 0;
}
int cuModuleLoadDataEx(void **module, void *image, unsigned n, int *keys, void **values) {
  IN_CONTEXT;
  __atomic_add_fetch(&last.modules, 1, __ATOMIC_RELAXED);
  return *module = MAKE(modules, MODULE), 0;
}
int cuModuleUnload(void *module) {
  IN_CONTEXT;
  if (!ALIVE(modules, MODULE, module))
    return refuse(INVALID_HANDLE);
  __atomic_sub_fetch(&last.modules, 1, __ATOMIC_RELAXED);
  return modules.alive[(size_t)module - MODULE] = 0;
}
/* A library is the module that it has in the only context. */
int cuLibraryLoadData(void **library, void *image, int *keys, void **values, unsigned n, int *more,
                      void **their_values, unsigned their_count) {
  return cuModuleLoadDataEx(library, image, n, keys, values);
}
int cuLibraryGetModule(void **module, void *library) {
  IN_CONTEXT;
  return *module = library, ALIVE(modules, MODULE, library) ? 0 : refuse(INVALID_HANDLE);
}
int cuLibraryUnload(void *library) { return cuModuleUnload(library); }
/* A module has one function, whose handle says which module. */
int cuModuleGetFunction(void **function, void *module, char *name) {
  IN_CONTEXT;
  if (!ALIVE(modules, MODULE, module))
    return refuse(INVALID_HANDLE);
  return *function = (char *)module + (FUNCTION - MODULE), 0;
}
int cuModuleGetGlobal_v2(pointer *result, size_t *size, void *module, char *name) {
  static pointer words[MOST][4]; /* of each module; whatever its name is */
  IN_CONTEXT;
  return *result = (pointer)words[(size_t)module - MODULE], *size = sizeof words[0], 0;
}
int cuFuncGetAttribute(int *value, int attribute, void *function) {
  IN_CONTEXT;
  return *value = 0, ALIVE(modules, FUNCTION, function) ? 0 : refuse(INVALID_HANDLE);
}
int cuFuncSetAttribute(void *function, int attribute, int value) {
  return cuFuncGetAttribute(&value, attribute, function);
}
int cuOccupancyMaxPotentialBlockSize(int *blocks, int *threads, void *function, void *size_of,
                                     size_t shared, int most) {
  const int status = cuFuncGetAttribute(blocks, 0, function);
  return *blocks = 1, *threads = 128, status;
}
int cuLinkCreate_v2(unsigned n, int *keys, void **values, void **state) {
  IN_CONTEXT;
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
int cuGetErrorName(int status, const char **name) { return *name = "CUDA_ERROR_FAKE", 0; }
int cuGetErrorString(int status, const char **text) { return *text = "a fake error", 0; }

int cuLaunchKernel(void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
                   unsigned bz, unsigned shared_bytes, void *stream, void **parameters,
                   void **extra) {
  const unsigned grid[] = {gx, gy, gz}, block[] = {bx, by, bz};
  IN_CONTEXT;
  if (!ALIVE(modules, FUNCTION, function) || !is_stream(stream))
    return refuse(INVALID_HANDLE);
  pthread_mutex_lock(&mutex);
  if (stream && stream == capture.stream)
    return ++capture.launches, pthread_mutex_unlock(&mutex), 0;
  ++last.count;
  memcpy(last.grid, grid, sizeof grid);
  memcpy(last.block, block, sizeof block);
  last.shared_bytes = shared_bytes;
  last.stream = stream;
  last.context = current;
  /* As many as the test has said: parameters have no end that shows. */
  for (int i = 0; i < (int)last.values[15]; ++i)
    last.values[i] = *(pointer *)parameters[i];
  const int status = last.status;
  pthread_mutex_unlock(&mutex);
  return status;
}
int cuLaunchCooperativeKernel(void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
                              unsigned by, unsigned bz, unsigned shared_bytes, void *stream,
                              void **parameters) {
  return cuLaunchKernel(function, gx, gy, gz, bx, by, bz, shared_bytes, stream, parameters, 0);
}

int last_refused(void) { return last.refused; }
