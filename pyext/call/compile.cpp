#include "pyext/call/compile.h"

#include "codegen/called.h"
#include "frontend/stopwatch.h"
#include "pyext/cache/cache.h"
#include "pyext/convert/values.h"
#include "pyext/read/host.h"
#include "typeinfer/infer/deferring.h"
#include "typeinfer/types/named_instances.h"

#include <algorithm>
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
  if (type->kind == Kind::None)
    return {type, constants::none()};
  if (type->kind == Kind::Ellipsis)
    return {type, constants::ellipsis()};
  return {type, has_trait(type->kind, traits::one_value) ? type->constant : nullptr};
}

/// One way through the stages: what is asked for, and how far it has come. Without the GIL.
class Compilation {
public:
  Compilation(FunctionDef &function, const std::vector<const Type *> &arguments, PythonHost &host,
              tir::Target target = tir::Target::Host)
      : function(function), host(host), arguments_(arguments), target_(target) {}

  FunctionDef &function;
  PythonHost &host;
  // What is asked for.
  const Type *wanted_result = nullptr;
  const std::vector<const Const *> *values = nullptr;
  bool defers = false;
  const tir::SimulatedKernel *simulated = nullptr;
  const codegen::PtxOptions *ptx = nullptr;
  // What there is.
  const Type *result = nullptr;
  bool calls_parallel = false;
  std::vector<CalledFunction> called;
  codegen::Timings timings;

  bool is_for_gpu() const { return target_ == tir::Target::Cuda; }

  std::shared_ptr<const ssa::Function> ssa() { return host.source(function, {}); }

  /// Frontend, inference and the passes over typed IR, once.
  std::shared_ptr<const tir::Module> typed() {
    if (module_)
      return module_;
    Stopwatch watch;
    InferResult inferred = defers ? infer_deferring(function, facts(), host)
                                  : infer(function, facts(), wanted_result, host, target_,
                                          simulated ? *simulated : tir::SimulatedKernel());
    const double ms = watch.ms();
    timings = {{"frontend", host.frontend_ms}, {"inference", ms - host.frontend_ms}};
    result = inferred.result;
    calls_parallel = inferred.calls_parallel;
    called = std::move(inferred.called);
    return module_ = std::move(inferred.module);
  }

  /// Of a kernel, which returns nothing.
  void refuse_result() const {
    if (result->kind != Kind::None)
      throw CompileError("TypingError",
                         "CUDA kernel must have void return type: " + function.name() +
                             "() returns a value of type " + result->text,
                         {{&function, {}, {}}},
                         "write results to an array, or decorate with @cuda.jit(device=True)");
  }

private:
  BeforeExit compiling_;
  const std::vector<const Type *> &arguments_;
  tir::Target target_;
  std::shared_ptr<const tir::Module> module_;

  std::vector<Fact> facts() const {
    if (static_cast<int>(arguments_.size()) != function.parameter_count())
      throw CompileError("TypingError",
                         function.name() + "() takes " +
                             std::to_string(function.parameter_count()) + " arguments, not " +
                             std::to_string(arguments_.size()),
                         {{&function, {}, {}}});
    std::vector<Fact> facts;
    for (const Type *type : arguments_)
      facts.push_back(argument_fact(type));
    for (size_t i = 0; values && i < values->size(); ++i)
      if ((*values)[i])
        facts[i].constant = (*values)[i];
    return facts;
  }
};

/// The stages as text, whatever the code is for.
struct Stage {
  const char *name;
  std::string (*text)(Compilation &);
};

template <bool optimised>
std::string llvm_text(Compilation &c) {
  return c.is_for_gpu() ? codegen::ptx_llvm_text(*c.typed(), *c.ptx)
                        : codegen::llvm_text(*c.typed(), optimised);
}

