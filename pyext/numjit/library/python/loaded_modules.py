"""``sys.modules``: which modules are loaded is read when a program is compiled, as globals are."""

import sys

from ..core.compile_time import Answers
from ..core.intrinsics import refuse
from ..core.registry import function

_loaded = Answers("loaded", sys.modules.get)


@function("sys.modules.__getitem__")
def module_named(name):
    module = getattr(_loaded, name)
    if module is None:
        raise KeyError(name)
    return module


@function("Function.__contains__")
def is_loaded(self, name):
    if self is sys.modules:
        return getattr(_loaded, name) is not None
    else:
        refuse("operator in: a function or class contains nothing")
