"""Operators, ufuncs and reductions of device arrays against NumPy."""

import operator

import numjit.cupy as cp
import numpy as np
import pytest
from gpuarrays.arrays import DTYPES, INTEGERS, both, check, layouts, sample

OPERATORS = [
    operator.add, operator.sub, operator.mul, operator.truediv, operator.floordiv, operator.mod,
    operator.lt, operator.eq, operator.and_, operator.lshift, divmod,
]  # fmt: skip
pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")


@pytest.mark.parametrize("one", DTYPES)
def test_operators_promote_as_numpy(one):
    a = sample(one)
    for other in DTYPES:
        b = sample(other, seed=1)
        if np.dtype(other).kind in "iu":
            b = np.where(b == 0, 3, b).astype(other)
        for operation in (operator.add, operator.mul, operator.lt):
            both(lambda xp, a, b: operation(a, b), a, b)


@pytest.mark.parametrize("operation", OPERATORS, ids=lambda f: f.__name__)
def test_operators(operation):
    for dtype in ["i4", "u1", "f4", "c16", "?"]:
        a, b = sample(dtype), np.abs(sample(dtype, (4,), seed=1)) + np.ones(4, dtype)
        b = b.astype(dtype)
        both(lambda xp, a, b: operation(a, b), a, b)
        both(lambda xp, a, b: operation(b, a), abs(a) + a.dtype.type(1), b)
        for number in (2, 2.5, 1j, True, np.float32(3), np.int64(5)):
            both(lambda xp, a: operation(a, number), a)
            both(lambda xp, a: operation(number, a), np.abs(a) + a.dtype.type(1))


@pytest.mark.parametrize("number", [300, -1, 2**40])
def test_python_integers_that_do_not_fit(number):
    for dtype in INTEGERS:
        both(lambda xp, a: a + number, sample(dtype))
        both(lambda xp, a: a < number, sample(dtype))


UFUNCS = [
    name for name in dir(np)
    if isinstance(getattr(np, name), np.ufunc) and getattr(np, name).signature is None
    and name not in ("isnat", "frompyfunc", "spacing")
]  # fmt: skip


@pytest.mark.parametrize("name", UFUNCS)
def test_ufuncs(name):
    function = getattr(np, name)
    for dtype in ["?", "i2", "u4", "f2", "f4", "f8", "c8"]:
        try:
            function.resolve_dtypes((np.dtype(dtype),) * function.nin + (None,) * function.nout)
        except TypeError:
            with pytest.raises(TypeError):
                getattr(cp, name)(*[cp.array(sample(dtype))] * function.nin)
            continue
        a, b = np.abs(sample(dtype)) + np.ones((), dtype), np.abs(sample(dtype, seed=3))
        if name in ("arcsin", "asin", "arccos", "acos", "arctanh", "atanh"):
            a = (a / 8).astype(dtype)
        if np.dtype(dtype).kind in "iu":
            b = np.maximum(b, 1).astype(dtype)
        arrays = (a.astype(dtype), b.astype(dtype))[: function.nin]
        with np.errstate(all="ignore"):
            want = function(*arrays)
        result = np.asarray(want[0] if isinstance(want, tuple) else want).dtype
        rtol = {"e": 4e-3, "f": 2e-5, "F": 2e-5}.get(result.char, 1e-11)
        check(getattr(cp, name)(*map(cp.array, arrays)), want, rtol)
        check(function(*map(cp.array, arrays)), want, rtol)


def test_layouts_and_broadcasting():
    a = sample("f8", (3, 4))
    for host, device in layouts(a):
        check(device * 2 + 1, host * 2 + 1)
        check(device + device[:1], host + host[:1])
        check(device[:, None] - device[None, :, :1], host[:, None] - host[None, :, :1])
        check(device.sum(axis=0), host.sum(axis=0))
        check(device.astype("f4"), host.astype("f4"))


@pytest.mark.parametrize("shape", [(), (0,), (3, 0), (1,), (1, 1, 1)])
def test_empty_and_0d(shape):
    for dtype in ("i4", "f8"):
        a = np.ones(shape, dtype)
        both(lambda xp, a: a + a * 2, a)
        both(lambda xp, a: a.sum(), a)
        both(lambda xp, a: a.max(), a)
        both(lambda xp, a: a.sum(axis=-1), a)
        both(lambda xp, a: xp.sort(a), a)


def test_out_where_dtype():
    a, b = sample("f8"), sample("f8", seed=2)
    out = np.zeros((3, 4), "f4")
    device = cp.zeros((3, 4), "f4")
    assert cp.add(cp.array(a), cp.array(b), out=device) is device
    check(device, np.add(a, b, out=out))
    mask = a > 1
    check(
        cp.multiply(cp.array(a), 2, out=cp.array(b), where=cp.array(mask)),
        np.multiply(a, 2, out=b.copy(), where=mask),
    )
    both(lambda xp, a: xp.add(a, 1, dtype="f4"), a)
    both(lambda xp, a: xp.add(a, 1.5, out=xp.zeros((3, 4), "i4")), a)
    both(lambda xp, a: xp.add(a, 1.5, out=xp.zeros((2, 4))), a)
    both(lambda xp, a: a + xp.ones(3), a)


REDUCTIONS = (
    "sum prod max min all any mean var std argmax argmin ptp count_nonzero cumsum cumprod nansum "
    "nanmax median"
).split()


