"""The first call of one kernel in a fresh process."""

import catalogue
from engines import find_engine
from timing import once


def measure(name, engine, warm):
    """`warm` compiles a trivial function first, so that one-time costs of the engine are paid."""
    module = find_engine(engine)
    if warm == "warm":

        @module.njit
        def increment(x):
            return x + 1

        increment(1)
    kernel = catalogue.load(name, engine)
    arguments = kernel.small()
    seconds, _ = once(lambda: kernel.function(*arguments))
    # A second call of the same size is nearly pure run time.
    again, _ = once(lambda: kernel.function(*arguments))
    stages = getattr(kernel.function, "timings", None)
    return {
        "first_ms": seconds * 1e3,
        "second_ms": again * 1e3,
        "stages_ms": dict(stages()) if callable(stages) else {},
    }
