"""What extensions of numjit use, under Numba's names.

`overload`, `overload_method` and `overload_attribute` give functions, methods and attributes a
meaning in compiled code: a typing callback gets the types of the arguments and answers with a
function to compile, or with None if it isn't for these types. An overload of a function that
numjit knows takes precedence over numjit's own.
"""

from __future__ import annotations

import functools
import importlib
import inspect
import itertools
import types as python_types
import typing
import weakref
from dataclasses import dataclass

import numpy

from numjit import _core, types
from numjit.errors import (
    ForceLiteralArg,
    LiteralTypingError,
    LoweringError,
    NumbaError,
    TypingError,
)
from numjit.functions import is_jitted as is_jitted
from numjit.library.core.cython_functions import (
    get_cython_function_address as get_cython_function_address,
)
from numjit.options import check_options, compiler_options
from numjit.types.wrap import typeof, wrap

# Names of modules that are imported when one is asked for.
_LATER = {
    "compat.native_types": "typeof_impl type_callable make_attribute_wrapper NativeValue box unbox "
    "intrinsic lower_builtin lower_cast lower_getattr lower_getattr_generic lower_setattr "
    "lower_setattr_generic lower_constant",
    "compat.models": "register_model register_default",
    "compat.templates": "infer infer_getattr",
}
_MODULE_OF = {name: module for module, names in _LATER.items() for name in names.split()}
_MODELS = dict.fromkeys(("models", "core_models"), "compat.models")
# Numba's module has these as it imports them, and programs take them from it.
_MODULES = _MODELS | {"errors": "errors", "utils": "core.utils"}

__all__ = [
    "SentryLiteralArgs",
    "as_numba_type",
    "get_cython_function_address",
    "is_jitted",
    "overload",
    "overload_attribute",
    "overload_classmethod",
    "overload_method",
    "register_jitable",
    *_MODULE_OF,
    *_MODELS,
]


