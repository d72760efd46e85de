"""Tests with parameters, and what tests need."""

from __future__ import annotations

import importlib.metadata
import inspect
import itertools
import sys
import unittest.mock

import numpy

import numjit.cupy

from ..runtime import getDeviceCount


def product(parameter):
    """Dicts of all combinations: of {key: values}, or of lists of dicts."""
    if isinstance(parameter, dict):
        keys = list(parameter)
        return [dict(zip(keys, row)) for row in itertools.product(*parameter.values())]
    return list(itertools.product(*parameter))


def product_dict(*parameters):
    """Dicts that join one of each list."""
    found = []
    for row in itertools.product(*parameters):
        joined = {}
        for each in row:
            joined |= each
        found.append(joined)
    return found


def parameterize(*params, **ignored):
    """A decorator for classes of tests: each test runs once for each dict, whose keys are
    attributes of the object."""

    def decorator(cls):
        import pytest

        if issubclass(cls, unittest.TestCase):
            return _classes(cls, params)

        @pytest.fixture(autouse=True)
        def _parameters(self, request, _case):
            for key, value in _case.items():
                setattr(self, key, value)
            yield

        before = vars(cls).get("setup_method")
        if before is not None:
            cls.setup_method = lambda self, *args: None

            @pytest.fixture(autouse=True)
            def _parameters(self, request, _case):
                for key, value in _case.items():
                    setattr(self, key, value)
                before(self)
                yield

        cls._numjit_parameters = _parameters
        return pytest.mark.parametrize("_case", params, ids=range(len(params)))(cls)

    return decorator


def _classes(cls, params):
    """One class of the module for each dict: pytest has no parameters for unittest's classes."""
    module = sys.modules[cls.__module__]
    for number, each in enumerate(params):
        name = f"{cls.__name__}_param_{number}"
        values = {  # functions are values of these, not methods
            key: staticmethod(value) if inspect.isfunction(value) else value
            for key, value in each.items()
        }
        made = type(name, (cls,), {**values, "__test__": True, "__module__": cls.__module__})
        setattr(module, name, made)
    cls.__test__ = False
    return cls


def installed(*specifiers):
    """Whether packages are there, in versions such as "scipy>=1.0"."""
    from packaging.requirements import Requirement

    for each in specifiers:
        requirement = Requirement(each)
        try:
            ours = requirement.name == "cupy"
            version = (
                numjit.cupy.__version__ if ours else (importlib.metadata.version(requirement.name))
            )
        except importlib.metadata.PackageNotFoundError:
            return False
        if version not in requirement.specifier:
            return False
    return True


def with_requires(*requirements):
    """Skips a test for which packages are missing."""
    import pytest

    return pytest.mark.skipif(
        not installed(*requirements), reason=f"requires {', '.join(requirements)}"
    )


def is_after_baseline(*, numpy=None, scipy=None):
    """Whether a version is newer than the oldest one that CuPy runs with."""
    from packaging.version import Version

    name, version = ("numpy", numpy) if scipy is None else ("scipy", scipy)
    if (numpy is None) == (scipy is None):
        raise TypeError("is_after_baseline() takes one version, NumPy's or SciPy's")
    return Version(version) > Version(_BASELINE[name])


#: The oldest versions that CuPy runs with.
_BASELINE = {"numpy": "2.0", "scipy": "1.14"}


def skip_if_after_baseline(*, numpy=None, scipy=None, reason=""):
    """Skips a test that such a version, newer than the oldest one, has changed."""
    import pytest

    newer = is_after_baseline(numpy=numpy, scipy=scipy)
    package = f"numpy>={numpy}" if scipy is None else f"scipy>={scipy}"
    return pytest.mark.skipif(newer and installed(package), reason=reason)


def multi_gpu(count):
    """Skips a test where there are fewer devices."""
    import pytest

    return pytest.mark.skipif(getDeviceCount() < count, reason=f"{count} devices required")


class AssertFunctionIsCalled:
    """A context in which a function has to be called, `times_called` times; a mock stands for it,
    which calls `wraps`."""

    def __init__(self, *args, times_called=1, **keywords):
        self._times = times_called
        self._patch = unittest.mock.patch(*args, **keywords)

    def __enter__(self):
        self._mock = self._patch.__enter__()
        return self._mock

    def __exit__(self, *exception):
        self._patch.__exit__(*exception)
        if exception[0] is None:
            assert self._mock.call_count == self._times, self._mock.call_count


assert_function_is_called = AssertFunctionIsCalled


class NumpyAliasTestBase(unittest.TestCase):
    """Tests of a function `func` that has to be NumPy's."""

    func = None

    @property
    def cupy_func(self):
        return getattr(numjit.cupy, self.func)

    @property
    def numpy_func(self):
        return getattr(numpy, self.func)


class NumpyAliasBasicTestBase(NumpyAliasTestBase):
    def test_argspec(self):
        assert callable(self.cupy_func)

    def test_docstring(self):
        assert self.cupy_func.__doc__


class NumpyAliasValuesTestBase(NumpyAliasTestBase):
    args = ()

    def test_values(self):
        assert self.cupy_func(*self.args) == self.numpy_func(*self.args)


def __getattr__(name):
    if name == "slow":  # a mark, by which slow tests are left out
        import pytest

        return pytest.mark.slow
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
