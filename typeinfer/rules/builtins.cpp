// The tables of everything known by name, joined; and the rules of attributes and calls.
#include "typeinfer/infer/builtins.h"

#include "runtime/runtime.h"
#include "typeinfer/infer/engine.h"
#include "typeinfer/infer/unify.h"
#include "typeinfer/rules/elementwise.h"
#include "typeinfer/rules/lookup.h"
#include "typeinfer/rules/type_values.h"
#include "typeinfer/types/python_call.h"
#include "typeinfer/types/units.h"

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <mutex>
#include <unordered_map>

namespace numjit {

namespace {

template <class Row, class Key>
std::unordered_map<std::string, const Row *>
index_rows(std::initializer_list<std::span<const Row>> tables, Key key) {
  std::unordered_map<std::string, const Row *> rows;
  for (std::span<const Row> table : tables)
    for (const Row &row : table)
      if (!rows.emplace(key(row), &row).second)
        throw InternalError("two rows are named " + key(row));
  return rows;
}

const std::unordered_map<std::string, const Builtin *> &builtin_rows() {
  static const auto rows = index_rows<Builtin>(
      {core_builtins(),       array_builtins(),       list_builtins(),    string_builtins(),
       text_builtins(),       table_builtins(),       range_builtins(),   iteration_builtins(),
       expression_builtins(), elementwise_builtins(), runtime_builtins(), foreign_builtins(),
       ufunc_builtins(),      parallel_builtins(),    device_builtins(),  exception_builtins(),
       generator_builtins(),  pattern_builtins(),     time_builtins(),    class_builtins(),
       plain_class_builtins()},
      [](const Builtin &row) { return std::string(row.name); });
  return rows;
}

const std::unordered_map<std::string, const BuiltinAttribute *> &attribute_rows() {
  static const auto rows =
      index_rows<BuiltinAttribute>({array_attributes(), scalar_attributes(), dtype_attributes(),
                                    flag_attributes(), foreign_attributes()},
                                   [](const BuiltinAttribute &row) {
                                     return std::string(row.kind) + "." + std::string(row.name);
                                   });
  return rows;
}

std::vector<std::string_view> words(std::string_view text) {
  std::vector<std::string_view> result;
  while (!text.empty()) {
    size_t end = std::min(text.find(' '), text.size());
    if (end)
      result.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return result;
}

/// Levenshtein distance, for "did you mean".
size_t distance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j)
    row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      size_t above = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, diagonal + (a[i - 1] != b[j - 1])});
      diagonal = above;
    }
  }
  return row[b.size()];
}

std::string near_names(std::string_view name, std::vector<std::string> names) {
  std::sort(names.begin(), names.end());
  std::string best;
  size_t best_distance = std::max<size_t>(2, name.size() / 3) + 1;
  for (const std::string &candidate : names)
    if (size_t d = distance(name, candidate); d < best_distance) {
      best = candidate;
      best_distance = d;
    }
  return best;
}

} // namespace

const Builtin *find_builtin(std::string_view name) {
  auto found = builtin_rows().find(std::string(name));
  return found == builtin_rows().end() ? nullptr : found->second;
}

const BuiltinAttribute *find_attribute(std::string_view kind, std::string_view name) {
  auto found = attribute_rows().find(std::string(kind) + "." + std::string(name));
  return found == attribute_rows().end() ? nullptr : found->second;
}

std::vector<std::string> builtin_names() {
  std::vector<std::string> names;
  for (auto &[name, row] : builtin_rows())
    if (name.find('.') != std::string::npos && !name.starts_with("numjit."))
      names.push_back(name);
  for (const scalar::Row &row : scalar::rows()) {
    for (std::string_view name : words(row.numpy))
      names.push_back("numpy." + std::string(name));
    for (std::string_view name : words(row.other))
      names.emplace_back(name);
  }
  for (int i = 0; i <= static_cast<int>(Operator::Truth); ++i) {
    const OperatorRow &row = operator_row(static_cast<Operator>(i));
    names.push_back("operator." + std::string(row.name));
    if (row.form == OperatorForm::Binary) {
      std::string_view plain =
          row.name.ends_with('_') ? row.name.substr(0, row.name.size() - 1) : row.name;
      names.push_back("operator.i" + std::string(plain));
    }
  }
  return names;
}

