"""Whole texts of error reports, compared with those in cases/: see tests/error_golden.py."""

import os
import sys

import error_golden
import pytest

VERSION = (3, 12)  # of the stored texts
ALL = [case for path in error_golden.FILES for case in error_golden.read_cases(path)]


@pytest.mark.parametrize("case", ALL, ids=[f"{case.path.stem}-{case.name}" for case in ALL])
def test_report(case):
    text = case.run()
    if os.environ.get("NUMJIT_REWRITE"):
        present = error_golden.read_cases(case.path)
        for other in present:
            if other.name == case.name:
                other.expected = text
        error_golden.write_cases(case.path, present)
        return
    if sys.version_info[:2] == VERSION:
        assert text == case.expected
    else:  # CPython's tables of positions differ in details
        assert text.partition(":")[0] == case.expected.partition(":")[0]
    assert len(text.splitlines()) <= error_golden.MAX_LINES


def test_there_are_forty():
    assert len(ALL) >= 40
    assert len({case.name for case in ALL}) == len(ALL)
