#include "codegen/load/symbols.h"

#include "codegen/load/deferred.h"
#include "codegen/passes/vector_math.h"
#include "runtime/runtime.h"

#include <cstring>
#include <dlfcn.h>
#include <mutex>
#include <new>
#include <string>
#include <unordered_map>

namespace numjit::codegen {

namespace {

using SymbolTable = std::unordered_map<std::string_view, void *>;

const SymbolTable &runtime_symbols() {
  static const SymbolTable table = [] {
    SymbolTable symbols;
    int64_t count = 0;
    const nj_symbol *rows = nj_symbols(&count);
    for (int64_t i = 0; i < count; ++i)
      symbols[rows[i].name] = rows[i].address;
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
void *constant_bytes(std::string_view hexadecimal) {
  static std::mutex mutex;
  static auto *known = new std::unordered_map<std::string, void *>;
  std::lock_guard lock(mutex);
  void *&memory = (*known)[std::string(hexadecimal)];
  if (!memory) {
    const size_t size = hexadecimal.size() / 2;
    auto *bytes = static_cast<unsigned char *>(::operator new(size + 1));
    auto digit = [&](size_t i) {
      const char c = hexadecimal[i];
      return c <= '9' ? c - '0' : (c | 32) - 'a' + 10;
    };
    for (size_t i = 0; i < size; ++i)
      bytes[i] = static_cast<unsigned char>(digit(2 * i) << 4 | digit(2 * i + 1));
    memory = bytes;
  }
  return memory;
}

std::mutex added_mutex;

std::unordered_map<std::string, void *> &added_symbols() {
  static auto *known = new std::unordered_map<std::string, void *>;
  return *known;
}

void *added_symbol(const std::string &name) {
  std::lock_guard lock(added_mutex);
  auto found = added_symbols().find(name);
  return found == added_symbols().end() ? nullptr : found->second;
}

} // namespace

void add_symbol(const std::string &name, void *address) {
  std::lock_guard lock(added_mutex);
  added_symbols()[name] = address;
}

void *symbol_address(std::string_view name) {
  const auto &runtime = runtime_symbols();
  if (auto found = runtime.find(name); found != runtime.end())
    return found->second;
  if (name.starts_with(kBytesSymbol))
    return constant_bytes(name.substr(std::string_view(kBytesSymbol).size()));
  const std::string text(name);
  if (name.starts_with("Sleef_"))
    return vector_math_address(text.c_str());
  if (void *address = libm_address(text.c_str()))
    return address;
  if (void *address = dlsym(RTLD_DEFAULT, text.c_str()))
    return address;
  return added_symbol(text);
}

} // namespace numjit::codegen
