"""What the parameters of NumPy functions may be, for the generated comparison tests.

A *word* ("array", "axis", "vector") stands for a set of samples. The word of a parameter is its
annotation in the library; without one, what PARAMETERS has for ``function.parameter`` or for the
parameter's name. A word has

- *values*, passed at run time: a function of the arguments before it that gives a list, so that
  index arrays can fit the array they index;
- or *choices*: literals that stand in the program's text (``axis=-1``), and values that depend on
  the call (``out=``).

Values serve parameters that are always passed, choices those that may be left out, where a word
has both.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from language.arrays import f_order, reversed_axes, strided, values, window


@dataclass(frozen=True)
class Literal:
    """Written into the program's text."""

    text: str


@dataclass(frozen=True)
class Given:
    """Passed at run time: ``make(call)`` of a test_generated.Call gives it."""

    label: str
    make: Callable


VALUES: dict[str, Callable] = {}
CHOICES: dict[str, tuple] = {}


def word(*names):
    """The decorated function gives the values of these words."""

    def register(function):
        for name in names:
            VALUES[name] = function
        return function

    return register


def literals(text):
    return tuple(map(Literal, text.split("; ")))


# -- arrays -------------------------------------------------------------------------------------

DTYPES = "?bHilLfdFD"


def readonly(a):
    a = a.copy()
    a.flags.writeable = False
    return a


def special_floats(dtype=float):
    """NaN, infinities, both zeros, huge and tiny."""
    return np.array([1.5, np.nan, -0.0, np.inf, 2.5, -np.inf, 0.0, 1e30, -3.5, 1e-40], dtype)


@functools.cache
def all_arrays():
    """Dtypes, layouts and dimensions. Few pairs of them, so that types, which are compiled one by
    one, stay few; neighbours differ, since some tests take every fifth only."""
    a = values((3, 4))
    return [
        a,
        values(6, "l"),
        values((3, 4), "?"),
        f_order(a),
        special_floats(),
        values((2, 3, 2)),
        values((3, 4), "i"),
        strided(a),
        np.zeros((0, 3)),
        np.array(2.5),
        values((3, 4), "F"),
        reversed_axes(values((3, 4), "l")),
        readonly(a),
        values((3, 4), "b"),
        special_floats("f"),
        np.zeros(0),
        f_order(values((2, 3, 2))),
        values((3, 4), "D"),
        reversed_axes(values(7)),
        values((3, 4), "f"),
        values((3, 4), "H"),
        window(a),
        np.zeros((3, 0)),
        values((1, 1)),
        values((3, 4), "L"),
        np.array([1 + 2j, complex(np.nan, 1), -0.0, 3j]),
        strided(values((2, 3, 2))),
        np.array([np.iinfo(np.int64).max, 5, np.iinfo(np.int64).min, -1]),
    ]


def arrays_where(condition):
    return lambda before: [a for a in all_arrays() if condition(a)]


VALUES["array"] = lambda before: list(all_arrays())
VALUES["array1"] = arrays_where(lambda a: a.ndim == 1)
VALUES["array2"] = arrays_where(lambda a: a.ndim == 2)
VALUES["array3"] = arrays_where(lambda a: a.ndim == 3)
VALUES["real"] = arrays_where(lambda a: a.dtype.kind != "c")
VALUES["real1"] = arrays_where(lambda a: a.dtype.kind != "c" and a.ndim == 1)
VALUES["real2"] = arrays_where(lambda a: a.dtype.kind != "c" and a.ndim == 2)


@word("writable")
def writable_arrays(before):
    return [a for a in all_arrays() if a.flags.writeable]


@word("array or scalar")
def arrays_and_scalars(before):
    return [*all_arrays(), 2.5, 3, True, 1 - 2j]


@word("operand")
def operands(before):
    """Broadcasts with the first operand, and has another dtype more often than not."""
    if not before:
        return list(all_arrays())
    shape = np.shape(before[0])
    dtypes = "dlfiDbL?"
    shapes = [shape, shape, shape[-1:], (), shape, (1,) * len(shape), shape, shape]
    found = [values(shape, dtype) for shape, dtype in zip(shapes, dtypes)]
    return [*found, 2, 1.5, values((2, 5))]


@word("same shape")
def same_shape(before):
    shape = np.shape(before[0]) if before else (4,)
    return [values(shape, dtype) for dtype in "dlfD?"]


@word("integers1")
def small_integers(before):
    found = [np.array([1, 3, 0, 3, 2, 1, 1]), np.array([2, 0, 5], "i"), np.zeros(0, int)]
    return [*found, np.array([4, 1, 4], "B"), strided(np.array([0, 7, 2, 2])), np.array([1, -1, 2])]


@word("integer operand")
def integer_operands(before):
    if not before:
        return [a for a in all_arrays() if a.dtype.kind in "iub"]
    shape = np.shape(before[0])
    return [values(shape, "l"), values(shape[-1:], "i"), 3, values(shape, "B"), values(shape, "?")]


@word("few bits")
def few_bits(before):
    """Integers, and counts to shift them by."""
    shape = np.shape(before[0]) if before else (3, 4)
    return [np.abs(values(shape, dtype)) % 7 for dtype in "lbiBLH"]


@word("exponents")
def exponents(before):
    shape = np.shape(before[0])
    return [values(shape, "i"), values(shape[-1:], "l"), values(shape, "b"), values(shape)]


