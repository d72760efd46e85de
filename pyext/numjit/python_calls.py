"""Python functions that compiled code calls."""

from __future__ import annotations


class PythonCall:
    """A Python function that compiled code calls, and the type of the tuple that it gives."""

    __slots__ = ("function", "result")

    def __init__(self, function, result):
        self.function = function
        self.result = result

    def __call__(self, *args):
        return self.function(*args)
