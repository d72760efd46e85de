#include "frontend/ssa_draft.h"

#include <algorithm>

namespace numjit::ssa {

Draft::Draft(const FunctionDef &def, const Bytecode &bytecode, const Cfg &cfg)
    : def(def), bytecode(bytecode), blocks(cfg.blocks.size()), order(cfg.order) {
  null.op = Op::Unreachable;
  for (size_t i = 0; i < blocks.size(); ++i) {
    DraftBlock &draft = blocks[i];
    const CfgBlock &block = cfg.blocks[i];
    draft.block.id = static_cast<uint32_t>(i);
    draft.preds = block.preds;
    draft.succs = block.succs;
    draft.unfilled_preds = static_cast<int32_t>(block.preds.size());
    draft.guarded = block.guarded;
    if (block.action == EntryAction::Handler)
      draft.depth = block.entry_depth;
    draft.block.offset = bytecode.code[block.begin].offset;
    if (block.is_loop_header && block.unrolled_item < 0)
      draft.block.for_loop = draft.block.offset;
  }
  blocks[0].sealed = true;
  blocks[0].depth = 0;
}

Value *Draft::make(Op op, Position position) {
  Value &value = values.emplace_back();
  value.op = op;
  value.position = position;
  return &value;
}

Value *Draft::append(int32_t block, Op op, std::vector<Value *> operands, Position position) {
  Value *value = make(op, position);
  value->operands = std::move(operands);
  value->block = &blocks[block].block;
  blocks[block].block.values.push_back(value);
  return value;
}

void Draft::write(int32_t block, int32_t variable, Value *value) {
  std::vector<Value *> &current = blocks[block].current;
  if (current.size() <= static_cast<size_t>(variable))
    current.resize(std::max<size_t>(variable + 1, variable_count()), nullptr);
  current[variable] = value;
}

Value *Draft::read(int32_t block, int32_t variable) {
  Value *value = find(block, variable);
  complete_phis();
  return resolve(value);
}

/// Walks up through single predecessors until a definition is found or a phi is needed. The phi's
/// operands are looked up later, by complete_phis.
Value *Draft::find(int32_t block, int32_t variable) {
  std::vector<int32_t> path;
  Value *value = nullptr;
  for (;;) {
    DraftBlock &draft = blocks[block];
    if (static_cast<size_t>(variable) < draft.current.size() && draft.current[variable]) {
      value = resolve(draft.current[variable]);
      break;
    }
    if (!draft.sealed) {
      value = add_phi(block, variable);
      draft.incomplete.push_back(value);
      break;
    }
    if (draft.preds.empty()) {
      if (variable >= variable_count()) {
        value = &null; // nothing was pushed: damaged bytecode
      } else {
        value = make(Op::Undef);
        value->name = bytecode.variables[variable];
        value->block = &draft.block;
        draft.block.values.insert(draft.block.values.begin(), value);
      }
      write(block, variable, value);
      break;
    }
    if (draft.preds.size() > 1) {
      value = add_phi(block, variable);
      pending_.push_back({value, block});
      break;
    }
    path.push_back(block);
    block = draft.preds[0];
  }
  for (int32_t passed : path)
    write(passed, variable, value);
  return value;
}

Value *Draft::add_phi(int32_t block, int32_t variable) {
  Value *phi = make(Op::Phi);
  phi->block = &blocks[block].block;
  phi->index = variable;
  phis.push_back(phi);
  write(block, variable, phi);
  return phi;
}

void Draft::complete_phis() {
  if (pending_.empty())
    return;
  std::vector<Value *> completed;
  while (!pending_.empty()) {
    Pending pending = pending_.back();
    pending_.pop_back();
    for (int32_t pred : blocks[pending.block].preds) {
      Value *operand = find(pred, pending.phi->index);
      pending.phi->operands.push_back(operand);
    }
    completed.push_back(pending.phi);
  }
  simplify(completed);
}

void Draft::simplify(std::vector<Value *> &candidates) {
  for (bool changed = true; changed;) {
    changed = false;
    for (Value *phi : candidates) {
      if (!phi->block)
        continue;
      Value *same = nullptr;
      bool trivial = true;
      for (Value *&operand : phi->operands) {
        operand = resolve(operand);
        if (operand == phi || operand == same)
          continue;
        if (same)
          trivial = false;
        else
          same = operand;
      }
      // An incomplete phi has no operands yet.
      if (!trivial || !same)
        continue;
      phi->block = nullptr;
      phi->operands = {same};
      changed = true;
    }
  }
}

void Draft::predecessor_done(int32_t block) {
  DraftBlock &draft = blocks[block];
  if (--draft.unfilled_preds > 0 || draft.sealed)
    return;
  draft.sealed = true;
  for (Value *phi : draft.incomplete)
    pending_.push_back({phi, block});
  draft.incomplete.clear();
  complete_phis();
}

void Draft::filled(int32_t block) {
  blocks[block].filled = true;
  for (int32_t succ : blocks[block].succs)
    predecessor_done(succ);
}

void Draft::cut_successors(int32_t block) {
  std::vector<int32_t> succs = std::move(blocks[block].succs);
  blocks[block].succs.clear();
  blocks[block].guarded = false;
  forget(block, succs);
}

void Draft::keep_handler(int32_t block) {
  std::vector<int32_t> &succs = blocks[block].succs;
  const std::vector<int32_t> others(succs.begin(), succs.end() - 1);
  succs = {succs.back()};
  forget(block, others);
}

void Draft::forget(int32_t block, const std::vector<int32_t> &succs) {
  for (int32_t succ : succs) {
    // One edge at a time: the two ways of a branch lead to different blocks.
    std::vector<int32_t> &preds = blocks[succ].preds;
    preds.erase(std::find(preds.begin(), preds.end(), block));
    predecessor_done(succ);
  }
}

void Draft::place_before(const Value &place, Value *value) {
  value->block = place.block;
  std::vector<Value *> &values = place.block->values;
  values.insert(std::find(values.begin(), values.end(), &place), value);
}

Value *Draft::put_before(const Value &place, Op op, std::vector<Value *> operands) {
  Value *value = make(op, place.position);
  value->operands = std::move(operands);
  place_before(place, value);
  return value;
}

Value *Draft::constant_before(const Value &place, const Const *constant) {
  Value *value = put_before(place, Op::Const);
  value->constant = constant;
  return value;
}

bool leads_to(const Draft &draft, const Value &from, const Value &to, const Value *without) {
  auto place = [](const Value &value) {
    const std::vector<Value *> &values = value.block->values;
    return std::find(values.begin(), values.end(), &value) - values.begin();
  };
  if (from.block == to.block && place(from) < place(to))
    return !without || without->block != from.block || place(*without) < place(from) ||
           place(*without) > place(to);
  if (without && ((without->block == to.block && place(*without) < place(to)) ||
                  (without->block == from.block && place(*without) > place(from))))
    return false;
  std::vector<int32_t> work(draft.blocks[to.block->id].preds);
  std::vector<bool> seen(draft.blocks.size(), false);
  while (!work.empty()) {
    const int32_t id = work.back();
    work.pop_back();
    if (static_cast<uint32_t>(id) == from.block->id)
      return true;
    if (seen[id] || (without && without->block->id == static_cast<uint32_t>(id)))
      continue;
    seen[id] = true;
    work.insert(work.end(), draft.blocks[id].preds.begin(), draft.blocks[id].preds.end());
  }
  return false;
}

} // namespace numjit::ssa
