// Type inference: from untyped SSA and argument types to typed IR.
#pragma once

#include "frontend/ssa_builder.h"
#include "runtime/runtime.h"
#include "typeinfer/errors.h"
#include "typeinfer/ir/typed_ir.h"
#include "typeinfer/library_key.h"

#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace numjit {

/// What is known of a value: its type and, where it is known, the value itself. No type: not
/// reached yet.
struct Fact {
  const Type *type = nullptr;
  const Const *constant = nullptr;
  bool operator==(const Fact &) const = default;
};

/// What inference reads outside of the function. Implemented by pyext; takes the GIL only for
/// functions that have not been read yet.
class Host {
public:
  virtual ~Host() = default;
  virtual std::shared_ptr<const ssa::Function> source(FunctionDef &function,
                                                      const UnrollPlan &plan) = 0;
  /// What names meant in the version of a function that there is for arguments of these types; null
  /// where there is none, or they mean the same now.
  virtual std::shared_ptr<Surroundings> names_of(const FunctionDef &,
                                                 const std::vector<const void *> &) {
    return nullptr;
  }
  /// From here to leave(), which are nested, names in the function mean that; null: what they mean
  /// now.
  virtual void enter(const FunctionDef &, const std::shared_ptr<Surroundings> &) {}
  virtual void leave() {}
  /// The library's Python function of a row; nullptr if there is none.
  virtual FunctionDef *library(const LibraryKey &key) = 0;
  /// Names of rows that begin with a prefix ("Array."), to suggest near ones.
  virtual std::vector<std::string> library_names(const std::string &prefix) = 0;

  /// Value of an attribute of a module or a class that a function was handed; nullptr if it is not
  /// known before the program runs.
  /// A class by its qualified name.
  virtual const Const *class_named(const std::string &) { return nullptr; }
  /// What a function of Python's returns for constants, such as operator.itemgetter(1).
  virtual const Const *called(const std::string &, const std::vector<const Const *> &) {
    return nullptr;
  }
  /// An operator of two ints as Python has it, of any size: an int or a bool; nullptr where it
  /// raises, and for ints of more than a few thousand bits.
  virtual const Const *exact_operator(Operator, const Const &, const Const &) { return nullptr; }
  virtual const Const *attribute_of(const FunctionDef &, const Const &, const std::string &) {
    return nullptr;
  }

  /// The Struct of a jitclass, which may name types that were not known when the class was made;
  /// nullptr while they are not.
  virtual const Type *fields_of(const Const *) { return nullptr; }

  /// The type of a structref that is made of values of these types: its class may have others for
  /// its fields. nullptr and an error if it fails.
  virtual const Type *struct_ref(const Const *, const std::vector<const Type *> &, std::string &) {
    return nullptr;
  }

  /// With strict_ints: whether integers that meet in a float are only warned of here.
  virtual bool warn_of_integers(const std::string &, const FunctionDef *, Position) {
    return false;
  }
  /// A loop over prange runs in one thread, for a reason. Raises what the warning raises.
  virtual void warn_of_order(const std::string &, const FunctionDef *, Position) {}

  // --- overloads that the user registered (numjit.extending); a host may have none ---
  using Keywords = std::vector<std::pair<std::string, Fact>>;
  enum class Member : uint8_t { None, Attribute, Method };
  struct Choice {
    FunctionDef *function = nullptr; ///< what to call; nullptr: no overload takes the arguments
    std::string tried;               ///< results of the overloads, a line for each
    bool wrong = false;              ///< an overload raised: its error is in `tried`
    bool asks_for_literals = false;  ///< one needs the value of an argument
  };
  /// Whether there are any for a function by name, or for a method or attribute ".name" of a type.
  virtual bool has_overloads(const std::string &) { return false; }
  virtual Member overloaded_member(const std::string &, const Fact &) { return Member::None; }
  /// `literals_first`: overloads are tried with literal types before they are tried with plain
  /// ones.
  virtual Choice choose_overload(const std::string &, const std::vector<Fact> &, const Keywords &,
                                 [[maybe_unused]] bool literals_first) {
    return {};
  }
};

/// A function of the program that compiled code calls.
struct CalledFunction {
  FunctionDef *function;
  std::vector<const Type *> arguments;
  const Type *result;
  std::set<const FunctionDef *> others; ///< functions without a dispatcher that it needs
};

struct InferResult {
  std::unique_ptr<tir::Module> module;
  const Type *result = nullptr;
  /// It calls functions of NumPy that have several threads where that pays: np.zeros, np.dot.
  bool calls_parallel = false;
  std::vector<CalledFunction> called;
};

/// Infers `function` for the argument facts (one per parameter; *args as a tuple) and returns
/// verified typed IR after its passes. `result_type`: convert what it returns to this type
/// (explicit signatures), or nullptr. Throws CompileError.
InferResult infer(FunctionDef &function, const std::vector<Fact> &arguments,
                  const Type *result_type, Host &host, tir::Target target = tir::Target::Host,
                  const tir::SimulatedKernel &simulated = {});

/// Whether the text of a TypingError says that types do not meet. The value of a flag may decide
/// which do (`if tensor: c = c.reshape(...)`); else variables may hold values of several types.
bool types_do_not_meet(std::string_view error);
/// Whether an error says that extents of an array would have to be known.
bool extents_are_open(std::string_view error);

/// The fact of a constant: its type (int64 for a Python int, ...) with the constant.
Fact fact_of(const Const *constant);

} // namespace numjit