@pytest.mark.parametrize("name", REDUCTIONS)
def test_reductions(name):
    axes = [None, 0, 1, -1]
    if name not in ("argmax", "argmin", "cumsum", "cumprod"):
        axes.append((0, 2))
    dtypes = ["?", "i1", "u4", "f2", "f8", "c8"]
    if name in ("ptp", "median", "nanmax"):
        dtypes = ["i8", "f4", "f8"]
    for dtype in dtypes:
        a = sample(dtype, (3, 4, 2))
        for axis in axes:
            want = getattr(np, name)(a, axis=axis)
            rtol = 1e-2 if np.asarray(want).dtype == np.float16 else 1e-5
            check(getattr(cp, name)(cp.array(a), axis=axis), want, rtol)
    a = sample("f8", (3, 4))
    if name not in ("cumsum", "cumprod"):
        both(lambda xp, a: getattr(xp, name)(a, axis=0, keepdims=True), a)
    both(lambda xp, a: getattr(xp, name)(a, axis=2), a)
    both(lambda xp, a: getattr(xp, name)(a[:0], axis=1), a)


@pytest.mark.parametrize("shape", [(70000,), (3, 9000), (9000, 3), (40, 41, 42)])
def test_large_reductions(shape):
    """By blocks, by threads, and in parts."""
    a = sample("f8", shape)
    for axis in (None, *range(len(shape))):
        for name in ("sum", "max", "argmin", "std"):
            both(lambda xp, a: getattr(xp, name)(a, axis=axis), a)
        both(lambda xp, a: (a * 2 - 1).sum(axis=axis), a)
        both(lambda xp, a: xp.cumsum(a, axis=axis), a)
    both(lambda xp, a: a.T.sum(axis=0), a)


def test_nan_and_infinity():
    a = np.array([1.0, np.nan, -np.inf, np.inf, 0.0, -0.0])
    for name in ("max", "min", "argmax", "argmin", "sort", "argsort", "nanmax", "nansum", "unique",
                 "isnan", "nan_to_num", "sign", "rint"):  # fmt: skip
        both(lambda xp, a: getattr(xp, name)(a), a)


def test_reductions_of_expressions_with_where_and_initial():
    a = sample("f8")
    both(lambda xp, a: xp.sum(a * a + 1, axis=0, where=a > 0), a)
    both(lambda xp, a: xp.max(a, axis=1, initial=2.0, where=a > 0), a)
    both(lambda xp, a: xp.sum(a, dtype="f4"), a)
    both(lambda xp, a: xp.mean(a, axis=1, where=a > -9), a)
    both(lambda xp, a: xp.add.reduce(a), a)
    both(lambda xp, a: xp.add.accumulate(a, axis=1), a)
    both(lambda xp, a: xp.multiply.outer(a, a), a)


def test_to_python():
    a = cp.array(1.5)
    assert (float(a), int(a), bool(a), a.item()) == (1.5, 1, True, 1.5)
    assert cp.arange(3).tolist() == [0, 1, 2] and repr(cp.arange(3)) == "array([0, 1, 2])"
    with pytest.raises(ValueError, match="ambiguous"):
        bool(cp.arange(3))
    with pytest.raises(TypeError, match="get"):
        np.asarray(a)
    with pytest.raises(TypeError):
        a + np.ones(1)
    with pytest.raises(TypeError):
        cp.add([1], a)
    assert type(a.sum()) is cp.ndarray and a.sum().shape == ()


def test_numpy_functions_give_device_arrays():
    a = cp.arange(6.0).reshape(2, 3)
    for got, want in [
        (np.exp(a), np.exp(a.get())),
        (np.sum(a, axis=1), a.get().sum(axis=1)),
        (np.where(a > 2, a, -a), np.where(a.get() > 2, a.get(), -a.get())),
        (np.concatenate([a, a]), np.concatenate([a.get(), a.get()])),
        (np.linalg.norm(a), np.linalg.norm(a.get())),
        (np.roll(a, 1), np.roll(a.get(), 1)),
    ]:
        check(got, want)


def test_exchange():
    a = cp.arange(6.0).reshape(2, 3)
    interface = (a + 1).__cuda_array_interface__
    assert interface["shape"] == (2, 3) and interface["version"] == 3
    same = cp.asarray(a)
    assert same is a

    class Other:
        __cuda_array_interface__ = a.__cuda_array_interface__

    view = cp.asarray(Other())
    view[0] = 9
    check(a, np.array([[9.0, 9, 9], [3, 4, 5]]))
    other = cp.from_dlpack(a)
    other[1] = 7
    check(a, np.array([[9.0, 9, 9], [7, 7, 7]]))
    assert other.data.ptr == a.data.ptr


def test_pointers():
    memory = cp.cuda.alloc(64)
    a = cp.ndarray((4,), "f4", memptr=memory)
    a[...] = 3
    b = cp.ndarray((2,), "f4", memptr=memory + 8)
    b[0] = 5
    check(a, np.array([3, 3, 5, 3], "f4"))
    outside = cp.cuda.UnownedMemory(a.data.ptr, 16, a)
    c = cp.ndarray((2, 2), "f4", cp.cuda.MemoryPointer(outside, 0))
    check(c, np.array([[3, 3], [5, 3]], "f4"))


def test_corners_of_assignments_and_reductions():
    x = cp.zeros(()) + 1
    x[...] = 3  # while the sum waits
    check(x, np.array(3.0))
    empty = np.zeros((0, 3), np.uint8)
    for name in ("max", "min", "ptp"):
        check(getattr(cp, name)(cp.array(empty), -1), getattr(np, name)(empty, -1))
    for name in ("mean", "std", "var"):
        with pytest.raises(np.exceptions.AxisError):
            getattr(cp, name)(cp.zeros(()), 0)
