#include "pyext/call/compile.h"

#include "pyext/cache/cache.h"
#include "pyext/convert/values.h"
#include "pyext/read/host.h"
#include "pyext/stopwatch.h"

#include <functional>
#include <mutex>

namespace numjit {

namespace {

struct Total {
  std::mutex mutex;
  codegen::Timings stages;
};
Total &total() {
  static auto *instance = new Total;
  return *instance;
}

void add_to_total(const codegen::Timings &timings) {
  Total &all = total();
  std::lock_guard lock(all.mutex);
  for (const auto &[stage, ms] : timings) {
    auto row = all.stages.begin();
    while (row != all.stages.end() && row->first != stage)
      ++row;
    if (row == all.stages.end())
      all.stages.emplace_back(stage, ms);
    else
      row->second += ms;
  }
}

/// Types that stand for one value tell inference which.
Fact argument_fact(const Type *type) {
  switch (type->kind) {
  case Kind::None: return {type, constants::none()};
  case Kind::Ellipsis: return {type, constants::ellipsis()};
  case Kind::Function:
  case Kind::Module:
  case Kind::String: return {type, type->constant};
  default: return {type, nullptr};
  }
}

InferResult infer_types(FunctionDef &function, const std::vector<const Type *> &arguments,
                        const Type *result, PythonHost &host,
                        tir::Target target = tir::Target::Host,
                        const tir::SimulatedKernel &simulated = {},
                        const std::vector<const Const *> &values = {}) {
  if (static_cast<int>(arguments.size()) != function.parameter_count())
    throw CompileError("TypingError",
                       function.name() + "() takes " + std::to_string(function.parameter_count()) +
                           " arguments, not " + std::to_string(arguments.size()),
                       {{&function, {}, {}}});
  std::vector<Fact> facts;
  for (const Type *type : arguments)
    facts.push_back(argument_fact(type));
  for (size_t i = 0; i < values.size(); ++i)
    if (values[i])
      facts[i].constant = values[i];
  return infer(function, facts, result, host, target, simulated);
}

std::string dump_bytecode(FunctionDef &function, const std::vector<const Type *> &, PythonHost &) {
  return print_bytecode(function);
}

std::string dump_ssa(FunctionDef &function, const std::vector<const Type *> &, PythonHost &host) {
  return ssa::print(*host.source(function, {}));
}

using Print = std::string (*)(const tir::Module &);

template <Print print>
std::string dump_module(FunctionDef &function, const std::vector<const Type *> &arguments,
                        PythonHost &host) {
  return print(*infer_types(function, arguments, nullptr, host).module);
}

std::string typed_text(const tir::Module &m) { return tir::print(m); }
std::string llvm_text(const tir::Module &m) { return codegen::llvm_text(m, false); }
std::string optimised_text(const tir::Module &m) { return codegen::llvm_text(m, true); }
std::string assembly_text(const tir::Module &m) { return codegen::assembly_text(m); }

struct Stage {
  const char *name;
  std::string (*dump)(FunctionDef &, const std::vector<const Type *> &, PythonHost &);
};
constexpr Stage kStages[] = {
    {"bytecode", dump_bytecode},
    {"ssa", dump_ssa},
    {"typed", dump_module<typed_text>},
    {"llvm-raw", dump_module<llvm_text>},
    {"llvm-opt", dump_module<optimised_text>},
    {"llvm", dump_module<optimised_text>},
    {"asm", dump_module<assembly_text>},
};

bool runs_parallel(const tir::Module &module) {
  for (const auto &function : module.functions)
    for (const tir::Block *block : function->blocks)
      for (const tir::Value *value : block->values)
        if (value->op == tir::Op::CallRuntime && value->runtime_op == tir::RuntimeOp::Parallel)
          return true;
  return false;
}

} // namespace

Compiled compile_function(FunctionDef &function, const std::vector<const Type *> &arguments,
                          const Type *result, const std::shared_ptr<CacheEntry> &entry,
                          const std::vector<const Const *> &values) {
  BeforeExit compiling;
  Compiled made;
  made.values = values;
  PythonHost fresh;
  PythonHost &host = entry ? entry->host() : fresh;
  Stopwatch watch;
  InferResult inferred =
      infer_types(function, arguments, result, host, tir::Target::Host, {}, values);
  const double ms = watch.ms();
  made.timings = {{"frontend", host.frontend_ms}, {"inference", ms - host.frontend_ms}};
  if (!can_box(inferred.result))
    throw CompileError("TypingError",
                       function.name() + "() returns a value of type " + inferred.result->text +
                           ", which Python has no object for",
                       {{&function, {}, {}}}, "return numbers, arrays, tuples, lists or None");
  made.result = inferred.result;
  made.may_run_long = inferred.module->may_run_long;
  made.snapshot = host.snapshot();
  if (function.options.parallel)
    made.runs_parallel = inferred.calls_parallel || runs_parallel(*inferred.module);
  if (entry) {
    std::shared_ptr<const tir::Module> module = std::move(inferred.module);
    codegen::Object object;
    made.code = codegen::compile_portable(*module, entry, object, &made.timings);
    entry->made(std::move(module), std::move(object));
  } else {
    made.code = codegen::compile(std::move(inferred.module), &made.timings);
  }
  add_to_total(made.timings);
  return made;
}

std::shared_ptr<const tir::Module> infer_module(FunctionDef &function,
                                                const std::vector<const Type *> &arguments,
                                                const Type *result, const Snapshot &snapshot) {
  PythonHost host(snapshot);
  return infer_types(function, arguments, result, host).module;
}

CompiledKernel compile_kernel(FunctionDef &function, const std::vector<const Type *> &arguments,
                              const KernelOptions &options, CachedCode *entry) {
  BeforeExit compiling;
  CompiledKernel made;
  PythonHost fresh;
  PythonHost &host = entry ? entry->host() : fresh;
  Stopwatch watch;
  InferResult inferred = infer_types(function, arguments, options.result, host, tir::Target::Cuda);
  const double ms = watch.ms();
  made.timings = {{"frontend", host.frontend_ms}, {"inference", ms - host.frontend_ms}};
  made.result = inferred.result;
  if (!options.ptx.device_function && made.result->kind != Kind::None)
    throw CompileError("TypingError",
                       "CUDA kernel must have void return type: " + function.name() +
                           "() returns a value of type " + made.result->text,
                       {{&function, {}, {}}},
                       "write results to an array, or decorate with @cuda.jit(device=True)");
  made.ptx = codegen::compile_ptx(*inferred.module, options.ptx, &made.timings);
  add_to_total(made.timings);
  return made;
}

SimulatedCode compile_for_simulator(FunctionDef &function,
                                    const std::vector<const Type *> &arguments,
                                    const tir::SimulatedKernel &wanted) {
  BeforeExit compiling;
  SimulatedCode made;
  PythonHost host;
  Stopwatch watch;
  InferResult inferred =
      infer_types(function, arguments, nullptr, host, tir::Target::Simulator, wanted);
  const double ms = watch.ms();
  made.timings = {{"frontend", host.frontend_ms}, {"inference", ms - host.frontend_ms}};
  if (inferred.result->kind != Kind::None)
    throw CompileError("TypingError",
                       "CUDA kernel must have void return type. " + function.name() +
                           "() returns a value of type " + inferred.result->text,
                       {{&function, {}, {}}}, "write results to arrays");
  made.kernel = inferred.module->simulated;
  made.code = codegen::compile(std::move(inferred.module), &made.timings);
  add_to_total(made.timings);
  return made;
}

std::string dump_kernel(FunctionDef &function, const std::vector<const Type *> &arguments,
                        const KernelOptions &options, const std::string &stage) {
  if (stage == "bytecode" || stage == "ssa")
    return dump_stage(function, arguments, stage);
  BeforeExit compiling;
  PythonHost host;
  InferResult inferred = infer_types(function, arguments, nullptr, host, options.target);
  const tir::Module &module = *inferred.module;
  const bool gpu = options.target == tir::Target::Cuda;
  if (stage == "typed")
    return tir::print(module);
  if (stage == "asm")
    return gpu ? codegen::compile_ptx(module, options.ptx).text : codegen::assembly_text(module);
  return gpu ? codegen::ptx_llvm_text(module, options.ptx) : codegen::llvm_text(module, true);
}

const Type *infer_result(FunctionDef &function, const std::vector<const Type *> &arguments) {
  PythonHost host;
  return infer_types(function, arguments, nullptr, host).result;
}

std::string dump_stage(FunctionDef &function, const std::vector<const Type *> &arguments,
                       const std::string &stage, const Snapshot &snapshot) {
  BeforeExit compiling;
  PythonHost host(snapshot);
  for (const Stage &row : kStages)
    if (stage == row.name)
      return row.dump(function, arguments, host);
  throw CompileError("OptionValueError", "'" + stage + "' is no stage", {},
                     "the stages are bytecode, ssa, typed, llvm, asm");
}

std::vector<const Type *> fold_types(const FunctionDef &function,
                                     const std::vector<const Type *> &given) {
  const size_t plain = function.code.argcount + function.code.kwonlyargcount;
  if (!function.code.has_varargs() || given.size() < plain)
    return given;
  if (given.size() == plain + 1 && given.back()->kind == Kind::Tuple)
    return given; // folded already
  std::vector<const Type *> folded(given.begin(), given.begin() + plain);
  folded.push_back(types::tuple({given.begin() + plain, given.end()}));
  return folded;
}

void watch_deferred_code() { codegen::report_deferred(add_to_total); }

codegen::Timings total_timings() {
  Total &all = total();
  std::lock_guard lock(all.mutex);
  return all.stages;
}

} // namespace numjit
