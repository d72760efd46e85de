"""What an example declares about itself, for `run_demo.py` and for `tests/bench`."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Demo:
    name: str
    function: Callable  # the jitted function (plain under the "python" engine)
    load: Callable[[], tuple]  # its arguments at full size
    small: Callable[[], tuple]  # arguments of the same types that the interpreter can bear
    scale: float  # work of load() over work of small()
    numpy: Callable  # the same result from whole-array operations
    picture: Callable[[Any], Any] | None = None  # result -> 2-D array of grey values
    tolerance: float = 1e-10  # relative, against NumPy, which adds in another order
