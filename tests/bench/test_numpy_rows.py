"""The rows of the bench's NumPy part are programs that NumPy runs."""

import sys
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parent))

from numpy_rows import ROWS, SIZES


@pytest.mark.parametrize("row", ROWS.values(), ids=ROWS)
def test_row(row):
    arguments = row.arguments(SIZES[0])
    result = row.program({"np": np})(*arguments)
    silent = ("random.seed", "random.shuffle")
    assert (result is None) == (row.is_statement or row.name in silent)
