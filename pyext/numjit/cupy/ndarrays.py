"""cupy.ndarray: an array on the device, or an expression for one that waits to be computed."""

from __future__ import annotations

import functools
import math
import operator
import types
import warnings

import numpy as np

from numjit import _core
from numjit.cuda.cudadrv import devicearray
from numjit.cuda.cudadrv.devicearray import DeviceNDArray, strides_for
from numjit.cuda.cudadrv.devices import context_of_number
from numjit.cuda.cudadrv.devices import get_context as _context
from numjit.cuda.cudadrv.driver import get_driver

from . import current, pending, pool, upcalls
from .current import _current
from .evaluate import new_array, root_of, store, value_of
from .flags import Flags, Flat
from .interchange import Interchange
from .methods import Methods
from .nodes import LEAF, SCALAR, Leaf, Operation, Scalar
from .operators import Operators
from .pending import Buffer

_KINDS = "biufc"


#: Arrays of the compiler have so many, NumPy's 64.
MOST_DIMENSIONS = 32


def as_shape(shape):
    """A shape as a tuple; TypeError for what is no integer."""
    if shape is None:
        raise TypeError("None is no shape. Use () for an array without dimensions")
    shape = devicearray.as_shape(shape.tolist() if isinstance(shape, ndarray) else shape)
    if len(shape) > MOST_DIMENSIONS:
        raise ValueError(
            f"maximum supported dimension for an ndarray is {MOST_DIMENSIONS}, found {len(shape)}"
        )
    return shape


def checked_dtype(dtype):
    """A dtype that device arrays can have."""
    try:
        return _checked(dtype)
    except TypeError:  # a list of fields
        return _checked(np.dtype(dtype))


@functools.lru_cache(256)
def _checked(dtype):
    dtype = np.dtype(dtype)
    if dtype.kind not in _KINDS + "V" or dtype.hasobject or dtype.char in "gG":
        raise ValueError(f"Unsupported dtype {dtype}")
    if dtype.subdtype is not None or not (dtype.itemsize or dtype.names is not None):
        raise ValueError(f"Unsupported dtype {dtype}")
    if not dtype.isnative:
        raise ValueError(f"Unsupported dtype {dtype} of a byte-order that is not the machine's")
    return dtype


