// What the frontend and inference ask of Python.
#pragma once

#include "typeinfer/infer.h"

namespace numjit {

/// Reads globals and attributes while SSA is built, gives sources and library functions to
/// inference. Has no state of its own but the time it took; one per compilation.
class PythonHost : public Host, public Environment {
public:
  const Const *global(const FunctionDef &function, const std::string &name) override;
  const Const *attribute(const Const &object, const std::string &name) override;

  /// Called without the GIL; takes it for functions that were not read before.
  std::shared_ptr<const ssa::Function> source(FunctionDef &function,
                                              const UnrollPlan &plan) override;
  FunctionDef *library(const std::string &name) override;
  const Type *fields_of(const Const *cls) override;
  bool warn_of_integers(const std::string &message, const FunctionDef *function,
                        Position position) override;
  std::vector<std::string> library_names(const std::string &prefix) override;
  bool has_overloads(const std::string &name) override;
  Member overloaded_member(const std::string &name, const Fact &self) override;
  Choice choose_overload(const std::string &name, const std::vector<Fact> &positional,
                         const Keywords &keywords) override;

  double frontend_ms = 0; ///< spent in building SSA
};

} // namespace numjit
