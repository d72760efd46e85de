"""Primes below n with lists: repetition, item assignment, append."""

from kernel import Kernel
from numjit import njit


@njit
def sieve(n):
    prime = [True] * n
    found = []
    for i in range(2, n):
        if prime[i]:
            found.append(i)
            for multiple in range(i * i, n, i):
                prime[multiple] = False
    return len(found)


KERNEL = Kernel(sieve, lambda: (1_000_000,), lambda: (500,))
