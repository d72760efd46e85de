"""Types, values and errors of literals, scalars and arrays beside arrays (promotion.py)."""

import os
import subprocess
import sys

import numpy as np
import pytest
from language.support import check_same
from numjit import config, njit
from numjit.errors import TypingError

from . import promotion
from .promotion import DTYPES, EXPRESSIONS, LITERALS, MORE, OPERATIONS, SCALARS, elements

BINARY = list(OPERATIONS.values())
ALL = BINARY + list(MORE.values())
#: Two literals that fit most dtypes and two that do not fit small ones; all of them for some.
FEW = ["2", "256", "100000", "2.5"]


def comparable(dtype, literal):
    """What NumPy does with literals beyond int64 beside what they need not fit depends on the
    operation; float16, which 8-bit integers go to, does not hold large ones."""
    left_out = set()
    if literal == "9223372036854775808":
        left_out |= {"np.logical_and(a, b)"} | (
            {"a < b", "a == b", "b > a"} if dtype == "bool" else set()
        )
    if dtype in ("bool", "int8", "uint8") and abs(eval(literal)) > 2048:
        left_out.add("np.arctan2(a, b)")
    return [e for e in ALL if e not in left_out]


@pytest.mark.parametrize("dtype", DTYPES)
def test_literals_are_as_in_numpy(dtype):
    for literal in LITERALS if dtype in ("bool", "uint8", "int16", "float32") else FEW:
        promotion.check_against_numpy(dtype, comparable(dtype, literal), 0, literal)


@pytest.mark.parametrize("dtype", ["bool", "uint8", "int64", "float32", "complex64"])
def test_run_time_scalars_count_with_their_type(dtype):
    for name, value in SCALARS.items():
        is_weak = name == "int64" and np.dtype(dtype).kind in "fc"
        scalar = np.dtype(name).type(value)
        promotion.check_against_numpy(dtype, ALL, scalar, None, value if is_weak else None)


@pytest.mark.parametrize("dtype", ["uint8", "float32"])
def test_arrays_of_no_dimensions_count_as_arrays(dtype):
    for other in DTYPES:
        promotion.check_against_numpy(dtype, BINARY, elements(other)[1:2].reshape(()))


def test_literals_beside_arrays_of_no_dimensions_and_empty_ones():
    def compare(a):
        return a < 300, a == 300, a > -1, a != 2.5

    def arithmetic(a, k):
        return a + 300 if k else 300 // a

    for a in (np.array(5, np.uint8), np.zeros(0, np.uint8)):
        check_same(njit(compare)(a), tuple(np.asarray(x)[()] if a.ndim else bool(x)
                                           for x in compare(a)))  # fmt: skip
        for k in (0, 1):
            with pytest.raises(OverflowError, match="Python integer 300 out of bounds for uint8"):
                njit(arithmetic)(a, k)


def test_errors_are_raised_where_they_are_written():
    @njit
    def f(a, store):
        steps = 0
        try:
            steps += 1
            if store:
                a[0] = 300
            else:
                a = a + 300
            steps += 10
        except OverflowError:
            steps += 100
        return steps

    a = np.zeros(2, np.uint8)
    assert f(a, True) == f(a, False) == 101 and not a.any()


def test_stores_of_literals():
    def item(a):
        a[0] = 300

    def part(a):
        a[:] = -1

    def fill(a):
        a.fill(300)

    def full(a):
        return np.full_like(a, 300)

    def inplace(a):
        a += 300

    def smallest(a):
        return np.min(a, initial=300)

    a = np.array([1, 2], np.uint8)
    for f in (item, part, fill, full, inplace, smallest):
        with pytest.raises(OverflowError, match="out of bounds for uint8"):
            njit(f)(a)
    assert a.tolist() == [1, 2]
    njit(promotion="numba")(item)(a)
    assert a.tolist() == [44, 2]


def test_inplace_results_that_numpy_does_not_store():
    def scale(a):
        a *= 2.5

    def divide(a):
        a /= 2

    for f in (scale, divide):
        with pytest.raises(TypingError, match="with casting rule 'same_kind'"):
            njit(f)(np.array([1, 2]))


