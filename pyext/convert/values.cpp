// Values of any kind to slots and back, by kind.
#include "pyext/convert/values.h"

#include "pyext/convert/classes.h"
#include "pyext/convert/items.h"
#include "pyext/convert/python_call.h"
#include "pyext/convert/raised.h"
#include "pyext/convert/typed_containers.h"
#include "pyext/convert/typeof.h"
#include "pyext/errors.h"
#include "pyext/read/objects.h"
#include "typeinfer/infer/unify.h"

#include <cstring>
#include <utility>

namespace numjit {

namespace {

// --- boxing ---

PyObject *box_none(const Type *, const uint64_t *&) { Py_RETURN_NONE; }

PyObject *box_any_scalar(const Type *type, const uint64_t *&slots) {
  PyObject *made = box_scalar(type->scalar, slots);
  slots += type->is_complex() ? 2 : 1;
  return made;
}

PyObject *box_constant(const Type *type, const uint64_t *&) { return python_of(*type->constant); }

PyObject *box_ellipsis(const Type *, const uint64_t *&) { return Py_NewRef(Py_Ellipsis); }

PyObject *box_optional(const Type *type, const uint64_t *&slots) {
  const Type *inner = type->params[0];
  bool valid = *slots++ & 1;
  if (valid)
    return box(inner, slots);
  slots += layout_of(inner).leaves.size();
  Py_RETURN_NONE;
}

PyObject *box_tuple(const Type *type, const uint64_t *&slots) {
  PyObject *tuple = PyTuple_New(static_cast<Py_ssize_t>(type->params.size()));
  for (size_t i = 0; tuple && i < type->params.size(); ++i) {
    PyObject *item = box(type->params[i], slots);
    if (!item) {
      Py_DECREF(tuple);
      return nullptr;
    }
    PyTuple_SET_ITEM(tuple, i, item);
  }
  return tuple;
}

PyObject *box_named_tuple(const Type *type, const uint64_t *&slots) {
  Ref items(box_tuple(type, slots));
  auto *cls = static_cast<PyObject *>(type->constant->object->handle);
  return items ? PyObject_Call(cls, items.get(), nullptr) : nullptr;
}

PyObject *box_literal_list(const Type *type, const uint64_t *&slots) {
  Ref items(box_tuple(type, slots));
  return items ? PySequence_List(items.get()) : nullptr;
}

PyObject *box_literal_dict(const Type *type, const uint64_t *&slots) {
  Ref values(box_tuple(type, slots));
  Ref dict(values ? PyDict_New() : nullptr);
  for (size_t i = 0; dict && i < type->names.size(); ++i) {
    Ref key(PyUnicode_FromStringAndSize(type->names[i].data(),
                                        static_cast<Py_ssize_t>(type->names[i].size())));
    if (!key || PyDict_SetItem(dict.get(), key.get(), PyTuple_GET_ITEM(values.get(), i)))
      return nullptr;
  }
  return dict.release();
}

PyObject *box_range(const Type *type, const uint64_t *&slots) {
  const Type *integer = type->params[0];
  Ref parts(PyTuple_New(3));
  for (int i = 0; parts && i < 3; ++i, ++slots)
    PyTuple_SET_ITEM(parts.get(), i, box_scalar(integer->scalar, slots));
  return parts ? PyObject_Call(reinterpret_cast<PyObject *>(&PyRange_Type), parts.get(), nullptr)
               : nullptr;
}

PyObject *box_slice(const Type *type, const uint64_t *&slots) {
  Ref parts[3];
  for (int i = 0; i < 3; ++i) {
    parts[i] = Ref(box(type->params[i], slots));
    if (!parts[i])
      return nullptr;
  }
  return PySlice_New(parts[0].get(), parts[1].get(), parts[2].get());
}

PyObject *box_dtype(const Type *type, const uint64_t *&) {
  return reinterpret_cast<PyObject *>(descr_of(type->params[0]));
}

/// An inner function: a jitted one is made of its code and the captured values (closures.py).
PyObject *box_closure(const Type *type, const uint64_t *&slots) {
  const Object &code = *type->constant->object;
  const FunctionDef &def = *code.function;
  Ref captured(PyList_New(0)), module(PyImport_ImportModule("numjit.closures"));
  Ref itself(module ? PyObject_GetAttrString(module.get(), "ITSELF") : nullptr);
  bool fine = captured && itself;
  for (const Type *each : type->params) { // to the end: the counts are ours
    const bool recursive = each->kind == Kind::Undefined;
    Ref value(recursive ? Py_NewRef(fine ? itself.get() : Py_None) : box(each, slots));
    fine = fine && value && PyList_Append(captured.get(), value.get()) == 0;
  }
  Ref defaults(PyDict_New());
  for (const auto &[name, value] : def.kwdefaults)
    fine = fine && defaults &&
           PyDict_SetItemString(defaults.get(), name.c_str(), Ref(python_of(*value)).get()) == 0;
  return fine ? PyObject_CallMethod(
                    module.get(), "made_function", "OOOO", static_cast<PyObject *>(code.handle),
                    static_cast<PyObject *>(def.globals), captured.get(), defaults.get())
              : nullptr;
}

/// The one function that it is, behind its number and the captured values of those before it.
PyObject *box_choice(const Type *type, const uint64_t *&slots) {
  const size_t number = *slots;
  const uint64_t *at = slots + 1;
  slots += layout_of(type).leaves.size();
  for (size_t i = 0; i < number; ++i)
    at += layout_of(type->params[i]).leaves.size();
  const Type *chosen = type->params.at(number);
  return chosen->kind == Kind::Function ? python_of(*chosen->constant) : box_closure(chosen, at);
}

using Box = PyObject *(*)(const Type *, const uint64_t *&);

/// How values of a kind are boxed; nullptr: Python has no such value.
Box boxer(Kind kind) {
  switch (kind) {
  case Kind::Scalar: return box_any_scalar;
  case Kind::None: return box_none;
  case Kind::Ellipsis: return box_ellipsis;
  case Kind::Optional: return box_optional;
  case Kind::Tuple: return box_tuple;
  case Kind::NamedTuple: return box_named_tuple;
  case Kind::LiteralList: return box_literal_list;
  case Kind::LiteralDict: return box_literal_dict;
  case Kind::Array: return box_array;
  case Kind::List: return box_list;
  case Kind::Set: return box_set;
  case Kind::Dict: return box_dict;
  case Kind::Range: return box_range;
  case Kind::Slice: return box_slice;
  case Kind::DType: return box_dtype;
  case Kind::Exception: return box_exception;
  case Kind::Generator: return box_generator;
  case Kind::Choice: return box_choice;
  case Kind::Closure: return box_closure;
  case Kind::Unicode: return box_string;
  case Kind::Bytes: return box_bytes;
  case Kind::Record:
  case Kind::Datetime:
  case Kind::Timedelta: return box_item_scalar;
  case Kind::Enum: return box_enum;
  case Kind::Struct: return box_struct;
  case Kind::Instance: return box_instance;
  case Kind::String:
  case Kind::Function:
  case Kind::Module: return box_constant;
  default: return nullptr;
  }
}

bool wrong_class(PyObject *object, const Type *type) {
  PyErr_Format(PyExc_TypeError, "can't unbox %.200s as %s", Py_TYPE(object)->tp_name,
               type->text.c_str());
  return false;
}

bool unbox_range(PyObject *object, const Type *type, uint64_t *&slots) {
  if (!PyRange_Check(object))
    return wrong_class(object, type);
  for (const char *name : {"start", "stop", "step"}) {
    Ref part(PyObject_GetAttrString(object, name));
    if (!part || !unbox_scalar(part.get(), type->params[0], slots))
      return false;
  }
  return true;
}

bool unbox_slice(PyObject *object, const Type *type, uint64_t *&slots) {
  if (!PySlice_Check(object))
    return wrong_class(object, type);
  auto *slice = reinterpret_cast<PySliceObject *>(object);
  PyObject *parts[] = {slice->start, slice->stop, slice->step};
  for (int i = 0; i < 3; ++i)
    if (type->params[i]->kind != Kind::None && !unbox_scalar(parts[i], type->params[i], slots))
      return false;
  return true;
}

} // namespace

bool can_box(const Type *type) {
  if (!boxer(type->kind))
    return false;
  if (is_random_generator(type))
    return true;
  bool made_of_params =
      type->is_tuple() || type->kind == Kind::Optional || type->kind == Kind::List ||
      type->kind == Kind::Dict || type->kind == Kind::Set || type->kind == Kind::Struct ||
      type->kind == Kind::Instance || type->kind == Kind::Closure || type->kind == Kind::Choice;
  for (const Type *param : type->params)
    if (made_of_params && param->kind != Kind::Undefined && !can_box(param))
      return false;
  return true;
}

PyObject *box(const Type *type, const uint64_t *&slots) {
  Box made = boxer(type->kind);
  if (made)
    return made(type, slots);
  PyErr_Format(PyExc_TypeError, "a value of type %s cannot be given to Python", type->text.c_str());
  return nullptr;
}

// --- unboxing ---

namespace {

/// The Unboxer of the arguments of the compiled function that runs in this thread, of those that
/// hold copies of Python objects.
thread_local Unboxer *innermost = nullptr;

} // namespace

void Unboxer::join_thread() {
  if (std::exchange(joined_, true))
    return;
  outer_ = innermost;
  innermost = this;
}

Unboxer::~Unboxer() {
  if (joined_)
    innermost = outer_;
  for (Copied &each : copies_) {
    each.block->extra = nullptr; // it may outlive the call in another container
    nj_release(each.block);
  }
}

/// What Python would convert is no item of a container unless it keeps its value.
bool Unboxer::is_accepted(PyObject *object, const Type *type) const {
  switch (type->kind) {
  case Kind::Scalar: return belongs_to(object, type);
  case Kind::Datetime:
  case Kind::Timedelta: {
    const Type *own = type_of_item(object);
    return own && unify(type, own) == type;
  }
  case Kind::Tuple: return !is_named_tuple(object);
  case Kind::NamedTuple:
  case Kind::Enum:
    return reinterpret_cast<PyObject *>(Py_TYPE(object)) == type->constant->object->handle;
  case Kind::None: return object == Py_None;
  default: // there are no conversions; what has no leaves is its type
    return !layout_of(type).leaves.empty() || type_of(object).type == type;
  }
}

bool Unboxer::hold_memory(PyObject *object) {
  kept_.emplace_back(PyMemoryView_FromObject(object));
  return static_cast<bool>(kept_.back());
}

bool Unboxer::unbox(PyObject *object, const Type *type, uint64_t *&slots) {
  if (accept_ == Accept::Unifying && !is_accepted(object, type))
    return wrong_class(object, type);
  switch (type->kind) {
  case Kind::Scalar: return unbox_scalar(object, type, slots);
  case Kind::Array:
    if (shows_memory(object))
      return hold_memory(object) && unbox_memory(object, type, slots);
    return unbox_array(object, type, slots);
  case Kind::Unicode:
    if (!PyUnicode_Check(object))
      return wrong_class(object, type);
    put_string(object, slots);
    return true;
  case Kind::Bytes:
    if (type->readonly ? !PyBytes_Check(object) : !PyByteArray_Check(object))
      return wrong_class(object, type);
    if (!type->readonly && !hold_memory(object))
      return false;
    put_bytes(object, slots);
    return true;
  case Kind::Optional: {
    bool valid = object != Py_None;
    *slots++ = valid;
    if (valid)
      return unbox(object, type->params[0], slots);
    size_t count = layout_of(type->params[0]).leaves.size();
    std::memset(slots, 0, count * sizeof *slots);
    slots += count;
    return true;
  }
  case Kind::Tuple:
  case Kind::NamedTuple:
  case Kind::LiteralDict: // keyword arguments
    return PyTuple_Check(object) ? unbox_items(object, type->params, slots)
                                 : wrong_class(object, type);
  case Kind::List:
    if (type->typed)
      return unbox_typed(object, type, slots);
    return PyList_Check(object) ? unbox_copy(object, type, slots) : wrong_class(object, type);
  case Kind::Set:
    if (type->typed)
      return unbox_typed(object, type, slots);
    return PyAnySet_Check(object) ? unbox_copy(object, type, slots) : wrong_class(object, type);
  case Kind::Dict:
    return PyDict_Check(object) ? unbox_copy(object, type, slots)
                                : unbox_typed(object, type, slots);
  case Kind::Record:
  case Kind::Datetime:
  case Kind::Timedelta: return unbox_item(object, type, slots);
  case Kind::Enum: return unbox_enum(object, type, slots);
  case Kind::Struct: return unbox_struct(object, type, slots);
  case Kind::Instance: return unbox_instance(object, type, slots);
  case Kind::Range: return unbox_range(object, type, slots);
  case Kind::Slice: return unbox_slice(object, type, slots);
  case Kind::Generator: return unbox_generator(object, type, slots) || wrong_class(object, type);
  default: // the type says all there is to know
    return layout_of(type).leaves.empty() || wrong_class(object, type);
  }
}

bool Unboxer::unbox_items(PyObject *tuple, const std::vector<const Type *> &types,
                          uint64_t *&slots) {
  if (PyTuple_GET_SIZE(tuple) != static_cast<Py_ssize_t>(types.size())) {
    PyErr_Format(PyExc_ValueError, "size mismatch for tuple, expected %zu element(s) but got %zd",
                 types.size(), PyTuple_GET_SIZE(tuple));
    return false;
  }
  for (size_t i = 0; i < types.size(); ++i)
    if (!unbox(PyTuple_GET_ITEM(tuple, i), types[i], slots))
      return false;
  return true;
}

nj_block *Unboxer::known_block(PyObject *object, const Type *type) const {
  if (nj_block *known = view_ ? view_->block_of(object, type) : nullptr)
    return known;
  if (!known_) {
    for (const Copied &each : copies_)
      if (each.object.get() == object && each.type == type)
        return each.block;
    return nullptr;
  }
  auto [first, end] = known_->equal_range(object);
  for (; first != end; ++first)
    if (copies_[first->second].type == type)
      return copies_[first->second].block;
  return nullptr;
}

void Unboxer::add_copy(PyObject *object, nj_block *block, const Type *type) {
  constexpr size_t kFew = 8;
  if (!view_) {
    block->extra = object;
    join_thread();
  }
  copies_.push_back({Ref::borrow(object), block, type, {}});
  if (type->kind == Kind::Instance)
    copies_.back().before = instance_memory(block, type);
  if (copies_.size() <= kFew)
    return;
  if (!known_)
    known_ = std::make_unique<std::unordered_multimap<PyObject *, size_t>>();
  for (size_t i = known_->empty() ? 0 : copies_.size() - 1; i < copies_.size(); ++i)
    known_->emplace(copies_[i].object.get(), i);
}

/// An object that is passed twice is one inside, too.
bool Unboxer::unbox_copy(PyObject *object, const Type *type, uint64_t *&slots) {
  nj_block *block = known_block(object, type);
  if (!block) {
    void *made = type->kind == Kind::Set        ? set_from_python(object, type)
                 : type->kind == Kind::Dict     ? dict_from_python(object, type, *this)
                 : type->kind == Kind::Instance ? instance_from_python(object, type, *this)
                                                : list_from_python(object, type->params[0], *this);
    if (!made)
      return false;
    block = static_cast<nj_block *>(made);
    add_copy(object, block, type);
  }
  *slots++ = reinterpret_cast<uint64_t>(block);
  return true;
}

bool Unboxer::unbox_part(PyObject *object, const Type *type, char *memory, Accept accept) {
  const TypeLayout &layout = layout_of(type);
  ValueSlots slots(layout.leaves.size());
  uint64_t *at = slots.data();
  const Accept outer = std::exchange(accept_, accept);
  const bool fine = unbox(object, type, at);
  accept_ = outer;
  if (!fine)
    return false;
  retain_owners(type, slots.data());
  store_leaves(layout, slots.data(), memory);
  return true;
}

/// Fields of a frozen dataclass.
bool Unboxer::unbox_struct(PyObject *object, const Type *type, uint64_t *&slots) {
  Ref given = Ref::borrow(object);
  auto *cls = static_cast<PyObject *>(type->constant->object->handle);
  if (reinterpret_cast<PyObject *>(Py_TYPE(object)) != cls && is_converted(type)) {
    given = Ref(PyObject_CallMethod(cls, "_numjit_of_python_", "(O)", object));
    if (!given)
      return false;
    kept_.push_back(Ref::borrow(given.get()));
  }
  if (reinterpret_cast<PyObject *>(Py_TYPE(given.get())) != cls)
    return wrong_class(object, type);
  if (is_random_generator(type))
    return unbox_random_generator(object, slots);
  for (size_t i = 0; i < type->params.size(); ++i) {
    Ref value(PyObject_GetAttrString(given.get(), type->names[i].c_str()));
    if (!value || !unbox(value.get(), type->params[i], slots))
      return false;
  }
  return true;
}

/// A jitclass brings its block; a dataclass is copied to one, and gets its changes back.
bool Unboxer::unbox_instance(PyObject *object, const Type *type, uint64_t *&slots) {
  const Object &cls = *type->constant->object;
  if (Py_TYPE(object) != cls.handle && Py_TYPE(object) != cls.data) // data: a plain class
    return wrong_class(object, type);
  if (type->constant->is_object(ObjectKind::JitClass)) {
    if (!instance_block(object) || instance_type(object) != type)
      return wrong_class(object, type);
    *slots++ = reinterpret_cast<uint64_t>(instance_block(object));
    return true;
  }
  return unbox_copy(object, type, slots);
}

bool Unboxer::write_back() {
  for (size_t i = 0; i < copies_.size(); ++i) { // writing may run Python code
    Copied &each = copies_[i];
    PyObject *object = each.object.get();
    bool fine = true;
    switch (each.type->kind) {
    case Kind::Set: fine = write_set(each.block, each.type, object); break;
    case Kind::Dict: fine = write_dict(each.block, each.type, object); break;
    case Kind::Instance:
      fine = write_instance(each.block, each.type, each.before, object);
      each.before = instance_memory(each.block, each.type);
      break;
    default: fine = write_list(each.block, each.type->params[0], object); break;
    }
    if (!fine)
      return false;
  }
  return true;
}

bool Unboxer::write_back_innermost() { return !innermost || innermost->write_back(); }

void Unboxer::settle_innermost(const nj_block *block) {
  if (!innermost)
    return;
  for (Copied &each : innermost->copies_)
    if (each.block == block && each.type->kind == Kind::Instance)
      each.before = instance_memory(each.block, each.type);
}

// --- memory ---

void store_leaves(const TypeLayout &layout, const uint64_t *slots, char *memory) {
  for (const LeafInfo &leaf : layout.leaves) // little-endian: the low bytes come first
    std::memcpy(memory + leaf.offset, slots++, leaf_size(leaf.leaf));
}

void load_leaves(const TypeLayout &layout, const char *memory, uint64_t *slots) {
  for (const LeafInfo &leaf : layout.leaves) {
    *slots = 0;
    std::memcpy(slots++, memory + leaf.offset, leaf_size(leaf.leaf));
  }
}

bool is_item_of(PyObject *object, const Type *type) {
  if (type->is_scalar())
    return belongs_to(object, type);
  ValueSlots slots(layout_of(type).leaves.size());
  uint64_t *at = slots.data();
  if (Unboxer(nullptr, Accept::Unifying).unbox(object, type, at))
    return true;
  PyErr_Clear();
  return false;
}

bool is_heterogeneous(const char *container, PyObject *item, const Type *type) {
  for (PyObject *expected : {PyExc_TypeError, PyExc_ValueError, PyExc_OverflowError})
    if (PyErr_ExceptionMatches(expected)) {
      PyErr_Format(PyExc_TypeError, "can't unbox heterogeneous %s: %.200s != %s", container,
                   Py_TYPE(item)->tp_name, type->text.c_str());
      break;
    }
  return false;
}

bool unbox_to(PyObject *object, const Type *type, char *memory, Accept accept,
              const PythonView *view) {
  return Unboxer(view, accept).unbox_part(object, type, memory, accept);
}

PyObject *box_from(const Type *type, const char *memory) {
  const TypeLayout &layout = layout_of(type);
  ValueSlots slots(layout.leaves.size());
  load_leaves(layout, memory, slots.data());
  retain_owners(type, slots.data());
  const uint64_t *at = slots.data();
  return box(type, at);
}

} // namespace numjit
