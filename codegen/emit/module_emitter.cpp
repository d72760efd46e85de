#include "codegen/emit/module_emitter.h"

#include "codegen/emit/debug_info.h"
#include "codegen/load/deferred.h"
#include "codegen/load/symbols.h"
#include "frontend/code.h"
#include "typeinfer/errors.h"

#include <llvm/IR/MDBuilder.h>

#include <algorithm>

namespace numjit::codegen {

using llvm::Attribute;
using tir::Alias;
using tir::Effect;
using tir::Op;

llvm::Type *register_type(llvm::LLVMContext &context, Leaf leaf) {
  switch (leaf) {
  case Leaf::I1: return llvm::Type::getInt1Ty(context);
  case Leaf::I8: return llvm::Type::getInt8Ty(context);
  case Leaf::I16: return llvm::Type::getInt16Ty(context);
  case Leaf::I32: return llvm::Type::getInt32Ty(context);
  case Leaf::I64: return llvm::Type::getInt64Ty(context);
  case Leaf::F16: // of a value that fits
  case Leaf::BF16:
  case Leaf::F32: return llvm::Type::getFloatTy(context);
  case Leaf::F64: return llvm::Type::getDoubleTy(context);
  case Leaf::Ptr: return llvm::PointerType::get(context, 0);
  }
  llvm_unreachable("leaf");
}

llvm::Type *memory_type(llvm::LLVMContext &context, Leaf leaf) {
  switch (leaf) {
  case Leaf::I1: return llvm::Type::getInt8Ty(context);
  case Leaf::F16: return llvm::Type::getHalfTy(context);
  case Leaf::BF16: return llvm::Type::getInt16Ty(context);
  default: return register_type(context, leaf);
  }
}

void leaf_types(const Type *type, llvm::SmallVectorImpl<const Type *> &out) {
  if (type->is_scalar() || type->kind == Kind::Pointer || type->kind == Kind::Owner) {
    out.append(layout_of(type).leaves.size(), type);
    return;
  }
  for (const Type *field : type->fields)
    leaf_types(field, out);
}

ModuleEmitter::ModuleEmitter(const tir::Module &source, llvm::LLVMContext &context,
                             const EmitOptions &options)
    : source_(source), context_(context), options_(options),
      module_(std::make_unique<llvm::Module>("numjit", context)) {
  llvm::MDBuilder metadata(context);
  // Memory of unknown class overlaps all others: it is their parent in the tree of classes.
  llvm::MDNode *any = metadata.createTBAANode("memory", metadata.createTBAARoot("numjit"));
  auto tag = [&](Alias alias, llvm::MDNode *type) {
    alias_tags_[static_cast<size_t>(alias)] = metadata.createTBAAStructTagNode(type, type, 0);
  };
  tag(Alias::Any, any);
  tag(Alias::ArrayData, metadata.createTBAANode("array data", any));
  tag(Alias::ListHeader, metadata.createTBAANode("list header", any));
  tag(Alias::ListData, metadata.createTBAANode("list data", any));
  tag(Alias::Stack, metadata.createTBAANode("stack", any));
  tag(Alias::Frame, metadata.createTBAANode("frame", any));
  tag(Alias::Fields, metadata.createTBAANode("fields", any));
  llvm::MDNode *count = metadata.createTBAANode("count", any);
  count_tag_ = metadata.createTBAAStructTagNode(count, count, 0);
  alias_tags_[static_cast<size_t>(Alias::Unaligned)] = alias_tag(Alias::ArrayData);
  unlikely_ = metadata.createUnlikelyBranchWeights();
  likely_ = metadata.createLikelyBranchWeights();
  nonnegative_ = metadata.createRange(llvm::APInt(64, 0), llvm::APInt::getSignedMinValue(64));

  llvm::AttrBuilder attributes(context);
  attributes.addAttribute("target-cpu", options.cpu);
  attributes.addAttribute("target-features", options.features);
  if (on_cuda())
    attributes.addAttribute(Attribute::Convergent);
  else if (options.cpu != "znver5") // which computes with 512 bits as fast as with 256
    attributes.addAttribute("prefer-vector-width", "256");
  attributes.addAttribute(Attribute::NoUnwind);
  target_attributes_ =
      llvm::AttributeList::get(context, llvm::AttributeList::FunctionIndex, attributes);
}

ModuleEmitter::~ModuleEmitter() = default;

void ModuleEmitter::add_target_attributes(llvm::Function *function) {
  function->setAttributes(target_attributes_);
}

bool ModuleEmitter::allocates() const {
  for (const auto &function : source_.functions)
    for (const tir::Block *block : function->blocks)
      for (const tir::Value *value : block->values)
        if (value->op == Op::Alloc)
          return true;
  return false;
}

llvm::StructType *ModuleEmitter::result_struct(const tir::Function &function) {
  llvm::SmallVector<llvm::Type *, 8> parts;
  for (const LeafInfo &leaf : layout_of(function.result).leaves)
    parts.push_back(register_type(context_, leaf.leaf));
  if (function.may_raise)
    parts.push_back(i32());
  return llvm::StructType::get(context_, parts);
}

llvm::Function *ModuleEmitter::declare(const tir::Function &function) {
  llvm::SmallVector<llvm::Type *, 16> parameters;
  for (const Type *type : function.params)
    for (const LeafInfo &leaf : layout_of(type).leaves)
      parameters.push_back(register_type(context_, leaf.leaf));
  if (function.recursive)
    parameters.push_back(ptr()); // lowest stack address it may reach
  llvm::StructType *parts = result_struct(function);
  llvm::Type *result = parts->getNumElements() == 0   ? llvm::Type::getVoidTy(context_)
                       : parts->getNumElements() == 1 ? parts->getElementType(0)
                                                      : parts;
  const bool is_root = &function == options_.root;
  auto *llvm_function = llvm::Function::Create(
      llvm::FunctionType::get(result, parameters, false),
      is_root ? llvm::GlobalValue::ExternalLinkage : llvm::GlobalValue::InternalLinkage,
      is_root ? kEntrySymbol : "python." + function.name, // apart from C symbols: def log(x)
      *module_);
  add_target_attributes(llvm_function);
  llvm_function->setCallingConv(llvm::CallingConv::Fast);
  if (on_cuda() || (function.inline_always && !function.recursive))
    llvm_function->addFnAttr(Attribute::AlwaysInline); // LLVM leaves recursive ones as they are
  else if (function.inline_never || &function == source_.functions.front().get())
    llvm_function->addFnAttr(Attribute::NoInline);
  if (function.rare && !on_cuda()) {
    llvm_function->addFnAttr(Attribute::OptimizeForSize);
    llvm_function->addFnAttr(Attribute::Cold);
  }
  return llvm_function;
}

llvm::Function *ModuleEmitter::recursive_call(const tir::Function &function) {
  constexpr size_t small = 64;
  if (function.values.size() > small || is_deferred(function))
    return functions_.lookup(&function);
  llvm::Function *&body = second_levels_[&function];
  if (!body) {
    body = declare(function);
    body->setLinkage(llvm::GlobalValue::InternalLinkage);
    body->removeFnAttr(Attribute::NoInline);
    body->addFnAttr(Attribute::AlwaysInline);
  }
  return body;
}

llvm::Function *ModuleEmitter::c_entry(const tir::Function &function) {
  llvm::Function *&entry = c_entries_[&function];
  if (entry)
    return entry;
  llvm::Function *callee = functions_.lookup(&function);
  llvm::SmallVector<llvm::Type *, 8> parameters;
  for (const Type *type : function.params)
    for (const LeafInfo &leaf : layout_of(type).leaves)
      parameters.push_back(register_type(context_, leaf.leaf));
  auto &leaves = layout_of(function.result).leaves;
  llvm::SmallVector<llvm::Type *, 2> results;
  for (const LeafInfo &leaf : leaves)
    results.push_back(register_type(context_, leaf.leaf));
  llvm::Type *result = results.empty()       ? llvm::Type::getVoidTy(context_)
                       : results.size() == 1 ? results[0]
                                             : llvm::StructType::get(context_, results);
  entry = llvm::Function::Create(llvm::FunctionType::get(result, parameters, false),
                                 llvm::GlobalValue::InternalLinkage,
                                 "python." + function.name + ".c", *module_);
  add_target_attributes(entry);
  llvm::IRBuilder<> b(llvm::BasicBlock::Create(context_, "", entry));
  if (debug_)
    b.SetCurrentDebugLocation(debug_->position_of_caller(*entry, function));
  Leaves arguments;
  for (llvm::Argument &argument : entry->args())
    arguments.push_back(&argument);
  if (function.recursive) {
    auto *limit = runtime("nj_stack_limit");
    arguments.push_back(b.CreateCall(limit));
  }
  llvm::CallInst *call = b.CreateCall(callee, arguments);
  call->setCallingConv(llvm::CallingConv::Fast);
  if (leaves.empty()) {
    b.CreateRetVoid();
  } else if (!call->getType()->isStructTy()) {
    b.CreateRet(call);
  } else {
    Leaves parts;
    for (unsigned i = 0; i < leaves.size(); ++i)
      parts.push_back(b.CreateExtractValue(call, i));
    if (parts.size() == 1)
      b.CreateRet(parts[0]);
    else
      b.CreateAggregateRet(parts.data(), parts.size());
  }
  return entry;
}

llvm::Function *ModuleEmitter::runtime(llvm::StringRef symbol, llvm::FunctionType *type) {
  if (llvm::Function *known = module_->getFunction(symbol))
    return known;
  auto *function =
      llvm::Function::Create(type, llvm::GlobalValue::ExternalLinkage, symbol, *module_);
  function->addFnAttr(Attribute::NoUnwind);
  return function;
}

llvm::FunctionType *ModuleEmitter::type_of_letters(char result, std::string_view parameters) {
  auto type_of = [&](char letter) -> llvm::Type * {
    switch (letter) {
    case 'v': return llvm::Type::getVoidTy(context_);
    case 'b': return i8();
    case 'e': return i32();
    case 'i':
    case 'u': return i64();
    case 'd': return llvm::Type::getDoubleTy(context_);
    case 'f': return llvm::Type::getFloatTy(context_);
    default: return ptr();
    }
  };
  llvm::SmallVector<llvm::Type *, 4> types;
  for (char letter : parameters)
    types.push_back(type_of(letter));
  return llvm::FunctionType::get(type_of(result), types, false);
}

llvm::Function *ModuleEmitter::runtime(std::string_view symbol) {
#define NUMJIT_RUNTIME_OP(...)
#define NUMJIT_RUNTIME_ENTRY(name, result, parameters)                                             \
  if (symbol == #name)                                                                             \
    return runtime(symbol, type_of_letters(result, parameters));
#include "runtime/runtime_ops.def"
#undef NUMJIT_RUNTIME_OP
  throw InternalError("runtime_ops.def has no entry " + std::string(symbol));
}

llvm::Function *ModuleEmitter::runtime(const tir::RuntimeOpRow &row) {
  if (on_cuda() && row.id == tir::RuntimeOp::LGamma) {
    llvm::Type *real = llvm::Type::getDoubleTy(context_);
    return pure_function("lgamma", llvm::FunctionType::get(real, {real}, false));
  }
  if (llvm::Function *known = module_->getFunction(row.symbol))
    return known;
  std::string parameters = row.parameters;
  if (row.raises && row.result != 'v')
    parameters += 'p';
  llvm::Function *function =
      runtime(row.symbol, type_of_letters(row.raises ? 'e' : row.result, parameters));
  if (row.effect == Effect::Pure && !row.raises) {
    function->setDoesNotAccessMemory();
    function->addFnAttr(Attribute::WillReturn);
    function->addFnAttr(Attribute::Speculatable);
  } else if (row.effect == Effect::Reads && !row.raises) {
    function->setOnlyReadsMemory();
    function->addFnAttr(Attribute::WillReturn);
  }
  return function;
}

llvm::Function *ModuleEmitter::pure_function(llvm::StringRef symbol, llvm::FunctionType *type) {
  if (on_cuda() && !symbol.starts_with("__nv_")) // NVIDIA's libm has the same functions
    return pure_function(("__nv_" + symbol).str(), type);
  if (llvm::Function *known = module_->getFunction(symbol))
    return known;
  llvm::Function *function = runtime(symbol, type);
  // libm may set errno and raise floating-point flags; nothing reads them.
  function->setDoesNotAccessMemory();
  function->addFnAttr(Attribute::WillReturn);
  return function;
}

llvm::Function *ModuleEmitter::helper(const std::string &name, llvm::FunctionType *type,
                                      llvm::function_ref<void(llvm::Function *)> build) {
  if (llvm::Function *known = module_->getFunction(name))
    return known;
  auto *function = llvm::Function::Create(type, llvm::GlobalValue::InternalLinkage, name, *module_);
  add_target_attributes(function);
  function->setCallingConv(llvm::CallingConv::Fast);
  function->setDoesNotAccessMemory();
  function->addFnAttr(Attribute::WillReturn);
  build(function);
  return function;
}

llvm::GlobalVariable *ModuleEmitter::flag(llvm::StringRef symbol) {
  if (auto *known = module_->getNamedGlobal(symbol))
    return known;
  return new llvm::GlobalVariable(*module_, i32(), false, llvm::GlobalValue::ExternalLinkage,
                                  nullptr, symbol);
}

llvm::Constant *ModuleEmitter::string(llvm::StringRef text) {
  if (text.empty())
    return llvm::ConstantPointerNull::get(ptr());
  llvm::Constant *&known = strings_[text];
  if (!known) {
    auto *data = llvm::ConstantDataArray::getString(context_, text);
    auto *global = new llvm::GlobalVariable(*module_, data->getType(), true,
                                            llvm::GlobalValue::PrivateLinkage, data, "text");
    global->setUnnamedAddr(llvm::GlobalValue::UnnamedAddr::Global);
    known = global;
  }
  return known;
}

llvm::Constant *ModuleEmitter::constant_bytes(llvm::StringRef hexadecimal) {
  const std::string name = std::string(kBytesSymbol) + hexadecimal.str();
  if (llvm::GlobalVariable *known = module_->getNamedGlobal(name))
    return known;
  auto *type = llvm::ArrayType::get(i8(), hexadecimal.size() / 2);
  auto *global = new llvm::GlobalVariable(*module_, type, true, llvm::GlobalValue::ExternalLinkage,
                                          nullptr, name);
  global->setAlignment(llvm::Align(4));
  return global;
}

/// Something that the loader knows the address of. Nothing but its address may be made use of: it
/// is declared with no size.
llvm::Constant *ModuleEmitter::outside(const llvm::Twine &symbol) {
  const std::string name = symbol.str();
  if (llvm::GlobalVariable *known = module_->getNamedGlobal(name))
    return known;
  return new llvm::GlobalVariable(*module_, llvm::ArrayType::get(i8(), 0), false,
                                  llvm::GlobalValue::ExternalLinkage, nullptr, name);
}

/// By way of memory that LLVM knows nothing of: of two symbols it would believe that they are
/// apart, and two global arrays may be views of one memory.
llvm::Value *ModuleEmitter::load_address(llvm::IRBuilderBase &b, llvm::Constant *symbol) {
  const std::string name = symbol->getName().str() + ".address";
  llvm::GlobalVariable *slot = module_->getNamedGlobal(name);
  if (!slot) {
    slot = new llvm::GlobalVariable(*module_, ptr(), false, llvm::GlobalValue::InternalLinkage,
                                    symbol, name);
    slot->setExternallyInitialized(true);
  }
  llvm::LoadInst *address = b.CreateAlignedLoad(ptr(), slot, llvm::Align(8));
  address->setMetadata(llvm::LLVMContext::MD_invariant_load, llvm::MDNode::get(context_, {}));
  return address;
}

llvm::Constant *ModuleEmitter::address(const Reference *of) {
  if (!of || !of->address)
    return llvm::ConstantPointerNull::get(ptr());
  if (!options_.portable)
    return llvm::ConstantExpr::getIntToPtr(
        llvm::ConstantInt::get(i64(), reinterpret_cast<uintptr_t>(of->address)), ptr());
  auto found = std::find(references_.begin(), references_.end(), of);
  const size_t number = found - references_.begin();
  if (found == references_.end())
    references_.push_back(of);
  return outside(reference_symbol(number, options_.prefix));
}

llvm::Value *ModuleEmitter::address(llvm::IRBuilderBase &b, const Reference *of) {
  llvm::Constant *constant = address(of);
  return options_.portable && of ? load_address(b, constant) : constant;
}

} // namespace numjit::codegen