@word("integers")
def any_integers(before):
    return [a for a in all_arrays() if a.dtype.kind in "iu"]


@word("bools", "condition")
def masks(before):
    shape = np.shape(before[0]) if before else (3, 4)
    rows = [values(shape, "?"), np.zeros(shape, bool), np.ones(shape, bool)]
    if shape and shape[0] > 1:
        rows += [strided(values(shape, "?")), values(shape[:1], "?")]
    return rows


@word("bools1")
def masks1(before):
    return [np.array([True, False, True]), np.array([False]), np.ones(40, bool), np.zeros(3, int)]


@word("same shape mask")
def same_shape_masks(before):
    return [values(np.shape(before[0]), "?"), np.ones(np.shape(before[0]), bool)]


@word("vals")
def values_of_dtype(before):
    dtype = np.asarray(before[0]).dtype
    return [values(3, dtype), values(1, dtype)]


@word("sorted1")
def sorted_arrays(before):
    found = [np.array([-4.0, -1.5, 0.0, 0.0, 2.5, 7.0]), np.array([0, 1, 1, 4, 9]), np.array([1.5])]
    return [*found, np.array([-2, 0, 3], "f"), strided(np.arange(5.0)), np.zeros(0), np.arange(4)]


@word("few values")
def repeating(before):
    """Arrays in which values occur several times."""
    found = [np.array([3.0, 1, 3, np.nan, 1, 2]), np.array([4, 4, 0, 1, 4]), values((3, 4), "?")]
    return [*found, values((5, 9)), np.zeros(0), np.array([2, 2, 1], "B"), values(4, "D")]


@word("times")
def times(before):
    """Dates and spans, some of them not-a-time; floats are refused."""
    dates = np.array(["2024-02-29", "NaT", "1969-12-31", "2001-01-01"], "M8[D]")
    spans = np.array([[3, -7], [0, 5]], "m8[s]")
    spans[1, 0] = "NaT"
    found = [dates, spans, strided(spans), dates.reshape(2, 2).T, dates[:0], dates[1], spans[0, 0]]
    return [*found, np.datetime64("NaT", "s"), values(3)]


# -- linear algebra -----------------------------------------------------------------------------


@functools.cache
def square_matrices():
    a = np.array([[4.0, 1, -2], [0.5, 3, 1], [2, -1, 5]])
    return [
        a,
        a.astype("f"),
        a + 1j * a.T,
        f_order(a),
        strided(a),
        a.astype(int),
        (a + 1j * a.T).astype("F"),
        np.array([[2.0]]),
        np.ones((2, 2)),  # singular
        values((2, 3)),  # not square
        reversed_axes(a),
        values((5, 5)) + 7 * np.eye(5),
    ]


@word("square")
def square(before):
    return list(square_matrices())


@word("positive definite", "hermitian")
def positive_definite(before):
    found = [a @ a.conj().T + np.eye(len(a)) for a in square_matrices() if a.shape[0] == a.shape[1]]
    found[3], found[4] = f_order(found[3]), strided(found[4])
    return [*found, np.array([[1.0, 2], [2, 1]])]


@word("matrix")
def matrices(before):
    tall = values((4, 3)) + np.eye(4, 3)
    found = [tall, *square_matrices()[:6], f_order(tall.T), tall + 1j, tall.astype("f")]
    return [*found, values((1, 4)), reversed_axes(tall)]


@word("vector")
def vectors(before):
    """Fits the rows of the matrix before it, and has its dtype."""
    a = np.asarray(before[0]) if before else np.zeros(4)
    n = a.shape[0] if a.ndim else 1
    dtype = a.dtype
    return [values(n, dtype), values((n, 2), dtype), values(n), strided(values(n, dtype)),
            values(n + 1, dtype)]  # fmt: skip


@word("conformable")
def conformable(before):
    """``a @ b`` is defined for most."""
    a = np.asarray(before[0])
    n, dtype = a.shape[-1] if a.ndim else 1, a.dtype
    return [values((n, 2), dtype), values(n, dtype), values((n, 3)), values(n, "l"),
            f_order(values((n, 2), dtype)), strided(values((n, 3), dtype)), values(n + 1, dtype),
            values((2, n, 3), dtype)]  # fmt: skip


@word("vector3")
def vectors3(before):
    return [values(3), values((2, 3)), values(3, "l"), values((4, 3), "f"), values((2, 3), "D"),
            values(4)]  # fmt: skip


# -- sequences of arrays ------------------------------------------------------------------------


@functools.cache
def sequences():
    a, b = values((2, 3)), values((2, 3), "l")
    return [
        (a, a + 1),
        (a, b),
        (values(3), values(3, "i")),
        (a, strided(a), f_order(a)),
        (values((2, 3, 2)), values((2, 3, 2), "D")),
        (b.astype("?"), b.astype("b")),
        (a,),
        (values(4), values(2)),
        (a, values((4, 3))),
        (a, values((2, 1))),
        (np.zeros((0, 3)), a),
        (a, values(3)),
        (np.array(1.0), np.array(2.0)),
    ]


@word("arrays")
def arrays(before):
    return list(sequences())


