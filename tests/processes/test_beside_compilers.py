"""Packages that bring a compiler of their own, most of them LLVM, in one process with numjit."""

import importlib.util
import subprocess
import sys

import pytest

OURS = """
def ours():
    import numpy as np
    from numjit import njit, prange

    @njit(parallel=True)
    def f(a):
        total = 0.0
        for i in prange(a.size):
            total += np.sin(a[i])
        return total

    a = np.linspace(0, 1, 100_000)
    assert abs(f(a) - np.sin(a).sum()) < 1e-6
"""
THEIRS = {
    "numba": """
    import numba
    import numpy as np

    @numba.njit
    def g(a):
        return a.sum()

    assert g(np.ones(10)) == 10
""",
    "jax": """
    import jax

    assert float(jax.jit(lambda x: (x * 2).sum())(jax.numpy.ones(10))) == 20
""",
    "taichi": """
    import taichi

    taichi.init(arch=taichi.cpu)
    field = taichi.field(float, 10)

    @taichi.kernel
    def fill():
        for i in field:
            field[i] = taichi.sin(1.0) * 0 + 2

    fill()
    assert field.to_numpy().sum() == 20
""",
    "tensorflow": """
    import tensorflow

    g = tensorflow.function(lambda x: tensorflow.reduce_sum(x * 2), jit_compile=True)
    assert float(g(tensorflow.ones(10))) == 20
""",
    "torch": """
    import torch

    assert float(torch.jit.script(torch.nn.ReLU())(torch.ones(10)).sum()) == 10
""",
    "triton": """
    import triton
    from triton._C.libtriton import llvm
""",
}


@pytest.mark.parametrize("order", ["ours, theirs, ours, theirs", "theirs, ours, theirs, ours"])
@pytest.mark.parametrize("package", THEIRS)
def test_both_compile(package, order, tmp_path):
    if importlib.util.find_spec(package) is None:
        pytest.skip(f"{package} is not installed")
    program = tmp_path / "both.py"  # taichi and triton read the sources of functions
    program.write_text(
        f"{OURS}\n\ndef theirs():{THEIRS[package]}\n\nfor each in {order}:\n    each()\n"
    )
    done = subprocess.run([sys.executable, program], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
