"""cupyx.jit.cg: the threads of a block, and those of a grid, as groups."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from numjit.cuda import kernel_names as _names
from numjit.library.cuda.blocks import block_size, thread_number


@dataclass(frozen=True)
class ThreadBlockGroup:
    """The threads of a block."""

    handle: int

    def sync(self):
        _names.syncthreads()

    def thread_rank(self):
        return thread_number()

    def thread_index(self):
        return _names.threadIdx

    def group_index(self):
        return _names.blockIdx

    def group_dim(self):
        return _names.blockDim

    def dim_threads(self):
        return _names.blockDim

    def size(self):
        return block_size()

    def num_threads(self):
        return block_size()


@dataclass(frozen=True)
class GridGroup:
    """The threads of all blocks."""

    grid: object

    def is_valid(self):
        return self.grid.is_valid()

    def sync(self):
        self.grid.sync()

    def thread_rank(self):
        return self.block_rank() * block_size() + thread_number()

    def block_rank(self):
        number, blocks = _names.blockIdx, _names.gridDim
        return number.x + np.uint64(blocks.x) * (number.y + np.uint64(blocks.y) * number.z)

    def block_index(self):
        return _names.blockIdx

    def group_dim(self):
        return _names.gridDim

    def dim_blocks(self):
        return _names.gridDim

    def num_blocks(self):
        blocks = _names.gridDim
        return np.uint64(blocks.x) * blocks.y * blocks.z

    def size(self):
        return self.num_blocks() * block_size()

    def num_threads(self):
        return self.size()


def this_thread_block():
    """The block of a thread."""
    return ThreadBlockGroup(0)


def this_grid():
    """The grid of a thread; a kernel with one is launched so that its blocks run together."""
    return GridGroup(_names.cg.this_grid())


def sync(group):
    """Wait for all threads of the group."""
    group.sync()


def memcpy_async(group, dst, dst_idx, src, src_idx, size, *, aligned_size=None):
    """Copy `size` bytes between arrays; each thread copies some items, and `wait` is a barrier."""
    count = size // src.itemsize
    for i in range(group.thread_rank(), count, group.size()):
        dst[dst_idx + i] = src[src_idx + i]


def wait(group):
    """Wait until what memcpy_async began has ended."""
    group.sync()


def wait_prior(group, step):
    """As wait, for all but the last `step` copies; waits for all."""
    group.sync()
