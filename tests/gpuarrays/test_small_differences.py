"""What programs for CuPy do at the edges: masks without dimensions, flat writes, einsum by lists,
comparisons with objects, streams inside of streams."""

import importlib

import numpy as np
import pytest
from numjit import cupy as cp
from numjit import cupyx
from numjit.cuda.cudadrv.driver import simulated
from numjit.cupy.libraries import LibraryNotFound

A = np.arange(24).reshape(2, 3, 4)
EMPTY = np.zeros(0, bool)
INDICES = [
    (A, (slice(None), [0, 1], ..., [0, 1])),
    (A, (slice(None), 2, False)),
    (A, (True, [[1]], slice(1, 2), True)),
    (A, (..., np.array(False))),
    (A, EMPTY),
    (A, (slice(None), EMPTY)),
    (A, np.zeros((2, 0), bool)),
    (A, [[]]),
    (A, (np.array(0), None)),
    (np.array(3.5), True),
    (np.array(3.5), (False, True, True)),
    (np.array(3.5), np.ones((), bool)),
    (np.zeros(0), np.zeros((), bool)),
    (np.zeros((2, 0)), ([1],)),
]


@pytest.mark.parametrize("a, index", INDICES, ids=lambda x: str(x).replace("\n", ""))
def test_index(a, index):
    device = cp.asarray(a)
    found, wanted = device[index], a[index]
    assert found.shape == wanted.shape
    np.testing.assert_array_equal(found.get(), wanted)
    changed, device = a.copy(), device.copy()
    changed[index] = device[index] = 9
    np.testing.assert_array_equal(device.get(), changed)


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("index", [..., slice(None, None, -2), slice(10, None), 3])
def test_flat(index, order):
    host = np.array(A, order=order)
    device = cp.array(host, order=order)
    for value in (7, np.arange(3), np.arange(6).reshape(2, 3)):
        if isinstance(index, int) and np.ndim(value):
            continue
        host.flat[index] = value
        device.flat[index] = cp.asarray(value) if np.ndim(value) else value
        np.testing.assert_array_equal(device.get(), host)
    assert iter(device.flat) is not device.flat
    np.testing.assert_array_equal([int(x) for x in device.flat], list(host.flat))
    np.testing.assert_array_equal(device.flat.copy().get(), host.flat.copy())
    with pytest.raises(IndexError):
        device.flat[None]


def test_put_and_choose():
    a, b = np.arange(6.0), cp.arange(6.0)
    for values in ([1.5, 2.5], [], [8.0] * 5):
        np.put(a, [2, -1, 3, 0], values)
        cp.put(b, cp.array([2, -1, 3, 0]), cp.array(values, float), mode="raise")
        np.testing.assert_array_equal(b.get(), a)
    with pytest.raises(IndexError, match="index 7 is out of bounds"):
        cp.put(b, cp.array([2, 7]), 1, mode="raise")
    with pytest.raises(ValueError, match="clipmode"):
        cp.put(b, cp.array([2]), 1, mode="unknown")
    with pytest.raises(ValueError, match="invalid entry"):
        cp.array([2]).choose(cp.array([[0, 1]]))


EINSUMS = [
    (A, [0, 1, 2], [2, 0, 1]),
    (A, [0, ...], [..., 0]),
    (A[0], [0, 1], A[1], [2, 1], [0, 2]),
    (A[0, :, :3], [0, 0]),
    ("ij->i...j", A[0]),
    ("ii->i", A[0, :, :3]),
    ("i,i", np.ones(1), np.ones(0)),
    ("ij,kj", A[0], A[1]),
]
WRONG = [(), ("",), (0, 0), ("i%", A[0, 0]), ("ii", A[0]), ("...->", A), ("i->->i", A[0, 0]),
         (A[0], [None]), (A[0, 0], [0], [1]), (A[0, 0], [..., 0, ...]), ("..", A)]  # fmt: skip


def on_device(arguments):
    return [cp.asarray(each) if isinstance(each, np.ndarray) else each for each in arguments]


