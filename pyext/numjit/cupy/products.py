"""Products of matrices and vectors."""

from __future__ import annotations

import math

import numpy as np

from . import upcalls
from .blas import product_of_matrices, stacked_product
from .creation import asarray, ascontiguousarray
from .filters import correlate as filtered
from .gufuncs import GeneralizedUFunc
from .kernel_text import is_bfloat16
from .manipulation import broadcast_to
from .reductions import reduce
from .ufuncs import check_is_array


def _finished(found, out):
    if out is None:
        return found
    check_is_array(out)
    if out.shape != found.shape:
        raise ValueError(f"output array has the shape {out.shape}, the result {found.shape}")
    out[...] = found
    return out


def _stack(a, outer):
    """A matrix or stack of matrices with one axis for the stack."""
    if a.ndim == 2:
        return a[None]
    if math.prod(a.shape[:-2]) == 1:
        return a.reshape((1, *a.shape[-2:]))
    if a.shape[:-2] != outer:
        a = broadcast_to(a, outer + a.shape[-2:])
        if len(outer) > 1:
            a = ascontiguousarray(a)
    return a.reshape((math.prod(a.shape[:-2]), *a.shape[-2:]))


def matmul(x1, x2, out=None, *, dtype=None, casting="same_kind", axes=None, **ignored):
    """The product of matrices, or of stacks of them."""
    if axes is not None:
        return _with_axes(x1, x2, out=out, axes=axes, dtype=dtype)
    if out is None and dtype is None and type(x1) is type(x2) is upcalls.ndarray:
        found = product_of_matrices(x1, x2)
        if found is not None:
            return found
    a, b = _operand(x1), _operand(x2)
    if not a.ndim or not b.ndim:
        raise ValueError("matmul: Input operand does not have enough dimensions (has 0, gufunc core"
                         " with signature (n?,k),(k,m?)->(n?,m?) requires 1)")  # fmt: skip
    left, right = a.ndim == 1, b.ndim == 1
    a, b = a[None, :] if left else a, b[:, None] if right else b
    if a.shape[-1] != b.shape[-2]:
        raise ValueError(
            "matmul: Input operand 1 has a mismatch in its core dimension 0, with gufunc signature "
            f"(n?,k),(k,m?)->(n?,m?) (size {b.shape[-2]} is different from {a.shape[-1]})"
        )
    outer = np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    result = np.dtype(dtype) if dtype is not None else np.result_type(a.dtype, b.dtype)
    if is_bfloat16(result):  # the sums are float32, too
        single = stacked_product(_stack(a, outer), _stack(b, outer), np.dtype(np.float32))
        found = single.astype(result)
    else:
        found = stacked_product(_stack(a, outer), _stack(b, outer), result)
    if 0 not in outer:
        found = found.reshape((*outer, a.shape[-2], b.shape[-1]))
    else:
        found = found.reshape((*outer, a.shape[-2], b.shape[-1]))
    if left:
        found = found[..., 0, :]
    if right:
        found = found[..., 0]
    if out is not None:
        check_is_array(out)
        if not np.can_cast(found.dtype, out.dtype, casting):
            raise TypeError(f"Cannot cast ufunc 'matmul' output from {found.dtype!r} to "
                            f"{out.dtype!r} with casting rule {casting!r}")  # fmt: skip
    return _finished(found, out)


_with_axes = GeneralizedUFunc(
    lambda x1, x2: matmul(x1, x2), "(n?,k),(k,m?)->(n?,m?)", supports_batched=True
)


def _operand(value):
    if isinstance(value, upcalls.ndarray) or hasattr(value, "__cuda_array_interface__"):
        return asarray(value)
    raise TypeError(f"Unsupported type {type(value)}")


def dot(a, b, out=None):
    """The product over the last axis of a and the last but one of b."""
    a, b = asarray(a), asarray(b)
    if out is not None:
        check_is_array(out)
        if out.dtype != np.result_type(a.dtype, b.dtype) or not out._c_contiguous:
            raise ValueError(
                "output array is not acceptable (must have the right datatype, number of "
                "dimensions, and be a C-Array)"
            )
    if not a.ndim or not b.ndim:
        return _finished(a * b, out)
    if a.ndim <= 2 and b.ndim <= 2:
        if a.shape[-1] != b.shape[max(b.ndim - 2, 0)]:
            raise ValueError(
                f"shapes {_text(a)} and {_text(b)} not aligned: {a.shape[-1]} (dim {a.ndim - 1}) "
                f"!= {b.shape[max(b.ndim - 2, 0)]} (dim {max(b.ndim - 2, 0)})"
            )
        if a.ndim == b.ndim == 1:
            return _finished(_dot_of_vectors(a, b), out)
        return _finished(matmul(a, b), out)
    return _finished(tensordot(a, b, ((a.ndim - 1,), (max(b.ndim - 2, 0),))), out)


