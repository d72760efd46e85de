"""@stencil: kernels of relative indices, compared with loops written out."""

import itertools

import numpy as np
import pytest
from numjit import errors, njit, stencil

LINE = np.arange(8) * 3 % 7
GRID = np.random.default_rng(7).normal(size=(6, 8))
TWO = 2


def same(found, expected):
    assert found.dtype == expected.dtype
    assert found.shape == expected.shape
    np.testing.assert_allclose(found, expected, rtol=1e-14)


class At:
    """An array around one position, for kernels in the interpreter."""

    def __init__(self, array, position):
        self.array, self.position, self.shape = array, position, array.shape

    def __getitem__(self, index):
        index = index if isinstance(index, tuple) else (index,)
        moved = tuple(
            slice(item.start + at, item.stop + at) if isinstance(item, slice) else item + at
            for item, at in zip(index, self.position, strict=True)
        )
        return self.array[moved]


def reference(kernel, neighborhood, cval, dtype, *arguments, relative=None):
    """What a stencil gives; `relative`: how many of the arguments are indexed relatively."""
    arrays = [a for a in arguments if isinstance(a, np.ndarray)]
    relative = len(arrays) if relative is None else relative
    shape = arguments[0].shape
    out = np.full(shape, cval, dtype)
    ranges = [
        range(max(-low, 0), n - max(high, 0))
        for (low, high), n in zip(neighborhood, shape, strict=True)
    ]
    for position in itertools.product(*ranges):
        moved = [At(a, position) if k < relative else a for k, a in enumerate(arguments)]
        out[position] = kernel(*moved)
    return out


def differences(a):
    return a[1] - a[-1]


def laplace(a):
    return a[0, 1] + a[0, -1] + a[1, 0] + a[-1, 0] - 4 * a[0, 0]


def window(a):
    total = 0.0
    for i in range(-3, 1):
        total += a[i]
    return total / 4


def branches(a):
    if a[0] > 3:
        return a[1]
    return a[-1] * 2.5


def two_arrays(x, y, factor):
    return x[-1] * factor + y[2]


# -- results ---------------------------------------------------------------------------------------


def test_one_dimension():
    same(stencil(differences)(LINE), reference(differences, [(-1, 1)], 0, np.int64, LINE))


@pytest.mark.parametrize(
    "dtype, result",
    [("?", "i8"), ("i1", "i8"), ("u2", "u8"), ("f4", "f4"), ("f8", "f8"), ("c8", "c8")],
)
def test_dtype_is_the_kernels(dtype, result):
    wide = LINE.astype(dtype).astype(result)
    expected = np.concatenate([[0], wide[2:] + wide[:-2], [0]]).astype(result)
    same(stencil(lambda x: x[1] + x[-1])(LINE.astype(dtype)), expected)


@pytest.mark.parametrize(
    "view",
    [
        lambda a: a,
        np.asfortranarray,
        lambda a: a[::2, ::3],
        lambda a: a.T,
        lambda a: a[::-1, ::-1],
        lambda a: a[:2],
        lambda a: a[:0],
        lambda a: a[:1, :1],
    ],
)
def test_two_dimensions_in_every_layout(view):
    a = view(GRID)
    same(stencil(laplace)(a), reference(laplace, [(-1, 1)] * 2, 0, float, a))


def test_three_and_four_dimensions():
    a = np.random.default_rng(0).normal(size=(4, 5, 6))
    f = stencil(lambda a: a[0, 0, 1] - a[1, 0, -1] + a[0, 2, 0])
    expected = reference(
        lambda a: a[0, 0, 1] - a[1, 0, -1] + a[0, 2, 0], [(0, 1), (0, 2), (-1, 1)], 0, float, a
    )
    same(f(a), expected)
    b = np.random.default_rng(0).normal(size=(3, 3, 4, 5))
    g = stencil(lambda a: a[0, 0, 0, 1] * a[1, -1, 0, 0])
    same(
        g(b),
        reference(
            lambda a: a[0, 0, 0, 1] * a[1, -1, 0, 0], [(0, 1), (-1, 0), (0, 0), (0, 1)], 0, float, b
        ),
    )


def test_constant_expressions_as_indices():
    f = stencil(lambda a: a[TWO] + a[-TWO + 1] - a[2 * TWO - 3])
    assert f.neighborhood == ((-1, 2),)
    same(f(LINE), reference(lambda a: a[2] + a[-1] - a[1], [(-1, 2)], 0, np.int64, LINE))
    same(stencil(lambda a: a[1] + a[2])(LINE), np.append(LINE[1:-1] + LINE[2:], [0, 0]))


