// The rules of typed IR. verify() returns the first one that is broken.
//
// Shape
//   1. A function has a block; the first one, the entry, has no predecessors.
//   2. A block ends with a terminator and has no other; its phis come first.
//   3. Jump has one successor, Branch and Try two different ones, Raise and Reraise one handler at
//      most, other terminators none. Try stands behind an operation that may raise; where
//      exceptions arrive are no phis.
//   4. Every edge is listed once in `succs` of its source and once in `preds` of its target.
//   5. A value stands in one place, that of its `block`; its id is its place in the arena.
// Values
//   6. An operation has as many operands as its row says; a phi one per predecessor.
//   7. A value is defined before it is used, on every path (phis: at the end of the predecessor).
//   8. Params stand in the entry; index and type are those of a parameter of the function.
//   9. Undef has no counted type: what is released must be valid.
//  10. `cleanup` belongs to operations that may raise, and lists counted values.
// Types
//  11. Operands and results have the types that the operation's row asks for: see check_types.
//  12. Calls agree with the callee's signature or the runtime function's row.
//  13. Return gives the function's result type; Raise has a site.
#include "typeinfer/ir/cfg.h"

#include <algorithm>

namespace numjit::tir {

namespace {

struct Broken {
  std::string rule;
};

bool is_pointer(const Type *type) { return type->kind == Kind::Pointer; }
bool is_owner(const Type *type) { return type->kind == Kind::Owner; }
bool is_int64(const Type *type) { return type->is(ScalarId::Int64); }

/// Type that a letter of runtime_ops.def stands for.
bool letter_fits(char letter, const Type *type) {
  switch (letter) {
  case 'v': return type->kind == Kind::None;
  case 'b': return type->is_bool();
  case 'i': return is_int64(type);
  case 'u': return type->is(ScalarId::UInt64);
  case 'd': return type->is(ScalarId::Float64);
  case 'f': return type->is(ScalarId::Float32);
  case 'p': return is_pointer(type);
  case 'o': return is_owner(type);
  default: return false;
  }
}

class Verifier {
public:
  explicit Verifier(const Function &function) : function_(function) {}

  std::string run() {
    try {
      check_shape();
      Cfg cfg(function_);
      for (const Block *block : function_.blocks)
        for (const Value *value : block->values) {
          at_ = value;
          check_value(*value, *block);
          if (cfg.reachable(block))
            check_dominance(*value, *block, cfg);
          check_types(*value);
        }
    } catch (const Broken &broken) {
      std::string text = "@" + function_.name + ": " + broken.rule;
      if (at_ && at_->block)
        text += "\n  in b" + std::to_string(at_->block->id) + ": " + print(*at_);
      return text;
    }
    return {};
  }

private:
  void require(bool holds, const char *rule) const {
    if (!holds)
      throw Broken{rule};
  }

  // --- shape ---

  void check_shape() {
    require(!function_.blocks.empty(), "a function has a block");
    require(function_.blocks[0]->preds.empty(), "the entry has no predecessors");
    std::vector<bool> seen(function_.values.size());
    for (const Block *block : function_.blocks) {
      check_edges(*block);
      bool phis = true;
      for (const Value *value : block->values) {
        require(value->id < seen.size() && &function_.values[value->id] == value,
                "a value's id is its place in the arena");
        at_ = value;
        require(value->block == block, "a value stands in its block");
        require(!seen[value->id], "a value stands in one place");
        seen[value->id] = true;
        phis &= value->op == Op::Phi;
        require(phis || value->op != Op::Phi, "phis come first in a block");
        require(is_terminator(value->op) == (value == block->values.back()),
                "a block ends with its only terminator");
      }
    }
    at_ = nullptr;
  }

