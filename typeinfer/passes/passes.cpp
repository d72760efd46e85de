#include "typeinfer/passes/passes.h"

#include "frontend/stopwatch.h"
#include "typeinfer/errors.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace numjit::passes {

std::span<const Pass> all_passes() {
  static constexpr Pass list[] = {
#define NUMJIT_PASS(name, when, description) {#name, name, When::when, description},
#include "typeinfer/passes/passes.def"
#undef NUMJIT_PASS
  };
  return list;
}

namespace {

bool should_verify() {
#ifndef NDEBUG
  return true;
#else
  static const bool asked = [] {
    const char *value = std::getenv("NUMJIT_VERIFY");
    return value && std::strcmp(value, "1") == 0;
  }();
  return asked;
#endif
}

bool should_dump(const char *pass) {
  static const std::string asked = [] {
    const char *value = std::getenv("NUMJIT_DUMP");
    return "," + std::string(value ? value : "") + ",";
  }();
  return asked == ",all," || asked.find("," + std::string(pass) + ",") != std::string::npos;
}

void verify_module(const tir::Module &module, const char *when) {
  for (const auto &function : module.functions)
    if (std::string broken = tir::verify(*function); !broken.empty())
      throw InternalError("typed IR is broken " + std::string(when) + ": " + broken + "\n" +
                          tir::print(*function));
}

} // namespace

void run_passes(tir::Module &module, const PassOptions &asked) {
  PassOptions options = asked;
  if (const char *polls = std::getenv("NUMJIT_POLLS"); polls && std::strcmp(polls, "0") == 0)
    options.polls = false;
  const bool verifying = should_verify();
  if (verifying)
    verify_module(module, "after inference");
  if (should_dump("inference"))
    std::fprintf(stderr, "; after inference\n%s\n", tir::print(module).c_str());
  for (const Pass &pass : all_passes()) {
    if (!pass.runs_for(module.target))
      continue;
    Stopwatch watch;
    pass.run(module, options);
    if (options.timings)
      options.timings->emplace_back(pass.name, watch.ms());
    if (should_dump(pass.name))
      std::fprintf(stderr, "; after %s\n%s\n", pass.name, tir::print(module).c_str());
    if (verifying)
      verify_module(module, (std::string("after pass ") + pass.name).c_str());
  }
}

} // namespace numjit::passes
