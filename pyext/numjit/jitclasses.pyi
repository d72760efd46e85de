from collections.abc import Callable, Iterable, Mapping
from typing import TypeVar, overload

from numjit.types import Type

_C = TypeVar("_C", bound=type)

class JitClassType(type):
    """The class of jitclasses: calling one runs its compiled `__init__`."""

@overload
def jitclass(cls_or_spec: _C, spec: Mapping[str, Type] | None = None) -> _C: ...
@overload
def jitclass(
    cls_or_spec: Mapping[str, Type] | Iterable[tuple[str, Type]] | None = None,
    spec: Mapping[str, Type] | Iterable[tuple[str, Type]] | None = None,
) -> Callable[[_C], _C]: ...