class ndarray(Operators, Methods, Interchange, _core.Array):
    """An array in the memory of a device."""

    __slots__ = ()
    __module__ = "cupy"
    __array_priority__ = 100

    __class_getitem__ = classmethod(types.GenericAlias)

    def __new__(cls, shape, dtype=float, memptr=None, strides=None, order="C"):
        shape, dtype = as_shape(shape), checked_dtype(dtype)
        if any(n < 0 for n in shape):
            raise ValueError("negative dimensions are not allowed")
        order = (order[:1].upper() or "C") if isinstance(order, str) else order
        if order not in ("C", "F", None):
            raise ValueError("order must be one of 'C' or 'F'")
        if strides is None:
            strides = strides_for(shape, dtype, order or "C")
        elif memptr is None:
            return cls._inside(shape, dtype, tuple(strides))
        if memptr is None:
            array = new_array(shape, dtype, tuple(strides))
            return cls._over(array, Buffer(root_of(array)))
        array = DeviceNDArray(shape, tuple(strides), dtype, 0, memptr._memory_for_array())
        return cls._over(array, memptr._buffer())

    @classmethod
    def _inside(cls, shape, dtype, strides):
        """An array with strides in memory for as many elements as it has."""
        size = math.prod(shape) * dtype.itemsize
        ends = [(n - 1) * step for n, step in zip(shape, strides)]
        if size and (min(ends, default=0) < 0 or sum(ends) + dtype.itemsize > size):
            raise ValueError(
                "ndarray() with strides needs memptr, where the strides reach beyond the memory "
                "of an array that is contiguous"
            )
        whole = new_array((size,), np.dtype(np.uint8))
        buffer = Buffer(root_of(whole))
        return cls._over(whole._at(whole._pointer, shape, strides, dtype), buffer)

    # -- storage --------------------------------------------------------------------------------

    @classmethod
    def _over(cls, array, buffer=None, base=None):
        """An array over memory that there is."""
        if buffer is None:
            buffer = Buffer(root_of(array))
        self = object.__new__(cls)
        self._node, self._buffer, self.base = Leaf(array, buffer.root), buffer, base
        self.shape_, self.dtype = array.shape, array.dtype
        return self

    def _have(self, leaf):
        """Takes the memory that its expression was computed to."""
        self._node, self._buffer = leaf, Buffer(leaf.root)

    def _force_slowly(self):
        """The device array with the elements, computed if they are not: _force, which is C++, for
        what is not one operation on vectors."""
        buffer = self._buffer
        if buffer is None:
            node = self._node
            if node.kind == LEAF or node.place == _current.place:
                self._compute()
            else:
                with current.at_place(node.place):
                    self._compute()
        elif buffer.write is not None:
            pending.flush(buffer)
        return self._node.array

    def _compute(self):
        with pending.turn:
            if self._buffer is None:
                # A value that another array shares is not this one's to change.
                if self._node.value is not None:
                    self._have(_copied(self._node.value))
                else:
                    leaf = value_of(self._node)
                    if self._buffer is None:
                        self._have(leaf)

    def _compute_oldest(self):
        pending.compute_oldest(self)

    def _compute_readers(self):
        pending.compute_readers(self._buffer.root)

    def _view(self, array):
        """A view of this array."""
        base = self if self.base is None else self.base
        return type(self)._over(array, self._buffer, base)

    def _operand(self, target=None):
        """The node that stands for the elements as they are now."""
        buffer = self._buffer
        if buffer is None or buffer.write is None:
            if _current.several and buffer is None and self._context() is not _context():
                self._force()  # what waits in another context is computed there
            return self._node
        if target is not None and _same_place(self._node.array, buffer.target):
            if _same_place(target, buffer.target):
                return buffer.write
        pending.flush(buffer)
        return self._node

    def _assign(self, node):
        """Makes the elements those of a node, which has this shape and dtype."""
        buffer = self._buffer
        if buffer is None:
            if self._node is not node:
                if node.kind == SCALAR:
                    dtype = node.dtype
                    node = Operation("{0}", (dtype,), (node,), (), dtype, _current.place)
                if node.kind == LEAF or node.owner is not None or node.value is not None:
                    self._have(_copied(value_of(node)))
                    return
                self._node = node
            return
        array = self._node.array
        if node.kind == LEAF and node.root is buffer.root and _same_place(node.array, array):
            return
        pending.compute_readers(buffer.root)
        if buffer.write is not None and not _replaces(node, buffer, array):
            pending.flush(buffer)
        pending.wait_to_write(buffer, array, node)
        if node.count > 32:
            pending.flush(buffer)

    # -- what it is -----------------------------------------------------------------------------

    @property
    def shape(self):
        return self.shape_

    @shape.setter
    def shape(self, shape):
        view = self.reshape(shape)
        if view._buffer is not self._buffer:
            raise AttributeError("incompatible shape for an in-place modification")
        self._node, self.shape_ = view._node, view.shape_

    @property
    def strides(self):
        return self._force().strides

    @property
    def ndim(self):
        return len(self.shape_)

    @property
    def size(self):
        return math.prod(self.shape_)

    @property
    def itemsize(self):
        return self.dtype.itemsize

    @property
    def nbytes(self):
        return self.size * self.dtype.itemsize

    @property
    def flags(self):
        array = self._force()
        return Flags(array._c_contiguous, array._f_contiguous, self.base is None)

    _c_contiguous = property(lambda self: self._force()._c_contiguous)
    _f_contiguous = property(lambda self: self._force()._f_contiguous)

    @property
    def data(self):
        array = self._for_writing()
        self._buffer.exposed = True
        root = self._buffer.root
        # An array that has no memory has the address 0.
        address = array._pointer if self.size or self.base is not None else 0
        offset = address - root.device_pointer_value
        return upcalls.MemoryPointer(root, offset, self._buffer)

    @property
    def device(self):
        return upcalls.Device(self._context().device.id)

    def _context(self):
        """The context that the elements are in, or will be."""
        if self._buffer is not None:
            found = getattr(self._buffer.root, "context", None)
        else:
            found = context_of_number(self._node.place >> 48)
        return found or _context()

    @property
    def T(self):
        return self._permuted(())

    @property
    def mT(self):
        if len(self.shape_) < 2:
            raise ValueError("matrix transpose with ndim < 2 is undefined")
        return self.swapaxes(-1, -2)

    @property
    def real(self):
        return self._part(0) if self.dtype.kind == "c" else self

    @real.setter
    def real(self, value):
        self.real[...] = value

    @property
    def imag(self):
        if self.dtype.kind == "c":
            return self._part(1)
        return upcalls.zeros(self.shape, self.dtype)

    @imag.setter
    def imag(self, value):
        if self.dtype.kind != "c":
            raise TypeError("cannot set imaginary part of non-complex array")
        self._part(1)[...] = value

    def _part(self, number):
        array = self._force()
        dtype = np.dtype(f"f{self.dtype.itemsize // 2}")
        pointer = array._pointer + number * dtype.itemsize
        return self._view(array._at(pointer, array.shape, array.strides, dtype))

    @property
    def flat(self):
        return Flat(self)

    # -- elements -------------------------------------------------------------------------------

    def __len__(self):
        if not self.shape_:
            raise TypeError("len() of unsized object")
        return self.shape_[0]

    def __iter__(self):
        if not self.shape_:
            raise TypeError("iteration over a 0-d array")
        return (self[i] for i in range(self.shape_[0]))

    def _get_slowly(self, item):
        """self[item], which is C++, for what is not integers and slices alone."""
        return upcalls.get_items(self, item)

    def __setitem__(self, item, value):
        upcalls.set_items(self, item, value)

    def get(self, stream=None, order="C", out=None, blocking=True):
        """The elements as an array of the host."""
        if _current.several and stream is None and self._context() is not _context():
            with self._context().entered():
                return self.get(None, order, out, blocking)
        array = self._force()
        handle = (stream.ptr if stream is not None else current.handle()) or None
        if out is not None and (out.shape != self.shape or out.dtype != self.dtype):
            raise ValueError(
                f"out has shape {out.shape} and dtype {out.dtype}, the array {self.shape} and "
                f"{self.dtype}"
            )
        current.check_copies(handle)
        found = array.copy_to_host(stream=handle or 0)
        if handle is not None and (blocking or out is not None):
            get_driver().synchronize_stream(handle)
        if out is not None:
            out[...] = found
            return out
        return np.array(found, order="A" if order == "A" else order, copy=None)

    def set(self, value, stream=None):
        """Takes the elements of an array of the host."""
        if not isinstance(value, np.ndarray):
            raise TypeError("Only numpy.ndarray can be set to cupy.ndarray")
        if value.dtype != self.dtype:
            raise TypeError(f"{value.dtype} array cannot be set to {self.dtype} array")
        if value.shape != self.shape:
            raise ValueError(f"Shape mismatch. Old shape: {self.shape}, new shape: {value.shape}")
        array = self._for_writing()
        fill_from_host(array, value, stream.ptr if stream is not None else current.handle())

    def item(self, *index):
        """One element as a Python number."""
        if index:
            if len(index) not in (1, self.ndim):
                raise ValueError("incorrect number of indices for array")
            at = index if len(index) > 1 else index[0]
            if isinstance(at, tuple) or (len(index) == 1 and self.ndim == 1):
                return self[at].item()
            return self.ravel()[at].item()
        if self.size != 1:
            raise ValueError("can only convert an array of size 1 to a Python scalar")
        return self.get().item()

    def tolist(self):
        return self.get().tolist()

    def __bool__(self):
        if not self.size:
            warnings.warn(
                "The truth value of an empty array is ambiguous: it is False, and may be an error "
                "in the future. Use `array.size > 0` to check that an array is not empty.",
                DeprecationWarning,
                stacklevel=2,
            )
            return False
        return bool(self.get())

    def __bytes__(self):
        return bytes(self.get())

    def __float__(self):
        return float(self.get())

    def __int__(self):
        return int(self.get())

    def __complex__(self):
        return complex(self.get())

    def __index__(self):
        return operator.index(self.get())

    def __repr__(self):
        return repr(self.get())

    def __str__(self):
        return str(self.get())

    def __format__(self, spec):
        return format(self.get(), spec)

    def __contains__(self, value):
        return bool((self == value).any())

    __hash__ = None

    def __copy__(self):
        return self.copy()

    def __deepcopy__(self, memo):
        return self.copy()

    def __reduce__(self):
        return upcalls.array, (self.get(order="A"),)

    def scatter_add(self, slices, value):
        """Adds values at places, each as often as it is named."""
        self._scatter(np.add, slices, value)

    def scatter_max(self, slices, value):
        """Stores the largest of what is there and the values."""
        self._scatter(np.maximum, slices, value)

    def scatter_min(self, slices, value):
        """Stores the least of what is there and the values."""
        self._scatter(np.minimum, slices, value)

    def _scatter(self, function, slices, value):
        upcalls.scatter(function, self, slices, value)

    def toDlpack(self):
        """A capsule for libraries that take DLPack."""
        return self.__dlpack__()

    def reduced_view(self, dtype=None):
        """A view with as few axes as its layout allows."""
        return self.ravel() if self._c_contiguous else self

    def setflags(self, write=None, align=None, uic=None):
        """Does nothing: arrays on the device can always be written."""

    @property
    def nbytes_on_device(self):
        return self.nbytes


