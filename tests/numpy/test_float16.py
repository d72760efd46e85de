"""float16 on the processor: stored in 16 bits, computed in float32 and rounded, as NumPy does."""

import numpy as np
import pytest
from numjit import float16, float32, jitclass, njit, typed, types, vectorize
from numjit.experimental import structref  # noqa: F401 - records and classes know float16 alike

RNG = np.random.default_rng(5)
EDGES = [0.0, -0.0, 1.0, -2.5, 65504.0, -65504.0, 6e-8, -6e-8, 6.1e-5, np.inf, -np.inf, np.nan]


def halves(n):
    """Any bits: subnormal numbers, infinities and NaNs, too."""
    return RNG.integers(0, 1 << 16, n).astype(np.uint16).view(np.float16)


def function_of(expression, names):
    scope = {"np": np}
    exec(f"def f({names}): return {expression}", scope)
    return scope["f"]


def same(actual, expected, exact=True):
    """Equal; of functions that no two C libraries compute alike, up to the last bit."""
    if isinstance(expected, np.ndarray):
        assert actual.dtype == expected.dtype and actual.shape == expected.shape
    if exact:
        np.testing.assert_array_equal(actual, expected)
        return
    np.testing.assert_allclose(
        np.asarray(actual, "f8"), np.asarray(expected, "f8"), rtol=2e-3, atol=1e-7
    )


OPERATORS = "a + b|a - b|a * b|a / b|a < b|a <= b|a == b|a != b".split("|")
BINARY = "maximum minimum fmax fmin copysign hypot fmod remainder floor_divide heaviside".split()
UNARY = (
    "sqrt square reciprocal sign fabs floor ceil trunc rint isnan isinf isfinite signbit negative "
    "positive absolute conjugate degrees radians"
).split()
#: Where the last bit is that of the C library's function.
FUNCTIONS = (
    "sin cos tan exp exp2 expm1 log log2 log10 log1p cbrt arcsin arctan sinh cosh tanh arcsinh"
).split()


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("expression", OPERATORS + [f"np.{name}(a, b)" for name in BINARY])
def test_two_operands(expression):
    f = function_of(expression, "a, b")
    compiled = njit(f)
    edges = np.array(EDGES, np.float16)
    a, b = (x.ravel() for x in np.meshgrid(edges, edges))
    same(compiled(a, b), f(a, b))
    a, b = halves(3000), halves(3000)
    same(compiled(a, b), f(a, b))
    same(compiled(a[::3], b[2000:]), f(a[::3], b[2000:]))
    same(compiled(a[:0], b[:0]), f(a[:0], b[:0]))
    same(compiled(a.reshape(30, 100).T, b[:30]), f(a.reshape(30, 100).T, b[:30]))


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("name", UNARY + FUNCTIONS)
def test_one_operand(name):
    f = function_of(f"np.{name}(a)", "a")
    a = np.arange(1 << 16).astype(np.uint16).view(np.float16)  # all there are
    same(njit(f)(a), f(a), name in UNARY)


def test_sums_of_floats_and_products_round_once():
    """a * b + c is rounded twice; a float64 made a float16 only once."""
    a, b, c = halves(2000), halves(2000), halves(2000)
    f = function_of("a * b + c", "a, b, c")
    with np.errstate(all="ignore"):
        same(njit(f)(a, b, c), f(a, b, c))
    close = np.array([1 + 2**-11 + 2**-40, 1 + 2**-11 - 2**-40, 2049.0000000001, 65519.99])
    same(njit(lambda x: x.astype(np.float16))(close), close.astype(np.float16))
    scalar = njit(lambda x: np.float16(x))
    for x in close:
        assert scalar(x) == np.float16(x)


DTYPES = [np.dtype(char).type for char in "?bBhHiIlLfdFD"]


@pytest.mark.parametrize("dtype", DTYPES)
def test_promotion(dtype):
    other = np.array([0, 1, 3], dtype)
    a = np.array([1.5, 2.5, -3.0], np.float16)
    for expression in ("a + b", "b * a", "np.maximum(a, b)", "np.where(a > 0, a, b)"):
        f = function_of(expression, "a, b")
        if other.dtype.kind == "c" and "maximum" in expression:
            continue
        same(njit(f)(a, other), f(a, other))


@pytest.mark.parametrize("literal", ["1", "2.5", "True", "1j", "np.float16(2)", "np.float32(2)"])
def test_literals_beside_arrays(literal):
    a = np.array([1.5, 2.5, -3.0], np.float16)
    for expression in (f"a + {literal}", f"{literal} * a", f"a / {literal}"):
        f = function_of(expression, "a")
        same(njit(f)(a), f(a))


