"""cupy.cuda.curand: cuRAND's functions under CuPy's names, over addresses of device memory.

Source: NVIDIA's cuRAND documentation, host API. A generator is a number, as CuPy has it.
"""

from __future__ import annotations

import ctypes
import functools

from .current import _current
from .libraries import CURANDError, check, library  # noqa: F401

CURAND_RNG_PSEUDO_DEFAULT = 100
CURAND_RNG_PSEUDO_XORWOW = 101
CURAND_RNG_PSEUDO_MRG32K3A = 121
CURAND_RNG_PSEUDO_MTGP32 = 141
CURAND_RNG_PSEUDO_MT19937 = 142
CURAND_RNG_PSEUDO_PHILOX4_32_10 = 161
CURAND_RNG_QUASI_DEFAULT = 200
CURAND_RNG_QUASI_SOBOL32 = 201
CURAND_RNG_QUASI_SCRAMBLED_SOBOL32 = 202
CURAND_RNG_QUASI_SOBOL64 = 203
CURAND_RNG_QUASI_SCRAMBLED_SOBOL64 = 204
CURAND_ORDERING_PSEUDO_BEST = 100
CURAND_ORDERING_PSEUDO_DEFAULT = 101
CURAND_ORDERING_PSEUDO_SEEDED = 102
CURAND_ORDERING_QUASI_DEFAULT = 201

_HANDLE = ctypes.c_void_p
_SIZE, _U64, _INT = ctypes.c_size_t, ctypes.c_ulonglong, ctypes.c_int
_FLOAT, _DOUBLE = ctypes.c_float, ctypes.c_double

# Function of CuPy -> parameters of cuRAND's behind the generator.
_FUNCTIONS = {
    "destroyGenerator": (),
    "setStream": (_HANDLE,),
    "setPseudoRandomGeneratorSeed": (_U64,),
    "setGeneratorOffset": (_U64,),
    "setGeneratorOrdering": (_INT,),
    "generate": (_HANDLE, _SIZE),
    "generateLongLong": (_HANDLE, _SIZE),
    "generateUniform": (_HANDLE, _SIZE),
    "generateUniformDouble": (_HANDLE, _SIZE),
    "generateNormal": (_HANDLE, _SIZE, _FLOAT, _FLOAT),
    "generateNormalDouble": (_HANDLE, _SIZE, _DOUBLE, _DOUBLE),
    "generateLogNormal": (_HANDLE, _SIZE, _FLOAT, _FLOAT),
    "generateLogNormalDouble": (_HANDLE, _SIZE, _DOUBLE, _DOUBLE),
    "generatePoisson": (_HANDLE, _SIZE, _DOUBLE),
}


@functools.cache
def _native(name, *parameters):
    """A function of the library that raises what it reports."""
    function = getattr(library("curand"), f"curand{name[0].upper()}{name[1:]}")
    function.argtypes, function.restype = parameters, _INT
    return lambda *args: check("cuRAND", function(*args))


def createGenerator(rng_type):
    """A generator of a CURAND_RNG_ kind, in the context of this thread."""
    made = _HANDLE()
    _native("createGenerator", ctypes.POINTER(_HANDLE), _INT)(ctypes.byref(made), rng_type)
    return made.value


def getVersion():
    """cuRAND's version: 10403."""
    found = _INT()
    _native("getVersion", ctypes.POINTER(_INT))(ctypes.byref(found))
    return found.value


def _named(name, parameters):
    drawn = name.startswith("generate")
    pairs = "Normal" in name

    def function(generator, *args):
        if len(args) != len(parameters):
            raise TypeError(f"{name}() takes {len(parameters) + 1} arguments")
        if pairs and args[1] % 2:
            raise ValueError(f"{name}() draws pairs of numbers: {args[1]} is odd")
        if drawn:
            _native("setStream", _HANDLE, _HANDLE)(generator, _current.handle or None)
        _native(name, _HANDLE, *parameters)(generator, *args)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"curand{name[0].upper()}{name[1:]}" + (
        ", in the current stream." if drawn else "."
    )
    return function


for _name, _parameters in _FUNCTIONS.items():
    globals()[_name] = _named(_name, _parameters)