def __getattr__(name):
    if name in _MODULES:
        return importlib.import_module(f"numjit.{_MODULES[name]}")
    if name in _MODULE_OF:
        return getattr(importlib.import_module(f"numjit.{_MODULE_OF[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


# -- registration --------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Overload:
    """A typing callback and how its answers are compiled."""

    callback: typing.Callable
    options: dict  # of the compiler
    strict: bool = True
    prefer_literal: bool = False
    type_class: type | None = None  # of self: methods and attributes
    of_class: bool = False  # self is a type, or a class of types: class methods

    @property
    def name(self) -> str:
        code = getattr(self.callback, "__code__", None)
        place = f" ({code.co_filename}:{code.co_firstlineno})" if code else ""
        return getattr(self.callback, "__qualname__", repr(self.callback)) + place


#: By name: a function's, "method .name" or "attribute .name".
_overloads: dict[str, list[_Overload]] = {}


def _register(name, made):
    _overloads.setdefault(name, []).append(made)
    _core.note_overload(name)


def _options(jit_options, inline) -> dict:
    options = dict(jit_options or {})
    options.pop("nopython", None)
    if inline != "never":
        options["inline"] = inline
    return compiler_options(check_options(options))


def overload(
    func, jit_options=None, strict=True, inline="never", prefer_literal=False, target="generic"
):
    """Decorator of a typing callback for calls of `func` in compiled code.

    The callback takes the arguments' types (`numjit.types`) under the names of `func`'s
    parameters. `strict`: the function that it gives must have the callback's parameters.
    `prefer_literal`: it is asked with literal types (`types.IntegerLiteral`, ...) before it is
    asked with plain ones; otherwise after. Overloads are asked in the order of registration.
    `target="cuda"`: for kernels only, before others.
    """
    options = _options(jit_options, inline)

    def decorate(callback):
        name = _core.name_for_overloads(func)
        if target == "cuda":
            name += "@cuda"  # asked first in kernels, and there alone
        _register(name, _Overload(callback, options, strict, prefer_literal))
        return callback

    return decorate


def _member_decorator(kind, typ, attr, kwargs, of_class=False):
    if not (isinstance(typ, type) and issubclass(typ, types.Type)):
        raise TypeError(f"expected a class of types such as types.Array, got {typ!r}")
    jit_options, inline = kwargs.pop("jit_options", None), kwargs.pop("inline", "never")
    options = _options(jit_options, inline)
    strict, literal = kwargs.pop("strict", True), kwargs.pop("prefer_literal", False)
    kwargs.pop("target", None)
    if kwargs:
        raise TypeError(f"unexpected arguments: {', '.join(kwargs)}")

    def decorate(callback):
        _register(f"{kind} .{attr}", _Overload(callback, options, strict, literal, typ, of_class))
        _core.note_overload(f".{attr}")
        return callback

    return decorate


#: Classes of types that have an overload of the method `__call__`.
types_with_calls: set = set()


def overload_method(typ, attr, **kwargs):
    """As overload, for the method `attr` of values whose types are of class `typ`.

    The first parameter is the object itself. The method `__call__` is what calls of values do, if
    it is there before the first value is.
    """
    decorate = _member_decorator("method", typ, attr, kwargs)  # checks that it is a class
    if attr == "__call__":
        types_with_calls.add(typ)
    return decorate


def overload_classmethod(typ, attr, **kwargs):
    """As overload_method, for what is called on a type: `typ.attr(...)`, `float64[:].attr(...)`.

    The first parameter is the type, as TypeRef.
    """
    return _member_decorator("method", typ, attr, kwargs, of_class=True)


def overload_attribute(typ, attr, **kwargs):
    """As overload, for the attribute `attr`; the callback takes the type of the object."""
    return _member_decorator("attribute", typ, attr, kwargs)


#: Functions that register_jitable has returned, and their options.
_jitables: typing.Any = weakref.WeakKeyDictionary()


def _with_options(function, options):
    """The function, or one like it if it has been registered with other options."""
    if not isinstance(function, python_types.FunctionType):
        return function, True
    known = _jitables.get(function)
    if known is not None and known != options:
        like = python_types.FunctionType(
            function.__code__,
            function.__globals__,
            function.__name__,
            function.__defaults__,
            function.__closure__,
        )
        like.__kwdefaults__ = function.__kwdefaults__
        function = functools.update_wrapper(like, function)
        del function.__wrapped__  # it is called itself
    _jitables[function] = options
    return function, known != options


def register_jitable(*args, **kwargs):
    """Marks a Python function that compiled code calls; the options are those of @jit.

    Compiled code calls plain functions anyway, so this matters for its options only. They hold
    where the function that is returned is called: the same one unless it has other options already.
    """

    def decorate(function):
        function, is_new = _with_options(function, kwargs)
        if kwargs and is_new:
            options = dict(kwargs)
            inline = options.pop("inline", "never")

            @overload(function, jit_options=options, inline=inline, strict=False)
            def implementation(*args, **kwargs):
                return function

        return function

    return decorate if kwargs or not args else decorate(*args)


# -- what the compiler asks ----------------------------------------------------------------------


@dataclass
class _Argument:
    """The types that a callback may be asked with."""

    plain: types.Type
    literal: types.Type | None = None
    value: typing.Any = None  # where it is a class or a type

    @staticmethod
    def of(handle, known, value):
        plain = wrap(handle)
        if not known and isinstance(value, python_types.FunctionType):
            plain.inner_function = value
        if isinstance(plain, types.Row) and known:
            plain = _type_of_object(value, plain, typeof)
            return _Argument(plain, plain, value)
        if isinstance(plain, types.List | types.DictType):
            written = known and isinstance(value, tuple)  # others are global containers
            return _Argument(plain, _with_initial_value(plain, value) if written else plain)
        if isinstance(plain, types.Literal):
            return _Argument(plain.literal_type, plain)
        if known and type(value) in (int, bool, slice) and not isinstance(plain, types.Row):
            return _Argument(plain, types.literal(value))
        return _Argument(plain, plain)

    def is_of(self, overload) -> bool:
        """Whether it is the self of methods and attributes that an overload is for."""
        cls = overload.type_class
        if overload.of_class:
            value = self.value
            return isinstance(value, cls) or _is_type_class(value) and issubclass(value, cls)
        return isinstance(self.plain, cls) or isinstance(self.literal, cls)


def _with_initial_value(plain, items):
    """The type of a container that is written down with these items: keys and values by turns."""
    if isinstance(plain, types.DictType):
        initial = dict(zip(items[::2], items[1::2], strict=True))
        return types.DictType(plain.key_type, plain.value_type, initial)
    return types.List(plain.dtype, initial_value=list(items))


def _is_type_class(value) -> bool:
    return isinstance(value, type) and issubclass(value, types.Type)


def _type_of_object(value, otherwise, typeof):
    """Functions, classes and types as values: under Numba's classes where they have one."""
    if _is_type_class(value):
        return types.TypeRef(value)
    try:
        found = typeof(value)
    except ValueError:
        found = otherwise
    if isinstance(found, types.Row) and callable(value):
        return types.Function(_name(value))
    return found


def _name(function) -> str:
    known = getattr(function, "__qualname__", None) or getattr(function, "__name__", None)
    return known or repr(function)


#: Functions of (a type, a name) that register an overload of the attribute, where they know one.
_resolvers_of_any_name: list = []


def resolve_any_name(function):
    """From now on attributes of any name may have overloads: a function registers them when they
    are asked for, and says what they are: "attribute", "method" or None."""
    _resolvers_of_any_name.append(function)
    _core.note_overload(".*")


_MEMBERS = {"attribute": 1, "method": 2}


def _member(name, self) -> int:
    """What `self.name` is by an overload: 0 nothing, 1 an attribute, 2 a method."""
    argument = _Argument.of(*self)
    for resolver in _resolvers_of_any_name:
        kind = resolver(argument.plain, name)
        if kind is not None:
            return _MEMBERS[kind]
    for kind, code in _MEMBERS.items():
        for each in _overloads.get(f"{kind} .{name}", ()):
            if argument.is_of(each):
                return code
    return 0


def _choose(name, positional, keywords, literals_first):
    """The function that an overload returns for arguments.

    (function or None, options, what the overloads said, whether one of them is at fault, whether
    one asks for literal types)
    """
    positional = [_Argument.of(*each) for each in positional]
    keywords = {key: _Argument.of(*each) for key, each in keywords.items()}
    tried, asks = [], False
    for each in _overloads.get(name, ()):
        if each.type_class and not positional[0].is_of(each):
            continue
        attempts = [
            (
                tuple(getattr(argument, form) for argument in positional),
                {key: getattr(argument, form) for key, argument in keywords.items()},
            )
            for form in ("plain", "literal")
        ]
        if attempts[0] == attempts[1]:
            del attempts[1]
        elif each.prefer_literal or literals_first:
            attempts.reverse()
        for args, kwargs in attempts:
            try:
                function = _ask(each, args, kwargs)
            except LoweringError as error:  # what it was to build is wrong, for any types
                return None, None, error.msg, True, asks
            except NumbaError as error:
                asks |= isinstance(error, LiteralTypingError | ForceLiteralArg)
                tried.append(f"- {each.name}: {type(error).__name__}: {error.msg}")
                continue
            except Exception as error:
                said = f"{type(error).__name__}: {error}"
                return None, None, f"the overload {each.name} failed: {said}", True, asks
            if function is None:
                tried.append(f"- {each.name}: not for these types")
                continue
            wrong = _check(each, function)
            if wrong:
                return None, None, f"the overload {each.name} is wrong: {wrong}", True, asks
            return function, each.options, "", False, asks
    return None, None, "\n".join(dict.fromkeys(tried)), False, asks


def _ask(each, args, kwargs):
    try:
        inspect.signature(each.callback).bind(*args, **kwargs)
    except TypeError as error:
        raise TypingError(str(error)) from None
    return each.callback(*args, **kwargs)


def sentry_literal_args(pysig, literal_args, args, kwargs):
    """The same as a function, of the arguments of a call."""
    SentryLiteralArgs(literal_args).for_pysig(pysig).bind(*args, **kwargs)


class SentryLiteralArgs:
    """In a typing callback: `SentryLiteralArgs(["axis"]).for_function(callback).bind(x, axis)` asks
    for another call with literal types if those of the named arguments are none."""

    def __init__(self, literal_args):
        self.literal_args = literal_args

    def for_function(self, func):
        return self.for_pysig(inspect.signature(func))

    def for_pysig(self, pysig):
        return BoundLiteralArgs(pysig, self.literal_args)


class BoundLiteralArgs:
    """What SentryLiteralArgs returns for the parameters of a callback."""

    def __init__(self, pysig, literal_args):
        self.pysig = pysig
        self.literal_args = literal_args

    def bind(self, *args, **kwargs):
        """The arguments by parameter; LiteralTypingError if a named one has no literal type."""
        bound = self.pysig.bind(*args, **kwargs)
        bound.apply_defaults()
        for name in self.literal_args:
            given = bound.arguments[name]
            if isinstance(given, types.Type) and not isinstance(given, types.Literal):
                raise LiteralTypingError(f"the argument {name!r} must be known at compile time")
        return bound


def _check(each, function) -> str:
    """What is wrong with the answer of a callback; empty if nothing is."""
    implementation = function.py_func if is_jitted(function) else function
    if not isinstance(implementation, python_types.FunctionType):
        return f"it gave {function!r}, which is no Python function"
    if not each.strict:
        return ""
    wanted = list(inspect.signature(each.callback).parameters.values())
    given = list(inspect.signature(implementation).parameters.values())
    star, stars = inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD
    if difference := _only_on_one_side(wanted, given, stars):
        return f"use of VAR_KEYWORD (e.g. **kwargs) is unsupported, {difference}"
    difference = _only_on_one_side(wanted, given, star)
    if difference and any(each.kind is star for each in wanted):
        return (
            f"the implementation lacks the VAR_POSITIONAL (e.g. *args) argument kind, {difference}"
        )
    return _difference_in_parameters(wanted, given)


def _only_on_one_side(wanted, given, kind) -> str:
    """The name of a parameter of a kind that one list has and the other has not."""
    found = [[each for each in side if each.kind is kind] for side in (wanted, given)]
    odd = next((each for side in found for each in side), None)
    return f"offending argument name is '{odd}'" if odd and not all(found) else ""


def _difference_in_parameters(wanted, given) -> str:
    """How the parameters of a callback and of its answer differ; empty if they do not."""
    start = "Typing and implementation arguments differ in"
    variadic = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)

    def parts(parameters):
        by_name = [each for each in parameters if each.default is not each.empty]
        return [each for each in parameters if each not in by_name], by_name

    for what, left, right in zip(
        ("argument names", "keyword argument names"), parts(wanted), parts(given)
    ):
        for a, b in itertools.zip_longest(left, right):
            same = a and b and a.kind == b.kind and (a.name == b.name or a.kind in variadic)
            if not same:
                return f"{start} {what}: {left} and {right}. First difference: {(b or a).name!r}"
    for a, b in zip(parts(wanted)[1], parts(given)[1], strict=True):
        if a.default is not b.default and not _equal(a.default, b.default):
            return f"{start} keyword argument default values: {a!r} and {b!r}"
    return ""


def _equal(a, b) -> bool:
    try:
        return bool(a == b)
    except Exception:
        return False


# -- types of annotations ------------------------------------------------------------------------

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
        if isinstance(cls, type) and issubclass(cls, numpy.generic) and cls is not numpy.generic:
            return types.from_dtype(cls)
        class_type = getattr(cls, "class_type", None)  # of a jitclass
        return class_type.instance_type if isinstance(class_type, types.ClassType) else None

    def _of_generic(self, annotation):
        origin, arguments = typing.get_origin(annotation), typing.get_args(annotation)
        if origin in (typing.Union, python_types.UnionType):
            inner = [item for item in arguments if item is not type(None)]
            if len(inner) == 1 and len(arguments) == 2:
                return types.Optional(self(inner[0]))
        elif origin is tuple and arguments and ... not in arguments:
            return types.Tuple(tuple(map(self, arguments)))
        elif origin is numpy.ndarray:
            return _of_array(*arguments)
        elif origin is list and arguments:
            return types.ListType(self(arguments[0]))
        elif origin is set and arguments:
            return types.SetType(self(arguments[0]))
        elif origin is dict and len(arguments) == 2:
            return types.DictType(*map(self, arguments))
        return None


def _of_array(shape, dtype):
    """numpy.ndarray[tuple[int, int], numpy.dtype[numpy.float64]]: two dimensions of any strides.
    None where the number of dimensions or the items are not said."""
    axes, items = typing.get_args(shape), typing.get_args(dtype)
    if not axes or ... in axes or not items or not isinstance(items[0], type):
        return None
    return types.Array(types.from_dtype(items[0]), len(axes), "A")


as_numba_type = _AsNumbaType()
