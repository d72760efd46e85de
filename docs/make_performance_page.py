"""Writes docs/performance.md and its plots from what tests/bench measured in one run.

python tests/bench/run.py --json FILE            measures, on a machine that does nothing else
python docs/make_performance_page.py FILE        keeps them in docs/performance, and writes the page
python docs/make_performance_page.py             writes the page anew
"""

from __future__ import annotations

import json
import math
import sys
from pathlib import Path

PAGE = Path(__file__).with_name("performance.md")
FOLDER = PAGE.with_name("performance")
DATA = FOLDER / "measured.json"
sys.path.append(str(PAGE.parents[1] / "tests" / "bench"))
sys.path.append(str(PAGE.parents[1] / "examples"))
from report import number  # noqa: E402
from results import Results, geometric_mean  # noqa: E402

PARTS = ("first", "very_first", "steady", "calls", "startup", "warm", "loops")
COLOURS = {"numjit": "#3949ab", "numba": "#9e9e9e", "C++": "#ef6c00"}

TEXT = """\
# Performance

Everything on this page was measured in one run, {date}: numjit {numjit}, Numba {numba}, and C++
compiled by {compilers} with `-O3 -march=native`, on CPython {python}, {processor}, {cores}
processors. Every measurement had a process of its own with an empty cache; numjit and Numba took
turns; the best of several repetitions counts. `make bench` measures it on your machine. All axes
are logarithmic: shorter is better.

## First calls

The first call of a function compiles it. Over {first_count} kernels it takes {first_mean} of the
time that Numba takes, in the geometric mean; the very first function of a process {very_first} ms
({very_first_numba} ms).

![Times of first calls of the kernels, numjit and Numba](performance/first.svg)

## Run time of kernels

The same kernels take {steady_mean} of Numba's time, and {cpp_mean} of the time of C++ (Numba:
{numba_cpp_mean}).

![Run times of the kernels in relation to C++](performance/steady.svg)

## Loops out of programs

{loop_count} loops out of programs, books and questions of users (`tests/bench/loops.py`):
{loop_mean} of Numba's time in the geometric mean, {loop_faster} of them faster than Numba. {slower}

![Each loop's time in relation to Numba, sorted](performance/loops.svg)

## Calls from Python

Nanoseconds of a call, the function's own work (an addition) included:

{calls}

## Processes

{startup}

A whole process, the import of NumPy included, imports the package, compiles a loop and prints its
result. With [`cache=True`](cache.md), a process that finds its functions on disk takes beyond the
import of NumPy:

{warm}

"""


def table(header, rows):
    lines = ["| " + " | ".join(header) + " |", "|---" * len(header) + "|"]
    return "\n".join(lines + ["| " + " | ".join(str(c) for c in row) + " |" for row in rows])


def calls(r):
    engines = [("interpreter", "python"), ("numjit", "numjit"), ("Numba", "numba")]
    labels = r.part("calls")["numjit"]
    return table(
        ("arguments", *(name for name, _ in engines)),
        [(label, *(number(r.call(e, label)) for _, e in engines)) for label in labels],
    )


def startup(r):
    return table(
        ("", "import beyond NumPy, ms", "whole process, s", "memory, MB"),
        [
            (name, *(number(r.startup(e, what)) for what in ("import_ms", "whole_s", "peak_mb")))
            for name, e in (("numjit", "numjit"), ("Numba", "numba"))
        ],
    )


def warm(r):
    return table(
        ("", "process, ms", "a loop, ms", "functions of NumPy, ms"),
        [
            (
                name,
                *(
                    number(r.part("warm")[e][what])
                    for what in ("beyond_numpy_ms", "loop_ms", "library_ms")
                ),
            )
            for name, e in (("numjit", "numjit"), ("Numba", "numba"))
        ],
    )


def page() -> str:
    data = json.loads(DATA.read_text())
    r = Results(data)
    ratios = loop_ratios(r)
    slower = [f"`{name}` {ratio:.2f}" for name, ratio in reversed(ratios) if ratio > 1.05]
    very_first = r.part("very_first")
    return TEXT.format(
        **data["about"],
        python=data["python"],
        compilers=" or ".join(data["compilers"]),
        first_count=len(r.part("first")),
        first_mean=number(r.mean("first", r.first_ratio), 2),
        very_first=number(very_first["numjit"]["first_ms"], 2),
        very_first_numba=number(very_first["numba"]["first_ms"], 2),
        steady_mean=number(r.mean("steady", r.numba_ratio), 2),
        cpp_mean=f"{r.mean('steady', r.cpp_ratio):.2f}",
        numba_cpp_mean=f"{r.mean('steady', lambda k: r.cpp_ratio(k, 'numba')):.2f}",
        loop_count=len(ratios),
        loop_mean=number(geometric_mean(ratio for _, ratio in ratios), 2),
        loop_faster=sum(ratio < 1 for _, ratio in ratios),
        slower="Slower by more than 5 %: " + ", ".join(slower) + "."
        if slower
        else "None is slower by more than 5 %.",
        calls=calls(r),
        startup=startup(r),
        warm=warm(r),
    )


