"""Small objects that attributes of arrays return: flags, and the iterator over all elements."""

from __future__ import annotations

import operator

import numpy as np

from . import upcalls


class Flags:
    """ndarray.flags."""

    def __init__(self, c_contiguous, f_contiguous, owndata):
        self.__dict__.update(
            c_contiguous=c_contiguous,
            f_contiguous=f_contiguous,
            owndata=owndata,
            forc=c_contiguous or f_contiguous,
            fnc=f_contiguous and not c_contiguous,
            contiguous=c_contiguous,
            writeable=True,
            aligned=True,
        )

    def __setattr__(self, name, value):
        if name in ("writeable", "aligned"):  # NumPy's and SciPy's Python sets them
            return
        raise AttributeError(f"the flag {name!r} of a device array cannot be set")

    def __getitem__(self, name):
        short = {"C": "c_contiguous", "F": "f_contiguous", "O": "owndata"}
        name = short.get(name, name.lower())
        if not hasattr(self, name):
            raise KeyError("Unknown flag")
        return getattr(self, name)

    def __repr__(self):
        rows = ("c_contiguous", "f_contiguous", "owndata")
        return "\n".join(f"  {name.upper()} : {getattr(self, name)}" for name in rows)


class Flat:
    """ndarray.flat."""

    def __init__(self, array):
        self.base = array
        self._line, self._next = None, 0

    def __len__(self):
        return self.base.size

    def __iter__(self):
        return self

    def __next__(self):
        if self._next >= len(self):
            raise StopIteration
        if self._line is None:
            self._line = self.base.ravel()
        self._next += 1
        return self._line[self._next - 1]

    def copy(self):
        """All elements in an array of one dimension."""
        return self.base.flatten()

    def __getitem__(self, index):
        return self.base.ravel()[_checked(index)]

    def __setitem__(self, index, value):
        upcalls.store_flat(self.base, _checked(index), value)


def _checked(index):
    if index is Ellipsis or isinstance(index, slice):
        return index
    if getattr(index, "ndim", 0) and index.dtype.kind in "iu":  # NumPy's own Python has arrays
        return index
    if hasattr(index, "__index__") and not isinstance(index, (bool, np.bool_)):
        return operator.index(index)
    raise IndexError("unsupported iterator index")
