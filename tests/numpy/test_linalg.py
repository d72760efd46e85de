"""Products of matrices and np.linalg: layouts, dtypes, shapes, errors, and what NumPy returns.

The generated tests compare the functions over samples; here is what is special about them.
"""

import numpy as np
import pytest
from language.support import assert_same, compiled
from numjit import errors, from_dtype, int64, njit
from numjit.library.core import routines

DTYPES = "fdFDlib?"


def matrix(shape, dtype="d", order="C", seed=0):
    """Random numbers; order "A" is a view with steps in every axis."""
    rng = np.random.default_rng(seed)
    a = 3 * rng.normal(size=shape)
    if np.dtype(dtype).kind == "c":
        a = a + 1j * rng.normal(size=shape)
    if order == "A":
        wide = np.zeros([2 * n for n in shape], dtype)
        wide[tuple(slice(None, None, 2) for _ in shape)] = a.astype(dtype)
        return wide[tuple(slice(None, None, 2) for _ in shape)]
    return np.array(a.astype(dtype), order=order)


def close(actual, expected):
    """Equal but for rounding. Numbers come back as Python's, so of those only the kind counts."""
    actual, expected = np.asarray(actual), np.asarray(expected)
    assert actual.shape == expected.shape
    if expected.ndim:
        assert actual.dtype == expected.dtype
    assert actual.dtype.kind == expected.dtype.kind
    single = expected.dtype in (np.float32, np.complex64)
    tolerance = 1e-4 if single else 1e-11
    np.testing.assert_allclose(actual, expected, rtol=tolerance, atol=tolerance)


def agree(f, *arguments):
    """The compiled function gives what the plain one gives, part by part."""
    actual, expected = compiled(f)(*arguments), f(*arguments)
    if isinstance(expected, tuple):
        assert type(actual).__name__ == type(expected).__name__
        for a, b in zip(actual, expected, strict=True):
            close(a, b)
    else:
        close(actual, expected)


def product(a, b):
    return a @ b


def dot(a, b):
    return np.dot(a, b)


# -- products ------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("orders", ["CC", "CF", "FC", "FF", "AC", "CA"])
def test_layouts(dtype, orders):
    a, b = matrix((3, 4), dtype, orders[0]), matrix((4, 5), dtype, orders[1], 1)
    agree(product, a, b)
    agree(product, a, b[:, 0])
    agree(product, a[0], b)
    agree(dot, a[0], b[:, 1])


@pytest.mark.parametrize(
    "shapes",
    [
        ((3, 0), (0, 2)),
        ((0, 3), (3, 2)),
        ((3, 0), (0,)),
        ((0,), (0,)),
        ((0,), (0, 3)),
        ((1, 1), (1, 1)),
        ((2, 3, 4), (2, 4, 5)),
        ((2, 3, 4), (4, 5)),
        ((3, 4), (2, 4, 5)),
        ((3, 1, 3, 4), (2, 4, 5)),
        ((4,), (2, 4, 5)),
        ((2, 3, 4), (4,)),
        ((0, 3, 4), (4, 2)),
    ],
)
def test_shapes(shapes):
    a, b = matrix(shapes[0]), matrix(shapes[1], seed=1)
    agree(product, a, b)
    agree(dot, a, b)


def test_mixed_dtypes():
    for left in "dflF":
        for right in "fliD":
            agree(product, matrix((2, 3), left), matrix((3, 2), right, "F", 1))


@pytest.mark.parametrize("shapes", [((2, 3), (2, 3)), ((3,), (4,)), ((2, 3), (2,)), ((2,), (3, 2))])
def test_operands_that_do_not_fit(shapes):
    with pytest.raises(ValueError, match="aligned"):
        compiled(product)(np.ones(shapes[0]), np.ones(shapes[1]))


def test_stacks_that_do_not_broadcast():
    assert_same(product, np.ones((2, 3, 3)), np.ones((3, 3, 3)))


def test_scalars():
    assert compiled(dot)(2.0, 3) == 6.0
    agree(dot, 2.0, matrix((2, 3, 2)))
    agree(dot, matrix((3,)), 2)
    agree(dot, np.array(3.0), matrix((2, 2)))
    with pytest.raises(errors.TypingError, match="scalar"):
        compiled(lambda a: np.matmul(a, 2.0))(np.ones(2))


def test_lists_and_tuples():
    agree(lambda: np.dot([1.0, 2.0], (3.0, 4.0)))


