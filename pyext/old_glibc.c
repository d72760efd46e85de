// What a wheel needs of newer C libraries than the oldest that it runs on (NUMJIT_OLD_GLIBC).
//
// The linker renames what LLVM, libstdc++ and we call to __wrap_NAME (pyext/CMakeLists.txt), and
// here these names jump to the version that glibc has had from its first days on x86-64; of what
// came later, there is a definition of our own. With that a module made on Debian 12 asks for
// nothing that glibc 2.28 lacks, which .ci/check_wheel.py checks.
#ifdef NUMJIT_OLD_GLIBC
#define _GNU_SOURCE

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <malloc.h>
#include <pthread.h>
#include <stdint.h>
#include <string.h>
#include <time.h>

#include <sys/random.h>
#include <sys/stat.h>

// -- another version of the same function ---------------------------------------------------------

#define JUMP(name, version)                                                                        \
  __asm__(".text\n"                                                                                \
          ".globl __wrap_" #name "\n"                                                              \
          ".hidden __wrap_" #name "\n"                                                             \
          ".type __wrap_" #name ", @function\n"                                                    \
          "__wrap_" #name ": jmp *numjit_old_" #name "@GOTPCREL(%rip)\n"                           \
          ".size __wrap_" #name ", . - __wrap_" #name "\n"                                         \
          ".symver numjit_old_" #name ", " #name "@GLIBC_" #version "\n");

#define OLD_GLIBC_JUMP JUMP
#include "pyext/old_glibc.def"

// -- files ----------------------------------------------------------------------------------------

// These were macros around functions that name the version of the structure.

int old_xstat(int, const char *, struct stat *);
int old_lxstat(int, const char *, struct stat *);
int old_fxstat(int, int, struct stat *);
__asm__(".symver old_xstat, __xstat@GLIBC_2.2.5");
__asm__(".symver old_lxstat, __lxstat@GLIBC_2.2.5");
__asm__(".symver old_fxstat, __fxstat@GLIBC_2.2.5");

enum { kStatVersion = 1 }; // of x86-64, where stat64 is stat

#define HIDDEN __attribute__((visibility("hidden")))

HIDDEN int __wrap_stat(const char *path, struct stat *to) {
  return old_xstat(kStatVersion, path, to);
}
HIDDEN int __wrap_stat64(const char *path, struct stat *to) {
  return old_xstat(kStatVersion, path, to);
}
HIDDEN int __wrap_lstat(const char *path, struct stat *to) {
  return old_lxstat(kStatVersion, path, to);
}
HIDDEN int __wrap_lstat64(const char *path, struct stat *to) {
  return old_lxstat(kStatVersion, path, to);
}
HIDDEN int __wrap_fstat(int file, struct stat *to) { return old_fxstat(kStatVersion, file, to); }
HIDDEN int __wrap_fstat64(int file, struct stat *to) { return old_fxstat(kStatVersion, file, to); }

// -- libm -----------------------------------------------------------------------------------------

// The newer versions differ in how errors are told, and are faster. They are taken where they are:
// what is computed at compile time is what libm of this machine says.

typedef double unary(double);
typedef double binary(double, double);

static void *newest(const char *name) {
  void *libm = dlopen("libm.so.6", RTLD_NOW | RTLD_LOCAL);
  return dlsym(libm, name); // there is no Python without it
}

#define UNARY(name)                                                                                \
  HIDDEN double __wrap_##name(double x) {                                                          \
    static unary *known;                                                                           \
    unary *function = __atomic_load_n(&known, __ATOMIC_RELAXED);                                   \
    if (!function)                                                                                 \
      __atomic_store_n(&known, function = (unary *)newest(#name), __ATOMIC_RELAXED);               \
    return function(x);                                                                            \
  }
UNARY(exp)
UNARY(log)
UNARY(log2)

HIDDEN double __wrap_pow(double x, double y) {
  static binary *known;
  binary *function = __atomic_load_n(&known, __ATOMIC_RELAXED);
  if (!function)
    __atomic_store_n(&known, function = (binary *)newest("pow"), __ATOMIC_RELAXED);
  return function(x, y);
}

// -- what was not there ---------------------------------------------------------------------------

HIDDEN char __wrap___libc_single_threaded; // never: Python starts threads

/// Waits by the clock of the day, for the time that is left by `clock`. Who calls it asks the clock
/// again, and waits again if it woke too early.
HIDDEN int __wrap_pthread_cond_clockwait(pthread_cond_t *condition, pthread_mutex_t *mutex,
                                         clockid_t clock, const struct timespec *until) {
  enum { kSecond = 1000000000 };
  struct timespec now, day;
  clock_gettime(clock, &now);
  clock_gettime(CLOCK_REALTIME, &day);
  day.tv_sec += until->tv_sec - now.tv_sec;
  day.tv_nsec += until->tv_nsec - now.tv_nsec;
  if (day.tv_nsec < 0) {
    day.tv_nsec += kSecond;
    day.tv_sec -= 1;
  } else if (day.tv_nsec >= kSecond) {
    day.tv_nsec -= kSecond;
    day.tv_sec += 1;
  }
  return pthread_cond_timedwait(condition, mutex, &day);
}

HIDDEN uint32_t __wrap_arc4random(void) {
  uint32_t bits = 0;
  while (getrandom(&bits, sizeof bits, 0) != sizeof bits)
    continue;
  return bits;
}

HIDDEN struct mallinfo2 __wrap_mallinfo2(void) {
  struct mallinfo2 wide;
  memset(&wide, 0, sizeof wide);
  return wide; // LLVM prints it among its statistics, which we never ask for
}

// The unwinder in libgcc asks for the part of the program around an address.

struct search {
  uintptr_t address;
  struct dl_find_object *found;
};

static int look(struct dl_phdr_info *object, size_t size, void *context) {
  (void)size;
  struct search *search = context;
  const ElfW(Phdr) *frames = NULL;
  int inside = 0;
  for (int i = 0; i < object->dlpi_phnum; ++i) {
    const ElfW(Phdr) *part = &object->dlpi_phdr[i];
    const uintptr_t start = object->dlpi_addr + part->p_vaddr;
    if (part->p_type == PT_LOAD && search->address - start < part->p_memsz) {
      search->found->dlfo_map_start = (void *)start;
      search->found->dlfo_map_end = (void *)(start + part->p_memsz);
      inside = 1;
    }
    if (part->p_type == PT_GNU_EH_FRAME)
      frames = part;
  }
  if (!inside || !frames)
    return 0;
  search->found->dlfo_eh_frame = (void *)(object->dlpi_addr + frames->p_vaddr);
  return 1;
}

HIDDEN int __wrap__dl_find_object(void *address, struct dl_find_object *found) {
  memset(found, 0, sizeof *found);
  struct search search = {(uintptr_t)address, found};
  return dl_iterate_phdr(look, &search) ? 0 : -1;
}

#endif
