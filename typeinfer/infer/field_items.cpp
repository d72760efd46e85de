#include "typeinfer/infer/field_items.h"

#include "typeinfer/infer/unify.h"
#include "typeinfer/types/open_fields.h"
#include "typeinfer/types/with_params.h"

#include <algorithm>

namespace numjit {

const Type *FieldItems::with_known(const Type *type) {
  if (is_item_of_field(type)) {
    const Type *known = type_of(type);
    const bool may_be_none = is_value_of_field(type) && known->kind != Kind::None;
    return may_be_none && !is_item_of_field(known) ? types::optional(known) : known;
  }
  if (!holds_item_of_field(type))
    return type;
  std::vector<const Type *> params;
  for (const Type *param : type->params)
    params.push_back(with_known(param));
  return type->kind == Kind::Instance ? types::instance(type->constant, params[0])
         : type->kind == Kind::Struct ? types::structure(type->constant, std::move(params))
                                      : types::with_params(type, std::move(params));
}

const Type *FieldItems::type_of(const Type *item) {
  const auto [found, is_new] = known_.try_emplace(item, nullptr);
  return found->second ? with_known(found->second) : item;
}

const Type *FieldItems::with_first(const Type *variable, const Type *first) {
  const Type *&known = known_[variable];
  if (first->kind == Kind::None) {
    if (!known)
      return variable;
    const Type *found = type_of(variable);
    return found->kind == Kind::None ? found : types::optional(found);
  }
  known = known ? join(known, first) : first;
  return with_known(known);
}

bool FieldItems::put(const Type *due, const Type *given) {
  if (given->kind == Kind::Optional)
    given = given->params[0];
  if (due == given || is_item_of_field(given))
    return true;
  if (is_item_of_field(due)) {
    if (is_value_of_field(due) && given->kind == Kind::None)
      return true;
    if (is_part(due, with_known(given))) {
      refers_to_itself_ = true;
      return false;
    }
    const Type *&before = put_[due];
    before = before ? join(before, given) : given;
    return true;
  }
  bool fits = true;
  for (size_t i = 0; due->kind == given->kind && i < due->params.size(); ++i)
    if (holds_item_of_field(due->params[i]))
      fits = put(due->params[i], given->params[i]) && fits;
  return fits;
}

void FieldItems::widen(const Type *items, const Type *given) {
  for (const auto &[item, known] : known_)
    if (known == items)
      put(item, given);
}

/// Where there is no such type, the first: an error has its place where the second is put.
const Type *FieldItems::join(const Type *a, const Type *b) const {
  const Type *both = unions_ ? unify_or_unite(a, b) : unify(a, b);
  return both ? both : a;
}

bool FieldItems::learn(bool settle) {
  if (refers_to_itself_) // the error is said already
    return false;
  bool changed = false;
  for (const auto &[item, type] : put_) {
    if (is_part(item, with_known(type))) // the next time, the error has its place
      continue;
    const Type *&known = known_[item];
    const Type *before = known ? with_known(known) : nullptr;
    const Type *now = before ? join(before, type) : type;
    changed |= now != before;
    known = now != before ? now : known;
  }
  put_.clear();
  if (changed || !settle)
    return changed;
  for (auto &[item, known] : known_)
    if (!known) {
      known = is_value_of_field(item) ? types::none() : types::int64();
      changed = true;
    }
  return changed;
}

} // namespace numjit
