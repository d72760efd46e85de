#include "frontend/parallel_loops.h"

#include <algorithm>
#include <map>
#include <set>

namespace numjit::ssa {

namespace {

bool is_prange(const Value &call) {
  return call.op == Op::Call && call.operands[0]->op == Op::Const &&
         call.operands[0]->constant->object &&
         call.operands[0]->constant->object->name == "numjit.prange";
}

/// GetIter::star of loops that stay as they are.
constexpr int32_t kInOrder = -3;

/// The blocks of a loop: what comes back to its header, and what ends in an error. A way out of the
/// middle is a conflict.
void find_blocks(Function &function, const std::set<const Block *> &ahead, PrangeLoop &loop) {
  Block &header = *loop.header;
  const std::set<const Block *> behind = reach(header.succs[1], &header);
  std::set<const Block *> inside;
  for (std::vector<const Block *> stack(header.preds.begin(), header.preds.end());
       !stack.empty();) {
    const Block *block = stack.back();
    stack.pop_back();
    if (block == loop.entry || block == &header || !inside.insert(block).second)
      continue;
    stack.insert(stack.end(), block->preds.begin(), block->preds.end());
  }
  loop.blocks.push_back(&header);
  for (Block &block : function.blocks) {
    if (&block == &header || !ahead.contains(&block))
      continue;
    const Value &end = *block.terminator();
    if (!inside.contains(&block) && (behind.contains(&block) || end.op == Op::Return)) {
      const Block *leaves = *std::find_if(block.preds.begin(), block.preds.end(),
                                          [&](const Block *pred) { return ahead.contains(pred); });
      loop.conflict = {
          "break and return leave it early, when other iterations may have run already; use "
          "range",
          end.op == Op::Return ? end.position : leaves->terminator()->position};
      return;
    }
    loop.blocks.push_back(&block);
  }
}

/// The loop whose header a block is, if it is one over prange.
bool find_loop(Function &function, Block &header, PrangeLoop &loop, bool nested) {
  if (header.for_loop < 0 || header.succs.size() != 2)
    return false;
  loop = {};
  loop.header = &header;
  for (Value *value : header.values)
    if (value->op == Op::IterNext)
      loop.next = value;
  if (!loop.next || loop.next->operands[0]->op != Op::Phi)
    return false;
  loop.iterator_phi = loop.next->operands[0];
  if (loop.iterator_phi->block != &header)
    return false;
  const std::set<const Block *> ahead = reach(header.succs[0], &header);
  for (Block *pred : header.preds)
    if (!ahead.contains(pred)) {
      if (loop.entry)
        return false;
      loop.entry = pred;
    }
  if (!loop.entry)
    return false;
  const size_t way_in =
      std::find(header.preds.begin(), header.preds.end(), loop.entry) - header.preds.begin();
  loop.iterator = loop.iterator_phi->operands[way_in];
  if (loop.iterator->op != Op::GetIter || loop.iterator->star == kInOrder ||
      !is_prange(*loop.iterator->operands[0]))
    return false;
  loop.range = loop.iterator->operands[0];
  find_blocks(function, ahead, loop);
  if (loop.conflict.text.empty())
    analyse(function, loop, nested);
  return true;
}

/// A function that takes over blocks and values of another one.
class Copy {
public:
  explicit Copy(const FunctionDef *def) : function(std::make_shared<Function>()) {
    function->def = def;
  }

  Block *add_block() { return &function->blocks.emplace_back(); }
  Block *add_block(const Block &old) {
    Block *block = add_block();
    block->offset = old.offset;
    block->for_loop = old.for_loop;
    block->guarded = old.guarded;
    blocks_[&old] = block;
    return block;
  }
  Block *block_of(const Block *old) const {
    auto found = blocks_.find(old);
    return found == blocks_.end() ? nullptr : found->second;
  }

  Value *add(Block *block, Op op, Position position, std::vector<Value *> operands = {}) {
    Value *value = &function->values.emplace_back();
    value->op = op;
    value->position = position;
    value->operands = std::move(operands);
    value->block = block;
    block->values.push_back(value);
    return value;
  }
  /// A copy; operands are those of the old one until finish().
  Value *add_copy(Block *block, const Value &old) {
    Value *value = &function->values.emplace_back(old);
    value->block = block;
    block->values.push_back(value);
    values_[&old] = value;
    return value;
  }
  void map(const Value *old, Value *value) { values_[old] = value; }
  Value *value_of(Value *old) const {
    auto found = values_.find(old);
    return found == values_.end() ? old : found->second;
  }

