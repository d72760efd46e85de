#include "pyext/convert/intake.h"

#include "pyext/read/user_classes.h"

#include <cstring>
#include <unordered_map>

namespace numjit {

namespace {

constexpr Intake user_objects = {type_of_user_object, scan_user_object};
constexpr Intake other_objects = {type_of_other, scan_unknown};

const IntakeClasses &entered() {
  static const auto *all = [] {
    auto *made = new IntakeClasses;
    enter_classes(*made);
    return made;
  }();
  return *all;
}

/// Of a class itself, without its bases.
const Intake *intake_of_exactly(PyTypeObject *cls) {
  for (const auto &[known, intake] : entered().by_class)
    if (known == cls)
      return &intake;
  for (const auto &[name, intake] : entered().by_name)
    if (std::strcmp(name, cls->tp_name) == 0)
      return &intake;
  for (const auto &[test, intake] : entered().by_test)
    if (test(cls))
      return &intake;
  return nullptr;
}

/// A class of the user's may derive from one of Python's, as enumerations do: it comes first. Of
/// the bases the first one counts that is known.
const Intake &find_intake(PyTypeObject *cls) {
  if (const Intake *own = intake_of_exactly(cls))
    return *own;
  if (user_class(cls) != UserClass::None)
    return user_objects;
  for (Py_ssize_t i = 1; i < PyTuple_GET_SIZE(cls->tp_mro); ++i) {
    auto *base = reinterpret_cast<PyTypeObject *>(PyTuple_GET_ITEM(cls->tp_mro, i));
    for (const auto &[known, intake] : entered().by_class)
      if (known == base)
        return intake;
  }
  return other_objects;
}

} // namespace

const Intake &intake_of(PyTypeObject *cls) {
  struct Row {
    PyTypeObject *cls;
    const Intake *intake;
  };
  constexpr size_t count = 256;
  static Row recent[count]; // in front of the table
  static auto *known = new std::unordered_map<PyTypeObject *, const Intake *>;
  static unsigned changes = 0;
  if (changes != user_class_changes) {
    changes = user_class_changes;
    std::memset(recent, 0, sizeof recent);
    known->clear(); // their classes stay alive
  }
  const auto bits = reinterpret_cast<uintptr_t>(cls);
  Row &row = recent[(bits >> 4 ^ bits >> 12) % count];
  if (row.cls == cls)
    return *row.intake;
  auto found = known->find(cls);
  if (found == known->end()) {
    const Intake &intake = find_intake(cls); // may run Python code
    Py_INCREF(cls);
    found = known->emplace(cls, &intake).first;
  }
  row = {cls, found->second};
  return *found->second;
}

} // namespace numjit
