from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, overload

from numpy import ufunc
from numpy.typing import ArrayLike, NDArray

from numjit.types import Signature, Type

class _Base:
    __name__: str
    __wrapped__: Callable[..., Any]
    py_func: Callable[..., Any]
    ufunc: ufunc
    nin: int
    nout: int
    nargs: int
    ntypes: int
    types: list[str]
    identity: Any
    signature: str | None
    is_dynamic: bool
    def __call__(self, *args: ArrayLike | None, **kwargs: Any) -> Any: ...
    def add(self, fty: Signature | str | tuple[Type, ...]) -> None: ...
    def reduce(self, array: ArrayLike, *args: Any, **kwargs: Any) -> Any: ...
    def accumulate(self, array: ArrayLike, *args: Any, **kwargs: Any) -> NDArray[Any]: ...
    def reduceat(
        self, array: ArrayLike, indices: ArrayLike, *args: Any, **kwargs: Any
    ) -> NDArray[Any]: ...
    def outer(self, A: ArrayLike, B: ArrayLike, **kwargs: Any) -> Any: ...
    def at(self, a: NDArray[Any], indices: Any, *b: ArrayLike) -> None: ...
    def disable_compile(self) -> None: ...

class DUFunc(_Base):
    """A ufunc that @vectorize made; loops are added for the dtypes of calls."""

class GUFunc(_Base):
    """A generalised ufunc that @guvectorize made."""

@overload
def vectorize(
    ftylist_or_function: Callable[..., Any],
    target: Literal["cpu", "parallel", "cuda"] = "cpu",
    identity: Literal[0, 1, "reorderable"] | None = None,
    *,
    # [options of vectorize]
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
    # [end]
) -> DUFunc: ...
@overload
def vectorize(
    ftylist_or_function: str | Sequence[Signature | str | tuple[Type, ...]] = (),
    target: Literal["cpu", "parallel", "cuda"] = "cpu",
    identity: Literal[0, 1, "reorderable"] | None = None,
    *,
    # [options of vectorize]
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
    # [end]
) -> Callable[[Callable[..., Any]], DUFunc]: ...
def guvectorize(
    ftylist: str | Sequence[Signature | str | tuple[Type, ...]],
    signature: str | None = None,
    target: Literal["cpu", "parallel", "cuda"] = "cpu",
    identity: Literal[0, 1, "reorderable"] | None = None,
    writable_args: Sequence[str | int] = (),
    *,
    # [options of guvectorize]
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
    # [end]
) -> Callable[[Callable[..., Any]], GUFunc]: ...
