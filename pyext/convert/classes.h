// Values of the user's own classes (read/user_classes.h): their types, words, slots and objects.
// All of this needs the GIL.
#pragma once

#include "frontend/constant.h"
#include "pyext/convert/fingerprint.h"
#include "pyext/convert/typeof.h"
#include "pyext/python.h"
#include "pyext/read/user_classes.h"

namespace numjit {

class PythonView;
class Unboxer;

/// Whether Python objects of another class stand for the values of a Struct, whose own class
/// converts them: `_numjit_of_python_`, `_numjit_to_python_`.
bool is_converted(const Type *type);

/// The type of an instance, of which `kind` is that of its class.
TypeOf type_of_instance(PyObject *object, UserClass kind);
/// Of an instance of a plain class of the program's: its attributes that have a type are fields of
/// a class of these names (plain_classes.py). No type if there are none.
TypeOf type_of_plain_object(PyObject *object);
ScanResult scan_instance(PyObject *object, UserClass kind, Scan &scan);

bool unbox_enum(PyObject *object, const Type *type, uint64_t *&slots);
PyObject *box_enum(const Type *type, const uint64_t *&slots);
PyObject *box_struct(const Type *type, const uint64_t *&slots);
/// A numpy.random.Generator: the address of its bitgen_t, the struct of C functions that NumPy's
/// own distributions draw from, and the object, which keeps it alive.
bool is_random_generator(const Type *type);
bool unbox_random_generator(PyObject *object, uint64_t *&slots);
PyObject *box_instance(const Type *type, const uint64_t *&slots);
/// box() of what may hold instances: one that is met twice, or holds itself, becomes one object.
PyObject *box_with_instances(const Type *type, const uint64_t *&slots);
/// Whether values of a type may hold instances that Python gets copies of.
bool may_hold_instances(const Type *type);

/// A new block for a dataclass, filled from the attributes of an object; null with an exception.
void *instance_from_python(PyObject *object, const Type *type, Unboxer &unboxer);
/// Makes the block hold the attributes of the object; false with an exception set.
bool update_instance(void *block, const Type *type, PyObject *object, const PythonView &view);
/// Writes the fields that differ from `before` to the attributes of an object.
bool write_instance(void *block, const Type *type, const std::vector<char> &before,
                    PyObject *object);
std::vector<char> instance_memory(void *block, const Type *type);

/// Instances of jitclasses are objects of this type: it holds the block.
bool init_instance(PyObject *module);
void *instance_block(PyObject *object);
const Type *instance_type(PyObject *object);

} // namespace numjit
