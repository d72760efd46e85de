"""What a bench kernel declares about itself."""

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Kernel:
    function: Callable  # the jitted function, plain under the "python" engine
    arguments: Callable[[], tuple]  # full size, for run times
    small: Callable[[], tuple]  # same types, quick in the interpreter, for first calls
    tolerance: float = 1e-12  # relative difference that rounding in another order may cause
