"""cupyx.scipy.ndimage: SciPy's Python over kernels (../natives/nd_image.py)."""

from __future__ import annotations

import functools
import inspect

import numpy as np

import numjit.cupy as cp
from numjit.cupyx import code

__path__: list = []  # its private modules: compat/cupyx_paths.py


def __getattr__(name):
    found = None if name.startswith("_") else _found(name)
    if found is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    if name in _WITH_STRUCTURE:
        found = _of_sizes(found)
    elif name in _SPLINES:
        found = _with_finite_cval(found)
    found = globals()[name] = code.in_numpy_code(found)
    return found


_SPLINES = frozenset("map_coordinates rotate shift zoom".split())
_WITH_STRUCTURE = frozenset("binary_erosion binary_dilation binary_opening binary_closing".split())


def _of_sizes(function):
    """A function whose structure may be its shape, or its extent along all axes: all is true."""

    @functools.wraps(function)
    def called(input, structure=None, *args, **keywords):
        if isinstance(structure, int):
            axes = keywords.get("axes")
            count = cp.ndim(input) if axes is None else cp.size(axes)
            structure = (structure,) * count
        if isinstance(structure, tuple):
            structure = cp.ones(structure, bool)
        return function(input, structure, *args, **keywords)

    return called


def distance_transform_edt(
    image, sampling=None, return_distances=True, return_indices=False, distances=None,
    indices=None, *, block_params=None, float64_distances=True,
):  # fmt: skip
    """SciPy's, with indices of any integers; distances are float32 unless float64_distances."""
    if block_params is not None:
        m1, m2, m3 = block_params  # sizes of CuPy's blocks, which are not used here
        if min(m1, m2, m3) < 1 or m2 & (m2 - 1):
            raise ValueError("block_params are positive, the second is a power of 2")
    if indices is not None and (indices.dtype.kind not in "iu" or indices.dtype.itemsize < 2):
        raise RuntimeError("indices array must be of integers of 16 bits or more")
    dtype = cp.float64 if float64_distances else cp.float32
    if distances is not None and distances.dtype != dtype:
        raise RuntimeError(f"distances array must be {dtype.__name__}")
    own_indices = None if indices is None else cp.empty(indices.shape, cp.int32)
    own_distances = None if distances is None else cp.empty(distances.shape)
    found = code.in_numpy_code(_found("distance_transform_edt"))(
        image, sampling, return_distances, return_indices, own_distances, own_indices
    )
    if indices is not None:
        indices[...] = own_indices
    if distances is not None:
        distances[...] = own_distances
    elif return_distances and isinstance(found, tuple):
        return found[0].astype(dtype, copy=False), found[1]
    elif return_distances:
        return found.astype(dtype, copy=False)
    return found


def _is_integer_output(output, input):
    """Whether a function whose output is an array, a dtype or None returns integers."""
    if output is None or isinstance(output, cp.ndarray):
        output = (input if output is None else output).dtype
    return cp.dtype(output).kind in "iu"


def _with_finite_cval(function):
    """A function of splines: integers have no NaN and no infinity, which CuPy refuses as cval."""
    places = inspect.signature(function)

    @functools.wraps(function)
    def called(*args, float64_coords=False, **keywords):
        given = places.bind(*args, **keywords).arguments
        if given.get("mode", "constant") in ("constant", "opencv") and not np.isfinite(
            given.get("cval", 0.0)
        ):
            if _is_integer_output(given.get("output"), given["input"]):
                raise NotImplementedError("a cval that is not finite needs an output of floats")
        return function(*args, **keywords)

    return called


def affine_transform(
    input, matrix, offset=0.0, output_shape=None, output=None, order=3, mode="constant", cval=0.0,
    prefilter=True, *, texture_memory=False, float64_coords=False,
):  # fmt: skip
    """SciPy's; texture_memory=True takes only what textures can do."""
    if texture_memory:
        _check_texture(input, cp.asarray(matrix), output_shape, output, order, mode)
        matrix = cp.asarray(matrix, dtype=float)
    function = _with_finite_cval(code.in_numpy_code(_found("affine_transform")))
    return function(input, matrix, offset, output_shape, output, order, mode, cval, prefilter)


def _check_texture(input, matrix, output_shape, output, order, mode):
    if input.ndim not in (2, 3) or input.dtype != np.float32:
        raise ValueError("texture memory takes float32 arrays of 2 or 3 dimensions")
    if matrix.shape != (input.ndim + 1,) * 2:
        raise ValueError("texture memory takes matrices of homogeneous coordinates")
    if mode not in ("constant", "nearest") or order not in (0, 1):
        raise ValueError("texture memory takes the modes constant and nearest, and orders 0 and 1")
    is_array = isinstance(output, cp.ndarray)
    if output is not None and (output.dtype if is_array else output) != np.float32:
        raise ValueError("output must be None, float32 or an array of float32")
    shape = input.shape if output_shape is None else tuple(output_shape)
    if len(shape) != input.ndim or is_array and output.shape != shape:
        raise ValueError(f"output_shape {shape} is not that of the output")


def value_indices(arr, *, ignore_value=None, adaptive_index_dtype=False):
    """SciPy's; with adaptive_index_dtype indices are of the smallest signed dtype."""
    found = code.in_numpy_code(_found("value_indices"))(arr, ignore_value=ignore_value)
    if not adaptive_index_dtype:
        return found
    dtype = np.min_scalar_type(-max(arr.shape, default=1))
    return {key: tuple(each.astype(dtype) for each in at) for key, at in found.items()}


def label(input, structure=None, output=None):
    """SciPy's, also of float16; ValueError where output has no room for the labels."""
    if isinstance(input, cp.ndarray) and input.dtype == np.float16:
        input = input != 0
    try:
        return code.in_numpy_code(_found("label"))(input, structure, output)
    except RuntimeError as error:
        if "bit-depth" not in str(error):
            raise
        raise ValueError("output has too few bits for as many labels") from error


#: What makes objects of Python for each label.
_ON_HOST = frozenset(("histogram",))


def _found(name):
    if name in _ON_HOST:
        return code.from_host("scipy.ndimage", name)
    return getattr(code.module("scipy.ndimage._ndimage_api"), name, None)


def __dir__():
    import scipy.ndimage

    return sorted(scipy.ndimage.__all__)
