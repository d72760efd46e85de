// Vector forms of libm's functions: SLEEF's, for the vectorisers to call.
#pragma once

#include <llvm/IR/PassManager.h>

namespace numjit::codegen {

/// Attaches the names of the vector forms to each call of a libm function (or of the equivalent
/// intrinsic), so that the vectorisers may use them, and allows functions with such calls the
/// widest vectors of the processor. Calls with approximate-function flags get the less accurate,
/// faster forms. Returns true if there are such calls: the target attributes of their functions
/// have changed then. Does nothing if SLEEF's library is missing.
bool offer_vector_math(llvm::Module &module, llvm::FunctionAnalysisManager &analyses);

/// Address of a function of SLEEF's library, which is loaded at the first use.
void *vector_math_address(const char *name);

} // namespace numjit::codegen