  void check_edges(const Block &block) {
    require(!block.values.empty(), "a block ends with its only terminator");
    at_ = block.values.back();
    const bool two = at_->op == Op::Branch || at_->op == Op::Try;
    const bool handled = at_->op == Op::Raise || at_->op == Op::Reraise;
    size_t wanted = at_->op == Op::Jump ? 1 : two ? 2 : handled ? block.succs.size() : 0;
    require(block.succs.size() == wanted && wanted <= 2,
            "the terminator says how many successors a block has");
    require(!handled || wanted <= 1, "what is raised has one handler at most");
    require(at_->op != Op::Try || guarded_by_try(block), "a try stands behind what may raise");
    if (at_->op == Op::Try || handled)
      for (const Block *handler : block.succs)
        require(handler != block.succs.back() || handler->values.empty() ||
                    handler->values[0]->op != Op::Phi,
                "no phis where exceptions arrive");
    require(wanted < 2 || block.succs[0] != block.succs[1],
            "the successors of a branch are different blocks");
    auto lists = [](const std::vector<Block *> &blocks, const Block &wanted) {
      return std::count(blocks.begin(), blocks.end(), &wanted);
    };
    for (const Block *succ : block.succs)
      require(lists(succ->preds, block) == 1, "a successor lists the block as predecessor once");
    for (const Block *pred : block.preds)
      require(lists(pred->succs, block) == 1 && lists(block.preds, *pred) == 1,
              "a predecessor lists the block as successor once");
    at_ = nullptr;
  }

  // --- values ---

  void check_value(const Value &value, const Block &block) {
    int wanted = op_row(value.op).operands;
    require(wanted < 0 || value.operands.size() == static_cast<size_t>(wanted),
            "the operation has as many operands as its row says");
    require(value.op != Op::Phi || value.operands.size() == block.preds.size(),
            "a phi has an operand for every predecessor");
    require(value.type, "a value has a type");
    for (const Value *operand : value.operands)
      require(operand && operand->type, "operands exist and have types");
    if (value.op == Op::Param) {
      require(&block == function_.blocks[0], "parameters stand in the entry");
      require(value.index >= 0 && static_cast<size_t>(value.index) < function_.params.size() &&
                  value.type == function_.params[static_cast<size_t>(value.index)],
              "a parameter's index and type are those of the function");
    }
    require(value.op != Op::Undef || !value.type->counted, "an undefined value is not counted");
    for (const Value *released : value.cleanup) {
      require(op_row(value.op).effect == Effect::Raises, "only what may raise has a cleanup");
      require(released && released->type && released->type->counted,
              "a cleanup lists counted values");
    }
  }

  void check_dominance(const Value &value, const Block &block, const Cfg &cfg) {
    auto defined_in = [&](const Value *operand, const Block *user) {
      require(operand->block && cfg.reachable(operand->block) &&
                  cfg.dominates(operand->block, user),
              "a value is defined before it is used");
    };
    if (value.op == Op::Phi) {
      for (size_t i = 0; i < value.operands.size(); ++i)
        if (cfg.reachable(block.preds[i]))
          defined_in(value.operands[i], block.preds[i]);
      return;
    }
    for (const std::vector<Value *> *uses : {&value.operands, &value.cleanup})
      for (const Value *operand : *uses) {
        defined_in(operand, &block);
        if (operand->block == &block)
          require(comes_before(operand, &value), "a value is defined before it is used");
      }
  }

  /// In one block; places are numbered when a block is entered.
  bool comes_before(const Value *a, const Value *b) {
    if (numbered_ != b->block) {
      numbered_ = b->block;
      place_.resize(function_.values.size());
      for (size_t i = 0; i < numbered_->values.size(); ++i)
        place_[numbered_->values[i]->id] = i;
    }
    return place_[a->id] < place_[b->id];
  }

  // --- types ---

