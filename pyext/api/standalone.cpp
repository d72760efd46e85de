// Functions as object files that other programs link, with all that such a program has to know of
// them (numjit.pycc).
#include "pyext/api/module.h"
#include "pyext/bindings.h"
#include "pyext/cache/cache_key.h"
#include "pyext/call/compile.h"
#include "pyext/call/kept_code.h"
#include "pyext/python.h"
#include "pyext/read/dispatchers.h"
#include "pyext/read/type_handle.h"
#include "runtime/runtime.h"
#include "typeinfer/types/item_descriptor.h"

#include <pybind11/stl.h>

#include <optional>

namespace py = pybind11;

namespace numjit {

namespace {

py::object handles(const std::vector<const Type *> &types) {
  return py::reinterpret_steal<py::object>(type_handles(types));
}

/// The leaves of values in memory: (bytes, offset, whether it is an owner).
py::list leaves_of(const Type *type) {
  py::list rows;
  for (const LeafInfo &leaf : layout_of(type).leaves)
    rows.append(py::make_tuple(leaf_size(leaf.leaf), leaf.offset, leaf.owner));
  return rows;
}

/// The block of a global list, dict or set: the structure in it and types of items. If these are
/// numbers, then the fields of the structure that are numbers and the memory of others, else the
/// Python object.
py::object content_of_block(const Object &row) {
  const auto *payload = static_cast<const char *>(row.data) + NJ_PAYLOAD_OFFSET;
  const auto *type = static_cast<const Type *>(row.type);
  const bool is_list = type->kind == Kind::List;
  const Type *item = is_list ? type->params[0] : entry_type(type);
  const char *structure = is_list ? "nj_list" : "nj_table";
  if (item->counted)
    return py::make_tuple(structure, handles({item}),
                          py::reinterpret_borrow<py::object>(static_cast<PyObject *>(row.handle)));
  const auto size = static_cast<size_t>(layout_of(item).size);
  const auto memory = [](const void *data, size_t bytes) {
    return py::bytes(static_cast<const char *>(data), bytes);
  };
  if (is_list) {
    const auto &list = *reinterpret_cast<const nj_list *>(payload);
    return py::make_tuple(structure, handles({item}), py::make_tuple(list.length, list.length),
                          memory(list.data, static_cast<size_t>(list.length) * size));
  }
  const auto &table = *reinterpret_cast<const nj_table *>(payload);
  return py::make_tuple(
      structure, handles({item}), py::make_tuple(table.used, table.end, table.room, table.mask),
      memory(table.index, static_cast<size_t>(table.mask + 1) * sizeof *table.index),
      memory(table.entries, static_cast<size_t>(table.end) * size));
}

/// What a reference's memory holds, beside its types; None where another process has no such thing.
py::object content_of(const Reference &reference) {
  if (reference.row == &references::text)
    return py::bytes(reference.constant->text);
  if (reference.row == &references::c_function) {
    std::string file, symbol;
    if (!find_c_symbol(reference.address, file, symbol))
      return py::none();
    return py::make_tuple(file, symbol);
  }
  if (reference.row == &references::memory)
    return content_of_block(*reference.constant->object);
  if (reference.constant && reference.constant->object && reference.constant->object->handle)
    return py::reinterpret_borrow<py::object>(
        static_cast<PyObject *>(reference.constant->object->handle));
  return py::none();
}

py::list references_of(const codegen::Object &object) {
  py::list rows;
  for (const Reference *reference : object.references)
    rows.append(
        py::make_tuple(reference->row->name, handles(reference->types), content_of(*reference)));
  return rows;
}

py::tuple standalone(const py::object &dispatcher, const py::iterable &arguments,
                     const py::object &result, const std::string &prefix, const std::string &cpu) {
  return guarded([&] {
    FunctionDef *function = dispatcher_function(dispatcher.ptr());
    if (!function)
      throw py::type_error("expected a dispatcher");
    const std::vector<const Type *> types = fold_types(*function, types_of(arguments));
    const Type *wanted = result.is_none() ? nullptr : type_object(result.ptr());
    load_extensions();
    LinkableCode made;
    {
      WithoutGil released;
      made = compile_for_linking(*function, types, wanted, prefix, cpu);
    }
    return py::make_tuple(py::bytes(made.object.file), references_of(made.object),
                          made.object.outside, made.object.features, handles(types),
                          handles({made.result})[py::int_(0)], made.may_run_long, made.lends_gil);
  });
}

} // namespace

void add_standalone(py::module_ &module) {
  module.def("standalone", standalone, py::arg("dispatcher"), py::arg("arguments"),
             py::arg("result"), py::arg("prefix"), py::arg("cpu"),
             "(object file, references, symbols of others, processor's features, argument types, "
             "result type, whether it may run long, and lends the GIL)");
  module.def(
      "leaves", [](const py::object &type) { return leaves_of(type_object(type.ptr())); },
      "(bytes, offset, whether it is an owner) of the parts of a value in memory");
  module.def(
      "memory_size", [](const py::object &type) { return layout_of(type_object(type.ptr())).size; },
      "bytes of a value in memory");
}

} // namespace numjit
