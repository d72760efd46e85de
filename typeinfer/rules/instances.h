// Instances of classes and what their classes define, for rules about classes.
#pragma once

#include "typeinfer/infer/builtins.h"

namespace numjit {

/// Whether values have a class that may define attributes and methods.
inline bool has_class(const Type *type) {
  return type->kind == Kind::Struct || type->kind == Kind::Instance ||
         type->kind == Kind::NamedTuple || type->kind == Kind::Enum;
}
/// The Struct that an instance's block holds.
const Type *structure_of(Emitter &e, const Type *type);
/// Where a field is in memory.
Operand field_pointer(Emitter &e, const Operand &object, const Type *structure, int index);
/// The number of a field; -1 if there is none of that name.
int field_index(const Type *structure, const std::string &name);
bool is_function(const Const *member);
/// Calls what a class defines, of an instance or (null) of the class itself.
Operand call_member(Emitter &e, const Const *function, const Operand *self,
                    CallArguments arguments);
/// An instance of a class without declared types, which is made of these fields.
Operand instance_of_fields(Emitter &e, const Const *cls, Operands items);
/// A field that holds values of a type, as far as is known (null: it is not), is given others.
void note_field(Emitter &e, const Const *cls, size_t field, const Type *given, const Type *known);
/// A new block, its fields zero.
Operand new_instance(Emitter &e, const Type *type, const Type *structure);
/// A new block with these fields.
Operand new_instance_of(Emitter &e, const Type *type, const Type *structure, const Operands &items);

} // namespace numjit
