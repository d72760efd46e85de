// Conditional propagation over one function's SSA: types, constants and reachability solved
// together (infer_function.cpp), and what is done where that waits for itself (waiting_values.cpp).
#pragma once

#include "typeinfer/infer/unknown_parts.h"

#include <algorithm>

namespace numjit {

class FunctionInference : SsaRules {
public:
  FunctionInference(Engine &engine, Specialization &spec)
      : SsaRules(emitter_, spec), engine_(engine), emitter_(engine, spec.def, spec.options),
        unknown_(emitter_, spec) {}

  /// `defers`: errors in branches are raised where calls reach them.
  void run(bool defers);

protected:
  Operand operand_of(const ssa::Value &value) override;
  Operand yield(const ssa::Value &value) override;
  const Type *container_type(const ssa::Value &made) override;
  Operand parameter(int index) override;
  const Type *arguments_type(const ssa::Value &attribute) override;
  const Type *caught_attribute_type(const ssa::Value &attribute) override;

private:
  struct Questions;
  void find_facts();
  void sweep(const ssa::Block &block);
  /// Whether an operand is what a field holds of which that is not known yet (field_items.h).
  bool meets_item_of_field(const ssa::Value &value) const;

  /// False if it never comes to a value: a call of a function that always raises.
  bool compute(const ssa::Value &value);
  bool has_types(const std::vector<ssa::Value *> &values) const {
    return std::ranges::all_of(
        values, [this](const ssa::Value *value) { return spec.facts[value->id].type; });
  }

  /// An attribute of an object of `collections` that is known though its items are not.
  Fact known_part(const ssa::Value &value) const;

  /// Asks the callee of a call what it puts into containers with unknown parts, and what it returns
  /// for them; no type if it does not say.
  Fact ask(const ssa::Value &value);
  /// Adds to `said`.
  Fact ask(const ssa::Value &value, std::vector<LearnedType> &said);

  /// Whether what is called is a function of the program's; it may also capture the container.
  bool may_be_asked(const ssa::Value &call);

  Operand open_object(const ssa::Value &maker);

  /// The callee's error, if there is one, is why a container has no type.
  const Type *refuse_open();

  /// Whether a value is a call of one function, and nothing around it.
  bool calls_function(const ssa::Value &value) const;

  /// A function or method that is one of the library's, and no rule.
  bool is_library_function(const Const &callee) const;

  /// What follows the call in its block never runs.
  void end_with(const ssa::Block &block, const ssa::Value &call);

  /// Before a function is known to raise always, what follows its calls counts as reachable.
  void find_reachable();

  /// Only kernels know bfloat16 and arrays in the memory of a GPU.
  Fact known_here(Fact fact);
  void update(const ssa::Value &value, Fact fact) {
    Fact &old = spec.facts[value.id];
    if (!(fact == old)) {
      old = fact;
      changed_ = true;
    }
  }
  bool edge_taken(const ssa::Block &from, const ssa::Block &to) const;

  /// The iterator of a loop's next round, in the phi for the iterator: of its type, whatever that
  /// is.
  static bool is_own_state(const ssa::Value &operand, const ssa::Value &phi);
  void join(const ssa::Value &phi);

  /// Joins what arrives at a phi with a fact; false, or an error, if there is no common type.
  bool join_from(const ssa::Value &phi, Fact joined, bool must_fit);

  /// With strict_ints: signed and unsigned integers that meet are an error.
  void check_integers(const std::string &what, const Type *a, const Type *b, const Type *met,
                      Position position);
  [[noreturn]] void cannot_unify(const ssa::Value &phi, const Type *first,
                                 const ssa::Value &operand, const Type *second);
  void take_edge(const ssa::Block &from, size_t index);

  /// A container waits for what is put into it, and that for the container: `s.add(len(s))`, or
  /// behind a condition, `if x in d: ... else: d[x] = 1`. Some results have one type whatever the
  /// container holds; and of conditions both ways are looked at.
  void explore();

  /// `found = []` of which only the length is used, or `return []` beside `return None`: the first
  /// container that nothing is put into gets items of some type.
  void settle_empty();

  /// Whether what would be put into a container is never made.
  bool is_never_filled(const UsesOfContainer &uses) const;
  /// `if v: found.append(1.0)` where `v` is None: nothing else tells the type of the empty list.
  void enter_untaken();

  /// Whether one of these blocks is behind `first`, by ways that have not been taken yet.
  bool leads_to(const ssa::Block &first, const std::vector<bool> &wanted) const;
  static const Type *certain_type(const ssa::Value &value);
  void leave(const ssa::Block &block, const ssa::Value &end);
  /// The first operation that has an error; null if there is none.
  const ssa::Value *first_error() const;
  void join_results();
  const Type *meet_results(const Type *a, const Type *b);
  Fact joined_returns(bool &returns);

  /// What a generator yields is of one type, and so is what it returns.
  void join_items();
  const Type *joined_items();
  /// What is sent into this generator; None if nothing is.
  const Type *sent_type();
  [[noreturn]] void unstable();

  Engine &engine_;
  Emitter emitter_;
  UnknownParts unknown_;
  std::map<const ssa::Value *, CompileError, ById> questions_failed_; ///< by call
  bool asking_ = false;          ///< operands are what callees are asked with
  bool asks_with_known_ = false; ///< with the types of containers that have one
  bool given_up_ = false;        ///< no callee says what is in containers that have no type
  std::vector<uint8_t> edges_;   ///< per block: bit set of successors that can be reached
  std::vector<bool> varies_;     ///< per value: phi that is known not to be constant
  std::map<const ssa::Value *, CompileError> errors_;
  ContainerUses container_uses_;
  std::map<const ssa::Value *, Fact> returned_; ///< by Return
  std::set<const ssa::Value *> stay_empty_;     ///< containers that nothing is put into
  std::map<const ssa::Value *, Fact> yielded_;  ///< by Yield
  enum class Sent : uint8_t { Dropped, HandedOn, Used };
  Sent use_of_sent(const ssa::Value &yield);
  std::map<const ssa::Value *, Sent> uses_of_sent_; ///< by Yield
  bool changed_ = false;
  bool waiting_ = false; ///< for the type of a container
  /// Ways that are never gone; those of the library are for other types.
  bool may_enter_untaken_ = !spec.def->is_library, entered_untaken_ = false;
};

} // namespace numjit
