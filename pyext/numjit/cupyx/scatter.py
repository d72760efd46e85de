"""Assignments through indices that may repeat."""

from __future__ import annotations

import numpy as np

from numjit.cupy.indexing import scatter


def scatter_add(a, slices, value):
    """Adds values at indices; those of repeated ones all count."""
    scatter(np.add, a, slices, value)


def scatter_max(a, slices, value):
    """The largest of what is there and the values at an index."""
    scatter(np.maximum, a, slices, value)


def scatter_min(a, slices, value):
    """The smallest of what is there and the values at an index."""
    scatter(np.minimum, a, slices, value)
