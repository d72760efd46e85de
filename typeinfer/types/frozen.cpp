// The types of values that nothing may change.
#include "typeinfer/types/frozen.h"

namespace numjit::types {

const Type *frozen(const Type *type) {
  if (type->kind != Kind::List && type->kind != Kind::Dict && type->kind != Kind::Set &&
      !type->is_tuple() && type->kind != Kind::Optional)
    return type;
  Type made;
  made.kind = type->kind;
  made.constant = type->constant;
  for (const Type *param : type->params)
    made.params.push_back(frozen(param));
  made.readonly = !type->typed && !type->is_tuple() && type->kind != Kind::Optional;
  made.typed = type->typed;
  return intern(std::move(made));
}

const Type *thawed(const Type *type) {
  if (!type->readonly)
    return type;
  return type->kind == Kind::Dict  ? dict(type->params[0], type->params[1])
         : type->kind == Kind::Set ? set(type->params[0])
                                   : list(type->params[0]);
}

} // namespace numjit::types
