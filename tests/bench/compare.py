"""Are two results of a kernel the same, up to a tolerance?"""

import copy

import numpy as np


def fresh(arguments):
    """Copies that keep which arguments are the same array.

    Arrays begin at multiples of 64 bytes in all copies, or one engine's vectors would lie across
    cache lines and another's not: a quarter of the time of matmul."""
    arrays = {id(each): aligned(each) for each in arguments if type(each) is np.ndarray}
    return tuple(arrays[id(a)] if id(a) in arrays else copy.deepcopy(a) for a in arguments)


def aligned(array):
    if array.dtype.hasobject or not (array.flags.c_contiguous or array.flags.f_contiguous):
        return copy.deepcopy(array)
    memory = np.empty(array.nbytes + 64, np.uint8)
    start = -memory.ctypes.data % 64
    placed = memory[start : start + array.nbytes].view(array.dtype).reshape(-1)
    made = placed.reshape(array.shape, order="C" if array.flags.c_contiguous else "F")
    made[...] = array
    return made


def difference(got, wanted, tolerance):
    """None, or what differs."""
    if wanted is None or got is None:
        return None if wanted is got else f"{got!r} instead of {wanted!r}"
    got, wanted = np.asarray(got), np.asarray(wanted)
    if got.shape != wanted.shape:
        return f"shape {got.shape} instead of {wanted.shape}"
    if np.allclose(got, wanted, rtol=tolerance, atol=tolerance, equal_nan=True):
        return None
    return f"largest difference {np.abs(got - wanted).max()} (tolerance {tolerance})"


def outcome_difference(got, wanted, tolerance):
    """Compares (result, arguments after the call); a returned argument is compared once."""
    for label, ours, theirs in zip(("result", "arguments"), got, wanted, strict=True):
        pairs = [(ours, theirs)] if label == "result" else list(zip(ours, theirs, strict=True))
        for a, b in pairs:
            found = difference(a, b, tolerance)
            if found:
                return f"{label}: {found}"
    return None
