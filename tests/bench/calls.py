"""What one call costs, in nanoseconds, when the function does next to nothing."""

import timeit

import numpy as np
from engines import find_engine

NUMBER, REPEATS = 100_000, 15


def _programs(njit):
    @njit
    def one_int(x):
        return x

    @njit
    def two_floats(x, y):
        return x + y

    @njit
    def one_array(a):
        return a[0]

    @njit
    def four_arrays(a, b, c, d):
        return a[0] + b[0] + c[0] + d[0]

    @njit
    def new_array(n):
        return np.empty(n)

    a, b, c, d = np.ones((4, 8))
    return {
        "1 int": (one_int, (1,)),
        "2 floats": (two_floats, (1.0, 2.0)),
        "1 array": (one_array, (a,)),
        "4 arrays": (four_arrays, (a, b, c, d)),
        "new array": (new_array, (8,)),
    }


def measure(engine):
    """{what: ns}; "python" tells the cost of the timing loop and a plain call."""
    result = {}
    for label, (function, arguments) in _programs(find_engine(engine).njit).items():
        names = {f"a{i}": value for i, value in enumerate(arguments)}
        timer = timeit.Timer(f"f({', '.join(names)})", globals={"f": function, **names})
        timer.timeit(10)  # compiles
        result[label] = min(timer.repeat(REPEATS, NUMBER)) / NUMBER * 1e9
    return result