@pytest.mark.parametrize("arguments", EINSUMS, ids=str)
def test_einsum(arguments):
    found, wanted = cp.einsum(*on_device(arguments)), np.einsum(*arguments)
    assert found.dtype == wanted.dtype
    np.testing.assert_array_equal(found.get(), wanted)


@pytest.mark.parametrize("arguments", WRONG, ids=str)
def test_wrong_einsum(arguments):
    with pytest.raises((TypeError, ValueError)) as wanted:
        np.einsum(*arguments)
    with pytest.raises(wanted.type):
        cp.einsum(*on_device(arguments))


def test_einsum_gives_views_and_fills_out():
    a = cp.ones((2, 3))
    assert cp.einsum("ij->ji", a).base is a and cp.einsum("ij", a, dtype=complex).dtype == float
    out = cp.zeros((2, 2))
    assert cp.einsum("ij,kj", a, a, out=out) is out and float(out.sum()) == 12
    with pytest.raises(TypeError):
        cp.einsum("ij", a, unknown=1)


def test_numbers_that_lists_hold_exactly():
    assert cp.array([0, 2**63, 2**64 - 1], "uint64").get().tolist() == [0, 2**63, 2**64 - 1]
    with pytest.raises(OverflowError):
        cp.array([300], "uint8")


@pytest.mark.parametrize("dtype", "?hfdFD")
def test_byteswap(dtype):
    for host in (A.astype(dtype), A.astype(dtype)[:, ::-2, 1:]):
        device = cp.asarray(host)
        assert device.byteswap().get().tobytes() == host.byteswap().tobytes()
        assert device.byteswap(inplace=True) is device
        assert device.get().tobytes() == host.byteswap().tobytes()


@pytest.mark.parametrize(
    "other", [None, ..., object(), "text"], ids=["None", "...", "object", "text"]
)
def test_objects_are_like_no_element(other):
    a = cp.arange(3)
    assert (a == other).get().tolist() == [False] * 3
    assert (a != other).get().tolist() == [True] * 3


def test_subclasses_of_numbers():
    class Count(int):
        pass

    a = cp.arange(3, dtype="int8")
    assert (a + Count(2)).get().tolist() == [2, 3, 4] and (a * Count(2)).dtype == np.int8
    assert (a == Count(2)).get().tolist() == [False, False, True]


def test_interpolation_beside_infinity():
    x, points = np.array([0, 1, 2, 2.5, 4, 6, 9, 10.0]), np.array([1, 3, 5, 7, 9.0])
    values = np.array([np.inf, 2, np.inf, 3, np.inf])
    found = cp.interp(cp.asarray(x), cp.asarray(points), cp.asarray(values))
    np.testing.assert_array_equal(found.get(), np.interp(x, points, values))


@pytest.mark.unwatched("initcheck", reason="cuSOLVER copies to the host what it has not written")
def test_conditions_of_singular_matrices():
    stack = np.stack([np.eye(2), np.ones((2, 2))])
    for p in (None, 1, np.inf, "fro"):
        np.testing.assert_array_equal(cp.linalg.cond(cp.asarray(stack), p).get() > 1e15, [0, 1])
    assert cp.linalg.cond(cp.zeros((2, 2)), 1).get() == np.inf
    assert isinstance(cp.linalg.matrix_rank(cp.ones(3)), cp.ndarray)
    with pytest.raises(np.linalg.LinAlgError):
        cp.linalg.inv(cp.zeros((2, 2)))


def test_memory_that_is_shared():
    a = cp.arange(20)
    assert not cp.shares_memory(a[::2], a[1::2]) and cp.shares_memory(a[::2], a[::3])
    assert cp.may_share_memory(a[::2], a[1::2])


def test_what_complex_numbers_lose_is_warned_of():
    with pytest.warns(cp.exceptions.ComplexWarning):
        cp.ones(2, complex).astype(float)
    with pytest.warns(cp.exceptions.ComplexWarning):
        cp.concatenate([cp.ones(2, complex), cp.ones(1)], dtype=float, casting="unsafe")


