// Objects of classes that a program defines and that declare no types (plain_classes.py), and
// others that are read like these. All of this needs the GIL.
#pragma once

#include "frontend/constant.h"
#include "pyext/python.h"

#include <functional>

namespace numjit {

/// Visits an object, as a part of those that are visited: objects that lead back, that lie too deep
/// or are too many are not entered.
class Visit {
public:
  explicit Visit(PyObject *object);
  ~Visit();
  Visit(const Visit &) = delete;
  Visit &operator=(const Visit &) = delete;
  explicit operator bool() const { return entered_; }

private:
  bool entered_;
};

/// Whether a class has instances with a dict and nothing of C below: one that a program defines.
bool is_plain_class(PyTypeObject *cls);
/// The class that stands for an object with those of its attributes that `takes` says, which is
/// asked in their order, as a constant; null where there are none, and for other objects.
const Const *plain_class_of(PyObject *object, const std::function<bool(PyObject *value)> &takes);
/// A global object with those of its attributes that are constants, as Python has it for a tuple;
/// null for others, and where it has none.
const Const *constant_of_plain(PyObject *object);
/// What the compiler reads in the place of an object of Python's library: a list for an array of
/// the module `array`, an object of a plain class for a context variable, a function for a method
/// of a random.Random. Null for others.
Ref stand_in_of(PyObject *object);
/// An object with the attributes of such a constant, whose class is `row`; null with an exception
/// set.
PyObject *plain_object_of(const Object &row, PyObject *attributes);

} // namespace numjit
