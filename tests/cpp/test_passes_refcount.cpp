// The refcount pass on random programs, whose counts a small interpreter checks. Given ones are in
// tests/stage/passes/refcount.tir.
#include "tests/cpp/pass_test.h"
#include "typeinfer/passes/edit.h"

#include <algorithm>
#include <map>
#include <random>
#include <set>

using namespace numjit;
using namespace numjit::tir;

namespace {

std::string counted(const std::string &text) {
  return run_on(text, {passes::effects, passes::refcount});
}

TEST(RefCount, RefusesPhisOfPointersIntoCountedMemory) {
  const char *text = R"(function @f(n: int64, c: bool) -> int64 {
b0:
  %0: int64 = param.0
  %1: bool = param.1
  %2: owner = alloc %0
  %3: int64* = owner_data %2
  branch %1, b1, b2
b1: from b0
  jump b3
b2: from b0
  jump b3
b3: from b1, b2
  %4: int64* = phi [b1: %3, b2: %3]
  %5: int64 = load %4
  return %5
}
)";
  EXPECT_THROW(counted(text), InternalError);
}

// --- random programs ---

const Type *item() { return types::array(types::float64(), 1, Layout::C); }
const Type *pair() { return types::uniform_tuple(item(), 2); }

/// A function with random control flow over variables that hold arrays and pairs of arrays. Every
/// block but the entry has a phi for every variable; unreachable blocks are left out.
class Generator {
public:
  explicit Generator(uint32_t seed) : random_(seed) {
    module.functions.push_back(std::make_unique<Function>());
    module.functions.push_back(std::make_unique<Function>());
    callee_ = module.functions[1].get();
    callee_->name = "g";
    callee_->params = {item()};
    callee_->result = pair();
    Block *block = callee_->new_block();
    append(*block, callee_->new_value(Op::Reraise, types::none(), {})); // so that it may raise
    f_ = module.functions[0].get();
    f_->name = "f";
    f_->params = {item(), types::pointer(item()), types::boolean(), types::int64()};
    f_->result = pick(2) ? item() : pair();
    alias_ = pick(3) ? Alias::Fields : Alias::Any; // of fields, loads may borrow
  }

  Module module;

  void generate() {
    const size_t count = 2 + pick(8);
    std::vector<std::vector<size_t>> succs(count);
    for (size_t i = 0; i < count; ++i)
      for (size_t wanted = pick(8) < 6 ? 1 + pick(2) : 0; wanted && succs[i].size() < wanted;) {
        size_t to = 1 + pick(static_cast<uint32_t>(count) - 1);
        if (std::find(succs[i].begin(), succs[i].end(), to) == succs[i].end())
          succs[i].push_back(to);
        else if (count == 2)
          break;
      }
    std::set<size_t> reachable = {0};
    for (std::vector<size_t> work = {0}; !work.empty();) {
      size_t block = work.back();
      work.pop_back();
      for (size_t to : succs[block])
        if (reachable.insert(to).second)
          work.push_back(to);
    }
    std::map<size_t, Block *> blocks;
    for (size_t i : reachable)
      blocks[i] = f_->new_block();
    for (size_t i : reachable)
      for (size_t to : succs[i]) {
        blocks[i]->succs.push_back(blocks[to]);
        blocks[to]->preds.push_back(blocks[i]);
      }
    for (auto [i, block] : blocks)
      fill(*block);
    for (auto [i, block] : blocks)
      for (Value *phi : block->values)
        if (phi->op == Op::Phi)
          for (Block *pred : block->preds)
            phi->operands.push_back(at_end_[pred][static_cast<size_t>(phi->index)]);
    for (auto [i, block] : blocks)
      for (Value *phi : block->values)
        if (phi->op == Op::Phi)
          phi->index = 0;
  }

private:
  static constexpr size_t items = 3, pairs = 2; ///< how many variables of each type

