// Translates a typed module to LLVM IR. This header is what the emitters of this folder share:
// types, declarations of callees, constants, alias metadata.
#pragma once

#include "codegen/object.h"
#include "typeinfer/ir/typed_ir.h"

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/ADT/StringMap.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

#include <memory>
#include <string>

namespace numjit::codegen {

class DebugInfo;

using Leaves = llvm::SmallVector<llvm::Value *, 4>;

class Deferred;

struct EmitOptions {
  std::string entry_name = kEntrySymbol;
  std::string prefix = "numjit."; ///< of symbols that others define or see, but for the entry's
  tir::Target target = tir::Target::Host;
  /// The function to emit, with what it calls; null: what Python calls, behind an Entry.
  const tir::Function *root = nullptr;
  /// Compiles rare functions when they are called; null: they are emitted like all others.
  Deferred *deferred = nullptr;
  /// Numbers of rare functions that are emitted all the same.
  std::vector<size_t> not_deferred;
  /// Addresses are left to the loader, so that the code can be loaded into other processes.
  bool portable = false;
  std::string cpu, features;
  bool fma = false;         ///< the target has fused multiply-add instructions
  bool value_names = false; ///< for people to read
  bool debug_info = false;
  bool lines_alone = false; ///< of debug_info only what profilers read
  /// Kernels for GPUs: whether what is raised is recorded for the host.
  bool record_raises = false;
  /// The root is a function for C callers rather than what Python calls: cuda.compile.
  bool c_root = false;
};

/// Type of a leaf in registers (a bool is i1), and in memory and foreign calls (i8).
/// The most values of a raise in a kernel that its record has places for.
constexpr size_t kRecordedValues = 4;
size_t recorded_values(const tir::Value &raised);

llvm::Type *register_type(llvm::LLVMContext &context, Leaf leaf);
llvm::Type *memory_type(llvm::LLVMContext &context, Leaf leaf);
/// The scalar, Pointer or Owner type behind each leaf of a type, in order.
void leaf_types(const Type *type, llvm::SmallVectorImpl<const Type *> &out);

/// While it lives, floats may be NaN and infinite also with fast-math: those that are passed on,
/// cast and returned. Only arithmetic assumes that they are not, so that a program can test its
/// data.
struct AnyFloats {
  explicit AnyFloats(llvm::IRBuilderBase &b) : guard(b) {
    llvm::FastMathFlags flags = b.getFastMathFlags();
    flags.setNoNaNs(false);
    flags.setNoInfs(false);
    b.setFastMathFlags(flags);
  }
  llvm::IRBuilderBase::FastMathFlagGuard guard;
};

class ModuleEmitter {
public:
  ModuleEmitter(const tir::Module &source, llvm::LLVMContext &context, const EmitOptions &options);
  ~ModuleEmitter();
  std::unique_ptr<llvm::Module> run();

  llvm::LLVMContext &context() { return context_; }
  llvm::Module &module() { return *module_; }
  const EmitOptions &options() const { return options_; }
  DebugInfo *debug_info() { return debug_.get(); }
  bool allocates() const; ///< whether anything makes arrays
  bool on_cuda() const { return options_.target == tir::Target::Cuda; }
  /// On a GPU or in the simulator.
  bool in_kernel() const { return options_.target != tir::Target::Host; }
  /// Raises of a kernel, whose number is their place + 1.
  const std::vector<std::pair<const tir::Value *, const tir::Function *>> &raises() const {
    return raises_;
  }
  size_t add_raise(const tir::Value &raise, const tir::Function &in) {
    raises_.emplace_back(&raise, &in);
    return raises_.size();
  }

  /// The function that `function` becomes: its leaves as parameters.
  llvm::Function *function(const tir::Function &function) { return functions_.lookup(&function); }
  /// The same for a call of a small function by itself, which is inlined: two levels of recursion
  /// then share a stack check and an interrupt point.
  llvm::Function *recursive_call(const tir::Function &function);
  /// With the C calling convention, for callers that hold a pointer; its status is dropped.
  llvm::Function *c_entry(const tir::Function &function);
  /// With the convention of codegen::Entry: the body of a parallel loop, which the runtime calls.
  llvm::Function *loop_entry(const tir::Function &function) { return entries_.lookup(&function); }
  llvm::StructType *result_struct(const tir::Function &function);