@pytest.mark.parametrize("order", "CFA")
def test_out(order):
    def into(a, b, out):
        return np.dot(a, b, out)

    def over_itself(a, b):
        np.matmul(a, b, out=a)

    a, b = matrix((3, 4)), matrix((4, 5), seed=1)
    out = matrix((3, 5), order=order)
    if order == "C":
        result = compiled(into)(a, b, out)
        close(out, a @ b)
        assert np.shares_memory(result, out)
    else:
        assert_same(into, a, b, out)
        compiled(lambda a, b, out: np.matmul(a, b, out))(a, b, out)
        close(out, a @ b)
    square, other = matrix((3, 3), order=order), matrix((3, 3), seed=2)
    expected = square @ other
    compiled(over_itself)(square, other)
    close(square, expected)
    with pytest.raises(ValueError, match="shape"):
        compiled(into)(a, b, np.empty((5, 3)))


def test_vdot_takes_the_conjugate():
    for left in "FDd":
        agree(lambda a, b: np.vdot(a, b), matrix((5,), left), matrix((5,), "D", "A", 1))
    agree(lambda a, b: np.vdot(a, b), matrix((2, 3)), matrix((3, 2), order="F"))


@pytest.mark.parametrize("order", "CF")
def test_relatives(order):
    a, b, stack = matrix((3, 4), order=order), matrix((2, 4), order=order), matrix((2, 3, 4))
    agree(lambda a, b: np.inner(a, b), a, b)
    agree(lambda a, b: np.inner(a, b), stack, b)
    agree(lambda a, b: np.inner(a, b), stack, b[0])
    agree(lambda a, b: np.outer(a, b), a, b)
    agree(lambda a, b: np.kron(a, b), a, b)
    agree(lambda a, b: np.kron(a, b), a[0], b)
    agree(lambda a, b: np.kron(a, b), a[0], b[0])
    agree(lambda a, b: np.kron(a, b), stack, b)
    agree(lambda a: np.trace(a), a)
    agree(lambda a, k: np.trace(a, k), a, 1)
    agree(lambda a, k: np.trace(a, k), a, -2)
    agree(lambda a, k: a.trace(k), a.astype(np.int32), 9)
    agree(lambda a: np.trace(a), stack)
    agree(lambda a: np.trace(a, offset=1, axis1=2, axis2=-2), stack.astype("b"))
    agree(lambda a, b: np.cross(a, b), a[:, :3], b[0, :3])
    agree(lambda a, b: np.cross(a, b), a[0, :3], b[0, :3])
    agree(lambda a, b, c: np.linalg.multi_dot((a, b, c)), a, b.T, b)
    agree(lambda a, b, c: np.linalg.multi_dot((a, b, c)), a[0], b.T, b)


# -- np.linalg -----------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", "fdFDl")
@pytest.mark.parametrize("order", "CFA")
def test_systems(dtype, order):
    a = matrix((4, 4), dtype, order)
    agree(lambda a, b: np.linalg.solve(a, b), a, matrix((4,), dtype, seed=1))
    agree(lambda a, b: np.linalg.solve(a, b), a, matrix((4, 2), dtype, order, 1))
    agree(lambda a: np.linalg.inv(a), a)
    agree(lambda a: np.linalg.det(a), a)
    agree(lambda a: np.linalg.slogdet(a), a)
    for n in (0, 1, 2, 5):
        agree(lambda a, n: np.linalg.matrix_power(a, n), a, n)


def test_negative_powers_of_integer_matrices():
    a = np.array([[2, 1], [1, 1]])
    agree(lambda a: np.linalg.matrix_power(a, -2), a)
    with pytest.raises(ValueError, match="convert the matrix"):
        compiled(lambda a, n: np.linalg.matrix_power(a, n))(a, -2)


def test_the_argument_is_not_changed():
    a, b = matrix((3, 3), order="F"), matrix((3,))
    assert_same(lambda a, b: np.linalg.solve(a, b).size, a, b)
    assert_same(lambda a: np.linalg.inv(a).size, a)
    assert_same(lambda a: np.linalg.eigh(a)[0].size, a)


