"""Arrays of every dtype and memory layout, as arguments for the array tests."""

import numpy as np

DTYPES = [np.dtype(c) for c in "?bhilBHILfdFD"]


def values(shape, dtype=float):
    """Different, small, exactly representable values; both signs where the dtype has them."""
    dtype = np.dtype(dtype)
    n = int(np.prod(shape))
    base = np.arange(n) * 7 % 23
    if dtype.kind == "b":
        flat = base % 2 == 1
    elif dtype.kind == "u":
        flat = base
    elif dtype.kind == "i":
        flat = base - 9
    elif dtype.kind == "f":
        flat = base * 0.5 - 4
    else:
        flat = (base * 0.5 - 4) + 1j * (base % 5 - 1)
    return flat.astype(dtype).reshape(shape)


def c_order(a):
    return np.ascontiguousarray(a)


def f_order(a):
    return np.asfortranarray(a)


def strided(a):
    """Every other element of a larger array along each axis."""
    big = np.zeros([2 * n + 1 for n in a.shape], a.dtype)
    view = big[tuple(slice(1, None, 2) for _ in a.shape)]
    view[...] = a
    return view


def reversed_axes(a):
    """Negative strides along each axis."""
    return np.ascontiguousarray(a[tuple(slice(None, None, -1) for _ in a.shape)])[
        tuple(slice(None, None, -1) for _ in a.shape)
    ]


def window(a):
    """A part of a wider array: contiguous only along the last axis."""
    big = np.zeros(a.shape[:-1] + (a.shape[-1] + 3,), a.dtype)
    big[..., 1 : 1 + a.shape[-1]] = a
    return big[..., 1 : 1 + a.shape[-1]]


LAYOUTS = {
    "C": c_order,
    "F": f_order,
    "strided": strided,
    "reversed": reversed_axes,
    "window": window,
}


def layouts(a):
    """The same array in every layout."""
    return [make(a) for make in LAYOUTS.values()] if a.ndim else [a]
