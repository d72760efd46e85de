"""The longest Collatz sequence that starts below n: integer remainder and division."""

from kernel import Kernel
from numjit import njit


@njit
def collatz(n):
    longest = 0
    for start in range(1, n):
        x, length = start, 1
        while x != 1:
            if x % 2 == 0:
                x = x // 2
            else:
                x = 3 * x + 1
            length += 1
        if length > longest:
            longest = length
    return longest


KERNEL = Kernel(collatz, lambda: (200_000,), lambda: (200,))
