#include "pyext/classes.h"

#include "pyext/dispatcher.h"
#include "pyext/objects.h"
#include "pyext/type_handle.h"
#include "pyext/values.h"
#include "runtime/runtime.h"
#include "typeinfer/infer.h"

#include <algorithm>
#include <cstring>
#include <unordered_map>

namespace numjit {

namespace {

bool has_own(PyTypeObject *cls, const char *name) {
  return PyObject_HasAttrString(reinterpret_cast<PyObject *>(cls), name);
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
  std::string_view name;
  std::vector<std::string> fields; ///< attributes, in the order in which the class is called
};

const ValueClass *value_class(PyTypeObject *cls) {
  static const auto *known = new std::vector<ValueClass>{
      {"numpy.polynomial.polynomial.Polynomial", {"coef", "domain", "window"}}};
  const std::string name = qualified_name(reinterpret_cast<PyObject *>(cls));
  for (const ValueClass &each : *known)
    if (each.name == name)
      return &each;
  return nullptr;
}

/// What a class is does not change; classes are kept alive by the table.
std::unordered_map<PyTypeObject *, UserClass> &known_classes() {
  static auto *known = new std::unordered_map<PyTypeObject *, UserClass>;
  return *known;
}
bool has_typed_classes = false;

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
  // Instances of other classes, too, may pretend to have any attribute: the class itself is asked.
  if (has_own(cls, "__dataclass_fields__"))
    return UserClass::DataClass;
  return value_class(cls) ? UserClass::Value : UserClass::None;
}

bool is_random_generator(PyTypeObject *cls) {
  static PyTypeObject *known = nullptr; // never unloaded
  if (!known && std::strcmp(cls->tp_name, "numpy.random._generator.Generator") == 0)
    known = cls;
  return known == cls;
}

bool flag_of(PyObject *object, const char *name) {
  Ref value = attribute_or_null(object, name);
  return value && PyObject_IsTrue(value.get()) == 1;
}

/// The constant of a class, which is asked for with every call. Classes that were read stay alive.
const Const *class_constant(PyTypeObject *cls) {
  static auto *known = new std::unordered_map<PyTypeObject *, const Const *>;
  const Const *&constant = (*known)[cls];
  if (!constant)
    constant = const_of(reinterpret_cast<PyObject *>(cls));
  return constant;
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
  return file.ends_with("/enum.py") || file.ends_with("/dataclasses.py") ||
         file.ends_with("/typing.py") || file.ends_with("collections/__init__.py");
}

void add_member(Object &row, const std::string &name, PyObject *value) {
  auto add = [&](const std::string &as, PyObject *what) {
    if (!what || what == Py_None)
      return;
    const Const *member = const_of(what);
    for (auto &[known, old] : row.members)
      if (known == as) {
        old = member;
        return;
      }
    row.members.emplace_back(as, member);
  };
  if (PyFunction_Check(value)) {
    if (!is_generated(value))
      add(name, value);
  } else if (dispatcher_check(value)) {
    add(name, value);
  } else if (PyObject_TypeCheck(value, &PyProperty_Type)) {
    for (const char *part : {"get", "set"}) {
      Ref function = attribute_or_null(value, (std::string("f") + part).c_str());
      add(std::string(part) + " " + name, function.get());
    }
  } else if (Py_TYPE(value) == &PyStaticMethod_Type || Py_TYPE(value) == &PyClassMethod_Type) {
    Ref function = attribute_or_null(value, "__func__");
    add((Py_TYPE(value) == &PyStaticMethod_Type ? "static " : "class ") + name, function.get());
  } else if (!name.starts_with("_") &&
             (PyLong_Check(value) || PyFloat_Check(value) || PyBool_Check(value) ||
              PyUnicode_Check(value) || PyTuple_Check(value) || PyArray_Check(value))) {
    add(name, value);
  }
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

/// The fields that __init__ takes, in order, and their defaults.
void describe_dataclass(Object &row, PyObject *cls) {
  row.kind = ObjectKind::DataClass;
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
  }
}

void describe_jitclass(Object &row, PyObject *cls) {
  row.kind = ObjectKind::JitClass;
  Ref names = attribute_or_null(cls, "_numjit_names_");
  for (Py_ssize_t i = 0; names && i < PyTuple_GET_SIZE(names.get()); ++i)
    row.fields.push_back(text_of(PyTuple_GET_ITEM(names.get(), i)));
}

/// In `wrong` the error of a field that has no type, and whether any is mixed.
std::vector<const Type *> types_of_fields(PyObject *object, const Object &cls, TypeOf &wrong) {
  std::vector<const Type *> types;
  for (const std::string &name : cls.fields) {
    Ref value = attribute_or_null(object, name.c_str());
    TypeOf type = value ? type_of(value.get())
                        : TypeOf{nullptr, "cannot determine Numba type of the field '" + name +
                                              "': it has no value"};
    if (!type.type) {
      wrong = std::move(type);
      return {};
    }
    wrong.mixed = wrong.mixed || type.mixed;
    types.push_back(type.type);
  }
  return types;
}

Ref new_object(PyObject *cls) {
  auto *type = reinterpret_cast<PyTypeObject *>(cls);
  Ref empty(PyTuple_New(0));
  return Ref(empty ? type->tp_new(type, empty.get(), nullptr) : nullptr);
}

char *memory_of(void *block) {
  return static_cast<char *>(block) + NJ_PAYLOAD_OFFSET + sizeof(nj_instance);
}

/// Boxes a field that lies in memory.
PyObject *box_field(const Type *field, const char *memory) {
  const TypeLayout &layout = layout_of(field);
  std::vector<uint64_t> slots(layout.leaves.size() + 1);
  load_leaves(layout, memory, slots.data());
  for (size_t i = 0; i < layout.leaves.size(); ++i)
    if (layout.leaves[i].owner)
      nj_retain(reinterpret_cast<void *>(slots[i]));
  const uint64_t *at = slots.data();
  return box(field, at);
}

/// Writes a field over what its memory holds.
bool unbox_field(PyObject *value, const Type *field, char *memory) {
  const TypeLayout &layout = layout_of(field);
  std::vector<uint64_t> slots(layout.leaves.size() + 1), old(layout.leaves.size() + 1);
  Unboxer unboxer;
  uint64_t *at = slots.data();
  if (!unboxer.unbox(value, field, at))
    return false;
  load_leaves(layout, memory, old.data());
  for (size_t i = 0; i < layout.leaves.size(); ++i)
    if (layout.leaves[i].owner)
      nj_retain(reinterpret_cast<void *>(slots[i]));
  store_leaves(layout, slots.data(), memory);
  for (size_t i = 0; i < layout.leaves.size(); ++i)
    if (layout.leaves[i].owner)
      nj_release(reinterpret_cast<void *>(old[i]));
  return true;
}

} // namespace

