"""What programs register by Numba's low-level extension API, and how it is found by type."""

from __future__ import annotations

import functools
import inspect
from types import SimpleNamespace

from numjit import _core, types

# -- the type of an object ----------------------------------------------------------------------


class _TypeofImpl:
    """typeof_impl.register(cls): a function (object, context) that returns the type of objects."""

    def __init__(self):
        self._functions = {}

    def register(self, cls, func=None):
        if func is None:
            return functools.partial(self.register, cls)
        self._functions[cls] = func
        self.of_class.cache_clear()
        _core.register_typed_class(cls)
        return func

    @functools.cache  # noqa: B019 - there is one of them
    def of_class(self, cls):
        return next(
            (self._functions[base] for base in cls.__mro__ if base in self._functions), None
        )

    def __call__(self, value, context=None):
        return types.typeof(value)

    def type_of(self, value, context):
        """What the function that is registered for its class returns for an object; else the type
        that the object says it has."""
        function = self.of_class(type(value))
        return function(value, context) if function else value._numba_type_


typeof_impl = _TypeofImpl()
ARGUMENT, CONSTANT = SimpleNamespace(purpose="argument"), SimpleNamespace(purpose="constant")


# -- callbacks of types -------------------------------------------------------------------------


class NativeValue:
    """What an unbox callback returns."""

    def __init__(self, value, is_error=None, cleanup=None):
        self.value = value
        self.is_error = is_error
        self.cleanup = cleanup


def _registry():
    callbacks = {}

    def register(typeclass):
        def decorate(function):
            callbacks[typeclass] = function
            return function

        return decorate

    def find(type_):
        return next((callbacks[cls] for cls in type(type_).__mro__ if cls in callbacks), None)

    return register, find


unbox, find_unboxer = _registry()
box, find_boxer = _registry()

#: Type or class of types -> callback
_constants: dict = {}
#: (from, to, callback), each a type or class of types
_casts: list = []
#: (type or class of types, name or None for all) -> callback
getters: dict = {}
setters: dict = {}


def lower_constant(type_):
    """Decorator of what builds a constant of a type from a global object."""

    def decorate(callback):
        _constants[type_] = callback
        return callback

    return decorate


def find_constant(type_):
    return next(
        (_constants[key] for key in (type_, *type(type_).__mro__) if key in _constants), None
    )


def lower_cast(fromty, toty):
    """Decorator of what converts values of one type to another."""

    def decorate(callback):
        _casts.append((fromty, toty, callback))
        return callback

    return decorate


def find_cast(fromty, toty):
    return next(
        (
            callback
            for source, target, callback in reversed(_casts)
            if accepts(source, fromty) and accepts(target, toty)
        ),
        None,
    )


def accepts(wanted, given) -> bool:
    """Whether a type is what a registration names: a type, a class of types, anything."""
    if wanted is types.Any:
        return True
    if isinstance(wanted, types.VarArg):
        return accepts(wanted.dtype, given)
    return isinstance(given, wanted) if isinstance(wanted, type) else wanted == given


def find_member(callbacks, type_, name):
    """The callback of an attribute: (callback, whether it takes the attribute's name)."""
    for key in (type_, *type(type_).__mro__):
        if (key, name) in callbacks:
            return callbacks[key, name], False
        if (key, None) in callbacks:
            return callbacks[key, None], True
    return None, False


#: Function -> typers; function -> [(types of arguments, callback)]
typers: dict = {}
lowerings: dict = {}


def find_lowering(func, args):
    """The callback that builds a call for types of arguments; None if there is none."""
    for argtypes, callback in reversed(lowerings.get(func, ())):
        if _fits(argtypes, args):
            return callback
    return None


def _fits(argtypes, args) -> bool:
    if argtypes and isinstance(argtypes[-1], types.VarArg):
        fixed = len(argtypes) - 1
        if len(args) < fixed:
            return False
        argtypes = (*argtypes[:-1], *[argtypes[-1].dtype] * (len(args) - fixed))
    return len(argtypes) == len(args) and all(map(accepts, argtypes, args))


def parameters_of(function) -> list:
    return list(inspect.signature(function).parameters)
