// Calls of functions that were written in LLVM IR outside of the compiler.
#include "codegen/emit/foreign_function.h"

#include "codegen/foreign_ir.h"
#include "typeinfer/errors.h"

#include <llvm/Linker/Linker.h>

namespace numjit::codegen {

using llvm::Attribute;

/// Memory on its stack is the caller's, whose code it becomes: LLVM's inliner does not say that
/// memory which has a beginning already ends with the call.
static void keep_stack_memory(llvm::Function &function) {
  for (llvm::Instruction &each : function.getEntryBlock()) {
    auto *memory = llvm::dyn_cast<llvm::AllocaInst>(&each);
    if (memory && memory->isStaticAlloca())
      llvm::IRBuilder<>(memory->getNextNode()).CreateLifetimeStart(memory);
  }
}

/// What code of a module is compiled for.
static void take_target(llvm::Function &function, const llvm::Function &like) {
  for (const char *name : {"target-cpu", "target-features", "prefer-vector-width"})
    if (like.hasFnAttribute(name))
      function.addFnAttr(like.getFnAttribute(name));
  function.addFnAttr(Attribute::NoUnwind);
}

/// Functions of one text differ by the functions that it calls.
static std::string unique_name(const tir::Value &value) {
  std::string name = value.name;
  for (size_t i = value.operands.size() - value.index; i < value.operands.size(); ++i)
    name += "." + value.operands[i]->callee->name;
  return name;
}

static llvm::Function *foreign_function(ModuleEmitter &module, const llvm::Function &caller,
                                        const tir::Value &value, llvm::FunctionType *type) {
  llvm::Module &target = module.module();
  const std::string unique = unique_name(value);
  if (llvm::Function *known = target.getFunction(unique))
    return known;
  std::string problem;
  std::unique_ptr<llvm::Module> foreign =
      parse_foreign(value.reference->constant->text, value.name, module.context(), problem);
  if (!foreign)
    throw InternalError("LLVM IR of " + value.name + ": " + problem);
  if (foreign->getFunction(value.name)->getFunctionType() != type)
    throw InternalError("the LLVM IR of " + value.name + " has another type of function");
  foreign->setTargetTriple(target.getTargetTriple());
  foreign->setDataLayout(target.getDataLayout());
  std::vector<std::string> defined;
  for (llvm::Function &function : *foreign)
    if (!function.isDeclaration()) {
      function.setName(function.getName() == value.name ? unique
                                                        : unique + "." + function.getName().str());
      defined.push_back(function.getName().str());
    }
  for (llvm::GlobalVariable &global : foreign->globals())
    if (!global.isDeclaration())
      global.setLinkage(llvm::GlobalValue::PrivateLinkage);
  if (llvm::Linker::linkModules(target, std::move(foreign)))
    throw InternalError("LLVM IR of " + value.name + " cannot be linked");
  const size_t first = value.operands.size() - value.index;
  for (size_t i = first; i < value.operands.size(); ++i)
    if (llvm::Function *declared =
            target.getFunction(value.name + ".entry." + std::to_string(i - first))) {
      declared->replaceAllUsesWith(module.loop_entry(*value.operands[i]->callee));
      declared->eraseFromParent();
    }
  for (const std::string &name : defined) {
    llvm::Function &function = *target.getFunction(name);
    function.setLinkage(llvm::GlobalValue::InternalLinkage);
    function.setComdat(nullptr);
    take_target(function, caller);
    keep_stack_memory(function);
  }
  llvm::Function *made = target.getFunction(unique);
  made->removeFnAttr(Attribute::NoInline);
  made->addFnAttr(Attribute::AlwaysInline);
  return made;
}

Leaves call_foreign(ModuleEmitter &module, llvm::IRBuilder<> &b, const llvm::Function &caller,
                    const tir::Value &value, llvm::ArrayRef<llvm::Value *> given) {
  llvm::SmallVector<llvm::Type *, 8> parameters, parts;
  for (llvm::Value *argument : given)
    parameters.push_back(argument->getType());
  for (const LeafInfo &leaf : layout_of(value.type).leaves)
    parts.push_back(register_type(module.context(), leaf.leaf));
  auto *type =
      llvm::FunctionType::get(llvm::StructType::get(module.context(), parts), parameters, false);
  llvm::CallInst *call = b.CreateCall(foreign_function(module, caller, value, type), given);
  Leaves leaves;
  for (unsigned i = 0; i < parts.size(); ++i)
    leaves.push_back(b.CreateExtractValue(call, i));
  return leaves;
}

} // namespace numjit::codegen
