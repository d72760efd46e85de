// Kernels: one compiled version for argument types, and their launches.
#pragma once

#include "pyext/call/compile.h"
#include "pyext/gpu/contexts.h"
#include "pyext/python.h"

#include <memory>
#include <vector>

namespace numjit {

/// A kernel for argument types. With the GIL only.
struct Kernel {
  FunctionDef *definition = nullptr;
  std::vector<const Type *> arguments;
  CompiledKernel compiled;
  // --- on a GPU, set once the code is loaded there
  uint64_t function = 0; ///< CUfunction
  std::shared_ptr<DriverContext> context;
  bool cooperative = false;
  /// Exceptions are read after each launch. They are state in device memory: launches of the kernel
  /// run one by one.
  bool checked = false;

  /// Whether it was made for the values of the arguments of a launch.
  template <class Slots>
  bool fits(const Slots &slots) const {
    for (const codegen::KnownSlot &known : compiled.ptx.known)
      if (static_cast<int64_t>(slots[known.slot]) != known.value)
        return false;
    for (const codegen::ArraySlots &array : compiled.ptx.small)
      if (!array.is_small(slots))
        return false;
    return true;
  }
};

/// A scalar argument that the kernel declares with another type.
struct ScalarConversion {
  size_t slot;
  const Type *from, *to;
};

/// The kernels of a dispatcher, by the words of their arguments (fingerprint.h), and what the
/// arguments must be.
struct KernelTable {
  struct Row {
    std::vector<uint64_t> words;
    std::shared_ptr<Kernel> kernel;
    Ref owner; ///< the CompiledKernel of numjit.cuda, which keeps the code loaded
    std::vector<ScalarConversion> conversions;
  };
  std::vector<Row> rows;
  size_t last = 0;
  bool simulated = false; ///< launches are left to Python
  std::vector<Ref> kept;  ///< classes whose addresses are in words

  Row *find(const uint64_t *words, size_t count, const uint64_t *slots);
};

struct LaunchShape {
  unsigned grid[3], block[3];
  unsigned shared_bytes;
  void *stream;
};

/// The types of arguments; false with an exception set.
bool types_of_arguments(PyObject *const *arguments, Py_ssize_t count,
                        std::vector<const Type *> &types);

/// A list that gets (kernel, stream) of each launch from now on; null for none.
void record_launches(PyObject *list);

/// The driver's handle of a Launcher's stream.
void *launcher_stream(PyObject *launcher);
/// Launches with the kernels of a Launcher in another shape; null with an exception set.
PyObject *launch_as(PyObject *launcher, const LaunchShape &shape, PyObject *const *arguments,
                    Py_ssize_t count);

/// Makes the class Launcher and adds it to the module; false with an exception set.
bool init_launcher(PyObject *module);
/// The same for KernelDispatcher, whose base Dispatcher is there.
bool init_kernel_dispatcher(PyObject *module);

} // namespace numjit
