"""Loops over arrays become packed instructions; a sum does so where the order may change."""

import numpy as np
import pytest
from numjit import njit


def assembly(function, *arguments):
    function(*arguments)
    return function.inspect_asm(function.signatures[0])


def test_element_wise_loop_is_packed():
    @njit
    def f(a, b, c, d):
        for i in range(len(a)):
            a[i] = b[i] * c + d[i]

    x = np.zeros(100)
    text = assembly(f, x, x, 2.0, x)
    assert "vmulpd" in text or "mulpd" in text
    assert "vaddpd" in text or "addpd" in text


def test_fastmath_sum_is_packed_and_a_strict_one_is_not():
    def f(a):
        total = 0.0
        for i in range(len(a)):
            total += a[i]
        return total

    assert "addpd" in assembly(njit(fastmath=True)(f), np.zeros(100))
    assert "addpd" not in assembly(njit(f), np.zeros(100))


@pytest.mark.parametrize("n", range(1, 19))
def test_narrowed_items_are_stored_alone(n):
    """Loops over a known number of items leave a rest of one lane of a vector."""

    def f(x):
        a = np.full(n, x) % 65536
        bytes_, words = np.zeros(40, np.uint8), np.zeros(40, np.uint16)
        bytes_[:n] = a
        words[:n] = a
        return bytes_, words

    got = njit(f)(-5)
    for array, value in zip(got, (251, 65531)):
        assert array[:n].tolist() == [value] * n
        assert not array[n:].any()
