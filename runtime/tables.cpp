// Tables of dicts and sets: growing, clearing, and letting go of what the entries own.
#include "runtime/buffers.h"
#include "runtime/runtime.h"
#include "runtime/table_search.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace {

constexpr int64_t kFirstSlots = 8;
constexpr int64_t kLarge = 50'000;               ///< entries
constexpr int64_t kMostSlots = int64_t(1) << 31; // entries are counted in int32

/// The index of a table without entries: each search ends at once.
int32_t no_index[1] = {NJ_NO_ENTRY};

nj_table &table_of(void *block) {
  return *reinterpret_cast<nj_table *>(static_cast<char *>(block) + NJ_PAYLOAD_OFFSET);
}

int64_t &hash_of(char *entry) { return *reinterpret_cast<int64_t *>(entry); }

/// Retains or releases what the entries own.
void for_each_owner(const nj_table &table, void (*change)(void *owner)) {
  const nj_item &item = *table.entry;
  if (item.owner_count == 0)
    return;
  char *entry = table.entries;
  for (int64_t i = 0; i < table.end; ++i, entry += item.size)
    for (int32_t k = 0; hash_of(entry) != NJ_DEAD && k < item.owner_count; ++k) {
      void *owner;
      std::memcpy(&owner, entry + item.owner_offsets[k], sizeof owner);
      change(owner);
    }
}

int32_t out_of_memory() {
  nj_set_simple_error("MemoryError", "unable to allocate a larger hash table");
  return 1;
}

int64_t slots_of(const nj_table &table) { return table.index == no_index ? 0 : table.mask + 1; }

/// Half of the slots may be taken; the entries lie behind the index.
int64_t bytes_for(int64_t slots, int64_t entry_size) {
  return slots * static_cast<int64_t>(sizeof(int32_t)) + slots / 2 * entry_size;
}

void set_empty(nj_table &table) {
  table.used = table.end = table.room = table.mask = 0;
  table.index = no_index;
  table.entries = nullptr;
}

void free_memory(nj_table &table) {
  if (int64_t slots = slots_of(table))
    numjit::give_buffer(table.index, bytes_for(slots, table.entry->size));
}

void destroy_table(nj_block *block) {
  nj_table &table = table_of(block);
  for_each_owner(table, nj_release);
  free_memory(table);
}

int64_t free_slot(const nj_table &table, int64_t hash) {
  numjit::TableSearch search(table, hash);
  while (table.index[search.slot()] != NJ_NO_ENTRY)
    search.go_on();
  return search.slot();
}

/// Copies the entries that are alive one behind the other; returns how many.
int64_t copy_living(const nj_table &table, char *to) {
  const int64_t size = table.entry->size;
  if (table.end > 0 && table.used == table.end) {
    std::memcpy(to, table.entries, table.end * size);
    return table.end;
  }
  for (char *entry = table.entries, *end = entry + table.end * size; entry != end; entry += size) {
    if (hash_of(entry) == NJ_DEAD)
      continue;
    std::memcpy(to, entry, size);
    to += size;
  }
  return table.used;
}

/// Moves the living entries into new memory with an index of `slots`.
bool rebuild(nj_table &table, int64_t slots) {
  const int64_t size = table.entry->size;
  auto *memory = static_cast<char *>(numjit::take_buffer(bytes_for(slots, size), false));
  if (!memory)
    return false;
  nj_table grown = table;
  grown.index = reinterpret_cast<int32_t *>(memory);
  grown.entries = memory + slots * static_cast<int64_t>(sizeof(int32_t));
  grown.mask = slots - 1;
  std::memset(grown.index, 0xff, slots * sizeof(int32_t));
  grown.end = copy_living(table, grown.entries);
  for (int64_t i = 0; i < grown.end; ++i)
    grown.index[free_slot(grown, hash_of(grown.entries + i * size))] = static_cast<int32_t>(i);
  grown.room = slots / 2 - grown.end;
  free_memory(table);
  table = grown;
  return true;
}

} // namespace

extern "C" {

int32_t nj_table_new(const nj_item *entry, void **result) {
  *result = nullptr;
  nj_block *block;
  if (int32_t status = nj_alloc(sizeof(nj_table), 1, &block))
    return status;
  nj_table &table = table_of(block);
  table.entry = entry;
  set_empty(table);
  block->destroy = destroy_table;
  *result = block;
  return 0;
}

int32_t nj_table_grow(void *block, int64_t hash, int64_t *slot) {
  nj_table &table = table_of(block);
  *slot = 0;
  // Where many entries are dead, the same size gives room too. Small tables grow to four times
  // their size, as Python's sets do: half of what is built would be built anew otherwise.
  const int64_t share = table.used < kLarge ? 8 : 4;
  int64_t slots = std::max(slots_of(table), kFirstSlots);
  while (slots / share < table.used)
    slots *= 2;
  if (slots > kMostSlots || !rebuild(table, slots))
    return out_of_memory();
  *slot = free_slot(table, hash);
  return 0;
}

int32_t nj_table_reserve(void *block, int64_t count) {
  nj_table &table = table_of(block);
  if (count <= table.room)
    return 0;
  int64_t slots = std::max(slots_of(table), kFirstSlots);
  while (slots <= kMostSlots && slots / 2 - table.used < count)
    slots *= 2;
  return slots > kMostSlots || !rebuild(table, slots) ? out_of_memory() : 0;
}

int32_t nj_table_copy(void *block, void **result) {
  const nj_table &from = table_of(block);
  if (int32_t status = nj_table_new(from.entry, result))
    return status;
  nj_table &to = table_of(*result);
  if (from.used == 0)
    return 0;
  nj_table copy = from;
  int64_t slots = kFirstSlots;
  while (slots / 2 < copy.used)
    slots *= 2;
  copy.index = no_index; // the memory of the original stays its own
  if (!rebuild(copy, slots)) {
    nj_release(*result);
    *result = nullptr;
    return out_of_memory();
  }
  to = copy;
  for_each_owner(to, nj_retain);
  return 0;
}

void nj_table_clear(void *block) {
  nj_table &table = table_of(block);
  nj_table old = table; // what is released may look at the table
  set_empty(table);
  table.dirty = 1;
  for_each_owner(old, nj_release);
  free_memory(old);
}

} // extern "C"
