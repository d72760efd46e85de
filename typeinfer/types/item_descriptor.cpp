#include "typeinfer/types/item_descriptor.h"

#include "typeinfer/types/references.h"

#include <map>
#include <mutex>

namespace numjit {

const nj_item *item_descriptor(const Type *item) {
  struct Row {
    nj_item item;
    std::vector<uint32_t> owners;
  };
  static auto *const mutex = new std::mutex; // threads may outlive static destructors
  static auto *const rows = new std::map<const Type *, Row>;
  std::lock_guard lock(*mutex);
  auto [found, made] = rows->try_emplace(item);
  Row &row = found->second;
  if (made) {
    const TypeLayout &layout = layout_of(item);
    for (const LeafInfo &leaf : layout.leaves)
      if (leaf.owner)
        row.owners.push_back(leaf.offset);
    row.item = {layout.size, static_cast<int32_t>(row.owners.size()), row.owners.data()};
  }
  return &row.item;
}

const Type *entry_type(const Type *table) {
  std::vector<const Type *> parts{types::int64()};
  parts.insert(parts.end(), table->params.begin(), table->params.end());
  return types::tuple(std::move(parts));
}

uint32_t entry_offset(const Type *table, int part) {
  const Type *entry = entry_type(table);
  size_t leaf = 0;
  for (int i = 0; i < part; ++i)
    leaf += layout_of(entry->params[i]).leaves.size();
  const TypeLayout &layout = layout_of(entry);
  return leaf < layout.leaves.size() ? layout.leaves[leaf].offset : 0; // 0: a part without memory
}

const ReferenceRow references::list_item = {
    "list item",
    [](const Reference &reference) -> const void * { return item_descriptor(reference.types[0]); }};

} // namespace numjit
