"""pycuda.curandom: random numbers."""

from __future__ import annotations

import numpy as np

from numjit.cupy.creation import zeros
from numjit.cupy.random_generator import RandomState

from .gpuarray import _wrap

_state = RandomState()


def rand(shape, dtype=np.float32, stream=None):
    """Numbers of [0, 1)."""
    return _wrap(_state.random_sample(shape, dtype))


def seed_getter_uniform(n):
    """Seeds that are the same."""
    return _wrap(_state.randint(0, 2**31, 1, dtype=np.int32).repeat(n))


def seed_getter_unique(n):
    """Seeds that differ."""
    return _wrap(_state.randint(0, 2**31, n, dtype=np.int32))


class XORWOWRandomNumberGenerator:
    """A generator of random numbers; all classes here are the same one inside."""

    generators_per_block = 256

    def __init__(self, seed_getter=None, offset=0):
        seed = None if seed_getter is None else seed_getter(1).get()
        self._state = RandomState(seed)

    def gen_uniform(self, shape, dtype=np.float32, stream=None):
        return _wrap(self._state.random_sample(shape, dtype))

    def gen_normal(self, shape, dtype=np.float32, stream=None):
        return _wrap(self._state.normal(size=shape, dtype=dtype))

    def gen_log_normal(self, shape, dtype, log_mean, log_stddev, stream=None):
        return _wrap(self._state.lognormal(log_mean, log_stddev, shape, dtype))

    def gen_poisson(self, shape, dtype, lambda_value, stream=None):
        return _wrap(self._state.poisson(lambda_value, shape, dtype))

    def fill_uniform(self, data, stream=None):
        data[...] = self._state.random_sample(data.shape, data.dtype)

    def fill_normal(self, data, stream=None):
        data[...] = self._state.normal(size=data.shape, dtype=data.dtype)

    def fill_poisson(self, data, lambda_value=None, stream=None):
        """Fills an array; without lambda_value each element is the mean of its number."""
        mean = data if lambda_value is None else lambda_value
        data[...] = self._state.poisson(mean, data.shape).astype(data.dtype)

    def call_skip_ahead(self, i, stream=None):
        self._state._block += int(i)


class MRG32k3aRandomNumberGenerator(XORWOWRandomNumberGenerator):
    """The same numbers under another name."""


class Sobol32RandomNumberGenerator(XORWOWRandomNumberGenerator):
    """The same numbers under another name: they are not a Sobol sequence."""


class ScrambledSobol32RandomNumberGenerator(Sobol32RandomNumberGenerator):
    """The same numbers under another name."""


class Sobol64RandomNumberGenerator(Sobol32RandomNumberGenerator):
    """The same numbers under another name."""


class ScrambledSobol64RandomNumberGenerator(Sobol32RandomNumberGenerator):
    """The same numbers under another name."""


def generate_direction_vectors(count, direction=0):
    """Direction vectors of Sobol sequences; generators here need none: zeros."""
    return _wrap(zeros((count, 32), np.uint32))


def get_curand_version():
    """The version of cuRAND whose names these are."""
    return (10, 3, 0)