@pytest.mark.parametrize("dtype", "fdFD")
@pytest.mark.parametrize("shape", [(4, 4), (5, 3), (3, 5)])
def test_decompositions(dtype, shape):
    a = matrix(shape, dtype)
    tolerance = 1e-4 if dtype in "fF" else 1e-11

    def is_same(x, y):
        assert x.dtype == y.dtype
        np.testing.assert_allclose(x, y, rtol=tolerance, atol=tolerance)

    u, s, vh = compiled(lambda a: np.linalg.svd(a, full_matrices=False))(a)
    is_same(u * s @ vh, a)
    full = compiled(lambda a: np.linalg.svd(a))(a)
    assert full.U.shape == (shape[0],) * 2 and full.Vh.shape == (shape[1],) * 2
    is_same(full.S, s)
    is_same(full.U @ full.U.conj().T, np.eye(shape[0], dtype=dtype))
    is_same(compiled(lambda a: np.linalg.svd(a, compute_uv=False))(a), s)
    q, r = compiled(lambda a: np.linalg.qr(a))(a)
    is_same(q @ r, a)
    assert (np.tril(r, -1) == 0).all()
    for mode in ("complete", "r", "raw"):
        f = {
            "complete": lambda a: np.linalg.qr(a, mode="complete"),
            "r": lambda a: np.linalg.qr(a, mode="r"),
            "raw": lambda a: np.linalg.qr(a, mode="raw"),
        }[mode]
        agree(f, a)
    agree(lambda a: np.linalg.pinv(a), a)
    assert compiled(lambda a: np.linalg.matrix_rank(a))(a) == min(shape)


@pytest.mark.parametrize("dtype", "fdFD")
def test_eigenvalues(dtype):
    a = matrix((4, 4), dtype)
    hermitian = a @ a.conj().T + np.eye(4, dtype=dtype)
    tolerance = 1e-3 if dtype in "fF" else 1e-11

    w, v = compiled(lambda a: np.linalg.eigh(a))(hermitian)
    assert w.dtype == np.linalg.eigvalsh(hermitian).dtype
    np.testing.assert_allclose(w, np.linalg.eigvalsh(hermitian), rtol=tolerance)
    np.testing.assert_allclose(hermitian @ v, v * w, rtol=0, atol=tolerance * w.max())
    for f in (
        lambda a: np.linalg.eigvalsh(a),
        lambda a: np.linalg.eigvalsh(a, "U"),
        lambda a: np.linalg.cholesky(a),
        lambda a: np.linalg.cholesky(a, upper=True),
    ):
        np.testing.assert_allclose(compiled(f)(hermitian), f(hermitian), rtol=tolerance, atol=1e-3)
    agree(lambda a: np.linalg.eigh(a).eigenvalues.size, hermitian)


def by_value(w):
    return w[np.lexsort((w.imag.round(2), w.real.round(2)))]


@pytest.mark.parametrize("dtype", "fdFD")
def test_general_eigenvalues(dtype):
    a = matrix((4, 4), dtype)
    if dtype in "fd":
        a = a + a.T  # real eigenvalues: before NumPy 2.5 a real matrix must have such
    tolerance = 1e-3 if dtype in "fF" else 1e-10
    w, v = compiled(lambda a: np.linalg.eig(a))(a)
    expected = np.linalg.eig(a)
    assert w.dtype == expected.eigenvalues.dtype and v.dtype == expected.eigenvectors.dtype
    np.testing.assert_allclose(a @ v, v * w, rtol=0, atol=100 * tolerance)
    values = compiled(lambda a: np.linalg.eigvals(a))(a)
    np.testing.assert_allclose(by_value(values), by_value(np.linalg.eigvals(a)), rtol=tolerance)


def test_complex_eigenvalues_of_a_real_matrix():
    a = np.array([[0.0, -1, 0], [1, 0, 0], [0, 0, 2]])
    f = compiled(lambda a: np.linalg.eig(a))
    if np.linalg.eigvals(np.eye(2)).dtype.kind == "c":  # since NumPy 2.5
        w, v = f(a)
        np.testing.assert_allclose(a @ v, v * w, atol=1e-12)
        assert sorted(w.imag.round(12)) == [-1, 0, 1]
    else:
        with pytest.raises(ValueError, match="complex"):
            f(a)


@pytest.mark.parametrize("dtype", "fdDl")
@pytest.mark.parametrize("order", ["None", "0", "1", "-1", "2", "3", "0.5", "np.inf", "-np.inf"])
def test_norms_of_vectors(dtype, order):
    f = eval(f"lambda a: np.linalg.norm(a, {order})")
    with np.errstate(all="ignore"):
        agree(f, matrix((5,), dtype))
        agree(f, matrix((5,), dtype, "A"))


