# What type checkers see of numjit. The blocks between brackets are made by .ci/make_stubs.py.
from types import TracebackType
from typing import Any, NoReturn, TypeVar, overload

from numpy import ndindex as pndindex
from numpy.typing import NDArray

from numjit import config as config
from numjit import cuda as cuda
from numjit import errors as errors
from numjit import experimental as experimental
from numjit import extending as extending
from numjit import pycc as pycc
from numjit import stencils as stencils
from numjit import typed as typed
from numjit import types as types
from numjit.callbacks import cfunc as cfunc
from numjit.decorators import jit as jit
from numjit.decorators import jit_module as jit_module
from numjit.decorators import njit as njit
from numjit.experimental import jitclass as jitclass
from numjit.progress import ProgressBar as ProgressBar
from numjit.stencils import stencil as stencil
from numjit.types import Signature as Signature
from numjit.types import Type
from numjit.ufuncs import DUFunc as DUFunc
from numjit.ufuncs import GUFunc as GUFunc
from numjit.ufuncs import guvectorize as guvectorize
from numjit.ufuncs import vectorize as vectorize

# [names of types and errors]
from numjit.errors import ByteCodeSupportError as ByteCodeSupportError
from numjit.errors import CompilerError as CompilerError
from numjit.errors import ConstantInferenceError as ConstantInferenceError
from numjit.errors import DeprecationError as DeprecationError
from numjit.errors import ForbiddenConstruct as ForbiddenConstruct
from numjit.errors import ForceLiteralArg as ForceLiteralArg
from numjit.errors import IRError as IRError
from numjit.errors import InternalError as InternalError
from numjit.errors import InternalTargetMismatchError as InternalTargetMismatchError
from numjit.errors import LiteralTypingError as LiteralTypingError
from numjit.errors import LoweringError as LoweringError
from numjit.errors import NonexistentTargetError as NonexistentTargetError
from numjit.errors import NotDefinedError as NotDefinedError
from numjit.errors import NumbaAssertionError as NumbaAssertionError
from numjit.errors import NumbaAttributeError as NumbaAttributeError
from numjit.errors import NumbaDebugInfoWarning as NumbaDebugInfoWarning
from numjit.errors import NumbaDeprecationWarning as NumbaDeprecationWarning
from numjit.errors import NumbaError as NumbaError
from numjit.errors import NumbaExperimentalFeatureWarning as NumbaExperimentalFeatureWarning
from numjit.errors import NumbaIRAssumptionWarning as NumbaIRAssumptionWarning
from numjit.errors import NumbaIgnoredOptionWarning as NumbaIgnoredOptionWarning
from numjit.errors import NumbaIndexError as NumbaIndexError
from numjit.errors import NumbaInvalidConfigWarning as NumbaInvalidConfigWarning
from numjit.errors import NumbaKeyError as NumbaKeyError
from numjit.errors import NumbaNameError as NumbaNameError
from numjit.errors import NumbaNotImplementedError as NumbaNotImplementedError
from numjit.errors import NumbaObjectModeWarning as NumbaObjectModeWarning
from numjit.errors import NumbaParallelSafetyWarning as NumbaParallelSafetyWarning
from numjit.errors import NumbaPedanticWarning as NumbaPedanticWarning
from numjit.errors import NumbaPendingDeprecationWarning as NumbaPendingDeprecationWarning
from numjit.errors import NumbaPerformanceWarning as NumbaPerformanceWarning
from numjit.errors import NumbaRuntimeError as NumbaRuntimeError
from numjit.errors import NumbaSystemWarning as NumbaSystemWarning
from numjit.errors import NumbaTypeError as NumbaTypeError
from numjit.errors import NumbaTypeSafetyWarning as NumbaTypeSafetyWarning
from numjit.errors import NumbaValueError as NumbaValueError
from numjit.errors import NumbaWarning as NumbaWarning
from numjit.errors import OptionTypeError as OptionTypeError
from numjit.errors import OptionValueError as OptionValueError
from numjit.errors import RedefinedError as RedefinedError
from numjit.errors import RequireLiteralValue as RequireLiteralValue
from numjit.errors import SignatureError as SignatureError
from numjit.errors import SignatureNameError as SignatureNameError
from numjit.errors import TypingError as TypingError
from numjit.errors import UnknownOptionError as UnknownOptionError
from numjit.errors import UnsupportedBytecodeError as UnsupportedBytecodeError
from numjit.errors import UnsupportedError as UnsupportedError
from numjit.errors import UnsupportedParforsError as UnsupportedParforsError
from numjit.errors import UnsupportedRewriteError as UnsupportedRewriteError
from numjit.errors import UntypedAttributeError as UntypedAttributeError
from numjit.errors import VerificationError as VerificationError
from numjit.types import b1 as b1
from numjit.types import bfloat16 as bfloat16
from numjit.types import bool as bool
from numjit.types import bool_ as bool_
from numjit.types import boolean as boolean
from numjit.types import byte as byte
from numjit.types import c16 as c16
from numjit.types import c8 as c8
from numjit.types import char as char
from numjit.types import complex128 as complex128
from numjit.types import complex64 as complex64
from numjit.types import deferred_type as deferred_type
from numjit.types import double as double
from numjit.types import f2 as f2
from numjit.types import f4 as f4
from numjit.types import f8 as f8
from numjit.types import ffi as ffi
from numjit.types import ffi_forced_object as ffi_forced_object
from numjit.types import float16 as float16
from numjit.types import float32 as float32
from numjit.types import float64 as float64
from numjit.types import i1 as i1
from numjit.types import i2 as i2
from numjit.types import i4 as i4
from numjit.types import i8 as i8
from numjit.types import int16 as int16
from numjit.types import int32 as int32
from numjit.types import int64 as int64
from numjit.types import int8 as int8
from numjit.types import int_ as int_
from numjit.types import intc as intc
from numjit.types import intp as intp
from numjit.types import long_ as long_
from numjit.types import longlong as longlong
from numjit.types import none as none
from numjit.types import optional as optional
from numjit.types import pyobject as pyobject
from numjit.types import short as short
from numjit.types import size_t as size_t
from numjit.types import ssize_t as ssize_t
from numjit.types import u1 as u1
from numjit.types import u2 as u2
from numjit.types import u4 as u4
from numjit.types import u8 as u8
from numjit.types import uchar as uchar
from numjit.types import uint as uint
from numjit.types import uint16 as uint16
from numjit.types import uint32 as uint32
from numjit.types import uint64 as uint64
from numjit.types import uint8 as uint8
from numjit.types import uintc as uintc
from numjit.types import uintp as uintp
from numjit.types import ulong as ulong
from numjit.types import ulonglong as ulonglong
from numjit.types import ushort as ushort
from numjit.types import void as void
# [end]

