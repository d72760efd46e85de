/* What a module of numjit.pycc consists of: tables of these structures, which
   numjit.standalone_source writes as C, beside the object files of its functions. The headers of
   this folder are part of that source: one file includes them all. */
#ifndef NUMJIT_STANDALONE_TYPES_H
#define NUMJIT_STANDALONE_TYPES_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#define NPY_NO_DEPRECATED_API NPY_2_0_API_VERSION
#define NPY_TARGET_VERSION NPY_2_0_API_VERSION
#include "runtime/runtime.h"

#include <numpy/arrayobject.h>

/* A class, which is found when it is first needed; with a base it is an exception that the module
   has of its own, as the program that compiled it had. */
typedef struct nj_class {
  const char *module, *name;
  PyObject *found;
  struct nj_class *base;
} nj_class;

typedef enum nj_kind {
  NJ_NONE,
  NJ_BOOL,
  NJ_SIGNED,
  NJ_UNSIGNED,
  NJ_FLOAT,
  NJ_COMPLEX,
  NJ_ARRAY,
  NJ_STRING,
  NJ_LITERAL, /* a string known at compile time */
  NJ_BYTES,
  NJ_TUPLE,
  NJ_NAMED_TUPLE,
  NJ_OPTIONAL,
  NJ_LIST,
  NJ_EXCEPTION,
  NJ_TIME,
  NJ_RECORD,
  NJ_ELEMENT /* of an array, and no number: lies in memory only */
} nj_kind;

/* NumPy's dtype of elements that are no numbers, made when the module is imported. */
typedef struct nj_dtype {
  const char *pickled;
  int32_t size;
  PyArray_Descr *found;
} nj_dtype;

/* Where a part of a value lies in memory. */
typedef struct nj_leaf {
  int32_t bytes, offset;
  int32_t is_owner;
} nj_leaf;

typedef struct nj_type {
  nj_kind kind;
  const char *text;      /* as messages name it */
  int32_t bytes;         /* of a number, of an element */
  int32_t number;        /* NumPy's, of numbers */
  const nj_dtype *dtype; /* of elements that are none, of records and times */
  int32_t ndim;          /* of arrays, as the next three */
  char layout;           /* C, F, A */
  uint8_t readonly;      /* also of bytes: they are no bytearray */
  uint8_t is_unaligned;  /* elements may lie at any address */
  int32_t slots;         /* how many words of 8 bytes a value takes, and which leaves they are */
  const nj_leaf *leaves;
  int32_t memory_size;
  const nj_item *item; /* of lists */
  int32_t count;       /* of the types that it is made of; of an array, that of its elements */
  const struct nj_type *const *params;
  nj_class *cls;        /* of named tuples, of exceptions that code makes */
  const char *constant; /* of literals */
} nj_type;

typedef struct nj_function {
  const char *name, *file; /* of the Python function */
  int32_t line;
  int32_t (*entry)(const uint64_t *arguments, uint64_t *result);
  const nj_places *places; /* or null */
  const nj_type *result;
  int32_t count;      /* of the parameters */
  int32_t positional; /* of those that need no name */
  int32_t has_rest;   /* the last one is *args */
  const nj_type *const *params;
  const char *const *names;
  const char *defaults; /* marshalled dict by names, or null */
  int32_t defaults_size;
  uint8_t runs_long, lends_gil, without_gil;
  PyObject *default_values; /* made at import */
} nj_function;

/* A function of a library, which is found at import. */
typedef struct nj_outside {
  const char *file; /* null: what NumPy's linear algebra is linked to */
  const char *symbol;
  void *address;
} nj_outside;

/* A global list, dict or set, which is made at import; see constants.h. */
typedef struct nj_constant {
  void *content; /* nj_list or nj_table, behind a block */
  int32_t is_table;
  const nj_type *item; /* of a table the entry */
  const nj_item *descriptor;
  const char *pickled;
  int32_t size, is_made;
} nj_constant;

typedef struct nj_module {
  const char *features; /* of the processor, see nj_missing_feature */
  nj_function *const *functions;
  nj_outside *outside;
  nj_dtype *const *dtypes;
  nj_class *const *classes; /* its own */
  nj_constant *const *constants;
  int32_t function_count, outside_count, dtype_count, class_count, constant_count;
} nj_module;

#endif
