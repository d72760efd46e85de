"""Functions of the package against NumPy's, by the same text."""

import ctypes
import sys

import numjit.cupy as cp
import numpy as np
import pytest
from gpuarrays.arrays import check
from numjit.cupy import libraries

_RNG = np.random.default_rng(1)
A, B = _RNG.standard_normal((2, 4, 5))
ARRAYS = {
    "A": A,
    "B": B,
    "C": A + 1j * B,
    "D": A.T + 0.5,
    "S": A @ A.T + 4 * np.eye(4),
    "V": _RNG.standard_normal(12),
    "I": _RNG.integers(0, 9, 12),
    "M": A > 0,
}

CALLS = """
roll(A, 2)  roll(A, 1, axis=1)  linspace(0, 1, 7)  linspace(V, V + 1, 5)  tile(V, 3)
tile(A, (2, 2))  outer(V, V)  kron(A, B)  cov(A)  corrcoef(A)  percentile(V, 30)
percentile(A, [10, 50], axis=1)  quantile(V, .2)  median(A, axis=0)  diff(V)  diff(A, axis=0)
flip(A)  flip(A, 1)  fliplr(A)  flipud(A)  rot90(A)  meshgrid(V, V[:3])  indices((2, 3))  tri(3)
tril(A)  triu(A, 1)  vander(V)  cross(A[:, :3], B[:, :3])  tensordot(A, B, axes=([1], [1]))
hstack((A, B))  vstack((A, B))  dstack((A, B))  column_stack((V, V))  split(V, 3)
array_split(V, 5)  hsplit(A, 5)  vsplit(A, 2)  atleast_1d(V)  atleast_2d(V)  atleast_3d(V)
moveaxis(A, 0, 1)  rollaxis(A, 1)  expand_dims(A, 0)  isclose(A, B)  allclose(A, A)
array_equal(A, A)  polyval(V, V)  polyfit(V, V, 2)  intersect1d(I, I)  setdiff1d(I, I[:4])
union1d(I, I)  isin(I, I[:3])  nan_to_num(V)  angle(C)  sinc(V)  i0(V)  ediff1d(V)
average(A, axis=0)  average(A, axis=1, weights=V[:5])  nanmean(A)  nanmedian(A, axis=1)
nanvar(A)  nanstd(A, axis=0)  nansum(A, axis=0)  nanmin(A, axis=1)  nanargmax(A)  nanprod(A)
nancumsum(A)  trapezoid(V)  unwrap(V)  gradient(V)  gradient(A)  pad(V, 2)
pad(A, 1, mode='edge')  pad(V, 3, mode='reflect')  pad(A, ((1, 2), (0, 1)), constant_values=3)
apply_along_axis(lambda x: x.sum(), 0, A)  apply_along_axis(lambda x: x * 2, 1, A)
logspace(0, 2, 5)  geomspace(1, 100, 5)  eye(4)  eye(3, 5, 1)  identity(3)  diag(V)  diag(A)
diagflat(V[:3])  delete(V, [1, 2])  insert(V, 1, 5.)  append(V, V)  resize(A, (2, 2))
trim_zeros(I)  histogram(V, 5)  histogram(V, [-1., 0., 1.])  bincount(I)
bincount(I, V)  digitize(V, np.array([-1., 0., 1.]))  interp(V, np.arange(3.), np.arange(3.) * 2)
unique(I)  unique(I, True, True, True)  unique(M, axis=0)  sort(V)  sort(A, axis=0)  sort(C)
argsort(V)  argsort(I, kind='stable')  argsort(A, axis=0)  lexsort((V, I))  partition(V, 3)
sort_complex(C)
searchsorted(np.arange(5.), V)  searchsorted(np.arange(5.), V, side='right')
cumsum(A, axis=0)  cumprod(V)  cumsum(I)  nonzero(M)  argwhere(M)  flatnonzero(M)
count_nonzero(M)  where(M, A, B)  where(M, A, 0)  select([M, ~M], [A, B])  clip(A, -.5, .5)
round(A, 1)  around(V)  fix(V)  ptp(A, axis=1)  take(V, [1, 2, 6])  take(A, [[1, 0]], axis=1)
choose(I % 2, [V, V * 2])  compress(V > 0, V)  swapaxes(A, 0, 1)  broadcast_arrays(A, A[0])
tril_indices(3)  triu_indices(3)  diag_indices(3)  unravel_index(I, (3, 3))
ravel_multi_index((I % 3, I % 3), (3, 3), mode='wrap')  dot(A, B.T)  matmul(A, B.T)  inner(A, B)
dot(V, V)  vdot(C, C)  matmul(A[None], B.T[:, :3])  einsum('ij,kj->ik', A, B)  einsum('ii', S)
einsum('ij->j', A)  einsum('bi,bj->bij', A, B)  einsum('...j,j', A, V[:5])
einsum('ij,jk,kl', A, D, B)
convolve(V, V[:3])  convolve(V, V[:2], 'same')  convolve(C[0], V[:2], 'valid')  correlate(V, V[:3])
hamming(5)  kaiser(5, 2.)  full((2, 3), 7)  arange(5)  arange(1., 2., .1)  arange(5, 0, -2)
stack((A, B))  concatenate((A, B))  concatenate((A, B), axis=None)  repeat(V, 2)
repeat(A, 2, axis=1)  ravel(A, 'F')  reshape(A, (5, 4))  reshape(A.T, (4, 5))  squeeze(A[None])
real(C)  imag(C)  conj(C)  isreal(C)  trace(A)  block([[A, B]])  apply_over_axes(np.sum, A, [0, 1])
take_along_axis(A, I[:4, None] % 5, 1)  unstack(A)  array_equiv(A, A)  real_if_close(C)
piecewise(V, [V > 0], [1., 2.])  extract(V > 0, V)  packbits(I > 3)  unpackbits(I.astype(np.uint8))
heaviside(V, V)  modf(V)  frexp(V)  divmod(I, 3)  cumulative_sum(V)  nanquantile(V, .3)
histogram2d(V, V, 3)  histogramdd(A, 3)
linalg.norm(A)  linalg.norm(A, axis=1)  linalg.norm(A, 1)  linalg.inv(S)  linalg.solve(S, V[:4])
linalg.solve(S, A)  linalg.det(S)  linalg.slogdet(S)  linalg.eigvalsh(S)  linalg.cholesky(S)
linalg.lstsq(D, V[:5])  linalg.pinv(A)  linalg.matrix_rank(A)  linalg.matrix_power(S, 3)
linalg.cond(A)  linalg.inv(np.stack([S, S + np.eye(4)]))  linalg.svd(A, compute_uv=False)
linalg.tensorsolve(np.eye(4).reshape(2, 2, 2, 2), V[:4].reshape(2, 2))  linalg.multi_dot([A, D, A])
fft.fft(V)  fft.ifft(C)  fft.rfft(V)  fft.irfft(C)  fft.fft2(A)  fft.fftn(A)  fft.ifftn(C)
fft.fft(V, 9)  fft.fft(V, 20)  fft.fft(A, axis=0)  fft.rfft2(A)  fft.irfft2(C)  fft.rfftn(A)
fft.hfft(C)  fft.ihfft(V)  fft.fftshift(V)  fft.ifftshift(V)  fft.fftfreq(5)  fft.rfftfreq(5)
fft.fft(V, norm='ortho')  fft.fft(V.astype('f4'))  fft.irfft(C, 7)
mgrid[0:3, 0:2]  ogrid[0:3, 0:2]  r_[V, V]  c_[V, V]
"""


