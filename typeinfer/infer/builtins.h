// What the compiler knows by name: builtins of Python, NumPy functions that Python code cannot
// express, and the intrinsics from which the library is written. Each file of rules has a
// table of rows; builtins.cpp joins them.
#pragma once

#include "typeinfer/infer/emitter.h"
#include "typeinfer/types/struct_classes.h"

#include <string>
#include <string_view>
#include <vector>

namespace numjit {

struct CallArguments {
  Operands positional;
  std::vector<std::pair<std::string, Operand>> keywords;
  Operand rest = {}; ///< more positional ones for *args, as a tuple whose length is not known
};

/// One builtin function. `parameters` names what keywords may bind, e.g. "shape dtype? order?"; a
/// trailing "*" takes any number of positional arguments. Missing optional ones arrive without
/// type.
struct Builtin {
  std::string_view name;
  std::string_view parameters;
  Operand (*rule)(Emitter &e, Operands &arguments);
  bool takes_lazy = false; ///< unevaluated array expressions may be passed
};

/// An attribute of a kind of type: `kind` is "Array", "Complex", ...
struct BuiltinAttribute {
  std::string_view kind, name;
  Operand (*rule)(Emitter &e, const Operand &self);
};

const Builtin *find_builtin(std::string_view name);
const BuiltinAttribute *find_attribute(std::string_view kind, std::string_view name);
/// Qualified names of all builtins and scalar operations that are Python objects ("math.sin",
/// "numpy.add", "builtins.len"), for the identity table of pyext.
std::vector<std::string> builtin_names();
std::vector<std::string> attribute_names(std::string_view kind);

/// np.ndindex, np.ndenumerate, np.nditer: a Method type around a shape or an array.
bool is_walk(const Type *type);

/// "Array", "List", "Tuple", "Int", ...: under what name attributes and methods of a type are
/// registered.
std::string_view kind_name(const Type *type);
/// The class that values of a type have in Python; null where there is none.
const Const *class_of(Emitter &e, const Type *type);

using BuiltinTable = std::span<const Builtin>;
using AttributeTable = std::span<const BuiltinAttribute>;
// Each file of rules exports its table; builtins.cpp joins them.
BuiltinTable core_builtins();
BuiltinTable array_builtins();
BuiltinTable list_builtins();
BuiltinTable string_builtins();
BuiltinTable text_builtins();
BuiltinTable table_builtins();
BuiltinTable range_builtins();
BuiltinTable iteration_builtins();
BuiltinTable expression_builtins();
BuiltinTable elementwise_builtins();
BuiltinTable runtime_builtins();
BuiltinTable foreign_builtins();
BuiltinTable ufunc_builtins();
BuiltinTable parallel_builtins();
BuiltinTable device_builtins();
BuiltinTable exception_builtins();
BuiltinTable generator_builtins();
BuiltinTable pattern_builtins();
AttributeTable array_attributes();
AttributeTable scalar_attributes();
AttributeTable dtype_attributes();
AttributeTable flag_attributes();
AttributeTable foreign_attributes();
BuiltinTable time_builtins();
BuiltinTable class_builtins();
BuiltinTable plain_class_builtins();

/// The value that a name stands for, such as cuda.laneid: what the library has for
/// LibraryUse::Value. No type if it is no such name.
Operand named_value(Emitter &e, const Const *constant);
/// print() in a kernel on a GPU.
Operand print_on_device(Emitter &e, std::span<const Operand> arguments);
/// The items of an array, of so many bytes each, without gaps, for as long as it lives.
const void *contiguous_items(const ArrayData &array, int64_t size);

// --- rules that Python syntax uses directly ---
Operand rule_operator(Emitter &e, Operator oper, const Operand &a, const Operand &b, bool inplace);
Operand rule_unary(Emitter &e, Operator oper, const Operand &a);
Operand rule_getattr(Emitter &e, const Operand &object, const std::string &name);
void rule_setattr(Emitter &e, const Operand &object, const std::string &name, const Operand &value);
Operand rule_getitem(Emitter &e, const Operand &object, const Operand &index);
/// Whether an index needs NumPy's advanced indexing: masks and arrays or lists of integers.
bool is_advanced(Emitter &e, const Operand &index);
void rule_setitem(Emitter &e, const Operand &object, const Operand &index, const Operand &value);
void rule_delitem(Emitter &e, const Operand &object, const Operand &index);
Operand rule_call(Emitter &e, const Operand &callee, CallArguments arguments);
/// `raise exception from cause`, `raise exception`, `raise`.
void rule_raise(Emitter &e, const Operands &operands);
/// An attribute of a caught exception that has a type; a TypeError at run time if it is another.
Operand rule_caught_attribute(Emitter &e, const Operand &exception, const std::string &name,
                              const Type *type);
/// The type of what __init__ gives an exception of a program's class, or the class has; null if
/// there is nothing of that name. Of no use where code is emitted.
const Type *type_of_exceptions_attribute(Emitter &e, const Type *exception,
                                         const std::string &name);
/// Whether a caught exception is an instance of a class or one of a tuple of classes.
Operand rule_is_caught(Emitter &e, const Operand &exception, const Operand &classes);
Operand rule_iter(Emitter &e, const Operand &object);
/// What `next` returns: whether there is an item, the item, the state afterwards. If an item may
/// only be read where it exists, there is `read` instead, which makes the code at the place of use.
struct NextResult {
  Operand valid, item, state;
  std::function<Operand()> read;
  std::function<Operand()> returned = {}; ///< of generators: what they returned, at their end
};
NextResult rule_next(Emitter &e, const Operand &state);
/// The same for `yield from`, which sends to a generator what it is sent.
NextResult rule_send(Emitter &e, const Operand &state, const Operand &sent);
/// Number of items if the loop over this iterator must be unrolled (items of different types), else
/// -1. With `short_tuples`, loops over tuples of at most kShortTuple items of one type are, too.
int rule_unroll_count(const Type *iterator, bool short_tuples = false);
/// Whether an iterator's type says how many items there are.
bool has_known_length(const Type *iterator);
constexpr size_t kShortTuple = 16;
Operand rule_unrolled_item(Emitter &e, const Operand &iterator, int index);
Operand rule_slice(Emitter &e, const Operand &start, const Operand &stop, const Operand &step);
Operand rule_unpack(Emitter &e, const Operand &object, int count, int star, int item);
/// Whether loops run over values of a type; of libraries' kinds, where the rule is their own.
bool is_iterable(Emitter &e, const Type *type);
/// The list of the items where they are not read by number, else None.
Operand rule_unpack_check(Emitter &e, const Operand &object, int count, int star);
Operand rule_list(Emitter &e, std::span<const Operand> items);
/// A new list, set or dict of the type with these items (of a dict: key, value, key, value, ...).
Operand rule_container(Emitter &e, const Type *type, std::span<const Operand> items);
/// "keys", "values" or "items" of a LiteralDict, as a tuple.
Operand literal_dict_part(Emitter &e, const Operand &dict, std::string_view part);

/// The scalar type that a dtype argument means: np.float64, float, "f8", a.dtype, numjit.float64;
/// nullptr if none.
const Type *scalar_of_dtype(const Operand &a);
/// The same for whatever arrays hold: records, datetime64.
const Type *item_of_dtype(const Operand &a);
/// The same, and of fields: [("id", np.int32), ("value", "f8")], "i4,f8".
const Type *item_of_dtype(Emitter &e, const Operand &a);

// --- values with classes (classes.cpp)
/// An attribute of a member of an enumeration, a dataclass or a jitclass; no type if there is none.
Operand class_attribute(Emitter &e, const Operand &object, const std::string &name);
/// Of a field that may have no value whether it has one; nothing for other attributes.
Operand field_is_set(Emitter &e, const Operand &object, const std::string &name);
/// Assigns an attribute; false if the object has no such class.
bool set_class_attribute(Emitter &e, const Operand &object, const std::string &name,
                         const Operand &value);
/// A display whose items have no common type, which does not change.
inline bool is_literal_container(const Type *type) {
  return type->kind == Kind::LiteralList || type->kind == Kind::LiteralDict;
}
[[noreturn]] void refuse_mutation(Emitter &e, const Type *type);
/// x.__str__() and the like, of the user's class or by overload_method; false if there is none.
bool call_special_method(Emitter &e, const Operand &object, const std::string &name,
                         Operand &result);
/// What the class of an object defines under a name; null for other types.
const Const *class_member(const Type *type, const std::string &name);
/// The library's function that is a method of a class that it knows; empty if there is none.
std::string library_method(Emitter &e, const Type *type, const std::string &name);
/// Whether an object is an iterator of the program's: its class has a __next__.
bool is_own_iterator(const Type *type);
/// Calls a method that the object's class defines, such as `__add__`; false if there is none.
bool call_class_method(Emitter &e, const Operand &object, const std::string &name,
                       CallArguments arguments, Operand &result);
/// Makes a member, a dataclass or a jitclass; false if `cls` is no such class.
bool call_user_class(Emitter &e, const Const *cls, CallArguments &arguments, Operand &result);
/// What an operator means for dataclasses, jitclasses and enumerations; false if nothing.
bool class_operator(Emitter &e, Operator oper, const Operand &a, const Operand &b, bool inplace,
                    Operand &result);
/// Color['RED']; the members of Color as a tuple.
Operand enum_member_named(Emitter &e, const Const *cls, const Operand &name);
Operand enum_members(Emitter &e, const Const *cls);
/// p._replace(...), dataclasses.replace(p, ...).
Operand call_replace(Emitter &e, CallArguments arguments);
/// np.datetime64(...), np.timedelta64(...).
Operand make_time(Emitter &e, Kind kind, const Operands &arguments);
Operand time_constant(Emitter &e, const Type *type, int64_t value);

// --- strings, used by several files ---
/// The string with this UTF-8 as a value of type unicode_type.
Operand literal_text(Emitter &e, std::string_view utf8);
Operand join_texts(Emitter &e, std::span<const Operand> pieces);
/// What {x!r:spec} is in an f-string; the conversions are numbered as in CPython.
enum class TextConversion { None, Str, Repr, Ascii };
Operand format_value(Emitter &e, Operand x, TextConversion conversion, const Operand &spec);
/// The error of `format` or `%` whose text is an argument.
inline constexpr const char *known_text_hint =
    "the text must be known at compile time, as that of an f-string is: f\"{x} {y:.3f}\"";
/// "...".format(...), the text first among the arguments; "..." % values (format_strings.cpp).
Operand call_format(Emitter &e, const CallArguments &arguments);
Operand percent_format(Emitter &e, const Operand &text, const Operand &values);
/// The character or byte at an index that is in range.
Operand text_item(Emitter &e, const Operand &text, const Operand &index);
/// An item of an array of dtype S or U as bytes or a string of its own, and back.
Operand read_char_seq(Emitter &e, const Operand &pointer);
void write_char_seq(Emitter &e, const Operand &pointer, const Operand &value);
bool fits_char_seq(const Type *value, const Type *item);
/// ==, in and the like between strings, of which one or both may be known at compile time.
Operand text_operator(Emitter &e, Operator oper, const Operand &a, const Operand &b);

// --- arrays, used by several files ---
bool holds_time(const Type *type); ///< datetime64, timedelta64, or an array of them
inline bool is_arraylike(const Type *type) { return type->is_array() || type->kind == Kind::Lazy; }
/// A dict whose keys are part of its type.
Operand literal_dict(Emitter &e, std::vector<std::string> names, const Operands &values);
/// Refuses to compile what would change a global list, dict or set.
void check_changeable(Emitter &e, const Operand &container);
/// A defaultdict, Counter or OrderedDict that left its function: an object around a dict.
inline bool is_dict_object(const Type *type) {
  return struct_class(type).starts_with("collections.") && type->params.back()->kind == Kind::Dict;
}
/// A deque that left its function: an object around a list, its first field.
inline bool is_deque_object(const Type *type) { return struct_class(type) == "collections.deque"; }
/// The list in such a deque; other operands pass.
inline Operand without_object(Emitter &e, const Operand &a) {
  return is_deque_object(a.type) ? e.field(a, 0) : a;
}
/// Of dtype U or S.
inline bool is_text_array(const Type *type) {
  return type->is_array() && type->dtype()->kind == Kind::CharSeq;
}
/// A value as one of a union, or a function as one of a choice, of which its type, or each that it
/// may be, is a member (unions.cpp).
Operand as_one_of(Emitter &e, const Operand &a, const Type *to);
/// What a union of tuples holds, as a tuple whose length is known at run time; others as they are.
Operand as_one_tuple(Emitter &e, const Operand &united);
/// A union of tuples of one length as a tuple, whose items may be unions; others as they are.
Operand as_tuple_of_unions(Emitter &e, const Operand &given);

Operand force(Emitter &e, const Operand &a); ///< evaluates a Lazy, other operands pass
Operand array_shape(Emitter &e, const Operand &array, int axis);
Operand array_stride(Emitter &e, const Operand &array, int axis);
Operand array_shape_tuple(Emitter &e, const Operand &array);
Operand make_array(Emitter &e, const Type *type, const Operand &data, const Operand &owner,
                   std::span<const Operand> shape, std::span<const Operand> strides);
/// The element of an array at a pointer: a number is loaded, a record refers to the array's memory.
Operand array_item(Emitter &e, const Operand &array, const Operand &pointer);
void set_array_item(Emitter &e, const Operand &array, const Operand &pointer, const Operand &value);
/// Fields of records, by number; of an array of records as an array.
int record_field_index(Emitter &e, const Type *record, const Operand &name);
Operand record_field(Emitter &e, const Operand &record, int index);
void set_record_field(Emitter &e, const Operand &record, int index, const Operand &value);
Operand array_field(Emitter &e, const Operand &array, int index);
/// Element-wise row over arrays, lazies and scalars; a scalar if no operand has dimensions.
Operand elementwise(Emitter &e, const scalar::Row &row, std::span<const Operand> operands,
                    bool is_operator = false);
/// The element of an expression without dimensions, which NumPy's operations return; any other one
/// as it is.
Operand as_item(Emitter &e, const Operand &lazy);
/// A scalar or the elements of an array, cast; unevaluated.
Operand convert_elements(Emitter &e, const Operand &a, const Type *to);
/// np.can_cast(from, to, casting).
bool can_cast(const Type *from, const Type *to, std::string_view casting);
Operand lazy_shape(Emitter &e, const Operand &lazy);
/// A slice applied to a length as Python does it: first index, step, number of items.
struct Extent {
  Operand start, step, count;
};
Extent slice_extent(Emitter &e, const Operand &slice, const Operand &length);
/// start, stop or step of a slice; None where the slice has none.
Operand slice_part(Emitter &e, const Operand &slice, int part);
Operand list_length(Emitter &e, const Operand &list);
Operand list_item_pointer(Emitter &e, const Operand &list, const Operand &index);
/// A value as item of a container: converted to its type of items, refused where it does not fit.
Operand as_item(Emitter &e, const Type *item, const Operand &container, const Operand &value);
/// The type of a value that is put into a container.
const Type *item_type_of(const Type *value);
Operand new_list(Emitter &e, const Type *list, const Operand &length);
/// The type that an argument names: numjit.float64, np.int32, float, types.ListType(...).
const Type *named_type(Emitter &e, const Operand &a);

// --- dicts and sets (tables.cpp) ---
Operand new_table(Emitter &e, const Type *type);
inline bool is_table(const Type *type) { return type->kind == Kind::Dict || type->is_set(); }

} // namespace numjit
