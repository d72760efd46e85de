"""hash() of numbers and tuples, equal to the interpreter's (Python/pyhash.c, tupleobject.c)."""

import math

import numpy as np

from .intrinsics import literal_unroll
from .registry import function

_BITS = 61
_MODULUS = np.uint64(2**_BITS - 1)  # numbers that are equal modulo it have one hash
_ZERO = np.uint64(0)
_HASH_OF_NONE = hash(None)


def not_error(h):
    """-1 is what C functions of the interpreter fail with: no hash."""
    return -2 if h == -1 else h


def rotated(x, n):
    """The lower 61 bits, turned left."""
    return ((x << np.uint64(n)) & _MODULUS) | (x >> np.uint64(_BITS - n))


@function("Integer.__hash__")
def hash_of_int(x):
    magnitude = np.uint64(x)
    if x < 0:
        magnitude = _ZERO - magnitude
    magnitude = (magnitude & _MODULUS) + (magnitude >> np.uint64(_BITS))
    if magnitude >= _MODULUS:
        magnitude -= _MODULUS
    h = np.int64(magnitude)
    return not_error(-h if x < 0 else h)


@function("Boolean.__hash__")
def hash_of_bool(x):
    return 1 if x else 0


@function("Float.__hash__", inline=False)
def hash_of_float(x):
    """NaN has none of its own: the interpreter takes the address of the object."""
    x = np.float64(x)
    if math.isinf(x):
        return 314159 if x > 0 else -314159
    if math.isnan(x):
        return 0
    fraction, exponent = math.frexp(abs(x))
    h = _ZERO
    while fraction != 0.0:  # 28 bits each time
        h = rotated(h, 28)
        fraction *= 268435456.0
        exponent -= 28
        whole = math.floor(fraction)
        fraction -= whole
        h += np.uint64(whole)
        if h >= _MODULUS:
            h -= _MODULUS
    turn = exponent % _BITS
    if turn > 0:
        h = rotated(h, turn)
    signed = np.int64(h)
    return not_error(-signed if x < 0 else signed)


@function("Complex.__hash__", inline=False)
def hash_of_complex(x):
    return not_error(hash(x.real) + 1000003 * hash(x.imag))


@function("Timedelta.__hash__")
@function("Datetime.__hash__")
def hash_of_time(x):
    """Of the number, as Numba: that of NumPy depends on the unit and on random bits."""
    return hash(x.astype(np.int64))


@function("NoneType.__hash__")
def hash_of_none(x):
    return _HASH_OF_NONE


@function("Enum.__hash__")
def hash_of_member(x):
    return hash(x.name)


_PRIME_1 = np.uint64(11400714785074694791)
_PRIME_2 = np.uint64(14029467366897019727)
_PRIME_5 = np.uint64(2870177450012600261)
_LENGTH_MIX = np.uint64(2870177450012600261 ^ 3527539)


@function("Tuple.__hash__")
def hash_of_tuple(items):
    """xxHash of the items' hashes."""
    h = _PRIME_5
    for item in literal_unroll(items):
        h += np.uint64(hash(item)) * _PRIME_2
        h = ((h << np.uint64(31)) | (h >> np.uint64(33))) * _PRIME_1
    h += np.uint64(len(items)) ^ _LENGTH_MIX
    signed = np.int64(h)
    return 1546275796 if signed == -1 else signed
