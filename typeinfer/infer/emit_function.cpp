// From final facts to typed IR: the rules run once more, now appending code.
#include "runtime/runtime.h"
#include "typeinfer/infer/engine.h"
#include "typeinfer/infer/unify.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <deque>
#include <mutex>
#include <set>

namespace numjit {

namespace {

class FunctionEmission : public SsaRules {
public:
  FunctionEmission(Engine &engine, Specialization &spec)
      : FunctionEmission(engine, spec, *spec.code) {}

  virtual void run() {
    const ssa::Function &source = *spec.source;
    operands_.resize(source.values.size());
    first_.assign(source.blocks.size(), nullptr);
    last_.assign(source.blocks.size(), nullptr);
    for (const ssa::Block &block : source.blocks)
      if (spec.reachable[block.id])
        first_[block.id] = function_.new_block();
    for (const ssa::Block &block : source.blocks)
      if (spec.reachable[block.id])
        emit(block);
    for (auto &[phi, code] : phis_)
      finish_phi(*phi, *code);
    if (!spec.resume)
      prune();
  }

protected:
  FunctionEmission(Engine &engine, Specialization &spec, tir::Function &function)
      : SsaRules(emitter_, spec), emitter_(engine, spec.def, spec.options), function_(function) {
    emitter_.function = &function_;
  }

  /// A value has been computed.
  virtual void define(const ssa::Value &value, const Operand &operand) {
    operands_[value.id] = operand;
  }

  virtual void give_back(const ssa::Value &end) {
    Operand value = use(*end.operands[0]);
    if (function_.result->kind != Kind::Lazy) // the library gives expressions as they are
      value = e.convert(force(e, value), function_.result);
    tir::Value *code = e.code(value);
    e.append(tir::Op::Return, types::none(), {code});
  }

  Operand yield(const ssa::Value &) override {
    throw InternalError("a function that is no generator yields");
  }

  Operand operand_of(const ssa::Value &value) override {
    const Operand &operand = operands_[value.id];
    if (!operand.type)
      throw InternalError("SSA value %" + std::to_string(value.id) + " of " + spec.def->name() +
                          " is used before it is compiled");
    return operand;
  }

  const Type *container_type(const ssa::Value &made) override { return spec.facts[made.id].type; }
  const Type *arguments_type(const ssa::Value &attribute) override {
    const Type *type = spec.facts[attribute.id].type;
    if (attribute.name == "args")
      return type;
    return types::tuple(type->kind == Kind::None ? std::vector<const Type *>{}
                                                 : std::vector<const Type *>{type});
  }

  const Type *caught_attribute_type(const ssa::Value &attribute) override {
    const Type *type = spec.facts[attribute.id].type;
    return type->kind == Kind::Method ? nullptr : type;
  }

  void emit(const ssa::Block &block) {
    e.block = first_[block.id];
    e.handler = block.guarded ? first_[block.succs.back()->id] : nullptr;
    enter_block();
    waiting_.clear();
    bool phis = true;
    for (const ssa::Value *value : block.values) {
      if (phis && value->op != ssa::Op::Phi) {
        phis = false;
        phis_made(block);
        for (const ssa::Value *phi : block.values) {
          if (phi->op != ssa::Op::Phi)
            break;
          show(phi->name, *phi);
        }
      }
      if (ssa::is_terminator(value->op)) {
        e.position = value->position;
        last_[block.id] = e.block;
        leave(block, *value);
        e.handler = nullptr;
      } else if (value->op == ssa::Op::Phi) {
        operands_[value->id] = make_phi(*value);
      } else if (value->op == ssa::Op::Param &&
                 spec.arguments[value->index].type->kind != Kind::Undefined) {
        e.position = value->position;
        define(*value, parameter(value->index));
        show(value->variable, *value);
      } else {
        compare_waiting_shapes(*value);
        if (const auto late = spec.late_errors.find(value); late != spec.late_errors.end()) {
          e.position = value->position;
          if (const Const *maker = late->second.maker)
            e.raise_exception(e.constant(maker), {});
          else
            e.raise_if(e.boolean(true), late->second.cls, late->second.message);
          return end(block);
        }
        Operand operand = evaluate(*value);
        if (operand.type->kind == Kind::Lazy && !spec.def->accepts_lazy)
          waiting_.push_back(value);
        if (operand.type != spec.facts[value->id].type)
          throw InternalError(
              "inference gave " +
              (spec.facts[value->id].type ? spec.facts[value->id].type->text : "nothing") +
              ", compilation " + operand.type->text + " for %" + std::to_string(value->id) +
              " of " + spec.def->name());
        define(*value, operand);
        if (value == spec.ends[block.id])
          return end(block);
        show(value->variable, *value);
      }
    }
  }

