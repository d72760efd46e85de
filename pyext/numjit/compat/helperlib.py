"""Numba's `_helperlib`, as far as programs use it: the states of random numbers, to keep, to set
and to compare."""

from __future__ import annotations

import ctypes

import numpy as np

from numjit import _core

__all__ = [
    "rnd_get_np_state_ptr",
    "rnd_get_py_state_ptr",
    "rnd_get_state",
    "rnd_seed",
    "rnd_set_state",
    "rnd_shuffle",
]

_WORDS = 624


class _State(ctypes.Structure):
    """nj_random of runtime/random_state.h."""

    _fields_ = [
        ("key", ctypes.c_uint32 * _WORDS),
        ("words", ctypes.c_uint32 * _WORDS),
        ("next", ctypes.c_int),
        ("is_seeded", ctypes.c_bool),
        ("is_python", ctypes.c_bool),
        ("may_stop", ctypes.c_bool),
        ("has_normal", ctypes.c_bool),
        ("normal", ctypes.c_double),
    ]


def _pointer_to(which: int) -> int:
    address = _core.symbol_address("nj_random_state")
    return ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_int64)(address)(which)


def rnd_get_np_state_ptr() -> int:
    """The address of this thread's state of np.random in compiled code."""
    return _pointer_to(0)


def rnd_get_py_state_ptr() -> int:
    """The address of this thread's state of Python's random in compiled code."""
    return _pointer_to(1)


def rnd_get_state(pointer: int) -> tuple[int, list[int]]:
    """The position and the 624 words, as RandomState.get_state()[2:0:-1] of NumPy."""
    state = _State.from_address(pointer)
    return state.next, list(state.key)


def rnd_set_state(pointer: int, state: tuple[int, list[int]]) -> None:
    """Sets the position and the 624 words."""
    position, words = state
    if len(words) != _WORDS:
        raise ValueError(f"expected {_WORDS} words, got {len(words)}")
    if not 0 <= position <= _WORDS:
        raise ValueError(f"the position must be 0 to {_WORDS}, not {position}")
    _set(pointer, np.array(words, np.uint32), position)


def _set(pointer, key, position):
    state = _State.from_address(pointer)
    np.ctypeslib.as_array(state.key)[:] = key
    np.ctypeslib.as_array(state.words)[:] = _tempered(key)
    state.next = position
    state.is_seeded, state.has_normal = True, False


def _tempered(key):
    """What a twister with these words returns."""
    y = key ^ (key >> 11)
    y ^= (y << 7) & np.uint32(0x9D2C5680)
    y ^= (y << 15) & np.uint32(0xEFC60000)
    return y ^ (y >> 18)


def rnd_seed(pointer: int, seed) -> None:
    """Seeds with an int of 32 bits as np.random.seed() does, or with all words of a buffer."""
    if not isinstance(seed, int | np.integer):
        seed = np.frombuffer(seed, np.uint32)
    key, position = np.random.RandomState(seed).get_state()[1:3]
    _set(pointer, key, position)


def rnd_shuffle(pointer: int) -> None:
    """Makes the next 624 words."""
    bits = np.random.MT19937()
    key = np.array(_State.from_address(pointer).key, np.uint32)
    bits.state = {"bit_generator": "MT19937", "state": {"key": key, "pos": _WORDS}}
    bits.random_raw()
    _set(pointer, bits.state["state"]["key"], 0)
