"""Fibonacci numbers by recursion: the price of a call."""

from kernel import Kernel
from numjit import njit


@njit
def fib(n):
    if n < 2:
        return n
    return fib(n - 1) + fib(n - 2)


KERNEL = Kernel(fib, lambda: (30,), lambda: (8,))
