// Strings as the functions of the runtime take and make them.
#pragma once

#include "typeinfer/infer/builtins.h"

#include <initializer_list>

namespace numjit {

/// A string that is known at compile time.
Operand literal(Emitter &e, const std::string &text);
/// Appends the arguments "pii" that a string or bytes are.
void pass_text(Emitter &e, const Operand &text, Operands &arguments);
/// The string or the bytes in a block that the runtime made.
Operand text_in_block(Emitter &e, const Type *type, const Operand &block);
/// The string that a function of the runtime makes of others, and of other arguments behind them.
Operand new_string(Emitter &e, tir::RuntimeOp op, std::initializer_list<Operand> texts,
                   std::initializer_list<Operand> rest = {});

} // namespace numjit
