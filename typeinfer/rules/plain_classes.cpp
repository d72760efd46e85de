#include "typeinfer/rules/plain_classes.h"

#include "typeinfer/infer/engine.h"
#include "typeinfer/rules/instances.h"
#include "typeinfer/types/open_fields.h"

#include <algorithm>

namespace numjit {

namespace {

/// The type of a field that __init__ has not set yet.
const Type *unset(Emitter &e) { return e.constant(constants::builtin("numjit.unset")).type; }

/// What a plain class defines for instances whose __init__ does not set a field.
const Const *default_of(const Object &cls, const std::string &field) {
  return cls.member("default " + field);
}

/// Whether a value holds the `self` of an __init__, which is no reference yet: what changes later
/// would not be seen there.
bool holds_unfinished(const Type *type) {
  if (type->kind == Kind::Instance)
    return false;
  return is_unfinished(type) || std::ranges::any_of(type->params, holds_unfinished);
}

/// numjit.with_field(self, name, value): `self` of an __init__ behind `self.name = value`.
Operand with_field(Emitter &e, Operands &a) {
  const Type *type = a[0].type;
  const std::string &name = a[1].type->constant->text;
  const int index = type->kind == Kind::Struct ? field_index(type, name) : -1;
  if (index < 0)
    e.fail("before __init__ ends, a plain class sets fields only, which '" + name + "' is not",
           "make the class a @jitclass");
  if (holds_unfinished(a[2].type))
    e.fail("self is stored in '" + name + "' before its __init__ ends",
           "store it behind the call that makes it");
  Operands fields;
  std::vector<const Type *> types = type->params;
  for (size_t i = 0; i < types.size(); ++i)
    fields.push_back(e.field(a[0], static_cast<int>(i)));
  fields[index] = first_value(e, type->constant, index, a[2]);
  types[index] = fields[index].type;
  return e.make(types::structure(type->constant, types), fields);
}

Operand unchanged(Emitter &, Operands &a) { return a[0]; }

/// numjit.copied_instance(x): another instance with the same fields.
Operand copied_instance(Emitter &e, Operands &a) {
  const Operand x = e.unwrap(a[0]);
  if (x.type->kind != Kind::Instance)
    e.fail("copy.copy() takes numbers, texts, containers, arrays and instances in compiled code");
  const Type *structure = structure_of(e, x.type);
  Operands items;
  for (size_t i = 0; i < structure->params.size(); ++i) {
    const Type *field = structure->params[i];
    items.push_back(
        layout_of(field).leaves.empty()
            ? e.undef(field)
            : e.load(field_pointer(e, x, structure, static_cast<int>(i)), tir::Alias::Fields));
  }
  return new_instance_of(e, x.type, structure, items);
}

const Builtin kPlainClassRows[] = {
    {"numjit.copied_instance", "x", copied_instance},
    {"numjit.unchanged", "x", unchanged},
    {"numjit.with_field", "self name value", with_field},
};

} // namespace

BuiltinTable plain_class_builtins() { return kPlainClassRows; }

bool is_plain_class(const Object &cls) {
  return cls.kind == ObjectKind::DataClass && cls.name.ends_with('>');
}

Operand hash_by_identity(Emitter &e, const Operand &x) {
  if (x.type->kind != Kind::Instance || !is_plain_class(*x.type->constant->object) ||
      class_member(x.type, "__eq__"))
    return {};
  return e.op(Operator::FloorDiv, e.pointer_bits(e.field(x, 0)), e.i64(16)); // of a block
}

std::string plain_name(const Object &cls) { // its own is "module.Class.<fields>"
  const std::string name = cls.name.substr(0, cls.name.rfind(".<"));
  return name.substr(name.rfind('.') + 1);
}

Operand first_value(Emitter &e, const Const *cls, size_t field, const Operand &given) {
  FieldItems &items = e.engine.field_items;
  if (given.type->kind != Kind::None)
    return e.unliteral(given);
  if (items.named_instance(cls))
    return given;
  const Type *type = items.type_of(types::value_of_field(name_of_field(cls, field)));
  if (is_item_of_field(type))
    return e.undef(type);
  return type->kind == Kind::None ? given : e.convert(given, types::optional(type));
}

/// `self` behind the __init__ of a class.
static Operand initialised(Emitter &e, const Const *cls, CallArguments arguments) {
  const Object &object = *cls->object;
  const Const *init = object.member("<make>");
  const std::vector<const Type *> none_yet(object.fields.size(), unset(e));
  Operand self = e.make(types::structure(cls, none_yet),
                        Operands(none_yet.size(), e.constant(constants::builtin("numjit.unset"))));
  if (is_function(init))
    return force(e, call_member(e, init, &self, std::move(arguments)));
  if (is_function(object.member("__init__")))
    e.fail("self is passed on before its __init__ ends"); // by *args
  if (!arguments.positional.empty() || !arguments.keywords.empty())
    e.fail(plain_name(object) + "() takes no arguments");
  return self;
}

const Type *type_of_exceptions_attribute(Emitter &e, const Type *exception,
                                         const std::string &name) {
  const Const *cls = exception->constant ? exception->constant->object->value : nullptr;
  if (!cls)
    return nullptr;
  CallArguments arguments;
  if (exception->kind == Kind::Exception)
    for (const Type *type : exception->params)
      arguments.positional.push_back({item_type_of(type), nullptr, nullptr, e.position});
  const Operand self = initialised(e, cls, std::move(arguments));
  const int index = field_index(self.type, name);
  if (index >= 0 && self.type->params[index] != unset(e))
    return item_type_of(self.type->params[index]);
  const Const *own = default_of(*cls->object, name);
  const Const *constant = own ? own : cls->object->member(name);
  return constant && !is_function(constant) ? item_type_of(e.constant(constant).type) : nullptr;
}

/// An instance that exists while its __init__ runs, which may hand it on.
static Operand make_by_reference(Emitter &e, const Const *cls, CallArguments arguments) {
  const Type *type = e.engine.field_items.named_instance(cls), *structure = structure_of(e, type);
  const Operand made = new_instance(e, type, structure);
  for (size_t i = 0; i < structure->params.size(); ++i) {
    const std::string &field = structure->names[i];
    if (const Const *own = default_of(*cls->object, field))
      rule_setattr(e, made, field, e.constant(own));
    else
      e.engine.field_items.note(cls, i, types::undefined());
  }
  call_member(e, cls->object->member("__init__"), &made, std::move(arguments));
  return made;
}

Operand make_plain(Emitter &e, const Const *cls, CallArguments arguments) {
  const Object &object = *cls->object;
  FieldItems &items_of_fields = e.engine.field_items;
  if (items_of_fields.exists_in_init(cls))
    return make_by_reference(e, cls, std::move(arguments));
  Operand self;
  try {
    self = initialised(e, cls, std::move(arguments));
  } catch (const CompileError &error) { // "self is passed on before its __init__ ends", ...
    if (error.message.find("__init__ ends") != std::string::npos)
      items_of_fields.let_exist_in_init(cls);
    throw;
  }
  Operands items;
  for (size_t i = 0; i < object.fields.size(); ++i) {
    Operand item = e.field(self, static_cast<int>(i));
    if (item.type == unset(e)) {
      const Const *own = default_of(object, object.fields[i]);
      item = own ? e.constant(own) : e.undef(types::undefined());
    }
    items.push_back(e.unliteral(item));
  }
  return instance_of_fields(e, cls, std::move(items));
}

bool is_unfinished(const Type *type) {
  return type->kind == Kind::Struct && type->constant->is_object(ObjectKind::DataClass) &&
         !type->constant->object->is_frozen;
}

Operand attribute_of_unfinished(Emitter &e, const Operand &object, const std::string &name) {
  const Object &cls = *object.type->constant->object;
  const bool is_base = name.starts_with("super ") && name.ends_with(" <make>");
  if (is_base && !cls.member(name) && cls.member(name.substr(0, name.rfind(' ') + 1) + "__init__"))
    e.fail("self is passed on before its __init__ ends"); // by *args
  if (is_base && !cls.member(name))
    return e.make(types::method(object.type, constants::string("numjit.unchanged")), {object});
  if (name.starts_with("make ") && !cls.member(name))
    e.fail("'" + name.substr(5) + "' is called before __init__ ends, and no method of " +
               plain_name(cls),
           "make the class a @jitclass");
  const int index = field_index(object.type, name);
  if (index < 0 || object.type->params[index] != unset(e))
    return {};
  if (const Const *own = default_of(cls, name))
    return e.constant(own);
  e.fail("the field '" + name + "' is read before __init__ sets it");
}

const Const *class_itself(const Type *type) {
  if (type->kind != Kind::Function)
    return nullptr;
  const Const *cls = type->constant;
  if (cls->is_object(ObjectKind::Class) && cls->object->value)
    return cls->object->value;
  const bool has_members =
      cls->is_object(ObjectKind::JitClass) || cls->is_object(ObjectKind::DataClass) ||
      cls->is_object(ObjectKind::NamedTupleClass) || cls->is_object(ObjectKind::EnumClass);
  return has_members ? cls : nullptr;
}

} // namespace numjit
