"""Writes the tables of docs/moving-from-numba.md: what NumPy computes, and what Numba was found to.

python docs/make_promotion_page.py            writes the page
python docs/make_promotion_page.py --check    exit code 1 if it is not current
"""

from __future__ import annotations

import sys
import warnings
from pathlib import Path

import numpy as np

PAGE = Path(__file__).with_name("moving-from-numba.md")
sys.path.append(str(PAGE.parents[1] / "tests" / "numpy"))
sys.path.append(str(PAGE.parents[1] / "tests"))
import promotion  # noqa: E402

EXAMPLES = """
u < 300|u > -1|u + 300|i2 * 100000|u * 255|(u * 255).sum()|(u + u) / 2|u ** 2|u / u|f4 * 2.5
f4 == 0.1|f4 * 1j|f4 + i8|b ** 2|np.maximum(u, 300)|np.where(u > 9, u, 300)|np.where(u > 9, f4, 1.5)
i2 ** -1
np.full_like(u, 300)|np.clip(u, 0, 300)
"""
#: Columns of the table of dtypes: an operation, and the dtype of Numba's scalar beside the array.
COLUMNS = (("+", "True", "bool"), ("+", "2", "int64"), ("+", "2.5", "float64"),
           ("+", "2j", "complex128"), ("/", "2", "int64"), ("+", "i8", "int64"))  # fmt: skip


def numpy_result(expression):
    names = dict(zip("u i2 f4 b i8 u8 c8 z n x".split(), promotion.arguments()), np=np)
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            value = eval(expression, names)
        except Exception as error:
            return f"`{type(error).__name__}`"
    value = np.asarray(value)
    return f"`{value.dtype} {value.tolist()}`"


def examples(recorded):
    lines = ['| | NumPy, `promotion="numpy"` | Numba, `promotion="numba"` |', "|---|---|---|"]
    for expression in EXAMPLES.replace("\n", "|").strip("|").split("|"):
        numba = recorded["values"][expression]
        lines.append(f"| `{expression}` | {numpy_result(expression)} | `{numba}` |")
    return lines


def dtypes(recorded):
    """NumPy's dtype, and behind an arrow Numba's where it is another one."""
    heads = [f"`{name} {text}`" for name, text, _ in COLUMNS]
    lines = [f"| array | {' | '.join(heads)} |", "|---" * (len(heads) + 1) + "|"]
    names = {code: name for name, code in promotion.CODES.items()}
    for row, dtype in enumerate(promotion.DTYPES):
        cells = []
        for name, text, scalar in COLUMNS:
            other = np.ones(1, np.int64) if text == "i8" else eval(text)
            with np.errstate(all="ignore"):
                value = eval(f"a {name} b", {"a": np.ones(1, dtype), "b": other})
            kind = "array" if text == "i8" else "scalar"
            position = promotion.DTYPES.index(scalar)
            numba = names[recorded["types"][name][kind][row][position]]
            cells.append(f"{value.dtype}" + (f" → {numba}" if numba != value.dtype else ""))
        lines.append(f"| `{dtype}` | {' | '.join(cells)} |")
    return lines


def page():
    text, recorded = PAGE.read_text(), promotion.recorded()
    for name, make in (("examples", examples), ("dtypes", dtypes)):
        start = f"<!-- {name}: docs/make_promotion_page.py -->\n"
        before, rest = text.split(start)
        after = rest[rest.index("\n<!-- end -->") :]
        text = before + start + "\n".join(make(recorded)) + after
    return text


if __name__ == "__main__":
    made = page()
    if "--check" in sys.argv:
        sys.exit(made != PAGE.read_text())
    PAGE.write_text(made)
