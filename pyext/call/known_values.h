// Calls that are compiled for the values of some arguments: where literally() asks for them, where
// flags decide which types meet, where arrays are squeezed.
#pragma once

#include "pyext/call/dispatcher_state.h"

namespace numjit {

/// How a dispatcher is compiled for one call.
struct Wanted {
  DispatcherObject *dispatcher;
  const std::vector<const Type *> &types;
  PyObject *const *arguments;
  bool defers = false; ///< as compile_function takes it
};

/// The values of some arguments, one for each parameter; empty if `literals` is.
std::vector<const Const *> literal_values(const std::vector<size_t> &literals,
                                          PyObject *const *arguments, size_t count);

/// The types of arguments of which some are `literals`. A string whose value is known has a type
/// that says so, and no slots; an array is known to have axes of length one.
std::vector<const Type *> literal_types(std::vector<const Type *> types,
                                        const std::vector<const Const *> &values,
                                        const std::vector<size_t> &literals,
                                        PyObject *const *arguments);

/// Whether arguments of types `given` have the slots of what was compiled for `compiled`.
bool same_slots(const std::vector<const Type *> &given, const std::vector<const Type *> &compiled);

/// Whether the exception that is set is an error of numjit that branches which are not taken may
/// have: strict_ints looks at all of them.
bool may_be_elsewhere();

/// What machine code runs such a call, with the values known that are needed for that; null with an
/// exception set.
Specialization *find_for_values(const Wanted &wanted);

} // namespace numjit
