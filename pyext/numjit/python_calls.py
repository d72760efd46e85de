"""Python functions that compiled code calls."""

from __future__ import annotations

from types import FunctionType


class PythonCall:
    """A Python function that compiled code calls, and the type of the tuple that it returns.

    The type may be given as a function, so that making one needs no types yet.
    """

    __slots__ = ("function", "_result")

    def __init__(self, function, result):
        self.function = function
        self._result = result

    @property
    def result(self):
        return self._result() if isinstance(self._result, FunctionType) else self._result

    def __call__(self, *args):
        return self.function(*args)
