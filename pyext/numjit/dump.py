"""The stages of the compiler as text: what `python -m numjit dump` prints.

dump_function(f, "(float64[:, ::1], int64)", "typed")
"""

from __future__ import annotations

from types import FunctionType

from numjit import _core
from numjit.errors import OptionValueError
from numjit.functions import is_jitted
from numjit.signature_text import parse_type
from numjit.signatures import Signature
from numjit.types import Type
from numjit.types.rows import handle_of

STAGES = {
    "bytecode": "the function's instructions, the same for every version of CPython",
    "ssa": "untyped SSA",
    "typed": "typed IR after its passes",
    "llvm": "optimised LLVM IR",
    "asm": "assembly",
    "remarks": "what the optimiser did to loops and calls, and why not more",
}


def dump_function(function, types_text: str = "()", stage: str = "typed") -> str:
    """The form of `function` (jitted or not) after `stage`, for argument types given as text."""
    parsed = parse_type(types_text)
    if isinstance(parsed, Signature):
        parsed = parsed.args
    elif isinstance(parsed, Type):
        parsed = (parsed,)
    return dump_types(function, parsed, stage)


def dump_types(function, arguments: tuple, stage: str) -> str:
    """The same for argument types as objects."""
    if stage not in STAGES:
        raise OptionValueError(f"{stage!r} is no stage", hint=f"the stages are {', '.join(STAGES)}")
    if not (is_jitted(function) or isinstance(function, FunctionType)):
        raise TypeError(f"only Python functions can be dumped, not {function!r}")
    return _core.dump(function, [handle_of(type_) for type_ in arguments], stage)
