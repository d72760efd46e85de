"""Dispatchers in pickles: by reference where the function can be imported again, else by value.

By value means the code, defaults, captured values and the globals that the code names. cloudpickle
makes the pickle where it is installed; where it is not, a function takes apart what plain pickle
cannot do: functions, modules and itself.

A pickle by value carries a token. Where it is loaded twice, or loaded by the process that made it,
the token gives the dispatcher that is there, with all that it has compiled.

Both kinds take machine code along, as entries of the cache (docs/cache.md): of the signatures
compiled so far, the newest first, up to NUMJIT_PICKLE_CODE bytes. A process that loads the pickle
keeps them by their keys, and uses one where it would look for a file of the cache: under the same
key, and if what the code depends on is the same. Else it compiles.
"""

from __future__ import annotations

import builtins
import importlib
import io
import marshal
import pickle
import sys
import types
import uuid
import weakref
from types import FunctionType, ModuleType

from numjit import _core, config
from numjit.functions import is_jitted
from numjit.types.abstract import Type

#: Dispatchers and kernels that were pickled or loaded by value, by their tokens.
_present: weakref.WeakValueDictionary = weakref.WeakValueDictionary()


def reduce_dispatcher(dispatcher):
    """What __reduce__ of a dispatcher returns."""
    return _reduced(dispatcher, _signatures(dispatcher))


def reduce_kernel(kernel):
    """What __reduce__ of a kernel returns."""
    return _reduced(kernel, list(kernel._declared), kernel.specialized)


def reduce_made(made, make, *arguments):
    """The result of __reduce__ for an object that `make(function, *arguments)` made."""
    function = made.__wrapped__
    code = machine_code(made._pickled_with())
    if _importable(made, function):
        return _import_again, (function.__module__, function.__qualname__, code)
    return _make_with, (code, make, by_value(function), *arguments)


def _make_with(code, make, function, *arguments):
    receive(code)
    return make(function, *arguments)


def _reduced(made, signatures, *specialized):
    """It is made of its function first; then come what may refer to it, and the signatures.

    `made._makers` are the function that makes one of a function, signatures and options, and the
    one that compiles the signatures."""
    declared, compile_declared = made._makers
    function = made.py_func
    code = () if specialized else machine_code([made])
    if _importable(made, function):
        return _import_again, (function.__module__, function.__qualname__, code)
    cloudpickle = _cloudpickle()
    given, parts = (_dumps(cloudpickle, function), None) if cloudpickle else _taken_apart(function)
    arguments = declared, given, signatures, dict(made.targetoptions), _token(made)
    state = compile_declared, parts, signatures, code, *specialized
    return _present_or_new, arguments, state, None, None, _complete


def _signatures(dispatcher) -> list:
    """Those a copy must compile at once: explicit ones. Others it compiles when it is called."""
    if dispatcher._can_compile:
        return []
    return [item.signature for item in dispatcher.overloads.values()]


def _importable(value, function) -> bool:
    """Another process has another __main__."""
    module = function.__module__
    return module != "__main__" and _found(module, function.__qualname__) is value


def _found(module: str, qualname: str):
    value = sys.modules.get(module)
    for name in qualname.split("."):
        value = getattr(value, name, None)
    return value


def _import_again(module: str, qualname: str, code=()):
    receive(code)
    importlib.import_module(module)
    return _found(module, qualname)


# -- machine code ----------------------------------------------------------------------------------


def machine_code(dispatchers) -> tuple[bytes, ...]:
    """Entries with what is compiled of some dispatchers. Code that was not kept in a form that
    travels is compiled once more, the first time it is asked for."""
    found, room = [], config.PICKLE_CODE
    for dispatcher in dispatchers:
        made = dispatcher._specializations() if room > 0 else ()
        known = dispatcher.__dict__.setdefault("_portable", {})
        for each in reversed(made):
            address = each.entry_address
            if address and address not in known:
                known[address] = _portable_form(each)
            entry = known.get(address)
            if entry and len(entry) <= room:
                found.append(entry)
                room -= len(entry)
    return tuple(found)


def _portable_form(specialization) -> bytes:
    try:
        return specialization.portable()
    except Exception:  # what it refers to has changed since, so that it does not compile any more
        return b""


def receive(code) -> None:
    """Keeps the entries of a pickle for the functions that they belong to."""
    if not config.DISABLE_JIT:
        for entry in code:
            _core.receive_code(entry)


# -- the same object again -------------------------------------------------------------------------


def _token(made) -> str:
    token = made.__dict__.get("_pickle_token")
    if _present.get(token) is not made:  # functools.wraps copies the attributes of what it wraps
        token = made._pickle_token = uuid.uuid4().hex
    _present[token] = made
    return token


def dask_token(made):
    """What Dask names results by: the same whatever has been compiled since."""
    function = made.__wrapped__
    if _importable(made, function):
        place = function.__module__, function.__qualname__
        return "numjit", *place, marshal.dumps(function.__code__)
    return "numjit", _token(made)


def _present_or_new(declared, function, signatures, options, token):
    """The object with this token. One that is new is not complete yet."""
    if config.DISABLE_JIT:
        return _function_of(function)
    made = _present.get(token)
    if made is None:
        made = declared(_function_of(function), signatures, options)
        made.__dict__.update(_pickle_token=token, _incomplete=True)
        _present[token] = made
    return made


def _complete(made, state):
    compile_declared, parts, signatures, code, *specialized = state
    receive(code)
    is_new = made.__dict__.pop("_incomplete", False)
    if parts and (is_new or not hasattr(made, "py_func")):
        _fill(getattr(made, "py_func", made), parts)
    if not is_new:
        return
    if specialized:
        (made.specialized,) = specialized
    compile_declared(made, signatures)


