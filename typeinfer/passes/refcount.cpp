// Retains and releases. Counts follow liveness precisely:
//
// - A root (ownership.h) holds one count from its definition to its last use. A use of a value
//   made from it is a use of the root, so views never count.
// - Return, Store, Exchange, Raise and phis *consume* a count: the root's own if this is its last
//   use, else a new one.
//   Stack memory owns nothing, so stores there are plain uses.
// - After its last use a root is released; where it dies on an edge of the control flow graph, on
//   the edge.
// - An operation that may raise gets `cleanup`: the roots that hold a count while it runs. If it
//   has a handler, those that the handler uses stay.
// - A load of a counted value takes a new count right behind it; with `index` 2 it takes the one
//   of the memory. Loads that borrow (borrowed_loads.h) are no roots.
#include "typeinfer/passes/borrowed_loads.h"
#include "typeinfer/passes/edit.h"
#include "typeinfer/passes/liveness.h"
#include "typeinfer/passes/ownership.h"
#include "typeinfer/passes/passes.h"

#include <algorithm>

namespace numjit::passes {

using namespace tir;

namespace {

/// Changes of counts at one place; retains come first, so that no count falls to zero between.
struct Changes {
  std::vector<Value *> retains, releases;
};

class RefCount {
public:
  RefCount(Function &function, const Overwrites &overwrites)
      : function_(function), cfg_(function),
        ownership_(function, cfg_, find_borrowed_loads(function, cfg_, overwrites)),
        live_(function, cfg_, ownership_), prefix_(function.arena_blocks.size()) {}

  void run() {
    for (Block *block : cfg_.order())
      rewrite(*block);
    for (Block *block : cfg_.order())
      for (Block *succ : std::vector<Block *>(block->succs))
        edge(*block, *succ);
    for (Block *block : cfg_.order())
      if (std::vector<Value *> &first = prefix_[block->id]; !first.empty())
        block->values.insert(block->values.begin() + static_cast<ptrdiff_t>(phi_count(*block)),
                             first.begin(), first.end());
  }

private:
  // --- inside blocks ---

  void rewrite(Block &block) {
    BitSet live = live_.out[block.id];
    guarded_ = guarded_by_try(block);
    std::vector<std::vector<Value *>> pieces; // of the new block, last first
    for (size_t i = block.values.size(); i-- > 0;)
      pieces.push_back(visit(*block.values[i], live));
    std::vector<Value *> values, unused_phis;
    for (size_t i = pieces.size(); i-- > 0;) {
      Value *value = pieces[i][0];
      if (value->op == Op::Phi && pieces[i].size() > 1)
        unused_phis.push_back(pieces[i][1]);
      if (value->op != Op::Phi) {
        values.insert(values.end(), unused_phis.begin(), unused_phis.end());
        unused_phis.clear();
        values.insert(values.end(), pieces[i].begin(), pieces[i].end());
      } else {
        values.push_back(value);
      }
    }
    block.values = std::move(values);
    for (Value *value : block.values)
      value->block = &block;
  }

  /// The value with what goes before and behind it. `live`: the roots alive behind it, then before
  /// it.
  std::vector<Value *> visit(Value &value, BitSet &live) {
    const int root = ownership_.root_index(&value);
    const bool unused = root >= 0 && !live.contains(static_cast<size_t>(root));
    if (root >= 0)
      live.remove(static_cast<size_t>(root));
    if (value.op == Op::Phi) // its operands are consumed on the edges
      return unused ? std::vector{&value, release(&value, value)} : std::vector{&value};

    std::vector<Value *> dying;
    for (uint32_t used : ownership_.used_by(value))
      if (!live.contains(used)) {
        live.insert(used);
        dying.push_back(ownership_.roots()[used]);
      }
    if (can_raise(value)) {
      value.cleanup.clear();
      const BitSet *kept = &value == guarded_ ? &live_.in[value.block->succs[1]->id] : nullptr;
      live.each([&](size_t i) {
        if (!kept || !kept->contains(i))
          value.cleanup.push_back(ownership_.roots()[i]);
      });
    }

    std::vector<Value *> before, behind;
    std::vector<Value *> &place = is_terminator(value.op) ? before : behind;
    if (std::vector<Value *> consumed = consumed_by(value); !consumed.empty()) {
      Changes changes = consume(consumed, dying, value);
      before = std::move(changes.retains);
      // What a store writes to may lie in the memory of a root that dies here.
      place.insert(place.end(), changes.releases.begin(), changes.releases.end());
      if (unused) // what an exchange has taken out
        place.push_back(release(&value, value));
    } else {
      if (value.op == Op::Load && root >= 0 && value.index != 2 && !unused)
        behind.push_back(retain(&value, value));
      const bool holds_nothing = value.op == Op::Load && value.index != 2;
      if (unused && !holds_nothing)
        behind.push_back(release(&value, value));
      for (Value *dead : dying) // a return of a plain pointer out of a block is its last use, too
        place.push_back(release(dead, value));
    }
    before.push_back(&value);
    before.insert(before.end(), behind.begin(), behind.end());
    return before;
  }

