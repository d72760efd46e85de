#include "typeinfer/types/unknown.h"

#include "typeinfer/types/with_params.h"

#include <algorithm>

namespace numjit {

const Type *types::unknown(int number) {
  Type type;
  type.numbers = {number};
  return intern(std::move(type));
}

const Type *items_of_object(const Type *type) {
  if (type->kind != Kind::Struct || type->constant->kind != ConstKind::Object ||
      !type->constant->object->name.starts_with("collections."))
    return nullptr;
  const auto items = std::ranges::find(type->names, "_items");
  return items == type->names.end()
             ? nullptr
             : type->params[static_cast<size_t>(items - type->names.begin())];
}

/// Types in `seen` were visited: a type that holds another twice, and that again, has few of them.
static void walk_unknown(const Type *type, const std::function<void(int)> &visit,
                         std::vector<const Type *> &seen) {
  if (is_unknown(type)) {
    visit(static_cast<int>(type->numbers[0]));
    return;
  }
  if ((!has_trait(type->kind, traits::holds) && !items_of_object(type)) ||
      std::find(seen.begin(), seen.end(), type) != seen.end())
    return;
  seen.push_back(type);
  for (const Type *param : type->params)
    walk_unknown(param, visit, seen);
}

void each_unknown(const Type *type, const std::function<void(int)> &visit) {
  std::vector<const Type *> seen;
  walk_unknown(type, visit, seen);
}

bool holds_unknown(const Type *type) {
  bool found = false;
  each_unknown(type, [&](int) { found = true; });
  return found;
}

bool is_open(const Type *type) {
  return (type->kind == Kind::List || type->kind == Kind::Set || type->kind == Kind::Dict ||
          items_of_object(type)) &&
         holds_unknown(type);
}

bool fits_open(const Type *open, const Type *type,
               const std::function<void(int, const Type *)> &learn) {
  if (is_unknown(open)) {
    learn(static_cast<int>(open->numbers[0]), type);
    return true;
  }
  if (!is_open(open) || open->kind != type->kind || open->typed != type->typed ||
      (open->kind == Kind::Struct && open->constant != type->constant))
    return open == type;
  for (size_t i = 0; i < open->params.size(); ++i)
    if (!fits_open(open->params[i], type->params[i], learn))
      return false;
  return true;
}

const Type *with_known(const Type *type, const std::function<const Type *(int)> &known) {
  if (is_unknown(type))
    return known(static_cast<int>(type->numbers[0]));
  if (!is_open(type))
    return type;
  std::vector<const Type *> parts;
  for (const Type *param : type->params) {
    parts.push_back(with_known(param, known));
    if (!parts.back())
      return nullptr;
  }
  return types::with_params(type, std::move(parts));
}

} // namespace numjit
