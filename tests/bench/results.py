"""Figures drawn from one run's measurements (the dict that run.py gathers and --json writes)."""

import math

COMPILERS = ("g++", "clang++")


def geometric_mean(values):
    values = [v for v in values if v]
    return math.exp(sum(map(math.log, values)) / len(values)) if values else None


def ratio(a, b):
    return a / b if a and b else None


class Results:
    def __init__(self, data):
        self.data = data
        self.engine = data["engine"]

    def part(self, name):
        return self.data.get(name, {})

    def first(self, kernel, engine):
        return self.part("first").get(kernel, {}).get(engine, {}).get("first_ms")

    def stages(self, kernel):
        return self.part("first").get(kernel, {}).get(self.engine, {}).get("stages_ms", {})

    def steady(self, kernel, who):
        return self.part("steady").get(kernel, {}).get("ms", {}).get(who)

    def cpp(self, kernel):
        """The better of the compilers."""
        return min(filter(None, (self.steady(kernel, c) for c in COMPILERS)), default=None)

    def first_ratio(self, kernel):
        return ratio(self.first(kernel, self.engine), self.first(kernel, "numba"))

    def numba_ratio(self, kernel):
        return ratio(self.steady(kernel, self.engine), self.steady(kernel, "numba"))

    def cpp_ratio(self, kernel, engine=None):
        return ratio(self.steady(kernel, engine or self.engine), self.cpp(kernel))

    def over_kernels(self, part, figure):
        """{kernel: figure}, without those that could not be measured."""
        figures = {kernel: figure(kernel) for kernel in self.part(part)}
        return {kernel: value for kernel, value in figures.items() if value is not None}

    def mean(self, part, figure):
        return geometric_mean(self.over_kernels(part, figure).values())

    def worst(self, part, figure):
        """(value, kernel) of the greatest."""
        return max(
            ((v, k) for k, v in self.over_kernels(part, figure).items()), default=(None, None)
        )

    def numpy_first(self, name, engine):
        return self.part("numpy").get(name, {}).get("first", {}).get(engine, {}).get("first_ms")

    def numpy_stages(self, name):
        return self.part("numpy")[name]["first"].get(self.engine, {}).get("stages_ms", {})

    def numpy_missing(self, name, engine):
        return "missing" in self.part("numpy")[name]["first"].get(engine, {})

    def numpy_steady(self, name, size, who):
        """Microseconds of one call."""
        return self.part("numpy").get(name, {}).get("steady", {}).get(str(size), {}).get(who)

    def to_numpy(self, name, size, engine):
        return ratio(self.numpy_steady(name, size, engine), self.numpy_steady(name, size, "numpy"))

    def startup(self, engine, what):
        return self.part("startup").get(engine, {}).get(what)

    def call(self, engine, what):
        return self.part("calls").get(engine, {}).get(what)

    def list_gain(self, engine):
        times = self.part("list_loop").get(engine, {})
        return ratio(times.get("interpreter_ms"), times.get("engine_ms"))

    def threads(self, row, who):
        return self.part("threads").get(row, {}).get(who)

    def threads_ratio(self, row, to):
        return ratio(self.threads(row, self.engine), self.threads(row, to))

    def loops(self, loop, who):
        return self.part("loops").get(loop, {}).get(who)

    def loops_ratio(self, loop):
        return ratio(self.loops(loop, self.engine), self.loops(loop, "numba"))

    def interrupts(self, what):
        return self.part("interrupts").get(self.engine, {}).get(what, {})

    def containers(self, what):
        """{row: {engine: ms}}, or {kernel: ratio} for "bounds"."""
        return self.part("containers").get(what, {})

    def container_first(self, name, engine):
        return self.containers("first").get(name, {}).get(engine, {}).get("first_ms")

    def container_ratio(self, row, who, to):
        times = self.containers("steady").get(row, {})
        return ratio(times.get(who), times.get(to))
