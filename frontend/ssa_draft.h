// SSA under construction: blocks being filled, and which value a variable has where.
//
// The algorithm is Braun et al., "Simple and Efficient Construction of Static Single Assignment
// Form" (CC 2013), without recursion. Variables are the slots of locals and, behind them, the slots
// of the stack, so that values that wait on the stack across blocks need no rules of their own.
#pragma once

#include "frontend/cfg.h"
#include "frontend/instruction.h"
#include "frontend/ssa.h"

#include <deque>
#include <map>
#include <memory>
#include <vector>

namespace numjit::ssa {

struct DraftBlock {
  Block block;                  ///< `id` is the index here; preds and succs stay empty
  std::vector<Value *> current; ///< value per variable at the block's end (so far); may be shorter
  std::vector<int32_t> preds, succs;
  std::vector<Value *> incomplete; ///< phis whose operands are not known before the block is sealed
  int32_t unfilled_preds = 0;
  int32_t depth = -1; ///< of the stack at entry
  bool sealed = false, filled = false, dropped = false;
  bool guarded = false; ///< see Block
};

/// A MakeFunction and the slots of the variables it captured; its last operands are their values.
struct Capture {
  Value *function;
  std::vector<int32_t> slots;
};

/// An assignment through a cell: seen by functions that captured it.
struct CellStore {
  int32_t slot;
  Value *value;  ///< nullptr: deleted
  Value *marker; ///< a value of the block that stands where the store was
};

class Draft {
public:
  Draft(const FunctionDef &def, const Bytecode &bytecode, const Cfg &cfg);

  const FunctionDef &def;
  const Bytecode &bytecode;
  std::deque<Value> values;
  std::vector<DraftBlock> blocks; ///< indices as in the Cfg
  std::vector<int32_t> order;
  std::vector<Value *> phis;
  std::vector<Capture> captures;
  std::vector<CellStore> cell_stores;
  std::vector<Value *> annotations;   ///< of inner functions, which nothing reads
  std::map<int32_t, int32_t> objects; ///< ObjectPlan by parameter
  bool known_items = false;           ///< see kKnownItems
  /// The NULL slot of calls, and what stands for a broken operand. In no block.
  Value null;

  Value *make(Op op, Position position = {});
  Value *append(int32_t block, Op op, std::vector<Value *> operands, Position position);
  /// In front of a value of a finished block.
  static void place_before(const Value &place, Value *value);
  Value *put_before(const Value &place, Op op, std::vector<Value *> operands = {});
  Value *constant_before(const Value &place, const Const *constant);

  int32_t variable_count() const { return static_cast<int32_t>(bytecode.variables.size()); }
  int32_t stack_variable(int32_t depth) const { return variable_count() + depth; }

  void write(int32_t block, int32_t variable, Value *value);
  /// Value of a variable at the end (so far) of a block.
  Value *read(int32_t block, int32_t variable);
  /// Records that a block is complete; its successors may now know all their predecessors.
  void filled(int32_t block);
  /// Cuts the way out of a block to its successors (it turned out to end before them).
  void cut_successors(int32_t block);
  /// Cuts all but the way to the block's handler.
  void keep_handler(int32_t block);

  /// Follows phis that were found to be trivial.
  static Value *resolve(Value *value) {
    while (value->op == Op::Phi && !value->block)
      value = value->operands[0];
    return value;
  }
  /// Replaces phis that merge one value only.
  void simplify(std::vector<Value *> &candidates);

private:
  void forget(int32_t block, const std::vector<int32_t> &succs);
  Value *find(int32_t block, int32_t variable);
  Value *add_phi(int32_t block, int32_t variable);
  void complete_phis();
  void predecessor_done(int32_t block);

  struct Pending {
    Value *phi;
    int32_t block;
  };
  std::vector<Pending> pending_;
};

/// Turns the finished draft into a function: removes trivial phis and dead values, reads constant
/// attributes, joins blocks that only follow one another.
std::shared_ptr<Function> finish(Draft &draft, Environment &environment);

/// Expresses containers of `collections` by lists and dicts (see collections.cpp). Operands are
/// final.
void rewrite_collections(Draft &draft, Environment &environment);

/// Makes values of lists and dicts whose items may have several types (see known_items.cpp).
/// Operands are final.
void make_values_of_containers(Draft &draft);

/// Whether there is a way from one value to another that does not pass `without`.
bool leads_to(const Draft &draft, const Value &from, const Value &to,
              const Value *without = nullptr);

/// Makes generators of iterators that outlive the loop or call that they are made for (see
/// iterators.cpp). Operands are final.
void keep_iterators(Draft &draft);

/// Finds captured variables that change after a function captured them, and refuses those (see
/// captures.cpp).
void check_captures(Draft &draft);

} // namespace numjit::ssa
