// Python values that are known before compilation starts: literals, globals, closure cells,
// attributes of modules. They are read with the GIL held; afterwards the compiler only sees these
// rows.
#pragma once

#include "frontend/operators.h"
#include "frontend/position.h"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace numjit {

struct Const;
struct FunctionDef;

/// What kind of Python object an `Object` stands for. Everything that inference may ask of it is in
/// the row: no Python code runs after the object was read.
enum class ObjectKind : uint8_t {
  Module,   ///< attributes are resolved by the Environment while SSA is built
  Function, ///< Python function, closure or numjit dispatcher: `function` is set
  Builtin,  ///< known to the compiler by `name`, e.g. "numpy.add", "math.sin", "builtins.len"
  Class,    ///< a class that constructs or converts: `name` is e.g. "builtins.float", "numpy.int32"
  ExceptionClass,  ///< subclass of BaseException
  NamedTupleClass, ///< `fields` holds the names
  EnumClass,       ///< `members` are its members, aliases included; `is_int`: IntEnum, IntFlag
  EnumMember, ///< `parent` is the class, `number` its place among the members, `value` its value
  DataClass,  ///< `fields` and their defaults; `members` what else the class defines
  JitClass,   ///< the same, with one type: the Struct in `type`
  Record,     ///< a NumPy record: its Record type in `type`, its memory at `data`
  Array,      ///< global or closed-over ndarray or device array: `array` is set
  DType,      ///< numpy dtype instance; `name` is e.g. "float64"
  Type,       ///< a numjit type object (numjit.float64, types.Array(...)): `type` is set
  Code,       ///< code of an inner function (operand of MakeFunction): `function` is set
  Opaque      ///< anything else; `name` is its Python type's name
};

/// Memory of a global array, kept alive by its Object.
struct ArrayData {
  std::string dtype; ///< numjit type name of an element, "float64"; empty if not supported
  std::vector<int64_t> shape, strides; ///< strides in bytes
  void *data = nullptr;
  char layout = 'A'; ///< 'C', 'F' or 'A'
  bool unaligned = false;
  bool on_device = false; ///< in the memory of a GPU: `data` is an address there
};

/// A Python object that isn't plain data; one row per object identity.
struct Object {
  ObjectKind kind = ObjectKind::Opaque;
  void *handle = nullptr; ///< the PyObject*, owned by the maker of the row (pyext)
  std::string name;       ///< qualified name, for look-up (Builtin, Class, DType) and for messages
  FunctionDef *function = nullptr;
  const void *type = nullptr;      ///< numjit::Type of Type, Record; what a DType, an Array holds
  std::vector<std::string> fields; ///< NamedTupleClass
  std::vector<const Const *> field_defaults; ///< ... of the last fields
  std::unique_ptr<ArrayData> array;
  void *data = nullptr;
  /// What a class defines: methods, properties, constants, members of an enumeration, by name.
  std::vector<std::pair<std::string, const Const *>> members;
  const Object *parent = nullptr;
  const Const *value = nullptr; ///< EnumMember; Opaque: the items of a tuple like sys.version_info
  int64_t number = 0;
  bool is_int = false;                    ///< EnumClass
  bool is_flag = false;                   ///< EnumClass: unions of members are values, too
  bool has_eq = false, has_order = false; ///< DataClass: compares by its fields
  bool is_frozen = false; ///< DataClass: instances do not change, and are passed by value

  /// The name without the module.
  std::string short_name() const { return name.substr(name.rfind('.') + 1); }
  const Const *member(std::string_view wanted) const {
    for (auto &[name, item] : members)
      if (name == wanted)
        return item;
    return nullptr;
  }
};

enum class ConstKind : uint8_t {
  None,
  Ellipsis,
  Bool,
  Int,
  Float,
  Complex,
  Str,
  Bytes,
  Tuple,
  Slice,
  Object
};

/// A constant. Interned: equal constants are the same pointer (floats compare by bits, 1, 1.0 and
/// True are different constants).
struct Const {
  ConstKind kind = ConstKind::None;
  bool big = false;         ///< Int that fits neither int64 nor uint64; `text` has its digits
  bool is_unsigned = false; ///< Int above INT64_MAX: `integer` holds the bits of a uint64
  std::string scalar;  ///< NumPy scalar: its numjit type name ("int32"); empty for a Python value
  int64_t integer = 0; ///< Int, Bool
  double real = 0, imag = 0;        ///< Float, Complex
  std::string text;                 ///< Str (UTF-8), Bytes
  std::vector<const Const *> items; ///< Tuple; Slice: start, stop, step; frozen dataclass: fields
  const Object *object = nullptr;

  bool is_none() const { return kind == ConstKind::None; }
  /// Also a named tuple, but no value of another class, which is made of its fields.
  bool is_tuple() const {
    return kind == ConstKind::Tuple && (!object || object->kind == ObjectKind::NamedTupleClass);
  }
  bool is_object(ObjectKind k) const { return kind == ConstKind::Object && object->kind == k; }
};

/// The interned constants of the process. Thread-safe; rows live as long as the process.
namespace constants {
const Const *intern(Const value);
const Const *none();
const Const *ellipsis();
const Const *boolean(bool value);
const Const *integer(int64_t value);
const Const *floating(double value);
const Const *string(std::string text);
/// A number as a NumPy scalar of the type with that name.
const Const *typed(Const number, std::string type);
const Const *tuple(std::vector<const Const *> items);
const Const *object(const Object *object);
/// A function that the compiler knows by its name, whether or not Python has it.
const Const *builtin(const std::string &name);
} // namespace constants

/// The text of Python's repr (of objects: their name). For messages and dumps.
std::string to_string(const Const &value);

} // namespace numjit