@pytest.mark.parametrize("dtype", DTYPES)
def test_casts(dtype):
    a = np.array([0.0, 1.5, -2.75, 100.0, -7.0], np.float16)
    numbers = np.array([0, 1, 3, 7, 100]).astype(dtype)
    with np.errstate(all="ignore"):
        same(njit(lambda a: a.astype(dtype))(abs(a)), abs(a).astype(dtype))
    real = numbers.real
    same(njit(lambda x: x.astype(np.float16))(real), real.astype(np.float16))

    def store(out, x):
        out[:] = x
        out[0] = x[-1]
        return out

    same(njit(store)(np.zeros(5, np.float16), real), store(np.zeros(5, np.float16), real))


METHODS = (
    "a.min()|a.max()|a.argmin()|a.argmax()|np.sort(a)|np.argsort(a)|np.unique(a)|np.cumsum(a)|"
    "np.diff(a)|np.median(a)|np.ptp(a)|np.clip(a, -1, 2)|np.concatenate((a, a))|np.flip(a)|"
    "a.copy()|a.reshape(2, 4)|a.reshape(2, 4).T.copy()|np.where(a > 0, a, 0)|np.isin(a, a[:2])|"
    "np.searchsorted(np.sort(a), a)|np.zeros(3, np.float16)|np.full(3, np.float16(1.5))|"
    "np.ones_like(a)|np.array([1.5, 2.5], dtype=np.float16)|np.outer(a, a)|np.add.outer(a, a)|"
    "a.view(np.uint16)|a.itemsize|a.nbytes|np.finfo(np.float16).max|np.finfo(np.float16).eps|"
    "a.real|a.imag|np.round(a, 1)|np.array_equal(a, a)|a.reshape(2, 4).max(axis=1)|np.any(a)|"
    "np.maximum.reduce(a)|np.repeat(a, 2)|np.roll(a, 2)|a[a > 0]|a[[1, 2]]|np.take(a, [1, 3])"
).split("|")


@pytest.mark.parametrize("expression", METHODS)
def test_functions(expression):
    f = function_of(expression, "a")
    a = np.array([0.1, -2.5, 3.14, 100, 6e-8, 0.3333, -0.0, 1000], np.float16)
    same(njit(f)(a), f(a))


@pytest.mark.parametrize(
    "expression",
    "a.sum()|a.mean()|a.std()|a.var()|a[:8].prod()|np.dot(a, a)|np.average(a)|np.percentile(a, 30)|"
    "np.sum(a * a)|a.reshape(4, -1).sum(axis=0)|a.reshape(4, -1).mean(axis=1)|np.nansum(a)|"
    "a.reshape(4, -1) @ a.reshape(-1, 4)|np.convolve(a, a)|np.trapezoid(a)".split("|"),
)
def test_reductions(expression):
    """Sums are those of float32, rounded once; NumPy rounds some of them in between."""
    f = function_of(expression, "a")
    for a in (np.linspace(0.1, 2, 8), np.linspace(0.5, 1, 400)):
        a = a.astype(np.float16)
        made, wanted = njit(f)(a), f(a)
        assert np.asarray(wanted).dtype == np.asarray(made).dtype or not np.ndim(wanted)
        np.testing.assert_allclose(np.asarray(made, "f8"), np.asarray(wanted, "f8"), rtol=2e-2)


SCALARS = "x + y|x * y|x / y|-x|abs(x)|x < y|x == y|x + 1.0|np.sqrt(y)|float(x)|int(y)|bool(x)"


@pytest.mark.parametrize("expression", SCALARS.split("|"))
def test_scalars(expression):
    f = function_of(expression, "x, y")
    for x in (np.float16(0.1), np.float16(-3)):
        assert njit(f)(x, np.float16(7)) == f(x, np.float16(7))


def test_in_and_out():
    x = np.float16(0.1)
    assert njit(lambda x: x)(x) == float(x)
    assert njit(lambda x: (x, (x, 1)))(x) == (float(x), (float(x), 1))
    assert njit(lambda: x)() == float(x)  # a constant
    assert njit(lambda x: None if x > 1 else x)(x) == float(x)
    assert njit(lambda items: items)([x, np.float16(2)]) == [float(x), 2.0]
    assert njit(lambda items: {y: y + y for y in items})([x]) == {float(x): float(x + x)}
    assert hash(float(x)) == njit(lambda x: hash(x))(x)
    assert np.array_equal(njit(lambda: TABLE * np.float16(2))(), TABLE * np.float16(2))
    assert np.array_equal(njit(lambda a: a)(np.array(x)), np.array(x))