UserClass user_class(PyTypeObject *cls) {
  if (is_random_generator(cls))
    return UserClass::RandomGenerator;
  if (!(cls->tp_flags & Py_TPFLAGS_HEAPTYPE) && !has_typed_classes) // of C: none of the user's
    return UserClass::None;
  if (auto found = known_classes().find(cls); found != known_classes().end())
    return found->second;
  const UserClass kind = find_user_class(cls);
  Py_INCREF(cls);
  return known_classes().emplace(cls, kind).first->second;
}

void register_typed_class(PyTypeObject *cls) {
  has_typed_classes = true;
  if (known_classes().insert_or_assign(cls, UserClass::Typed).second)
    Py_INCREF(cls);
}

bool is_converted(const Type *type) {
  return type->constant->object->member("is_converted") != nullptr;
}

void describe_members(Object &row, PyObject *cls) {
  if (Ref members = attribute_or_null(cls, "_numjit_members_"); members) {
    add_members(row, members.get());
    return;
  }
  PyObject *mro = reinterpret_cast<PyTypeObject *>(cls)->tp_mro;
  for (Py_ssize_t i = PyTuple_GET_SIZE(mro); i-- > 0;) { // derived classes win
    auto *each = reinterpret_cast<PyTypeObject *>(PyTuple_GET_ITEM(mro, i));
    if (!(each->tp_flags & Py_TPFLAGS_HEAPTYPE))
      continue;
    Ref dict(PyObject_GetAttrString(reinterpret_cast<PyObject *>(each), "__dict__"));
    Ref plain(dict ? PyDict_New() : nullptr);
    if (plain && PyDict_Update(plain.get(), dict.get()) == 0)
      add_members(row, plain.get());
    PyErr_Clear();
  }
  std::erase_if(row.members, [&](const auto &member) { // defaults of fields are no constants
    return std::find(row.fields.begin(), row.fields.end(), member.first) != row.fields.end();
  });
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

// --- types and words ---

const Type *structure_of(const Type *type) {
  if (!type->params.empty())
    return type->params[0];
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

/// What a function of the user's says (typeof_impl); with an exception set where it fails.
static TypeOf type_of_typed_object(PyObject *object) {
  Ref module(PyImport_ImportModule("numjit.native_types"));
  Ref handle(module ? PyObject_CallMethod(module.get(), "row_of_object", "O", object) : nullptr);
  if (!handle)
    return {nullptr, "typeof_impl failed"};
  if (const Type *type = type_of_handle(handle.get()))
    return {type};
  Ref cls(PyObject_Repr(reinterpret_cast<PyObject *>(Py_TYPE(object))));
  return {nullptr, "cannot determine Numba type of " + text_of(cls.get())};
}

TypeOf type_of_instance(PyObject *object, UserClass kind) {
  auto *python_class = reinterpret_cast<PyObject *>(Py_TYPE(object));
  if (kind == UserClass::JitClass)
    return {instance_type(object)};
  if (kind == UserClass::Typed)
    return type_of_typed_object(object);
  const Const *cls = const_of(python_class);
  if (kind == UserClass::Enum)
    return {types::enumeration(cls)};
  if (kind == UserClass::RandomGenerator)
    return {types::structure(cls, {types::pointer(types::none()), types::owner()})};
  if (Py_EnterRecursiveCall(" while finding the type of a dataclass")) {
    PyErr_Clear();
    return {nullptr, "cannot determine Numba type of a dataclass that holds itself"};
  }
  TypeOf wrong;
  std::vector<const Type *> fields = types_of_fields(object, *cls->object, wrong);
  Py_LeaveRecursiveCall();
  if (!wrong.error.empty())
    return wrong;
  const Type *structure = types::structure(cls, std::move(fields));
  wrong.type = cls->object->is_frozen ? structure : types::instance(cls, structure);
  return wrong;
}

ScanResult scan_instance(PyObject *object, UserClass kind, Scan &scan) {
  *scan.words++ = word(Tag::Instance);
  if (kind == UserClass::JitClass) {
    if (!instance_block(object)) {
      PyErr_SetString(PyExc_TypeError, "the instance of the jitclass was never made");
      return ScanResult::Failed;
    }
    *scan.words++ = reinterpret_cast<uint64_t>(instance_type(object));
    *scan.slots++ = reinterpret_cast<uint64_t>(instance_block(object));
    return ScanResult::Fine;
  }
  if (kind == UserClass::Typed) {
    *scan.words++ = reinterpret_cast<uint64_t>(type_of_typed_object(object).type);
    scan.indirect = true;
    return PyErr_Occurred() ? ScanResult::Failed : ScanResult::Fine;
  }
  *scan.words++ = reinterpret_cast<uint64_t>(Py_TYPE(object));
  if (kind == UserClass::RandomGenerator)
    return unbox_random_generator(object, scan.slots) ? ScanResult::Fine : ScanResult::Failed;
  const Const *cls = class_constant(Py_TYPE(object));
  if (kind == UserClass::Enum)
    return unbox_enum(object, types::enumeration(cls), scan.slots) ? ScanResult::Fine
                                                                   : ScanResult::Failed;
  if (!cls->object->is_frozen)
    scan.indirect = true;
  if (Py_EnterRecursiveCall(" while reading a dataclass"))
    return ScanResult::Failed;
  ScanResult result = ScanResult::Fine;
  for (const std::string &name : cls->object->fields) {
    Ref value = attribute_or_null(object, name.c_str());
    if (!scan.has_room(3, 3))
      result = ScanResult::NoRoom;
    else if (value)
      result = scan_value(value.get(), scan);
    else
      *scan.words++ = word(Tag::Other);
    if (result != ScanResult::Fine)
      break;
  }
  Py_LeaveRecursiveCall();
  return result;
}

// --- enumerations and frozen dataclasses ---

bool unbox_enum(PyObject *object, const Type *type, uint64_t *&slots) {
  const bool own = reinterpret_cast<PyObject *>(Py_TYPE(object)) == type->constant->object->handle;
  if (type->unit && PyLong_Check(object))
    return unbox_scalar(object, types::int64(), slots);
  if (!own) {
    PyErr_Format(PyExc_TypeError, "can't unbox %.200s as %s", Py_TYPE(object)->tp_name,
                 type->text.c_str());
    return false;
  }
  *slots++ = static_cast<uint64_t>(const_of(object)->object->number);
  return true;
}

PyObject *box_enum(const Type *type, const uint64_t *&slots) {
  const auto value = static_cast<int64_t>(*slots++);
  const Object &cls = *type->constant->object;
  if (type->unit) {
    Ref integer(PyLong_FromLongLong(value));
    return integer ? PyObject_CallOneArg(static_cast<PyObject *>(cls.handle), integer.get())
                   : nullptr;
  }
  for (auto &[name, member] : cls.members)
    if (member->is_object(ObjectKind::EnumMember) && member->object->number == value)
      return Py_NewRef(static_cast<PyObject *>(member->object->handle));
  PyErr_SetString(PyExc_ValueError, "not a member of the enumeration");
  return nullptr;
}

bool is_random_generator(const Type *type) {
  return type->kind == Kind::Struct && type->constant->is_object(ObjectKind::Class) &&
         is_random_generator(static_cast<PyTypeObject *>(type->constant->object->handle));
}

bool unbox_random_generator(PyObject *object, uint64_t *&slots) {
  Ref bits(PyObject_GetAttrString(object, "bit_generator"));
  Ref capsule(bits ? PyObject_GetAttrString(bits.get(), "capsule") : nullptr);
  void *address = capsule ? PyCapsule_GetPointer(capsule.get(), "BitGenerator") : nullptr;
  if (!address)
    return false;
  *slots++ = reinterpret_cast<uint64_t>(address);
  *slots++ = reinterpret_cast<uint64_t>(object) | NJ_FOREIGN_BIT;
  return true;
}

static PyObject *box_random_generator(const uint64_t *&slots) {
  const uint64_t owner = slots[1];
  slots += 2;
  PyObject *object = Py_NewRef(reinterpret_cast<PyObject *>(owner - NJ_FOREIGN_BIT));
  nj_release(reinterpret_cast<void *>(owner));
  return object;
}

/// A class that is not a dataclass makes its objects itself.
static PyObject *box_value(const Type *type, const uint64_t *&slots) {
  Ref values(PyTuple_New(static_cast<Py_ssize_t>(type->params.size())));
  bool fine = static_cast<bool>(values);
  for (size_t i = 0; i < type->params.size(); ++i) { // to the end: the counts are ours
    Ref value(box(type->params[i], slots));
    fine = fine && value;
    if (fine)
      PyTuple_SET_ITEM(values.get(), static_cast<Py_ssize_t>(i), value.release());
  }
  return fine ? PyObject_CallObject(static_cast<PyObject *>(type->constant->object->handle),
                                    values.get())
              : nullptr;
}

PyObject *box_struct(const Type *type, const uint64_t *&slots) {
  if (is_random_generator(type))
    return box_random_generator(slots);
  if (type->constant->is_object(ObjectKind::Class))
    return box_value(type, slots);
  Ref made = new_object(static_cast<PyObject *>(type->constant->object->handle));
  bool fine = static_cast<bool>(made);
  for (size_t i = 0; i < type->params.size(); ++i) { // to the end: the counts are ours
    Ref value(box(type->params[i], slots));
    Ref name(PyUnicode_FromString(type->names[i].c_str()));
    fine =
        fine && value && name && PyObject_GenericSetAttr(made.get(), name.get(), value.get()) == 0;
  }
  if (fine && is_converted(type))
    return PyObject_CallMethod(made.get(), "_numjit_to_python_", nullptr);
  return fine ? made.release() : nullptr;
}

// --- instances in blocks ---

void *instance_from_python(PyObject *object, const Type *type, Unboxer &unboxer) {
  const Type *structure = structure_of(type);
  if (!structure)
    return nullptr;
  void *block = nullptr;
  if (nj_instance_new(static_cast<int64_t>(sizeof(nj_instance) + layout_of(structure).size),
                      instance_item(structure), &block) != 0) {
    nj_clear_error();
    PyErr_NoMemory();
    return nullptr;
  }
  for (size_t i = 0; i < structure->params.size(); ++i) {
    Ref value(PyObject_GetAttrString(object, structure->names[i].c_str()));
    char *memory = memory_of(block) + field_offset(structure, static_cast<int>(i));
    if (!value ||
        !unboxer.unbox_part(value.get(), structure->params[i], memory, Accept::Convertible)) {
      nj_release(block);
      return nullptr;
    }
  }
  return block;
}

std::vector<char> instance_memory(void *block, const Type *type) {
  const char *memory = memory_of(block);
  return {memory, memory + layout_of(type->params[0]).size};
}

bool update_instance(void *block, const Type *type, PyObject *object, const PythonView &view) {
  Unboxer unboxer(&view);
  void *fresh = instance_from_python(object, type, unboxer);
  if (!fresh)
    return false;
  char *memory = memory_of(block);
  std::swap_ranges(memory, memory + layout_of(type->params[0]).size, memory_of(fresh));
  nj_release(fresh);
  return true;
}

bool write_instance(void *block, const Type *type, const std::vector<char> &before,
                    PyObject *object) {
  const Type *structure = type->params[0];
  for (size_t i = 0; i < structure->params.size(); ++i) {
    const Type *field = structure->params[i];
    const int64_t offset = field_offset(structure, static_cast<int>(i));
    const char *memory = memory_of(block) + offset;
    if (std::memcmp(memory, before.data() + offset, layout_of(field).size) == 0)
      continue;
    Ref value(box_field(field, memory));
    if (!value || PyObject_SetAttrString(object, structure->names[i].c_str(), value.get()) < 0)
      return false;
  }
  return true;
}

namespace {

struct InstanceObject {
  PyObject_HEAD void *block;
  const Type *type;
};

PyTypeObject instance_base = {};

void release_instance(PyObject *self) {
  nj_release(reinterpret_cast<InstanceObject *>(self)->block);
  Py_TYPE(self)->tp_free(self); // the subclass counts the type down
}

/// The field that `number` stands for; sets an exception if there is none.
const Type *field_at(PyObject *self, Py_ssize_t number, char *&memory) {
  auto *object = reinterpret_cast<InstanceObject *>(self);
  const Type *structure = object->block ? structure_of(object->type) : nullptr;
  if (!structure || number < 0 || number >= static_cast<Py_ssize_t>(structure->params.size())) {
    if (!PyErr_Occurred())
      PyErr_SetString(PyExc_AttributeError, "the instance has no such field");
    return nullptr;
  }
  memory = memory_of(object->block) + field_offset(structure, static_cast<int>(number));
  return structure->params[number];
}

PyObject *get_field(PyObject *self, PyObject *number) {
  char *memory = nullptr;
  const Type *field = field_at(self, PyLong_AsSsize_t(number), memory);
  return field ? box_field(field, memory) : nullptr;
}

PyObject *set_field(PyObject *self, PyObject *arguments) {
  Py_ssize_t number;
  PyObject *value;
  if (!PyArg_ParseTuple(arguments, "nO", &number, &value))
    return nullptr;
  char *memory = nullptr;
  const Type *field = field_at(self, number, memory);
  if (!field || !unbox_field(value, field, memory))
    return nullptr;
  Py_RETURN_NONE;
}

PyMethodDef instance_methods[] = {
    {"_get_field", get_field, METH_O, "the value of a field, by number"},
    {"_set_field", set_field, METH_VARARGS, "sets the value of a field, by number"},
    {}};

} // namespace

PyObject *box_instance(const Type *type, const uint64_t *&slots) {
  auto *block = reinterpret_cast<nj_block *>(*slots++);
  if (!block) {
    PyErr_SetString(PyExc_ValueError, "the instance was never made");
    return nullptr;
  }
  auto *cls = reinterpret_cast<PyTypeObject *>(type->constant->object->handle);
  if (type->constant->is_object(ObjectKind::JitClass)) { // the object holds the block
    PyObject *made = cls->tp_alloc(cls, 0);
    if (!made) {
      nj_release(block);
      return nullptr;
    }
    reinterpret_cast<InstanceObject *>(made)->block = block;
    reinterpret_cast<InstanceObject *>(made)->type = type;
    return made;
  }
  if (block->extra) { // an argument of this call, which gets its changes back
    PyObject *object = Py_NewRef(static_cast<PyObject *>(block->extra));
    nj_release(block);
    return object;
  }
  const Type *structure = type->params[0];
  Ref made = new_object(reinterpret_cast<PyObject *>(cls));
  for (size_t i = 0; made && i < structure->params.size(); ++i) {
    Ref value(box_field(structure->params[i],
                        memory_of(block) + field_offset(structure, static_cast<int>(i))));
    if (!value || PyObject_SetAttrString(made.get(), structure->names[i].c_str(), value.get()) < 0)
      made = Ref();
  }
  nj_release(block);
  return made.release();
}

bool init_instance(PyObject *module) {
  Py_SET_REFCNT(reinterpret_cast<PyObject *>(&instance_base), 1);
  instance_base.tp_name = "numjit._core.Instance";
  instance_base.tp_doc =
      "What instances of jitclasses are: a reference to the memory of the fields.";
  instance_base.tp_basicsize = sizeof(InstanceObject);
  instance_base.tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE;
  instance_base.tp_dealloc = release_instance;
  instance_base.tp_methods = instance_methods;
  return PyType_Ready(&instance_base) == 0 &&
         PyModule_AddObjectRef(module, "Instance", reinterpret_cast<PyObject *>(&instance_base)) ==
             0;
}

void *instance_block(PyObject *object) { return reinterpret_cast<InstanceObject *>(object)->block; }

const Type *instance_type(PyObject *object) {
  return reinterpret_cast<InstanceObject *>(object)->type;
}

} // namespace numjit
