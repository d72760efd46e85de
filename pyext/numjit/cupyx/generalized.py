"""cupyx.GeneralizedUFunc: a function of arrays with a signature such as (i,j),(j)->(i)."""

from __future__ import annotations

import numpy as np

import numjit.cupy as cp


class GeneralizedUFunc:
    """Calls a function of arrays whose loop dimensions are broadcast together first."""

    def __init__(self, func, signature, **keywords):
        self._function, self._signature = func, signature
        self.__name__ = keywords.pop("name", func.__name__)
        self.__doc__ = keywords.pop("doc", func.__doc__)
        inputs, _, outputs = signature.replace(" ", "").partition("->")
        self._inputs, self._outputs = _parsed(inputs), _parsed(outputs)

    def __call__(self, *args, axes=None, axis=None, keepdims=False, out=None, **keywords):
        if len(args) != len(self._inputs):
            raise TypeError(f"{self.__name__}() takes {len(self._inputs)} arguments")
        arrays, loops = [], []
        for place, (each, core) in enumerate(zip(args, self._inputs)):
            each = cp.asarray(each)
            if axes is not None:
                each = cp.moveaxis(each, axes[place], tuple(range(-len(core), 0)))
            elif axis is not None and core:
                each = cp.moveaxis(each, axis, -1)
            arrays.append(each)
            loops.append(each.shape[: each.ndim - len(core)])
        loop = np.broadcast_shapes(*loops)
        arrays = [
            cp.broadcast_to(each, loop + each.shape[each.ndim - len(core) :])
            for each, core in zip(arrays, self._inputs)
        ]
        found = self._function(*arrays, **keywords)
        if out is None:
            return found
        out[...] = found
        return out


def _parsed(text):
    groups = text.strip("()").split("),(")
    return [[each for each in group.split(",") if each] for group in groups]


_GUFunc = GeneralizedUFunc
