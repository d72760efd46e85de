#include "pyext/convert/item_rules.h"

#include "pyext/convert/values.h"
#include "pyext/read/user_classes.h"
#include "typeinfer/infer/unify.h"

namespace numjit {

namespace {

TypeOf heterogeneous(const char *container, PyObject *item, const Type *type) {
  TypeOf wrong;
  wrong.error = "can't unbox heterogeneous " + std::string(container) + ": " +
                Py_TYPE(item)->tp_name + " != " + (type ? type->text : "the others");
  wrong.raised = PyExc_TypeError;
  wrong.mixed = true;
  return wrong;
}

/// Whether the first `count` items are values of an integer type.
bool all_are(PyObject *list, Py_ssize_t count, const Type *type) {
  for (Py_ssize_t i = 0; i < count && i < PyList_GET_SIZE(list); ++i)
    if (!belongs_to(PyList_GET_ITEM(list, i), type))
      return false;
  return true;
}

/// The type of a list whose first items have the type `known` and whose next one does not. A signed
/// and an unsigned integer would meet in a float, which holds neither's largest values: Python ints
/// that are not negative are unsigned, too, and there is no type for others.
TypeOf widened(PyObject *list, Py_ssize_t next, const Type *known, const char *container) {
  PyObject *item = PyList_GET_ITEM(list, next);
  TypeOf own = type_of(item);
  if (!own.type) {
    own.mixed = true;
    return own;
  }
  const Type *met = unify(known, own.type);
  if (met && known->is_integer() && integers_met_in_float(known, own.type, met))
    met = all_are(list, next + 1, types::uint64()) ? types::uint64() : nullptr;
  return met ? TypeOf{met} : heterogeneous(container, item, known);
}

} // namespace

namespace {

/// All items of the lists, or all keys or values of the dicts, in one list; null with an exception
/// set, or where an item is something else.
Ref joined(PyObject *list, Ref (*parts)(PyObject *)) {
  Ref all(PyList_New(0));
  for (Py_ssize_t i = 0; all && i < PyList_GET_SIZE(list); ++i) {
    Ref items = parts(PyList_GET_ITEM(list, i));
    if (!items || PyList_SetSlice(all.get(), PyList_GET_SIZE(all.get()), PyList_GET_SIZE(all.get()),
                                  items.get()) < 0)
      return {};
  }
  return all;
}

Ref items_of_list(PyObject *object) { return PyList_Check(object) ? Ref::borrow(object) : Ref(); }
Ref keys_of_dict(PyObject *object) {
  return PyDict_Check(object) ? Ref(PyMapping_Keys(object)) : Ref();
}
Ref values_of_dict(PyObject *object) {
  return PyDict_Check(object) ? Ref(PyMapping_Values(object)) : Ref();
}

/// Lists of lists and of dicts: the items of all inner ones have one type, so that an empty one
/// among them has it, too. The words of a call know the first item of the first.
TypeOf type_of_nested(PyObject *list, const char *container) {
  const bool lists = PyList_Check(PyList_GET_ITEM(list, 0));
  Ref first = joined(list, lists ? items_of_list : keys_of_dict);
  Ref second = lists || !first ? Ref() : joined(list, values_of_dict);
  if (!first || (!lists && !second)) {
    PyErr_Clear();
    return heterogeneous(container, PyList_GET_ITEM(list, PyList_GET_SIZE(list) - 1),
                         type_of(PyList_GET_ITEM(list, 0)).type);
  }
  TypeOf all = lists ? type_of_list_of(first.get()) : type_of_dict_of(first.get(), second.get());
  all.mixed = true;
  return all;
}

/// The type of all dicts of a list whose keys are part of it; null if there are others.
const Type *type_of_all_settings(PyObject *list) {
  const Type *all = nullptr;
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(list); ++i) {
    const Type *type = type_of(Ref::borrow(PyList_GET_ITEM(list, i)).get()).type;
    if (!type || type->kind != Kind::LiteralDict || (all && type->names != all->names))
      return nullptr;
    std::vector<const Type *> values = type->params;
    for (size_t k = 0; all && k < values.size(); ++k)
      if (!(values[k] = unify(all->params[k], values[k])))
        return nullptr;
    all = types::literal_dict(type->names, std::move(values));
  }
  return all;
}

} // namespace

