#include "codegen/symbols.h"

#include "codegen/deferred.h"
#include "codegen/vector_math.h"
#include "runtime/runtime.h"

#include <llvm/ADT/StringExtras.h>
#include <llvm/ADT/StringMap.h>

#include <cstring>
#include <dlfcn.h>
#include <mutex>
#include <new>

namespace numjit::codegen {

namespace {

/// nj_alloc in the form that LLVM understands best: the block is the result, null on failure.
nj_block *new_block(int64_t bytes, int32_t zeroed) {
  nj_block *block = nullptr;
  return nj_alloc(bytes, zeroed, &block) == 0 ? block : nullptr;
}

const llvm::StringMap<void *> &runtime_symbols() {
  static const llvm::StringMap<void *> table = [] {
    llvm::StringMap<void *> symbols;
    int64_t count = 0;
    const nj_symbol *rows = nj_symbols(&count);
    for (int64_t i = 0; i < count; ++i)
      symbols[rows[i].name] = rows[i].address;
    symbols["numjit_new_block"] = reinterpret_cast<void *>(&new_block);
    symbols["numjit_compile_deferred"] = reinterpret_cast<void *>(&compile_deferred);
    return symbols;
  }();
  return table;
}

/// libm of the C library, not whatever another extension module put into the global scope under the
/// names of its functions.
void *libm_address(const char *name) {
  static void *libm = dlopen("libm.so.6", RTLD_NOW | RTLD_LOCAL);
  return libm ? dlsym(libm, name) : nullptr;
}

/// The bytes of literal strings, kept for the life of the process: strings made of them may outlive
/// the code.
void *constant_bytes(llvm::StringRef hexadecimal) {
  static std::mutex mutex;
  static auto *known = new llvm::StringMap<void *>;
  std::lock_guard lock(mutex);
  void *&memory = (*known)[hexadecimal];
  if (!memory) {
    const std::string bytes = llvm::fromHex(hexadecimal);
    memory = ::operator new(bytes.size() + 1);
    std::memcpy(memory, bytes.data(), bytes.size());
  }
  return memory;
}

} // namespace

void *symbol_address(llvm::StringRef name) {
  const auto &runtime = runtime_symbols();
  if (auto found = runtime.find(name); found != runtime.end())
    return found->second;
  if (name.consume_front(kBytesSymbol))
    return constant_bytes(name);
  const std::string text = name.str();
  if (name.starts_with("Sleef_"))
    return vector_math_address(text.c_str());
  if (void *address = libm_address(text.c_str()))
    return address;
  return dlsym(RTLD_DEFAULT, text.c_str());
}

} // namespace numjit::codegen
