"""Loops over bytes and short numbers compute with 16 or 32 bits where nothing gets larger: random
loops against the interpreter, at the ends of every dtype."""

import random

import numpy as np
import pytest
from numjit import njit

pytestmark = pytest.mark.one_python

DTYPES = ["u1", "i1", "u2", "i2", "u4", "i4", "b1"]


class Loops:
    """Source of loops over two arrays."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.names = ["(a[i] + zero)", "(b[i] + zero)", "(a[i - 1] + zero)"]

    def number(self, depth):
        choose = self.random.choice
        if depth == 0:
            return choose([*self.names, f"({choose(CONSTANTS)} + zero)"])
        one, other = self.number(depth - 1), self.number(depth - 1)
        return choose(
            [
                f"({one} + {other})",
                f"({one} - {other})",
                f"({one} * {other})",
                f"({one} & {other})",
                f"({one} ^ {other})",
                f"min({one}, {other})",
                f"max({one}, {other})",
                f"abs({one})",
                f"({one} // {choose([1, 2, 3, 9, 256, -4])})",
                f"({one} % {choose([1, 2, 7, 16, 1000, -5])})",
                f"({one} << {choose([1, 3, 8])})",
                f"({one} >> {choose([1, 2, 9])})",
                f"({one} if {other} > {self.number(0)} else {self.number(0)})",
            ]
        )

    def source(self):
        first = self.number(1)
        self.names.append("x")
        end = self.random.choice(
            [
                "out[i] = y & 255",
                "out[i] = min(max(y, 0), 255)",
                "out[i] = y / 8",
                "total += y",
                "total += y > x",
                "if y < 100:\n            y = y * 3 - x\n        out[i] = y % 50",
            ]
        )
        return f"""
def f(a, b, out):
    total, zero = 0, a[0] * 0
    for i in range(1, len(a)):
        x = {first}
        y = {self.number(self.random.randint(1, 3))}
        {end}
    return total
"""


CONSTANTS = [0, 1, 2, 3, 127, 255, 256, 1020, 32767, 32768, 65536, -1, -128, 2**31 - 1]


def numbers(dtype, rng):
    if dtype == "b1":
        return rng.random(70) < 0.5
    info = np.iinfo(dtype)
    ends = [info.min, info.max, 0, 1, info.max - 1, info.min + 1]
    found = rng.integers(info.min, info.max, 70, dtype, endpoint=True)
    found[rng.integers(0, 70, 30)] = rng.choice(ends, 30)
    return found


def check(seed):
    rng = np.random.default_rng(seed)
    source = Loops(seed).source()
    namespace = {}
    exec(source, namespace)
    plain = namespace["f"]
    a, b = (numbers(rng.choice(DTYPES), rng) for _ in range(2))
    wanted, got = np.zeros(70), np.zeros(70)
    with np.errstate(all="ignore"):  # NumPy's integers wrap around as those of compiled code
        total = plain(a.astype(np.int64), b.astype(np.int64), wanted)
    assert njit(plain)(a, b, got) == total, (source, a.dtype, b.dtype)
    assert np.array_equal(got, wanted), (source, a.dtype, b.dtype)


@pytest.mark.parametrize("seed", range(60))
def test_random_loops(seed):
    check(seed)
