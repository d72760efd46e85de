"""What a ProgressBar costs: loops of a million iterations with and without progress.update(1).

    python tests/bench/progress.py

An iteration takes 0.4 microseconds. What counts is the time of the processors, that of the thread
that draws included: other programs disturb it least.
"""

import time

import numpy as np
from numjit import ProgressBar, get_num_threads, njit, prange

N = 1_000_000
WORK = 300  # steps of an iteration


@njit
def step(i):
    x = np.uint64(i)
    for _ in range(WORK):
        x = x * np.uint64(6364136223846793005) + np.uint64(1442695040888963407)
    return x


@njit(nogil=True)
def plain(n):
    total = np.uint64(0)
    for i in range(n):
        total ^= step(i)
    return total


@njit(nogil=True)
def counted(n, progress):
    total = np.uint64(0)
    for i in range(n):
        total ^= step(i)
        progress.update(1)
    return total


@njit(parallel=True)
def plain_in_parallel(n):
    total = np.uint64(0)
    for i in prange(n):
        total ^= step(i)
    return total


@njit(parallel=True)
def counted_in_parallel(n, progress):
    total = np.uint64(0)
    for i in prange(n):
        total ^= step(i)
        progress.update(1)
    return total


def seconds(function, *arguments):
    start = time.process_time()
    function(*arguments)
    return time.process_time() - start


def cost(without, with_bar, rounds=7):
    """The least times; the two take turns."""
    found = []
    for _ in range(rounds + 1):  # the first compiles
        with ProgressBar(total=N, file=open("/dev/null", "w")) as progress:
            found.append((seconds(without, N), seconds(with_bar, N, progress)))
    return [min(column) for column in zip(*found[1:])]


def main():
    print(f"{N} updates, {get_num_threads()} threads")
    for name, pair in {
        "loop": (plain, counted),
        "prange": (plain_in_parallel, counted_in_parallel),
    }.items():
        before, after = cost(*pair)
        each = (after - before) / N * 1e9
        more = (after / before - 1) * 100
        print(
            f"{name:8}{before:7.3f} s of all processors, with a bar {after:.3f} s: "
            f"{more:+.2f} %, {each:.1f} ns each"
        )


if __name__ == "__main__":
    main()
