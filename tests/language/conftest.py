"""What every language test has: the engine under test, and a look at its memory afterwards."""

import gc

import pytest
from language.engine import live_blocks


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    report = yield
    if report.when == "call":
        item.passed = report.passed
    return report


@pytest.fixture(autouse=True)
def no_leaks(request):
    """Memory that compiled code allocated is gone when a test has passed."""
    before = live_blocks()
    yield
    if not getattr(request.node, "passed", False):
        return  # the traceback keeps values alive
    if live_blocks() > before:
        gc.collect()
    assert live_blocks() <= before, f"{live_blocks() - before} blocks of memory were not released"


@pytest.fixture
def overloads_end_with_their_test():
    """Those of NumPy's functions would be asked by every later test."""
    from numjit import _core, extending

    kept = {name: list(rows) for name, rows in extending._overloads.items()}
    yield
    for name, rows in extending._overloads.items():
        if rows != kept.get(name, []):
            rows[:] = kept.get(name, [])
            _core.note_overload(name)
