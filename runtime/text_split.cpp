// Lists of the parts of a string: split, rsplit, splitlines. A part is a view of the characters of
// the whole string, which its owner keeps alive.
#include "runtime/runtime.h"
#include "runtime/text.h"
#include "runtime/text_search.h"

#include <algorithm>
#include <cstddef>

namespace numjit {
namespace {

const uint32_t kOwnerOffset = offsetof(nj_string, owner);
const nj_item kStringItem = {sizeof(nj_string), 1, &kOwnerOffset};

nj_list *list_of(void *block) { return reinterpret_cast<nj_list *>(payload(block)); }

void release_guarded(nj_block *block) { nj_release(block->extra); }

/// A block of ours that holds one count of a foreign owner: many parts of its string then count
/// without asking the host each time. Null with an error set.
void *guard_of(void *owner) {
  nj_block *block;
  if (nj_alloc(0, 0, &block))
    return nullptr;
  nj_retain(owner);
  block->extra = owner;
  block->destroy = release_guarded;
  return block;
}

/// A list of parts of one string, which its owner keeps alive.
class Parts {
public:
  Parts(const Text &whole, void *owner, void **list)
      : whole_(whole), owner_(owner), list_(list),
        status_(nj_list_new(0, sizeof(nj_string), &kStringItem, list)) {
    if (status_ || !(reinterpret_cast<uintptr_t>(owner) & NJ_FOREIGN_BIT))
      return;
    owner_ = guard_ = guard_of(owner);
    if (!guard_) {
      status_ = 1;
      nj_release(*list_);
    }
  }
  ~Parts() { nj_release(guard_); }
  Parts(const Parts &) = delete;
  Parts &operator=(const Parts &) = delete;

  void add(int64_t start, int64_t end) {
    if (status_)
      return;
    nj_list *list = list_of(*list_);
    if (list->length == list->capacity) {
      status_ = nj_list_grow(*list_, list->length + 1, sizeof(nj_string));
      if (status_) {
        nj_release(*list_);
        return;
      }
    }
    const Text part = whole_.part(start, end);
    nj_retain(owner_);
    reinterpret_cast<nj_string *>(list->data)[list->length++] = {part.data, owner_, part.length,
                                                                 part.kind};
  }

  void reverse() {
    if (status_)
      return;
    nj_list *list = list_of(*list_);
    auto *items = reinterpret_cast<nj_string *>(list->data);
    std::reverse(items, items + list->length);
  }

  int32_t status() const { return status_; }

private:
  Text whole_;
  void *owner_, *guard_ = nullptr;
  void **list_;
  int32_t status_;
};

void split_by_space(const Text &s, int64_t most, Parts &parts) {
  int64_t i = 0, count = 0;
  for (;;) {
    while (i < s.length && is_space(s[i]))
      ++i;
    if (i == s.length)
      return;
    if (count++ == most) {
      parts.add(i, s.length); // with the space at its end
      return;
    }
    const int64_t start = i;
    while (i < s.length && !is_space(s[i]))
      ++i;
    parts.add(start, i);
  }
}

void rsplit_by_space(const Text &s, int64_t most, Parts &parts) {
  int64_t i = s.length, count = 0;
  for (;;) {
    while (i > 0 && is_space(s[i - 1]))
      --i;
    if (i == 0)
      return;
    if (count++ == most) {
      parts.add(0, i);
      return;
    }
    const int64_t end = i;
    while (i > 0 && !is_space(s[i - 1]))
      --i;
    parts.add(i, end);
  }
}

void split_by(const Text &s, const Text &separator, int64_t most, Parts &parts) {
  const Search search(s, separator);
  int64_t start = 0;
  for (int64_t count = 0; count < most; ++count) {
    const int64_t found = search.find(s, start, s.length);
    if (found < 0)
      break;
    parts.add(start, found);
    start = found + separator.length;
  }
  parts.add(start, s.length);
}

void rsplit_by(const Text &s, const Text &separator, int64_t most, Parts &parts) {
  const Search search(s, separator);
  int64_t end = s.length;
  for (int64_t count = 0; count < most; ++count) {
    const int64_t found = search.find(s, 0, end, true);
    if (found < 0)
      break;
    parts.add(found + separator.length, end);
    end = found;
  }
  parts.add(0, end);
}

bool is_line_break(uint32_t c) {
  return (c >= 0x0A && c <= 0x0D) || (c >= 0x1C && c <= 0x1E) || c == 0x85 || c == 0x2028 ||
         c == 0x2029;
}

} // namespace
} // namespace numjit

using namespace numjit;

extern "C" {

int32_t nj_str_split(NJ_OWNED_STR(s), NJ_STR(separator), int64_t most, int64_t from_end,
                     void **list) {
  const Text s = NJ_TEXT(s), separator = NJ_TEXT(separator);
  *list = nullptr;
  if (separator.length == 0) {
    nj_set_simple_error("ValueError", "empty separator");
    return 1;
  }
  if (most < 0)
    most = INT64_MAX;
  Parts parts(s, s_owner, list);
  if (parts.status())
    return parts.status();
  if (separator.length < 0)
    (from_end ? rsplit_by_space : split_by_space)(s, most, parts);
  else
    (from_end ? rsplit_by : split_by)(s, separator, most, parts);
  if (from_end)
    parts.reverse();
  return parts.status();
}

int32_t nj_str_splitlines(NJ_OWNED_STR(s), int64_t keep_ends, void **list) {
  const Text s = NJ_TEXT(s);
  Parts parts(s, s_owner, list);
  for (int64_t i = 0; i < s.length && !parts.status();) {
    const int64_t start = i;
    while (i < s.length && !is_line_break(s[i]))
      ++i;
    int64_t end = i;
    if (i < s.length)
      i += s[i] == '\r' && i + 1 < s.length && s[i + 1] == '\n' ? 2 : 1;
    parts.add(start, keep_ends ? i : end);
  }
  return parts.status();
}

} // extern "C"
