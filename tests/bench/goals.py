"""The goals: what is measured, how much is allowed, and how it is read from the results."""

from collections.abc import Callable
from dataclasses import dataclass

from results import geometric_mean, ratio


@dataclass(frozen=True)
class Goal:
    label: str
    limit: float
    value: Callable  # (results, engine) -> (number or None, kernel it is from or None)
    at_least: bool = False

    def met(self, value):
        return value >= self.limit if self.at_least else value <= self.limit


def _mean(part, figure):
    return lambda r, engine: (r.mean(part, figure(r, engine)), None)


def _worst(part, figure):
    return lambda r, engine: r.worst(part, figure(r, engine))


def _call(what):
    return lambda r, engine: (r.call(engine, what), None)


def _startup(what):
    return lambda r, engine: (r.startup(engine, what), None)


def _warm(what):
    return lambda r, engine: (r.part("warm").get(engine, {}).get(what), None)


def _growth(r, engine):
    if engine != r.engine:
        return None, None
    return r.worst("scaling", lambda shape: r.part("scaling")[shape].get("growth"))


def _first(r, engine):
    return lambda kernel: r.first(kernel, engine)


def _first_to_numba(r, engine):
    return lambda kernel: ratio(r.first(kernel, engine), r.first(kernel, "numba"))


def _to_numba(r, engine):
    return lambda kernel: ratio(r.steady(kernel, engine), r.steady(kernel, "numba"))


def _to_cpp(r, engine):
    return lambda kernel: r.cpp_ratio(kernel, engine)


def _very_first(r, engine):
    return r.part("very_first").get(engine, {}).get("first_ms"), None


def _numpy_first(r, engine):
    return lambda name: r.numpy_first(name, engine)


def _to_numpy(size):
    return lambda r, engine: lambda name: r.to_numpy(name, size, engine)


def _sort_gain(r, engine):
    return ratio(*(r.numpy_steady("np.sort", 1_000_000, e) for e in ("numba", engine))), None


def _latency(r, engine):
    times = r.interrupts("latency_ms") if engine == r.engine else {}
    return max(((ms, loop) for loop, ms in times.items()), default=(None, None))


def _interrupt_cost(r, engine):
    costs = r.interrupts("cost").values() if engine == r.engine else ()
    return geometric_mean(costs), None


def _threads(of):
    return lambda r, engine: of(r) if engine == r.engine else (None, None)


def _worst_container(r, engine):
    firsts = {name: r.container_first(name, engine) for name in r.containers("first")}
    return max(((ms, name) for name, ms in firsts.items() if ms), default=(None, None))


def _counting(r, engine):
    return r.container_ratio("count 500,000 integers", "numba", engine), None


def _typed_list(r, engine):
    rows = [row for row in r.containers("steady") if row.startswith("typed.List")]
    times = {row: r.container_ratio(row, engine, "numpy") for row in rows}
    return max(((t, row) for row, t in times.items() if t), default=(None, None))


def _bounds_cost(r, engine):
    costs = r.containers("bounds") if engine == r.engine else {}
    return max(((cost, kernel) for kernel, cost in costs.items()), default=(None, None))


def _loops(r, engine):
    return r.worst("loops", r.loops_ratio) if engine == r.engine else (None, None)


def _clip(r):
    row = "clip, 10^6 float32"
    return r.threads_ratio(row, "numpy"), row


def _region_start(r):
    start = r.threads("region start", r.engine)
    return start and start * 1e3, None


GOALS = (
    Goal(
        "first call, geometric mean of the ratio to Numba", 1 / 12, _mean("first", _first_to_numba)
    ),
    Goal("first call, slowest kernel, ms", 60, _worst("first", _first)),
    Goal("very first function in a process, ms", 30, _very_first),
    Goal("import beyond numpy, ms", 40, _startup("import_ms")),
    Goal("whole process: import, one njit sum, print, s", 0.2, _startup("whole_s")),
    Goal("peak memory of that process, MB", 100, _startup("peak_mb")),
    Goal("warm start: process beyond numpy, ms", 60, _warm("beyond_numpy_ms")),
    Goal("warm start: a loop, ms", 1, _warm("loop_ms")),
    Goal("100 times the body, times the compile time", 130, _growth),
    Goal("call: 1 int, ns", 60, _call("1 int")),
    Goal("call: 2 floats, ns", 65, _call("2 floats")),
    Goal("call: 1 array, ns", 75, _call("1 array")),
    Goal("call: 4 arrays, ns", 140, _call("4 arrays")),
    Goal("call: return a new array, ns", 250, _call("new array")),
    Goal("run time, geometric mean of the ratio to Numba", 0.9, _mean("steady", _to_numba)),
    Goal("run time, worst ratio to Numba", 1.1, _worst("steady", _to_numba)),
    Goal("run time, geometric mean of the ratio to C++", 1.1, _mean("steady", _to_cpp)),
    Goal("run time, worst ratio to C++", 1.1, _worst("steady", _to_cpp)),
    Goal(
        "loop over a Python list, times the interpreter's speed",
        3,
        lambda r, engine: (r.list_gain(engine), None),
        at_least=True,
    ),
    Goal("first call with dict, list, string or closure, slowest, ms", 60, _worst_container),
    Goal("counting 500,000 integers, times Numba's speed", 1.5, _counting, at_least=True),
    Goal("typed.List of a list or array, times np.array(list)", 2, _typed_list),
    Goal("run time with checked indices to without, worst kernel", 1.1, _bounds_cost),
    Goal("small loops, worst ratio to Numba", 1.1, _loops),
    Goal(
        "parallel, worst ratio to Numba",
        1.0,
        _threads(lambda r: r.worst("threads", lambda row: r.threads_ratio(row, "numba"))),
    ),
    Goal("start of a parallel region, microseconds", 5, _threads(_region_start)),
    Goal("clip of float32, ratio to NumPy", 1.0, _threads(_clip)),
    Goal("Ctrl-C ends a loop after at most, ms", 100, _latency),
    Goal("run time with interrupt points to without, geometric mean", 1.01, _interrupt_cost),
    Goal("NumPy functions: first call, slowest, ms", 40, _worst("numpy", _numpy_first)),
    Goal("NumPy functions: first call, geometric mean, ms", 15, _mean("numpy", _numpy_first)),
    Goal("NumPy functions: worst ratio to NumPy, 10^2", 1.0, _worst("numpy", _to_numpy(100))),
    Goal("NumPy functions: worst ratio to NumPy, 10^6", 1.2, _worst("numpy", _to_numpy(10**6))),
    Goal("np.sort of 10^6, times Numba's speed", 2, _sort_gain, at_least=True),
)
