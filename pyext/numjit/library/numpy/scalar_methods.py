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
@method("max")
@method("min")
@method("squeeze")
@method("tolist")
@method("transpose")
def itself(self):
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


@method("all")
@method("any")
def truth(self):
    return bool(self)


@method("argmax")
@method("argmin")
def index_of_itself(self):
    return 0


@method("cumsum")
def cumsum(self):
    return np.cumsum(np.asarray(self))


@method("cumprod")
def cumprod(self):
    return np.cumprod(np.asarray(self))


@method("flatten")
@method("ravel")
def flatten(self):
    return np.array([self])


@method("repeat")
def repeat(self, repeats):
    return np.repeat(self, repeats)


@method("reshape")
def reshape(self, *shape):
    return np.asarray(self).copy().reshape(*shape)
