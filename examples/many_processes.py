"""Three programs that are spread over processes, and how much faster that makes them: an ensemble
of forecasts, k-means, and map and reduce over text.

    python examples/many_processes.py [--out build/demo] [--small]

Functions are compiled once, here: what a process gets brings its machine code along.
"""

import argparse
import multiprocessing
import os
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import numpy as np
from numjit import njit
from pictures import write_lines

# -- an ensemble: members of Lorenz's model of 1963, each from a start of its own ------------------


@njit
def forecast(start, steps, dt):
    x, y, z = start
    for _ in range(steps):
        dx, dy, dz = 10.0 * (y - x), x * (28.0 - z) - y, x * y - 8.0 / 3.0 * z
        x, y, z = x + dt * dx, y + dt * dy, z + dt * dz
    return x, y, z


def ensemble(run, parts, scale):
    starts = np.random.default_rng(1).normal(size=(64, 3)) * 0.01 + (1.0, 1.0, 20.0)
    chunks = [(forecast_all, (part, 4000 * scale)) for part in np.array_split(starts, parts)]
    return np.concatenate(run(chunks)).mean(axis=0)


@njit
def forecast_all(starts, steps):
    ends = np.empty_like(starts)
    for i in range(len(starts)):
        ends[i] = forecast((starts[i, 0], starts[i, 1], starts[i, 2]), steps, 1e-3)
    return ends


# -- k-means: each process finds the nearest centres of its part of the points ---------------------


@njit
def assign(points, centres):
    sums = np.zeros_like(centres)
    counts = np.zeros(len(centres))
    for p in points:
        best, nearest = np.inf, 0
        for k in range(len(centres)):
            distance = 0.0
            for d in range(len(p)):
                distance += (p[d] - centres[k, d]) ** 2
            if distance < best:
                best, nearest = distance, k
        sums[nearest] += p
        counts[nearest] += 1
    return sums, counts


def kmeans(run, parts, scale):
    points = np.random.default_rng(2).normal(size=(2000 * scale, 8))
    centres = points[:16].copy()
    for _ in range(5):
        made = run([(assign, (part, centres)) for part in np.array_split(points, parts)])
        sums, counts = sum(s for s, _ in made), sum(c for _, c in made)
        centres = sums / np.maximum(counts, 1)[:, None]
    return centres


# -- map and reduce: how often bytes follow each other ---------------------------------------------


@njit
def pairs(text):
    counts = np.zeros((256, 256), np.int64)
    for i in range(len(text) - 1):
        counts[text[i], text[i + 1]] += 1
    return counts


def follow(run, parts, scale):
    text = np.random.default_rng(3).integers(97, 123, 400_000 * scale, dtype=np.uint8)
    edges = np.linspace(0, len(text), parts + 1).astype(int)
    # Each part has the first byte of the next one.
    work = [(pairs, (text[a : b + 1],)) for a, b in zip(edges[:-1], edges[1:], strict=True)]
    return sum(run(work))


PROGRAMS = {"ensemble": ensemble, "k-means": kmeans, "map and reduce": follow}


def call(job):
    function, arguments = job
    return function(*arguments)


def here(jobs):
    return [call(job) for job in jobs]


def measure(program, counts, scale):
    """Seconds by number of processes, whose results are those of one process."""
    wanted = program(here, 1, scale)  # compiles
    times = {}
    for count in counts:
        with ProcessPoolExecutor(count, multiprocessing.get_context("spawn")) as pool:
            list(pool.map(call, [(pairs, (np.zeros(2, np.uint8),))] * count))  # they have started
            best = np.inf
            for _ in range(3):
                start = time.perf_counter()
                got = program(lambda jobs: list(pool.map(call, jobs)), count, scale)
                best = min(best, time.perf_counter() - start)
            assert np.allclose(got, wanted)
        times[count] = best
    return times


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--out", type=Path, default=Path("build/demo"))
    options.add_argument("--small", action="store_true", help="a moment's work")
    chosen = options.parse_args()
    cores = len(os.sched_getaffinity(0))
    counts = [1, 2] if chosen.small else sorted({1, 2, 4, 8, cores} & set(range(1, cores + 1)))
    lines = {}
    for name, program in PROGRAMS.items():
        times = measure(program, counts, 1 if chosen.small else 40)
        lines[name] = {count: times[1] / seconds for count, seconds in times.items()}
        print(name, *(f"{n}: {seconds:.3f} s" for n, seconds in times.items()), sep="  ")
    chosen.out.mkdir(parents=True, exist_ok=True)
    write_lines(chosen.out / "many_processes.png", lines, "processes", "times as fast as one")


if __name__ == "__main__":
    main()
