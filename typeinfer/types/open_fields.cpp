#include "typeinfer/types/open_fields.h"

#include <algorithm>

namespace numjit {

namespace {
constexpr std::string_view kItemOf = "an item, of no known type, of ";
constexpr std::string_view kValueOf = "the value, of no known type, of ";

const Type *stands_for(std::string text) {
  return types::method(types::none(), constants::string(std::move(text)));
}

bool has_text(const Type *type, std::string_view start) {
  return type->kind == Kind::Method && type->params[0]->kind == Kind::None &&
         type->constant->text.starts_with(start);
}
} // namespace

const Type *types::item_of_field(const std::string &field, size_t part, int depth) {
  std::string text = std::string(kItemOf) + field;
  if (part || depth)
    text += " (" + std::to_string(part) + ", " + std::to_string(depth) + ")";
  return stands_for(std::move(text));
}

const Type *types::value_of_field(const std::string &field) {
  return stands_for(std::string(kValueOf) + field);
}

const Type *types::value_of_variable(const std::string &variable, const std::string &function) {
  return value_of_field("variable '" + variable + "' of " + function);
}

std::string name_of_field(const Const *cls, size_t field) {
  return cls->object->name + "." + cls->object->fields[field];
}

bool is_value_of_field(const Type *type) { return has_text(type, kValueOf); }

bool is_item_of_field(const Type *type) {
  return has_text(type, kItemOf) || is_value_of_field(type);
}

/// Whether a type has those of what values hold as parameters.
static bool holds_params(const Type *type) {
  switch (type->kind) {
  case Kind::List:
  case Kind::Set:
  case Kind::Dict:
  case Kind::Tuple:
  case Kind::Optional:
  case Kind::Maybe:
  case Kind::Instance:
  case Kind::Struct: return true;
  default: return false;
  }
}

bool holds_item_of_field(const Type *type) {
  return is_item_of_field(type) ||
         (holds_params(type) && std::ranges::any_of(type->params, holds_item_of_field));
}

bool is_part(const Type *part, const Type *type) {
  return part == type || (holds_params(type) && std::ranges::any_of(type->params, [&](auto *each) {
                            return is_part(part, each);
                          }));
}

} // namespace numjit
