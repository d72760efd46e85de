"""@vectorize: ufuncs as NumPy's, from Python and from compiled code."""

import pickle
import signal
import threading
import warnings

import numpy as np
import pytest
from numjit import (
    DUFunc,
    errors,
    float32,
    float64,
    from_dtype,
    guvectorize,
    int32,
    int64,
    njit,
    vectorize,
)
from numjit.errors import TypingError


def plus(x, y):
    return x + y


def clipped(x, low, high):
    return min(max(x, low), high)


def refuse_large(x):
    if x > 2:
        raise ValueError("too large")
    return x * 2


@vectorize
def add(x, y):
    "Sum of two."
    return x + y


RNG = np.random.default_rng(3)
A = RNG.normal(size=(7, 9))
B = RNG.normal(size=(7, 9))


def same(found, expected):
    found, expected = np.asarray(found), np.asarray(expected)
    assert found.dtype == expected.dtype
    assert found.shape == expected.shape
    np.testing.assert_array_equal(found, expected)


# -- what it is ------------------------------------------------------------------------------------


def test_has_the_attributes_of_a_ufunc():
    f = vectorize([float32(float32, float32), float64(float64, float64)], identity=0)(plus)
    assert (f.nin, f.nout, f.nargs, f.ntypes) == (2, 1, 3, 2)
    assert f.types == ["ff->f", "dd->d"]
    assert f.identity == 0
    assert f.signature is None
    assert f.__name__ == "plus" and f.__doc__ is plus.__doc__
    assert isinstance(f, DUFunc) and isinstance(f.ufunc, np.ufunc)
    assert f.build_ufunc() is f
    assert add.__doc__ == "Sum of two."
    assert f.py_func is plus


@pytest.mark.parametrize(
    "signatures",
    ["f8(f8, f8)", ["f8(f8, f8)"], [float64(float64, float64)], [(float64, float64)]],
)
def test_signatures_in_every_form(signatures):
    f = vectorize(signatures)(plus)
    assert f.types == ["dd->d"]
    same(f(A, B), A + B)


# -- dtypes ----------------------------------------------------------------------------------------


def test_loops_added_by_the_name_that_programs_for_numba_use():
    f = vectorize(lambda x, y: x + y)
    f._compile_for_argtys((int32, int32))
    f._compile_for_argtys([float64, float64], float32)
    assert f.types == ["ii->l", "dd->f"]
    assert f(np.int32(1), np.int32(2)) == 3
    assert f(0.1, 0.2).dtype == np.float32


def test_first_safe_signature_counts():
    narrow = vectorize([int32(int32, int32), int64(int64, int64), float64(float64, float64)])(plus)
    assert narrow(np.int8(1), np.int16(2)).dtype == np.int32
    assert narrow(np.uint32(1), np.int8(2)).dtype == np.int64
    assert narrow(np.float32(1), np.int8(2)).dtype == np.float64
    wide = vectorize([float64(float64, float64), int32(int32, int32)])(plus)
    assert wide(np.int8(1), np.int8(2)).dtype == np.float64
    with pytest.raises(TypeError, match="could not be safely coerced"):
        narrow(1j, 2)


def test_loops_for_new_dtypes():
    f = vectorize(plus)
    assert f.types == [] and f.is_dynamic
    same(f(1, 2), 3)
    same(f(1.5, 2), 3.5)  # not the loop for int64, nor int64 taken for float64
    same(f(1, 2), 3)
    same(f(np.float32(1), np.float32(2)), np.float32(3))
    same(f(np.arange(3, dtype=np.int8), np.ones(3, np.complex64)), np.array([1, 2, 3], "c8"))
    same(f(np.array([True]), np.array([True])), np.array([2]))
    assert f.types == ["ll->l", "dl->d", "ff->f", "bF->F", "??->l"]
    f.disable_compile()
    assert not f.is_dynamic
    same(f(np.int8(1), np.int8(2)), 3)
    assert len(f.types) == 5


def test_python_sequences_and_numbers():
    same(add([1, 2], (3, 4)), np.array([4, 6]))
    same(add([[1.5], [2]], [1, 2]), np.array([[2.5, 3.5], [3, 4]]))
    same(add(True, 2**40), np.int64(2**40 + 1))


