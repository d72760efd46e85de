from collections.abc import Callable, Sequence
from typing import Any, overload

from numpy.typing import ArrayLike, NDArray

class StencilFunc:
    """A stencil. Callable from Python and from compiled code, with `out=` for the result."""

    __name__: str
    __wrapped__: Callable[..., Any]
    py_func: Callable[..., Any]
    options: dict[str, Any]
    def __init__(self, kernel: Callable[..., Any], options: dict[str, Any]) -> None: ...
    def __call__(self, *args: ArrayLike, out: NDArray[Any] | None = None) -> NDArray[Any]: ...
    @property
    def neighborhood(self) -> tuple[tuple[int, int], ...]: ...

@overload
def stencil(
    func_or_mode: Callable[..., Any],
    *,
    # [options of stencil]
    cval: int | float | complex | bool = ...,
    neighborhood: Sequence[tuple[int, int]] | None = ...,
    standard_indexing: str | Sequence[str] = ...,  # parameters whose indices are ordinary ones
    # [end]
) -> StencilFunc: ...
@overload
def stencil(
    func_or_mode: str = "constant",
    *,
    # [options of stencil]
    cval: int | float | complex | bool = ...,
    neighborhood: Sequence[tuple[int, int]] | None = ...,
    standard_indexing: str | Sequence[str] = ...,  # parameters whose indices are ordinary ones
    # [end]
) -> Callable[[Callable[..., Any]], StencilFunc]: ...
