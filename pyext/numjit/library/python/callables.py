"""What ``functools``, ``operator`` and NumPy make of functions: partial, cached, element-wise ones,
getters."""

import ast
import copy
import functools
import inspect
import operator
from dataclasses import dataclass
from types import FunctionType

import numpy as np

from numjit.loop_lifting import compile_tree, function_around, function_tree

from ..core.intrinsics import merged, refuse
from ..core.registry import Row, function, rows


@function("functools.partial")
def partial(func, *args, **keywords):
    def call(*others, **more):
        return func(*args, *others, **merged(keywords, more))

    return call


@dataclass(frozen=True)
class Compared:
    """A value that a function compares with others: negative for less."""

    function: FunctionType
    value: object

    def __lt__(self, other):
        return self.function(self.value, other.value) < 0

    def __gt__(self, other):
        return self.function(self.value, other.value) > 0

    def __le__(self, other):
        return self.function(self.value, other.value) <= 0

    def __ge__(self, other):
        return self.function(self.value, other.value) >= 0

    def __eq__(self, other):
        return self.function(self.value, other.value) == 0


@function("functools.cmp_to_key")
def cmp_to_key(mycmp):
    def key(value):
        return Compared(mycmp, value)

    return key


@function("collections.namedtuple")
def namedtuple(typename, field_names):
    """The compiler makes the class (rules/lookup.cpp)."""
    return refuse("namedtuple() takes texts that are known at compile time")


def function_like(made):
    """The Python function that compiled code calls instead of such an object."""
    if isinstance(made, functools.partial):
        return _of_partial(made.func, made.args, made.keywords)
    if isinstance(made, operator.itemgetter):
        return _of_items(made.__reduce__()[1])
    if isinstance(made, operator.attrgetter):
        return _written([f"self.{name}" for name in made.__reduce__()[1]], {})
    if isinstance(made, operator.methodcaller):
        return _of_method(*made.__reduce__())
    if isinstance(made, np.vectorize):
        return _of_vectorize(made)
    cached = made.__wrapped__  # which returns again what is cached
    if type(cached) is not FunctionType:
        return _of_partial(cached, (), {})
    return _keeping_results(cached) if _refers_to(cached, made) else cached


def _refers_to(function, what):
    """Whether a function of a module calls itself by the name that holds `what`."""
    name = function.__name__
    return (
        function.__qualname__ == name
        and name in function.__code__.co_names
        and function.__globals__.get(name) is what
    )


def _keeping_results(function):
    """A recursive function that keeps its results until the outermost call returns: the inner one
    has the cache, and is what calls inside of it mean. The function itself if that is not known.

    .. code-block:: python

        def fib(n):
            @cache
            def fib(n):
                return n if n < 2 else fib(n - 1) + fib(n - 2)
            return fib(n)
    """
    inner = function_tree(function)
    if inner is None or not _has_plain_parameters(inner.args) or not _calls_itself_twice(inner):
        return function
    caches = [each for each in inner.decorator_list if _is_cache(each, function)]
    if len(caches) != 1:
        return function
    inner.decorator_list, inner.returns = caches, None
    arguments = copy.deepcopy(inner.args)
    names = [each.arg for each in (*arguments.posonlyargs, *arguments.args)]
    call = ast.Call(
        ast.Name(inner.name, ast.Load()),
        [ast.Name(name, ast.Load()) for name in names],
        [ast.keyword(each.arg, ast.Name(each.arg, ast.Load())) for each in arguments.kwonlyargs],
    )
    outer = function_around(inner.name, (), [inner], ast.Return(call), inner)
    outer.args = arguments
    return compile_tree(ast.fix_missing_locations(outer), function)


def _has_plain_parameters(arguments):
    """Whether a call can hand all arguments on, and defaults mean the same in another function."""
    defaults = [*arguments.defaults, *filter(None, arguments.kw_defaults)]
    known = all(isinstance(each, ast.Constant) for each in defaults)
    return known and not (arguments.vararg or arguments.kwarg)


