"""The modules math and cmath in full."""

import cmath
import math

import numpy as np
import pytest
from language.support import check_same, compiled
from numjit import njit

# name: arguments inside the domain
UNARY = {
    **dict.fromkeys(
        "atan asinh sinh cosh tanh sin cos tan exp expm1 erf erfc degrees radians fabs "
        "isnan isinf isfinite cbrt exp2 ulp".split(),
        (0.0, -0.0, 0.5, -0.75, 1.0, 2.5, -9.25),
    ),
    **dict.fromkeys("acos asin".split(), (0.0, -0.5, 1.0, -1.0)),
    **dict.fromkeys("sqrt".split(), (0.0, 0.25, 1.0, 2.0, 1e300)),
    **dict.fromkeys("log log2 log10".split(), (0.125, 1.0, 2.0, 10.0, 1e300)),
    "log1p": (0.0, -0.5, 3.0),
    "acosh": (1.0, 1.5, 100.0),
    "atanh": (0.0, 0.5, -0.99),
    "gamma": (0.5, 1.0, 4.5, -1.5),
    "lgamma": (0.5, 1.0, 4.5, -1.5, 100.0),
    **dict.fromkeys("floor ceil trunc".split(), (0.0, 0.5, -0.5, 2.0, -7.75, 1e15)),
}
INFINITIES = "atan tanh erf erfc exp fabs isnan isinf isfinite asinh sinh cosh expm1".split()
BINARY = {
    "atan2": [(0.0, -0.0), (1.0, -2.0), (-0.0, -1.0), (math.inf, 1.0)],
    "copysign": [(1.5, -0.0), (-2.0, 3.0), (0.0, -1.0)],
    "fmod": [(7.5, 2.0), (-7.5, 2.0), (7.5, -2.0), (5.0, math.inf)],
    "hypot": [(3.0, 4.0), (-1e200, 1e200), (math.inf, math.nan)],
    "pow": [(2.0, 0.5), (0.0, 0.0), (-2.0, 3.0), (1.0, math.nan)],
    "nextafter": [(0.0, 1.0), (1.0, -math.inf), (2.0, 2.0)],
    "remainder": [(7.5, 2.0), (-7.5, 2.0), (5.0, 3.0)],
}
INTEGER_BINARY = {
    "gcd": [(12, 18), (0, 5), (-12, 18), (0, 0), (17, 13)],
    "lcm": [(4, 6), (0, 5), (-4, 6)],
}


def caller(module, name, arity):
    f = getattr(module, name)
    return (lambda x: f(x)) if arity == 1 else (lambda x, y: f(x, y))


@pytest.mark.parametrize("name", UNARY)
def test_unary(name):
    f = getattr(math, name)
    g = njit(caller(math, name, 1))
    values = UNARY[name] + ((math.inf, -math.inf, math.nan) if name in INFINITIES else ())
    for x in values:
        check_same(g(x), f(x), 1e-15 * (8 if "gamma" in name else 2), f"{name}({x})")
    integer = int(values[-1] if math.isfinite(values[-1]) else 1)
    if abs(integer) < 1e6 and name not in ("gamma", "lgamma"):
        check_same(g(integer), f(integer), 1e-15, f"{name}({integer})")


SINGLES = "sqrt sin exp log atan floor fabs isnan gamma".split()


@pytest.mark.parametrize("name", SINGLES)
def test_single_precision(name):
    g = njit(caller(math, name, 1))
    for x in (0.5, 1.25, 4.0):
        check_same(g(np.float32(x)), getattr(math, name)(x), 1e-6, f"{name}({x})")
    if name not in ("floor", "isnan"):
        assert str(g.nopython_signatures[0].return_type) == "float32"


@pytest.mark.parametrize("name", BINARY)
def test_binary(name):
    if not hasattr(math, name):
        pytest.skip(f"this Python has no math.{name}")
    g = njit(caller(math, name, 2))
    for x, y in BINARY[name]:
        check_same(g(x, y), getattr(math, name)(x, y), 1e-15, f"{name}({x}, {y})")


@pytest.mark.parametrize("name", INTEGER_BINARY)
def test_integer_binary(name):
    g = njit(caller(math, name, 2))
    for x, y in INTEGER_BINARY[name]:
        check_same(g(x, y), getattr(math, name)(x, y), where=f"{name}({x}, {y})")


def test_parts():
    def f(x):
        m, e = math.frexp(x)
        return m, e, math.ldexp(m, e), math.modf(x)

    for x in (0.0, -0.0, 1.0, 0.3, -1234.5, 1e-310, 1e300):
        check_same(compiled(f)(x), f(x), where=str(x))


