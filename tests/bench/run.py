"""Compares numjit with Numba and C++ in one run.

    python tests/bench/run.py [--quick] [--only NAME]... [--part PART]... [--numba] [--json FILE]

Every measurement has a process of its own, with an empty cache folder; engines take turns, and the
best of several counts.  `--engine numba` puts Numba in numjit's place, to try the bench itself.
Exit code 1 when an engine failed or results differ; missed goals only show in the table.
"""

import argparse
import datetime
import importlib
import importlib.util
import json
import os
import platform
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import catalogue
import containers
import loops
import numpy_rows
import scaling
from cpp import installed
from report import SECTIONS, show

HERE = Path(__file__).parent


class Bench:
    def __init__(self, engine, quick):
        self.engine = engine
        self.quick = quick
        candidates = dict.fromkeys([engine, "numba"])
        self.engines = [e for e in candidates if importlib.util.find_spec(e) is not None]
        self.errors = []

    def ask(self, what, *arguments):
        """One measurement in a child process; None, and an entry in errors, when it fails."""
        with tempfile.TemporaryDirectory() as cache:
            # An engine that keeps machine code between processes must not find any.
            environment = os.environ | {"NUMBA_CACHE_DIR": cache, "NUMJIT_CACHE_DIR": cache}
            # As in an installed package, whose modules are compiled to bytecode.
            environment.pop("PYTHONDONTWRITEBYTECODE", None)
            command = [
                sys.executable,
                "-W",
                "ignore",
                HERE / "child.py",
                what,
                *map(str, arguments),
            ]
            done = subprocess.run(command, env=environment, capture_output=True, text=True)
        if done.returncode == 0:
            return json.loads(done.stdout.splitlines()[-1])
        reason = (done.stderr.strip().splitlines() or [f"exit code {done.returncode}"])[-1]
        if done.returncode < 0:
            reason = f"killed by signal {-done.returncode}"
        self.errors.append(f"{what} {' '.join(map(str, arguments))}: {reason}")
        return None

    def best_first_call(self, name, warm):
        """{engine: the repetition with the shortest first call}, engines taking turns."""
        return self.best_of(self.engines, lambda engine: ("first_call", name, engine, warm))

    def best_of(self, engines, question):
        best = {}
        for _ in range(1 if self.quick else 3):
            for engine in engines:
                if "first_ms" not in (best.get(engine, {"first_ms": 0}) or ()):
                    continue  # failed once: it would fail again
                got = self.ask(*question(engine))
                if got is None or engine not in best:
                    best[engine] = got
                else:
                    best[engine] = min(best[engine], got, key=lambda run: run["first_ms"])
        return {engine: run for engine, run in best.items() if run}

    def numpy_function(self, name, with_numba):
        engines = self.engines if with_numba else [e for e in self.engines if e != "numba"]
        rounds = 3 if self.quick else 9
        return {
            "first": self.best_of(engines, lambda engine: ("numpy_first", name, engine)),
            "steady": self.ask("numpy_steady", name, ",".join(engines), rounds) or {},
        }

    def steady(self, name):
        got = self.ask("steady", name, ",".join(self.engines), 3 if self.quick else 9)
        for error in got["errors"] if got else ():
            self.errors.append(f"{name}: {error}")
        return got or {}

    def per_engine(self, what, engines, *arguments):
        times = {engine: self.ask(what, engine, *arguments) for engine in engines}
        return {engine: t for engine, t in times.items() if t}

    def containers(self, rounds):
        return {
            "first": {
                name: self.best_of(self.engines, lambda e, n=name: ("containers", "first", n, e))
                for name in progress(containers.NAMES, "containers")
            },
            "steady": self.ask("containers", "steady", ",".join(self.engines), rounds) or {},
            "bounds": self.ask("containers", "bounds", self.engine, rounds) or {},
        }

    def loops(self, rounds):
        times = {}
        for file in progress(loops.FILES, "loops"):
            got = self.ask("loops", file, ",".join(self.engines), rounds)
            times |= got["ms"] if got else {}
            self.errors += got["errors"] if got else ()
        return times

    def about(self):
        """What was compared when, and on what machine."""
        names = re.findall(r"^model name\s*: (.*)", Path("/proc/cpuinfo").read_text(), re.M)
        return {
            "date": datetime.date.today().isoformat(),
            "processor": names[0] if names else platform.machine(),
            "cores": os.process_cpu_count() if sys.version_info >= (3, 13) else os.cpu_count(),
            **{engine: importlib.import_module(engine).__version__ for engine in self.engines},
        }

    def gather(self, kernels, parts, numpy_functions=(), with_numba=False):
        data = {
            "engine": self.engine,
            "about": self.about(),
            "python": platform.python_version(),
            "compilers": installed(),
        }
        if "first" in parts:
            data["first"] = {k: self.best_first_call(k, "warm") for k in progress(kernels, "first")}
            data["very_first"] = self.best_first_call("matrix_sum", "cold")
        if "steady" in parts:
            data["steady"] = {k: self.steady(k) for k in progress(kernels, "run time")}
        if "calls" in parts:
            data["calls"] = self.per_engine("calls", ["python", *self.engines])
        if "startup" in parts:
            repeats = 2 if self.quick else 7
            data["startup"] = self.per_engine("startup", ["numpy", *self.engines], repeats)
        if "warm" in parts:
            data["warm"] = self.per_engine("warm", self.engines, 2 if self.quick else 7)
        if "scaling" in parts:
            data["scaling"] = {
                shape: self.ask("scaling", self.engine, shape) or {}
                for shape in progress(scaling.SHAPES, "scaling")
            }
        if "list_loop" in parts:
            data["list_loop"] = self.per_engine("list_loop", self.engines)
        if "containers" in parts:
            data["containers"] = self.containers(2 if self.quick else 7)
        if "loops" in parts:
            data["loops"] = self.loops(3 if self.quick else 9)
        if "threads" in parts:
            rounds = 5 if self.quick else 15
            data["threads"] = self.ask("threads", ",".join(self.engines), rounds) or {}
        if "interrupts" in parts:
            repeats = 3 if self.quick else 10
            data["interrupts"] = self.per_engine("interrupts", self.engines, repeats)
        if "numpy" in parts:
            data["numpy"] = {
                name: self.numpy_function(name, with_numba)
                for name in progress(numpy_functions, "numpy")
            }
        data["errors"] = self.errors
        return data


