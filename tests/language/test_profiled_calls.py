"""Profilers see calls of compiled functions under NUMJIT_PROFILE_CALLS."""

import cProfile
import gc
import io
import pstats
import sys
import weakref

import pytest
from numjit import config, jit, njit


@pytest.fixture
def shown(monkeypatch):
    monkeypatch.setattr(config, "PROFILE_CALLS", True)


def test_cprofile(shown):
    @njit
    def some_function(x, y=2, *more, z=3):
        return x + y + z + len(more)

    some_function(1)
    profile = cProfile.Profile()
    profile.enable()
    assert [some_function(1), some_function(1, 5, 6, z=4), some_function(y=1, x=0)] == [6, 11, 4]
    profile.disable()
    text = io.StringIO()
    pstats.Stats(profile, stream=text).print_stats()
    line = next(line for line in text.getvalue().splitlines() if "(some_function)" in line)
    place = f"test_profiled_calls.py:{some_function.py_func.__code__.co_firstlineno}"
    assert line.split()[0] == "3" and place in line


@pytest.mark.parametrize("options", [{"nopython": True}, {"forceobj": True}])
def test_setprofile(shown, options):
    @jit(**options)
    def some_function(x):
        return x + 1

    some_function(1)
    seen = []
    sys.setprofile(lambda frame, event, arg: seen.append((event, frame.f_code.co_name)))
    some_function(1)
    sys.setprofile(None)
    assert ("call", "some_function") in seen and ("return", "some_function") in seen


def test_errors_and_methods(shown):
    @njit
    def fails(x):
        raise ValueError(x)

    with pytest.raises(ValueError, match="7"):
        fails(7)
    with pytest.raises(TypeError):
        fails(1, 2)

    class C:
        n = 3

        @njit
        def twice(x):
            return x * 2

    assert C.twice(3) == 6
    assert njit(lambda x: C.twice(x))(4) == 8  # in compiled code


def test_such_functions_end(shown):
    @njit
    def f(x):
        return x

    f(1)
    gone = weakref.ref(f)
    del f
    gc.collect()
    assert gone() is None


def test_nothing_is_in_between_without():
    @njit
    def f(x):
        return x

    assert f._frame is None and f(1) == 1


def test_switch_of_one_function():
    @njit
    def some_function(x):
        return x + 1

    def seen():
        profile = cProfile.Profile()
        profile.enable()
        some_function(1)
        profile.disable()
        return any(name == "some_function" for _, _, name in pstats.Stats(profile).stats)

    some_function(1)
    assert not some_function._enable_sysmon and not seen()
    some_function._enable_sysmon = True
    assert some_function._enable_sysmon and seen()
    some_function._enable_sysmon = False
    assert not some_function._enable_sysmon and not seen()
