# What type checkers see of numjit.cuda; what kernels call has no types of its own.
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Generic, Literal, ParamSpec, Protocol, TypeVar, overload

from numjit.types import Signature, Type

_P = ParamSpec("_P")
_R = TypeVar("_R", covariant=True)

class Kernel(Generic[_P]):
    """A kernel: `kernel[grid, block](...)`."""

    __name__: str
    __wrapped__: Callable[_P, object]
    py_func: Callable[_P, object]
    def __getitem__(self, configuration: Any, /) -> Callable[_P, None]: ...
    def forall(
        self, ntasks: int, tpb: int = 0, stream: Any = 0, sharedmem: int = 0
    ) -> Callable[_P, None]: ...
    def __getattr__(self, name: str) -> Any: ...

class _KernelDecorator(Protocol):
    def __call__(self, function: Callable[_P, object], /) -> Kernel[_P]: ...

class _DeviceDecorator(Protocol):
    def __call__(self, function: Callable[_P, _R], /) -> Callable[_P, _R]: ...

@overload
def jit(func_or_sig: Callable[_P, object]) -> Kernel[_P]: ...
@overload
def jit(
    func_or_sig: Callable[_P, _R],
    device: Literal[True],
    *,
    # [options of cuda.jit]
    inline: Literal["always", "never"] | bool = ...,  # into every caller
    forceinline: bool = ...,  # inlined by LLVM into every caller
    link: str | Sequence[str | object] = ...,  # files linked with the kernel
    debug: bool | None = ...,  # errors are raised, values kept for debuggers
    opt: bool | int = ...,  # optimise
    lineinfo: bool = ...,  # line numbers for profilers
    cache: bool = ...,  # keep what was compiled on disk
    max_registers: int | None = ...,  # most registers of a thread
    fastmath: bool | set[str] | dict[str, bool] = ...,
    launch_bounds: int | tuple[int, ...] | None = ...,
    lto: bool = ...,  # accepted, without effect
    extensions: Sequence[object] = ...,  # objects that prepare arguments
    boundscheck: bool | None = ...,  # kernels check no indices: only False
    nopython: bool = ...,  # kernels have no object mode
    fma: bool = ...,  # contract a * b + c to one operation
    scratch: int | None = ...,  # bytes for each thread's arrays made in a kernel
    racecheck: bool | None = ...,  # the simulator reports races
    bind: bool = ...,  # accepted, without effect
    abi: Literal["numba", "c"] = ...,  # accepted, without effect
    locals: Mapping[str, Type | str] = ...,  # types of local variables
    shared_memory_carveout: int | str | None = ...,  # percent of the cache that is shared memory
    # [end]
) -> Callable[_P, _R]: ...
@overload
def jit(
    func_or_sig: Callable[_P, object],
    device: Literal[False] = False,
    *,
    # [options of cuda.jit]
    inline: Literal["always", "never"] | bool = ...,  # into every caller
    forceinline: bool = ...,  # inlined by LLVM into every caller
    link: str | Sequence[str | object] = ...,  # files linked with the kernel
    debug: bool | None = ...,  # errors are raised, values kept for debuggers
    opt: bool | int = ...,  # optimise
    lineinfo: bool = ...,  # line numbers for profilers
    cache: bool = ...,  # keep what was compiled on disk
    max_registers: int | None = ...,  # most registers of a thread
    fastmath: bool | set[str] | dict[str, bool] = ...,
    launch_bounds: int | tuple[int, ...] | None = ...,
    lto: bool = ...,  # accepted, without effect
    extensions: Sequence[object] = ...,  # objects that prepare arguments
    boundscheck: bool | None = ...,  # kernels check no indices: only False
    nopython: bool = ...,  # kernels have no object mode
    fma: bool = ...,  # contract a * b + c to one operation
    scratch: int | None = ...,  # bytes for each thread's arrays made in a kernel
    racecheck: bool | None = ...,  # the simulator reports races
    bind: bool = ...,  # accepted, without effect
    abi: Literal["numba", "c"] = ...,  # accepted, without effect
    locals: Mapping[str, Type | str] = ...,  # types of local variables
    shared_memory_carveout: int | str | None = ...,  # percent of the cache that is shared memory
    # [end]
) -> Kernel[_P]: ...
@overload
def jit(
    func_or_sig: Signature
    | str
    | tuple[Type, ...]
    | Sequence[Signature | str | tuple[Type, ...]]
    | None = None,
    *,
    device: Literal[True],
    # [options of cuda.jit]
    inline: Literal["always", "never"] | bool = ...,  # into every caller
    forceinline: bool = ...,  # inlined by LLVM into every caller
    link: str | Sequence[str | object] = ...,  # files linked with the kernel
    debug: bool | None = ...,  # errors are raised, values kept for debuggers
    opt: bool | int = ...,  # optimise
    lineinfo: bool = ...,  # line numbers for profilers
    cache: bool = ...,  # keep what was compiled on disk
    max_registers: int | None = ...,  # most registers of a thread
    fastmath: bool | set[str] | dict[str, bool] = ...,
    launch_bounds: int | tuple[int, ...] | None = ...,
    lto: bool = ...,  # accepted, without effect
    extensions: Sequence[object] = ...,  # objects that prepare arguments
    boundscheck: bool | None = ...,  # kernels check no indices: only False
    nopython: bool = ...,  # kernels have no object mode
    fma: bool = ...,  # contract a * b + c to one operation
    scratch: int | None = ...,  # bytes for each thread's arrays made in a kernel
    racecheck: bool | None = ...,  # the simulator reports races
    bind: bool = ...,  # accepted, without effect
    abi: Literal["numba", "c"] = ...,  # accepted, without effect
    locals: Mapping[str, Type | str] = ...,  # types of local variables
    shared_memory_carveout: int | str | None = ...,  # percent of the cache that is shared memory
    # [end]
) -> _DeviceDecorator: ...
@overload
def jit(
    func_or_sig: Signature
    | str
    | tuple[Type, ...]
    | Sequence[Signature | str | tuple[Type, ...]]
    | None = None,
    device: Literal[False] = False,
    *,
    # [options of cuda.jit]
    inline: Literal["always", "never"] | bool = ...,  # into every caller
    forceinline: bool = ...,  # inlined by LLVM into every caller
    link: str | Sequence[str | object] = ...,  # files linked with the kernel
    debug: bool | None = ...,  # errors are raised, values kept for debuggers
    opt: bool | int = ...,  # optimise
    lineinfo: bool = ...,  # line numbers for profilers
    cache: bool = ...,  # keep what was compiled on disk
    max_registers: int | None = ...,  # most registers of a thread
    fastmath: bool | set[str] | dict[str, bool] = ...,
    launch_bounds: int | tuple[int, ...] | None = ...,
    lto: bool = ...,  # accepted, without effect
    extensions: Sequence[object] = ...,  # objects that prepare arguments
    boundscheck: bool | None = ...,  # kernels check no indices: only False
    nopython: bool = ...,  # kernels have no object mode
    fma: bool = ...,  # contract a * b + c to one operation
    scratch: int | None = ...,  # bytes for each thread's arrays made in a kernel
    racecheck: bool | None = ...,  # the simulator reports races
    bind: bool = ...,  # accepted, without effect
    abi: Literal["numba", "c"] = ...,  # accepted, without effect
    locals: Mapping[str, Type | str] = ...,  # types of local variables
    shared_memory_carveout: int | str | None = ...,  # percent of the cache that is shared memory
    # [end]
) -> _KernelDecorator: ...
def __getattr__(name: str) -> Any: ...
