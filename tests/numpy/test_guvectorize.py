"""@guvectorize: generalised ufuncs as NumPy's, from Python and from compiled code."""

import gc
import pickle
import warnings

import numpy as np
import pytest
from numjit import GUFunc, float64, from_dtype, guvectorize, int64, njit

RNG = np.random.default_rng(5)
A = RNG.normal(size=(4, 3, 6))
B = RNG.normal(size=(4, 3, 6))


def same(found, expected):
    found, expected = np.asarray(found), np.asarray(expected)
    assert found.dtype == expected.dtype
    assert found.shape == expected.shape
    np.testing.assert_array_equal(found, expected)


def shift(x, y, out):
    "Adds a number."
    for i in range(x.shape[0]):
        out[i] = x[i] + y


def product(a, b, out):
    for i in range(a.shape[0]):
        for j in range(b.shape[1]):
            total = 0.0
            for k in range(a.shape[1]):
                total += a[i, k] * b[k, j]
            out[i, j] = total


SHIFT = [(float64[:], float64, float64[:]), (int64[:], int64, int64[:])]
shifted = guvectorize(SHIFT, "(n),()->(n)")(shift)


# -- what it is ------------------------------------------------------------------------------------


def test_has_the_attributes_of_a_gufunc():
    f = shifted
    assert (f.nin, f.nout, f.nargs, f.ntypes) == (2, 1, 3, 2)
    assert f.types == ["dd->d", "ll->l"]
    assert f.signature == "(n),()->(n)"
    assert f.identity is None
    assert f.__name__ == "shift" and f.__doc__ == "Adds a number."
    assert isinstance(f, GUFunc) and isinstance(f.ufunc, np.ufunc)
    assert not f.is_dynamic


@pytest.mark.parametrize(
    "signatures",
    ["void(f8[:], f8, f8[:])", ["(f8[:], f8, f8[:])"], [(float64[:], float64, float64[:])]],
)
def test_signatures_in_every_form(signatures):
    same(guvectorize(signatures, " (n), () -> (n) ")(shift)(A, 2.0), A + 2)


# -- calls -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "x, y",
    [
        (A, 1.5),
        (A[0, 0], 1.5),
        (A, B[..., 0]),
        (A[:, :, ::2], 2.0),
        (A.T, B[0].T),
        (np.asfortranarray(A), 1.0),
        (A[..., ::-1], -1.0),
        (A[:0], 1.0),
        (A[..., :0], 1.0),
        (A[..., :1], 1.0),
        (np.arange(6, dtype=np.int8), 0.5),
        ([1, 2, 3], 4.0),
    ],
)
def test_layouts(x, y):
    same(shifted(x, y), np.asarray(x) + np.asarray(y)[..., None])


def test_matrices():
    f = guvectorize(["(f8[:,:], f8[:,:], f8[:,:])"], "(m,k),(k,n)->(m,n)")(product)
    b = RNG.normal(size=(4, 6, 5))
    np.testing.assert_allclose(f(A, b), A @ b)
    np.testing.assert_allclose(f(A, b[0]), A @ b[0])
    np.testing.assert_allclose(f(A.transpose(0, 2, 1)[0], A[0]), A[0].T @ A[0])
    np.testing.assert_allclose(f(A[:, ::-1], b[:, :, ::2]), A[:, ::-1] @ b[:, :, ::2])
    with pytest.raises(ValueError, match="mismatch in its core dimension"):
        f(A, A)
    with pytest.raises(ValueError, match="does not have enough dimensions"):
        f(A, np.ones(3))


def test_keywords():
    out = np.zeros(A.shape)
    assert shifted(A, 1.0, out) is out
    same(out, A + 1)
    assert shifted(A, 2.0, out=out) is out
    same(out, A + 2)
    same(shifted(A[0], 1.0, axis=0), A[0] + 1)
    same(shifted(A, np.zeros(4)[:, None], axes=[(2,), (), (0,)]), A.transpose(2, 0, 1))
    with pytest.raises(TypeError, match="same_kind"):
        shifted(A, 1.0, out=np.zeros(A.shape, np.int64))


