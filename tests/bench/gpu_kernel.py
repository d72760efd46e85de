"""What a bench kernel for GPUs declares about itself, and all such kernels."""

import importlib.util
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

FOLDER = Path(__file__).parent / "kernels" / "cuda"


@dataclass(frozen=True)
class Problem:
    """Inputs of one size. Integers are C++'s int, and int64 in Python's kernels."""

    arrays: dict[str, np.ndarray]
    # run(launch, **arrays) makes the launches: launch(name, grid, block, *arguments, sizes=...).
    # The sizes are for C++ alone, after the arguments; arrays of Python know them.
    run: Callable
    # {array: (which elements, their values)}; some elements, where all would take NumPy too long
    expected: Callable[[], dict]
    tolerance: float = 0.0  # relative, and absolute below 1
    restored: tuple[str, ...] = ()  # arrays that must be as given before each run


@dataclass(frozen=True)
class GpuKernel:
    kernels: Callable[..., tuple]  # of a module like numba.cuda: functions jitted by it
    source: str  # functions of the same names in CUDA C++
    problem: Callable[[bool], Problem]  # full size for times, or small for tests


def blocks(n, threads):
    """How many blocks of so many threads have n threads."""
    return -(-n // threads)


def catalogue():
    """{name: GpuKernel} of every file in kernels/cuda."""
    found = {}
    for path in sorted(FOLDER.glob("*.py")):
        spec = importlib.util.spec_from_file_location(f"gpu_kernel_{path.stem}", path)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        for name, kernel in module.KERNELS.items():
            assert name not in found, name
            found[name] = kernel
    return found
