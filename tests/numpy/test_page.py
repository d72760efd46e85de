"""docs/numpy.md says what the library has."""

import importlib
import runpy
from pathlib import Path

import numpy as np
import pytest
from numjit import library
from numjit.library.core.registry import registered, rows
from numjit.library.value_classes import VALUE_CLASSES, names_of

DOCS = Path(__file__).resolve().parents[2] / "docs"


def test_page_is_current():
    page = (DOCS / "numpy.md").read_text()
    version = ".".join(np.__version__.split(".")[:2])
    if f"NumPy's version here is\n{version}:" not in page:
        pytest.skip(
            "the page was written with another NumPy, whose functions have other parameters"
        )
    made = runpy.run_path(str(DOCS / "make_numpy_page.py"))["page"]()
    assert page == made, "run python docs/make_numpy_page.py"


def test_promotion_tables_are_current():
    made = runpy.run_path(str(DOCS / "make_promotion_page.py"))["page"]()
    assert (DOCS / "moving-from-numba.md").read_text() == made, (
        "run python docs/make_promotion_page.py"
    )


def test_performance_page_is_current():
    made = runpy.run_path(str(DOCS / "make_performance_page.py"))["page"]()
    assert (DOCS / "performance.md").read_text() == made, "run python docs/make_performance_page.py"


@pytest.mark.parametrize("module", library.LATER)
def test_modules_register_what_is_announced(module):
    """Others of their names would be unknown until the module happens to be imported."""
    importlib.import_module(f"numjit.library.{module}")
    called = {
        row.name: function for row, function in rows.items() if not (row.when or row.operands)
    }
    names = {
        name
        for name, function in (registered | called).items()
        if function.__module__ == f"numjit.library.{module}" and not name.startswith("numjit.")
    }
    announced = set(library.LATER[module].split())
    for name, row in VALUE_CLASSES.items():
        if row.module == module:
            announced |= set(names_of(name, row))
    assert names == {name for name in announced if not name.startswith("numjit.")}
    assert announced <= {*registered, *called}
