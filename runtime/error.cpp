// The pending error of a thread: set by compiled code on its way out, taken by the caller from
// Python.
#include "runtime/runtime.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

thread_local nj_error pending{};

enum Kind : int32_t { None, Site, Simple, Host };

} // namespace

extern "C" {

nj_error *nj_pending_error(void) { return &pending; }

void nj_clear_error(void) {
  std::free(pending.slots);
  pending.slots = nullptr;
  pending.site = nullptr;
  pending.builtin = nullptr;
  pending.kind = None;
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
  nj_clear_error();
  pending.kind = Host;
}

} // extern "C"
