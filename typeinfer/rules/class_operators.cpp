// Operators between values of the user's own classes: their methods, the mirrored ones, and what
// dataclasses and enumerations compare.
#include "typeinfer/infer/engine.h"
#include "typeinfer/rules/instances.h"
#include "typeinfer/types/named_instances.h"

#include <utility>

namespace numjit {

namespace {

/// Calls an operator's method, if there is one that knows the operand.
bool answered(Emitter &e, const Operand &object, const std::string &name, const Operand &other,
              Operand &result) {
  if (!call_class_method(e, object, "__" + name + "__", {{other}}, result))
    return false;
  return result.type->kind != Kind::Function ||
         result.type->constant->object->name != "builtins.NotImplemented";
}

Operand fields_to_compare(Emitter &e, const Operand &object) {
  Operands one{object};
  return find_builtin("numjit.fields_as_tuple")->rule(e, one);
}

} // namespace

bool class_operator(Emitter &e, Operator oper, const Operand &a, const Operand &b, bool inplace,
                    Operand &result) {
  if (!has_class(a.type) && !has_class(b.type))
    return false;
  const OperatorRow &row = operator_row(oper);
  std::string plain(row.name);
  if (plain.back() == '_')
    plain.pop_back();
  if (inplace && answered(e, a, "i" + plain, b, result))
    return true;
  if (answered(e, a, plain, b, result))
    return true;
  const bool compares = row.form == OperatorForm::Compare;
  static constexpr std::pair<Operator, const char *> mirrored[] = {
      {Operator::Lt, "gt"}, {Operator::Gt, "lt"}, {Operator::Le, "ge"},
      {Operator::Ge, "le"}, {Operator::Eq, "eq"}, {Operator::Ne, "ne"}};
  std::string reflected = "r" + plain;
  for (auto [each, name] : mirrored)
    if (each == oper)
      reflected = name;
  if (answered(e, b, reflected, a, result))
    return true;
  if (oper == Operator::Ne && (class_member(a.type, "__eq__") || class_member(b.type, "__eq__"))) {
    result = e.logical_not(e.truth(rule_operator(e, Operator::Eq, a, b, false)));
    return true;
  }
  auto is_object = [](const Type *type) {
    return type->kind == Kind::Struct || type->kind == Kind::Instance;
  };
  const bool equality = oper == Operator::Eq || oper == Operator::Ne;
  const bool same = is_object(a.type) && is_object(b.type) && a.type->constant == b.type->constant;
  if (compares && same && a.type->constant->is_object(ObjectKind::DataClass)) {
    const Object &cls = *a.type->constant->object;
    if (equality ? cls.has_eq : cls.has_order) {
      result =
          is_named_instance(a.type) // a call, which may call itself
              ? e.library("numjit.linked_" + plain, {a, b})
              : rule_operator(e, oper, fields_to_compare(e, a), fields_to_compare(e, b), false);
      return true;
    }
  }
  if (equality && a.type->kind == Kind::Enum && b.type->kind == Kind::Enum && a.type == b.type) {
    result = e.op(oper, e.field(a, 0), e.field(b, 0));
    return true;
  }
  const bool either = is_object(a.type) || is_object(b.type) || a.type->kind == Kind::Enum ||
                      b.type->kind == Kind::Enum;
  if (!equality || !either)
    return false;
  Operand identical = e.boolean(false);
  if (same && a.type->kind == Kind::Instance) {
    Operands both{a, b};
    identical = find_builtin("numjit.same_instance")->rule(e, both);
  }
  result = oper == Operator::Eq ? identical : e.logical_not(identical);
  return true;
}

} // namespace numjit
