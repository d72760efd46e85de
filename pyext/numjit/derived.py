"""Objects that compiled code calls as another function."""

from __future__ import annotations

from numjit.functions import FunctionLike


class Derived(FunctionLike):
    """Base of objects that stand for a function made from a user's: ufuncs, stencils."""

    __slots__ = ()

    def _in_compiled_code(self):
        """The Python function, in the language of the library, that compiled code calls."""
        raise NotImplementedError
