"""cupy.random."""

from __future__ import annotations

import os

from numjit.compat.numba_paths import inner

from .random_generator import (  # noqa: F401
    XORWOW,
    BitGenerator,
    Generator,
    MRG32k3a,
    Philox4x3210,
    RandomState,
)

__path__: list = []  # a package of CuPy, see compat/cupy_paths.py
_state = None


def get_random_state():
    """The generator of the functions of this module, which begins with CUPY_SEED, if it is set."""
    global _state
    if _state is None:
        given = os.environ.get("CUPY_SEED")
        _state = RandomState(int(given) if given else None)
    return _state


def set_random_state(rs):
    global _state
    if not isinstance(rs, RandomState):
        raise TypeError(f"Random state must be an instance of RandomState. Actual: {type(rs)}")
    _state = rs


def default_rng(seed=None):
    """A Generator."""
    if isinstance(seed, Generator):
        return seed
    return Generator(seed if isinstance(seed, BitGenerator) else XORWOW(seed))


def seed(seed=None):
    """Starts the functions of this module anew."""
    get_random_state().seed(seed)


def reset_states():
    """Forgets the generator of this module: the next call starts one anew."""
    global _state
    _state = None


def __getattr__(name):
    if not name.startswith("_") and hasattr(RandomState, name):

        def function(*args, **keywords):
            return getattr(get_random_state(), name)(*args, **keywords)

        function.__name__ = name
        globals()[name] = function
        return function
    if (found := inner(__name__, name)) is not None:
        return found
    raise AttributeError(f"module 'numjit.cupy.random' has no attribute {name!r}")
