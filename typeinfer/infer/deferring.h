// Functions of which only a part can be compiled.
#pragma once

#include "typeinfer/infer.h"

namespace numjit {

/// As infer(), but what has no type and lies in a branch is no error before a call reaches it
/// (late_errors.cpp).
InferResult infer_deferring(FunctionDef &function, const std::vector<Fact> &arguments, Host &host);

} // namespace numjit
