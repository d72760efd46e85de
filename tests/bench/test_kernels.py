"""Every bench kernel and example gives the interpreter's result, on its small input.

`NUMJIT_BENCH_ENGINE=numba` runs the same tests over Numba, which tests the kernels themselves.
"""

import importlib
import importlib.util
import os
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(
    importlib.util.find_spec("sklearn") is None,
    reason="the examples' photographs and digits come with it",
)
ENGINE = os.environ.get("NUMJIT_BENCH_ENGINE", "numjit")
importlib.import_module(ENGINE)
sys.path.insert(0, str(Path(__file__).parent))

import catalogue  # noqa: E402
from compare import fresh, outcome_difference  # noqa: E402


@pytest.mark.parametrize("name", catalogue.ROWS)
def test_small_input(name):
    plain, compiled = (catalogue.load(name, engine) for engine in ("python", ENGINE))
    arguments = plain.small()
    outcomes = []
    for kernel in (compiled, plain):
        mine = fresh(arguments)
        outcomes.append((kernel.function(*mine), mine))
    assert outcome_difference(*outcomes, plain.tolerance) is None
