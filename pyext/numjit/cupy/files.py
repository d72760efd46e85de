"""Files and text: NumPy's, of a copy on the host."""

from __future__ import annotations

import numpy as np

from .creation import array
from .interchange import asnumpy


def load(file, **keywords):
    """Arrays of a file."""
    found = np.load(file, **keywords)
    if isinstance(found, np.ndarray):
        return array(found)
    return NpzFile(found)


class NpzFile:
    """The arrays of an .npz file, by name."""

    def __init__(self, file):
        self.npz_file = file
        self.files = file.files

    def __getitem__(self, name):
        return array(self.npz_file[name])

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self.close()

    def close(self):
        self.npz_file.close()


def save(file, arr, **keywords):
    np.save(file, asnumpy(arr), **keywords)


def savez(file, *args, **keywords):
    np.savez(file, *map(asnumpy, args), **{name: asnumpy(a) for name, a in keywords.items()})


def savez_compressed(file, *args, **keywords):
    np.savez_compressed(
        file, *map(asnumpy, args), **{name: asnumpy(a) for name, a in keywords.items()}
    )


def savetxt(fname, x, *args, **keywords):
    np.savetxt(fname, asnumpy(x), *args, **keywords)


def array_repr(a, *args, **keywords):
    return np.array_repr(asnumpy(a), *args, **keywords)


def array_str(a, *args, **keywords):
    return np.array_str(asnumpy(a), *args, **keywords)


def array2string(a, *args, **keywords):
    return np.array2string(asnumpy(a), *args, **keywords)


def tofile(a, fid, sep="", format="%s"):
    asnumpy(a).tofile(fid, sep, format)


def tobytes(a, order="C"):
    return asnumpy(a).tobytes(order)


def dump(a, file):
    asnumpy(a).dump(file)


def dumps(a):
    return asnumpy(a).dumps()
