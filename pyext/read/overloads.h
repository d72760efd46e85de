// Overloads that users register with numjit.extending: which names have them, and the results of
// their typing callbacks, which are Python, for argument types.
#pragma once

#include "pyext/python.h"
#include "typeinfer/infer.h"

#include <string>
#include <vector>

namespace numjit {

/// The name under which overloads of a Python object are found; makes one up for an object that the
/// compiler does not know. Needs the GIL.
std::string name_for_overloads(PyObject *function);
/// Called when a name (".name" for methods and attributes) gets another overload: drops earlier
/// results.
void note_overload(const std::string &name);

// Without the GIL; it is taken to ask a callback.
bool has_overloads(const std::string &name);
Host::Member overloaded_member(const std::string &name, const Fact &self);
Host::Choice choose_overload(const std::string &name, const std::vector<Fact> &positional,
                             const Host::Keywords &keywords, bool literals_first);

} // namespace numjit
