// The state of a dispatcher: its function, its specialisations, and how calls find them.
#pragma once

#include "pyext/cache/cache.h"
#include "pyext/call/specialization.h"
#include "pyext/convert/fingerprint.h"

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>
#include <unordered_map>

namespace numjit {

/// The words of a call (fingerprint.h) and the specialisation for them.
struct CallKey {
  std::vector<uint64_t> words;
  Specialization *target;
  /// The slots that the fingerprint's walk wrote are the arguments. Otherwise objects are unboxed
  /// as the target's types say, which converts.
  bool direct;

  bool matches(const uint64_t *other, size_t count) const {
    if (words.size() != count)
      return false;
    for (size_t i = 0; i < count; ++i)
      if (words[i] != other[i])
        return false;
    return true;
  }
};

/// Keys of one dispatcher: the last hit, then a hash table.
class CallTable {
public:
  const CallKey *find(const uint64_t *words, size_t count) {
    if (last_ && last_->matches(words, count))
      return last_;
    return find_slowly(words, count);
  }
  const CallKey *add(const uint64_t *words, size_t count, Specialization *target, bool direct);
  void clear();

private:
  const CallKey *find_slowly(const uint64_t *words, size_t count);

  const CallKey *last_ = nullptr;
  std::unordered_multimap<uint64_t, std::unique_ptr<CallKey>> keys_;
};

/// A compilation that some thread is busy with.
struct Pending {
  std::vector<const Type *> arguments;
  std::vector<const Const *> values;
  const Type *result;
  std::thread::id thread = std::this_thread::get_id();
  std::mutex mutex;
  std::condition_variable ended;
  bool done = false;
};

/// Read and written with the GIL only.
struct DispatcherState {
  CompileOptions options;
  bool can_compile = true;
  bool refused = false;     ///< for an option that there is not; the Python class says which
  bool object_mode = false; ///< @jit(forceobj=True): machine code is not asked for
  /// Number of positional arguments of a call that needs no folding; -1 if all need it (*args).
  Py_ssize_t plain_arity = -1;

  bool looks_in_cache = true; ///< false: what is compiled is kept on disk, but not looked for there
  std::unique_ptr<CacheHome> cache_home; ///< null: not asked for yet
  bool told_of_cache = false;            ///< why code is not kept

  CallTable table;
  std::vector<std::shared_ptr<Specialization>> specializations;
  std::vector<CalledFunction> called; ///< for which types callers had it compiled, by itself or not
  /// Fallbacks for arguments that have no type; and what was cleared while a thread was inside.
  std::vector<std::shared_ptr<Specialization>> others;
  Ref frame;             ///< a Python function that calls go through, for profilers; or null
  std::vector<Ref> kept; ///< classes whose addresses are in keys
  std::vector<std::shared_ptr<Pending>> pending;

  /// Parameters whose values are known where code is made, since literally() asked for them: the
  /// words of a call end with these values.
  std::vector<size_t> literals;
  bool told_of_versions = false; ///< that there are many, for one value after another

  std::unique_ptr<FunctionDef> function;
  bool function_read = false;
  std::vector<std::unique_ptr<FunctionDef>> old_functions; ///< cleared ones: others may know them

  Specialization *find(const std::vector<const Type *> &arguments,
                       const std::vector<const Const *> &values) const;
};

struct DispatcherObject {
  PyObject_HEAD vectorcallfunc vectorcall;
  PyObject *function; ///< the Python function
  DispatcherState *state;
};

/// The specialisation that takes arguments of the given types best, when nothing may be compiled;
/// null with the TypeError set that Numba raises.
Specialization *best_match(const DispatcherObject *dispatcher,
                           const std::vector<const Type *> &arguments);

/// The arguments of a call, one for each parameter: keywords and defaults in place, *args as a
/// tuple. False with an exception set.
bool fold_arguments(PyObject *function, PyObject *const *arguments, Py_ssize_t count,
                    PyObject *keyword_names, std::vector<Ref> &folded);

/// Appends the values of the arguments that literally() asked for to the words.
ScanResult scan_literals(const DispatcherState &state, PyObject *const *arguments, Scan &scan);

/// Finds or makes what a call with unknown words runs; null with an exception set.
const CallKey *resolve_call(DispatcherObject *dispatcher, PyObject *const *arguments,
                            const uint64_t *words, size_t word_count, bool indirect);

/// The same by the types of all items of lists and sets, if these differ from the types in the
/// words; null, with no exception set, if they do not.
const CallKey *resolve_mixed(DispatcherObject *dispatcher, PyObject *const *arguments);

} // namespace numjit
