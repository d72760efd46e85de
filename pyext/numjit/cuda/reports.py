"""kernel.report(): resources of a multiprocessor that a kernel uses, occupancy and its limits."""

from __future__ import annotations

from typing import NamedTuple

from .cudadrv import driver

_WARP, _REGISTER_UNIT, _SHARED_UNIT = 32, 256, 128


class Multiprocessor(NamedTuple):
    """What the blocks that run at the same time share."""

    threads: int
    blocks: int
    registers: int
    shared: int
    reserved: int = 1024  # bytes of shared memory of each block that the driver takes


def multiprocessor_of(device):
    return Multiprocessor(
        device.MAX_THREADS_PER_MULTI_PROCESSOR,
        device.MAX_BLOCKS_PER_MULTIPROCESSOR,
        device.MAX_REGISTERS_PER_MULTIPROCESSOR,
        device.MAX_SHARED_MEMORY_PER_MULTIPROCESSOR,
    )


def _up(number, unit):
    return -(-number // unit) * unit


def blocks_by_limit(has, threads, registers, shared):
    """How many blocks each limit of a multiprocessor allows at the same time."""
    warps = -(-threads // _WARP)
    found = {"threads": has.threads // (warps * _WARP), "blocks": has.blocks}
    if registers:
        found["registers"] = has.registers // (warps * _up(registers * _WARP, _REGISTER_UNIT))
    if shared:
        found["shared memory"] = has.shared // _up(shared + has.reserved, _SHARED_UNIT)
    return found


_ADVICE = {
    "registers": "give launch_bounds or max_registers, or keep fewer values alive",
    "shared memory": "make shared arrays smaller, or blocks larger",
    "blocks": "make blocks larger",
    "threads": "",
}


def report(made, threads, sharedmem=0):
    """The report of a compiled kernel for blocks of so many threads."""
    name = getattr(made._dispatcher(), "__name__", "kernel")
    lines = [f"{name}({', '.join(map(str, made.argtypes))})"]
    shared = made.shared_mem_per_block + sharedmem
    lines.append(f"  shared memory of a block      {shared} bytes")
    if driver.simulated():
        lines.append("  registers, local memory and occupancy are known on a GPU only")
        return "\n".join(lines)
    registers, local = made.regs_per_thread, made.local_mem_per_thread
    lines.append(f"  registers of a thread         {registers}")
    lines.append(f"  local memory of a thread      {local} bytes")
    lines.append(f"  constant memory               {made.const_mem_size} bytes")
    has = multiprocessor_of(made.device)
    limits = blocks_by_limit(has, threads, registers, shared)
    blocks = min(limits.values())
    limit = min(limits, key=limits.get)
    occupied = 100 * blocks * _up(threads, _WARP) // has.threads
    lines.append(f"  blocks of {threads} threads at once   {blocks} a multiprocessor")
    lines.append(f"  occupancy                     {occupied} %, limited by {limit}")
    if occupied < 50 and _ADVICE[limit]:
        lines.append(f"  to raise it: {_ADVICE[limit]}")
    if local:
        lines.append(
            "  local memory holds what registers could not: arrays with indices that are not known "
            "at compile time, or too many values at once"
        )
    return "\n".join(lines)
