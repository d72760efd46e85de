"""The options of @jit, a row each: default and check.

A flag or a choice that only the compiler looks at is a row of frontend/compile_options.def, which
makes its field, its keys and its row here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy

from numjit import _core, config

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Literal

    from numjit.types import Type

# Bits of the compiler's fastmath set, under LLVM's names, in its order.
FASTMATH_FLAGS = {
    flag: 1 << bit
    for bit, flag in enumerate(("reassoc", "nnan", "ninf", "nsz", "arcp", "contract", "afn"))
}
FASTMATH_ALL = sum(FASTMATH_FLAGS.values())
FASTMATH_FLAGS["fast"] = FASTMATH_ALL


class Bad(Exception):
    """A value that an option doesn't take: what is wrong, the way out, the name of the error's
    class (numjit.errors is not loaded before something is wrong)."""

    def __init__(self, message, hint="", cls="OptionValueError"):
        super().__init__(message)
        self.message, self.hint, self.cls = message, hint, cls


# -- checks: from what the user wrote, annotated with what that may be, to what is kept ------------


def _flag(name, value: bool | None):
    if not isinstance(value, bool | int | numpy.bool_ | None):
        raise Bad(
            f"option {name!r} must be True or False, not {value!r} of type {type(value).__name__}",
            f"write {name}=True or {name}=False",
            "OptionTypeError",
        )
    return None if value is None else bool(value)


_PARALLEL_PARTS = (
    "comprehension reduction inplace_binop setitem numpy stencil fusion prange".split()
)


def _parallel(name, value: bool | dict[str, bool]):
    """Parts that are named without prange and numpy being on leave nothing to run in parallel."""
    if value:
        from numjit.threadpools import show_to_threadpoolctl

        show_to_threadpoolctl()
    if not isinstance(value, dict):
        return _flag(name, value)
    unknown = sorted(map(str, set(value) - set(_PARALLEL_PARTS)))
    if unknown:
        raise Bad(
            f"Unrecognized parallel options: {{{', '.join(map(repr, unknown))}}}",
            f"the parts are {', '.join(_PARALLEL_PARTS)}",
        )
    return bool(value.get("prange", True) or value.get("numpy", True))


def _fastmath(name, value: bool | set[str] | dict[str, bool]):
    if isinstance(value, bool):
        return value
    if isinstance(value, str) or not hasattr(value, "__iter__"):
        raise Bad(
            "Expected fastmath option(s) to be either a bool, dict or set, "
            f"got {value!r} of type {type(value).__name__}",
            "write fastmath=True, or a set of LLVM's flags such as {'nnan', 'reassoc'}",
        )
    unknown = sorted(map(str, set(value) - set(FASTMATH_FLAGS)))
    if unknown:
        raise Bad(
            f"Unrecognized fastmath flags: {{{', '.join(map(repr, unknown))}}}",
            f"the flags are {', '.join(FASTMATH_FLAGS)}",
        )
    return {flag for flag in value if not isinstance(value, dict) or value[flag]}


def _choice(*choices):
    def check(name, value):
        if value not in choices:
            listed = " or ".join(map(repr, choices))
            raise Bad(
                f"option {name!r} must be {listed}, not {value!r}", f"write {name}={choices[0]!r}"
            )
        return value

    check.__annotations__ = {"value": f"Literal[{', '.join(map(repr, choices))}]"}
    return check


def _inline(name, value: Literal["always", "never"] | Callable[..., bool]):
    if value in ("always", "never") or callable(value):  # Numba's cost models are not asked
        return value
    raise Bad(
        f"kwarg 'inline' must be one of the strings 'always' or 'never'. Found value {value!r}",
        "write inline='always' or inline='never'",
    )


def _locals(name, value: Mapping[str, Type | str]):
    from numjit.signature_text import parse_type
    from numjit.types import Type

    if not hasattr(value, "items"):
        raise Bad(
            f"option 'locals' must map names of variables to types, not be {value!r}",
            "write locals={'x': float64}",
            "OptionTypeError",
        )
    checked = {}
    for variable, type_ in value.items():
        if isinstance(type_, str):
            type_ = parse_type(type_)
        if not isinstance(type_, Type):
            raise Bad(
                f"option 'locals': variable {variable!r} is given {type_!r}, which is no type",
                f"write locals={{{variable!r}: float64}}",
                "OptionTypeError",
            )
        checked[variable] = type_
    return checked


class Option:
    """A row of OPTIONS."""

    __slots__ = ("name", "default", "check", "doc")

    def __init__(self, name, default, check, doc):
        self.name, self.default, self.check, self.doc = name, default, check, doc


#: Of options that the compiler has a row for: its field, and the value that sets it.
_FIELDS: dict[str, tuple[str, object]] = {}


def _of_compiler(name, choices, field, doc):
    choices = choices.split()
    _FIELDS[name] = field, choices[1] if choices else True
    if choices:
        return Option(name, choices[0], _choice(*choices), doc)
    return Option(name, False, _flag, doc)


_TARGETS = "cpu", "CPU", "generic"

OPTIONS = {
    option.name: option
    for option in (
        Option("nopython", None, _flag, "raise instead of falling back to the interpreter"),
        Option("forceobj", False, _flag, "run in the interpreter, loops compiled where possible"),
        Option("looplift", True, _flag, "compile loops of functions that run in the interpreter"),
        Option("fastmath", False, _fastmath, "a bool, or a set of LLVM's fast-math flags"),
        Option("promotion", "numpy", _choice("numpy", "numba"), "types of literals beside arrays"),
        Option("boundscheck", None, _flag, "raise IndexError for indices out of bounds"),
        *(_of_compiler(*row) for row in _core.option_rows()),
        Option("inline", "never", _inline, "'always': into every caller, in typed IR"),
        Option("forceinline", False, _flag, "inlined by LLVM into every caller"),
        Option("locals", {}, _locals, "types of local variables"),
        Option("annotations", False, _flag, "compile at once for the types of the annotations"),
        Option("debug", None, _flag, "keep values and lines for debuggers"),
        Option("parallel", False, _parallel, "run loops over prange in several threads"),
        Option("target", "cpu", _choice(*_TARGETS), "where the function runs"),
        Option("no_cfunc_wrapper", False, _flag, "numjit makes C entries on demand only"),
        Option("no_cpython_wrapper", False, _flag, "numjit makes no wrappers"),
        Option("no_rewrites", False, _flag, "numjit has no such rewrites"),
        Option("_nrt", True, _flag, "numjit's memory management is always there"),
        Option("_dbg_extend_lifetimes", False, _flag, "debug= extends them"),
        Option("_dbg_optnone", False, _flag, "debug= decides"),
    )
}


def is_unknown(name: str, value) -> bool:
    """Whether Numba has no such option. It has no `target`; that of ours is the processor."""
    return name not in OPTIONS or (name == "target" and value not in _TARGETS)


def check_options(given: dict, late: bool = False) -> dict:
    """The options as the decorator keeps them; raises Numba's errors for unknown ones.

    With `late` these are kept, and refused when the function is compiled: a module with a function
    that is never called can be imported.
    """
    checked = {}
    for name, value in given.items():
        if not (late and is_unknown(name, value)):
            value = _check(name, value, given)
        checked[name] = value
    if is_refused(checked):
        _warn_of_unknown(checked)
    return checked


def _check(name, value, given):
    option = OPTIONS.get(name)
    if option is None:
        raise _unknown(name, given)
    try:
        return option.check(name, value)
    except Bad as bad:
        from numjit import errors

        cls = getattr(errors, bad.cls)
        raise cls(bad.message, places=_place_of(name), hint=bad.hint) from None


def is_refused(options: dict) -> bool:
    """Whether a function with these options cannot be compiled."""
    return any(is_unknown(name, value) for name, value in options.items())


def _warn_of_unknown(options):
    from numjit.diagnostics import warn_user
    from numjit.errors import NumbaError, NumbaWarning

    try:
        check_options(options)
    except NumbaError as error:
        warn_user(f"the function cannot be compiled: {error}", NumbaWarning)


def compiler_options(options: dict) -> dict:
    """What numjit._core.Dispatcher takes, from checked options."""

    def value(name):
        return options.get(name, OPTIONS[name].default)

    fastmath = value("fastmath")
    bits = 0
    for flag in fastmath if isinstance(fastmath, set) else ["fast"] * bool(fastmath):
        bits |= FASTMATH_FLAGS[flag]
    debug = value("debug")
    boundscheck = config.BOUNDSCHECK
    if boundscheck is None:
        boundscheck = value("boundscheck")
    fields = {field: value(name) == on for name, (field, on) in _FIELDS.items()}
    fields["strict_ints"] |= bool(config.warn_int_to_float)
    return {
        **fields,
        "fastmath": bits,
        "own_fastmath": "fastmath" in options,
        "own_error_model": "error_model" in options,
        "promotes_as_numba": options.get("promotion", config.promotion()) == "numba",
        "own_promotion": "promotion" in options,
        "boundscheck": bool(boundscheck),
        "debug": bool(config.DEBUGINFO_DEFAULT if debug is None else debug),
        "inline_always": value("inline") == "always" or bool(value("forceinline")),
        "inline_never": "inline" in options and value("inline") == "never",
        "parallel": bool(value("parallel")),
        "locals": {name: type_._handle for name, type_ in value("locals").items()},
        "refused": is_refused(options),
    }


def _unknown(name: str, given: dict):
    from numjit.errors import UnknownOptionError
    from numjit.places import near

    unknown = ", ".join(repr(other) for other in given if other not in OPTIONS)
    known = [other for other in OPTIONS if not other.startswith(("_", "no_"))]
    return UnknownOptionError(
        f"Unrecognized options: {{{unknown}}}. Known options are {', '.join(known)}",
        places=_place_of(name),
        hint=near(name, known),
    )


def _place_of(name: str) -> list:
    """The keyword in the user's call of the decorator, or the call."""
    from numjit.places import caller_place, place_within

    place = caller_place()
    if place is None:
        return []
    return [place_within(place, f"{name}=") or place]
