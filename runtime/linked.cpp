// Instances that may refer to each other in circles, which counts alone never free. Those that a
// call from Python makes die with it at the latest, as Python gets copies of them: what is left
// then is freed by taking their references away.
#include "runtime/buffers.h"
#include "runtime/runtime.h"

#include <atomic>
#include <cstring>
#include <new>

struct nj_linked_scope {
  nj_block *first;
  std::atomic_flag in_use{}; ///< threads of a parallel loop free what another one made
  nj_linked_scope *outer;
};

namespace {

static_assert(sizeof(nj_linked_scope) <= NJ_LINKED_SCOPE_BYTES);

/// Behind the fields of such an instance.
struct Links {
  nj_linked_scope *scope; ///< null: of none
  nj_block *previous, *next;
};

thread_local nj_linked_scope *current = nullptr;

class Use {
public:
  explicit Use(nj_linked_scope &scope) : scope_(scope) {
    while (scope_.in_use.test_and_set(std::memory_order_acquire)) {
    }
  }
  ~Use() { scope_.in_use.clear(std::memory_order_release); }

private:
  nj_linked_scope &scope_;
};

char *fields_of(nj_block *block) {
  return reinterpret_cast<char *>(numjit::instance_of(block) + 1);
}

int64_t aligned(int64_t bytes) { return (bytes + 7) & ~int64_t{7}; }

Links &links_of(nj_block *block) {
  return *reinterpret_cast<Links *>(fields_of(block) +
                                    aligned(numjit::instance_of(block)->item->size));
}

void unlink(nj_block *block) {
  Links &links = links_of(block);
  (links.previous ? links_of(links.previous).next : links.scope->first) = links.next;
  if (links.next)
    links_of(links.next).previous = links.previous;
}

/// Each field counts nothing any more.
void release_fields(nj_block *block) {
  const nj_item &item = *numjit::instance_of(block)->item;
  for (int32_t k = 0; k < item.owner_count; ++k) {
    char *at = fields_of(block) + item.owner_offsets[k];
    void *owner;
    std::memcpy(&owner, at, sizeof owner);
    std::memset(at, 0, sizeof owner);
    nj_release(owner);
  }
}

void destroy_linked(nj_block *block) {
  if (nj_linked_scope *scope = links_of(block).scope) {
    Use use(*scope);
    unlink(block);
  }
  release_fields(block);
}

} // namespace

extern "C" {

int32_t nj_linked_new(const nj_item *item, void **result) {
  *result = nullptr;
  nj_block *block;
  const int64_t bytes = sizeof(nj_instance) + aligned(item->size) + sizeof(Links);
  if (int32_t status = numjit::new_fields(bytes, &block))
    return status;
  numjit::instance_of(block)->item = item;
  block->destroy = destroy_linked;
  if (nj_linked_scope *scope = current) {
    Use use(*scope);
    links_of(block) = {scope, nullptr, scope->first};
    if (scope->first)
      links_of(scope->first).previous = block;
    scope->first = block;
  }
  *result = block;
  return 0;
}

void nj_enter_linked(void *scope) {
  current = new (scope) nj_linked_scope{.first = nullptr, .outer = current};
}

void nj_leave_linked(void *given) {
  auto *scope = static_cast<nj_linked_scope *>(given);
  current = scope->outer;
  for (nj_block *block = scope->first; block; block = links_of(block).next)
    nj_retain(block); // until all of them hold nothing
  for (nj_block *block = scope->first; block; block = links_of(block).next)
    release_fields(block);
  while (nj_block *block = scope->first) {
    scope->first = links_of(block).next;
    links_of(block).scope = nullptr;
    nj_release(block);
  }
}

void *nj_set_linked_scope(void *scope) {
  void *before = current;
  current = static_cast<nj_linked_scope *>(scope);
  return before;
}

} // extern "C"
