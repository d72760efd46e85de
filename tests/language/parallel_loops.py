"""What the tests of parallel=True share: loops over prange against the sequential program."""

import functools
import os

import numpy as np
from numjit import njit

# The processes of this suite have four threads, however many processors there are.
os.environ.setdefault("NUMBA_NUM_THREADS", "4")


@functools.cache
def parallel(f):
    return njit(parallel=True)(f)


def same(f, *args):
    """What f gives compiled is what the interpreter gives; its arguments change alike."""
    mine = [a.copy() if isinstance(a, np.ndarray) else a for a in args]
    theirs = [a.copy() if isinstance(a, np.ndarray) else a for a in args]
    got, want = parallel(f)(*mine), f(*theirs)
    got, want = (x if isinstance(x, tuple) else (x,) for x in (got, want))
    assert len(got) == len(want)
    for x, y in [*zip(got, want, strict=True), *zip(mine, theirs, strict=True)]:
        if y is None:
            assert x is None
            continue
        if isinstance(y, np.ndarray):
            assert (x.dtype, x.shape) == (y.dtype, y.shape)
        np.testing.assert_allclose(x, y, rtol=1e-12)


def values(n=1000, dtype=np.float64):
    random = np.random.default_rng(1)
    x = random.normal(size=n) * 5
    return (
        (x + 1j * random.normal(size=n)).astype(dtype)
        if dtype == np.complex128
        else x.astype(dtype)
    )
