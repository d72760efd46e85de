"""Writes docs/cuda-guide.md: what numba-cuda's documentation describes, by its pages.

python docs/make_cuda_guide_page.py            writes the page
python docs/make_cuda_guide_page.py --check    exit code 1 if it is not current
"""

from __future__ import annotations

import ast
import sys
from pathlib import Path

PAGE = Path(__file__).with_name("cuda-guide.md")
TESTS = PAGE.parents[1] / "tests" / "cuda"

HEAD = """\
# numba-cuda's documentation, item by item

What the user guide and the reference of numba-cuda describe (as of November 2026), by their pages.
A row is a test: `tests/cuda/test_guide_*.py` runs a small program for each, in the simulator and on
a GPU. `docs/make_cuda_guide_page.py` writes this page from the tests.
"""
#: What the documentation describes and is not so here.
DIFFERENT = (
    ("Host API", """LTO: `output="ltoir"` is refused, `lto=True` has no effect; the driver links
        PTX."""),
    ("Compiling for other languages", """Arrays that are arguments are passed as numjit's parts
        (data, owner, shape, strides), not as Numba's; names of `abi="numba"` are shorter."""),
    ("Kernel API", """`ballot_sync` and `match_*_sync` return `uint32`. `launchconfig` is there for
        overloads and other functions that run while a kernel is compiled: numjit has no rewrite
        passes of Numba's."""),
    ("Environment", """Without effect: `CUDA_LOG_*`, `CUDA_VERBOSE_JIT_LOG`,
        `CUDA_MAX_PENDING_DEALLOCS_*` (memory goes back at once, or after `defer_cleanup`),
        `CUDA_ENABLE_NRT` (arrays in kernels need no switch), `CUDA_NRT_STATS`, `CUDA_TEST_*`.
        `CUDA_DEFAULT_PTX_CC` is 7.5."""),
    ("Bindings", "The driver is called without `cuda-python`, which is not needed."),
    ("Python features", """More is taken: generators, tuples made by comprehensions, mutual
        recursion, `raise` in device functions, arrays as values and NumPy's functions
        ([cuda-arrays.md](cuda-arrays.md)). `try`, lists and the items of arrays
        of strings and bytes work in the simulator alone."""),
    ("Debugging", "`cuda-gdb` stops at lines and knows functions, but shows no variables."),
    ("Simulator", """Kernels are compiled: `pdb.set_trace()` in them is not. Warps, threads and type
        errors are as on a GPU. Global arrays of the host are read in place, not copied;
        `breakpoint()` does nothing."""),
)  # fmt: skip


def rows():
    """Page of the documentation -> what tests say they show, in their order."""
    found: dict[str, list[str]] = {}
    for path in sorted(TESTS.glob("test_guide_*.py")):
        for node in ast.parse(path.read_text()).body:
            text = ast.get_docstring(node) if isinstance(node, ast.FunctionDef) else None
            if text and node.name.startswith("test_"):
                page, _, what = " ".join(text.split()).partition(": ")
                if what not in found.setdefault(page, []):
                    found[page].append(what)
    return found


def page():
    lines = [HEAD, "| page | what |", "|---|---|"]
    for name, items in rows().items():
        lines += [f"| {name} | ✓ {item} |" for item in items]
    lines += ["", "## Different, or not there\n", "| page | what |", "|---|---|"]
    lines += [f"| {name} | {' '.join(text.split())} |" for name, text in DIFFERENT]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    from generated_page import main

    sys.exit(main(PAGE, page))