@pytest.mark.parametrize("dtype", "fdDl")
@pytest.mark.parametrize("order", ["None", "'fro'", "'nuc'", "1", "-1", "2", "-2", "np.inf"])
def test_norms_of_matrices(dtype, order):
    f = eval(f"lambda a: np.linalg.norm(a, {order})")
    agree(f, matrix((3, 4), dtype))
    agree(f, matrix((3, 4), dtype, "F"))


def test_norm_with_an_order_that_is_known_at_run_time():
    for order in (1, 2, 3):
        agree(lambda a, order: np.linalg.norm(a, order), matrix((5,)), order)
    for order in (1.0, np.inf, -np.inf):
        agree(lambda a, order: np.linalg.norm(a, order), matrix((3, 4)), order)
    for order in (3, 0.5):
        assert_same(lambda a, order: np.linalg.norm(a, order), matrix((3, 4)), order)
    agree(lambda a: np.linalg.norm(a), matrix((2, 3, 2)))


@pytest.mark.parametrize("order", ["None", "1", "np.inf"])
@pytest.mark.parametrize("axis", ["0", "-1", "(1,)", "(0, 2)", "(-1, 0)"])
@pytest.mark.parametrize("layout", "CA")
def test_norms_along_axes(order, axis, layout):
    a = matrix((2, 3, 4), order=layout)
    agree(eval(f"lambda a: np.linalg.norm(a, {order}, axis={axis})"), a)
    agree(eval(f"lambda a: np.linalg.norm(a, {order}, {axis}, True)"), a.astype("F"))


def test_norms_that_keep_dimensions_or_find_none():
    agree(lambda a: np.linalg.norm(a, keepdims=True), matrix((2, 3)))
    agree(lambda a: np.linalg.norm(a, axis=1), np.ones((0, 3)))
    agree(lambda a: np.linalg.norm(a, axis=1), np.ones((3, 0)))
    for axis in (0, -1):
        agree(lambda a, axis: np.linalg.norm(a, axis=axis), matrix((2, 3, 4)), axis)
        agree(lambda a, axis: np.linalg.norm(a, 1, axis, True), matrix((2, 3)), axis)
    assert_same(lambda a: np.linalg.norm(a, axis=(0, 0)), np.ones((2, 2)))
    assert_same(lambda a, axis: np.linalg.norm(a, axis=axis), np.ones((2, 2)), 2)


@pytest.mark.parametrize("order", ["None", "2", "-2", "1", "-1", "np.inf", "'fro'"])
def test_condition_numbers(order):
    f = eval(f"lambda a: np.linalg.cond(a, {order})")
    agree(f, matrix((4, 4)))
    agree(f, np.zeros((2, 2)))


@pytest.mark.parametrize("axes", ["0", "1", "2", "((2, 0), (0, 1))", "(-1, 1)", "((), ())"])
def test_tensordot(axes):
    f = eval(f"lambda a, b: np.tensordot(a, b, axes={axes})")
    agree(f, matrix((4, 3, 4)), matrix((3, 4, 5)) if axes == "2" else matrix((4, 4, 3), order="F"))


@pytest.mark.parametrize("shape", [(6, 3), (3, 3), (2, 4), (0, 2), (3, 0)])
@pytest.mark.parametrize("dtype", "dD")
def test_least_squares(shape, dtype):
    a = matrix(shape, dtype)
    for b in (matrix(shape[:1], dtype, seed=1), matrix((shape[0], 2), dtype, seed=1)):
        expected = np.linalg.lstsq(a, b)
        x, residuals, rank, s = compiled(lambda a, b: np.linalg.lstsq(a, b))(a, b)
        close(x, expected[0])
        close(residuals, expected[1])
        assert rank == expected[2]
        close(s, expected[3])


# -- errors and corners --------------------------------------------------------------------------

SINGULAR = np.array([[1.0, 2], [2, 4]])


@pytest.mark.parametrize(
    "f, said",
    [
        (lambda a: np.linalg.inv(a), "Singular matrix"),
        (lambda a: np.linalg.solve(a, np.ones(2)), "Singular matrix"),
        (lambda a: np.linalg.matrix_power(a, -1), "Singular matrix"),
        (lambda a: np.linalg.cholesky(a - 3), "not positive definite"),
        (lambda a: np.linalg.inv(a[:1]), "must be square"),
        (lambda a: np.linalg.eigvals(a / 0.0), "infs or NaNs"),
        (lambda a: np.linalg.svd(a * np.nan)[1], "SVD did not converge"),
    ],
)
def test_errors_of_linear_algebra(f, said):
    with np.errstate(all="ignore"), pytest.raises(np.linalg.LinAlgError, match=said):
        f(SINGULAR)
    with pytest.raises(np.linalg.LinAlgError, match=said):
        compiled(f, error_model="numpy")(SINGULAR)


