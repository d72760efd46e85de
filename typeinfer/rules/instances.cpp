#include "typeinfer/rules/instances.h"

#include "runtime/runtime.h"
#include "typeinfer/infer/engine.h"
#include "typeinfer/infer/unify.h"
#include "typeinfer/types/named_instances.h"

#include <algorithm>

namespace numjit {

const Type *structure_of(Emitter &e, const Type *type) {
  if (!type->params.empty())
    return type->params[0];
  if (is_named_instance(type))
    return structure_of_named(type);
  const Type *structure = e.engine.host.fields_of(type->constant);
  if (!structure)
    e.fail("the fields of " + type->text + " are not known yet",
           "define its deferred types before the first call");
  return structure;
}

Operand field_pointer(Emitter &e, const Operand &object, const Type *structure, int index) {
  const Type *field = structure->fields[index];
  Operand memory = e.owner_data(e.field(object, 0), field);
  const int64_t offset = static_cast<int64_t>(sizeof(nj_instance)) + field_offset(structure, index);
  return e.ptr_add(memory, e.i64(offset), field);
}

int field_index(const Type *structure, const std::string &name) {
  auto found = std::find(structure->names.begin(), structure->names.end(), name);
  return found == structure->names.end() ? -1 : static_cast<int>(found - structure->names.begin());
}

bool is_function(const Const *member) { return member && member->is_object(ObjectKind::Function); }

Operand call_member(Emitter &e, const Const *function, const Operand *self,
                    CallArguments arguments) {
  if (self)
    arguments.positional.insert(arguments.positional.begin(), *self);
  return call_function(e, *function->object->function, {}, std::move(arguments));
}

Operand new_instance(Emitter &e, const Type *type, const Type *structure) {
  Operands arguments{
      e.address(references::make(references::list_item, {structure}), types::int64())};
  if (is_named_instance(type))
    return e.make(type, {e.runtime(tir::RuntimeOp::LinkedNew, types::owner(), arguments)});
  const auto size = static_cast<int64_t>(sizeof(nj_instance) + layout_of(structure).size);
  arguments.insert(arguments.begin(), e.i64(size));
  return e.make(type, {e.runtime(tir::RuntimeOp::InstanceNew, types::owner(), arguments)});
}

Operand new_instance_of(Emitter &e, const Type *type, const Type *structure,
                        const Operands &items) {
  Operand made = new_instance(e, type, structure);
  for (size_t i = 0; i < items.size(); ++i)
    if (!layout_of(items[i].type).leaves.empty())
      e.store(field_pointer(e, made, structure, static_cast<int>(i)), items[i], tir::Alias::Fields);
  return made;
}

void note_field(Emitter &e, const Const *cls, size_t field, const Type *given, const Type *known) {
  if (known && e.options().long_tuples && !unify(known, given))
    if (const Type *both = as_long_tuple(e, known, given))
      given = both;
  e.engine.field_items.note(cls, field, given);
}

Operand instance_of_fields(Emitter &e, const Const *cls, Operands items) {
  std::vector<const Type *> types;
  for (const Operand &item : items)
    types.push_back(item_type_of(item.type));
  const Type *named = e.engine.field_items.named_instance(cls);
  const Type *known = named ? structure_of(e, named) : nullptr;
  for (size_t i = 0; i < items.size(); ++i)
    note_field(e, cls, i, types[i], known ? known->params[i] : nullptr);
  auto late = std::ranges::find(types, Kind::Undefined, &Type::kind);
  if (!named && late != types.end()) {
    e.engine.field_items.suspect(cls); // fields of one type of instances may be without a value
    e.fail("nothing sets the field '" + cls->object->fields[late - types.begin()] + "'");
  }
  const Type *structure = known ? known : types::structure(cls, types);
  for (size_t i = 0; i < items.size(); ++i)
    items[i] = e.convert(items[i], structure->params[i]);
  return new_instance_of(e, named ? named : types::instance(cls, structure), structure, items);
}

} // namespace numjit
