"""@cfunc: compiled functions that C code calls, with the names of Numba's CFunc."""

from __future__ import annotations

import ctypes
import functools

from numjit import types
from numjit.decorators import dispatcher_of, given, signatures_of
from numjit.dispatcher import Dispatcher
from numjit.functions import FunctionLike
from numjit.library.core.intrinsics import c_address
from numjit.option_docs import NOT_OF_FIXED_TYPES, with_options
from numjit.options import OPTIONS
from numjit.pickling import reduce_made
from numjit.signatures import Signature, normalize_signature


class CFunc(FunctionLike):
    """A function as C sees it. It may be called from Python too, and from compiled code."""

    def __init__(self, function, signature, options):
        self._pyfunc = function.py_func if isinstance(function, Dispatcher) else function
        self._sig = signature
        self._options = options
        compiled = dispatcher_of(self._pyfunc, **options)
        result, parameters = signature.return_type, tuple(signature.args)
        self._check(result, parameters)

        def find_address():
            return c_address(compiled, result, parameters)

        # Kept: the machine code goes when this does.
        self._code = dispatcher_of(find_address)
        if compiled._caches:
            self._code.keep_for(compiled)
        self._address = self._code()
        functools.update_wrapper(self, self._pyfunc)

    @staticmethod
    def _check(result, parameters):
        for type_ in (result, *parameters):
            is_scalar = isinstance(type_, (types.Integer, types.Float, types.Boolean))
            is_pointer = isinstance(type_, types.CPointer | types.RawPointer)
            if not is_scalar and not is_pointer and type_ is not types.none:
                raise TypeError(f"a C callback cannot take or give a value of type {type_}")

    @property
    def address(self) -> int:
        return self._address

    @property
    def _numba_type_(self):
        return types.FunctionType(self._sig)

    @property
    def cache_hits(self) -> int:
        """How many of its machine codes came from the cache on disk."""
        return sum(self._code.stats.cache_hits.values())

    @property
    def native_name(self) -> str:
        return self._pyfunc.__qualname__

    @functools.cached_property
    def ctypes(self):
        """The callback as a ctypes function."""
        signature = self._sig
        made = ctypes.CFUNCTYPE(_ctypes_of(signature.return_type), *map(_ctypes_of, signature.args))
        function = made(self._address)
        function._numjit_owner = self
        return function

    @functools.cached_property
    def cffi(self):
        import cffi

        return cffi.FFI().cast("void *", self._address)

    def inspect_llvm(self) -> str:
        return "\n".join(self._code.inspect_llvm().values())

    def __call__(self, *args):
        return self._pyfunc(*args)

    def __reduce__(self):
        return reduce_made(self, CFunc, self._sig, self._options)

    def _pickled_with(self):
        return (self._code,)

    def __repr__(self):
        return f"<CFunc {self.native_name} {self._sig}>"


_CTYPES = {
    "none": None,
    "bool": ctypes.c_bool,
    "float32": ctypes.c_float,
    "float64": ctypes.c_double,
}


def _ctypes_of(type_):
    if isinstance(type_, (types.RawPointer, types.Record)):
        return ctypes.c_void_p if isinstance(type_, types.RawPointer) else None
    if isinstance(type_, types.CPointer):
        inner = _ctypes_of(type_.dtype)
        return ctypes.c_void_p if inner is None else ctypes.POINTER(inner)
    if isinstance(type_, types.Integer):
        return getattr(ctypes, f"c_{type_}")
    return _CTYPES[str(type_)]


@with_options(OPTIONS.values(), left_out=NOT_OF_FIXED_TYPES)
def cfunc(sig=None, locals=None, cache=False, pipeline_class=None, **options):
    """Compiles a function to a C function of the signature: `@cfunc("float64(float64)")`."""
    options = given(options, locals=locals, cache=cache, pipeline_class=pipeline_class)
    if sig is None and not options.get("annotations"):
        raise TypeError("a C callback needs a signature: @cfunc('float64(float64)')")
    given_signature = None if sig is None else _with_result(sig)

    def decorate(function):
        signature = given_signature or _with_result(*signatures_of(function, options))
        return CFunc(function, signature, {**options, "annotations": False})

    return decorate


def _with_result(sig):
    arguments, result = normalize_signature(sig)
    if result is None:
        raise TypeError("the signature of a C callback needs a result type: float64(float64)")
    return Signature(result, tuple(arguments))