_T = TypeVar("_T")

__version__: str
version_info: tuple[int, int, int]
ProgressBarType: Type

@overload
def prange(stop: int, /) -> range: ...
@overload
def prange(start: int, stop: int, step: int = 1, /) -> range: ...
def literal_unroll(container: _T) -> _T: ...
def literally(value: _T) -> _T: ...
def carray(ptr: Any, shape: int | tuple[int, ...], dtype: Any = None) -> NDArray[Any]: ...
def farray(ptr: Any, shape: int | tuple[int, ...], dtype: Any = None) -> NDArray[Any]: ...
def get_num_threads() -> int: ...
def set_num_threads(n: int) -> None: ...
def get_thread_id() -> int: ...
def get_parallel_chunksize() -> int: ...
def set_parallel_chunksize(n: int) -> int: ...
def threading_layer() -> str: ...

class parallel_chunksize:
    """A context in which chunks of parallel loops have `n` iterations."""

    def __init__(self, n: int) -> None: ...
    def __enter__(self) -> None: ...
    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        traceback: TracebackType | None,
    ) -> None: ...

class objmode:
    """In compiled code: the block runs in the interpreter, and assigns variables of these types."""

    def __init__(self, **types: Type | str) -> None: ...
    def __enter__(self) -> objmode: ...
    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        traceback: TracebackType | None,
    ) -> None: ...

def typeof(value: object, purpose: object = None) -> Type: ...
def from_dtype(dtype: Any) -> Type: ...
def timings() -> dict[str, float]: ...
def gdb(*args: object) -> NoReturn: ...
def gdb_init(*args: object) -> NoReturn: ...
def gdb_breakpoint() -> NoReturn: ...
