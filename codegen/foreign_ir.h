// LLVM IR that was written outside of the compiler.
#pragma once

#include <memory>
#include <string>

namespace llvm {
class LLVMContext;
class Module;
} // namespace llvm

namespace numjit::codegen {

/// Parses and verifies a text that defines the function `name`. Null, and what is wrong, if it does
/// not.
std::unique_ptr<llvm::Module> parse_foreign(const std::string &text, const std::string &name,
                                            llvm::LLVMContext &context, std::string &problem);

/// The error of such a text, beginning with its line; empty if there is none.
std::string foreign_problem(const std::string &text, const std::string &name);

} // namespace numjit::codegen
