"""cupyx.optimizing: blocks of kernels are chosen without trials here."""

from __future__ import annotations

import contextlib


@contextlib.contextmanager
def optimize(*, key=None, path=None, readonly=False, **config):
    """A context in which CuPy tries sizes of blocks; it does nothing here."""
    yield
