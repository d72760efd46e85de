#include "pyext/read/dtypes.h"

#include "pyext/read/scalar_codes.h"
#include "typeinfer/errors.h"

#include <numpy/arrayscalars.h>

#include <unordered_map>

namespace numjit {

PyArray_Descr *descr_from(PyObject *description) {
  PyArray_Descr *descr = nullptr;
  return PyArray_DescrConverter(description, &descr) == NPY_SUCCEED ? descr : nullptr;
}

namespace {

const Type *record_of(PyArray_Descr *descr);

const Type *time_of(PyArray_Descr *descr) {
  auto *data = reinterpret_cast<PyArray_DatetimeDTypeMetaData *>(PyDataType_C_METADATA(descr));
  if (!data || data->meta.num != 1) // multiples of units are not supported
    return nullptr;
  const int unit = static_cast<int>(data->meta.base);
  return descr->type_num == NPY_DATETIME ? types::datetime(unit) : types::timedelta(unit);
}

const Type *nested_of(PyArray_Descr *descr) {
  const PyArray_ArrayDescr *sub = PyDataType_SUBARRAY(descr);
  const Type *item = item_of_descr(sub->base);
  if (!item || item->kind == Kind::Nested)
    return nullptr;
  std::vector<int64_t> shape;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(sub->shape); ++i)
    shape.push_back(PyLong_AsLongLong(PyTuple_GET_ITEM(sub->shape, i)));
  return types::nested(item, std::move(shape));
}

const Type *record_of(PyArray_Descr *descr) {
  PyObject *names = PyDataType_NAMES(descr);
  if (!names)
    return nullptr;
  std::vector<std::string> texts;
  std::vector<const Type *> fields;
  std::vector<int64_t> offsets;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(names); ++i) {
    PyObject *name = PyTuple_GET_ITEM(names, i);
    PyObject *field = PyDict_GetItem(PyDataType_FIELDS(descr), name); // (dtype, offset[, title])
    auto *own = reinterpret_cast<PyArray_Descr *>(PyTuple_GET_ITEM(field, 0));
    const Type *type = item_of_descr(own);
    if (!type)
      return nullptr;
    texts.push_back(text_of(name));
    fields.push_back(type);
    offsets.push_back(PyLong_AsLongLong(PyTuple_GET_ITEM(field, 1)));
  }
  return types::record(std::move(texts), std::move(fields), std::move(offsets),
                       PyDataType_ELSIZE(descr), PyDataType_FLAGCHK(descr, NPY_ALIGNED_STRUCT));
}

const Type *make_item(PyArray_Descr *descr) {
  if (!PyArray_ISNBO(descr->byteorder))
    return nullptr;
  if (PyDataType_HASSUBARRAY(descr))
    return nested_of(descr);
  switch (descr->type_num) {
  case NPY_VOID: return record_of(descr);
  case NPY_DATETIME:
  case NPY_TIMEDELTA: return time_of(descr);
  case NPY_STRING: return types::char_seq(true, PyDataType_ELSIZE(descr));
  case NPY_UNICODE: return types::char_seq(false, PyDataType_ELSIZE(descr) / 4);
  default:
    return scalar_of_typenum(PyTypeNum_ISUSERDEF(descr->type_num)
                                 ? typenum_of_scalar_class(descr->typeobj)
                                 : descr->type_num);
  }
}

bool put(PyObject *dict, const char *key, const Ref &value) {
  return value && PyDict_SetItemString(dict, key, value.get()) == 0;
}

// --- the dtype of an element, by the column `element` of kinds.def ---

PyArray_Descr *descr_none(const Type *type) {
  throw InternalError("a " + type->text + " as an element of an array");
}

PyArray_Descr *descr_scalar(const Type *item) {
  if (!item->is(ScalarId::BFloat16))
    return PyArray_DescrFromType(typenum_of(item));
  Ref module(PyImport_ImportModule("ml_dtypes"));
  Ref cls(module ? PyObject_GetAttrString(module.get(), "bfloat16") : nullptr);
  return cls ? descr_from(cls.get()) : nullptr;
}

PyArray_Descr *descr_time(const Type *item) {
  const bool generic = item->numbers[0] == kGeneric;
  std::string text = item->kind == Kind::Datetime ? "M8" : "m8";
  if (!generic)
    text += "[" + std::string(time_unit_name(static_cast<int>(item->numbers[0]))) + "]";
  Ref name(PyUnicode_FromString(text.c_str()));
  return name ? descr_from(name.get()) : nullptr;
}

PyArray_Descr *descr_char_seq(const Type *item) {
  const char letter = item->params[0]->bits() == 8 ? 'S' : 'U';
  Ref name(PyUnicode_FromFormat("%c%lld", letter, static_cast<long long>(item->constant->integer)));
  return name ? descr_from(name.get()) : nullptr;
}

