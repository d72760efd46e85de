// Vector forms of libm's functions: SLEEF's, for the vectorisers to call.
#pragma once

#include <llvm/IR/PassManager.h>

namespace numjit::codegen {

/// Names the vector forms of each call of a libm function (or of the intrinsic of the same
/// meaning), so that the vectorisers may use them, and lets functions with such calls use the
/// widest vectors there are. Calls with approximate-function flags get the less accurate, faster
/// forms. True if there are such calls: what was known of their functions' targets has changed.
/// Does nothing where SLEEF's library is missing.
bool offer_vector_math(llvm::Module &module, llvm::FunctionAnalysisManager &analyses);

/// Address of a function of SLEEF's library, which is loaded at the first use.
void *vector_math_address(const char *name);

} // namespace numjit::codegen