constexpr Stage kStages[] = {
    {"bytecode", [](Compilation &c) { return print_bytecode(c.function); }},
    {"ssa", [](Compilation &c) { return ssa::print(*c.ssa()); }},
    {"typed", [](Compilation &c) { return tir::print(*c.typed()); }},
    {"llvm-raw", llvm_text<false>},
    {"llvm-opt", llvm_text<true>},
    {"llvm", llvm_text<true>},
    {"asm",
     [](Compilation &c) {
       return c.is_for_gpu() ? codegen::compile_ptx(*c.typed(), *c.ptx).text
                             : codegen::assembly_text(*c.typed());
     }},
    {"remarks", [](Compilation &c) { return codegen::remarks_text(*c.typed()); }},
};

std::string text_of_stage(Compilation &compilation, const std::string &stage) {
  for (const Stage &row : kStages)
    if (stage == row.name)
      return row.text(compilation);
  throw CompileError("OptionValueError", "'" + stage + "' is no stage", {},
                     "the stages are bytecode, ssa, typed, llvm, asm, remarks");
}

bool calls(const tir::Module &module, tir::RuntimeOp op) {
  for (const auto &function : module.functions)
    for (const tir::Block *block : function->blocks)
      for (const tir::Value *value : block->values)
        if (value->op == tir::Op::CallRuntime && value->runtime_op == op)
          return true;
  return false;
}

bool holds_linked(const Type *type) {
  return is_named_instance(type) || std::ranges::any_of(type->params, holds_linked);
}

/// Whether Python gets values of a type that share instances of classes that refer to themselves
/// with compiled code: generators, dicts, typed containers. Of others it gets copies.
bool shares_linked(const Type *type) {
  switch (type->kind) {
  case Kind::Generator: return true; // its frame may hold anything
  case Kind::List:
  case Kind::Set: return type->typed ? holds_linked(type) : shares_linked(type->params[0]);
  case Kind::Instance:
  case Kind::Struct:
    return type->constant->is_object(ObjectKind::DataClass)
               ? std::ranges::any_of(type->params, shares_linked)
               : holds_linked(type);
  case Kind::Tuple:
  case Kind::NamedTuple:
  case Kind::LiteralList:
  case Kind::LiteralDict:
  case Kind::Optional:
  case Kind::Union: return std::ranges::any_of(type->params, shares_linked);
  default: return holds_linked(type);
  }
}

/// Whether other threads share values of a type (traits::shared), or parts of them. Of lists and
/// sets that are not typed, code has copies.
bool is_shared(const Type *type) {
  if (!type)
    return false;
  const bool copied = ((type->kind == Kind::List || type->kind == Kind::Set) && !type->typed) ||
                      (type->kind == Kind::Bytes && type->readonly);
  if (has_trait(type->kind, traits::shared) && !copied)
    return true;
  return std::any_of(type->params.begin(), type->params.end(), is_shared);
}

/// Whether a loop may let other Python threads run for a while (docs/semantics.md): nothing that
/// code works on is theirs, too.
bool may_lend_gil(const tir::Module &module, const std::vector<const Type *> &arguments) {
  if (!module.may_run_long || std::any_of(arguments.begin(), arguments.end(), is_shared))
    return false;
  for (const auto &function : module.functions)
    for (const tir::Block *block : function->blocks)
      for (const tir::Value *value : block->values)
        if (const Reference *reference = value->reference)
          if (reference->constant && is_shared(fact_of(reference->constant).type))
            return false;
  return true;
}

} // namespace