  /// A function of the runtime by its symbol, declared once.
  llvm::Function *runtime(llvm::StringRef symbol, llvm::FunctionType *type);
  llvm::Function *runtime(const tir::RuntimeOpRow &row);
  /// A function of the runtime that code generation calls itself: NUMJIT_RUNTIME_ENTRY.
  llvm::Function *runtime(std::string_view symbol);
  /// Letters are those of runtime_ops.def.
  llvm::FunctionType *type_of_letters(char result, std::string_view parameters);
  /// A pure function outside of the module (libm).
  llvm::Function *pure_function(llvm::StringRef symbol, llvm::FunctionType *type);
  /// A function of the module that lowerings share, such as gcd: made by `build` at its first use.
  llvm::Function *helper(const std::string &name, llvm::FunctionType *type,
                         llvm::function_ref<void(llvm::Function *)> build);
  /// A number of the runtime's that code reads.
  llvm::GlobalVariable *flag(llvm::StringRef symbol);

  llvm::Constant *raise_site(const tir::Value &raise, const tir::Function &in);
  /// The status with which a function leaves when a part of the library or of the runtime has
  /// failed that `caller` called: it says where that is, if it is in the user's source.
  llvm::ConstantInt *status_of(const tir::Value &caller, const tir::Function &in);
  /// Bytes, given in hexadecimal, that outlive the module.
  llvm::Constant *constant_bytes(llvm::StringRef hexadecimal);
  llvm::Constant *string(llvm::StringRef text); ///< null for an empty text
  /// In constant data, and in code; null for no reference.
  llvm::Constant *address(const Reference *of);
  llvm::Value *address(llvm::IRBuilderBase &b, const Reference *of);
  /// What the symbols reference_symbol(i) of portable code stand for.
  const std::vector<const Reference *> &references() const { return references_; }

  /// Of counts of references.
  llvm::MDNode *count_tag() { return count_tag_; }
  llvm::MDNode *alias_tag(tir::Alias alias) { return alias_tags_[static_cast<size_t>(alias)]; }
  llvm::MDNode *unlikely() { return unlikely_; } ///< branch weights: the first successor is rare
  llvm::MDNode *likely() { return likely_; }
  llvm::MDNode *nonnegative() { return nonnegative_; } ///< range of int64

  llvm::Type *i1() { return llvm::Type::getInt1Ty(context_); }
  llvm::Type *i8() { return llvm::Type::getInt8Ty(context_); }
  llvm::Type *i32() { return llvm::Type::getInt32Ty(context_); }
  llvm::Type *i64() { return llvm::Type::getInt64Ty(context_); }
  llvm::PointerType *ptr() { return llvm::PointerType::get(context_, 0); }

private:
  llvm::Function *declare(const tir::Function &function);
  void add_target_attributes(llvm::Function *function);
  llvm::Function *declare_entry(const std::string &name, llvm::GlobalValue::LinkageTypes linkage);
  llvm::Function *declare_kernel(const tir::Function &function);
  void emit_entry(const tir::Function &function, llvm::Function *entry, bool direct);
  bool is_emitted_in_entry(const tir::Function &function) const;
  bool is_deferred(const tir::Function &function) const;
  void find_functions(const tir::Function &root);
  void emit_deferred(const tir::Function &function);
  void emit_places();

  const tir::Module &source_;
  llvm::LLVMContext &context_;
  const EmitOptions &options_;
  std::vector<const tir::Function *> emitted_; ///< what the root reaches, it first
  std::unique_ptr<llvm::Module> module_;
  std::unique_ptr<DebugInfo> debug_;
  llvm::DenseMap<const tir::Function *, llvm::Function *> functions_, second_levels_, c_entries_,
      entries_;
  llvm::StringMap<llvm::Constant *> strings_;
  llvm::Constant *outside(const llvm::Twine &symbol);
  llvm::Value *load_address(llvm::IRBuilderBase &b, llvm::Constant *symbol);
  std::vector<const Reference *> references_;
  std::vector<std::pair<const tir::Value *, const tir::Function *>> raises_;
  std::vector<std::pair<const FunctionDef *, int>> places_; ///< function and line
  llvm::MDNode *alias_tags_[8] = {};
  llvm::MDNode *count_tag_ = nullptr;
  llvm::MDNode *unlikely_ = nullptr, *likely_ = nullptr, *nonnegative_ = nullptr;
  llvm::AttributeList target_attributes_;
};

} // namespace numjit::codegen
