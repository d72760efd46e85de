// Values of the user's own classes: members of enumerations, dataclasses, jitclasses; and what
// their classes define (methods, properties, constants).
//
// A frozen dataclass is a value made of its fields. Other instances are references to a block
// (nj_instance), so that what one name writes another one reads, as in Python.
#include "typeinfer/infer/engine.h"
#include "typeinfer/infer/unify.h"
#include "typeinfer/rules/foreign_calls.h"
#include "typeinfer/rules/instances.h"
#include "typeinfer/rules/plain_classes.h"
#include "typeinfer/types/named_instances.h"

#include <algorithm>

namespace numjit {

namespace {

// --- instances in blocks ---

/// Instances and containers are null in fields that were never set.
void check_made(Emitter &e, const Operand &value, const std::string &field) {
  const Kind kind = value.type->kind;
  if (kind == Kind::Instance || kind == Kind::List || is_table(value.type)) {
    const Operand address = e.pointer_bits(e.field(value, 0));
    e.raise_if(e.op(Operator::Eq, address, e.i64(0)), "AttributeError",
               "field '" + field + "' was never set");
  } else if (value.type->is_tuple() || value.type->kind == Kind::Struct) {
    for (size_t i = 0; i < value.type->params.size(); ++i)
      check_made(e, e.field(value, static_cast<int>(i)), field);
  }
}

Operand read_field(Emitter &e, const Operand &object, int index) {
  if (object.type->kind == Kind::Struct)
    return e.field(object, index);
  const Type *structure = structure_of(e, object.type), *field = structure->fields[index];
  if (layout_of(field).leaves.empty())
    return field->kind == Kind::None ? e.none() : e.unit(field);
  Operand value = e.load(field_pointer(e, object, structure, index), tir::Alias::Fields);
  if (object.type->constant->is_object(ObjectKind::JitClass))
    check_made(e, value, structure->names[index]);
  if (field->kind != Kind::Maybe)
    return value;
  e.raise_if(e.logical_not(e.field(value, 0)), "AttributeError",
             "'" + plain_name(*object.type->constant->object) + "' object has no attribute '" +
                 structure->names[index] + "'");
  return e.field(value, 1);
}

/// Containers and texts become bools where a field is one, as in Numba.
bool has_length(const Type *type) {
  return type->is_tuple() || type->is_array() || type->kind == Kind::String ||
         type->kind == Kind::Unicode || type->kind == Kind::List || is_table(type);
}

/// Whether a number loses its fraction or its imaginary part. Fields that are declared to be
/// integers may take floats, as in Numba; where the first value says the type, Python keeps them.
bool drops_part(const Type *from, const Type *to) {
  if (!from->is_scalar() || !to->is_scalar() || !from->is_number() || !to->is_number())
    return false;
  return (from->is_complex() && !to->is_complex()) ||
         (from->is_float() && !to->is_float() && !to->is_complex());
}

/// What a field of a type holds after an assignment.
Operand value_of_field(Emitter &e, const Type *type, const Type *structure, int index,
                       Operand given) {
  const Type *field = structure->fields[index];
  if (field->kind == Kind::Maybe)
    field = field->params[0];
  if (field->is_scalar() && field->is_bool() && has_length(given.type))
    given = e.truth(given);
  if (field->is_scalar() && given.type->is_array() && given.type->ndim == 0)
    given = rule_getitem(e, given, e.tuple({})); // its one element, as in Numba
  if (field->kind == Kind::Pointer && given.type->is_scalar() && given.type->is_integer())
    return c_argument(e, structure->names[index], given, field); // an address
  const Type *from = given.type;
  if (from->kind != field->kind && !unify(from, field))
    e.fail("Cannot cast " + from->text + " to " + field->text + ": field '" +
           structure->names[index] + "' of " + type->text + " has type " + field->text);
  if (type->constant->is_object(ObjectKind::DataClass) && drops_part(from, field)) {
    e.engine.field_items.suspect(type->constant); // a class with one type of instances may widen it
    e.fail("cannot assign " + from->text + " to field '" + structure->names[index] + "' of " +
               type->text + ": its first value was " + field->text,
           "give it a value of that kind where the instance is made: 1.0 for 1");
  }
  return e.convert(given, field);
}

void write_field(Emitter &e, const Operand &object, int index, const Operand &given) {
  const Type *structure = structure_of(e, object.type), *field = structure->fields[index];
  if (object.type->constant->is_object(ObjectKind::DataClass))
    note_field(e, object.type->constant, index, item_type_of(given.type), field);
  Operand value = value_of_field(e, object.type, structure, index, given);
  if (field->kind == Kind::Maybe)
    value = e.make(field, {e.boolean(true), value});
  if (layout_of(field).leaves.empty())
    return;
  e.overwrite(field_pointer(e, object, structure, index), value, tir::Alias::Fields);
}

// --- enumerations ---

/// The members without their aliases, in order of their numbers.
std::vector<const Const *> members_of(const Object &cls) {
  std::vector<const Const *> members;
  for (auto &[name, member] : cls.members)
    if (member->is_object(ObjectKind::EnumMember) &&
        member->object->number == static_cast<int64_t>(members.size()))
      members.push_back(member);
  return members;
}

/// Picks one of the members' values or names by number.
Operand pick(Emitter &e, const Operand &self, const std::function<Operand(const Object &)> &part,
             const std::string &what) {
  const Object &cls = *self.type->constant->object;
  if (self.constant)
    return part(*self.constant->object);
  if (self.type->unit && what == "value")
    return e.field(self, 0);
  Operands parts;
  const std::vector<const Const *> members = members_of(cls);
  for (const Const *member : members) {
    Operand own = part(*member->object);
    parts.push_back(own.type->kind == Kind::String ? e.convert(own, types::unicode()) : own);
  }
  Operand all = e.tuple(parts);
  if (all.type->params.empty() || !all.type->is_homogeneous())
    e.fail(
        "the " + what + "s of " + cls.name +
            "'s members have different types, so which one is meant must be known at compile time",
        "compare with the members instead");
  Operand number = self.type->unit ? e.i64(0) : e.field(self, 0);
  if (self.type->unit) // members of an IntEnum are known by value
    for (size_t i = 1; i < members.size(); ++i) {
      Operand is_it = e.op(Operator::Eq, e.field(self, 0), e.constant(members[i]->object->value));
      number = e.select(is_it, e.i64(static_cast<int64_t>(i)), number);
    }
  return e.field_at(all, number);
}

Operand enum_attribute(Emitter &e, const Operand &self, const std::string &name) {
  if (name == "value" || name == "_value_")
    return pick(
        e, self, [&](const Object &m) { return e.constant(m.value); }, "value");
  if (name == "name" || name == "_name_")
    return pick(
        e, self, [&](const Object &m) { return e.constant(constants::string(m.name)); }, "name");
  if (self.type->unit && (name == "real" || name == "imag"))
    return rule_getattr(e, e.unwrap(self), name);
  return {};
}

/// Color(1): the member with a value.
Operand member_by_value(Emitter &e, const Const *cls, const Operand &given) {
  const Object &object = *cls->object;
  const Type *type = types::enumeration(cls);
  if (given.type == type)
    return given;
  Operand value = e.unwrap(given);
  const std::vector<const Const *> members = members_of(object);
  if (value.constant)
    for (const Const *member : members)
      if (member->object->value == value.constant)
        return e.constant(member);
  Operand found = e.boolean(false), number = e.i64(0);
  for (const Const *member : members) {
    Operand own = e.constant(member->object->value);
    if (own.type->kind != value.type->kind)
      continue;
    Operand equal = e.truth(rule_operator(e, Operator::Eq, value, own, false));
    number = e.select(equal, e.i64(member->object->number), number);
    found = e.select(equal, e.boolean(true), found);
  }
  if (object.is_flag) // unions of members are values of the class, too
    return e.make(type, {e.cast(value, types::int64())});
  e.raise_if(e.logical_not(found), "ValueError", "not a valid " + object.short_name());
  return e.make(type, {type->unit ? e.cast(value, types::int64()) : number});
}

// --- making instances ---

/// The numbers of the fields that a call may give: all, or those that may go without a name.
std::vector<size_t> given_fields(const Object &cls, bool positional) {
  auto says = [&](const char *what, size_t field, bool otherwise) {
    const Const *said = cls.member(what + cls.fields[field]);
    return said ? said->integer != 0 : otherwise;
  };
  std::vector<size_t> given;
  for (size_t i = 0; i < cls.fields.size(); ++i)
    if (says("init ", i, true) && !(positional && says("kw_only ", i, false)))
      given.push_back(i);
  return given;
}

/// The fields of a dataclass from the arguments of a call; the defaults of those left out, nothing
/// for fields that __post_init__ has to set.
Operands bind_fields(Emitter &e, const Object &cls, CallArguments &arguments) {
  Operands items(cls.fields.size());
  const std::vector<size_t> all = given_fields(cls, false), places = given_fields(cls, true);
  if (arguments.positional.size() > places.size())
    e.fail(cls.short_name() + "() takes " + std::to_string(places.size()) + " arguments, got " +
           std::to_string(arguments.positional.size()));
  for (size_t i = 0; i < arguments.positional.size(); ++i)
    items[places[i]] = arguments.positional[i];
  for (auto &[keyword, value] : arguments.keywords) {
    auto found = std::ranges::find(all, keyword, [&](size_t i) { return cls.fields[i]; });
    if (found == all.end())
      e.fail(cls.short_name() + "() got an unexpected keyword argument '" + keyword + "'");
    if (items[*found])
      e.fail(cls.short_name() + "() got multiple values for argument '" + keyword + "'");
    items[*found] = value;
  }
  for (size_t i = 0; i < items.size(); ++i) {
    if (!items[i] && i < cls.field_defaults.size() && cls.field_defaults[i])
      items[i] = e.constant(cls.field_defaults[i]);
    if (const Const *factory = items[i] ? nullptr : cls.member("factory " + cls.fields[i]))
      items[i] = rule_call(e, e.constant(factory), {}); // Cls(...) is said in the frontend
    if (!items[i] && std::ranges::find(all, i) != all.end())
      e.fail(cls.short_name() + "() missing a required argument: '" + cls.fields[i] + "'");
    items[i] = items[i] ? force(e, items[i]) : e.undef(types::undefined());
  }
  return items;
}

Operand make_dataclass(Emitter &e, const Const *cls, CallArguments &arguments) {
  const Object &object = *cls->object;
  if (object.member("__init__"))
    e.fail(object.short_name() + " has an __init__ of its own, which compiled code cannot call",
           "let the dataclass make it");
  Operands items = bind_fields(e, object, arguments);
  const Const *post_init = object.member("__post_init__");
  if (object.is_frozen) {
    std::vector<const Type *> item_types;
    for (const Operand &item : items)
      item_types.push_back(item.type);
    Operand made = e.make(types::structure(cls, item_types), items);
    if (is_function(post_init)) // may check, not change
      call_member(e, post_init, &made, {});
    return made;
  }
  for (size_t i = 0; i < items.size(); ++i)
    items[i] = first_value(e, cls, i, items[i]);
  Operand made = instance_of_fields(e, cls, std::move(items));
  if (is_function(post_init))
    call_member(e, post_init, &made, {});
  return made;
}

/// A structref: the types of its fields are what its class makes of those of the arguments.
Operand make_struct_ref(Emitter &e, const Const *cls, CallArguments &arguments) {
  Operands items = bind_fields(e, *cls->object, arguments);
  std::vector<const Type *> item_types;
  for (Operand &item : items) {
    item = e.unliteral(item);
    item_types.push_back(item.type);
  }
  std::string error;
  const Type *type = e.engine.host.struct_ref(cls, item_types, error);
  if (!type)
    e.fail("cannot make a " + cls->object->short_name() + ": " + error);
  const Type *structure = structure_of(e, type);
  for (size_t i = 0; i < items.size(); ++i)
    items[i] = value_of_field(e, type, structure, static_cast<int>(i), items[i]);
  return new_instance_of(e, type, structure, items);
}

Operand make_jitclass(Emitter &e, const Const *cls, CallArguments &arguments) {
  if (cls->object->member("is_struct_ref"))
    return make_struct_ref(e, cls, arguments);
  const Type *type = types::instance(cls, nullptr);
  Operand made = new_instance(e, type, structure_of(e, type));
  const Const *init = cls->object->member("__init__");
  if (is_function(init)) {
    const Operand given = call_member(e, init, &made, std::move(arguments));
    if (given.type->kind != Kind::None)
      e.fail("__init__() should return None, not " + given.type->text);
  } else if (!arguments.positional.empty() || !arguments.keywords.empty())
    e.fail(cls->object->short_name() + "() takes no arguments");
  return made;
}

/// numjit.blank_instance(cls): an instance whose __init__ has not run.
Operand blank_instance(Emitter &e, Operands &a) {
  const Type *type = types::instance(a[0].type->constant, nullptr);
  return new_instance(e, type, structure_of(e, type));
}

/// The fields as a tuple, for what dataclasses compare.
Operand fields_as_tuple(Emitter &e, const Operand &object) {
  const Type *structure =
      object.type->kind == Kind::Struct ? object.type : structure_of(e, object.type);
  Operands items;
  for (size_t i = 0; i < structure->params.size(); ++i)
    items.push_back(read_field(e, object, static_cast<int>(i)));
  return e.tuple(items);
}

Operand as_tuple(Emitter &e, Operands &a) { return fields_as_tuple(e, a[0]); }

/// numjit.captured_values(function): what an inner function captured, without its defaults.
Operand captured_values(Emitter &e, Operands &a) {
  Operands items;
  if (a[0].type->kind == Kind::Closure)
    for (size_t i = 0; i < a[0].type->constant->object->function->code.freevars.size(); ++i)
      items.push_back(e.field(a[0], static_cast<int>(i)));
  return e.tuple(items);
}

Operand same_instance(Emitter &e, Operands &a) {
  return e.op(Operator::Eq, e.pointer_bits(e.field(a[0], 0)), e.pointer_bits(e.field(a[1], 0)));
}

/// p._replace(x=1), dataclasses.replace(p, x=1)
Operand replaced(Emitter &e, const Operand &object, CallArguments &arguments) {
  const Const *cls = object.type->constant;
  const std::vector<std::string> &names = cls->object->fields;
  CallArguments all;
  for (size_t i = 0; i < names.size(); ++i) {
    auto given = std::find_if(arguments.keywords.begin(), arguments.keywords.end(),
                              [&](const auto &each) { return each.first == names[i]; });
    const int index = static_cast<int>(i);
    all.positional.push_back(given != arguments.keywords.end() ? given->second
                             : object.type->is_tuple()         ? e.field(object, index)
                                                               : read_field(e, object, index));
  }
  for (auto &[keyword, value] : arguments.keywords)
    if (std::find(names.begin(), names.end(), keyword) == names.end())
      e.fail("Got unexpected field names: ['" + keyword + "']");
  return rule_call(e, e.constant(cls), std::move(all));
}

/// numjit.new_struct(class, fields): a value of a class that is made of its fields.
Operand new_struct(Emitter &e, Operands &a) {
  Operands fields;
  for (size_t i = 0; i < a[1].type->params.size(); ++i)
    fields.push_back(e.field(a[1], static_cast<int>(i)));
  return e.make(types::structure(a[0].type->constant, a[1].type->params), fields);
}

/// structref.new(type): a structref whose fields are zero.
Operand new_struct_ref(Emitter &e, Operands &a) {
  const Type *given = a[0].type, *type = nullptr;
  if (given->kind == Kind::Function && given->constant->is_object(ObjectKind::Type))
    type = static_cast<const Type *>(given->constant->object->type);
  if (!type || type->kind != Kind::Instance || !type->constant->object->member("is_struct_ref"))
    e.fail("structref.new() takes a type of structrefs, with its fields, not " + given->text);
  return new_instance(e, type, structure_of(e, type));
}

std::string attribute_argument(Emitter &e, const Operand &name) {
  if (name.type->kind != Kind::String)
    e.fail("the name of an attribute must be known at compile time, not " + name.type->text);
  return name.type->constant->text;
}

Operand set_attribute(Emitter &e, Operands &a) {
  rule_setattr(e, a[0], attribute_argument(e, a[1]), a[2]);
  return e.none();
}

/// numjit.member(x, name): what a type itself has by a name, whatever overloads make of it.
Operand member(Emitter &e, Operands &a) {
  const std::string name = attribute_argument(e, a[1]);
  if (Operand found = class_attribute(e, a[0], name))
    return found;
  return rule_getattr(e, a[0], name);
}

const Builtin kClassRows[] = {
    {"numjit.blank_instance", "cls", blank_instance},
    {"builtins.setattr", "object name value", set_attribute},
    {"numjit.fields_as_tuple", "x", as_tuple},
    {"numjit.captured_values", "function", captured_values},
    {"numjit.same_instance", "a b", same_instance},
    {"numjit.member", "object name", member},
    {"numjit.new_struct", "class fields", new_struct},
    {"numjit.new_struct_ref", "struct_type", new_struct_ref},
};

} // namespace

BuiltinTable class_builtins() { return kClassRows; }

const Const *class_member(const Type *type, const std::string &name) {
  if (!has_class(type) || type->constant->kind != ConstKind::Object)
    return nullptr;
  return type->constant->object->member(name);
}

bool is_own_iterator(const Type *type) { return is_function(class_member(type, "__next__")); }

Operand class_attribute(Emitter &e, const Operand &object, const std::string &name) {
  const Type *type = object.type;
  if (const Const *described = class_itself(type)) {
    const Object &cls = *described->object;
    if (const Const *function = cls.member("static " + name))
      return e.constant(function);
    if (const Const *function = cls.member("class " + name); is_function(function))
      return e.make(types::method(type, function), {object});
    const Const *member = cls.member(name);
    return member && !is_function(member) ? e.constant(member) : Operand{};
  }
  if (!has_class(type) || type->constant->kind != ConstKind::Object)
    return {};
  if (type->kind == Kind::Struct || type->kind == Kind::Instance) {
    const Type *structure = type->kind == Kind::Struct ? type : structure_of(e, type);
    if (is_unfinished(type))
      if (Operand own = attribute_of_unfinished(e, object, name))
        return own;
    if (int index = field_index(structure, name); index >= 0)
      return read_field(e, object, index);
  }
  if (type->kind == Kind::NamedTuple && name == "_fields") {
    Operands names;
    for (const std::string &field : type->names)
      names.push_back(e.constant(constants::string(field)));
    return e.tuple(names);
  }
  if (type->kind == Kind::NamedTuple && name == "_replace")
    return e.make(types::method(type, constants::string("numjit._replace")), {object});
  const Object &cls = *type->constant->object;
  if (const Const *getter = cls.member("get " + name); is_function(getter))
    return call_member(e, getter, &object, {});
  if (const Const *function = cls.member("static " + name))
    return e.constant(function);
  if (const Const *function = cls.member("class " + name); is_function(function)) {
    Operand self = e.constant(type->constant);
    return e.make(types::method(self.type, function), {self});
  }
  if (type->kind == Kind::Enum)
    if (Operand part = enum_attribute(e, object, name))
      return part;
  const Const *member = cls.member(name);
  const std::string qualified = cls.name + "." + name; // classes of NumPy
  if (const LibraryKey computed(qualified, LibraryUse::Attribute);
      !member && type->kind == Kind::Struct && e.engine.host.library(computed))
    return e.library(computed, {object});
  if (!member && e.engine.host.library(qualified))
    return e.make(types::method(type, constants::string(qualified)), {object});
  if (!member)
    return {};
  if (is_function(member))
    return e.make(types::method(type, member), {object});
  return e.constant(member);
}

Operand field_is_set(Emitter &e, const Operand &object, const std::string &name) {
  if (object.type->kind != Kind::Instance)
    return {};
  const Type *structure = structure_of(e, object.type);
  const int index = field_index(structure, name);
  if (index < 0 || structure->fields[index]->kind != Kind::Maybe)
    return {};
  return e.field(e.load(field_pointer(e, object, structure, index), tir::Alias::Fields), 0);
}

bool set_class_attribute(Emitter &e, const Operand &object, const std::string &name,
                         const Operand &value) {
  const Type *type = object.type;
  if (is_unfinished(type)) // or a global one
    e.fail("cannot assign to field '" + name + "' of a global object, or before its __init__ ends",
           "pass a global object as an argument; in __init__, call methods for what they do alone");
  if (type->kind == Kind::Struct)
    e.fail("cannot assign to field '" + name + "': " + type->text + " is frozen",
           "make a new one with dataclasses.replace()");
  if (type->kind != Kind::Instance)
    return false;
  const Object &cls = *type->constant->object;
  if (const Const *setter = cls.member("set " + name); is_function(setter)) {
    CallArguments arguments{{value}, {}};
    call_member(e, setter, &object, std::move(arguments));
    return true;
  }
  const int index = field_index(structure_of(e, type), name);
  if (index < 0)
    return false;
  write_field(e, object, index, value);
  return true;
}

std::string library_method(Emitter &e, const Type *type, const std::string &name) {
  if (type->kind != Kind::Struct || !type->constant->is_object(ObjectKind::Class))
    return {};
  std::string qualified = type->constant->object->name + "." + name;
  return e.engine.host.library(qualified) ? qualified : std::string();
}

bool call_class_method(Emitter &e, const Operand &object, const std::string &name,
                       CallArguments arguments, Operand &result) {
  const Const *member = class_member(object.type, name);
  if (is_function(member)) {
    result = call_member(e, member, &object, std::move(arguments));
    return true;
  }
  const std::string qualified = library_method(e, object.type, name);
  if (qualified.empty())
    return false;
  arguments.positional.insert(arguments.positional.begin(), object);
  result = call_named(e, qualified, std::move(arguments));
  return true;
}

bool call_user_class(Emitter &e, const Const *cls, CallArguments &arguments, Operand &result) {
  switch (cls->object->kind) {
  case ObjectKind::EnumClass:
    if (arguments.positional.size() != 1 || !arguments.keywords.empty())
      e.fail(cls->object->short_name() + "() takes 1 argument");
    result = member_by_value(e, cls, force(e, arguments.positional[0]));
    return true;
  case ObjectKind::DataClass: result = make_dataclass(e, cls, arguments); return true;
  case ObjectKind::JitClass: result = make_jitclass(e, cls, arguments); return true;
  case ObjectKind::Class:
    if (!cls->object->value || e.engine.host.has_overloads(cls->object->name))
      return false;
    result = make_plain(e, cls->object->value, std::move(arguments));
    return true;
  default: return false;
  }
}

Operand call_replace(Emitter &e, CallArguments arguments) {
  if (arguments.positional.size() != 1)
    e.fail("_replace() takes keyword arguments only");
  Operand object = force(e, arguments.positional[0]);
  if (!has_class(object.type) || object.type->kind == Kind::Enum)
    e.fail("replace() needs a dataclass, not " + object.type->text);
  return replaced(e, object, arguments);
}

Operand enum_member_named(Emitter &e, const Const *cls, const Operand &name) {
  const Const *member =
      name.type->kind == Kind::String ? cls->object->member(name.type->constant->text) : nullptr;
  if (!member)
    e.fail("members of " + cls->object->short_name() +
           " are found by a name that is known at compile time, not by " + name.type->text);
  return e.constant(member);
}

Operand enum_members(Emitter &e, const Const *cls) {
  Operands members;
  for (const Const *member : members_of(*cls->object))
    members.push_back(e.constant(member));
  return e.tuple(members);
}

} // namespace numjit
