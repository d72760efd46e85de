// How Python objects become arguments: the functions that find their type, and write the words and
// slots of a call, by their class. Each kind of type enters its classes (kinds.cpp); what is found
// for a class is stored. All of this needs the GIL.
#pragma once

#include "pyext/convert/fingerprint.h"
#include "pyext/convert/typeof.h"
#include "pyext/python.h"

#include <utility>
#include <vector>

namespace numjit {

struct Intake {
  TypeOf (*type_of)(PyObject *);
  ScanResult (*scan)(PyObject *, Scan &);
};

/// Of the objects of a class.
const Intake &intake_of(PyTypeObject *cls);

/// Which objects have a kind of type: those of a class, and of classes that derive from it; of one
/// that is known by its name, as its module may not be loaded; or of those that a function accepts.
struct IntakeClasses {
  std::vector<std::pair<PyTypeObject *, Intake>> by_class;
  std::vector<std::pair<const char *, Intake>> by_name;
  std::vector<std::pair<bool (*)(PyTypeObject *), Intake>> by_test;

  void add(PyTypeObject *cls, Intake intake) { by_class.emplace_back(cls, intake); }
};
/// The classes of all kinds, which their conversions enter (kinds.cpp).
void enter_classes(IntakeClasses &classes);
PyTypeObject *generator_class(); ///< of what generator functions return

// --- of the kinds ---

TypeOf type_of_none(PyObject *);
TypeOf type_of_bool(PyObject *);
TypeOf type_of_integer(PyObject *);
TypeOf type_of_float(PyObject *);
TypeOf type_of_complex(PyObject *);
TypeOf type_of_numpy_scalar(PyObject *);
TypeOf type_of_memory_item(PyObject *); ///< records, np.datetime64, np.timedelta64
TypeOf type_of_string(PyObject *);
TypeOf type_of_bytes(PyObject *);
TypeOf type_of_tuple(PyObject *);
TypeOf type_of_list(PyObject *);
TypeOf type_of_set(PyObject *);
TypeOf type_of_frozen_set(PyObject *);
TypeOf type_of_dict(PyObject *);
TypeOf type_of_typed(PyObject *);
TypeOf type_of_any_array(PyObject *);
TypeOf type_of_shown_memory(PyObject *);
TypeOf type_of_range(PyObject *);
TypeOf type_of_slice(PyObject *);
TypeOf type_of_ellipsis(PyObject *);
TypeOf type_of_made_generator(PyObject *);
TypeOf type_of_user_object(PyObject *);
/// Functions, classes, modules, dtypes, objects of plain classes; and what has no type.
TypeOf type_of_other(PyObject *);

ScanResult scan_none(PyObject *, Scan &);
ScanResult scan_bool(PyObject *, Scan &);
ScanResult scan_int(PyObject *, Scan &);
ScanResult scan_float(PyObject *, Scan &);
ScanResult scan_complex(PyObject *, Scan &);
ScanResult scan_numpy_scalar(PyObject *, Scan &);
ScanResult scan_memory_item(PyObject *, Scan &);
ScanResult scan_string(PyObject *, Scan &);
ScanResult scan_bytes(PyObject *, Scan &);
ScanResult scan_tuple(PyObject *, Scan &);
ScanResult scan_list(PyObject *, Scan &);
ScanResult scan_set(PyObject *, Scan &);
ScanResult scan_dict(PyObject *, Scan &);
ScanResult scan_typed(PyObject *, Scan &);
ScanResult scan_any_array(PyObject *, Scan &);
ScanResult scan_memory(PyObject *, Scan &);
ScanResult scan_range(PyObject *, Scan &);
ScanResult scan_slice(PyObject *, Scan &);
ScanResult scan_ellipsis(PyObject *, Scan &);
ScanResult scan_generator(PyObject *, Scan &);
ScanResult scan_user_object(PyObject *, Scan &);

} // namespace numjit
