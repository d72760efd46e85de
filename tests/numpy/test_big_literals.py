"""Ints beyond 64 bits: they compare exactly, are floats beside floats, and fit no integer."""

import math

import numpy as np
import pytest
from numjit import njit
from numjit.errors import NumbaError, TypingError

BIG = 2**70
LITERALS = ["2**64", "-2**63 - 1", "2**70", "-2**70", "10**30", "2**70 - 1", "BIG"]
INTEGERS = ["int8", "uint8", "int16", "uint32", "int64", "uint64"]
NUMBERS = [*INTEGERS, "bool", "float32", "float64", "complex64", "complex128"]


def outcome(function, *arguments):
    try:
        return function(*arguments)
    except OverflowError as error:
        return str(error)


def alike(a, b):
    if isinstance(b, np.ndarray):
        close = np.allclose if b.dtype.kind == "c" else np.array_equal  # the last bit of quotients
        return isinstance(a, np.ndarray) and a.dtype == b.dtype and close(a, b)
    return type(a) is type(b) and a == b


def program(text):
    return eval(f"lambda u: {text}", {"np": np, "BIG": BIG})


@pytest.mark.parametrize("dtype", NUMBERS)
@pytest.mark.parametrize("literal", LITERALS)
def test_big_literals_beside_arrays(dtype, literal):
    u = np.array([1, 100], dtype)
    operations = ["+", "-", "*", "/", "==", "!="]
    if "complex" not in dtype:
        operations += ["<", "<=", ">", ">="]
    for operation in operations:
        for text in (f"u {operation} ({literal})", f"({literal}) {operation} u"):
            function = program(text)
            with np.errstate(all="ignore"):
                wanted = outcome(function, u)
            assert alike(outcome(njit(function), u), wanted), text


@pytest.mark.parametrize("dtype", INTEGERS)
@pytest.mark.parametrize(
    "text",
    [
        "u.fill({})",
        "np.full_like(u, {})",
        "np.maximum(u, {})",
        "np.where(u < 3, u, {})",
        "np.clip(u, 0, {})",
        "u & {}",
        "u // {}",
        "np.array({}, u.dtype)",
        "np.full(3, {}, u.dtype)",
    ],
)
def test_big_literals_that_are_stored(dtype, text):
    for literal in ("2**70", "-(2**70)"):
        function = program(text.format(literal))
        wanted = outcome(function, np.array([1, 100], dtype))
        assert alike(outcome(njit(function), np.array([1, 100], dtype)), wanted)


def test_big_literals_beside_numbers():
    for text in ("u * 2**70", "2**70 / u", "u < 2**70", "u == 2**70", "u + 10**30", "-2**70 < u"):
        function = program(text)
        for u in (1.5, -3.0, 2.0**70, np.float32(2)):
            assert njit(function)(u) == function(float(u)), text
    for text in ("u < 2**70", "u == 2**70", "2**70 >= u", "u / 2**70", "-(2**70) > u"):
        function = program(text)
        for u in (1, -(2**63), 2**63 - 1, 2**64 - 1, True):
            assert njit(function)(u) == function(u), text
    assert njit(lambda: 2**70)() == 2**70
    assert njit(lambda: float(2**70))() == float(2**70)


def test_big_literals_that_have_no_type():
    for text in ("u + 2**70", "2**70 if u else u", "np.array([2**70, 1], np.uint8)"):
        with pytest.raises(NumbaError, match="1180591620717411303424"):
            njit(program(text))(3)
    with pytest.raises(TypingError, match="ints have 64 bits"):
        njit(program("u * 2**70"))(3)


CONSTANTS = """BIG // 2**60
BIG % 7
-BIG
~BIG
+BIG
(2**70 - 1) >> 60
BIG & 0xFF
2**70 == BIG
2**70 < 2**71
2**200
1 << 200
pow(2, 70)
(A * B) & 0xFFFFFFFFFFFFFFFF
BIG ** 2 // BIG
2**70 - 2**70
divmod(2**70, 3)
int(2**70)
round(2**70)
complex(2**70)
bool(BIG)
not BIG
str(BIG)
f"{BIG}"
repr(-BIG)
isinstance(BIG, int)
type(BIG) is int
BIG is None
(u, 2**70)
[2**70]
{"a": 2**70}["a"]
PAIR[0] > u
u in (3, 2**70)
2**70 in [1, u]
None == 2**70
"a" == 2**70
[1, 2, 3][: 2**70]
[1, 2, 3][-(2**70) : 2**70]
(1, 2, 3)[:BIG]
"abc"[:BIG]
list(range(0, u, 2**70))
list(range(u, -(2**70), -(2**62)))[:2]
list(range(2**70, u))
max(u, 1.5) < 2**70
math.sqrt(2**70)
math.log(BIG)
2**70 * 1j
u if BIG else 3""".splitlines()


@pytest.mark.parametrize("text", CONSTANTS)
def test_what_is_computed_at_compile_time(text):
    names = {"BIG": BIG, "PAIR": (BIG, 1), "A": 6364136223846793005, "B": 1442695040888963407}
    function = eval(f"lambda u: {text}", {"math": math, **names})
    assert alike(njit(function)(3), function(3))


@pytest.mark.parametrize("symbol", ["<", "<=", "==", "!=", ">=", ">"])
def test_comparisons_with_floats_are_exact(symbol):
    for text in ("2**70 + 1", "2**70", "2**70 - 1", "-(2**70) - 1", "10**23", "2**1100"):
        for order in (f"u {symbol} ({text})", f"({text}) {symbol} u"):
            function = program(order)
            compiled = njit(function)
            for near in (2.0**70, -(2.0**70), 1e23, np.inf, np.nan, 1.5):
                for u in (near, np.nextafter(near, 0), np.nextafter(near, np.inf)):
                    assert compiled(float(u)) == function(float(u)), (order, u)


def test_defaults_and_closures():
    @njit
    def below(u, limit=BIG):
        return u < limit

    bound = -BIG

    @njit
    def above(u):
        return u > bound

    assert njit(lambda u: below(u))(3) is True and above(3) is True
    for arguments in ((3,), (3, BIG)):  # as those that Python passes
        with pytest.raises(OverflowError):
            below(*arguments)


def test_values_that_no_range_has():
    for text in ("list(range(u, 2**70, 2**69))", "list(range(2**70, 2**70 + 3))"):
        with pytest.raises(OverflowError):
            njit(program(text))(3)


def test_floats_that_meet_them():
    def function(u):
        total = 0.5
        for _ in range(3):
            total += 2**70
        big = BIG
        if u > 5:
            big = 1.5
        return total, big

    assert njit(function)(3) == function(3) and njit(function)(8) == function(8)
    assert njit(lambda u: [u, 2**70])(1.5) == [1.5, 2.0**70]
    with pytest.raises(OverflowError, match="int too large to convert to float"):
        njit(lambda u: u * 2**2000)(1.5)
