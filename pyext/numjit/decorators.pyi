# What type checkers see of the decorators. The blocks are made by .ci/make_stubs.py.
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, ParamSpec, TypeVar, overload

from numjit.dispatcher import Decorator, Dispatcher
from numjit.types import Signature, Type

_P = ParamSpec("_P")
_R = TypeVar("_R")

@overload
def jit(
    signature_or_function: Callable[_P, _R],
    locals: Mapping[str, Type | str] | None = None,
    cache: bool = False,
    pipeline_class: object = None,
    *,
    # [options of jit]
    nopython: bool | None = ...,  # raise instead of falling back to the interpreter
    forceobj: bool | None = ...,  # run in the interpreter, loops compiled where possible
    looplift: bool | None = ...,  # compile loops of functions that run in the interpreter
    fastmath: bool | set[str] | dict[str, bool] = ...,
    promotion: Literal["numpy", "numba"] = ...,  # types of literals beside arrays
    boundscheck: bool | None = ...,  # raise IndexError for indices out of bounds
    error_model: Literal["python", "numpy"] = ...,  # what division by zero does
    nogil: bool | None = ...,  # release the GIL while the compiled function runs
    strict_ints: bool | None = ...,  # refuse uint64 and int64 that would meet in a float64
    overflow: Literal["wrap", "raise"] = ...,  # what integer overflow does
    inline: Literal["always", "never"] | Callable[..., bool] = ...,
    forceinline: bool | None = ...,  # inlined by LLVM into every caller
    annotations: bool | None = ...,  # compile at once for the types of the annotations
    debug: bool | None = ...,  # keep values and lines for debuggers
    parallel: bool | dict[str, bool] = ...,  # run loops over prange in several threads
    target: Literal["cpu", "CPU", "generic"] = ...,  # where the function runs
    # [end]
) -> Dispatcher[_P, _R]: ...
@overload
def jit(
    signature_or_function: Signature
    | str
    | tuple[Type, ...]
    | Sequence[Signature | str | tuple[Type, ...]]
    | None = None,
    locals: Mapping[str, Type | str] | None = None,
    cache: bool = False,
    pipeline_class: object = None,
    *,
    # [options of jit]
    nopython: bool | None = ...,  # raise instead of falling back to the interpreter
    forceobj: bool | None = ...,  # run in the interpreter, loops compiled where possible
    looplift: bool | None = ...,  # compile loops of functions that run in the interpreter
    fastmath: bool | set[str] | dict[str, bool] = ...,
    promotion: Literal["numpy", "numba"] = ...,  # types of literals beside arrays
    boundscheck: bool | None = ...,  # raise IndexError for indices out of bounds
    error_model: Literal["python", "numpy"] = ...,  # what division by zero does
    nogil: bool | None = ...,  # release the GIL while the compiled function runs
    strict_ints: bool | None = ...,  # refuse uint64 and int64 that would meet in a float64
    overflow: Literal["wrap", "raise"] = ...,  # what integer overflow does
    inline: Literal["always", "never"] | Callable[..., bool] = ...,
    forceinline: bool | None = ...,  # inlined by LLVM into every caller
    annotations: bool | None = ...,  # compile at once for the types of the annotations
    debug: bool | None = ...,  # keep values and lines for debuggers
    parallel: bool | dict[str, bool] = ...,  # run loops over prange in several threads
    target: Literal["cpu", "CPU", "generic"] = ...,  # where the function runs
    # [end]
) -> Decorator: ...
@overload
def njit(
    signature_or_function: Callable[_P, _R],
    locals: Mapping[str, Type | str] | None = None,
    cache: bool = False,
    pipeline_class: object = None,
    *,
    # [options of njit]
    fastmath: bool | set[str] | dict[str, bool] = ...,
    promotion: Literal["numpy", "numba"] = ...,  # types of literals beside arrays
    boundscheck: bool | None = ...,  # raise IndexError for indices out of bounds
    error_model: Literal["python", "numpy"] = ...,  # what division by zero does
    nogil: bool | None = ...,  # release the GIL while the compiled function runs
    strict_ints: bool | None = ...,  # refuse uint64 and int64 that would meet in a float64
    overflow: Literal["wrap", "raise"] = ...,  # what integer overflow does
    inline: Literal["always", "never"] | Callable[..., bool] = ...,
    forceinline: bool | None = ...,  # inlined by LLVM into every caller
    annotations: bool | None = ...,  # compile at once for the types of the annotations
    debug: bool | None = ...,  # keep values and lines for debuggers
    parallel: bool | dict[str, bool] = ...,  # run loops over prange in several threads
    target: Literal["cpu", "CPU", "generic"] = ...,  # where the function runs
    # [end]
) -> Dispatcher[_P, _R]: ...
@overload
def njit(
    signature_or_function: Signature
    | str
    | tuple[Type, ...]
    | Sequence[Signature | str | tuple[Type, ...]]
    | None = None,
    locals: Mapping[str, Type | str] | None = None,
    cache: bool = False,
    pipeline_class: object = None,
    *,
    # [options of njit]
    fastmath: bool | set[str] | dict[str, bool] = ...,
    promotion: Literal["numpy", "numba"] = ...,  # types of literals beside arrays
    boundscheck: bool | None = ...,  # raise IndexError for indices out of bounds
    error_model: Literal["python", "numpy"] = ...,  # what division by zero does
    nogil: bool | None = ...,  # release the GIL while the compiled function runs
    strict_ints: bool | None = ...,  # refuse uint64 and int64 that would meet in a float64
    overflow: Literal["wrap", "raise"] = ...,  # what integer overflow does
    inline: Literal["always", "never"] | Callable[..., bool] = ...,
    forceinline: bool | None = ...,  # inlined by LLVM into every caller
    annotations: bool | None = ...,  # compile at once for the types of the annotations
    debug: bool | None = ...,  # keep values and lines for debuggers
    parallel: bool | dict[str, bool] = ...,  # run loops over prange in several threads
    target: Literal["cpu", "CPU", "generic"] = ...,  # where the function runs
    # [end]
) -> Decorator: ...
def jit_module(
    *,
    # [options of jit_module]
    nopython: bool | None = ...,  # raise instead of falling back to the interpreter
    forceobj: bool | None = ...,  # run in the interpreter, loops compiled where possible
    looplift: bool | None = ...,  # compile loops of functions that run in the interpreter
    fastmath: bool | set[str] | dict[str, bool] = ...,
    promotion: Literal["numpy", "numba"] = ...,  # types of literals beside arrays
    boundscheck: bool | None = ...,  # raise IndexError for indices out of bounds
    error_model: Literal["python", "numpy"] = ...,  # what division by zero does
    nogil: bool | None = ...,  # release the GIL while the compiled function runs
    cache: bool | None = ...,  # keep machine code on disk
    strict_ints: bool | None = ...,  # refuse uint64 and int64 that would meet in a float64
    overflow: Literal["wrap", "raise"] = ...,  # what integer overflow does
    inline: Literal["always", "never"] | Callable[..., bool] = ...,
    forceinline: bool | None = ...,  # inlined by LLVM into every caller
    locals: Mapping[str, Type | str] = ...,  # types of local variables
    annotations: bool | None = ...,  # compile at once for the types of the annotations
    debug: bool | None = ...,  # keep values and lines for debuggers
    parallel: bool | dict[str, bool] = ...,  # run loops over prange in several threads
    target: Literal["cpu", "CPU", "generic"] = ...,  # where the function runs
    # [end]
) -> None: ...
def _make(
    function: Callable[_P, _R], signatures: Any, options: dict[str, Any]
) -> Dispatcher[_P, _R]: ...
def given(options: dict[str, Any], **named: Any) -> dict[str, Any]: ...
def dispatcher_of(function: Callable[_P, _R], **options: Any) -> Dispatcher[_P, _R]: ...
def signatures_of(function: Callable[..., Any], options: dict[str, Any]) -> tuple[Any, ...]: ...
