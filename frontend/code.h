// A Python function as plain data: what is read from the code object, and what its names mean.
#pragma once

#include "frontend/constant.h"

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

namespace numjit {

namespace ssa {
struct Function;
}

/// The parts of a CPython code object that the frontend reads, still in that version's encoding.
struct Code {
  int minor = 0; ///< Python 3.`minor`
  std::string name, qualname, filename;
  int first_line = 0;
  int flags = 0; ///< co_flags
  int argcount = 0, posonlyargcount = 0, kwonlyargcount = 0;
  std::vector<uint8_t> bytecode; ///< co_code: no specialised or instrumented opcodes
  std::vector<uint8_t> linetable, exceptiontable; ///< raw bytes, decoded by the frontend
  std::vector<const Const *> consts;              ///< inner code objects are ObjectKind::Code
  std::vector<std::string> names, varnames, cellvars, freevars;
  /// Names of the "fast locals plus" slots: locals, then cells that are not arguments, then free
  /// variables.
  std::vector<std::string> localsplus;
  /// Variables, own or of a function around, that are lists of one item (boxes.cpp).
  std::set<std::string> boxed = {};

  bool has_varargs() const { return flags & 0x04; }
  bool has_varkeywords() const { return flags & 0x08; }
  bool is_generator() const { return flags & (0x20 | 0x80 | 0x200); }
  /// `async def`, with or without `yield`.
  bool is_async() const { return flags & (0x80 | 0x200); }
};

/// An explicit signature; types are numjit::Type*.
struct DeclaredSignature {
  std::vector<const void *> arguments;
  const void *result = nullptr; ///< null: whatever the function returns
  bool operator==(const DeclaredSignature &) const = default;
};

/// How a function is to be compiled: the options of @jit that the stages look at.
struct CompileOptions {
#define NUMJIT_OPTION(type, field, ...) type field{};
#include "frontend/compile_options.def"
#undef NUMJIT_OPTION
  std::map<std::string, const void *> locals; ///< variable name -> numjit::Type*
  /// Where there are any, calls are converted to one of them.
  std::vector<DeclaredSignature> signatures;
  bool operator==(const CompileOptions &) const = default;

  /// Those of a function when one with these options calls it.
  CompileOptions of_callee(const CompileOptions &callee) const {
    CompileOptions options = callee;
    if (!callee.own_fastmath)
      options.fastmath = fastmath;
    if (!callee.own_error_model)
      options.error_model_numpy = error_model_numpy;
    if (!callee.own_promotion)
      options.promotes_as_numba = promotes_as_numba;
    return options;
  }
};

/// The values of names outside of a function, for the compilations that began while none of them
/// had changed.
struct Surroundings {
  /// Values of the free variables, in order of code.freevars (nullptr: empty cell).
  std::vector<const Const *> closure;

  /// What other names meant when they were first asked for, in that order: every version of the
  /// function, and a version that was kept on disk, sees the same. Guarded by the GIL.
  struct Answer {
    const Const *object; ///< whose attribute; nullptr: a global or builtin name
    std::string name;
    const Const *value; ///< nullptr: there is none
  };
  std::vector<Answer> answers;

  // --- memoised by the SourceProvider (see ssa_builder.h) ---
  std::mutex ssa_mutex;
  std::map<std::string, std::shared_ptr<const ssa::Function>> ssa; ///< per unroll plan
};

struct FunctionDef;
/// Which surroundings the functions of one compilation had.
using Snapshot = std::map<const FunctionDef *, std::shared_ptr<Surroundings>>;

/// A version of a function that there is already: callers that are compiled later call it, whatever
/// names mean by then.
struct Version {
  std::vector<const void *> arguments; ///< numjit::Type*
  std::shared_ptr<Surroundings> names;
  /// Of the functions without a dispatcher that it needs, directly or not.
  std::shared_ptr<const Snapshot> of_others;
};

/// A Python function that numjit can compile. Made by pyext with the GIL held, then read-only but
/// for the surroundings.
struct FunctionDef {
  Code code;
  std::vector<const Const *> defaults; ///< of the last positional parameters
  std::map<std::string, const Const *> kwdefaults;
  bool runtime_closure = false; ///< inner function: free variables are hidden trailing parameters
  const Const *self = nullptr; ///< inner function: its row as a constant, set when it is first made
  /// Inner function: those that it calls and that call it, itself among them, by name
  /// (siblings.cpp).
  std::map<std::string, const Const *> siblings;
  bool memoised = false;      ///< inner function: it keeps its results (memoised.cpp)
  bool accepts_lazy = false;  ///< library function that takes array expressions unevaluated
  bool takes_literals = true; ///< false: literal strings arrive as run-time ones
  bool is_library =
      false; ///< part of numjit's library or a user's overload: specialised on constants too
  /// Part of numjit's library, which relies on NumPy's promotion whatever the program's is.
  bool promotes_as_numpy = false;
  /// What makes instances of a plain class: its __init__, but returns `self`, whose fields are
  /// values until then.
  bool makes_self = false;
  void *globals = nullptr;    ///< PyObject* of the globals dict, for the Environment
  void *cells = nullptr;      ///< PyObject* of the tuple of cells, nullptr where there is none
  void *handle = nullptr;     ///< PyObject* of the function, nullptr for inner functions
  void *dispatcher = nullptr; ///< PyObject* of the dispatcher, nullptr where there is none
  CompileOptions options;

  // --- body of a parallel loop (parallel_loops.h): number `loop_index` of the loops of `loop_of`,
  // whose SSA was built with `loop_plan` ---
  const FunctionDef *loop_of = nullptr;
  int32_t loop_index = 0;
  std::map<int32_t, int32_t> loop_plan;

  std::string name() const { return code.qualname.empty() ? code.name : code.qualname; }
  int parameter_count() const {
    return code.argcount + code.kwonlyargcount + code.has_varargs() + code.has_varkeywords();
  }

  /// The latest; replaced with the GIL held. Those of the library's functions never are.
  mutable std::shared_ptr<Surroundings> surroundings = std::make_shared<Surroundings>();
  /// Of the dispatcher, by itself and with callers. Guarded by the GIL.
  mutable std::vector<Version> versions;
};

/// Finds the inner functions of a function that call one another (see siblings.cpp).
void link_siblings(Code &code);
/// Finds the variables that have to be lists, for what inner functions do with them (see
/// boxes.cpp).
void box_variables(Code &code);

/// Answers questions about Python objects while SSA is built. Implemented by pyext (GIL held), and
/// by maps in unit tests.
class Environment {
public:
  virtual ~Environment() = default;
  /// Value of a global or builtin name; nullptr when it is not defined.
  virtual const Const *global(const FunctionDef &function, const std::string &name) = 0;
  /// Value of `object.name` in a function, where it can be read before compilation (modules,
  /// classes, enums);
  /// nullptr leaves the attribute to type inference.
  virtual const Const *attribute(const FunctionDef &function, const Const &object,
                                 const std::string &name) = 0;
  /// The module that an import statement in the function binds: "import a.b" gives a, "from a.b
  /// import c, d" gives a.b, which has c and d. Where it fails, a tuple of the exception's class
  /// and its text. nullptr: not known.
  virtual const Const *imported(const FunctionDef &, const std::string &) { return nullptr; }
  /// Values of the free variables of a function, as in Surroundings.
  virtual const std::vector<const Const *> &closure(const FunctionDef &function) {
    return function.surroundings->closure;
  }
};

} // namespace numjit
