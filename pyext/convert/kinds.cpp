// How values of each kind of type come from Python and go there: one Conversion a kind. What takes
// more than some lines has a file of its own: arrays.cpp, lists.cpp, tables.cpp, ...
#include "pyext/convert/classes.h"
#include "pyext/convert/intake.h"
#include "pyext/convert/items.h"
#include "pyext/convert/python_call.h"
#include "pyext/convert/raised.h"
#include "pyext/convert/typed_containers.h"
#include "pyext/convert/typeof.h"
#include "pyext/convert/values.h"
#include "pyext/read/objects.h"
#include "pyext/read/scalar_codes.h"
#include "typeinfer/infer/unify.h"

#include <algorithm>
#include <cstring>

namespace numjit {

namespace {

bool params_hold_copies(const Type *type) {
  return std::ranges::any_of(type->params, holds_copies);
}

// --- what the type says all of ---

PyObject *box_none(const Type *, const uint64_t *&) { Py_RETURN_NONE; }
bool accepts_none(PyObject *object, const Type *) { return object == Py_None; }

PyObject *box_constant(const Type *type, const uint64_t *&) { return python_of(*type->constant); }

PyObject *box_ellipsis(const Type *, const uint64_t *&) { return Py_NewRef(Py_Ellipsis); }

PyObject *box_dtype(const Type *type, const uint64_t *&) {
  return reinterpret_cast<PyObject *>(descr_of(type->params[0]));
}

/// Of the parameters of a function; null with an exception set.
Ref keyword_defaults(const FunctionDef &def) {
  Ref defaults(PyDict_New());
  for (const auto &[name, value] : def.kwdefaults)
    if (!defaults ||
        PyDict_SetItemString(defaults.get(), name.c_str(), Ref(python_of(*value)).get()) < 0)
      return {};
  return defaults;
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
  if (fine && !def.code.boxed.empty()) // the interpreter would share the variable
    return PyErr_Format(PyExc_TypeError,
                        "inner function '%s' cannot be given to Python: it shares variable '%s', "
                        "which inner functions assign; return a list instead",
                        def.code.name.c_str(), def.code.boxed.begin()->c_str());
  Ref defaults = keyword_defaults(def), siblings(PyDict_New()), variables(PyList_New(0));
  fine = fine && defaults && siblings && variables;
  for (const auto &[name, sibling] : def.siblings) {
    Ref parts(Py_BuildValue("ON", static_cast<PyObject *>(sibling->object->handle),
                            keyword_defaults(*sibling->object->function).release()));
    fine = fine && parts && PyDict_SetItemString(siblings.get(), name.c_str(), parts.get()) == 0;
  }
  for (const std::string &name : def.code.freevars)
    fine =
        fine && PyList_Append(variables.get(), Ref(PyUnicode_FromString(name.c_str())).get()) == 0;
  return fine ? PyObject_CallMethod(module.get(), "made_function", "OOOOOO",
                                    static_cast<PyObject *>(code.handle),
                                    static_cast<PyObject *>(def.globals), captured.get(),
                                    defaults.get(), variables.get(), siblings.get())
              : nullptr;
}

/// One of several types, behind its number and those before it: its type, and its slots.
std::pair<const Type *, const uint64_t *> member_of(const Type *type, const uint64_t *&slots) {
  const size_t number = *slots;
  const uint64_t *at = slots + 1;
  slots += layout_of(type).leaves.size();
  for (size_t i = 0; i < number; ++i)
    at += layout_of(type->params[i]).leaves.size();
  return {type->params.at(number), at};
}

PyObject *box_choice(const Type *type, const uint64_t *&slots) {
  auto [chosen, at] = member_of(type, slots);
  return chosen->kind == Kind::Function ? python_of(*chosen->constant) : box_closure(chosen, at);
}

constexpr Conversion convert_nothing = {
    .box = box_none, .accepts = accepts_none, .enter = [](IntakeClasses &classes) {
      classes.add(Py_TYPE(Py_None), {type_of_none, scan_none});
    }};
constexpr Conversion convert_constant = {.box = box_constant};
constexpr Conversion convert_ellipsis = {
    .box = box_ellipsis, .enter = [](IntakeClasses &classes) {
      classes.add(&PyEllipsis_Type, {type_of_ellipsis, scan_ellipsis});
    }};
constexpr Conversion convert_dtype = {.box = box_dtype};
constexpr Conversion convert_closure = {.box = box_closure, .of_params = true};
constexpr Conversion convert_choice = {.box = box_choice, .of_params = true};
constexpr Conversion convert_exception = {.box = box_exception};
constexpr Conversion convert_none = {}; // Python has no such value

// --- numbers ---

PyObject *box_any_scalar(const Type *type, const uint64_t *&slots) {
  PyObject *made = box_scalar(type->scalar, slots);
  slots += type->is_complex() ? 2 : 1;
  return made;
}

bool is_number_of_class(PyObject *object, const Type *type) {
  switch (type->cls()) {
  case ScalarClass::Bool: return PyBool_Check(object) || PyArray_IsScalar(object, Bool);
  case ScalarClass::Signed:
  case ScalarClass::Unsigned:
    return (PyLong_Check(object) && !PyBool_Check(object)) || PyArray_IsScalar(object, Integer);
  case ScalarClass::Float: return PyFloat_Check(object) || PyArray_IsScalar(object, Floating);
  case ScalarClass::Complex:
    return PyComplex_Check(object) || PyArray_IsScalar(object, ComplexFloating);
  }
  return false;
}

void enter_numbers(IntakeClasses &classes) {
  classes.add(&PyBool_Type, {type_of_bool, scan_bool});
  classes.add(&PyLong_Type, {type_of_integer, scan_int});
  classes.add(&PyFloat_Type, {type_of_float, scan_float});
  classes.add(&PyComplex_Type, {type_of_complex, scan_complex});
  auto is_numpy_scalar = [](PyTypeObject *cls) { return typenum_of_scalar_class(cls) >= 0; };
  classes.by_test.emplace_back(is_numpy_scalar, Intake{type_of_numpy_scalar, scan_numpy_scalar});
}

constexpr Conversion convert_scalar = {
    .box = box_any_scalar,
    .unbox = [](Unboxer &, PyObject *object, const Type *type,
                uint64_t *&slots) { return unbox_scalar(object, type, slots); },
    .accepts = belongs_to,
    .is_of_class = is_number_of_class,
    .comparable_slots = true,
    .enter = enter_numbers};

// --- addresses ---

PyObject *box_pointer(const Type *, const uint64_t *&slots) {
  return PyLong_FromUnsignedLongLong(*slots++);
}

/// An integer is an address of whatever the pointer points to.
bool unbox_pointer(Unboxer &, PyObject *object, const Type *type, uint64_t *&slots) {
  if (!PyIndex_Check(object))
    return wrong_class(object, type);
  Ref number(PyNumber_Index(object));
  *slots = number ? PyLong_AsUnsignedLongLongMask(number.get()) : 0;
  ++slots;
  return number && !PyErr_Occurred();
}

constexpr Conversion convert_pointer = {.box = box_pointer, .unbox = unbox_pointer};

// --- records, dates, members of enumerations ---

bool unbox_memory_item(Unboxer &, PyObject *object, const Type *type, uint64_t *&slots) {
  return unbox_item(object, type, slots);
}

bool accepts_time(PyObject *object, const Type *type) {
  const Type *own = type_of_item(object);
  return own && unify(type, own) == type;
}

bool is_of_own_class(PyObject *object, const Type *type) {
  return reinterpret_cast<PyObject *>(Py_TYPE(object)) == type->constant->object->handle;
}

constexpr Intake item_intake = {type_of_memory_item, scan_memory_item};
constexpr Conversion convert_record = {
    .box = box_item_scalar, .unbox = unbox_memory_item, .enter = [](IntakeClasses &classes) {
      classes.add(&PyVoidArrType_Type, item_intake);
    }};
constexpr Conversion convert_time = {
    .box = box_item_scalar,
    .unbox = unbox_memory_item,
    .accepts = accepts_time,
    .comparable_slots = true,
    .enter = [](IntakeClasses &classes) {
      for (PyTypeObject *cls : {&PyDatetimeArrType_Type, &PyTimedeltaArrType_Type})
        classes.add(cls, item_intake);
    }};
constexpr Conversion convert_enum = {
    .box = box_enum,
    .unbox = [](Unboxer &, PyObject *object, const Type *type,
                uint64_t *&slots) { return unbox_enum(object, type, slots); },
    .accepts = is_of_own_class};

// --- arrays, strings, bytes ---

bool unbox_any_array(Unboxer &unboxer, PyObject *object, const Type *type, uint64_t *&slots) {
  if (shows_memory(object))
    return unboxer.hold_memory(object) && unbox_memory(object, type, slots);
  return unbox_array(object, type, slots);
}

bool unbox_string(Unboxer &, PyObject *object, const Type *type, uint64_t *&slots) {
  if (!PyUnicode_Check(object))
    return wrong_class(object, type);
  put_string(object, slots);
  return true;
}

bool is_bytes_of(PyObject *object, const Type *type) {
  return type->readonly ? PyBytes_Check(object) : PyByteArray_Check(object);
}

bool unbox_bytes(Unboxer &unboxer, PyObject *object, const Type *type, uint64_t *&slots) {
  if (!is_bytes_of(object, type))
    return wrong_class(object, type);
  if (!type->readonly && !unboxer.hold_memory(object))
    return false;
  put_bytes(object, slots);
  return true;
}

/// Arrays, and other objects that show memory.
void enter_arrays(IntakeClasses &classes) {
  classes.add(&PyArray_Type, {type_of_any_array, scan_any_array});
  classes.add(&PyMemoryView_Type, {type_of_shown_memory, scan_memory});
  classes.by_name.emplace_back("array.array", Intake{type_of_shown_memory, scan_memory});
}

constexpr Conversion convert_array = {
    .box = box_array,
    .unbox = unbox_any_array,
    .is_of_class = [](PyObject *object, const Type *) { return bool(PyArray_Check(object)); },
    .comparable_slots = true,
    .enter = enter_arrays};
constexpr Conversion convert_unicode = {
    .box = box_string,
    .unbox = unbox_string,
    .is_of_class = [](PyObject *object, const Type *) { return bool(PyUnicode_Check(object)); },
    .comparable_slots = true,
    .enter =
        [](IntakeClasses &classes) {
          classes.add(&PyUnicode_Type, {type_of_string, scan_string});
        }};
constexpr Conversion convert_bytes = {.box = box_bytes,
                                      .unbox = unbox_bytes,
                                      .is_of_class = is_bytes_of,
                                      .comparable_slots = true,
                                      .enter = [](IntakeClasses &classes) {
                                        for (PyTypeObject *cls : {&PyBytes_Type, &PyByteArray_Type})
                                          classes.add(cls, {type_of_bytes, scan_bytes});
                                      }};

// --- optionals ---

PyObject *box_optional(const Type *type, const uint64_t *&slots) {
  const Type *inner = type->params[0];
  bool valid = *slots++ & 1;
  if (valid)
    return box(inner, slots);
  slots += layout_of(inner).leaves.size();
  Py_RETURN_NONE;
}

bool unbox_optional(Unboxer &unboxer, PyObject *object, const Type *type, uint64_t *&slots) {
  const bool valid = object != Py_None;
  *slots++ = valid;
  if (valid)
    return unboxer.unbox(object, type->params[0], slots);
  const size_t count = layout_of(type->params[0]).leaves.size();
  std::memset(slots, 0, count * sizeof *slots);
  slots += count;
  return true;
}

PyObject *box_union(const Type *type, const uint64_t *&slots) {
  auto [chosen, at] = member_of(type, slots);
  return box(chosen, at);
}

constexpr Conversion convert_union = {.box = box_union, .of_params = true};
constexpr Conversion convert_optional = {.box = box_optional,
                                         .unbox = unbox_optional,
                                         .holds_copies = params_hold_copies,
                                         .of_params = true,
                                         .comparable_slots = true};

// --- tuples and displays with items of several types ---

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

bool unbox_tuple(Unboxer &unboxer, PyObject *object, const Type *type, uint64_t *&slots) {
  return PyTuple_Check(object) ? unboxer.unbox_items(object, type->params, slots)
                               : wrong_class(object, type);
}

/// From keyword arguments, which are a tuple, or a dict of values of several types.
bool unbox_literal_dict(Unboxer &unboxer, PyObject *object, const Type *type, uint64_t *&slots) {
  if (!PyDict_CheckExact(object))
    return unbox_tuple(unboxer, object, type, slots);
  Ref keys(PyDict_Keys(object)), values(PyDict_Values(object));
  Ref items(values ? PyList_AsTuple(values.get()) : nullptr);
  if (!keys || !items)
    return false;
  bool same = PyList_GET_SIZE(keys.get()) == static_cast<Py_ssize_t>(type->names.size());
  for (size_t i = 0; same && i < type->names.size(); ++i) {
    PyObject *key = PyList_GET_ITEM(keys.get(), static_cast<Py_ssize_t>(i));
    same = PyUnicode_CheckExact(key) && text_of(key) == type->names[i];
  }
  return same ? unboxer.unbox_items(items.get(), type->params, slots) : wrong_class(object, type);
}

bool unbox_literal_list(Unboxer &unboxer, PyObject *object, const Type *type, uint64_t *&slots) {
  Ref items(PyList_Check(object) ? PyList_AsTuple(object) : nullptr);
  PyErr_Clear();
  return items ? unbox_tuple(unboxer, items.get(), type, slots) : wrong_class(object, type);
}

bool is_tuple_of_classes(PyObject *object, const Type *type) {
  if (!PyTuple_Check(object) ||
      PyTuple_GET_SIZE(object) != static_cast<Py_ssize_t>(type->params.size()))
    return PyTuple_Check(object); // the length is named when it is unboxed
  for (size_t i = 0; i < type->params.size(); ++i) {
    PyObject *item = PyTuple_GET_ITEM(object, i);
    if (!is_of_class(item, type->params[i]) && !(type->params[i]->is_float() && PyLong_Check(item)))
      return false;
  }
  return true;
}

constexpr Conversion convert_tuple = {
    .box = box_tuple,
    .unbox = unbox_tuple,
    .accepts = [](PyObject *object, const Type *) { return !is_named_tuple(object); },
    .is_of_class = is_tuple_of_classes,
    .holds_copies = params_hold_copies,
    .of_params = true,
    .comparable_slots = true,
    .enter =
        [](IntakeClasses &classes) {
          classes.add(&PyTuple_Type, {type_of_tuple, scan_tuple});
        }};
constexpr Conversion convert_named_tuple = {.box = box_named_tuple,
                                            .unbox = unbox_tuple,
                                            .accepts = is_of_own_class,
                                            .is_of_class = is_tuple_of_classes,
                                            .holds_copies = params_hold_copies,
                                            .of_params = true,
                                            .comparable_slots = true};
constexpr Conversion convert_literal_list = {
    .box = box_literal_list, .unbox = unbox_literal_list, .of_params = true};
constexpr Conversion convert_literal_dict = {.box = box_literal_dict, .unbox = unbox_literal_dict};

// --- lists, sets, dicts: blocks that Python has a copy of, or shares if they are `typed` ---

bool is_copied(const Type *type) { return !type->typed; }

bool unbox_list(Unboxer &unboxer, PyObject *object, const Type *type, uint64_t *&slots) {
  if (type->typed)
    return unbox_typed(object, type, slots);
  return PyList_Check(object) ? unboxer.unbox_copy(object, type, slots) : wrong_class(object, type);
}

bool unbox_set(Unboxer &unboxer, PyObject *object, const Type *type, uint64_t *&slots) {
  if (type->typed)
    return unbox_typed(object, type, slots);
  return PyAnySet_Check(object) ? unboxer.unbox_copy(object, type, slots)
                                : wrong_class(object, type);
}

bool unbox_frozen_set(Unboxer &unboxer, PyObject *object, const Type *type, uint64_t *&slots) {
  return PyFrozenSet_Check(object) ? unboxer.unbox_copy(object, type, slots)
                                   : wrong_class(object, type);
}

bool unbox_dict(Unboxer &unboxer, PyObject *object, const Type *type, uint64_t *&slots) {
  return PyDict_Check(object) ? unboxer.unbox_copy(object, type, slots)
                              : unbox_typed(object, type, slots);
}

using Before = const std::vector<char> &;

constexpr BlockConversion list_block = {
    .from_python =
        [](PyObject *object, const Type *type, Unboxer &unboxer) {
          return list_from_python(object, type->params[0], unboxer);
        },
    .write = [](void *block, const Type *type, Before,
                PyObject *object) { return write_list(block, type->params[0], object); },
    .update =
        [](void *block, const Type *type, PyObject *object, const PythonView &view) {
          return update_list(block, type->params[0], object, view);
        }};

constexpr BlockConversion set_block = {
    .from_python = [](PyObject *object, const Type *type,
                      Unboxer &) { return set_from_python(object, type); },
    .write = [](void *block, const Type *type, Before,
                PyObject *object) { return write_set(block, type, object); },
    .update =
        [](void *block, const Type *type, PyObject *object, const PythonView &) {
          return PyFrozenSet_Check(object) || update_set(block, type, object);
        }};

constexpr BlockConversion frozen_set_block = {
    .from_python = set_block.from_python,
    .write = [](void *, const Type *, Before, PyObject *) { return true; },
    .update = [](void *, const Type *, PyObject *, const PythonView &) { return true; }};

constexpr BlockConversion dict_block = {
    .from_python = [](PyObject *object, const Type *type,
                      Unboxer &unboxer) { return dict_from_python(object, type, unboxer); },
    .write = [](void *block, const Type *type, Before,
                PyObject *object) { return write_dict(block, type, object); },
    .update = update_dict};

constexpr Conversion convert_list = {.box = box_list,
                                     .unbox = unbox_list,
                                     .holds_copies = is_copied,
                                     .block = &list_block,
                                     .of_params = true,
                                     .enter = [](IntakeClasses &classes) {
                                       classes.add(&PyList_Type, {type_of_list, scan_list});
                                     }};
constexpr Conversion convert_set = {.box = box_set,
                                    .unbox = unbox_set,
                                    .holds_copies = is_copied,
                                    .block = &set_block,
                                    .of_params = true,
                                    .enter = [](IntakeClasses &classes) {
                                      classes.add(&PySet_Type, {type_of_set, scan_set});
                                    }};
constexpr Conversion convert_frozen_set = {
    .box = box_frozen_set,
    .unbox = unbox_frozen_set,
    .block = &frozen_set_block,
    .of_params = true,
    .enter = [](IntakeClasses &classes) {
      classes.add(&PyFrozenSet_Type, {type_of_frozen_set, scan_set});
    }};
constexpr Conversion convert_dict = { // copies: those that came as a dict of Python's
    .box = box_dict,
    .unbox = unbox_dict,
    .holds_copies = [](const Type *) { return true; },
    .block = &dict_block,
    .of_params = true,
    .enter =
        [](IntakeClasses &classes) {
          classes.add(&PyDict_Type, {type_of_dict, scan_dict});
          classes.add(typed_base,
                      {type_of_typed, scan_typed}); // lists and sets of numjit.typed, too
        }};

// --- dataclasses and jitclasses ---

constexpr BlockConversion instance_block_conversion = {
    .from_python = instance_from_python, .write = write_instance, .update = update_instance};

constexpr Conversion convert_struct = {
    .box = box_struct,
    .unbox = [](Unboxer &unboxer, PyObject *object, const Type *type,
                uint64_t *&slots) { return unboxer.unbox_struct(object, type, slots); },
    .holds_copies =
        [](const Type *type) { return !is_random_generator(type) && params_hold_copies(type); },
    .of_params = true};
constexpr Conversion convert_instance = {
    .box = box_instance,
    .unbox = [](Unboxer &unboxer, PyObject *object, const Type *type,
                uint64_t *&slots) { return unboxer.unbox_instance(object, type, slots); },
    .holds_copies =
        [](const Type *type) { return !type->constant->is_object(ObjectKind::JitClass); },
    .block = &instance_block_conversion,
    .of_params = true};

// --- ranges, slices, generators ---

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

bool unbox_range(Unboxer &, PyObject *object, const Type *type, uint64_t *&slots) {
  if (!PyRange_Check(object))
    return wrong_class(object, type);
  for (const char *name : {"start", "stop", "step"}) {
    Ref part(PyObject_GetAttrString(object, name));
    if (!part || !unbox_scalar(part.get(), type->params[0], slots))
      return false;
  }
  return true;
}

bool unbox_slice(Unboxer &unboxer, PyObject *object, const Type *type, uint64_t *&slots) {
  if (!PySlice_Check(object))
    return wrong_class(object, type);
  auto *slice = reinterpret_cast<PySliceObject *>(object);
  PyObject *parts[] = {slice->start, slice->stop, slice->step};
  for (int i = 0; i < 3; ++i)
    if (type->params[i]->kind != Kind::None && !unboxer.unbox(parts[i], type->params[i], slots))
      return false;
  return true;
}

bool unbox_any_generator(Unboxer &, PyObject *object, const Type *type, uint64_t *&slots) {
  return unbox_generator(object, type, slots) || wrong_class(object, type);
}

constexpr Conversion convert_range = {
    .box = box_range, .unbox = unbox_range, .enter = [](IntakeClasses &classes) {
      classes.add(&PyRange_Type, {type_of_range, scan_range});
    }};
constexpr Conversion convert_slice = {
    .box = box_slice, .unbox = unbox_slice, .enter = [](IntakeClasses &classes) {
      classes.add(&PySlice_Type, {type_of_slice, scan_slice});
    }};
constexpr Conversion convert_generator = {
    .box = box_generator, .unbox = unbox_any_generator, .enter = [](IntakeClasses &classes) {
      classes.add(generator_class(), {type_of_made_generator, scan_generator});
    }};

} // namespace

const Conversion *const conversions[kKindCount] = {
#define NUMJIT_KIND(id, attributes, cls, fields, text, items, iteration, truth, join, equality,    \
                    str, element, conversion, ...)                                                 \
  &convert_##conversion,
#include "typeinfer/types/kinds.def"
#undef NUMJIT_KIND
};

bool holds_copies(const Type *type) {
  const auto holds = conversion_of(type).holds_copies;
  return holds && holds(type);
}

void enter_classes(IntakeClasses &classes) {
  for (const Conversion *conversion : conversions)
    if (conversion->enter)
      conversion->enter(classes);
}

} // namespace numjit
