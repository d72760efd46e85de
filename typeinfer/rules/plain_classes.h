// Classes without declarations: what makes their instances is their __init__. `self` is a value
// with one more field behind each assignment (`numjit.with_field`); what is returned in the end
// says the types of the fields (FunctionDef::makes_self). Where __init__ hands `self` on, the
// instance exists before, and its class has one type of instances (infer/field_items.h).
#pragma once

#include "typeinfer/infer/builtins.h"

namespace numjit {

/// An instance of the class that `cls` stands for: its fields are what __init__ gives `self`.
Operand make_plain(Emitter &e, const Const *cls, CallArguments arguments);

/// What a field of a new instance holds: None only until something else is put there.
Operand first_value(Emitter &e, const Const *cls, size_t field, const Operand &given);

/// Whether a dataclass stands for the instances of a plain class.
bool is_plain_class(const Object &cls);
/// The hash of an instance of a class that says nothing of equality; nothing for others.
Operand hash_by_identity(Emitter &e, const Operand &x);
/// The name of the class that `cls` stands for.
std::string plain_name(const Object &cls);

/// Whether values of a type are the `self` of an __init__.
bool is_unfinished(const Type *type);

/// An attribute of such a value where that is not the value of a field or what the class defines:
/// what the class says of a field that is not set yet, and the __init__ of `object`, behind those
/// of all bases. Nothing for others.
Operand attribute_of_unfinished(Emitter &e, const Operand &object, const std::string &name);

/// What describes a class whose members are asked for; null for what is no class.
const Const *class_itself(const Type *type);

} // namespace numjit
