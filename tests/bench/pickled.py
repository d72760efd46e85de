"""The first call of a function that came to another process in a pickle: numjit and Numba, in
workers of Dask and of Ray.

    build/venv-engines/bin/python tests/bench/pickled.py [--repeats N] [--only dask|ray]

Functions are compiled here and travel by value, as those of notebooks and closures do. In the
worker three things take time: to load the pickle, the first call, and, to compare, a second one.
"the first" is a worker's first function, with which it imports the engine; of others it is the
median.
"""

import argparse
import importlib
import statistics
import time

import cloudpickle
import numpy as np


def loop(njit, k):
    @njit
    def total(a):
        s = 0.0
        for x in a:
            s += x * k
        return s

    return total, (np.ones(50),)


def stencil(njit, k):
    @njit
    def smooth(u):
        out = np.zeros_like(u)
        for i in range(1, u.shape[0] - 1):
            for j in range(1, u.shape[1] - 1):
                out[i, j] = (u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1]) * k
        return out

    return smooth, (np.ones((10, 10)),)


def clusters(njit, k):
    @njit
    def assign(points, centres):
        sums, counts = np.zeros_like(centres), np.zeros(len(centres))
        for p in points:
            nearest = np.argmin(np.sum((centres - p) ** 2, axis=1) * k)
            sums[nearest] += p
            counts[nearest] += 1
        return sums, counts

    points = np.random.default_rng(1).normal(size=(20, 4))
    return assign, (points, points[:3].copy())


KINDS = {"loop over a vector": loop, "stencil": stencil, "step of k-means": clusters}


def first_call(pickle):
    """Milliseconds to load the function, to call it, and to call it again: runs in a worker."""
    marks = [time.perf_counter()]
    function, arguments = cloudpickle.loads(pickle)
    for _ in range(2):
        marks.append(time.perf_counter())
        function(*arguments)
    marks.append(time.perf_counter())
    return [(end - start) * 1e3 for start, end in zip(marks, marks[1:])]


def pickled(engine, kind, number):
    """A function that no other pickle holds: its `k` is another one."""
    function, arguments = KINDS[kind](importlib.import_module(engine).njit, 0.25 + number)
    function(*arguments)
    return cloudpickle.dumps((function, arguments))


def rows(call, engine, repeats):
    """`call` runs first_call in a worker, which knows nothing yet."""
    yield "the first", call(pickled(engine, "loop over a vector", -1))
    for kind in KINDS:
        found = [call(pickled(engine, kind, number)) for number in range(repeats)]
        yield kind, [statistics.median(column) for column in zip(*found)]


def in_dask(engine, repeats):
    import distributed

    with (
        distributed.LocalCluster(1, threads_per_worker=1, dashboard_address=None) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield from rows(
            lambda p: client.submit(first_call, p, pure=False).result(), engine, repeats
        )


def in_ray(engine, repeats):
    import ray

    ray.init(num_cpus=1, include_dashboard=False, log_to_driver=False)
    run = ray.remote(first_call)
    yield from rows(lambda p: ray.get(run.remote(p)), engine, repeats)
    ray.shutdown()


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--repeats", type=int, default=5)
    options.add_argument("--only", choices=["dask", "ray"])
    chosen = options.parse_args()
    print(f"{'ms':38}{'load':>9}{'first call':>12}{'second call':>13}")
    for place, workers in {"dask": in_dask, "ray": in_ray}.items():
        for engine in ("numjit", "numba") if chosen.only in (None, place) else ():
            for kind, (load, first, again) in workers(engine, chosen.repeats):
                name = f"{place} {engine}: {kind}"
                print(f"{name:38}{load:9.2f}{first:12.2f}{again:13.3f}", flush=True)


if __name__ == "__main__":
    main()