def test_types_that_have_no_loop():
    for value in ("a", None, np.array([None]), np.array(["x"])):
        with pytest.raises(TypeError):
            add(value, 1)
    with pytest.raises(TypeError):
        add(1)
    with pytest.raises(TypeError):
        add(1, 2, unknown=3)


def test_results_that_are_no_numbers():
    with pytest.raises(errors.NumbaNotImplementedError, match="none cannot be represented"):
        vectorize(lambda x: None)(1.0)
    with pytest.raises(TypeError, match="No conversion from UniTuple"):
        vectorize(["f8(f8)"])(lambda x: (x, x))
    with pytest.raises(TypeError, match="No conversion from complex128 to float64"):
        vectorize(["f8(c16)"])(lambda x: x)


@pytest.mark.parametrize("dtype", ["?", "i1", "u1", "i4", "u8", "f4", "f8", "c8", "c16"])
def test_every_dtype_in_every_layout(dtype):
    chosen = vectorize(lambda condition, x, y: x if condition else y)
    x = (RNG.normal(size=(6, 10)) * 5).astype(dtype)
    y = x[::-1].copy()
    c = x != 0
    variants = [lambda a: a, lambda a: a[::2, ::3], lambda a: a.T, lambda a: a[:, ::-1]]
    for view in variants:
        same(chosen(view(c), view(x), view(y)), np.where(view(c), view(x), view(y)))
    same(chosen(c[0], x, y[0, 0]), np.where(c[0], x, y[0, 0]))
    swapped = x.astype(x.dtype.newbyteorder())
    same(chosen(c, swapped, y), np.where(c, x, y))
    same(chosen(c[:0], x[:0], y[:0]), x[:0])


# -- keywords and methods --------------------------------------------------------------------------


def test_out_where_dtype_casting():
    f = vectorize(["f4(f4, f4)", "f8(f8, f8)"])(plus)
    out = np.full(A.shape, 9.0)
    assert f(A, B, out) is out
    same(out, A + B)
    assert f(A, B, out=out, where=A > 0) is out
    kept = np.full(A.shape, 9.0)
    same(f(A, B, out=kept, where=A > 0), np.where(A > 0, A + B, 9.0))
    assert f(1, 2, dtype=np.float32).dtype == np.float32
    assert f(1.0, 2.0, signature="ff->f", casting="same_kind").dtype == np.float32
    with pytest.raises(TypeError, match="same_kind"):
        f(A, B, out=np.zeros(A.shape, np.int64))
    same(f(A, B, out=np.zeros(A.shape, np.int64), casting="unsafe"), (A + B).astype(np.int64))


def test_memory_that_overlaps():
    line = np.arange(20.0)
    expected = line[:-1] + line[1:]
    add(line[:-1], line[1:], out=line[1:])
    same(line[1:], expected)
    line = np.arange(20.0)
    add(line, line[::-1], out=line)
    same(line, np.full(20, 19.0))


def test_reductions():
    f = vectorize(["i8(i8, i8)", "f8(f8, f8)"], identity=0)(plus)
    np.testing.assert_allclose(f.reduce(A), A.sum(0))
    np.testing.assert_allclose(f.reduce(A, axis=1, keepdims=True), A.sum(1, keepdims=True))
    np.testing.assert_allclose(f.reduce(A, axis=None), A.sum())
    same(f.reduce(np.arange(10)), 45)
    same(f.reduce(np.arange(0)), 0)
    same(f.reduce(np.arange(10), initial=5), 50)
    same(f.reduce(np.arange(10), where=np.arange(10) > 7), 17)
    np.testing.assert_allclose(f.accumulate(A, axis=1), np.add.accumulate(A, axis=1))
    same(f.reduceat(np.arange(10), [0, 3, 7]), np.add.reduceat(np.arange(10), [0, 3, 7]))
    same(f.outer(np.arange(3), np.arange(4)), np.add.outer(np.arange(3), np.arange(4)))
    counts = np.zeros(4)
    f.at(counts, [0, 1, 1, 3], 1.0)
    same(counts, np.array([1.0, 2, 0, 1]))


