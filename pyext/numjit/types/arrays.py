"""Arrays and dtypes."""

from __future__ import annotations

from numjit import _core
from numjit.errors import NumbaValueError

from . import rows
from .abstract import (
    ArrayCompatible,
    Callable,
    DTypeSpec,
    IterableType,
    Opaque,
    SimpleIteratorType,
    Type,
)
from .scalars import uint8


class Buffer(IterableType, ArrayCompatible):
    """Memory with items of one type, a number of dimensions and a layout ("C", "F" or "A")."""

    mutable = True
    slice_is_copy = False
    aligned = True

    def __init__(self, dtype, ndim, layout, readonly=False, name=None):
        if layout not in ("C", "F", "A"):
            raise NumbaValueError(f"Invalid layout '{layout}'")
        self.dtype = dtype
        self.ndim = ndim
        self.layout = layout
        if readonly:
            self.mutable = False
        super().__init__(name or self._text())

    def _text(self):
        kind = type(self).__name__.lower()
        readonly = "" if self.mutable else "readonly "
        return f"{readonly}{kind}({self.dtype}, {self.ndim}d, {self.layout})"

    @property
    def key(self):
        return self.dtype, self.ndim, self.layout, self.mutable, self.aligned

    @property
    def mangling_args(self):
        return type(self).__name__, [
            self.dtype,
            self.ndim,
            self.layout,
            "mutable" if self.mutable else "readonly",
            "aligned" if self.aligned else "unaligned",
        ]

    @property
    def is_c_contig(self) -> bool:
        return self.layout == "C" or (self.ndim <= 1 and self.layout in "CF")

    @property
    def is_f_contig(self) -> bool:
        return self.layout == "F" or (self.ndim <= 1 and self.layout in "CF")

    @property
    def is_contig(self) -> bool:
        return self.layout in "CF"

    @property
    def iterator_type(self):
        return ArrayIterator(self)


class Bytes(Buffer):
    """bytes"""

    mutable = False
    slice_is_copy = True

    def _make_row(self):
        return rows.parsed("bytes")


class ByteArray(Buffer):
    """bytearray"""

    slice_is_copy = True

    def _make_row(self):
        return rows.parsed("bytearray")


class MemoryView(Buffer):
    """memoryview: in compiled code, the array that it shows."""

    def _make_row(self):
        return rows.array(self.dtype, self.ndim, self.layout, not self.mutable)


class PyArray(MemoryView):
    """array.array: in compiled code, the array that it shows."""


class Array(Buffer):
    """numpy.ndarray."""

    def __init__(self, dtype, ndim, layout, readonly=False, name=None, aligned=True):
        self.aligned = aligned and getattr(dtype, "aligned", True)  # of records that are packed
        super().__init__(dtype, ndim, layout, readonly=readonly, name=name)

    def _text(self):
        aligned = "" if self.aligned else "unaligned "
        readonly = "" if self.mutable else "readonly "
        return f"{aligned}{readonly}array({self.dtype}, {self.ndim}d, {self.layout})"

    def __repr__(self):
        return (
            f"Array({self.dtype!r}, {self.ndim}, {self.layout!r}, {not self.mutable}, "
            f"aligned={self.aligned})"
        )

    def copy(self, dtype=None, ndim=None, layout=None, readonly=None):
        """The same array type but for what is given."""
        return Array(
            self.dtype if dtype is None else dtype,
            self.ndim if ndim is None else ndim,
            self.layout if layout is None else layout,
            not self.mutable if readonly is None else readonly,
            aligned=self.aligned,
        )

    @property
    def as_array(self):
        return self

    def _make_row(self):
        if self.dtype._handle is None:
            return None
        own = None if self.is_internal else super()._make_row()  # by a model of a program's own
        return own or rows.array(
            self.dtype, self.ndim, self.layout, not self.mutable, not self.aligned
        )


Type._array_class = Array


class ArrayIterator(SimpleIteratorType):
    """The iterator over the first axis of an array."""

    def __init__(self, array_type):
        self.array_type = array_type
        if array_type.ndim == 1:
            item = array_type.dtype
        else:
            item = Array(
                array_type.dtype,
                array_type.ndim - 1,
                "A" if array_type.layout == "F" else array_type.layout,
                not array_type.mutable,
            )
        super().__init__(f"iter({array_type})", item)


@rows.of_kind("dtype")
class DType(DTypeSpec, Opaque):
    """A numpy.dtype as a value."""

    def __init__(self, dtype):
        self.dtype = dtype
        super().__init__(f"dtype({dtype})")

    def _make_row(self):
        return rows.dtype(self.dtype)

    @classmethod
    def _of_row(cls, row):
        return cls(rows.wrap_param(row))


class NumberClass(Callable, DTypeSpec, Opaque):
    """A class of NumPy scalars (np.float32) or a type object as a value."""

    def __init__(self, instance_type):
        self.instance_type = instance_type
        super().__init__(f"class({instance_type})")

    @property
    def dtype(self):
        return self.instance_type

    def _make_row(self):
        return None if self.instance_type._handle is None else _core.typeof(self.instance_type)


@rows.of_kind("array", "lazy")
def _array(row):
    layout = "A" if row.layout == "I" else row.layout
    item = rows.wrap_param(row)
    return Array(item, row.ndim, layout, row.readonly, aligned=not row.unaligned)


@rows.of_kind("bytes")
def _bytes(row):
    return (Bytes if row.readonly else ByteArray)(uint8, 1, "C")
