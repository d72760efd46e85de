// The runtime: blocks, lists, errors, arithmetic, and that the linker of the JIT finds every
// function.
#include "runtime/math.h"
#include "runtime/runtime.h"
#include "runtime/table_search.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <set>
#include <string>
#include <thread>
#include <vector>

namespace {

char *payload(nj_block *block) { return reinterpret_cast<char *>(block) + NJ_PAYLOAD_OFFSET; }
nj_list *list_of(void *block) {
  return reinterpret_cast<nj_list *>(payload(static_cast<nj_block *>(block)));
}

std::string take_error() {
  nj_error *error = nj_pending_error();
  std::string text = error->kind == 2 ? std::string(error->builtin) + ": " + error->message : "?";
  nj_clear_error();
  return text;
}

TEST(Runtime, BlocksAreAlignedZeroedAndCounted) {
  int64_t before = nj_live_blocks();
  for (int64_t bytes : {0, 1, 63, 64, 1000, 100000, 10000000}) {
    nj_block *block = nullptr;
    ASSERT_EQ(nj_alloc(bytes, 1, &block), 0);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(payload(block)) % 64, 0u);
    EXPECT_EQ(block->bytes, bytes);
    for (int64_t i = 0; i < bytes; i += 61)
      ASSERT_EQ(payload(block)[i], 0);
    std::memset(payload(block), 1, bytes);
    EXPECT_EQ(nj_live_blocks(), before + 1);
    nj_retain(block);
    nj_release(block);
    EXPECT_EQ(nj_live_blocks(), before + 1);
    nj_release(block);
    EXPECT_EQ(nj_live_blocks(), before);
  }
  nj_retain(nullptr);
  nj_release(nullptr);
}

TEST(Runtime, FreedSmallBlocksAreUsedAgain) {
  int64_t before = nj_live_blocks();
  for (int64_t bytes : {0, 1, 31, 32, 33, 1023, 1024, 1025, 2000}) {
    std::vector<nj_block *> blocks(300);
    for (int round = 0; round < 3; ++round) { // more than a thread keeps
      for (nj_block *&block : blocks) {
        ASSERT_EQ(nj_alloc(bytes, 1, &block), 0);
        EXPECT_EQ(block->bytes, bytes);
        EXPECT_EQ(block->extra, nullptr);
        for (int64_t i = 0; i < bytes; ++i)
          ASSERT_EQ(payload(block)[i], 0);
        std::memset(payload(block), 1, bytes);
      }
      EXPECT_EQ(nj_live_blocks(), before + 300);
      if (round == 1) // what another thread frees is kept there, and freed when it ends
        std::thread([&] { std::for_each(blocks.begin(), blocks.end(), nj_release); }).join();
      else
        std::for_each(blocks.begin(), blocks.end(), nj_release);
      EXPECT_EQ(nj_live_blocks(), before);
    }
  }
}

TEST(Runtime, ImpossibleSizesAreErrors) {
  nj_block *block;
  EXPECT_NE(nj_alloc(-1, 0, &block), 0);
  EXPECT_EQ(take_error(), "ValueError: negative dimensions are not allowed");
  EXPECT_NE(nj_alloc(std::numeric_limits<int64_t>::max(), 0, &block), 0);
  EXPECT_EQ(take_error(), "MemoryError: unable to allocate 9223372036854775807 bytes");
  EXPECT_NE(nj_alloc(int64_t{1} << 60, 1, &block), 0);
  EXPECT_EQ(take_error().substr(0, 11), "MemoryError");
}

TEST(Runtime, BlocksCountedAcrossThreads) {
  int64_t before = nj_live_blocks();
  nj_block *block;
  std::thread([&] { ASSERT_EQ(nj_alloc(8, 0, &block), 0); }).join();
  EXPECT_EQ(nj_live_blocks(), before + 1);
  nj_release(block);
  EXPECT_EQ(nj_live_blocks(), before);
}

