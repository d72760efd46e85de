#include "pyext/read/user_classes.h"

#include "pyext/read/dispatchers.h"
#include "pyext/read/objects.h"
#include "pyext/read/type_handle.h"
#include "typeinfer/types/named_instances.h"

#include <algorithm>
#include <cstring>
#include <unordered_map>

namespace numjit {

namespace {

/// What a class or one of its bases defines; a metaclass may pretend to have any attribute.
Ref defined_in(PyTypeObject *cls, const char *name) {
  Ref text(PyUnicode_InternFromString(name));
  return text ? Ref::borrow(_PyType_Lookup(cls, text.get())) : Ref();
}

bool has_own(PyTypeObject *cls, const char *name) {
  return static_cast<bool>(defined_in(cls, name));
}

bool is_enum_class(PyTypeObject *cls) {
  static PyTypeObject *meta = nullptr;
  if (!meta) {
    PyObject *loaded = PyDict_GetItemString(PyImport_GetModuleDict(), "enum");
    Ref found = loaded ? attribute_or_null(loaded, "EnumMeta") : Ref();
    if (!found)
      return false;
    meta = reinterpret_cast<PyTypeObject *>(found.release());
  }
  return PyObject_TypeCheck(reinterpret_cast<PyObject *>(cls), meta);
}

struct ValueClass {
  std::vector<std::string> fields; ///< attributes, in the order in which the class is called
  const Type *item = nullptr;      ///< the type of all fields; null: that of the attribute
  PyObject *maker = nullptr;       ///< what is called with class and attributes; null: the class
};

/// By the names of their classes, which may not be loaded.
std::unordered_map<std::string, ValueClass> &value_classes() {
  static auto *known = new std::unordered_map<std::string, ValueClass>;
  return *known;
}

const ValueClass *value_class(PyTypeObject *cls) {
  const auto found = value_classes().find(qualified_name(reinterpret_cast<PyObject *>(cls)));
  return found == value_classes().end() ? nullptr : &found->second;
}

/// What a class is does not change; classes are kept alive by the table.
std::unordered_map<PyTypeObject *, UserClass> &known_classes() {
  static auto *known = new std::unordered_map<PyTypeObject *, UserClass>;
  return *known;
}
bool has_typed_classes = false;

/// Whether objects of a program's class say their type themselves (`_numba_type_`).
bool says_its_type(PyTypeObject *cls) {
  auto *object = reinterpret_cast<PyObject *>(cls);
  return cls->tp_flags & Py_TPFLAGS_HEAPTYPE && attribute_or_null(object, "_numba_type_") &&
         !text_attribute(object, "__module__").starts_with("numjit");
}

/// Whether a base of a class is Typed.
bool derives_from_typed(PyTypeObject *cls) {
  if (!has_typed_classes)
    return false;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(cls->tp_mro); ++i) {
    auto *base = reinterpret_cast<PyTypeObject *>(PyTuple_GET_ITEM(cls->tp_mro, i));
    if (auto found = known_classes().find(base); found != known_classes().end())
      if (found->second == UserClass::Typed)
        return true;
  }
  return false;
}

UserClass find_user_class(PyTypeObject *cls) {
  if (derives_from_typed(cls))
    return UserClass::Typed;
  if (is_enum_class(cls))
    return UserClass::Enum;
  if (has_own(cls, "_numjit_jitclass_"))
    return UserClass::JitClass;
  if (says_its_type(cls))
    return UserClass::Typed;
  // Instances of other classes, too, may pretend to have any attribute: the class itself is asked.
  if (has_own(cls, "__dataclass_fields__"))
    return UserClass::DataClass;
  return value_class(cls) ? UserClass::Value : UserClass::None;
}

bool flag_of(PyObject *object, const char *name) {
  Ref value = attribute_or_null(object, name);
  return value && PyObject_IsTrue(value.get()) == 1;
}

/// Functions that dataclasses and named tuples write themselves. Those of classes that a user types
/// in or executes from a text have no file either: only names that are generated count there.
bool is_generated(PyObject *function) {
  static constexpr std::string_view names[] = {
      "__init__", "__repr__", "__eq__",      "__lt__",      "__le__",      "__gt__",
      "__ge__",   "__hash__", "__setattr__", "__delattr__", "__replace__", "<lambda>"};
  auto *code = reinterpret_cast<PyCodeObject *>(PyFunction_GetCode(function));
  const std::string file = text_of(code->co_filename), name = text_of(code->co_name);
  if (file == "<string>")
    return std::find(std::begin(names), std::end(names), name) != std::end(names);
  if (file.ends_with("/reprlib.py")) { // recursive_repr(), which dataclasses of CPython 3.13 use
    Ref inner(PyObject_GetAttrString(function, "__wrapped__"));
    PyErr_Clear();
    return inner && PyFunction_Check(inner.get()) && is_generated(inner.get());
  }
  return file.ends_with("/enum.py") || file.ends_with("/dataclasses.py") ||
         file.ends_with("/typing.py") || file.ends_with("collections/__init__.py");
}

/// Whether what a class holds under a name is a constant in compiled code.
bool is_class_constant(const Object &row, const std::string &name, PyObject *value) {
  const bool is_private = name.starts_with("_");
  if (is_private &&
      (row.kind == ObjectKind::EnumClass || name.starts_with("__") || name.starts_with("_numjit")))
    return false;
  if (PyType_Check(value)) // `dtype = int`: of the language or of NumPy
    return row.kind != ObjectKind::EnumClass &&
           !(reinterpret_cast<PyTypeObject *>(value)->tp_flags & Py_TPFLAGS_HEAPTYPE);
  return value == Py_None || PyLong_Check(value) || PyFloat_Check(value) || PyBool_Check(value) ||
         PyComplex_Check(value) || PyUnicode_Check(value) || PyBytes_Check(value) ||
         PyTuple_Check(value) || PyList_Check(value) || PyDict_Check(value) ||
         PyAnySet_Check(value) || PyArray_Check(value) || PyArray_CheckScalar(value) ||
         user_class(Py_TYPE(value)) == UserClass::Enum;
}

void add_member(Object &row, const std::string &name, PyObject *value) {
  auto add = [&](const std::string &as, PyObject *what) {
    const Const *member = const_of(what);
    for (auto &[known, old] : row.members)
      if (known == as) {
        old = member;
        return;
      }
    row.members.emplace_back(as, member);
  };
  const bool is_function =
      PyFunction_Check(value) ? !is_generated(value) : bool(dispatcher_check(value));
  if (is_function || is_class_constant(row, name, value)) {
    add(name, value);
  } else if (PyObject_TypeCheck(value, &PyProperty_Type)) {
    for (const char *part : {"get", "set"}) {
      Ref function = attribute_or_null(value, (std::string("f") + part).c_str());
      if (function && function.get() != Py_None)
        add(std::string(part) + " " + name, function.get());
    }
  } else if (Py_TYPE(value) == &PyStaticMethod_Type || Py_TYPE(value) == &PyClassMethod_Type) {
    if (Ref function = attribute_or_null(value, "__func__"))
      add((Py_TYPE(value) == &PyStaticMethod_Type ? "static " : "class ") + name, function.get());
  }
}

/// Methods of the bases of a class that come next in a class's order, under the names by which
/// `super()` in a method of that class finds them.
void add_super_members(Object &row, PyObject *cls) {
  const std::string behind = "super " + qualified_name(cls) + " ";
  std::vector<std::pair<std::string, const Const *>> inherited;
  for (const auto &[name, member] : row.members) {
    if (name.starts_with("super ") || !member->is_object(ObjectKind::Function))
      continue;
    const size_t space = name.rfind(' ') + 1; // 0: a plain method
    inherited.emplace_back(name.substr(0, space) + behind + name.substr(space), member);
  }
  row.members.insert(row.members.end(), inherited.begin(), inherited.end());
}

void add_members(Object &row, PyObject *dict) {
  PyObject *name, *value;
  Py_ssize_t at = 0;
  Ref copy(PyDict_Copy(dict)); // reading a function may run code
  while (copy && PyDict_Next(copy.get(), &at, &name, &value))
    add_member(row, text_of(name), value);
}

void describe_enum(Object &row, PyObject *cls) {
  row.kind = ObjectKind::EnumClass;
  row.is_int = PyType_IsSubtype(reinterpret_cast<PyTypeObject *>(cls), &PyLong_Type);
  row.is_flag = row.is_int && has_own(reinterpret_cast<PyTypeObject *>(cls), "_flag_mask_");
  Ref members = attribute_or_null(cls, "__members__");
  Ref items(members ? PyMapping_Items(members.get()) : nullptr);
  if (!items) {
    PyErr_Clear();
    return;
  }
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(items.get()); ++i) {
    PyObject *pair = PyList_GET_ITEM(items.get(), i);
    row.members.emplace_back(text_of(PyTuple_GET_ITEM(pair, 0)),
                             const_of(PyTuple_GET_ITEM(pair, 1)));
  }
}

