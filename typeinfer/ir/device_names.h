// What numjit.cuda calls the rows of device_ops.def.
#pragma once

#include "typeinfer/ir/typed_ir.h"

#include <span>
#include <string_view>

namespace numjit::tir {

/// How numjit.cuda has a row: as a value, as a function whose parameters are the operands, as an
/// atomic on elements of a class of types, as a load or store of an element; Inner: not as it is.
enum class DeviceForm : uint8_t { Inner, Value, Call, Numbers, Words, Unsigned, Load, Store };

struct DeviceName {
  DeviceOp op;
  std::string_view name; ///< in numjit.cuda
  DeviceForm form;
  std::string_view parameters; ///< of Call
};
std::span<const DeviceName> device_names();

} // namespace numjit::tir
