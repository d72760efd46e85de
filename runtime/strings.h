/* Strings: characters of 1, 2 or 4 bytes in memory that something else owns. Compiled code passes a
   string as three arguments (data, length, kind) and gets a new one as a block, see nj_text. */
#ifndef NUMJIT_RUNTIME_STRINGS_H
#define NUMJIT_RUNTIME_STRINGS_H

#include "runtime/string_layout.h"

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Reading ---------------------------------------------------------------------------------
   `start` and `end` are as in Python: negative ones count from the end, too large ones are cut. */
uint8_t nj_str_equal(NJ_STR(a), NJ_STR(b));
int64_t nj_str_compare(NJ_STR(a), NJ_STR(b)); /* -1, 0, 1 */
int64_t nj_str_hash(NJ_STR(s));               /* as the interpreter's in this process */
int64_t nj_str_find(NJ_STR(s), NJ_STR(part), int64_t start, int64_t end, int64_t from_end);
int64_t nj_str_count(NJ_STR(s), NJ_STR(part), int64_t start, int64_t end);
uint8_t nj_str_matches(NJ_STR(s), NJ_STR(part), int64_t start, int64_t end, int64_t at_end);
/* The first (last) position that is no character of `set`; no set (length -1): no white space. */
int64_t nj_str_skip(NJ_STR(s), NJ_STR(set), int64_t from_end);
uint8_t nj_str_is(NJ_STR(s), int64_t what); /* nj_str_question */
const void *nj_latin1_characters(void);     /* the 256 characters of kind 1 */

typedef enum nj_str_question {
  NJ_IS_ALPHA,
  NJ_IS_DECIMAL,
  NJ_IS_DIGIT,
  NJ_IS_NUMERIC,
  NJ_IS_ALNUM,
  NJ_IS_SPACE,
  NJ_IS_PRINTABLE,
  NJ_IS_LOWER,
  NJ_IS_UPPER,
  NJ_IS_TITLE,
  NJ_IS_ASCII,
  NJ_IS_IDENTIFIER
} nj_str_question;

/* ---- New strings -------------------------------------------------------------------------------
   The last argument gets the block. */
int32_t nj_str_concat(NJ_STR(a), NJ_STR(b), void **block);
int32_t nj_str_repeat(NJ_STR(s), int64_t count, void **block);
int32_t nj_str_stride(NJ_STR(s), int64_t start, int64_t step, int64_t count, void **block);
int32_t nj_str_join(NJ_STR(separator), const void *items, int64_t count, void **block);
int32_t nj_str_replace(NJ_STR(s), NJ_STR(old), NJ_STR(with), int64_t count, void **block);
int32_t nj_str_pad(NJ_STR(s), int64_t left, int64_t right, int64_t fill, void **block);
int32_t nj_str_expandtabs(NJ_STR(s), int64_t tab_size, void **block);
int32_t nj_str_convert(NJ_STR(s), int64_t how, void **block); /* nj_str_conversion */
int32_t nj_str_chr(int64_t character, void **block);
int32_t nj_str_repr(NJ_STR(s), int64_t only_ascii, void **block);

typedef enum nj_str_conversion {
  NJ_UPPERCASE,
  NJ_LOWERCASE,
  NJ_TITLECASE,
  NJ_CAPITALIZED,
  NJ_SWAPCASE,
  NJ_CASEFOLDED
} nj_str_conversion;

/* ---- Lists of strings: the block of a nj_list ---------------------------------------------------
 */
int32_t nj_str_split(NJ_OWNED_STR(s), NJ_STR(separator), int64_t most, int64_t from_end,
                     void **list); /* no separator (length -1): white space */
int32_t nj_str_splitlines(NJ_OWNED_STR(s), int64_t keep_ends, void **list);
void nj_str_sort(void *items, int64_t count, int64_t reverse); /* stable */

/* ---- Numbers ------------------------------------------------------------------------------------
   Texts are those of Python's str() and format(). */
int32_t nj_str_of_int(int64_t value, void **block);
int32_t nj_str_of_uint(uint64_t value, void **block);
int32_t nj_str_of_double(double value, int64_t bits, void **block); /* of the type: 16, 32, 64 */
int32_t nj_str_of_complex(double real, double imag, int64_t single, void **block);
int32_t nj_format_int(int64_t value, NJ_STR(spec), void **block);
int32_t nj_format_uint(uint64_t value, NJ_STR(spec), void **block);
int32_t nj_format_double(double value, NJ_STR(spec), void **block);
int32_t nj_format_str(NJ_STR(s), NJ_STR(spec), void **block);
int32_t nj_str_to_int(NJ_STR(s), int64_t base, int64_t *value);
int32_t nj_str_to_double(NJ_STR(s), double *value);

/* ---- Bytes and fixed-width strings --------------------------------------------------------------
 */
int32_t nj_str_encode(NJ_STR(s), void **block); /* UTF-8 */
int32_t nj_str_decode(const void *bytes, int64_t length, void **block);
int32_t nj_bytes_repr(NJ_STR(bytes), int64_t escape_single, void **block);
/* Of an item of an array of dtype S or U: the string without the zeros at its end, copied. */
int32_t nj_charseq_read(const void *item, int64_t characters, int64_t kind, void **block);
/* Cut to the width of the item, or filled with zeros. */
void nj_charseq_write(void *item, int64_t characters, int64_t kind, NJ_STR(s));

#ifdef __cplusplus
}
#endif
#endif
