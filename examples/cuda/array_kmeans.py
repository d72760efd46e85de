"""k-means as a program for CuPy has it: arrays and expressions, no kernel.

python examples/cuda/array_kmeans.py              on a GPU
NUMJIT_CUDA_SIMULATOR=1 python examples/cuda/array_kmeans.py --points 2000
"""

import argparse
import time

import numjit.cupy as cp
import numpy as np


def kmeans(points, centers, rounds):
    """Centers, and the number of each point's center."""
    for _ in range(rounds):
        distances = ((points[:, None, :] - centers[None, :, :]) ** 2).sum(axis=2)
        nearest = distances.argmin(axis=1)
        mine = nearest[:, None] == cp.arange(len(centers))[None, :]
        counts = mine.sum(axis=0)
        sums = (mine[:, :, None] * points[:, None, :]).sum(axis=0)
        centers = cp.where(counts[:, None] > 0, sums / counts.clip(1)[:, None], centers)
    return centers, nearest


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--points", type=int, default=1_000_000)
    parser.add_argument("--rounds", type=int, default=10)
    chosen = parser.parse_args(arguments)
    rng = np.random.default_rng(0)
    true = np.array([[0.0, 0], [10, 0], [0, 10], [10, 10]])
    host = true[rng.integers(0, 4, chosen.points)] + rng.standard_normal((chosen.points, 2))
    points, start = cp.array(host), cp.array(true + rng.standard_normal(true.shape))
    distances = ((points[:, None, :] - start[None, :, :]) ** 2).sum(axis=2)
    print("the distances of a round become")
    cp.show_plan(distances)
    kmeans(points, start, 1)
    cp.cuda.Device().synchronize()
    begin = time.perf_counter()
    centers, nearest = kmeans(points, start, chosen.rounds)
    found = centers.get()
    print(f"{chosen.rounds} rounds: {1e3 * (time.perf_counter() - begin):.1f} ms")
    assert np.abs(found - true).max() < 0.2, found
    assert int(nearest.max()) == 3
    print(found.round(2))


if __name__ == "__main__":
    main()
