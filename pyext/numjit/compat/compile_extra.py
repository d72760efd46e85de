"""Numba's `core.compiler.compile_extra`: a function compiled at once for types, with `Flags` for
what are options of `jit`."""

from __future__ import annotations

from numjit.decorators import jit
from numjit.dispatcher import Dispatcher
from numjit.signatures import Signature

__all__ = ["DEFAULT_FLAGS", "Flags", "ParallelOptions", "compile_extra"]


class ParallelOptions:
    """What `parallel=` of jit is: a bool, or a dict of parts."""

    def __init__(self, value):
        if not isinstance(value, bool | dict):
            raise ValueError(f"parallel options must be a bool or a dict, not {value!r}")
        self.value = value
        self.enabled = bool(value)


# Flags -> their values where nothing is said, and the options that they are (None: nothing that
# machine code of numjit depends on).
_FLAGS: dict[str, tuple[object, str | None]] = {
    "enable_looplift": (False, "looplift"),
    "enable_pyobject": (False, None),
    "enable_pyobject_looplift": (False, None),
    "enable_ssa": (True, None),
    "force_pyobject": (False, "forceobj"),
    "release_gil": (False, "nogil"),
    "no_compile": (False, None),
    "debuginfo": (False, "debug"),
    "boundscheck": (False, "boundscheck"),
    "forceinline": (False, "forceinline"),
    "no_cpython_wrapper": (False, None),
    "no_cfunc_wrapper": (False, None),
    "auto_parallel": (False, "parallel"),
    "nrt": (False, None),
    "no_rewrites": (False, None),
    "error_model": ("python", "error_model"),
    "fastmath": (False, "fastmath"),
    "noalias": (False, None),
    "inline": ("never", "inline"),
    "dbg_extend_lifetimes": (False, None),
    "dbg_optnone": (False, None),
    "dbg_directives_only": (False, None),
}


class Flags:
    """How compile_extra() compiles."""

    def __init__(self):
        for name, (value, _) in _FLAGS.items():
            setattr(self, name, value)

    def __setattr__(self, name, value):
        if name not in _FLAGS:
            raise AttributeError(f"there is no flag {name!r}")
        super().__setattr__(name, value)

    def copy(self):
        made = type(self)()
        vars(made).update(vars(self))
        return made

    def __repr__(self):
        changed = (f"{k}={v!r}" for k, v in vars(self).items() if v != _FLAGS[k][0])
        return f"Flags({', '.join(changed)})"

    def _options(self):
        options = {
            option: getattr(self, name)
            for name, (value, option) in _FLAGS.items()
            if option and getattr(self, name) != value
        }
        parallel = options.get("parallel")
        if isinstance(parallel, ParallelOptions):
            options["parallel"] = parallel.value
        if not (self.enable_pyobject or self.force_pyobject):
            options["nopython"] = True
        return options


DEFAULT_FLAGS = Flags()


def compile_extra(
    typingctx,
    targetctx,
    func,
    args,
    return_type,
    flags,
    locals,
    library=None,
    pipeline_class=None,
):
    """Compiles a Python function for types of arguments; returns its compile result. There is one
    compiler, so that contexts, library and pipeline are of no effect."""
    function = func.py_func if isinstance(func, Dispatcher) else func
    made = jit(locals=dict(locals or {}), **flags._options())(function)
    arguments = tuple(args)
    made.compile(arguments if return_type is None else Signature(return_type, arguments))
    found = made.overloads
    return found.get(arguments) or next(iter(found.values()))  # in object mode of any types