def test_reductions_of_new_dtypes():
    f = vectorize(lambda x, y: x if x > y else y)
    same(f.reduce(np.array([3, 9, 2], np.int8)), np.int8(9))
    same(f.accumulate(np.array([3.0, 9, 2], "f4")), np.array([3, 9, 9], "f4"))
    same(f.reduceat(np.array([3, 9, 2]), [0, 2]), np.array([9, 2]))
    same(f.outer(np.arange(2), np.arange(3.0)), np.maximum.outer(np.arange(2), np.arange(3.0)))
    same(vectorize(plus).reduce(np.full(200, 100, np.int8)), 20000)  # added as int64
    values = np.zeros(2, np.float32)
    f.at(values, [1, 1], np.float32(4))
    same(values, np.array([0, 4], np.float32))


def test_single_elements_after_a_reduction():
    f = vectorize(lambda x, y: x - y)
    same(f.reduce(np.array([9.0, 2.0, 4.0])), 3.0)
    same(f(5.0, 3.0), 2.0)
    same(f(np.array([5.0]), np.array([3.0])), np.array([2.0]))


def test_order_of_a_reduction_is_kept():
    f = vectorize(["f8(f8, f8)"])(lambda x, y: x * 0.5 + y)
    expected = 0.0
    for x in A[0]:
        expected = expected * 0.5 + x
    same(f.reduce(np.concatenate([[0.0], A[0]])), expected)


@pytest.mark.parametrize("identity", [0, 1, "reorderable", None])
def test_identity(identity):
    f = vectorize(["f8(f8, f8)"], identity=identity)(plus)
    assert f.identity == (None if identity == "reorderable" else identity)
    if identity is None:
        with pytest.raises(ValueError, match="not reorderable"):
            f.reduce(A, axis=(0, 1))
    else:
        np.testing.assert_allclose(f.reduce(A, axis=(0, 1)), A.sum() + (f.identity or 0))
    if identity in (None, "reorderable"):
        with pytest.raises(ValueError, match="no identity"):
            f.reduce(np.zeros(0))
    else:
        same(f.reduce(np.zeros(0)), np.float64(identity))


def test_wrong_arguments_of_the_decorator():
    with pytest.raises(ValueError, match="Invalid identity value 'x'"):
        vectorize(["f8(f8)"], identity="x")
    with pytest.raises(ValueError, match="Unsupported target: gpu"):
        vectorize(["f8(f8)"], target="gpu")
    with pytest.raises(KeyError, match="Unrecognized options"):
        vectorize(["f8(f8)"], fastmaths=True)(plus)
    with pytest.raises(TypeError, match="Signature mismatch"):
        vectorize(["f8(f8)"])(plus)
    with pytest.raises(TypeError, match="not a function"):
        vectorize(["f8(f8)"])(3)
    for function in (lambda: 1, lambda *x: 1, lambda x, *, y: 1):
        unusable = vectorize(function)  # a package may decorate all that it has
        with pytest.raises(TypeError, match="must take a fixed number of arguments"):
            unusable(1.0)
        with pytest.raises(TypeError, match="fixed number of arguments|Signature mismatch"):
            vectorize(["f8(f8)"])(function)

        with pytest.raises(TypingError, match="must take a fixed number of arguments"):
            njit(lambda x: unusable(x))(1.0)


@pytest.mark.parametrize("target", ["cpu", "parallel"])
def test_targets_and_options(target):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        f = vectorize(["f8(f8, f8)"], target=target, nopython=True, cache=True, fastmath=True)(plus)
    same(f(A, B), A + B)
    same(vectorize(target=target)(plus)(A, B), A + B)
    same(vectorize(["f8(f8, f8)"])(njit(plus))(A, B), A + B)


LONG = RNG.normal(size=(60, 1001))
PARALLEL = vectorize(["f8(f8, f8)"], target="parallel", identity=0)(lambda x, y: x * 0.5 + y)