TypeOf type_of_items(PyObject *list, const char *container) {
  PyObject *item = PyList_GET_ITEM(list, 0);
  const bool is_dict = PyDict_Check(item) && user_class(Py_TYPE(item)) == UserClass::None;
  if (PyList_Check(item) || (is_dict && PyList_GET_SIZE(list) > 1)) {
    const TypeOf nested = type_of_nested(list, container);
    const bool known = nested.type || nested.empty || !is_dict;
    const Type *settings = known ? nullptr : type_of_all_settings(list);
    return settings ? TypeOf{.type = settings, .mixed = true} : nested;
  }
  TypeOf first = type_of(PyList_GET_ITEM(list, 0));
  if (!first.type)
    return first;
  const bool in_list = *container == 'l' && first.type->kind == Kind::LiteralDict;
  if (holds_settings(first.type) && *container != 'd' && !in_list)
    return heterogeneous(container, item, nullptr);
  TypeOf all = first;
  const bool fast = first.type->is(ScalarId::Float64) || first.type->kind == Kind::Unicode;
  PyTypeObject *cls = fast ? Py_TYPE(PyList_GET_ITEM(list, 0)) : nullptr;
  for (Py_ssize_t i = 1; i < PyList_GET_SIZE(list); ++i) { // looking at items may run Python code
    Ref item = Ref::borrow(PyList_GET_ITEM(list, i));
    if (Py_TYPE(item.get()) == cls || is_item_of(item.get(), all.type))
      continue;
    if (i < PyList_GET_SIZE(list))
      all = widened(list, i, all.type, container);
    if (!all.type)
      return all;
  }
  all.mixed = all.type != first.type;
  return all;
}

// --- typed containers ---

PyObject *typing_error_class() {
  static PyObject *cls = nullptr;
  if (!cls)
    if (Ref module = Ref(PyImport_ImportModule("numjit.errors")))
      cls = PyObject_GetAttrString(module.get(), "TypingError");
  return cls ? cls : PyExc_TypeError;
}

namespace {

bool holds_dict(PyObject *object) {
  if (!PyTuple_Check(object))
    return PyDict_Check(object);
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(object); ++i)
    if (holds_dict(PyTuple_GET_ITEM(object, i)))
      return true;
  return false;
}

/// A Python dict would be copied; false with an exception set.
bool is_item_allowed(PyObject *object) {
  if (!holds_dict(object))
    return true;
  PyErr_SetString(typing_error_class(), "a dict in a typed container would be a copy; use the Dict "
                                        "of numjit.typed");
  return false;
}

const Type *checked_item_type(TypeOf type) {
  if (type.type && is_reflected(type.type))
    type = {nullptr, "a " + type.type->text +
                         " in a typed container would be a copy; use the List "
                         "or Set of numjit.typed"};
  if (!type.type)
    PyErr_SetString(type.raised == PyExc_OverflowError ? type.raised : typing_error_class(),
                    type.error.c_str());
  return type.type;
}

/// Whether an object may become an item of a type: ints become floats, but no float an int.
bool may_become(PyObject *object, const Type *type) {
  if (type->is_tuple() && PyTuple_Check(object) &&
      PyTuple_GET_SIZE(object) == static_cast<Py_ssize_t>(type->params.size())) {
    for (size_t i = 0; i < type->params.size(); ++i)
      if (!may_become(PyTuple_GET_ITEM(object, i), type->params[i]))
        return false;
    return true;
  }
  const bool truth = PyBool_Check(object) || PyArray_IsScalar(object, Bool);
  const bool number = PyLong_Check(object) || truth || PyArray_IsScalar(object, Integer);
  const bool real = number || PyFloat_Check(object) || PyArray_IsScalar(object, Floating);
  return is_of_class(object, type) || (type->is_float() && number) ||
         (type->is_complex() && real) || (type->is_integer() && truth);
}

} // namespace

const Type *type_of_first_item(PyObject *object) {
  return is_item_allowed(object) ? checked_item_type(type_of(object)) : nullptr;
}

const Type *type_of_first_items(PyObject *list) {
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(list); ++i)
    if (!is_item_allowed(PyList_GET_ITEM(list, i)))
      return nullptr;
  return checked_item_type(type_of_items(list, "list"));
}

bool may_be_item(PyObject *object, const Type *type) {
  if (!is_item_allowed(object))
    return false;
  if (may_become(object, type))
    return true;
  PyErr_Format(typing_error_class(), "cannot put a %.200s into a container of %s",
               Py_TYPE(object)->tp_name, type->text.c_str());
  return false;
}

} // namespace numjit
