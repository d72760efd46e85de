// What numjit.cuda sees of the compiler: kernels.
#include "pyext/gpu/kernels.h"

#include "pyext/api/module.h"
#include "pyext/bindings.h"
#include "pyext/cache/cache.h"
#include "pyext/call/dispatcher.h"
#include "pyext/errors.h"
#include "pyext/gpu/device_array.h"
#include "pyext/gpu/lazy.h"
#include "pyext/gpu/turns.h"
#include "pyext/read/type_handle.h"

#include <pybind11/stl.h>

#include <utility>

namespace py = pybind11;

namespace numjit {

namespace {

KernelOptions read_kernel_options(const py::dict &dict) {
  KernelOptions options;
  auto number = [&](const char *name, auto &field) {
    if (dict.contains(name))
      field = py::cast<std::decay_t<decltype(field)>>(dict[name]);
  };
  bool simulated = false;
  number("simulated", simulated);
  options.target = simulated ? tir::Target::Simulator : tir::Target::Cuda;
  codegen::PtxOptions &ptx = options.ptx;
  number("major", ptx.major);
  number("minor", ptx.minor);
  number("suffix", ptx.suffix);
  number("name", ptx.name);
  number("device", ptx.device_function);
  number("opt", ptx.optimise);
  number("lineinfo", ptx.lines);
  number("debug", ptx.record_raises);
  number("fma", ptx.fma);
  number("registers", ptx.registers);
  number("block_threads", ptx.block_threads);
  number("blocks", ptx.blocks);
  number("cluster", ptx.cluster);
  number("scratch", ptx.scratch_bytes);
  number("heap", ptx.heap);
  number("libdevice", ptx.libdevice);
  number("slots", ptx.slots);
  if (dict.contains("result"))
    options.result = type_of_handle(py::object(dict["result"]).ptr());
  return options;
}

FunctionDef &definition_of(const py::object &dispatcher) {
  FunctionDef *function = dispatcher_function(dispatcher.ptr());
  if (!function)
    throw py::type_error("expected a dispatcher");
  return *function;
}

std::shared_ptr<Kernel> new_kernel(FunctionDef &definition, const py::iterable &types) {
  auto kernel = std::make_shared<Kernel>();
  kernel->definition = &definition;
  kernel->arguments = fold_types(definition, types_of(types));
  return kernel;
}

/// Compiles a kernel, and has it kept by `entry`, if that is not null.
std::shared_ptr<Kernel> kernel_for_types(const py::object &dispatcher, const py::iterable &types,
                                         const py::dict &options_dict, KernelEntry *entry) {
  return guarded([&] {
    auto kernel = new_kernel(definition_of(dispatcher), types);
    const KernelOptions options = read_kernel_options(options_dict);
    kernel->checked = options.ptx.record_raises;
    WithoutGil released;
    kernel->compiled = compile_kernel(*kernel->definition, kernel->arguments, options, entry);
    kernel->cooperative = kernel->compiled.ptx.cooperative;
    return kernel;
  });
}

std::shared_ptr<KernelEntry> kernel_entry(const py::object &dispatcher, const py::iterable &types,
                                          const py::dict &options, const std::string &folder,
                                          const std::string &prefix) {
  return guarded([&] {
    FunctionDef &definition = definition_of(dispatcher);
    return std::make_shared<KernelEntry>(definition, fold_types(definition, types_of(types)),
                                         read_kernel_options(options), CacheHome{folder, prefix});
  });
}

/// (kernel, cubin) of the cache, or None.
py::object load_kernel(KernelEntry &entry, const py::object &dispatcher,
                       const py::iterable &types) {
  return guarded([&]() -> py::object {
    auto kernel = new_kernel(definition_of(dispatcher), types);
    std::string cubin;
    if (!entry.load(kernel->compiled, cubin))
      return py::none();
    kernel->cooperative = kernel->compiled.ptx.cooperative;
    return py::make_tuple(kernel, py::bytes(cubin));
  });
}

std::string kernel_text(const py::object &dispatcher, const py::iterable &types,
                        const py::dict &options_dict, const std::string &stage) {
  return guarded([&] {
    FunctionDef &function = definition_of(dispatcher);
    std::vector<const Type *> rows = fold_types(function, types_of(types));
    const KernelOptions options = read_kernel_options(options_dict);
    WithoutGil released;
    return dump_kernel(function, rows, options, stage);
  });
}

/// (class, message or None, function, file, line, values in the message) of each raise in a kernel.
py::list raises(const Kernel &kernel) {
  py::list rows;
  for (const codegen::PtxRaise &raise : kernel.compiled.ptx.raises) {
    const tir::RaiseSite &site = raise.site;
    const std::optional<std::string> &message = raise.message;
    py::object cls =
        !site.builtin.empty()
            ? py::object(py::module_::import("builtins").attr(site.builtin.c_str()))
        : site.cls && site.cls->object && site.cls->object->handle
            ? py::reinterpret_borrow<py::object>(static_cast<PyObject *>(site.cls->object->handle))
            : py::object(py::module_::import("builtins").attr("RuntimeError"));
    rows.append(py::make_tuple(cls, message ? py::object(py::str(*message)) : py::none(),
                               raise.function, raise.filename, raise.line, raise.values));
  }
  return rows;
}

void add_tables(py::module_ &module) {
  py::class_<KernelTable, std::shared_ptr<KernelTable>>(module, "KernelTable")
      .def(py::init([](bool simulated) {
             auto table = std::make_shared<KernelTable>();
             table->simulated = simulated;
             return table;
           }),
           py::arg("simulated"));
  py::class_<KernelEntry, std::shared_ptr<KernelEntry>>(module, "KernelEntry",
                                                        "A kernel in the cache on disk.")
      .def(py::init(&kernel_entry))
      .def("load", load_kernel, py::arg("dispatcher"), py::arg("types"))
      .def("store", [](KernelEntry &entry, const Kernel &kernel, const std::string &cubin) {
        return guarded([&] { return entry.store(kernel.compiled, cubin); });
      });
}

} // namespace

void add_kernels(py::module_ &module) {
  if (!init_device_array(module.ptr()) || !init_launcher(module.ptr()) ||
      !init_kernel_dispatcher(module.ptr()) || !init_lazy(module.ptr()) ||
      !init_pool(module.ptr()) || !init_operators(module.ptr()) ||
      !init_text_launch(module.ptr()) || !init_planned(module.ptr()) ||
      !init_reduced(module.ptr()) || !init_blas_call(module.ptr()) || !init_turns(module.ptr()))
    throw py::error_already_set();
  py::class_<Kernel, std::shared_ptr<Kernel>>(module, "Kernel",
                                              "A kernel compiled for argument types.")
      .def_readwrite("function", &Kernel::function)
      .def_readwrite("context", &Kernel::context)
      .def_readonly("cooperative", &Kernel::cooperative)
      .def_readwrite("checked", &Kernel::checked)
      .def_property_readonly("arguments",
                             [](const Kernel &self) {
                               return py::reinterpret_steal<py::object>(
                                   type_handles(self.arguments));
                             })
      .def_property_readonly("result",
                             [](const Kernel &self) {
                               return py::reinterpret_steal<py::object>(
                                   type_handle(self.compiled.result));
                             })
      .def_property(
          "ptx", [](const Kernel &self) { return self.compiled.ptx.text; },
          [](Kernel &self, std::string text) { self.compiled.ptx.text = std::move(text); })
      .def(
          "fits",
          [](const Kernel &self, const std::vector<int64_t> &slots) { return self.fits(slots); },
          py::arg("slots"), "Whether it was made for the values of the arguments of a launch.")
      .def_property_readonly("raises", raises)
      .def_property_readonly("timings", [](const Kernel &self) { return self.compiled.timings; });
  add_tables(module);
  module.def("compile_kernel", kernel_for_types, py::arg("dispatcher"), py::arg("types"),
             py::arg("options"), py::arg("entry") = static_cast<KernelEntry *>(nullptr));
  module.def(
      "record_launches",
      [](const py::object &list) {
        record_launches(PyList_Check(list.ptr()) ? list.ptr() : nullptr);
      },
      "A list that gets (kernel, stream) of each launch, or None: for tests.");
  module.def("dump_kernel", kernel_text, py::arg("dispatcher"), py::arg("types"),
             py::arg("options"), py::arg("stage"));
  module.def("kernel_types", [](const py::tuple &arguments) {
    std::vector<const Type *> types;
    PyObject **items = reinterpret_cast<PyTupleObject *>(arguments.ptr())->ob_item;
    if (!types_of_arguments(items, PyTuple_GET_SIZE(arguments.ptr()), types))
      throw py::error_already_set();
    return py::reinterpret_steal<py::object>(type_handles(types));
  });
}

} // namespace numjit
