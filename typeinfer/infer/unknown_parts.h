// Containers that are made empty and filled by other functions: `memo = {}; solve(n, memo)`.
//
// Where a function itself says nothing about the items, the functions that it gives the container
// to are asked: they are specialised on the type with unknown parts, dict(?0, ?1), and treat the
// parameter as a container that they make. What they find is in Specialization::learned, and may in
// turn come from their callees. Such specialisations have no code.
#pragma once

#include "typeinfer/infer/engine.h"
#include "typeinfer/types/unknown.h"

namespace numjit {

class UnknownParts {
public:
  UnknownParts(Emitter &e, Specialization &spec) : e_(e), spec_(spec) {}

  /// Begins anew, with the parameters that have unknown parts.
  void start();
  /// Whether there are unknown parts, or were.
  bool active() const { return active_; }
  /// Whether the function itself is asked only, and has no code.
  bool in_question() const { return in_question_; }
  /// Takes up the containers without a type that are passed on; whether there are new ones.
  bool open(const ContainerUses &made);

  /// The type that callees are asked with for a value that is such a container; else nullptr.
  const Type *open_type(const ssa::Value &value, int depth = 0) const;
  /// The call that makes an object of `collections` around one; else nullptr.
  const ssa::Value *maker_of(const ssa::Value &object) const;
  /// Whether a value is such a container or an object around one.
  bool is_named(const ssa::Value &value) const;
  /// Whether a value is an inner function that captures one.
  bool captures_open(const ssa::Value &value) const;
  /// Whether a call can say something: it has such an argument or callee.
  bool may_say(const ssa::Value &call) const;

  /// What callees say about a container that is made here.
  std::vector<LearnedPart> learned_of(const ssa::Value &made) const;
  /// Whether all of the callees that were asked only ask the container something themselves.
  bool stays_empty(const ssa::Value &made) const;
  /// The type of a parameter; `empty` are those that stay so. Throws NotKnownYet.
  const Type *parameter_type(int index, const std::set<const ssa::Value *> &empty);
  /// The parameters without a type yet.
  std::vector<const ssa::Value *> open_parameters() const;
  /// A call was asked; whether it says something new.
  bool learn(const ssa::Value &call, std::vector<LearnedType> said);
  /// What the function says about its arguments; `empty` are parameters that stay so.
  std::vector<LearnedType> say(const std::set<const ssa::Value *> &empty);

private:
  struct Container {
    const ssa::Value *value; ///< what makes it, or the parameter
    const Type *given;       ///< parameters: its type with unknown parts, else nullptr
    Kind kind;
    std::vector<int> numbers; ///< of its parts; -1: a part that is a container itself
    UsesOfContainer uses;
  };

  void add_parameter(const ssa::Value &parameter, const Type *type, int depth);
  void name_values(size_t container);
  int free_number();
  std::vector<LearnedPart> learned_of(const Container &container) const;
  /// The type of an unknown part of the arguments; nullptr: not known.
  const Type *known_type(int number);

  Emitter &e_;
  Specialization &spec_;
  bool active_ = false, in_question_ = false;
  std::vector<Container> containers_;
  std::map<const ssa::Value *, size_t> by_value_, by_name_;
  std::map<const ssa::Value *, const ssa::Value *> objects_; ///< their makers
  std::map<int, const ssa::Value *> parameters_;             ///< what `only_asked` is asked of
  std::set<int> numbers_;                                    ///< that are in use
  std::map<const ssa::Value *, std::vector<LearnedType>, ById> said_; ///< by call
};

} // namespace numjit
