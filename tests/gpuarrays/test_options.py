"""What a call does with its options: factors of zero, allocators, lists, versions of compilers."""

import numjit.cupy as cp
import numpy as np
import pytest
from numjit import cupyx as cpx
from numjit.cupy import cublas

NAN = float("nan")


@pytest.mark.parametrize("beta", [0, 0.0, "device"])
def test_factor_of_zero_reads_no_target(beta):
    beta = cp.zeros(()) if beta == "device" else beta
    a, x = cp.arange(9.0).reshape(3, 3), cp.arange(3.0)
    y = cp.full(3, NAN)
    cublas.gemv("N", 1, a, x, beta, y)
    np.testing.assert_array_equal(y.get(), (a @ x).get())
    y = cp.full(3, NAN)
    cublas.sbmv(0, 2, a[:1], x, beta, y)
    np.testing.assert_array_equal(y.get(), (2 * a[0] * x).get())
    found = cublas.geam("N", "T", 2, a, beta, cp.full((3, 3), NAN))
    np.testing.assert_array_equal(found.get(), 2 * a.get())
    found = cublas.gemm("N", "N", a, a, cp.full((3, 3), NAN), 1, beta)
    np.testing.assert_array_equal(found.get(), a.get() @ a.get())


def test_factor_of_zero_of_the_first_matrix():
    a = cp.arange(6.0).reshape(2, 3)
    found = cublas.geam("N", "N", 0, cp.full((2, 3), NAN), 3, a)
    np.testing.assert_array_equal(found.get(), 3 * a.get())


def test_pinned_memory_of_an_allocator_keeps_its_offset():
    pointers = []

    def allocate(size):
        pointers.append(cp.cuda.PinnedMemoryPointer(cp.cuda.PinnedMemory(size + 64), 64))
        return pointers[-1]

    cp.cuda.set_pinned_memory_allocator(allocate)
    try:
        made = cpx.zeros_pinned(4)
    finally:
        cp.cuda.set_pinned_memory_allocator(cp.get_default_pinned_memory_pool().malloc)
    assert made.ctypes.data == pointers[0].ptr == pointers[0].mem.ptr + 64
