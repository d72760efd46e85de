"""Every GPU kernel of the bench gives NumPy's result, on its small input, in the simulator; with
NUMJIT_TEST_GPU=1 on a GPU, in C++ too."""

import os
import sys
from pathlib import Path

import pytest

ON_GPU = os.environ.get("NUMJIT_TEST_GPU", "0") != "0"
os.environ.setdefault("NUMJIT_CUDA_SIMULATOR", "0" if ON_GPU else "1")
sys.path.insert(0, str(Path(__file__).parent))

from compare import difference  # noqa: E402
from cuda_cpp import Contender, Cpp, Python  # noqa: E402
from gpu_kernel import catalogue  # noqa: E402
from numjit import cuda  # noqa: E402

KERNELS = catalogue()


def mismatch(engine, name):
    problem = KERNELS[name].problem(False)
    return Contender(engine, KERNELS[name], problem).mismatch(problem.expected())


@pytest.mark.parametrize("name", KERNELS)
def test_python(name):
    assert mismatch(Python(cuda), name) is None


@pytest.mark.skipif(not ON_GPU, reason="C++ needs a GPU")
@pytest.mark.parametrize("name", KERNELS)
def test_cpp(name):
    assert mismatch(Cpp(cuda), name) is None


@pytest.mark.parametrize("name", KERNELS)
def test_each_expected_value_has_been_computed(name):
    """Nothing that the kernel is to compute is right before it runs."""
    problem = KERNELS[name].problem(False)
    for array, (some, values) in problem.expected().items():
        assert difference(problem.arrays[array][some], values, problem.tolerance), array
