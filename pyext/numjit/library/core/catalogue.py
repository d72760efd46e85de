"""What of NumPy compiled code has: functions, their parameters, and what NumPy's have beyond.

The generated tests and docs/numpy.md are made from this; nothing here is needed to compile.
"""

from __future__ import annotations

import functools
import importlib
import inspect
import re

import numpy as np

from numjit import _core
from numjit.dump import dump_function
from numjit.errors import NumbaError

from .. import LATER
from .registry import registered

for _module in LATER:
    importlib.import_module(f"numjit.library.{_module}")

POSITIONAL = inspect.Parameter.POSITIONAL_OR_KEYWORD
KEYWORD = inspect.Parameter.KEYWORD_ONLY

# Parameters of a ufunc besides its operands, with operands `a` that they are tried on.
UFUNC_KEYWORDS = {"out": "out=a", "where": "out=a, where=a > 0", "dtype": "dtype=np.float64"}

# Signatures that NumPy does not tell, or tells as *args.
_SIGNATURES = {
    "numpy.random.ranf": lambda size=None: None,
    "numpy.random.sample": lambda size=None: None,
    "Array.view": lambda self, dtype=None, type=None: None,
    "numpy.einsum": lambda subscripts, *operands, out=None, dtype=None, **keywords: None,
}

# Where ours are not NumPy's on purpose: (function, parameter) -> reason.
DEVIATIONS = {
    ("numpy.arange", "dtype"): "NumPy before 2.4 takes it by position",
    ("numpy.vectorize", "pyfunc"): "NumPy's is a decorator with arguments too",
    ("Array.view", "dtype"): "the same type again would be no view",
    **{
        (f"numpy.{f}", "out2"): "the second output by position" for f in ("divmod", "modf", "frexp")
    },
}


def numpy_object(name, *default):
    """What the installed NumPy has under the name of a function or array method."""
    path = name.replace("Array.", "numpy.ndarray.", 1).split(".")[1:]
    try:
        return functools.reduce(getattr, path, np)
    except AttributeError:
        if not default:
            raise
        return default[0]


def is_method(name):
    """Of arrays or of random generators: the first parameter is the object."""
    return name.startswith(("Array.", "numpy.random._generator.Generator."))


#: Classes that stand in a `with` statement: no functions of arrays.
CONTEXT_MANAGERS = {"numpy.errstate"}


def is_numpy_function(name):
    """Functions and array methods; neither attributes nor what operators and syntax ask for."""
    if (
        name in CONTEXT_MANAGERS
        or not name.startswith(("numpy.", "Array."))
        or "._" in name  # what NumPy's own functions are written with
        or "(" in name
        or "__" in name
    ):
        return False
    if name.startswith("Array."):
        return True
    return not is_method_of_a_class(name) and callable(numpy_object(name, abs))


def is_method_of_a_class(name):
    """Methods of random generators and polynomials."""
    return isinstance(numpy_object(name.rpartition(".")[0], None), type)


@functools.cache
def scalar_operations():
    """NumPy names of the rows of typeinfer/ir/scalar_ops.def."""
    names = dict.fromkeys(n for n in _core.builtin_names() if n.startswith("numpy."))
    return [n for n in names if _core.builtin_parameters(n) is None and is_numpy_function(n)]


def functions():
    """Names of every NumPy function and array method that compiled code has, but for types."""
    builtins = [n for n in _core.builtin_names() if _core.builtin_parameters(n) is not None]
    names = {n for n in [*registered, *builtins, *scalar_operations()] if is_numpy_function(n)}
    return sorted(n for n in names if n in registered or not isinstance(numpy_object(n), type))


# -- parameters ---------------------------------------------------------------------------------


@functools.cache
def parameters_of(name):
    """The parameters of our function, self among them."""
    if name in registered:
        return tuple(inspect.signature(registered[name]).parameters.values())
    text = _core.builtin_parameters(name)
    if text is not None and text != "*":  # which takes what NumPy's takes
        # The rule itself decides what a parameter means that is left out.
        defaults = {True: np._NoValue, False: inspect.Parameter.empty}
        return tuple(
            inspect.Parameter(p.rstrip("?"), POSITIONAL, default=defaults["?" in p])
            for p in text.split()
        )
    theirs = list(inspect.signature(numpy_object(name)).parameters.values())
    required = [p for p in theirs if p.default is p.empty]
    keywords = ufunc_keywords(len(required))
    return (*required, *(p for p in theirs if p.name in keywords))


