"""What NumPy's scalars have of arrays: ``x.dtype``, ``x.ndim``; methods are in scalar_methods.py.

Compiled code does not know whether a number was Python's or NumPy's, so all have it; ``hasattr``
says that they don't, as programs ask it in order to tell numbers from arrays.
"""

import numpy as np

from ..core.registry import function


def attribute(name):
    return function(f"NumPyScalar.{name}", when="attribute")


@attribute("T")
def transposed(self):
    return self


@attribute("shape")
def shape(self):
    return ()


@attribute("ndim")
def ndim(self):
    return 0


@attribute("size")
def size(self):
    return 1


@attribute("dtype")
def dtype(self):
    return np.asarray(self).dtype


@attribute("itemsize")
@attribute("nbytes")
def itemsize(self):
    return np.asarray(self).itemsize
