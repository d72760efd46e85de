// The stages of code generation, in order.
#include "codegen/compiler.h"

#include "codegen/called.h"
#include "codegen/emit/module_emitter.h"
#include "codegen/load/deferred.h"
#include "codegen/load/loader.h"
#include "codegen/load/profiler.h"
#include "codegen/load/symbols.h"
#include "codegen/passes/pipeline.h"
#include "codegen/passes/remarks.h"
#include "codegen/passes/vector_math.h"
#include "codegen/stage_clock.h"
#include "codegen/target.h"
#include "runtime/runtime.h"
#include "runtime/simulator.h"
#include "typeinfer/errors.h"

#include <llvm/Config/llvm-config.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Verifier.h>
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
  options.cpu = target().cpu;
  options.features = target().features;
  options.fma = has_feature(target(), "fma");
  options.debug_info = wants_debug_info(module);
  if (!options.debug_info && profiler_wants_lines())
    options.debug_info = options.lines_alone = true;
  return options;
}

std::unique_ptr<llvm::Module> finished(ModuleEmitter &emitter, llvm::TargetMachine &machine) {
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

std::unique_ptr<llvm::Module> emit(const tir::Module &source, llvm::LLVMContext &context,
                                   const EmitOptions &options, llvm::TargetMachine &machine) {
  context.setDiscardValueNames(!options.value_names);
  ModuleEmitter emitter(source, context, options);
  return finished(emitter, machine);
}

std::atomic<void (*)(const Timings &)> deferred_listener;

/// What a module asks of others, but for the references of an emitter.
std::vector<std::string> names_outside(const llvm::Module &module, const std::string &prefix) {
  std::vector<std::string> names;
  for (const llvm::GlobalValue &value : module.global_values())
    if (value.isDeclaration() && !value.use_empty() && !value.getName().starts_with("llvm.") &&
        !value.getName().starts_with(prefix + "reference."))
      names.push_back(value.getName().str());
  return names;
}

Object compile(const tir::Module &source, const EmitOptions &options, StageClock &clock,
               std::vector<std::string> *outside = nullptr) {
  llvm::LLVMContext context;
  llvm::TargetMachine &machine = thread_target_machine();
  context.setDiscardValueNames(true);
  ModuleEmitter emitter(source, context, options);
  std::unique_ptr<llvm::Module> module = finished(emitter, machine);
  clock.ended("llvm emit");
  optimise(*module, machine);
  clock.ended("llvm optimise");
  if (outside)
    *outside = names_outside(*module, options.prefix);
  auto file = emit_code(*module, machine, llvm::CodeGenFileType::ObjectFile);
  clock.ended("code emission");
  return {std::string(file.begin(), file.end()), emitter.references()};
}

std::shared_ptr<MachineCode> load(const Object &object, Deferred *deferred) {
  return load_file(object.file, [&](std::string_view name) -> void * {
    static const std::string prefix = reference_symbol(0).substr(0, reference_symbol(0).size() - 1);
    if (name == kDeferredSymbol)
      return deferred;
    if (!name.starts_with(prefix))
      return symbol_address(name);
    const size_t number = std::stoul(std::string(name.substr(prefix.size())));
    return number < object.references.size()
               ? const_cast<void *>(object.references[number]->address)
               : nullptr;
  });
}

/// The typed IR is there.
class Kept final : public RareCode {
public:
  explicit Kept(std::shared_ptr<const tir::Module> module) : module_(std::move(module)) {}
  std::shared_ptr<const tir::Module> module() override { return module_; }
  bool is_portable() const override { return false; }

private:
  std::shared_ptr<const tir::Module> module_;
};

bool has_rare_functions(const tir::Module &module) {
  return std::any_of(module.functions.begin(), module.functions.end(),
                     [](const auto &function) { return function->rare; });
}

} // namespace

std::shared_ptr<MachineCode> compile(std::shared_ptr<const tir::Module> source, Timings *timings) {
  StageClock clock(timings);
  const tir::Module &module = *source;
  EmitOptions options = emit_options(module);
  std::shared_ptr<Deferred> deferred; // keeps the module alive
  if (has_rare_functions(module))
    deferred = std::make_shared<Deferred>(std::make_shared<Kept>(std::move(source)));
  options.deferred = deferred.get();
  Object object = compile(module, options, clock);
  std::shared_ptr<MachineCode> code = load(object, deferred.get());
  clock.ended("link");
  code->keep = std::move(deferred);
  return code;
}

