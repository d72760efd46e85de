// References to blocks that lie in the memory of values.
#pragma once

#include <cstdint>
#include <cstring>

namespace numjit {

/// The address at a place, which need not be aligned.
inline void *owner_at(const char *memory) {
  uintptr_t address = 0;
  std::memcpy(&address, memory, sizeof address);
  return reinterpret_cast<void *>(address);
}

} // namespace numjit
