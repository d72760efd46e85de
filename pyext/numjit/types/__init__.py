"""The types of jitted programs, under Numba's names: `types.int64`, `types.Array(...)`.

The classes live in the modules beside this one, by topic: abstract, scalars, arrays, containers,
misc. `rows` goes between these objects and the rows of the compiler's type table.
"""

import importlib

from . import abstract, containers, misc, scalars
from .abstract import *  # noqa: F403
from .arrays import *  # noqa: F403
from .containers import *  # noqa: F403
from .containers import Optional
from .foreign import *  # noqa: F403
from .items import *  # noqa: F403
from .misc import *  # noqa: F403
from .misc import none, unicode_type
from .scalars import *  # noqa: F403
from .scalars import (
    bfloat16,
    boolean,
    complex64,
    complex128,
    float16,
    float32,
    float64,
    int8,
    int16,
    int32,
    int64,
    uint8,
    uint16,
    uint32,
    uint64,
)
from .signature import Signature as Signature
from .wrap import from_dtype as from_dtype
from .wrap import typeof as _typeof

# Other names of the scalars: the type, and what it is also called.
_ALIASES = (
    (boolean, "bool bool_ b1 c_bool np_bool_ py_bool"),
    (int8, "i1 char np_int8 c_int8 np_char"),
    (uint8, "u1 byte uchar np_uint8 c_uint8 np_uchar"),
    (int16, "i2 short np_int16 c_int16 np_short"),
    (uint16, "u2 ushort np_uint16 c_uint16 np_ushort"),
    (int32, "i4 intc np_int32 c_int32 np_intc"),
    (uint32, "u4 uintc np_uint32 c_uint32 np_uintc"),
    (
        int64,
        "i8 int_ intp long_ longlong ssize_t np_int64 c_int64 np_int_ np_intp np_long np_longlong "
        "c_intp py_int",
    ),
    (
        uint64,
        "u8 uint uintp ulong ulonglong size_t np_uint64 c_uint64 np_uint np_uintp np_ulong "
        "np_ulonglong c_uintp",
    ),
    (float16, "f2 np_float16"),
    (bfloat16, "bf16"),
    (float32, "f4 np_float32 c_float32"),
    (float64, "f8 double np_float64 c_float64 np_double py_float"),
    (complex64, "c8 np_complex64"),
    (complex128, "c16 np_complex128 py_complex"),
    (none, "void"),
    (unicode_type, "string"),
)

for _type, _names in _ALIASES:
    for _name in _names.split():
        globals()[_name] = _type

optional = Optional

# Numba's modules of types that numjit has none of; numba_paths makes them.
_MODULES = ("common", "function_type", "functions", "iterators", "npytypes")


def __getattr__(name):
    if name in _MODULES:
        return importlib.import_module(f"numjit.types.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def _of_package(name):
    """Numba has some types in another of its modules."""
    if name in globals():
        return globals()[name]
    raise AttributeError(f"no module of numjit.types has an attribute {name!r}")


for _module in (abstract, containers, misc, scalars):
    _module.__getattr__ = _of_package


def typeof(value, purpose=None):
    """The type of a Python value as an argument of a jitted function; ValueError if it has none."""
    return _typeof(value)