@word("matrix sequence")
def chains(before):
    a, b, c = values((2, 3)), values((3, 4)), values((4, 2))
    return [(a, b), (a, b, c), (a[0], b, c), (a, b, c[:, 0])]


# -- numbers and shapes -------------------------------------------------------------------------


def always(word_names, *samples):
    for name in word_names.split("; "):
        VALUES[name] = lambda before: list(samples)


always("scalar", 2.5, 3, -1, True, 1 + 2j, np.float32(0.5), np.int8(7))
always("real scalar", 0, 2.5, 1, -3, np.float32(0.5), 7)
always("second real scalar", 10, 4.5, 3.0, 5, 6)
always("positive scalar", 1.5, 2, 0.75, 10.0)
always("probability", 0.5, 0.25, 0.9)
always("int", 0, 1, -1, 2)
always("count", 3, 1, 5, 0, 8, -1)
always("size", 3, 1, 5, 0, 8)
always("positive int", 3, 1, 10, 25)
always("seed", 0, 1234, 2**32 - 1)
always("shape", (2, 3), 4, (5,), (0, 3), (2, 1, 3), ())
always("square shape", (3, 4), (4, 4), (2, 3, 2))
always("second shape", (3,), (1, 3), (2, 1, 1))
always("sections", 2, 1, (1, 3), np.array([1, 2]), 5)
always("reps", 2, (2, 1), (1, 2, 2), 0)
always("quantile", 0.5, np.array([0.0, 0.25, 1.0]), 0.1, 1.5)
always("percent", 50, np.array([0.0, 25, 99.5]), 12.5, 101.0)
always("sections of 2", 1, 2, (1,))
always("nested", [1, 2, 3], (1, 2.5), ((1, 2), (3, 4)), [1.5, 2.5], 3, (True, False), [1j])
always("length of order", [3], [1, 2])
always("dtype scalar", 2.5, 3)


@word("sequence", "nested or array")
def nested(before):
    return [*VALUES["nested"](before), *all_arrays()]


