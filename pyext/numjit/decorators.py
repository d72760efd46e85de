"""@jit, @njit and jit_module."""

from __future__ import annotations

import sys
import warnings
from types import FunctionType

from numjit import _core, config
from numjit.dispatcher import compile_declared, declared
from numjit.functions import frameless, is_jitted
from numjit.option_docs import NOT_OF_FIXED_TYPES, with_options
from numjit.options import OPTIONS, check_options


@frameless
@with_options(OPTIONS.values())
def jit(signature_or_function=None, locals=None, cache=False, pipeline_class=None, **options):
    """Compiles a function to machine code when it is called, or at once for the signatures given.

    A function whose types cannot be inferred runs in the interpreter, with a warning that says why;
    `nopython=True` (or @njit) makes that an error, `forceobj=True` asks for it.
    """
    options = given(options, locals=locals, cache=cache, pipeline_class=pipeline_class)
    options = _checked(options, late=True)
    if type(signature_or_function) is FunctionType:
        return _make(signature_or_function, (), options)
    return _with_signatures(signature_or_function, options)


def given(options, **named):
    """Options with those of a decorator's named parameters that are not left out."""
    return options | {name: value for name, value in named.items() if value}


def _checked(options, late=False):
    """The options of a decorator as the dispatcher keeps them."""
    if "_target" in options:
        options["target"] = options.pop("_target")
    for removed in ("argtypes", "restype"):
        if removed in options:
            from numjit.errors import DeprecationError

            raise DeprecationError(
                f"Deprecated keyword argument `{removed}`. Signatures should be passed as the "
                "first positional argument."
            )
    if options.get("nopython") and options.get("forceobj"):
        raise ValueError("Only one of 'nopython' or 'forceobj' can be True.")
    if options.get("nogil") and options.get("forceobj"):
        from numjit.diagnostics import warn_user
        from numjit.errors import NumbaWarning

        warn_user(
            "Code running in object mode won't allow parallel execution despite nogil=True.",
            NumbaWarning,
        )
    if options:
        options = check_options(options, late)
    return options


@frameless
@with_options(OPTIONS.values(), like=jit, left_out=NOT_OF_FIXED_TYPES)
def njit(*args, **options):
    """Compiles a function to machine code when it is called, or at once for the signatures given.

    A function whose types cannot be inferred is an error that points at the source: this is
    @jit(nopython=True).
    """
    return jit(*args, **_nopython(options))


def _nopython(options):
    for ignored in ("nopython", "forceobj"):
        if ignored in options:
            warnings.warn(f"{ignored} is set for njit and is ignored", RuntimeWarning, stacklevel=3)
            del options[ignored]
    return {"nopython": True, **options}


def _with_signatures(first, options):
    """The decorator for `@jit(...)`: `first` is a signature, several, or nothing."""
    # Signatures that cannot be read are an error of the decorator, before it meets a function.
    signatures = [] if first is None else _read_signatures(first)

    def decorate(function):
        if type(function) is not FunctionType:
            raise _not_a_function(function)
        return _make(function, signatures, options)

    return _core.frameless(decorate)


def _read_signatures(first):
    from numjit.signatures import Signature, is_signature, normalize_signature

    if not isinstance(first, list):
        if not is_signature(first):
            raise _not_a_function(first)
        first = [first]
    read = [normalize_signature(item) for item in first]
    return [
        arguments if result is None else Signature(result, arguments) for arguments, result in read
    ]


def signatures_of(function, options) -> tuple:
    """The signature of a function's annotations, where the options ask for it."""
    if not options.get("annotations"):
        return ()
    from numjit.signatures import annotated_signature

    return (annotated_signature(function),)


def _make(function, signatures, options):
    return function if config.DISABLE_JIT else _dispatcher(function, signatures, options)


def dispatcher_of(function, **options):
    """njit(**options)(function), also where DISABLE_JIT is set: for what only exists compiled
    (ufuncs, callbacks, stencils)."""
    return _dispatcher(function, (), _checked(_nopython(options)))


def _dispatcher(function, signatures, options):
    signatures = signatures or signatures_of(function, options)
    made = declared(function, signatures, options)
    compile_declared(made, signatures)
    return made


def _not_a_function(value) -> TypeError:
    if is_jitted(value):
        return TypeError(
            f"A jit decorator was called on an already jitted function {value}.  If trying to "
            f"access the original python function, use the {value}.py_func attribute."
        )
    return TypeError(f"The decorated object is not a function (got type {type(value)}).")


@with_options(OPTIONS.values())
def jit_module(**options):
    """Decorates every function defined so far in the calling module with @jit(**options)."""
    namespace = sys._getframe(1).f_globals
    for name, value in list(namespace.items()):
        is_own = getattr(value, "__module__", None) == namespace.get("__name__")
        if type(value) is FunctionType and is_own and not is_jitted(value):
            namespace[name] = jit(value, **options)