def _calls():
    for line in CALLS.strip().split("\n"):
        yield from filter(None, map(str.strip, line.split("  ")))


@pytest.mark.parametrize("text", list(_calls()))
def test_as_numpy(text):
    want = eval(f"np.{text}", {"np": np, **ARRAYS})
    on_device = {name: cp.array(array) for name, array in ARRAYS.items()}
    # What the text makes of NumPy beside the function under test is moved to the device.
    names = {"np": _OnDevice(), "cp": cp, **on_device}
    _compare(eval(f"cp.{text}", names), want)


class _OnDevice:
    """np.array(...), ... in a text, as device arrays."""

    def __getattr__(self, name):
        return getattr(cp, name)


def _compare(got, want):
    if isinstance(want, tuple | list):
        assert len(got) == len(want)
        for one, other in zip(got, want):
            _compare(one, other)
    elif isinstance(got, cp.ndarray):
        check(got, want, 2e-6 if np.asarray(want).dtype.char in "fF" else 1e-9)
    else:
        assert got == want


@pytest.mark.parametrize("code", ["f4", "f8", "c8", "c16"])
def test_linear_systems(code):
    """Of every dtype, with the conjugates that complex numbers need, and stacks."""
    rng = np.random.default_rng(5)
    a = rng.standard_normal((2, 3, 4, 4)) + 1j * rng.standard_normal((2, 3, 4, 4))
    a = (a if code[0] == "c" else a.real).astype(code)
    b = rng.standard_normal((3, 4, 2)).astype(code)
    square = a @ a.conj().swapaxes(-1, -2) + np.eye(4, dtype=code)
    rtol = 2e-3 if code in ("f4", "c8") else 1e-9
    check(cp.linalg.solve(cp.array(a), cp.array(b)), np.linalg.solve(a, b), rtol)
    check(cp.linalg.solve(cp.array(a[0, 0]), cp.array(b[0, :, 0])),
          np.linalg.solve(a[0, 0], b[0, :, 0]), rtol)  # fmt: skip
    check(cp.linalg.inv(cp.array(a)), np.linalg.inv(a), rtol)
    check(cp.linalg.cholesky(cp.array(square)), np.linalg.cholesky(square), rtol)
    check(cp.linalg.eigvalsh(cp.array(square)), np.linalg.eigvalsh(square), rtol)
    for uplo in "LU":
        values, vectors = cp.linalg.eigh(cp.array(square), uplo)
        check((vectors * values[..., None, :]) @ vectors.conj().swapaxes(-1, -2), square, rtol)
    with pytest.raises(np.linalg.LinAlgError):
        cp.linalg.cholesky(cp.array(-square))


