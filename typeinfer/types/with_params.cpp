#include "typeinfer/types/with_params.h"

namespace numjit::types {

const Type *with_params(const Type *type, std::vector<const Type *> params) {
  if (params == type->params)
    return type;
  // What is derived is derived anew.
  return intern({.kind = type->kind,
                 .scalar = type->scalar,
                 .ndim = type->ndim,
                 .layout = type->layout,
                 .readonly = type->readonly,
                 .unit = type->unit,
                 .typed = type->typed,
                 .unaligned = type->unaligned,
                 .numbers = type->numbers,
                 .params = std::move(params),
                 .names = type->names,
                 .constant = type->constant,
                 .expression = type->expression,
                 .element = type->element});
}

} // namespace numjit::types
