"""Run times of one NumPy function: NumPy's own from the interpreter, and compiled calls of it.

The compiled function is called from Python, as NumPy's is; engines take turns in one process.
"""

import timeit

import numpy as np
from engines import find_engine
from numpy_rows import ROWS, SIZES

ROUND_SECONDS = 0.02


class Contender:
    def __init__(self, statement, names):
        self.timer = timeit.Timer(statement, globals=names)
        once = max(self.timer.timeit(2) / 2, 1e-9)
        self.number = max(1, int(ROUND_SECONDS / once))
        self.best = float("inf")

    def play(self):
        self.best = min(self.best, self.timer.timeit(self.number) / self.number)


def measure(name, engines, rounds):
    """{size: {"numpy" or engine: microseconds}}; engines without the function are left out."""
    row = ROWS[name]
    functions = {}
    for engine in filter(None, engines.split(",")):
        function = find_engine(engine).njit(row.program({"np": np, "__name__": "bench"}))
        try:
            function(*row.arguments(SIZES[0]))
            functions[engine] = function
        except Exception:
            continue  # numpy_first tells why
    result = {}
    for n in SIZES:
        names = {"np": np} | dict(zip(row.parameters, row.arguments(n)))
        contenders = {"numpy": Contender(row.call, names)}
        call = f"f({', '.join(row.parameters)})"
        for engine, function in functions.items():
            contenders[engine] = Contender(call, names | {"f": function})
        for _ in range(int(rounds)):
            for contender in contenders.values():
                contender.play()
        result[str(n)] = {who: c.best * 1e6 for who, c in contenders.items()}
    return result
