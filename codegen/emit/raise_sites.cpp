// Where an error comes from: the constants that statuses and raised exceptions point to.
#include "codegen/emit/module_emitter.h"
#include "frontend/code.h"

#include <algorithm>

namespace numjit::codegen {

llvm::ConstantInt *ModuleEmitter::status_of(const tir::Value &caller, const tir::Function &in) {
  const FunctionDef *def = caller.origin ? caller.origin : in.def;
  if (on_cuda() || !def || def->is_library || !caller.position.known())
    return llvm::cast<llvm::ConstantInt>(llvm::ConstantInt::get(i32(), 1));
  const std::pair place(def, caller.position.line);
  auto found = std::find(places_.begin(), places_.end(), place);
  const auto number = static_cast<uint64_t>(found - places_.begin());
  if (found == places_.end())
    places_.push_back(place);
  return llvm::cast<llvm::ConstantInt>(llvm::ConstantInt::get(i32(), number + 2));
}

/// The table of places that statuses number (nj_places, runtime.h).
void ModuleEmitter::emit_places() {
  if (places_.empty())
    return;
  auto *row_type = llvm::StructType::get(ptr(), ptr(), i64());
  auto *rows_type = llvm::ArrayType::get(row_type, places_.size());
  llvm::SmallVector<llvm::Constant *, 8> rows;
  for (const auto &[def, line] : places_)
    rows.push_back(llvm::ConstantStruct::get(row_type, string(def->code.name),
                                             string(def->code.filename),
                                             llvm::ConstantInt::get(i64(), line)));
  auto *type = llvm::StructType::get(i64(), rows_type);
  llvm::Constant *table =
      llvm::ConstantStruct::get(type, llvm::ConstantInt::get(i64(), places_.size()),
                                llvm::ConstantArray::get(rows_type, rows));
  auto *places = llvm::cast<llvm::GlobalVariable>(
      module_->getOrInsertGlobal(options_.prefix + "places", type));
  places->setConstant(true);
  places->setInitializer(table);
}

/// A constant nj_site (runtime.h).
llvm::Constant *ModuleEmitter::raise_site(const tir::Value &raise, const tir::Function &in) {
  const tir::RaiseSite &site = *raise.site;
  const FunctionDef *def = raise.origin ? raise.origin : in.def;
  llvm::SmallVector<llvm::Constant *, 4> types;
  llvm::SmallVector<uint32_t, 4> owners;
  size_t slots = 0;
  if (!raise.operands.empty())
    for (const tir::Value *argument : raise.operands) {
      types.push_back(address(references::make(references::type, {argument->type})));
      for (const LeafInfo &leaf : layout_of(argument->type).leaves) {
        if (leaf.owner)
          owners.push_back(static_cast<uint32_t>(slots));
        ++slots;
      }
    }
  llvm::Constant *type_table = llvm::ConstantPointerNull::get(ptr());
  if (!types.empty()) {
    auto *array_type = llvm::ArrayType::get(ptr(), types.size());
    type_table =
        new llvm::GlobalVariable(*module_, array_type, true, llvm::GlobalValue::PrivateLinkage,
                                 llvm::ConstantArray::get(array_type, types), "types");
  }
  llvm::Constant *owner_table = llvm::ConstantPointerNull::get(ptr());
  if (!owners.empty()) {
    llvm::Constant *data = llvm::ConstantDataArray::get(context_, owners);
    owner_table = new llvm::GlobalVariable(*module_, data->getType(), true,
                                           llvm::GlobalValue::PrivateLinkage, data, "owners");
  }
  llvm::Constant *message = string(site.message);
  if (site.has_message && site.message.empty())
    message = string(llvm::StringRef("\0", 1));
  auto number = [&](size_t value) { return llvm::ConstantInt::get(i32(), value); };
  llvm::Constant *fields[] = {
      string(site.builtin),
      address(site.cls && site.cls->object && site.cls->object->handle
                  ? references::make(references::object, {}, site.cls)
                  : nullptr),
      message,
      string(def ? def->code.name : in.name),
      string(def ? def->code.filename : ""),
      number(raise.position.known() ? raise.position.line : 0),
      number(types.size()),
      type_table,
      number(slots),
      number(site.has_cause),
      number(owners.size()),
      owner_table,
  };
  auto *value = llvm::ConstantStruct::getAnon(context_, fields);
  return new llvm::GlobalVariable(*module_, value->getType(), true,
                                  llvm::GlobalValue::PrivateLinkage, value, "site");
}

} // namespace numjit::codegen
