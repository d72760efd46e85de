"""@cuda.jit and declare_device."""

from __future__ import annotations

from types import FunctionType

from numjit import config
from numjit.diagnostics import warn_user
from numjit.dispatcher import rows_of
from numjit.errors import NumbaInvalidConfigWarning, UnknownOptionError
from numjit.functions import frameless
from numjit.library.cuda.device import extern_function, extern_with_status
from numjit.option_docs import with_options
from numjit.options import OPTIONS, Option, compiler_options
from numjit.places import near
from numjit.signatures import Signature, is_signature, normalize_signature
from numjit.types import Type

from .cudadrv.linkable import declare
from .dispatcher import CUDADispatcher
from .launch_bounds import checked_bounds


def _kept(annotation):
    """A check that lets everything pass: _check looks at them together."""

    def check(name, value):
        return value

    check.__annotations__ = {"value": annotation}
    return check


_FLAG, _NUMBER = _kept("bool"), _kept("int | None")

_OPTIONS = {
    row.name: row
    for row in (
        Option("device", False, _FLAG, "a function that kernels call, not a kernel"),
        Option("inline", "never", _kept("Literal['always', 'never'] | bool"), "into every caller"),
        Option("forceinline", False, _FLAG, "inlined by LLVM into every caller"),
        Option("link", (), _kept("str | Sequence[str | object]"), "files linked with the kernel"),
        Option("debug", None, _kept("bool | None"), "errors are raised, values kept for debuggers"),
        Option("opt", True, _kept("bool | int"), "optimise"),
        Option("lineinfo", False, _FLAG, "line numbers for profilers"),
        Option("cache", False, _FLAG, "keep what was compiled on disk"),
        Option("max_registers", None, _NUMBER, "most registers of a thread"),
        Option("fastmath", False, OPTIONS["fastmath"].check, OPTIONS["fastmath"].doc),
        Option(
            "launch_bounds",
            None,
            _kept("int | tuple[int, ...] | None"),
            "most threads of a block, least blocks of a multiprocessor, most blocks of a cluster",
        ),
        Option("lto", False, _FLAG, "accepted, without effect"),
        Option("extensions", (), _kept("Sequence[object]"), "objects that prepare arguments"),
        Option("boundscheck", None, _kept("bool | None"), "kernels check no indices: only False"),
        Option("nopython", True, _FLAG, "kernels have no object mode"),
        Option("fma", True, _FLAG, "contract a * b + c to one operation"),
        Option("scratch", None, _NUMBER, "bytes for each thread's arrays made in a kernel"),
        Option("racecheck", None, _kept("bool | None"), "the simulator reports races"),
        Option("bind", True, _FLAG, "accepted, without effect"),
        Option("abi", "numba", _kept("Literal['numba', 'c']"), "accepted, without effect"),
        Option("locals", {}, OPTIONS["locals"].check, OPTIONS["locals"].doc),
        Option(
            "shared_memory_carveout",
            None,
            _kept("int | str | None"),
            "percent of the cache that is shared memory",
        ),
    )
}


@frameless
@with_options(_OPTIONS.values())
def jit(func_or_sig=None, device=False, **options):
    """Compiles a kernel when it is launched, or at once for signatures; a function for kernels
    with device=True."""
    unknown = [name for name in options if name not in _OPTIONS]
    if unknown:
        raise UnknownOptionError(
            f"Unrecognized options: {{{', '.join(map(repr, unknown))}}}. "
            f"Known options are {', '.join(_OPTIONS)}",
            hint=near(unknown[0], _OPTIONS),
        )
    _check(options)
    options["device"] = bool(device)
    if type(func_or_sig) is FunctionType:
        return _make(func_or_sig, [], options)
    if func_or_sig is None:
        signatures = []
    elif isinstance(func_or_sig, list):
        signatures = func_or_sig
    elif is_signature(func_or_sig):
        signatures = [func_or_sig]
    elif isinstance(func_or_sig, Type):
        raise TypeError(f"a signature is wanted, not the type {func_or_sig}")
    else:
        raise TypeError(f"The decorated object is not a function (got type {type(func_or_sig)}).")

    def decorate(function):
        if type(function) is not FunctionType:
            if isinstance(function, CUDADispatcher):
                raise TypeError(
                    f"A jit decorator was called on an already jitted function {function}."
                )
            raise TypeError(f"The decorated object is not a function (got type {type(function)}).")
        made = _make(function, signatures, options)
        # A kernel of one signature is for these types alone, a kernel of a list is not.
        if signatures and not isinstance(func_or_sig, list) and not device:
            made.specialized = True
        return made

    return decorate


