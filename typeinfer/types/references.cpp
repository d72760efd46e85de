#include "typeinfer/types/references.h"

#include "runtime/runtime.h"
#include "typeinfer/types/python_call.h"

#include <deque>
#include <map>
#include <mutex>
#include <tuple>

namespace numjit::references {

const ReferenceRow type = {
    "type", [](const Reference &r) { return static_cast<const void *>(r.types[0]); }};
const ReferenceRow object = {
    "object", [](const Reference &r) -> const void * { return r.constant->object->handle; }};
const ReferenceRow owner = {"owner", [](const Reference &r) -> const void * {
                              return static_cast<const char *>(r.constant->object->handle) +
                                     NJ_FOREIGN_BIT;
                            }};
const ReferenceRow array_data = {"array data", [](const Reference &r) -> const void * {
                                   return r.constant->object->array->data;
                                 }};
const ReferenceRow memory = {
    "memory", [](const Reference &r) -> const void * { return r.constant->object->data; }};
const ReferenceRow text = {
    "text", [](const Reference &r) -> const void * { return r.constant->text.c_str(); }};
const ReferenceRow c_function = {"C function", [](const Reference &r) {
                                   return reinterpret_cast<const void *>(r.constant->integer);
                                 }};

const Reference *make(const ReferenceRow &row, std::vector<const Type *> types,
                      const Const *constant) {
  using Key = std::tuple<const ReferenceRow *, std::vector<const Type *>, const Const *>;
  static std::mutex mutex;
  static auto *known = new std::map<Key, Reference>; // machine code outlives static destructors
  Key key(&row, types, constant);
  {
    std::lock_guard lock(mutex);
    if (auto found = known->find(key); found != known->end())
      return &found->second;
  }
  Reference made{&row, std::move(types), constant};
  made.address = row.find(made);
  std::lock_guard lock(mutex);
  return &known->emplace(std::move(key), std::move(made)).first->second;
}

const ReferenceRow *row_named(std::string_view name) {
  for (const ReferenceRow *row : {&type, &object, &owner, &array_data, &memory, &text, &c_function,
                                  &list_item, &print_site, &owner_slots, &python_call})
    if (name == row->name)
      return row;
  return nullptr;
}

} // namespace numjit::references
