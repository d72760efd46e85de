"""Values that the threads of a block compute together, over arrays on the device, and a graph.

Runs on a GPU, or in the simulator: NUMJIT_CUDA_SIMULATOR=1 python examples/cuda_blocks.py
"""

import numpy as np
from numjit import cuda


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
def smoothed(values, out):
    i = cuda.grid(1)
    if 0 < i < values.size - 1:
        out[i] = (values[i - 1] + values[i] + values[i + 1]) / 3


def main():
    values = np.sin(np.arange(1000) ** 1.5)
    device = cuda.to_device(values)
    blocks = -(-values.size // 256)

    out = np.zeros((blocks, 3))
    extremes[blocks, 256](device, out)
    for block, (low, high, where) in enumerate(out):
        print(f"block {block}: from {low:.4f} to {high:.4f}, at {int(where)}")

    positive = cuda.select(device, lambda value: value > 0)
    counts = cuda.histogram(device, 4, (-1, 1)).copy_to_host()
    print(f"{positive.size} values are positive; in four bins: {counts}")
    print("the three largest:", cuda.sort(device, descending=True)[:3].copy_to_host())

    other = cuda.to_device(values)
    with cuda.graph() as steps:
        smoothed[blocks, 256, steps.stream](device, other)
        smoothed[blocks, 256, steps.stream](other, device)
    for _ in range(100):
        steps.launch()
    steps.stream.synchronize()
    print("after 200 steps the deviation is", device.copy_to_host().std().round(4))


if __name__ == "__main__":
    main()
