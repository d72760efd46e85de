"""np.einsum: subscripts, shapes, dtypes and errors."""

import numpy as np
import pytest
from language import arrays
from language.support import assert_same

A = arrays.values((3, 4))
CUBE = np.arange(24.0).reshape(2, 3, 4)
PRODUCTS = {
    "ij,jk->ik": (A, A.T),
    "ij,jk": (A, A.T),
    "ij,kj->ik": (A, A),
    "ij,ij->": (A, A),
    "ij,ij->i": (A, A),
    "ij,ij->ji": (A, A),
    "ij->ji": (A,),
    "ij->j": (A,),
    "ij->": (A,),
    "ii": (A[:, :3],),
    "ii->i": (A[:, :3],),
    "i,j->ji": (A[0], A[:, 0]),
    "i,i": (A[0], A[0]),
    "ij,j": (A, A[0]),
    "i,ij": (A[:, 0], A),
    " i j , k j -> k ": (A, A),
    "bij,bjk->bik": (CUBE, CUBE.transpose(0, 2, 1)),
    "bij,bj->bi": (CUBE, CUBE[:, 0]),
    "bij,jk->kbi": (CUBE, A.T),
    "bij,bij->b": (CUBE, CUBE),
    "...ij,...jk->...ik": (CUBE, CUBE[:1].transpose(0, 2, 1)),
    "...i->...": (CUBE,),
    "i...->...i": (CUBE,),
    "...,...": (CUBE, A),
    "...ii": (CUBE[:, :, :3],),
    "ij,jk,kl->il": (A, A.T, A),
    "abc,cde,eb->ad": (CUBE, np.ones((4, 2, 3)), A[:, :3]),
    "i,i,i->i": (A[0], A[1], A[2]),
    "ij,kl->": (A, A),
    "ijk,jil->kl": (CUBE, np.ones((3, 2, 5))),
    "zab,z->ab": (CUBE, CUBE[:, 0, 0]),
}
WRONG = {
    "ij,jk->ik": (A, A),
    "ii": (A,),
    "ij,jk->iz": (A, A.T),
    "ij,jk->ii": (A, A.T),
    "ij": (A[0],),
    "i": (A,),
    "ij,j": (A,),
    "ij->i": (A, A),
    "i1": (A,),
    "i.j": (A,),
}


def program(subscripts, count, more=""):
    namespace = {"np": np}
    parameters = ", ".join("abcd"[:count])
    exec(
        f"def f({parameters}):\n    return np.einsum({subscripts!r}, {parameters}{more})", namespace
    )
    return namespace["f"]


@pytest.mark.parametrize("subscripts", PRODUCTS)
def test_products(subscripts):
    operands = PRODUCTS[subscripts]
    assert_same(program(subscripts, len(operands)), *operands, rtol=1e-12)


@pytest.mark.parametrize("subscripts", WRONG)
def test_errors(subscripts):
    operands = WRONG[subscripts]
    assert_same(program(subscripts, len(operands)), *operands)


@pytest.mark.parametrize("subscripts", ["ij,jk->ik", "ij,kj->", "ij,jk->ikj", "ij,ji->i"])
@pytest.mark.parametrize("dtype", "?bHilfFD")
def test_dtypes(subscripts, dtype):
    a = arrays.values((3, 3), dtype)
    assert_same(program(subscripts, 2), a, a.T, rtol=1e-5)
    assert_same(program(subscripts, 2), a, arrays.values((3, 3), "d"), rtol=1e-5)


@pytest.mark.parametrize("layout", [arrays.f_order, arrays.strided, arrays.reversed_axes])
def test_layouts(layout):
    for subscripts in ("ij,kj->ik", "ij,ij->j", "ij,kl->il"):
        assert_same(program(subscripts, 2), layout(A), A, rtol=1e-12)


def test_empty_and_no_dimensions():
    assert_same(program("ij,jk->ik", 2), np.zeros((0, 3)), np.zeros((3, 2)))
    assert_same(program("ij,jk->ik", 2), np.zeros((2, 0)), np.zeros((0, 3)))
    assert_same(program(",i->i", 2), np.array(2.5), np.arange(3))
    assert_same(program(",", 2), 2, 3.5)


def test_keywords():
    assert_same(program("ij,kj->ik", 2, ", dtype=np.complex128"), A, A, rtol=1e-12)

    def f(a, out):
        return np.einsum("ij,kj->ik", a, a, out=out, optimize=True)

    assert_same(f, A, np.zeros((3, 3)), rtol=1e-12)