  uint32_t pick(uint32_t below) { return random_() % below; }
  Value *add(Op op, const Type *type, std::vector<Value *> operands = {}, int32_t index = 0) {
    Value *value = append(*block_, f_->new_value(op, type, {}));
    value->operands = std::move(operands);
    value->index = index;
    return value;
  }
  Value *&any_item() { return variables_[pick(items)]; }
  Value *&any_pair() { return variables_[items + pick(pairs)]; }

  Value *make_array(Value *data, Value *owner) {
    return add(Op::Struct, item(),
               {data, owner, add(Op::Struct, types::uniform_tuple(types::int64(), 1), {size_})});
  }

  void fill(Block &block) {
    block_ = &block;
    variables_.assign(items + pairs, nullptr);
    if (block.preds.empty()) {
      array_ = add(Op::Param, item(), {}, 0);
      memory_ = add(Op::Param, types::pointer(item()), {}, 1);
      condition_ = add(Op::Param, types::boolean(), {}, 2);
      size_ = add(Op::Param, types::int64(), {}, 3);
      Value *null = make_array(add(Op::Const, types::pointer(types::float64())),
                               add(Op::Const, types::owner()));
      for (size_t i = 0; i < items; ++i)
        variables_[i] = pick(2) ? null : array_;
      for (size_t i = 0; i < pairs; ++i)
        variables_[items + i] = add(Op::Struct, pair(), {array_, null});
    } else {
      for (size_t i = 0; i < items + pairs; ++i)
        variables_[i] = add(Op::Phi, i < items ? item() : pair(), {}, static_cast<int32_t>(i));
    }
    for (uint32_t count = pick(7); count > 0; --count)
      operation();
    at_end_[&block] = variables_;
    if (block.succs.size() == 2)
      add(Op::Branch, types::none(), {condition_});
    else if (block.succs.size() == 1)
      add(Op::Jump, types::none());
    else if (pick(4) == 0)
      raise();
    else
      add(Op::Return, types::none(), {f_->result == item() ? any_item() : any_pair()});
  }

  void raise() {
    if (pick(2)) {
      add(Op::Reraise, types::none());
      return;
    }
    RaiseSite &site = module.sites.emplace_back();
    site.builtin = "ValueError";
    std::vector<Value *> arguments;
    for (uint32_t count = pick(3); count > 0; --count)
      arguments.push_back(any_item());
    add(Op::Raise, types::none(), arguments)->site = &site;
  }

  void operation() {
    const Type *data = types::pointer(types::float64());
    switch (pick(12)) {
    default: { // 0 and 1
      Value *owner = add(Op::Alloc, types::owner(), {size_});
      any_item() = make_array(add(Op::OwnerData, data, {owner}), owner);
      return;
    }
    case 2: { // a view
      Value *from = any_item();
      Value *start = add(Op::PtrAdd, data, {add(Op::Field, data, {from}, 0), size_});
      any_item() = make_array(start, add(Op::Field, types::owner(), {from}, 1));
      return;
    }
    case 3: any_pair() = add(Op::Struct, pair(), {any_item(), any_item()}); return;
    case 4:
      any_item() = add(Op::Field, item(), {any_pair()}, static_cast<int32_t>(pick(2)));
      return;
    case 5: any_item() = add(Op::FieldAt, item(), {any_pair(), size_}); return;
    case 6: any_item() = add(Op::Select, item(), {condition_, any_item(), any_item()}); return;
    case 7:
      any_pair() = add(Op::Call, pair(), {any_item()}), block_->values.back()->callee = callee_;
      return;
    case 8: (any_item() = add(Op::Load, item(), {memory_}))->alias = alias_; return;
    case 9:
      if (pick(2)) {
        Value *old = add(Op::Exchange, item(), {memory_, any_item()});
        old->alias = alias_;
        if (pick(2))
          any_item() = old;
        return;
      }
      add(Op::Load, item(), {memory_}, 2)->alias = alias_;
      add(Op::Store, types::none(), {memory_, any_item()})->alias = alias_;
      return;
    case 10: add(Op::Poll, types::none()); return;
    case 11: add(Op::Load, types::float64(), {add(Op::Field, data, {any_item()}, 0)}); return;
    }
  }