def _is_unitary(q, atol):
    q = q.get()
    return np.allclose(q.conj().swapaxes(-1, -2) @ q, np.eye(q.shape[-1]), atol=atol)


@pytest.mark.unwatched("initcheck", reason="cuSOLVER copies to the host what it has not written")
@pytest.mark.parametrize("shape", [(5, 5), (7, 3), (3, 7), (2, 3, 4, 4), (40, 3, 3), (3, 0)])
@pytest.mark.parametrize("code", ["f4", "f8", "c8", "c16"])
def test_orthogonal_factors(code, shape):
    """They are not unique: what they multiply to is. Stacks of a few matrices and of many."""
    rng = np.random.default_rng(6)
    a = rng.standard_normal(shape) + 1j * rng.standard_normal(shape)
    a = (a if code[0] == "c" else a.real).astype(code)
    atol = 2e-5 if code in ("f4", "c8") else 1e-12
    for mode in ("reduced", "complete", "r"):
        found, expected = cp.linalg.qr(cp.array(a), mode), np.linalg.qr(a, mode)
        if mode == "r":
            np.testing.assert_allclose(abs(found.get()), abs(expected), atol=10 * atol)
            continue
        assert [each.shape for each in found] == [each.shape for each in expected]
        assert found.Q.dtype == a.dtype and _is_unitary(found.Q, atol)
        np.testing.assert_allclose((found.Q @ found.R).get(), a, atol=atol)
    for full in (False, True):
        found, expected = cp.linalg.svd(cp.array(a), full), np.linalg.svd(a, full)
        u, s, vh = found
        assert [each.shape for each in found] == [each.shape for each in expected]
        assert [each.dtype for each in found] == [each.dtype for each in expected]
        assert _is_unitary(u, atol) and _is_unitary(vh.conj().swapaxes(-1, -2), atol)
        np.testing.assert_allclose(s.get(), expected[1], atol=10 * atol)
        count = s.shape[-1]
        product = (u[..., :count] * s[..., None, :]) @ vh[..., :count, :]
        np.testing.assert_allclose(product.get(), a, atol=10 * atol)
    if shape[-1] == shape[-2]:
        for each in (a, np.zeros_like(a)):
            check(cp.linalg.det(cp.array(each)), np.linalg.det(each), 1e-3)
            for one, other in zip(cp.linalg.slogdet(cp.array(each)), np.linalg.slogdet(each)):
                check(one, other, 1e-3)