/// The type that list[float] or dict[str, int] says for a field; null where there is none of these.
const Const *type_of_items(PyObject *field) {
  Ref annotation = attribute_or_null(field, "type");
  Ref origin = annotation ? attribute_or_null(annotation.get(), "__origin__") : Ref();
  if (!origin)
    return nullptr;
  Ref module(PyImport_ImportModule("numjit.extending"));
  Ref type(module ? PyObject_CallMethod(module.get(), "as_numba_type", "O", annotation.get())
                  : nullptr);
  if (!type)
    PyErr_Clear();
  return type ? const_of(type.get()) : nullptr;
}

/// The fields that __init__ takes, in order, and their defaults.
void describe_dataclass(Object &row, PyObject *cls) {
  row.kind = ObjectKind::DataClass;
  if (Ref plain = defined_in(reinterpret_cast<PyTypeObject *>(cls), "_numjit_plain_"))
    row.data = plain.get(); // kept alive by the one that stands for it
  Ref parameters = attribute_or_null(cls, "__dataclass_params__");
  row.is_frozen = flag_of(parameters.get(), "frozen");
  row.has_eq = flag_of(parameters.get(), "eq");
  row.has_order = flag_of(parameters.get(), "order");
  Ref module(PyImport_ImportModule("dataclasses"));
  Ref fields(PyObject_CallMethod(module.get(), "fields", "O", cls));
  Ref missing = attribute_or_null(module.get(), "MISSING");
  if (!fields)
    throw PythonError();
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(fields.get()); ++i) {
    PyObject *field = PyTuple_GET_ITEM(fields.get(), i);
    row.fields.push_back(text_attribute(field, "name"));
    Ref value = attribute_or_null(field, "default");
    row.field_defaults.push_back(value.get() == missing.get() ? nullptr : const_of(value.get()));
    Ref factory = attribute_or_null(field, "default_factory");
    if (factory && factory.get() != missing.get())
      row.members.emplace_back("factory " + row.fields.back(), const_of(factory.get()));
    if (const Const *type = type_of_items(field))
      row.members.emplace_back("type " + row.fields.back(), type);
    for (const char *how : {"init", "kw_only"}) {
      Ref said = attribute_or_null(field, how);
      row.members.emplace_back(how + (" " + row.fields.back()),
                               constants::boolean(said.get() == Py_True));
    }
  }
}

