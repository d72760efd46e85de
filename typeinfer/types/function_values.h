// Functions as values of a fixed signature (types.FunctionType), which pyext/numjit/first_class.py
// describes: a Struct that holds the address of machine code.
#pragma once

#include "typeinfer/types/types.h"

namespace numjit {

class Emitter;
struct Operand;
namespace tir {
enum class Alias : uint8_t;
}

/// What makes a value of a types.FunctionType of a function; nullptr if `type` is no such type.
const Const *function_maker(const Type *type);

/// A value from its leaves in slots, of which `slot` is the first, and afterwards the one behind
/// them. Without a type if it can have none: its leaves have other sizes in memory than in slots,
/// and some of them are counted.
Operand load_slots(Emitter &e, const Operand &memory, Operand &slot, const Type *type,
                   tir::Alias alias, bool take = false);

} // namespace numjit
