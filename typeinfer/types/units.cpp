#include "typeinfer/types/units.h"

#include "typeinfer/types/type_rows.h"

namespace numjit::types {

const Type *with_units(const Type *of, int64_t units) {
  const Type *plain = array(of->dtype(), of->ndim, of->layout, of->readonly, of->unaligned);
  if (units < 0)
    return plain;
  return intern({.kind = Kind::Array,
                 .ndim = plain->ndim,
                 .layout = plain->layout,
                 .readonly = plain->readonly,
                 .unaligned = plain->unaligned,
                 .numbers = {units},
                 .params = plain->params});
}

} // namespace numjit::types
