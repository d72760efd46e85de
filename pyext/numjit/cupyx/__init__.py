"""numjit.cupyx: what CuPy has beyond NumPy's names, over numjit.cupy."""

import importlib

_FROM = {
    "scatter_add": "scatter",
    "scatter_max": "scatter",
    "scatter_min": "scatter",
    "rsqrt": "elements",
    "DeviceSynchronized": "numjit.cupy.current",
    "allow_synchronize": "numjit.cupy.current",
    "get_runtime_info": "runtime",
    "GeneralizedUFunc": "numjit.cupy.gufuncs",
    "errstate": "numjit.cupy.settings",
    "geterr": "numjit.cupy.settings",
    "seterr": "numjit.cupy.settings",
    "empty_pinned": "numjit.cupy.pinned",
    "empty_like_pinned": "numjit.cupy.pinned",
    "zeros_pinned": "numjit.cupy.pinned",
    "zeros_like_pinned": "numjit.cupy.pinned",
}
_SUBMODULES = frozenset(
    "cusolver cusparse jit lapack linalg optimizing profiler scipy signal time".split()
)


def __getattr__(name):
    if name in _SUBMODULES:
        return importlib.import_module(f"numjit.cupyx.{name}")
    place = _FROM.get(name)
    if place is None:
        raise AttributeError(f"module 'numjit.cupyx' has no attribute {name!r}")
    module = importlib.import_module(place if "." in place else f"numjit.cupyx.{place}")
    value = globals()[name] = getattr(module, name)
    return value


def __dir__():
    return sorted({*_FROM, *_SUBMODULES})