PyArray_Descr *descr_record(const Type *type) {
  Ref dict(PyDict_New()), names(PyList_New(0)), formats(PyList_New(0)), offsets(PyList_New(0));
  for (size_t i = 0; i < type->names.size(); ++i) {
    Ref name(PyUnicode_FromString(type->names[i].c_str()));
    Ref format(reinterpret_cast<PyObject *>(descr_of(type->params[i])));
    Ref offset(PyLong_FromLongLong(type->numbers[i + 2]));
    if (!name || !format || !offset || PyList_Append(names.get(), name.get()) < 0 ||
        PyList_Append(formats.get(), format.get()) < 0 ||
        PyList_Append(offsets.get(), offset.get()) < 0)
      return nullptr;
  }
  PyObject *fields = dict.get();
  const bool made = put(fields, "names", names) && put(fields, "formats", formats) &&
                    put(fields, "offsets", offsets) &&
                    put(fields, "itemsize", Ref(PyLong_FromLongLong(type->numbers[0]))) &&
                    put(fields, "aligned", Ref(PyBool_FromLong(type->numbers[1] != 0)));
  return made ? descr_from(fields) : nullptr;
}

PyArray_Descr *descr_nested(const Type *type) {
  Ref item(reinterpret_cast<PyObject *>(descr_of(type->params[0])));
  Ref shape(PyTuple_New(static_cast<Py_ssize_t>(type->numbers.size())));
  for (size_t i = 0; shape && i < type->numbers.size(); ++i)
    PyTuple_SET_ITEM(shape.get(), i, PyLong_FromLongLong(type->numbers[i]));
  Ref both(item && shape ? PyTuple_Pack(2, item.get(), shape.get()) : nullptr);
  return both ? descr_from(both.get()) : nullptr;
}

constexpr PyArray_Descr *(*kDescrs[])(const Type *) = {
#define NUMJIT_KIND(id, attributes, cls, fields, text, items, iteration, truth, join, equality,    \
                    str, element, ...)                                                             \
  descr_##element,
#include "typeinfer/types/kinds.def"
#undef NUMJIT_KIND
};

} // namespace

const Type *item_of_descr(PyArray_Descr *descr) {
  if (!PyTypeNum_ISEXTENDED(descr->type_num) && !PyTypeNum_ISDATETIME(descr->type_num))
    return PyArray_ISNBO(descr->byteorder) ? scalar_of_typenum(descr->type_num) : nullptr;
  // By address: what a dtype is does not change. The table keeps it alive, so the address stays
  // its own; programs that make dtypes without end start it anew.
  static auto *known = new std::unordered_map<PyArray_Descr *, const Type *>;
  if (auto found = known->find(descr); found != known->end())
    return found->second;
  const Type *item = make_item(descr);
  if (known->size() > 4096) {
    for (auto &[each, type] : *known)
      Py_DECREF(each);
    known->clear();
  }
  Py_INCREF(descr);
  known->emplace(descr, item);
  return item;
}

PyArray_Descr *descr_of(const Type *item) {
  static auto *known = new std::unordered_map<const Type *, PyArray_Descr *>;
  PyArray_Descr *&descr = (*known)[item];
  if (!descr)
    descr = kDescrs[static_cast<size_t>(item->kind)](item);
  Py_XINCREF(descr);
  return descr;
}

const Type *type_of_item(PyObject *object) {
  if (PyArray_IsScalar(object, Void))
    return item_of_descr(reinterpret_cast<PyVoidScalarObject *>(object)->descr);
  if (!PyArray_IsScalar(object, Datetime) && !PyArray_IsScalar(object, Timedelta))
    return nullptr;
  const auto &meta = reinterpret_cast<PyDatetimeScalarObject *>(object)->obmeta;
  if (meta.num != 1)
    return nullptr;
  const int unit = static_cast<int>(meta.base);
  return PyArray_IsScalar(object, Datetime) ? types::datetime(unit) : types::timedelta(unit);
}

void *record_memory(PyObject *object) {
  return reinterpret_cast<PyVoidScalarObject *>(object)->obval;
}

PyObject *time_scalar(const Type *type, int64_t count) {
  Ref descr(reinterpret_cast<PyObject *>(descr_of(type)));
  return descr ? PyArray_Scalar(&count, reinterpret_cast<PyArray_Descr *>(descr.get()), nullptr)
               : nullptr;
}

int64_t time_count(PyObject *object) {
  return reinterpret_cast<PyDatetimeScalarObject *>(object)->obval;
}

} // namespace numjit