@pytest.mark.unwatched("initcheck", reason="cuSOLVER copies to the host what it has not written")
def test_factorisations():
    a = cp.array(A)
    with pytest.raises(np.linalg.LinAlgError):
        cp.linalg.svd(cp.full((3, 3), np.nan))
    w, v = cp.linalg.eigh(cp.array(ARRAYS["S"]))
    check((v * w) @ v.T, ARRAYS["S"], 1e-12)
    with pytest.raises(np.linalg.LinAlgError):
        cp.linalg.inv(a)


def test_random():
    cp.random.seed(3)
    one = cp.random.rand(1000)
    cp.random.seed(3)
    assert (one == cp.random.rand(1000)).all() and not (one == cp.random.rand(1000)).any()
    generator = cp.random.default_rng(1)
    for drawn, mean, std in [
        (generator.random(40000), 0.5, 0.2887),
        (cp.random.normal(1, 2, 40000), 1, 2),
        (cp.random.exponential(2.0, 40000), 2, 2),
        (generator.gamma(2.5, 1.5, 40000), 3.75, 2.3717),
        (generator.gamma(0.5, 1.0, 40000), 0.5, 0.7071),
        (generator.beta(2.0, 3.0, 40000), 0.4, 0.2),
        (generator.poisson(4.0, 40000), 4, 2),
        (generator.binomial(10, 0.3, 40000), 3, 1.449),
        (cp.random.randint(0, 10, 40000), 4.5, 2.872),
        (generator.integers(-5, 5, 40000, endpoint=True), 0, 3.162),
    ]:
        assert abs(float(drawn.mean()) - mean) < 0.03 * (mean + std)
        assert abs(float(drawn.std()) - std) < 0.03 * std
    check(cp.sort(cp.random.permutation(50)), np.arange(50))
    chosen = cp.random.choice(10, 10, replace=False)
    check(cp.sort(chosen), np.arange(10))


def test_files(tmp_path):
    a = cp.array(A)
    cp.save(tmp_path / "a.npy", a)
    check(cp.load(tmp_path / "a.npy"), A)
    cp.savez(tmp_path / "a.npz", x=a)
    check(cp.load(tmp_path / "a.npz")["x"], A)


def test_libraries_are_found_in_wheels_and_toolkits(monkeypatch, tmp_path):
    """Without a GPU: what is opened is the C library's libm under another name."""
    monkeypatch.setattr(libraries, "toolkit_roots", lambda: [str(tmp_path / "cuda")])
    monkeypatch.setattr(sys, "path", [str(tmp_path)])
    monkeypatch.setitem(libraries._LIBRARIES, "cublas", ((0,), ("cublas",), "nvidia-cublas"))
    find = libraries.library.__wrapped__
    ctypes.CDLL("libm.so.6")
    (libm, *_) = {
        line.split()[-1]
        for line in open("/proc/self/maps")
        if "/libm.so.6" in line or "/libm-" in line
    }
    with pytest.raises(libraries.LibraryNotFound, match="pip install nvidia-cublas"):
        find("cublas")
    for folder in ("cuda/lib64", "nvidia/cublas/lib"):
        (tmp_path / folder).mkdir(parents=True)
        file = tmp_path / folder / "libcublas.so.0"
        file.write_text("no library")
        with pytest.raises(libraries.LibraryNotFound, match="cannot be found"):
            find("cublas")
        file.unlink()
        file.symlink_to(libm)
        assert find("cublas").cos
        file.unlink()


@pytest.mark.parametrize("out", [np.zeros(4), [0], 5], ids=["host", "list", "number"])
def test_results_are_stored_in_device_arrays_only(out):
    x = cp.ones((2, 2))
    for function in (cp.dot, cp.matmul, cp.take):
        with pytest.raises(TypeError, match="ArrayType"):
            function(x, cp.zeros((2, 2), int), out=out)
