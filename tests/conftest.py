"""What all tests have: a garbage collector that leaves alone what collection made, and an option
that thins out parametrised tests.
"""

import gc
import os
from collections import Counter

import pytest


@pytest.fixture(scope="session", autouse=True)
def stack_for_sanitizer():
    """compute-sanitizer (of CUDA 13.0) replaces the device's malloc() by functions for which the
    stack is too small where a kernel has a few kB of its own, in CUDA C++ as well."""
    if os.environ.get("NUMJIT_TEST_SANITIZER"):
        from numjit import cuda
        from numjit.cuda.cudadrv.driver import get_driver

        cuda.current_context()
        get_driver().set_limit(0, 1 << 15)  # CU_LIMIT_STACK_SIZE


@pytest.hookimpl(wrapper=True)
def pytest_collection():
    """Thousands of tests stay until the end: no collection of garbage has to look at them."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


def pytest_addoption(parser):
    parser.addoption(
        "--part",
        metavar="K/N",
        type=_part,
        help="of a test with N or more parameters every N-th, from the K-th (1 to N) on",
    )


def _part(text):
    k, n = map(int, text.split("/"))
    if not 1 <= k <= n:
        raise ValueError(text)
    return k, n


def pytest_runtest_setup(item):
    """NUMJIT_TEST_SANITIZER names the tool of compute-sanitizer that looks on."""
    for mark in item.iter_markers("unwatched"):
        if os.environ.get("NUMJIT_TEST_SANITIZER") in mark.args:
            pytest.skip(mark.kwargs["reason"])


def pytest_collection_modifyitems(config, items):
    """What does not depend on the version of CPython meets each parameter on one of them only."""
    if not (part := config.getoption("--part")):
        return
    k, n = part
    size = Counter(_function(item) for item in items)
    seen = Counter()
    kept, left_out = [], []
    for item in items:
        function = _function(item)
        turn = size[function] < n or seen[function] % n == k - 1
        seen[function] += 1
        (kept if turn else left_out).append(item)
    items[:] = kept
    config.hook.pytest_deselected(items=left_out)


def _function(item):
    return item.nodeid.partition("[")[0]
