// From a code object's bytes to neutral instructions.
#pragma once

#include "frontend/instruction.h"

#include <string>

namespace numjit {

/// Decodes a function's own instructions; decode() in splice.h adds those of its comprehensions.
/// Strange bytes become Unsupported instructions; the last instruction always is one.
Bytecode decode_own(const Code &code);

/// Texts of errors that several files of the frontend report.
namespace refusals {
extern const std::string invalid_bytecode;
extern const std::string unknown_version;
} // namespace refusals

} // namespace numjit
