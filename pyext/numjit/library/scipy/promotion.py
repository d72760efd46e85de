"""`xp_promote`, by which SciPy's functions make arrays of one dtype of their arguments."""

import importlib

import numpy as np

from ..core.registry import function

xp_result_type = importlib.import_module("scipy._lib._array_api").xp_result_type


@function("scipy._lib._array_api.xp_promote", listed=False)
def xp_promote(*args, broadcast=False, force_floating=False, xp=None):
    given = with_arrays(args)
    dtype = xp_result_type(*without_none(given), force_floating=force_floating, xp=xp)
    made = of_dtype(given, dtype)
    if broadcast and len(without_none(made)) > 1:
        made = of_shape(made, np.broadcast_shapes(*shapes_of(without_none(made))))
    return made[0] if len(made) == 1 else made


def with_arrays(args):
    """Numbers and None stay: their types have less to say."""
    if len(args) == 0:
        return ()
    elif args[0] is not None and np.iterable(args[0]):
        return (np.asanyarray(args[0]), *with_arrays(args[1:]))
    else:
        return (args[0], *with_arrays(args[1:]))


def without_none(args):
    if len(args) == 0:
        return ()
    elif args[0] is None:
        return without_none(args[1:])
    else:
        return (args[0], *without_none(args[1:]))


def of_dtype(args, dtype):
    if len(args) == 0:
        return ()
    elif args[0] is None:
        return (None, *of_dtype(args[1:], dtype))
    else:
        return (np.asanyarray(args[0], dtype=dtype), *of_dtype(args[1:], dtype))


def shapes_of(arrays):
    if len(arrays) == 0:
        return ()
    else:
        return (arrays[0].shape, *shapes_of(arrays[1:]))


def of_shape(args, shape):
    if len(args) == 0:
        return ()
    elif args[0] is None:
        return (None, *of_shape(args[1:], shape))
    else:
        return (in_shape(args[0], shape), *of_shape(args[1:], shape))


def in_shape(x, shape):
    if x.ndim == len(shape) and x.shape == shape:
        return x
    else:
        return np.broadcast_to(x, shape)
