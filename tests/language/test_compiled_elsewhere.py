"""Functions of other languages that the interpreter executes: library/python/compiled_elsewhere.py
and fortran_functions.py."""

import gc
import sys
import threading

import numpy as np
import pytest
from language.support import check_same
from numjit import errors, njit, types

pytest.importorskip("scipy", reason="SciPy, whose functions these are, is not installed")

from numjit.library.python.compiled_elsewhere import result_type
from scipy.cluster.vq import _vq
from scipy.interpolate import _fitpack
from scipy.linalg import blas, get_blas_funcs, get_lapack_funcs, lapack
from scipy.ndimage import _nd_image
from scipy.signal import _sigtools
from scipy.spatial import _distance_wrap
from scipy.special import _specfun

points = np.array([[0.0, 1.0], [2.0, 3.0], [5.0, 8.0]])
knots = np.repeat([0.0, 1.0], 4)


def clusters(x):
    return _vq.vq(x, x[:2])


def filtered(x):
    return _sigtools._linear_filter(np.ones(2), np.ones(1) * 2, x, 0)


def filtered_with_state(x):
    return _sigtools._linear_filter(np.ones(2), np.ones(2), x[:, 0], 0, np.ones(1))


def spline(x):
    y, error = _fitpack.splev(knots, np.arange(4.0), 3, x[:, 1] / 9, 0)
    return y * 2, error


def zeros(x):
    return _specfun.airyzo(len(x), 1)[0][::-1]


def fills_square(x):
    square = np.zeros((3, 3))
    _distance_wrap.to_squareform_from_vector_wrap(square, x[:, 0])
    return square + 1


def fills_part(x):
    out = np.zeros((2, 3))
    _nd_image.correlate1d(x[:, 0].copy(), np.ones(3), 0, out[1], 2, 0.0, 0)
    return out


EXECUTED = (clusters, filtered, filtered_with_state, spline, zeros, fills_square, fills_part)


@pytest.mark.parametrize("function", EXECUTED, ids=lambda each: each.__name__)
def test_as_scipy(function):
    check_same(njit(function)(points), function(points))


def test_dtypes_follow_arguments():
    check_same(njit(clusters)(points.astype("f4")), clusters(points.astype("f4")))


def product(a, b):
    return blas.dgemm(1.0, a, b, trans_b=1)


def factors(a):
    lu, pivots, info = lapack.dgetrf(a)
    return np.tril(lu, -1), pivots + 1, info


def dot(a):
    return blas.ddot(a[0], a[1]) + blas.idamax(a[0])


def solved(a):
    (gesv,) = get_lapack_funcs(("gesv",), (a, a))
    return gesv(a, a[:, :1])[2:]


def found_by_array(a):
    gemv = get_blas_funcs("gemv", (a,))
    return gemv(2.0, a, a[0]), gemv.typecode, gemv.dtype == a.dtype


matrix = np.array([[4.0, 1.0, 2.0], [1.0, 5.0, 3.0], [2.0, 0.0, 6.0]])


@pytest.mark.parametrize("function", [factors, dot, solved, found_by_array])
@pytest.mark.parametrize("order", "CF")
def test_fortran(function, order):
    a = np.array(matrix, order=order)
    check_same(njit(function)(a), function(a))


def test_fortran_keywords():
    check_same(njit(product)(matrix, matrix), product(matrix, matrix))


@pytest.mark.parametrize("dtype", "fdFD")
def test_routines_follow_the_dtype(dtype):
    a = matrix.astype(dtype)
    check_same(njit(found_by_array)(a), found_by_array(a), 1e-6)


def test_best_types():
    def best(a, b):
        prefix, dtype, fortran = blas.find_best_blas_type((a, b))
        return prefix, np.zeros(1, dtype), fortran, lapack.find_best_lapack_type((b,))[0]

    for first in "fdFDi":
        for second in "fD":
            a, b = np.ones((2, 3), first), np.ones((2, 3), second, order="F")
            check_same(njit(best)(a, b), best(a, b))
            check_same(njit(best)(a.T, b), best(a.T, b))


def test_what_fortran_overwrites():
    @njit
    def overwrite(a):
        lu, pivots, info = lapack.dgetrf(a, overwrite_a=1)
        lu[0, 0] = -1.0
        return a[0, 0]

    assert overwrite(np.array(matrix, order="F")) == -1.0


def test_errors_arrive():
    @njit
    def caught(x):
        try:
            return len(_vq.vq(x, x[:, :1])[0])
        except ValueError:
            return -1

    assert caught(points) == -1
    with pytest.raises(ValueError, match="same number of features"):
        njit(lambda x: _vq.vq(x, x[:, :1]))(points)
    with pytest.raises(Exception, match="ldb==k"):
        njit(product)(matrix, matrix[:, :2])


def test_results_are_released():
    compiled = njit(clusters)
    compiled(points)
    before = sys.getrefcount(points)
    blocks = sys.getallocatedblocks()
    for _ in range(200):
        compiled(points)
    gc.collect()
    assert sys.getrefcount(points) == before
    assert sys.getallocatedblocks() - blocks < 150


def test_threads():
    compiled, found = njit(nogil=True)(clusters), []
    compiled(points)
    threads = [
        threading.Thread(target=lambda: found.append([compiled(points) for _ in range(50)]))
        for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 4
    for results in found:
        check_same(results[-1], clusters(points))


def test_texts_of_types():
    x, y = types.float32[:, ::1], types.int64[::1]
    for text, expected in {
        "none": types.none,
        "{0}": types.float32[:, ::1],
        "{1,0}": types.float64[::1],
        "{0}[1]": types.float32[::1],
        "int32[2F]": types.int32[::1, :],
        "({1,0}[2], bool[1])": types.Tuple((types.float64[:, ::1], types.boolean[::1])),
    }.items():
        assert result_type(text, (x, y)) == expected, text
    with pytest.raises(errors.TypingError, match="argument 3"):
        result_type("{2}", (x, y))