void describe_jitclass(Object &row, PyObject *cls) {
  row.kind = ObjectKind::JitClass;
  Ref names = defined_in(reinterpret_cast<PyTypeObject *>(cls), "_numjit_names_");
  for (Py_ssize_t i = 0; names && i < PyTuple_GET_SIZE(names.get()); ++i)
    row.fields.push_back(text_of(PyTuple_GET_ITEM(names.get(), i)));
}

} // namespace

unsigned user_class_changes = 0;

UserClass user_class(PyTypeObject *cls) {
  static PyTypeObject *generator = nullptr; // never unloaded
  if (!generator && std::strcmp(cls->tp_name, "numpy.random._generator.Generator") == 0)
    generator = cls;
  if (cls == generator)
    return UserClass::RandomGenerator;
  if (auto found = known_classes().find(cls); found != known_classes().end())
    return found->second;
  const UserClass kind = find_user_class(cls);
  Py_INCREF(cls);
  return known_classes().emplace(cls, kind).first->second;
}

bool is_copied_field(const char *name) { return std::strcmp(name, "_items") == 0; }

Ref field_of(PyObject *object, const char *name) {
  if (!is_copied_field(name) || user_class(Py_TYPE(object)) != UserClass::Value)
    return attribute_or_null(object, name);
  return Ref(PyDict_Check(object)
                 ? PyObject_CallOneArg(reinterpret_cast<PyObject *>(&PyDict_Type), object)
                 : PySequence_List(object));
}

bool set_items(PyObject *object, PyObject *items) {
  Ref cleared(PyObject_CallMethod(object, "clear", nullptr));
  if (!cleared)
    return false;
  if (!PyDict_Check(object))
    return static_cast<bool>(Ref(PyObject_CallMethod(object, "extend", "O", items)));
  PyObject *key, *value; // update() of a Counter adds
  for (Py_ssize_t at = 0; PyDict_Next(items, &at, &key, &value);)
    if (PyObject_SetItem(object, key, value) < 0)
      return false;
  return true;
}

void register_value_class(std::string name, std::vector<std::string> fields, const Type *item,
                          PyObject *maker) {
  ++user_class_changes;
  std::erase_if(known_classes(), [](auto &row) { return row.second == UserClass::None; });
  value_classes().insert_or_assign(std::move(name),
                                   ValueClass{std::move(fields), item, Py_XNewRef(maker)});
}

