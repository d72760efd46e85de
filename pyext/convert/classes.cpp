#include "pyext/convert/classes.h"

#include "pyext/convert/native.h"
#include "pyext/convert/nesting.h"
#include "pyext/convert/values.h"
#include "pyext/read/objects.h"
#include "pyext/read/plain_objects.h"
#include "pyext/read/type_handle.h"
#include "runtime/runtime.h"
#include "typeinfer/infer.h"
#include "typeinfer/types/item_descriptor.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <unordered_map>

namespace numjit {

namespace {

/// The constant of a class, which is asked for with every call. Classes that were read stay alive.
const Const *class_constant(PyTypeObject *cls) {
  static auto *known = new std::unordered_map<PyTypeObject *, const Const *>;
  const Const *&constant = (*known)[cls];
  if (!constant)
    constant = const_of(reinterpret_cast<PyObject *>(cls));
  return constant;
}

/// In `wrong` the error of a field that has no type, and whether any is mixed.
std::vector<const Type *> types_of_fields(PyObject *object, const Object &cls, TypeOf &wrong) {
  std::vector<const Type *> types;
  for (const std::string &name : cls.fields) {
    Ref value = field_of(object, name.c_str());
    TypeOf type = value ? type_of(value.get())
                        : TypeOf{nullptr, "cannot determine Numba type of the field '" + name +
                                              "': it has no value"};
    if (!type.type && !type.empty) {
      wrong = std::move(type);
      return {};
    }
    if (!type.type) { // the error, unless the caller knows what to make of it
      wrong.error = type.error;
      wrong.error_class = type.error_class;
      wrong.empty = type.empty;
    }
    wrong.mixed = wrong.mixed || type.mixed;
    types.push_back(type.type ? type.type : type.empty);
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

/// Writes a field over what its memory holds.
bool unbox_field(PyObject *value, const Type *field, char *memory) {
  const TypeLayout &layout = layout_of(field);
  ValueSlots slots(layout.leaves.size());
  Unboxer unboxer;
  uint64_t *at = slots.data();
  if (!unboxer.unbox(value, field, at))
    return false;
  retain_owners(field, slots.data());
  std::vector<char> made(layout.size);
  store_leaves(layout, slots.data(), made.data());
  replace_item(field, memory, made.data());
  return true;
}

} // namespace

bool is_converted(const Type *type) {
  return type->constant->object->member("is_converted") != nullptr;
}

/// What a function of the user's says (typeof_impl); with an exception set where it fails.
static TypeOf type_of_typed_object(PyObject *object) {
  Ref module(PyImport_ImportModule("numjit.compat.native_types"));
  Ref handle(module ? PyObject_CallMethod(module.get(), "row_of_object", "(O)", object) : nullptr);
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
  const Nesting nesting("finding the type of a dataclass");
  if (nesting.is_too_deep()) {
    PyErr_Clear();
    return {nullptr, "cannot determine Numba type of a dataclass that holds itself"};
  }
  TypeOf wrong;
  std::vector<const Type *> fields = types_of_fields(object, *cls->object, wrong);
  if (!wrong.error.empty() && !wrong.empty)
    return wrong;
  if (const Type *item = type_of_value_fields(Py_TYPE(object)))
    if (!std::ranges::all_of(fields, [item](const Type *field) { return field == item; }))
      return {nullptr, "int too big to convert", PyExc_OverflowError};
  const Type *structure = types::structure(cls, std::move(fields));
  (wrong.empty ? wrong.empty : wrong.type) =
      cls->object->is_frozen ? structure : types::instance(cls, structure);
  return wrong;
}

TypeOf type_of_plain_object(PyObject *object) {
  std::vector<const Type *> fields;
  const Const *cls = plain_class_of(object, [&](PyObject *value) {
    const Type *type = type_of(value).type;
    if (!type || is_typed_by_identity(value) || layout_of(type).leaves.empty())
      return false;
    fields.push_back(type);
    return true;
  });
  return cls ? TypeOf{types::instance(cls, types::structure(cls, std::move(fields)))} : TypeOf{};
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
  const Nesting nesting("reading a dataclass");
  if (nesting.is_too_deep())
    return ScanResult::Failed;
  ScanResult result = ScanResult::Fine;
  for (const std::string &name : cls->object->fields) {
    Ref value = field_of(object, name.c_str());
    if (is_copied_field(name.c_str()))
      scan.indirect = true;
    if (!scan.has_room(3, 3))
      result = ScanResult::NoRoom;
    else if (value)
      result = scan_value(value.get(), scan);
    else
      *scan.words++ = word(Tag::Other);
    if (result != ScanResult::Fine)
      break;
  }
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
         type->constant->object->name == "numpy.random._generator.Generator"; // without the GIL
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
  auto *cls = static_cast<PyObject *>(type->constant->object->handle);
  return fine ? made_value(cls, values.get()).release() : nullptr;
}

PyObject *box_struct(const Type *type, const uint64_t *&slots) {
  if (is_random_generator(type))
    return box_random_generator(slots);
  if (type->constant->is_object(ObjectKind::Class))
    return box_value(type, slots);
  if (is_native(type))
    return box_native(type, slots);
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
                      item_descriptor(structure), &block) != 0) {
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
  return {memory, memory + layout_of(structure_of(type)).size};
}

bool update_instance(void *block, const Type *type, PyObject *object, const PythonView &view) {
  Unboxer unboxer(&view);
  void *fresh = instance_from_python(object, type, unboxer);
  if (!fresh)
    return false;
  char *memory = memory_of(block);
  std::swap_ranges(memory, memory + layout_of(structure_of(type)).size, memory_of(fresh));
  nj_release(fresh);
  return true;
}

bool write_instance(void *block, const Type *type, const std::vector<char> &before,
                    PyObject *object) {
  const Type *structure = structure_of(type);
  for (size_t i = 0; i < structure->params.size(); ++i) {
    const Type *field = structure->params[i];
    const int64_t offset = field_offset(structure, static_cast<int>(i));
    const char *memory = memory_of(block) + offset;
    if (std::memcmp(memory, before.data() + offset, layout_of(field).size) == 0)
      continue;
    Ref value(box_from(field, memory));
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
  return field ? box_from(field, memory) : nullptr;
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

/// Objects of instances in what is being boxed. Their fields are set one object behind the other,
/// however deep instances hold each other.
class InstanceObjects {
public:
  ~InstanceObjects() {
    for (const auto &[block, object] : objects_)
      nj_release(block);
  }
  /// The object that stands for a block, whose count this takes over; a new reference.
  PyObject *of(nj_block *block, const Type *type) {
    if (auto found = objects_.find(block); found != objects_.end()) {
      nj_release(block);
      return Py_NewRef(found->second.get());
    }
    Ref made = new_object(static_cast<PyObject *>(type->constant->object->handle));
    if (!made) {
      nj_release(block);
      return nullptr;
    }
    waiting_.emplace_back(block, type);
    return Py_NewRef(objects_.emplace(block, std::move(made)).first->second.get());
  }
  /// Sets the fields of all objects; false with an exception set.
  bool fill() {
    while (!waiting_.empty()) {
      const auto [block, type] = waiting_.back();
      waiting_.pop_back();
      const Ref object = Ref::borrow(objects_.at(block).get());
      const Type *structure = structure_of(type);
      for (size_t i = 0; i < structure->params.size(); ++i) {
        const Type *field = structure->params[i];
        const char *memory = memory_of(block) + field_offset(structure, static_cast<int>(i));
        if (field->kind == Kind::Maybe) {
          if (!*memory) // it was never set
            continue;
          memory += layout_of(field).leaves[1].offset; // if it has any
          field = field->params[0];
        }
        Ref value(box_from(field, memory));
        if (!value ||
            PyObject_SetAttrString(object.get(), structure->names[i].c_str(), value.get()) < 0)
          return false;
      }
    }
    return true;
  }

private:
  std::unordered_map<nj_block *, Ref> objects_;
  std::vector<std::pair<nj_block *, const Type *>> waiting_;
};

thread_local InstanceObjects *instance_objects = nullptr;

} // namespace

PyObject *box_with_instances(const Type *type, const uint64_t *&slots) {
  InstanceObjects objects;
  auto *outer = std::exchange(instance_objects, &objects);
  PyObject *value = box(type, slots);
  if (value && !objects.fill())
    Py_CLEAR(value);
  instance_objects = outer;
  return value;
}

bool may_hold_instances(const Type *type) {
  return type->kind == Kind::Instance || std::ranges::any_of(type->params, may_hold_instances);
}

PyObject *box_instance(const Type *type, const uint64_t *&slots) {
  const bool is_jitclass = type->constant->is_object(ObjectKind::JitClass);
  if (!is_jitclass && !instance_objects)
    return box_with_instances(type, slots);
  auto *block = reinterpret_cast<nj_block *>(*slots++);
  if (!block) {
    PyErr_SetString(PyExc_ValueError, "the instance was never made");
    return nullptr;
  }
  if (is_jitclass) { // the object holds the block
    auto *cls = reinterpret_cast<PyTypeObject *>(type->constant->object->handle);
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
  return instance_objects->of(block, type);
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
