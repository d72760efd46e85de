// Builtins of Python that are rules of the compiler: conversions, len, isinstance, print, type.
#include "runtime/runtime.h"
#include "typeinfer/infer/big_ints.h"
#include "typeinfer/infer/engine.h"
#include "typeinfer/infer/unify.h"
#include "typeinfer/rules/lookup.h"
#include "typeinfer/rules/plain_classes.h"
#include "typeinfer/rules/type_values.h"
#include "typeinfer/types/ranges.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <map>
#include <mutex>

namespace numjit {

namespace {

Operand len(Emitter &e, Operands &a) {
  Operand x = e.unwrap(a[0]);
  if (Operand length; call_class_method(e, x, "__len__", {}, length))
    return length;
  if (x.type->kind == Kind::Function && x.type->constant->is_object(ObjectKind::EnumClass))
    return e.i64(static_cast<int64_t>(enum_members(e, x.type->constant).type->params.size()));
  if (x.type->is_tuple() || x.type->kind == Kind::Record || x.type->kind == Kind::LiteralDict)
    return e.i64(static_cast<int64_t>(x.type->params.size()));
  if (x.type->kind == Kind::List)
    return list_length(e, x);
  if (x.type->is_array()) {
    if (x.type->ndim == 0)
      e.fail("len() of a 0-dimensional array");
    return array_shape(e, x, 0);
  }
  if (x.type->kind == Kind::String)
    return e.i64(static_cast<int64_t>(std::count_if(x.type->constant->text.begin(),
                                                    x.type->constant->text.end(),
                                                    [](char c) { return (c & 0xC0) != 0x80; })));
  if (x.type->kind == Kind::Range && types::is_beyond(x.type))
    return e.library("numjit.len_beyond", {x});
  if (x.type->kind == Kind::Unicode || x.type->kind == Kind::Bytes)
    return e.nonneg(e.field(x, 2));
  if (const std::string method = std::string(kind_name(x.type)) + ".__len__";
      e.engine.host.library(method))
    return e.library(method, {x});
  e.fail("No implementation of function len for (" + x.type->text + ")");
}

/// What the first of these methods returns that an object's class has; no type if it has none.
Operand converted_by(Emitter &e, const Operand &x, std::initializer_list<const char *> methods) {
  Operand made;
  for (const char *method : methods)
    if (call_class_method(e, x, method, {}, made))
      return e.unwrap(made);
  return {};
}

Operand to_int(Emitter &e, Operands &a) {
  if (!a[0])
    return e.i64(0);
  Operand x = e.unwrap(a[0]);
  if (Operand made = converted_by(e, x, {"__int__", "__index__", "__trunc__"}))
    return made;
  if (a[1] && !x.type->is_text())
    e.fail("int() can't convert non-string with explicit base: it is given " + x.type->text);
  if (x.type->is_float() || x.type->is_bool())
    return e.cast(x, types::int64());
  if (x.type->is_integer() || is_big_int(x))
    return x;
  if (x.type->kind == Kind::Datetime && time_unit_name(x.type->numbers[0]) != "ns")
    e.fail("Only datetime64[ns] can be converted, but got " + x.type->text);
  if (x.type->is_time())
    return e.field(x, 0);
  if (x.type->is_array() && x.type->ndim == 0) {
    Operands item{e.library("Array.item", {x}), {}};
    return to_int(e, item);
  }
  if (x.type->is_text())
    return e.library("String.__int__", {x, a[1] ? e.unwrap(a[1]) : e.i64(10)});
  e.fail("int() of " + x.type->text + " is not possible in compiled code");
}

Operand to_float(Emitter &e, Operands &a) {
  if (!a[0])
    return e.f64(0);
  Operand x = e.unwrap(a[0]);
  if (Operand made = converted_by(e, x, {"__float__", "__index__"}))
    return made.type->is_integer() ? e.cast(made, types::float64()) : made;
  if (x.type->is_number() && !x.type->is_complex())
    return e.cast(x, x.type->is_float() ? x.type : types::float64());
  if (x.type->is_array() && x.type->ndim == 0) {
    Operands item{e.library("Array.item", {x})};
    return to_float(e, item);
  }
  if (x.type->is_text()) { // float("nan") is a number also where there is no runtime
    const std::string text = x.type->constant ? x.type->constant->text : "";
    char *end = nullptr;
    const double number = std::strtod(text.c_str(), &end);
    if (!text.empty() && !*end && text.find_first_of("xX(\t\n\v\f\r ") == text.npos)
      return e.f64(number);
    return e.library("String.__float__", {x});
  }
  e.fail("float() of " + x.type->text + " is not possible in compiled code");
}

Operand to_complex(Emitter &e, Operands &a) {
  const Type *c128 = types::scalar(ScalarId::Complex128), *c64 = types::scalar(ScalarId::Complex64);
  if (!a[0])
    return e.cast(e.f64(0), c128);
  Operand re = e.unwrap(a[0]);
  if (Operand made = converted_by(e, re, {"__complex__", "__float__", "__index__"})) {
    if (!a[1] && made.type->is_complex())
      return made;
    re = made;
  }
  if (re.type->is_text() && !a[1])
    return e.library("String.__complex__", {re});
  if (re.type->is_array() && re.type->ndim == 0)
    re = e.library("Array.item", {re});
  if (!re.type->is_number())
    e.fail("complex() of " + re.type->text + " is not possible in compiled code");
  auto small = [](const Operand &x) {
    return x.type->is(ScalarId::Float32) || x.type->is(ScalarId::Complex64);
  };
  if (!a[1])
    return e.cast(re, small(re) ? c64 : c128);
  Operand im = e.unwrap(a[1]);
  if (re.type->is_complex() || im.type->is_complex()) {
    Const unit;
    unit.kind = ConstKind::Complex;
    unit.imag = 1;
    Operand j = e.constant(constants::intern(unit));
    return e.add(e.cast(re, c128), e.mul(im, j));
  }
  const bool is_small = small(re) && small(im);
  const Type *part = is_small ? types::scalar(ScalarId::Float32) : types::float64();
  return e.make_complex(is_small ? c64 : c128, e.cast(re, part), e.cast(im, part));
}

Operand to_bool(Emitter &e, Operands &a) { return a[0] ? e.truth(a[0]) : e.boolean(false); }

Operand to_slice(Emitter &e, Operands &a) {
  if (!a[1]) // slice(stop)
    return rule_slice(e, e.none(), a[0], e.none());
  return rule_slice(e, a[0], a[1], a[2] ? a[2] : e.none());
}

Operand to_tuple(Emitter &e, Operands &a) {
  if (!a[0])
    return e.tuple({});
  if (a[0].type->is_tuple()) {
    Operands items;
    for (size_t i = 0; i < a[0].type->params.size(); ++i)
      items.push_back(e.field(a[0], static_cast<int>(i)));
    return e.tuple(items);
  }
  return is_run_time_tuple(a[0].type) ? a[0] : e.library("numjit.tuple_of", {a[0]});
}

namespace {

/// The classes of Python, NumPy and numjit.types that are known by name, and whether values of a
/// type are of them.
struct ClassTest {
  std::string_view name;
  bool (*holds)(const Type *);
};
constexpr auto is_integer = [](const Type *t) { return t->is_integer(); };
constexpr auto is_floating = [](const Type *t) { return t->is_float(); };
constexpr auto is_complex = [](const Type *t) { return t->is_complex(); };
constexpr auto is_array = [](const Type *t) { return t->is_array() || t->kind == Kind::Lazy; };
constexpr auto is_tuple = [](const Type *t) {
  return (t->is_tuple() && t->kind != Kind::LiteralList) || is_run_time_tuple(t);
};
constexpr auto is_dict = [](const Type *t) {
  return t->kind == Kind::Dict || t->kind == Kind::LiteralDict || is_dict_object(t);
};
constexpr auto is_set = [](const Type *t) { return t->kind == Kind::Set; };
const ClassTest class_tests[] = {
    {"builtins.int",
     [](const Type *t) {
       return t->is_integer() || t->is_bool() || t->kind == Kind::BigInt ||
              (t->kind == Kind::Enum && t->unit);
     }},
    {"builtins.float", is_floating},
    {"builtins.complex", is_complex},
    {"builtins.bool", [](const Type *t) { return t->is_bool(); }},
    {"builtins.str", [](const Type *t) { return t->is_text(); }},
    {"builtins.bytes", [](const Type *t) { return t->kind == Kind::Bytes && t->readonly; }},
    {"builtins.bytearray", [](const Type *t) { return t->kind == Kind::Bytes && !t->readonly; }},
    {"builtins.tuple", is_tuple},
    {"builtins.list",
     [](const Type *t) { return t->kind == Kind::List || t->kind == Kind::LiteralList; }},
    {"numjit.typed.List", [](const Type *t) { return t->kind == Kind::List && t->typed; }},
    {"builtins.dict", is_dict},
    {"numjit.typed.Dict", is_dict},
    {"builtins.set", is_set},
    {"builtins.frozenset", [](const Type *t) { return t->kind == Kind::FrozenSet; }},
    {"numjit.types.FrozenSet", [](const Type *t) { return t->kind == Kind::FrozenSet; }},
    {"builtins.slice", [](const Type *t) { return t->kind == Kind::Slice; }},
    {"builtins.range", [](const Type *t) { return t->kind == Kind::Range; }},
    {"builtins.object", [](const Type *) { return true; }},
    {"builtins.NoneType", [](const Type *t) { return t->kind == Kind::None; }},
    {"numpy.ndarray", is_array},
    {"numpy.generic", [](const Type *t) { return t->is_scalar(); }},
    {"numpy.number", [](const Type *t) { return t->is_scalar() && !t->is_bool(); }},
    {"numpy.integer", is_integer},
    {"numpy.signedinteger", [](const Type *t) { return t->is_signed(); }},
    {"numpy.unsignedinteger", [](const Type *t) { return t->is_unsigned(); }},
    {"numpy.floating", is_floating},
    {"numpy.inexact", [](const Type *t) { return t->is_float() || t->is_complex(); }},
    {"numpy.complexfloating", is_complex},
    {"numjit.types.Integer", is_integer},
    {"numjit.types.Float", is_floating},
    {"numjit.types.Complex", is_complex},
    {"numjit.types.Boolean", [](const Type *t) { return t->is_bool(); }},
    {"numjit.types.Number", [](const Type *t) { return t->is_scalar() && !t->is_bool(); }},
    {"numjit.types.Array", is_array},
    {"numjit.types.BaseTuple", is_tuple},
    {"numjit.types.LiteralList", [](const Type *t) { return t->kind == Kind::LiteralList; }},
    {"numjit.types.LiteralStrKeyDict", [](const Type *t) { return t->kind == Kind::LiteralDict; }},
    {"numjit.types.Tuple",
     [](const Type *t) { return t->kind == Kind::Tuple && !t->is_homogeneous(); }},
    {"numjit.types.UniTuple",
     [](const Type *t) { return t->kind == Kind::Tuple && t->is_homogeneous(); }},
    {"numjit.types.List", [](const Type *t) { return t->kind == Kind::List && !t->typed; }},
    {"numjit.types.ListType", [](const Type *t) { return t->kind == Kind::List && t->typed; }},
    {"numjit.types.DictType", [](const Type *t) { return t->kind == Kind::Dict; }},
    {"numjit.typed.Set", [](const Type *t) { return t->kind == Kind::Set && t->typed; }},
    {"numjit.types.Set", [](const Type *t) { return t->kind == Kind::Set && !t->typed; }},
    {"numjit.types.SetType", [](const Type *t) { return t->kind == Kind::Set && t->typed; }},
    {"numjit.types.NoneType", [](const Type *t) { return t->kind == Kind::None; }},
    {"numjit.types.UnicodeType", [](const Type *t) { return t->is_text(); }},
    {"numjit.types.Optional", [](const Type *t) { return t->kind == Kind::Optional; }},
    {"numjit.types.SliceType", [](const Type *t) { return t->kind == Kind::Slice; }},
    {"numjit.types.Record", [](const Type *t) { return t->kind == Kind::Record; }},
    {"numjit.types.NPDatetime", [](const Type *t) { return t->kind == Kind::Datetime; }},
    {"numjit.types.NPTimedelta", [](const Type *t) { return t->kind == Kind::Timedelta; }},
    {"numjit.types.EnumMember", [](const Type *t) { return t->kind == Kind::Enum; }},
    {"numjit.types.IntEnumMember", [](const Type *t) { return t->kind == Kind::Enum && t->unit; }},
    {"numpy.datetime64", [](const Type *t) { return t->kind == Kind::Datetime; }},
    {"numpy.timedelta64", [](const Type *t) { return t->kind == Kind::Timedelta; }},
    {"numpy.dtype", [](const Type *t) { return t->kind == Kind::DType; }},
    {"numpy.void", [](const Type *t) { return t->kind == Kind::Record; }},
};

} // namespace

} // namespace

int is_instance(const Type *type, std::string_view cls) {
  for (const ClassTest &row : class_tests)
    if (row.name == cls)
      return row.holds(type);
  return -1;
}

namespace {

/// Whether values of `type` are instances of the class behind `cls`; -1 if the class is not
/// understood.
int is_instance(const Type *type, const Type *cls) {
  if (cls->kind != Kind::Function)
    return -1;
  const Object &object = *cls->constant->object;
  if (object.kind == ObjectKind::Type)
    return type == object.type;
  if (object.kind == ObjectKind::NamedTupleClass)
    return type->kind == Kind::NamedTuple && type->constant->object == &object;
  if (object.kind == ObjectKind::EnumClass || object.kind == ObjectKind::DataClass ||
      object.kind == ObjectKind::JitClass)
    return (type->kind == Kind::Enum || type->kind == Kind::Struct ||
            type->kind == Kind::Instance) &&
           type->constant->object == &object;
  std::string_view name = object.name;
  if (name == "numpy.random._generator.Generator" || !object.fields.empty())
    return type->kind == Kind::Struct && type->constant->object == &object;
  if (const int holds = is_instance(type, name); holds >= 0)
    return holds;
  if (name.starts_with("numpy."))
    if (const Type *scalar = types::scalar_named(name.substr(6)))
      return type == scalar;
  return -1;
}

/// Of classes that the compiler does not know Python says what derives from them: numbers.Real,
/// collections.abc.Sequence, any class of the user's. Matrices come in as arrays, and are arrays.
int derives_from(Emitter &e, const Type *type, const Type *cls) {
  if (cls->kind != Kind::Function || !cls->constant->object->handle ||
      !cls->constant->is_object(ObjectKind::Class) ||
      cls->constant->object->name.starts_with("numjit."))
    return -1;
  const Const *of = class_of(e, type);
  const Const *holds =
      of ? e.engine.host.called("builtins.issubclass", {of, cls->constant}) : nullptr;
  return holds ? static_cast<int>(holds->integer) : -1;
}

/// Numbers that only NumPy has and typed lists are no int, float, complex or list. The library asks
/// for kinds of numbers by these names.
bool is_of_other_class(const Type *type, const Type *cls) {
  if (cls->kind != Kind::Function)
    return false;
  const std::string &name = cls->constant->object->name;
  if (type->is_scalar() && type->bits() < (type->is_complex() ? 128 : 64))
    return name == "builtins.float" || name == "builtins.complex" ||
           (name == "builtins.int" && !type->is_bool());
  return name == "builtins.list" && type->kind == Kind::List && type->typed;
}

Operand isinstance(Emitter &e, Operands &a) {
  if (a[0].type == types::caught_exception())
    return rule_is_caught(e, a[0], a[1]);
  const Type *cls = a[1].type;
  std::vector<const Type *> classes =
      cls->is_tuple() ? cls->params : std::vector<const Type *>{cls};
  if (cls->is_tuple() && a[1].constant) { // tuples of classes are constants
    classes.clear();
    for (const Const *item : a[1].constant->items)
      classes.push_back(fact_of(item).type);
  }
  bool any = false, optional = a[0].type->kind == Kind::Optional;
  for (const Type *each : classes) {
    const Type *given = optional ? a[0].type->params[0] : a[0].type;
    int holds = each ? is_instance(given, each) : -1;
    if (holds > 0 && !e.def->is_library && is_of_other_class(given, each))
      holds = 0;
    if (holds < 0 && each)
      holds = derives_from(e, given, each);
    if (holds < 0)
      e.fail("isinstance() does not know the class " + (each ? each->text : std::string("given")));
    any = any || holds;
  }
  if (optional && any)
    return e.field(a[0], 0);
  return e.boolean(any);
}

/// What nj_print must know of its arguments. Kept for the life of the process, one row per list of
/// types.
const void *print_site(const Reference &reference) {
  static std::mutex mutex;
  static std::map<std::vector<const Type *>, nj_print_site> sites;
  std::lock_guard lock(mutex);
  auto [found, made] = sites.try_emplace(reference.types);
  if (made)
    found->second = {static_cast<int32_t>(reference.types.size()),
                     reinterpret_cast<const void *const *>(found->first.data())};
  return &found->second;
}

Operand print(Emitter &e, Operands &a) {
  if (e.engine.module.target == tir::Target::Cuda)
    return print_on_device(e, a);
  std::vector<const Type *> argument_types;
  int64_t slots = 0;
  for (const Operand &x : a) {
    argument_types.push_back(x.type);
    slots += static_cast<int64_t>(layout_of(x.type).leaves.size());
  }
  Operand memory = e.stack_alloc(8 * std::max<int64_t>(slots, 1), types::int64());
  int slot = 0;
  for (const Operand &x : a)
    slot = e.store_slots(memory, slot, x);
  std::array<Operand, 2> both{
      e.address(references::make(references::print_site, argument_types), types::int64()), memory};
  e.runtime(tir::RuntimeOp::Print, types::none(), both);
  return e.none();
}

Operand type_of(Emitter &e, Operands &a) {
  if (a[0].type->is_scalar())
    return e.unit(types::dtype(a[0].type));
  if (a[0].type == types::caught_exception())
    return e.library("numjit.class_of_caught", {a[0]});
  if (a[0].type->kind == Kind::Exception)
    return e.constant(a[0].type->constant);
  if (const Const *cls = class_of(e, a[0].type))
    return e.constant(cls);
  e.fail("type() of " + a[0].type->text + " is not possible in compiled code", "use isinstance()");
}

Operand min_max(Emitter &e, Operands &a, const char *name) {
  if (a.empty())
    e.fail(std::string(name) + "() needs at least 1 argument");
  if (a.size() == 1) {
    Operand x = e.unwrap(a[0]);
    if (!x.type->is_tuple())
      return e.library("numjit." + std::string(name) + "_of", {x});
    if (x.type->params.empty())
      e.fail(std::string(name) + "() of an empty tuple");
    Operands items;
    for (size_t i = 0; i < x.type->params.size(); ++i)
      items.push_back(e.field(x, static_cast<int>(i)));
    a = items;
  }
  const scalar::Row &row = *scalar::by_name("builtins." + std::string(name));
  Operand best = e.unwrap(a[0]);
  for (size_t i = 1; i < a.size(); ++i) {
    std::array<Operand, 2> pair{e.unliteral(best), e.unliteral(e.unwrap(a[i]))};
    if (pair[0].type->is_time() && pair[1].type->is_time()) {
      best = e.library("numjit.time_" + std::string(name), {pair[0], pair[1]});
    } else if (pair[0].type->is_scalar() && pair[1].type->is_scalar()) {
      best = e.scalar(row, pair, scalar::Form::Python);
    } else if (pair[0].type->is_array() || pair[1].type->is_array() ||
               !unify(pair[0].type, pair[1].type)) {
      e.fail("No implementation of function " + std::string(name) + " for (" + pair[0].type->text +
             ", " + pair[1].type->text + ")");
    } else { // strings, tuples, objects of classes: as Python compares them
      const Operator better = std::string_view(name) == "min" ? Operator::Lt : Operator::Gt;
      best = e.choose(
          e.truth(rule_operator(e, better, pair[1], pair[0], false)), [&] { return pair[1]; },
          [&] { return pair[0]; });
    }
  }
  return best;
}
Operand min_of(Emitter &e, Operands &a) { return min_max(e, a, "min"); }
Operand max_of(Emitter &e, Operands &a) { return min_max(e, a, "max"); }

Operand divmod_of(Emitter &e, Operands &a) {
  std::array<Operand, 2> both{rule_operator(e, Operator::FloorDiv, a[0], a[1], false),
                              rule_operator(e, Operator::Mod, a[0], a[1], false)};
  return e.tuple(both);
}

Operand round_of(Emitter &e, Operands &a) {
  Operand x = e.unwrap(a[0]);
  if (!a[1] || a[1].type->kind == Kind::None) {
    if (x.type->is_integer() || x.type->is_bool() || is_big_int(x))
      return is_big_int(x) ? x : e.cast(x, types::int64());
    std::array<Operand, 1> one{x};
    return e.cast(e.scalar(*scalar::by_name("numpy.rint"), one, scalar::Form::Python),
                  types::int64());
  }
  std::array<Operand, 2> both{e.cast(x, types::float64()), e.cast(a[1], types::int64())};
  Operand rounded = e.on_device() ? e.library("numjit.round_in_threads", both)
                                  : e.runtime(tir::RuntimeOp::RoundDigits, types::float64(), both);
  return e.cast(rounded, x.type);
}

Operand hash_of(Emitter &e, Operands &a) {
  Operand x = force(e, e.unwrap(a[0]));
  if (Operand own; call_special_method(e, x, "__hash__", own))
    return e.cast(e.unwrap(own), types::int64());
  if (Operand own = hash_by_identity(e, x))
    return own;
  if (const Type *type = x.type; type->kind == Kind::Struct &&
                                 type->constant->is_object(ObjectKind::DataClass) &&
                                 type->constant->object->has_eq)
    x = e.library("dataclasses.astuple", {x}); // a frozen one
  const std::string kind(x.type->is_tuple() ? "Tuple" : kind_name(x.type));
  if (!e.engine.host.library(kind + ".__hash__"))
    e.fail("No implementation of function hash for (" + x.type->text + "): unhashable type",
           "keys of dicts and items of sets are numbers, strings or tuples of them");
  return e.library(kind + ".__hash__", {x});
}

/// numjit.float_bits(x): the bits of a float64 as int64.
Operand float_bits(Emitter &e, Operands &a) {
  Operand memory = e.stack_alloc(8, types::float64());
  e.store(memory, e.cast(a[0], types::float64()), tir::Alias::Any);
  return e.load(e.ptr_add(memory, e.i64(0), types::int64()), tir::Alias::Any);
}

Operand literal_unroll(Emitter &, Operands &a) { return a[0]; }

/// literally(x). Where the value is not known, the dispatcher compiles once more with that of an
/// argument.
Operand literally(Emitter &e, Operands &a) {
  const Type *type = a[0].type;
  const bool is_container =
      type->kind == Kind::List || type->kind == Kind::Set || type->kind == Kind::Dict;
  if (a[0].constant || !holds_value(type) || is_container)
    return a[0];
  e.fail_as("LiteralTypingError",
            "Cannot request literal type: the value, of type " + type->text +
                ", is not known at compile time",
            "literally() takes an argument of the function that Python calls: an int, a bool, a "
            "string or a slice");
}

/// What a sequence pattern may match: arrays are no sequences for Python.
Operand is_sequence(Emitter &e, Operands &a) {
  const Type *type = a[0].type;
  return e.boolean(type->is_tuple() || type->kind == Kind::List || type->kind == Kind::Range);
}

/// issubclass(cls, classes) of classes that have Python objects.
Operand is_subclass(Emitter &e, Operands &a) {
  if (a[0].type->kind == Kind::DType && a[0].type->params[0]->is_scalar()) { // x.dtype.type
    Operands instance{{a[0].type->params[0], nullptr, nullptr, e.position}, a[1]};
    return isinstance(e, instance);
  }
  auto object_of = [&](const Type *type) {
    if (type->kind != Kind::Function || !type->constant->object->handle)
      e.fail("issubclass() of " + type->text + " is not possible in compiled code");
    return type->constant;
  };
  const std::vector<const Type *> classes =
      a[1].type->is_tuple() ? a[1].type->params : std::vector<const Type *>{a[1].type};
  std::vector<const Const *> constants;
  for (const Type *cls : classes)
    constants.push_back(object_of(cls));
  const Const *holds = e.engine.host.called(
      "builtins.issubclass", {object_of(a[0].type), constants::tuple(std::move(constants))});
  return e.boolean(holds && holds->integer != 0);
}

Operand is_callable(Emitter &e, Operands &a) {
  const Type *type = a[0].type;
  const bool has_call = (type->kind == Kind::Struct || type->kind == Kind::Instance) &&
                        type->constant->object->member("__call__");
  return e.boolean(type->is_function() || type->kind == Kind::Method || type->kind == Kind::DType ||
                   has_call);
}

const std::string &attribute_name(Emitter &e, const Operand &name) {
  if (name.type->kind != Kind::String)
    e.fail_as("LiteralTypingError",
              "the name of an attribute must be a string that is known at compile time, not " +
                  name.type->text);
  return name.type->constant->text;
}

bool is_known(Emitter &e, const Operand &object, const std::string &name) {
  DryScope dry(e);
  try {
    rule_getattr(e, object, name);
  } catch (const CompileError &) {
    return false;
  }
  return true;
}

bool has_attribute(Emitter &e, const Operand &object, const std::string &name) {
  // NumPy's numbers have what arrays have and Python's don't: programs ask in order to tell numbers
  // from arrays.
  if (object.type->is_scalar())
    for (LibraryUse use : {LibraryUse::Attribute, LibraryUse::Call})
      if (e.engine.host.library(LibraryKey("NumPyScalar." + name, use)))
        return false;
  return is_known(e, object, name);
}

Operand getattr(Emitter &e, Operands &a) {
  const std::string &name = attribute_name(e, a[1]);
  if (const Operand is_set = field_is_set(e, a[0], name); is_set && a[2])
    return e.choose(
        is_set, [&] { return rule_getattr(e, a[0], name); }, [&] { return a[2]; });
  if (a[2] && !has_attribute(e, a[0], name))
    return a[2];
  if (is_known(e, a[0], name))
    return rule_getattr(e, a[0], name);
  e.raise_if(e.boolean(true), "AttributeError",
             "'" + a[0].type->text + "' has no attribute '" + name + "'");
  return e.none();
}

Operand hasattr(Emitter &e, Operands &a) {
  const std::string &name = attribute_name(e, a[1]);
  const Operand is_set = field_is_set(e, a[0], name);
  return is_set ? is_set : e.boolean(has_attribute(e, a[0], name));
}

const Builtin kCoreRows[] = {
    {"builtins.len", "obj", len},
    {"builtins.int", "x? base?", to_int},
    {"builtins.float", "x?", to_float},
    {"builtins.complex", "real? imag?", to_complex},
    {"builtins.bool", "x?", to_bool},
    {"builtins.tuple", "x?", to_tuple},
    {"builtins.slice", "start_or_stop stop? step?", to_slice},
    {"builtins.isinstance", "obj cls", isinstance, true},
    {"builtins.print", "*", print},
    {"builtins.type", "obj", type_of},
    {"builtins.issubclass", "cls classes", is_subclass},
    {"builtins.callable", "obj", is_callable},
    {"builtins.min", "*", min_of},
    {"builtins.max", "*", max_of},
    {"builtins.hash", "obj", hash_of},
    {"numjit.float_bits", "x", float_bits},
    {"builtins.divmod", "x y", divmod_of},
    {"builtins.round", "number ndigits?", round_of},
    {"numjit.literal_unroll", "container", literal_unroll},
    {"numjit.literally", "value", literally},
    {"numjit.is_sequence", "obj", is_sequence},
    {"builtins.getattr", "obj name default?", getattr},
    {"builtins.hasattr", "obj name", hasattr},
    {"numpy.dtype", "dtype", dtype_value},
};

} // namespace

BuiltinTable core_builtins() { return kCoreRows; }

const ReferenceRow references::print_site = {"print site", numjit::print_site};

} // namespace numjit
