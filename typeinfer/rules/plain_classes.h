// Classes without declarations: what makes their instances is their __init__. `self` is a value
// with one more field behind each assignment (`numjit.with_field`); what is returned in the end
// says the types of the fields (FunctionDef::makes_self).
#pragma once

#include "typeinfer/infer/builtins.h"

namespace numjit {

/// An instance of the class that `cls` stands for: its fields are what __init__ gives `self`.
Operand make_plain(Emitter &e, const Const *cls, CallArguments arguments);

/// A field that __init__ has not set yet: what its class says instead; nothing if it is set.
Operand attribute_not_set(Emitter &e, const Operand &object, const Type *field,
                          const std::string &name);

/// The __init__ of `object`, behind those of all bases; nothing if `name` means another one.
Operand maker_of_object(Emitter &e, const Operand &object, const std::string &name);

/// What describes a class whose members are asked for; null for what is no class.
const Const *class_itself(const Type *type);

} // namespace numjit
