/* The C interface between compiled code, the runtime and the Python extension. Uses neither LLVM
   nor Python objects: Python is called through nj_hooks. */
#ifndef NUMJIT_RUNTIME_H
#define NUMJIT_RUNTIME_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Blocks: counted memory ------------------------------------------------------------------
   An owner is a pointer to a nj_block, or null, or a foreign object (a PyObject*) with bit 0 set:
   compiled code counts a foreign object only when a reference outlives the call, through the hooks.
 */
typedef struct nj_block {
  int64_t padding[3];                 /* of blocks of fields: not part of the allocation */
  int64_t count;                      /* atomic */
  void (*destroy)(struct nj_block *); /* null: payload needs no destructor */
  void *extra;
  int64_t bytes;    /* payload size */
  void *allocation; /* what malloc returned */
} nj_block;
#define NJ_PAYLOAD_OFFSET 64 /* payloads start there; those of arrays are 64-byte aligned */
#define NJ_FOREIGN_BIT 1

int32_t nj_alloc(int64_t bytes, int32_t zeroed,
                 nj_block **result); /* 0, or an error set (MemoryError; ValueError if negative) */
void nj_retain(void *owner);
void nj_release(void *owner);
int64_t nj_live_blocks(void); /* blocks allocated and not yet freed, in the process */

/* ---- Counted values that are replaced ----------------------------------------------------------
   Threads without the host's lock may write to one field, item or value. Code that replaces a
   counted value there holds the lock of its address meanwhile, so that each former value is
   released once, by the thread that replaced it, and the new one is complete. As long as compiled
   code has run in one thread at a time only, the flag is not set and no lock is taken. */
extern int32_t nj_threads_flag;
void nj_expect_threads(void); /* sets it, for good */
void nj_lock_place(const void *place);
void nj_unlock_place(const void *place);

/* ---- Lists --------------------------------------------------------------------------------------
   Payload of a block. Items lie in their memory layout (numjit::layout_of) in `data`. */
typedef struct nj_item { /* describes one item */
  int64_t size;
  int32_t owner_count;           /* counted references in it ... */
  const uint32_t *owner_offsets; /* ... and where they are */
} nj_item;
typedef struct nj_list {
  int64_t length, capacity;
  char *data;
  int64_t dirty; /* set by every modification */
  const nj_item *item;
  int64_t front; /* items that there is room for in front of the data */
} nj_list;
int32_t nj_list_new(int64_t length, int64_t item_size, const nj_item *item, void **result);
int32_t nj_list_grow(void *list, int64_t capacity, int64_t item_size);
/* Appends `count` items of a list of such items, from `start` on; it may be the same list. */
int32_t nj_list_append_part(void *list, void *other, int64_t start, int64_t count);
/* Moves items as memory; the caller fills the gap or closes it by the length. */
void nj_list_move(void *list, int64_t to, int64_t from, int64_t count);
void nj_list_reverse(void *list);
/* The first item's place, which nothing is in any more, becomes room in front of the list. */
void nj_list_drop_front(void *list);
/* Makes a place for an item in front of the first one. */
int32_t nj_list_add_front(void *list);

/* ---- Frames of generators ---------------------------------------------------------------------
   Payload of a block: this, then what is alive while the generator waits. */
typedef struct nj_frame {
  int64_t state; /* 0 not started, n behind the n-th yield, -1 finished or running */
  int32_t (*next)(const uint64_t *arguments, uint64_t *result); /* for the host, or null */
  /* The same for an exception that is thrown in; null: the generator catches none. */
  int32_t (*throw_in)(const uint64_t *arguments, uint64_t *result);
} nj_frame;
int32_t nj_frame_new(int64_t bytes, const nj_item *contents, void **result);

/* ---- Calls of Python functions from compiled code ----------------------------------------------
   Arguments (a tuple) and the result lie in memory as layout_of says. */
