"""What all tests have: a garbage collector that leaves alone what collection made."""

import gc

import pytest


@pytest.hookimpl(wrapper=True)
def pytest_collection():
    """Thousands of tests stay until the end: no collection of garbage has to look at them."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()
