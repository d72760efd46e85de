// Inner functions get the values their free variables have when the function is made; Python gives
// them the variables themselves. The two agree unless a variable changes between the making of the
// function and a use of it. Such places are refused:
//
//     x = 1
//     f = lambda: x
//     x = 2          <- Unsupported here, if f is used afterwards
//     f()
//
// A function that refers to itself is the useful exception: `def f(n): ... f(n - 1)` captures f
// before it has a value, and then stores it. Its operand becomes Undef, which stands for "the
// function itself".
#include "frontend/ssa_draft.h"

#include <algorithm>
#include <unordered_set>

namespace numjit::ssa {

namespace {

struct Place {
  uint32_t block;
  size_t index;
};

class Checker {
public:
  explicit Checker(Draft &draft) : draft_(draft) {}

  void run() {
    for (const Capture &capture : draft_.captures)
      if (is_placed(capture.function))
        check(capture);
    for (auto &[value, text] : refused_) {
      Value *unsupported = draft_.make(Op::Unsupported, value->position);
      unsupported->name = text;
      insert_before(value, unsupported);
    }
  }

private:
  bool is_placed(const Value *value) const {
    if (!value->block || draft_.blocks[value->block->id].dropped)
      return false;
    const std::vector<Value *> &values = value->block->values;
    return std::find(values.begin(), values.end(), value) != values.end();
  }

  static Place place(const Value *value) {
    const std::vector<Value *> &values = value->block->values;
    auto found = std::find(values.begin(), values.end(), value);
    return {value->block->id, static_cast<size_t>(found - values.begin())};
  }

  static void insert_before(Value *value, Value *inserted) {
    std::vector<Value *> &values = value->block->values;
    inserted->block = value->block;
    values.insert(std::find(values.begin(), values.end(), value), inserted);
  }

  void check(const Capture &capture) {
    Value *function = capture.function;
    size_t first = function->operands.size() - capture.slots.size();
    for (size_t i = 0; i < capture.slots.size(); ++i) {
      int32_t slot = capture.slots[i];
      if (slot < 0 || draft_.bytecode.is_free(slot))
        continue;
      std::vector<const CellStore *> stores;
      for (const CellStore &store : draft_.cell_stores)
        if (store.slot == slot && is_placed(store.marker))
          stores.push_back(&store);
      const std::string &variable = draft_.bytecode.variables[slot];
      const std::string &name = function->constant->object->function->code.name;
      bool stores_itself =
          !stores.empty() && std::all_of(stores.begin(), stores.end(), [&](const CellStore *s) {
            return s->value && Draft::resolve(s->value) == function;
          });
      Value *&operand = function->operands[first + i];
      if (stores_itself) {
        Value *itself = draft_.make(Op::Undef, function->position);
        itself->name = variable;
        insert_before(function, itself);
        operand = itself;
        continue;
      }
      if (Draft::resolve(operand)->op == Op::Undef) {
        refused_.push_back({function, "variable '" + variable +
                                          "' has no value yet where inner function '" + name +
                                          "' captures it"});
        continue;
      }
      for (const CellStore *store : stores)
        if (reaches(place(function), place(store->marker), nullptr) &&
            used_after(function, store->marker))
          refused_.push_back({store->marker, "variable '" + variable +
                                                 "' changes after inner function '" + name +
                                                 "' captured it; pass it as an argument instead"});
    }
  }

  /// Whether control can get from behind `from` to `to` without passing `wall`.
  bool reaches(Place from, Place to, const Place *wall) const {
    auto blocked = [&](uint32_t block, size_t begin, size_t end) {
      return wall && wall->block == block && wall->index >= begin && wall->index < end;
    };
    constexpr size_t end_of_block = ~size_t(0);
    if (from.block == to.block && to.index > from.index &&
        !blocked(from.block, from.index + 1, to.index))
      return true;
    std::vector<bool> seen(draft_.blocks.size(), false);
    std::vector<uint32_t> stack;
    auto expand = [&](uint32_t block, size_t begin) {
      if (blocked(block, begin, end_of_block))
        return;
      for (int32_t succ : draft_.blocks[block].succs)
        if (!seen[succ]) {
          seen[succ] = true;
          stack.push_back(static_cast<uint32_t>(succ));
        }
    };
    expand(from.block, from.index + 1);
    while (!stack.empty()) {
      uint32_t block = stack.back();
      stack.pop_back();
      if (block == to.block && !blocked(block, 0, to.index))
        return true;
      expand(block, 0);
    }
    return false;
  }

  /// Whether `function`, or something that may hold it, is used after `store` without having been
  /// made again. Calling it holds nothing; what else is done with it is followed.
  bool used_after(Value *function, const Value *store) const {
    std::unordered_set<const Value *> holders = {function};
    Place store_place = place(store), wall = place(function);
    for (size_t before = 0; before != holders.size();) {
      before = holders.size();
      for (int32_t id : draft_.order)
        for (const Value *value : draft_.blocks[id].block.values)
          if (holds_operand(*value, holders) && !is_only_called(*value, holders))
            holders.insert(value);
      for (const Value *phi : draft_.phis)
        if (phi->block && holds_operand(*phi, holders))
          holders.insert(phi);
    }
    for (int32_t id : draft_.order)
      for (const Value *value : draft_.blocks[id].block.values) {
        if (value == function || !holds_operand(*value, holders))
          continue;
        if (escapes(value->op) || reaches(store_place, place(value), &wall))
          return true;
      }
    return false;
  }

  static bool holds_operand(const Value &value, const std::unordered_set<const Value *> &holders) {
    return std::any_of(value.operands.begin(), value.operands.end(),
                       [&](Value *operand) { return holders.count(Draft::resolve(operand)) > 0; });
  }

  bool is_only_called(const Value &call, const std::unordered_set<const Value *> &holders) const {
    if (call.op != Op::Call)
      return false;
    size_t callee = Draft::resolve(call.operands[0]) == &draft_.null ? 1 : 0;
    for (size_t i = 0; i < call.operands.size(); ++i)
      if (i != callee && holders.count(Draft::resolve(call.operands[i])))
        return false;
    return true;
  }

  /// Operations that put an operand where we can't follow it.
  static bool escapes(Op op) {
    return op == Op::SetAttr || op == Op::SetItem || op == Op::ListAppend || op == Op::ListExtend ||
           op == Op::SetAdd || op == Op::SetUpdate || op == Op::MapAdd || op == Op::MapUpdate;
  }

  Draft &draft_;
  std::vector<std::pair<Value *, std::string>> refused_;
};

} // namespace

void check_captures(Draft &draft) {
  if (!draft.captures.empty())
    Checker(draft).run();
}

} // namespace numjit::ssa
