// Calls of Python functions from compiled code.
#pragma once

#include "pyext/python.h"
#include "runtime/runtime.h"
#include "typeinfer/types/types.h"

#include <vector>

namespace numjit {

/// The lists, sets and dataclasses in the arguments of a call from compiled code to Python. While
/// the call lasts, each block has one Python object with the same contents: that of the caller
/// where it came from Python, else a new one. Blocks name it (`nj_block::extra`).
class PythonView {
public:
  PythonView() = default;
  ~PythonView();
  PythonView(const PythonView &) = delete;
  PythonView &operator=(const PythonView &) = delete;

  /// Finds the blocks in a value, which keeps its counts; false with an exception set.
  bool show(const Type *type, const uint64_t *slots);
  /// The block that `object` stands for; null for other objects.
  nj_block *block_of(PyObject *object, const Type *type) const;
  /// Changes that Python made show in the blocks; false with an exception set.
  bool take_back();

private:
  struct Shown {
    Ref object;
    nj_block *block;
    const Type *type;
    bool made; ///< for this call
  };

  bool show_block(const Type *type, nj_block *block);
  bool show_parts(const Type *type, nj_block *block);
  bool show_memory(const Type *type, const char *memory);

  std::vector<Shown> shown_;
};

/// nj_host::call_python, with the GIL.
int32_t call_python(const nj_python_call *call, const void *arguments, void *result);

/// Puts a value into memory in the layout of a type, with counts of its own; false with an
/// exception set if it is of another type.
bool unbox_into(PyObject *value, const Type *type, void *memory, const PythonView &view = {});

/// nj_box_value, nj_unbox_value.
void *box_value_hook(const void *type, const uint64_t *slots);
int32_t unbox_value_hook(void *object, const void *type, uint64_t *slots);

} // namespace numjit