def test_copyto_fits_shapes():
    found = cp.zeros((3, 4))
    cp.copyto(found, cp.ones((1, 1, 3, 4)))
    cp.copyto(found[0], np.array([2.0]))
    assert float(found.sum()) == 16
    cp.copyto(found, 7.0, where=0)
    assert float(found.sum()) == 16
    cp.copyto(found, 7.0, where=2)
    assert float(found.sum()) == 84
    with pytest.raises(TypeError, match="bool"):
        cp.copyto(found, 1.0, where=cp.ones((3, 4), int))
    with pytest.raises(TypeError, match=r"Use \(\)"):
        cp.zeros(None)


def test_flags_stay():
    with pytest.raises(AttributeError):
        cp.zeros(3).flags.owndata = False
    cp.zeros(3).flags.writeable = False  # as Python of NumPy and SciPy does: nothing changes


def test_streams_inside_of_streams():
    one, two, three = (cp.cuda.Stream() for _ in range(3))
    with one:
        two.use()
        assert cp.cuda.get_current_stream() == two
        with three:
            assert cp.cuda.get_current_stream() == three
        assert cp.cuda.get_current_stream() == one
    assert cp.cuda.get_current_stream() == cp.cuda.Stream.null


def test_streams_of_other_libraries():
    class Other:
        def __init__(self, found):
            self.found = found

        def __cuda_stream__(self):
            return self.found

    stream = cp.cuda.Stream(priority=-1)
    assert stream.priority == -1
    other = Other((0, stream.ptr))
    made = cp.cuda.Stream.from_external(other)
    assert made == stream and made.device_id == -1
    for wrong in (object(), Other(1), Other((1, 2)), Other((0, "a"))):
        with pytest.raises(TypeError, match="__cuda_stream__"):
            cp.cuda.Stream.from_external(wrong)


def test_devices():
    device = cp.cuda.Device(0)
    assert device >= cp.cuda.Device(0) and device < cp.cuda.Device(7) and device != 0
    with pytest.raises(TypeError):
        device < 1
    for wrong in ("FFFF:FF:FF.F", "no address"):
        with pytest.raises(cp.cuda.runtime.CUDARuntimeError):
            cp.cuda.Device.from_pci_bus_id(wrong)
    with pytest.raises(cp.cuda.runtime.CUDARuntimeError):
        cp.cuda.Device(99).use()
    if not simulated():
        assert cp.cuda.Device.from_pci_bus_id(device.pci_bus_id) == device


def test_pinned_memory_is_used_again():
    pool = cp.cuda.PinnedMemoryPool()
    first = pool.malloc(1000)
    address = first.ptr
    view = np.frombuffer(first, np.uint8) if hasattr(memoryview, "__buffer__") else first
    del first
    assert pool.n_free_blocks() == 0
    del view
    assert pool.n_free_blocks() == 1
    again = pool.malloc(900)
    assert again.ptr == address and (4 + again - 4).ptr == address
    del again
    pool.free_all_blocks()
    assert pool.n_free_blocks() == 0


FORMS = [lambda x: x.transpose(2, 0, 1), lambda x: x[:, ::-2], lambda x: x[::-1, :, 1:3].T,
         lambda x: x[0, 1, ::2], lambda x: x[:0]]  # fmt: skip


@pytest.mark.parametrize("form", range(len(FORMS)))
@pytest.mark.parametrize("order", "CFAKa")
def test_elements_one_behind_the_other(form, order):
    host, device = FORMS[form](A), FORMS[form](cp.asarray(A))
    found = device.ravel(order)
    assert found.flags.c_contiguous
    np.testing.assert_array_equal(found.get(), host.ravel(order))
    np.testing.assert_array_equal(device.flatten(order).get(), host.flatten(order))
    if order != "K" and host.size:
        np.testing.assert_array_equal(device.reshape(2, -1, order=order).get(),
                                      host.reshape(2, -1, order=order))  # fmt: skip
    if host.ndim == 3:
        shape = (5, 2, 3)
        strides = np.empty_like(host, shape=shape, order=order).strides
        assert cp.empty_like(device, shape=shape, order=order).strides == strides


