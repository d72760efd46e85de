"""Arrays of ml_dtypes.bfloat16: what NumPy gives, or that of float32 rounded."""

import numjit.cupy as cp
import numpy as np
import pytest

ml_dtypes = pytest.importorskip("ml_dtypes", reason="NumPy has no bfloat16 without ml_dtypes")
B = np.dtype(ml_dtypes.bfloat16)
VALUES = np.array([[1.5, -2, 0, np.inf], [3, 0.25, 100, np.nan]]).astype(B)
FINITE = VALUES[:, :3]

SAME = """
x + 1; x * 2.5; 1 / (x + 8); x + x.astype('f4'); x + x.astype('f2'); x + x.astype('f8'); -x; abs(x)
x.astype('i4') + x; x.astype('?'); (x > 0).astype(B); x.astype('c8'); x.astype('u1'); x.astype('i8')
x ** 2; x // 2; x % 2; x == x; x != 1; x < x.T[0, 0]; xp.sqrt(abs(x)); xp.sign(x); xp.floor(x)
xp.where(x > 0, x, x * 2); xp.clip(x, 0, 1); xp.maximum(x, 1); xp.copysign(x, -1); xp.frexp(x)[0]
xp.ldexp(x, 2); xp.modf(x)[1]; xp.arange(3, dtype=B); xp.arange(0, 50, .5, dtype=B)
xp.full(2, 1.7, B); xp.zeros(2, B); xp.linspace(0, 1, 3, dtype=B)
xp.asarray([1e40, -1e-50]).astype(B)
xp.asarray([2 ** 62, -3]).astype(B); xp.asarray([True, False]).astype(B); x[:, ::-1]; x[x > 0]
x.sum(); x.sum(0); x.mean(); x.max(1); x.min(); x.argmax(); x.argmin(1); x.any(); x.all()
xp.sort(x); xp.argsort(x); xp.unique(x); xp.searchsorted(xp.sort(x[0]), 1); xp.median(x)
xp.maximum.accumulate(x); xp.add.accumulate(x); xp.add.outer(x[0], x[0])
xp.multiply(x, x, dtype='f4')
xp.add(x, x, out=xp.zeros((2, 3), B)); xp.concatenate([x, x.astype('f4')]); xp.nonzero(x)[0]
xp.diff(x); xp.pad(x, 1); xp.repeat(x, 2); x.T.copy(); xp.allclose(x, x); x.view('u2')
"""


@pytest.mark.parametrize(
    "text", [each for each in SAME.replace("\n", ";").split(";") if each.strip()]
)
def test_as_numpy(text):
    expected = np.asarray(eval(text.strip(), {"xp": np, "x": FINITE, "B": B}))
    found = eval(text.strip(), {"xp": cp, "x": cp.asarray(FINITE), "B": B})
    found = found.get() if isinstance(found, cp.ndarray) else np.asarray(found)
    assert found.dtype == expected.dtype
    np.testing.assert_array_equal(found.astype("c16"), expected.astype("c16"))


@pytest.mark.parametrize(
    "name", ["isnan", "isinf", "signbit", "exp", "sin", "arctan", "cbrt", "log1p"]
)
def test_functions_round_what_they_compute_in_float32(name):
    with np.errstate(all="ignore"):
        single = getattr(np, name)(VALUES.astype(np.float32))
    found = getattr(cp, name)(cp.asarray(VALUES)).get()
    expected = single if single.dtype == bool else single.astype(B)
    assert found.dtype == expected.dtype
    np.testing.assert_allclose(found.astype(float), expected.astype(float), rtol=0.008)


def test_sums_are_float32_inside():
    numbers = np.arange(1, 10_000)
    x = cp.asarray(numbers).astype(B)
    rounded = numbers.astype(B).astype(np.float64)
    assert x.sum().get() == rounded.sum().astype(B)
    assert (x @ x).get() == (rounded @ rounded).astype(B)
    with pytest.raises(TypeError, match="no loop"):
        cp.nextafter(x, x)