Compiled compile_function(FunctionDef &function, const std::vector<const Type *> &arguments,
                          const Type *result, const std::shared_ptr<CacheEntry> &entry,
                          const std::vector<const Const *> &values, bool defers) {
  PythonHost fresh;
  Compilation compilation(function, arguments, entry ? entry->host() : fresh);
  compilation.wanted_result = result;
  compilation.values = &values;
  compilation.defers = defers;
  std::shared_ptr<const tir::Module> module = compilation.typed();
  if (!can_box(compilation.result))
    throw CompileError("TypingError",
                       function.name() + "() returns a value of type " + compilation.result->text +
                           ", which Python has no object for",
                       {{&function, {}, {}}}, "return numbers, arrays, tuples, lists or None");
  Compiled made;
  made.values = values;
  made.defers = defers;
  made.result = compilation.result;
  made.called = std::move(compilation.called);
  made.may_run_long = module->may_run_long;
  made.lends_gil = !function.options.nogil && may_lend_gil(*module, arguments);
  made.frees_linked = calls(*module, tir::RuntimeOp::LinkedNew) && !shares_linked(made.result) &&
                      std::ranges::none_of(arguments, shares_linked);
  made.snapshot = compilation.host.snapshot();
  if (function.options.parallel)
    made.runs_parallel = compilation.calls_parallel || calls(*module, tir::RuntimeOp::Parallel) ||
                         !compilation.host.in_order.empty(); // of which the user knows already
  made.timings = std::move(compilation.timings);
  if (entry) {
    codegen::Object object;
    made.code = codegen::compile_portable(*module, entry, object, &made.timings, entry->called);
    entry->made(std::move(module), std::move(object));
  } else {
    made.code = codegen::compile(std::move(module), &made.timings);
  }
  add_to_total(made.timings);
  return made;
}

LinkableCode compile_for_linking(FunctionDef &function, const std::vector<const Type *> &arguments,
                                 const Type *result, const std::string &prefix,
                                 const std::string &cpu) {
  PythonHost host;
  Compilation compilation(function, arguments, host);
  compilation.wanted_result = result;
  std::shared_ptr<const tir::Module> module = compilation.typed();
  return {codegen::compile_standalone(*module, prefix, cpu), compilation.result,
          module->may_run_long, !function.options.nogil && may_lend_gil(*module, arguments)};
}

std::shared_ptr<const tir::Module> infer_module(FunctionDef &function,
                                                const std::vector<const Type *> &arguments,
                                                const Type *result, const Snapshot &snapshot) {
  PythonHost host(snapshot);
  Compilation compilation(function, arguments, host);
  compilation.wanted_result = result;
  return compilation.typed();
}

CompiledKernel compile_kernel(FunctionDef &function, const std::vector<const Type *> &arguments,
                              const KernelOptions &options, CachedCode *entry) {
  PythonHost fresh;
  Compilation compilation(function, arguments, entry ? entry->host() : fresh, tir::Target::Cuda);
  compilation.wanted_result = options.result;
  std::shared_ptr<const tir::Module> module = compilation.typed();
  if (!options.ptx.device_function)
    compilation.refuse_result();
  CompiledKernel made;
  made.result = compilation.result;
  made.timings = std::move(compilation.timings);
  made.ptx = codegen::compile_ptx(*module, options.ptx, &made.timings);
  add_to_total(made.timings);
  return made;
}

SimulatedCode compile_for_simulator(FunctionDef &function,
                                    const std::vector<const Type *> &arguments,
                                    const tir::SimulatedKernel &wanted) {
  PythonHost host;
  Compilation compilation(function, arguments, host, tir::Target::Simulator);
  compilation.simulated = &wanted;
  std::shared_ptr<const tir::Module> module = compilation.typed();
  compilation.refuse_result();
  SimulatedCode made;
  made.kernel = module->simulated;
  made.timings = std::move(compilation.timings);
  made.code = codegen::compile(std::move(module), &made.timings);
  add_to_total(made.timings);
  return made;
}

std::string dump_kernel(FunctionDef &function, const std::vector<const Type *> &arguments,
                        const KernelOptions &options, const std::string &stage) {
  PythonHost host;
  Compilation compilation(function, arguments, host, options.target);
  compilation.ptx = &options.ptx;
  return text_of_stage(compilation, stage);
}

const Type *infer_result(FunctionDef &function, const std::vector<const Type *> &arguments) {
  PythonHost host;
  Compilation compilation(function, arguments, host);
  compilation.typed();
  return compilation.result;
}

std::string dump_stage(FunctionDef &function, const std::vector<const Type *> &arguments,
                       const std::string &stage, const Snapshot &snapshot) {
  PythonHost host(snapshot);
  Compilation compilation(function, arguments, host);
  return text_of_stage(compilation, stage);
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
