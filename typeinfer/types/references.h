// What the addresses in compiled code are addresses of, so that they can be found again in another
// process: a kind of thing, types, a constant.
#pragma once

#include "typeinfer/types/types.h"

#include <string_view>

namespace numjit {

struct Reference;

/// A kind of thing that compiled code may refer to. Tables beside the rules that use them.
struct ReferenceRow {
  const char *name;
  /// Where it is in this process, for the rest of the process (of objects: as long as the code).
  const void *(*find)(const Reference &);
};

/// Interned; rows live as long as the process.
struct Reference {
  const ReferenceRow *row = nullptr;
  std::vector<const Type *> types;
  const Const *constant = nullptr;
  const void *address = nullptr; ///< in this process
};

namespace references {

extern const ReferenceRow type;        ///< `types[0]` itself
extern const ReferenceRow object;      ///< the Python object of `constant`
extern const ReferenceRow owner;       ///< the same as an owner (runtime.h)
extern const ReferenceRow array_data;  ///< the memory of the global array `constant`
extern const ReferenceRow memory;      ///< the memory of `constant`, a global list, dict or set
extern const ReferenceRow text;        ///< the characters of `constant`, ended by 0
extern const ReferenceRow c_function;  ///< C code at the address `constant`
extern const ReferenceRow list_item;   ///< nj_item of items of `types[0]` (lists.cpp)
extern const ReferenceRow print_site;  ///< nj_print_site of `types` (core_builtins.cpp)
extern const ReferenceRow owner_slots; ///< which slots of `types[0]` are owners (parallel.cpp)

const Reference *make(const ReferenceRow &row, std::vector<const Type *> types,
                      const Const *constant = nullptr);
const ReferenceRow *row_named(std::string_view name); ///< null if there is none

} // namespace references
} // namespace numjit
