// Kernels for the simulator (runtime/simulator.h): functions that must know which thread they are
// get it as their first parameter, and what only kernels can do becomes loads from it and calls of
// the runtime.
//
// If no thread ever waits for another one, the function that is called loops over the threads of a
// block, and LLVM may vectorise over them; else it runs one thread.
//
// With the race check, the runtime is told of each access to memory that other threads may see.
// Lines are those of the user's program: a function of the library reports the place of its call,
// which the caller stores.
#include "runtime/simulator.h"
#include "typeinfer/errors.h"
#include "typeinfer/passes/edit.h"
#include "typeinfer/passes/passes.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <unordered_set>

namespace numjit::passes {

using namespace tir;

namespace {

const Type *int32() { return types::scalar(ScalarId::Int32); }
const Type *thread_type() { return types::pointer(types::int64()); }

bool is_atomic(const Value &value) {
  return value.op == Op::Device && tir::is_atomic(value.device_op);
}

/// Memory that other threads may see.
bool touches_elements(const Value &value) {
  return ((value.op == Op::Load || value.op == Op::Store) && value.alias == Alias::ArrayData) ||
         value.op == Op::Copy;
}

class Simulation {
public:
  explicit Simulation(Module &module) : module_(module), kernel_(module.simulated) {}

  void run() {
    Function &root = *module_.functions.front();
    find_functions(root);
    kernel_.places.clear();
    kernel_.places.push_back(describe(root, root.def ? root.def->code.first_line : 0));
    bool fibers = false, lanes = false;
    for (const auto &function : module_.functions)
      for (const Block *block : function->blocks)
        for (const Value *value : block->values) {
          fibers |= waits(*value);
          kernel_.cooperative |=
              value->op == Op::Device && tir::needs_cooperation(value->device_op);
          lanes |= value->op == Op::Device && (value->device_op == DeviceOp::LaneId ||
                                               value->device_op == DeviceOp::LaneMaskLt);
        }
    for (Function *function : affected_)
      add_parameter(*function);
    for (Function *function : affected_)
      rewrite(*function);
    for (Value *offset : dynamic_offsets_)
      offset->integer = static_shared();
    kernel_.static_shared = static_shared();
    kernel_.whole_block = !fibers;
    if (!fibers)
      loop_over_threads(root, lanes);
  }

private:
  struct Code;

  /// What becomes of a row of device_ops.def.
  struct Simulated {
    enum { Index, Barrier, Warp, Nothing, Kept, Own } kind;
    int64_t number = 0; ///< offset in nj_sim_thread, kind of barrier, operation of a warp
    bool (Simulation::*own)(Code &code, Value *thread, Value &value) = nullptr;
  };

