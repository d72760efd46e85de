"""docs/cuda-guide.md lists what the tests of numba-cuda's documentation show."""

import runpy
from pathlib import Path

DOCS = Path(__file__).resolve().parents[2] / "docs"


def test_page_is_current():
    made = runpy.run_path(str(DOCS / "make_cuda_guide_page.py"))["page"]()
    assert (DOCS / "cuda-guide.md").read_text() == made, "run python docs/make_cuda_guide_page.py"
