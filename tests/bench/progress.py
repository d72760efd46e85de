"""What a ProgressBar costs: loops of a million iterations with and without progress.update(1).

    python tests/bench/progress.py

An iteration takes 0.3 microseconds. What counts is the time of the processors, that of the thread
that draws included: other programs disturb it least. The two take turns; what is printed is the
median of the pairs' differences, and half of what lies between their quartiles.
"""

import argparse
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


def costs(without, with_bar, rounds):
    """Seconds of both, a row for each round."""
    found = []
    for turn in range(rounds + 1):  # the first compiles
        with ProgressBar(total=N, file=open("/dev/null", "w")) as progress:
            calls = [(without, N), (with_bar, N, progress)]
            pair = [0.0, 0.0]
            for k in [0, 1] if turn % 2 else [1, 0]:
                pair[k] = seconds(*calls[k])
            found.append(pair)
    return np.array(found[1:])


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=40)
    rounds = parser.parse_args().rounds
    print(f"{N} updates, {get_num_threads()} threads, {rounds} rounds")
    for name, pair in {
        "loop": (plain, counted),
        "prange": (plain_in_parallel, counted_in_parallel),
    }.items():
        found = costs(*pair, rounds)
        before = np.median(found[:, 0])
        low, middle, high = np.quantile(found[:, 1] - found[:, 0], [0.25, 0.5, 0.75]) / before * 100
        print(
            f"{name:8}{before:7.3f} s of all processors, with a bar {middle:+.2f} % "
            f"(+-{(high - low) / 2:.2f}), {middle * before / N * 1e7:.1f} ns each"
        )


if __name__ == "__main__":
    main()
