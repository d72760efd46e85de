"""Arrays for tests, the same ones with NumPy and on the device."""

from __future__ import annotations

import functools
import math
import random as _random

import numpy as np

import numjit.cupy
from numjit.cupyx.scipy import sparse


def _module(xp):
    return xp or numjit.cupy


def shaped_arange(shape, xp=None, dtype=np.float32, order="C"):
    """Numbers from 1 in a shape; truth values alternate, complex numbers have both parts."""
    dtype = np.dtype(dtype)
    found = np.arange(1, math.prod(shape) + 1)
    if dtype.kind == "b":
        found = found % 2 == 0
    elif dtype.kind == "c":
        found = found + found * 1j
    return _module(xp).array(found.astype(dtype).reshape(shape), order=order)


def shaped_reverse_arange(shape, xp=None, dtype=np.float32):
    """Numbers down to 1 in a shape."""
    dtype = np.dtype(dtype)
    found = np.arange(math.prod(shape), 0, -1)
    if dtype.kind == "b":
        found = found % 2 == 0
    elif dtype.kind == "c":
        found = found + found * 1j
    return _module(xp).array(found.astype(dtype).reshape(shape))


def shaped_random(shape, xp=None, dtype=np.float32, scale=10, seed=0, order="C"):
    """Random numbers from 0 to `scale` in a shape."""
    generator = np.random.RandomState(seed)
    dtype = np.dtype(dtype)
    if dtype.kind == "b":
        found = generator.randint(2, size=shape)
    elif dtype.kind == "c":
        found = generator.rand(*shape) + 1j * generator.rand(*shape)
        found = np.asarray(found) * scale
    else:
        found = np.asarray(generator.rand(*shape)) * scale
    return _module(xp).array(np.asarray(found).astype(dtype), order=order)


def shaped_linspace(start, stop, shape, xp=None, dtype=np.float32):
    """Numbers at equal distances in a shape."""
    shape = (shape,) if isinstance(shape, int) else shape
    found = np.linspace(start, stop, math.prod(shape))
    return _module(xp).array(found.astype(dtype).reshape(shape))


def shaped_sparse_random(shape, sp=None, dtype=np.float32, density=0.01, format="coo", seed=0):
    """A random sparse matrix."""
    import scipy.sparse

    found = scipy.sparse.random(*shape, density=density, random_state=seed).astype(dtype)
    if sp is None or sp is not scipy.sparse:
        return sparse.coo_matrix(found).asformat(format)
    return found.asformat(format)


def generate_matrix(shape, xp=None, dtype=np.float32, *, singular_values=None):
    """Matrices with the given singular values."""
    dtype = np.dtype(dtype)
    if singular_values is None or np.iscomplexobj(singular_values) or dtype.kind not in "fc":
        raise TypeError("singular_values are real numbers, and the matrix is real or complex")
    if isinstance(singular_values, numjit.cupy.ndarray):
        singular_values = singular_values.get()
    if len(shape) < 2 or np.any(np.asarray(singular_values) < 0):
        raise ValueError("matrices have two axes, and singular values are not negative")
    generator = np.random.RandomState(0)
    a = generator.randn(*shape)
    if dtype.kind == "c":
        a = a + 1j * generator.randn(*shape)
    u, s, v = np.linalg.svd(a, full_matrices=False)
    values = np.broadcast_to(np.asarray(singular_values, dtype=float), s.shape)
    return _module(xp).array(((u * values[..., None, :]) @ v).astype(dtype))


class DummyObjectWithCudaArrayInterface:
    """An array that is known by `__cuda_array_interface__` alone, of a version."""

    def __init__(self, a, ver=3, include_strides=False, mask=None, stream=None):
        if isinstance(a, tuple):
            self.shape, self.strides, self.typestr, self.descr, self._pointer = a
        else:
            self.shape, self.strides = a.shape, a.strides
            self.typestr, self.descr = a.dtype.str, a.dtype.descr
            self._pointer, self._array = a.data.ptr, a
        self.ver, self.include_strides, self.mask, self.stream = ver, include_strides, mask, stream

    @property
    def __cuda_array_interface__(self):
        found = {
            "version": self.ver,
            "shape": self.shape,
            "typestr": self.typestr,
            "descr": self.descr,
            "data": (self._pointer, False),
        }
        lies_together = getattr(getattr(self, "_array", None), "flags", None)
        if self.include_strides or not (lies_together is None or lies_together.c_contiguous):
            found["strides"] = self.strides
        elif self.include_strides is None:
            found["strides"] = None
        if self.mask is not None:
            found["mask"] = self.mask
        if self.stream is not None:
            found["stream"] = self.stream
        return found


class DummyObjectWithCuPyGetNDArray:
    """An array that is known by `__cupy_get_ndarray__` alone."""

    def __init__(self, a):
        self.a = a

    def __cupy_get_ndarray__(self):
        return self.a


def empty(xp=None, dtype=np.float32):
    return _module(xp).zeros((0,), dtype=dtype)


def generate_seed():
    return _random.randrange(1 << 31)


def fix_random():
    """A decorator for tests and classes: random numbers are the same in each run."""

    def decorator(target):
        if not isinstance(target, type):

            @functools.wraps(target)
            def test(*args, **keywords):
                _start()
                return target(*args, **keywords)

            return test
        before = target.__dict__.get("setup_method") or getattr(target, "setUp", None)

        def setup(self, *args):
            _start()
            if before is not None:
                before(self, *args)

        setattr(target, "setup_method" if "setup_method" in vars(target) else "setUp", setup)
        if not hasattr(target, "assertEqual") and "setup_method" not in vars(target):
            target.setup_method = setup
            del target.setUp
        return target

    return decorator


def _start():
    _random.seed(0)
    np.random.seed(0)
    numjit.cupy.random.seed(0)