_REPEATING = (ast.For, ast.While, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


def _calls_itself_twice(tree):
    """Whether one call of a function may make several: else there is nothing to find again."""

    def uses(node):
        return [
            each for each in ast.walk(node) if isinstance(each, ast.Name) and each.id == tree.name
        ]

    repeated = (node for node in ast.walk(tree) if isinstance(node, _REPEATING))
    return len(uses(tree)) > 1 or any(map(uses, repeated))


def _is_cache(decorator, function):
    """Whether a decorator, as it is written, is a cache of functools."""
    value = _named(decorator.func if isinstance(decorator, ast.Call) else decorator, function)
    return value is functools.cache or value is functools.lru_cache


def _named(written, function):
    """What a name or an attribute of one means to a function; None if it is not known."""
    if isinstance(written, ast.Attribute):
        return getattr(_named(written.value, function), written.attr, None)
    return function.__globals__.get(written.id) if isinstance(written, ast.Name) else None


def _of_partial(func, args, keywords):
    names = "".join(f"{name}=_keywords[{name!r}], " for name in keywords)
    given = "".join(f", {name}={name}" for name in keywords)
    source = (
        f"def call(*_others, {names}**_more):\n"
        f"    return _function(*_arguments, *_others{given}, **_more)\n"
    )
    scope = {"_function": func, "_arguments": args, "_keywords": keywords}
    return _executed(source, scope, "call")


def method_of_ufunc(ufunc, name):
    """A function of the library with the parameters that the method has there, so that it is
    compiled for known values: ``keepdims=True``."""
    scope = {"_ufunc": ufunc, "__name__": __name__}
    method = rows.get(Row(f"Function.{name}", "", ()))
    if method is None:
        source = f"def call(*args, **settings):\n    return _ufunc.{name}(*args, **settings)\n"
        return _executed(source, scope, "call")
    parameters = list(inspect.signature(method).parameters.values())[1:]
    text = str(inspect.Signature([each.replace(annotation=each.empty) for each in parameters]))
    given = ", ".join(each.name for each in parameters)
    return _executed(f"def call{text}:\n    return _ufunc.{name}({given})\n", scope, "call")


def _of_vectorize(made):
    if made.signature is not None or made.excluded:
        message = "np.vectorize with signature= or excluded= cannot be called in compiled code"
        source = f"def call(*args):\n    return _refuse({message!r})\n"
    else:
        letters = made.otypes and "".join(np.dtype(each).char for each in made.otypes)
        source = f"def call(*args):\n    return _vectorize(_function, {letters!r})(*args)\n"
    scope = {"_function": made.pyfunc, "_vectorize": np.vectorize, "_refuse": refuse}
    return _executed(source, scope, "call")


def _of_items(items):
    scope = {f"_{i}": item for i, item in enumerate(items)}
    return _written([f"self[_{i}]" for i in range(len(items))], scope)


def _of_method(cls, arguments):
    """A method with keywords is pickled as a partial of its class."""
    keywords = cls.keywords if isinstance(cls, functools.partial) else {}
    name, *values = (*cls.args, *arguments) if keywords else arguments
    scope = {f"_{i}": value for i, value in enumerate(values)}
    given = [f"_{i}" for i in range(len(values))]
    for keyword, value in keywords.items():
        scope[f"_{keyword}"] = value
        given.append(f"{keyword}=_{keyword}")
    return _written([f"self.{name}({', '.join(given)})"], scope)


def _written(parts, scope):
    """A function of `self` that returns one part, or a tuple of several."""
    value = parts[0] if len(parts) == 1 else f"({', '.join(parts)})"
    return _executed(f"def get(self):\n    return {value}\n", scope, "get")


def _executed(source, scope, name):
    scope = dict(scope, __name__=__name__)
    exec(compile(source, "<made by functools or operator>", "exec"), scope)
    return scope[name]
