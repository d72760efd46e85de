// Object files that debuggers are shown: gdb's "JIT compilation interface", which LLDB reads, too.
#pragma once

#include <string>

namespace numjit::codegen {

/// A file in a debugger's list of loaded objects for as long as this exists.
class ShownToDebugger {
public:
  /// `file`: ELF whose section headers hold the addresses at which the sections lie.
  explicit ShownToDebugger(std::string file);
  ~ShownToDebugger();
  ShownToDebugger(const ShownToDebugger &) = delete;
  ShownToDebugger &operator=(const ShownToDebugger &) = delete;

private:
  struct Entry;
  std::string file_;
  Entry *entry_;
};

} // namespace numjit::codegen
