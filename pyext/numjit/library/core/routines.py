"""Routines of BLAS and LAPACK: ``routines.gemm`` is a row for the intrinsics that call them.

A row is (name, bits of an integer, addresses for float32, float64, complex64, complex128); an
address that was not found is 0. First the library that NumPy itself uses is asked: it is in the
process already, gives the same results as NumPy, and its pool of threads is not a second one.
Loading SciPy's takes 50 ms and more, so its pointers for Cython are only the second choice.
"""

import ctypes

from numpy.linalg import _umath_linalg

_rows = {}

#: Names that symbols may have, with the bits of an integer: NumPy's wheels, other OpenBLAS, plain.
_SYMBOLS = (("scipy_{}_64_", 64), ("{}_64_", 64), ("scipy_{}_", 32), ("{}_", 32))

_COMPLEX_FUNCTIONS = ("dotu", "dotc")


def __getattr__(name):
    if name.startswith("_"):
        raise AttributeError(name)
    if name not in _rows:
        _rows[name] = _find(name)
    return _rows[name]


def _find(name):
    # LAPACK calls complex matrices unitary and hermitian where real ones are orthogonal and
    # symmetric.
    complex_name = {"orgqr": "ungqr", "syevd": "heevd"}.get(name, name)
    names = ("s" + name, "d" + name, "c" + complex_name, "z" + complex_name)
    library = _numpy_library()
    for pattern, bits in _SYMBOLS:
        # Fortran compilers differ in how they return complex numbers: only that of the wheels is
        # known.
        if name in _COMPLEX_FUNCTIONS and not pattern.startswith("scipy_"):
            continue
        addresses = [_symbol(library, pattern.format(each)) for each in names]
        if any(addresses):
            return (name, bits, *addresses)
    return (name, 32, *map(_scipy_pointer, names))


def _numpy_library():
    """The module that NumPy's linear algebra is in; what it is linked to is found through it."""
    return ctypes.CDLL(_umath_linalg.__file__)


def _symbol(library, name):
    try:
        return ctypes.cast(getattr(library, name), ctypes.c_void_p).value
    except AttributeError:
        return 0


def _scipy_pointer(name):
    from .cython_functions import get_cython_function_address

    for module in ("scipy.linalg.cython_blas", "scipy.linalg.cython_lapack"):
        try:
            return get_cython_function_address(module, name)
        except (ImportError, ValueError):
            continue
    return 0
