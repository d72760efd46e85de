// What numjit's Python files see of compilation: specialisations, dumps, timings, the library.
#include "codegen/foreign_ir.h"
#include "codegen/load/symbols.h"
#include "codegen/pass_list.h"
#include "frontend/digest.h"
#include "pyext/api/module.h"
#include "pyext/bindings.h"
#include "pyext/cache/shipped.h"
#include "pyext/call/compile.h"
#include "pyext/call/dispatcher.h"
#include "pyext/convert/classes.h"
#include "pyext/errors.h"
#include "pyext/read/function_def.h"
#include "pyext/read/globals.h"
#include "pyext/read/names.h"
#include "pyext/read/objects.h"
#include "pyext/read/overloads.h"
#include "pyext/read/type_handle.h"
#include "runtime/parallel.h"
#include "runtime/runtime.h"
#include "typeinfer/infer/builtins.h"
#include "typeinfer/ir/device_names.h"

#include <pybind11/stl.h>

#include <optional>

namespace py = pybind11;

namespace numjit {

namespace {

py::object steal(PyObject *object) {
  if (!object)
    throw py::error_already_set();
  return py::reinterpret_steal<py::object>(object);
}

/// A specialisation and the dispatcher that its code belongs to.
struct Overload {
  py::object dispatcher;
  std::shared_ptr<Specialization> specialization;

  py::object call(const py::args &arguments) const {
    PyObject **items = reinterpret_cast<PyTupleObject *>(arguments.ptr())->ob_item;
    if (PyObject *callable = specialization->callable())
      return steal(PyObject_Vectorcall(callable, items, arguments.size(), nullptr));
    size_t expected = specialization->arguments().size();
    if (arguments.size() != expected)
      throw py::type_error("expected " + std::to_string(expected) + " arguments, got " +
                           std::to_string(arguments.size()));
    bool started;
    return steal(specialization->call(items, started));
  }

  /// What runs: the callable of object mode, or this.
  py::object entry_point() const {
    if (PyObject *callable = specialization->callable())
      return py::reinterpret_borrow<py::object>(callable);
    return py::cast(*this);
  }

  py::object result() const {
    const Type *type = specialization->result();
    return type ? steal(type_handle(type)) : py::none();
  }

  py::bytes portable() const {
    return guarded([&] { return py::bytes(portable_code(dispatcher.ptr(), *specialization)); });
  }

