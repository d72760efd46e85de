"""A loop over a Python list of 100,000 floats that builds another list."""

import numpy as np
from engines import find_engine
from timing import best


def add_to_list(x, c):
    rs = [0.0] * len(x)
    for i, v in enumerate(x):
        rs[i] = v + c
    return rs


def measure(engine):
    x = np.random.default_rng(9).random(100_000).tolist()
    function = find_engine(engine).njit(add_to_list)
    if function(x, 1.5) != add_to_list(x, 1.5):
        raise AssertionError("MISMATCH: another list than the interpreter's")
    return {
        "interpreter_ms": best(lambda: add_to_list(x, 1.5)) * 1e3,
        "engine_ms": best(lambda: function(x, 1.5)) * 1e3,
    }
