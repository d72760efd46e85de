// One compiled version of a function, and the calls of it.
#pragma once

#include "pyext/call/compile.h"
#include "pyext/convert/values.h"
#include "pyext/python.h"

#include <memory>

namespace numjit {

class Specialization {
public:
  Specialization(FunctionDef &function, std::vector<const Type *> arguments, Compiled compiled);
  /// Object mode: the callable runs in place of machine code.
  Specialization(FunctionDef &function, std::vector<const Type *> arguments, Ref callable);

  /// Calls with the leaves of the arguments; a new reference, or null with an exception set.
  PyObject *call(const uint64_t *slots);
  /// Calls with objects that may have to be converted. One object per parameter. `started` tells
  /// whether all of them could be.
  PyObject *call(PyObject *const *objects, bool &started);

  PyObject *callable() const { return callable_.get(); }
  bool active() const { return active_ > 0; } ///< a thread is inside; it must not be freed
  FunctionDef &function() { return function_; }
  const std::vector<const Type *> &arguments() const { return arguments_; }
  const Type *result() const { return compiled_.result; }
  const Compiled &compiled() const { return compiled_; }
  codegen::Entry entry() const { return entry_; } ///< null in object mode

private:
  PyObject *run(const uint64_t *slots, Unboxer *unboxer);

  FunctionDef &function_;
  std::vector<const Type *> arguments_;
  Compiled compiled_;
  Ref callable_;
  codegen::Entry entry_ = nullptr;
  size_t argument_slots_ = 0, result_slots_ = 0;
  bool holds_instances_ = false; ///< the result does
  int active_ = 0;               ///< written with the GIL only
};

} // namespace numjit