def test_singular_matrices_have_a_determinant():
    agree(lambda a: np.linalg.det(a), SINGULAR)
    assert compiled(lambda a: np.linalg.slogdet(a))(SINGULAR) == (0.0, -np.inf)
    assert compiled(lambda a: np.linalg.cond(a, 1))(SINGULAR) == np.inf
    assert compiled(lambda a: np.linalg.matrix_rank(a))(SINGULAR) == 1


def test_right_sides_that_do_not_fit():
    assert_same(lambda a, b: np.linalg.solve(a, b), np.eye(2), np.ones(3))
    assert_same(lambda a, b: np.linalg.lstsq(a, b)[0], np.eye(2), np.ones(3))


def test_empty_matrices():
    empty = np.ones((0, 0))
    for f in (
        lambda a: np.linalg.inv(a),
        lambda a: np.linalg.det(a),
        lambda a: np.linalg.slogdet(a),
        lambda a: np.linalg.cholesky(a),
        lambda a: np.linalg.eigh(a),
        lambda a: np.linalg.eigvals(a),
        lambda a: np.linalg.svd(a),
        lambda a: np.linalg.qr(a),
        lambda a: np.linalg.norm(a),
    ):
        agree(f, empty)
    for shape in ((0, 3), (3, 0)):
        agree(lambda a: np.linalg.svd(a), np.ones(shape))
        agree(lambda a: np.linalg.pinv(a), np.ones(shape))
    assert_same(lambda a: np.linalg.cond(a), empty)
    for shape in ((0, 2), (2, 0), (0, 0)):
        for order in (1, -1, np.inf, -np.inf, 2, -2):
            assert_same(lambda a, order: np.linalg.norm(a, order), np.ones(shape), order)
    for order in (1, -1, np.inf, -np.inf, 2, 0, 3):
        assert_same(lambda a, order: np.linalg.norm(a, order), np.ones(0), order)
    assert_same(lambda a, order: np.linalg.norm(a, order), np.zeros(2), -1)


STACK = np.array([[[4.0, 1, 2], [1, 3, 0], [2, 0, 5]], [[5.0, 1, 2], [1, 5, 0], [2, 0, 8]]])
TALL = np.arange(24.0).reshape(2, 4, 3) % 7
OF_STACKS = """
det(a); inv(a); slogdet(a); cholesky(a); cholesky(a, upper=True); eigvalsh(a); eigh(a)[0]
abs(np.linalg.eigh(a).eigenvectors); svdvals(a); matrix_rank(a); matrix_rank(a, rtol=0.5); cond(a)
cond(a, 1); matrix_power(a, 3); matrix_power(a, 0); matrix_power(a, -2); norm(a, axis=(1, 2))
solve(a, a[0]) + 1; solve(a, a[0, 0]); solve(a[0], a) + 1; solve(a[:1], a) + 1; solve(a, a[:, 0])
pinv(a)
eigvals(a).shape; eig(a)[1].shape; matrix_rank(a, hermitian=True)
""".replace("\n", ";").split(";")[1:-1]
OF_TALL = """
svd(a)[1]; svd(a, compute_uv=False); abs(np.linalg.svd(a, full_matrices=False).U); svd(a).Vh.shape
svdvals(a); pinv(a); pinv(a, rtol=0.1); matrix_rank(a, tol=3); abs(np.linalg.qr(a).R); qr(a).Q.shape
qr(a, "complete")[0].shape; qr(a, "r").shape; qr(a, "raw")[0].shape; inv(a); solve(a, a)
""".replace("\n", ";").split(";")[1:-1]


@pytest.mark.parametrize(
    "text, array", [(t.strip(), STACK) for t in OF_STACKS] + [(t.strip(), TALL) for t in OF_TALL]
)
def test_stacks(text, array):
    namespace = {"np": np}
    exec(f"def f(a):\n    return {text if 'np.' in text else 'np.linalg.' + text}", namespace)
    f = namespace["f"]
    for a in (array, array.astype("f"), array + 0j, array.astype(int), array[:, None], array[:0]):
        if a.size == 0 and ("a[" in text or "cond" in text):
            continue
        assert_same(f, a, rtol=1e-3 if a.dtype == "f" else 1e-10)