@pytest.mark.parametrize(
    "x, y",
    [
        (LONG, LONG * 3),
        (LONG[:, 1::-2], LONG[:, :1]),
        (LONG[:, :-1:2], LONG[:, ::-2][:, 1:]),
        (LONG.T, LONG.T.copy()),
        (LONG, 2.5),
        (LONG, LONG[0]),
        (LONG[:, :1], LONG),
        (LONG.astype("f4"), np.arange(1001)),
    ],
)
def test_several_threads(x, y):
    same(PARALLEL(x, y), np.asarray(x, "f8") * 0.5 + np.asarray(y, "f8"))


def test_steps_that_wait_for_each_other_stay_in_one_thread():
    line = LONG.ravel()
    expected = line.copy()
    for i in range(1, len(expected)):
        expected[i] = expected[i - 1] * 0.5 + expected[i]
    same(PARALLEL.accumulate(line), expected)
    first = line.copy()
    PARALLEL(first[:-1], first[1:], out=first[1:])
    same(first[1:], line[:-1] * 0.5 + line[1:])
    same(PARALLEL.reduce(line), expected[-1])


def test_reductions_over_rows_in_several_threads():
    expected = LONG[0]
    for row in LONG[1:]:
        expected = expected * 0.5 + row
    same(PARALLEL.reduce(LONG, axis=0, initial=0.0), expected)


def test_warnings_and_exceptions_of_several_threads():
    divide = vectorize(["f8(f8, f8)"], target="parallel")(lambda x, y: x / y)
    y = np.ones(100_000)
    y[-1] = 0
    with pytest.warns(RuntimeWarning, match="divide by zero"):
        divide(1.0, y)
    refuse = vectorize(["f8(f8)"], target="parallel")(refuse_large)
    for at in (0, 50_000, 99_999):
        x = np.zeros(100_000)
        x[at] = 3
        with pytest.raises(ValueError, match="too large"):
            refuse(x)


# -- errors ----------------------------------------------------------------------------------------


def test_the_first_signature_that_takes_the_arguments_counts():
    wide_first = vectorize(["f8(f8, f8)", "i8(i8, i8)"])(plus)
    narrow_first = vectorize(["i8(i8, i8)", "f8(f8, f8)"])(plus)
    ints, floats = np.arange(3), np.arange(3, dtype=np.float32)
    assert wide_first.types == ["dd->d", "ll->l"] and wide_first.ntypes == 2
    for f, dtype in ((wide_first, np.float64), (narrow_first, np.int64)):
        assert f(ints, ints).dtype == njit(lambda a, f=f: f(a, a))(ints).dtype == dtype
        assert f(floats, ints).dtype == np.float64
        assert list(f(ints, ints)) == [0, 2, 4]


@pytest.mark.parametrize("signatures", [["f8(f8)"], ()])
def test_exceptions_reach_the_caller(signatures):
    f = vectorize(signatures)(refuse_large)
    same(f(np.arange(3.0)), np.arange(3.0) * 2)
    with pytest.raises(ValueError, match="^too large$") as raised:
        f(np.arange(5.0))
    assert raised.traceback[-1].name == "refuse_large"
    with pytest.raises(ValueError, match="too large"):
        f(np.arange(1000.0).reshape(10, 100)[:, ::2])  # NumPy calls the loop for each row
    same(f(1.0), 2.0)
    same(f(np.zeros((10, 100))[:, ::2]), np.zeros((10, 50)))
    if signatures:
        with pytest.raises(ValueError, match="too large"):
            f.at(np.arange(5.0), [0, 4])


def test_exceptions_of_reductions():
    def careful(x, y):
        if y < 0:
            raise OverflowError("negative")
        return x + y

    f = vectorize(["f8(f8, f8)"], identity=0)(careful)
    same(f.reduce(np.ones(10)), 10.0)
    with pytest.raises(OverflowError, match="negative"):
        f.reduce(np.array([1.0, -1.0, 2.0]))
    with pytest.raises(OverflowError, match="negative"):
        f.outer(np.ones(3), -np.ones(3))


