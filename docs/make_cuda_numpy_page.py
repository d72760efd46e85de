"""Writes docs/cuda-numpy.md: which of NumPy's functions kernels take.

python docs/make_cuda_numpy_page.py            writes the page
python docs/make_cuda_numpy_page.py --check    exit code 1 if it is not current
"""

from __future__ import annotations

import importlib
import re
import sys
import types
from pathlib import Path

import numpy as np
from numjit import _core, cuda, errors, typeof
from numjit.library.core import catalogue
from numjit.types.rows import handle_of

PAGE = Path(__file__).with_name("cuda-numpy.md")
TESTS = PAGE.parents[1] / "tests"
#: What is behind functions of the processor's runtime.
NEEDS = {
    "nj_random_state": "needs the state of `np.random`: see `cuda.random`",
    "nj_list_new": "makes a list",
    "nj_copy_matrix": "needs LAPACK",
}
MOST_CALLS = 8  # with arguments of a function, until one compiles

HEAD = """\
# NumPy's functions in kernels

This page is written by `docs/make_cuda_numpy_page.py`, which types a call of each function of
[numpy.md](numpy.md) in a kernel for a GPU, with arguments that the tests have for it;
`tests/cuda/test_numpy_page.py` sees to it that the page is current. What kernels take follows from
what a function's body needs: no list says it. Universal functions are all taken.

Kernels take {taken} of {all} functions and methods.
"""


def cases_of(name):
    """The cases of tests/numpy, whose package has the name of another one."""
    if "numpy_tests" not in sys.modules:
        sys.path.insert(0, str(TESTS))
        package = types.ModuleType("numpy_tests")
        package.__path__ = [str(TESTS / "numpy")]
        sys.modules["numpy_tests"] = package
    cases = importlib.import_module("numpy_tests.cases")
    cases.ROWS = 3  # samples of a combination; the tests meet fewer
    return cases.cases_of(name)


def is_for_threads(value):
    """Whether kernels take an argument."""
    if isinstance(value, tuple):
        return all(map(is_for_threads, value))
    return isinstance(value, np.ndarray | int | float | complex | np.generic | None)


def refusal(name):
    """Why kernels do not take a function; None if they do."""
    reason = "the tests have no arguments for it that kernels take"
    for case in cases_of(name)[:3]:
        function = cuda.jit(device=True)(case.program())
        for call in list(case.calls())[:MOST_CALLS]:
            arguments = call.arguments()
            if not all(map(is_for_threads, arguments)) or call.outcome(case.program())[1]:
                continue
            try:
                rows = tuple(handle_of(typeof(value)) for value in arguments)
                options = function._options(device=True, simulated=False)
                _core.dump_kernel(function, rows, options, "typed")
                return None
            except errors.NumbaError as error:
                reason = str(error).partition("\n")[0]
            except TypeError:
                continue
    if "it calls code of the processor" in reason:
        return "needs LAPACK"
    needed = re.search(r"runtime of the processor \((\w+)\)", reason)
    if needed:
        return NEEDS.get(needed[1], f"needs `{needed[1]}` of the processor")
    return reason.replace("|", "\\|")


def page():
    scalar = catalogue.scalar_operations()
    names = [
        name
        for name in catalogue.functions()
        if name not in scalar
        and catalogue.numpy_object(name, None) is not None
        and not catalogue.is_method_of_a_class(name)
    ]
    refused = {name: why for name in names if (why := refusal(name)) is not None}
    lines = [HEAD.format(taken=len(names) - len(refused), all=len(names)), "## Taken\n"]
    shown = [f"`{name.removeprefix('numpy.')}`" for name in names if name not in refused]
    lines += [", ".join(shown) + "\n", "## Refused\n", "| function | why |", "|---|---|"]
    lines += [f"| `{name.removeprefix('numpy.')}` | {why} |" for name, why in refused.items()]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    from generated_page import main

    sys.exit(main(PAGE, page))
