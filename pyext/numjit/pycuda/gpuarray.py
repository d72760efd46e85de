"""pycuda.gpuarray: arrays on the device."""

from __future__ import annotations

import numpy as np

from numjit.cuda.cudadrv.driver import get_driver
from numjit.cupy import creation, manipulation, reductions, ufuncs
from numjit.cupy.indexing import take as _take
from numjit.cupy.joining import concatenate as _concatenate
from numjit.cupy.joining import stack as _stack
from numjit.cupy.ndarrays import as_shape, ndarray
from numjit.cupy.pointers import MemoryPointer, UnownedMemory

from . import memory
from .cparse import VECTORS


class GPUArray(ndarray):
    """An array on the device."""

    __slots__ = ()

    def __new__(
        cls, shape, dtype, allocator=None, base=None, gpudata=None, strides=None, order="C"
    ):
        shape = as_shape(shape.tolist() if isinstance(shape, np.ndarray) else shape)
        dtype = np.dtype(dtype)
        if gpudata is None and allocator is None:
            return super().__new__(cls, shape, dtype, None, strides, order)
        size = int(np.prod(shape)) * dtype.itemsize
        place = allocator(size) if gpudata is None else gpudata
        inside = UnownedMemory(memory.address(place), size, (place, base))
        return super().__new__(cls, shape, dtype, MemoryPointer(inside, 0), strides, order)

    @property
    def gpudata(self):
        return Place(self)

    @property
    def ptr(self):
        return self.data.ptr

    @property
    def mem_size(self):
        return self.size

    def __len__(self):
        return self.shape[0] if self.shape else 1

    def set(self, ary, async_=False, stream=None):
        """Takes the elements of an array of the host."""
        if ary.size != self.size or ary.dtype != self.dtype:
            raise ValueError("ary and self must be the same size and dtype")
        super().set(ary.reshape(self.shape), None)

    def set_async(self, ary, stream=None):
        self.set(ary)

    def get(self, ary=None, pagelocked=False, async_=False, stream=None):
        """The elements as an array of the host."""
        if stream is not None:
            get_driver().synchronize_stream(stream.handle)
        if ary is None:
            return super().get(order="A")
        if ary.size != self.size or ary.dtype != self.dtype:
            raise TypeError("ary has a non-matching size or dtype")
        ary[...] = super().get().reshape(ary.shape)
        return ary

    def get_async(self, stream=None, ary=None):
        return self.get(ary, stream=stream)

    def fill(self, value, stream=None):
        super().fill(value)
        return self

    def copy(self, order="K"):
        return _wrap(creation.array(self, order=order))

    def astype(self, dtype, stream=None, copy=True):
        return _wrap(manipulation.astype(self, dtype, copy=copy))

    def reshape(self, *shape, order="C"):
        if (shape[0] if len(shape) == 1 and isinstance(shape[0], (tuple, list)) else shape).count(
            -1
        ) > 1:
            raise ValueError("can only specify one unknown dimension")
        found = _wrap(manipulation.reshape(self, *shape, order=order))
        laid_out = found.flags.f_contiguous if order == "F" else found.flags.c_contiguous
        return found if laid_out else found.copy(order)

    def ravel(self):
        return self.reshape(-1)

    @property
    def real(self):
        """The real parts: of complex numbers a new array without gaps, in the order of this one."""
        return self._parts(0) if self.dtype.kind == "c" else self

    @property
    def imag(self):
        """The imaginary parts: a new array without gaps, in the order of this one."""
        return self._parts(1) if self.dtype.kind == "c" else zeros_like(self)

    def _parts(self, number):
        return _wrap(creation.array(self._part(number), order="K"))

    def conj(self, out=None):
        """The complex conjugates, in `out` if that is given."""
        if self.dtype.kind != "c" and out is None:
            return self
        return _into(out, ufuncs.call(np.conjugate, (self,)))

    conjugate = conj

    @property
    def __cuda_array_interface__(self):
        return super().__cuda_array_interface__ | {"strides": self.strides, "stream": None}

    def bind_to_texref(self, texref, allow_offset=False):
        raise NotImplementedError("texture references are gone from CUDA; read arrays instead")

    def transpose(self, axes=None):
        return super().transpose(axes)

    def reverse(self, stream=None):
        """The elements of a vector from the last to the first."""
        if self.ndim != 1:
            raise ValueError("only vectors are reversed")
        return _wrap(creation.ascontiguousarray(self[::-1]))

    def mul_add(self, selffac, other, otherfac, out=None, add_timer=None, stream=None):
        return _into(out, self * selffac + other * otherfac)

    def rpow(self, base):
        return base**self


def _into(out, found):
    """A result, in `out` if that is given."""
    if out is None:
        return _wrap(found)
    out[...] = found
    return out


class Place:
    """The address of an array, which stays alive with it."""

    def __init__(self, array):
        self._array, self.ptr = array, array.data.ptr

    def __int__(self):
        return self.ptr

    __index__ = __int__

    def __add__(self, offset):
        return self.ptr + offset

    def __eq__(self, other):
        return int(self) == int(other)

    def __hash__(self):
        return hash(self.ptr)

    def free(self):
        """The memory goes with the array."""


