// The frame of a function: blocks, phis, parameters, results, terminators.
#include "codegen/emit/debug_info.h"
#include "codegen/emit/function_emitter.h"
#include "codegen/passes/device_memory.h"

#include <llvm/ADT/BitVector.h>

namespace numjit::codegen {

using tir::Op;

FunctionEmitter::FunctionEmitter(ModuleEmitter &module, const tir::Function &source,
                                 llvm::Function *target, Convention convention)
    : module_(module), source_(source), target_(target), convention_(convention),
      b_(module.context()), leaves_(source.values.size()), first_(source.arena_blocks.size()),
      last_(source.arena_blocks.size()) {
  llvm::FastMathFlags flags;
  flags.setAllowReassoc(source.fastmath & tir::Reassoc);
  flags.setNoNaNs(source.fastmath & tir::NoNaNs);
  flags.setNoInfs(source.fastmath & tir::NoInfs);
  flags.setNoSignedZeros(source.fastmath & tir::NoSignedZeros);
  flags.setAllowReciprocal(source.fastmath & tir::AllowReciprocal);
  flags.setAllowContract(source.fastmath & tir::AllowContract);
  flags.setApproxFunc(source.fastmath & tir::ApproxFunc);
  b_.setFastMathFlags(flags);
}

void FunctionEmitter::run() {
  using Handler = void (FunctionEmitter::*)(const Value &);
  static constexpr Handler handlers[] = {
#define X(id, ...) &FunctionEmitter::emit##id,
      NUMJIT_TYPED_OPS(X)
#undef X
  };
  order_blocks();
  // Allocas gather in a block of their own before the first one, which may be the head of a loop.
  llvm::BasicBlock *entry = new_block("entry");
  b_.SetInsertPoint(entry);
  if (DebugInfo *debug = module_.debug_info())
    debug->begin(*target_, source_);
  load_parameters();
  if (convention_ == Convention::Kernel && module_.allocates())
    begin_scratch(module_.module(), b_);
  for (const tir::Block *block : order_)
    first_[block->id] = new_block("block");
  b_.CreateBr(first_[order_.front()->id]);
  for (const tir::Block *block : order_) {
    b_.SetInsertPoint(first_[block->id]);
    for (const Value *value : block->values) {
      set_position(*value);
      (this->*handlers[static_cast<size_t>(value->op)])(*value);
    }
    last_[block->id] = b_.GetInsertBlock();
  }
  finish_phis();
  for (llvm::BasicBlock *block : cold_blocks_)
    block->insertInto(target_);
  if (error_exit_)
    error_exit_->insertInto(target_);
}

/// Reverse post-order: definitions come before uses, and unreachable blocks are left out.
void FunctionEmitter::order_blocks() {
  llvm::BitVector seen(source_.arena_blocks.size());
  llvm::SmallVector<std::pair<const tir::Block *, size_t>, 16> stack;
  const tir::Block *entry = source_.blocks.front();
  seen.set(entry->id);
  stack.push_back({entry, 0});
  while (!stack.empty()) {
    auto &[block, next] = stack.back();
    if (next == block->succs.size()) {
      order_.push_back(block);
      stack.pop_back();
      continue;
    }
    // The last successor is walked first, so that the first one follows its block in the order.
    const tir::Block *successor = block->succs[block->succs.size() - 1 - next++];
    if (!seen.test(successor->id)) {
      seen.set(successor->id);
      stack.push_back({successor, 0});
    }
  }
  std::reverse(order_.begin(), order_.end());
}

llvm::BasicBlock *FunctionEmitter::new_block(const char *name) {
  return llvm::BasicBlock::Create(module_.context(), name, target_);
}

llvm::BasicBlock *FunctionEmitter::new_cold_block(const char *name) {
  return cold_blocks_.emplace_back(llvm::BasicBlock::Create(module_.context(), name));
}

void FunctionEmitter::set_position(const Value &value) {
  if (DebugInfo *debug = module_.debug_info())
    debug->set_position(b_, value);
}

Leaves FunctionEmitter::all_leaves(llvm::ArrayRef<tir::Value *> values) const {
  Leaves all;
  for (const Value *value : values)
    all.append(leaves(value).begin(), leaves(value).end());
  return all;
}

// --- phis ---

void FunctionEmitter::emitPhi(const Value &value) {
  AnyFloats any(b_);
  Leaves phis;
  for (const LeafInfo &leaf : layout_of(value.type).leaves)
    phis.push_back(b_.CreatePHI(register_type(module_.context(), leaf.leaf), value.operands.size(),
                                value.name));
  set(value, phis);
}

void FunctionEmitter::finish_phis() {
  for (const tir::Block *block : order_)
    for (const Value *value : block->values) {
      if (value->op != Op::Phi)
        break;
      for (size_t edge = 0; edge < block->preds.size(); ++edge) {
        llvm::BasicBlock *from = last_[block->preds[edge]->id];
        if (!from) // unreachable
          continue;
        llvm::ArrayRef<llvm::Value *> incoming = leaves(value->operands[edge]);
        for (size_t i = 0; i < incoming.size(); ++i)
          llvm::cast<llvm::PHINode>(leaves(value)[i])->addIncoming(incoming[i], from);
      }
    }
}

// --- parameters and results ---

void FunctionEmitter::load_parameters() {
  unsigned next = 0, kernel_next = 0;
  auto from_memory_as = [&](const LeafInfo &leaf, llvm::Value *value) {
    return leaf.leaf == Leaf::I1 ? from_memory(value) : value;
  };
  for (const Type *type : source_.params) {
    const size_t count = layout_of(type).leaves.size();
    Leaves parameter;
    if (convention_ == Convention::Entry) {
      parameter = load_slots(type, target_->getArg(0), next);
    } else if (convention_ == Convention::Kernel) {
      for (const LeafInfo &leaf : layout_of(type).leaves)
        parameter.push_back(leaf.owner ? llvm::ConstantPointerNull::get(module_.ptr())
                                       : from_memory_as(leaf, target_->getArg(kernel_next++)));
    } else {
      for (size_t i = 0; i < count; ++i)
        parameter.push_back(target_->getArg(next + i));
    }
    if (module_.options().value_names && parameters_.size() < source_.param_names.size())
      for (llvm::Value *leaf : parameter)
        leaf->setName(source_.param_names[parameters_.size()]);
    next += count;
    parameters_.push_back(std::move(parameter));
  }
  if (source_.recursive) {
    stack_limit_ = target_->getArg(next);
    stack_limit_->setName("stack_limit");
  }
}

/// Marks the lengths of an array, which are at least 0.
static bool is_length(const Type *type, size_t leaf) {
  return type->is_array() && leaf >= 2 && leaf < 2u + type->ndim;
}

Leaves FunctionEmitter::load_slots(const Type *type, llvm::Value *slots, unsigned first) {
  Leaves result;
  const TypeLayout &layout = layout_of(type);
  for (size_t i = 0; i < layout.leaves.size(); ++i) {
    // Every leaf lies in the low bytes of its slot, a float of 16 bits as a float.
    llvm::Value *pointer = leaf_pointer(slots, 8 * (first + i));
    LeafInfo in_slot = layout.leaves[i];
    if (in_slot.leaf == Leaf::F16 || in_slot.leaf == Leaf::BF16)
      in_slot.leaf = Leaf::F32;
    llvm::Value *leaf = load_leaf(pointer, in_slot, nullptr);
    if (auto *load = llvm::dyn_cast<llvm::LoadInst>(leaf); load && is_length(type, i))
      load->setMetadata(llvm::LLVMContext::MD_range, module_.nonnegative());
    result.push_back(leaf);
  }
  return result;
}

void FunctionEmitter::store_slots(const Type *type, llvm::ArrayRef<llvm::Value *> leaves,
                                  llvm::Value *slots) {
  llvm::SmallVector<const Type *, 8> types;
  leaf_types(type, types);
  for (size_t i = 0; i < leaves.size(); ++i) {
    llvm::Value *leaf = leaves[i];
    if (leaf->getType()->isIntegerTy())
      leaf = types[i]->is_signed() ? b_.CreateSExt(leaf, module_.i64())
                                   : b_.CreateZExt(leaf, module_.i64());
    b_.CreateAlignedStore(leaf, leaf_pointer(slots, 8 * i), llvm::Align(8));
  }
}

void FunctionEmitter::emitParam(const Value &value) { set(value, parameters_[value.index]); }

void FunctionEmitter::return_status(llvm::Value *status) {
  if (convention_ == Convention::Kernel) {
    b_.CreateRetVoid();
    return;
  }
  if (convention_ == Convention::Entry || target_->getReturnType()->isIntegerTy()) {
    b_.CreateRet(status);
    return;
  }
  auto *type = llvm::cast<llvm::StructType>(target_->getReturnType());
  b_.CreateRet(
      b_.CreateInsertValue(llvm::PoisonValue::get(type), status, type->getNumElements() - 1));
}

void FunctionEmitter::emitReturn(const Value &value) {
  llvm::ArrayRef<llvm::Value *> result = leaves(value.operands[0]);
  llvm::Value *fine = b_.getInt32(0);
  if (convention_ == Convention::Kernel) {
    b_.CreateRetVoid();
    return;
  }
  if (convention_ == Convention::Entry) {
    store_slots(value.operands[0]->type, result, target_->getArg(1));
    b_.CreateRet(fine);
    return;
  }
  Leaves parts(result.begin(), result.end());
  if (source_.may_raise)
    parts.push_back(fine);
  if (parts.empty())
    b_.CreateRetVoid();
  else if (parts.size() == 1)
    b_.CreateRet(parts[0]);
  else
    b_.CreateAggregateRet(parts.data(), parts.size());
}

// --- other terminators ---

void FunctionEmitter::emitJump(const Value &value) {
  b_.CreateBr(first_[value.block->succs[0]->id]);
}

void FunctionEmitter::emitBranch(const Value &value) {
  llvm::BasicBlock *yes = first_[value.block->succs[0]->id],
                   *no = first_[value.block->succs[1]->id];
  llvm::MDNode *weights = value.index == 1   ? module_.likely()
                          : value.index == 2 ? module_.unlikely()
                                             : nullptr;
  b_.CreateCondBr(leaf(value.operands[0]), yes, no, weights);
}

void FunctionEmitter::emitUnreachable(const Value &) { b_.CreateUnreachable(); }

} // namespace numjit::codegen
