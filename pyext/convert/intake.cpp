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

/// What classes turned out to be, by their address: in front of the table of all.
struct Recent {
  PyTypeObject *cls;
  const Intake *intake;
};
constexpr size_t recent_count = 256;
Recent recent[recent_count];
unsigned changes = 0; ///< user_class_changes when all that is remembered was found out

Recent &recent_of(PyTypeObject *cls) {
  const auto bits = reinterpret_cast<uintptr_t>(cls);
  return recent[(bits >> 4 ^ bits >> 12) % recent_count];
}

const Intake &remembered(PyTypeObject *cls) {
  static auto *known = new std::unordered_map<PyTypeObject *, const Intake *>;
  if (changes != user_class_changes) {
    changes = user_class_changes;
    std::memset(recent, 0, sizeof recent);
    known->clear(); // their classes stay alive
  }
  auto found = known->find(cls);
  if (found == known->end()) {
    const Intake &intake = find_intake(cls); // may run Python code
    Py_INCREF(cls);
    found = known->emplace(cls, &intake).first;
  }
  recent_of(cls) = {cls, found->second};
  return *found->second;
}

} // namespace

const Intake &intake_of(PyTypeObject *cls) {
  const Recent &row = recent_of(cls);
  return row.cls == cls && changes == user_class_changes ? *row.intake : remembered(cls);
}

} // namespace numjit
