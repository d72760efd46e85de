"""The table of docs/moving-from-numba.md: every dtype beside literals, scalars and arrays, in
operators, ufuncs, `where` and reductions. NumPy's half is computed, Numba's is recorded
(promotion.json)."""

from __future__ import annotations

import json
import re
import warnings
from pathlib import Path

import numpy as np
from language.support import check_same
from numjit import njit
from numjit.errors import NumbaError

DTYPES = "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float32 float64".split()
DTYPES += ["complex64", "complex128"]
#: A character for each, as in the recorded rows.
CODES = dict(zip(DTYPES, "?bhilBHILfdFD"))
RECORDED = Path(__file__).with_name("promotion.json")

#: name -> expression of the operands a and b
OPERATIONS = {
    "+": "a + b",
    "-": "a - b",
    "*": "a * b",
    "/": "a / b",
    "//": "a // b",
    "%": "a % b",
    "**": "a ** b",
    "&": "a & b",
    "<<": "a << b",
    "<": "a < b",
    "==": "a == b",
    "maximum": "np.maximum(a, b)",
    "arctan2": "np.arctan2(a, b)",
    "logical_and": "np.logical_and(a, b)",
    "gcd": "np.gcd(a, b)",
}
#: What is asked of literals and run-time scalars besides.
MORE = {
    "reflected -": "b - a",
    "reflected /": "b / a",
    "reflected >": "b > a",
    "where": "np.where(a == a, a, b)",
    "where reflected": "np.where(a != a, b, a)",
    "fused": "(a + b) * b - a",
    "sum": "(a + b).sum()",
    "max": "(a * b).max()",
}

LITERALS = """
True 0 2 -1 127 128 255 256 -129 40000 100000 -100000 2147483648 4294967296 9223372036854775807
-9223372036854775808 9223372036854775808 2.5 1e300 1.5j
""".split()
#: Run-time scalars as arguments, and what they count as in NumPy.
SCALARS = {
    "bool": True,
    "int64": 3,
    "float64": 2.5,
    "complex128": 1 - 2j,
    "uint8": 200,
    "float32": 1.5,
}


def elements(dtype):
    kind = np.dtype(dtype).kind
    if kind == "b":
        return np.array([True, False, True])
    if kind in "iu":
        return np.array([1, 3, np.iinfo(dtype).max], dtype)
    return np.array([1, 2.5, 10] if kind == "f" else [1, 2 + 1j, -3], dtype)


#: Whole expressions, whose values are recorded: operators of one are computed as scalars,
#: and converted at the end.
EXPRESSIONS = """
u < 300|u > -1|u == 300|u + 300|u * 255|u - 200|300 - u|i2 * 100000|u // 300|u / 300|u ** 2|i2 ** -1
u << 9|u & 300|u % 300|~u|-u|+u|b + 1|b ** 2|b * 2.5|b < 2|b & 1|b ^ True|u * True|u + 1j
f4 * 2|f4 * 2.5|f4 * 1j|f4 + 1e300|f4 == 0.1|f4 < 1e300|f4 ** 2|f4 // 2|f4 % 2.5|c8 * 2|c8 * 2.5
u8 + 1|u8 - 1|u8 < -1|u8 == 1|u * n|f4 * n|f4 * x|u * x|u + i8|f4 + i8|f4 * i2|u / u|u / i2|u + u
z + 300|z < 300|z * z|z * 255|-z|u + z
np.maximum(u, 300)|np.add(u, 300)|np.power(u, 2)|np.arctan2(u, 3)|np.hypot(f4, 3)|np.sqrt(u)
np.logical_and(u, 300)|np.square(u)|np.negative(u)|np.ldexp(f4, 3)|np.copysign(u, -1)
np.fmod(u, 300)
np.where(u > 9, u, 300)|np.where(u > 9, u, 0)|np.where(u > 9, 300, u)|np.where(u > 9, f4, 1.5)
np.where(u > 9, f4, 2)|np.where(u > 9, u, 1.5)|np.where(u > 9, 1, 2)|np.where(u > 9, b, 2)
np.where(u > 9, u + u, 0)|(u * 255).sum()|(u + u).sum()|u.sum()|(f4 * 2.5).sum()|(u * 255).max()
(u + u) / 2|((u + u) / 2).sum()|(u + u) < 300|np.add(u, u) / 2|np.sqrt(u + u)|~u / 2|-u / 2
(u + u) / 2 + u * u|299 * u + 587 * u + 114 * u|(u + u).astype(np.float64)|(f4 * 2 + i8) / 3
np.clip(u, 0, 300)|np.clip(u, -5, 100)|np.full_like(u, 300)|u[0] + u[1]|u[0] * 255|np.dot(f4, f4)
"""
EXPRESSIONS = [e for line in EXPRESSIONS.split("\n") for e in line.split("|") if e]


