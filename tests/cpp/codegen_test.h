// Helpers of the tests of code generation: compile typed IR given as text, call it with slots.
#pragma once

#include "codegen/compiler.h"
#include "typeinfer/errors.h"

#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <memory>
#include <string>
#include <vector>

namespace numjit {

/// Slots of 8 bytes, as machine code takes arguments and gives results.
class Slots {
public:
  Slots() = default;
  template <class... Values>
  explicit Slots(Values... values) {
    (add(values), ...);
  }
  void add(double value) { slots.push_back(std::bit_cast<uint64_t>(value)); }
  void add(float value) { slots.push_back(std::bit_cast<uint32_t>(value)); }
  void add(const void *value) { slots.push_back(reinterpret_cast<uintptr_t>(value)); }
  void add(std::integral auto value) {
    slots.push_back(static_cast<uint64_t>(static_cast<int64_t>(value)));
  }

  std::vector<uint64_t> slots;
};

/// A contiguous one-dimensional array as its leaves: data, owner, length.
template <class T>
void add_array(Slots &slots, std::vector<T> &values) {
  slots.add(static_cast<const void *>(values.data()));
  slots.add(int64_t(0));
  slots.add(static_cast<int64_t>(values.size()));
}

inline std::unique_ptr<tir::Module> parse_verified(const std::string &text) {
  tir::ParseError error;
  std::unique_ptr<tir::Module> module = tir::parse(text, error);
  if (!module)
    throw InternalError("line " + std::to_string(error.line) + ": " + error.message);
  for (const auto &function : module->functions)
    if (std::string broken = tir::verify(*function); !broken.empty())
      throw InternalError(broken);
  return module;
}

/// Machine code of a module given as text.
class Compiled {
public:
  explicit Compiled(const std::string &text)
      : module(parse_verified(text)), code(codegen::compile(module)) {}

  int32_t run(const Slots &arguments) { return code->entry()(arguments.slots.data(), result); }
  template <class T>
  T get(size_t slot = 0) const {
    T value;
    std::memcpy(&value, &result[slot], sizeof value);
    return value;
  }

  std::shared_ptr<tir::Module> module;
  std::shared_ptr<codegen::MachineCode> code;
  uint64_t result[16] = {};
};

/// `for i in range(n): ...` over arrays, as inference emits it. The body computes from b, c, d at
/// byte offset %20 of pointers %5.. .
inline const char *const axpy_text = R"(
function @axpy(a: array(float64, 1d, C), b: array(float64, 1d, C), c: float64, d: array(float64, 1d, C)) -> none {
b0:
  %0: array(float64, 1d, C) = param.0
  %1: array(float64, 1d, C) = param.1
  %2: float64 = param.2
  %3: array(float64, 1d, C) = param.3
  %4: UniTuple(int64, 1) = field.2 %0
  %5: int64 = field.0 %4 nonneg
  %6: float64* = field.0 %0
  %7: float64* = field.0 %1
  %8: float64* = field.0 %3
  %9: int64 = const 0 nonneg
  %10: int64 = const 1 nonneg
  %11: int64 = const 8 nonneg
  jump b1
b1: from b0, b2
  %12: int64 = phi [b0: %9, b2: %13] nonneg name="i"
  %14: bool = scalar.lt %12, %5
  branch %14, b2, b3
b2: from b1
  %13: int64 = index_add %12, %10 nonneg
  %15: int64 = index_mul %12, %11 nonneg
  %16: float64* = ptr_add %7, %15
  %17: float64 = load %16 alias=ArrayData
  %18: float64 = scalar.mul %17, %2
  %19: float64* = ptr_add %8, %15
  %20: float64 = load %19 alias=ArrayData
  %21: float64 = scalar.add %18, %20
  %22: float64* = ptr_add %6, %15
  store %22, %21 alias=ArrayData
  jump b1
b3: from b1
  %23: none = struct
  return %23
}
)";

} // namespace numjit
