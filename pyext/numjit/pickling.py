"""Dispatchers in pickles: by reference where the function can be imported again, else by value."""

from __future__ import annotations

import importlib
import sys


def reduce_dispatcher(dispatcher):
    return _import_of(dispatcher) or (
        _rebuild,
        (_Function(dispatcher.py_func), dict(dispatcher.targetoptions), _signatures(dispatcher)),
    )


def reduce_kernel(kernel):
    return _import_of(kernel) or (
        _rebuild_kernel,
        (
            _Function(kernel.py_func),
            dict(kernel.targetoptions),
            list(kernel._declared),
            kernel.specialized,
        ),
    )


def _import_of(dispatcher):
    function = dispatcher.py_func
    if _importable(dispatcher, function):
        return _import_again, (function.__module__, function.__qualname__)
    return None


def _signatures(dispatcher) -> list:
    """Those a copy must compile at once: explicit ones. Others it compiles when it is called."""
    if dispatcher._can_compile:
        return []
    return [item.signature for item in dispatcher.overloads.values()]


def _importable(dispatcher, function) -> bool:
    if function.__module__ == "__main__":
        # Another process has another __main__: by value, where something can pickle that.
        return _cloudpickle() is None and _found("__main__", function.__qualname__) is dispatcher
    return _found(function.__module__, function.__qualname__) is dispatcher


def _found(module: str, qualname: str):
    value = sys.modules.get(module)
    for name in qualname.split("."):
        value = getattr(value, name, None)
    return value


def _import_again(module: str, qualname: str):
    importlib.import_module(module)
    return _found(module, qualname)


def _rebuild(function, options, signatures):
    from numjit.decorators import _make

    return _make(getattr(function, "function", function), signatures, options)


def _rebuild_kernel(function, options, signatures, specialized):
    from numjit.cuda.decorators import _make

    made = _make(getattr(function, "function", function), signatures, options)
    made.specialized = specialized
    return made


def _cloudpickle():
    try:
        import cloudpickle
    except ImportError:
        return None
    return cloudpickle


class _Function:
    """A function that is pickled by value: by cloudpickle, or plainly where that is missing."""

    def __init__(self, function):
        self.function = function

    def __reduce__(self):
        cloudpickle = _cloudpickle()
        if cloudpickle is None:
            return _plain, _parts(self.function)
        return _load, (_dumps(cloudpickle, self.function),)


def _dumps(cloudpickle, function) -> bytes:
    """By cloudpickle. A function that calls itself holds its own dispatcher: within one pickle
    dispatchers hold their functions directly, which pickle keeps track of."""
    import io

    from numjit.dispatcher import Dispatcher

    class Pickler(cloudpickle.CloudPickler):
        def reducer_override(self, value):
            if isinstance(value, Dispatcher) and not _importable(value, value.py_func):
                return _rebuild, (value.py_func, dict(value.targetoptions), _signatures(value))
            return super().reducer_override(value)

    stream = io.BytesIO()
    Pickler(stream).dump(function)
    return stream.getvalue()


def _load(data: bytes):
    import pickle

    return pickle.loads(data)


def _parts(function) -> tuple:
    """What makes up a function whose globals can be imported by module name."""
    import marshal

    closure = tuple(cell.cell_contents for cell in function.__closure__ or ())
    return (
        marshal.dumps(function.__code__),
        function.__module__,
        function.__qualname__,
        function.__defaults__,
        function.__kwdefaults__,
        closure,
    )


def _plain(code, module, qualname, defaults, kwdefaults, closure):
    import marshal
    import types

    namespace = vars(importlib.import_module(module))
    cells = tuple(types.CellType(value) for value in closure)
    code = marshal.loads(code)
    function = types.FunctionType(code, namespace, code.co_name, defaults, cells)
    function.__qualname__ = qualname
    function.__module__ = module
    function.__kwdefaults__ = kwdefaults
    return function
