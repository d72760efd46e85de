// The neutral instruction set: what every CPython version's bytecode is turned into.
#pragma once

#include "frontend/code.h"
#include "frontend/position.h"

#include <cstdint>
#include <string>
#include <vector>

namespace numjit {

// X(id, printed name, what it does; the stack is written bottom to top)
#define NUMJIT_INSTRUCTIONS(X)                                                                     \
  X(Nop, "nop", "nothing")                                                                         \
  X(PopTop, "pop_top", "x ->")                                                                     \
  X(PushNull, "push_null",                                                                         \
    "-> NULL; calls take two slots, a callable and either NULL or the first argument")             \
  X(Copy, "copy", "push slot `arg` from the top again")                                            \
  X(Swap, "swap", "swap the top with slot `arg` from the top")                                     \
  X(EndFor, "end_for", "never reached: exits of ForIter skip it")                                  \
  X(LoadConst, "load_const", "-> `constant`")                                                      \
  X(LoadVariable, "load", "-> variable `arg`; as a cell when `flag` says so")                      \
  X(LoadAndClear, "load_and_clear", "-> variable `arg`, which then has no value")                  \
  X(StoreVariable, "store", "x ->; `flag`: through its cell, where inner functions see it")        \
  X(DeleteVariable, "delete", "variable `arg` has no value any more")                              \
  X(LoadGlobal, "load_global", "-> global or builtin `name`, with `flag` a NULL too")              \
  X(LoadBuiltin, "load_builtin", "-> builtin `name`, also where a global has its name")            \
  X(LoadAttr, "load_attr", "x -> x.`name`, with `flag` a NULL too")                                \
  X(LoadSuper, "load_super", "super class x -> super(class, x).`name`, with `flag` a NULL too")    \
  X(StoreAttr, "store_attr", "value x ->")                                                         \
  X(LoadItem, "load_item", "x key -> x[key]")                                                      \
  X(StoreItem, "store_item", "value x key ->")                                                     \
  X(DeleteItem, "delete_item", "x key ->")                                                         \
  X(LoadSlice, "load_slice", "x start stop -> x[start:stop]")                                      \
  X(StoreSlice, "store_slice", "value x start stop ->")                                            \
  X(Unary, "unary", "x -> `oper` x")                                                               \
  X(Binary, "binary", "x y -> x `oper` y; `flag`: in place")                                       \
  X(Compare, "compare", "x y -> x `oper` y")                                                       \
  X(ListToTuple, "list_to_tuple", "list -> tuple")                                                 \
  X(BuildTuple, "build_tuple", "`arg` items -> tuple")                                             \
  X(BuildList, "build_list", "`arg` items -> list")                                                \
  X(BuildSet, "build_set", "`arg` items -> set")                                                   \
  X(BuildMap, "build_map", "`arg` pairs of key and value -> dict")                                 \
  X(BuildConstKeyMap, "build_const_key_map", "`arg` values, tuple of keys -> dict")                \
  X(BuildString, "build_string", "`arg` strings -> string")                                        \
  X(BuildSlice, "build_slice", "start stop [step, if `arg` is 3] -> slice")                        \
  X(ListAppend, "list_append", "x ->; the list is slot `arg` from the top afterwards")             \
  X(SetAdd, "set_add", "x ->; the set likewise")                                                   \
  X(MapAdd, "map_add", "key value ->; the dict likewise")                                          \
  X(ListExtend, "list_extend", "iterable ->; the list likewise")                                   \
  X(SetUpdate, "set_update", "iterable ->; the set likewise")                                      \
  X(MapUpdate, "map_update", "mapping ->; the dict likewise")                                      \
  X(MergeKeywords, "merge_keywords",                                                               \
    "mapping ->; the keywords of a call, slot `arg` from the top afterwards, have its items too")  \
  X(Format, "format",                                                                              \
    "x [spec, with `flag`] -> text; `arg` is the conversion: 0 none, 1 str, 2 repr, 3 ascii")      \
  X(Convert, "convert", "x -> str(x), repr(x), ascii(x) for `arg` 1, 2, 3")                        \
  X(UnpackSequence, "unpack", "sequence -> `arg` items, the first on top")                         \
  X(UnpackStarred, "unpack_starred",                                                               \
    "sequence -> `arg` items, list, `arg2` items, the first on top")                               \
  X(Call, "call",                                                                                  \
    "callable NULL|first arguments... -> result; `constant` names the last arguments")             \
  X(CallKeywords, "call_keywords", "as call, with the tuple of names on top")                      \
  X(CallStar, "call_star", "callable NULL args [kwargs, with `arg` 1] -> result")                  \
  X(MakeFunction, "make_function",                                                                 \
    "[defaults, kwdefaults, annotations, closure, by bits of `arg`] code -> function")             \
  X(SetFunctionAttribute, "set_function_attribute", "what bit `arg` says, function -> function")   \
  X(GetIter, "get_iter", "x -> iter(x)")                                                           \
  X(ForIter, "for_iter",                                                                           \
    "iterator -> iterator item, or -> [value, with `flag`] and jump to `target` at the end")       \
  X(Jump, "jump", "go to `target`")                                                                \
  X(BranchTrue, "branch_true", "x ->; go to `target` if x is true")                                \
  X(BranchFalse, "branch_false", "x ->; go to `target` if x is false")                             \
  X(BranchNone, "branch_none", "x ->; go to `target` if x is None")                                \
  X(BranchNotNone, "branch_not_none", "x ->; go to `target` if x is not None")                     \
  X(Return, "return", "x ->")                                                                      \
  X(Raise, "raise", "`arg` operands ->; exception, cause")                                         \
  X(StartGenerator, "start_generator",                                                             \
    "-> the generator; first instruction of generator functions")                                  \
  X(Yield, "yield", "x -> what is sent")                                                           \
  X(Reraise, "reraise", "exception ->; raises it again")                                           \
  X(EnterHandler, "enter_handler",                                                                 \
    "exception -> the exception that was being handled, exception; which is handled from here on") \
  X(LeaveHandler, "leave_handler", "exception ->; it is the one that is handled again")            \
  X(MatchException, "match_exception",                                                             \
    "exception classes -> exception, whether it is one of them")                                   \
  X(MatchSequence, "match_sequence", "x -> x, whether a sequence pattern may match it")            \
  X(MatchClass, "match_class", "x class names -> what `arg` places and the names match, or None")  \
  X(MatchKeys, "match_keys", "x keys -> x keys, the values, or None")                              \
  X(MatchMapping, "match_mapping", "x -> x, whether a mapping pattern may match it")               \
  X(PushLength, "push_length", "x -> x len(x)")                                                    \
  X(Import, "import", "level names -> module `name`")                                              \
  X(ImportFrom, "import_from", "module -> module, its `name`")                                     \
  X(EnterWith, "enter_with", "manager -> its __exit__, what its __enter__() gives")                \
  X(LeaveWith, "leave_with",                                                                       \
    "exit place handled exception -> the same, what exit() says of the exception")                 \
  X(Unsupported, "unsupported", "cannot be compiled: `name` says why")

enum class Opcode : uint8_t {
#define X(id, name, doc) id,
  NUMJIT_INSTRUCTIONS(X)
#undef X
};

const char *opcode_name(Opcode op);

struct Instruction {
  Opcode op = Opcode::Nop;
  Operator oper = Operator::Add;
  bool flag = false;
  int32_t arg = 0, arg2 = 0;
  int32_t offset = 0;  ///< in the bytecode, of its first EXTENDED_ARG if there is one
  int32_t target = -1; ///< index of an instruction
  const Const *constant = nullptr;
  const std::string *name = nullptr; ///< owned by the Code, or static
  Position position;

