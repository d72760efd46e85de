// How the frontend and inference read Python objects.
#pragma once

#include "typeinfer/infer.h"

#include <map>

namespace numjit {

/// What the overloads of users were asked, and their answer.
struct OverloadQuestion {
  std::string name;
  bool of_member = false; ///< what the first argument's attribute `name` is; else a call
  bool literals_first = false;
  std::vector<Fact> positional;
  Host::Keywords keywords;
  bool operator==(const OverloadQuestion &) const = default;
};
struct OverloadAnswer {
  OverloadQuestion question;
  Host::Member member = Host::Member::None;
  FunctionDef *function = nullptr; ///< of a call; null: all declined
  bool operator==(const OverloadAnswer &) const = default;
};
/// The answer in this process. Takes the GIL.
OverloadAnswer ask_overloads(OverloadQuestion question);

/// Reads globals and attributes while SSA is built, and sources and library functions for
/// inference. One per compilation: it records what was read.
class PythonHost : public Host, public Environment {
public:
  PythonHost() = default;
  /// Names mean what they did in an earlier compilation.
  explicit PythonHost(Snapshot snapshot) : snapshot_(std::move(snapshot)) {}
  const Snapshot &snapshot() const { return snapshot_; }

  const Const *global(const FunctionDef &function, const std::string &name) override;
  const Const *attribute(const FunctionDef &function, const Const &object,
                         const std::string &name) override;
  const Const *imported(const FunctionDef &function, const std::string &statement) override;

  /// Called without the GIL; takes it for functions that were not read before.
  std::shared_ptr<const ssa::Function> source(FunctionDef &function,
                                              const UnrollPlan &plan) override;
  /// Takes the GIL.
  std::shared_ptr<Surroundings> names_of(const FunctionDef &function,
                                         const std::vector<const void *> &types) override;
  void enter(const FunctionDef &function, const std::shared_ptr<Surroundings> &names) override {
    entered_.emplace_back(&function, names);
  }
  void leave() override { entered_.pop_back(); }
  FunctionDef *library(const LibraryKey &key) override;
  const Const *attribute_of(const FunctionDef &function, const Const &object,
                            const std::string &name) override;
  const Const *class_named(const std::string &name) override;
  const Const *called(const std::string &name,
                      const std::vector<const Const *> &arguments) override;
  const Type *fields_of(const Const *cls) override;
  const Type *struct_ref(const Const *cls, const std::vector<const Type *> &items,
                         std::string &error) override;
  const Const *exact_operator(Operator oper, const Const &a, const Const &b) override;
  bool warn_of_integers(const std::string &message, const FunctionDef *function,
                        Position position) override;
  void warn_of_order(const std::string &reason, const FunctionDef *function,
                     Position position) override;
  std::vector<std::string> library_names(const std::string &prefix) override;
  bool has_overloads(const std::string &name) override;
  Member overloaded_member(const std::string &name, const Fact &self) override;
  Choice choose_overload(const std::string &name, const std::vector<Fact> &positional,
                         const Keywords &keywords, bool literals_first) override;
  const std::vector<const Const *> &closure(const FunctionDef &function) override;

  /// What names outside of a function mean in this compilation: read anew where they changed since
  /// an earlier one, and the same from then on. Needs the GIL when it is first asked for a function
  /// of the user's.
  Surroundings &surroundings(const FunctionDef &function);

  double frontend_ms = 0;              ///< spent in building SSA
  std::vector<FunctionDef *> read;     ///< functions whose source was read, once each
  std::map<std::string, bool> asked;   ///< names for which overloads were looked up: are there any?
  std::vector<OverloadAnswer> answers; ///< each once, in the order in which they were asked for
  /// Lines of loops over prange that run in one thread.
  std::set<std::pair<const FunctionDef *, int>> in_order;
  bool older_names = false;   ///< names of a version meant something else than they do now
  bool copies_arrays = false; ///< code for GPUs holds the items of global arrays
  bool shipped = false;       ///< the code is for a pickle, or out of one

private:
  Snapshot snapshot_;
  std::vector<std::pair<const FunctionDef *, std::shared_ptr<Surroundings>>> entered_;
  std::map<std::pair<const Const *, std::vector<const Type *>>, const Type *> struct_refs_;
  void note_answer(OverloadAnswer answer);
  /// Of the innermost enter() of a function; null where names mean what they do now.
  Surroundings *entered_names(const FunctionDef &function) const;
};

} // namespace numjit
