"""A plugin of pytest that records with which arguments a package's functions are called.

    python -m pytest -p corpus.record --corpus-out FILE --corpus-package NAME --pyargs NAME

Functions count whose arguments are numbers, strings, arrays and containers of them. Of each, the
first few different calls are kept. FILE is a pickle: {(module, qualified name): [arguments]},
with a call's arguments as (positional, keywords) pickled on their own.
"""

import importlib.util
import inspect
import os
import pickle
import sys

import numpy as np

CALLS = 4  # kept of each function
TRIES = 40  # calls that are looked at until a function is given up
LARGEST = 200_000  # bytes of pickled arguments

_SCALARS = (type(None), bool, int, float, complex, str, bytes)


def is_plain(value, depth=3) -> bool:
    """Whether a value is a number, string, array, or a container of them."""
    kind = type(value)
    if kind in _SCALARS or kind is range:
        return True
    if kind is np.ndarray:
        return value.dtype.kind in "biufcMmSU"
    if isinstance(value, np.generic):
        return value.dtype.kind in "biufcMmSU"
    if depth and kind in (list, tuple, set):
        return len(value) <= 2000 and all(is_plain(item, depth - 1) for item in value)
    if depth and kind is dict:
        return len(value) <= 2000 and all(
            is_plain(item, depth - 1) for pair in value.items() for item in pair
        )
    return False


class Recorder:
    """Listens to the starts of functions that belong to a folder."""

    tool = 4

    def __init__(self, folder):
        self.folder = folder + os.sep
        self.calls, self.tries = {}, {}

    def start(self):
        sys.monitoring.use_tool_id(self.tool, "corpus")
        sys.monitoring.register_callback(self.tool, sys.monitoring.events.PY_START, self._started)
        sys.monitoring.set_events(self.tool, sys.monitoring.events.PY_START)

    def stop(self):
        sys.monitoring.set_events(self.tool, 0)
        sys.monitoring.free_tool_id(self.tool)

    def _started(self, code, offset):
        if not self._counts(code):
            return sys.monitoring.DISABLE
        frame = sys._getframe(1)
        key = frame.f_globals.get("__name__"), code.co_qualname
        tries = self.tries[key] = self.tries.get(key, 0) + 1
        kept = self.calls.setdefault(key, [])
        arguments = self._arguments(code, frame.f_locals)
        if arguments is not None and arguments not in kept:
            kept.append(arguments)
        if len(kept) >= CALLS or tries >= TRIES:
            return sys.monitoring.DISABLE

    def _counts(self, code) -> bool:
        name = code.co_filename
        return (
            name.startswith(self.folder)
            and f"{os.sep}tests{os.sep}" not in name
            and "<" not in code.co_qualname
            and not code.co_flags & (inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR)
        )

    @staticmethod
    def _arguments(code, variables):
        names = list(code.co_varnames)
        plain, only = code.co_argcount, code.co_kwonlyargcount
        positional = [variables[name] for name in names[:plain]]
        keywords = {name: variables[name] for name in names[plain : plain + only]}
        rest = names[plain + only :]
        if code.co_flags & inspect.CO_VARARGS:
            positional += variables[rest.pop(0)]
        if code.co_flags & inspect.CO_VARKEYWORDS:
            keywords |= variables[rest.pop(0)]
        if not all(map(is_plain, (*positional, *keywords.values()))):
            return None
        made = pickle.dumps((tuple(positional), keywords))
        return made if len(made) <= LARGEST else None


def pytest_addoption(parser):
    parser.addoption("--corpus-out")
    parser.addoption("--corpus-package")


def pytest_configure(config):
    package = config.getoption("--corpus-package")
    if package:
        found = importlib.util.find_spec(package)
        config.corpus = Recorder(os.path.dirname(found.origin))
        config.corpus.start()


def pytest_unconfigure(config):
    if hasattr(config, "corpus"):
        config.corpus.stop()
        calls = {key: kept for key, kept in config.corpus.calls.items() if kept}
        with open(config.getoption("--corpus-out"), "wb") as file:
            pickle.dump(calls, file)
