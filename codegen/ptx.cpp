// The stages of code generation for GPUs.
#include "codegen/ptx.h"

#include "codegen/emit/module_emitter.h"
#include "codegen/passes/block_makers.h"
#include "codegen/passes/device_memory.h"
#include "codegen/passes/pipeline.h"
#include "codegen/passes/short_counters.h"
#include "codegen/stage_clock.h"
#include "codegen/target.h"
#include "typeinfer/errors.h"

#include <llvm/Bitcode/BitcodeReader.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Linker/Linker.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/raw_ostream.h>

#include <map>
#include <mutex>

extern "C" {
void LLVMInitializeNVPTXTargetInfo();
void LLVMInitializeNVPTXTarget();
void LLVMInitializeNVPTXTargetMC();
void LLVMInitializeNVPTXAsmPrinter();
}

namespace numjit::codegen {

namespace {

const char *const kTriple = "nvptx64-nvidia-cuda";

/// The oldest PTX that knows a processor is what its driver understands, too.
std::string features(const PtxOptions &options) {
  const int sm = 10 * options.major + options.minor;
  if (!options.suffix.empty()) // known later than the processor itself
    return sm >= 120 || options.suffix == "f" ? "+ptx88" : sm >= 100 ? "+ptx86" : "+ptx80";
  return sm >= 120   ? "+ptx87"
         : sm >= 100 ? "+ptx86"
         : sm >= 90  ? "+ptx78"
         : sm >= 86  ? "+ptx71"
                     : "+ptx70"; // what tanh.approx of sm_75 needs
}

std::string processor(const PtxOptions &options) {
  return "sm_" + std::to_string(options.major) + std::to_string(options.minor) + options.suffix;
}

/// One for each processor and thread, which keeps it.
llvm::TargetMachine &machine_for(const PtxOptions &asked) {
  static const llvm::Target *backend = [] {
    host_target(); // LLVM's switches are set there
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
    std::string error;
    const llvm::Target *found = llvm::TargetRegistry::lookupTarget(llvm::Triple(kTriple), error);
    if (!found)
      throw InternalError("no LLVM target for GPUs: " + error);
    return found;
  }();
  static thread_local std::map<std::tuple<std::string, bool, bool>,
                               std::unique_ptr<llvm::TargetMachine>>
      machines;
  auto &machine = machines[{processor(asked), asked.fma, asked.optimise}];
  if (!machine) {
    llvm::TargetOptions options;
    options.AllowFPOpFusion = asked.fma ? llvm::FPOpFusion::Fast : llvm::FPOpFusion::Strict;
    machine.reset(backend->createTargetMachine(
        llvm::Triple(kTriple), processor(asked), features(asked), options, llvm::Reloc::PIC_,
        std::nullopt,
        asked.optimise ? llvm::CodeGenOptLevel::Default : llvm::CodeGenOptLevel::None));
  }
  return *machine;
}

/// The bytes of libdevice, read once for each path.
const llvm::MemoryBuffer *libdevice_bytes(const std::string &path) {
  static std::mutex mutex;
  static std::map<std::string, std::unique_ptr<llvm::MemoryBuffer>> files;
  std::lock_guard lock(mutex);
  auto [found, made] = files.try_emplace(path);
  if (made)
    if (auto bytes = llvm::MemoryBuffer::getFile(path))
      found->second = std::move(*bytes);
  return found->second.get();
}

/// Links the functions of libdevice that the module calls, to be inlined.
void link_libdevice(llvm::Module &module, const tir::Module &source, const PtxOptions &options) {
  std::vector<std::string> wanted;
  for (const llvm::Function &function : module)
    if (function.isDeclaration() && function.getName().starts_with("__nv_"))
      wanted.push_back(function.getName().str());
  if (wanted.empty())
    return;
  const llvm::MemoryBuffer *bytes = libdevice_bytes(options.libdevice);
  if (!bytes)
    throw CompileError("NvvmSupportError",
                       "the function " + wanted.front().substr(5) +
                           "() in a kernel needs NVIDIA's libdevice.10.bc, which was not found",
                       {{source.functions.front()->def, {}, {}}},
                       "pip install numjit[cuda], or set CUDA_HOME to a CUDA toolkit");
  auto library = llvm::getLazyBitcodeModule(bytes->getMemBufferRef(), module.getContext());
  if (!library)
    throw InternalError("libdevice: " + llvm::toString(library.takeError()));
  (*library)->setTargetTriple(module.getTargetTriple());
  (*library)->setDataLayout(module.getDataLayout());
  llvm::Linker::linkModules(module, std::move(*library), llvm::Linker::LinkOnlyNeeded);
  for (llvm::Function &function : module)
    if (!function.isDeclaration() && function.getName().starts_with("__nv"))
      function.setLinkage(llvm::GlobalValue::InternalLinkage);
  for (const std::string &name : wanted)
    if (llvm::Function *function = module.getFunction(name); function && function->isDeclaration())
      throw CompileError("TypingError",
                         "No implementation of function " + name.substr(5) + "() in a kernel",
                         {{source.functions.front()->def, {}, {}}});
}

std::vector<uint16_t> parameter_slots(const tir::Function &kernel) {
  std::vector<uint16_t> slots;
  uint16_t slot = 0;
  for (const Type *type : kernel.params)
    for (const LeafInfo &leaf : layout_of(type).leaves) {
      if (!leaf.owner)
        slots.push_back(slot);
      ++slot;
    }
  return slots;
}

struct SmallArray {
  unsigned parameter; ///< that points to it
  int64_t item;       ///< bytes; 1 if it is strided
  ArraySlots slots;
};

/// The arrays among the arguments that are small in a launch.
std::vector<SmallArray> small_arrays(const tir::Function &kernel,
                                     const std::vector<int64_t> &values) {
  std::vector<SmallArray> arrays;
  size_t parameter = 0, slot = 0;
  for (const Type *type : kernel.params) {
    const auto &leaves = layout_of(type).leaves; // of an array: address, owner, extents, strides
    if (type->kind == Kind::Array && type->ndim > 0 && slot + leaves.size() <= values.size()) {
      const bool strided = !type->is_contiguous();
      const ArraySlots slots{static_cast<uint16_t>(slot + 2), type->ndim, strided};
      const int64_t item = strided ? 1 : item_size(type->dtype()); // 0: of no fields
      if (item > 0 && slots.is_small(values))
        arrays.push_back({static_cast<unsigned>(parameter), item, slots});
    }
    parameter += llvm::count_if(leaves, [](const LeafInfo &leaf) { return !leaf.owner; });
    slot += leaves.size();
  }
  return arrays;
}

/// The threads of a launch along x, which the last of its values counts, like an array of so many;
/// none if there are too many, or no values.
std::optional<ArraySlots> small_launch(const std::vector<int64_t> &values) {
  const ArraySlots threads{static_cast<uint16_t>(values.size() - 1), 1, false};
  return !values.empty() && threads.is_small(values) ? std::optional(threads) : std::nullopt;
}

bool needs_cooperation(const tir::Module &module) {
  for (const auto &function : module.functions)
    for (const tir::Block *block : function->blocks)
      for (const tir::Value *value : block->values)
        if (value->op == tir::Op::Device && tir::needs_cooperation(value->device_op))
          return true;
  return false;
}

/// Denormal float32s are 0, which libdevice asks for by __nvvm_reflect.
void flush_denormals(llvm::Module &module) {
  module.addModuleFlag(llvm::Module::Override, "nvvm-reflect-ftz", 1);
  for (llvm::Function &function : module)
    if (!function.isDeclaration())
      function.addFnAttr("denormal-fp-math-f32", "preserve-sign,preserve-sign");
}

struct Emitted {
  std::unique_ptr<llvm::Module> module;
  std::vector<PtxRaise> raises;
};

Emitted emit(const tir::Module &source, llvm::LLVMContext &context, const PtxOptions &options,
             llvm::TargetMachine &machine, bool names) {
  EmitOptions emit;
  emit.target = tir::Target::Cuda;
  emit.entry_name = options.name;
  emit.cpu = processor(options);
  emit.features = features(options);
  emit.debug_info = options.lines;
  emit.lines_alone = !options.record_raises;
  emit.record_raises = options.record_raises;
  emit.value_names = names;
  emit.c_root = options.device_function;
  context.setDiscardValueNames(!names);
  ModuleEmitter emitter(source, context, emit);
  Emitted made;
  made.module = emitter.run();
  made.module->setTargetTriple(machine.getTargetTriple());
  made.module->setDataLayout(machine.createDataLayout());
  for (auto [raise, function] : emitter.raises()) {
    const FunctionDef *def = raise->origin ? raise->origin : function->def;
    std::optional<std::string> message;
    if (raise->site->has_message)
      message = raise->site->message;
    else if (!raise->operands.empty() && raise->operands[0]->type->kind == Kind::String)
      message = raise->operands[0]->type->constant->text;
    made.raises.push_back({*raise->site, message, def ? def->code.name : function->name,
                           def ? def->code.filename : "",
                           raise->position.known() ? raise->position.line : 0,
                           recorded_values(*raise)});
  }
  llvm::Function *kernel = made.module->getFunction(options.name);
  auto limit = [&](const char *name, int value) {
    if (value > 0)
      kernel->addFnAttr(name, std::to_string(value));
  };
  limit("nvvm.maxnreg", options.registers);
  limit("nvvm.maxntid", options.block_threads);
  limit("nvvm.minctasm", options.blocks);
  limit("nvvm.maxclusterrank", options.cluster);
#ifndef NDEBUG
  const bool verify = true;
#else
  static const bool verify = std::getenv("NUMJIT_VERIFY") != nullptr;
#endif
  std::string problem;
  llvm::raw_string_ostream stream(problem);
  if (verify && llvm::verifyModule(*made.module, &stream))
    throw InternalError("malformed LLVM IR: " + problem);
  return made;
}

/// What the arguments of a launch must be.
struct Conditions {
  std::vector<KnownSlot> known;
  std::vector<ArraySlots> small;
};

/// Equal calls of libm become one while they are calls: its functions are linked after that.
Conditions optimise(llvm::Module &module, const tir::Module &source, const PtxOptions &options,
                    llvm::TargetMachine &machine) {
  merge_calls_for_device(module, machine);
  link_libdevice(module, source, options);
  if (source.functions.front()->fastmath & tir::ApproxFunc)
    flush_denormals(module);
  Conditions conditions;
  llvm::Function &kernel = *module.getFunction(options.name);
  const auto arrays = small_arrays(*source.functions.front(), options.slots);
  for (const SmallArray &array : arrays) {
    llvm::Argument &pointer = *kernel.getArg(array.parameter);
    mark_small_array(pointer, array.item);
    for (unsigned axis = 1; axis <= array.slots.ndim; ++axis)
      mark_small_extent(*kernel.getArg(array.parameter + axis), pointer);
  }
  const std::optional<ArraySlots> launch = small_launch(options.slots);
  if (launch)
    mark_small_launch(kernel);
  auto insert_sizes = [&] {
    conditions.known =
        insert_known_sizes(kernel, parameter_slots(*source.functions.front()), options.slots);
  };
  if (options.optimise && !options.slots.empty() && module.getFunction(kNewScratchBlock))
    optimise_for_device(module, machine, options.optimise, insert_sizes);
  else
    optimise_for_device(module, machine, options.optimise);
  for (const SmallArray &array : arrays)
    if (needs_small_array(*kernel.getArg(array.parameter)))
      conditions.small.push_back(array.slots);
  if (launch && needs_small_launch(kernel))
    conditions.small.push_back(*launch);
  finish_scratch(module, options.scratch_bytes, options.heap);
  return conditions;
}

} // namespace

Ptx compile_ptx(const tir::Module &source, const PtxOptions &options, Timings *timings) {
  StageClock clock(timings);
  llvm::LLVMContext context;
  llvm::TargetMachine &machine = machine_for(options);
  Emitted made = emit(source, context, options, machine, false);
  clock.ended("llvm emit");
  Conditions conditions = optimise(*made.module, source, options, machine);
  clock.ended("llvm optimise");
  auto text = emit_code(*made.module, machine, llvm::CodeGenFileType::AssemblyFile);
  clock.ended("code emission");
  return {std::string(text.begin(), text.end()),
          parameter_slots(*source.functions.front()),
          std::move(conditions.known),
          std::move(conditions.small),
          std::move(made.raises),
          needs_cooperation(source)};
}

std::string ptx_llvm_text(const tir::Module &source, const PtxOptions &options) {
  llvm::LLVMContext context;
  llvm::TargetMachine &machine = machine_for(options);
  Emitted made = emit(source, context, options, machine, true);
  optimise(*made.module, source, options, machine);
  std::string text;
  llvm::raw_string_ostream stream(text);
  made.module->print(stream, nullptr);
  return text;
}

} // namespace numjit::codegen
