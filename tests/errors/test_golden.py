"""Whole texts of error reports, compared with those in cases/: see tests/error_golden.py."""

import os

import error_golden
import pytest

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
    assert text == case.expected
    assert len(text.splitlines()) <= error_golden.MAX_LINES


def test_there_are_forty():
    assert len(ALL) >= 40
    assert len({case.name for case in ALL}) == len(ALL)