  /// What follows in a block never runs.
  void end(const ssa::Block &block) {
    e.append(tir::Op::Unreachable, types::none());
    last_[block.id] = e.block;
    e.handler = nullptr;
  }

  /// Debuggers show a value as a variable from here on.
  void show(const std::string &variable, const ssa::Value &value) {
    if (!spec.options.debug || variable.empty())
      return;
    const Operand operand = operand_of(value);
    // Of what may be unassigned, what was assigned is shown.
    if (operand.type->kind == Kind::Lazy || operand.type->kind == Kind::Maybe ||
        operand.type->kind == Kind::Union || layout_of(operand.type).leaves.empty())
      return;
    e.append(tir::Op::Bind, types::none(), {e.code(operand)})->name = variable;
  }

  /// Code for a block follows, or more of it at its end.
  virtual void enter_block() {}
  /// All phis of a block stand: code may follow.
  virtual void phis_made(const ssa::Block &) {}

private:
  /// Array expressions wait for their use. Where the operation, which stands between them and their
  /// use, may raise, that their shapes do not fit is to be raised before.
  void compare_waiting_shapes(const ssa::Value &operation) {
    std::erase_if(waiting_, [&](const ssa::Value *expression) {
      return std::ranges::find(operation.operands, expression) != operation.operands.end();
    });
    if (waiting_.empty() || !may_raise(operation))
      return;
    e.position = operation.position;
    for (const ssa::Value *expression : waiting_)
      lazy_shape(e, operand_of(*expression));
    waiting_.clear();
  }

  /// Asked of operations across which expressions may wait (find_lazy_values).
  bool may_raise(const ssa::Value &operation) {
    auto type = [&](const ssa::Value *operand) { return spec.facts[operand->id].type; };
    const std::span operands(operation.operands);
    switch (operation.op) {
    case ssa::Op::Operator:
      return operation.oper == Operator::MatMul ||
             ((spec.options.raise_overflow || operation.oper == Operator::TrueDiv ||
               operation.oper == Operator::FloorDiv || operation.oper == Operator::Mod) &&
              std::ranges::none_of(operands, is_arraylike, type));
    case ssa::Op::GetItem: // advanced indices are checked always
      return !type(operands[0])->is_array() || spec.options.boundscheck ||
             is_advanced(e, operand_of(*operands[1]));
    case ssa::Op::Call: // a class or a scalar function of NumPy; int("x") raises
      return !std::ranges::all_of(
          operands.subspan(1),
          [](const Type *type) { return type->is_scalar() || is_arraylike(type); }, type);
    default: return false;
    }
  }

  Operand make_phi(const ssa::Value &phi) {
    const Fact &fact = spec.facts[phi.id];
    if (!fact.type)
      return {types::undefined(), nullptr, nullptr, phi.position}; // never used by code that runs
    if (fact.constant || layout_of(fact.type).leaves.empty())
      return {fact.type, fact.constant, nullptr, phi.position};
    e.position = phi.position;
    tir::Value *code = e.append(tir::Op::Phi, fact.type);
    code->name = phi.name;
    phis_.emplace_back(&phi, code);
    return {fact.type, nullptr, code, phi.position};
  }

  /// Operands are converted at the end of their predecessors; values must be known there, so this
  /// comes last.
  void finish_phi(const ssa::Value &phi, tir::Value &code) {
    for (const tir::Block *pred : code.block->preds) {
      size_t index = 0;
      for (; index < phi.block->preds.size(); ++index)
        if (last_[phi.block->preds[index]->id] == pred)
          break;
      if (index == phi.block->preds.size())
        throw InternalError("phi of " + phi.name + " has no operand for a predecessor");
      tir::Block *block = const_cast<tir::Block *>(pred);
      tir::Value *end = block->values.back();
      block->values.pop_back();
      e.block = block;
      e.position = phi.position;
      enter_block();
      tir::Value *value = e.code(e.convert(operand_of(*phi.operands[index]), code.type));
      block = e.block;
      block->values.push_back(end);
      code.operands.push_back(value);
    }
  }

