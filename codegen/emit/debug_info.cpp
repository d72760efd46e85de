#include "codegen/emit/debug_info.h"

#include "frontend/code.h"

#include <llvm/IR/Module.h>

namespace numjit::codegen {

static llvm::DICompileUnit::DebugEmissionKind emission_kind(DebugInfo::Depth depth) {
  switch (depth) {
  case DebugInfo::Depth::Lines: return llvm::DICompileUnit::DebugDirectivesOnly;
  case DebugInfo::Depth::Functions: return llvm::DICompileUnit::LineTablesOnly;
  case DebugInfo::Depth::Variables: break;
  }
  return llvm::DICompileUnit::FullDebug;
}

DebugInfo::DebugInfo(llvm::Module &module, const tir::Function &root, Depth depth)
    : context_(module.getContext()), builder_(module), has_variables_(depth == Depth::Variables) {
  module.addModuleFlag(llvm::Module::Warning, "Debug Info Version", llvm::DEBUG_METADATA_VERSION);
  module.addModuleFlag(llvm::Module::Warning, "Dwarf Version", 4);
  // Without a folder of its own: the table of lines leaves that out of the names of files.
  llvm::DIFile *where = root.def ? builder_.createFile(root.def->code.filename, "") : file(nullptr);
  unit_ =
      builder_.createCompileUnit(llvm::DISourceLanguageName(llvm::dwarf::DW_LANG_Python), where,
                                 "numjit", /*isOptimized=*/true, "", 0, "", emission_kind(depth));
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
  return builder_.createFunction(where, def ? def->name() : name, has_variables_ ? "" : name, where,
                                 line, type, line, llvm::DINode::FlagZero,
                                 llvm::DISubprogram::SPFlagDefinition |
                                     llvm::DISubprogram::SPFlagOptimized);
}

void DebugInfo::begin(llvm::Function &function, const tir::Function &source) {
  def_ = source.def;
  inlined_.clear();
  subprogram_ = subprogram(def_, function.getName().str());
  function.setSubprogram(subprogram_);
}

llvm::DILocation *DebugInfo::position_of_caller(llvm::Function &function,
                                                const tir::Function &source) {
  llvm::DISubprogram *scope = subprogram(source.def, function.getName().str());
  function.setSubprogram(scope);
  return llvm::DILocation::get(context_, scope->getLine(), 0, scope);
}

void DebugInfo::set_position(llvm::IRBuilder<> &b, const tir::Value &value) {
  b.SetCurrentDebugLocation(location(value));
}

llvm::DILocation *DebugInfo::location(const tir::Value &value) {
  const unsigned line = value.position.known() ? value.position.line : 0;
  const unsigned column = value.position.column < 0 ? 0 : value.position.column + 1;
  if (!value.origin || value.origin == def_)
    return llvm::DILocation::get(context_, line, column, subprogram_);
  llvm::DISubprogram *&scope = inlined_[value.origin];
  if (!scope)
    scope = subprogram(value.origin, value.origin->name());
  auto *call = llvm::DILocation::getDistinct(context_, subprogram_->getLine(), 0, subprogram_);
  return llvm::DILocation::get(context_, line, column, scope, call);
}

// --- variables -----------------------------------------------------------------------------------

void DebugInfo::declare(llvm::AllocaInst *memory, const tir::Value &bind) {
  llvm::DILocation *where = location(bind);
  llvm::DISubprogram *scope = where->getScope()->getSubprogram();
  llvm::DILocalVariable *variable =
      builder_.createAutoVariable(scope, bind.name, scope->getFile(), where->getLine(),
                                  type(bind.operands[0]->type), /*AlwaysPreserve=*/true);
  builder_.insertDeclare(memory, variable, builder_.createExpression(), where,
                         std::next(memory->getIterator()));
}

llvm::DIType *DebugInfo::type(const Type *type) {
  if (auto known = types_.find(type); known != types_.end())
    return known->second;
  llvm::DIType *made = type->is_scalar() ? scalar(type) : structure(type);
  types_[type] = made;
  return made;
}

llvm::DIType *DebugInfo::scalar(const Type *type) {
  unsigned encoding = llvm::dwarf::DW_ATE_signed;
  switch (type->cls()) {
  case ScalarClass::Bool: encoding = llvm::dwarf::DW_ATE_boolean; break;
  case ScalarClass::Signed: break;
  case ScalarClass::Unsigned: encoding = llvm::dwarf::DW_ATE_unsigned; break;
  case ScalarClass::Float: encoding = llvm::dwarf::DW_ATE_float; break;
  case ScalarClass::Complex: encoding = llvm::dwarf::DW_ATE_complex_float; break;
  }
  return builder_.createBasicType(type->text, 8 * uint64_t{layout_of(type).size}, encoding);
}

llvm::DIType *DebugInfo::pointer_to(llvm::DIType *type) {
  return builder_.createPointerType(type, 64);
}

/// A C struct of the fields that a value has in memory; what has none is an address.
llvm::DIType *DebugInfo::structure(const Type *type) {
  const TypeLayout &layout = layout_of(type);
  if (type->kind == Kind::Pointer && !type->params.empty())
    return pointer_to(type->params[0]->is_scalar() ? scalar(type->params[0]) : nullptr);
  if (type->fields.empty() || (type->fields.size() == 1 && type->fields[0] == types::owner()))
    return pointer_to(nullptr);
  static constexpr const char *of_array[] = {"data", "owner", "shape", "strides"};
  llvm::SmallVector<llvm::Metadata *> members;
  for (size_t i = 0; i < type->fields.size(); ++i) {
    const Type *field = type->fields[i];
    if (layout_of(field).leaves.empty())
      continue;
    std::string name = i < type->names.size() ? type->names[i] : "f" + std::to_string(i);
    if (type->is_array() && i < std::size(of_array))
      name = of_array[i];
    llvm::DIType *member = this->type(field);
    members.push_back(builder_.createMemberType(
        unit_, name, unit_->getFile(), 0, 8 * uint64_t{layout_of(field).size},
        8 * layout_of(field).align, 8 * static_cast<uint64_t>(field_offset(type, int(i))),
        llvm::DINode::FlagZero, member));
  }
  return builder_.createStructType(
      unit_, type->text, unit_->getFile(), 0, 8 * uint64_t{layout.size}, 8 * layout.align,
      llvm::DINode::FlagZero, nullptr, builder_.getOrCreateArray(members));
}

} // namespace numjit::codegen