def test_neighborhood():
    f = stencil(neighborhood=((-3, 0),))(window)
    same(f(LINE), reference(window, [(-3, 0)], 0, float, LINE))
    g = stencil(lambda a: np.sum(a[-1:2, 0:2]), neighborhood=((-1, 1), (0, 1)))
    same(g(GRID), reference(lambda a: np.sum(a[-1:2, 0:2]), [(-1, 1), (0, 1)], 0, float, GRID))


def test_control_flow():
    same(stencil(branches)(LINE), reference(branches, [(-1, 1)], 0, float, LINE))


def test_several_arrays_and_scalars():
    f = stencil(two_arrays)
    same(f(LINE, LINE * 2, 3), reference(two_arrays, [(-1, 2)], 0, np.int64, LINE, LINE * 2, 3))
    same(f(LINE, LINE * 2.0, 3), reference(two_arrays, [(-1, 2)], 0, float, LINE, LINE * 2.0, 3))
    longer = np.arange(20)
    same(f(LINE, longer, 3), reference(two_arrays, [(-1, 2)], 0, np.int64, LINE, longer, 3))
    with pytest.raises(ValueError, match="Secondary stencil array has some dimension smaller"):
        f(LINE, LINE[:4], 3)


@pytest.mark.parametrize("names", ["w", ("w",), ["w"]])
def test_standard_indexing(names):
    def weighted(a, w):
        return a[-1] * w[0] + a[0] * w[1]

    f = stencil(weighted, standard_indexing=names)
    w = np.array([2.0, 3.0])
    same(f(LINE, w), reference(weighted, [(-1, 0)], 0, float, LINE, w, relative=1))


def test_array_used_as_a_whole():
    def centred(a):
        return a[0] - a.shape[0] + a.size

    same(stencil(centred)(LINE), LINE)


@pytest.mark.parametrize("cval", [1, 1.5, np.nan, -2, np.float32(3)])
def test_cval(cval):
    f = stencil(lambda a: a[-1] * 0.5, cval=cval)
    same(f(LINE), np.append(cval, LINE[:-1] * 0.5))
    same(stencil("constant", cval=cval)(lambda a: a[-1] * 0.5)(LINE), f(LINE))
    same(stencil(func_or_mode="constant", cval=cval)(lambda a: a[-1] * 0.5)(LINE), f(LINE))


def test_cval_and_the_type_of_results():
    same(stencil(differences, cval=1.5)(LINE)[:1], np.array([1]))
    same(stencil(lambda a: a[1] * 1j, cval=2j)(LINE)[-1:], np.array([2j]))
    for cval in (1j, np.nan, np.inf):
        with pytest.raises(errors.NumbaValueError, match="cval type does not match"):
            stencil(differences, cval=cval)(LINE)
    with pytest.raises(errors.NumbaValueError, match="cval type does not match"):
        stencil(lambda a: a[0] * 0.5, cval=1j)(LINE)


@pytest.mark.parametrize("shape", [(6, 8), (7, 9), (1, 1), (0, 4), (2, 8), (3, 3)])
@pytest.mark.parametrize("cval", [None, 7.0])
def test_out(shape, cval):
    a = np.random.default_rng(0).normal(size=shape)
    options = {} if cval is None else {"cval": cval}
    f = stencil(laplace, **options)
    out = np.full(shape, 5.0)
    assert f(a, out=out) is out
    same(out, reference(laplace, [(-1, 1)] * 2, 5.0 if cval is None else cval, float, a))


def test_out_of_other_dtypes_and_sizes():
    out = np.zeros(8, np.int32)
    stencil(lambda a: a[-1] * 0.5)(LINE, out=out)
    same(out, np.append(0, (LINE[:-1] * 0.5)).astype(np.int32))
    longer = np.full(10, 9)
    stencil(differences)(LINE, out=longer)
    same(longer, np.concatenate([[9], LINE[2:] - LINE[:-2], [9, 9, 9]]))
    with pytest.raises(ValueError, match="out is smaller"):
        stencil(differences)(LINE, out=np.zeros(3))
    with pytest.raises(ValueError, match="another number of dimensions"):
        stencil(differences)(LINE, out=GRID.copy())


def test_functions_called_by_a_kernel():
    @njit
    def mean(x, y):
        return (x + y) / 2

    f = stencil(lambda a: mean(a[-1], a[1]))
    same(f(LINE), reference(lambda a: (a[-1] + a[1]) / 2, [(-1, 1)], 0, float, LINE))
    same(stencil(njit(differences))(LINE), stencil(differences)(LINE))