std::vector<std::string> attribute_names(std::string_view kind) {
  std::vector<std::string> names;
  for (auto &[name, row] : attribute_rows())
    if (row->kind == kind)
      names.emplace_back(row->name);
  return names;
}

// --- attributes ---

namespace {

/// What a user's overload_attribute or overload_method makes of an attribute; no type if there is
/// none.
Operand overloaded_attribute(Emitter &e, const Operand &object, const std::string &name) {
  switch (e.engine.host.overloaded_member(name, object.fact())) {
  case Host::Member::None: return {};
  case Host::Member::Attribute: {
    Operand result;
    CallArguments self{{object}, {}};
    if (!call_overload(e, "attribute ." + name, self, result))
      return {};
    return result;
  }
  case Host::Member::Method:
    return e.make(types::method(object.type, constants::string("method ." + name)), {object});
  }
  return {};
}

} // namespace

bool call_special_method(Emitter &e, const Operand &object, const std::string &name,
                         Operand &result) {
  if (call_class_method(e, object, name, {}, result))
    return true;
  if (e.engine.host.overloaded_member(name, object.fact()) != Host::Member::Method)
    return false;
  CallArguments self{{object}, {}};
  return call_overload(e, "method ." + name, self, result);
}

static bool is_function_of_numpy(Emitter &e, const std::string &name) {
  const std::vector<std::string> names = e.engine.host.library_names("numpy." + name);
  return std::ranges::find(names, "numpy." + name) != names.end();
}

/// Whether a method changes a list or dict.
static bool is_mutation(std::string_view name) {
  static constexpr std::string_view names[] = {"append", "clear",   "extend",     "insert",
                                               "pop",    "popitem", "remove",     "reverse",
                                               "sort",   "update",  "setdefault", "__setitem__"};
  return std::ranges::find(names, name) != std::end(names);
}

void refuse_mutation(Emitter &e, const Type *type) {
  e.fail(std::string("Cannot mutate a literal ") +
             (type->kind == Kind::LiteralList ? "list" : "dictionary") + ": " + type->text,
         "its items have no common type, so compiled code keeps it as it was written");
}

[[noreturn]] static void unknown_attribute(Emitter &e, const Operand &object,
                                           const std::string &kind, const std::string &name) {
  if (is_literal_container(object.type) && is_mutation(name))
    refuse_mutation(e, object.type);
  std::vector<std::string> names = attribute_names(kind);
  for (const std::string &method : e.engine.host.library_names(kind + "."))
    names.push_back(method.substr(kind.size() + 1));
  names.insert(names.end(), object.type->names.begin(), object.type->names.end());
  std::string near = near_names(name, std::move(names));
  std::string what = object.type->kind == Kind::Module
                         ? "module " + object.type->constant->object->name
                         : object.type->text;
  e.fail("Unknown attribute '" + name + "' of type " + what,
         object.type == types::caught_exception()
             ? "of a caught exception there are e.args, str(e), repr(e), and what the __init__ of "
               "its class gives it if a class of the program is raised and caught here"
         : object.type->is_array() && (name == "append" || name == "extend")
             ? "an array does not grow: append to a list, and make an array of it at the end"
         : object.type->is_array() && is_function_of_numpy(e, name)
             ? "it is a function: np." + name + "(a)"
         : object.type->is_text() && name == "format"     ? known_text_hint
         : object.type->is_text() && name == "format_map" ? "use format(...) or an f-string"
         : near.empty()                                   ? ""
                                                          : "did you mean '" + near + "'?");
}