@word("new shape")
def new_shapes(before):
    """For reshape: as many elements, one extent to find, and too many."""
    size = int(np.size(before[0]))
    half = (2, size // 2) if size % 2 == 0 else (size, 1)
    return [size, half, (-1,), (1, -1, 1), half + (1,), (size + 1,), (-1, -1)]


@word("broadcast shape")
def broadcast_shapes(before):
    shape = np.shape(before[0])
    return [(2, *shape), shape, (3, 1, *shape), (*shape, 5)]


@word("indices", "indices1")
def indices(before):
    """Into any axis of the array before, or into all its elements; negative ones too."""
    shape = np.shape(before[0]) if before else (4,)
    n = min(shape, default=1)
    if n == 0:
        return [np.zeros(0, int)]
    found = [np.array([0, n - 1, -1, 0]), np.array([-n], "i"), np.array([0, n - 1], "B")]
    return [*found, strided(np.array([n - 1, 0])), np.zeros(0, int), np.array([0, 1000])]


@word("index")
def one_index(before):
    return [0, -1, *indices(before)]


@word("indices along")
def indices_along(before):
    """Indices of the shape of the array, all 0 or -1."""
    shape = np.shape(before[0])
    return [np.zeros(shape, int), -values(shape, "?").astype(int)]


@word("kth")
def kth(before):
    n = np.shape(before[0])[-1] if np.ndim(before[0]) else 1
    return [0, n // 2, n - 1, -1, n]


@word("repeats")
def repeats(before):
    n = int(np.size(before[0]))
    return [2, 0, np.arange(n) % 3, np.array([2])]


@word("shift")
def shifts(before):
    return [1, -2, 0, 5]


@word("item of")
def item_of(before):
    """One element's dtype."""
    return [np.asarray(before[0]).dtype.type(1).item(), 2, 1.5]


@word("probabilities")
def probabilities(before):
    return [np.array([0.25, 0.5, 0.25]), np.array([1.0]), np.array([0.1, 0.2, 0.3, 0.4])]


@word("bits")
def bits(before):
    found = [np.arange(20) % 3, values((3, 9), "?"), values((2, 3, 2), "B"), np.zeros(0, bool)]
    return [*found, strided(values((3, 9), "i")), values(4)]


@word("bytes")
def byte_arrays(before):
    found = [
        np.arange(0, 250, 50, dtype="B"),
        np.array([[7, 200], [1, 255]], "B"),
        np.zeros(0, "B"),
    ]
    return [*found, strided(np.arange(12, dtype="B").reshape(3, 4)), values(4)]


@word("coefficients")
def coefficients(before):
    found = [np.array([3.0, 5, 2]), np.array([2, 1]), [1, 2, 3, 4], np.array([2.0, 1, 1], "f")]
    return [*found, np.array([1j, 2]), np.array([4.0])]


@word("zeros")
def zeros_of_polynomials(before):
    found = [np.array([1.0, 2, 3]), [1, -2], np.array([0.5], "f"), values((3, 3)), values((2, 3))]
    return [*found, np.array([1 + 2j, 3])]


@word("places")
def places(before):
    return [
        np.arange(6.0),
        np.arange(6),
        np.arange(6, dtype="f") / 4,
        np.arange(4),
        np.ones((2, 2)),
    ]


@word("heights")
def heights(before):
    n = len(before[0])
    curve = np.sin(np.arange(n) + 1.0) + 2
    return [curve, np.stack((curve, curve**2), 1), np.arange(n) ** 2 + 1, curve[:-1]]


@word("vector of columns")
def fitting_vectors(before):
    n = np.shape(before[0])[-1]
    return [values(n), values((2, 1, n)), values(n, "l"), values(n, "F")]


@word("matrix of rows")
def fitting_matrices(before):
    n = np.shape(before[0])[-1]
    return [values((n, 3)), values((2, n, 2)), values((n, 1), "l"), values((n, 2), "D")]


@word("means")
def means(before):
    return [np.array([1.0, -2.0]), np.arange(3), np.zeros(1)]


@word("covariances")
def covariances(before):
    n = len(before[0])
    return [np.eye(n) + 0.25, np.diag(np.arange(1.0, n + 1)), np.eye(n + 1), np.ones((n, n), int)]


@word("alpha")
def alphas(before):
    return [np.array([0.5, 2.0, 1.0]), np.array([1.5, 3.0])]


@word("choice of")
def population(before):
    return [5, values(7), values(4, "l")]


@word("permuted")
def permuted(before):
    return [5, values(7), values((3, 2)), values(4, "l")]


@word("sample points")
def sample_points(before):
    return [np.array([-1.0, 0.0, 0.5, 1.0, 2.75, 9.0, np.nan]), 1.5, np.array([1, 2, 3])]


@word("increasing1")
def increasing(before):
    return [np.array([0.0, 1.0, 2.5, 4.0]), np.array([0, 2, 3, 5]), np.array([0.0, 1, 2, 4], "f")]


@word("values at")
def values_at(before):
    """As many values as the array before has elements."""
    n = int(np.size(before[-1]))
    return [values(n), values(n, "l"), values(n, "D"), values(n + 1)]


@word("conditions")
def condition_lists(before):
    a = values((3, 4))
    return [(a > 2, a < 0), (a > 0,)]


@word("choice lists")
def choice_lists(before):
    a = values((3, 4))
    return [tuple(a * (i + 2) for i in range(len(before[0])))]


@word("pad width")
def pad_widths(before):
    ndim = np.ndim(before[0])
    return [2, (1, 3), tuple((i, 2 - i % 3) for i in range(ndim)) or 1, 0, ((2, 0),), -1]


@word("pieces")
def pieces(before):
    x = np.asarray(before[0])
    return [(x > 1,), (x.real < 0, x.real >= 1), [x.real > 0]]


@word("values of pieces")
def values_of_pieces(before):
    return [tuple(range(3, 3 + len(before[1]))), tuple(2.5 * i for i in range(1 + len(before[1])))]


@word("which of two")
def which_of_two(before):
    found = [values((2, 3), "?").astype(int), np.array([1, 0, 1], "b"), np.array(1)]
    return [*found, strided(np.array([0, 1, 1])), np.array([[1], [0]], "H"), np.array([0, 2, 1])]


@word("two choices")
def two_choices(before):
    a = values((2, 3))
    return [(a, values(3, "l")), (values(3), 2.5), (values(3, "F"), a.T[:, :1].T), (a, a.T)]


@word("flat indices")
def flat_indices(before):
    return [np.array([0, 5, 11]), 7, np.array([[1, 2], [3, 4]])]


@word("multi index")
def multi_indices(before):
    return [(np.array([0, 1, 2]), np.array([3, 0, 1])), (1, 2)]


# -- keywords -----------------------------------------------------------------------------------

CHOICES["skip"] = ()
CHOICES["flag"] = literals("True; False")
CHOICES["axis"] = (*literals("0; -1; 1; None; (0, 1)"), Given("run-time 0", lambda call: 0))
CHOICES["constant axis"] = literals("0; -1; 1; None")
CHOICES["axis pair"] = literals("1; 0; (0, -1)")
CHOICES["axis number"] = literals("0; 1; -1")
CHOICES["axes"] = literals("None; (1, 0); (0, 2, 1); (-1, 0); (0,)")
CHOICES["two axes"] = literals("(0, 1); (1, 0); (0, -1)")
CHOICES["tensor axes"] = literals("1; 0; ((1,), (0,))")
CHOICES["dtype"] = literals("np.float64; np.int32; np.complex64; np.bool_; np.float32")
CHOICES["float dtype"] = literals("np.float64; np.float32; np.complex128")
CHOICES["integer dtype"] = literals("np.int64; np.int32; np.uint8")
CHOICES["view dtype"] = literals("np.int64; np.uint8; np.float32; np.complex128")
CHOICES["order"] = literals('"C"; "F"; "A"; "K"')
CHOICES["memory order"] = literals('"C"; "F"')
CHOICES["size"] = literals("None; 3; (2, 3)")
CHOICES["int"] = (*literals("0; 1; -1; 2"), Given("run-time 1", lambda call: 1))
CHOICES["count"] = (*literals("0; 3"), Given("run-time 7", lambda call: 7))
CHOICES["scalar"] = (*literals("2; -1.5"), Given("run-time 2.5", lambda call: 2.5))
CHOICES["real scalar"] = (*literals("2; 1.5"), Given("run-time 2.5", lambda call: 2.5))
CHOICES["positive scalar"] = (*literals("2; 0.5"), Given("run-time 2.5", lambda call: 2.5))
CHOICES["order of moment"] = (*literals("1; 0.5"), Given("run-time 1", lambda call: 1))
CHOICES["sort kind"] = literals('"quicksort"; "stable"; "mergesort"; "heapsort"')
CHOICES["partition kind"] = literals('"introselect"')
CHOICES["side"] = literals('"left"; "right"')
CHOICES["index mode"] = literals('"raise"; "wrap"; "clip"')
CHOICES["convolution mode"] = literals('"full"; "same"; "valid"')
CHOICES["qr mode"] = literals('"reduced"; "complete"; "r"')
CHOICES["indexing"] = literals('"xy"; "ij"')
CHOICES["trim"] = literals('"fb"; "f"; "b"')
CHOICES["triangle"] = literals('"L"; "U"')
CHOICES["quantile method"] = literals('"linear"; "lower"; "higher"; "nearest"; "midpoint"')
CHOICES["norm"] = literals('None; 1; 2; -1; -2; 0; np.inf; -np.inf; "fro"; "nuc"; 3')
CHOICES["cond"] = literals('None; 1; 2; -2; np.inf; "fro"')
CHOICES["bins"] = (*literals("10; 3"), Given("edges", lambda call: np.array([-3.0, 0, 0.5, 4])))
CHOICES["interval"] = literals("(-2.0, 3.0); (0, 5)")
CHOICES["initial"] = (*literals("2; -7.5"), Given("run-time 3", lambda call: 3))
CHOICES["shape"] = literals("(2, 3); 4")
CHOICES["casting"] = literals('"same_kind"; "unsafe"')
CHOICES["shape arguments"] = literals("2, -1; -1; (1, -1); (-1, 3)")
CHOICES["axes arguments"] = literals("; (1, 0); 1, 0; 0, 2, 1")
CHOICES["index arguments"] = literals("; 0; -1; 1, 2; 100")
CHOICES["extents"] = literals("; 4; 2, 3")
CHOICES["two shapes"] = literals("(2, 1), (3,); (4,); (2, 3), (3, 2); 3, (1,)")
CHOICES["edge order"] = literals("1; 2; 3")
CHOICES["spacings"] = (
    *literals("; 2; 0.5, 1.5"),
    Given("run-time 0.5", lambda call: 0.5),
    Given("places", lambda call: _places(call)),
)
CHOICES["period"] = literals("4; 3.5")
CHOICES["fft norm"] = literals('None; "ortho"; "forward"; "backward"; "both"')
CHOICES["fft axes"] = literals("(0, 1); (1, 0); (-1,)")
CHOICES["pad mode"] = literals(
    '"constant"; "edge"; "linear_ramp"; "maximum"; "mean"; "median"; "minimum"; "reflect"; '
    '"symmetric"; "wrap"; "bends"'
)
CHOICES["pad numbers"] = literals("3; (2, 1)")
CHOICES["stat length"] = literals("2; (1, 3)")
CHOICES["reflect type"] = literals('"even"; "odd"')
CHOICES["line function"] = literals("np.sum; np.sort; np.cumsum")
CHOICES["reducing function"] = literals("np.sum; np.max")
CHOICES["reduced axes"] = literals("0; (0, 1); [-1]")
CHOICES["given seed"] = (
    *literals("1234; (1, 2); [2**40, 0]; np.array([7]); np.random.default_rng(3)"),
    Given("run-time 7", lambda call: 7),
)
CHOICES["bit order"] = literals('"big"; "little"; "middle"')
CHOICES["degree"] = (*literals("1; 2; 0; -1"), Given("run-time 1", lambda call: 1))
CHOICES["covariance"] = literals('True; "unscaled"')
CHOICES["numbers"] = literals("range(4); (i * i for i in range(5)); [1.5, 2]")
CHOICES["function of places"] = literals("np.add; (lambda i, j: i * 10 + j)")
CHOICES["two extents"] = literals("(2, 3); (0, 2)")
CHOICES["triangles"] = literals("np.triu; np.tril")
CHOICES["types"] = literals("np.float32; np.int8; np.uint64; np.complex64; np.bool_")
CHOICES["kinds"] = literals(
    "np.floating; np.integer; np.number; np.generic; np.inexact; np.unsignedinteger; np.float64; "
    "np.signedinteger; np.complexfloating"
)
CHOICES["classes"] = literals(
    "np.float32; np.dtype(np.int64); np.complex128; np.bool_; np.dtype('u1')"
)
CHOICES["kinds of dtypes"] = literals(
    '"bool"; "signed integer"; "unsigned integer"; "integral"; "real floating"; "numeric"; '
    '"complex floating"; "others"; np.float32; ("bool", "integral"); ("numeric", np.bool_)'
)
CHOICES["cast"] = literals('"safe"; "same_kind"; "unsafe"; "no"; "equiv"; "free"')
CHOICES["typed"] = literals("np.ones(2, np.float32); np.arange(2), np.zeros(1, np.complex64)")
CHOICES["vector norm"] = literals("2; 1; np.inf; 0; 3")
CHOICES["matrix norm"] = literals('"fro"; 2; 1; -np.inf; "nuc"')
CHOICES["blocks"] = literals(
    "[[np.eye(2), np.zeros((2, 1))], [np.ones((1, 3))]]; [np.arange(2), 3, [1]]; [[1], [2.5]]; "
    "[[[np.eye(2)]], [[np.ones((2, 2))]]]; np.eye(2); [np.eye(2), np.ones((3, 1))]"
)
CHOICES["no more"] = literals("")
CHOICES["function of two"] = literals("np.hypot")
CHOICES["business days"] = literals(
    "np.array([np.datetime64('2024-01-02'), np.datetime64('2024-01-05')]); "
    "np.datetime64('2024-02-29')"
)
CHOICES["week mask"] = literals("'1111100'; 'Mon Thu Fri'")
CHOICES["roll"] = literals("'forward'; 'backward'; 'modifiedpreceding'")
CHOICES["einsum of three"] = literals(
    '"ij,j->i"; "ij,ij"; "ij,kj->ik"; "...,..."; "ij,jk->"; "i,i"'
)


def _places(call):
    """Of the elements along the last axis."""
    n = call.first.shape[-1] if call.first.ndim else 1
    return np.arange(n) ** 1.5


def _same_shape_as(dtype):
    def make(call):
        shape = np.shape(call.values[0])
        return values(shape, dtype) if dtype == "?" else np.abs(values(shape, dtype)) + 1

    return make


def _last_axis(dtype):
    return lambda call: np.abs(values(np.shape(call.values[0])[-1:], dtype)).astype(dtype)


CHOICES["where"] = (
    Given("mask", _same_shape_as("?")),
    Given("row mask", _last_axis("?")),
)
CHOICES["weights"] = (
    Given("floats", _same_shape_as("d")),
    Given("integers", _same_shape_as("l")),
    Given("row", _last_axis("d")),
)
CHOICES["observation weights"] = (Given("row", lambda call: _observations(call, "l")),)


def _observations(call, dtype):
    shape = np.shape(call.values[0])
    return np.arange(1, 1 + (shape[-1] if shape else 1)).astype(dtype)


def fresh_out(call):
    """An array of the result's type and shape that holds something else."""
    result = call.result_without("out")
    if result is None:  # the call raises
        return np.zeros(3, complex)
    out = np.full_like(np.asarray(result), 1)
    return out.astype(float) if out.dtype.char == "e" else out


def strided_out(call):
    out = fresh_out(call)
    return strided(out) if out.ndim else out


def misshapen_out(call):
    out = fresh_out(call)
    return np.zeros((*out.shape, 7), out.dtype)


CHOICES["out"] = (
    Given("fresh", fresh_out),
    Given("strided", strided_out),
    Given("misshapen", misshapen_out),
)


# -- which word a parameter has without annotation ----------------------------------------------

_TABLE = """
self a A arr array ary m x y z v f p ar val filt prototype element   array
q                         quantile
percentile.q nanpercentile.q  percent
b                         operand
x1 x2 x3                  operand
left_shift.x1 left_shift.x2 right_shift.x1 right_shift.x2  few bits
bitwise_left_shift.x1 bitwise_left_shift.x2 bitwise_right_shift.x1 bitwise_right_shift.x2  few bits
ldexp.x2                  exponents
bitwise_and.x1 bitwise_or.x1 bitwise_xor.x1 gcd.x1 lcm.x1  integer operand
bitwise_and.x2 bitwise_or.x2 bitwise_xor.x2 gcd.x2 lcm.x2  integer operand
invert.x bitwise_not.x bitwise_invert.x bitwise_count.x  integer operand
place.arr putmask.a       writable
place.mask putmask.mask   same shape mask
place.vals putmask.values vals
diag_indices.n            count
axis                      axis
axes                      axes
keepdims flag             flag
dtype                     dtype
order                     order
out                       out
where                     where
initial                   initial
ddof                      order of moment
size                      size
shape new_shape           shape
arrays arys tup           arrays
indices ind               indices
weights                   weights
k offset decimals         int
N M n num                 count
ndmin                     int
fill_value default        scalar
mode                      index mode
side                      side
method                    quantile method
seed                      seed
correction stable descending subok like device copy overwrite_input hermitian mean ndmax  skip
include_initial returned retstep endpoint density equal_nan  flag
assume_unique invert sparse bias rowvar  flag
return_index return_inverse return_counts return_indices sorted increasing upper deg  flag
replace compute_uv full_matrices writeable full_output  flag
casting                   casting
indexing                  indexing
start                     real scalar
stop                      second real scalar
step                      positive scalar
ar1 ar2 a1 a2             few values
test_elements             few values
rtol atol tol rcond       skip

sum.where any.where all.where  where
array.object asarray.a asarray_chkfinite.a  nested or array
array.dtype asarray.dtype astype.dtype  dtype
array.copy asarray.copy   flag
arange.start arange.start_or_stop  real scalar
arange.stop               second real scalar
arange.dtype              float dtype
ones.order zeros.order full.order empty.order  memory order
ones.shape zeros.shape empty.shape full.shape  shape
full_like.shape ones_like.shape zeros_like.shape empty_like.shape  skip
full_like.a ones_like.a zeros_like.a empty_like.prototype  array
Array.fill.self           writable
Array.fill.value          item of
reshape.shape             new shape
Array.reshape.shape       shape arguments
reshape.order ravel.order flatten.order  memory order
reshape.copy              skip
Array.transpose.axes      axes arguments
Array.item.index Array.item.args  index arguments
Array.view.dtype          view dtype
Array.sort.self Array.partition.self  writable
matmul.b dot.b inner.b linalg.multi_dot.b  conformable
matmul.x2                 conformable
Array.dot.b Array.dot.other  conformable
kron.b outer.b            operand
vdot.b                    same shape
dsplit.ary                array3
tensordot.a               array2
tensordot.b               conformable
tensordot.axes            tensor axes
cross.a cross.b           vector3
trace.axis1 trace.axis2 swapaxes.axis1 swapaxes.axis2 diagonal.axis1 diagonal.axis2  axis number
axisa axisb axisc         axis number
linalg.solve.a linalg.inv.a linalg.det.a linalg.slogdet.a linalg.matrix_power.a  square
linalg.eig.a linalg.eigvals.a  square
linalg.solve.b            vector
linalg.cholesky.a linalg.eigh.a linalg.eigvalsh.a  positive definite
linalg.svd.a linalg.qr.a linalg.pinv.a linalg.lstsq.a linalg.cond.x linalg.matrix_rank.A  matrix
linalg.matrix_rank.M      matrix
linalg.lstsq.b            vector
linalg.norm.x             array
linalg.norm.ord           norm
linalg.cond.p             cond
linalg.qr.mode            qr mode
linalg.matrix_power.n     count
linalg.multi_dot.arrays   matrix sequence
UPLO                      triangle
sort.kind argsort.kind lexsort.kind  sort kind
sort.order argsort.order partition.order argpartition.order  skip
sort.axis argsort.axis partition.axis argpartition.axis  axis
kth                       kth
partition.kind argpartition.kind  partition kind
searchsorted.a            sorted1
Array.searchsorted.self   sorted1
searchsorted.v            array or scalar
searchsorted.sorter       skip
searchsorted.side         side
digitize.bins             sorted1
digitize.x                array
digitize.right            flag
bincount.x                integers1
lexsort.keys              arrays
Array.choose.self         which of two
bincount.minlength        count
histogram.bins histogram2d.bins histogram_bin_edges.bins  bins
histogram.a               real
range                     interval
histogram2d.x             real1
histogram2d.y             same shape
interp.x                  sample points
interp.xp                 increasing1
interp.fp                 values at
interp.left interp.right  scalar
interp.period             period
unique.ar unique.axis     few values
unique.axis               skip
union1d.ar1               few values
isin.element in1d.ar1     array
isin.kind in1d.kind       skip
where.condition           condition
where.x where.y           operand
select.condlist           conditions
select.choicelist         choice lists
choose.a                  which of two
choose.choices            two choices
extract.condition         bools
compress.condition        bools1
Array.clip.a_min Array.clip.a_max  skip
clip.a_min clip.min clip.a_max clip.max  scalar
concatenate.axis stack.axis  constant axis
append.values             operand
insert.obj delete.obj     index
insert.values             scalar
take.indices              indices
put.ind put.indices       indices
put.v put.values          scalar
put.a                     writable
take_along_axis.indices put_along_axis.indices  indices along
put_along_axis.arr        writable
put_along_axis.values     scalar
take_along_axis.axis put_along_axis.axis  constant axis
repeat.repeats            repeats
tile.reps                 reps
roll.shift                shift
rot90.k                   int
rot90.axes                two axes
moveaxis.source moveaxis.destination  axis pair
rollaxis.start            int
rollaxis.axis             axis number
expand_dims.axis          axis number
squeeze.axis              axis
broadcast_to.shape        broadcast shape
broadcast_arrays.args     operand
broadcast_shapes.args     two shapes
array_split.indices_or_sections split.indices_or_sections  sections
hsplit.indices_or_sections vsplit.indices_or_sections dsplit.indices_or_sections  sections of 2
meshgrid.xi ix_.args      array1
meshgrid.copy             flag
resize.new_shape          shape
diag.v diagflat.v         array
eye.M tri.M vander.N      count
eye.order                 memory order
vander.x                  array1
tril_indices.m triu_indices.m  count
diag_indices.ndim         skip
indices.dimensions        shape
indices.dtype             dtype
fill_diagonal.a           writable
fill_diagonal.val         item of
fill_diagonal.wrap        flag
linspace.dtype logspace.dtype geomspace.dtype  float dtype
logspace.base             positive scalar
geomspace.start           positive scalar
linspace.axis logspace.axis geomspace.axis  skip
trim_zeros.filt           array1
trim_zeros.trim           trim
trim_zeros.axis           skip
copyto.dst                writable
copyto.src                operand
unravel_index.indices     flat indices
unravel_index.shape       square shape
unravel_index.order       memory order
ravel_multi_index.multi_index  multi index
ravel_multi_index.dims    square shape
ravel_multi_index.order   memory order
ravel_multi_index.mode    skip
array_equal.a1 array_equiv.a1 allclose.a isclose.a  array
array_equal.a2 array_equiv.a2 allclose.b isclose.b  operand
nan_to_num.nan nan_to_num.posinf nan_to_num.neginf  scalar
nan_to_num.copy           skip
unwrap.period unwrap.discont  period
convolve.a correlate.a convolve.v correlate.v  array1
convolve.mode correlate.mode  convolution mode
average.weights           weights
bincount.weights histogram.weights histogram2d.weights  weights
cov.m corrcoef.x          array2
cov.y corrcoef.y          skip
cov.ddof                  int
cov.dtype corrcoef.dtype  float dtype
cov.fweights cov.aweights observation weights
trapezoid.x               skip
trapezoid.dx              positive scalar
diff.n                    count
diff.prepend diff.append  skip
ediff1d.to_end ediff1d.to_begin  scalar
gradient.varargs          spacings
quantile.weights percentile.weights nanquantile.weights nanpercentile.weights  skip
bartlett.M blackman.M hamming.M hanning.M kaiser.M  count
kaiser.beta               real scalar
roots.p                   real1
ndenumerate.arr nditer.op array
ndindex.shape ndindex.args  extents
as_strided.shape as_strided.strides  skip
flip.axis                 axis
normalize_axis_index.axis axis number
normalize_axis_tuple.axis axis pair
normalize_axis_index.ndim normalize_axis_tuple.ndim  count
normalize_axis_index.msg_prefix normalize_axis_tuple.argname  skip
may_share_memory.max_work shares_memory.max_work  skip
normalize_axis_tuple.allow_duplicate  skip
real.val imag.val         array or scalar
iinfo.int_type            integer dtype
isscalar.element          array or scalar
size.a size.axis          array

random.rand.args random.randn.args  extents
random.seed.seed          seed
random.random_sample.size random.ranf.size random.sample.size  size
loc random.lognormal.mean real scalar
scale sigma df dfnum dfden nonc lam kappa mu  positive scalar
random.beta.a random.beta.b random.gamma.shape random.standard_gamma.shape  positive scalar
random.pareto.a random.power.a random.weibull.a positive scalar
random.zipf.a             second real scalar
random.wald.mean          positive scalar
random.binomial.n random.negative_binomial.n random.multinomial.n  positive int
random.binomial.p random.negative_binomial.p random.geometric.p random.logseries.p  probability
pvals                     probabilities
random.dirichlet.alpha    alpha
random.uniform.low        real scalar
random.uniform.high       real scalar
random.randint.low random.random_integers.low  int
random.randint.high random.random_integers.high  count
random.randint.dtype      integer dtype
ngood nbad nsample        positive int
random.triangular.left    real scalar
random.triangular.mode    second real scalar
random.triangular.right   second real scalar
random.choice.a           choice of
random.choice.p           skip
random.permutation.x      permuted
random.shuffle.x          array1
random.multivariate_normal.mean  means
random.multivariate_normal.cov  covariances
random.multivariate_normal.tol check_valid  skip

norm                      fft norm
s device                  skip
fft.fft2.axes fft.ifft2.axes fft.rfft2.axes fft.irfft2.axes  fft axes
pad.pad_width             pad width
pad.mode                  pad mode
pad.constant_values pad.end_values  pad numbers
pad.stat_length           stat length
pad.reflect_type          reflect type
piecewise.x               real
piecewise.condlist        pieces
piecewise.funclist        values of pieces
piecewise.args apply_along_axis.args  no more
vectorize.pyfunc          function of two
vectorize.otypes vectorize.doc  skip
apply_along_axis.func1d   line function
apply_along_axis.axis     axis number
apply_over_axes.func      reducing function
apply_over_axes.axes      reduced axes
rcond                     skip
polyfit.w                 skip
polyfit.cov               covariance
polyfit.full              flag
fromiter.iter             numbers
fromfunction.function     function of places
fromfunction.shape        two extents
mask_indices.n            count
mask_indices.mask_func    triangles
promote_types.type1 promote_types.type2 can_cast.from_ can_cast.to issubdtype.arg1  types
issubdtype.arg2           kinds
isdtype.dtype             classes
isdtype.kind              kinds of dtypes
can_cast.casting          cast
result_type.arrays_and_dtypes common_type.arrays  typed
iterable.y                array or scalar
block.arrays              blocks
busday_offset.dates busday_count.begindates busday_count.enddates is_busday.dates  business days
busday_offset.offsets     int
busday_offset.roll        roll
busday_offset.weekmask busday_count.weekmask is_busday.weekmask  week mask
busday_offset.holidays busday_count.holidays is_busday.holidays  skip
einsum.subscripts         einsum of three
einsum.operands           operand
"""


def _parameters():
    words = sorted({*VALUES, *CHOICES}, key=len, reverse=True)
    table = {}
    for line in filter(None, map(str.strip, _TABLE.splitlines())):
        meaning = next(w for w in words if line.endswith(" " + w))
        for name in line[: -len(meaning)].split():
            table[name] = meaning
    return table


PARAMETERS = _parameters()


def word_of(function, parameter, annotation):
    """The word of one parameter of the function called "numpy.linalg.norm" or "Array.sum"."""
    parts = function.split(".")
    qualified = (".".join([*parts[i:], parameter]) for i in range(len(parts)))
    for key in qualified:
        if key in PARAMETERS:
            return PARAMETERS[key]
    found = annotation if isinstance(annotation, str) else PARAMETERS.get(parameter)
    if found in VALUES or found in CHOICES:
        return found
    wrong = f"{annotation!r} is no word" if isinstance(annotation, str) else "it has no word"
    raise LookupError(
        f"{function}: no samples for parameter {parameter!r}: {wrong}. Annotate it in the library"
        ' with a word of tests/numpy/samples.py (`def solve(a: "square", b: "vector")`), or add a'
        " line to the table there"
    )
