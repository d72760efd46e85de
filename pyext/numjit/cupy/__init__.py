"""numjit.cupy: programs written for CuPy.

    import numjit.cupy as cp

    x = cp.arange(1_000_000, dtype=cp.float32)
    y = cp.exp(-x / 2) * 3 + 1          # waits
    print(y.sum())                      # one kernel

Nothing is imported until it is asked for. Names that are not here are NumPy's: its ufuncs, whose
dtypes NumPy itself decides and which numjit's library compiles, and its functions that are written
in Python, which run over device arrays (numpy_code.py).
"""

import importlib as _importlib

import numpy as _numpy

_PLACES = {
    "ndarrays": "ndarray",
    "creation": (
        "array asarray asanyarray ascontiguousarray asfortranarray empty empty_like full full_like "
        "zeros zeros_like ones ones_like arange copy frombuffer fromfile fromiter fromstring "
        "loadtxt genfromtxt"
    ),
    "grids": "linspace",
    "quantiles": "median percentile quantile",
    "padding": "pad",
    "manipulation": "broadcast_to copyto where shape ndim size real imag isscalar",
    "functions": (
        "reshape ravel transpose permute_dims:transpose squeeze swapaxes diagonal trace repeat "
        "clip astype compress choose broadcast_arrays rot90 broadcast"
    ),
    "rounding": "round around fix",
    "joining": "concatenate stack concat:concatenate",
    "indexing": "take flatnonzero nonzero unravel_index ravel_multi_index",
    "picking": "put take_along_axis put_along_axis fill_diagonal",
    "reduction_names": "sum prod max min amax amin all any argmax argmin",
    "moments": "mean var std",
    "reductions": "ptp count_nonzero",
    "scans": "cumsum cumprod",
    "interchange": "asnumpy get_array_module",
    "sorting": (
        "sort argsort lexsort msort partition argpartition searchsorted unique digitize "
        "sort_complex"
    ),
    "histograms": "bincount histogram histogramdd histogram2d",
    "numbers": (
        "result_type can_cast may_share_memory shares_memory packbits unpackbits interp "
        "min_scalar_type putmask place extract"
    ),
    "aligned": (
        "make_aligned_dtype"
    ),
    "products": (
        "dot matmul vdot inner einsum tensordot convolve correlate vecdot matvec vecmat"
    ),
    "pending": "eager",
    "plan": "show_plan",
    "pool": (
        "get_default_memory_pool set_allocator:set_allocator OutOfMemoryError"
    ),
    "pinned": "get_default_pinned_memory_pool",
    "dlpack": "from_dlpack fromDlpack:from_dlpack",
    "text_kernels": "RawKernel RawModule",
    "elementwise": "ElementwiseKernel",
    "reduction_kernel": "ReductionKernel",
    "functional": "fuse memoize clear_memo apply_along_axis piecewise",
    "vectorizing": "vectorize",
    "files": "load save savez savez_compressed savetxt array_repr array_str array2string",
    "legacy": (
        "AxisError ComplexWarning RankWarning TooHardError VisibleDeprecationWarning "
        "ModuleDeprecationWarning in1d trapz row_stack byte_bounds asarray_chkfinite "
        "find_common_type who asfarray Inf Infinity infty PINF NINF NAN NaN PZERO NZERO float_ "
        "complex_ cfloat singlecomplex alltrue sometrue product cumproduct round_ "
        "disable_experimental_feature_warning"
    ),
    "polynomial": "poly1d poly roots polyadd polysub polymul polydiv polyint polyder polyval",
    "settings": "errstate geterr seterr show_config is_available",
}  # fmt: skip
_FROM = {}
for _place, _names in _PLACES.items():
    for _name in _names.split():
        _name, _, _inside = _name.partition(":")
        _FROM[_name] = _place, _inside or _name
_SUBMODULES = frozenset("cuda random fft linalg testing lib exceptions polynomial cublas".split())

__version__ = "14.2.0"  #: of the CuPy whose names these are


def _of(place, name):
    return getattr(_importlib.import_module(f"numjit.cupy.{place}"), name)


def own(name):
    """What this package itself has under a name; None if nothing."""
    found = _FROM.get(name)
    if found is None:
        return None
    value = _of(*found)
    globals()[name] = value
    return value


def __getattr__(name):
    value = own(name)
    if value is None:
        value = _module(name)
        if value is None:
            value = _of_numpy(name)
    globals()[name] = value
    return value


def _module(name):
    """A module of this package, private ones of CuPy included; None if there is none."""
    if name in _SUBMODULES:
        return _importlib.import_module(f"numjit.cupy.{name}")
    if name[:1] != "_" or name[:2] == "__":
        return None
    return _importlib.import_module("numjit.compat.numba_paths").inner(__name__, name)


def _of_numpy(name):
    value = None if name.startswith("__") else getattr(_numpy, name, None)
    if isinstance(value, _numpy.ufunc):
        if value.signature is None:
            return _of("ufuncs", "wrapped")(value)
    elif value is not None:
        found = _of("numpy_code", "from_numpy")(value)
        if found is not None:
            return found
        if isinstance(value, type | float | _numpy.bool_) or name in _PLAIN:
            if not (isinstance(value, type) and name in _REFUSED):
                return value
        if type(value).__name__ in _GRIDS:
            return _of("grids", name)
    elif name == "newaxis":
        return None
    raise AttributeError(f"module 'numjit.cupy' has no attribute {name!r}")


#: What is of no array: names of NumPy that are taken as they are.
_PLAIN = frozenset(
    "s_ index_exp promote_types typecodes ScalarType sctypeDict little_endian True_ False_ "
    "get_printoptions set_printoptions printoptions newaxis dtype".split()
)
_REFUSED = frozenset("matrix memmap recarray nditer vectorize ndarray broadcast".split())
_GRIDS = frozenset("CClass RClass MGridClass OGridClass".split())


def __dir__():
    public = [name for name in dir(_numpy) if not name.startswith("_")]
    return sorted({*globals(), *_FROM, *_SUBMODULES, *public})
