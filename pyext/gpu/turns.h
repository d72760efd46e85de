// Threads take turns to compute what waits in arrays of numjit.cupy.
#pragma once

#include "pyext/python.h"

namespace numjit {

/// While it lives no other thread computes an expression, or writes what waits to be written: a
/// launch gives up the GIL, and Python code between two steps may lose it. A thread may take
/// several turns at once. With the GIL only; it waits without it.
class Turn {
public:
  Turn();
  ~Turn();
  Turn(const Turn &) = delete;
  Turn &operator=(const Turn &) = delete;
};

/// Whether another thread is computing: what an array's members say may be out of date.
bool others_compute();

/// The class Turn of Python, a context manager.
bool init_turns(PyObject *module);

} // namespace numjit
