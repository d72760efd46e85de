"""Writes promotion.json: what Numba gives for the table of promotion.py, tried on Numba itself.

PYTHONPATH=tests:tests/numpy python tests/numpy/record_promotion.py
"""

import json
import operator
import warnings

import numba
import numpy as np
from numba.core.registry import cpu_target
from promotion import CODES, DTYPES, EXPRESSIONS, OPERATIONS, RECORDED, arguments, shown

FUNCTIONS = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv,
    "//": operator.floordiv, "%": operator.mod, "**": operator.pow, "&": operator.and_,
    "<<": operator.lshift, "<": operator.lt, "==": operator.eq, "maximum": np.maximum,
    "arctan2": np.arctan2, "logical_and": np.logical_and, "gcd": np.gcd,
}  # fmt: skip


def result_code(context, function, *types):
    """The character of the result's dtype, "-" where Numba does not compile it."""
    try:
        return CODES[str(context.resolve_function_type(function, types, {}).return_type.dtype)]
    except Exception:  # Numba has many ways of saying no
        return "-"


def recorded_types():
    context = cpu_target.typing_context
    cpu_target.target_context.refresh()
    context.refresh()
    scalars = [getattr(numba.types, name.replace("bool", "boolean")) for name in DTYPES]
    arrays = [numba.types.Array(scalar, 1, "C") for scalar in scalars]
    return {
        name: {
            kind: ["".join(result_code(context, function, a, b) for b in row) for a in arrays]
            for kind, row in (("array", arrays), ("scalar", scalars))
        }
        for name, function in FUNCTIONS.items()
    }


def recorded_values():
    rows = {}
    for expression in EXPRESSIONS:
        scope = {"np": np}
        exec(f"def f(u, i2, f4, b, i8, u8, c8, z, n, x):\n    return {expression}", scope)
        rows[expression] = shown(numba.njit(scope["f"])(*arguments()))
    return rows


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    assert list(FUNCTIONS) == list(OPERATIONS)
    recorded = {
        "numba": numba.__version__,
        "dtypes": DTYPES,
        "types": recorded_types(),
        "values": recorded_values(),
    }
    RECORDED.write_text(json.dumps(recorded, indent=1) + "\n")