def test_integers_to_negative_powers():
    def f(a, n):
        return a**n

    a = np.array([1, 2], np.int16)
    for n in (-1, np.array([1, -1], np.int16)):
        with pytest.raises(ValueError, match="Integers to negative integer powers"):
            njit(f)(a, n)
    assert njit(f)(a[:0], -1).size == 0
    assert njit(promotion="numba")(f)(a, -1).tolist() == [1, 0]


def test_typed_constants_are_no_literals():
    def f(u, f4):
        return u + np.int64(3), f4 * np.float64(2), np.int64(3) * 2 + u

    u, f4 = np.array([1, 2], np.uint8), np.ones(2, np.float32)
    check_same(njit(f)(u, f4), f(u, f4))


def test_bounds_of_clip_need_not_fit():
    def f(u):
        return np.clip(u, 0, 300), u.clip(-5, 100), np.clip(u, -5, 300)

    u = np.array([5, 200], np.uint8)
    check_same(njit(f)(u), f(u))


# -- Numba's promotion -----------------------------------------------------------------------------

RECORDED = promotion.recorded()


@pytest.mark.parametrize("kind", ["array", "scalar"])
@pytest.mark.parametrize("dtype", ["bool", "uint8", "int64", "float32", "complex64"])
def test_numba_types(dtype, kind):
    characters = dict(zip(promotion.CODES.values(), DTYPES))
    for position, other in enumerate(DTYPES):
        rows = {n: RECORDED["types"][n][kind][DTYPES.index(dtype)][position] for n in OPERATIONS}
        # What Numba refuses (the difference of bools) need not be refused.
        known = {name: code for name, code in rows.items() if code != "-"}
        b = elements(other)
        texts = [OPERATIONS[name] for name in known]
        f = promotion.compiled(texts, promotion="numba")
        results = f(elements(dtype), b if kind == "array" else b[1])
        for (name, code), result in zip(known.items(), results):
            where = f"{dtype} {name} {other} ({kind})"
            assert str(result.dtype) == characters[code], where


@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_numba_values(expression):
    scope = {"np": np}
    exec(f"def f(u, i2, f4, b, i8, u8, c8, z, n, x):\n    return {expression}", scope)
    f = njit(promotion="numba")(scope["f"])
    assert promotion.shown(f(*promotion.arguments())) == RECORDED["values"][expression]


def test_named_values_have_their_dtype():
    """As in Numba, only operators of one expression are computed as scalars."""

    @njit(promotion="numba")
    def f(u):
        s = u + u
        return s / 2, (u + u) / 2

    named, written = f(np.array([5, 200], np.uint8))
    assert named.tolist() == [5.0, 72.0] and written.tolist() == [5.0, 200.0]


def test_callees_take_over_the_promotion():
    @njit
    def plain(u):
        return u * 2

    @njit(promotion="numpy")
    def own(u):
        return u * 2

    @njit(promotion="numba")
    def f(u):
        return plain(u), own(u)

    u = np.array([200], np.uint8)
    assert [x.dtype for x in f(u)] == [np.int64, np.uint8]
    assert plain(u).dtype == np.uint8


def test_setting_and_name(monkeypatch):
    u = np.array([200], np.uint8)

    def f(u):
        return u * 2

    monkeypatch.setattr(config, "PROMOTION", "numba")
    assert njit(f)(u).dtype == np.int64
    assert njit(promotion="numpy")(f)(u).dtype == np.uint8
    monkeypatch.setattr(config, "PROMOTION", None)
    monkeypatch.setitem(sys.modules, "numba", sys.modules["numjit"])
    assert config.promotion() == "numba"


def test_environment():
    program = "import numjit; print(numjit.config.promotion())"
    for name in ("NUMJIT_PROMOTION", "NUMBA_PROMOTION"):
        done = subprocess.run([sys.executable, "-c", program], env={**os.environ, name: "numba"},
                              capture_output=True, text=True, check=True)  # fmt: skip
        assert done.stdout == "numba\n"
