// Values of types whose conversions are LLVM IR of the user's (numjit.compat). Their classes have
// the member `is_native`, and hold the machine code in `_numjit_boxing_` and
// `_numjit_unboxing_`.
#pragma once

#include "pyext/convert/values.h"

namespace numjit {

bool is_native(const Type *type);
PyObject *box_native(const Type *type, const uint64_t *&slots);
/// `kept` holds the counts of the value.
bool unbox_native(PyObject *object, const Type *type, uint64_t *&slots, std::vector<Ref> &kept);

/// The error that is pending in the runtime becomes Python's.
void raise_pending();

} // namespace numjit