def test_exceptions_of_a_kernel():
    def careful(a):
        if a[0] == 6:
            raise ValueError("six")
        return a[1]

    f = stencil(careful)
    same(f(np.arange(5)), np.array([1, 2, 3, 4, 0]))
    with pytest.raises(ValueError, match="^six$"):
        f(np.arange(8))


# -- compiled code ---------------------------------------------------------------------------------

laplacian = stencil(laplace)
bordered = stencil(differences, cval=-1)


def test_in_compiled_code():
    @njit
    def steps(a, n):
        for _ in range(n):
            a = a + 0.1 * laplacian(a)
        return a

    expected = GRID
    for _ in range(3):
        expected = expected + 0.1 * reference(laplace, [(-1, 1)] * 2, 0, float, expected)
    same(steps(GRID, 3), expected)


def test_out_in_compiled_code():
    @njit
    def f(a, out):
        bordered(a, out=out)
        return out

    same(f(LINE, np.zeros(8, np.int64)), bordered(LINE))


def test_stencil_of_a_captured_kernel_in_compiled_code():
    inner = stencil(lambda a: 0.5 * (a[-1] + a[1]))
    same(njit(lambda a: inner(a))(LINE), inner(LINE))


def test_stencil_made_in_compiled_code():
    @njit
    def of_lambda(x):
        return stencil(lambda a: 0.5 * (a[-1] + a[1]))(x)

    @njit
    def of_function(x):
        def kernel(a):
            return a[-1] + a[1]

        return stencil(kernel)(x)

    same(of_lambda(LINE), stencil(lambda a: 0.5 * (a[-1] + a[1]))(LINE))
    same(of_function(LINE), stencil(lambda a: a[-1] + a[1])(LINE))


def test_stencil_made_in_compiled_code_captures_local_values():
    @njit
    def weighted(x, c):
        return stencil(lambda a: a[-1] * c)(x)

    @njit
    def decorated(x, c, d):
        @stencil
        def kernel(a):
            return c * a[-1] + d[1] * a[1]

        return kernel(x)

    @njit
    def of_two_arrays(x, y, c):
        def kernel(a, b):
            return a[0, 1] * c + b[-1, 0]

        return stencil(kernel)(x, y)

    @njit
    def into(x, c, out):
        stencil(lambda a: a[-1] * c)(x, out=out)
        return out

    @njit
    def in_a_loop(x, n):
        for i in range(n):
            x = stencil(lambda a: a[-1] + i * a[1])(x)
        return x

    @njit
    def calls_a_captured_function(x):
        def half(v):
            return v / 2

        return stencil(lambda a: half(a[-1]) + half(a[1]))(x)

    for c in (2, 2.5):
        same(weighted(LINE, c), stencil(lambda a: a[-1] * c)(LINE))
        same(into(LINE, c, np.zeros(8)), stencil(lambda a: a[-1] * c)(LINE).astype(float))
        expected = stencil(lambda a, b: a[0, 1] * c + b[-1, 0])(GRID, GRID * 2)
        same(of_two_arrays(GRID, GRID * 2, c), expected)
    d = np.array([5.0, 7.0])
    same(decorated(LINE, 3, d), stencil(lambda a: 3 * a[-1] + 7.0 * a[1])(LINE))
    same(calls_a_captured_function(LINE), stencil(lambda a: a[-1] / 2 + a[1] / 2)(LINE))
    expected = stencil(lambda a: a[-1] + 1 * a[1])(stencil(lambda a: a[-1] + 0 * a[1])(LINE))
    same(in_a_loop(LINE, 2), expected)


# -- errors ----------------------------------------------------------------------------------------


def assign(a):
    a[0] = 1
    return a[1]


def no_constant(a):
    total = 0
    for i in range(-1, 2):
        total += a[i]
    return total


def mixed(a):
    return a[0] + a[0, 1]


