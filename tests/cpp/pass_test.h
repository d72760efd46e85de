// Helpers of the tests of passes.
#pragma once

#include "typeinfer/errors.h"
#include "typeinfer/passes/ownership.h"
#include "typeinfer/passes/passes.h"

#include <gtest/gtest.h>

#include <initializer_list>
#include <memory>
#include <string>

namespace numjit {

inline std::unique_ptr<tir::Module> parse_module(const std::string &text) {
  tir::ParseError error;
  std::unique_ptr<tir::Module> module = tir::parse(text, error);
  if (!module)
    throw InternalError("line " + std::to_string(error.line) + ": " + error.message);
  return module;
}

/// Text of the module after these passes; verified before and after.
inline std::string
run_on(const std::string &text,
       std::initializer_list<void (*)(tir::Module &, const passes::PassOptions &)> passes) {
  std::unique_ptr<tir::Module> module = parse_module(text);
  for (const auto &function : module->functions)
    EXPECT_EQ(tir::verify(*function), "");
  for (auto pass : passes) {
    pass(*module, {});
    for (const auto &function : module->functions)
      EXPECT_EQ(tir::verify(*function), "") << print(*function);
  }
  return print(*module);
}

} // namespace numjit
