// Types that stand for what fields of plain classes hold while that is not known
// (infer/field_items.h). There is no code of their values.
#pragma once

#include "typeinfer/types/types.h"

#include <string>

namespace numjit {

namespace types {
/// The items of a field, of no known type: "Stack.items", part 1 for values of dicts, so many
/// containers deep in it.
const Type *item_of_field(const std::string &field, size_t part, int depth);
/// A field that is None at first.
const Type *value_of_field(const std::string &field);
/// What a variable holds that inner functions assign (frontend/boxes.cpp).
const Type *value_of_variable(const std::string &variable, const std::string &function);
} // namespace types

/// "Stack.items", as fields are named here.
std::string name_of_field(const Const *cls, size_t field);

/// Whether a type stands for what is not known yet; for the value of a field itself.
bool is_item_of_field(const Type *type);
bool is_value_of_field(const Type *type);
/// Whether it is such a type, or values hold such.
bool holds_item_of_field(const Type *type);
/// Whether values of `type` are or hold values of `part`.
bool is_part(const Type *part, const Type *type);

} // namespace numjit
