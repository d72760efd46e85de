#include "runtime/processor.h"

#include <string_view>

namespace {

struct Feature {
  const char *name; ///< LLVM's
  int (*is_there)();
};

#define FEATURE(name, compilers)                                                                   \
  {                                                                                                \
    name, [] { return static_cast<int>(__builtin_cpu_supports(compilers)); }                       \
  }
constexpr Feature kFeatures[] = {
    FEATURE("sse3", "sse3"),
    FEATURE("ssse3", "ssse3"),
    FEATURE("sse4.1", "sse4.1"),
    FEATURE("sse4.2", "sse4.2"),
    FEATURE("sse4a", "sse4a"),
    FEATURE("popcnt", "popcnt"),
    FEATURE("lzcnt", "lzcnt"),
    FEATURE("movbe", "movbe"),
    FEATURE("adx", "adx"),
    FEATURE("aes", "aes"),
    FEATURE("pclmul", "pclmul"),
    FEATURE("bmi", "bmi"),
    FEATURE("bmi2", "bmi2"),
    FEATURE("avx", "avx"),
    FEATURE("avx2", "avx2"),
    FEATURE("f16c", "f16c"),
    FEATURE("fma", "fma"),
    FEATURE("fma4", "fma4"),
    FEATURE("xop", "xop"),
    FEATURE("gfni", "gfni"),
    FEATURE("vaes", "vaes"),
    FEATURE("vpclmulqdq", "vpclmulqdq"),
    FEATURE("avxvnni", "avxvnni"),
    FEATURE("avx512f", "avx512f"),
    FEATURE("avx512bf16", "avx512bf16"),
    FEATURE("avx512bitalg", "avx512bitalg"),
    FEATURE("avx512bw", "avx512bw"),
    FEATURE("avx512cd", "avx512cd"),
    FEATURE("avx512dq", "avx512dq"),
    FEATURE("avx512fp16", "avx512fp16"),
    FEATURE("avx512ifma", "avx512ifma"),
    FEATURE("avx512vbmi", "avx512vbmi"),
    FEATURE("avx512vbmi2", "avx512vbmi2"),
    FEATURE("avx512vl", "avx512vl"),
    FEATURE("avx512vnni", "avx512vnni"),
    FEATURE("avx512vpopcntdq", "avx512vpopcntdq"),
};
#undef FEATURE

bool holds(std::string_view list, std::string_view name) {
  while (!list.empty()) {
    const std::string_view item = list.substr(0, list.find(','));
    if (item.starts_with('+') && item.substr(1) == name)
      return true;
    list.remove_prefix(item.size() < list.size() ? item.size() + 1 : list.size());
  }
  return false;
}

} // namespace

extern "C" const char *nj_missing_feature(const char *wanted) {
  __builtin_cpu_init();
  for (const Feature &feature : kFeatures)
    if (holds(wanted, feature.name) && !feature.is_there())
      return feature.name;
  return nullptr;
}
