#include "runtime/processor.h"

#include <string_view>

namespace {

struct Feature {
  const char *name; ///< LLVM's, and the compiler's
  int (*is_there)();
};

#define FEATURE(name)                                                                              \
  {                                                                                                \
    name, [] { return static_cast<int>(__builtin_cpu_supports(name)); }                            \
  }
constexpr Feature kFeatures[] = {
    FEATURE("sse3"),       FEATURE("ssse3"),        FEATURE("sse4.1"),
    FEATURE("sse4.2"),     FEATURE("sse4a"),        FEATURE("popcnt"),
    FEATURE("lzcnt"),      FEATURE("movbe"),        FEATURE("adx"),
    FEATURE("aes"),        FEATURE("pclmul"),       FEATURE("bmi"),
    FEATURE("bmi2"),       FEATURE("avx"),          FEATURE("avx2"),
    FEATURE("f16c"),       FEATURE("fma"),          FEATURE("fma4"),
    FEATURE("xop"),        FEATURE("gfni"),         FEATURE("vaes"),
    FEATURE("vpclmulqdq"), FEATURE("avxvnni"),      FEATURE("avx512f"),
    FEATURE("avx512bf16"), FEATURE("avx512bitalg"), FEATURE("avx512bw"),
    FEATURE("avx512cd"),   FEATURE("avx512dq"),     FEATURE("avx512fp16"),
    FEATURE("avx512ifma"), FEATURE("avx512vbmi"),   FEATURE("avx512vbmi2"),
    FEATURE("avx512vl"),   FEATURE("avx512vnni"),   FEATURE("avx512vpopcntdq"),
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