@pytest.mark.parametrize("method", ["midpoint", "hazen", "inverted_cdf", "closest_observation"])
def test_methods_of_quantiles(method):
    a, q = np.sin(np.arange(28.0)).reshape(4, 7), np.array([0.2, 0.5, 0.9])
    found = cp.quantile(cp.asarray(a), cp.asarray(q), axis=1, method=method)
    np.testing.assert_allclose(found.get(), np.quantile(a, q, axis=1, method=method))


def test_records():
    dtype = np.dtype("i8,f8")
    a = cp.array([(1, 2.5), (3, 4)], dtype=dtype)
    assert (a == a[::-1]).get().tolist() == [False, False] and (a == a).get().all()
    a[0] = (9, 8.5)
    assert a.get()[0] == np.array((9, 8.5), dtype)[()] and (a != a[:1]).get().tolist() == [0, 1]
    assert a[["f1"]].dtype.names == ("f1",) and a[["f1"]].get()["f1"].tolist() == [8.5, 4]


@pytest.mark.parametrize("fields", [["x"], ["x", "y"], ["z"]])
def test_records_with_arrays_are_equal_where_all_elements_are(fields):
    kinds = {"x": ("x", "i4", (2,)), "y": ("y", "f4"), "z": ("z", [("u", "i2", (2, 2))], (3,))}
    a = np.zeros((2, 3), np.dtype([kinds[name] for name in fields], align=True))
    b = a.copy()
    inner = b[fields[0]]
    inner = inner["u"] if inner.dtype.names else inner
    inner[1, 2, 1] = 5
    found = cp.asarray(a) == cp.asarray(b), cp.asarray(a) != cp.asarray(b)
    np.testing.assert_array_equal(found[0].get(), a == b)
    np.testing.assert_array_equal(found[1].get(), a != b)


def test_dtypes_of_generators():
    """Those of NumPy's: float32 and float64."""
    for name, first in (("random", ()), ("standard_normal", ()), ("standard_gamma", (2.0,))):
        for xp in (np, cp):
            draw = getattr(xp.random.default_rng(1), name)
            assert draw(*first, size=3, dtype="f4").dtype == np.float32
            for dtype in ("i4", "e", "F"):
                with pytest.raises(TypeError, match="Unsupported dtype"):
                    draw(*first, size=3, dtype=dtype)


def test_objects_that_give_an_array():
    class Holder:
        def __cupy_get_ndarray__(self):
            return cp.arange(3)

    assert cp.asarray(Holder()).get().tolist() == [0, 1, 2]
    with pytest.raises(ValueError, match="not permitted"):
        cp.zeros(4).reshape(2, 2, order="K")
    with pytest.raises(TypeError, match="safe"):
        cp.putmask(cp.zeros(2, int), cp.array([True, False]), cp.array([1.5]))


def test_counts_of_numbers_of_64_bits_without_a_sign():
    x = np.array([3, 1, 3], np.uint64)
    found = cp.bincount(cp.asarray(x), minlength=6)
    assert found.dtype == np.int64 and found.tolist() == [0, 1, 0, 2, 0, 0]


@pytest.mark.parametrize("limits", [(-1, None), (None, 300), (-1, 300), (-(2**70), 3), (2, 2**70)])
@pytest.mark.parametrize("dtype", [np.uint8, np.int8, np.int64])
def test_limits_that_no_element_can_be_beyond(limits, dtype):
    x = np.array([0, 1, 3, 100], dtype)
    for found in (cp.clip(cp.asarray(x), *limits), cp.asarray(x).clip(*limits)):
        assert found.dtype == dtype
        np.testing.assert_array_equal(found.get(), np.clip(x, *limits))
    with pytest.raises(OverflowError):
        cp.clip(cp.asarray(x), 2**70, None)


