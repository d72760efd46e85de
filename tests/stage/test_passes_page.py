"""The page of passes in the docs is the compiler's list."""

import pathlib
import runpy

from numjit import _core

DOCS = pathlib.Path(__file__).resolve().parents[2] / "docs"


def test_page_is_current():
    made = runpy.run_path(str(DOCS / "make_passes_page.py"))["page"]()
    assert (DOCS / "passes.md").read_text() == made, "run python docs/make_passes_page.py"


def test_page_shows_every_pass():
    made = runpy.run_path(str(DOCS / "make_passes_page.py"))["page"]()
    assert made.count("\n| `") == len(_core.passes())