  void leave(const ssa::Block &block, const ssa::Value &end) {
    switch (end.op) {
    case ssa::Op::Jump: e.jump(first_[block.succs[0]->id]); break;
    case ssa::Op::Branch: {
      Operand condition = operand_of(*end.operands[0]);
      if (condition.constant)
        e.jump(first_[block.succs[condition.constant->integer ? 0 : 1]->id]);
      else if (block.succs[0] == block.succs[1])
        e.jump(first_[block.succs[0]->id]);
      else
        e.branch(e.code(condition), first_[block.succs[0]->id], first_[block.succs[1]->id]);
      break;
    }
    case ssa::Op::Return: give_back(end); break;
    case ssa::Op::Raise: rule_raise(e, raise_operands(end)); break;
    default: e.append(tir::Op::Unreachable, types::none());
    }
    if (!e.terminated()) // what follows a raise
      e.append(tir::Op::Unreachable, types::none());
  }

  Emitter emitter_;

protected:
  tir::Block *first_block() const { return first_[0]; }

  /// Removes blocks that nothing leads to (code behind a raise, arms of checks that always fail).
  void prune() {
    std::set<tir::Block *> seen;
    std::vector<tir::Block *> stack{function_.blocks[0]};
    while (!stack.empty()) {
      tir::Block *block = stack.back();
      stack.pop_back();
      if (!seen.insert(block).second)
        continue;
      for (tir::Block *next : block->succs)
        stack.push_back(next);
    }
    for (tir::Block *block : function_.blocks) {
      if (!seen.count(block))
        continue;
      for (size_t i = block->preds.size(); i-- > 0;) {
        if (seen.count(block->preds[i]))
          continue;
        block->preds.erase(block->preds.begin() + i);
        for (tir::Value *value : block->values)
          if (value->op == tir::Op::Phi)
            value->operands.erase(value->operands.begin() + i);
      }
    }
    std::erase_if(function_.blocks, [&](tir::Block *block) { return !seen.count(block); });
    for (tir::Block *block : function_.blocks) // blocks that end a check that always fails
      if (block->values.empty() ||
          tir::op_row(block->values.back()->op).effect != tir::Effect::Terminator) {
        e.block = block;
        e.append(tir::Op::Unreachable, types::none());
      }
  }

  tir::Function &function_;
  std::vector<Operand> operands_;
  /// Array expressions of the block whose use comes later, their shapes not yet compared.
  std::vector<const ssa::Value *> waiting_;

private:
  std::vector<tir::Block *> first_, last_; ///< of each SSA block
  std::vector<std::pair<const ssa::Value *, tir::Value *>> phis_;
};

/// What the runtime must know of frames of a size and with owners at places. Kept for the life of
/// the process.
const nj_item *frame_descriptor(const std::vector<uint32_t> &owners, uint32_t size) {
  struct Row {
    nj_item item;
    std::vector<uint32_t> owners;
  };
  static std::mutex mutex;
  static std::deque<Row> rows;
  std::lock_guard lock(mutex);
  Row &row = rows.emplace_back();
  row.owners = owners;
  row.item = {size, static_cast<int32_t>(owners.size()), row.owners.data()};
  return &row.item;
}

/// A generator is a function `next(generator) -> (whether there is an item, the item)` over a frame
/// on the heap (nj_frame). The frame holds the arguments and the values that are alive while the
/// generator waits; its state says behind which yield to go on.
class GeneratorEmission : public FunctionEmission {
public:
  GeneratorEmission(Engine &engine, Specialization &spec, bool throws)
      : FunctionEmission(engine, spec, throws ? *spec.thrower : *spec.resume), engine_(engine),
        throws_(throws), waits_(find_values_across_yields(*spec.source)),
        slots_(spec.source->values.size(), -1) {}

  void run() override {
    e.block = entry_ = function_.new_block();
    tir::Value *generator = e.append(tir::Op::Param, function_.params[0]);
    Operand self{generator->type, nullptr, generator, {}};
    if (function_.params.size() > 1) {
      tir::Value *given = e.append(tir::Op::Param, function_.params[1]);
      given->index = 1;
      given_ = {given->type, nullptr, given, {}};
    }
    frame_ = e.owner_data(e.field(self, 0), types::int64());
    Operand state = e.load(frame_, tir::Alias::Frame);
    e.store(frame_, e.i64(kFinished), tir::Alias::Frame); // unless it gets to a yield
    for (const Fact &fact : spec.arguments)
      argument_slots_.push_back(new_slot(fact.type));
    FunctionEmission::run();
    enter(state);
    prune();
    if (!throws_)
      make_frame();
  }

protected:
  void enter_block() override { fresh_.clear(); }

