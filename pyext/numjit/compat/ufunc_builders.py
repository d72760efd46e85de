"""Numba's older way to ufuncs: builders to which signatures are added."""

from __future__ import annotations

from numjit.ufuncs import DUFunc, GUFunc

__all__ = ["GUVectorize", "Vectorize"]


class Vectorize:
    """`Vectorize(function)`, `.add(signature)`, `.build_ufunc()`: what @vectorize makes."""

    def __new__(cls, func, target="cpu", identity=None, cache=False, **options):
        targetoptions = options | {"target": target}
        return DUFunc(func, identity=identity, cache=cache, targetoptions=targetoptions)


class GUVectorize:
    """The same for @guvectorize: `GUVectorize(function, "(n)->()")`."""

    def __new__(
        cls,
        func,
        signature,
        target="cpu",
        identity=None,
        cache=False,
        is_dynamic=False,
        writable_args=(),
        **options,
    ):
        return GUFunc(
            func,
            signature,
            identity=identity,
            cache=cache,
            is_dynamic=is_dynamic,
            targetoptions=options | {"target": target},
            writable_args=writable_args,
        )
