"""Methods that NumPy's scalars have of arrays: ``a.sum().round(2)``, ``a[i].astype(np.int32)``."""

import numpy as np

from ..core.registry import function


def method(name):
    return function(f"NumPyScalar.{name}")


@method("astype")
def astype(self, dtype, order="K", casting="unsafe", subok=True, copy=True):
    return np.asarray(self).astype(dtype, order, casting, subok, copy)[()]


@method("round")
def rounded(self, decimals=0):
    return np.round(self, decimals)


@method("clip")
def clip(self, min=None, max=None):
    return np.clip(self, min, max)


@method("conj")
def conj(self):
    return self.conjugate()


@method("copy")
def copy(self):
    return self


@method("max")
def largest(self):
    return self


@method("min")
def smallest(self):
    return self


@method("squeeze")
def squeeze(self):
    return self


@method("tolist")
def tolist(self):
    return self


@method("transpose")
def transpose(self):
    return self


@method("sum")
def sum_of(self):
    return np.sum(np.asarray(self))


@method("prod")
def prod(self):
    return np.prod(np.asarray(self))


@method("mean")
def mean(self):
    return np.mean(np.asarray(self))


@method("std")
def std(self):
    return np.std(np.asarray(self))


@method("var")
def var(self):
    return np.var(np.asarray(self))


@method("any")
def is_any(self):
    return bool(self)


@method("all")
def are_all(self):
    return bool(self)


@method("argmax")
def argmax(self):
    return 0


@method("argmin")
def argmin(self):
    return 0


@method("cumsum")
def cumsum(self):
    return np.cumsum(np.asarray(self))


@method("cumprod")
def cumprod(self):
    return np.cumprod(np.asarray(self))


@method("flatten")
def flatten(self):
    return np.array([self])


@method("ravel")
def ravel(self):
    return np.array([self])


@method("repeat")
def repeat(self, repeats):
    return np.repeat(self, repeats)


@method("reshape")
def reshape(self, *shape):
    return np.asarray(self).copy().reshape(*shape)
