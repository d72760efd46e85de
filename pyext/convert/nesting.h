// How deep the parts of a value are followed.
#pragma once

#include "pyext/python.h"

#include <string>

namespace numjit {

/// Counts the lists, dicts and objects that a thread is inside of while it reads an argument. One
/// may hold itself, and the interpreter's own limit for functions of C allows more of them than the
/// stack of a thread may have room for. Beyond kDeepest a RecursionError is set.
class Nesting {
public:
  static constexpr int kDeepest = 500;

  explicit Nesting(const char *doing) {
    if (++depth_ > kDeepest)
      PyErr_SetString(PyExc_RecursionError,
                      (std::string("maximum recursion depth exceeded while ") + doing).c_str());
  }
  ~Nesting() { --depth_; }
  Nesting(const Nesting &) = delete;
  Nesting &operator=(const Nesting &) = delete;

  bool is_too_deep() const { return depth_ > kDeepest; }

private:
  static inline thread_local int depth_ = 0;
};

} // namespace numjit