def test_parts_of_infinities():
    def f(x):
        return math.modf(x), math.frexp(x)[0]

    for x in (math.inf, -math.inf, math.nan):
        check_same(compiled(f)(x), f(x), where=str(x))


def test_ldexp():
    def f(x, e):
        return math.ldexp(x, e)

    for x, e in ((1.0, 10), (0.5, -3), (-0.0, 5), (3.0, -1080), (1.5, 1000)):
        check_same(compiled(f)(x, e), math.ldexp(x, e))


def test_log_with_base():
    def f(x, base):
        return math.log(x, base), math.log(x)

    for x, base in ((8.0, 2.0), (100.0, 10), (0.5, 3.0), (9, 3)):
        check_same(compiled(f)(x, base), f(x, base), 1e-15)


def test_whole_number_functions():
    def f(n, k):
        return math.factorial(n), math.isqrt(n), math.comb(n, k), math.perm(n, k)

    for n, k in ((0, 0), (1, 1), (5, 2), (20, 10), (7, 9)):
        check_same(compiled(f)(n, k), f(n, k))


@pytest.mark.parametrize("function", [math.comb, math.perm], ids=["comb", "perm"])
def test_results_that_fit(function):
    f = njit(lambda n, k: function(n, k))
    pairs = [(n, k) for n in (0, 1, 20, 21, 61, 62, 66, 67, 70) for k in range(n + 2)]
    for n, k in [*pairs, (2**62, 1), (10**9, 2), (2**63 - 1, 2)]:
        expected = function(n, k)
        if expected < 2**63:
            check_same(f(n, k), expected)
        else:
            with pytest.raises(OverflowError):
                f(n, k)


def test_errors_of_whole_number_functions():
    f = njit(lambda n: math.factorial(n))
    g = njit(lambda n: math.isqrt(n))
    for h in (f, g):
        with pytest.raises(ValueError):
            h(-1)


def test_isclose():
    def f(a, b):
        return math.isclose(a, b), math.isclose(a, b, rel_tol=0.1), math.isclose(a, b, abs_tol=1.0)

    for a, b in ((1.0, 1.0 + 1e-10), (1.0, 1.05), (0.0, 0.5), (math.inf, math.inf)):
        check_same(compiled(f)(a, b), f(a, b))
    check_same(compiled(f)(math.nan, math.nan), f(math.nan, math.nan))


def test_sums():
    def f(a):
        return math.fsum(a), math.prod(a)

    for a in ((0.1, 0.2, 0.3), (1.0, 1e100, 1.0, -1e100), (2.0,)):
        check_same(compiled(f)(a), f(a), 1e-15)
    check_same(njit(lambda a: math.prod(a))([2, 3, 4]), 24)


def test_distances():
    def f(p, q):
        return math.dist(p, q), math.hypot(p[0], p[1])

    check_same(compiled(f)((1.0, 2.0), (4.0, 6.0)), f((1.0, 2.0), (4.0, 6.0)), 1e-15)


# -- cmath ----------------------------------------------------------------------------------------

COMPLEX_UNARY = (
    "acos acosh asin asinh atan atanh cos cosh exp log log10 sin sinh sqrt tan tanh".split()
)
POINTS = [0.5 + 0.25j, -0.5 + 2j, 3 - 4j, -1.5 - 0.5j, complex(0.25, -0.0), complex(2.0, 0.0)]


@pytest.mark.parametrize("name", COMPLEX_UNARY)
def test_complex(name):
    f, g = getattr(cmath, name), njit(caller(cmath, name, 1))
    for z in POINTS:
        check_same(g(z), f(z), 4e-15, f"{name}({z})")
    check_same(g(np.complex64(0.5 + 0.25j)), f(0.5 + 0.25j), 1e-6)
    check_same(g(0.5), f(0.5), 1e-15)


def test_complex_at_infinities():
    def f(z):
        return cmath.isnan(z), cmath.isinf(z), cmath.isfinite(z), cmath.phase(z), abs(z)

    for re in (0.0, -0.0, 1.0, -math.inf, math.nan):
        for im in (0.0, -0.0, -1.0, math.inf):
            check_same(compiled(f)(complex(re, im)), f(complex(re, im)), 1e-15, f"{re}, {im}")


