"""Transforms: along several axes at once, the plans that are kept, and callbacks."""

import threading

import numjit.cupy as cp
import numpy as np
import pytest
import scipy.fft
from numjit import cuda, cupyx

needs_gpu = pytest.mark.skipif(cuda.is_simulated(), reason="the simulator has no cuFFT")


def samples(shape, dtype):
    rng = np.random.default_rng(7)
    x = rng.normal(size=shape)
    return (x + 1j * rng.normal(size=shape) if dtype in "FD" else x).astype(dtype)


def agree(found, expected, dtype):
    assert found.shape == expected.shape and found.dtype == expected.dtype
    few = 1e-4 if dtype in "fF" else 1e-11
    np.testing.assert_allclose(found.get(), expected, rtol=few, atol=few * 10)


AXES = [None, (0,), (2, 0), (0, 1), (-2, -1), (1, 1), (0, 1, 2, 3)]


@pytest.mark.parametrize("order", "CF")
@pytest.mark.parametrize("dtype", "fdFD")
@pytest.mark.parametrize("name", ["fftn", "ifftn", "rfftn", "irfftn"])
def test_axes(name, dtype, order):
    """Also input that no transform of real numbers gives, axes that repeat, and other lengths."""
    if name == "rfftn" and dtype in "FD":
        pytest.skip("rfftn takes real numbers")
    x = np.asarray(samples((3, 4, 2, 5), dtype), order=order)
    for axes in AXES:
        for sizes in (None, tuple(range(3, 3 + len(axes or ()))) or None):
            for norm in ("ortho", "forward"):
                expected = getattr(np.fft, name)(x, sizes, axes, norm)
                agree(getattr(cp.fft, name)(cp.asarray(x), sizes, axes, norm), expected, dtype)
    if dtype in "FD":
        expected = getattr(np.fft, name)(x, (3, -1), (0, 1))
        agree(getattr(cp.fft, name)(cp.asarray(x), (3, -1), (0, 1)), expected, dtype)
    assert np.array_equal(x, np.asarray(samples((3, 4, 2, 5), dtype)))


def test_input_is_not_written_to():
    x = cp.asarray(samples((4, 6), "D"))
    before = x.get()
    for name in ("fft2", "ifft2", "irfft2", "irfft", "fft"):
        getattr(cp.fft, name)(x)
        np.testing.assert_array_equal(x.get(), before)


def test_what_numpy_raises():
    x = cp.ones((3, 4))
    for call in (
        lambda xp, x: xp.fft.fftn(x, axes=(0, 2)),
        lambda xp, x: xp.fft.fft2(x, s=(2,), axes=(0, 1)),
        lambda xp, x: xp.fft.fft(x, 0),
        lambda xp, x: xp.fft.fftn(x, norm="other"),
        lambda xp, x: xp.fft.rfft2(x + 0j),
        lambda xp, x: xp.fft.fft(x, norm=[]),
    ):
        with pytest.raises(Exception) as expected:
            call(np, x.get())
        with pytest.raises(expected.type):
            call(cp, x)