def test_several_outputs_and_scalars():
    def extremes(x, low, high):
        low[0], high[0] = x.min(), x.max()

    f = guvectorize(["(f8[:], f8[:], f8[:])"], "(n)->(),()")(extremes)
    low, high = f(A)
    same(low, A.min(-1))
    same(high, A.max(-1))
    one, other = f(A[0, 0])
    assert (one, other) == (A[0, 0].min(), A[0, 0].max())


def test_no_outputs():
    def accumulate(x, y):
        for i in range(x.shape[0]):
            y[i] += x[i]

    f = guvectorize(["(f8[:], f8[:])"], "(n),(n)", writable_args=("y",))(accumulate)
    assert f.nout == 0
    total = np.zeros(6)
    assert f(A[0, 0], total) == ()
    f(A[0, 1], total)
    same(total, A[0, 0] + A[0, 1])


def test_outputs_by_keyword_without_signatures():
    @guvectorize("(n),()->(n),()")
    def scale(x, factor, out, total):
        total[0] = 0
        for i in range(x.size):
            out[i] = x[i] * factor
            total[0] += out[i]

    for x, factor in (np.arange(12.0).reshape(3, 4), 2.5), (np.arange(4), 3):
        out, total = np.zeros_like(x), np.zeros_like(x[..., 0])
        made = scale(x, factor, out=(out, total))
        assert made[0] is out and np.array_equal(out, x * factor)
        assert np.array_equal(total, out.sum(-1))
    twice = guvectorize("()->()")(lambda x, out: out.fill(2 * x))
    out = np.zeros(3)
    assert twice(np.ones(3), out=out) is out and out.tolist() == [2, 2, 2]
    with pytest.raises(TypeError, match="Too few arguments"):
        guvectorize("()->()")(lambda x, out: out.fill(2 * x))(1.5)


def test_kept_parts_of_outputs():
    """A kernel that stores only some items leaves the others as they were, converted or not."""

    def mark(x, out):
        for i in range(0, x.size, 4):
            out[i] = 1

    f = guvectorize(["void(f8[:], uint8[:])"], "(n)->(n)")(mark)
    x = np.ones((10, 5))
    for dtype in np.uint8, np.int8, np.int64, np.float64:
        out = np.full((10, 5), 3, dtype)
        f(x, out)
        same(out, np.tile(np.array([1, 3, 3, 3, 1], dtype), (10, 1)))
        out = np.full((5, 10), 3, dtype)
        f(x, out.T)
        same(out, np.tile(np.array([[1], [3], [3], [3], [1]], dtype), (1, 10)))
    assert f(x)[:, 0].tolist() == [1] * 10


@pytest.mark.parametrize("writable", [(0,), ("x",)])
def test_writable_inputs(writable):
    def drain(x, total):
        total[0] = x.sum()
        x[:] = 0

    f = guvectorize(["(f8[:], f8[:])"], "(n)->()", writable_args=writable)(drain)
    x = A.copy()
    np.testing.assert_allclose(f(x), A.sum(-1))
    same(x, np.zeros(A.shape))
    with pytest.raises(ValueError, match="read-only"):
        x.flags.writeable = False
        f(x)


def test_fixed_and_missing_dimensions():
    def cross(a, b, out):
        out[0] = a[1] * b[2] - a[2] * b[1]
        out[1] = a[2] * b[0] - a[0] * b[2]
        out[2] = a[0] * b[1] - a[1] * b[0]

    f = guvectorize(["(f8[:], f8[:], f8[:])"], "(3),(3)->(3)")(cross)
    same(f(A[..., :3], B[..., :3]), np.cross(A[..., :3], B[..., :3]))
    with pytest.raises(ValueError, match="core dimension"):
        f(A, B)

    g = guvectorize(["(f8[:,:], f8[:,:], f8[:,:])"], "(m?,k),(k,n?)->(m?,n?)")(product)
    b = RNG.normal(size=(6, 5))
    np.testing.assert_allclose(g(A[0], b), A[0] @ b)
    np.testing.assert_allclose(g(A[0, 0], b), A[0, 0] @ b)
    np.testing.assert_allclose(g(A[0], b[:, 0]), A[0] @ b[:, 0])
    np.testing.assert_allclose(g(A[0, 0], b[:, 0]), A[0, 0] @ b[:, 0])


