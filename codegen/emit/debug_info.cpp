#include "codegen/emit/debug_info.h"

#include "frontend/code.h"

namespace numjit::codegen {

DebugInfo::DebugInfo(llvm::Module &module, const tir::Function &root, bool lines_alone)
    : context_(module.getContext()), builder_(module) {
  module.addModuleFlag(llvm::Module::Warning, "Debug Info Version", llvm::DEBUG_METADATA_VERSION);
  module.addModuleFlag(llvm::Module::Warning, "Dwarf Version", 4);
  unit_ = builder_.createCompileUnit(llvm::DISourceLanguageName(llvm::dwarf::DW_LANG_Python),
                                     file(root.def), "numjit", /*isOptimized=*/true, "", 0, "",
                                     lines_alone ? llvm::DICompileUnit::DebugDirectivesOnly
                                                 : llvm::DICompileUnit::LineTablesOnly);
}

llvm::DIFile *DebugInfo::file(const FunctionDef *def) {
  llvm::StringRef path = def ? llvm::StringRef(def->code.filename) : "<typed IR>";
  auto [directory, name] = path.rsplit('/');
  return name.empty() ? builder_.createFile(path, "") : builder_.createFile(name, directory);
}

llvm::DISubprogram *DebugInfo::subprogram(const FunctionDef *def, const std::string &name) {
  llvm::DIFile *where = file(def);
  const unsigned line = def ? def->code.first_line : 0;
  auto *type = builder_.createSubroutineType(builder_.getOrCreateTypeArray({}));
  return builder_.createFunction(
      where, def ? def->name() : name, name, where, line, type, line, llvm::DINode::FlagZero,
      llvm::DISubprogram::SPFlagDefinition | llvm::DISubprogram::SPFlagOptimized);
}

void DebugInfo::begin(llvm::Function &function, const tir::Function &source) {
  def_ = source.def;
  inlined_.clear();
  subprogram_ = subprogram(def_, function.getName().str());
  function.setSubprogram(subprogram_);
}

void DebugInfo::set_position(llvm::IRBuilder<> &b, const tir::Value &value) {
  const unsigned line = value.position.known() ? value.position.line : 0;
  const unsigned column = value.position.column < 0 ? 0 : value.position.column + 1;
  if (!value.origin || value.origin == def_) {
    b.SetCurrentDebugLocation(llvm::DILocation::get(context_, line, column, subprogram_));
    return;
  }
  llvm::DISubprogram *&scope = inlined_[value.origin];
  if (!scope)
    scope = subprogram(value.origin, value.origin->name());
  auto *call = llvm::DILocation::getDistinct(context_, subprogram_->getLine(), 0, subprogram_);
  b.SetCurrentDebugLocation(llvm::DILocation::get(context_, line, column, scope, call));
}

} // namespace numjit::codegen