typedef struct nj_python_call {
  void *callable;
  const void *arguments, *result; /* numjit::Type* */
} nj_python_call;
int32_t nj_call_python(const nj_python_call *call, const void *arguments, void *result);
/* ---- Tables: dicts and sets -------------------------------------------------------------------
   Payload of a block. Entries lie behind each other in the order of their insertion, each the
   memory of a tuple (hash, key, value); `index` says where: an open hash table whose slots hold
   numbers of entries, searched as table_search.h says. Compiled code does the looking up
   (library/core/tables.py).
 */
#define NJ_NO_ENTRY (-1) /* in a slot of the index: nothing was ever put here */
#define NJ_DEAD (-1)     /* hash of an entry that was removed; no key has it */
typedef struct nj_table {
  int64_t used; /* entries that are alive */
  int64_t end;  /* entries in memory, dead ones too */
  int64_t room; /* how many more can be added before the table must grow */
  int64_t mask; /* slots of the index, less 1 */
  int32_t *index;
  char *entries;
  int64_t dirty; /* set by every modification */
  const nj_item *entry;
} nj_table;
#define NJ_HASH_FACTOR 0x9e3779b97f4a7c15u /* spreads hashes over the slots */
int32_t nj_table_new(const nj_item *entry, void **result);
/* Makes room for one more entry at least; returns the free slot where the search for `hash` ends.
 */
int32_t nj_table_grow(void *table, int64_t hash, int64_t *slot);
/* Makes room for as many entries more. */
int32_t nj_table_reserve(void *table, int64_t count);
/* Removes all entries. */
void nj_table_clear(void *table);
/* A new table with the same entries. */
int32_t nj_table_copy(void *table, void **result);
/* ---- Instances ----------------------------------------------------------------------------------
   Payload of a block: this header, then the fields in the layout of their Struct.
 */
typedef struct nj_instance {
  const nj_item *item;
} nj_instance;
int32_t nj_instance_new(int64_t bytes, const nj_item *item, void **result); /* fields are zero */
/* An instance that may refer to itself through others. One that is made in a scope, in its thread,
   is freed at the end of the scope, whoever refers to it then. */
int32_t nj_linked_new(const nj_item *item, void **result);
enum { NJ_LINKED_SCOPE_BYTES = 32 };
void nj_enter_linked(void *scope); /* memory of the scope */
void nj_leave_linked(void *scope);
/* The scope of this thread; null: none. Returns the former one. */
void *nj_set_linked_scope(void *scope);

/* ---- Errors: one pending error a thread -------------------------------------------------------
 */
typedef struct nj_site {
  const char *builtin;         /* name of a builtin exception, or null: */
  void *cls;                   /* the exception class (PyObject*) */
  const char *message;         /* its only argument, or null: arguments are the slots */
  const char *function, *file; /* of the traceback line */
  int32_t line;
  int32_t argument_count;
  const void *const *argument_types; /* numjit::Type* each */
  int32_t slot_count;                /* 8-byte slots that hold the arguments */
  int32_t has_cause;                 /* the last argument is the exception's cause */
  int32_t owner_count;               /* counted references among the slots ... */
  const int32_t *owner_slots;        /* ... and which they are */
} nj_site;
/* Status of compiled functions. 0: fine; anything else: an error is pending. 1: the error has its
   place. Others: 2 + the number of a place of the module, the line of the user's source with the
   call inside of which the library or the runtime failed. */
typedef struct nj_place {
  const char *function, *file;
  int64_t line;
} nj_place;
typedef struct nj_places {
  int64_t count;
  nj_place rows[1];
} nj_places;
void nj_set_error(const nj_site *site, const uint64_t *slots);
void nj_set_simple_error(const char *builtin, const char *message); /* without a source line */
void nj_set_host_error(void); /* the host (Python) has an exception set, e.g. from a hook */
typedef struct nj_error {
  int32_t kind; /* 0 none, 1 site, 2 simple, 3 host */
  const nj_site *site;
  uint64_t *slots; /* owned by the error */
  const char *builtin;
  void *object; /* host exception (PyObject*), owned: a caught one, or one of a thread that the host
                   forgets between two calls */
  char message[256];
} nj_error;
nj_error *nj_pending_error(void); /* of this thread */
void nj_clear_error(
    void);                /* releases the slots' memory; owners in them are the caller's business */