#: The values of CPython's tables of special values (Modules/cmathmodule.c), and some between.
SPECIAL = (-math.inf, -1e308, -2.3, -1.0, -0.5, -5e-324, -0.0, 0.0, 1e-170, 0.5, 1.0, 2.3, 709.8)
SPECIAL += (1e160, math.inf, math.nan)
#: Where C leaves the sign of a result open, or says since 2011 what CPython's tables do not.
OPEN = {
    "acos": [(math.inf, math.nan), (-math.inf, math.nan)],
    "asin": [(math.inf, math.nan), (-math.inf, math.nan)],
    "acosh": [(0.0, math.nan)],
    "atan": [(math.inf, math.nan), (-math.inf, math.nan)],
    "sin": [(math.nan, math.inf), (math.nan, -math.inf)],
    "tan": [(math.nan, 0.0)],
    "tanh": [(0.0, math.nan)],
}


def outcome(f, *args):
    """What CPython gives; None where it raises, for there compiled code has an infinity or NaN."""
    try:
        return f(*args)
    except (ValueError, OverflowError):
        return None


def check_special(got, expected, what):
    """Zeros and infinities with their signs; a subnormal result may be a zero."""
    for g, e in zip((got.real, got.imag), (expected.real, expected.imag)):
        if e == e and (math.isinf(e) or abs(e) < 1e-300):
            assert abs(g - e) < 1e-300 if abs(e) < 1e-300 else g == e, (what, got, expected)
            assert math.copysign(1, g) == math.copysign(1, e), (what, got, expected)
        else:
            assert g == pytest.approx(e, rel=1e-13, nan_ok=True), (what, got, expected)


@pytest.mark.parametrize("name", [*COMPLEX_UNARY, "phase"])
def test_complex_special_values(name):
    f, g = getattr(cmath, name), njit(caller(cmath, name, 1))
    is_open = [tuple(map(str, place)) for place in OPEN.get(name, ())]
    compared = 0
    for re in SPECIAL:
        for im in SPECIAL:
            expected = outcome(f, complex(re, im))
            if expected is None or (str(re + 0.0), str(im + 0.0)) in is_open:
                g(complex(re, im))  # raises nothing
                continue
            check_special(g(complex(re, im)), expected, (name, re, im))
            compared += 1
    assert compared > 130


def test_rect_and_polar_of_special_values():
    for name in ("rect", "polar"):
        f, g = getattr(cmath, name), njit(caller(cmath, name, 2 if name == "rect" else 1))
        for a in SPECIAL:
            for b in SPECIAL:
                args = (a, b) if name == "rect" else (complex(a, b),)
                expected = outcome(f, *args)
                if expected is None:
                    g(*args)
                elif name == "rect":
                    check_special(g(*args), expected, (name, a, b))
                else:
                    for got, part in zip(g(*args), expected):
                        check_special(got, part, (name, a, b))


def test_polar_and_rect():
    def f(z):
        r, phi = cmath.polar(z)
        return r, phi, cmath.rect(r, phi)

    for z in POINTS:
        check_same(compiled(f)(z), f(z), 4e-15)


def test_complex_log_with_base():
    def f(z, base):
        return cmath.log(z, base), cmath.log(z)

    check_same(compiled(f)(3 - 4j, 2.0), f(3 - 4j, 2.0), 1e-15)


def test_complex_isclose():
    def f(a, b):
        return cmath.isclose(a, b), cmath.isclose(a, b, rel_tol=0.1)

    for b in (1 + 1j, 1 + 1.05j, 2j):
        check_same(compiled(f)(1 + 1j, b), f(1 + 1j, b))


def test_complex_constants():
    def f():
        return cmath.pi, cmath.e, cmath.tau, cmath.inf, cmath.infj, cmath.nan, cmath.nanj

    check_same(compiled(f)(), f())


def test_functions_are_values():
    def apply(f, x):
        return f(x)

    def f(x):
        g = math.sin
        return g(x), apply_compiled(math.cos, x)

    apply_compiled = njit(apply)
    check_same(njit(f)(0.5), (math.sin(0.5), math.cos(0.5)), 1e-15)


def test_every_name_is_tested():
    tested = {*UNARY, *BINARY, *INTEGER_BINARY} | set(
        "frexp ldexp modf factorial isqrt comb perm isclose fsum prod dist hypot "
        "pi e tau inf nan".split()
    )
    later = {"fma", "sumprod"}  # of newer Pythons
    assert {n for n in dir(math) if n[0] != "_"} - tested <= later
    tested = set(COMPLEX_UNARY) | set(
        "isnan isinf isfinite phase polar rect isclose pi e tau inf infj nan nanj".split()
    )
    assert {n for n in dir(cmath) if n[0] != "_"} <= tested