def test_scalars_that_arrive_as_arrays():
    def scale(x, factor, out):
        for i in range(x.shape[0]):
            out[i] = x[i] * factor[0]

    f = guvectorize(["(f8[:], f8[:], f8[:])"], "(n),()->(n)")(scale)
    same(f(A, B[..., 0]), A * B[..., :1])
    same(f(A, 3.0), A * 3)

    @njit
    def g(x, factor, out):
        f(x, factor, out)
        return out

    for factor in (3.0, B[..., 0], B[0, :, 0], B[:1, :1, 0], np.array(2.0), np.array([2.0])):
        same(g(A, factor, np.zeros(A.shape)), A * np.asarray(factor)[..., None])
    same(g(A[0, 0], 2.0, np.zeros(6)), A[0, 0] * 2)


def test_operands_of_different_dtypes():
    def pick(x, which, out):
        for i in range(which.shape[0]):
            out[i] = x[which[i]]

    f = guvectorize(["(f4[:], i8[:], f8[:])"], "(n),(m)->(m)")(pick)
    x, which = np.arange(5, dtype=np.float32), np.array([4, 0, 2])
    same(f(x, which), np.array([4.0, 0, 2]))
    same(f(x, which[::-1].astype(np.int8)), np.array([2.0, 0, 4]))


# -- loops made by calls ---------------------------------------------------------------------------


def test_loops_for_new_dtypes():
    f = guvectorize("(n),()->(n)")(shift)
    assert f.is_dynamic and f.types == []
    with pytest.raises(TypeError, match="Too few arguments for function 'shift'"):
        f(A, 1.0)
    out = np.zeros(6)
    assert f(np.arange(6), 2, out) is out
    same(out, np.arange(6) + 2.0)
    single = np.zeros((4, 3, 6), np.float32)
    f(A.astype("f4"), np.float32(1), single)
    same(single, A.astype("f4") + np.float32(1))
    assert f.types == ["ll->d", "ff->f"]
    f.disable_compile()
    same(f(np.arange(3), 2), np.arange(3) + 2.0)


# -- errors ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "signatures, layout, error, text",
    [
        (["(f8[:], f8[:], f8[:])"], "(n),(m)->(n,m)", TypeError, "mismatch for arg #3"),
        (["(f8, f8, f8[:])"], "(n),()->(n)", TypeError, "scalar type float64 given for non scalar"),
        (["(f8[:], f8, f8)"], "(n),()->()", TypeError, "must be an array"),
        (["(f8[:], f8[:])"], "(n),()->(n)", TypeError, "Signature mismatch"),
        (["f8(f8[:], f8, f8[:])"], "(n),()->(n)", TypeError, "void return type"),
        (["(f8[:], f8, f8[:])"], "(n),()->(m)", NameError, "undefined output symbols: m"),
        (["(f8[:], f8, f8[:])"], "n,()->(n)", ValueError, "bad token in signature"),
        (["(f8[:], f8, f8[:])"], "(n),()-(n)", ValueError, "bad token in signature"),
        (["(f8[:], f8, f8[:])"], "", ValueError, "bad token in signature"),
        (["(f8[:], f8[:])"], "(n)->(n)", TypeError, "takes 3 arguments"),
    ],
)
def test_wrong_layouts(signatures, layout, error, text):
    with pytest.raises(error, match=text):
        guvectorize(signatures, layout)(shift)