  /// Operands become the copies; ids and counts of uses are made.
  std::shared_ptr<Function> finish() {
    for (Value &value : function->values)
      for (Value *&operand : value.operands)
        operand = value_of(operand);
    drop_dead_phis();
    std::deque<Value> values = std::move(function->values);
    function->values.clear();
    std::map<const Value *, Value *> moved;
    uint32_t id = 0;
    for (size_t i = 0; i < function->blocks.size(); ++i) {
      Block &block = function->blocks[i];
      block.id = static_cast<uint32_t>(i);
      for (Value *&value : block.values) {
        Value *to = &function->values.emplace_back(std::move(*value));
        to->id = id++;
        to->uses = 0;
        to->block = &block;
        moved[value] = to;
        value = to;
      }
    }
    for (Value &value : function->values)
      for (Value *&operand : value.operands) {
        operand = moved.at(operand);
        ++operand->uses;
      }
    return function;
  }

  const std::shared_ptr<Function> function;

private:
  /// Phis that only phis use.
  void drop_dead_phis() {
    std::set<const Value *> live;
    std::vector<Value *> work;
    for (Block &block : function->blocks)
      for (Value *value : block.values)
        if (value->op != Op::Phi)
          work.insert(work.end(), value->operands.begin(), value->operands.end());
    while (!work.empty()) {
      Value *value = work.back();
      work.pop_back();
      if (value->op == Op::Phi && live.insert(value).second)
        work.insert(work.end(), value->operands.begin(), value->operands.end());
    }
    for (Block &block : function->blocks)
      std::erase_if(block.values, [&](const Value *value) {
        return value->op == Op::Phi && !live.contains(value);
      });
  }

  std::map<const Block *, Block *> blocks_;
  std::map<const Value *, Value *> values_;
};

bool is_nonnegative_constant(const Value &value, int64_t least) {
  return value.op == Op::Const && value.constant->kind == ConstKind::Int && !value.constant->big &&
         !value.constant->is_unsigned && value.constant->integer >= least;
}

/// Whether all numbers of a prange() call are known not to be negative.
bool starts_at_zero_or_above(const Value &call) {
  if (!call.keywords.empty() || call.operands.size() < 2)
    return false;
  return (call.operands.size() < 3 || is_nonnegative_constant(*call.operands[1], 0)) &&
         (call.operands.size() < 4 || is_nonnegative_constant(*call.operands[3], 1));
}

/// The definition of the loop's function: it blames and options are those of the function around.
FunctionDef *new_definition(const FunctionDef &around, int32_t index, const UnrollPlan &plan) {
  auto *def = new FunctionDef; // as long as the process, like those of inner functions
  def->code = around.code;
  def->accepts_lazy = around.accepts_lazy;
  def->is_library = around.is_library;
  def->promotes_as_numpy = around.promotes_as_numpy;
  def->globals = around.globals;
  def->options = around.options;
  def->options.inline_always = def->options.inline_never = false;
  def->loop_of = &around;
  def->loop_index = index;
  def->loop_plan = plan;
  return def;
}

class Outliner {
public:
  Outliner(const Function &function, const PrangeLoop &loop, const UnrollPlan &plan)
      : old_(function), loop_(loop),
        def_(new_definition(*function.def, static_cast<int32_t>(function.parallel_loops.size()),
                            plan)),
        body_(def_), rest_(function.def) {}

  std::shared_ptr<Function> run(const UnrollPlan &plan) {
    make_body();
    make_rest();
    auto rest = rest_.finish();
    rest->parameter_names = old_.parameter_names;
    rest->parallel_loops = old_.parallel_loops;
    auto body = outline_parallel_loops(body_.finish(), plan, true);
    rest->parallel_loops.push_back(body);
    def_->surroundings->ssa[""] = body;
    return rest;
  }

private:
  Value *parameter(const std::string &name) {
    Value *value = body_.add(start_, Op::Param, {});
    value->index = static_cast<int32_t>(body_.function->parameter_names.size());
    value->name = name;
    body_.function->parameter_names.push_back(name);
    return value;
  }

  void make_body() {
    start_ = body_.add_block();
    const Position at = loop_.iterator->position;
    Value *first = parameter("first"), *end = parameter("end");
    Value *range = parameter("range");
    find_reads();
    const std::map<const Value *, Value *> initial = initial_values(range);
    Value *chunk = body_.add(start_, Op::ChunkRange, at, {range, first, end});
    chunk->index = starts_at_zero_or_above(*loop_.range);
    Value *iterator = body_.add(start_, Op::GetIter, at, {chunk});
    body_.add(start_, Op::Jump, at);
    Block *end_block = copy_loop(initial, iterator);
    std::vector<Value *> results;
    for (const LoopVariable &variable : loop_.variables)
      results.push_back(variable.phi);
    Value *values = body_.add(end_block, Op::ChunkValues, at, std::move(results));
    body_.add(end_block, Op::Return, at, {values});
  }