# -- functions by value ----------------------------------------------------------------------------


def _cloudpickle():
    try:
        import cloudpickle
    except ImportError:
        return None
    return cloudpickle


def by_value(function):
    """What a function is pickled as: it is the function again where that is loaded."""
    cloudpickle = _cloudpickle()
    return _Dumped(_dumps(cloudpickle, function)) if cloudpickle else _parts_of(function)


class _Dumped:
    def __init__(self, data):
        self.data = data

    def __reduce__(self):
        return _function_of, (self.data,)


def _dumps(cloudpickle, function) -> bytes:
    """A function that calls itself holds its own dispatcher: within one pickle dispatchers hold
    their functions directly, which pickle keeps track of."""

    class Pickler(cloudpickle.CloudPickler):
        def reducer_override(self, value):
            if is_jitted(value) and not _importable(value, value.py_func):
                signatures = _signatures(value)
                given = value.py_func, signatures, dict(value.targetoptions), _token(value)
                declared, compile_declared = value._makers
                state = compile_declared, None, signatures, ()
                return _present_or_new, (declared, *given), state, None, None, _complete
            if type(value) is types.CodeType:  # whole: cloudpickle leaves out the name of the file
                return marshal.loads, (marshal.dumps(value),)
            return super().reducer_override(value)

    stream = io.BytesIO()
    Pickler(stream).dump(function)
    return stream.getvalue()


def _function_of(pickled):
    """A function, from a pickle of it, or from the arguments of _shell."""
    if isinstance(pickled, bytes):
        return pickle.loads(pickled)
    return _shell(*pickled) if isinstance(pickled, tuple) else pickled


#: Functions -> what stands for them in pickles, the same each time: pickle knows it again, which
#: ends the recursion of functions that call themselves.
_parts: weakref.WeakKeyDictionary = weakref.WeakKeyDictionary()


def _parts_of(function):
    if function not in _parts:
        _parts[function] = _Parts(function)
    return _parts[function]


class _Parts:
    """A function without cloudpickle: made empty first, then given what it refers to."""

    def __init__(self, function):
        self.function = weakref.ref(function)

    def __reduce__(self):
        shell, parts = _taken_apart(self.function())
        return _shell, shell, parts, None, None, _fill


def _taken_apart(function):
    """The arguments of _shell, and those of _fill."""
    shared = _shares_globals(function)
    shell = (
        marshal.dumps(function.__code__),
        function.__module__,
        function.__qualname__,
        shared,
        _portable(function.__defaults__),
        _portable(function.__kwdefaults__),
    )
    cells = [_portable(_cell_value(cell)) for cell in function.__closure__ or ()]
    return shell, (cells, {} if shared else _named_globals(function))


class _Empty:
    """Stands for the value of an empty cell."""


def _cell_value(cell):
    try:
        return cell.cell_contents
    except ValueError:
        return _Empty


def _shares_globals(function) -> bool:
    """Whether another process finds the globals in the module of that name."""
    module = sys.modules.get(function.__module__)
    return function.__module__ != "__main__" and getattr(module, "__dict__", None) is (
        function.__globals__
    )


def _named_globals(function) -> dict:
    names = set()
    codes = [function.__code__]
    while codes:
        code = codes.pop()
        names.update(code.co_names)
        codes.extend(value for value in code.co_consts if isinstance(value, type(code)))
    scope = function.__globals__
    return {name: _portable(scope[name]) for name in sorted(names) if name in scope}


def _portable(value):
    """What can be pickled instead of functions and modules, in tuples, lists and dicts too."""
    if isinstance(value, FunctionType) and not _importable(value, value):
        return _parts_of(value)
    if isinstance(value, ModuleType):
        return _Module(value.__name__)
    if type(value) in (tuple, list):
        return type(value)(map(_portable, value))
    if type(value) is dict:
        return {key: _portable(item) for key, item in value.items()}
    return value


class _Module:
    def __init__(self, name):
        self.name = name

    def __reduce__(self):
        return importlib.import_module, (self.name,)


def _shell(code, module, qualname, shared, defaults, kwdefaults):
    if shared:
        namespace = vars(importlib.import_module(module))
    else:
        namespace = {"__name__": module, "__builtins__": builtins}
    code = marshal.loads(code)
    cells = tuple(types.CellType() for _ in code.co_freevars)
    function = types.FunctionType(code, namespace, code.co_name, defaults, cells)
    function.__qualname__ = qualname
    function.__module__ = module
    function.__kwdefaults__ = kwdefaults
    return function


def _fill(function, parts):
    cells, names = parts
    for cell, value in zip(function.__closure__ or (), cells):
        if value is not _Empty:
            cell.cell_contents = value
    function.__globals__.update(names)


# -- types in entries of the cache ---------------------------------------------------------------


def pickled_type(made):
    """A type, or the class of the values of a type with a model, as bytes; None for other objects
    and for types that cannot be pickled."""
    type_ = getattr(made, "_numjit_type_", made)
    if not isinstance(type_, Type):
        return None
    try:
        return pickle.dumps((type_ is made, type_))
    except Exception:  # whatever the program's own classes raise
        return None


def unpickled_type(data):
    """The object of `pickled_type`."""
    is_type, type_ = pickle.loads(data)
    return type_ if is_type or type_._handle is None else type_._value_class


def identity(value) -> str:
    """What tells a type from others, in any process: its class and its key."""
    if isinstance(value, Type):
        cls = type(value)
        return f"{cls.__module__}.{cls.__qualname__}({identity(value.key)})"
    if isinstance(value, tuple):
        return f"({', '.join(map(identity, value))})"
    return repr(value)