def test_threads():
    x = samples((16, 32), "F")
    expected, wrong = np.fft.fft2(x), []

    def work():
        with cp.cuda.Stream():
            for _ in range(20):
                found = cp.fft.fft2(cp.asarray(x)).get()
                if not np.allclose(found, expected, rtol=1e-4, atol=1e-3):
                    wrong.append(found)

    threads = [threading.Thread(target=work) for _ in range(16)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert not wrong


def test_first_stream_of_a_thread():
    stream, found = cp.cuda.Stream(), []

    def work():
        with stream:
            found.append(float(cp.ones(4).sum()))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert found == [4]


# -- plans ---------------------------------------------------------------------------------------


def test_cache_of_plans():
    """The cache by itself: what is used last stays longest."""

    class Plan:
        gpus = None

        class work_area:
            class mem:
                size = 512

    cache = cp.fft.config.PlanCache(size=2)
    for key in "abac":
        cache[key] = cache.get(key) or Plan()
    assert [key for key, _ in cache] == ["c", "a"] and "b" not in cache
    assert cache.get_curr_size() == 2 and cache.get_curr_memsize() == 1024
    cache.set_memsize(600)
    assert [key for key, _ in cache] == ["c"]
    cache.set_size(0)
    cache["d"] = Plan()
    assert cache.get_curr_size() == 0 and "0 / 0 (counts)" in repr(cache)
    cache.set_size(-1)
    cache.set_memsize(100)
    with pytest.raises(RuntimeError, match="512 bytes"):
        cache["d"] = Plan()


@needs_gpu
def test_plans_are_kept():
    cache = cp.fft.config.get_plan_cache()
    cache.clear()
    x = cp.asarray(samples((8, 16), "F"))
    for _ in range(2):
        cp.fft.fft(x)
    (key, node), *rest = cache
    assert not rest and isinstance(node.plan, cp.cuda.cufft.Plan1d)
    cp.fft.fft2(x)
    assert isinstance(next(iter(cache))[1].plan, cp.cuda.cufft.PlanNd)
    assert cache.get_curr_memsize() == sum(node.memsize for _, node in cache)
    with cp.cuda.Stream(non_blocking=True):
        cp.fft.fft2(x)  # a stream has plans of its own: they have memory
    assert cache.get_curr_size() == 3
    cp.fft.config.set_plan_cache_size(1)
    assert cache.get_curr_size() == 1
    cp.fft.config.set_plan_cache_size(16)
    cp.fft.config.clear_plan_cache()


def test_arrays_for_results():
    x = cp.ones((4, 6), "F")
    cufft, fft = cp.cuda.cufft, cupyx.scipy.fft
    assert fft.get_fft_plan(x, axes=0).get_output_array(x).shape == (4, 6)
    assert fft.get_fft_plan(x, shape=(3,), axes=0).get_output_array(x).shape == (3, 6)
    found = fft.get_fft_plan(x.real, value_type="R2C").get_output_array(x.real, "C")
    assert found.shape == (4, 4) and found.dtype == np.complex64
    layout = (6,), 1, 6
    plan = cufft.XtPlanNd((6,), *layout, "F", *layout, "F", 4, "F")
    assert plan.get_output_array(x).dtype == np.complex64
    with pytest.raises(ValueError, match="needs 24 elements"):
        cufft.Plan1d(6, cufft.CUFFT_C2C, 4).fft(x, cp.empty((4, 5), "F"), cufft.CUFFT_FORWARD)
    with pytest.raises(NotImplementedError):
        cufft.Plan1d(8, cufft.CUFFT_C2C, 1, devices=[0])


@needs_gpu
def test_threads_share_a_plan():
    cufft = cp.cuda.cufft
    x, wrong = cp.asarray(samples((64, 128), "F")), []
    plan, expected = cufft.Plan1d(128, cufft.CUFFT_C2C, 64), np.fft.fft(x.get())

    def work():
        with cp.cuda.Stream(non_blocking=True) as stream:
            for _ in range(20):
                out = cp.empty_like(x)
                plan.fft(x, out, cufft.CUFFT_FORWARD)
                if not np.allclose(out.get(stream=stream), expected, rtol=1e-3, atol=1e-3):
                    wrong.append(1)

    threads = [threading.Thread(target=work) for _ in range(8)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert not wrong


@needs_gpu
def test_plans_by_hand():
    x = cp.asarray(samples((3, 16, 8), "F"))
    cufft, out = cp.cuda.cufft, cp.empty_like(x)
    plan = cufft.Plan1d(8, cufft.CUFFT_C2C, 48)
    plan.fft(x, out, cufft.CUFFT_FORWARD)
    agree(out, np.fft.fft(x.get()).astype("F"), "F")
    layout = (16, 8), 1, 128
    plan = cufft.PlanNd((16, 8), *layout, *layout, cufft.CUFFT_C2C, 3)
    plan.fft(x, out, cufft.CUFFT_INVERSE)
    agree(out / 128, np.fft.ifft2(x.get()).astype("F"), "F")
    plan = cufft.XtPlanNd((16, 8), *layout, "F", *layout, "F", 3, "F")
    plan.fft(x, out, cufft.CUFFT_FORWARD)
    agree(out, np.fft.fft2(x.get()).astype("F"), "F")
    half = cp.asarray(samples((4, 32), "f")).astype("e")  # 16 complex numbers a line
    plan = cufft.XtPlanNd((16,), (16,), 1, 16, "E", (16,), 1, 16, "E", 4, "E")
    result = cp.empty_like(half)
    plan.fft(half, result, cufft.CUFFT_FORWARD)
    expected = np.fft.fft(half.get().astype("f").view("F"))
    np.testing.assert_allclose(result.get().astype("f").view("F"), expected, rtol=0.1, atol=0.1)


# -- callbacks -----------------------------------------------------------------------------------

LOAD = """
__device__ {complex} CB(void *data, {offset} offset, void *info, void *shared) {{
  {complex} x = (({complex} *)data)[offset];
  x.x *= {factor};
  return x;
}}
__device__ {type} d_loadCallbackPtr = CB;
"""
STORE = """
__device__ void CB(void *data, {offset} offset, {complex} x, void *info, void *shared) {{
  x.y /= {factor};
  (({complex} *)data)[offset] = x;
}}
__device__ {type} d_storeCallbackPtr = CB;
"""


def callback(text, dtype, version, factor):
    double = dtype == "D"
    way = "Load" if "load" in text else "Store"
    kind = "cufftJITCallback" if version == "jit" else "cufftCallback"
    return text.format(
        complex="cufftDoubleComplex" if double else "cufftComplex",
        offset="unsigned long long" if version == "jit" else "size_t",
        type=f"{kind}{way}{'Z' if double else 'C'}",
        factor=factor,
    )


@needs_gpu
@pytest.mark.filterwarnings("ignore:.*legacy callback.*:DeprecationWarning")
@pytest.mark.parametrize("version", ["jit", "legacy"])
@pytest.mark.parametrize("dtype", "FD")
@pytest.mark.parametrize("axes", [(-1,), (0, 1), (0, 1, 2, 3)])
def test_callbacks(axes, dtype, version):
    x = samples((3, 4, 2, 5), dtype)
    load, store = (callback(text, dtype, version, 2.5) for text in (LOAD, STORE))
    with cp.fft.config.set_cufft_callbacks(cb_load=load, cb_store=store, cb_ver=version):
        found = cp.fft.fftn(cp.asarray(x), axes=axes)
    expected = np.fft.fftn(x.real * 2.5 + 1j * x.imag, axes=axes)
    agree(found, (expected.real + 1j * expected.imag / 2.5).astype(dtype), dtype)
    agree(cp.fft.fftn(cp.asarray(x), axes=axes), np.fft.fftn(x, axes=axes), dtype)


@needs_gpu
def test_data_of_callbacks():
    window = cp.asarray(samples((16,), "f"))
    text = LOAD.replace("{factor}", "((float *)info)[offset % 16]")
    x = samples((3, 16), "F")
    with cp.fft.config.set_cufft_callbacks(
        cb_load=callback(text, "F", "jit", 0), cb_load_data=window.data, cb_ver="jit"
    ) as manager:
        assert cp.fft.config.get_current_callback_manager() is manager
        found = cp.fft.fft(cp.asarray(x))
    assert cp.fft.config.get_current_callback_manager() is None
    agree(found, np.fft.fft(x.real * window.get() + 1j * x.imag).astype("F"), "F")


@needs_gpu
def test_names_of_callbacks():
    """Of the function: as given, also one that cuFFT has itself, or the last one of the text."""
    x = samples((8,), "F")
    expected = np.fft.fft(x.real * 2 + 1j * x.imag).astype("F")
    text = callback(LOAD[: LOAD.index("__device__ {type}")], "F", "jit", 2)
    for name, given in (("CB", None), ("CB", "CB"), ("cufftJITCallbackLoadComplex",) * 2):
        with cp.fft.config.set_cufft_callbacks(
            cb_load=text.replace("CB", name), cb_load_name=given, cb_ver="jit"
        ):
            agree(cp.fft.fft(cp.asarray(x)), expected, "F")
    with cp.fft.config.set_cufft_callbacks(cb_load="wrong\n" + text, cb_ver="jit"):
        with pytest.raises(cp.cuda.compiler.CompileException, match=r"callback.cu\(1\)"):
            cp.fft.fft(cp.asarray(x))


def test_wrong_callbacks():
    set_callbacks = cp.fft.config.set_cufft_callbacks
    for wrong in ({}, {"cb_load": "x", "cb_ver": "other"}):
        with pytest.raises(ValueError):
            set_callbacks(**wrong)
    if cuda.is_simulated():
        with pytest.raises(NotImplementedError, match="needs a GPU"):
            set_callbacks(cb_load="x", cb_ver="jit")
    else:
        with pytest.raises(ValueError, match="name it by cb_load_name"):
            set_callbacks(cb_load="x", cb_ver="jit")
        with pytest.raises(ValueError, match="without cb_store"):
            set_callbacks(cb_load=LOAD, cb_store_data=cp.ones(3).data, cb_ver="jit")


# -- cosines and sines ---------------------------------------------------------------------------


@pytest.mark.parametrize("type_", [1, 2, 3, 4])
@pytest.mark.parametrize("name", ["dct", "idct", "dst", "idst", "dctn", "idctn", "dstn", "idstn"])
def test_cosines_and_sines(name, type_):
    expected_of, found_of = getattr(scipy.fft, name), getattr(cupyx.scipy.fft, name)
    one = name[-1] != "n"
    others = {"n": 9} if one else {"s": (9, 3)}, {"axis": 0} if one else {"axes": (0,)}
    for dtype in "dfF":
        x = samples((5, 6), dtype)
        for norm in (None, "ortho", "forward"):
            for more in ({}, {"orthogonalize": True}, *others):
                expected = expected_of(x, type_, norm=norm, **more)
                agree(found_of(cp.asarray(x), type_, norm=norm, **more), expected, dtype)


def test_wrong_cosines():
    x = np.ones((2, 3))
    for wrong in ({"type": 5}, {"n": 0}, {"axis": 2}, {"norm": "x"}, {"type": 1, "n": 1}):
        with pytest.raises(Exception) as expected:
            scipy.fft.dct(x, **wrong)
        with pytest.raises(expected.type):
            cupyx.scipy.fft.dct(cp.asarray(x), **wrong)
