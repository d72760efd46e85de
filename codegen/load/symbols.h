// What machine code may call outside of its module.
#pragma once

#include <string>
#include <string_view>

namespace numjit::codegen {

/// Symbols that begin like this are constant memory; its bytes follow in hexadecimal.
constexpr std::string_view kBytesSymbol = "numjit.bytes.";

/// Address of a function (or variable) of the runtime, of libm, or of a function to which LLVM
/// inserts calls (memcpy); null if there is none.
void *symbol_address(std::string_view name);

/// Makes known a symbol that nothing in the process exports, for LLVM IR of users.
void add_symbol(const std::string &name, void *address);

} // namespace numjit::codegen
