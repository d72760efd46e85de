"""The first call of one NumPy function in a fresh process."""

import numpy as np
from engines import find_engine
from numpy_rows import ROWS, SIZES
from timing import once


def measure(name, engine):
    """{"first_ms", "stages_ms"}, or {"missing": why} where the engine has not that function."""
    module = find_engine(engine)

    @module.njit
    def increment(x):
        return x + 1

    increment(1)  # what the engine does once in a process is not the row's
    row = ROWS[name]
    function = module.njit(row.program({"np": np, "__name__": "bench"}))
    arguments = row.arguments(SIZES[0])
    try:
        seconds, _ = once(lambda: function(*arguments))
    except Exception as error:
        if "Error" in type(error).__name__ and engine in type(error).__module__:
            return {"missing": str(error).partition("\n")[0]}
        raise
    stages = getattr(function, "timings", None)
    return {"first_ms": seconds * 1e3, "stages_ms": dict(stages()) if callable(stages) else {}}
