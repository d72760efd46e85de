"""docs/cuda-numpy.md says which of NumPy's functions kernels take."""

import runpy
from pathlib import Path

import numpy as np
import pytest

DOCS = Path(__file__).resolve().parents[2] / "docs"


def test_page_is_current():
    page = (DOCS / "numpy.md").read_text()
    version = ".".join(np.__version__.split(".")[:2])
    if f"NumPy's version here is\n{version}:" not in page:
        pytest.skip("the page was written with another NumPy, which has other functions")
    made = runpy.run_path(str(DOCS / "make_cuda_numpy_page.py"))["page"]()
    assert (DOCS / "cuda-numpy.md").read_text() == made, "run python docs/make_cuda_numpy_page.py"
