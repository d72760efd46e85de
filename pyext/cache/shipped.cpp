#include "pyext/cache/shipped.h"

#include "pyext/cache/cache_key.h"
#include "pyext/cache/entry_header.h"

#include <list>
#include <unordered_map>

namespace numjit {

namespace {

constexpr size_t kMostShippedBytes = size_t(64) << 20;

struct ShippedEntry {
  std::string key;
  std::shared_ptr<const std::string> content;
};

struct Store {
  std::list<ShippedEntry> entries; ///< the newest is the first
  std::unordered_map<std::string_view, std::list<ShippedEntry>::iterator> by_key;
  size_t bytes = 0;

  void drop(std::list<ShippedEntry>::iterator entry) {
    bytes -= entry->content->size();
    by_key.erase(entry->key);
    entries.erase(entry);
  }
};

Store &store() {
  static auto *instance = new Store; // read as long as the process lives
  return *instance;
}

} // namespace

bool any_code_shipped() { return !store().entries.empty(); }

void receive_code(std::string entry) {
  const std::string key = key_of_entry(entry);
  if (key.empty() || entry.size() > kMostShippedBytes)
    return;
  prepare_keys();
  Store &all = store();
  if (auto known = all.by_key.find(key); known != all.by_key.end())
    all.drop(known->second);
  all.bytes += entry.size();
  all.entries.push_front({key, std::make_shared<const std::string>(std::move(entry))});
  all.by_key[all.entries.front().key] = all.entries.begin();
  while (all.bytes > kMostShippedBytes)
    all.drop(std::prev(all.entries.end()));
}

std::shared_ptr<const std::string> shipped_code(const Digest &key) {
  auto found = store().by_key.find(key.hex());
  return found == store().by_key.end() ? nullptr : found->second->content;
}

} // namespace numjit
