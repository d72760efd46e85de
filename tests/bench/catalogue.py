"""Every bench kernel: its name, its Python source, its C++ source."""

import sys
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).parent
KERNELS = HERE / "kernels"
EXAMPLES = HERE.parents[1] / "examples"
# The kernels' and examples' own imports, and the helpers shared with the demo.
sys.path[:0] = [str(HERE), str(EXAMPLES)]

from engines import load_source  # noqa: E402
from kernel import Kernel  # noqa: E402


@dataclass(frozen=True)
class Row:
    folder: Path
    source: str
    cpp: str


def _rows(folder, text):
    sources = (entry.partition(":") for entry in text.split())
    return {name: Row(folder, f"{name}.py", f"{cpp or name}.cpp") for name, _, cpp in sources}


# name or name:C++ file, where that has another name
ROWS = _rows(
    EXAMPLES,
    "matrix_sum convolution_loops:convolution convolution_windows:convolution max_pool clip"
    " black_scholes mandelbrot kmeans",
) | _rows(
    KERNELS,
    "nbody matmul laplace pairwise monte_carlo_pi collatz fib sieve levenshtein"
    " fused_expression exp_expression reduction_loops:reductions reduction_arrays:reductions"
    " clip_ufunc",
)


def load(name, engine):
    """The kernel, its functions compiled by that engine at their first call."""
    row = ROWS[name]
    module = load_source(row.folder / row.source, engine)
    if hasattr(module, "KERNEL"):
        return module.KERNEL
    demo = module.DEMOS[-1]
    return Kernel(demo.function, demo.load, demo.small, demo.tolerance)


def cpp_source(name):
    return KERNELS / ROWS[name].cpp
