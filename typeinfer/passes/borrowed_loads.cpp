#include "typeinfer/passes/borrowed_loads.h"

#include "typeinfer/passes/liveness.h"

#include <optional>

namespace numjit::tir {

namespace {

constexpr uint32_t kAll = ~0u;

constexpr uint32_t bit(Alias alias) { return 1u << static_cast<unsigned>(alias); }

/// Runtime functions that write memory, but neither give up references in it nor run any code of
/// the user's.
bool keeps_references(RuntimeOp op) {
  switch (op) {
  case RuntimeOp::ListNew:
  case RuntimeOp::ListGrow:
  case RuntimeOp::ListAppendPart:
  case RuntimeOp::ListReverse:
  case RuntimeOp::InstanceNew:
  case RuntimeOp::LinkedNew:
  case RuntimeOp::FrameNew:
  case RuntimeOp::TableNew:
  case RuntimeOp::RandomSeed:
  case RuntimeOp::RandomDouble:
  case RuntimeOp::RandomInterval:
  case RuntimeOp::RandomBelow:
  case RuntimeOp::RandomBits:
  case RuntimeOp::RandomIntegers:
  case RuntimeOp::RandomDraw:
  case RuntimeOp::RandomDrawInt:
  case RuntimeOp::RandomFill:
  case RuntimeOp::CopyMatrix:
  case RuntimeOp::StrConcat: return true;
  default: {
    const Effect effect = runtime_op_row(op).effect;
    return effect == Effect::Pure || effect == Effect::Reads;
  }
  }
}

/// Bytes of the payload of a block.
struct Bytes {
  int64_t begin, end;
};

/// Where in a block an access is; of pointers that are a block's payload and a constant.
std::optional<Bytes> place_of(const Value &pointer, const Type *type) {
  int64_t offset = 0;
  const Value *base = &pointer;
  while (base->op == Op::PtrAdd && base->operands[1]->op == Op::Const) {
    offset += base->operands[1]->integer;
    base = base->operands[0];
  }
  if (base->op != Op::OwnerData)
    return std::nullopt;
  return Bytes{offset, offset + layout_of(type).size};
}

/// Whether accesses of one class may be of the same bytes of a block.
bool may_overlap(const Value &write, const Value &load) {
  const Type *written = write.op == Op::Store ? write.operands[1]->type : write.type;
  const std::optional<Bytes> a = place_of(*write.operands[0], written),
                             b = place_of(*load.operands[0], load.type);
  return !a || !b || (a->begin < b->end && b->begin < a->end);
}

bool is_candidate(const Value &value) {
  return value.op == Op::Load && value.type->counted && value.index == 0 &&
         (value.alias == Alias::Fields || value.alias == Alias::ListData ||
          value.alias == Alias::Frame);
}

/// Candidates become counted where something may give up what they borrow.
class Decision {
public:
  Decision(const Function &function, const Cfg &cfg, const Overwrites &overwrites, HeldLoads &loads)
      : cfg_(cfg), overwrites_(overwrites), loads_(loads), ownership_(function, cfg, loads),
        live_(function, cfg, ownership_) {}

  void run() {
    for (const Block *block : cfg_.order()) {
      BitSet live = live_.out[block->id];
      for (size_t i = block->values.size(); i-- > 0;)
        visit(*block->values[i], live);
    }
  }

private:
  /// `live`: the roots alive behind the value, then before it.
  void visit(const Value &value, BitSet &live) {
    if (const int root = ownership_.root_index(&value); root >= 0)
      live.remove(static_cast<size_t>(root));
    if (value.op == Op::Phi) { // counts what it merges
      for (const Value *operand : value.operands)
        for (uint32_t root : ownership_.keeps(operand))
          count(root);
      return;
    }
    for (uint32_t used : ownership_.used_by(value))
      live.insert(used);
    if (overwrites_.may_give_up_some(value))
      live.each([&](size_t root) {
        if (overwrites_.may_give_up(value, *ownership_.roots()[root]))
          count(root);
      });
  }

  void count(size_t root) {
    if (Held &held = loads_[ownership_.roots()[root]->id]; held == Held::Watched)
      held = Held::Counted;
  }

  const Cfg &cfg_;
  const Overwrites &overwrites_;
  HeldLoads &loads_;
  Ownership ownership_;
  Liveness live_;
};

} // namespace

Overwrites::Overwrites(const Module &module) {
  for (bool changed = true; changed;) {
    changed = false;
    for (const auto &function : module.functions) {
      Classes &known = functions_[function.get()], all = known;
      for (const Block *block : function->blocks)
        for (const Value *value : block->values)
          all |= effects_of(*value);
      changed |= all != known;
      known = all;
    }
  }
}

Overwrites::Classes Overwrites::effects_of(const Value &value) const {
  switch (value.op) {
  case Op::Exchange:
  case Op::Store:
    if (!value.operands[1]->type->counted || value.alias == Alias::Stack)
      return 0;
    return value.alias == Alias::Any ? kAll : bit(value.alias);
  case Op::Load: // of what it takes out of memory
    if (value.index != 2)
      return 0;
    return value.alias == Alias::Any ? kAll : bit(value.alias);
  case Op::Copy:
    return value.alias == Alias::ArrayData || value.alias == Alias::Unaligned ||
                   value.alias == Alias::Stack
               ? 0
               : kAll;
  case Op::Call: {
    const auto found = functions_.find(value.callee);
    return found == functions_.end() ? 0 : found->second;
  }
  case Op::CallRuntime: return keeps_references(value.runtime_op) ? 0 : kAll;
  case Op::CallPointer:
  case Op::Poll: // handlers of signals are Python
    return kAll;
  default: return 0;
  }
}

bool Overwrites::may_give_up(const Value &value, const Value &load) const {
  if (!(effects_of(value) & bit(load.alias)))
    return false;
  const bool is_access =
      (value.op == Op::Store || value.op == Op::Exchange || value.op == Op::Load) &&
      value.alias == load.alias && load.op == Op::Load;
  return !is_access || may_overlap(value, load);
}

HeldLoads find_borrowed_loads(const Function &function, const Cfg &cfg,
                              const Overwrites &overwrites) {
  HeldLoads loads;
  for (const Block *block : cfg.order())
    for (const Value *value : block->values)
      if (is_candidate(*value)) {
        loads.resize(function.values.size(), Held::Counted);
        loads[value->id] = Held::Watched;
      }
  if (loads.empty())
    return loads;
  Decision(function, cfg, overwrites, loads).run();
  for (Held &held : loads)
    if (held == Held::Watched)
      held = Held::Borrowed;
  return loads;
}

} // namespace numjit::tir
