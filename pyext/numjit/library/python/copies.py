"""``copy``: shallow and deep copies of containers and arrays, shallow ones of instances.

What cannot change is its own copy.

An object that is found twice in a list is copied twice.
"""

import numpy as np

from ..core.intrinsics import copied_instance, refuse
from ..core.registry import function


def _never_changes(x):
    return x is None or isinstance(x, (bool, int, float, complex, str, bytes, range, np.generic))


@function("copy.copy")
def copy(x):
    if isinstance(x, (list, dict, set, np.ndarray)):
        return x.copy()
    elif isinstance(x, tuple) or _never_changes(x):
        return x
    else:
        return copied_instance(x)


@function("copy.deepcopy")
def deepcopy(x, memo=None):
    if memo is not None:
        refuse("copy.deepcopy() takes one argument in compiled code")
    if isinstance(x, list):
        return [deepcopy(item) for item in x]
    elif isinstance(x, dict):
        return {key: deepcopy(value) for key, value in x.items()}
    elif isinstance(x, tuple):
        return _deep_tuple(x)
    elif isinstance(x, (set, np.ndarray)):
        return x.copy()
    elif _never_changes(x):
        return x
    else:
        refuse(
            "copy.deepcopy() takes numbers, texts, containers and arrays in compiled code",
            "of an instance, call its class, or dataclasses.replace()",
        )


def _deep_tuple(x):
    if len(x) == 0:
        return x
    else:
        return (deepcopy(x[0]),) + _deep_tuple(x[1:])
