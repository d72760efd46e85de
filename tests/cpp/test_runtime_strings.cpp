// Strings of the runtime: sizes of characters that differ, parts, numbers. (tests/language compares
// every method with the interpreter; here is what that cannot reach.)
#include "runtime/runtime.h"
#include "runtime/strings.h"

#include <gtest/gtest.h>

#include <string>

namespace {

struct Part {
  const void *data;
  int64_t length, kind;
};
Part narrow(const std::string &text) { return {text.data(), int64_t(text.size()), 1}; }
Part wide(const std::u16string &text) { return {text.data(), int64_t(text.size()), 2}; }
Part widest(const std::u32string &text) { return {text.data(), int64_t(text.size()), 4}; }
#define ARGS(part) (part).data, (part).length, (part).kind

std::u32string take(void *block) {
  const char *payload = static_cast<char *>(block) + NJ_PAYLOAD_OFFSET;
  const auto *text = reinterpret_cast<const nj_text *>(payload);
  std::u32string out;
  for (int64_t i = 0; i < text->length; ++i) {
    const char *at = payload + sizeof(nj_text) + i * text->kind;
    out += text->kind == 1   ? char32_t(*reinterpret_cast<const uint8_t *>(at))
           : text->kind == 2 ? char32_t(*reinterpret_cast<const char16_t *>(at))
                             : *reinterpret_cast<const char32_t *>(at);
  }
  nj_release(block);
  return out;
}

TEST(RuntimeStrings, CompareAcrossSizesOfCharacters) {
  const std::string s = "abc";
  const std::u16string w = u"abc";
  const std::u32string ww = U"abc";
  EXPECT_TRUE(nj_str_equal(ARGS(narrow(s)), ARGS(wide(w))));
  EXPECT_TRUE(nj_str_equal(ARGS(widest(ww)), ARGS(wide(w))));
  EXPECT_EQ(nj_str_compare(ARGS(narrow(s)), ARGS(widest(U"abd"))), -1);
  EXPECT_EQ(nj_str_compare(ARGS(widest(U"ab\x10000")), ARGS(narrow(s))), 1);
  EXPECT_EQ(nj_str_hash(ARGS(narrow(s))), nj_str_hash(ARGS(widest(ww))));
}

TEST(RuntimeStrings, FindWholeCharactersOnly) {
  // The bytes 01 02 01 02 hold 0x0102 in the middle of characters, too.
  const std::u16string s = {0x0201, 0x0201, 0x0102};
  EXPECT_EQ(nj_str_find(ARGS(wide(s)), ARGS(wide(u"\u0102")), 0, 3, 0), 2);
  const std::u16string pair = {0x0201, 0x0102};
  EXPECT_EQ(nj_str_find(ARGS(wide(s)), ARGS(wide(pair)), 0, 3, 0), 1);
  EXPECT_EQ(nj_str_find(ARGS(narrow("abc")), ARGS(widest(U"c")), 0, 3, 1), 2);
  EXPECT_EQ(nj_str_find(ARGS(narrow("abc")), ARGS(widest(U"\x10000")), 0, 3, 0), -1);
}

TEST(RuntimeStrings, PartsKeepTheirOwner) {
  const int64_t before = nj_live_blocks();
  void *whole = nullptr, *list = nullptr;
  const std::string text = "a,b,c";
  ASSERT_EQ(nj_str_repeat(ARGS(narrow(text)), 1, &whole), 0);
  const char *data = static_cast<char *>(whole) + NJ_PAYLOAD_OFFSET + sizeof(nj_text);
  ASSERT_EQ(nj_str_split(data, whole, 5, 1, ARGS(narrow(",")), -1, 0, &list), 0);
  nj_release(whole);
  const auto *items =
      reinterpret_cast<const nj_list *>(static_cast<char *>(list) + NJ_PAYLOAD_OFFSET);
  ASSERT_EQ(items->length, 3);
  const auto *parts = reinterpret_cast<const nj_string *>(items->data);
  EXPECT_EQ(*static_cast<const char *>(parts[2].data), 'c');
  nj_release(list);
  EXPECT_EQ(nj_live_blocks(), before);
}

TEST(RuntimeStrings, ImpossibleLengthsAreErrors) {
  void *block = nullptr;
  EXPECT_NE(nj_str_repeat(ARGS(narrow("ab")), INT64_MAX / 2 + 1, &block), 0);
  nj_clear_error();
  EXPECT_NE(nj_str_pad(ARGS(narrow("ab")), INT64_MAX, INT64_MAX, ' ', &block), 0);
  nj_clear_error();
}

TEST(RuntimeStrings, FixedWidthItems) {
  char memory[6];
  nj_charseq_write(memory, 6, 1, ARGS(narrow("abc")));
  void *block = nullptr;
  ASSERT_EQ(nj_charseq_read(memory, 6, 1, &block), 0);
  EXPECT_EQ(take(block), U"abc");
  nj_charseq_write(memory, 6, 1, ARGS(narrow("longer than six")));
  ASSERT_EQ(nj_charseq_read(memory, 6, 1, &block), 0);
  EXPECT_EQ(take(block), U"longer");
}

} // namespace
