"""Random numbers in kernels: xoroshiro128p+, a state for each thread.

The functions are device functions; states are made here. The generator is that of Blackman and
Vigna; states of different threads are 2**64 draws apart.
"""

from __future__ import annotations

import math

import numpy as np

from numjit.types import from_dtype

from .api import device_array
from .decorators import jit

xoroshiro128p_dtype = np.dtype([("s0", np.uint64), ("s1", np.uint64)], align=True)
_MASK = (1 << 64) - 1
_JUMP = (0xBEAC0467EBA5FACB, 0xD86B048B86AA9922)


# -- states, on the host ------------------------------------------------------------------------


def _seeded(seed):
    """The first state: two draws of SplitMix64."""
    z = (seed + 0x9E3779B97F4A7C15) & _MASK
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & _MASK
    z ^= z >> 31
    return z, z


def _next(s0, s1):
    s1 ^= s0
    rotated = ((s0 << 55) | (s0 >> 9)) & _MASK
    return rotated ^ s1 ^ ((s1 << 14) & _MASK), ((s1 << 36) | (s1 >> 28)) & _MASK


def _jumped(s0, s1):
    """The state 2**64 draws on."""
    to0 = to1 = 0
    for word in _JUMP:
        for bit in range(64):
            if word >> bit & 1:
                to0, to1 = to0 ^ s0, to1 ^ s1
            s0, s1 = _next(s0, s1)
    return to0, to1


def _jump_matrix():
    """The jump as a matrix over GF(2): the images of the 128 bits of a state."""
    images = []
    for bit in range(128):
        state = (1 << bit, 0) if bit < 64 else (0, 1 << (bit - 64))
        images.append(_jumped(*state))
    return np.array(images, np.uint64)


def _apply(matrix, states):
    """The images of many states."""
    result = np.zeros_like(states)
    for bit in range(128):
        chosen = (states[:, bit // 64] >> np.uint64(bit % 64)) & np.uint64(1)
        result ^= np.where(chosen[:, None], matrix[bit][None, :], np.uint64(0))
    return result


def init_xoroshiro128p_states_cpu(states, seed, subsequence_start):
    """Fills an array of states on the host: each 2**64 draws behind the one before."""
    n = len(states)
    rows = np.zeros((n, 2), np.uint64)
    if not n:
        return
    state = _seeded(int(seed))
    for _ in range(int(subsequence_start)):
        state = _jumped(*state)
    rows[0] = state
    # Doubling: with the matrix for 2**k jumps, 2**k states give the next 2**k.
    matrix, have = _jump_matrix(), 1
    while have < n:
        more = min(have, n - have)
        rows[have : have + more] = _apply(matrix, rows[:more])
        have += more
        if have < n:
            matrix = _apply(matrix, matrix)
    states["s0"], states["s1"] = rows[:, 0], rows[:, 1]


def init_xoroshiro128p_states(states, seed, subsequence_start=0, stream=0):
    """Sets the states of a device array."""
    host = np.empty(states.shape, xoroshiro128p_dtype)
    init_xoroshiro128p_states_cpu(host.reshape(-1), seed, subsequence_start)
    states.copy_to_device(host, stream=stream)


def create_xoroshiro128p_states(n, seed, subsequence_start=0, stream=0):
    """A device array of n states."""
    states = device_array(n, xoroshiro128p_dtype, stream=stream)
    init_xoroshiro128p_states(states, seed, subsequence_start, stream)
    return states


# -- draws, on the device -----------------------------------------------------------------------

_TWO_PI_32 = np.float32(2 * math.pi)
_TWO_PI_64 = np.float64(2 * math.pi)


@jit(device=True)
def init_xoroshiro128p_state(states, index, seed):
    """Sets a state from a seed."""
    z = np.uint64(seed) + np.uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> np.uint32(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint32(27))) * np.uint64(0x94D049BB133111EB)
    z = z ^ (z >> np.uint32(31))
    states[index]["s0"] = z
    states[index]["s1"] = z


@jit(device=True)
def xoroshiro128p_next(states, index):
    """64 random bits; the state moves on."""
    s0 = states[index].s0
    s1 = states[index].s1
    result = s0 + s1
    s1 ^= s0
    states[index].s0 = ((s0 << np.uint64(55)) | (s0 >> np.uint64(9))) ^ s1 ^ (s1 << np.uint64(14))
    states[index].s1 = (s1 << np.uint64(36)) | (s1 >> np.uint64(28))
    return result


@jit(device=True)
def xoroshiro128p_jump(states, index):
    """Moves a state on by 2**64 draws."""
    to0 = np.uint64(0)
    to1 = np.uint64(0)
    for word in (np.uint64(0xBEAC0467EBA5FACB), np.uint64(0xD86B048B86AA9922)):
        for bit in range(64):
            if word & (np.uint64(1) << np.uint64(bit)):
                to0 ^= states[index].s0
                to1 ^= states[index].s1
            xoroshiro128p_next(states, index)
    states[index].s0 = to0
    states[index].s1 = to1


@jit(device=True)
def uint64_to_unit_float64(x):
    return np.float64(x >> np.uint64(11)) * (1.0 / 9007199254740992.0)


@jit(device=True)
def uint64_to_unit_float32(x):
    return np.float32(uint64_to_unit_float64(x))


@jit(device=True)
def xoroshiro128p_uniform_float32(states, index):
    """A float32 in [0, 1)."""
    return uint64_to_unit_float32(xoroshiro128p_next(states, index))


@jit(device=True)
def xoroshiro128p_uniform_float64(states, index):
    """A float64 in [0, 1)."""
    return uint64_to_unit_float64(xoroshiro128p_next(states, index))


@jit(device=True)
def xoroshiro128p_normal_float32(states, index):
    """A float32 of the standard normal distribution, by Box and Muller."""
    u1 = xoroshiro128p_uniform_float32(states, index)
    u2 = xoroshiro128p_uniform_float32(states, index)
    z0 = math.sqrt(np.float32(-2.0) * math.log(np.float32(1.0) - u1)) * math.cos(_TWO_PI_32 * u2)
    return np.float32(z0)


@jit(device=True)
def xoroshiro128p_normal_float64(states, index):
    """A float64 of the standard normal distribution, by Box and Muller."""
    u1 = xoroshiro128p_uniform_float64(states, index)
    u2 = xoroshiro128p_uniform_float64(states, index)
    return math.sqrt(-2.0 * math.log(1.0 - u1)) * math.cos(_TWO_PI_64 * u2)


def __getattr__(name):
    if name != "xoroshiro128p_type":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return from_dtype(xoroshiro128p_dtype)
