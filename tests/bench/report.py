"""One run's measurements as plain tables."""

from goals import GOALS
from numpy_rows import SIZES
from results import COMPILERS, Results, geometric_mean
from table import render


def number(value, digits=3):
    """Three significant digits without an exponent."""
    if value is None:
        return None
    if value >= 10 ** (digits - 1):
        return f"{value:.0f}"
    return f"{value:.{digits}g}" if value >= 1e-3 else f"{value:.6f}"


def _first(r):
    rows = [
        (k, number(r.first(k, r.engine)), number(r.first(k, "numba")), number(r.first_ratio(k)))
        for k in r.part("first")
    ]
    means = [r.mean("first", lambda k, e=e: r.first(k, e)) for e in (r.engine, "numba")]
    rows.append(("geometric mean", *map(number, means), number(r.mean("first", r.first_ratio))))
    very_first = r.part("very_first")
    times = [very_first.get(e, {}).get("first_ms") for e in (r.engine, "numba")]
    both = number(times[0] / times[1]) if all(times) else None
    rows.append(("matrix_sum, very first function", *map(number, times), both))
    return render(("first call, ms", r.engine, "numba", "ratio"), rows)


def _steady(r):
    who = (r.engine, "numba", *COMPILERS)
    ratios = (r.numba_ratio, r.cpp_ratio, lambda k: r.cpp_ratio(k, "numba"))
    rows = [
        (k, *(number(r.steady(k, w)) for w in who), *(number(f(k)) for f in ratios))
        for k in r.part("steady")
    ]
    means = [number(r.mean("steady", f)) for f in ratios]
    rows.append(("geometric mean", *[""] * len(who), *means))
    header = ("run time, ms", *who, f"{r.engine}/numba", f"{r.engine}/C++", "numba/C++")
    return render(header, rows)


def _stages(r):
    names = list(dict.fromkeys(s for k in r.part("first") for s in r.stages(k)))
    if not names:
        return None
    rows = []
    for kernel in r.part("first"):
        stages = r.stages(kernel)
        rows.append((kernel, *(number(stages.get(name)) for name in names)))
    means = [
        geometric_mean(r.stages(k).get(name) for k in r.part("first") if r.stages(k))
        for name in names
    ]
    rows.append(("geometric mean", *map(number, means)))
    return render((f"{r.engine} stages, ms", *names), rows)


def _calls(r):
    engines = r.part("calls")
    labels = list(dict.fromkeys(label for times in engines.values() for label in times))
    rows = [(label, *(number(r.call(e, label)) for e in engines)) for label in labels]
    return render(("call, ns", *("interpreter" if e == "python" else e for e in engines)), rows)


def _startup(r):
    rows = [
        (e, number(t.get("import_ms")), number(t.get("whole_s")), number(t.get("peak_mb")))
        for e, t in r.part("startup").items()
    ]
    return render(("process", "import beyond numpy, ms", "whole, s", "peak, MB"), rows)


def _warm(r):
    rows = [
        (e, *(number(t.get(what)) for what in ("beyond_numpy_ms", "loop_ms", "library_ms")))
        for e, t in r.part("warm").items()
    ]
    header = ("from the cache", "process beyond numpy, ms", "a loop, ms", "library calls, ms")
    return render(header, rows)


def _scaling(r):
    rows = [
        (shape, *(number(t.get(what)) for what in ("small_ms", "large_ms", "growth")))
        for shape, t in r.part("scaling").items()
    ]
    return render(("100 times the body", "once, ms", "100 times, ms", "times longer"), rows)


def _list_loop(r):
    rows = [
        (e, number(t.get("interpreter_ms")), number(t.get("engine_ms")), number(r.list_gain(e)))
        for e, t in r.part("list_loop").items()
    ]
    return render(("list loop", "interpreter, ms", "compiled, ms", "speed-up"), rows)


def _containers(r):
    engines = (r.engine, "numba", "numpy")
    first = [
        (name, *(number(r.container_first(name, e)) for e in engines[:2]))
        for name in r.containers("first")
    ]
    steady = [
        (row, *(number(times.get(e)) for e in engines))
        for row, times in r.containers("steady").items()
    ]
    bounds = [(kernel, f"{c - 1:+.1%}") for kernel, c in r.containers("bounds").items()]
    tables = (
        render(("first call, ms", *engines[:2]), first),
        render(("containers, ms", *engines), steady),
        render(("checked indices in", "cost"), bounds),
    )
    return "\n\n".join(tables)