TEST(Runtime, ListsGrowAndReleaseTheirItems) {
  int64_t before = nj_live_blocks();
  uint32_t offsets[] = {8};
  nj_item item{16, 1, offsets};
  void *list;
  ASSERT_EQ(nj_list_new(0, 16, &item, &list), 0);
  for (int64_t i = 0; i < 100; ++i) {
    nj_list *header = list_of(list);
    if (header->length == header->capacity) {
      ASSERT_EQ(nj_list_grow(list, header->length + 1, 16), 0);
    }
    nj_block *block;
    ASSERT_EQ(nj_alloc(8, 0, &block), 0);
    std::memcpy(header->data + header->length * 16 + 8, &block, 8);
    ++header->length;
  }
  EXPECT_EQ(nj_live_blocks(), before + 101);
  nj_release(list);
  EXPECT_EQ(nj_live_blocks(), before);
  ASSERT_EQ(nj_list_new(-3, 8, nullptr, &list), 0);
  EXPECT_EQ(list_of(list)->length, 0);
  nj_release(list);
  EXPECT_NE(nj_list_new(int64_t{1} << 61, 8, nullptr, &list), 0);
  EXPECT_EQ(take_error().substr(0, 11), "MemoryError");
}

/// A list of items of `Words` words: 10, 20, ... in the first word.
template <size_t Words>
void *tens(int64_t length, const nj_item &item) {
  void *list;
  EXPECT_EQ(nj_list_new(length, Words * 8, &item, &list), 0);
  for (int64_t i = 0; i < length; ++i) {
    const int64_t value = (i + 1) * 10;
    std::memcpy(list_of(list)->data + i * Words * 8, &value, 8);
  }
  return list;
}

template <size_t Words>
std::vector<int64_t> first_words(void *list) {
  std::vector<int64_t> values(list_of(list)->length);
  for (size_t i = 0; i < values.size(); ++i)
    std::memcpy(&values[i], list_of(list)->data + i * Words * 8, 8);
  return values;
}

template <size_t Words>
void check_list_operations() {
  const int64_t before = nj_live_blocks();
  const nj_item item{Words * 8, 0, nullptr};
  void *list = tens<Words>(4, item);
  nj_list_reverse(list);
  EXPECT_EQ(first_words<Words>(list), (std::vector<int64_t>{40, 30, 20, 10}));
  nj_list_move(list, 0, 1, 3); // to lower indices, as after `pop`
  EXPECT_EQ(first_words<Words>(list), (std::vector<int64_t>{30, 20, 10, 10}));
  nj_list_move(list, 1, 0, 3); // to higher ones, as for `insert`
  EXPECT_EQ(first_words<Words>(list), (std::vector<int64_t>{30, 30, 20, 10}));
  list_of(list)->dirty = 0;
  EXPECT_EQ(nj_list_append_part(list, list, 1, 0), 0);
  EXPECT_EQ(list_of(list)->dirty, 0);
  EXPECT_EQ(nj_list_append_part(list, list, 2, 2), 0); // of itself, with new memory
  EXPECT_EQ(list_of(list)->dirty, 1);
  EXPECT_EQ(first_words<Words>(list), (std::vector<int64_t>{30, 30, 20, 10, 20, 10}));
  EXPECT_NE(nj_list_append_part(list, list, 0, int64_t{1} << 60), 0);
  EXPECT_EQ(take_error().substr(0, 11), "MemoryError");
  EXPECT_EQ(list_of(list)->length, 6);
  nj_release(list);
  void *empty = tens<Words>(0, item);
  nj_list_reverse(empty);
  EXPECT_EQ(list_of(empty)->length, 0);
  nj_release(empty);
  EXPECT_EQ(nj_live_blocks(), before);
}

TEST(Runtime, ListsMoveAndRepeatTheirItems) {
  check_list_operations<1>();
  check_list_operations<2>();
}

TEST(Runtime, AppendedItemsAreCounted) {
  const int64_t before = nj_live_blocks();
  const uint32_t offsets[] = {0};
  const nj_item item{8, 1, offsets};
  void *list, *other;
  ASSERT_EQ(nj_list_new(1, 8, &item, &list), 0);
  ASSERT_EQ(nj_list_new(0, 8, &item, &other), 0);
  nj_block *block;
  ASSERT_EQ(nj_alloc(8, 0, &block), 0);
  std::memcpy(list_of(list)->data, &block, 8);
  for (int repeat = 0; repeat < 3; ++repeat)
    ASSERT_EQ(nj_list_append_part(other, list, 0, 1), 0);
  nj_release(list);
  EXPECT_EQ(nj_live_blocks(), before + 2); // the other list, and the block
  nj_release(other);
  EXPECT_EQ(nj_live_blocks(), before);
}

