// Frames of generators: blocks that give up what they hold when they go.
#include "runtime/runtime.h"

#include <cstring>

namespace {

void destroy_frame(nj_block *block) {
  const auto *contents = static_cast<const nj_item *>(block->extra);
  const char *payload = reinterpret_cast<const char *>(block) + NJ_PAYLOAD_OFFSET;
  for (int32_t i = 0; i < contents->owner_count; ++i) {
    void *owner;
    std::memcpy(&owner, payload + contents->owner_offsets[i], sizeof owner);
    nj_release(owner);
  }
}

} // namespace

extern "C" int32_t nj_frame_new(int64_t bytes, const nj_item *contents, void **result) {
  nj_block *block;
  *result = nullptr;
  if (int32_t status = nj_alloc(bytes, 1, &block))
    return status;
  block->destroy = destroy_frame;
  block->extra = const_cast<nj_item *>(contents);
  *result = block;
  return 0;
}
