# The extension module: what other modules of the package use of it has no types of its own.
from typing import Any, TypeVar

_T = TypeVar("_T")

__version__: str

def frameless(function: _T, /) -> _T: ...
def __getattr__(name: str) -> Any: ...
