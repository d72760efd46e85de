#include "codegen/foreign_ir.h"

#include "codegen/load/symbols.h"

#include <llvm/AsmParser/Parser.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/InstrTypes.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Support/SourceMgr.h>
#include <llvm/Support/raw_ostream.h>

namespace numjit::codegen {

std::unique_ptr<llvm::Module> parse_foreign(const std::string &text, const std::string &name,
                                            llvm::LLVMContext &context, std::string &problem) {
  llvm::SMDiagnostic diagnostic;
  const bool discards = context.shouldDiscardValueNames(); // a text names its values
  context.setDiscardValueNames(false);
  std::unique_ptr<llvm::Module> module = llvm::parseAssemblyString(text, diagnostic, context);
  context.setDiscardValueNames(discards);
  if (!module) {
    problem = diagnostic.getMessage().str();
    if (!diagnostic.getLineContents().empty())
      problem += ", in the line:\n" + diagnostic.getLineContents().str();
    return nullptr;
  }
  llvm::raw_string_ostream stream(problem);
  if (llvm::verifyModule(*module, &stream))
    return nullptr;
  if (llvm::Function *function = module->getFunction(name);
      !function || function->isDeclaration()) {
    problem = "it does not define the function " + name;
    return nullptr;
  }
  return module;
}

/// Assembly in IR, of which LLVM would end the process: there is no assembler. Empty otherwise.
static std::string inline_assembly(const llvm::Module &module) {
  if (!module.getModuleInlineAsm().empty())
    return module.getModuleInlineAsm();
  for (const llvm::Function &function : module)
    for (const llvm::Instruction &instruction : llvm::instructions(function))
      if (auto *call = llvm::dyn_cast<llvm::CallBase>(&instruction); call && call->isInlineAsm())
        if (auto *text = llvm::cast<llvm::InlineAsm>(call->getCalledOperand());
            !text->getAsmString().empty())
          return std::string(text->getAsmString());
  return {};
}

std::string foreign_problem(const std::string &text, const std::string &name) {
  llvm::LLVMContext context;
  std::string problem;
  std::unique_ptr<llvm::Module> module = parse_foreign(text, name, context, problem);
  if (!module)
    return problem.empty() ? "it is malformed" : problem;
  if (const std::string assembly = inline_assembly(*module); !assembly.empty())
    return "it has inline assembly, and numjit has no assembler: " + assembly;
  const std::string entry = name + ".entry.";
  for (const llvm::Function &function : *module)
    if (function.isDeclaration() && !function.isIntrinsic() &&
        !function.getName().starts_with(entry) && !symbol_address(function.getName()))
      return "this process has no symbol " + function.getName().str();
  return {};
}

} // namespace numjit::codegen
