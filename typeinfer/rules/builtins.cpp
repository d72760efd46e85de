// The tables of everything known by name, joined; and the rules of attributes and calls.
#include "typeinfer/infer/builtins.h"

#include "runtime/runtime.h"
#include "typeinfer/infer/engine.h"
#include "typeinfer/infer/unify.h"
#include "typeinfer/rules/elementwise.h"
#include "typeinfer/rules/type_values.h"

#include <algorithm>
#include <array>
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
      {core_builtins(), array_builtins(), list_builtins(), string_builtins(), table_builtins(),
       iteration_builtins(), expression_builtins(), elementwise_builtins(), runtime_builtins(),
       foreign_builtins(), ufunc_builtins(), parallel_builtins(), device_builtins(),
       exception_builtins(), generator_builtins(), time_builtins(), class_builtins()},
      [](const Builtin &row) { return std::string(row.name); });
  return rows;
}

const std::unordered_map<std::string, const BuiltinAttribute *> &attribute_rows() {
  static const auto rows = index_rows<BuiltinAttribute>(
      {array_attributes(), scalar_attributes(), flag_attributes(), foreign_attributes()},
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

std::string_view kind_name(const Type *type) {
  switch (type->kind) {
  case Kind::Scalar:
    switch (type->cls()) {
    case ScalarClass::Bool: return "Boolean";
    case ScalarClass::Signed:
    case ScalarClass::Unsigned: return "Integer";
    case ScalarClass::Float: return "Float";
    case ScalarClass::Complex: return "Complex";
    }
    return "Number";
  case Kind::Array:
  case Kind::Lazy: return "Array";
  case Kind::Tuple: return "Tuple";
  case Kind::NamedTuple: return "NamedTuple";
  case Kind::LiteralDict: return "LiteralDict";
  case Kind::LiteralList: return "LiteralList";
  case Kind::List: return "List";
  case Kind::Dict: return "Dict";
  case Kind::Set: return "Set";
  case Kind::DictView:
    return type->constant->text == "keys"     ? "DictKeys"
           : type->constant->text == "values" ? "DictValues"
                                              : "DictItems";
  case Kind::Range: return "Range";
  case Kind::Slice: return "Slice";
  case Kind::DType: return "DType";
  case Kind::String:
  case Kind::Unicode: return "String";
  case Kind::Bytes: return type->readonly ? "Bytes" : "ByteArray";
  case Kind::Function:
  case Kind::Closure: return "Function";
  case Kind::Module: return "Module";
  case Kind::Method: // array.flags, array.flat and array.ctypes too
    for (std::string_view name : {"Flags", "Flat", "ArrayCTypes"})
      if (type->constant->text == name)
        return name;
    return is_walk(type) ? "Walk" : "Method";
  case Kind::Record: return "Record";
  case Kind::Datetime: return "Datetime";
  case Kind::Timedelta: return "Timedelta";
  case Kind::Enum: return "Enum";
  case Kind::Struct:
  case Kind::Instance: return "Instance";
  case Kind::Optional: return "Optional";
  case Kind::Generator: return "Generator";
  case Kind::None: return "NoneType";
  default: return "Object";
  }
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

Operand rule_getattr(Emitter &e, const Operand &object, const std::string &name) {
  const std::string kind(kind_name(object.type));
  if (e.engine.host.has_overloads("." + name))
    if (Operand result = overloaded_attribute(e, force(e, object), name))
      return result;
  if (object.type->kind == Kind::Optional)
    return rule_getattr(e, e.unwrap(object), name);
  if (object.type->kind == Kind::Lazy)
    if (const BuiltinAttribute *row = find_attribute("Lazy", name))
      return row->rule(e, object);
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
  if (object.type->kind == Kind::Module || object.type->kind == Kind::Function)
    if (const Const *part = e.engine.host.attribute_of(*e.def, *object.type->constant, name))
      return e.constant(part);
  if (object.type->kind == Kind::String && name == "format")
    return e.make(types::method(object.type, constants::string("String.format")), {object});
  for (const std::string &owner : {kind, std::string(object.type->is_scalar()  ? "Number"
                                                     : object.type->is_tuple() ? "Tuple"
                                                                               : kind)}) {
    const std::string qualified = owner + "." + name;
    if (e.engine.host.library(qualified + " (attribute)"))
      return e.library(qualified + " (attribute)", {object});
    if (find_builtin(qualified) || e.engine.host.library(qualified))
      return e.make(types::method(object.type, constants::string(qualified)), {object});
  }
  std::vector<std::string> names = attribute_names(kind);
  for (const std::string &method : e.engine.host.library_names(kind + "."))
    names.push_back(method.substr(kind.size() + 1, method.find(' ') - kind.size() - 1));
  names.insert(names.end(), object.type->names.begin(), object.type->names.end());
  std::string near = near_names(name, std::move(names));
  std::string what = object.type->kind == Kind::Module
                         ? "module " + object.type->constant->object->name
                         : object.type->text;
  e.fail("Unknown attribute '" + name + "' of type " + what,
         object.type == types::caught_exception()
             ? "of a caught exception there are e.args, str(e) and repr(e); other attributes are "
               "known at run time only"
         : object.type->is_array() && (name == "append" || name == "extend")
             ? "an array does not grow: append to a list, and make an array of it at the end"
         : object.type->is_text() && name == "format"     ? known_text_hint
         : object.type->is_text() && name == "format_map" ? "use format(...) or an f-string"
         : near.empty()                                   ? ""
                                                          : "did you mean '" + near + "'?");
}

void rule_setattr(Emitter &e, const Operand &object, const std::string &name,
                  const Operand &value) {
  if (object.type->kind == Kind::Optional) {
    rule_setattr(e, e.unwrap(object), name, value);
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
  const std::string qualified = std::string(kind_name(object.type)) + "." + name + " (assignment)";
  if (e.engine.host.library(qualified)) {
    e.library(qualified, {object, value});
    return;
  }
  e.fail("cannot set attribute '" + name + "' of type " + object.type->text);
}

// --- calls ---

namespace {

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

} // namespace

bool can_cast(const Type *from, const Type *to, std::string_view casting) {
  // What kind may become what: bool, unsigned and signed integers, floats, complex numbers.
  auto rank = [](const Type *type) {
    return type->is_unsigned()                ? 1
           : type->is_signed()                ? 2
           : type->cls() < ScalarClass::Float ? 0
           : type->is_float()                 ? 3
                                              : 4;
  };
  if (casting == "unsafe" || from == to)
    return true;
  if (casting == "same_kind")
    return rank(from) <= rank(to);
  return casting == "safe" && scalar::promote(from, to) == to;
}

namespace {

/// The keywords of NumPy's element-wise functions.
struct UfuncOptions {
  Operand out, where;
  const Type *dtype = nullptr;
  std::string casting = "same_kind";
};

UfuncOptions ufunc_options(Emitter &e, const std::string &name, CallArguments &arguments) {
  UfuncOptions options;
  for (auto &[keyword, value] : arguments.keywords) {
    if (value.type->kind == Kind::None && keyword != "where")
      continue;
    if (keyword == "out") {
      options.out = value;
    } else if (keyword == "where") {
      options.where = value;
    } else if (keyword == "dtype") {
      options.dtype = scalar_of_dtype(value);
      if (!options.dtype)
        e.fail(name + "(): dtype must be a scalar type, not " + value.type->text);
    } else if (keyword == "casting" && value.type->kind == Kind::String) {
      options.casting = value.type->constant->text;
    } else {
      e.fail(name + "() has no argument '" + keyword + "' in compiled code");
    }
  }
  return options;
}

void check_out(Emitter &e, const std::string &name, UfuncOptions &options) {
  Operand &out = options.out;
  if (out.type->kind == Kind::Tuple && out.type->params.size() == 1)
    out = e.field(out, 0);
  if (!out.type->is_array())
    e.fail(name + "(): out must be an array, not " + out.type->text);
  if (out.type->readonly)
    e.fail("Cannot modify readonly array of type: " + out.type->text);
}

void check_cast(Emitter &e, const std::string &name, const std::string &what, const Type *from,
                const Type *to, const std::string &casting) {
  if (!can_cast(from, to, casting))
    e.fail("Cannot cast ufunc '" + name.substr(name.find('.') + 1) + "' " + what + " from " +
               from->text + " to " + to->text + " with casting rule '" + casting + "'",
           "pass casting='unsafe' to allow it");
}

/// Converts the operands so that the loop is one that gives `dtype`; comparisons and the like give
/// it from operands of any type.
void choose_loop(Emitter &e, const scalar::Row &row, const std::string &name, Operands &operands,
                 const UfuncOptions &options) {
  std::vector<const Type *> types;
  for (Operand &a : operands) {
    if (is_literal(a)) { // it does not choose the loop
      check_literal(e, a, options.dtype);
      if (a.type->is_integer() && options.dtype->is_integer())
        a = e.cast(a, options.dtype);
      if (a.constant)
        a.constant = constants::typed(*a.constant, a.type->text);
    }
    types.push_back(is_arraylike(a.type) ? a.type->dtype() : a.type);
  }
  auto natural = scalar::resolve(row, types, ufunc_form(e));
  if (natural && natural->result == options.dtype)
    return;
  const size_t converted = row.rule == scalar::Rule::FloatByInteger ? 1 : operands.size();
  for (size_t i = 0; i < converted; ++i) {
    check_cast(e, name, "input", types[i], options.dtype, options.casting);
    operands[i] = convert_elements(e, operands[i], options.dtype);
  }
}

/// Scalar operations called by name: np.add(a, b), math.sin(x), operator.add(a, b), abs(x).
Operand call_scalar(Emitter &e, const scalar::Row &row, const std::string &name,
                    CallArguments arguments) {
  const bool ufunc = name.starts_with("numpy.") || row.rule == scalar::Rule::Select;
  if (!ufunc && !arguments.keywords.empty())
    e.fail(name + "() has no argument '" + arguments.keywords[0].first + "' in compiled code");
  UfuncOptions options = ufunc_options(e, name, arguments);
  Operands &operands = arguments.positional;
  if (ufunc && static_cast<int>(operands.size()) == row.arity + 1) {
    if (operands.back().type->kind != Kind::None)
      options.out = operands.back();
    operands.pop_back();
  }
  if (static_cast<int>(operands.size()) != row.arity)
    e.fail(name + "() takes " + std::to_string(row.arity) + " arguments, got " +
           std::to_string(operands.size()));
  bool arrays = false, times = false;
  for (Operand &a : operands) {
    a = e.unwrap(a);
    const Type *item = is_arraylike(a.type) ? a.type->dtype() : a.type;
    if (item->kind == Kind::Record && row.rule == scalar::Rule::Select)
      return e.library("numjit.select_items", operands);
    times = times || holds_time(a.type);
  }
  if (times) {
    const std::string library = "numjit.time_" + std::string(row.name);
    if (!e.engine.host.library(library))
      e.fail("No implementation of function " + name + " for datetime64 and timedelta64");
    Operand result = e.library(library, operands);
    if (options.out)
      e.library("numjit.assign", {options.out, result});
    return options.out ? options.out : result;
  }
  for (Operand &a : operands) {
    if (!a.type->is_scalar() && !is_arraylike(a.type)) {
      if (ufunc && (a.type->is_tuple() || a.type->kind == Kind::List))
        a = e.library("numpy.asarray", {a});
      else
        e.fail("No implementation of function " + name + " for argument of type " + a.type->text);
    }
    arrays = arrays || is_arraylike(a.type);
  }
  if (options.dtype)
    choose_loop(e, row, name, operands, options);
  if (ufunc && (row.id == scalar::OpId::Real || row.id == scalar::OpId::Imag) &&
      operands[0].type->is_array()) // views, not ufuncs
    return rule_getattr(e, operands[0], std::string(row.name));
  Operand result = arrays ? elementwise(e, row, operands)
                          : e.scalar(row, operands, ufunc ? ufunc_form(e) : scalar::Form::Python);
  const Type *computed = is_arraylike(result.type) ? result.type->dtype() : result.type;
  if (options.dtype && computed != options.dtype)
    e.fail("No loop matching the specified signature and casting was found for ufunc " +
           name.substr(name.find('.') + 1) + ": it gives " + computed->text + ", not " +
           options.dtype->text);
  if (!options.out && !options.where)
    return result;
  // Elements that `where` leaves out keep what `out` holds; in a new array they are 0.
  const Type *dtype = computed;
  if (options.out) {
    check_out(e, name, options);
    check_cast(e, name, "output", dtype, options.out.type->dtype(), options.casting);
    dtype = options.out.type->dtype();
  }
  if (options.where) {
    const Type *type =
        is_arraylike(options.where.type) ? options.where.type->dtype() : options.where.type;
    if (!type->is_bool())
      e.fail(name + "(): where must be a bool or an array of bools, not " +
             options.where.type->text);
    Operand other = options.out ? options.out : e.cast(e.i64(0), dtype);
    const std::array<Operand, 3> choice{options.where, convert_elements(e, result, dtype), other};
    const bool lazy = is_arraylike(result.type) || options.out || is_arraylike(options.where.type);
    const scalar::Row &select = scalar::row(scalar::OpId::Select);
    result = lazy ? elementwise(e, select, choice) : e.scalar(select, choice, scalar::Form::NumPy);
  }
  if (!options.out)
    return result;
  e.library("numjit.assign", {options.out, result});
  return options.out;
}

/// operator.add and operator.iadd mean what the syntax means.
bool call_operator(Emitter &e, const std::string &name, CallArguments &arguments, Operand &result) {
  if (!name.starts_with("operator.") || !arguments.keywords.empty())
    return false;
  std::string plain = name.substr(9);
  for (bool inplace : {false, true}) {
    for (int i = 0; i <= static_cast<int>(Operator::Truth); ++i) {
      const OperatorRow &row = operator_row(static_cast<Operator>(i));
      std::string_view stem =
          row.name.ends_with('_') ? row.name.substr(0, row.name.size() - 1) : row.name;
      if (inplace ? row.form != OperatorForm::Binary || plain != "i" + std::string(stem)
                  : plain != row.name)
        continue;
      Operands &a = arguments.positional;
      const size_t arity = row.form == OperatorForm::Unary ? 1 : 2;
      if (a.size() != arity)
        e.fail(name + "() takes " + std::to_string(arity) + " arguments, got " +
               std::to_string(a.size()));
      if (arity == 1)
        result = row.id == Operator::Truth ? e.truth(force(e, a[0])) : rule_unary(e, row.id, a[0]);
      else if (row.id == Operator::In ||
               row.id == Operator::NotIn) // operator.contains(container, item)
        result = rule_operator(e, row.id, a[1], a[0], false);
      else
        result = rule_operator(e, row.id, a[0], a[1], inplace);
      return true;
    }
  }
  return false;
}

/// What a function asks the class of its first argument for, as abs() asks for __abs__.
bool call_protocol(Emitter &e, const std::string &name, const CallArguments &arguments,
                   Operand &result) {
  static constexpr std::pair<std::string_view, const char *> protocols[] = {
      {"builtins.abs", "__abs__"},       {"operator.abs", "__abs__"},
      {"builtins.divmod", "__divmod__"}, {"builtins.round", "__round__"},
      {"math.floor", "__floor__"},       {"math.ceil", "__ceil__"},
      {"math.trunc", "__trunc__"},       {"operator.index", "__index__"}};
  if (arguments.positional.empty() || !arguments.keywords.empty())
    return false;
  for (auto [function, method] : protocols)
    if (name == function)
      return call_class_method(
          e, e.unwrap(arguments.positional[0]), method,
          Operands(arguments.positional.begin() + 1, arguments.positional.end()), result);
  return false;
}

Operand call_named(Emitter &e, const std::string &name, CallArguments arguments);

/// Whether both compile, to values that are of one type without None.
bool give_one_type(Emitter &e, const std::function<Operand()> &a,
                   const std::function<Operand()> &b) {
  DryScope dry(e);
  try {
    const Type *first = a().type, *second = b().type;
    const Type *type = unify(first, second);
    return type && type->kind == first->kind && type->kind == second->kind;
  } catch (const CompileError &) {
    return false;
  }
}

/// Arguments of NumPy's functions and of array methods that may be None: a parameter that takes
/// None is told; others want values. False: there are none.
bool call_of_optional(Emitter &e, const std::string &name, CallArguments &arguments,
                      Operand &result) {
  if (!name.starts_with("numpy.") && !name.starts_with("Array."))
    return false;
  auto values = [&](const Operand &a) {
    if (a.type->kind != Kind::Tuple)
      return a;
    Operands items;
    bool changed = false;
    for (size_t i = 0; i < a.type->params.size(); ++i) {
      items.push_back(e.field(a, static_cast<int>(i)));
      const Operand value = e.unwrap(items.back());
      changed |= value.type != items.back().type;
      items.back() = value;
    }
    return changed ? e.tuple(items) : a;
  };
  for (Operand &a : arguments.positional)
    a = values(a);
  FunctionDef *def = e.engine.host.library(name);
  const Code *code = def ? &def->code : nullptr;
  auto parameter_of = [&](const std::string &keyword) {
    const auto found = std::find(code->varnames.begin(), code->varnames.end(), keyword);
    return static_cast<int>(found - code->varnames.begin());
  };
  auto is_optional = [](const Operand &a) { return a.type->kind == Kind::Optional; };
  Operand *given = nullptr;
  bool takes_none = false;
  for (size_t i = 0; i < arguments.positional.size() && !given; ++i)
    if (is_optional(arguments.positional[i])) {
      given = &arguments.positional[i];
      takes_none = def && may_be_none(*def, static_cast<int>(i));
    }
  for (auto &[keyword, a] : arguments.keywords)
    if (!given && is_optional(a)) {
      given = &a;
      takes_none = def && may_be_none(*def, parameter_of(keyword));
    }
  if (!given)
    return false;
  const Operand optional = *given;
  auto call = [&](const Operand &value) {
    *given = value;
    return call_named(e, name, arguments);
  };
  auto with_value = [&] { return force(e, call(e.field(optional, 1))); };
  auto without = [&] { return force(e, call(e.none())); };
  result = takes_none && give_one_type(e, with_value, without)
               ? e.choose(e.field(optional, 0), with_value, without)
               : call(e.unwrap(optional));
  return true;
}

Operand call_named(Emitter &e, const std::string &name, CallArguments arguments) {
  if (name.starts_with("numpy.") ||
      name.starts_with("math.")) { // members of an IntEnum are integers
    for (Operand &a : arguments.positional)
      if (a.type->kind == Kind::Enum)
        a = e.unwrap(a);
    for (auto &[keyword, a] : arguments.keywords)
      if (a.type->kind == Kind::Enum)
        a = e.unwrap(a);
  }
  Operand overloaded;
  const bool has_overloads = e.engine.host.has_overloads(name) ||
                             (e.on_device() && e.engine.host.has_overloads(name + "@cuda"));
  if (has_overloads && call_overload(e, name, arguments, overloaded))
    return overloaded;
  if (call_of_optional(e, name, arguments, overloaded))
    return overloaded;
  if (!arguments.positional.empty() && holds_time(arguments.positional[0].type))
    if (FunctionDef *def = e.engine.host.library(name + " (time)"))
      return call_function(e, *def, {}, std::move(arguments));
  if (name == "dataclasses.replace")
    return call_replace(e, std::move(arguments));
  if (name == "String.format")
    return call_format(e, arguments);
  if (Operand asked; call_protocol(e, name, arguments, asked))
    return asked;
  if (!arguments.keywords.empty()) // those of min() and max() that positional arguments lack
    if (FunctionDef *def = e.engine.host.library(name + " (keywords)"))
      return call_function(e, *def, {}, std::move(arguments));
  if (const Builtin *row = find_builtin(name))
    return call_builtin(e, *row, std::move(arguments));
  if (FunctionDef *def = e.engine.host.library(name))
    return call_function(e, *def, {}, std::move(arguments));
  Operand result;
  if (call_operator(e, name, arguments, result))
    return result;
  if (const scalar::Row *row = scalar::by_name(name))
    return call_scalar(e, *row, name, std::move(arguments));
  e.fail("No implementation of function " + name + ": numjit does not know it in compiled code");
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
  if (arguments.positional.size() != 1 || !arguments.keywords.empty())
    e.fail(to->text + "() takes 1 argument");
  Operand value = e.unwrap(arguments.positional[0]);
  if (value.type->kind == Kind::Timedelta)
    return e.cast(value, to);
  if (value.type->is_scalar()) {
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
const nj_python_call *python_call(const Object &object, const Type *arguments) {
  static std::mutex mutex;
  static std::map<std::pair<const Object *, const Type *>, nj_python_call> rows;
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
  std::array<Operand, 3> operands{e.address(python_call(object, type), types::int64()), in, out};
  e.runtime(tir::RuntimeOp::CallPython, types::none(), operands);
  return layout_of(result).leaves.empty() ? e.unit(result) : e.load(out, tir::Alias::Stack, true);
}

} // namespace

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
  if (Operand result; call_class_method(e, callee, "__call__", arguments.positional, result))
    return result;
  if (type->kind == Kind::DType) {
    if (arguments.positional.size() != 1)
      e.fail(type->text + "() takes 1 argument");
    return e.cast(e.unwrap(arguments.positional[0]), type->params[0]);
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
  case ObjectKind::ExceptionClass: {
    std::vector<const Type *> argument_types;
    for (Operand &a : arguments.positional) {
      a = force(e, a);
      argument_types.push_back(a.type);
    }
    if (!arguments.keywords.empty())
      e.fail("exceptions take positional arguments only in compiled code");
    return e.make(types::exception(type->constant, argument_types), arguments.positional);
  }
  case ObjectKind::NamedTupleClass: {
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
    std::vector<const Type *> item_types;
    const size_t required = items.size() - object.field_defaults.size();
    for (size_t i = 0; i < items.size(); ++i) {
      if (!items[i] && i >= required)
        items[i] = e.constant(object.field_defaults[i - required]);
      if (!items[i])
        e.fail(object.name + "() misses field '" + object.fields[i] + "'");
      items[i] = force(e, items[i]);
      item_types.push_back(items[i].type);
    }
    return e.make(types::named_tuple(type->constant, item_types), items);
  }
  default: return call_named(e, object.name, std::move(arguments));
  }
}

} // namespace numjit
