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
    for literal in LITERALS if dtype in ("bool", "uint8", "float32") else FEW:
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


#: Statements that store a number into `a`, of one dimension, or that make an array or a scalar of
#: its type. {k}: the literal.
STORES = """
a[0] = {k};a[-1] = {k};a[:] = {k};a[:1] = ({k},);a[:] = [1, {k}];a[[0]] = [{k}];a[a > 0] = {k}
a[a > 0] = [{k}, 1];a[0] += {k};a[1] -= {k};a[0] *= {k};a[0] //= {k};a[0] %= {k};a[0] &= {k}
a[0] |= {k};a[0] ^= {k};a += {k};a.fill({k});a.put(0, {k});a.put([0], [{k}]);np.put(a, 0, {k})
np.put(a, [0, 1], [{k}, 1]);np.put(a, 0, v={k}, mode="clip");np.place(a, a > 0, {k})
np.place(a, a > 0, [{k}, 1]);np.putmask(a, a > 0, {k});np.putmask(a, a > 0, [1, {k}])
np.copyto(a, {k});np.fill_diagonal(a.reshape(1, 2), {k});np.fill_diagonal(a.reshape(1, 2), [{k}])
np.put_along_axis(a, np.array([0]), {k}, 0);a = np.insert(a, 0, {k});a = np.insert(a, 0, [{k}])
a = np.insert(a, [0, 1], {k});a = np.array([{k}, 1], a.dtype)
a = np.array([[1, {k}]], dtype=a.dtype)
a = np.array({k}, a.dtype);a = np.asarray([{k}], a.dtype);a = np.array(({k}, 1), a.dtype)
a = np.full(2, {k}, a.dtype);a = np.full_like(a, {k});a = np.full(2, [{k}, 1], a.dtype)
a = np.ascontiguousarray([1, {k}], a.dtype)
"""
STORES = [s for line in STORES.split("\n") for s in line.split(";") if s]


def storing(statement, literal):
    scope = {"np": np}
    exec(f"def f(a):\n    {statement.format(k=literal)}\n    return a", scope)
    return scope["f"]


@pytest.mark.parametrize("statement", STORES)
def test_literals_that_are_stored(statement):
    for dtype, literal in (("uint8", "3"), ("uint8", "-1"), ("int16", "40000")):
        f = storing(statement, literal)
        a, b = np.array([5, 100], dtype), np.array([5, 100], dtype)
        try:
            expected = f(a)
        except OverflowError as error:
            with pytest.raises(OverflowError, match=str(error)):
                njit(f)(b)
        else:
            check_same(njit(f)(b), expected)


def test_literals_are_stored_as_numba_does():
    u = np.array([5, 200], np.uint8)
    for statement, first in (
        ("a[0] += 300", 49),
        ("np.put(a, 0, 300)", 44),
        ("a[:] = [300, 1]", 44),
    ):
        assert njit(promotion="numba")(storing(statement, 0))(u.copy()) is not None
        f = njit(promotion="numba")(storing(statement.replace("{k}", "300"), 300))
        assert f(u.copy())[0] == first

    @njit(promotion="numba")
    def scalars():
        return np.uint8(300), np.int8(-129), np.uint64(-1)

    assert scalars() == (44, 127, 2**64 - 1)


def test_scalars_made_of_literals_that_do_not_fit():
    for dtype, literal in (
        ("uint8", "300"),
        ("uint8", "-1"),
        ("int8", "128"),
        ("int16", "-32769"),
        ("uint32", "2**32"),
        ("int32", "2147483648"),
        ("uint64", "-1"),
        ("int64", "9223372036854775808"),
    ):
        f = storing(f"return np.{dtype}({{k}})", literal)
        with pytest.raises(OverflowError):
            f(None)
        with pytest.raises(OverflowError):
            njit(f)(0)
    for expression in ("np.uint8(255)", "np.uint64(18446744073709551615)", "np.int8(-128)"):
        f = storing("return {k}", expression)
        assert njit(f)(0) == f(0)

    @njit
    def run_time(n):  # NumPy wraps its own scalars
        return np.uint8(n), np.array([n], np.uint8)[0]

    assert run_time(300) == (44, 44)


def test_errors_of_stored_literals_are_caught():
    @njit
    def f(a):
        try:
            a[0] += 300
        except OverflowError:
            return 1
        return 0

    assert f(np.zeros(1, np.uint8)) == 1
    assert f(np.zeros(1, np.int16)) == 0


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
    """Beside arrays of every other dtype, beside scalars of the rest."""
    characters = dict(zip(promotion.CODES.values(), DTYPES))
    first = (DTYPES.index(dtype) + (kind == "scalar")) % 2
    for position, other in list(enumerate(DTYPES))[first::2]:
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