/// x.__len__() of Python's and NumPy's classes (library/python/special_methods.py), of which Python
/// says whether they have it.
static Operand named_special_method(Emitter &e, const Operand &object, const std::string &name) {
  static constexpr std::array kinds = {
      Kind::List,       Kind::Dict,  Kind::Set,    Kind::FrozenSet, Kind::Array,
      Kind::Lazy,       Kind::Tuple, Kind::Scalar, Kind::Unicode,   Kind::Range,
      Kind::NamedTuple, Kind::Bytes, Kind::String};
  const std::string called = "numjit.named." + name;
  if (!name.starts_with("__") || std::ranges::find(kinds, object.type->kind) == kinds.end() ||
      !e.engine.host.library(called))
    return {};
  if (const Const *cls = class_of(e, object.type)) {
    const Const *has = e.engine.host.called("builtins.hasattr", {cls, constants::string(name)});
    if (!has || has->integer == 0)
      return {};
  }
  return e.make(types::method(object.type, constants::string(called)), {object});
}

/// TABLE.squeeze() of a global array: methods know their object by its type alone.
static Operand with_known_extents(Emitter &e, const Operand &array) {
  const Operand units = call_builtin(e, *find_builtin("numjit.units_of"), {{array}, {}});
  return call_builtin(e, *find_builtin("numjit.with_units"), {{array, units}, {}});
}

/// The value of an optional one, of which an attribute is read or set.
static Operand with_attributes(Emitter &e, const Operand &object, const std::string &name) {
  e.raise_if(e.logical_not(e.field(object, 0)), "AttributeError",
             "'NoneType' object has no attribute '" + name + "'");
  return e.field(object, 1);
}

Operand rule_getattr(Emitter &e, const Operand &object, const std::string &name) {
  const std::string kind(kind_name(object.type));
  Host &host = e.engine.host;
  const BuiltinAttribute *lazy =
      object.type->kind == Kind::Lazy ? find_attribute("Lazy", name) : nullptr;
  if (lazy && e.def->is_library) // evaluates expressions by it: nobody's overload is asked
    return lazy->rule(e, object);
  if (host.has_overloads("." + name) ||
      (object.type->kind == Kind::Struct && host.has_overloads(".*"))) // attributes of any name
    if (Operand result = overloaded_attribute(e, force(e, object), name))
      return result;
  if (object.type->kind == Kind::Optional)
    return rule_getattr(e, with_attributes(e, object, name), name);
  if ((name == "squeeze" || name == "T" || name == "transpose") && object.constant &&
      object.constant->is_object(ObjectKind::Array) && types::units_of(object.type) < 0)
    return rule_getattr(e, with_known_extents(e, object), name);
  if (lazy)
    return lazy->rule(e, object);
  if (const BuiltinAttribute *row = find_attribute(kind, name))
    return row->rule(e, force(e, object));
  if (const Type *record = object.type->is_array() ? object.type->dtype() : object.type;
      record->kind == Kind::Record) {
    auto found = std::find(record->names.begin(), record->names.end(), name);
    if (found != record->names.end()) {
      const int index = static_cast<int>(found - record->names.begin());
      return object.type->is_array() ? array_field(e, object, index)
                                     : record_field(e, object, index);
    }
  }
  if (object.type->kind == Kind::NamedTuple) {
    const auto &names = object.type->names;
    if (auto found = std::find(names.begin(), names.end(), name); found != names.end())
      return e.field(object, static_cast<int>(found - names.begin()));
  }
  if (Operand part = class_attribute(e, object, name))
    return part;
  if (name == "__class__" && !object.type->is_function() && object.type->kind != Kind::Module)
    return call_builtin(e, *find_builtin("builtins.type"), {{object}, {}});
  if (object.type->kind == Kind::Module || object.type->kind == Kind::Function)
    if (const Const *part = e.engine.host.attribute_of(*e.def, *object.type->constant, name))
      return e.constant(part);
  if (object.type->kind == Kind::String && name == "format")
    return e.make(types::method(object.type, constants::string("String.format")), {object});
  std::vector<std::string> owners = {kind};
  if (object.type->is_scalar())
    owners.insert(owners.end(), {"Number", "NumPyScalar"});
  else if (object.type->is_tuple())
    owners.push_back("Tuple");
  if (Operand method = named_special_method(e, object, name))
    return method;
  for (const std::string &owner : owners) {
    const std::string qualified = owner + "." + name;
    if (const LibraryKey computed(qualified, LibraryUse::Attribute);
        e.engine.host.library(computed))
      return e.library(computed, {object});
    if (find_builtin(qualified) || e.engine.host.library(qualified))
      return e.make(types::method(object.type, constants::string(qualified)), {object});
  }
  unknown_attribute(e, object, kind, name);
}