struct Entry {
  int64_t hash, key;
  void *value;
};
nj_table &table_of(void *block) {
  return *reinterpret_cast<nj_table *>(payload(static_cast<nj_block *>(block)));
}
Entry &entry_of(void *block, int64_t number) {
  return reinterpret_cast<Entry *>(table_of(block).entries)[number];
}

/// What compiled code does; every hash is met eight times.
int64_t find(void *block, int64_t key, int64_t *slot) {
  nj_table &table = table_of(block);
  for (numjit::TableSearch search(table, key / 8);; search.go_on()) {
    *slot = search.slot();
    const int32_t number = table.index[*slot];
    if (number < 0 ||
        (entry_of(block, number).hash == key / 8 && entry_of(block, number).key == key))
      return number;
  }
}

void insert(void *block, int64_t key) {
  int64_t slot;
  ASSERT_LT(find(block, key, &slot), 0);
  nj_table &table = table_of(block);
  if (table.room == 0) {
    ASSERT_EQ(nj_table_grow(block, key / 8, &slot), 0);
  }
  nj_block *value;
  ASSERT_EQ(nj_alloc(8, 0, &value), 0);
  table.index[slot] = static_cast<int32_t>(table.end);
  entry_of(block, table.end++) = {key / 8, key, value};
  ++table.used;
  --table.room;
}

void erase(void *block, int64_t key) {
  int64_t slot;
  Entry &entry = entry_of(block, find(block, key, &slot));
  nj_release(entry.value);
  entry.hash = NJ_DEAD;
  --table_of(block).used;
}

TEST(Runtime, SearchesMeetAllSlotsOfATable) {
  for (int64_t slots = 1; slots <= 1024; slots *= 2)
    for (int64_t hash : {int64_t(0), int64_t(-2), int64_t(1) << 40, int64_t(12345)}) {
      nj_table table{};
      table.mask = slots - 1;
      std::set<int64_t> met;
      numjit::TableSearch search(table, hash);
      for (int64_t i = 0; i < slots; ++i, search.go_on())
        met.insert(search.slot());
      EXPECT_EQ(static_cast<int64_t>(met.size()), slots) << hash;
    }
}

TEST(Runtime, TablesKeepTheirOrderAndReleaseTheirEntries) {
  const int64_t before = nj_live_blocks();
  uint32_t offsets[] = {16};
  nj_item item{sizeof(Entry), 1, offsets};
  void *table, *copy;
  int64_t slot;
  ASSERT_EQ(nj_table_new(&item, &table), 0);
  EXPECT_LT(find(table, 0, &slot), 0);
  for (int64_t key = 0; key < 1000; ++key)
    insert(table, key);
  for (int64_t key = 0; key < 1000; ++key)
    if (key % 10 != 0)
      erase(table, key);
  for (int64_t key = 2000; key < 2900; ++key)
    insert(table, key);
  EXPECT_EQ(nj_live_blocks(), before + 1 + 100 + 900);
  ASSERT_EQ(nj_table_copy(table, &copy), 0);
  for (int64_t key = 0; key < 3000; ++key)
    for (void *each : {table, copy})
      EXPECT_EQ(find(each, key, &slot) >= 0,
                (key < 1000 && key % 10 == 0) || (key >= 2000 && key < 2900));
  nj_table &copied = table_of(copy);
  ASSERT_EQ(copied.end, 1000);
  for (int64_t i = 0; i < copied.end; ++i)
    EXPECT_EQ(entry_of(copy, i).key, i < 100 ? 10 * i : 2000 + i - 100);
  nj_table_clear(table);
  EXPECT_EQ(table_of(table).used, 0);
  EXPECT_LT(find(table, 0, &slot), 0);
  insert(table, 5);
  nj_release(table);
  nj_release(copy);
  EXPECT_EQ(nj_live_blocks(), before);
}

