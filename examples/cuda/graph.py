"""A graph: launches that are recorded once and run again with the cost of one.

python examples/cuda/graph.py         on a GPU
NUMJIT_CUDA_SIMULATOR=1 python examples/cuda/graph.py
"""

import time

import numpy as np
from numjit import cuda

PAIRS = 100


@cuda.jit
def smoothed(values, out):
    i = cuda.grid(1)
    if 0 < i < values.size - 1:
        out[i] = (values[i - 1] + values[i] + values[i + 1]) / 3


def with_launches(device, other, launch):
    for _ in range(PAIRS):
        smoothed[launch](device, other)
        smoothed[launch](other, device)
    cuda.synchronize()


def with_a_graph(steps):
    for _ in range(PAIRS):
        steps.launch()
    steps.stream.synchronize()


def expected(values):
    values = values.copy()
    for _ in range(2 * PAIRS):
        values[1:-1] = (values[:-2] + values[1:-1] + values[2:]) / 3
    return values


def timed(function, *arguments):
    start = time.perf_counter()
    function(*arguments)
    return 1e3 * (time.perf_counter() - start)


def main():
    values = np.sin(np.arange(1000) ** 1.5)
    device, other = cuda.to_device(values), cuda.to_device(values)
    blocks = -(-values.size // 256)

    with cuda.graph() as steps:
        smoothed[blocks, 256, steps.stream](device, other)
        smoothed[blocks, 256, steps.stream](other, device)
    one_by_one = timed(with_launches, cuda.to_device(values), cuda.to_device(values), (blocks, 256))
    replayed = timed(with_a_graph, steps)
    print(f"{2 * PAIRS} launches: {one_by_one:.2f} ms; {PAIRS} of a graph: {replayed:.2f} ms")
    assert np.allclose(device.copy_to_host(), expected(values))
    print("the deviation is", device.copy_to_host().std().round(4))


if __name__ == "__main__":
    main()
