"""Methods of arrays that are functions of the package with the array as their first argument."""

from __future__ import annotations

import importlib

_PLACES = {
    "reduction_names": "sum prod max min all any argmax argmin",
    "moments": "mean var std",
    "reductions": "ptp",
    "scans": "cumsum cumprod",
    "manipulation": (
        "astype copy reshape ravel flatten transpose squeeze swapaxes view repeat fill diagonal "
        "trace clip round conj conjugate byteswap"
    ),
    "indexing": "take nonzero",
    "picking": "put choose compress",
    "sorting": "sort_in_place:sort argsort partition_in_place:partition argpartition searchsorted",
    "products": "dot",
    "files": "tofile tobytes dump dumps",
    "mdspan": "mdspan",
}


class Methods:
    """What ndarray inherits."""

    __slots__ = ()


def _fill():
    for place, names in _PLACES.items():
        for name in names.split():
            name, _, public = name.partition(":")
            setattr(Methods, public or name, _named(place, name, public or name))


def _named(place, name, public):
    def method(self, *args, **keywords):
        function = getattr(importlib.import_module(f"numjit.cupy.{place}"), name)

        def direct(self, *args, **keywords):
            return function(self, *args, **keywords)

        direct.__name__ = public
        setattr(Methods, public, direct)
        return function(self, *args, **keywords)

    method.__name__ = public
    return method


_fill()
