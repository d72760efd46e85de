#include "codegen/symbols.h"

#include "codegen/deferred.h"
#include "codegen/vector_math.h"
#include "runtime/runtime.h"

#include <dlfcn.h>
#include <string>
#include <unordered_map>

namespace numjit::codegen {

namespace {

/// nj_alloc in the form that LLVM understands best: the block is the result, null on failure.
nj_block *new_block(int64_t bytes, int32_t zeroed) {
  nj_block *block = nullptr;
  return nj_alloc(bytes, zeroed, &block) == 0 ? block : nullptr;
}

using SymbolTable = std::unordered_map<std::string_view, void *>;

const SymbolTable &runtime_symbols() {
  static const SymbolTable table = [] {
    SymbolTable symbols;
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

} // namespace

void *symbol_address(std::string_view name) {
  const auto &runtime = runtime_symbols();
  if (auto found = runtime.find(name); found != runtime.end())
    return found->second;
  const std::string text(name);
  if (name.starts_with("Sleef_"))
    return vector_math_address(text.c_str());
  if (void *address = libm_address(text.c_str()))
    return address;
  return dlsym(RTLD_DEFAULT, text.c_str());
}

} // namespace numjit::codegen
