#include "pyext/read/globals.h"

#include "pyext/convert/classes.h"
#include "pyext/convert/python_call.h"
#include "pyext/convert/typeof.h"
#include "pyext/convert/values.h"
#include "pyext/read/dispatchers.h"
#include "pyext/read/objects.h"
#include "pyext/read/plain_objects.h"
#include "pyext/read/user_classes.h"
#include "typeinfer/infer.h"
#include "typeinfer/types/frozen.h"

#include <numpy/arrayscalars.h>

#include <algorithm>
#include <unordered_map>

namespace numjit {

namespace {

constexpr Py_ssize_t kMostItems = 100'000;
constexpr int kDeepest = 16;

bool is_container(PyObject *object) {
  return PyList_CheckExact(object) || PyDict_CheckExact(object) || PyAnySet_CheckExact(object) ||
         PyODict_CheckExact(object);
}

/// int, float and the like, and NumPy's.
bool is_type_of_numbers(PyObject *item) {
  if (!PyType_Check(item))
    return false;
  auto *type = reinterpret_cast<PyTypeObject *>(item);
  return type == &PyLong_Type || type == &PyFloat_Type || type == &PyComplex_Type ||
         type == &PyBool_Type || type == &PyUnicode_Type ||
         PyType_IsSubtype(type, &PyGenericArrType_Type);
}

/// Whether an item says by itself what it is: others may be of classes that need not be read.
bool may_be_constant(PyObject *item) {
  if (PyTuple_Check(item)) {
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(item); ++i)
      if (!may_be_constant(PyTuple_GET_ITEM(item, i)))
        return false;
    return true;
  }
  return item == Py_None || PyLong_Check(item) || PyFloat_Check(item) || PyComplex_Check(item) ||
         PyUnicode_Check(item) || PyBytes_CheckExact(item) || PyArray_CheckScalar(item) ||
         PyArray_CheckExact(item) || is_container(item) || dispatcher_check(item) ||
         PyFunction_Check(item) || PyCFunction_Check(item) || is_type_of_numbers(item) ||
         PyArray_DescrCheck(item) || PyModule_Check(item) ||
         user_class(Py_TYPE(item)) == UserClass::Enum ||
         user_class(Py_TYPE(item)) == UserClass::DataClass || is_plain_class(Py_TYPE(item));
}

/// Whether an item is an object that programs may change: a constant of it is a value, not a block.
bool is_changeable(const Const *item) {
  return item->kind == ConstKind::Tuple && item->object && !item->is_tuple() &&
         item->object->kind == ObjectKind::DataClass && !item->object->is_frozen;
}

/// What a container holds: of a dict keys and values in turn. Null with an exception set.
Ref items_of(PyObject *object) {
  if (!PyDict_Check(object))
    return Ref(PySequence_List(object));
  Ref pairs(PyMapping_Items(object)), items(PyList_New(0));
  for (Py_ssize_t i = 0; pairs && items && i < PyList_GET_SIZE(pairs.get()); ++i)
    for (int part : {0, 1})
      if (PyList_Append(items.get(), PyTuple_GET_ITEM(PyList_GET_ITEM(pairs.get(), i), part)) < 0)
        return {};
  return pairs ? std::move(items) : Ref();
}

int64_t constant_blocks = 0; // guarded by the GIL

/// Of a copy, which does not change; null with an exception set.
void *block_of(PyObject *copy, const Type *type) {
  const int64_t before = nj_live_blocks();
  PythonView view;
  Unboxer unboxer(&view);
  void *made = conversion_of(type).block->from_python(copy, type, unboxer);
  constant_blocks += made ? nj_live_blocks() - before : 0;
  return made;
}

/// Whether the values of a dict are objects of one type: any key may be asked for.
bool has_like_objects(const std::vector<const Const *> &items) {
  for (size_t i = 1; i < items.size(); i += 2)
    if (!is_changeable(items[i]) || fact_of(items[i]).type != fact_of(items[1]).type)
      return false;
  return !items.empty();
}

/// The type of a dict of strings to values of several types; nullptr if it is no such one.
const Type *literal_dict_type(const std::vector<const Const *> &items, Object &row) {
  std::vector<std::string> keys;
  std::vector<const Type *> types;
  for (size_t i = 0; i < items.size(); i += 2) {
    const Type *type = fact_of(items[i + 1]).type;
    if (items[i]->kind != ConstKind::Str || !type)
      return nullptr;
    keys.push_back(items[i]->text);
    types.push_back(type);
    row.members.emplace_back(items[i]->text, items[i + 1]);
  }
  return types::literal_dict(std::move(keys), std::move(types));
}

/// A row for contents that are new; nullptr if compiled code has no such values.
const Object *described(PyObject *object, const Const *contents,
                        const std::vector<const Const *> &items) {
  Ref copy(PyDict_Check(object)
               ? PyObject_CallOneArg(reinterpret_cast<PyObject *>(&PyDict_Type), object)

           : PyList_CheckExact(object)      ? PySequence_List(object)
           : PyFrozenSet_CheckExact(object) ? Py_NewRef(object)
                                            : PySet_New(object));
  TypeOf of = copy ? type_of(copy.get()) : TypeOf{};
  auto row = std::make_unique<Object>();
  row->kind = ObjectKind::Record;
  row->name = Py_TYPE(object)->tp_name;
  row->value = contents;
  if (of.type && !holds_settings(of.type) && std::ranges::none_of(items, is_changeable))
    row->data = block_of(copy.get(), of.type);
  if (row->data)
    row->type = types::frozen(of.type);
  else if (PyDict_Check(object) && !has_like_objects(items)) // of functions, of several types
    row->type = literal_dict_type(items, *row);
  PyErr_Clear();
  if (!row->type)
    return nullptr;
  row->handle = copy.release(); // rows live as long as the process
  return row.release();
}

/// A dict whose keys are of several types, from its keys and values; nullptr if the compiler knows
/// one of them not.
const Const *mixed_dict(const std::vector<const Const *> &items) {
  if (std::ranges::any_of(items, [](const Const *item) { return !fact_of(item).type; }))
    return nullptr;
  Ref module(PyImport_ImportModule("numjit.library.python.mixed_dicts"));
  Ref cls(module ? PyObject_GetAttrString(module.get(), "MixedDict") : nullptr);
  if (!cls)
    return PyErr_Clear(), nullptr;
  std::vector<const Const *> keys, values;
  for (size_t i = 0; i < items.size(); i += 2) {
    keys.push_back(items[i]);
    values.push_back(items[i + 1]);
  }
  Const made;
  made.kind = ConstKind::Tuple;
  made.object = const_of(cls.get())->object;
  made.items = {constants::tuple(std::move(keys)), constants::tuple(std::move(values))};
  return constants::intern(std::move(made));
}

} // namespace

