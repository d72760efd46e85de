// The call of a matrix product of cuBLAS, whose address Python knows.
#include "pyext/gpu/contexts.h"
#include "pyext/gpu/lazy.h"

namespace numjit {

namespace {

using Gemm = int (*)(void *handle, int turn_a, int turn_b, int m, int n, int k, const void *alpha,
                     const void *a, int lda, const void *b, int ldb, const void *beta, void *c,
                     int ldc);

PyObject *call_gemm(PyObject *, PyObject *const *arguments, Py_ssize_t count) {
  constexpr Py_ssize_t kNumbers = 15;
  unsigned long long n[kNumbers] = {};
  if (count != kNumbers)
    return PyErr_Format(PyExc_TypeError, "call_gemm takes 15 numbers, not %zd", count);
  for (Py_ssize_t i = 0; i < count; ++i)
    n[i] = PyLong_AsUnsignedLongLong(arguments[i]);
  if (PyErr_Occurred())
    return nullptr;
  auto number = [&](int i) { return static_cast<int>(n[i]); };
  auto address = [&](int i) { return reinterpret_cast<void *>(n[i]); };
  int status;
  {
    WithoutGil released;
    status = reinterpret_cast<Gemm>(address(0))(
        address(1), number(2), number(3), number(4), number(5), number(6), address(7), address(8),
        number(9), address(10), number(11), address(12), address(13), number(14));
  }
  return PyLong_FromLong(status);
}

PyMethodDef blas_functions[] = {
    {"call_gemm", reinterpret_cast<PyCFunction>(reinterpret_cast<void *>(call_gemm)), METH_FASTCALL,
     "call_gemm(address, handle, ...): cublasXgemm_v2 with its arguments as numbers; its status."},
    {}};

} // namespace

bool init_blas_call(PyObject *module) { return PyModule_AddFunctions(module, blas_functions) == 0; }

} // namespace numjit