#: Parts of a multiprocessor's memory that are shared memory, in percent.
_CARVEOUTS = {"default": -1, "maxl1": 0, "maxshared": 100}


def _carveout(given):
    """Percent, -1 for the driver's choice."""
    if isinstance(given, str) and given.lower() in _CARVEOUTS:
        return _CARVEOUTS[given.lower()]
    if isinstance(given, int) and not isinstance(given, bool) and -1 <= given <= 100:
        return given
    if isinstance(given, str):
        raise ValueError(
            f"Invalid carveout value {given!r}: shared_memory_carveout is 'default', 'MaxL1', "
            "'MaxShared' or a number"
        )
    if isinstance(given, int):
        raise ValueError(f"shared_memory_carveout must be between -1 and 100, not {given!r}")
    raise TypeError(f"shared_memory_carveout is an int or a str, not {given!r}")


def _check(options):
    checked_bounds(options.get("launch_bounds"))
    if options.get("shared_memory_carveout") is not None:
        options["shared_memory_carveout"] = _carveout(options["shared_memory_carveout"])
    debug, opt = options.get("debug"), options.get("opt", True)
    if debug is None:
        options["debug"] = debug = bool(config.DEBUGINFO_DEFAULT or config.CUDA_DEBUGINFO_DEFAULT)
    if options.get("link") and isinstance(options["link"], str):
        options["link"] = (options["link"],)
    if debug and opt and config.OPT:
        warn_user(
            "debug=True with opt=True (the default) is not supported by CUDA's assembler: a "
            "debugger finds lines, but no variables. Use opt=False to debug, or debug=False",
            NumbaInvalidConfigWarning,
        )
    if debug and options.get("lineinfo"):
        warn_user(
            "debug and lineinfo are mutually exclusive. Use debug to get full debug info (this "
            "disables some optimizations), or lineinfo for line info only with code generation "
            "unaffected.",
            NumbaInvalidConfigWarning,
        )


def _make(function, signatures, options):
    made = declared(function, signatures, options)
    if made is not function:
        compile_declared(made, signatures)
    return made


def declared(function, signatures, options):
    """The kernel with its signatures, none of which is compiled yet."""
    if config.DISABLE_JIT:
        return function
    inline = options.get("inline", "never")
    compiled = compiler_options(
        {
            "fastmath": options.get("fastmath", False),
            # Division by zero raises where raising has an effect, with debug=True.
            "error_model": "python" if options["debug"] else "numpy",
            "inline": "always" if inline is True or inline == "always" else "never",
            "forceinline": bool(options.get("forceinline")),
            "debug": False,
            "boundscheck": False,
            "locals": options.get("locals", {}),
        }
    )
    compiled["boundscheck"] = bool(options["debug"] or options.get("boundscheck"))
    if signatures:
        compiled["signatures"] = rows_of(signatures)
    made = CUDADispatcher(function, compiled, options)
    made._compiler_options = compiled
    return made


def compile_declared(made, signatures):
    for signature in signatures:
        made.compile(signature)


CUDADispatcher._makers = declared, compile_declared


def for_kernels(function):
    """A function of the user's as kernels call it: compiled for the device, unless it is one of
    Python's or NumPy's own."""
    function = getattr(function, "py_func", function)
    return jit(function, device=True) if type(function) is FunctionType else function


def vectorize(ftylist_or_function=(), target="cuda", **options):
    """numjit.vectorize whose loops run on a GPU."""
    from numjit import ufuncs

    return ufuncs.vectorize(ftylist_or_function, target=target, **options)


def guvectorize(ftylist, signature=None, target="cuda", **options):
    """numjit.guvectorize whose loops run on a GPU."""
    from numjit import ufuncs

    return ufuncs.guvectorize(ftylist, signature, target=target, **options)


def declare_device(name, sig, link=None, use_cooperative=False, abi="numba"):
    """A function of other code, by its name and signature. Kernels that call it are linked with
    `link`, if that is given. `abi`: "numba", `int f(result *, arguments...)`, or "c",
    `result f(arguments...)`."""
    if abi not in ("numba", "c"):
        raise NotImplementedError(f"Unsupported ABI: {abi}")
    arguments, result = normalize_signature(sig)
    if result is None:
        raise TypeError("Return type must be provided for device declarations")
    if link:
        declare(name, link)
    extern = extern_function if abi == "c" else extern_with_status
    made = extern(name, result, tuple(arguments))
    made.name, made.sig = name, Signature(result, tuple(arguments))
    return made