  bool ends_block() const {
    return op == Opcode::Jump || op == Opcode::Return || op == Opcode::Raise ||
           op == Opcode::Reraise || op == Opcode::Unsupported || op == Opcode::EndFor;
  }
  /// Whether an exception may come out of it; what only moves values cannot raise.
  bool may_raise() const {
    switch (op) {
    case Opcode::Nop:
    case Opcode::PopTop:
    case Opcode::PushNull:
    case Opcode::Copy:
    case Opcode::Swap:
    case Opcode::EndFor:
    case Opcode::LoadConst:
    case Opcode::LoadVariable:
    case Opcode::LoadAndClear:
    case Opcode::StoreVariable:
    case Opcode::DeleteVariable:
    case Opcode::LoadGlobal:
    case Opcode::LoadBuiltin:
    case Opcode::Jump:
    case Opcode::StartGenerator:
    case Opcode::EnterHandler:
    case Opcode::LeaveHandler:
    case Opcode::MatchException: return false;
    default: return true;
    }
  }
  bool writes_variable() const {
    return op == Opcode::StoreVariable || op == Opcode::DeleteVariable ||
           op == Opcode::LoadAndClear || op == Opcode::EnterHandler || op == Opcode::LeaveHandler;
  }
  bool has_target() const { return target >= 0; }
};

/// Instructions that an exception leaves for a handler.
struct ProtectedRange {
  int32_t begin = 0, end = 0; ///< indices of instructions
  int32_t handler = 0;
  int32_t depth = 0;         ///< of the stack that the handler keeps; the exception goes on top
  bool pushes_place = false; ///< below the exception goes the place of the instruction
};

/// A function's neutral instructions, comprehensions of older versions included.
struct Bytecode {
  std::vector<Instruction> code;
  std::vector<ProtectedRange> ranges; ///< disjoint, in order
  /// Slots of variables: the code object's, then those of spliced comprehensions.
  std::vector<std::string> variables;
  int32_t sent = -1;      ///< slot of what was sent into a `yield from`; -1: there is none
  int32_t handled = -1;   ///< slot of the exception that is being handled; -1: no handlers
  int32_t first_free = 0; ///< slots [first_free, end_free) are free variables
  int32_t end_free = 0;
  int32_t size = 0; ///< bytes; spliced comprehensions have offsets as if they followed the function

  bool is_free(int32_t slot) const { return slot >= first_free && slot < end_free; }
};

} // namespace numjit
