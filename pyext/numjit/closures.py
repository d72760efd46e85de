"""Inner functions that compiled code returns to Python."""

from __future__ import annotations

import types

from numjit.decorators import njit

#: What a recursive inner function captures in the place of itself.
ITSELF = object()


def made_function(code, names, captured, defaults, variables, siblings):
    """The jitted function that an inner function becomes.

    `captured`: the values of its free `variables`, then those of its parameters' defaults.
    `siblings`: of functions that call one another, the name of each -> its code and the defaults of
    its keyword-only parameters.
    """
    free = len(variables)
    cells = {name: types.CellType(value) for name, value in zip(variables, captured, strict=False)}
    for name in siblings:
        cells.setdefault(name, types.CellType(ITSELF))
    made = jitted(code, names, cells, tuple(captured[free:]), defaults)
    for name, cell in cells.items():
        if cell.cell_contents is ITSELF:
            other, of_keywords = siblings.get(name, (code, None))
            own = other is code
            cell.cell_contents = made if own else jitted(other, names, cells, (), of_keywords)
    return made


def jitted(code, names, cells, defaults, keyword_defaults):
    python = types.FunctionType(
        code,
        names,
        code.co_name,
        defaults or None,
        tuple(cells[name] for name in code.co_freevars),
    )
    python.__kwdefaults__ = keyword_defaults or None
    return njit(python)
