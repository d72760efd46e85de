#include "typeinfer/types/named_instances.h"

#include "typeinfer/types/with_params.h"

#include <algorithm>

namespace numjit {

namespace {

const Type *structure_in(const Type *structures, const Const *cls) {
  auto found = std::ranges::find(structures->params, cls, &Type::constant);
  return found == structures->params.end() ? nullptr : *found;
}

/// The type with other types for instances in it, where `other` gives one.
const Type *replace_instances(const Type *type,
                              const std::function<const Type *(const Type *)> &other) {
  if (type->kind == Kind::Instance)
    if (const Type *instead = other(type))
      return instead;
  std::vector<const Type *> params;
  for (const Type *param : type->params)
    params.push_back(replace_instances(param, other));
  return types::with_params(type, std::move(params));
}

} // namespace

const Type *types::named_instance(const Const *cls, const Type *structures) {
  Type type;
  type.kind = Kind::Instance;
  type.constant = cls;
  type.element = structures;
  return intern(std::move(type));
}

const Type *types::with_structures(const Type *type, const Type *structures) {
  return replace_instances(type, [&](const Type *each) -> const Type * {
    return structure_in(structures, each->constant) ? named_instance(each->constant, structures)
                                                    : nullptr;
  });
}

const Type *types::by_name(const Type *type, const std::function<bool(const Const *)> &is_named) {
  return replace_instances(type, [&](const Type *each) -> const Type * {
    return is_named(each->constant) ? instance(each->constant, nullptr) : nullptr;
  });
}

const Type *structure_of_named(const Type *instance) {
  const Type *structures = instance->element;
  return types::with_structures(structure_in(structures, instance->constant), structures);
}

} // namespace numjit
