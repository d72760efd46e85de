#include "pyext/convert/python_call.h"

#include "pyext/convert/classes.h"
#include "pyext/convert/tables.h"
#include "pyext/convert/values.h"
#include "pyext/errors.h"

#include <algorithm>

namespace numjit {

bool unbox_into(PyObject *value, const Type *type, void *memory, const PythonView &view) {
  const TypeLayout &layout = layout_of(type);
  std::vector<uint64_t> slots(layout.leaves.size() + 1);
  Unboxer unboxer(&view);
  uint64_t *to = slots.data();
  if (!unboxer.unbox(value, type, to))
    return false;
  retain_owners(type, slots.data());
  store_leaves(layout, slots.data(), static_cast<char *>(memory));
  return true;
}

PythonView::~PythonView() {
  for (Shown &each : shown_)
    if (each.made)
      each.block->extra = nullptr;
}

bool PythonView::show(const Type *type, const uint64_t *slots) {
  if (!holds_copies(type))
    return true;
  if (conversion_of(type).block) {
    auto *block = reinterpret_cast<nj_block *>(*slots);
    // Dicts that did not come from Python are typed.Dicts there, around the same block.
    return (type->kind == Kind::Dict && !block->extra) || show_block(type, block);
  }
  if (type->kind == Kind::Optional)
    return !(*slots & 1) || show(type->params[0], slots + 1);
  for (const Type *part : type->params) {
    if (!show(part, slots))
      return false;
    slots += layout_of(part).leaves.size();
  }
  return true;
}

bool PythonView::show_block(const Type *type, nj_block *block) {
  auto same = [&](const Shown &each) { return each.block == block; };
  if (!block || std::ranges::any_of(shown_, same))
    return true;
  if (!show_parts(type, block)) // boxed first, so that they are what the whole one holds
    return false;
  const bool made = !block->extra;
  const auto slot = reinterpret_cast<uint64_t>(block);
  const uint64_t *at = &slot;
  nj_retain(block);
  Ref object(box(type, at));
  if (!object)
    return false;
  if (made)
    block->extra = object.get();
  shown_.push_back({std::move(object), block, type, made});
  return true;
}

bool PythonView::show_parts(const Type *type, nj_block *block) {
  if (type->kind == Kind::Instance)
    return show_memory(structure_of(type), instance_memory(block, type).data());
  const Type *item = type->params[0];
  if (type->kind == Kind::Dict) {
    const Table table(type, block);
    for (int64_t i = 0; holds_copies(type->params[1]) && i < table.header().end; ++i)
      if (table.is_alive(i) && !show_memory(type->params[1], table.value_at(i)))
        return false;
    return true;
  }
  if (type->kind != Kind::List || !holds_copies(item)) // items of sets do not change
    return true;
  const auto &list =
      *reinterpret_cast<const nj_list *>(reinterpret_cast<char *>(block) + NJ_PAYLOAD_OFFSET);
  const int64_t size = layout_of(item).size;
  for (int64_t i = 0; i < list.length; ++i)
    if (!show_memory(item, list.data + i * size))
      return false;
  return true;
}

bool PythonView::show_memory(const Type *type, const char *memory) {
  const TypeLayout &layout = layout_of(type);
  std::vector<uint64_t> slots(layout.leaves.size() + 1);
  load_leaves(layout, memory, slots.data());
  return show(type, slots.data());
}

nj_block *PythonView::block_of(PyObject *object, const Type *type) const {
  for (const Shown &each : shown_)
    if (each.object.get() == object && each.type == type)
      return each.block;
  return nullptr;
}

bool PythonView::take_back() {
  for (const Shown &each : shown_) {
    PyObject *object = each.object.get();
    const bool fine = conversion_of(each.type).block->update(each.block, each.type, object, *this);
    if (!fine)
      return false;
    Unboxer::settle_innermost(each.block);
  }
  return true;
}

int32_t call_python(const nj_python_call *call, const void *arguments, void *result) {
  auto *given = static_cast<const Type *>(call->arguments);
  auto *wanted = static_cast<const Type *>(call->result);
  const TypeLayout &in = layout_of(given);
  std::vector<uint64_t> slots(in.leaves.size() + 1);
  load_leaves(in, static_cast<const char *>(arguments), slots.data());
  PythonView view;
  if (!Unboxer::write_back_innermost() || !view.show(given, slots.data()))
    return 1;
  retain_owners(given, slots.data());
  const uint64_t *at = slots.data();
  Ref objects(box(given, at));
  if (!objects)
    return 1;
  void *scope = nj_set_linked_scope(nullptr); // other code that is called has its own
  Ref value(PyObject_Call(static_cast<PyObject *>(call->callable), objects.get(), nullptr));
  nj_set_linked_scope(scope);
  if (value)
    return view.take_back() && unbox_into(value.get(), wanted, result, view) ? 0 : 1;
  // What Python changed before it raised stays changed.
  Ref raised = take_exception();
  view.take_back();
  PyErr_Clear();
  set_exception(std::move(raised));
  return 1;
}

void *box_value_hook(const void *type, const uint64_t *slots) {
  WithGil gil;
  return box(static_cast<const Type *>(type), slots);
}

int32_t unbox_value_hook(void *object, const void *type, uint64_t *slots) {
  WithGil gil;
  if (!object) // what was to give it has failed
    return 1;
  PythonView view;
  Unboxer unboxer(&view);
  uint64_t *to = slots;
  if (!unboxer.unbox(static_cast<PyObject *>(object), static_cast<const Type *>(type), to))
    return 1;
  retain_owners(static_cast<const Type *>(type), slots);
  return 0;
}

} // namespace numjit
