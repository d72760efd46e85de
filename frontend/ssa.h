// Untyped SSA of one Python function: near Python, every implicit step explicit, positions on every
// value.
#pragma once

#include "frontend/code.h"

#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace numjit::ssa {

// One row per operation. X(id, printed name, number of operands (-1: any), pure, what it means)
// `pure`: has no effect besides its result (it may still turn out to raise once types are known).
#define NUMJIT_SSA_OPS(X)                                                                          \
  X(Param, "param", 0, true,                                                                       \
    "parameter `index` (after the arguments come *args, **kwargs, and runtime closure values)")    \
  X(Const, "const", 0, true, "`constant`")                                                         \
  X(Unbound, "unbound", 0, true, "global `name` that is not defined; an error once reached")       \
  X(Undef, "undef", 0, true, "local variable `name` on a path where it has no value")              \
  X(Phi, "phi", -1, true,                                                                          \
    "one operand per predecessor, in order of Block::preds; `name` is the variable")               \
  X(Local, "local", 1, true,                                                                       \
    "value stored to variable `name` (of the `locals` option; of a second name of a "              \
    "value with debug=True)")                                                                      \
  X(Operator, "op", -1, false, "`oper`, `inplace`; unary or binary")                               \
  X(GetAttr, "getattr", 1, true, "operand.`name`")                                                 \
  X(SetAttr, "setattr", 2, false, "operand0.`name` = operand1")                                    \
  X(GetItem, "getitem", 2, true, "operand0[operand1]")                                             \
  X(SetItem, "setitem", 3, false, "operand0[operand1] = operand2")                                 \
  X(DelItem, "delitem", 2, false, "del operand0[operand1]")                                        \
  X(BuildSlice, "slice", 3, true, "slice(start, stop, step)")                                      \
  X(BuildTuple, "tuple", -1, true, "tuple of the operands")                                        \
  X(BuildList, "list", -1, true,                                                                   \
    "list of the operands; `index` 1: of one, which variable `name` is (boxes.cpp)")               \
  X(BuildSet, "set", -1, true, "set of the operands")                                              \
  X(BuildMap, "dict", -1, true, "dict of key, value, key, value, ...")                             \
  X(BuildString, "string", -1, true, "concatenation of the strings (f-string)")                    \
  X(FormatValue, "format", -1, true,                                                               \
    "str/repr/ascii (`index` 0: str, 1: str(), 2: repr(), 3: ascii()) of operand0 with optional "  \
    "format spec")                                                                                 \
  X(ListAppend, "list_append", 2, false, "operand0.append(operand1), in a comprehension")          \
  X(ListExtend, "list_extend", 2, false, "operand0.extend(operand1)")                              \
  X(SetAdd, "set_add", 2, false, "operand0.add(operand1), in a comprehension")                     \
  X(SetUpdate, "set_update", 2, false, "operand0.update(operand1)")                                \
  X(MapAdd, "map_add", 3, false, "operand0[operand1] = operand2, in a comprehension")              \
  X(MapUpdate, "map_update", 2, false, "operand0.update(operand1)")                                \
  X(MergeKeywords, "merge_keywords", 2, true,                                                      \
    "keywords of a call: the map operand0 and what ** of operand1 gives; gone once the call is "   \
    "complete")                                                                                    \
  X(ListToTuple, "list_to_tuple", 1, true, "tuple(operand0), of a star display")                   \
  X(Unpack, "unpack", 1, false,                                                                    \
    "check that operand0 has `index` items; with `star` >= 0 at least `index` items of which "     \
    "`star` come after the starred one")                                                           \
  X(UnpackItem, "unpack_item", 1, true,                                                            \
    "item `index` of an Unpack; index counts the starred item as one")                             \
  X(GetIter, "iter", 1, false, "iter(operand0)")                                                   \
  X(IterNext, "next", -1, false,                                                                   \
    "advance iterator state operand0, into which `yield from` sends operand1; those below take "   \
    "its result apart")                                                                            \
  X(IterValid, "next_valid", 1, true, "whether there was an item")                                 \
  X(IterValue, "next_value", 1, true, "the item")                                                  \
  X(IterState, "next_state", 1, true, "the iterator's state afterwards")                           \
  X(IterReturned, "next_returned", 1, true,                                                        \
    "what the generator returned; None of other iterators")                                        \
  X(UnrolledItem, "unrolled_item", 1, true,                                                        \
    "item `index` of iterator operand0, in a loop unrolled by plan")                               \
  X(Call, "call", -1, false,                                                                       \
    "operand0(positional..., keywords...); the last `keywords.size()` operands are keywords")      \
  X(CallStar, "call_star", -1, false,                                                              \
    "operand0(*operand1, keywords...), or operand0(*operand1, **operand2); a keyword ** stands "   \
    "for the items of its operand")                                                                \
  X(MakeFunction, "function", -1, true,                                                            \
    "inner function of `constant` (ObjectKind::Code); operands: one per default (`index` of "      \
    "them), then one per free variable (Undef there stands for the function itself)")              \
  X(ParallelLoop, "parallel_loop", -1, false,                                                      \
    "run the iterations of range operand0 in chunks: `constant` is the function that the loop's "  \
    "body became (parallel_loops.h); operands: the range, what the loop reads, the initial value " \
    "of each reduction; `keywords`: kinds of the reductions; `index`: number of its results; "     \
    "`star`: the loop, as Block::for_loop")                                                        \
  X(ParallelResult, "parallel_result", -1, false,                                                  \
    "result `index` of ParallelLoop operand0: what variable `name` is behind the loop; "           \
    "`keywords`: its kind; operand1: what it was before (none: it had no value)")                  \
  X(ChunkRange, "chunk_range", 3, true,                                                            \
    "iterations number operand1 up to operand2 of range operand0; `index` 1: its numbers are "     \
    "not negative")                                                                                \
  X(ChunkValues, "chunk_values", -1, true, "tuple of the operands, which may be unassigned")       \
  X(Yield, "yield", 1, false,                                                                      \
    "the generator gives operand0 and goes on when it is asked again; what is sent then")          \
  X(Unsupported, "unsupported", -1, false,                                                         \
    "a construct that cannot be compiled; an error with `name` as text once reached; with an "     \
    "operand: only where the operand is an inner function, or has one")                            \
  X(RunsInOrder, "runs_in_order", 0, false,                                                        \
    "in front of a loop over prange that runs in one thread: the user is told that, and `name`, "  \
    "which says why")                                                                              \
  X(Jump, "jump", 0, false, "go to successor 0")                                                   \
  X(Branch, "branch", 1, false,                                                                    \
    "go to successor 0 if operand0 (a Truth) holds, else to successor 1")                          \
  X(Return, "return", 1, false, "return operand0")                                                 \
  X(Raise, "raise", -1, false,                                                                     \
    "raise operand0 (from operand1); `index` 1: what is being handled, if anything, again")        \
  X(Unreachable, "unreachable", 0, false, "never executed")