@pytest.mark.parametrize("text", ["inv(a)", "solve(a, a)", "svd(a)", "det(a)", "lstsq(a, a)"])
def test_too_few_dimensions(text):
    namespace = {"np": np}
    exec(f"def f(a):\n    return np.linalg.{text}", namespace)
    assert_same(namespace["f"], np.ones(3))
    assert_same(namespace["f"], np.array(2.5))


def test_what_is_missing_is_named(monkeypatch):
    """A NumPy without LAPACK, and no SciPy."""
    monkeypatch.setitem(routines._rows, "potrf", ("potrf", 32, 0, 0, 0, 0))
    from numjit.library.numpy import linalg

    def decompose(a):
        return linalg.lapack(routines.potrf, a.dtype, "L", 2, a, 2)

    with pytest.raises(errors.TypingError, match="routine dpotrf.*SciPy is not installed"):
        njit(decompose)(np.eye(2))


def test_scipy_is_the_second_choice():
    pytest.importorskip("scipy", reason="SciPy's pointers are what is tested")
    address = routines._scipy_pointer("dgetrf")
    assert address and routines._scipy_pointer("nothing") == 0
    row = ("getrf", 32, 0, address, 0, 0)

    from numjit.library.numpy import linalg

    def decompose(a):
        pivots = np.empty(2, np.int32)
        info = linalg.lapack(row, a.dtype, 2, 2, a, 2, pivots)
        return info, pivots

    a = np.asfortranarray([[1.0, 2.0], [4.0, 1.0]])
    info, pivots = njit(decompose)(a)
    assert info == 0 and pivots.tolist() == [2, 2]
    assert a.tolist() == [[4.0, 1.0], [0.25, 1.75]]


@pytest.mark.parametrize("dtype", ["f4", "f8", "c8", "c16"])
def test_wrapper_of_a_lapack_routine(dtype):
    """What some programs import from the module that Numba has its own use it in."""
    from numjit.np.linalg import _LAPACK

    solve = _LAPACK().numba_xgesv(from_dtype(np.dtype(dtype)))

    @njit
    def f(a, b):
        n = a.shape[0]
        pivots = np.empty(n, np.int32)
        return solve(ord("d"), n, b.size // n, a.ctypes, n, pivots.ctypes, b.ctypes, n)

    a = np.array([[2, 1, 0], [1, 3, 1], [0, 4, 9]]).astype(dtype)
    b = np.arange(6).reshape(3, 2).astype(dtype)
    x = np.asfortranarray(b)
    assert f(np.asfortranarray(a), x) == 0
    np.testing.assert_allclose(x, np.linalg.solve(a, b), rtol=1e-5)
    assert f(np.zeros((3, 3), dtype, "F"), x) == 1  # the first pivot is 0
    with pytest.raises(TypeError, match="no routines for int64"):
        _LAPACK().numba_xgesv(int64)


def views(m, n, dtype):
    """Matrices with steps, cut out of larger ones."""
    wide = matrix((2 * m + 3, 2 * n + 3), dtype)
    frozen = wide[:m, :n]
    frozen.flags.writeable = False
    yield from (wide[:m, :n], wide[1 : m + 1, 2 : n + 2], wide[: 2 * m : 2, 1 : n + 1], frozen)
    yield from (wide[::-1, :n][:m], wide[:m, : 2 * n : 2], matrix((n + 2, m + 1), dtype).T[:m, :n])
    yield from (matrix((m, n), dtype), matrix((m, n), dtype, "F"))
    if m and n:
        yield np.broadcast_to(wide[0, :n], (m, n))
        yield np.broadcast_to(wide[:m, :1], (m, n))


multiply = compiled(lambda a, b: a @ b)


@pytest.mark.parametrize("shape", [(3, 4, 5), (20, 30, 10), (1, 30, 40), (40, 30, 1), (4, 0, 5)])
@pytest.mark.parametrize("dtype", "fdD")
def test_products_of_cut_out_matrices(shape, dtype):
    m, k, n = shape
    for a in views(m, k, dtype):
        for b in views(k, n, dtype):
            close(multiply(a, b), a @ b)
        for x in (matrix(k, dtype), matrix(2 * k, dtype)[::2]):
            close(multiply(a, x), a @ x)
        close(multiply(matrix(m, dtype), a), matrix(m, dtype) @ a)