int64_t blocks_of_constants() { return constant_blocks; }

const Const *constant_container(PyObject *object) {
  static auto *const known = new std::unordered_map<const Const *, const Const *>; // under the GIL
  static int depth = 0;
  if (!is_container(object) || PyObject_Size(object) > kMostItems || depth == kDeepest)
    return PyErr_Clear(), nullptr;
  if (object == PyImport_GetModuleDict()) // which gets more: loaded_modules.py
    return nullptr;
  struct Deeper {
    Deeper() { ++depth; }
    ~Deeper() { --depth; }
  } deeper;
  Ref items = items_of(object);
  if (!items)
    return PyErr_Clear(), nullptr;
  std::vector<const Const *> constants;
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(items.get()); ++i) {
    PyObject *item = PyList_GET_ITEM(items.get(), i);
    if (!may_be_constant(item))
      return nullptr;
    constants.push_back(const_of(item));
  }
  std::vector<const Const *> contents = constants;
  contents.push_back(constants::string(Py_TYPE(object)->tp_name));
  const Const *key = constants::tuple(std::move(contents));
  auto [found, is_new] = known->try_emplace(key);
  if (is_new) {
    const Object *row = described(object, key, constants);
    found->second = row                    ? constants::object(row)
                    : PyDict_Check(object) ? mixed_dict(constants)
                                           : constants::tuple(std::move(constants));
  }
  return found->second;
}

} // namespace numjit