def test_wrong_arguments_of_the_decorator():
    with pytest.raises(ValueError, match="Unsupported target: gpu"):
        guvectorize(SHIFT, "(n),()->(n)", target="gpu")
    with pytest.raises(KeyError, match="Unrecognized options"):
        guvectorize(SHIFT, "(n),()->(n)", fast=True)(shift)
    with pytest.raises(ValueError, match="'z' is no input"):
        guvectorize(SHIFT, "(n),()->(n)", writable_args=("z",))(shift)
    with pytest.raises(TypeError, match="layout of a gufunc is a string"):
        guvectorize(SHIFT, 3)
    with pytest.raises(TypeError, match="void return type"):
        guvectorize(["(f8[:], f8[:])"], "(n)->(n)")(lambda a, b: 1.0)


@pytest.mark.parametrize("target", ["cpu", "parallel"])
def test_targets_and_options(target):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        options = {"nopython": True, "cache": True, "fastmath": True}
        f = guvectorize(SHIFT, "(n),()->(n)", target=target, **options)(shift)
    same(f(A, 1.0), A + 1)


def test_exceptions_reach_the_caller():
    def careful(x, out):
        if x[0] < 0:
            raise ValueError("negative")
        out[0] = x[0]

    f = guvectorize(["(f8[:], f8[:])"], "(n)->()")(careful)
    same(f(np.ones((2, 3))), np.ones(2))
    with pytest.raises(ValueError, match="^negative$"):
        f(-np.ones((2, 3)))
    same(f(np.ones(3)), 1.0)


def test_pickles():
    assert pickle.loads(pickle.dumps(shifted)).types == shifted.types
    f = guvectorize(["(f8[:], f8[:])"], "(n)->()")(lambda x, out: None)
    copy = pickle.loads(pickle.dumps(f))
    assert (copy.types, copy.signature) == (["d->d"], "(n)->()")


# -- compiled code ---------------------------------------------------------------------------------


@njit
def call_shifted(x, y, out):
    shifted(x, y, out)
    return out


@pytest.mark.parametrize(
    "x, y",
    [
        (A[0, 0], 1.5),
        (A, 1.5),
        (A, B[..., 0]),
        (A, B[0, :, 0]),
        (A[:, :1], B[..., 0]),
        (A[..., ::2], 1.0),
        (np.arange(5), 3),
    ],
)
def test_in_compiled_code(x, y):
    expected = x + np.asarray(y)[..., None]
    same(call_shifted(x, y, np.zeros_like(expected)), expected)


def test_scalar_results_in_compiled_code():
    def total(x, out):
        out[0] = x.sum()

    f = guvectorize(["(f8[:], f8[:])"], "(n)->()")(total)

    @njit
    def g(x, out):
        f(x, out)

    for x in (A, A[0], A[0, 0]):
        out = np.zeros(x.shape[:-1])
        g(x, out)
        np.testing.assert_allclose(out, x.sum(-1))


def test_lazy_one_in_compiled_code():
    f = guvectorize("(n),()->(n)")(shift)

    @njit
    def g(x, y, out):
        f(x, y, out)
        return out

    same(g(A, 2, np.zeros(A.shape)), A + 2)


def test_wrong_calls_in_compiled_code():
    with pytest.raises(ValueError, match="broadcast"):
        call_shifted(A, np.ones(5), np.zeros(A.shape))
    with pytest.raises(TypeError, match="No implementation of function shift"):
        call_shifted(A.astype("f4"), 1.0, np.zeros(A.shape))
    with pytest.raises(TypeError, match="missing 1 required positional argument"):
        njit(lambda x: shifted(x, x))(A)
    with pytest.raises(ValueError, match="operand 2 has a mismatch in its core dimension 0"):
        call_shifted(A, 1.0, np.zeros((4, 3, 5)))
    with pytest.raises(ValueError, match="operand 0 does not have enough dimensions"):
        call_shifted(1.0, 1.0, np.zeros(3))
    three = guvectorize(["(f8[:], f8[:])"], "(3)->()")(lambda x, out: None)
    with pytest.raises(ValueError, match="core dimension 0"):
        njit(lambda x, out: three(x, out))(np.zeros(4), np.zeros(()))