def loop_ratios(r):
    """(loop, its time in relation to Numba's), the fastest first."""
    found = [(loop, ratio) for loop in r.part("loops") if (ratio := r.loops_ratio(loop))]
    return sorted(found, key=lambda row: row[1])


def draw(r):
    """The plots: vector graphics with text as text, the same bytes for the same measurements."""
    import matplotlib

    matplotlib.use("Agg")
    matplotlib.rcParams |= {"svg.fonttype": "none", "svg.hashsalt": "numjit", "font.size": 10}
    import matplotlib.pyplot as plt

    def powers(axis, low, high):
        """Ticks at the powers of two from `low` to `high`, as fractions and numbers."""
        ticks = [2.0**i for i in range(low, high + 1)]
        axis.set_ticks(ticks, [f"1/{1 / x:.0f}" if x < 1 else f"{x:.0f}" for x in ticks])
        axis.minorticks_off()

    def bars(name, rows, series, label, start=0):
        figure, axes = plt.subplots(figsize=(7.5, 0.36 * len(rows) + 1))
        height = 0.8 / len(series)
        for i, (engine, values) in enumerate(series.items()):
            places = [row + (i - (len(series) - 1) / 2) * height for row in range(len(rows))]
            widths = [value - start for value in values]
            axes.barh(places, widths, height, start, label=engine, color=COLOURS[engine.lower()])
        axes.set_yticks(range(len(rows)), [row.replace("_", " ") for row in rows])
        axes.invert_yaxis()
        axes.set_xscale("log")
        axes.set_xlabel(label)
        axes.grid(axis="x", alpha=0.3)
        axes.legend(frameon=False)
        if start:
            axes.axvline(start, color="#616161", linewidth=1)
            powers(axes.xaxis, -1, 3)
        save(figure, axes, name)

    def save(figure, axes, name):
        axes.spines[["top", "right"]].set_visible(False)
        figure.tight_layout()
        figure.savefig(FOLDER / f"{name}.svg", metadata={"Date": None})
        plt.close(figure)

    kernels = sorted(r.part("first"), key=lambda k: r.first(k, "numjit"))
    first = {name: [r.first(k, name.lower()) for k in kernels] for name in ("numjit", "Numba")}
    bars("first", kernels, first, "first call, milliseconds")

    kernels = sorted(filter(r.cpp_ratio, r.part("steady")), key=r.cpp_ratio)
    steady = {name: [r.cpp_ratio(k, name.lower()) for k in kernels] for name in ("numjit", "Numba")}
    bars("steady", kernels, steady, "run time, in relation to C++", start=1)

    ratios = [ratio for _, ratio in loop_ratios(r)]
    figure, axes = plt.subplots(figsize=(7.5, 3.4))
    axes.bar(range(len(ratios)), [x - 1 for x in ratios], bottom=1, width=0.85, color="#3949ab")
    axes.axhline(1, color="#616161", linewidth=1)
    axes.set_yscale("log")
    powers(axes.yaxis, math.floor(math.log2(min(ratios))), 1)
    axes.set_ylabel("run time, in relation to Numba")
    axes.set_xticks([])
    axes.set_xlabel("loops, sorted")
    axes.grid(axis="y", alpha=0.3)
    save(figure, axes, "loops")


def rounded(value):
    """Four significant digits of every number in nested dicts and lists."""
    if isinstance(value, dict):
        return {k: rounded(v) for k, v in value.items() if k not in ("stages_ms", "errors")}
    return float(f"{value:.4g}") if isinstance(value, float) else value


def main():
    if len(sys.argv) > 1:
        data = json.loads(Path(sys.argv[1]).read_text())
        missing = [part for part in PARTS if part not in data]
        if missing:
            sys.exit(f"{sys.argv[1]} lacks {', '.join(missing)}: run tests/bench/run.py whole")
        FOLDER.mkdir(exist_ok=True)
        kept = {key: data[key] for key in ("engine", "about", "python", *PARTS)}
        kept["compilers"] = list(data["compilers"])
        DATA.write_text(json.dumps(rounded(kept), indent=1) + "\n")
    draw(Results(json.loads(DATA.read_text())))
    PAGE.write_text(page())


if __name__ == "__main__":
    main()
