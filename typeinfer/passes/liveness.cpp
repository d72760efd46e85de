#include "typeinfer/passes/liveness.h"

namespace numjit::tir {

Liveness::Liveness(const Function &function, const Cfg &cfg, const Ownership &ownership)
    : in(function.arena_blocks.size(), BitSet(ownership.roots().size())), out(in) {
  if (ownership.roots().empty())
    return;
  std::vector<BitSet> defined = in;
  for (Block *block : cfg.order()) {
    // Backwards, so that `in` ends as what is used before it is defined here.
    for (size_t i = block->values.size(); i-- > 0;) {
      const Value *value = block->values[i];
      if (int root = ownership.root_index(value); root >= 0) {
        defined[block->id].insert(static_cast<size_t>(root));
        in[block->id].remove(static_cast<size_t>(root));
      }
      if (value->op != Op::Phi) {
        for (uint32_t root : ownership.used_by(*value))
          in[block->id].insert(root);
        continue;
      }
      for (size_t k = 0; k < value->operands.size(); ++k)
        if (cfg.reachable(block->preds[k]))
          for (uint32_t root : ownership.keeps(value->operands[k]))
            out[block->preds[k]->id].insert(root);
    }
  }
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t i = cfg.order().size(); i-- > 0;) {
      const Block *block = cfg.order()[i];
      for (const Block *succ : block->succs)
        out[block->id].merge(in[succ->id]);
      BitSet through = out[block->id];
      through.subtract(defined[block->id]);
      changed |= in[block->id].merge(through);
    }
  }
}

} // namespace numjit::tir
