// Which functions of a typed module are emitted, and how: by their own convention, as the function
// that Python calls, or as a stub that has a rare one compiled.
#include "codegen/emit/debug_info.h"
#include "codegen/emit/function_emitter.h"
#include "codegen/load/deferred.h"

#include <llvm/ADT/SmallPtrSet.h>

#include <algorithm>

namespace numjit::codegen {

using llvm::Attribute;
using tir::Op;

/// Whether a value makes a function needed by its name, and not by its Entry alone.
static bool calls(const tir::Value &value, const tir::Function &function) {
  return value.callee == &function && !(value.op == Op::FunctionAddress && value.index == 1);
}

/// The function Python calls, and the body of a parallel loop, are emitted with the entry's own
/// convention, which saves a call and the compilation of a wrapper, unless they are called from
/// elsewhere too.
bool ModuleEmitter::is_emitted_in_entry(const tir::Function &function) const {
  if (function.recursive)
    return false;
  for (const tir::Function *other : emitted_)
    for (const tir::Block *block : other->blocks)
      for (const tir::Value *value : block->values)
        if (calls(*value, function))
          return false;
  return true;
}

bool ModuleEmitter::is_deferred(const tir::Function &function) const {
  if (!options_.deferred || !function.rare || function.recursive || &function == options_.root)
    return false;
  return std::ranges::none_of(options_.not_deferred, [&](size_t number) {
    return source_.functions[number].get() == &function;
  });
}

void ModuleEmitter::find_functions(const tir::Function &root) {
  emitted_ = {&root};
  for (size_t i = 0; i < emitted_.size(); ++i) {
    if (is_deferred(*emitted_[i]))
      continue; // its own callees are emitted with it
    for (const tir::Block *block : emitted_[i]->blocks)
      for (const tir::Value *value : block->values)
        if (value->callee &&
            std::find(emitted_.begin(), emitted_.end(), value->callee) == emitted_.end())
          emitted_.push_back(value->callee);
  }
}

llvm::Function *ModuleEmitter::declare_entry(const std::string &name,
                                             llvm::GlobalValue::LinkageTypes linkage) {
  auto *type = llvm::FunctionType::get(i32(), {ptr(), ptr()}, false);
  auto *entry = llvm::Function::Create(type, linkage, name, *module_);
  add_target_attributes(entry);
  for (unsigned i : {0u, 1u})
    entry->addParamAttr(i, Attribute::NoAlias);
  entry->addParamAttr(0, Attribute::ReadOnly);
  entry->getArg(0)->setName("arguments");
  entry->getArg(1)->setName("result");
  return entry;
}

/// A kernel for a GPU: the leaves of its arguments are its parameters, but for owners, which
/// nothing asks for there.
llvm::Function *ModuleEmitter::declare_kernel(const tir::Function &function) {
  llvm::SmallVector<llvm::Type *, 16> parameters;
  for (const Type *type : function.params)
    for (const LeafInfo &leaf : layout_of(type).leaves)
      if (!leaf.owner) // slots hold floats of 16 bits as floats
        parameters.push_back(leaf.leaf == Leaf::F16 || leaf.leaf == Leaf::BF16
                                 ? register_type(context_, leaf.leaf)
                                 : memory_type(context_, leaf.leaf));
  auto *kernel = llvm::Function::Create(
      llvm::FunctionType::get(llvm::Type::getVoidTy(context_), parameters, false),
      llvm::GlobalValue::ExternalLinkage, options_.entry_name, *module_);
  add_target_attributes(kernel);
  kernel->setCallingConv(llvm::CallingConv::PTX_Kernel);
  return kernel;
}

void ModuleEmitter::emit_entry(const tir::Function &function, llvm::Function *entry, bool direct) {
  const Convention convention = on_cuda() ? Convention::Kernel : Convention::Entry;
  if (direct) {
    FunctionEmitter(*this, function, entry, convention).run();
    return;
  }
  // A function of typed IR that calls the function: parameters through, result through.
  tir::Function wrapper;
  wrapper.name = function.name;
  wrapper.def = function.def;
  wrapper.params = function.params;
  wrapper.result = function.result;
  wrapper.may_raise = function.may_raise;
  tir::Block *block = wrapper.new_block();
  auto add = [&](Op op, const Type *result) {
    tir::Value *value = wrapper.new_value(op, result, Position());
    value->block = block;
    block->values.push_back(value);
    return value;
  };
  std::vector<tir::Value *> arguments;
  for (size_t i = 0; i < function.params.size(); ++i) {
    arguments.push_back(add(Op::Param, function.params[i]));
    arguments.back()->index = static_cast<int32_t>(i);
  }
  tir::Value *call = add(Op::Call, function.result);
  call->callee = const_cast<tir::Function *>(&function);
  call->operands = arguments;
  add(Op::Return, types::none())->operands = {call};
  FunctionEmitter(*this, wrapper, entry, convention).run();
}

/// The body of a rare function that is not compiled yet: asks for the address of its code at the
/// first call, and calls it.
void ModuleEmitter::emit_deferred(const tir::Function &function) {
  llvm::Function *stub = functions_.lookup(&function);
  auto *slot =
      new llvm::GlobalVariable(*module_, ptr(), false, llvm::GlobalValue::InternalLinkage,
                               llvm::ConstantPointerNull::get(ptr()), stub->getName() + ".code");
  auto block = [&](const char *name) { return llvm::BasicBlock::Create(context_, name, stub); };
  llvm::BasicBlock *entry = block("entry"), *missing = block("missing"), *failed = block("failed"),
                   *ready = block("ready");
  llvm::IRBuilder<> b(entry);
  llvm::LoadInst *known = b.CreateAlignedLoad(ptr(), slot, llvm::Align(8));
  known->setAtomic(llvm::AtomicOrdering::Acquire);
  b.CreateCondBr(b.CreateIsNull(known), missing, ready);
  b.SetInsertPoint(missing);
  auto *compile = runtime("numjit_compile_deferred",
                          llvm::FunctionType::get(ptr(), {ptr(), i64(), ptr()}, false));
  const auto number = std::find_if(source_.functions.begin(), source_.functions.end(),
                                   [&](const auto &each) { return each.get() == &function; }) -
                      source_.functions.begin();
  llvm::Value *deferred =
      options_.portable
          ? load_address(b, outside(kDeferredSymbol))
          : llvm::Constant::getIntegerValue(
                ptr(), llvm::APInt(64, reinterpret_cast<uintptr_t>(options_.deferred)));
  llvm::Value *made = b.CreateCall(compile, {deferred, b.getInt64(number), slot});
  b.CreateCondBr(b.CreateIsNull(made), failed, ready, unlikely());
  b.SetInsertPoint(failed);
  llvm::Type *result = stub->getReturnType();
  if (result->isStructTy())
    b.CreateRet(b.CreateInsertValue(llvm::PoisonValue::get(result), b.getInt32(1),
                                    result->getStructNumElements() - 1));
  else
    b.CreateRet(b.getInt32(1)); // it may raise: the status is all there is
  b.SetInsertPoint(ready);
  llvm::PHINode *code = b.CreatePHI(ptr(), 2);
  code->addIncoming(known, entry);
  code->addIncoming(made, missing);
  Leaves arguments;
  for (llvm::Argument &argument : stub->args())
    arguments.push_back(&argument);
  llvm::CallInst *call = b.CreateCall(stub->getFunctionType(), code, arguments);
  call->setCallingConv(llvm::CallingConv::Fast);
  call->setTailCall();
  b.CreateRet(call);
}

std::unique_ptr<llvm::Module> ModuleEmitter::run() {
  const tir::Function &root = options_.root ? *options_.root : *source_.functions.front();
  module_->setSourceFileName(root.name); // the file's symbol: profilers name the entry by it
  find_functions(root);
  if (options_.debug_info)
    debug_ = std::make_unique<DebugInfo>(*module_, root,
                                         options_.lines_alone ? DebugInfo::Depth::Lines
                                         : on_cuda()          ? DebugInfo::Depth::Functions
                                                              : DebugInfo::Depth::Variables);
  if (!options_.root && !options_.c_root)
    entries_[&root] = on_cuda()
                          ? declare_kernel(root)
                          : declare_entry(options_.entry_name, llvm::GlobalValue::ExternalLinkage);
  for (const tir::Function *function : emitted_) {
    if (is_deferred(*function))
      continue;
    for (const tir::Block *block : function->blocks)
      for (const tir::Value *value : block->values)
        if (value->op == Op::FunctionAddress && value->index == 1 && !loop_entry(*value->callee))
          entries_[value->callee] = declare_entry("python." + value->callee->name + ".loop",
                                                  llvm::GlobalValue::InternalLinkage);
  }
  llvm::SmallPtrSet<const tir::Function *, 4> direct;
  for (const tir::Function *function : emitted_) {
    if (loop_entry(*function) && function != options_.root && is_emitted_in_entry(*function))
      direct.insert(function);
    functions_[function] = direct.contains(function) ? loop_entry(*function) : declare(*function);
  }
  for (const tir::Function *function : emitted_) {
    if (is_deferred(*function))
      emit_deferred(*function);
    else if (!direct.contains(function))
      FunctionEmitter(*this, *function, functions_.lookup(function), Convention::Leaves).run();
    if (llvm::Function *entry = loop_entry(*function))
      emit_entry(*function, entry, direct.contains(function));
  }
  for (auto [function, body] : second_levels_)
    FunctionEmitter(*this, *function, body, Convention::SecondLevel).run();
  if (options_.c_root) {
    llvm::Function *entry = c_entry(root);
    entry->setName(options_.entry_name);
    entry->setLinkage(llvm::GlobalValue::ExternalLinkage);
  }
  emit_places();
  if (debug_)
    debug_->finish();
  return std::move(module_);
}

} // namespace numjit::codegen
