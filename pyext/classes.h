// Values of the user's own classes: enumerations, dataclasses, jitclasses. All of this needs the
// GIL.
#pragma once

#include "frontend/constant.h"
#include "pyext/fingerprint.h"
#include "pyext/python.h"
#include "pyext/typeof.h"

namespace numjit {

class PythonView;
class Unboxer;

/// Whether a class is an enumeration, a dataclass, a class made by @jitclass; or a class of NumPy:
/// one whose objects are values made of some attributes, or numpy.random.Generator; or one whose
/// objects have the type that a function of the user's says (typeof_impl).
enum class UserClass : uint8_t { None, Enum, DataClass, JitClass, Value, RandomGenerator, Typed };
UserClass user_class(PyTypeObject *cls);
/// Makes a class one of those whose objects' types numjit.native_types knows.
void register_typed_class(PyTypeObject *cls);

/// Whether Python objects of another class stand for the values of a Struct, whose own class
/// converts them: `_numjit_of_python_`, `_numjit_to_python_`.
bool is_converted(const Type *type);

/// Fills the row of such a class, and of a member of an enumeration.
void describe_user_class(Object &row, PyObject *cls, UserClass kind);
void describe_enum_member(Object &row, PyObject *member);
/// What a class defines besides its fields: `members`.
void describe_members(Object &row, PyObject *cls);

/// Fills what is known of a class of NumPy.
void describe_value_class(Object &row, PyObject *cls);

/// The type of an instance, of which `kind` is that of its class.
TypeOf type_of_instance(PyObject *object, UserClass kind);
ScanResult scan_instance(PyObject *object, UserClass kind, Scan &scan);

bool unbox_enum(PyObject *object, const Type *type, uint64_t *&slots);
PyObject *box_enum(const Type *type, const uint64_t *&slots);
PyObject *box_struct(const Type *type, const uint64_t *&slots);
/// A numpy.random.Generator: the address of its bitgen_t, the struct of C functions that NumPy's
/// own distributions draw from, and the object, which keeps it alive.
bool is_random_generator(const Type *type);
bool unbox_random_generator(PyObject *object, uint64_t *&slots);
PyObject *box_instance(const Type *type, const uint64_t *&slots);

/// The Struct behind an Instance; nullptr with an exception set.
const Type *structure_of(const Type *type);

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
