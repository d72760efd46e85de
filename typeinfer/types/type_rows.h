// What is derived when a row of the type table is made. Private to the table.
#pragma once

namespace numjit {

struct Type;
struct TypeLayout;

void derive_fields(Type &type);              ///< `fields` and `counted`; types.cpp
void derive_text(Type &type);                ///< `text` and `precise`; types_text.cpp
TypeLayout compute_layout(const Type &type); ///< from `fields`; layout.cpp

} // namespace numjit
