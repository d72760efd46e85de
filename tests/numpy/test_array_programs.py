"""Programs in plain NumPy compile as they stand, and give and change what NumPy gives."""

import pytest
from language.support import check_same
from numjit import njit

from . import array_programs

HELPERS = [
    name
    for name, value in vars(array_programs).items()
    if callable(value) and value.__module__ == array_programs.__name__
    and name not in array_programs.PROGRAMS and name not in ("program", "floats")
]  # fmt: skip


@pytest.mark.parametrize("name", array_programs.PROGRAMS)
def test_program(name, monkeypatch):
    function, arguments = array_programs.PROGRAMS[name]
    theirs, mine = arguments(), arguments()
    expected = function(*theirs)
    for helper in HELPERS:
        monkeypatch.setattr(array_programs, helper, njit(getattr(array_programs, helper)))
    rtol = 1e-5 if name == "softmax" else 1e-11  # of float32
    check_same(njit(function)(*mine), expected, rtol)
    check_same(mine, theirs, rtol, "arguments afterwards")
