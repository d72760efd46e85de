#include "typeinfer/ir/device_names.h"

namespace numjit::tir {

std::span<const DeviceName> device_names() {
  static constexpr DeviceName rows[] = {
#define INNER DeviceForm::Inner, ""
#define VALUE DeviceForm::Value, ""
#define CALL(parameters) DeviceForm::Call, parameters
#define NUMBERS DeviceForm::Numbers, ""
#define WORDS DeviceForm::Words, ""
#define UNSIGNED DeviceForm::Unsigned, ""
#define LOAD DeviceForm::Load, ""
#define STORE DeviceForm::Store, ""
#define NUMJIT_DEVICE_OP(id, name, result, operands, effect, public_name, form, ...)               \
  {DeviceOp::id, public_name, form},
#include "typeinfer/ir/device_ops.def"
#undef NUMJIT_DEVICE_OP
  };
  return rows;
}

} // namespace numjit::tir