def _wrap(array):
    """An array as a GPUArray over the same memory."""
    if isinstance(array, GPUArray):
        return array
    device = array._force()
    return GPUArray._over(device, array._buffer, array.base)


def to_gpu(ary, allocator=None):
    """A copy on the device."""
    ary = np.asarray(ary)
    fortran = ary.flags.f_contiguous and not ary.flags.c_contiguous
    made = GPUArray(ary.shape, ary.dtype, allocator, order="F" if fortran else "C")
    made.set(ary)
    return made


def to_gpu_async(ary, allocator=None, stream=None):
    return to_gpu(ary, allocator)


def empty(shape, dtype, allocator=None, order="C"):
    return GPUArray(shape, dtype, allocator, order=order)


def zeros(shape, dtype=np.float64, allocator=None, order="C"):
    made = GPUArray(shape, dtype, allocator, order=order)
    made.fill(0)
    return made


def ones(shape, dtype=np.float64, allocator=None, order="C"):
    return zeros(shape, dtype, allocator, order).fill(1)


def empty_like(other_ary, dtype=None, order="K"):
    return _wrap(creation.empty_like(other_ary, dtype, order))


def zeros_like(other_ary, dtype=None, order="K"):
    return _wrap(creation.zeros_like(other_ary, dtype, order))


def ones_like(other_ary, dtype=None, order="K"):
    return _wrap(creation.ones_like(other_ary, dtype, order))


def arange(*args, dtype=None, stream=None):
    return _wrap(creation.arange(*args, dtype=dtype))


def take(a, indices, out=None, stream=None):
    found = _wrap(_take(a, indices))
    if out is None:
        return found
    out[...] = found
    return out


def concatenate(arrays, axis=0, allocator=None):
    return _wrap(_concatenate(arrays, axis))


def stack(arrays, axis=0, allocator=None):
    return _wrap(_stack(arrays, axis))


def transpose(a, axes=None):
    return _wrap(a.transpose(axes))


def reshape(a, *shape, order="C"):
    return a.reshape(*shape, order=order)


def if_positive(criterion, then_, else_, out=None, stream=None):
    """Elements of then_ where the criterion is positive, else of else_."""
    found = _wrap(manipulation.where(criterion > 0, then_, else_))
    if out is None:
        return found
    out[...] = found
    return out


def where(criterion, then_, else_, out=None, stream=None):
    return if_positive(criterion != 0, then_, else_, out, stream)


def maximum(a, b, out=None, stream=None):
    return ufuncs.call(np.maximum, (a, b), out=out)


def minimum(a, b, out=None, stream=None):
    return ufuncs.call(np.minimum, (a, b), out=out)


def logical_and(x1, x2, /, out=None, allocator=None):
    return _into(out, ufuncs.call(np.logical_and, (x1, x2)))


def logical_or(x1, x2, /, out=None, allocator=None):
    return _into(out, ufuncs.call(np.logical_or, (x1, x2)))


def logical_not(x, /, out=None, allocator=None):
    return _into(out, ufuncs.call(np.logical_not, (x,)))


def _reduced(function, a, allocator, dtype=None):
    """A reduction of all elements, in memory of an allocator if one is given."""
    found = reductions.reduce(function, a, None, dtype)
    return _wrap(found) if allocator is None else _into(empty((), found.dtype, allocator), found)


def sum(a, dtype=None, stream=None, allocator=None):
    """The sum of all elements, in their dtype."""
    return _reduced(np.add, a, allocator, dtype or a.dtype)


def max(a, stream=None, allocator=None):
    return _reduced(np.maximum, a, allocator)


def min(a, stream=None, allocator=None):
    return _reduced(np.minimum, a, allocator)


def dot(a, b, dtype=None, stream=None, allocator=None):
    """The sum of the products of all elements."""
    dtype = dtype or np.result_type(a.dtype, b.dtype)
    return _reduced(np.add, a * b, allocator, dtype)


def subset_sum(subset, a, dtype=None, stream=None, allocator=None):
    return sum(take(a, subset), dtype, stream, allocator)


def subset_dot(subset, a, b, dtype=None, stream=None, allocator=None):
    return dot(take(a, subset), take(b, subset), dtype, stream, allocator)


def subset_max(subset, a, stream=None, allocator=None):
    return max(take(a, subset), stream, allocator)


def subset_min(subset, a, stream=None, allocator=None):
    return min(take(a, subset), stream, allocator)


def multi_put(arrays, dest_indices, dest_shape=None, out=None, stream=None):
    """Stores elements of vectors at indices."""
    out = out or [zeros(dest_shape, each.dtype) for each in arrays]
    for source, target in zip(arrays, out):
        target[dest_indices] = source
    return out


class vec:
    """Vector types of CUDA as dtypes: vec.float3, vec.make_float3(1, 2, 3)."""


def _named(name, dtype):
    setattr(vec, name, dtype)

    def make(*values):
        return np.array(values or (0,) * len(dtype.names), dtype)

    setattr(vec, f"make_{name}", staticmethod(make))


for _name, _dtype in VECTORS.items():
    _named(_name, _dtype)