  void check_types(const Value &value) const {
    const Type *type = value.type;
    auto operand = [&](size_t i) { return value.operands[i]->type; };
    switch (value.op) {
    case Op::Param:
    case Op::Undef: return;
    case Op::Const:
      require(type->is_scalar() || is_pointer(type) || is_owner(type),
              "a constant is a scalar, a pointer or an owner");
      return;
    case Op::Phi:
      for (const Value *incoming : value.operands)
        require(incoming->type == type, "operands of a phi have its type");
      return;
    case Op::Scalar: check_scalar(value); return;
    case Op::Cast:
      require(type->is_scalar() && operand(0)->is_scalar(), "casts are between scalars");
      return;
    case Op::Select:
      require(operand(0)->is_bool(), "the condition is a bool");
      require(operand(1) == type && operand(2) == type, "both sides of a select have its type");
      return;
    case Op::Struct:
      require(value.operands.size() == type->fields.size(), "a struct has an operand per field");
      for (size_t i = 0; i < value.operands.size(); ++i)
        require(operand(i) == type->fields[i], "operands of a struct have its fields' types");
      return;
    case Op::Field:
      require(value.index >= 0 && static_cast<size_t>(value.index) < operand(0)->fields.size(),
              "the field exists");
      require(operand(0)->fields[static_cast<size_t>(value.index)] == type,
              "a field has the type that the struct says");
      return;
    case Op::FieldAt:
      require(operand(0)->is_homogeneous() && !operand(0)->params.empty() &&
                  operand(0)->params[0] == type,
              "field_at takes an item of a homogeneous tuple");
      require(is_int64(operand(1)), "the index is an int64");
      return;
    case Op::PtrAdd:
      require(is_pointer(type) && is_pointer(operand(0)) && is_int64(operand(1)),
              "ptr_add takes a pointer and an int64");
      return;
    case Op::PtrToInt:
      require(is_int64(type) && (is_pointer(operand(0)) || is_owner(operand(0))),
              "ptr_to_int takes a pointer or an owner, gives an int64");
      return;
    case Op::IndexAdd:
    case Op::IndexMul:
      require(is_int64(type) && is_int64(operand(0)) && is_int64(operand(1)),
              "index arithmetic is on int64");
      return;
    case Op::OwnerData:
      require(is_pointer(type) && is_owner(operand(0)),
              "owner_data takes an owner, gives a pointer");
      return;
    case Op::FunctionAddress:
      require(is_pointer(type) && value.callee, "function_address has a callee, gives a pointer");
      return;
    case Op::Load:
      require(is_pointer(operand(0)) && operand(0)->params[0] == type,
              "a load gives what the pointer points to");
      return;
    case Op::Store:
      require(is_pointer(operand(0)) && operand(0)->params[0] == operand(1),
              "a store takes a pointer to the value's type");
      return no_result(type);
    case Op::Exchange:
      require(is_pointer(operand(0)) && operand(0)->params[0] == operand(1) && type == operand(1) &&
                  type->counted,
              "an exchange takes a pointer to the counted value's type, gives such a value");
      return;
    case Op::Copy:
      require(is_pointer(operand(0)) && is_pointer(operand(1)) && is_int64(operand(2)),
              "memcpy takes two pointers and an int64");
      return no_result(type);
    case Op::Alloc:
      require(is_owner(type) && is_int64(operand(0)), "alloc takes an int64, gives an owner");
      return;
    case Op::StackAlloc: require(is_pointer(type), "stack_alloc gives a pointer"); return;
    case Op::Bytes: require(is_pointer(type), "bytes gives a pointer"); return;
    case Op::Retain:
    case Op::Release:
      require(operand(0)->counted, "only counted values are retained and released");
      return no_result(type);
    case Op::Call: check_call(value); return;
    case Op::CallRuntime: check_runtime_call(value); return;
    case Op::Device: check_device(value); return;
    case Op::CallPointer:
      require(!value.operands.empty() && is_pointer(operand(0)), "call_pointer takes a pointer");
      for (const Value *argument : value.operands)
        require(argument->type->is_scalar() || is_pointer(argument->type) || value.reference,
                "arguments of call_pointer are scalars or pointers, but for those of LLVM IR");
      return;
    case Op::Branch:
      require(operand(0)->is_bool(), "the condition is a bool");
      return no_result(type);
    case Op::Return:
      require(operand(0) == function_.result, "what is returned has the function's result type");
      return no_result(type);
    case Op::Raise: require(value.site, "a raise has a site"); return no_result(type);
    case Op::Bind: require(!value.name.empty(), "a bind names a variable"); return no_result(type);
    case Op::Poll:
    case Op::StackCheck:
    case Op::Jump:
    case Op::Try:
    case Op::Reraise:
    case Op::Unreachable: return no_result(type);
    }
  }