void rule_setattr(Emitter &e, const Operand &object, const std::string &name,
                  const Operand &value) {
  if (object.type->kind == Kind::Optional) {
    rule_setattr(e, with_attributes(e, object, name), name, value);
    return;
  }
  if (set_class_attribute(e, object, name, value))
    return;
  const Type *record = object.type->is_array() ? object.type->dtype() : object.type;
  if (record->kind == Kind::Record &&
      std::find(record->names.begin(), record->names.end(), name) != record->names.end()) {
    rule_setitem(e, object, e.constant(constants::string(name)), value);
    return;
  }
  const LibraryKey key(std::string(kind_name(object.type)) + "." + name, LibraryUse::Assignment);
  if (e.engine.host.library(key)) {
    e.library(key, {object, value});
    return;
  }
  e.fail("cannot set attribute '" + name + "' of type " + object.type->text);
}

// --- calls ---

Operand call_builtin(Emitter &e, const Builtin &row, CallArguments arguments) {
  std::vector<std::string_view> names = words(row.parameters);
  const bool variadic = !names.empty() && names.back() == "*";
  if (variadic)
    names.pop_back();
  Operands bound(std::max(names.size(), arguments.positional.size()));
  if (!variadic && arguments.positional.size() > names.size())
    e.fail(std::string(row.name) + "() takes at most " + std::to_string(names.size()) +
           " arguments, got " + std::to_string(arguments.positional.size()));
  std::copy(arguments.positional.begin(), arguments.positional.end(), bound.begin());
  auto plain = [](std::string_view name) { return name.substr(0, name.find('?')); };
  for (auto &[keyword, value] : arguments.keywords) {
    size_t i = 0;
    while (i < names.size() && plain(names[i]) != keyword)
      ++i;
    if (i == names.size())
      e.fail(std::string(row.name) + "() has no argument '" + keyword + "'");
    if (bound[i])
      e.fail(std::string(row.name) + "() got two values for argument '" + keyword + "'");
    bound[i] = value;
  }
  for (size_t i = 0; i < names.size(); ++i)
    if (!bound[i] && !names[i].ends_with('?'))
      e.fail(std::string(row.name) + "() misses argument '" + std::string(names[i]) + "'");
  if (!row.takes_lazy)
    for (Operand &a : bound)
      if (a)
        a = force(e, a);
  return row.rule(e, bound);
}

