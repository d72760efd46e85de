"""One source file under several compilers.

Every example and bench kernel says `from numjit import njit`.  Loading the file with another
module standing in for `numjit` compiles the very same source with another engine, and a stand-in
whose decorators do nothing leaves it to the interpreter.
"""

import importlib
import importlib.util
import itertools
import sys
import types
from typing import Any

import numpy

_serial = itertools.count()


def _undecorated(function=None, **_options):
    return function if function is not None else _undecorated


class _AnyType:
    """Stands in for the types in specs: `float64[:, ::1]`, `list_type(int64)`."""

    def __getitem__(self, _layout):
        return self

    def __call__(self, *_of):
        return self


def _interpreter():
    module: Any = types.ModuleType("numjit")
    module.njit = module.jit = _undecorated
    module.prange = range
    module.vectorize = numpy.vectorize
    for name in ("boolean", "float32", "float64", "int64", "deferred_type", "optional"):
        setattr(module, name, _AnyType())
    module.experimental = types.ModuleType("numjit.experimental")
    module.experimental.jitclass = lambda _spec: lambda cls: cls
    return module


def _submodules(engine, stand_in):
    """Those that a source file imports from."""
    if engine != "python":
        stand_in.experimental = importlib.import_module(f"{engine}.experimental")
    return {"numjit": stand_in, "numjit.experimental": stand_in.experimental}


def find_engine(name):
    """The module of engine "python", "numjit" or "numba"; None when it is not installed."""
    if name == "python":
        return _interpreter()
    # Not find_spec: a source folder called numjit on the path also has a spec.
    try:
        module = importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name != name:
            raise
        return None
    return module if hasattr(module, "njit") else None


def load_source(path, engine):
    """Executes the file as a new module; each load has its own, not yet compiled functions."""
    stand_in = find_engine(engine)
    if stand_in is None:
        raise ModuleNotFoundError(f"engine {engine!r} is not installed", name=engine)
    name = f"{path.stem}_{engine}_{next(_serial)}"
    spec: Any = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # as an import does; engines look functions up there
    own = _submodules(engine, stand_in)
    before = {name: sys.modules.get(name) for name in own}
    sys.modules.update(own)
    try:
        spec.loader.exec_module(module)
    finally:
        for name, known in before.items():
            if known is None:
                del sys.modules[name]
            else:
                sys.modules[name] = known
    return module
