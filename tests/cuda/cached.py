"""What test_launches.py runs several times: kernels with cache=True, and a driver that is
fake_driver.c. Prints hits, misses and what the kernel that changes gives as PTX."""

import os
import sys
import warnings

import numpy as np
from numjit import cuda

warnings.simplefilter("ignore")
FACTOR = float(os.environ.get("FACTOR", "2"))
TABLE = np.arange(5.0)
TABLE[2] = float(os.environ.get("ITEM", "2"))


def helper(x):
    return x * FACTOR


@cuda.jit(cache=True)
def k(x):
    x[0] = helper(x[1])


@cuda.jit(cache=True)
def with_table(x):
    x[0] = TABLE[int(x[1])]


@cuda.jit("void(float32[::1])", cache=True)
def declared(x):
    x[0] = 1


@cuda.jit(cache=True, debug=True)
def checked(x):
    if x[0] > 1:
        raise ValueError


x = cuda.to_device(np.zeros(4))
for kernel in (k, with_table, checked):
    kernel[1, 1](x)
    kernel[2, 2](x)
declared[1, 1](cuda.to_device(np.zeros(4, np.float32)))
for kernel in (k, with_table, declared, checked):
    stats = kernel.stats
    print(sum(stats.cache_hits.values()), sum(stats.cache_misses.values()), end=" ")
    assert ".entry" in next(iter(kernel.overloads.values())).inspect_asm()
assert k.stats.cache_path.startswith(os.environ["NUMJIT_CACHE_DIR"])
sys.stdout.flush()
