// The parts of the cleanup pass. Each returns whether it changed anything.
#pragma once

#include "typeinfer/ir/typed_ir.h"

namespace numjit::passes {

/// All of the below until nothing changes.
void tidy(tir::Function &function);

/// Folds constants, fields of structs, trivial phis and branches on constants.
bool simplify(tir::Function &function);
/// Replaces phis of struct-like values (iterators, tuples) by one phi per field.
bool split_phis(tir::Function &function);
/// Drops blocks that cannot be reached.
bool remove_unreachable(tir::Function &function);
/// Joins blocks that follow each other with no other way in or out.
bool merge_blocks(tir::Function &function);
/// The parameter that a function returns if it does nothing else (np.asarray of an array); else
/// nullptr. Calls of it are that argument: as results they would be counted.
const tir::Value *returned_parameter(const tir::Function &function);
/// Drops values without effect that nothing uses.
bool remove_unused(tir::Function &function);
/// Threads jumps past branches whose condition is known on the way to them. Not part of tidy().
void thread_jumps(tir::Function &function);

} // namespace numjit::passes