  /// What the loop reads of the function around it.
  void find_reads() {
    reads_.push_back(loop_.range);
    for (const Block *block : loop_.blocks)
      for (const Value *value : block->values)
        for (size_t i = 0; i < value->operands.size(); ++i) {
          const bool initial =
              block == loop_.header && value->op == Op::Phi && block->preds[i] == loop_.entry;
          if (!initial && !loop_.contains(value->operands[i]->block))
            read(value->operands[i]);
        }
  }

  /// The values that variables of the loop begin a chunk with.
  std::map<const Value *, Value *> initial_values(Value *range) {
    std::map<const Value *, Value *> initial;
    for (const LoopVariable &variable : loop_.variables)
      if (variable.kind != "last")
        initial[variable.phi] = parameter(variable.phi->name);
    shared_ = initial;
    for (Value *constant : constants_)
      body_.add_copy(start_, *constant);
    for (const LoopVariable &variable : loop_.variables)
      if (variable.kind != "last")
        initial[variable.phi] = neutral(variable.kind, initial[variable.phi], range);
    for (const LoopVariable &variable : loop_.variables)
      if (variable.is_array())
        body_.map(variable.phi, initial[variable.phi]);
    for (const LoopVariable &variable : loop_.variables)
      if (variable.kind == "last") {
        Value *undefined = body_.add(start_, Op::Undef, variable.phi->position);
        undefined->name = variable.phi->name;
        initial[variable.phi] = undefined;
      }
    return initial;
  }

  /// The loop's blocks in the function of a chunk; the block behind them.
  Block *copy_loop(const std::map<const Value *, Value *> &initial, Value *iterator) {
    for (const Block *block : loop_.blocks)
      body_.add_block(*block);
    Block *end_block = body_.add_block();
    std::set<const Value *> replaced;
    for (const auto &[write, update] : loop_.updates)
      replaced.insert(update.changed);
    for (const Block *block : loop_.blocks) {
      Block *to = body_.block_of(block);
      for (const Value *value : block->values) {
        if (auto update = loop_.updates.find(value); update != loop_.updates.end()) {
          update_element(to, *value, update->second);
          continue;
        }
        if (replaced.contains(value))
          continue;
        Value *copy = body_.add_copy(to, *value);
        if (block != loop_.header || value->op != Op::Phi)
          continue;
        for (size_t i = 0; i < block->preds.size(); ++i)
          if (block->preds[i] == loop_.entry)
            copy->operands[i] = value == loop_.iterator_phi ? iterator : initial.at(value);
      }
      for (const Block *pred : block->preds)
        to->preds.push_back(pred == loop_.entry ? start_ : body_.block_of(pred));
      for (const Block *succ : block->succs)
        to->succs.push_back(succ == loop_.header->succs[1] && block == loop_.header
                                ? end_block
                                : body_.block_of(succ));
    }
    Block *header = body_.block_of(loop_.header);
    start_->succs = {header};
    end_block->preds = {header};
    return end_block;
  }

  Value *constant(Block *block, Position at, const Const *constant) {
    Value *value = body_.add(block, Op::Const, at);
    value->constant = constant;
    return value;
  }

  /// What a chunk starts a reduction from: numjit.neutral(kind, value before the loop, range).
  Value *neutral(const std::string &kind, Value *start, Value *range) {
    const Const *function = constants::builtin("numjit.neutral");
    const Position at = loop_.iterator->position;
    Value *callee = constant(start_, at, function);
    return body_.add(start_, Op::Call, at,
                     {callee, constant(start_, at, constants::string(kind)), start, range});
  }

  /// Instead of a store: numjit.update_element(kind, array, index, amount, array of all chunks).
  void update_element(Block *block, const Value &write, const ElementUpdate &update) {
    const Const *function = constants::builtin("numjit.update_element");
    const Position at = write.position;
    Value *callee = constant(block, at, function);
    Value *kind = constant(block, at, constants::string(update.kind));
    Value *array = write.operands[0];
    auto shared = shared_.find(array);
    body_.add(block, Op::Call, at,
              {callee, kind, array, write.operands[1], update.amount,
               shared == shared_.end() ? array : shared->second});
  }

  /// A value from outside that the body reads: a parameter, or the constant again.
  void read(Value *value) {
    if (value->op == Op::Const || value->op == Op::Undef || value->op == Op::Unbound) {
      if (std::find(constants_.begin(), constants_.end(), value) == constants_.end())
        constants_.push_back(value);
    } else if (std::find(reads_.begin() + 1, reads_.end(), value) == reads_.end() &&
               std::none_of(loop_.variables.begin(), loop_.variables.end(),
                            [&](const LoopVariable &each) { return each.phi == value; })) {
      reads_.push_back(value);
      body_.map(value, parameter(value->name));
    }
  }

