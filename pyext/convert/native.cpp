#include "pyext/convert/native.h"

#include "pyext/convert/raised.h"
#include "runtime/runtime.h"

namespace numjit {

namespace {

using NativeEntry = int32_t (*)(const uint64_t *, uint64_t *);

/// The machine code that a class names by a method; null with an exception set.
NativeEntry entry_of(const Type *type, const char *method) {
  Ref address(PyObject_CallMethod(static_cast<PyObject *>(type->constant->object->handle), method,
                                  nullptr));
  return address ? reinterpret_cast<NativeEntry>(PyLong_AsVoidPtr(address.get())) : nullptr;
}

void release_owner(PyObject *capsule) { nj_release(PyCapsule_GetPointer(capsule, nullptr)); }

} // namespace

void raise_pending() {
  nj_error *error = nj_pending_error();
  const bool is_set = error->object == nullptr && error->site == nullptr && !error->builtin;
  if (!is_set)
    if (Ref raised(exception_of(*error)); raised)
      PyErr_SetObject(reinterpret_cast<PyObject *>(Py_TYPE(raised.get())), raised.get());
  nj_drop_error();
  if (!PyErr_Occurred())
    PyErr_SetString(PyExc_SystemError, "a conversion failed without saying why");
}

bool is_native(const Type *type) { return type->constant->object->member("is_native") != nullptr; }

bool unbox_native(PyObject *object, const Type *type, uint64_t *&slots, std::vector<Ref> &kept) {
  NativeEntry entry = entry_of(type, "_numjit_unboxing_");
  if (!entry)
    return false;
  const auto given = reinterpret_cast<uint64_t>(object);
  if (entry(&given, slots) != 0) {
    raise_pending();
    return false;
  }
  for (const LeafInfo &leaf : layout_of(type).leaves) {
    if (auto *owner = reinterpret_cast<void *>(*slots++); leaf.owner && owner)
      kept.emplace_back(PyCapsule_New(owner, nullptr, release_owner));
  }
  return true;
}

PyObject *box_native(const Type *type, const uint64_t *&slots) {
  NativeEntry entry = entry_of(type, "_numjit_boxing_");
  const uint64_t *given = slots;
  slots += layout_of(type).leaves.size();
  if (!entry)
    return nullptr;
  uint64_t object = 0;
  if (entry(given, &object) != 0) {
    raise_pending();
    return nullptr;
  }
  return reinterpret_cast<PyObject *>(object);
}

} // namespace numjit