def _dot_of_vectors(a, b):
    """The sum of products, in one pass."""
    product = a * b
    return reduce(np.logical_or if product.dtype == bool else np.add, product, 0, product.dtype)


def _text(a):
    return "(" + ",".join(map(str, a.shape)) + ("," if a.ndim == 1 else "") + ")"


def inner(a, b):
    """The product over the last axes."""
    a, b = asarray(a), asarray(b)
    if not a.ndim or not b.ndim:
        return a * b
    if a.shape[-1] != b.shape[-1]:
        raise ValueError(f"shapes {_text(a)} and {_text(b)} not aligned: {a.shape[-1]} (dim "
                         f"{a.ndim - 1}) != {b.shape[-1]} (dim {b.ndim - 1})")  # fmt: skip
    return tensordot(a, b, ((a.ndim - 1,), (b.ndim - 1,)))


def vdot(a, b):
    """The product of two arrays as vectors, the first one conjugated."""
    a, b = asarray(a).ravel(), asarray(b).ravel()
    if a.size != b.size:
        raise ValueError("cannot reshape array: the sizes differ")
    return dot(a.conj(), b)


def vecdot(x1, x2, /, *, axis=-1):
    """Products of vectors along an axis."""
    x1, x2 = asarray(x1), asarray(x2)
    n = _core_axis("vecdot", 0, x1, axis), _core_axis("vecdot", 1, x2, axis)
    if n[0] != n[1]:
        raise _mismatch("vecdot", n)
    if axis not in (-1, None):
        x1, x2 = x1.swapaxes(axis, -1), x2.swapaxes(axis, -1)
    product = x1.conj() * x2
    return reduce(np.logical_or if product.dtype == bool else np.add, product, -1, product.dtype)


def _core_axis(name, number, a, axis=-1, least=1):
    if a.ndim < least:
        raise ValueError(
            f"{name}: Input operand {number} does not have enough dimensions (has {a.ndim}, gufunc "
            f"requires {least})"
        )
    return a.shape[axis]


def _mismatch(name, sizes):
    return ValueError(
        f"{name}: Input operand 1 has a mismatch in its core dimension 0 (size {sizes[1]} is "
        f"different from {sizes[0]})"
    )


def matvec(x1, x2, /):
    """Products of matrices and vectors."""
    x1, x2 = asarray(x1), asarray(x2)
    n = _core_axis("matvec", 0, x1, least=2), _core_axis("matvec", 1, x2)
    if n[0] != n[1]:
        raise _mismatch("matvec", n)
    return matmul(x1, x2[..., None])[..., 0]


def vecmat(x1, x2, /):
    """Products of vectors, which are conjugated, and matrices."""
    x1, x2 = asarray(x1), asarray(x2)
    n = _core_axis("vecmat", 0, x1), _core_axis("vecmat", 1, x2, -2, 2)
    if n[0] != n[1]:
        raise _mismatch("vecmat", n)
    return matmul(x1.conj()[..., None, :], x2)[..., 0, :]


def tensordot(a, b, axes=2):
    """The sum of products over some axes of each."""
    a, b = asarray(a), asarray(b)
    if hasattr(axes, "__len__"):
        one, other = (list(e) if hasattr(e, "__len__") else [e] for e in axes)
    else:
        one, other = list(range(a.ndim - axes, a.ndim)), list(range(axes))
    one = [axis % a.ndim if a.ndim else axis for axis in one]
    other = [axis % b.ndim if b.ndim else axis for axis in other]
    if len(one) != len(other) or any(a.shape[i] != b.shape[j] for i, j in zip(one, other)):
        raise ValueError("shape-mismatch for sum")
    free_a = [axis for axis in range(a.ndim) if axis not in one]
    free_b = [axis for axis in range(b.ndim) if axis not in other]
    shape = [a.shape[i] for i in free_a] + [b.shape[i] for i in free_b]
    n = math.prod(a.shape[i] for i in one)
    left = a.transpose(free_a + one).reshape(math.prod(a.shape[i] for i in free_a), n)
    right = b.transpose(other + free_b).reshape(n, math.prod(b.shape[i] for i in free_b))
    return matmul(left, right).reshape(tuple(shape))


def einsum(*operands, **keywords):
    """Sums of products in Einstein's notation, operand after operand."""
    return upcalls.einsum(*operands, **keywords)


def correlate(a, v, mode="valid"):
    """The sums of products of one sequence shifted along another."""
    return filtered(asarray(a), asarray(v), mode)


def convolve(a, v, mode="full"):
    """The convolution of two sequences."""
    a, v = (each.reshape(1) if not each.ndim else each for each in (asarray(a), asarray(v)))
    if not a.size or not v.size:
        raise ValueError(f"{'a' if not a.size else 'v'} cannot be empty")
    if v.size > a.size:
        a, v = v, a
    return correlate(a, v[::-1].conj(), mode)
