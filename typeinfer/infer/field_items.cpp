#include "typeinfer/infer/field_items.h"

#include "typeinfer/infer/builtins.h"
#include "typeinfer/infer/unify.h"
#include "typeinfer/types/named_instances.h"
#include "typeinfer/types/open_fields.h"
#include "typeinfer/types/with_params.h"

#include <algorithm>

namespace numjit {

/// Joins that go on for longer grow with each.
constexpr int kMostLessons = 100;

const Type *FieldItems::with_known(const Type *type) {
  if (is_item_of_field(type)) {
    const Type *&entry = known_[type];
    const Type *known = entry ? with_known(entry) : type;
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
  return found->second ? with_structures(with_known(found->second)) : item;
}

const Type *FieldItems::with_first(const Type *variable, const Type *first) {
  first = by_name(first);
  const Type *&known = known_[variable];
  if (first->kind == Kind::None) {
    if (!known)
      return variable;
    const Type *found = type_of(variable);
    return found->kind == Kind::None ? found : types::optional(found);
  }
  known = known ? join(known, first) : first;
  return with_structures(with_known(known));
}

const Type *FieldItems::empty_list(const std::string &place) {
  met_empty_ = true;
  return opens_empty_ ? types::list(type_of(types::item_of_field(place, 0, 0))) : nullptr;
}

bool FieldItems::put(const Type *due, const Type *given) {
  if (given->kind == Kind::Optional)
    given = given->params[0];
  given = by_name(given);
  if (is_item_of_field(given) && !is_value_of_field(given) && !is_item_of_field(due))
    std::swap(due, given); // an empty list where one of other items is due
  if (due == given || given->kind == Kind::Undefined || is_item_of_field(given))
    return true;
  if (is_item_of_field(due)) {
    if (is_value_of_field(due) && given->kind == Kind::None)
      return true;
    if (is_part(due, with_known(given))) {
      refers_to_itself_ = true;
      suspect_holders(due, with_known(given));
      return false;
    }
    const Type *&before = put_[due];
    before = before ? join(before, given) : given;
    return true;
  }
  bool fits = true;
  for (size_t i = 0; due->kind == given->kind && i < due->params.size(); ++i)
    if (holds_item_of_field(due->params[i]) || holds_item_of_field(given->params[i]))
      fits = put(due->params[i], given->params[i]) && fits;
  return fits;
}

void FieldItems::widen(const Type *items, const Type *given) {
  for (const auto &[item, known] : known_)
    if (known && with_structures(known) == items)
      put(item, given);
}

/// Where there is no such type, the first: an error has its place where the second is put.
const Type *FieldItems::join(const Type *a, const Type *b) const {
  const bool tuples = long_tuples_ && a->is_tuple() && b->is_tuple();
  const Type *both = unions_ && !tuples ? unify_or_unite(a, b) : unify(a, b);
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
  changed |= learn_fields();
  if (changed || !settle)
    return changed && ++lessons_ < kMostLessons;
  for (auto &[item, known] : known_)
    if (!known) {
      known = is_value_of_field(item) ? types::none() : types::int64();
      changed = true;
    }
  return changed;
}

// --- classes that refer to themselves ---

const FieldItems::Class *FieldItems::class_of(const Const *constant) const {
  auto found = std::ranges::find(classes_, constant, &Class::constant);
  return found == classes_.end() ? nullptr : &*found;
}

FieldItems::Class &FieldItems::entry_of(const Const *constant) {
  if (const Class *known = class_of(constant))
    return const_cast<Class &>(*known);
  const size_t fields = constant->object->fields.size();
  return classes_.emplace_back(constant, std::vector<const Type *>(fields),
                               std::vector<std::vector<const Type *>>(fields),
                               std::vector<bool>(fields));
}

const Type *FieldItems::by_name(const Type *type) const {
  if (classes_.empty())
    return type;
  return types::by_name(type, [&](const Const *constant) {
    const Class *cls = class_of(constant);
    return cls && cls->named();
  });
}

const Type *FieldItems::with_structures(const Type *type) {
  if (!structures_) {
    std::vector<const Type *> all;
    for (const Class &cls : classes_) {
      std::vector<const Type *> fields;
      for (size_t i = 0; cls.named() && i < cls.fields.size(); ++i) {
        const Type *field = cls.fields[i];
        const bool is_open = !field || field->kind == Kind::None;
        field = with_known(is_open ? types::value_of_field(name_of_field(cls.constant, i)) : field);
        fields.push_back(cls.late[i] ? types::maybe(field) : field);
      }
      if (cls.named())
        all.push_back(types::structure(cls.constant, std::move(fields)));
    }
    structures_ = types::tuple(std::move(all));
  }
  return structures_->params.empty() ? type : types::with_structures(type, structures_);
}

const Type *FieldItems::named_instance(const Const *cls) {
  const Class *known = class_of(cls);
  return known && known->named() ? with_structures(types::instance(cls, nullptr)) : nullptr;
}

void FieldItems::note(const Const *cls, size_t field, const Type *type) {
  std::vector<const Type *> &noted = entry_of(cls).noted[field];
  if (std::ranges::find(noted, type) == noted.end())
    noted.push_back(type);
}

namespace {

bool is_instance_of(const Type *type, const Const *cls) {
  return type->kind == Kind::Instance && type->constant == cls;
}

bool holds_instance_of(const Type *type, const Const *cls) {
  return is_instance_of(type, cls) || std::ranges::any_of(type->params, [&](const Type *each) {
           return holds_instance_of(each, cls);
         });
}

} // namespace

/// Of instances, in a type, that hold what their own class is to hold.
void FieldItems::suspect_holders(const Type *due, const Type *type) {
  if (type->kind == Kind::Instance && is_part(due, type))
    entry_of(type->constant).suspected = true;
  for (const Type *param : type->params)
    suspect_holders(due, param);
}

bool FieldItems::exists_in_init(const Const *cls) const {
  const Class *known = class_of(cls);
  return known && known->stage == Class::ExistsInInit;
}

void FieldItems::suspect(const Const *cls) { entry_of(cls).suspected = true; }

void FieldItems::let_exist_in_init(const Const *cls) { entry_of(cls).hands_self_on = true; }

bool FieldItems::name_classes() {
  bool found = false;
  for (Class &cls : classes_) {
    const bool holds_itself =
        std::ranges::any_of(cls.noted, [&](const std::vector<const Type *> &noted) {
          return std::ranges::any_of(
              noted, [&](const Type *each) { return holds_instance_of(each, cls.constant); });
        });
    const auto stage = cls.hands_self_on               ? Class::ExistsInInit
                       : cls.suspected || holds_itself ? Class::Named
                                                       : Class::Structural;
    found |= stage > cls.stage;
    cls.stage = std::max<decltype(cls.stage)>(cls.stage, stage);
  }
  if (!found)
    return false;
  for (auto &[item, type] : known_)
    type = type ? by_name(type) : nullptr;
  refers_to_itself_ = false;
  put_.clear();
  learn_fields();
  return true;
}

bool FieldItems::learn_fields() {
  bool changed = false;
  for (Class &cls : classes_)
    for (size_t i = 0; cls.named() && i < cls.noted.size(); ++i) {
      for (const Type *noted : cls.noted[i]) {
        if (noted->kind == Kind::Undefined) {
          changed |= !cls.late[i];
          cls.late[i] = true;
          continue;
        }
        const Type *type = is_value_of_field(noted) ? types::none() : by_name(noted);
        const Type *&known = cls.fields[i];
        const Type *now = known ? join(with_known(known), type) : type;
        changed |= !known || now != with_known(known);
        known = now;
      }
      cls.noted[i].clear();
    }
  structures_ = nullptr;
  return changed;
}

} // namespace numjit
