"""The dispatcher: what @jit returns. Calls go through numjit._core.Dispatcher (C, vectorcall);
here is everything that is not on the road of a call.

The C base class provides, besides calling:

    Dispatcher(py_func, options, ...)   options: numjit.options.compiler_options
    _compile(arguments, result)         rows in, one of _specializations() out; result may be None
    _specializations()                  in the order of compilation, each with `arguments` (rows),
                                        `result` (row, None in object mode), `timings` (stage,
                                        milliseconds), `code_bytes`, `entry_point`
    _clear()                            forgets all of them
    _can_compile                        False: calls only use what is there

calls `_refuse()` before a function is read whose options have `refused` set, and
calls `_fall_back(error, rows)` when a call's argument types cannot be compiled (rows is None
when some argument has no type at all): what that returns is called from then on for these types,
what it raises reaches the caller. With `forceobj` among the target options it asks
`_object_mode_function()` at once.
"""

from __future__ import annotations

import functools

from numjit import _core, config
from numjit.caching import home, installed_beside, warn
from numjit.functions import FunctionLike, frameless
from numjit.options import check_options, compiler_options


class Dispatcher(_core.Dispatcher, FunctionLike):
    """A jitted function."""

    def __init__(self, py_func, compiler_options, targetoptions):
        functools.update_wrapper(self, py_func)
        self.targetoptions = targetoptions
        self._lifted = ()
        self._interpreted = None  # what runs in object mode, once that was needed
        self._warned = False
        self._kept_for = None  # the function beside whose source code of this one is kept
        self._kept_in = None  # where else it is kept, as _cache_home returns it
        self._untyped = False  # object mode ran for arguments that have no types
        if config.PROFILE_CALLS:
            from numjit.profiling import show_calls

            show_calls(self)
        if config.REPORT:
            from numjit.report import print_at_exit

            print_at_exit(self)

    @property
    def _enable_sysmon(self):
        """Whether profilers see the calls: Numba's switch for one function."""
        return self._frame is not None

    @_enable_sysmon.setter
    def _enable_sysmon(self, on):
        from numjit.profiling import show_calls

        self._frame = None
        if on:
            show_calls(self)

    # -- what is compiled ---------------------------------------------------------------------

    @property
    def signatures(self) -> list[tuple]:
        """Argument types of the specialisations, in the order they were compiled; behind these
        those for which functions that call this one had it compiled."""
        return list(dict.fromkeys([*self.overloads, *(s.args for s in self._with_callers())]))

    def _with_callers(self):
        from numjit.inspection import compiled_with_callers

        return compiled_with_callers(self)

    @property
    def nopython_signatures(self) -> list:
        """Signatures of the specialisations that are machine code."""
        found = self.overloads
        own = [item.signature for item in found.values() if not item.objectmode]
        return own + [each for each in self._with_callers() if each.args not in found]

    @property
    def overloads(self):
        """Argument types -> CompileResult (entry_point, signature, metadata, lifted, ...)."""
        from numjit.inspection import overloads

        return overloads(self)

    @property
    def stats(self):
        """Cache statistics (cache_path, cache_hits, cache_misses)."""
        from numjit.inspection import Stats

        return Stats.of(self)

    @frameless
    def get_overload(self, sig):
        """The compiled function for argument types; KeyError if there is none."""
        from numjit.signatures import normalize_signature

        return self.overloads[normalize_signature(sig)[0]].entry_point

    @frameless
    def get_compile_result(self, sig):
        """The CompileResult of a signature, compiled if need be."""
        from numjit.signatures import normalize_signature

        arguments, _ = normalize_signature(sig)
        if arguments not in self.overloads and self._can_compile:
            self.compile(sig)
        return self.overloads.get(arguments)

    @frameless
    def get_metadata(self, signature=None):
        """The metadata of one specialisation, or of all by argument types."""
        if signature is not None:
            return self.overloads[tuple(signature)].metadata
        return {types: item.metadata for types, item in self.overloads.items()}

    @frameless
    def timings(self, signature=None) -> dict[str, float]:
        """Milliseconds of compilation by stage: of one specialisation, or summed over all."""
        from numjit.timing import total

        found = self.overloads
        chosen = found.values() if signature is None else [found[tuple(signature)]]
        return total(item.metadata["timings"].items() for item in chosen)

    # -- the cache on disk --------------------------------------------------------------------

    def enable_caching(self) -> None:
        """As if the function had been decorated with cache=True."""
        self._caches = True

    def keep_for(self, dispatcher) -> None:
        """Caching, for a function that was made for another one, beside whose source it is kept."""
        self._kept_for = dispatcher.py_func
        self._caches = True

    def keep_in(self, folder: str, prefix: str) -> None:
        """Caching in a folder of its own."""
        self._kept_in = folder, prefix
        self._caches = True

    def _cache_home(self):
        """Of what is kept of this function: (folder, how names of files begin, folder that came
        with the package or "", most bytes in the first folder or 0)."""
        function = self._kept_for or self.py_func
        if self._kept_in is not None:
            return (*self._kept_in, "", 0)
        return (*home(function), installed_beside(function), config.CACHE_BYTES)

    def _warn_uncached(self, what):
        warn(self._kept_for or self.py_func, what)

    def _warn_not_parallel(self):
        self._warn_of_performance(
            "The keyword argument 'parallel=True' was specified but no transformation for parallel "
            f"execution was possible. {self.__name__}() has no loop over prange and no large array "
            "expression"
        )

    def _warn_versions(self, count, positions):
        names = self.py_func.__code__.co_varnames
        values = " and ".join(f"'{names[i]}'" for i in positions)
        self._warn_of_performance(
            f"{self.__name__}() has been compiled {count} times: the types in it depend on the "
            f"value of {values}, and each call with a new value compiles it again"
        )

    def _warn_of_performance(self, text):
        if config.DISABLE_PERFORMANCE_WARNINGS:
            return
        from numjit.diagnostics import warn_user
        from numjit.errors import NumbaPerformanceWarning

        warn_user(text, NumbaPerformanceWarning)

    # -- compiling ----------------------------------------------------------------------------

    def _refuse(self):
        """Raises the error of options that there are not."""
        check_options(self.targetoptions)

    @frameless
    def compile(self, sig):
        """Compiles for a signature, in any form the decorators take; the compiled function."""
        from numjit.signatures import normalize_signature
        from numjit.types.rows import handles_of

        arguments, result = normalize_signature(sig)
        in_python = self.targetoptions.get("forceobj")
        if arguments or not in_python:  # jit((), forceobj=True) takes any
            self._check_count(arguments)
        if in_python:
            return self._object_mode_function()  # of any types, pyobject too
        if not self._can_compile and arguments not in self.overloads:
            raise RuntimeError("compilation disabled")
        rows, result = handles_of(arguments, result)
        try:
            made = self._compile(rows, result)
        except Exception as error:
            if not self._may_fall_back(error):
                raise
            return self._fall_back(error, rows)
        return made.entry_point

    def _check_count(self, arguments):
        code = self.py_func.__code__
        most = code.co_argcount + code.co_kwonlyargcount
        if len(arguments) != most and not code.co_flags & 0x0C:  # *args, **kwargs
            from numjit.errors import SignatureError
            from numjit.places import caller_place

            place = caller_place()
            raise SignatureError(
                f"Signature mismatch: {len(arguments)} argument types given, "
                f"but function takes {most} arguments",
                places=[place] if place else [],
            )

    @frameless
    def recompile(self) -> None:
        """Compiles every specialisation anew, with the present values of globals."""
        signatures = list(self.overloads)
        self._looks_in_cache = False
        can_compile = self._can_compile
        self._clear()
        self._interpreted, self._lifted = None, ()
        self._can_compile = True
        try:
            for signature in signatures:
                self.compile(signature)
        finally:
            self._can_compile = can_compile
            self._looks_in_cache = True

    def disable_compile(self, val=True) -> None:
        """Whether calls with new argument types are refused rather than compiled."""
        self._can_compile = not val

    @property
    def is_compiling(self) -> bool:
        """Whether some thread compiles this function now."""
        return bool(self._compiling)

    # -- object mode --------------------------------------------------------------------------

    def _may_fall_back(self, error) -> bool:
        from numjit.object_mode import is_reason

        return not self.targetoptions.get("nopython") and is_reason(error)

    def _fall_back(self, error, rows):
        """What runs in place of machine code for these argument types."""
        if not self._may_fall_back(error):
            raise error
        self._untyped |= rows is None
        if not self._warned:
            self._warned = True
            from numjit.object_mode import warn

            warn(self, error)
        return self._object_mode_function()

    def _object_mode_function(self):
        if self._interpreted is None:
            from numjit.object_mode import interpreted

            self._interpreted, self._lifted = interpreted(
                self.py_func, self.targetoptions, Dispatcher
            )
        return self._interpreted

    # -- looking inside -----------------------------------------------------------------------

    @frameless
    def inspect_types(self, file=None, signature=None, pretty=False, style="default", **kwargs):
        """Prints the source with the types of its values."""
        from numjit.inspection import inspect_types

        return inspect_types(self, file, signature, pretty)

    @frameless
    def inspect_llvm(self, signature=None):
        """Optimised LLVM IR: of one signature, or a dict by signature."""
        return self._dumps("llvm", signature)

    @frameless
    def inspect_asm(self, signature=None):
        """Machine code as assembly: of one signature, or a dict by signature."""
        return self._dumps("asm", signature)

    def _dumps(self, stage, signature):
        from numjit.inspection import dump_overloads

        return dump_overloads(self, stage, signature)

    @frameless
    def inspect_cfg(self, signature=None, show_wrapper=None, **kwargs):
        """The control flow of the optimised LLVM IR as a graph: of one signature, or a dict."""
        from numjit.inspection import control_flow

        return control_flow(self, "llvm", signature)

    @frameless
    def inspect_disasm_cfg(self, signature=None):
        """The control flow of the machine code as a graph: of one signature, or a dict."""
        from numjit.inspection import control_flow

        return control_flow(self, "asm", signature)

    @frameless
    def parallel_diagnostics(self, signature=None, level=1):
        """Prints what runs in parallel: of one signature, or of all."""
        from numjit.parallel_diagnostics import report

        print(report(self, signature, level), end="")

    @frameless
    def report(self, signature=None):
        """What was compiled, in how long; which loops are vectorised, and why others are not; what
        was inlined; allocations in loops. Printed it is text, in a notebook a table."""
        from numjit.report import Report

        return Report(self, signature)

    # -- being a function ---------------------------------------------------------------------

    @staticmethod
    def typeof_pyval(value):
        """The type of an argument."""
        from numjit.types import typeof

        return typeof(value)

    @property
    def func_code(self):
        return self.py_func.__code__

    @property
    def doc(self):
        return self.py_func.__doc__

    def get_annotation_info(self, signature=None):
        """(file and line, signature) -> source lines and the typed operations made of each."""
        from numjit.inspection import annotation_info

        return annotation_info(self, signature)

    @property
    def _numba_type_(self):
        from numjit.types import Dispatcher as DispatcherType

        return DispatcherType(self)

    def _repr_html_(self):
        """Notebooks show what was compiled."""
        from numjit.inspection import html_of

        return html_of(self)

    def __repr__(self):
        return f"CPUDispatcher({self.py_func!r})"

    def __reduce__(self):
        from numjit.pickling import reduce_dispatcher

        return reduce_dispatcher(self)


# -- making dispatchers ---------------------------------------------------------------------------


def rows_of(signatures):
    """What the compiler wants to know of explicit signatures."""
    from numjit.signatures import normalize_signature
    from numjit.types.rows import handles_of

    return [handles_of(*normalize_signature(item)) for item in signatures]


def declared(function, signatures, options):
    """The dispatcher with its signatures, none of which is compiled yet."""
    compiled = compiler_options(options) if options else _defaults()
    # What is inlined has the types of its caller, whatever it declares.
    if signatures and options.get("inline") != "always" and not options.get("forceobj"):
        compiled = {**compiled, "signatures": rows_of(signatures)}
    return Dispatcher(function, compiled, options)


def compile_declared(made, signatures):
    for signature in signatures:
        made.compile(signature)
    # A function that had to fall back goes on like one without signatures.
    if signatures and made._specializations():
        made.disable_compile()


def _defaults():
    global _default_options, _default_settings
    settings = config.BOUNDSCHECK, config.DEBUGINFO_DEFAULT, config.warn_int_to_float
    if _default_options is None or settings != _default_settings:
        _default_options, _default_settings = compiler_options({}), settings
    return _default_options


_default_options = None
_default_settings = None


Dispatcher._makers = declared, compile_declared
