"""How compile time grows with the program: a hundred times the body in so many times the time.

Times are those of the processor, which other processes disturb less.
"""

import time

from engines import find_engine

SMALL, FACTOR = 20, 100


def _statements(n):
    """Straight code over a few variables."""
    lines = [
        f"    {'abc'[i % 3]} = {'bca'[i % 3]} * {i % 7 + 1} + {'cab'[i % 3]}" for i in range(n)
    ]
    return "def f(a, b, c):\n" + "\n".join(lines) + "\n    return a + b + c\n"


def _variables(n):
    """As many variables as statements, all alive to the end."""
    lines = [f"    v{i} = v{i - 1} + a * {i}" if i else "    v0 = a" for i in range(n)]
    total = " + ".join(f"v{i}" for i in range(0, n, max(1, n // 50)))
    return "def f(a, b, c):\n" + "\n".join(lines) + f"\n    return {total}\n"


def _branches(n):
    """One if beside the other, each joining again."""
    lines = [
        f"    if a > {i}:\n        b = b + {i}\n    else:\n        c = c - b" for i in range(n // 4)
    ]
    return "def f(a, b, c):\n" + "\n".join(lines) + "\n    return b + c\n"


def _elif(n):
    """A chain of elif."""
    lines = [f"    {'el' if i else ''}if a == {i}:\n        b = c * {i}" for i in range(n // 2)]
    return "def f(a, b, c):\n" + "\n".join(lines) + "\n    return b + c\n"


def _nested(n):
    """An if in an if in an if, up to what CPython parses."""
    depth = max(1, n // 25)
    lines = [f"{'    ' * (i + 1)}if a > -{i}:" for i in range(depth)]
    lines += [f"{'    ' * (i + 1)}b = b * {i} + c" for i in reversed(range(1, depth + 1))]
    return "def f(a, b, c):\n" + "\n".join(lines) + "\n    return b + c\n"


def _loops(n):
    """Loops one behind the other."""
    lines = [
        f"    for i in range(a):\n        b = b + i * {i}\n        c = c ^ b" for i in range(n // 3)
    ]
    return "def f(a, b, c):\n" + "\n".join(lines) + "\n    return b + c\n"


def _items(n):
    """Elements of arrays, read and written."""
    lines = [f"    x[{i % 9}] = x[{(i + 1) % 9}] + x[a] * {i}" for i in range(n)]
    return "def f(a, b, x):\n" + "\n".join(lines) + "\n    return x[b]\n"


def _arrays(n):
    """Counted memory: views and lists that live long."""
    lines = [f"    y = x[{i % 5}:] if a > {i} else y\n    b += len(y)" for i in range(n // 2)]
    return "def f(a, b, x):\n    y = x\n" + "\n".join(lines) + "\n    return b\n"


SHAPES = {
    "statements": (_statements, False),
    "variables": (_variables, False),
    "if beside if": (_branches, False),
    "elif": (_elif, False),
    "nested if": (_nested, False),
    "loops": (_loops, False),
    "items of arrays": (_items, True),
    "views": (_arrays, True),
}


def _time(module, make, array, n):
    import numpy as np

    namespace = {}
    exec(make(n), namespace)
    f = module.njit(namespace["f"])
    arguments = (3, 4, np.arange(10)) if array else (3, 4, 5)
    start = time.thread_time()
    f(*arguments)
    return (time.thread_time() - start) * 1e3, dict(getattr(f, "timings", dict)())


def measure(engine, shape, factor=FACTOR):
    module = find_engine(engine)
    make, array = SHAPES[shape]
    _time(module, make, array, SMALL)  # one-time costs
    small = min(_time(module, make, array, SMALL)[0] for _ in range(5))
    large, stages = _time(module, make, array, SMALL * int(factor))
    return {"small_ms": small, "large_ms": large, "growth": large / small, "stages_ms": stages}


if __name__ == "__main__":
    import sys

    for name in sys.argv[2:] or SHAPES:
        found = measure("numjit", name, int(sys.argv[1]))
        stages = {k: round(v, 1) for k, v in found["stages_ms"].items()}
        times = " ".join(f"{found[k]:10.2f}" for k in ("small_ms", "large_ms", "growth"))
        print(f"{name:20} {times} {stages}")
