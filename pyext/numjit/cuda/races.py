"""The message of `cuda.RaceError`: the races that the simulator has found."""

from __future__ import annotations

import os


class RaceError(RuntimeError):
    """Threads of a kernel use one element of memory, one of them writes it, and nothing orders
    them.

    `races` has a row for each pair of places: (address, bytes, in shared memory, first access,
    second access, how often). An access is (block, thread, writes, atomic, file, function, line).
    """

    def __init__(self, message, races=()):
        super().__init__(message)
        self.races = races


def error_for(kernel_name, races, arrays) -> RaceError:
    """The exception about what a launch has found.

    `arrays` are the arguments that are arrays: name, address, shape, strides.
    """
    lines = [f"kernel {kernel_name}: accesses that nothing orders"]
    for address, _, shared, first, second, count in races[:8]:
        what = "shared memory" if shared else _element(address, arrays)
        lines.append(f"  {what}: {_access(first)}")
        lines.append(f"      and {_access(second)}" + (f", {count} times" if count > 1 else ""))
    if len(races) > 8:
        lines.append(f"  and {len(races) - 8} more pairs of lines")
    lines.append(_way_out(races))
    return RaceError("\n".join(lines), races)


def _access(access):
    block, thread, writes, atomic, file, function, line = access
    kind = "atomic operation" if atomic else "write" if writes else "read"
    place = f"{os.path.basename(file)}:{line} ({function})"
    return f"{kind} by thread {thread} of block {block} at {place}"


def _way_out(races):
    if any(first[0] != second[0] for _, _, _, first, second, _ in races):
        return "use cuda.atomic, or split the kernel: barriers order the threads of one block only"
    return "use cuda.atomic, or cuda.syncthreads() between the accesses"


def _element(address, arrays):
    """The element of an argument that lies at an address: "x[3, 1]"."""
    for name, start, shape, strides in arrays:
        index = _index(address - start, shape, strides)
        if index is not None:
            return name + (str(index) if index else "")
    return f"memory at 0x{address:x}"


def _index(offset, shape, strides):
    """Which element lies `offset` bytes behind the first one; None if none does."""
    if 0 in shape:
        return None
    offset -= sum(min(0, step * (n - 1)) for n, step in zip(shape, strides, strict=True))
    index = [0] * len(shape)
    for axis in sorted(range(len(shape)), key=lambda axis: -abs(strides[axis])):
        if step := abs(strides[axis]):
            steps = offset // step
            if not 0 <= steps < shape[axis]:
                return None
            offset -= steps * step
            index[axis] = steps if strides[axis] > 0 else shape[axis] - 1 - steps
    return index
