"""Every small loop of the bench gives the interpreter's result.

`NUMJIT_BENCH_ENGINE=numba` tests the loops themselves.
"""

import importlib
import os
import sys
from functools import cache
from pathlib import Path

import pytest

ENGINE = os.environ.get("NUMJIT_BENCH_ENGINE", "numjit")
importlib.import_module(ENGINE)
sys.path.insert(0, str(Path(__file__).parent))

import loops  # noqa: E402

load = cache(loops.load)


@pytest.mark.parametrize(
    ("file", "name"), [(file, name) for file in loops.FILES for name in loops.names(file)]
)
def test_small_input(file, name):
    assert loops.mismatch(load(file, ENGINE)[name], load(file, "python")[name]) is None
