// Translates one function of typed IR. A value of typed IR becomes its leaves, each an SSA value.
#pragma once

#include "codegen/emit/module_emitter.h"

#include <llvm/Support/Allocator.h>

#include <map>
#include <tuple>
#include <vector>

namespace numjit::codegen {

/// How arguments and results are passed.
enum class Convention : uint8_t {
  Leaves,      ///< parameters are leaves; the result is a leaf or a struct of them (and the status)
  SecondLevel, ///< as Leaves; part of a caller that is the same function and has just checked the
               ///< stack and polled
  Entry,       ///< codegen::Entry: leaves in slots of 8 bytes; the result is the status
  Kernel       ///< of a GPU: parameters are leaves but for owners; there is no result
};

class FunctionEmitter {
public:
  FunctionEmitter(ModuleEmitter &module, const tir::Function &source, llvm::Function *target,
                  Convention convention);
  void run();

private:
  using Value = tir::Value;

#define X(id, ...) void emit##id(const Value &value);
  NUMJIT_TYPED_OPS(X)
#undef X

  // --- values
  llvm::ArrayRef<llvm::Value *> leaves(const Value *value) const { return leaves_[value->id]; }
  llvm::Value *leaf(const Value *value) const { return leaves_[value->id].front(); }
  void set(const Value &value, llvm::ArrayRef<llvm::Value *> leaves) {
    leaves_[value.id] = leaves.copy(allocator_);
  }
  void set(const Value &value, llvm::Value *leaf) { set(value, llvm::ArrayRef(leaf)); }
  Leaves all_leaves(llvm::ArrayRef<tir::Value *> values) const;

  // --- blocks
  void order_blocks();
  void emit_block(const tir::Block &block);
  llvm::BasicBlock *new_block(const char *name);
  /// A block that is hardly ever entered; all of them come last.
  llvm::BasicBlock *new_cold_block(const char *name);
  void finish_phis();
  void set_position(const Value &value);

  // --- parameters and results
  void load_parameters();
  Leaves load_slots(const Type *type, llvm::Value *slots, unsigned first);
  void store_slots(const Type *type, llvm::ArrayRef<llvm::Value *> leaves, llvm::Value *slots);
  void return_status(llvm::Value *status);
  llvm::Value *error_exit_status();
  void record_raise(const Value &value);

  // --- memory
  llvm::AllocaInst *entry_alloca(llvm::Type *type, uint64_t count, llvm::Align align);
  llvm::Value *leaf_pointer(llvm::Value *base, uint32_t offset);
  llvm::Value *load_leaf(llvm::Value *pointer, const LeafInfo &leaf, llvm::MDNode *alias,
                         bool unaligned = false);
  llvm::Value *store_leaf(llvm::Value *pointer, llvm::Value *value, const LeafInfo &leaf,
                          llvm::MDNode *alias, bool unaligned = false);
  llvm::Value *to_memory(llvm::Value *value);   ///< i1 -> i8
  llvm::Value *from_memory(llvm::Value *value); ///< i8 -> i1
  llvm::CallInst *make_block(const Value &value, const char *maker,
                             llvm::ArrayRef<llvm::Value *> arguments);
  void make_object(const Value &value);
  void count_owners(const Value &counted, const char *symbol);

  // --- calls
  void leave(llvm::Value *status, const Value &raiser);
  void leave_if(llvm::Value *failed, llvm::Value *status, const Value &raiser);
  llvm::Value *stack_limit();
  llvm::Value *stack_pointer();
  llvm::CallInst *cold_call(llvm::Function *callee, llvm::ArrayRef<llvm::Value *> arguments);

  ModuleEmitter &module_;
  const tir::Function &source_;
  llvm::Function *target_;
  Convention convention_;
  llvm::IRBuilder<> b_;
  llvm::BumpPtrAllocator allocator_;
  std::vector<llvm::ArrayRef<llvm::Value *>> leaves_; ///< by Value::id
  std::vector<Leaves> parameters_;
  std::vector<const tir::Block *> order_;        ///< reverse post-order
  std::vector<llvm::BasicBlock *> first_, last_; ///< by Block::id: where it begins and ends
  llvm::SmallVector<llvm::BasicBlock *, 8> cold_blocks_;
  llvm::BasicBlock *error_exit_ = nullptr; ///< returns the status that its phi collects
  llvm::PHINode *error_status_ = nullptr;
  llvm::AllocaInst *raise_slots_ = nullptr;
  llvm::Value *stack_limit_ = nullptr;
  /// Memory that debuggers show as variables: by function of the source, name and type.
  std::map<std::tuple<const FunctionDef *, std::string, const Type *>, llvm::AllocaInst *>
      variables_;
};

} // namespace numjit::codegen
