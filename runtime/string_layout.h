/* How strings lie in memory and travel through machine code. */
#ifndef NUMJIT_RUNTIME_STRING_LAYOUT_H
#define NUMJIT_RUNTIME_STRING_LAYOUT_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A string as it lies in memory (a list's items). `kind` is the size of a character in bytes; a
   part of a string keeps the kind of the whole, so it need not be the smallest one. */
typedef struct nj_string {
  const void *data;
  void *owner;
  int64_t length, kind;
} nj_string;

/* Payload of the block of a new string or of new bytes; the characters follow. */
typedef struct nj_text {
  int64_t length, kind;
} nj_text;
int32_t nj_text_new(int64_t length, int64_t kind, void **block);

/* The same letters as in runtime_ops.def: "pii". */
#define NJ_STR(name) const void *name##_data, int64_t name##_length, int64_t name##_kind
/* "poii": where parts of the string are kept. */
#define NJ_OWNED_STR(name)                                                                         \
  const void *name##_data, void *name##_owner, int64_t name##_length, int64_t name##_kind

/* What the host's database says of a character beyond ASCII (nj_hooks): bits. */
typedef enum nj_character_class {
  NJ_ALPHA = 1,
  NJ_DECIMAL = 2,
  NJ_DIGIT = 4,
  NJ_NUMERIC = 8,
  NJ_PRINTABLE = 16,
  NJ_LOWER = 32,
  NJ_UPPER = 64,
  NJ_TITLE = 128,
  NJ_DECIMAL_SHIFT = 8 /* the value of a decimal digit lies above the bits */
} nj_character_class;

#ifdef __cplusplus
}
#endif
#endif
