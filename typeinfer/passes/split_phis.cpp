// A phi of a struct-like value becomes one phi per field. Iterators then fall into what changes (an
// index) and what doesn't (the object, the end), which loop passes, alias facts and counts profit
// from.
#include "typeinfer/ir/cfg.h"
#include "typeinfer/passes/edit.h"
#include "typeinfer/passes/simplify.h"

namespace numjit::passes {

using namespace tir;

/// Arrays and lists stay whole: their pointers must not be parted from the owner that keeps them
/// alive.
static bool may_split(const Type *type) {
  if (type->fields.empty() || type->is_array() || type->kind == Kind::List)
    return false;
  for (const Type *field : type->fields)
    if (field->kind == Kind::Pointer || field->kind == Kind::Owner)
      return false;
  return true;
}

namespace {

class PhiSplitter {
public:
  explicit PhiSplitter(Function &function) : function_(function) {}

  bool run() {
    bool changed = false;
    Cfg cfg(function_);
    for (Block *block : cfg.order()) {
      for (size_t count = phi_count(*block), i = 0; i < count; ++i)
        if (may_split(block->values[i]->type)) {
          split(*block, i);
          changed = true;
          --count, --i;
        }
    }
    return changed;
  }

private:
  /// The phi itself turns into the struct of the new phis, so that its uses stay as they are.
  void split(Block &block, size_t place) {
    Value &phi = *block.values[place];
    std::vector<Value *> parts;
    for (size_t i = 0; i < phi.type->fields.size(); ++i) {
      Value *part = make_value(function_, Op::Phi, phi.type->fields[i], {}, phi);
      part->block = &block;
      part->name = phi.name.empty() ? "" : phi.name + "." + std::to_string(i);
      parts.push_back(part);
    }
    for (size_t k = 0; k < phi.operands.size(); ++k)
      for (size_t i = 0; i < parts.size(); ++i)
        parts[i]->operands.push_back(
            phi.operands[k] == &phi ? parts[i] : field_of(phi.operands[k], i, *block.preds[k]));
    phi.op = Op::Struct;
    phi.operands = parts;
    phi.name.clear();
    // New phis go behind the others, in case they are to be split too; then the struct.
    block.values.erase(block.values.begin() + static_cast<ptrdiff_t>(place));
    auto behind = block.values.begin() + static_cast<ptrdiff_t>(phi_count(block));
    behind = block.values.insert(behind, &phi);
    block.values.insert(behind, parts.begin(), parts.end());
  }

  Value *field_of(Value *whole, size_t index, Block &pred) {
    if (whole->op == Op::Struct)
      return whole->operands[index];
    Value *value = make_value(function_, Op::Field, whole->type->fields[index], {whole}, *whole);
    value->index = static_cast<int32_t>(index);
    value->block = &pred;
    pred.values.insert(pred.values.end() - 1, value);
    return value;
  }

  Function &function_;
};

} // namespace

bool split_phis(Function &function) { return PhiSplitter(function).run(); }

} // namespace numjit::passes