_core.set_array_classes(ndarray, Leaf, Scalar, Operation, Buffer, DeviceNDArray, pool.allocate)


def _same_place(one, other):
    return one is other or (
        one._pointer == other._pointer
        and one.shape == other.shape
        and one.strides == other.strides
        and one.dtype == other.dtype
    )


def _replaces(node, buffer, array):
    """Whether a node makes what waits to be written superfluous: it is a part of it, or all of the
    elements are overwritten."""
    return _same_place(array, buffer.target)


def _copied(leaf):
    """A leaf with the same elements in memory of its own."""
    array = new_array(leaf.shape, leaf.dtype)
    root = root_of(array)
    store(leaf, array, root)
    return Leaf(array, root)


def fill_from_host(array, value, handle=0):
    """Copies an array of the host to a device array of the same shape and dtype."""
    if not array.size:
        return
    if array._c_contiguous or array._f_contiguous:
        order = "C" if array._c_contiguous else "F"
        source = np.array(value, dtype=array.dtype, order=order, copy=None)
        get_driver().copy("HtoD", array._pointer, source.ctypes.data, array.nbytes, handle or None)
        if handle:
            get_driver().synchronize_stream(handle)
        return
    whole = new_array(array.shape, array.dtype)
    fill_from_host(whole, value, handle)
    store(Leaf(whole, root_of(whole)), array, root_of(array))