  void no_result(const Type *type) const {
    require(type->kind == Kind::None, "the operation has no result");
  }

  void check_scalar(const Value &value) const {
    const scalar::Row &row = scalar::row(value.scalar_op);
    require(value.operands.size() == static_cast<size_t>(row.arity),
            "a scalar operation has as many operands as its row says");
    require(value.type->is_scalar(), "a scalar operation gives a scalar");
    const bool second_differs = row.rule == scalar::Rule::Compare ||
                                row.rule == scalar::Rule::Equality ||
                                row.rule == scalar::Rule::FloatByInteger; // int64 < uint64, ldexp
    const bool selects = row.rule == scalar::Rule::Select; // the first says which of the others
    const Type *type = value.operands[selects]->type;
    require(!selects || value.operands[0]->type->is_bool(), "what is selected is said by a bool");
    for (size_t i = selects; i < value.operands.size(); ++i)
      require(value.operands[i]->type->is_scalar() &&
                  (value.operands[i]->type == type || (i == 1 && second_differs)),
              "operands of a scalar operation are scalars of one type");
    bool gives_bool = row.rule == scalar::Rule::Compare || row.rule == scalar::Rule::Equality ||
                      row.rule == scalar::Rule::Logical || row.rule == scalar::Rule::FloatTest;
    require(!gives_bool || value.type->is_bool(), "a comparison gives a bool");
  }

  void check_call(const Value &value) const {
    require(value.callee, "a call has a callee");
    require(value.callee->result == value.type, "a call gives the callee's result type");
    require(value.operands.size() == value.callee->params.size(),
            "a call has an argument for every parameter");
    for (size_t i = 0; i < value.operands.size(); ++i)
      require(value.operands[i]->type == value.callee->params[i],
              "arguments have the types of the callee's parameters");
  }

  void check_runtime_call(const Value &value) const {
    const RuntimeOpRow &row = runtime_op_row(value.runtime_op);
    std::string_view letters = row.parameters;
    require(letter_fits(row.result, value.type), "the result is of the runtime function's row");
    require(letters.size() == value.operands.size(),
            "a runtime function gets as many arguments as its row says");
    for (size_t i = 0; i < letters.size(); ++i)
      require(letter_fits(letters[i], value.operands[i]->type),
              "arguments of a runtime function have the types of its row");
  }

  void check_device(const Value &value) const {
    const DeviceOpRow &row = device_op_row(value.device_op);
    require(row.operands.size() == value.operands.size(),
            "a device operation has as many operands as its row says");
    const Type *generic = nullptr;
    auto fits = [&](char letter, const Type *type) {
      if (letter == 'p')
        return is_pointer(type);
      if (letter != 'T')
        return type == device_type(letter);
      generic = generic ? generic : type;
      return type == generic && type->is_scalar();
    };
    for (size_t i = 0; i < row.operands.size(); ++i)
      require(fits(row.operands[i], value.operands[i]->type),
              "operands of a device operation have the types of its row");
    require(fits(row.result, value.type), "the result is of the device operation's row");
  }

  const Function &function_;
  const Value *at_ = nullptr;       ///< for the message
  const Block *numbered_ = nullptr; ///< whose values place_ numbers
  std::vector<size_t> place_;
};

} // namespace

std::string verify(const Function &function) { return Verifier(function).run(); }

} // namespace numjit::tir
