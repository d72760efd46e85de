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

void release_owners(const nj_item &item, const char *memory) {
  for (int32_t k = 0; k < item.owner_count; ++k) {
    void *owner;
    std::memcpy(&owner, memory + item.owner_offsets[k], sizeof owner);
    nj_release(owner);
  }
}

nj_instance *instance_of(void *block) {
  return reinterpret_cast<nj_instance *>(static_cast<char *>(block) + NJ_PAYLOAD_OFFSET);
}

void destroy_instance(nj_block *block) {
  nj_instance *instance = instance_of(block);
  release_owners(*instance->item, reinterpret_cast<const char *>(instance + 1));
}

void destroy_list(nj_block *block) {
  nj_list *list = list_of(block);
  const nj_item *item = list->item;
  if (item && item->owner_count > 0)
    for (int64_t i = 0; i < list->length; ++i)
      release_owners(*item, list->data + i * item->size);
  numjit::give_buffer(list->data, item ? list->capacity * item->size : 0);
}

} // namespace

extern "C" {

int32_t nj_instance_new(int64_t bytes, const nj_item *item, void **result) {
  *result = nullptr;
  nj_block *block;
  if (int32_t status = nj_alloc(bytes, 1, &block))
    return status;
  instance_of(block)->item = item;
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
  if (int32_t status = nj_alloc(sizeof(nj_list), 0, &block))
    return status;
  char *data = nullptr;
  if (bytes > 0 && !(data = static_cast<char *>(numjit::take_buffer(bytes, true)))) {
    nj_release(block);
    return out_of_memory(length);
  }
  *list_of(block) = {length, length, data, 0, item};
  block->destroy = destroy_list;
  *result = block;
  return 0;
}

int32_t nj_list_grow(void *block, int64_t capacity, int64_t item_size) {
  nj_list *list = list_of(block);
  if (capacity <= list->capacity)
    return 0;
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

} // extern "C"