@pytest.mark.parametrize(
    "kernel, options, text",
    [
        (assign, {}, "Assignments to arrays passed to stencil kernels is not allowed"),
        (no_constant, {}, "stencil kernel index is not constant, 'neighborhood' option required"),
        (lambda a: np.sum(a[-1:2]), {}, "'neighborhood' option required"),
        (lambda a: a.sum(), {}, "no accesses to relatively indexed arrays"),
        (lambda a: 1, {}, "no accesses to relatively indexed arrays"),
        (mixed, {}, "2 indices where the stencil kernel has 1 before"),
        (laplace, {}, "2 dimensional neighborhood specified for 1 dimensional input array"),
        (laplace, {"neighborhood": ((-1, 1),)}, "1 dimensional neighborhood specified for 2"),
        (differences, {"standard_indexing": ("z",)}, "not present in the stencil kernel"),
        (differences, {"standard_indexing": ("a",)}, "must use relative indexing"),
        (lambda a: a[0.5], {}, "float64"),
        (lambda a, *b: a[0], {}, "parameters of a stencil kernel are plain"),
        (lambda a: (a[0], 1), {}, "cannot be represented as a NumPy dtype"),
    ],
)
def test_wrong_kernels(kernel, options, text):
    f = stencil(kernel, **options)
    with pytest.raises(errors.TypingError, match=text):
        f(LINE)
    with pytest.raises(errors.NumbaError):
        njit(lambda a: f(a))(LINE)


def test_indices_that_are_variables_of_the_kernel():
    @stencil
    def kernel(a):
        c = 1
        d = 2 * c - 3
        return a[-c + 2] - a[d]

    made = kernel(LINE)
    assert (made[1:-1] == LINE[2:] - LINE[:-2]).all() and made[0] == made[-1] == 0

    @njit
    def nested(a):
        @stencil
        def before(a):
            c = 2
            return a[-c + 1]

        return before(a)

    assert (nested(LINE)[1:] == LINE[:-1]).all()

    def changes(a):
        c = 1
        if a[0] > 2:
            c = 2
        return a[-c]

    def counts(a):
        c = 1
        c += 1
        return a[c]

    for wrong in (changes, counts):
        with pytest.raises(errors.NumbaValueError, match="index is not constant"):
            stencil(wrong)(LINE)


def along_line(a):
    return 0.5 * (a[-1] + a[1])


def on_plane(a):
    return 0.5 * (a[-1, 0] + a[0, 1])


def in_space(a):
    return 0.5 * (a[-1, 0, 1] + a[0, 2, 0])


@pytest.mark.parametrize(
    ("function", "shape"),
    [(along_line, (50000,)), (on_plane, (200, 300)), (in_space, (40, 50, 60))],
)
def test_several_threads(function, shape, recwarn):
    kernel = stencil(function, cval=2.5)

    def f(a, out):
        return kernel(a), kernel(a, out=out)

    a, out = np.random.default_rng(3).normal(size=shape), np.zeros(shape)
    threaded = njit(parallel=True)(f)
    expected = njit(f)(a, out.copy())
    for found, wanted in zip(threaded(a, out), expected, strict=True):
        assert np.array_equal(found, wanted)
    assert "@do_scheduling_signed" in threaded.inspect_llvm(threaded.signatures[0])
    assert not recwarn.list


def test_errors_in_several_threads():
    @stencil
    def checked(a):
        if a[0, 1] < 0:
            raise ValueError("negative")
        return a[0, 0]

    f = njit(parallel=True)(lambda a: checked(a))
    a = np.ones((300, 300))
    assert f(a)[5, 5] == 1
    a[200, 100] = -1
    with pytest.raises(ValueError, match="negative"):
        f(a)


def test_a_parameter_with_the_name_of_the_result():
    with pytest.raises(errors.NumbaValueError, match="cannot be named 'out'"):
        stencil(lambda a, out: out * a[1])(LINE, 2.0)


def test_wrong_options():
    with pytest.raises(errors.NumbaValueError, match="Unsupported mode style reflect"):
        stencil("reflect")
    with pytest.raises(errors.NumbaValueError, match="Unknown stencil option size"):
        stencil(size=3)
    with pytest.raises(errors.NumbaValueError, match="cval must be a number"):
        stencil(cval="x")
    for wrong in (3, ((1,),), ((2, -2),), (), ((0.5, 1),)):
        with pytest.raises(errors.NumbaValueError, match="a lowest and a highest index"):
            stencil(neighborhood=wrong)
    with pytest.raises(TypeError, match="not a function"):
        stencil(3)


def test_wrong_calls():
    f = stencil(two_arrays)
    for arguments in ((), (LINE,), (LINE, LINE, 1, 2)):
        with pytest.raises(TypeError, match="3 positional arguments: x, y, factor"):
            f(*arguments)
    with pytest.raises(TypeError, match="y: the stencil kernel indexes this parameter relatively"):
        f(LINE, 3, 3)
