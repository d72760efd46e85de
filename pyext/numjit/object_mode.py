"""Object mode: the interpreter runs a function that cannot be compiled, machine code its loops.

The function itself stays what it was. Its loops (numjit.loop_lifting) become dispatchers that fall
back silently: a loop whose types cannot be inferred is interpreted as before.
"""

from __future__ import annotations

import warnings

from numjit.errors import InternalError, NumbaError, NumbaObjectModeWarning
from numjit.loop_lifting import lift_loops
from numjit.options import compiler_options


def is_reason(error: BaseException) -> bool:
    """Whether an error of the compiler is one that the interpreter can make good."""
    return isinstance(error, NumbaError) and not isinstance(error, InternalError)


def warn(dispatcher, error: NumbaError) -> None:
    """Tells once per function, at its definition, why it runs in the interpreter."""
    code = dispatcher.py_func.__code__
    reason = str(error)
    text = (
        f"function {code.co_qualname} cannot be compiled and runs in the interpreter "
        f"(loops that can be compiled are): {reason}\n"
        "@njit makes this an error, @jit(forceobj=True) silences the warning"
    )
    warnings.warn_explicit(
        NumbaObjectModeWarning(text),
        NumbaObjectModeWarning,
        code.co_filename,
        error.line if error.filename == code.co_filename else code.co_firstlineno,
    )


def interpreted(function, options: dict, dispatcher_class):
    """What runs in object mode in place of `function`, and the dispatchers of its loops."""
    if not options.get("looplift", True) or options.get("_is_loop"):
        return function, ()
    return lift_loops(function, lambda loop: _loop_dispatcher(loop, options, dispatcher_class))


def _loop_dispatcher(function, options: dict, dispatcher_class):
    kept = {name: value for name, value in options.items() if name not in ("forceobj", "nopython")}
    made = dispatcher_class(function, compiler_options(kept), {**kept, "_is_loop": True})
    made._warned = True
    return made
