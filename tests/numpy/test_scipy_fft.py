"""scipy.fft in compiled code, against SciPy."""

import numpy as np
import pytest
from language.support import assert_same, check_array, check_same
from numjit import njit

fft = pytest.importorskip("scipy.fft", reason="SciPy is not installed")

RANDOM = np.random.default_rng(7)
REAL = RANDOM.normal(size=(5, 6))
COMPLEX = REAL + 1j * RANDOM.normal(size=(5, 6))

ONE_AXIS = "fft ifft rfft irfft hfft ihfft".split()
SEVERAL = "fft2 ifft2 rfft2 irfft2 fftn ifftn rfftn irfftn".split()
TRIGONOMETRIC = "dct idct dst idst".split()


def called(name):
    return getattr(fft, name)


@pytest.mark.parametrize("name", ONE_AXIS)
def test_one_axis(name):
    transform = called(name)
    numbers = REAL if name in ("rfft", "ihfft") else COMPLEX

    def f(x, n):
        return transform(x), transform(x, n), transform(x, axis=0, norm="ortho")

    def others(x):
        own = x[0].copy()
        return transform(own, norm="forward", overwrite_x=True), transform(x[:, ::2], 8, 0)

    for n in (3, 6, 9):
        assert_same(f, numbers, n, rtol=1e-12)
    assert_same(others, numbers, rtol=1e-12)


@pytest.mark.parametrize("name", SEVERAL)
def test_several_axes(name):
    transform = called(name)
    numbers = REAL if name.startswith("rfft") else COMPLEX

    def f(x):
        return transform(x), transform(x, (4, 8), norm="ortho"), transform(x, axes=(1, 0))

    assert_same(f, numbers, rtol=1e-11)


@pytest.mark.parametrize("name", TRIGONOMETRIC)
def test_cosines_and_sines(name):
    transform, of_all = called(name), called(name + "n")

    def one(x, type, n):
        return transform(x, type, n), transform(x, type)

    def scaled(x, type):
        return (
            transform(x, type, norm="ortho"),
            transform(x, type, axis=0, norm="forward"),
            transform(x, type, norm="ortho", orthogonalize=False),
            transform(x, type, orthogonalize=True),
        )

    def all_axes(x, type):
        return of_all(x, type), of_all(x, type, (4, 7), norm="ortho"), of_all(x, type, axes=(0,))

    def other_lengths(x, type):
        return of_all(x, type, (-1, 7)), of_all(x, type, (3,), axes=(-1,))

    calls = [(one, x, n) for n in (2, 3, 4, 7, 8) for x in (REAL[0], COMPLEX[:, 1])]
    calls += [(other_lengths, REAL), (scaled, REAL), (scaled, REAL[:, ::-2]), (all_axes, REAL)]
    compiled = {f: njit(f) for f in (one, scaled, all_axes, other_lengths)}
    for type in (1, 2, 3, 4):
        for f, x, *n in calls:
            for actual, expected in zip(compiled[f](x, type, *n), f(x, type, *n), strict=True):
                check_array(actual, expected, rtol=1e-9)


@pytest.mark.parametrize("dtype", ["f4", "c8", "i4", "?", "u1"])
def test_dtypes(dtype):
    x = (REAL * 3).astype(dtype)
    for name in ("fft", "irfft", "dct", "dst"):
        transform = called(name)
        actual, expected = njit(lambda x: transform(x))(x), transform(x)
        assert actual.dtype == expected.dtype
        np.testing.assert_allclose(actual, expected, rtol=1e-5, atol=1e-5)


def test_errors():
    def unknown_type(x):
        return fft.dct(x, 5)

    def too_few(x):
        return fft.dct(x[:1], 1)

    def no_numbers(x):
        return fft.dst(x, 2, 0)

    def unknown_norm(x):
        return fft.dct(x, norm="other")

    def no_axis(x):
        return fft.dct(x, axis=-5)

    for f in (no_axis, unknown_type, too_few, no_numbers, unknown_norm):
        assert_same(f, REAL[0])


def test_fast_lengths():
    def f(n):
        real = fft.next_fast_len(n, True), fft.prev_fast_len(n, True)
        return fft.next_fast_len(n), fft.prev_fast_len(n), real

    for n in (1, 2, 7, 13, 97, 1021, 30031):
        assert_same(f, n)


def test_exact_combinations():
    from scipy.special import comb

    assert njit(lambda n, k: comb(n, k, exact=True))(40, 20) == comb(40, 20, exact=True)


@pytest.mark.parametrize("name", [*ONE_AXIS, *SEVERAL])
def test_functions_of_scipy_itself(name):
    """They call functions in C++."""
    backend = pytest.importorskip("scipy.fft._basic_backend")
    transform = getattr(backend, name)
    numbers = REAL if name in ("rfft", "ihfft", "rfft2", "rfftn") else COMPLEX

    def of_one_axis(x, norm):
        return transform(x, norm=norm), transform(x, 4, 0, norm)

    def of_several(x, norm):
        return transform(x, norm=norm)

    call = njit(of_one_axis if name in ONE_AXIS else of_several)
    for norm in (None, "ortho", "forward"):
        for x in (numbers, numbers[:, ::2], np.asfortranarray(numbers)):
            check_same(call(x, norm), call.py_func(x, norm), 1e-12)
