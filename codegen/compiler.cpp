// The stages of code generation, in order.
#include "codegen/compiler.h"

#include "codegen/deferred.h"
#include "codegen/jit.h"
#include "codegen/module_emitter.h"
#include "codegen/pipeline.h"
#include "codegen/stage_clock.h"
#include "codegen/target.h"
#include "runtime/runtime.h"
#include "runtime/simulator.h"
#include "typeinfer/errors.h"

#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Support/SmallVectorMemoryBuffer.h>
#include <llvm/Support/raw_ostream.h>

#include <algorithm>
#include <atomic>
#include <new>

namespace numjit::codegen {

namespace {

bool wants_debug_info(const tir::Module &module) {
  const FunctionDef *def = module.functions.front()->def;
  return def && def->options.debug;
}

EmitOptions emit_options(const tir::Module &module) {
  EmitOptions options;
  options.target = module.target;
  options.cpu = host_target().cpu;
  options.features = host_target().features;
  options.fma = has_feature(host_target(), "fma");
  options.debug_info = wants_debug_info(module);
  return options;
}

std::unique_ptr<llvm::Module> emit(const tir::Module &source, llvm::LLVMContext &context,
                                   const EmitOptions &options, llvm::TargetMachine &machine) {
  context.setDiscardValueNames(!options.value_names);
  ModuleEmitter emitter(source, context, options);
  std::unique_ptr<llvm::Module> module = emitter.run();
  module->setTargetTriple(machine.getTargetTriple());
  module->setDataLayout(machine.createDataLayout());
#ifndef NDEBUG
  std::string problem;
  llvm::raw_string_ostream stream(problem);
  if (llvm::verifyModule(*module, &stream))
    throw InternalError("malformed LLVM IR: " + problem);
#endif
  return module;
}

std::atomic<void (*)(const Timings &)> deferred_listener;

/// Unique in the process, as all machine code shares one symbol table.
std::string new_entry_name() {
  static std::atomic<uint64_t> counter;
  return "numjit.entry." + std::to_string(counter++);
}

std::shared_ptr<MachineCode> compile(const tir::Module &source, EmitOptions &options,
                                     Timings *timings) {
  StageClock clock(timings);
  llvm::LLVMContext context;
  llvm::TargetMachine &machine = thread_target_machine();
  options.entry_name = new_entry_name();
  std::unique_ptr<llvm::Module> module = emit(source, context, options, machine);
  clock.ended("llvm emit");
  optimise(*module, machine);
  clock.ended("llvm optimise");
  auto object = emit_code(*module, machine, llvm::CodeGenFileType::ObjectFile);
  clock.ended("code emission");
  auto code =
      link(std::make_unique<llvm::SmallVectorMemoryBuffer>(std::move(object)), options.entry_name);
  clock.ended("link");
  return code;
}

} // namespace

std::shared_ptr<MachineCode> compile(std::shared_ptr<const tir::Module> source, Timings *timings) {
  EmitOptions options = emit_options(*source);
  std::shared_ptr<Deferred> deferred;
  if (std::any_of(source->functions.begin(), source->functions.end(),
                  [](const auto &function) { return function->rare; }))
    deferred = std::make_shared<Deferred>(source);
  options.deferred = deferred.get();
  std::shared_ptr<MachineCode> code = compile(*source, options, timings);
  code->keep = std::move(deferred);
  return code;
}

void report_deferred(void (*listener)(const Timings &timings)) { deferred_listener = listener; }

void *Deferred::code(const tir::Function &function) {
  std::lock_guard lock(mutex_);
  std::shared_ptr<MachineCode> &code = compiled_[&function];
  if (!code) {
    EmitOptions options = emit_options(*module_);
    options.root = &function;
    options.deferred = this;
    Timings timings;
    code = compile(*module_, options, &timings);
    if (auto *listener = deferred_listener.load())
      listener(timings);
  }
  return reinterpret_cast<void *>(code->entry());
}

namespace {

struct DeferredCall {
  Deferred *deferred;
  const tir::Function *function;
  void **slot;
  void *code = nullptr;
};

void compile_deferred(DeferredCall &call) {
  try {
    void *code = call.deferred->code(*call.function);
    std::atomic_ref(*call.slot).store(code, std::memory_order_release);
    call.code = code;
  } catch (const std::bad_alloc &) {
    nj_set_simple_error("MemoryError", "");
  } catch (const std::exception &error) {
    nj_set_simple_error("SystemError", error.what());
  }
}

} // namespace

void *compile_deferred(Deferred *deferred, const tir::Function *function, void **slot) {
  DeferredCall call{deferred, function, slot};
  nj_on_thread_stack(
      [](void *argument) { compile_deferred(*static_cast<DeferredCall *>(argument)); }, &call);
  return call.code;
}

std::string llvm_text(const tir::Module &source, bool optimised) {
  llvm::LLVMContext context;
  llvm::TargetMachine &machine = thread_target_machine();
  EmitOptions options = emit_options(source);
  options.value_names = true;
  std::unique_ptr<llvm::Module> module = emit(source, context, options, machine);
  if (optimised)
    optimise(*module, machine);
  std::string text;
  llvm::raw_string_ostream stream(text);
  module->print(stream, nullptr);
  return text;
}

std::string assembly_text(const tir::Module &source) {
  llvm::LLVMContext context;
  llvm::TargetMachine &machine = thread_target_machine();
  std::unique_ptr<llvm::Module> module = emit(source, context, emit_options(source), machine);
  optimise(*module, machine);
  auto text = emit_code(*module, machine, llvm::CodeGenFileType::AssemblyFile);
  return std::string(text.begin(), text.end());
}

} // namespace numjit::codegen
