// How functions of the library are found: the columns of numjit.library's decorator `function`.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace numjit {

/// The use of a name that is looked up.
enum class LibraryUse : uint8_t {
  Call,       ///< the meaning of the function, method or operator itself
  Attribute,  ///< reading it: an attribute that is computed
  Assignment, ///< assigning to it
  Value,      ///< a value that each thread has its own of: cuda.laneid
  Times,      ///< a call whose first argument is a datetime64 or timedelta64, or holds such
  Keywords,   ///< a call with keywords, or more operands, of what is an operation of the compiler
  Kept,       ///< a call of a builtin that returns an iterator, which outlives the loop over it
  Star, ///< f(*items) where how many items there are is known at run time only: takes the list
};

/// The texts of LibraryUse in the column `when`; "" for Call.
inline constexpr std::string_view kLibraryUses[] = {"",      "attribute", "assignment", "value",
                                                    "times", "keywords",  "kept",       "star"};

struct LibraryKey {
  std::string name; ///< "numpy.sum", "Array.sum", "operator.add", "numjit.assign"
  LibraryUse when = LibraryUse::Call;
  std::string operands = {}; ///< of operators: the kinds of both, "List,Integer"

  LibraryKey(std::string name, LibraryUse when = LibraryUse::Call, std::string operands = {})
      : name(std::move(name)), when(when), operands(std::move(operands)) {}
  LibraryKey(const char *name) : name(name) {}

  /// A name that is called, whatever the operands are.
  bool is_plain() const { return when == LibraryUse::Call && operands.empty(); }
  auto operator<=>(const LibraryKey &) const = default;
};

/// "numpy.sum", "numpy.sum, times", "operator.add(List,List)".
inline std::string text_of(const LibraryKey &key) {
  std::string text = key.name;
  if (!key.operands.empty())
    text += "(" + key.operands + ")";
  if (key.when != LibraryUse::Call)
    text += ", " + std::string(kLibraryUses[static_cast<size_t>(key.when)]);
  return text;
}

} // namespace numjit