def arguments():
    """u, i2, f4, b, i8, u8, c8, z, n, x of EXPRESSIONS."""
    u, i2 = np.array([5, 200], np.uint8), np.array([1, -2], np.int16)
    f4, b, i8 = np.array([0.1, 2.5], np.float32), np.array([True, False]), np.array([1, -3])
    u8, c8 = np.array([1, 2**63], np.uint64), np.array([1, 2 - 1j], np.complex64)
    return u, i2, f4, b, i8, u8, c8, np.array(5, np.uint8), 300, 2.5


def shown(value):
    """A result as text: dtype and numbers."""
    kind = value.dtype if isinstance(value, np.ndarray) else type(value).__name__
    return f"{kind} {value.tolist() if isinstance(value, np.ndarray) else value}"


def recorded():
    """What Numba gives, as record_promotion.py tried it. `types`: for each operation, an array of
    each dtype beside an "array" or a "scalar" of each: the result's character, "-" where there is
    none."""
    return json.loads(RECORDED.read_text())


# -- evaluation ------------------------------------------------------------------------------------


def expected_of(expression, a, b):
    """NumPy's value, or the exception."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            return eval(expression, {"np": np, "a": a, "b": b})
        except Exception as error:
            return error


def with_literal(expression, b):
    """The expression with a literal in the place of b."""
    return re.sub(r"\bb\b", f"({b})", expression)


def compiled(expressions, **options):
    source = f"def f(a, b):\n    return ({', '.join(expressions)},)"
    scope = {"np": np}
    exec(source, scope)
    return njit(**options)(scope["f"])


def raising(expressions, **options):
    """A function of which argument k chooses the expression."""
    lines = [f"    if k == {k}:\n        return np.size({e})" for k, e in enumerate(expressions)]
    scope = {"np": np}
    exec("def f(a, b, k):\n" + "\n".join(lines) + "\n    return 0", scope)
    return njit(**options)(scope["f"])


def check_value(actual, expected, where):
    if isinstance(expected, np.generic) and not isinstance(actual, np.ndarray):
        expected = expected.item()  # scalars are Python's in results of compiled functions
    single = np.asarray(expected).dtype.char in "efF"
    if np.asarray(expected).dtype == np.float16:
        expected = np.asarray(expected, np.float32)  # numjit has no float16
        single = "half"
    check_same(actual, expected, 1e-2 if single == "half" else 1e-5 if single else 1e-13, where)


def check_against_numpy(dtype, expressions, b, literal=None, numpy_b=None):
    """All expressions of an array of a dtype and b: values, dtypes and errors are NumPy's."""
    a = elements(dtype)
    beside = eval(literal) if literal else b if numpy_b is None else numpy_b
    texts = [with_literal(e, literal) if literal else e for e in expressions]
    where = f"{dtype} beside {literal or repr(b)}"
    outcomes = [(text, expected_of(e, a, beside)) for text, e in zip(texts, expressions)]
    good = [(text, value) for text, value in outcomes if not isinstance(value, Exception)]
    results = compiled([text for text, _ in good])(a, b)
    for (text, expected), actual in zip(good, results):
        check_value(actual, expected, f"{where}: {text}")
    raised = [(t, x) for t, x in outcomes if isinstance(x, (OverflowError, ValueError))]
    f = raising([text for text, _ in raised])
    for k, (text, error) in enumerate(raised):
        try:
            f(a, b, k)
        except type(error) as actual:
            assert str(actual) == str(error), f"{where}: {text}: {actual}, not {error}"
        else:
            raise AssertionError(f"{where}: {text} does not raise {error!r}")
    for text, error in outcomes:
        if isinstance(error, TypeError):
            try:
                compiled([text])(a, b)
            except NumbaError:
                continue
            raise AssertionError(f"{where}: {text} is compiled, NumPy says {error}")