  size_t code_bytes() const {
    const auto &code = specialization->compiled().code;
    return code ? code->code_bytes() : 0;
  }
};

std::vector<Overload> specializations(const py::object &dispatcher) {
  std::vector<Overload> list;
  for (auto &each : dispatcher_specializations(dispatcher.ptr()))
    list.push_back({dispatcher, each});
  return list;
}

py::list compiled_for_callers(const py::object &dispatcher) {
  py::list list;
  for (const CalledFunction &each : compiled_with_callers(dispatcher.ptr()))
    list.append(
        py::make_tuple(steal(type_handles(each.arguments)), steal(type_handle(each.result))));
  return list;
}

Overload compile(const py::object &dispatcher, const py::iterable &arguments,
                 const py::object &result) {
  return guarded([&] {
    const Type *type = result.is_none() ? nullptr : type_object(result.ptr());
    if (!type && !result.is_none())
      throw py::type_error("expected a type, not " + std::string(py::repr(result)));
    FunctionDef *function = dispatcher_function(dispatcher.ptr());
    auto made =
        compile_dispatcher(dispatcher.ptr(), fold_types(*function, types_of(arguments)), type);
    if (!made)
      throw py::error_already_set();
    return Overload{dispatcher, std::move(made)};
  });
}

py::object result_of(const py::object &dispatcher, const py::iterable &arguments) {
  return guarded([&] {
    FunctionDef *function = dispatcher_function(dispatcher.ptr());
    if (!function)
      throw py::type_error("expected a dispatcher");
    std::vector<const Type *> types = fold_types(*function, types_of(arguments));
    const Type *result;
    {
      WithoutGil released;
      result = infer_result(*function, types);
    }
    return steal(type_handle(result));
  });
}

std::string dump(const py::object &function, const py::iterable &arguments,
                 const std::string &stage) {
  return guarded([&] {
    FunctionDef *def = dispatcher_function(function.ptr());
    if (!def) {
      const Const *constant = const_of(function.ptr());
      def = constant->is_object(ObjectKind::Function) ? constant->object->function : nullptr;
    }
    if (!def)
      throw py::type_error("expected a Python function, not " + std::string(py::repr(function)));
    std::vector<const Type *> types = types_of(arguments);
    if (stage != "bytecode" && stage != "ssa")
      types = fold_types(*def, types);
    Snapshot snapshot; // of what was compiled, whatever names mean by now
    if (dispatcher_check(function.ptr()))
      for (const auto &each : dispatcher_specializations(function.ptr()))
        if (each->arguments() == types)
          snapshot = each->compiled().snapshot;
    WithoutGil released;
    return dump_stage(*def, types, stage, snapshot);
  });
}

void add_library_function(const std::string &name, const py::function &function,
                          const std::string &when, const std::string &operands, bool lazy,
                          bool inlined) {
  const auto *use = std::find(std::begin(kLibraryUses), std::end(kLibraryUses), when);
  if (use == std::end(kLibraryUses))
    throw py::value_error("when=" + when + ": no such use of a name");
  register_library({name, static_cast<LibraryUse>(use - kLibraryUses), operands}, function.ptr(),
                   lazy, inlined);
}

py::list passes() {
  py::list rows;
  for (const codegen::PassRow &row : codegen::pass_list())
    rows.append(py::make_tuple(row.stage, row.name, row.when, row.what));
  return rows;
}

py::list option_rows() {
  py::list rows;
  auto add = [&](std::string_view option, const char *choices, const char *field, const char *doc) {
    if (!option.empty())
      rows.append(py::make_tuple(option, choices, field, doc));
  };
#define NUMJIT_OPTION(type, field, use, option, choices, doc) add(option, choices, #field, doc);
#include "frontend/compile_options.def"
#undef NUMJIT_OPTION
  return rows;
}

/// What numjit.cuda has as it is in device_ops.def.
py::list device_operations() {
  static constexpr const char *forms[] = {"inner", "value",    "call", "numbers",
                                          "words", "unsigned", "load", "store"};
  py::list rows;
  for (const tir::DeviceName &row : tir::device_names())
    if (row.form != tir::DeviceForm::Inner)
      rows.append(py::make_tuple(row.name, forms[static_cast<size_t>(row.form)],
                                 tir::device_op_row(row.op).name));
  return rows;
}

} // namespace

void add_compiler(py::module_ &module) {
  py::class_<Overload>(module, "Specialization", "One compiled version of a function.")
      .def_property_readonly("arguments",
                             [](const Overload &self) {
                               return steal(type_handles(self.specialization->arguments()));
                             })
      .def_property_readonly(
          "values",
          [](const Overload &self) {
            py::list values;
            for (const Const *value : self.specialization->compiled().values)
              values.append(value ? steal(python_of(*value)) : py::none());
            return values;
          },
          "those of the arguments that literally() asked for, None for others; or empty")
      .def_property_readonly("result", &Overload::result, "None in object mode")
      .def_property_readonly(
          "timings", [](const Overload &self) { return self.specialization->compiled().timings; },
          "(stage, milliseconds) in order")
      .def_property_readonly("code_bytes", &Overload::code_bytes)
      .def_property_readonly(
          "loaded", [](const Overload &self) { return self.specialization->compiled().loaded; },
          "from the cache on disk")
      .def("portable", &Overload::portable,
           "an entry of the cache with the machine code, for a pickle; empty if there can be none")
      .def_property_readonly("entry_point", &Overload::entry_point)
      .def_property_readonly(
          "entry_address",
          [](const Overload &self) {
            return reinterpret_cast<int64_t>(self.specialization->entry());
          },
          "where the machine code begins; 0 in object mode")
      .def("__call__", &Overload::call);

  // Methods of the C type, which PyType_Spec cannot take from pybind11.
  py::object dispatcher = module.attr("Dispatcher");
  dispatcher.attr("_specializations") =
      py::cpp_function(specializations, py::is_method(dispatcher), py::name("_specializations"));
  dispatcher.attr("_compiled_with_callers") = py::cpp_function(
      compiled_for_callers, py::is_method(dispatcher), py::name("_compiled_with_callers"));
  dispatcher.attr("_compile") =
      py::cpp_function(compile, py::is_method(dispatcher), py::name("_compile"),
                       py::arg("arguments"), py::arg("result") = py::none());

  module.def(
      "digest", [](const py::bytes &data) { return digest_of(std::string_view(data)).hex(); },
      "hexadecimal digest of bytes, for keys and checksums of what is kept on disk");
  module.def("receive_code", receive_code, py::arg("entry"),
             "keeps an entry that a pickle brought");
  module.def("infer", result_of, py::arg("dispatcher"), py::arg("arguments"),
             "the type of a function's result; nothing is compiled");
  module.def("dump", dump, py::arg("function"), py::arg("arguments"), py::arg("stage"),
             "what a stage makes of a function, as text");
  module.def("timings", total_timings, "(stage, milliseconds) of everything compiled so far");
  module.def("register_library", add_library_function, py::arg("name"), py::arg("function"),
             py::arg("when") = "", py::arg("operands") = "", py::arg("lazy") = false,
             py::arg("inline") = true);
  module.def("announce_library", announce_library, py::arg("name"), py::arg("module"));
  module.def("name_for_overloads",
             [](const py::object &function) { return name_for_overloads(function.ptr()); });
  module.def("note_overload", note_overload, py::arg("name"));
  module.def("register_typed_class", [](const py::type &cls) {
    register_typed_class(reinterpret_cast<PyTypeObject *>(cls.ptr()));
  });
  module.def(
      "register_value_class",
      [](std::string name, std::vector<std::string> fields, const py::object &item,
         const py::object &maker) {
        register_value_class(std::move(name), std::move(fields),
                             item.is_none() ? nullptr : type_of_handle(item.ptr()),
                             maker.is_none() ? nullptr : maker.ptr());
      },
      py::arg("name"), py::arg("fields"), py::arg("item"), py::arg("maker"));
  module.def("builtin_names", builtin_names, "the functions that are rules of the compiler");
  module.def(
      "builtin_parameters",
      [](const std::string &name) -> std::optional<std::string_view> {
        const Builtin *row = find_builtin(name);
        return row ? std::optional(row->parameters) : std::nullopt;
      },
      "parameters of a builtin with a rule of its own, None for scalar operations");
  module.def(
      "add_symbol",
      [](const std::string &name, intptr_t address) {
        codegen::add_symbol(name, reinterpret_cast<void *>(address));
      },
      "lets LLVM IR name an address");
  module.def(
      "symbol_address",
      [](const std::string &name) {
        return reinterpret_cast<intptr_t>(codegen::symbol_address(name));
      },
      "what machine code finds by a name, or 0");
  module.def(
      "llvm_ir_problem",
      [](const std::string &text, const std::string &name) {
        WithoutGil released;
        return codegen::foreign_problem(text, name);
      },
      py::arg("text"), py::arg("name"),
      "what is wrong with LLVM IR that defines the function `name`; empty if nothing is");
  module.def("passes", passes, "(stage, name, when, what it does) of every pass, in order");
  module.def("option_rows", option_rows,
             "(option of @jit, its choices, field, what it does) of compile_options.def");
  module.def("device_operations", device_operations,
             "(name in numjit.cuda, form, name of the row) of device_ops.def");
  module.def("attribute_names", attribute_names, "attributes that a kind of type has by a rule");
  module.def("set_error_maker", [](const py::function &maker) { set_error_maker(maker.ptr()); });
  module.def("thread_limit", nj_thread_limit, "threads there are for parallel loops");
  module.def("get_num_threads", nj_get_num_threads);
  module.def("set_num_threads", [](int64_t count) {
    if (nj_set_num_threads(count)) {
      nj_clear_error();
      throw py::value_error("The number of threads must be between 1 and " +
                            std::to_string(nj_thread_limit()));
    }
  });
  module.def("get_thread_id", nj_thread_id);
  module.def("get_chunk_size", nj_get_chunk_size);
  module.def("set_chunk_size", [](int64_t size) {
    int64_t before = 0;
    if (nj_set_chunk_size(size, &before)) {
      nj_clear_error();
      throw py::value_error("chunksize must be greater than or equal to zero");
    }
    return before;
  });
  module.def(
      "live_blocks", [] { return nj_live_blocks() - blocks_of_constants(); },
      "blocks of memory that compiled code allocated, and that are freed with their last "
      "reference");
}

} // namespace numjit
