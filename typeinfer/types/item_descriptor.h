// What the runtime must know of the items of containers.
#pragma once

#include "runtime/runtime.h"
#include "typeinfer/types/types.h"

namespace numjit {

/// Of items of a type; kept for the life of the process. Thread-safe.
const nj_item *item_descriptor(const Type *item);

/// What the entries of a dict or set are: tuples of hash, key and value (of a dict).
const Type *entry_type(const Type *table);
enum EntryPart : uint8_t { kEntryHash, kEntryKey, kEntryValue };
/// Where in an entry a part lies.
uint32_t entry_offset(const Type *table, int part);

} // namespace numjit
