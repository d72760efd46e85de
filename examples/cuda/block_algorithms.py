"""Values that the threads of a block compute together, and algorithms over arrays on the device.

python examples/cuda/block_algorithms.py         on a GPU
NUMJIT_CUDA_SIMULATOR=1 python examples/cuda/block_algorithms.py
"""

import numpy as np
from numjit import cuda

THREADS = 256


@cuda.jit
def extremes(values, out):
    """For each block the smallest value, the largest one, and where that is."""
    i = cuda.grid(1)
    value = values[min(i, values.size - 1)]
    low = cuda.block.reduce(value, min)
    high = cuda.block.reduce((value, i), lambda a, b: a if a[0] >= b[0] else b)
    if cuda.threadIdx.x == 0:
        block = cuda.blockIdx.x
        out[block, 0], out[block, 1], out[block, 2] = low, high[0], high[1]


@cuda.jit
def sorted_blocks(values, out, sums):
    """Each block's values in order, and the sums of all values up to each."""
    i = cuda.grid(1)
    value = values[i] if i < values.size else np.inf
    value = cuda.block.sort(value)
    total = cuda.block.scan(value if i < values.size else 0.0, lambda a, b: a + b)
    if i < values.size:
        out[i] = value
        sums[i] = total


def main():
    values = np.sin(np.arange(1000) ** 1.5)
    device = cuda.to_device(values)
    parts = [values[i : i + THREADS] for i in range(0, values.size, THREADS)]

    found = np.zeros((len(parts), 3))
    extremes[len(parts), THREADS](device, found)
    for block, (part, (low, high, where)) in enumerate(zip(parts, found, strict=True)):
        print(f"block {block}: from {low:.4f} to {high:.4f}, at {int(where)}")
        assert (low, high) == (part.min(), part.max()) and values[int(where)] == high

    out, sums = np.zeros((2, values.size))
    sorted_blocks[len(parts), THREADS](device, out, sums)
    for start, part in zip(range(0, values.size, THREADS), parts, strict=True):
        end = start + part.size
        assert (out[start:end] == np.sort(part)).all()
        assert np.allclose(sums[start:end], np.cumsum(np.sort(part)))

    positive = cuda.select(device, lambda value: value > 0).copy_to_host()
    assert (positive == values[values > 0]).all()
    counts = cuda.histogram(device, 4, (-1, 1)).copy_to_host()
    assert (counts == np.histogram(values, 4, (-1, 1))[0]).all()
    print(f"{positive.size} values are positive; in four bins: {counts}")
    largest = cuda.sort(device, descending=True)[:3].copy_to_host()
    assert (largest == np.sort(values)[:-4:-1]).all()
    print("the three largest:", largest)


if __name__ == "__main__":
    main()
