// Tables and arenas of typed IR.
#include "typeinfer/ir/typed_ir.h"

namespace numjit::tir {

const OpRow &op_row(Op op) {
  static constexpr OpRow rows[] = {
#define X(id, name, operands, effect, doc) {Op::id, name, operands, Effect::effect, doc},
      NUMJIT_TYPED_OPS(X)
#undef X
  };
  return rows[static_cast<size_t>(op)];
}

const RuntimeOpRow &runtime_op_row(RuntimeOp op) {
  static constexpr RuntimeOpRow rows[] = {
#define NUMJIT_RUNTIME_OP(id, symbol, result, parameters, raises, effect)                          \
  {RuntimeOp::id, #symbol, result, parameters, raises, Effect::effect},
#include "runtime/runtime_ops.def"
#undef NUMJIT_RUNTIME_OP
  };
  return rows[static_cast<size_t>(op)];
}

namespace {
constexpr DeviceOpRow kDeviceOps[] = {
#define NUMJIT_DEVICE_OP(id, name, result, operands, effect, ...)                                  \
  {DeviceOp::id, name, result, operands, Effect::effect},
#include "typeinfer/ir/device_ops.def"
#undef NUMJIT_DEVICE_OP
};
} // namespace

const DeviceOpRow &device_op_row(DeviceOp op) { return kDeviceOps[static_cast<size_t>(op)]; }

const DeviceOpRow *device_op_named(std::string_view name) {
  for (const DeviceOpRow &row : kDeviceOps)
    if (row.name == name)
      return &row;
  return nullptr;
}

const Type *device_type(char letter) {
  switch (letter) {
  case 'b': return types::boolean();
  case 'i': return types::scalar(ScalarId::Int32);
  case 'u': return types::scalar(ScalarId::UInt32);
  case 'l': return types::int64();
  case 'v': return types::none();
  default: return nullptr;
  }
}

size_t op_count() {
#define X(id, ...) +1
  return 0 NUMJIT_TYPED_OPS(X);
#undef X
}

size_t runtime_op_count() {
#define NUMJIT_RUNTIME_OP(id, ...) +1
  return 0
#include "runtime/runtime_ops.def"
      ;
#undef NUMJIT_RUNTIME_OP
}

bool can_raise(const Value &value) {
  switch (value.op) {
  case Op::Call: return value.callee->may_raise;
  case Op::CallRuntime: return runtime_op_row(value.runtime_op).raises;
  default: return op_row(value.op).effect == Effect::Raises;
  }
}

Value *guarded_by_try(const Block &block) {
  if (block.terminator()->op != Op::Try)
    return nullptr;
  // Only what gives up counts can stand between.
  for (size_t i = block.values.size(); i-- > 0;)
    if (effect_of(*block.values[i]) == Effect::Raises)
      return block.values[i];
  return nullptr;
}

Effect effect_of(const Value &value) {
  if (value.op == Op::CallRuntime)
    return runtime_op_row(value.runtime_op).raises ? Effect::Raises
                                                   : runtime_op_row(value.runtime_op).effect;
  if (value.op == Op::Device)
    return device_op_row(value.device_op).effect;
  return op_row(value.op).effect;
}

Value *Function::new_value(Op op, const Type *type, Position position) {
  Value &value = values.emplace_back();
  value.op = op;
  value.type = type;
  value.id = static_cast<uint32_t>(values.size() - 1);
  value.position = position;
  return &value;
}

Block *Function::new_block() {
  Block &block = arena_blocks.emplace_back();
  block.id = static_cast<uint32_t>(arena_blocks.size() - 1);
  blocks.push_back(&block);
  return &block;
}

} // namespace numjit::tir
