"""Inner functions that compiled code returns to Python."""

from __future__ import annotations

import types

from numjit.decorators import njit

#: What a recursive inner function captures in the place of itself.
ITSELF = object()


def made_function(code, names, captured, defaults):
    """The jitted function that an inner function becomes.

    `captured`: the values of its free variables, then those of its parameters' defaults.
    """
    free = len(code.co_freevars)
    cells = [types.CellType(value) for value in captured[:free]]
    python = types.FunctionType(
        code, names, code.co_name, tuple(captured[free:]) or None, tuple(cells)
    )
    python.__kwdefaults__ = defaults or None
    function = njit(python)
    for cell in cells:
        if cell.cell_contents is ITSELF:
            cell.cell_contents = function
    return function
