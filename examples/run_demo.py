"""Checks and times every example, and writes its pictures.

    python examples/run_demo.py --out build/demo [--only mandelbrot] [--engine numba]

`~` marks a time measured on a smaller input and scaled up.  First calls are of new functions in a
process that has compiled one trivial function before, for either compiler.
"""

import argparse
import sys
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from engines import find_engine, load_source
from pictures import write_bar_chart, write_image
from table import render
from timing import best, once, readable

HERE = Path(__file__).parent
SOURCES = (
    "matrix_sum convolution_loops convolution_windows max_pool clip black_scholes mandelbrot kmeans"
).split()


@dataclass
class Row:
    name: str
    interpreter: float = 0.0
    numpy: float = 0.0
    first: dict = field(default_factory=dict)  # engine -> seconds
    steady: dict = field(default_factory=dict)
    failures: list = field(default_factory=list)


def agree(got, wanted, tolerance):
    return np.shape(got) == np.shape(wanted) and np.allclose(
        got, wanted, rtol=tolerance, atol=tolerance
    )


def measure(source, index, engines, out):
    plain = load_source(source, "python").DEMOS[index]
    row = Row(plain.name)
    reduced = plain.small()
    wanted_small = np.copy(plain.function(*reduced))
    row.interpreter = plain.scale * best(lambda: plain.function(*reduced))
    arguments = plain.load()
    wanted = np.copy(plain.numpy(*arguments))
    row.numpy = best(lambda: plain.numpy(*arguments))
    for engine in engines:
        # A new load for each demo: demos that share a function must not share compiled code.
        function = load_source(source, engine).DEMOS[index].function
        try:
            row.first[engine], result = once(lambda: function(*arguments))  # noqa: B023
            if not agree(result, wanted, plain.tolerance):
                row.failures.append(f"{plain.name}: {engine} differs from NumPy")
            if not agree(function(*plain.small()), wanted_small, plain.tolerance):
                row.failures.append(f"{plain.name}: {engine} differs from plain Python")
            row.steady[engine] = best(lambda: function(*arguments))  # noqa: B023
        except Exception as error:  # one broken example must not hide the others
            row.failures.append(f"{plain.name}: {engine}: {type(error).__name__}: {error}")
            continue
        if plain.picture and engine == engines[0]:
            write_image(out / f"{source.stem}.png", plain.picture(result))
    return row


def warm_up(engine):
    @find_engine(engine).njit
    def increment(x):
        return x + 1

    increment(1)


def show(rows, engines):
    header = ["", "interpreter", "NumPy"]
    for engine in engines:
        header += [f"{engine} first", engine]
    header += [f"interpreter/{engines[0]}"]
    lines = []
    for row in rows:
        cells = [row.name, "~" + readable(row.interpreter), readable(row.numpy)]
        for engine in engines:
            times = row.first.get(engine), row.steady.get(engine)
            cells += ["failed" if t is None else readable(t) for t in times]
        steady = row.steady.get(engines[0])
        lines.append([*cells, f"{row.interpreter / steady:.0f}x" if steady else None])
    print(render(header, lines))


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--out", type=Path, default=Path("build/demo"))
    options.add_argument("--only", choices=SOURCES, action="append", help="one source file")
    options.add_argument("--engine", default="numjit", help="the compiler to check and time")
    chosen = options.parse_args()
    if find_engine(chosen.engine) is None:
        print(f"{chosen.engine} is not installed")
        return 1
    engines = list(dict.fromkeys([chosen.engine, "numba"]))
    engines = [engine for engine in engines if find_engine(engine) is not None]
    for engine in engines:
        warm_up(engine)
    chosen.out.mkdir(parents=True, exist_ok=True)
    rows = []
    for name in chosen.only or SOURCES:
        source = HERE / f"{name}.py"
        for index in range(len(load_source(source, "python").DEMOS)):
            rows.append(measure(source, index, engines, chosen.out))
    show(rows, engines)
    write_bar_chart(chosen.out / "times.png", rows, engines)
    print(
        f"\npictures: {', '.join(sorted(p.name for p in chosen.out.glob('*.png')))} in {chosen.out}"
    )
    failures = [failure for row in rows for failure in row.failures]
    print("\n".join(["", "FAILED", *failures]) if failures else "every result checked: ok")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