void nj_drop_error(void); /* gives up the pending one with all that it owns */
/* An error that a handler caught is a block that holds it; null: there was no memory for one. */
void *nj_take_error(void); /* the pending one, which is no longer pending */
/* whether it is an instance of a class, `exactly`: and of none that derives from it */
uint8_t nj_error_matches(void *error, void *cls, int64_t exactly);
void nj_raise_caught(void *error); /* makes it pending again */
int32_t nj_error_text(void *error, int64_t what, void **block);
/* What Python has as an attribute of it, in the layout of a type (numjit::Type); an error if that
   is of another type. */
int32_t nj_error_attribute(void *error, const char *name, const void *type, void *result);
const nj_error *nj_caught_error(void *error);

/* ---- Interrupts and stack ----------------------------------------------------------------------
   Compiled loops read nj_poll_flag; when it is nonzero they call nj_poll, which lets the host run
   signal handlers. A watcher thread raises the flag every 20 ms while a long-running function is
   active. */
extern volatile int32_t nj_poll_flag;
int32_t nj_poll(void);     /* status; leaves the registers of general purpose as they are */
int32_t nj_poll_now(void); /* the same, for nj_poll */
void nj_enter_long(void);  /* a function that may run long starts in this thread */
void nj_leave_long(void);
char *nj_stack_limit(void); /* lowest stack address compiled recursion may reach in this thread */

/* ---- Printing ----------------------------------------------------------------------------------
 */
typedef struct nj_print_site {
  int32_t count;
  const void *const *types; /* numjit::Type* of each argument */
} nj_print_site;
int32_t nj_print(const nj_print_site *site, const uint64_t *slots);

/* ---- The host -----------------------------------------------------------------------------------
 */
typedef int (*nj_host_sort)(void *data, intptr_t count, void *unused);
typedef struct nj_hooks {
  void (*retain_foreign)(void *object);
  void (*release_foreign)(void *object);
  int32_t (*poll)(void); /* run pending signal handlers; nonzero: a host exception is set */
  int32_t (*print)(const nj_print_site *site, const uint64_t *slots);
  void *(*begin_parallel)(
      void); /* the thread is going to wait for others: releases its lock, ... */
  void (*end_parallel)(void *lock); /* ... and takes it again */
  /* Sorts of contiguous numbers, or null; they take no lock. */
  nj_host_sort sort_int32, sort_uint32, sort_int64, sort_uint64, sort_float32, sort_float64;
  void *(*take_exception)(void); /* the host's exception of this thread, taken away */
  void (*set_exception)(void *exception);
  int32_t (*error_matches)(const nj_error *error, void *cls, int64_t exactly);
  /* str() or repr() of it as a new block: 0, or -1 with a host exception set. */
  int32_t (*error_text)(const nj_error *error, int64_t what, void **block);
  int32_t (*error_attribute)(const nj_error *error, const char *name, const void *type,
                             void *result);
  int32_t (*call_python)(const nj_python_call *call, const void *arguments, void *result);
  int64_t (*hash_bytes)(const void *data, int64_t bytes);
  uint32_t (*character_class)(uint32_t character); /* bits of nj_character_class (strings.h) */
  /* A method of a string: 0 and a new block, or -1; without `block` a question: 1 no, 2 yes. */
  int32_t (*text_method)(const char *name, const void *data, int64_t length, int64_t kind,
                         void **block);
} nj_hooks;
extern nj_hooks nj_host;

/* Every function that compiled code may call, by name (for the linker of the JIT). */
typedef struct nj_symbol {
  const char *name;
  void *address;
} nj_symbol;
const nj_symbol *nj_symbols(int64_t *count);

#ifdef __cplusplus
}
#endif
#endif