def progress(kernels, label):
    for i, kernel in enumerate(kernels, 1):
        if sys.stderr.isatty():
            print(f"\r{label} {i}/{len(kernels)} {kernel:30}", end="", file=sys.stderr, flush=True)
        yield kernel
    if sys.stderr.isatty():
        print(f"\r{'':50}\r", end="", file=sys.stderr, flush=True)


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--quick", action="store_true", help="fewer repetitions")
    known = [*catalogue.ROWS, *numpy_rows.ROWS]
    options.add_argument("--only", action="append", choices=known, metavar="NAME")
    options.add_argument("--numba", action="store_true", help="Numba in the numpy part too")
    options.add_argument("--part", action="append", choices=SECTIONS)
    options.add_argument("--json", type=Path, metavar="FILE")
    options.add_argument("--engine", default=os.environ.get("NUMJIT_BENCH_ENGINE", "numjit"))
    chosen = options.parse_args()
    bench = Bench(chosen.engine, chosen.quick)
    if chosen.engine not in bench.engines:
        print(f"{chosen.engine} is not installed: the others are measured\n")
    only = chosen.only or known
    kernels, functions = (
        [n for n in rows if n in only] for rows in (catalogue.ROWS, numpy_rows.ROWS)
    )
    some = ["first", "steady"] * bool(kernels) + ["numpy"] * bool(functions)
    parts = chosen.part or (some if chosen.only else list(SECTIONS))
    data = bench.gather(kernels, parts, functions, chosen.numba)
    print(show(data))
    if chosen.json:
        chosen.json.write_text(json.dumps(data, indent=1))
    if bench.errors:
        print("\n".join(["", "FAILED", *bench.errors]))
    return 1 if bench.errors else 0


if __name__ == "__main__":
    sys.exit(main())
