// Runs neutral instructions on SSA values instead of Python objects.
#pragma once

#include "frontend/ssa_draft.h"

#include <map>
#include <string>
#include <vector>

namespace numjit::ssa {

/// Fills the blocks of a draft, one at a time.
class StackMachine {
public:
  StackMachine(Draft &draft, const Cfg &cfg, Environment &environment);

  void add_parameters();
  void fill_block(int32_t block);

private:
  // --- values and the stack (stack_machine.cpp) ---
  Value *emit(Op op, std::vector<Value *> operands = {});
  Value *constant(const Const *value);
  bool decorates_with_cache(const std::vector<Value *> &call);
  Value *none() { return constant(constants::none()); }
  /// Calls what the compiler knows by a name of its own.
  Value *call_builtin(const char *name, std::vector<Value *> arguments);
  /// Ends the block with an error.
  void refuse(const std::string &text);
  void damaged() { failed_ = true; }
  void push(Value *value) { stack_.push_back(value); }
  Value *pop();
  std::vector<Value *> pop(int32_t count);
  /// Slot `depth` from the top, which is 1.
  Value *&slot(int32_t depth);
  Value *load_slot(size_t index);

  // --- blocks (stack_machine.cpp) ---
  void move_to(const Instruction &instruction);
  void enter(int32_t block);
  void leave();
  void terminate(const Instruction &instruction);
  void end_with_branch(Value *condition);
  void branch(const Instruction &instruction);
  void loop_header(const CfgBlock &block);
  void push_unrolled_item(int32_t index);
  Value *header_of(int32_t block);
  bool is_for_deferred() const;
  bool is_sibling(const FunctionDef &inner, const std::string &name);
  Value *truth(Value *value);

  // --- instructions (instructions.cpp, calls.cpp) ---
  void execute(const Instruction &instruction);
  void load_variable(const Instruction &instruction);
  Value *shown_as(Value *value, const std::string &variable);
  void store_variable(const Instruction &instruction);
  bool is_boxed(int32_t slot) const {
    return draft_.def.code.boxed.contains(bytecode_.variables[slot]);
  }
  void store_in_box(const Instruction &instruction);
  Value *new_box(int32_t slot, Value *value);
  void global(const std::string &name, bool with_null);
  void items(const Instruction &instruction);
  static std::string super_prefix(const Value &cls);
  bool call_super(const Value &callee, int32_t arguments);
  void operation(const Instruction &instruction);
  void build(const Instruction &instruction);
  void note_closure(Value *tuple, const Instruction &instruction);
  void extend(const Instruction &instruction);
  bool join_map(Opcode opcode, Value &map, std::vector<Value *> items);
  void format(const Instruction &instruction);
  void unpack(const Instruction &instruction);
  void call(const Instruction &instruction);
  void make_function(const Instruction &instruction);
  void drop_annotate(Value *annotate);
  // --- inner functions that assign variables of this one (nonlocals.cpp) ---
  void find_named_functions();
  void defer_functions(const std::map<int32_t, std::pair<const Const *, size_t>> &named);
  int32_t slot_of(const std::string &variable) const;
  Value *captured(int32_t slot);
  Value *made_now(int32_t slot);
  bool is_deferred(const Const *code) const;
  void make_assigning(Value *code, int32_t attributes);
  void defer_attribute(const Value &code, int32_t bit, Value *attribute);
  bool assigning_defaults(const Value &code, int32_t bit, Value &attribute);
  bool call_assigning(std::vector<Value *> operands, const std::vector<std::string> &keywords);
  Value *returned(Value *value);
  void drop(Value &value);
  void store_attribute(const std::string &name);
  std::string name_in_super(const std::string &name) const;
  void handle_exception(const Instruction &instruction);
  void match_pattern(const Instruction &instruction);
  void import(const Instruction &instruction);
  void with(const Instruction &instruction);
  /// Ends the block with an exception of a class, with a text.
  void raise(const Const *cls, const Const *text);
  void set_keyword_defaults(const Value &function, const Value &defaults);
  void set_function_attribute(Value *function, int32_t bit, Value *attribute);

  Draft &draft_;
  const Cfg &cfg_;
  const Bytecode &bytecode_;
  Environment &environment_;
  std::set<int32_t> boxes_;                         ///< variables whose box is made (boxes.cpp)
  std::vector<bool> has_declared_type_;             ///< variables of the `locals` option
  std::map<int32_t, const Const *> assigning_;      ///< variables that hold functions that assign
  std::map<const Const *, const Const *> defaults_; ///< of these functions, by their code
  std::map<int32_t, const Const *> deferred_;       ///< variables that hold functions made late
  std::map<const Const *, Value *> given_;          ///< the tuples of their defaults, by code
  std::vector<int32_t> making_;                     ///< those that are being made
  struct Super {
    Value *self;
    std::string prefix;
  };
  std::map<const Value *, Super> supers_; ///< results of `super()`
  int32_t block_ = 0;
  std::vector<Value *> stack_; ///< nullptr: as it was at the block's entry, not read yet
  Position position_;
  int32_t at_ = 0; ///< index of the instruction
  struct {
    Value *tuple = nullptr;
    std::vector<int32_t> slots;
  } closure_; ///< the last tuple built, and the variables it was built of
  /// On some paths after a try or with statement it has swallowed an exception. CPython copies the
  /// code that follows to them, so a variable may have no value in one copy only.
  bool copies_paths_ = false;
  bool failed_ = false; ///< the bytecode makes no sense here
  bool ended_ = false;  ///< the block has its terminator
};

/// Value::star of calls of whose two callee slots is not known yet which is which (see finish).
constexpr int32_t unresolved_callee = -2;

} // namespace numjit::ssa