  void make_rest() {
    const Block *behind = loop_.header->succs[1];
    for (const Block &block : old_.blocks)
      if (!loop_.contains(&block))
        rest_.add_block(block);
    for (const Block &block : old_.blocks) {
      Block *to = rest_.block_of(&block);
      if (!to)
        continue;
      for (const Value *value : block.values) {
        if (value == loop_.iterator && value->uses == 1)
          continue;
        if (&block == loop_.entry && is_terminator(value->op))
          run_loop(to);
        rest_.add_copy(to, *value);
      }
      for (const Block *pred : block.preds)
        to->preds.push_back(&block == behind ? rest_.block_of(loop_.entry) : rest_.block_of(pred));
      for (const Block *succ : block.succs)
        to->succs.push_back(rest_.block_of(succ == loop_.header ? behind : succ));
    }
  }

  void run_loop(Block *block) {
    const Position at = loop_.range->position;
    Value *run = rest_.add(block, Op::ParallelLoop, at, reads_);
    auto object = new Object; // rows live as long as the process
    object->kind = ObjectKind::Function;
    object->name = def_->name();
    object->function = def_;
    run->constant = constants::object(object);
    run->index = static_cast<int32_t>(loop_.variables.size());
    run->star = loop_.header->for_loop;
    const std::vector<Block *> &preds = loop_.header->preds;
    const size_t way_in = std::find(preds.begin(), preds.end(), loop_.entry) - preds.begin();
    auto before = [&](const LoopVariable &variable) {
      return variable.is_array() ? variable.phi : variable.phi->operands[way_in];
    };
    for (const LoopVariable &variable : loop_.variables)
      if (variable.kind != "last") {
        run->operands.push_back(before(variable));
        run->keywords.push_back(variable.kind);
      }
    int32_t index = 0;
    for (const LoopVariable &variable : loop_.variables) {
      Value *initial = before(variable);
      Value *result = rest_.add(block, Op::ParallelResult, variable.phi->position, {run});
      if (variable.kind != "last" || initial->op != Op::Undef)
        result->operands.push_back(initial);
      result->index = index++;
      result->name = variable.phi->name;
      result->keywords = {variable.kind};
      if (!variable.is_array())
        rest_.map(variable.phi, result);
    }
  }

  const Function &old_;
  const PrangeLoop &loop_;
  FunctionDef *def_;
  Copy body_, rest_;
  Block *start_ = nullptr;
  std::vector<Value *> reads_, constants_; ///< from outside of the loop; the range first
  std::map<const Value *, Value *>
      shared_; ///< parameters of the body: what variables are before it
};

/// Leaves a loop that cannot be parallel as it is. The user is told, unless it is in the body of
/// another one, which is parallel.
std::shared_ptr<Function> leave_in_order(const Function &function, const PrangeLoop &loop,
                                         bool nested) {
  Copy copy(function.def);
  for (const Block &block : function.blocks)
    copy.add_block(block);
  for (const Block &block : function.blocks) {
    Block *to = copy.block_of(&block);
    for (const Value *value : block.values) {
      if (&block == loop.entry && is_terminator(value->op) && !nested)
        copy.add(to, Op::RunsInOrder, loop.conflict.position)->name = loop.conflict.text;
      Value *same = copy.add_copy(to, *value);
      if (value == loop.iterator)
        same->star = kInOrder;
    }
    for (const Block *pred : block.preds)
      to->preds.push_back(copy.block_of(pred));
    for (const Block *succ : block.succs)
      to->succs.push_back(copy.block_of(succ));
  }
  auto result = copy.finish();
  result->parameter_names = function.parameter_names;
  result->parallel_loops = function.parallel_loops;
  return result;
}

} // namespace

std::set<const Block *> reach(const Block *from, const Block *wall) {
  std::set<const Block *> seen;
  std::vector<const Block *> stack{from};
  while (!stack.empty()) {
    const Block *block = stack.back();
    stack.pop_back();
    if (block == wall || !seen.insert(block).second)
      continue;
    stack.insert(stack.end(), block->succs.begin(), block->succs.end());
  }
  return seen;
}

bool PrangeLoop::contains(const Block *block) const {
  return std::find(blocks.begin(), blocks.end(), block) != blocks.end();
}

std::shared_ptr<Function> outline_parallel_loops(std::shared_ptr<Function> function,
                                                 const UnrollPlan &plan, bool nested) {
  for (bool found = true; found;) {
    found = false;
    for (Block &block : function->blocks) {
      PrangeLoop loop;
      if (!find_loop(*function, block, loop, nested))
        continue;
      found = true;
      const auto planned = plan.find(block.for_loop);
      const bool in_order = planned != plan.end() && planned->second == kRunsInOrder;
      function = !in_order && loop.conflict.text.empty()
                     ? Outliner(*function, loop, plan).run(plan)
                     : leave_in_order(*function, loop, nested || in_order);
      break;
    }
  }
  return function;
}

} // namespace numjit::ssa