enum class Op : uint8_t {
#define X(id, name, operands, pure, doc) id,
  NUMJIT_SSA_OPS(X)
#undef X
};

struct OpRow {
  Op id;
  const char *name;
  int operands;
  bool pure;
  const char *doc;
};
const OpRow &op_row(Op op);
inline bool is_terminator(Op op) { return op >= Op::Jump; }

struct Block;

struct Value {
  Op op = Op::Unreachable;
  Operator oper = Operator::Add; ///< Operator
  bool inplace = false;          ///< Operator: `a += b`
  int32_t index = 0;             ///< see the rows above
  int32_t star = -1;             ///< Unpack, GetIter, ParallelLoop: see the rows above
  uint32_t id = 0;               ///< dense per function
  uint32_t uses = 0;             ///< how many operands refer to this value
  Position position;
  Block *block = nullptr;
  const Const *constant = nullptr;
  std::string name;
  std::string variable;              ///< that it is stored to first, for debuggers (debug=True)
  std::vector<std::string> keywords; ///< Call, CallStar
  std::vector<Value *> operands;
};

struct Block {
  uint32_t id = 0;             ///< dense, in reverse postorder
  int32_t offset = 0;          ///< of its first instruction in the bytecode, for messages and dumps
  std::vector<Value *> values; ///< phis first, terminator last
  std::vector<Block *> preds;
  std::vector<Block *> succs;
  /// The last of succs is where control goes when an operation of the block raises, with the
  /// exception pending. Values do not arrive there by phis.
  bool guarded = false;
  /// Bytecode offset of the FOR_ITER when this block is the header of a `for` loop, else -1.
  /// Together with the unroll plan this names a loop across rebuilds.
  int32_t for_loop = -1;

  Value *terminator() const { return values.back(); }
};

/// SSA of one function. Values and blocks live in the function's arenas; phis exist only where the
/// variable is live (pruned SSA) and no phi is trivial.
struct Function {
  const FunctionDef *def = nullptr;
  std::deque<Value> values;
  std::deque<Block> blocks;                 ///< in reverse postorder; blocks[0] is the entry
  std::vector<std::string> parameter_names; ///< incl. *args, **kwargs and runtime closure names
  /// The bodies of its parallel loops, which became functions of their own.
  std::vector<std::shared_ptr<Function>> parallel_loops;
};

/// Text of a function, for `dump --stage ssa`.
std::string print(const Function &function);
/// Structural check; returns the first broken rule as text, empty if all hold. Rules are listed in
/// ssa_verifier.cpp.
std::string verify(const Function &function);

/// Whether a builtin makes an object of `collections` around a list or a dict (collections.cpp).
bool makes_collection_object(std::string_view builtin);

} // namespace numjit::ssa
