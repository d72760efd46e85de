from collections.abc import Callable, Mapping
from typing import Any, Generic, Literal, ParamSpec, Protocol, TypeVar

from numjit.types import Signature, Type

_P = ParamSpec("_P")
_R = TypeVar("_R", covariant=True)

class CFunc(Generic[_P, _R]):
    """A function as C sees it. It may be called from Python too, and from compiled code."""

    __name__: str
    __wrapped__: Callable[_P, _R]
    def __init__(
        self, function: Callable[_P, _R], signature: Signature, options: dict[str, Any]
    ) -> None: ...
    def __call__(self, *args: _P.args, **kwargs: _P.kwargs) -> _R: ...
    @property
    def address(self) -> int: ...
    @property
    def ctypes(self) -> Any: ...
    @property
    def cffi(self) -> Any: ...
    @property
    def native_name(self) -> str: ...
    @property
    def cache_hits(self) -> int: ...
    def inspect_llvm(self) -> str: ...

class _Decorator(Protocol):
    def __call__(self, function: Callable[_P, _R], /) -> CFunc[_P, _R]: ...

def cfunc(
    sig: Signature | str | tuple[Type, ...] | None = None,
    locals: Mapping[str, Type | str] | None = None,
    cache: bool = False,
    pipeline_class: object = None,
    *,
    # [options of cfunc]
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
) -> _Decorator: ...
