// Loops over prange become functions of their own, on untyped SSA.
//
//   for i in prange(n):          def body(iterations, a, s):     # the loop's function
//     s += a[i]                    for i in iterations:
//                                    s += a[i]
//                                  return (s,)
//
//                                parallel_loop body (range(n), a; s)
//                                s = parallel_result 0 '+' (s)
//
// The runtime calls the function for chunks of the iterations. A variable that is assigned in the
// loop and used after it is a reduction, which each chunk starts with the neutral element, or has
// the value of the last iteration that assigned it. Elements that several iterations may change,
// count[b[i]] += 1, are changed by atomic operations, or each chunk has an array of its own, which
// are added up. If any other value is carried between iterations, the loop runs in one thread.
#pragma once

#include "frontend/ssa.h"
#include "frontend/unroll_plan.h"

#include <map>
#include <set>

namespace numjit::ssa {

/// The function with its loops over prange cut out, nested ones too. A loop that cannot run in
/// parallel stays, with a RunsInOrder value in front of it that says why. `nested`: the function is
/// the body of a parallel loop, whose own loops need not be parallel.
std::shared_ptr<Function> outline_parallel_loops(std::shared_ptr<Function> function,
                                                 const UnrollPlan &plan, bool nested = false);

/// Why a loop cannot run in parallel; empty if it can.
struct LoopConflict {
  std::string text;
  Position position;
};

/// How a variable gets from the iterations to the code behind the loop. `kind`: "+", "*", "&", "|",
/// "^", "and", "or", "min", "max", "minimum", "maximum"; "last"; with "=" at the end if an array is
/// changed in place. "+[]": an array whose elements are added to (ElementUpdate) and not read; each
/// chunk may have one of its own. "+[:]": so that all iterations meet at its elements.
struct LoopVariable {
  Value *phi; ///< of "+[]" and "+[:]" the array itself
  std::string kind;
  bool is_array() const { return kind.starts_with("+["); }
};

/// `a[index] op= x` where iterations may meet at one element: what the store becomes.
struct ElementUpdate {
  const Value *changed; ///< the new value, which the update computes itself
  Value *amount;        ///< x
  bool all_meet;        ///< the index does not depend on the iteration
  std::string kind;     ///< "+", "-", "*", "/", "&", "|", "^", "min", "max", "minimum", "maximum"
};

/// A loop over prange, as analysed.
struct PrangeLoop {
  Block *header, *entry;       ///< its only way in
  std::vector<Block *> blocks; ///< header first, in reverse postorder
  Value *next, *iterator_phi, *iterator, *range;
  std::vector<LoopVariable> variables;
  std::map<const Value *, ElementUpdate> updates; ///< by SetItem
  LoopConflict conflict;
  bool contains(const Block *block) const;
};

/// Blocks that `from` leads to, not through `wall`.
std::set<const Block *> reach(const Block *from, const Block *wall);

/// Whether two values are the same computation of the same operands.
bool alike(const Value &a, const Value &b, int depth = 4);

/// The container whose length an operation changes, where no type is needed to know that; null for
/// others, which typeinfer/infer/shared_changes.cpp finds (parallel_containers.cpp).
const Value *changed_container(const Value &value);
/// Whether a method changes the length of a list, or, with `of_table`, of a dict or set.
bool changes_length(std::string_view method, bool of_table);

/// Variables that conditions of the whole loop decide about start each iteration as they stood in
/// front of it (parallel_settled.cpp).
void settle_variables(const Function &function, PrangeLoop &loop);

/// Finds variables, updates and conflicts (parallel_conflicts.cpp). A `nested` loop can be
/// sequential, which is better than updates that wait for each other.
void analyse(const Function &function, PrangeLoop &loop, bool nested);

} // namespace numjit::ssa
