"""Small objects that attributes of arrays return: flags, and the iterator over all elements."""

from __future__ import annotations


class Flags:
    """ndarray.flags."""

    def __init__(self, c_contiguous, f_contiguous, owndata):
        self.c_contiguous, self.f_contiguous = c_contiguous, f_contiguous
        self.owndata = owndata
        self.forc, self.fnc = c_contiguous or f_contiguous, f_contiguous and not c_contiguous
        self.contiguous = c_contiguous
        self.writeable = self.aligned = True

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

    def __len__(self):
        return self.base.size

    def __iter__(self):
        return iter(self.base.ravel())

    def __getitem__(self, index):
        return self.base.ravel()[index]

    def __setitem__(self, index, value):
        line = self.base.ravel()
        line[index] = value
        if line.base is not self.base and line.base is not self.base.base:
            self.base[...] = line.reshape(self.base.shape)
