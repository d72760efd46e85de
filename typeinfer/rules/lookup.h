// Calls of functions that are known by a name: which of several meanings a call has.
#pragma once

#include "typeinfer/infer/builtins.h"

#include <span>

namespace numjit {

/// A call of the function, method or class that is known by a name; fails if it means nothing.
Operand call_named(Emitter &e, const std::string &name, CallArguments arguments);

/// Whether values of `type` are instances of a class by its name; -1 if the class is not known
/// (core_builtins.cpp).
int is_instance(const Type *type, std::string_view cls);

/// The meanings of a name in the order in which they are tried (lookup.cpp).
std::span<const std::string_view> lookup_order();

// --- what the resolver chooses among (builtins.cpp)

/// A row of the compiler's tables: keywords are bound to its parameters.
Operand call_builtin(Emitter &e, const Builtin &row, CallArguments arguments);
/// Scalar operations called by name: np.add(a, b), math.sin(x), operator.add(a, b), abs(x).
Operand call_scalar(Emitter &e, const scalar::Row &row, const std::string &name,
                    CallArguments arguments);

} // namespace numjit
