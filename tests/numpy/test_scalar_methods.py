"""Methods and attributes that NumPy's scalars have of arrays."""

import subprocess
import sys

import numpy as np
import pytest
from language.support import assert_same
from numjit import njit

DTYPES = ["?", "i1", "u1", "i4", "i8", "u8", "f2", "f4", "f8", "c8", "c16"]
WHAT = """
    round() round(1) sum() prod() mean() std() var() max() min() any() all() copy() squeeze() conj()
    transpose() ravel() flatten() reshape(1) reshape(1,1) repeat(3) cumsum() cumprod() argmax()
    argmin() tolist() astype(np.float32) astype(np.int64) astype(np.complex64) clip(0,1) T shape
    ndim size itemsize nbytes
""".split()


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("what", WHAT)
def test_as_in_numpy(what):
    f = eval(f"lambda a: a[0].{what}", {"np": np})
    compiled = njit(f)
    for dtype in DTYPES:
        for value in (0, 1, 2.75, 100):
            a = np.array([value, value], dtype)
            try:
                wanted = f(a)
            except TypeError:  # not of this dtype
                continue
            got = compiled(a)
            if isinstance(wanted, np.ndarray):
                assert got.dtype == wanted.dtype and got.shape == wanted.shape, dtype
            assert np.array_equal(got, wanted), (dtype, value, got, wanted)


def test_of_what_is_computed():
    f = lambda a: (a.sum().round(2), np.sqrt(a[0]).astype(np.int32) + 1, a.mean().clip(0, 1))
    assert njit(f)(np.array([1.256, 2.0])) == f(np.array([1.256, 2.0]))
    zeros = njit(lambda x: np.zeros(2, x.dtype))
    assert zeros(np.float32(1)).dtype == np.float32 and zeros(3).dtype == np.int64


def test_numbers_are_told_from_arrays():
    """Python's numbers have none of it, and compiled code does not know whose a number was."""

    @njit
    def f(x):
        if hasattr(x, "shape") and hasattr(x, "sum"):
            return x.sum() + getattr(x, "ndim", 7)
        return x + getattr(x, "ndim", 7)

    assert f(np.ones(3)) == 4.0
    assert f(2.0) == 9.0


@pytest.mark.parametrize(
    "text", ["x.dtype == np.float64", "not hasattr(x, 'shape')", "not hasattr(x, 'sum')", "x.any()"]
)
def test_first_of_all_in_a_process(text):
    program = f"import numpy as np; from numjit import njit; assert njit(lambda x: {text})(2.5)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_indices_that_numbers_take():
    def f(a):
        x, flag = a.max(), np.all(a > 0)
        return x[()], x[..., None], flag[None, ..., None], np.where(flag[..., None], a, -a)

    assert_same(f, np.array([1.0, 2.0]))
    assert_same(f, np.array([-1.0, 2.0]))
