// Frames of generators that nothing but their function sees.
#pragma once

#include "typeinfer/ir/typed_ir.h"

namespace numjit::passes {

/// Turns the contents of frames into SSA values, where only loads and stores use the frame. Returns
/// whether there was any.
bool promote_frames(tir::Function &function);

} // namespace numjit::passes