  Operand operand_of(const ssa::Value &value) override {
    Operand operand = FunctionEmission::operand_of(value);
    if (slots_[value.id] < 0 || fresh_.contains(&value))
      return operand;
    // Once per block and between two yields; what uses it is in the same block.
    Operand loaded = e.load(place(slots_[value.id], operand.type), tir::Alias::Frame);
    loaded.position = operand.position;
    operands_[value.id] = loaded;
    fresh_.insert(&value);
    return loaded;
  }

  void define(const ssa::Value &value, const Operand &operand) override {
    operands_[value.id] = operand;
    if (operand.constant && waits_[value.id]) // made anew where it is used: it may be computed, too
      operands_[value.id].value = nullptr;
    if (operand.constant || !waits_[value.id] || layout_of(operand.type).leaves.empty())
      return;
    if (value.op == ssa::Op::Param) { // lies in the frame already
      slots_[value.id] = argument_slots_[value.index];
      fresh_.insert(&value);
      return;
    }
    if (slots_[value.id] < 0)
      slots_[value.id] = new_slot(operand.type);
    put(slots_[value.id], operand);
    fresh_.insert(&value);
  }

  void phis_made(const ssa::Block &block) override {
    for (const ssa::Value *value : block.values)
      if (value->op == ssa::Op::Phi)
        define(*value, operands_[value->id]);
  }

  Operand parameter(int index) override {
    const Fact &fact = spec.arguments[index];
    if (fact.constant || layout_of(fact.type).leaves.empty())
      return {fact.type, fact.constant, nullptr, e.position};
    // Parameters are read in the entry, and wait like other values if they have to.
    return e.load(place(argument_slots_[index], fact.type), tir::Alias::Frame);
  }

  Operand yield(const ssa::Value &value) override {
    Operand item = e.convert(force(e, use(*value.operands[0])), function_.result->params[1]);
    resume_points_.push_back(e.new_block());
    e.store(frame_, e.i64(static_cast<int64_t>(resume_points_.size())), tir::Alias::Frame);
    give(e.boolean(true), item);
    e.block = resume_points_.back();
    fresh_.clear();
    const Type *sent = spec.facts[value.id].type;
    if (throws_)
      e.raise_exception(given_, {});
    if (sent->kind == Kind::None)
      return e.none();
    return throws_ ? e.undef(sent) : given_;
  }

  void give_back(const ssa::Value &end) override {
    Operand returned;
    if (function_.result->params.size() > 2)
      returned = e.convert(force(e, use(*end.operands[0])), function_.result->params[3]);
    give(e.boolean(false), e.undef(function_.result->params[1]), returned);
  }

private:
  static constexpr int64_t kFinished = -1;

  /// `returned` is there only where the generator has just returned it.
  void give(const Operand &valid, const Operand &item, const Operand &returned = {}) {
    Operands parts{valid, item};
    if (const std::vector<const Type *> &types = function_.result->params; types.size() > 2) {
      parts.push_back(e.boolean(static_cast<bool>(returned)));
      parts.push_back(returned ? returned : e.undef(types[3]));
    }
    tir::Value *code = e.code(e.make(function_.result, parts));
    e.append(tir::Op::Return, types::none(), {code});
  }

  int32_t new_slot(const Type *type) {
    const TypeLayout &layout = layout_of(type);
    const uint32_t align = std::max(layout.align, 1u);
    size_ = (size_ + align - 1) / align * align;
    const uint32_t slot = size_;
    for (const LeafInfo &leaf : layout.leaves)
      if (leaf.owner)
        owners_.push_back(slot + leaf.offset);
    size_ += layout.size;
    return static_cast<int32_t>(slot);
  }

  Operand place(int32_t slot, const Type *type) { return e.ptr_add(frame_, e.i64(slot), type); }

  void put(int32_t slot, const Operand &operand) {
    Operand pointer = place(slot, operand.type);
    if (operand.type->counted)
      e.load(pointer, tir::Alias::Frame, true);   // gives up what was there
    e.store(pointer, operand, tir::Alias::Frame); // no exchange: one thread runs a generator
  }