std::shared_ptr<MachineCode> compile_portable(const tir::Module &source,
                                              std::shared_ptr<RareCode> rare, Object &object,
                                              Timings *timings, const std::vector<size_t> &called) {
  StageClock clock(timings);
  EmitOptions options = emit_options(source);
  options.portable = true;
  for (size_t number : called)
    if (number < source.functions.size())
      options.not_deferred.push_back(number);
  auto deferred = std::make_shared<Deferred>(std::move(rare));
  options.deferred = deferred.get();
  object = compile(source, options, clock);
  std::shared_ptr<MachineCode> code = load(object, deferred.get());
  clock.ended("link");
  code->keep = std::move(deferred);
  return code;
}

std::shared_ptr<MachineCode> compile_portable(const tir::Module &source,
                                              std::shared_ptr<RareCode> rare, Object &object,
                                              Timings *timings) {
  return compile_portable(source, std::move(rare), object, timings, {});
}

std::shared_ptr<MachineCode> load_portable(const Object &object, std::shared_ptr<RareCode> rare) {
  auto deferred = std::make_shared<Deferred>(std::move(rare));
  std::shared_ptr<MachineCode> code = load(object, deferred.get());
  code->keep = std::move(deferred);
  return code;
}

LinkableObject compile_standalone(const tir::Module &source, const std::string &prefix,
                                  const std::string &cpu) {
  Target wanted = named_target(cpu);
  wanted.vector_math = false; // SLEEF's library is found beside our own file only
  ForTarget scope(std::move(wanted));
  StageClock clock(nullptr);
  EmitOptions options = emit_options(source);
  options.portable = true;
  options.prefix = prefix;
  options.entry_name = prefix + "entry";
  LinkableObject made;
  static_cast<Object &>(made) = compile(source, options, clock, &made.outside);
  made.features = options.features;
  return made;
}

void report_deferred(void (*listener)(const Timings &timings)) { deferred_listener = listener; }

void *Deferred::code(size_t function) {
  std::lock_guard lock(mutex_);
  std::shared_ptr<MachineCode> &code = made_[function];
  if (code)
    return reinterpret_cast<void *>(code->entry());
  Object object;
  if (!rare_->find(function, object)) {
    std::shared_ptr<const tir::Module> module = rare_->module();
    EmitOptions options = emit_options(*module);
    options.root = module->functions.at(function).get();
    options.deferred = this;
    options.portable = rare_->is_portable();
    Timings timings;
    StageClock clock(&timings);
    object = compile(*module, options, clock);
    if (auto *listener = deferred_listener.load())
      listener(timings);
    rare_->keep(function, object);
  }
  code = load(object, this);
  return reinterpret_cast<void *>(code->entry());
}

std::vector<size_t> Deferred::called() {
  std::lock_guard lock(mutex_);
  std::vector<size_t> numbers;
  for (const auto &[number, code] : made_)
    if (code)
      numbers.push_back(number);
  return numbers;
}

std::vector<size_t> called_rare_functions(const MachineCode &code) {
  auto *deferred = static_cast<Deferred *>(code.keep.get());
  return deferred ? deferred->called() : std::vector<size_t>();
}

namespace {

struct DeferredCall {
  Deferred *deferred;
  size_t function;
  void **slot;
  void *code = nullptr;
};

void compile_deferred(DeferredCall &call) {
  // Finding the code may need what another thread holds that waits for it.
  void *host_lock = nj_host.begin_parallel ? nj_host.begin_parallel() : nullptr;
  try {
    void *code = call.deferred->code(call.function);
    std::atomic_ref(*call.slot).store(code, std::memory_order_release);
    call.code = code;
  } catch (const std::bad_alloc &) {
    nj_set_simple_error("MemoryError", "");
  } catch (const std::exception &error) {
    nj_set_simple_error("SystemError", error.what());
  }
  if (host_lock)
    nj_host.end_parallel(host_lock);
}

} // namespace

void *compile_deferred(Deferred *deferred, int64_t function, void **slot) {
  DeferredCall call{deferred, static_cast<size_t>(function), slot};
  nj_on_thread_stack(
      [](void *argument) { compile_deferred(*static_cast<DeferredCall *>(argument)); }, &call);
  return call.code;
}

const std::string &machine_description() {
  static const std::string text = "LLVM " LLVM_VERSION_STRING " " + host_target().cpu + " " +
                                  host_target().features + (profiler_wants_lines() ? " lines" : "");
  return text;
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

std::string remarks_text(const tir::Module &source) {
  llvm::LLVMContext context;
  Remarks remarks(context);
  llvm::TargetMachine &machine = thread_target_machine();
  EmitOptions options = emit_options(source);
  options.debug_info = true;
  options.lines_alone = false;
  std::unique_ptr<llvm::Module> module = emit(source, context, options, machine);
  optimise(*module, machine);
  return remarks.text(*module);
}

} // namespace numjit::codegen
