"""pycuda.cumath: functions of elements."""

from __future__ import annotations

import numpy as np

from numjit.cupy.ndarrays import ndarray
from numjit.cupy.ufuncs import call

_NAMES = ("ceil floor exp log log10 sqrt fabs sin cos tan sinh cosh tanh modf frexp "
          "fmod ldexp").split()  # fmt: skip
_OTHERS = {"asin": np.arcsin, "acos": np.arccos, "atan": np.arctan, "atan2": np.arctan2,
           "arcsin": np.arcsin, "arccos": np.arccos, "arctan": np.arctan}  # fmt: skip


def _function(name, ufunc):
    def function(*args, out=None, stream=None, stream_or_out=None):
        # What follows the operands is the stream, or the array for the result.
        args, more = args[: ufunc.nin], (*args[ufunc.nin :], stream_or_out)
        out = next((each for each in (out, *more) if isinstance(each, ndarray)), None)
        if name == "ldexp" and args[1].dtype.kind == "f":
            args = args[0], args[1].astype(np.int32)
        if name == "fabs" and args[0].dtype.kind == "c":
            return call(np.absolute, args, out=out)
        return call(ufunc, args, out=out)

    function.__name__ = name
    return function


for _name in _NAMES:
    globals()[_name] = _function(_name, getattr(np, _name))
for _name, _ufunc in _OTHERS.items():
    globals()[_name] = _function(_name, _ufunc)