namespace {

/// Whether NumPy's classes of scalars ask Python what number a value is: it is nothing like an
/// array.
bool is_single_object(const Operand &value) {
  const Type *type = value.type;
  if (type->is_text() || type->kind == Kind::None)
    return true;
  const bool is_instance = type->kind == Kind::Instance || type->kind == Kind::Struct;
  return is_instance && !(class_member(type, "__len__") && class_member(type, "__getitem__"));
}

/// A value of NumPy's scalar type `to`, by the builtin of its kind; `value` is no number.
Operand scalar_by_builtin(Emitter &e, const Operand &value, const Type *to) {
  if (to->is_bool())
    return e.truth(value);
  if (value.type->kind == Kind::None && !to->is_integer()) // a missing number
    return e.cast(e.f64(std::numeric_limits<double>::quiet_NaN()), to);
  Operands one{value, {}};
  const char *name = to->is_complex() ? "builtins.complex"
                     : to->is_float() ? "builtins.float"
                                      : "builtins.int";
  return e.cast(find_builtin(name)->rule(e, one), to);
}

/// What is in an array without dimensions; other values as they are.
Operand only_item(Emitter &e, const Operand &value) {
  if (!is_arraylike(value.type) || value.type->ndim > 0)
    return value;
  return rule_getitem(e, value, e.make(types::tuple({}), {}));
}

Operand call_class(Emitter &e, const Operand &callee, CallArguments arguments) {
  const Object &object = *callee.constant->object;
  if (Operand type = call_type_class(e, object, arguments))
    return type;
  const Type *to = nullptr;
  if (object.name == "numpy.datetime64" || object.name == "numpy.timedelta64")
    return make_time(e, object.name == "numpy.datetime64" ? Kind::Datetime : Kind::Timedelta,
                     arguments.positional);
  if (object.kind == ObjectKind::Type)
    to = static_cast<const Type *>(object.type);
  else if (object.name.starts_with("numpy."))
    to = types::scalar_named(std::string_view(object.name).substr(6));
  if (!to || !to->is_scalar())
    return call_named(e, object.name, std::move(arguments));
  if (arguments.positional.size() > 1 || !arguments.keywords.empty())
    e.fail(to->text + "() takes 1 argument");
  Operand value = arguments.positional.empty() ? e.i64(0) : e.unwrap(arguments.positional[0]);
  value = only_item(e, value);
  if (value.type->is_time() && to->is_time())
    return e.cast(value, to);
  if (is_single_object(value) ||
      (to->is_bool() && (value.type->is_complex() || value.type->is_time())))
    return scalar_by_builtin(e, value, to);
  if (value.type->kind == Kind::Timedelta)
    return e.cast(value, to);
  if (value.type->is_number()) {
    if (value.type->is_complex() && !to->is_complex())
      e.fail("cannot convert " + value.type->text + " to " + to->text);
    Operand made = e.cast(value, to);
    if (made.constant) // it is no literal any more
      made.constant = constants::typed(*made.constant, to->text);
    return made;
  }
  return e.library("Array.astype", {e.library("numpy.asarray", {value}), e.unit(types::dtype(to))});
}

/// Tests which function it is, one after the other.
Operand call_choice(Emitter &e, const Operand &callee, const CallArguments &arguments,
                    size_t first) {
  auto call = [&] { return rule_call(e, e.field(callee, static_cast<int>(first) + 1), arguments); };
  if (first + 1 == callee.type->params.size())
    return call();
  return e.choose(e.op(Operator::Eq, e.field(callee, 0), e.i64(static_cast<int64_t>(first))), call,
                  [&] { return call_choice(e, callee, arguments, first + 1); });
}

/// What compiled code knows of a Python function that it calls. Kept for the life of the process.
const void *python_call(const Reference &reference) {
  static std::mutex mutex;
  static std::map<std::pair<const Object *, const Type *>, nj_python_call> rows;
  const Object &object = *reference.constant->object;
  const Type *arguments = reference.types[0];
  std::lock_guard lock(mutex);
  auto [found, made] = rows.try_emplace({&object, arguments});
  if (made)
    found->second = {object.handle, arguments, object.type};
  return &found->second;
}

/// Calls a Python function whose result type is declared: the body of `with objmode`. Values travel
/// in their memory layout.
Operand call_python(Emitter &e, const Object &object, const CallArguments &arguments) {
  Operands forced;
  for (const Operand &a : arguments.positional)
    forced.push_back(force(e, a));
  const Type *result = static_cast<const Type *>(object.type);
  std::vector<const Type *> given;
  for (const Operand &a : forced)
    given.push_back(a.type);
  const Type *type = types::tuple(std::move(given));
  Operand all = e.make(type, forced);
  Operand in = e.stack_alloc(layout_of(type).size, type);
  Operand out = e.stack_alloc(layout_of(result).size, result);
  e.store(in, all, tir::Alias::Stack);
  const Reference *call =
      references::make(references::python_call, {type}, constants::object(&object));
  std::array<Operand, 3> operands{e.address(call, types::int64()), in, out};
  e.runtime(tir::RuntimeOp::CallPython, types::none(), operands);
  return layout_of(result).leaves.empty() ? e.unit(result) : e.load(out, tir::Alias::Stack, true);
}

} // namespace

