// Machine code as a file: what it looks like between its emission and its loading, in this process
// or in a later one.
#pragma once

#include "typeinfer/types/references.h"

#include <string>
#include <vector>

namespace numjit::codegen {

/// An object file (ELF, x86-64) that defines kEntrySymbol. Other than functions of the runtime and
/// of C libraries it needs what `references` say, under the names reference_symbol(i), and, with
/// rare functions, kDeferredSymbol.
struct Object {
  std::string file;
  std::vector<const Reference *> references;
};

constexpr const char *kEntrySymbol = "numjit.entry";
constexpr const char *kPlacesSymbol = "numjit.places"; ///< nj_places; may be missing
constexpr const char *kDeferredSymbol = "numjit.deferred";
inline std::string reference_symbol(size_t i, const std::string &prefix = "numjit.") {
  return prefix + "reference." + std::to_string(i);
}

/// What another program links to itself (compile_standalone).
struct LinkableObject : Object {
  std::vector<std::string> outside; ///< what it calls or reads of others, but for references
  std::string features;             ///< of the processor: "+avx2,+fma"
};

} // namespace numjit::codegen
