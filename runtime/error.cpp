// The pending error of a thread: set by compiled code on its way out, taken by the caller from
// Python.
#include "runtime/runtime.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>

namespace {

thread_local nj_error pending{};

enum Kind : int32_t { None, Site, Simple, Host };

nj_error *error_in(void *block) {
  return reinterpret_cast<nj_error *>(static_cast<char *>(block) + NJ_PAYLOAD_OFFSET);
}

void *owner_at(const nj_error &error, int32_t i) {
  return reinterpret_cast<void *>(error.slots[error.site->owner_slots[i]]);
}

/// Gives up what a caught error holds.
void drop(nj_error &error) {
  if (error.kind == Site && error.slots)
    for (int32_t i = 0; i < error.site->owner_count; ++i)
      nj_release(owner_at(error, i));
  if (error.object)
    nj_host.release_foreign(error.object);
  std::free(error.slots);
}

void destroy_error(nj_block *block) { drop(*error_in(block)); }

constexpr nj_error kNoMemory{Simple, nullptr, nullptr, "MemoryError", nullptr, ""};

} // namespace

extern "C" {

nj_error *nj_pending_error(void) { return &pending; }

void nj_clear_error(void) {
  std::free(pending.slots);
  if (pending.object)
    nj_host.release_foreign(pending.object);
  pending.object = nullptr;
  pending.slots = nullptr;
  pending.site = nullptr;
  pending.builtin = nullptr;
  pending.kind = None;
}

void nj_drop_error(void) {
  drop(pending);
  pending = {};
}

void nj_set_error(const nj_site *site, const uint64_t *slots) {
  nj_clear_error();
  if (site->slot_count > 0) {
    size_t bytes = sizeof(uint64_t) * site->slot_count;
    pending.slots = static_cast<uint64_t *>(std::malloc(bytes));
    if (!pending.slots) {
      nj_set_simple_error("MemoryError", "");
      return;
    }
    std::memcpy(pending.slots, slots, bytes);
  }
  pending.site = site;
  pending.kind = Site;
}

void nj_set_simple_error(const char *builtin, const char *message) {
  nj_clear_error();
  pending.builtin = builtin;
  std::snprintf(pending.message, sizeof pending.message, "%s", message);
  pending.kind = Simple;
}

void nj_set_host_error(void) {
  void *object = std::exchange(pending.object, nullptr); // of a hook that cannot leave it set
  nj_clear_error();
  pending.object = object;
  pending.kind = Host;
}

void *nj_take_error(void) {
  nj_error taken = pending;
  if (taken.kind == Host && !taken.object)
    taken.object = nj_host.take_exception();
  pending = {};
  nj_block *block;
  if (nj_alloc(sizeof(nj_error), 0, &block)) {
    drop(taken);
    nj_clear_error();
    return nullptr;
  }
  *error_in(block) = taken;
  block->destroy = destroy_error;
  return block;
}

const nj_error *nj_caught_error(void *error) { return error ? error_in(error) : &kNoMemory; }

uint8_t nj_error_matches(void *error, void *cls, int64_t exactly) {
  return nj_host.error_matches && nj_host.error_matches(nj_caught_error(error), cls, exactly);
}

int32_t nj_error_text(void *error, int64_t what, void **block) {
  *block = nullptr;
  if (nj_host.error_text && nj_host.error_text(nj_caught_error(error), what, block) == 0)
    return 0;
  nj_set_host_error();
  return 1;
}

int32_t nj_error_attribute(void *error, const char *name, const void *type, void *result) {
  const nj_error *caught = nj_caught_error(error);
  if (nj_host.error_attribute && nj_host.error_attribute(caught, name, type, result) == 0)
    return 0;
  nj_set_host_error();
  return 1;
}

void nj_raise_caught(void *error) {
  nj_clear_error();
  const nj_error &caught = *nj_caught_error(error);
  uint64_t *slots = nullptr;
  if (caught.slots) {
    const size_t bytes = sizeof(uint64_t) * caught.site->slot_count;
    slots = static_cast<uint64_t *>(std::malloc(bytes));
    if (!slots)
      return nj_set_simple_error("MemoryError", "");
    std::memcpy(slots, caught.slots, bytes);
    for (int32_t i = 0; i < caught.site->owner_count; ++i)
      nj_retain(owner_at(caught, i));
  }
  pending = caught;
  pending.slots = slots;
  pending.object = nullptr;
  if (caught.object)
    nj_host.set_exception(caught.object);
}

} // extern "C"
