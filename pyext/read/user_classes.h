// The user's own classes as the compiler sees them: enumerations, dataclasses, jitclasses. All of
// this needs the GIL.
#pragma once

#include "pyext/python.h"
#include "typeinfer/types/types.h"

#include <string>
#include <vector>

namespace numjit {

/// Whether a class is an enumeration, a dataclass, a class made by @jitclass; or a class that the
/// library knows: one whose objects are values made of some attributes, or numpy.random.Generator;
/// or one whose objects have the type that a function of the user's says (typeof_impl).
enum class UserClass : uint8_t { None, Enum, DataClass, JitClass, Value, RandomGenerator, Typed };
UserClass user_class(PyTypeObject *cls);
/// Makes a class one of those whose objects' types numjit.compat.native_types knows.
void register_typed_class(PyTypeObject *cls);

/// Makes the objects of a class values made of some attributes, with which it is called to make
/// one. Each has the type `item`, unless that is null.
/// A field of an object that is a value made of its fields. `_items` of an object of `collections`
/// is a new list or dict of its items.
Ref field_of(PyObject *object, const char *name);
/// Whether a field is such a copy.
bool is_copied_field(const char *name);
/// Makes an object of `collections` have the items of the list or dict, which `_items` gave; false
/// with an exception set.
bool set_items(PyObject *object, PyObject *items);
/// `item`: type_of_value_fields(); `maker`: what makes objects of it; both may be null.
void register_value_class(std::string name, std::vector<std::string> fields, const Type *item,
                          PyObject *maker);
/// An object of such a class, of a tuple of its fields; null with an exception set.
Ref made_value(PyObject *cls, PyObject *fields);
/// How often classes were registered: stored results for others may be invalid when it changes.
extern unsigned user_class_changes;

/// Fills the row of such a class, and of a member of an enumeration.
void describe_user_class(Object &row, PyObject *cls, UserClass kind);
void describe_enum_member(Object &row, PyObject *member);
/// What a class defines besides its fields: `members`.
void describe_members(Object &row, PyObject *cls);

/// The type that all fields of a class of such values have; nullptr: any.
const Type *type_of_value_fields(PyTypeObject *cls);

/// Of a plain class of the program's: what stands for its instances (plain_classes.py).
void describe_plain_class(Object &row, PyObject *cls);

/// Fills what is known of a class of NumPy or of the standard library.
void describe_value_class(Object &row, PyObject *cls);

/// The Struct behind an Instance; nullptr with an exception set.
const Type *structure_of(const Type *type);

} // namespace numjit
