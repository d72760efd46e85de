"""What the interpreter does for compiled code: text of arrays, print() with keywords, warnings."""

import sys
import warnings

from numjit.python_calls import PythonCall

from ..core.registry import function


def _print_items(items, sep, end, flush):
    print(*items, sep=sep, end=end, flush=flush)
    return ()


def _warning(text, module, name, stacklevel):
    """Blames who called the compiled function, which has no frame."""
    category = vars(sys.modules[module])[name]
    warnings.warn(text, category, stacklevel=max(stacklevel, 1) + 2)
    return ()


def _nothing():
    from numjit import types

    return types.Tuple(())


def _text():
    from numjit import types

    return types.Tuple((types.unicode_type,))


_print = PythonCall(_print_items, _nothing)
_warn = PythonCall(_warning, _nothing)
_str = PythonCall(lambda x: (str(x),), _text)
_repr = PythonCall(lambda x: (repr(x),), _text)


@function("builtins.print", when="keywords", inline=False)
def print_keywords(*items, sep=" ", end="\n", flush=False):
    print_items(items, sep, end, flush)


@function("builtins.print", when="star", inline=False)
def print_items(items, sep=" ", end="\n", flush=False):
    _print(items, " " if sep is None else sep, "\n" if end is None else end, flush)


@function("warnings.warn", inline=False)
def warn(message, category=UserWarning, stacklevel=1):
    if category is None:
        _warn(str(message), "builtins", "UserWarning", stacklevel)
    else:
        _warn(str(message), category.__module__, category.__name__, stacklevel)


@function("Array.__str__", inline=False)
def array_str(self):
    return _str(self)[0]


@function("Array.__repr__", inline=False)
def array_repr(self):
    return _repr(self)[0]
