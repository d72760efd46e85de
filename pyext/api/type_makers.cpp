// Makers of types for Python: _core.array(...), _core.parse("float64[:, ::1]"),
// _core.typeof(value).
#include "pyext/api/module.h"
#include "pyext/convert/items.h"
#include "pyext/convert/typeof.h"
#include "pyext/read/objects.h"
#include "pyext/read/type_handle.h"

#include <pybind11/stl.h>

namespace py = pybind11;

namespace numjit {

namespace {

const Type *type_argument(py::handle object) {
  if (const Type *type = type_object(object.ptr()))
    return type;
  throw py::type_error("expected a type, not " + std::string(py::repr(object)));
}

std::vector<const Type *> type_arguments(const py::iterable &objects) {
  std::vector<const Type *> types;
  for (py::handle each : objects)
    types.push_back(type_argument(each));
  return types;
}

py::object handle(const Type *type) { return py::reinterpret_steal<py::object>(type_handle(type)); }

py::object array_handle(py::handle dtype, int ndim, const std::string &layout, bool readonly,
                        bool unaligned) {
  const Type *item = type_argument(dtype);
  size_t order = std::string("CFAI").find(layout);
  if (layout.size() != 1 || order == std::string::npos)
    throw py::value_error("Invalid layout '" + layout + "'");
  if (!item->is_item() &&
      (item->kind != Kind::Struct || item->counted)) // of a user's type, in kernels
    throw py::value_error("arrays of " + item->text + " are not supported");
  if (ndim < 0 || ndim > NPY_MAXDIMS)
    throw py::value_error("an array has 0 to 64 dimensions");
  return handle(types::array(item, ndim, static_cast<Layout>(order), readonly, unaligned));
}

py::object make_named_tuple(py::handle cls, const py::iterable &items) {
  const Const *constant = const_of(cls.ptr());
  if (!constant->is_object(ObjectKind::NamedTupleClass))
    throw py::type_error("not a named tuple class");
  return handle(types::named_tuple(constant, type_arguments(items)));
}

py::object make_record(std::vector<std::string> names, const py::iterable &fields,
                       std::vector<int64_t> offsets, int64_t size, bool aligned) {
  std::vector<const Type *> types = type_arguments(fields);
  if (types.size() != names.size() || offsets.size() != names.size())
    throw py::value_error("a record has a name, a type and an offset for each field");
  for (const Type *type : types)
    if (!type->is_item() && type->kind != Kind::Nested)
      throw py::value_error("records cannot hold " + type->text);
  return handle(
      types::record(std::move(names), std::move(types), std::move(offsets), size, aligned));
}

py::object make_instance(py::handle cls, const py::object &fields) {
  const Const *constant = const_of(cls.ptr());
  const Type *structure =
      fields.is_none() ? nullptr : types::structure(constant, type_arguments(fields));
  return handle(types::instance(constant, structure));
}

py::object make_structure(py::handle cls, const py::object &fields) {
  return handle(types::structure(const_of(cls.ptr()), type_arguments(fields)));
}

py::object item_handle(py::handle dtype) {
  if (!PyArray_DescrCheck(dtype.ptr()))
    throw py::type_error("expected a NumPy dtype");
  const Type *item = item_of_descr(reinterpret_cast<PyArray_Descr *>(dtype.ptr()));
  return item ? handle(item) : py::none();
}

py::object item_dtype(py::handle type) {
  const Type *item = type_argument(type);
  if (!item->is_item() && item->kind != Kind::Nested)
    throw py::value_error(item->text + " cannot be represented as a NumPy dtype");
  PyArray_Descr *descr = descr_of(item);
  if (!descr)
    throw py::error_already_set();
  return py::reinterpret_steal<py::object>(reinterpret_cast<PyObject *>(descr));
}

py::object make_scalar(const std::string &name) {
  const Type *type = types::scalar_named(name);
  if (!type)
    throw py::value_error("'" + name + "' is no scalar type");
  return handle(type);
}

py::object parse(const std::string &text) {
  types::ParseResult result = types::parse(text);
  if (!result.type)
    throw py::value_error(result.error + " at position " + std::to_string(result.position) +
                          " of '" + text + "'");
  return handle(result.type);
}

py::object type_of_value(py::handle value) {
  TypeOf result = type_of(value.ptr());
  if (!result.type)
    throw py::value_error(result.error);
  return handle(result.type);
}

} // namespace

void add_type_makers(py::module_ &module) {
  module.def(
      "type_address",
      [](py::handle handle) { return reinterpret_cast<intptr_t>(type_of_handle(handle.ptr())); },
      "the address of a row, in this process");
  module.def("scalar", make_scalar, "a scalar type by name");
  module.def("array", array_handle, py::arg("dtype"), py::arg("ndim"), py::arg("layout"),
             py::arg("readonly") = false, py::arg("unaligned") = false);
  module.def("record", make_record, py::arg("names"), py::arg("types"), py::arg("offsets"),
             py::arg("size"), py::arg("aligned"));
  module.def("nested", [](py::handle dtype, std::vector<int64_t> shape) {
    return handle(types::nested(type_argument(dtype), std::move(shape)));
  });
  module.def("item", item_handle, "the type of the elements of arrays with a NumPy dtype, or None");
  module.def("item_dtype", item_dtype, "the NumPy dtype of a type");
  module.def("enumeration",
             [](py::handle cls) { return handle(types::enumeration(const_of(cls.ptr()))); });
  module.def("instance", make_instance, py::arg("cls"), py::arg("fields") = py::none(),
             "the instances of a jitclass, or of a structref with fields of these types");
  module.def("structure", make_structure, py::arg("cls"), py::arg("fields"),
             "the instances of a frozen dataclass with fields of these types");
  module.def("tuple",
             [](const py::iterable &items) { return handle(types::tuple(type_arguments(items))); });
  module.def("literal_list", [](const py::iterable &items) {
    return handle(types::literal_list(type_arguments(items)));
  });
  module.def("literal_dict", [](std::vector<std::string> keys, const py::iterable &values) {
    return handle(types::literal_dict(std::move(keys), type_arguments(values)));
  });
  module.def("named_tuple", make_named_tuple, py::arg("cls"), py::arg("items"));
  module.def("optional", [](py::handle of) { return handle(types::optional(type_argument(of))); });
  module.def(
      "list",
      [](py::handle item, bool typed) { return handle(types::list(type_argument(item), typed)); },
      py::arg("item"), py::arg("typed") = false);
  module.def("dict", [](py::handle key, py::handle value) {
    return handle(types::dict(type_argument(key), type_argument(value)));
  });
  module.def(
      "set",
      [](py::handle item, bool typed) { return handle(types::set(type_argument(item), typed)); },
      py::arg("item"), py::arg("typed") = false);
  module.def("dtype", [](py::handle of) { return handle(types::dtype(type_argument(of))); });
  module.def("pointer", [](py::handle to) { return handle(types::pointer(type_argument(to))); });
  module.def("parse", parse, "a type from its text, as in signatures");
  module.def("typeof", type_of_value, "the type of a value as an argument");
}

} // namespace numjit
