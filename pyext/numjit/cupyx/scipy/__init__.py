"""cupyx.scipy: functions of SciPy over device arrays."""


def __getattr__(name):
    import importlib

    if name in ("fft", "special", "linalg"):
        return importlib.import_module(f"numjit.cupyx.scipy.{name}")
    if name == "get_array_module":
        from numjit.cupy.interchange import get_array_module

        return get_array_module
    raise AttributeError(f"module 'numjit.cupyx.scipy' has no attribute {name!r}")