  static std::vector<Value *> consumed_by(const Value &value) {
    std::vector<Value *> consumed;
    if ((value.op == Op::Store && value.alias != Alias::Stack) || value.op == Op::Exchange)
      consumed = {value.operands[1]};
    else if (value.op == Op::Return || value.op == Op::Raise)
      consumed = value.operands;
    std::erase_if(consumed, [](const Value *operand) { return !operand->type->counted; });
    return consumed;
  }

  // --- on edges ---

  void edge(Block &from, Block &to) {
    if (from.terminator()->op == Op::Try && &to == from.succs[1])
      return; // the operation cleans up
    std::vector<Value *> consumed, dying;
    const size_t index = pred_index(to, &from);
    for (Value *phi : to.values) {
      if (phi->op != Op::Phi)
        break;
      if (ownership_.root_index(phi) >= 0)
        consumed.push_back(phi->operands[index]);
    }
    BitSet dies = live_.out[from.id];
    dies.subtract(live_.in[to.id]);
    dies.each([&](size_t root) { dying.push_back(ownership_.roots()[root]); });
    if (consumed.empty() && dying.empty())
      return;
    Changes changes = consume(consumed, dying, *from.terminator());
    std::vector<Value *> code = std::move(changes.retains);
    code.insert(code.end(), changes.releases.begin(), changes.releases.end());
    if (code.empty())
      return;

    Block *place = &from;
    if (from.succs.size() > 1 && to.preds.size() == 1) {
      place = &to;
      prefix_[to.id].insert(prefix_[to.id].end(), code.begin(), code.end());
    } else {
      if (from.succs.size() > 1)
        place = split_edge(function_, from, to);
      place->values.insert(place->values.end() - 1, code.begin(), code.end());
    }
    for (Value *value : code)
      value->block = place;
  }

  // --- counts ---

  /// Gives each of the `consumed` values a count of its own while the `dying` roots give up theirs.
  Changes consume(const std::vector<Value *> &consumed, const std::vector<Value *> &dying,
                  const Value &like) {
    struct Balance {
      Value *base;
      std::vector<int> counts; ///< per Owner in it: to add
    };
    std::vector<Balance> balances;
    auto balance_of = [&](Value *base) -> Balance & {
      for (Balance &balance : balances)
        if (balance.base == base)
          return balance;
      return balances.emplace_back(Balance{base, std::vector<int>(owner_count(base->type), 0)});
    };
    for (Value *value : consumed)
      for (const OwnerSource &source : ownership_.sources(value))
        if (source.base)
          ++balance_of(source.base).counts[source.leaf];
    for (Value *root : dying)
      for (int &count : balance_of(root).counts)
        --count;

    Changes changes;
    for (const Balance &balance : balances) {
      const std::vector<int> &counts = balance.counts;
      if (std::equal(counts.begin() + 1, counts.end(), counts.begin())) {
        change(changes, balance.base, counts[0], like);
        continue;
      }
      for (size_t leaf = 0; leaf < counts.size(); ++leaf)
        if (counts[leaf] != 0)
          change(changes, owner_at(balance.base, leaf, changes.retains, like), counts[leaf], like);
    }
    return changes;
  }

  void change(Changes &changes, Value *value, int count, const Value &like) {
    for (; count > 0; --count)
      changes.retains.push_back(retain(value, like));
    if (count < 0)
      changes.releases.push_back(release(value, like));
  }

  /// Code for the `leaf`-th Owner in a value, appended to `code`.
  Value *owner_at(Value *value, size_t leaf, std::vector<Value *> &code, const Value &like) {
    while (value->type->kind != Kind::Owner) {
      const std::vector<const Type *> &fields = value->type->fields;
      int index = 0;
      for (; leaf >= owner_count(fields[static_cast<size_t>(index)]); ++index)
        leaf -= owner_count(fields[static_cast<size_t>(index)]);
      value = make_value(function_, Op::Field, fields[static_cast<size_t>(index)], {value}, like);
      value->index = index;
      code.push_back(value);
    }
    return value;
  }

  Value *retain(Value *value, const Value &like) {
    return make_value(function_, Op::Retain, types::none(), {value}, like);
  }
  Value *release(Value *value, const Value &like) {
    return make_value(function_, Op::Release, types::none(), {value}, like);
  }

  Function &function_;
  Cfg cfg_;
  Ownership ownership_;
  Liveness live_;
  const Value *guarded_ = nullptr; ///< operation with a handler in the block that is rewritten
  std::vector<std::vector<Value *>> prefix_; ///< by block id: what goes behind the phis
};

} // namespace

/// Kernels for GPUs are given no counted memory; what there is to count they make.
static bool has_nothing_to_count(const Module &module) {
  if (module.target != Target::Cuda)
    return false;
  for (const auto &function : module.functions)
    for (const Block *block : function->blocks)
      for (const Value *value : block->values)
        if (value->op == Op::Alloc)
          return false;
  return true;
}

void refcount(Module &module, const PassOptions &) {
  if (has_nothing_to_count(module))
    return;
  const Overwrites overwrites(module);
  for (const auto &function : module.functions)
    RefCount(*function, overwrites).run();
}

} // namespace numjit::passes