  /// Goes on where the generator stopped. One that has not begun, or has ended, catches nothing.
  void enter(const Operand &state) {
    e.block = entry_;
    for (size_t i = throws_; i <= resume_points_.size(); ++i) {
      tir::Block *next = e.new_block();
      tir::Block *to = i == 0 ? begin() : resume_points_[i - 1];
      e.branch(e.code(e.op(Operator::Eq, state, e.i64(static_cast<int64_t>(i)))), to, next);
      e.block = next;
    }
    if (throws_)
      return e.raise_exception(given_, {});
    give(e.boolean(false), e.undef(function_.result->params[1]));
  }

  /// Where one that has not begun goes on. Nothing waits there for what is sent.
  tir::Block *begin() {
    if (!given_)
      return first_block();
    tir::Block *const entry = std::exchange(e.block, e.new_block());
    tir::Block *const begin = e.block, *const refuse = e.new_block();
    e.branch(e.code(e.field(given_, 0)), refuse, first_block());
    e.block = refuse;
    e.store(frame_, e.i64(0), tir::Alias::Frame);
    e.raise("TypeError", "can't send non-None value to a just-started generator");
    e.block = entry;
    return begin;
  }

  /// The function that Python's call of the generator function becomes.
  void make_frame() {
    tir::Function &code = *spec.code;
    Emitter maker(engine_, spec.def, spec.options);
    maker.function = &code;
    maker.block = code.new_block();
    std::array<Operand, 2> what{maker.i64(size_),
                                maker.address(frame_descriptor(owners_, size_), types::int64())};
    std::vector<tir::Value *> arguments(code.params.size());
    for (size_t i = 0; i < code.params.size(); ++i)
      if (!layout_of(code.params[i]).leaves.empty()) {
        arguments[i] = maker.append(tir::Op::Param, code.params[i]);
        arguments[i]->index = static_cast<int32_t>(i);
      }
    Operand owner = maker.runtime(tir::RuntimeOp::FrameNew, types::owner(), what);
    Operand frame = maker.owner_data(owner, types::int64());
    for (size_t i = 0; i < arguments.size(); ++i)
      if (arguments[i])
        maker.store(maker.ptr_add(frame, maker.i64(argument_slots_[i]), code.params[i]),
                    {code.params[i], nullptr, arguments[i], {}}, tir::Alias::Frame);
    if (engine_.gives_generators) {
      auto tell = [&](size_t offset, tir::Function &callee) {
        const Type *pointer = types::pointer(types::none());
        tir::Value *address = maker.append(tir::Op::FunctionAddress, pointer);
        address->callee = &callee;
        address->index = 1;
        maker.store(maker.ptr_add(frame, maker.i64(static_cast<int64_t>(offset)), pointer),
                    {pointer, nullptr, address, {}}, tir::Alias::Frame);
      };
      tell(offsetof(nj_frame, next), function_);
      if (std::ranges::any_of(spec.source->blocks, &ssa::Block::guarded))
        tell(offsetof(nj_frame, throw_in), *engine_.thrower_of(spec));
    }
    tir::Value *made = maker.code(maker.make(code.result, {owner}));
    maker.append(tir::Op::Return, types::none(), {made});
  }

  Engine &engine_;
  const bool throws_;
  Operand given_;              ///< what is sent or thrown, if anything may be
  std::vector<bool> waits_;    ///< by SSA value: alive while the generator waits
  std::vector<int32_t> slots_; ///< by SSA value: its place in the frame, -1: none
  std::vector<int32_t> argument_slots_;
  std::set<const ssa::Value *> fresh_; ///< loaded or computed since the last yield in this block
  std::vector<tir::Block *> resume_points_;
  std::vector<uint32_t> owners_;
  uint32_t size_ = sizeof(nj_frame);
  tir::Block *entry_ = nullptr;
  Operand frame_;
};

} // namespace

void emit_function(Engine &engine, Specialization &spec) {
  if (spec.def->code.is_generator())
    GeneratorEmission(engine, spec, false).run();
  else
    FunctionEmission(engine, spec).run();
}

void emit_thrower(Engine &engine, Specialization &spec) {
  GeneratorEmission(engine, spec, true).run();
}

} // namespace numjit