@pytest.mark.parametrize("function", ["add", "maximum", "logical_or"])
@pytest.mark.parametrize("indices", [[0, 2], [2, 0], [], [0, 4], [-1], [9]])
@pytest.mark.parametrize("shape", [(3, 4), (3, 0)])
def test_indices_of_reduceat(function, indices, shape):
    x = np.arange(shape[0] * shape[1], dtype=np.int8).reshape(shape)
    at = np.array(indices, np.int64)
    try:
        expected = getattr(np, function).reduceat(x, at, axis=1)
    except IndexError as error:
        with pytest.raises(IndexError, match=str(error).split(" in ")[0]):
            getattr(cp, function).reduceat(cp.asarray(x), cp.asarray(at), axis=1)
        return
    found = getattr(cp, function).reduceat(cp.asarray(x), cp.asarray(at), axis=1)
    assert found.dtype == expected.dtype
    np.testing.assert_array_equal(found.get(), expected)


@pytest.mark.parametrize("coefficients", [[0, 0, 1, 2, 3, 0], [], [0, 0], [4]])
def test_polynomials_wait_for_nothing(coefficients):
    x = np.array(coefficients, np.float64)
    expected = np.poly1d(x)
    on_device = cp.array(x)
    with cupyx.allow_synchronize(False):
        found = cp.poly1d(on_device)
        third, far = found[3], found[9]
    assert (float(third), float(far)) == (expected[3], expected[9])
    assert found.order == expected.order and repr(found) == repr(expected)
    np.testing.assert_array_equal(found.coeffs.get(), expected.coeffs)
    with cupyx.allow_synchronize(False):
        found[0] = 3
    expected[0] = 3
    found[4] = expected[4] = 7
    np.testing.assert_array_equal((found * found).coeffs.get(), (expected * expected).coeffs)
    assert found(2.0) == expected(2.0)


@pytest.mark.parametrize("shape", [(2, 0), (2, 0, 4)])
@pytest.mark.parametrize("order", "CF")
def test_strides_without_elements(shape, order):
    made = cp.empty(shape, "i2", order)
    assert made.strides == np.empty(shape, "i2", order).strides
    assert made.flags.c_contiguous and made.flags.f_contiguous


@pytest.mark.parametrize("grid", ["mgrid", "ogrid"])
def test_grids_between_device_numbers(grid):
    number = cp.array
    found = getattr(cp, grid)[number(1.0) : 4 : number(3j), 0 : number(3)]
    expected = getattr(np, grid)[1.0:4:3j, 0:3]
    for one, other in zip(found, expected):
        np.testing.assert_array_equal(one.get(), other)
    assert cp.r_[number(2) : number(5), cp.zeros(1)].tolist() == [2, 3, 4, 0]


def test_configuration_is_written_at_once(capsys):
    cp.show_config(_full=True)
    assert capsys.readouterr().out == str(cupyx.get_runtime_info(full=True))


def test_errors_of_solve_and_copyto():
    with pytest.raises(ValueError, match="dimensions"):
        cp.linalg.solve(cp.eye(3), cp.array(1.0))
    with pytest.raises(TypeError, match="ndarray"):
        cp.copyto(np.zeros(3), cp.ones(3))


@pytest.mark.skipif(simulated(), reason="cuRAND is a library of the GPU")
def test_numbers_of_curand():
    curand = importlib.import_module("numjit.cupy.cuda.curand")
    try:
        generator = curand.createGenerator(curand.CURAND_RNG_PSEUDO_DEFAULT)
    except LibraryNotFound as error:
        pytest.skip(str(error))
    drawn = []
    for _ in range(2):
        curand.setPseudoRandomGeneratorSeed(generator, 7)
        curand.setGeneratorOffset(generator, 0)
        out = cp.zeros(1000)
        curand.generateNormalDouble(generator, out.data.ptr, out.size, 3.0, 0.5)
        drawn.append(out.get())
    np.testing.assert_array_equal(*drawn)
    assert abs(drawn[0].mean() - 3) < 0.1 and abs(drawn[0].std() - 0.5) < 0.1
    with pytest.raises(ValueError, match="pairs"):
        curand.generateNormal(generator, out.data.ptr, 1, 0.0, 1.0)
    with pytest.raises(curand.CURANDError):
        curand.setGeneratorOrdering(generator, 12345)
    curand.destroyGenerator(generator)
    assert curand.getVersion() > 10000