def test_signals_end_a_loop():
    def handler(*_):
        raise KeyboardInterrupt

    def count(x):
        while x > 0:  # until it wraps
            x += 2
        return x

    f = vectorize(["i8(i8)"])(count)
    same(f(-1), -1)
    old = signal.signal(signal.SIGALRM, handler)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.2)
        with pytest.raises(KeyboardInterrupt):
            f(np.ones(1000, np.int64))
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, old)
    same(f(-1), -1)


def test_division_by_zero_is_numpys():
    f = vectorize(["f8(f8, f8)", "i8(i8, i8)"])(lambda x, y: x // y)
    with np.errstate(all="ignore"):
        same(f(1, 0), np.float64(np.inf))
    g = vectorize(lambda x, y: x // y)
    same(g(1, 0), 0)
    h = vectorize(["f8(f8, f8)"])(lambda x, y: x / y)
    with np.errstate(all="raise"), pytest.raises(FloatingPointError, match="divide by zero"):
        h(np.ones(3), np.zeros(3))


def test_objects_that_override_ufuncs():
    class Recorder:
        def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
            return ufunc.__name__, method, len(inputs)

    f = vectorize(["f8(f8, f8)"])(plus)
    assert f(1.0, Recorder()) == ("plus", "__call__", 2)
    assert f.reduce(Recorder()) == ("plus", "reduce", 1)
    masked = np.ma.masked_array([1.0, 2, 3], [False, True, False])
    assert add(masked, 1.0).tolist() == [2.0, None, 4.0]


# -- pickles and threads ---------------------------------------------------------------------------


def test_pickles():
    assert pickle.loads(pickle.dumps(add)) is add
    f = vectorize(["f4(f4, f4)", "f8(f8, f8)"], identity=1)(lambda x, y: x * y)
    copy = pickle.loads(pickle.dumps(f))
    assert copy.types == f.types and copy.identity == 1
    same(copy(A, B), A * B)
    lazy = pickle.loads(pickle.dumps(vectorize(lambda x, y: x * y)))
    same(lazy(A, B), A * B)


def test_threads_share_a_ufunc():
    f = vectorize(clipped)
    results = {}

    def work(number):
        dtype = ("f4", "f8", "i8")[number % 3]
        x = np.arange(1000, dtype=dtype)
        for _ in range(20):
            results[number] = f(x, x.dtype.type(5), x.dtype.type(number + 10))

    threads = [threading.Thread(target=work, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for number, result in results.items():
        same(result, np.clip(np.arange(1000, dtype=result.dtype), 5, number + 10))
    assert len(results) == 6 and len(f.types) == 3


# -- compiled code ---------------------------------------------------------------------------------

fixed = vectorize([float32(float32, float32), float64(float64, float64)])(plus)


@njit
def call_lazy(x, y):
    return add(x, y)


@njit
def call_fixed(x, y):
    return fixed(x, y)


@pytest.mark.parametrize(
    "x, y",
    [
        (A, B),
        (A, 2.5),
        (A, B[0]),
        (A[:, ::2], B.T[1, 0]),
        (np.arange(7.0)[:, None], np.arange(9)),
        (np.arange(5, dtype=np.int8), np.ones(5, np.float32)),
        (A.T, B.T),
    ],
)
def test_arrays_in_compiled_code(x, y):
    same(call_lazy(x, y), np.add(x, y))
    same(call_fixed(x, y), fixed(x, y))


def test_scalars_in_compiled_code():
    assert call_lazy(1, 2) == 3 and isinstance(call_lazy(1, 2), int)
    assert call_lazy(1.5, 2) == 3.5
    assert call_fixed(1, 2) == 3.0 and isinstance(call_fixed(1, 2), float)
    with pytest.raises(TypeError, match="could not be safely cast"):
        call_fixed(1j, 2)
    with pytest.raises(TypeError, match="missing 1 required positional argument"):
        njit(lambda x: add(x))(1.0)


def test_shapes_that_do_not_fit_in_compiled_code():
    with pytest.raises(ValueError, match="broadcast"):
        call_lazy(np.ones(3), np.ones(4))


@njit
def fused(x, y):
    return np.sum(add(x * 2.0, y) - 1.0)


def test_expressions_with_ufuncs_are_one_loop():
    assert np.isclose(fused(A, B), np.sum(A * 2 + B - 1))
    (text,) = fused.inspect_llvm().values()
    root = text[: text.index("\n}")]
    assert "numjit_new_block" not in root and "nj_alloc" not in root


def test_out_in_compiled_code():
    @njit
    def positional(x, y, out):
        return add(x, y, out)

    @njit
    def keyword(x, y, out):
        add(x, y, out=out)

    out = np.zeros(A.shape)
    same(positional(A, B, out), A + B)
    same(out, A + B)
    keyword(out, A, out)
    same(out, A + B + A)
    line = np.arange(10.0)
    keyword(line[:-1], line[1:], line[1:])
    same(line[1:], np.arange(1.0, 18, 2))


def test_exceptions_in_compiled_code():
    f = vectorize(refuse_large)

    @njit
    def g(x):
        return f(x).sum()

    assert g(np.ones(4)) == 8
    with pytest.raises(ValueError, match="too large"):
        g(np.arange(5.0))


@pytest.mark.parametrize("axis", [0, 1, -1])
def test_axes_of_reductions_in_compiled_code(axis):
    minus = vectorize(lambda x, y: x - y)
    f = njit(lambda x: (minus.reduce(x, axis), np.subtract.reduce(x, axis)))
    for found in f(A):
        np.testing.assert_allclose(found, np.subtract.reduce(A, axis))
    f = njit(lambda x: minus.reduce(x, axis=None))
    with pytest.raises(TypeError, match="not reorderable"):
        f(A)
    f = njit(lambda x: minus.reduce(x, where=x > 0))
    with pytest.raises(TypeError, match="take no `where`"):
        f(A)


def test_reduce_in_compiled_code():
    @njit
    def g(x):
        return add.reduce(x), add.reduce(x, initial=10.0)

    assert g(np.arange(5.0)) == (10.0, 20.0)
    rows, shifted = g(A)
    np.testing.assert_allclose(rows, A.sum(0))
    np.testing.assert_allclose(shifted, A.sum(0) + 10)
    with pytest.raises(ValueError, match="no identity"):
        njit(lambda x: add.reduce(x))(np.zeros(0))


def test_ufunc_as_argument_and_ufunc_in_ufunc():
    @njit
    def apply(f, x):
        return f(x, x)

    same(apply(add, A), A + A)
    twice = vectorize(["f8(f8)"])(lambda x: add(add(x, x), 1.0))
    same(twice(A), A + A + 1)


def test_at():
    @njit
    def f(a, where, b):
        add.at(a, where, b)
        np.multiply.at(a, where, 2)
        return a

    def expected(a, where, b):
        np.add.at(a, where, b)
        np.multiply.at(a, where, 2)
        return a

    rows = np.arange(12.0).reshape(3, 4)
    for a, where, b in (
        (np.arange(5.0), np.array([0, 1, 1, -1]), np.array([1.0, 2.0, 3.0, 4.0])),
        (np.arange(5.0), np.array([[0, 0], [0, 1]]), 1.5),
        (np.arange(5.0), np.arange(5) > 2, 1.5),
        (np.arange(5.0)[::2], slice(1, None), np.array([1.0, 2.0])),
        (np.arange(5.0), 3, 1.0),
        (rows, np.array([2, 2]), np.arange(4.0)),
        (rows.T, (np.array([0, 0]), np.array([1, 1])), 1.0),
        (np.arange(5.0), np.zeros(0, np.int64), 1.0),
    ):
        np.testing.assert_array_equal(f(a.copy(), where, b), expected(a.copy(), where, b))
    with pytest.raises(IndexError, match="index 5 is out of bounds for axis 0 with size 5"):
        f(np.zeros(5), np.array([0, 5]), 1.0)

    @njit
    def unary(a, where):
        np.negative.at(a, where)
        return a

    assert unary(np.arange(3), np.array([1, 2, 2])).tolist() == [0, -1, 2]


RECORD = np.dtype([("a", np.int32), ("b", np.float64)])


@pytest.mark.parametrize("signatures", [True, False])
def test_records(signatures):
    def product(r, x):
        return r.a * r.b + x

    given = [float64(from_dtype(RECORD), float64)] if signatures else []
    f = vectorize(given)(product) if signatures else vectorize(product)
    a = np.zeros((2, 3), RECORD)
    a["a"] = np.arange(6).reshape(2, 3)
    a["b"] = 2.5
    for r in (a, a[:, ::2], a.T, a[0, 1]):
        np.testing.assert_array_equal(f(r, 1.0), r["a"] * r["b"] + 1.0)
    out = np.zeros((2, 3))
    assert f(a, 1.0, out) is out
    np.testing.assert_array_equal(out, a["a"] * 2.5 + 1)
    np.testing.assert_array_equal(njit(lambda a: f(a, 1.0))(a), out)
    again = pickle.loads(pickle.dumps(f))
    np.testing.assert_array_equal(again(a, 1.0), out)


def test_records_are_told_apart_by_their_fields():
    @vectorize
    def first(r):
        return r[0]

    a, b = np.ones(2, [("x", "i8"), ("y", "f8")]), np.ones(2, [("x", "f8"), ("y", "i8")])
    assert first(a).dtype == np.int64 and first(b).dtype == np.float64
    assert first(a).dtype == np.int64


def test_results_that_are_other_records_are_refused():
    record, other = from_dtype(RECORD), from_dtype(np.dtype([("z", np.int8)]))
    with pytest.raises(TypingError, match="No conversion"):
        vectorize([other(record)])(lambda r: r)


DAYS = np.array(["2020-01-02", "2020-01-05", "NaT"], "M8[D]")


@vectorize
def apart(x, y):
    return x - y


def same_times(got, wanted):
    assert type(got) is type(wanted) and got.dtype == wanted.dtype
    assert np.shape(got) == np.shape(wanted)
    assert (np.asarray(got).view("i8") == np.asarray(wanted).view("i8")).all()


def test_times():
    """Each unit has a loop of its own; NumPy sees their numbers."""
    for x, y in (
        (DAYS, DAYS[0]),
        (DAYS[:, None], DAYS),
        (DAYS[::-2], DAYS[::2]),
        (DAYS.astype("M8[s]"), DAYS),
        (DAYS[1], DAYS[0]),
        (DAYS - DAYS[0], np.timedelta64(5, "h")),
    ):
        same_times(apart(x, y), x - y)
        if np.ndim(x):
            same_times(njit(lambda x, y: apart(x, y))(x, y), x - y)
    assert apart(5, 3) == 2  # numbers, too


def test_times_with_signatures_and_out():
    @vectorize(["NPTimedelta('D')(NPDatetime('D'), NPDatetime('D'))", "float64(float64, float64)"])
    def distance(x, y):
        return x - y

    same_times(distance(DAYS, DAYS[0]), DAYS - DAYS[0])
    same_times(distance(DAYS.astype("M8[M]"), DAYS), DAYS.astype("M8[M]") - DAYS)
    assert distance(2.5, 1) == 1.5
    out = np.zeros(3, "m8[D]")
    assert distance(DAYS, DAYS[0], out=out) is out
    same_times(out, DAYS - DAYS[0])
    with pytest.raises(TypeError, match="an output has dtype"):
        distance(DAYS, DAYS, out=np.zeros(3, "m8[s]"))


def test_times_are_made_and_read():
    made = vectorize(lambda n: np.timedelta64(n, "D"))
    same_times(made(np.arange(3)), np.arange(3).astype("m8[D]"))
    hours = vectorize(lambda x: x / np.timedelta64(1, "h"))
    assert hours(np.arange(3).astype("m8[D]")).tolist() == [0.0, 24.0, 48.0]


def test_times_in_gufuncs():
    @guvectorize("(n)->()")
    def span(x, result):
        result[()] = x[-1] - x[0]

    days = np.stack([DAYS[:2], DAYS[1::-1]])
    out = np.zeros(2, "m8[D]")
    span(days, out)
    same_times(out, days[:, 1] - days[:, 0])