  std::mt19937 random_;
  Alias alias_ = Alias::Any;
  Function *f_ = nullptr, *callee_ = nullptr;
  Block *block_ = nullptr;
  Value *array_ = nullptr, *memory_ = nullptr, *condition_ = nullptr, *size_ = nullptr;
  std::vector<Value *> variables_;
  std::map<Block *, std::vector<Value *>> at_end_;
};

/// Runs a function along a random path and counts references. Complains about uses of freed
/// objects, counts below zero and counts that are left.
class Interpreter {
public:
  Interpreter(const Function &function, uint32_t seed) : function_(function), random_(seed) {}

  std::string run() {
    const int parameter = new_object();
    memory_ = {new_object()};
    const int in_memory = memory_[0];
    ++counts_[static_cast<size_t>(in_memory)]; // somebody else holds it too
    std::vector<int> expected;
    values_.resize(function_.values.size());
    for (const Block *block = function_.blocks[0], *from = nullptr; block;) {
      const Block *next = step(*block, from, parameter);
      from = block;
      block = next;
      if (++steps_ > 60)
        return problem_; // an endless path
    }
    --counts_[static_cast<size_t>(parameter)];
    --counts_[static_cast<size_t>(in_memory)];
    for (int object : memory_)
      release(object);
    for (size_t object = 0; object < counts_.size(); ++object)
      if (counts_[object] != 0)
        complain("object " + std::to_string(object) + " is left with count " +
                 std::to_string(counts_[object]));
    return problem_;
  }

private:
  struct Slots {
    std::vector<int> owners; ///< object or -1 for each Owner
    std::set<int> points_to; ///< objects whose memory the pointers in it refer to
  };

  int new_object() {
    counts_.push_back(1);
    return static_cast<int>(counts_.size() - 1);
  }
  void complain(const std::string &what) {
    if (problem_.empty())
      problem_ = what + (at_ ? " at " + print(*at_) : "");
  }
  void release(int object) {
    if (object >= 0 && --counts_[static_cast<size_t>(object)] < 0)
      complain("count below zero");
  }
  void release(const Slots &slots) {
    for (int object : slots.owners)
      release(object);
  }
  void check_alive(const Slots &slots) {
    for (int object : slots.owners)
      if (object >= 0 && counts_[static_cast<size_t>(object)] <= 0)
        complain("use of a freed object");
    for (int object : slots.points_to)
      if (counts_[static_cast<size_t>(object)] <= 0)
        complain("use of freed memory");
  }

  /// Runs a block; nullptr when the function is left.
  const Block *step(const Block &block, const Block *from, int parameter) {
    std::vector<std::pair<const Value *, Slots>> phis;
    for (const Value *value : block.values)
      if (value->op == Op::Phi)
        phis.emplace_back(value, values_[value->operands[pred_index(block, from)]->id]);
    for (auto &[phi, slots] : phis)
      values_[phi->id] = slots;
    for (const Value *value : block.values) {
      at_ = value;
      if (value->op == Op::Phi)
        continue;
      for (const Value *operand : value->operands)
        check_alive(values_[operand->id]);
      if (can_raise(*value) && random_() % 8 == 0) {
        for (const Value *released : value->cleanup)
          release(values_[released->id]);
        return nullptr;
      }
      values_[value->id] = evaluate(*value, parameter);
      if (is_terminator(value->op))
        break;
    }
    return block.succs.empty() ? nullptr : block.succs[random_() % block.succs.size()];
  }

