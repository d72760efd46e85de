// Values of any kind to slots and back, by kind.
#include "pyext/convert/classes.h"
#include "pyext/convert/native.h"
#include "pyext/convert/python_call.h"
#include "pyext/convert/typeof.h"
#include "pyext/convert/values.h"
#include "pyext/errors.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace numjit {

// --- boxing ---

bool wrong_class(PyObject *object, const Type *type) {
  PyErr_Format(PyExc_TypeError, "can't unbox %.200s as %s", Py_TYPE(object)->tp_name,
               type->text.c_str());
  return false;
}

bool can_box(const Type *type) {
  const Conversion &conversion = conversion_of(type);
  if (!conversion.box)
    return false;
  if (is_random_generator(type) || (type->kind == Kind::Struct && is_native(type)))
    return true;
  if (type->kind == Kind::Instance && type->constant->object->member("is_struct_ref"))
    return true; // Python asks compiled functions for its fields
  return !conversion.of_params || std::ranges::all_of(type->params, [](const Type *param) {
    return param->kind == Kind::Undefined || can_box(param);
  });
}

PyObject *box(const Type *type, const uint64_t *&slots) {
  if (const auto made = conversion_of(type).box)
    return made(type, slots);
  PyErr_Format(PyExc_TypeError, "a value of type %s cannot be given to Python", type->text.c_str());
  return nullptr;
}

void retain_owners(const Type *type, const uint64_t *slots) {
  for (const LeafInfo &leaf : layout_of(type).leaves) {
    if (leaf.owner) // NOLINTNEXTLINE(clang-analyzer-core.CallAndMessage): load_leaves sets each
      nj_retain(reinterpret_cast<void *>(*slots));
    ++slots;
  }
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
  if (const auto accepts = conversion_of(type).accepts)
    return accepts(object, type);
  return !layout_of(type).leaves.empty() || type_of(object).type == type;
}

bool Unboxer::hold_memory(PyObject *object) {
  kept_.emplace_back(PyMemoryView_FromObject(object));
  return static_cast<bool>(kept_.back());
}

bool Unboxer::unbox(PyObject *object, const Type *type, uint64_t *&slots) {
  if (accept_ == Accept::Unifying && !is_accepted(object, type))
    return wrong_class(object, type);
  if (const auto unboxed = conversion_of(type).unbox)
    return unboxed(*this, object, type, slots);
  return layout_of(type).leaves.empty() || wrong_class(object, type);
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
  copies_.push_back({Ref::borrow(object), block, type, {}, {}});
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
    void *made = conversion_of(type).block->from_python(object, type, *this);
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
    if (is_native(type))
      return unbox_native(object, type, slots, kept_);
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
    const char *name = type->names[i].c_str();
    if (is_copied_field(name)) {
      if (!unbox_collection(given.get(), type->params[i], slots))
        return false;
      continue;
    }
    Ref value(PyObject_GetAttrString(given.get(), name));
    if (!value || !unbox(value.get(), type->params[i], slots))
      return false;
  }
  return true;
}

/// The list or dict of what an object of `collections` holds, which gets its changes back.
bool Unboxer::unbox_collection(PyObject *object, const Type *type, uint64_t *&slots) {
  for (const Copied &each : copies_)
    if (each.around.get() == object && each.type == type) {
      *slots++ = reinterpret_cast<uint64_t>(each.block);
      return true;
    }
  Ref items = field_of(object, "_items");
  const size_t before = copies_.size();
  if (!items || !unbox(items.get(), type, slots))
    return false;
  if (copies_.size() > before)
    copies_.back().around = Ref::borrow(object);
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

/// Whether lists, or dicts, have the same objects in the same order.
static bool has_same_items(PyObject *a, PyObject *b) {
  if (PyList_Check(a)) {
    const Py_ssize_t size = PyList_GET_SIZE(a);
    return size == PyList_GET_SIZE(b) &&
           std::equal(reinterpret_cast<PyListObject *>(a)->ob_item,
                      reinterpret_cast<PyListObject *>(a)->ob_item + size,
                      reinterpret_cast<PyListObject *>(b)->ob_item);
  }
  PyObject *key, *value, *other_key, *other;
  bool same = PyDict_GET_SIZE(a) == PyDict_GET_SIZE(b);
  for (Py_ssize_t at = 0, there = 0;
       same && PyDict_Next(a, &at, &key, &value) && PyDict_Next(b, &there, &other_key, &other);)
    same = key == other_key && value == other;
  return same;
}

bool Unboxer::write_back() {
  for (size_t i = 0; i < copies_.size(); ++i) { // writing may run Python code
    Copied &each = copies_[i];
    PyObject *object = each.object.get();
    const BlockConversion &conversion = *conversion_of(each.type).block;
    bool fine = conversion.write(each.block, each.type, each.before, object);
    if (fine && each.around) {
      Ref before = field_of(each.around.get(), "_items");
      fine =
          before && (has_same_items(object, before.get()) || set_items(each.around.get(), object));
    }
    if (each.type->kind == Kind::Instance)
      each.before = instance_memory(each.block, each.type);
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
  for (const LeafInfo &leaf : layout.leaves) { // little-endian: the low bytes come first
    const uint64_t bytes = in_memory(leaf.leaf, *slots++);
    std::memcpy(memory + leaf.offset, &bytes, leaf_size(leaf.leaf));
  }
}

void load_leaves(const TypeLayout &layout, const char *memory, uint64_t *slots) {
  for (const LeafInfo &leaf : layout.leaves) {
    *slots = 0;
    std::memcpy(slots, memory + leaf.offset, leaf_size(leaf.leaf));
    if (leaf.leaf == Leaf::F16)
      *slots = slot_of(static_cast<float>(std::bit_cast<_Float16>(static_cast<uint16_t>(*slots))));
    else if (leaf.leaf == Leaf::BF16)
      *slots <<= 16;
    ++slots;
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
  nj_lock_place(memory); // threads without the GIL may replace it
  load_leaves(layout, memory, slots.data());
  retain_owners(type, slots.data());
  nj_unlock_place(memory);
  const uint64_t *at = slots.data();
  return box(type, at);
}

void replace_item(const Type *type, char *memory, const char *made) {
  const TypeLayout &layout = layout_of(type);
  ValueSlots owners(layout.leaves.size());
  uint64_t *const first = owners.data(), *end = first;
  nj_lock_place(memory);
  for (const LeafInfo &leaf : layout.leaves)
    if (leaf.owner)
      std::memcpy(end++, memory + leaf.offset, sizeof(void *));
  std::memcpy(memory, made, layout.size);
  nj_unlock_place(memory);
  for (const uint64_t *owner = first; owner != end; ++owner)
    nj_release(reinterpret_cast<void *>(*owner));
}

} // namespace numjit
