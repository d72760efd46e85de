// What foreign LLVM IR calls of the host, and blocks as C libraries for Numba know counted memory:
// the table of functions that its NRT_get_api() gives them.
#include "runtime/foreign.h"

#include "runtime/runtime.h"

#include <cstddef>
#include <new>

namespace {

/// Payload of a block for memory that someone else made.
struct Managed {
  void *data;
  void (*dtor)(void *);
};

void *payload(nj_block *block) { return reinterpret_cast<char *>(block) + NJ_PAYLOAD_OFFSET; }

void destroy_managed(nj_block *block) {
  const auto *managed = static_cast<Managed *>(payload(block));
  if (managed->dtor)
    managed->dtor(managed->data);
}

struct Allocator { // NRT_ExternalAllocator
  void *(*malloc)(std::size_t, void *);
  void *(*realloc)(void *, std::size_t, void *);
  void (*free)(void *, void *);
  void *opaque;
};

struct Allocated {
  Managed managed; ///< as above: nj_block_data() finds the memory there
  Allocator allocator;
};

void destroy_allocated(nj_block *block) {
  const auto *made = static_cast<Allocated *>(payload(block));
  made->allocator.free(made->managed.data, made->allocator.opaque);
}

nj_block *new_block(int64_t bytes, void (*destroy)(nj_block *)) {
  nj_block *block = nullptr;
  if (nj_alloc(bytes, 0, &block) != 0) {
    nj_clear_error();
    return nullptr;
  }
  block->destroy = destroy;
  return block;
}

void *allocate(std::size_t bytes) { return new_block(static_cast<int64_t>(bytes), nullptr); }

void *allocate_external(std::size_t bytes, Allocator *allocator) {
  nj_block *block = new_block(sizeof(Allocated), destroy_allocated);
  if (!block)
    return nullptr;
  void *data = allocator->malloc(bytes, allocator->opaque);
  new (payload(block)) Allocated{{data, nullptr}, *allocator};
  return block;
}

void *manage_memory(void *data, void (*dtor)(void *)) {
  nj_block *block = new_block(sizeof(Managed), destroy_managed);
  if (block)
    new (payload(block)) Managed{data, dtor};
  return block;
}

const struct {
  void *(*allocate)(std::size_t);
  void *(*allocate_external)(std::size_t, Allocator *);
  void *(*manage_memory)(void *, void (*)(void *));
  void (*acquire)(void *);
  void (*release)(void *);
  void *(*get_data)(void *);
} kTable = {allocate, allocate_external, manage_memory, nj_retain, nj_release, nj_block_data};

} // namespace

extern "C" {

nj_foreign_hooks nj_foreign = {};

void *nj_box_value(const void *type, const uint64_t *slots) {
  return nj_foreign.box_value ? nj_foreign.box_value(type, slots) : nullptr;
}

int32_t nj_unbox_value(void *object, const void *type, uint64_t *slots) {
  return nj_foreign.unbox_value ? nj_foreign.unbox_value(object, type, slots) : 1;
}

void nj_raise_pending(void) {
  if (nj_foreign.raise_pending)
    nj_foreign.raise_pending();
}

void *nj_block_data(void *owner) {
  if (!owner || (reinterpret_cast<uintptr_t>(owner) & NJ_FOREIGN_BIT))
    return nullptr;
  auto *block = static_cast<nj_block *>(owner);
  if (block->destroy == destroy_managed || block->destroy == destroy_allocated)
    return static_cast<Managed *>(payload(block))->data;
  return payload(block);
}

const void *nj_nrt_api(void) { return &kTable; }

} // extern "C"
