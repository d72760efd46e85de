// Lists: a block whose payload is a nj_list; the items lie in memory of their own. Instances: a
// block whose payload is the fields.
#include "runtime/buffers.h"
#include "runtime/runtime.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

nj_list *list_of(void *block) {
  return reinterpret_cast<nj_list *>(static_cast<char *>(block) + NJ_PAYLOAD_OFFSET);
}

int32_t out_of_memory(int64_t items) {
  char text[96];
  std::snprintf(text, sizeof text, "unable to allocate a list of %lld items",
                static_cast<long long>(items));
  nj_set_simple_error("MemoryError", text);
  return 1;
}

void for_each_owner(const nj_item &item, const char *memory, void (*action)(void *owner)) {
  for (int32_t k = 0; k < item.owner_count; ++k) {
    void *owner;
    std::memcpy(&owner, memory + item.owner_offsets[k], sizeof owner);
    action(owner);
  }
}

void destroy_instance(nj_block *block) {
  nj_instance *instance = numjit::instance_of(block);
  for_each_owner(*instance->item, reinterpret_cast<const char *>(instance + 1), nj_release);
}

void destroy_list(nj_block *block) {
  nj_list *list = list_of(block);
  const nj_item *item = list->item;
  if (item && item->owner_count > 0)
    for (int64_t i = 0; i < list->length; ++i)
      for_each_owner(*item, list->data + i * item->size, nj_release);
  const int64_t size = item ? item->size : 0;
  numjit::give_buffer(list->data ? list->data - list->front * size : nullptr,
                      (list->front + list->capacity) * size);
}

} // namespace

extern "C" {

int32_t nj_instance_new(int64_t bytes, const nj_item *item, void **result) {
  *result = nullptr;
  nj_block *block;
  if (int32_t status = numjit::new_fields(bytes, &block))
    return status;
  numjit::instance_of(block)->item = item;
  if (item->owner_count > 0)
    block->destroy = destroy_instance;
  *result = block;
  return 0;
}

int32_t nj_list_new(int64_t length, int64_t item_size, const nj_item *item, void **result) {
  *result = nullptr;
  length = std::max<int64_t>(length, 0); // [x] * -1 is []
  int64_t bytes;
  if (__builtin_mul_overflow(length, item_size, &bytes))
    return out_of_memory(length);
  nj_block *block;
  if (int32_t status = numjit::new_fields(sizeof(nj_list), &block))
    return status;
  char *data = nullptr;
  if (bytes > 0 && !(data = static_cast<char *>(numjit::take_buffer(bytes, true)))) {
    nj_release(block);
    return out_of_memory(length);
  }
  *list_of(block) = {length, length, data, 0, item, 0};
  block->destroy = destroy_list;
  *result = block;
  return 0;
}

int32_t nj_list_grow(void *block, int64_t capacity, int64_t item_size) {
  nj_list *list = list_of(block);
  if (capacity <= list->capacity)
    return 0;
  if (list->front > 0) { // room that is worth moving the items for is used
    char *begin = list->data - list->front * item_size;
    std::memmove(begin, list->data, list->length * item_size);
    list->data = begin;
    list->capacity += list->front;
    const bool is_enough = list->front > list->length / 2 && capacity <= list->capacity;
    list->front = 0;
    if (is_enough)
      return 0;
  }
  // Appending one item at a time must not copy the list each time.
  int64_t wanted = std::max(capacity, list->capacity + list->capacity / 2 + 4);
  int64_t bytes;
  if (__builtin_mul_overflow(wanted, item_size, &bytes))
    return out_of_memory(capacity);
  bytes = std::max<int64_t>(bytes, 1);
  void *data = list->data ? std::realloc(list->data, bytes) : numjit::take_buffer(bytes, false);
  if (!data)
    return out_of_memory(capacity);
  list->data = static_cast<char *>(data);
  list->capacity = wanted;
  return 0;
}

int32_t nj_list_append_part(void *block, void *other, int64_t start, int64_t count) {
  if (count <= 0)
    return 0;
  nj_list *list = list_of(block);
  const nj_item &item = *list->item;
  if (int32_t status = nj_list_grow(block, list->length + count, item.size))
    return status;
  char *to = list->data + list->length * item.size;
  std::memcpy(to, list_of(other)->data + start * item.size, count * item.size);
  if (item.owner_count > 0)
    for (int64_t i = 0; i < count; ++i)
      for_each_owner(item, to + i * item.size, nj_retain);
  list->length += count;
  list->dirty = 1;
  return 0;
}

void nj_list_move(void *block, int64_t to, int64_t from, int64_t count) {
  nj_list *list = list_of(block);
  const int64_t size = list->item->size;
  std::memmove(list->data + to * size, list->data + from * size, count * size);
  list->dirty = 1;
}

void nj_list_drop_front(void *block) {
  nj_list *list = list_of(block);
  list->data += list->item->size;
  ++list->front;
  --list->capacity;
  --list->length;
  list->dirty = 1;
}

int32_t nj_list_add_front(void *block) {
  nj_list *list = list_of(block);
  const int64_t size = list->item->size;
  if (list->front == 0) {
    const int64_t room = list->length / 2 + 4;
    if (int32_t status = nj_list_grow(block, list->length + room, size))
      return status;
    std::memmove(list->data + room * size, list->data, list->length * size);
    list->data += room * size;
    list->capacity -= room;
    list->front = room;
  }
  list->data -= size;
  --list->front;
  ++list->capacity;
  ++list->length;
  list->dirty = 1;
  return 0;
}

void nj_list_reverse(void *block) {
  nj_list *list = list_of(block);
  const int64_t size = list->item->size;
  if (size == sizeof(int64_t)) {
    auto *items = reinterpret_cast<int64_t *>(list->data);
    std::reverse(items, items + list->length);
  } else {
    for (int64_t i = 0, k = list->length - 1; i < k; ++i, --k)
      std::swap_ranges(list->data + i * size, list->data + (i + 1) * size, list->data + k * size);
  }
  list->dirty = 1;
}

} // extern "C"