Ref made_value(PyObject *cls, PyObject *fields) {
  const ValueClass *known = value_class(reinterpret_cast<PyTypeObject *>(cls));
  if (!known || !known->maker)
    return Ref(PyObject_CallObject(cls, fields));
  Ref first(PyTuple_Pack(1, cls));
  Ref all(first ? PySequence_Concat(first.get(), fields) : nullptr);
  return Ref(all ? PyObject_CallObject(known->maker, all.get()) : nullptr);
}

void register_typed_class(PyTypeObject *cls) {
  ++user_class_changes;
  has_typed_classes = true;
  if (known_classes().insert_or_assign(cls, UserClass::Typed).second)
    Py_INCREF(cls);
}

void describe_members(Object &row, PyObject *cls) {
  auto *type = reinterpret_cast<PyTypeObject *>(cls);
  if (Ref members = defined_in(type, "_numjit_members_"); members) {
    add_members(row, members.get());
    return;
  }
  PyObject *mro = type->tp_mro;
  for (Py_ssize_t i = PyTuple_GET_SIZE(mro); i-- > 0;) { // derived classes win
    auto *each = reinterpret_cast<PyTypeObject *>(PyTuple_GET_ITEM(mro, i));
    if (!(each->tp_flags & Py_TPFLAGS_HEAPTYPE))
      continue;
    Ref dict(PyObject_GetAttrString(reinterpret_cast<PyObject *>(each), "__dict__"));
    Ref plain(dict ? PyDict_New() : nullptr);
    add_super_members(row, reinterpret_cast<PyObject *>(each));
    if (plain && PyDict_Update(plain.get(), dict.get()) == 0)
      add_members(row, plain.get());
    PyErr_Clear();
  }
  std::erase_if(row.members, [&](const auto &member) { // defaults of fields are no constants
    return std::find(row.fields.begin(), row.fields.end(), member.first) != row.fields.end();
  });
}

const Type *type_of_value_fields(PyTypeObject *cls) {
  const ValueClass *known = user_class(cls) == UserClass::Value ? value_class(cls) : nullptr;
  return known ? known->item : nullptr;
}

void describe_value_class(Object &row, PyObject *cls) {
  if (const ValueClass *known = value_class(reinterpret_cast<PyTypeObject *>(cls))) {
    row.fields = known->fields;
    row.is_frozen = true;
  }
}

void describe_user_class(Object &row, PyObject *cls, UserClass kind) {
  row.name = qualified_name(cls);
  if (kind == UserClass::Enum)
    describe_enum(row, cls);
  else if (kind == UserClass::DataClass)
    describe_dataclass(row, cls);
  else if (kind == UserClass::JitClass)
    describe_jitclass(row, cls);
  else {
    row.kind = ObjectKind::Class;
    describe_value_class(row, cls);
    return;
  }
  describe_members(row, cls);
}

void describe_plain_class(Object &row, PyObject *cls) {
  Ref module(PyImport_ImportModule("numjit.plain_classes"));
  Ref made(module ? PyObject_CallMethod(module.get(), "made_by", "O", cls) : nullptr);
  if (!made)
    throw PythonError();
  if (made.get() != Py_None)
    row.value = const_of(made.get());
}

void describe_enum_member(Object &row, PyObject *member) {
  row.kind = ObjectKind::EnumMember;
  row.name = text_attribute(member, "_name_");
  Ref value = attribute_or_null(member, "_value_");
  row.value = const_of(value ? value.get() : Py_None);
  auto *cls = reinterpret_cast<PyObject *>(Py_TYPE(member));
  row.parent = const_of(cls)->object;
  Ref names = attribute_or_null(cls, "_member_names_");
  row.number = -1;
  for (Py_ssize_t i = 0; names && i < PyList_GET_SIZE(names.get()); ++i)
    if (text_of(PyList_GET_ITEM(names.get(), i)) == row.name)
      row.number = i;
}

bool is_named_tuple(PyObject *object) {
  return PyTuple_Check(object) && !PyTuple_CheckExact(object) &&
         PyObject_HasAttrString(reinterpret_cast<PyObject *>(Py_TYPE(object)), "_fields");
}

const Type *structure_of(const Type *type) {
  if (!type->params.empty())
    return type->params[0];
  if (is_named_instance(type))
    return structure_of_named(type);
  auto *row = const_cast<Object *>(type->constant->object);
  if (!row->type) {
    Ref handle(
        PyObject_CallMethod(static_cast<PyObject *>(row->handle), "_numjit_fields_", nullptr));
    if (!handle)
      return nullptr;
    const Type *items = type_of_handle(handle.get()); // a tuple of the fields' types
    row->type = types::structure(type->constant, items->params);
  }
  return static_cast<const Type *>(row->type);
}

} // namespace numjit
