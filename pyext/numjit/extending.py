"""What extensions of numjit use: so far the types of annotations."""

from __future__ import annotations

import types as python_types
import typing

from numjit import types
from numjit.errors import TypingError

_SCALARS = {
    int: types.int64,
    float: types.float64,
    complex: types.complex128,
    bool: types.boolean,
    str: types.unicode_type,
    None: types.none,
    type(None): types.none,
}


class _AsNumbaType:
    """as_numba_type(annotation): the type of values annotated so."""

    def __init__(self):
        self._registered = dict(_SCALARS)
        self._functions = []

    def __call__(self, annotation) -> types.Type:
        if isinstance(annotation, types.Type):
            return annotation
        for function in self._functions:
            found = function(annotation)
            if found is not None:
                return found
        try:
            found = self._registered.get(annotation)
        except TypeError:
            found = None
        if found is None:
            found = self._of_class(annotation) or self._of_generic(annotation)
        if found is None:
            raise TypingError(f"Cannot infer Numba type of Python type {annotation}")
        return found

    def register(self, function_or_class, numba_type=None):
        """Registers a class with its type, or (as decorator) a function of annotations."""
        if numba_type is not None:
            self._registered[function_or_class] = numba_type
            return function_or_class
        self._functions.append(function_or_class)
        return function_or_class

    @staticmethod
    def _of_class(cls):
        import numpy

        if isinstance(cls, type) and issubclass(cls, numpy.generic) and cls is not numpy.generic:
            return types.from_dtype(cls)
        return None

    def _of_generic(self, annotation):
        origin, arguments = typing.get_origin(annotation), typing.get_args(annotation)
        if origin in (typing.Union, python_types.UnionType):
            inner = [item for item in arguments if item is not type(None)]
            if len(inner) == 1 and len(arguments) == 2:
                return types.Optional(self(inner[0]))
        elif origin is tuple and arguments and ... not in arguments:
            return types.Tuple(tuple(map(self, arguments)))
        elif origin is list and arguments:
            return types.ListType(self(arguments[0]))
        elif origin is dict and len(arguments) == 2:
            return types.DictType(*map(self, arguments))
        return None


as_numba_type = _AsNumbaType()
