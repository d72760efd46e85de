#include "pyext/read/plain_objects.h"

#include "pyext/read/foreign_objects.h"
#include "pyext/read/objects.h"
#include "pyext/read/user_classes.h"
#include "typeinfer/infer.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <unordered_map>

namespace numjit {

/// Whether instances are made by C code of a class of its own, as threading.local's are, and may
/// have more than their attributes.
static bool is_made_in_c(PyTypeObject *cls) {
  Ref make = attribute_or_null(reinterpret_cast<PyObject *>(cls), "__new__");
  return make && PyCFunction_Check(make.get()) &&
         PyCFunction_GET_SELF(make.get()) != reinterpret_cast<PyObject *>(&PyBaseObject_Type);
}

bool is_plain_class(PyTypeObject *cls) {
  static auto *known = new std::unordered_map<PyTypeObject *, bool>;
  if (auto found = known->find(cls); found != known->end())
    return found->second;
  bool plain = cls->tp_flags & Py_TPFLAGS_HEAPTYPE && PyType_Check(Py_TYPE(cls)) &&
               user_class(cls) == UserClass::None && !is_made_in_c(cls);
  if (plain) {
    Ref module(PyImport_ImportModule("numjit.plain_classes"));
    Ref own(module ? PyObject_CallMethod(module.get(), "is_of_program", "O", cls) : nullptr);
    plain = own && PyObject_IsTrue(own.get()) == 1;
    PyErr_Clear();
  }
  plain = plain && !Ref(attribute_or_null(reinterpret_cast<PyObject *>(cls), "__array__")) &&
          !Ref(attribute_or_null(reinterpret_cast<PyObject *>(cls), "__wrapper_address__")) &&
          !Ref(attribute_or_null(reinterpret_cast<PyObject *>(cls), "__next__"));
  Py_INCREF(cls);
  return known->emplace(cls, plain).first->second;
}

namespace {

/// The class that stands for instances of `cls` with these fields, as a constant; null with an
/// exception set.
const Const *plain_class(PyTypeObject *cls, const std::vector<std::string> &names) {
  static auto *known =
      new std::map<std::pair<PyTypeObject *, std::vector<std::string>>, const Const *>;
  const Const *&constant = (*known)[{cls, names}];
  if (constant)
    return constant;
  Ref module(PyImport_ImportModule("numjit.plain_classes")), fields(PyList_New(0));
  for (const std::string &name : names)
    if (!fields || PyList_Append(fields.get(), Ref(PyUnicode_FromString(name.c_str())).get()) < 0)
      return nullptr;
  Ref made(module ? PyObject_CallMethod(module.get(), "class_for", "OO",
                                        reinterpret_cast<PyObject *>(cls), fields.get())
                  : nullptr);
  if (made)
    constant = const_of(made.get());
  return constant;
}

thread_local std::vector<PyObject *> around; // the objects that are being visited
thread_local int visited = 0;                // since the outermost one was entered
constexpr size_t kDeepest = 16;
constexpr int kMost = 500;

} // namespace

Visit::Visit(PyObject *object) {
  visited = around.empty() ? 0 : visited + 1;
  entered_ = around.size() < kDeepest && visited <= kMost &&
             std::ranges::find(around, object) == around.end();
  if (entered_)
    around.push_back(object);
}

Visit::~Visit() {
  if (entered_)
    around.pop_back();
}

const Const *plain_class_of(PyObject *object, const std::function<bool(PyObject *)> &takes) {
  if (!is_plain_class(Py_TYPE(object)))
    return nullptr;
  const Visit visit(object);
  if (!visit)
    return nullptr;
  Ref dict(PyObject_GetAttrString(object, "__dict__"));
  Ref copy(dict && PyDict_Check(dict.get()) ? PyDict_Copy(dict.get()) : nullptr);
  PyErr_Clear();
  if (!copy)
    return nullptr;
  std::vector<std::string> names;
  PyObject *name, *value;
  for (Py_ssize_t at = 0; PyDict_Next(copy.get(), &at, &name, &value);)
    if (PyUnicode_Check(name) && takes(value))
      names.push_back(text_of(name));
  PyErr_Clear();
  const bool has_unknown_only = names.empty() && PyDict_GET_SIZE(copy.get()) > 0;
  const Const *cls = has_unknown_only ? nullptr : plain_class(Py_TYPE(object), names);
  PyErr_Clear();
  return cls;
}

const Const *constant_of_plain(PyObject *object) {
  Const value;
  value.kind = ConstKind::Tuple;
  const Const *cls = plain_class_of(object, [&](PyObject *attribute) {
    const Const *item = const_of(attribute);
    if (fact_of(item).type)
      value.items.push_back(item);
    return fact_of(item).type != nullptr;
  });
  if (!cls)
    return nullptr;
  value.object = cls->object;
  return constants::intern(std::move(value));
}

/// A method of a random.Random that the program made.
static bool is_method_of_random(PyObject *object) {
  PyObject *self = PyMethod_Check(object)      ? PyMethod_GET_SELF(object)
                   : PyCFunction_Check(object) ? PyCFunction_GET_SELF(object)
                                               : nullptr;
  static PyObject *cls, *own;
  return self && std::strcmp(Py_TYPE(self)->tp_name, "Random") == 0 &&
         is_instance_of(self, class_in(cls, "random", "Random")) &&
         self != class_in(own, "random", "_inst");
}

Ref stand_in_of(PyObject *object) {
  if (std::strcmp(Py_TYPE(object)->tp_name, "array.array") == 0) {
    Ref list(PySequence_List(object)); // a view of its memory would keep it from growing
    return list ? list : throw PythonError();
  }
  const char *module = PyContextVar_CheckExact(object) ? "context_variables"
                       : is_method_of_random(object)   ? "random_objects"
                                                       : nullptr;
  if (!module)
    return {};
  Ref loaded(PyImport_ImportModule((std::string("numjit.library.python.") + module).c_str()));
  Ref other(loaded ? PyObject_CallMethod(loaded.get(), "stand_in", "O", object) : nullptr);
  return other ? other : throw PythonError();
}

PyObject *plain_object_of(const Object &row, PyObject *attributes) {
  auto *object = reinterpret_cast<PyObject *>(&PyBaseObject_Type);
  Ref made(PyObject_CallMethod(object, "__new__", "O", static_cast<PyObject *>(row.data)));
  for (size_t i = 0; made && i < row.fields.size(); ++i)
    if (PyObject_SetAttrString(made.get(), row.fields[i].c_str(),
                               PyTuple_GET_ITEM(attributes, static_cast<Py_ssize_t>(i))) < 0)
      return nullptr;
  return made.release();
}

} // namespace numjit