def test_several_threads():
    @guvectorize(["(f8[:], f8, f8[:])"], "(n),()->(n)", target="parallel")
    def scaled_sums(x, by, out):
        total = 0.0
        for i in range(len(x)):
            total += x[i]
            out[i] = total * by

    x = np.random.default_rng(5).integers(0, 100, (301, 70)).astype(float)
    by = np.arange(301.0)
    np.testing.assert_array_equal(scaled_sums(x, by), x.cumsum(axis=1) * by[:, None])
    np.testing.assert_array_equal(scaled_sums(x.T[:, ::-1], 2.0), x.T[:, ::-1].cumsum(axis=1) * 2)


def test_errors_name_the_function_after_its_collection():
    """The function of an inner loop is compiled for a layout and not kept elsewhere."""

    def first(a, out):
        if not a.size:
            raise ValueError("nothing to reduce")
        out[0] = a[0]

    for _ in range(20):
        f = guvectorize([(float64[:], float64[:])], "(n)->()")(first)
        assert f(np.ones((2, 3))).tolist() == [1, 1]
        gc.collect()
        beside = [bytearray(200) for _ in range(100)]  # where the function was
        with pytest.raises(ValueError, match="nothing to reduce"):
            f(np.ones((len(beside), 0)))


# -- records -----------------------------------------------------------------------------------

PACKED = np.dtype([("a", np.int32), ("b", np.float64)])
ALIGNED = np.dtype([("a", np.int8), ("b", np.float64)], align=True)


def records(dtype, shape):
    made = np.zeros(shape, dtype)
    made["a"] = np.arange(made.size).reshape(shape)
    made["b"] = made["a"] * 1.5
    return made


def weighted(r, out):
    out[0] = 0.0
    for i in range(len(r)):
        out[0] += r[i].a * r[i].b


@pytest.mark.parametrize("dtype", [PACKED, ALIGNED], ids=["packed", "aligned"])
def test_records(dtype):
    record = from_dtype(dtype)
    total = guvectorize([(record[:], float64[:])], "(n)->()")(weighted)
    for a in (records(dtype, (2, 3)), records(dtype, (3, 4))[:, ::2], records(dtype, 5)):
        same(total(a), (a["a"] * a["b"]).sum(axis=-1))


def test_records_of_several_dtypes():
    packed, aligned = from_dtype(PACKED), from_dtype(ALIGNED)
    total = guvectorize([(packed[:], float64[:]), (aligned[:], float64[:])], "(n)->()")(weighted)
    for dtype in (PACKED, ALIGNED):
        a = records(dtype, (2, 3))
        same(total(a), (a["a"] * a["b"]).sum(axis=-1))


def test_records_as_scalars_and_without_signature():
    def scaled(r, x, out):
        for i in range(len(x)):
            out[i] = x[i] * r.b

    f = guvectorize([(from_dtype(PACKED), float64[:], float64[:])], "(),(n)->(n)")(scaled)
    a, x = records(PACKED, 2), np.arange(6.0).reshape(2, 3)
    same(f(a, x), x * a["b"][:, None])
    lazy = guvectorize("(n)->()")(weighted)
    out = np.zeros(2)
    lazy(records(PACKED, (2, 3)), out)
    same(out, (records(PACKED, (2, 3))["a"] * records(PACKED, (2, 3))["b"]).sum(axis=-1))


def test_results_that_are_records():
    record = from_dtype(PACKED)

    def filled(x, r):
        for i in range(len(x)):
            r[i].b = x[i]

    made = guvectorize([(float64[:], record[:])], "(n)->(n)")(filled)(np.arange(3.0))
    assert made.dtype == PACKED and made["b"].tolist() == [0, 1, 2]