TEST(Runtime, LargeMemoryIsTakenAgainAndZeroedAgain) {
  constexpr int64_t bytes = 1 << 20;
  for (int round = 0; round < 3; ++round) {
    nj_block *block;
    ASSERT_EQ(nj_alloc(bytes, 1, &block), 0);
    for (int64_t i = 0; i < bytes; i += 8)
      ASSERT_EQ(payload(block)[i], 0);
    std::memset(payload(block), 7, bytes);
    nj_release(block);
  }
  // Far more than is kept, of many sizes, from several threads.
  std::thread threads[3];
  for (std::thread &thread : threads)
    thread = std::thread([] {
      nj_block *blocks[10];
      for (int round = 0; round < 20; ++round) {
        for (int i = 0; i < 10; ++i) {
          ASSERT_EQ(nj_alloc((100 + 77 * i) << 10, round % 2, &blocks[i]), 0);
          std::memset(payload(blocks[i]), i, blocks[i]->bytes);
        }
        for (int i = 0; i < 10; ++i) {
          ASSERT_EQ(payload(blocks[i])[blocks[i]->bytes - 1], i);
          nj_release(blocks[i]);
        }
      }
    });
  for (std::thread &thread : threads)
    thread.join();
}

TEST(Runtime, ErrorKeepsACopyOfItsSlots) {
  nj_site site{"ValueError", nullptr, nullptr, "f", "f.py", 3, 1, nullptr, 2, 0, 0, nullptr};
  uint64_t slots[] = {7, 8};
  nj_set_error(&site, slots);
  slots[0] = 0;
  nj_error *error = nj_pending_error();
  EXPECT_EQ(error->kind, 1);
  EXPECT_EQ(error->site, &site);
  EXPECT_EQ(error->slots[0], 7u);
  std::thread([] { EXPECT_EQ(nj_pending_error()->kind, 0); }).join();
  nj_clear_error();
  EXPECT_EQ(error->kind, 0);
}

TEST(Runtime, IntegerPowerWraps) {
  EXPECT_EQ(nj_pow_i64(3, 4), 81);
  EXPECT_EQ(nj_pow_i64(3, 40), int64_t(12157665459056928801u));
  EXPECT_EQ(nj_pow_i64(2, 63), std::numeric_limits<int64_t>::min());
  EXPECT_EQ(nj_pow_i64(7, 0), 1);
  EXPECT_EQ(nj_pow_i64(2, -1), 0);
  EXPECT_EQ(nj_pow_i64(-1, -3), -1);
  EXPECT_EQ(nj_pow_i64(-1, -4), 1);
  EXPECT_EQ(nj_pow_i64(1, std::numeric_limits<int64_t>::min()), 1);
}

TEST(Runtime, RoundsAsCPython) {
  struct Row {
    double x;
    int64_t digits;
    double want;
  };
  for (Row row :
       {Row{2.675, 2, 2.67}, Row{0.5, 0, 0.0}, Row{1.5, 0, 2.0}, Row{2.5, 0, 2.0},
        Row{-2.5, 0, -2.0}, Row{15.0, -1, 20.0}, Row{25.0, -1, 20.0}, Row{25.5, -1, 30.0},
        Row{-35.0, -1, -40.0}, Row{99.0, -1, 100.0}, Row{99.0, -2, 100.0}, Row{50.0, -2, 0.0},
        Row{51.0, -2, 100.0}, Row{4.9, -1, 0.0}, Row{1e300, -299, 1e300},
        Row{123.456, 400, 123.456}, Row{123.456, -400, 0.0}, Row{1e-300, 300, 1e-300}})
    EXPECT_EQ(nj_round_digits(row.x, row.digits), row.want) << row.x << ", " << row.digits;
  EXPECT_TRUE(std::isnan(nj_round_digits(NAN, 2)));
  EXPECT_TRUE(std::signbit(nj_round_digits(-4.0, -1)));
}

TEST(Runtime, CopiesMatricesBetweenLayouts) {
  constexpr int64_t rows = 70, columns = 33; // several squares, the last ones cut
  std::vector<double> from(rows * columns), to(rows * columns);
  std::iota(from.begin(), from.end(), 0);
  nj_copy_matrix(to.data(), 8, 8 * rows, from.data(), 8 * columns, 8, rows, columns, 8);
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < columns; ++j)
      ASSERT_EQ(to[j * rows + i], from[i * columns + j]);
  uint8_t bytes[4] = {1, 2, 3, 4}, backwards[4] = {};
  nj_copy_matrix(backwards, 0, 1, bytes + 3, 0, -1, 1, 4, 1);
  EXPECT_EQ(backwards[0], 4);
  EXPECT_EQ(backwards[3], 1);
}

} // namespace
