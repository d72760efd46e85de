# What type checkers see of compiled functions: calls have the signature of the Python function.
from collections import OrderedDict
from collections.abc import Callable
from types import CodeType, FunctionType
from typing import (
    Any,
    Concatenate,
    Generic,
    ParamSpec,
    Protocol,
    Self,
    TextIO,
    TypeVar,
    overload,
)

from numjit.inspection import CompileResult, ControlFlowGraph, Stats
from numjit.types import Signature, Type

_P = ParamSpec("_P")
_Q = ParamSpec("_Q")
_R = TypeVar("_R", covariant=True)

class Dispatcher(Generic[_P, _R]):
    """A jitted function."""

    __name__: str
    __qualname__: str
    __wrapped__: Callable[_P, _R]
    __code__: CodeType
    __globals__: dict[str, Any]
    py_func: Callable[_P, _R]
    targetoptions: dict[str, Any]

    def __call__(self, *args: _P.args, **kwargs: _P.kwargs) -> _R: ...
    @overload
    def __get__(self, instance: None, owner: type, /) -> Self: ...
    @overload
    def __get__(
        self: Dispatcher[Concatenate[Any, _Q], _R], instance: object, owner: type | None = None, /
    ) -> Callable[_Q, _R]: ...
    @property
    def signatures(self) -> list[tuple[Type, ...]]: ...
    @property
    def nopython_signatures(self) -> list[Signature]: ...
    @property
    def overloads(self) -> OrderedDict[tuple[Type, ...], CompileResult]: ...
    @property
    def stats(self) -> Stats: ...
    @property
    def is_compiling(self) -> bool: ...
    def compile(self, sig: Signature | str | tuple[Type, ...]) -> Callable[..., Any]: ...
    def recompile(self) -> None: ...
    def disable_compile(self, val: bool = True) -> None: ...
    def enable_caching(self) -> None: ...
    def keep_for(self, dispatcher: Dispatcher[..., Any]) -> None: ...
    def keep_in(self, folder: str, prefix: str) -> None: ...
    def get_overload(self, sig: Signature | str | tuple[Type, ...]) -> Callable[..., Any]: ...
    def get_compile_result(
        self, sig: Signature | str | tuple[Type, ...]
    ) -> CompileResult | None: ...
    def get_metadata(self, signature: tuple[Type, ...] | None = None) -> dict[Any, Any]: ...
    def get_annotation_info(
        self, signature: Signature | str | tuple[Type, ...] | None = None
    ) -> dict[tuple[str, str], dict[str, Any]]: ...
    def timings(self, signature: tuple[Type, ...] | None = None) -> dict[str, float]: ...
    def inspect_types(
        self,
        file: TextIO | None = None,
        signature: Signature | str | tuple[Type, ...] | None = None,
        pretty: bool = False,
        style: str = "default",
        **kwargs: Any,
    ) -> Any: ...
    @overload
    def inspect_llvm(self, signature: None = None) -> dict[tuple[Type, ...], str]: ...
    @overload
    def inspect_llvm(self, signature: Signature | str | tuple[Type, ...]) -> str: ...
    @overload
    def inspect_asm(self, signature: None = None) -> dict[tuple[Type, ...], str]: ...
    @overload
    def inspect_asm(self, signature: Signature | str | tuple[Type, ...]) -> str: ...
    @overload
    def inspect_cfg(
        self, signature: None = None, show_wrapper: Any = None, **kwargs: Any
    ) -> dict[tuple[Type, ...], ControlFlowGraph]: ...
    @overload
    def inspect_cfg(
        self,
        signature: Signature | str | tuple[Type, ...],
        show_wrapper: Any = None,
        **kwargs: Any,
    ) -> ControlFlowGraph: ...
    def parallel_diagnostics(
        self, signature: Signature | str | tuple[Type, ...] | None = None, level: int = 1
    ) -> None: ...
    @staticmethod
    def typeof_pyval(value: object) -> Type: ...

class Decorator(Protocol):
    """What a decorator called with options is."""

    def __call__(self, function: Callable[_P, _R], /) -> Dispatcher[_P, _R]: ...

def declared(
    function: FunctionType, signatures: Any, options: dict[str, Any]
) -> Dispatcher[..., Any]: ...
def compile_declared(made: Dispatcher[..., Any], signatures: Any) -> None: ...
def rows_of(signatures: Any) -> list[Any]: ...