  Slots evaluate(const Value &value, int parameter) {
    Slots result;
    auto operand = [&](size_t i) -> const Slots & { return values_[value.operands[i]->id]; };
    switch (value.op) {
    case Op::Param:
      if (value.index == 0)
        result = {{parameter}, {parameter}};
      return result;
    case Op::Const:
      if (value.type->kind == Kind::Owner)
        result.owners = {-1};
      return result;
    case Op::Alloc: result.owners = {new_object()}; return result;
    case Op::Call: {
      int a = new_object(), b = new_object();
      return {{a, b}, {a, b}};
    }
    case Op::OwnerData: result.points_to = {operand(0).owners[0]}; return result;
    case Op::PtrAdd: return operand(0);
    case Op::Select: return operand(1 + random_() % 2);
    case Op::Struct:
      for (const Value *part : value.operands) {
        const Slots &slots = values_[part->id];
        result.owners.insert(result.owners.end(), slots.owners.begin(), slots.owners.end());
        result.points_to.insert(slots.points_to.begin(), slots.points_to.end());
      }
      return result;
    case Op::Field: {
      const Type *whole = value.operands[0]->type;
      size_t first = 0, count = owner_count(value.type);
      for (int i = 0; i < value.index; ++i)
        first += owner_count(whole->fields[static_cast<size_t>(i)]);
      const Slots &from = operand(0);
      result.owners.assign(from.owners.begin() + static_cast<ptrdiff_t>(first),
                           from.owners.begin() + static_cast<ptrdiff_t>(first + count));
      if (whole == pair()) // the pointer of an array leads to its owner's memory
        result.points_to = known(result.owners);
      else if (value.type->kind == Kind::Pointer)
        result.points_to = from.points_to;
      return result;
    }
    case Op::FieldAt: {
      int object = operand(0).owners[random_() % 2];
      return {{object}, known({object})};
    }
    case Op::Load:
      if (!value.type->counted)
        return result;
      result = {memory_, known(memory_)};
      if (value.index == 2)
        memory_ = {};
      return result;
    case Op::Exchange:
      result = {memory_, known(memory_)};
      memory_ = operand(1).owners;
      return result;
    case Op::Store:
      if (!memory_.empty())
        complain("a count in memory is overwritten");
      memory_ = operand(1).owners;
      return result;
    case Op::Retain:
      for (int object : operand(0).owners)
        if (object >= 0)
          ++counts_[static_cast<size_t>(object)];
      return result;
    case Op::Release: release(operand(0)); return result;
    case Op::Poll: // a signal's handler may write the field
      if (random_() % 2) {
        for (int object : memory_)
          release(object);
        memory_ = {new_object()};
      }
      return result;
    case Op::Return:
    case Op::Raise:
      for (const Value *given : value.operands)
        release(values_[given->id]);
      return result;
    default: return result;
    }
  }

  static std::set<int> known(const std::vector<int> &owners) {
    std::set<int> objects(owners.begin(), owners.end());
    objects.erase(-1);
    return objects;
  }

  const Function &function_;
  std::mt19937 random_;
  std::vector<int> counts_, memory_;
  std::vector<Slots> values_;
  const Value *at_ = nullptr;
  std::string problem_;
  int steps_ = 0;
};

TEST(RefCount, BalancesOnRandomPrograms) {
  for (uint32_t seed = 0; seed < 1000; ++seed) {
    Generator generator(seed);
    generator.generate();
    const Function &function = *generator.module.functions[0];
    ASSERT_EQ(verify(function), "") << print(function);
    std::string before = print(function);
    if (seed % 2)
      passes::cleanup(generator.module, {});
    passes::effects(generator.module, {});
    passes::refcount(generator.module, {});
    ASSERT_EQ(verify(function), "") << before << print(function);
    for (uint32_t path = 0; path < 20; ++path)
      ASSERT_EQ(Interpreter(function, path).run(), "")
          << "seed " << seed << ", path " << path << "\n"
          << before << print(function);
  }
}

} // namespace