TABLE = np.array([0.1, 0.2], np.float16)


def test_explicit_signatures():
    f = njit("float16(float16, float16[:])")(lambda x, a: x + a[0])
    assert f(0.1, np.array([1], np.float16)) == float(np.float16(0.1) + np.float16(1))
    assert njit(float32(float16))(lambda x: x)(0.1) == float(np.float16(0.1))
    assert f.nopython_signatures[0].return_type == float16


def test_containers():
    numbers = typed.List([np.float16(0.1), np.float16(2)])
    assert numbers._dtype == float16

    def extend(numbers):
        numbers.append(np.float16(0.3))
        numbers[0] = numbers[0] + numbers[2]
        return numbers[0]

    total = float(np.float16(0.1) + np.float16(0.3))
    assert njit(extend)(numbers) == total
    assert list(numbers) == [total, 2.0, float(np.float16(0.3))]
    table = typed.Dict.empty(float16, types.int64)
    table[np.float16(0.1)] = 5
    assert njit(lambda d, x: d[x])(table, np.float16(0.1)) == 5 and np.float16(0.1) in table
    items = [np.float16(0.1), np.float16(0.2)]
    njit(lambda items: items.append(items[0]))(items)
    assert items == [np.float16(0.1), np.float16(0.2), np.float16(0.1)]


def test_records():
    dtype = np.dtype([("n", "i1"), ("x", "f2"), ("y", "f2", 3)])
    rows = np.zeros(4, dtype)
    rows["x"] = [0.1, 0.2, 65504, -1]

    def f(rows, row):
        for r in rows:
            r.x += r.x
            r.y[1] = r.x
        return rows["x"].sum(), row.x, row["y"][0] + 1

    expected = rows.copy()
    with np.errstate(over="ignore"):
        expected["x"] += expected["x"]
    expected["y"][:, 1] = expected["x"]
    _, x, y = njit(f)(rows, rows[1].copy())
    assert np.array_equal(rows["x"], expected["x"]) and np.array_equal(rows["y"], expected["y"])
    assert (x, y) == (float(np.float16(0.2)), 1.0)


def test_jitclass():
    @jitclass([("x", float16), ("a", float16[:])])
    class Half:
        def __init__(self, x, a):
            self.x = x
            self.a = a

        def total(self):
            return self.x + self.a[0]

    half = Half(0.1, np.array([0.2], np.float16))
    assert half.x == float(np.float16(0.1))
    assert half.total() == float(np.float16(0.1) + np.float16(0.2))


def test_ufuncs():
    @vectorize(["float16(float16, float16)", "float64(float64, float64)"])
    def scaled(a, b):
        return a * b + a

    a, b = np.linspace(0, 3, 50).astype(np.float16), np.linspace(1, 2, 50).astype(np.float16)
    same(scaled(a, b), a * b + a)
    same(scaled(a.astype("f8"), 2.0), a.astype("f8") * 2.0 + a)
    dynamic = vectorize(lambda a, b: a - b)
    same(dynamic(a, b), a - b)


def test_parallel():
    a = np.linspace(0, 3, 10_000).astype(np.float16)
    same(njit(parallel=True)(lambda a: a * a + a)(a), a * a + a)


def test_text():
    for x in [*EDGES, 0.1, 1e-4, 1234.5, 2049, 0.3333]:
        x = np.float16(x)
        assert njit(lambda x: str(x))(x) == str(x)


def test_long_sums():
    """Sums of float16 would stop growing long before."""
    a = np.full(20_000, 0.1, np.float16)
    assert njit(lambda a: a.sum())(a) == a.sum()
    assert njit(lambda a: a.mean())(a) == pytest.approx(0.1, rel=1e-3)
    large = np.full(4000, 60, np.float16)
    assert njit(lambda a: a.mean())(large) == 60 and njit(lambda a: a.sum())(large) == np.inf
    rows = np.full((5000, 3), 0.1, np.float16)
    assert np.allclose(njit(lambda a: a.sum(axis=0))(rows), 500, rtol=1e-3)


def test_loops():
    def f(a):
        total = np.float16(0)
        for x in a:
            total += x * x
        return total

    a = np.linspace(0, 1, 300).astype(np.float16)
    assert njit(f)(a) == f(a)
