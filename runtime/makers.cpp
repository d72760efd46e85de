#include "runtime/makers.h"

extern "C" {

nj_block *numjit_new_block(int64_t bytes, int32_t zeroed) {
  nj_block *block = nullptr;
  return nj_alloc(bytes, zeroed, &block) == 0 ? block : nullptr;
}

void *numjit_new_list(int64_t length, int64_t item_size, const nj_item *item) {
  void *block = nullptr;
  return nj_list_new(length, item_size, item, &block) == 0 ? block : nullptr;
}

void *numjit_new_instance(int64_t bytes, const nj_item *item) {
  void *block = nullptr;
  return nj_instance_new(bytes, item, &block) == 0 ? block : nullptr;
}

} // extern "C"
