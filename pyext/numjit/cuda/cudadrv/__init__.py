"""The CUDA driver, found when it is first needed."""

import importlib

_MODULES = "devicearray devices driver enums error libs linkable memory nvrtc nvvm runtime".split()


def __getattr__(name):
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return importlib.import_module(f"{__name__}.{name}")