def inferred_type(expression, types):
    """Text of the type of an expression over `a`, `b`, ..., None where it is refused."""
    namespace = {"np": np}
    exec(f"def f({', '.join('abcd'[: len(types)])}):\n    return {expression}", namespace)
    try:
        text = dump_function(namespace["f"], f"({', '.join(types)},)", "typed")
    except NumbaError:
        return None
    return re.search(r"-> (.*?)(?: may_\w+)* \{$", text, re.MULTILINE)[1]


@functools.cache
def ufunc_keywords(operands):
    """Those of UFUNC_KEYWORDS that compiled code takes."""
    call = {1: "np.sin(a, ", 2: "np.add(a, a, "}.get(operands)
    return tuple(
        keyword
        for keyword, text in UFUNC_KEYWORDS.items()
        if call and inferred_type(f"{call}{text})", ["float64[::1]"])
    )


def numpy_parameters(name):
    """NumPy's parameters, self among them; None where it does not tell them."""
    try:
        signature = inspect.signature(_SIGNATURES.get(name) or numpy_object(name))
    except (ValueError, TypeError):
        return None
    found = list(signature.parameters.values())
    if name.startswith("Array.") and found and found[-1].kind is inspect.Parameter.VAR_KEYWORD:
        # Methods hand them on to the function of that name, by position too.
        known = {p.name for p in found}
        function = inspect.signature(getattr(np, name[6:])).parameters.values()
        found[-1:] = [p for p in list(function)[1:] if p.name not in known]
    return found


def lacking_parameters(name):
    """Names of NumPy's parameters that ours has not."""
    theirs = numpy_parameters(name) or []
    by_position = [p.name for p in theirs if p.kind is p.POSITIONAL_ONLY]
    ours = parameters_of(name)
    renamed = {p.name for p, _ in zip(theirs, ours) if p.name in by_position}
    return [
        p.name
        for p in theirs
        if p.name not in {q.name for q in ours} | renamed
        and p.kind not in (p.VAR_KEYWORD, p.VAR_POSITIONAL)
    ]


def same_default(ours, theirs):
    if ours is np._NoValue:
        return True
    if theirs is np._NoValue:
        return ours is None or isinstance(ours, bool)
    if isinstance(theirs, type) and not isinstance(ours, (int, str)) and ours is not None:
        return np.dtype(ours) == np.dtype(theirs)
    return type(ours) is type(theirs) and ours == theirs


def deviations(name):
    """What a caller who knows NumPy's signature would stumble over, as texts."""
    theirs = numpy_parameters(name)
    if theirs is None:
        return []
    ours = parameters_of(name)
    start = 1 if is_method(name) else 0
    by_name = {p.name: p for p in theirs}
    positions = [p.name for p in theirs if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    found = []
    for i, p in enumerate(ours):
        if i < start or (name, p.name) in DEVIATIONS:
            continue
        unnamed = i < len(theirs) and theirs[i].kind in (
            inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.VAR_POSITIONAL
        )  # fmt: skip
        other = theirs[i] if unnamed and p.kind is not KEYWORD else by_name.get(p.name)
        if other is None and theirs[-1].kind is inspect.Parameter.VAR_KEYWORD:
            continue  # one of those that NumPy does not name
        if other is None:
            found.append(f"NumPy has no parameter {p.name!r}")
            continue
        if p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD) or other.kind is other.VAR_POSITIONAL:
            if p.kind is not other.kind:
                found.append(
                    f"{p.name!r} is {p.kind.description} here, {other.kind.description} there"
                )
            continue
        if p.kind is KEYWORD and other.kind is not KEYWORD:
            lacked = [
                n for n in positions[: positions.index(p.name)] if n not in {q.name for q in ours}
            ]
            if not lacked:
                found.append(f"NumPy takes {p.name!r} by position too")
        elif p.kind is not KEYWORD and other.kind is KEYWORD:
            found.append(f"NumPy takes {p.name!r} by keyword only")
        elif p.kind is not KEYWORD and positions.index(other.name) != i:
            found.append(f"{p.name!r} is argument {positions.index(other.name) + 1} in NumPy")
        if p.default is p.empty or other.default is other.empty:
            if p.default is not other.default:
                where = "here" if p.default is not p.empty else "in NumPy"
                found.append(f"{p.name!r} may be left out only {where}")
        elif not same_default(p.default, other.default):
            found.append(f"default of {p.name!r} is {p.default!r}, NumPy's is {other.default!r}")
    required = {p.name for p in theirs if p.default is p.empty and p.kind is POSITIONAL}
    missing = required.intersection(lacking_parameters(name))
    found += [f"parameter {n!r} is missing" for n in sorted(missing)]
    return found
