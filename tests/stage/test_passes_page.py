"""The tables of passes in the docs are the compiler's list."""

import pathlib
import re

import pytest
from numjit import _core

DOCS = pathlib.Path(__file__).resolve().parents[2] / "docs"


def tables(page):
    """The rows of each table of a page whose first column is a pass or a part."""
    text = (DOCS / page).read_text()
    for table in re.findall(r"^\| (?:pass|part) \|.*\n\|[-|]+\n((?:\|.*\n)+)", text, re.MULTILINE):
        yield [
            [cell.strip(" `") for cell in row[1:-2].split("|")] for row in table.splitlines(True)
        ]


def listed(stage):
    return [row[1:] for row in _core.passes() if row[0] == stage]


def test_passes_over_typed_ir():
    (rows,) = tables("architecture-typeinfer.md")
    assert [tuple(row[:2]) for row in rows] == [(name, when) for name, when, _ in listed("typed")]


@pytest.mark.parametrize("number, stage", [(0, "llvm"), (1, "llvm of kernels")])
def test_parts_of_the_pipelines(number, stage):
    rows = list(tables("architecture-codegen.md"))[number]
    assert [tuple(row) for row in rows] == listed(stage)
