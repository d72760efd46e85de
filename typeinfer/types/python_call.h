// A kind of reference of its own, as few files need it.
#pragma once

namespace numjit {
struct ReferenceRow;
}

namespace numjit::references {

/// nj_python_call of the Python function `constant` for arguments of `types[0]` (builtins.cpp).
extern const ReferenceRow python_call;

} // namespace numjit::references
