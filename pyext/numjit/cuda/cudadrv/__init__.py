"""The CUDA driver, found when it is first needed."""


def __getattr__(name):
    if name not in ("devicearray", "devices", "driver", "error", "memory"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    import importlib

    return importlib.import_module(f"{__name__}.{name}")
