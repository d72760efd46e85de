// What kinds of type are called: where their attributes are registered, and their classes in
// Python.
#include "typeinfer/infer/builtins.h"
#include "typeinfer/infer/engine.h"

namespace numjit {

namespace {

// --- under what name attributes and methods are registered ---

std::string_view name_of_scalar(const Type *type) {
  switch (type->cls()) {
  case ScalarClass::Bool: return "Boolean";
  case ScalarClass::Signed:
  case ScalarClass::Unsigned: return "Integer";
  case ScalarClass::Float: return "Float";
  case ScalarClass::Complex: return "Complex";
  }
  return "Number";
}

std::string_view name_of_bytes(const Type *type) { return type->readonly ? "Bytes" : "ByteArray"; }

std::string_view name_of_view(const Type *type) {
  return type->constant->text == "keys"     ? "DictKeys"
         : type->constant->text == "values" ? "DictValues"
                                            : "DictItems";
}

/// array.flags, array.flat and array.ctypes, too.
std::string_view name_of_method(const Type *type) {
  for (std::string_view name : {"Flags", "Flat", "ArrayCTypes"})
    if (type->constant->text == name)
      return name;
  return is_walk(type) ? "Walk" : "Method";
}

/// A name, or the function that says it.
struct AttributesName {
  std::string_view fixed = {};
  std::string_view (*of)(const Type *) = nullptr;

  constexpr AttributesName(const char *name) : fixed(name) {}
  constexpr AttributesName(std::string_view (*function)(const Type *)) : of(function) {}
};

constexpr AttributesName kNames[] = {
#define NUMJIT_KIND(id, attributes, ...) attributes,
#include "typeinfer/types/kinds.def"
#undef NUMJIT_KIND
};

// --- the classes of values in Python ---

const Const *no_class(Emitter &, const Type *) { return nullptr; }
const Const *own_class(Emitter &e, const Type *type) {
  const Const *cls = type->constant;
  if (cls->is_object(ObjectKind::DataClass) && cls->object->data) // it stands for a plain class
    return e.engine.host.called("numjit.plain_classes.class_of", {cls});
  return cls;
}

const Const *class_of_scalar(Emitter &e, const Type *type) {
  return e.engine.host.class_named(type->is_bool()                  ? "builtins.bool"
                                   : type->is(ScalarId::Int64)      ? "builtins.int"
                                   : type->is(ScalarId::Float64)    ? "builtins.float"
                                   : type->is(ScalarId::Complex128) ? "builtins.complex"
                                                                    : "numpy." + type->text);
}

const Const *class_of_bytes(Emitter &e, const Type *type) {
  return e.engine.host.class_named(type->readonly ? "builtins.bytes" : "builtins.bytearray");
}

const Const *class_of_dtype(Emitter &e, const Type *type) {
  const Type *item = type->params[0];
  return item->is_scalar() ? e.engine.host.called("numjit.special.class_of_dtype",
                                                  {constants::string(item->text)})
                           : nullptr;
}

/// The class's name, or the function that says it.
struct ClassOf {
  const char *fixed = nullptr;
  const Const *(*of)(Emitter &, const Type *) = nullptr;

  constexpr ClassOf(const char *name) : fixed(name) {}
  constexpr ClassOf(const Const *(*function)(Emitter &, const Type *)) : of(function) {}
};

constexpr ClassOf kClasses[] = {
#define NUMJIT_KIND(id, attributes, cls, ...) cls,
#include "typeinfer/types/kinds.def"
#undef NUMJIT_KIND
};

} // namespace

std::string_view kind_name(const Type *type) {
  const AttributesName &name = kNames[static_cast<size_t>(type->kind)];
  return name.of ? name.of(type) : name.fixed;
}

const Const *class_of(Emitter &e, const Type *type) {
  const ClassOf &cls = kClasses[static_cast<size_t>(type->kind)];
  if (cls.of)
    return cls.of(e, type);
  return type->typed ? nullptr : e.engine.host.class_named(cls.fixed);
}

} // namespace numjit