def _loops(r):
    rows = [
        (loop, number(r.loops(loop, r.engine)), number(r.loops(loop, "numba")), number(found))
        for loop in r.part("loops")
        for found in [r.loops_ratio(loop)]
    ]
    return render(("loops, ms", r.engine, "numba", "ratio"), rows)


def _threads(r):
    engines = (r.engine, "numba", "numpy")
    rows = [
        (row, *(number(r.threads(row, e)) for e in engines), number(r.threads_ratio(row, "numba")))
        for row in r.part("threads")
    ]
    return render(("threads, ms", *engines, f"{r.engine}/numba"), rows)


def _numpy_first(r):
    names = r.part("numpy")
    stages = list(dict.fromkeys(s for n in names for s in r.numpy_stages(n)))
    rows = []
    for name in names:
        first = number(r.numpy_first(name, r.engine))
        if r.numpy_missing(name, r.engine):
            first = "missing"
        times = (number(r.numpy_stages(name).get(stage)) for stage in stages)
        rows.append((name, first, number(r.numpy_first(name, "numba")), *times))
    means = [r.mean("numpy", lambda n, e=e: r.numpy_first(n, e)) for e in (r.engine, "numba")]
    rows.append(("geometric mean", *map(number, means), *[""] * len(stages)))
    return render(("NumPy function, first call, ms", r.engine, "numba", *stages), rows)


def _numpy_steady(r):
    rows = []
    for name in r.part("numpy"):
        cells = [name]
        for size in SIZES:
            cells.append(number(r.numpy_steady(name, size, "numpy")))
            cells += (number(r.to_numpy(name, size, e)) for e in (r.engine, "numba"))
        rows.append(tuple(cells))
    means = ["geometric mean"]
    for size in SIZES:
        means.append("")
        for e in (r.engine, "numba"):
            means.append(number(r.mean("numpy", lambda n, e=e, size=size: r.to_numpy(n, size, e))))
    rows.append(tuple(means))
    columns = [(f"NumPy, us, n={n}", f"{r.engine}/NumPy", "numba/NumPy") for n in SIZES]
    return render(("NumPy function, run time", *columns[0], *columns[1]), rows)


def _interrupts(r):
    rows = [(loop, number(ms)) for loop, ms in r.interrupts("latency_ms").items()]
    cost = [(kernel, f"{c - 1:+.1%}") for kernel, c in r.interrupts("cost").items()]
    mean = geometric_mean(r.interrupts("cost").values())
    cost.append(("geometric mean", f"{mean - 1:+.1%}" if mean else None))
    latency = render(("Ctrl-C ends a loop of", "after at most, ms"), rows)
    return latency + "\n\n" + render(("interrupt points in", "cost"), cost)


def _goals(r):
    rows = []
    for goal in GOALS:
        (ours, kernel), (numba, _) = goal.value(r, r.engine), goal.value(r, "numba")
        if ours is None and numba is None:
            continue
        verdict = None if ours is None else "met" if goal.met(ours) else "MISSED"
        limit = f"{'>=' if goal.at_least else '<='} {number(goal.limit)}"
        rows.append((goal.label, number(numba), limit, number(ours), verdict, kernel))
    return render(("goal", "numba", "goal is", r.engine, "", "where"), rows)


SECTIONS = {
    "first": (_first, _stages),
    "steady": (_steady,),
    "calls": (_calls,),
    "startup": (_startup,),
    "warm": (_warm,),
    "scaling": (_scaling,),
    "list_loop": (_list_loop,),
    "containers": (_containers,),
    "loops": (_loops,),
    "threads": (_threads,),
    "interrupts": (_interrupts,),
    "numpy": (_numpy_first, _numpy_steady),
}


def show(data):
    r = Results(data)
    tables = [make(r) for part, makers in SECTIONS.items() if r.part(part) for make in makers]
    return "\n\n".join(filter(None, [*tables, _goals(r)]))
