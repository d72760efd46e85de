"""Result types and values of every operator over every pair of scalar types."""

import operator
from pathlib import Path

import numpy as np
import pytest
from language.support import check_same, compiled, result_type
from numjit import njit, types

CHARACTERS = "?bhilBHILfdFD"
TYPES = {c: np.dtype(c).type for c in CHARACTERS}
# Values that every type of a kind can hold, one for each side.
VALUES = {
    "?": (True, True),
    **dict.fromkeys("bhil", (-7, 3)),
    **dict.fromkeys("BHIL", (200, 3)),
    **dict.fromkeys("fd", (-7.5, 2.25)),
    **dict.fromkeys("FD", (1.5 - 2.5j, 0.5 + 2j)),
}


def read_table():
    binary, unary = {}, {}
    section = binary
    text = Path(__file__).with_name("data").joinpath("scalar_types.txt").read_text()
    for line in text.splitlines():
        if line.startswith("#"):
            continue
        name, *words = line.split()
        if name == "unary":
            section = unary
        elif section is binary:
            section[name] = {a: dict(zip(CHARACTERS, w)) for a, w in zip(CHARACTERS, words)}
        else:
            section[name] = dict(zip(CHARACTERS, words[0]))
    return binary, unary


BINARY, UNARY = read_table()
NUMBA_NAME = {c: str(getattr(types, np.dtype(c).name if c != "?" else "boolean")) for c in TYPES}


def all_numbers(a, b):
    return a + b, a - b, a * b, a / b, a**b, a == b, a != b


def reals(a, b):
    return (
        a + b, a - b, a * b, a / b, a**b, a == b, a != b,
        a // b, a % b, a < b, a <= b, a > b, a >= b, min(a, b), max(a, b),
    )  # fmt: skip


def integers(a, b):
    return (
        a + b, a - b, a * b, a / b, a**b, a == b, a != b,
        a // b, a % b, a < b, a <= b, a > b, a >= b, min(a, b), max(a, b),
        a << b, a >> b, a & b, a | b, a ^ b,
    )  # fmt: skip


NAMES = (
    "add sub mul truediv pow eq ne floordiv mod lt le gt ge min max lshift rshift and or xor"
).split()
FUNCTIONS = {"min": min, "max": max, "and": operator.and_, "or": operator.or_}


def body_for(left, right):
    if "F" in left + right or "D" in left + right:
        return all_numbers
    return reals if set(left + right) & set("fd") else integers


def expected_value(name, result, a, b):
    """The operation in Python, on operands of the result's type."""
    f = FUNCTIONS.get(name) or getattr(operator, name)
    if name in ("lt", "le", "gt", "ge", "eq", "ne"):
        return f(a.item(), b.item())
    if name in ("min", "max"):
        return TYPES[result](f(a.item(), b.item()))
    if result in "lL":
        value = f(int(a), int(b)) & (2**64 - 1)
        return value - 2**64 if result == "l" and value >= 2**63 else value
    kind = TYPES[result]
    return kind(f(kind(a), kind(b)))


@pytest.mark.parametrize("left", CHARACTERS)
def test_binary_operators(left):
    for right in CHARACTERS:
        body = body_for(left, right)
        a, b = TYPES[left](VALUES[left][0]), TYPES[right](VALUES[right][1])
        with np.errstate(all="ignore"):
            actual = compiled(body)(a, b)
        signature = compiled(body).nopython_signatures[-1].return_type
        for i, (value, kind) in enumerate(zip(actual, signature)):
            name = NAMES[i]
            result = BINARY[name][left][right]
            where = f"{left} {name} {right}"
            assert str(kind) == NUMBA_NAME[result], f"{where}: {kind}, not {NUMBA_NAME[result]}"
            with np.errstate(all="ignore"):
                expected = expected_value(name, result, a, b)
            check_same(value, expected, 1e-6 if result in "fF" else 1e-14, where)


@pytest.mark.parametrize("name", NAMES)
def test_operators_that_do_not_exist(name):
    for left, right in ("DD", "dl", "lF"):
        if BINARY[name][left][right] == "-":
            break
    else:
        return
    f = FUNCTIONS.get(name) or getattr(operator, name)
    from numjit.errors import TypingError

    with pytest.raises(TypingError):
        njit(lambda a, b: f(a, b))(TYPES[left](1), TYPES[right](1))


def all_unary(a):
    return -a, +a, not a, abs(a), complex(a), bool(a)


def real_unary(a):
    return -a, +a, not a, abs(a), complex(a), bool(a), round(a), int(a), float(a)


def integer_unary(a):
    return -a, +a, not a, abs(a), complex(a), bool(a), round(a), int(a), float(a), ~a


UNARY_NAMES = "neg pos not abs complex bool round int float invert".split()


@pytest.mark.filterwarnings("ignore:Bitwise inversion")
@pytest.mark.parametrize("kind", CHARACTERS)
def test_unary_operators(kind):
    body = all_unary if kind in "FD" else real_unary if kind in "fd" else integer_unary
    a = VALUES[kind][0]
    actual = compiled(body)(TYPES[kind](a))
    expected = list(body(a))
    if kind in "BHIL":  # -a and ~a wrap
        expected[0] %= 2 ** (8 * np.dtype(kind).itemsize)
        expected[-1] %= 2 ** (8 * np.dtype(kind).itemsize)
    if kind == "?":
        expected[-1] = False
    check_same(actual, tuple(expected), 1e-7)
    for name, got in zip(UNARY_NAMES, compiled(body).nopython_signatures[-1].return_type):
        want = NUMBA_NAME[UNARY[name][kind]]
        assert str(got) == want, f"{name} {kind}: {got}, not {want}"


def accumulate(a, b, n):
    total = a
    for i in range(n):
        total += b
    return total


@pytest.mark.parametrize(
    "a, b, kind",
    [("b", "b", "int64"), ("B", "b", "int64"), ("B", "B", "uint64"), ("l", "d", "float64"),
     ("f", "f", "float32"), ("f", "l", "float64"), ("l", "L", "int64"), ("d", "F", "complex128")],
)  # fmt: skip
def test_variables_take_the_wider_type(a, b, kind):
    x, y = TYPES[a](1), TYPES[b](2)
    assert compiled(accumulate)(x, y, 3) == 7
    assert result_type(accumulate) == kind


def select(c, a, b):
    if c:
        x = a
    else:
        x = b
    return x


def test_unification_follows_promotion():
    for left in CHARACTERS:
        for right in "?bBlLfF":
            a, b = TYPES[left](1), TYPES[right](1)
            assert compiled(select)(True, a, b) == compiled(select)(False, a, b) == 1
            want = NUMBA_NAME[np.promote_types(left, right).char.replace("q", "l")]
            assert result_type(select) == want, (left, right)