static Operand make_exception(Emitter &e, const Const *cls, CallArguments arguments) {
  std::vector<const Type *> types;
  for (Operand &a : arguments.positional) {
    a = force(e, a);
    types.push_back(a.type);
  }
  for (const auto &[keyword, value] : arguments.keywords) // name=None is what it is without
    if (value.type->kind != Kind::None)
      e.fail("exceptions take positional arguments only in compiled code");
  return e.make(types::exception(cls, types), arguments.positional);
}

static Operand make_named_tuple(Emitter &e, const Const *cls, const CallArguments &arguments) {
  const Object &object = *cls->object;
  Operands items(object.fields.size());
  if (arguments.positional.size() > items.size())
    e.fail(object.name + "() takes " + std::to_string(items.size()) + " arguments, got " +
           std::to_string(arguments.positional.size()));
  std::copy(arguments.positional.begin(), arguments.positional.end(), items.begin());
  for (auto &[keyword, value] : arguments.keywords) {
    auto found = std::find(object.fields.begin(), object.fields.end(), keyword);
    if (found == object.fields.end())
      e.fail(object.name + "() has no field '" + keyword + "'");
    items[found - object.fields.begin()] = value;
  }
  std::vector<const Type *> types;
  const size_t required = items.size() - object.field_defaults.size();
  for (size_t i = 0; i < items.size(); ++i) {
    if (!items[i] && i >= required)
      items[i] = e.constant(object.field_defaults[i - required]);
    if (!items[i])
      e.fail(object.name + "() misses field '" + object.fields[i] + "'");
    items[i] = force(e, items[i]);
    types.push_back(items[i].type);
  }
  return e.make(types::named_tuple(cls, types), items);
}

Operand rule_call(Emitter &e, const Operand &callee, CallArguments arguments) {
  const Type *type = callee.type;
  if (type->kind == Kind::Method) {
    arguments.positional.insert(arguments.positional.begin(), e.field(callee, 0));
    if (type->constant->text == "numjit._replace")
      return call_replace(e, std::move(arguments));
    if (type->constant->is_object(ObjectKind::Function)) // of a class of the user's
      return call_function(e, *type->constant->object->function, {}, std::move(arguments));
    return call_named(e, type->constant->text, std::move(arguments));
  }
  if (type->kind == Kind::Closure) {
    Operands captured;
    for (size_t i = 0; i < type->fields.size(); ++i)
      captured.push_back(e.field(callee, static_cast<int>(i)));
    return call_function(e, *type->constant->object->function, captured, std::move(arguments));
  }
  if (type->kind == Kind::Choice)
    return call_choice(e, callee, arguments, 0);
  if (Operand result; call_class_method(e, callee, "__call__", arguments, result))
    return result;
  if (type->kind == Kind::DType) {
    if (arguments.positional.size() != 1)
      e.fail(type->text + "() takes 1 argument");
    const Operand given = e.unwrap(arguments.positional[0]), value = only_item(e, given);
    const bool same = is_arraylike(given.type) && given.type->dtype() == type->params[0];
    return same ? value : e.cast(value, type->params[0]);
  }
  if (type->kind != Kind::Function)
    e.fail("a value of type " + type->text + " cannot be called",
           type->is_array() || type->kind == Kind::List || type->is_tuple() ||
                   type->kind == Kind::Dict
               ? "items are taken with brackets: x[i]"
               : "");
  const Object &object = *type->constant->object;
  Operand self = callee;
  self.constant = type->constant;
  if (object.name == "numjit.call_python")
    return call_python(e, object, arguments);
  if (Operand result; call_user_class(e, type->constant, arguments, result))
    return result;
  switch (object.kind) {
  case ObjectKind::Function: return call_function(e, *object.function, {}, std::move(arguments));
  case ObjectKind::Class:
  case ObjectKind::Type: return call_class(e, self, std::move(arguments));
  case ObjectKind::ExceptionClass: return make_exception(e, type->constant, std::move(arguments));
  case ObjectKind::NamedTupleClass: return make_named_tuple(e, type->constant, arguments);
  default: return call_named(e, object.name, std::move(arguments));
  }
}

const ReferenceRow references::python_call = {"Python call", numjit::python_call};

} // namespace numjit
