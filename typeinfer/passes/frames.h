// Frames of generators that nothing but their function sees.
#pragma once

#include "typeinfer/ir/typed_ir.h"

namespace numjit::passes {

/// What lies in frames becomes SSA values where only loads and stores use the frame. Returns
/// whether that was so for any.
bool promote_frames(tir::Function &function);

} // namespace numjit::passes
