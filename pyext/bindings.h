// What the files that use pybind11 share.
#pragma once

#include "pyext/errors.h"
#include "pyext/read/objects.h"

#include <pybind11/pybind11.h>

#include <string>
#include <vector>

namespace numjit {

/// Runs something that throws our exceptions; they reach Python as what they mean there.
template <class Body>
decltype(auto) guarded(Body body) {
  try {
    return body();
  } catch (const pybind11::error_already_set &) {
    throw;
  } catch (...) {
    set_current_exception();
    throw pybind11::error_already_set();
  }
}

/// The rows of numjit._core.Type objects.
inline std::vector<const Type *> types_of(const pybind11::iterable &objects) {
  std::vector<const Type *> types;
  for (pybind11::handle each : objects) {
    const Type *type = type_object(each.ptr());
    if (!type)
      throw pybind11::type_error("expected a type, not " + std::string(pybind11::repr(each)));
    types.push_back(type);
  }
  return types;
}

} // namespace numjit