  static const Simulated &simulated(DeviceOp op) {
    static constexpr Simulated rows[] = {
#define INDEX(field)                                                                               \
  { Simulated::Index, offsetof(nj_sim_thread, field) }
#define BARRIER(kind)                                                                              \
  { Simulated::Barrier, NJ_SIM_##kind }
#define WARP(operation)                                                                            \
  { Simulated::Warp, NJ_SIM_WARP_##operation }
#define NOTHING                                                                                    \
  { Simulated::Nothing } // loops that wait have interrupt points
#define FENCE                                                                                      \
  { Simulated::Kept }
#define PROCESSOR                                                                                  \
  { Simulated::Kept }
#define NONE                                                                                       \
  { Simulated::Kept }
#define OWN(function)                                                                              \
  { Simulated::Own, 0, &Simulation::function }
#define NUMJIT_DEVICE_OP(id, name, result, operands, effect, public_name, form, nvptx, simulator)  \
  simulator,
#include "typeinfer/ir/device_ops.def"
#undef NUMJIT_DEVICE_OP
#undef INDEX
#undef BARRIER
#undef WARP
#undef NOTHING
#undef FENCE
#undef PROCESSOR
#undef NONE
#undef OWN
    };
    return rows[static_cast<size_t>(op)];
  }

  /// For other threads.
  static bool waits(const Value &value) {
    if (value.op != Op::Device)
      return false;
    const auto kind = simulated(value.device_op).kind;
    return kind == Simulated::Barrier || kind == Simulated::Warp;
  }

  // --- which functions

  bool needs_thread(const Value &value) const {
    if (value.op == Op::Device)
      return !is_atomic(value) || kernel_.race_check;
    if (value.op == Op::Alloc)
      return has_scratch();
    return kernel_.race_check && touches_elements(value);
  }

  /// Whether the runtime must know whose a new array is.
  bool has_scratch() const { return kernel_.race_check || kernel_.scratch > 0; }

  void find_functions(Function &root) {
    std::unordered_set<const Function *> found{&root};
    affected_ = {&root};
    for (bool changed = true; changed;) {
      changed = false;
      for (const auto &function : module_.functions) {
        if (found.contains(function.get()))
          continue;
        bool affected = false;
        for (const Block *block : function->blocks)
          for (const Value *value : block->values)
            affected |= needs_thread(*value) ||
                        (value->callee && found.contains(value->callee) && value->callee != &root);
        if (!affected)
          continue;
        found.insert(function.get());
        affected_.push_back(function.get());
        changed = true;
      }
    }
    is_affected_ = std::move(found);
  }

  void add_parameter(Function &function) {
    Block &entry = *function.blocks.front();
    for (Block *block : function.blocks)
      for (Value *value : block->values)
        if (value->op == Op::Param)
          ++value->index;
    function.params.insert(function.params.begin(), thread_type());
    function.param_names.insert(function.param_names.begin(), "thread");
    Value *thread = function.new_value(Op::Param, thread_type(), Position());
    thread->name = "thread";
    thread->block = &entry;
    entry.values.insert(entry.values.begin(), thread);
    threads_[&function] = thread;
  }

  // --- places in the source

  static bool in_library(const Function &function) {
    return function.def && function.def->is_library;
  }

  static SimulatedKernel::Place describe(const Function &function, int line) {
    if (!function.def)
      return {"", function.name, line};
    return {function.def->code.filename, function.def->code.name, line};
  }

  int64_t place_number(const Function &function, const Value &value) {
    const int line = value.position.known() ? value.position.line : 0;
    auto [found, is_new] = place_numbers_.try_emplace({function.def, line},
                                                      static_cast<int64_t>(kernel_.places.size()));
    if (is_new)
      kernel_.places.push_back(describe(function, line));
    return found->second;
  }

  // --- code

  /// Makes values in front of `at_`.
  struct Code {
    Function &function;
    const Value &like;
    std::vector<Value *> &out;

    Value *add(Op op, const Type *type, std::initializer_list<Value *> operands = {}) {
      Value *value = make_value(function, op, type, operands, like);
      value->block = like.block;
      out.push_back(value);
      return value;
    }
    Value *number(int64_t number, const Type *type = types::int64()) {
      Value *value = add(Op::Const, type);
      value->integer = number;
      return value;
    }
    Value *member(Value *thread, size_t offset, const Type *type) {
      return add(Op::PtrAdd, types::pointer(type), {thread, number(static_cast<int64_t>(offset))});
    }
    Value *load(Value *thread, size_t offset, const Type *type) {
      Value *value = add(Op::Load, type, {member(thread, offset, type)});
      value->alias = Alias::Stack;
      return value;
    }
    void store(Value *thread, size_t offset, Value *what) {
      add(Op::Store, types::none(), {member(thread, offset, what->type), what})->alias =
          Alias::Stack;
    }
    Value *scalar(Operator oper, const Type *type, std::initializer_list<Value *> operands) {
      Value *value = add(Op::Scalar, type, operands);
      value->scalar_op = scalar::by_operator(oper)->id;
      return value;
    }
    Value *cast(Value *value, const Type *type) {
      return value->type == type ? value : add(Op::Cast, type, {value});
    }
    Value *runtime(RuntimeOp op, const Type *type, std::initializer_list<Value *> operands) {
      Value *value = add(Op::CallRuntime, type, operands);
      value->runtime_op = op;
      return value;
    }
  };

  void rewrite(Function &function) {
    Value *thread = threads_.at(&function);
    for (Block *block : function.blocks) {
      std::vector<Value *> old = std::move(block->values);
      block->values.clear();
      for (Value *value : old) {
        Code code{function, *value, block->values};
        if (visit(code, thread, *value)) {
          value->block = block;
          block->values.push_back(value);
        }
      }
      for (Value *value : block->values)
        value->block = block;
    }
  }

  Value *place(Code &code, Value *thread, const Value &value) {
    if (in_library(code.function))
      return code.cast(code.load(thread, offsetof(nj_sim_thread, place), int32()), types::int64());
    return code.number(place_number(code.function, value));
  }

  /// Makes what the value needs in front of it; false if nothing of itself is left.
  bool visit(Code &code, Value *thread, Value &value) {
    switch (value.op) {
    case Op::Call:
      if (!is_affected_.contains(value.callee))
        return true;
      if (in_library(*value.callee) && !in_library(code.function))
        code.store(thread, offsetof(nj_sim_thread, place),
                   code.number(place_number(code.function, value), int32()));
      value.operands.insert(value.operands.begin(), thread);
      return true;
    case Op::FunctionAddress:
      if (is_affected_.contains(value.callee))
        throw CompileError("TypingError",
                           "a function that runs in parallel or is called by C code cannot be "
                           "called in a kernel",
                           {{code.function.def, value.position, {}}});
      return true;
    case Op::Load:
    case Op::Store:
    case Op::Copy: check_memory(code, thread, value); return true;
    case Op::Alloc:
      if (has_scratch()) {
        Value *zeroed = code.number(value.index == 1);
        become(value, Op::CallRuntime, {thread, value.operands[0], zeroed});
        value.runtime_op = RuntimeOp::SimAlloc;
      }
      return true;
    case Op::Device:
      if (is_atomic(value)) {
        if (kernel_.race_check)
          access(code, thread, value, value.operands[0], size_of(value.operands[1]->type),
                 NJ_SIM_WRITES | NJ_SIM_ATOMIC);
        return true;
      }
      return device(code, thread, value);
    default: return true;
    }
  }

  // --- race check

  static int64_t size_of(const Type *type) { return layout_of(type).size; }

  void access(Code &code, Value *thread, const Value &value, Value *pointer, int64_t bytes,
              int64_t how) {
    access(code, thread, value, pointer, code.number(bytes), how);
  }
  void access(Code &code, Value *thread, const Value &value, Value *pointer, Value *bytes,
              int64_t how) {
    code.runtime(RuntimeOp::SimAccess, types::none(),
                 {thread, pointer, bytes, code.number(how), place(code, thread, value)});
  }

  void check_memory(Code &code, Value *thread, Value &value) {
    if (!kernel_.race_check || !touches_elements(value))
      return;
    if (value.op == Op::Load)
      access(code, thread, value, value.operands[0], size_of(value.type), 0);
    else if (value.op == Op::Store)
      access(code, thread, value, value.operands[0], size_of(value.operands[1]->type),
             NJ_SIM_WRITES);
    else {
      access(code, thread, value, value.operands[0], value.operands[2], NJ_SIM_WRITES);
      access(code, thread, value, value.operands[1], value.operands[2], 0);
    }
  }

  // --- what only kernels can do

  int64_t static_shared() const { return (shared_ + 15) & ~int64_t(15); }

  /// Turns the value into `op` of operands, in its place.
  static bool become(Value &value, Op op, std::initializer_list<Value *> operands) {
    value.op = op;
    value.operands.assign(operands.begin(), operands.end());
    value.integer = 0;
    value.index = 0;
    return true;
  }

  static bool become_member(Code &code, Value *thread, Value &value, size_t offset) {
    Value *pointer = code.member(thread, offset, value.type);
    value.alias = Alias::Stack;
    return become(value, Op::Load, {pointer});
  }

  /// What the runtime returns, an int64, as what the value is.
  static bool become_result(Code &, Value &value, Value *result) {
    return value.type->kind == Kind::None ? false : become(value, Op::Cast, {result});
  }

  bool barrier(Code &code, Value *thread, Value &value, int64_t kind) {
    Value *predicate =
        value.operands.empty() ? code.number(0) : code.cast(value.operands[0], types::int64());
    return become_result(
        code, value,
        code.runtime(RuntimeOp::SimBarrier, types::int64(),
                     {thread, code.number(kind), predicate, place(code, thread, value)}));
  }

  /// The bits of a scalar.
  static Value *bits(Code &code, Value *value) {
    if (!value->type->is_float())
      return code.cast(value, types::int64());
    const Type *integer = value->type->bits() == 64 ? types::int64() : int32();
    return code.cast(through_memory(code, value, integer), types::int64());
  }
  static Value *through_memory(Code &code, Value *value, const Type *type) {
    Value *memory = code.add(Op::StackAlloc, types::pointer(value->type));
    memory->integer = 8;
    code.add(Op::Store, types::none(), {memory, value})->alias = Alias::Stack;
    Value *loaded = code.add(
        Op::Load, type, {code.add(Op::PtrAdd, types::pointer(type), {memory, code.number(0)})});
    loaded->alias = Alias::Stack;
    return loaded;
  }

  bool warp(Code &code, Value *thread, Value &value, int64_t kind) {
    const std::vector<Value *> &operands = value.operands;
    Value *mask = operands.empty() ? code.number(0) : code.cast(operands[0], types::int64());
    Value *exchanged = operands.size() < 2 ? code.number(0) : bits(code, operands[1]);
    Value *argument = operands.size() < 3 ? code.number(0) : code.cast(operands[2], types::int64());
    Value *result = code.runtime(
        RuntimeOp::SimWarp, types::int64(),
        {thread, code.number(kind), mask, exchanged, argument, place(code, thread, value)});
    if (!value.type->is_float())
      return become_result(code, value, result);
    const Type *integer = value.type->bits() == 64 ? types::int64() : int32();
    Value *memory = code.add(Op::StackAlloc, types::pointer(integer));
    memory->integer = 8;
    code.add(Op::Store, types::none(), {memory, code.cast(result, integer)})->alias = Alias::Stack;
    Value *pointer = code.add(Op::PtrAdd, types::pointer(value.type), {memory, code.number(0)});
    value.alias = Alias::Stack;
    return become(value, Op::Load, {pointer});
  }

  bool lanes_below(Code &code, Value *thread, Value &value) {
    Value *lane =
        code.cast(code.load(thread, offsetof(nj_sim_thread, lane), int32()), types::int64());
    Value *bit = code.scalar(Operator::LShift, types::int64(), {code.number(1), lane});
    return become(value, Op::Cast,
                  {code.scalar(Operator::Sub, types::int64(), {bit, code.number(1)})});
  }

  bool shared_array(Code &code, Value *thread, Value &value) {
    const int64_t align = std::max<int64_t>(value.index, 1);
    shared_ = (shared_ + align - 1) / align * align;
    const int64_t offset = shared_;
    shared_ += value.integer;
    Value *memory = code.load(thread, offsetof(nj_sim_thread, shared), value.type);
    return become(value, Op::PtrAdd, {memory, code.number(offset)});
  }

  bool dynamic_shared(Code &code, Value *thread, Value &value) {
    Value *memory = code.load(thread, offsetof(nj_sim_thread, shared), value.type);
    dynamic_offsets_.push_back(code.number(0));
    return become(value, Op::PtrAdd, {memory, dynamic_offsets_.back()});
  }

  bool constant(Code &code, Value *, Value &value) {
    return become(value, Op::PtrAdd, {value.operands[0], code.number(0)});
  }

  bool device(Code &code, Value *thread, Value &value) {
    const Simulated &row = simulated(value.device_op);
    switch (row.kind) {
    case Simulated::Index:
      value.nonneg = true;
      return become_member(code, thread, value, static_cast<size_t>(row.number));
    case Simulated::Barrier: return barrier(code, thread, value, row.number);
    case Simulated::Warp: return warp(code, thread, value, row.number);
    case Simulated::Nothing: return false;
    case Simulated::Kept: return true;
    case Simulated::Own: return (this->*row.own)(code, thread, value);
    }
    return true;
  }

  // --- the threads of a block

  /// One of the loops over the threads of a block.
  struct Level {
    Block *header, *inside, *latch, *end;
    Value *index, *next;
  };

  static void connect(Block *from, Block *to) {
    from->succs.push_back(to);
    to->preds.push_back(from);
  }

  /// A loop over an axis behind `block`, whose body is open.
  static Level open_level(Function &function, const Value &origin, Block *block, Value *thread,
                          int axis, Value *size) {
    auto code_in = [&](Block *of) { return Code{function, origin, of->values}; };
    Level level;
    level.header = function.new_block();
    level.inside = function.new_block();
    level.latch = function.new_block();
    level.end = function.new_block();
    Code before = code_in(block);
    Value *zero = before.number(0);
    before.add(Op::Jump, types::none());
    connect(block, level.header);
    connect(level.latch, level.header);
    Code header = code_in(level.header), latch = code_in(level.latch);
    level.index = header.add(Op::Phi, types::int64(), {zero});
    level.index->nonneg = true;
    level.next = latch.add(Op::IndexAdd, types::int64(), {level.index, latch.number(1)});
    level.next->nonneg = true;
    latch.add(Op::Jump, types::none());
    level.index->operands.push_back(level.next);
    Value *more = header.scalar(Operator::Lt, types::boolean(), {level.index, size});
    header.add(Op::Branch, types::none(), {more});
    connect(level.header, level.inside);
    connect(level.header, level.end);
    Code inside = code_in(level.inside);
    inside.store(thread, offsetof(nj_sim_thread, thread) + 4 * axis,
                 inside.cast(level.index, int32()));
    return level;
  }

  static void store_lane(Code &inside, Value *thread, const Level (&levels)[3],
                         Value *const (&sizes)[3]) {
    auto plus = [&](Value *a, Value *b) {
      return inside.add(Op::IndexAdd, types::int64(), {a, b});
    };
    auto times = [&](Value *a, Value *b) {
      return inside.add(Op::IndexMul, types::int64(), {a, b});
    };
    Value *row = plus(times(levels[2].index, sizes[1]), levels[1].index);
    Value *number = plus(times(row, sizes[0]), levels[0].index);
    inside.store(thread, offsetof(nj_sim_thread, lane),
                 inside.cast(inside.scalar(Operator::And, types::int64(),
                                           {number, inside.number(NJ_SIM_WARP - 1)}),
                             int32()));
  }

  /// Makes the function that is called: body(thread, ...) for all threads of the block.
  void loop_over_threads(Function &body, bool lanes) {
    auto owned = std::make_unique<Function>();
    Function &function = *owned;
    function.name = body.name + "$block";
    function.def = body.def;
    function.params = body.params;
    function.param_names = body.param_names;
    function.result = types::none();
    function.fastmath = body.fastmath;
    body.inline_always = !body.recursive;
    body.inline_never = false;

    Value origin; // for positions
    origin.position = body.blocks.front()->terminator()->position;
    auto code_in = [&](Block *block) { return Code{function, origin, block->values}; };
    Block *entry = function.new_block();
    Code head = code_in(entry);
    std::vector<Value *> params;
    for (size_t i = 0; i < function.params.size(); ++i) {
      params.push_back(head.add(Op::Param, function.params[i]));
      params.back()->index = static_cast<int32_t>(i);
      params.back()->name = function.param_names[i];
    }
    Value *thread = params[0];
    Value *sizes[3];
    for (int axis : {0, 1, 2}) {
      sizes[axis] =
          head.cast(head.load(thread, offsetof(nj_sim_thread, block_dim) + 4 * axis, int32()),
                    types::int64());
      sizes[axis]->nonneg = true;
    }
    Block *block = entry;
    Level levels[3];
    for (int axis : {2, 1, 0}) {
      levels[axis] = open_level(function, origin, block, thread, axis, sizes[axis]);
      block = levels[axis].inside;
    }
    Code inside = code_in(block);
    if (lanes)
      store_lane(inside, thread, levels, sizes);
    Value *call = inside.add(Op::Call, body.result);
    call->callee = &body;
    call->operands = params;
    for (int axis : {0, 1, 2}) {
      Code last = code_in(block);
      last.add(Op::Jump, types::none());
      connect(block, levels[axis].latch);
      block = levels[axis].end;
    }
    Code last = code_in(block);
    Value *none = last.add(Op::Undef, types::none());
    last.add(Op::Return, types::none(), {none});
    for (Block *each : function.blocks)
      for (Value *value : each->values)
        value->block = each;
    module_.functions.insert(module_.functions.begin(), std::move(owned));
  }

  Module &module_;
  SimulatedKernel &kernel_;
  std::vector<Function *> affected_;
  std::unordered_set<const Function *> is_affected_;
  std::map<const Function *, Value *> threads_; ///< their parameter
  std::map<std::pair<const FunctionDef *, int>, int64_t> place_numbers_;
  int64_t shared_ = 0;
  std::vector<Value *> dynamic_offsets_; ///< constants that are known in the end
};

} // namespace

void simulate(Module &module, const PassOptions &) { Simulation(module).run(); }

} // namespace numjit::passes
