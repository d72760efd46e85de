"""Checked indices: what an error says of the kernel, the thread and the index."""

import re

import numpy as np
import pytest
from cuda.test_ptx import ptx_of
from numjit import cuda


def stores(x, y, start):
    i = cuda.grid(1)
    y[i, start] = x[i + start]


@pytest.mark.parametrize("options", [{"boundscheck": True}, {"debug": True, "opt": False}])
def test_error_of_an_index(options):
    k = cuda.jit(**options)(stores)
    x, y = np.zeros(8), np.zeros((8, 4))
    k[2, 4](x, y, 0)
    with pytest.raises(IndexError) as error:
        k[2, 4](x, y, 3)
    text = str(error.value)
    # The first thread that is found; threads of several blocks run in any order.
    assert re.search(r"tid=\[[123], 0, 0\] ctaid=\[1, 0, 0\]", text)
    assert re.search(r"index (8|9|10) is out of bounds for axis 0 with size 8", text)
    if not cuda.is_simulated():
        assert "In function 'stores'" in text and "in kernel stores: y[i, start] = x[i" in text
    with pytest.raises(IndexError, match="index 4 is out of bounds for axis 1 with size 4"):
        k[1, 1](x, y, 4)
    with pytest.raises(IndexError, match="index -5 is out of bounds for axis 1 with size 4"):
        k[1, 1](x, y, -5)


def test_error_of_an_atomic():
    @cuda.jit(boundscheck=True)
    def k(x, i):
        cuda.atomic.add(x, i, 1)

    x = np.zeros(3)
    k[1, 1](x, -1)
    for i in (3, -4):
        with pytest.raises(IndexError, match=f"index {i} is out of bounds for axis 0 with size 3"):
            k[1, 1](x, i)
    assert x.tolist() == [0, 0, 1]


def test_ptx_has_checks_where_they_are_asked_for():
    signature = "void(float64[::1], float64[:, ::1], int64)"
    assert "numjit_raised[64]" in ptx_of(stores, signature, debug=True)
    assert "numjit_raised" not in ptx_of(stores, signature)
