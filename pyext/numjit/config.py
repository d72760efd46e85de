"""Settings, read from the environment when numjit is imported: NUMJIT_<NAME> or NUMBA_<NAME>.

A program may also assign them: `numjit.config.DISABLE_JIT = True` holds for functions decorated
afterwards. `reload_config()` reads the environment again.
"""

from __future__ import annotations

import os


def _flag(text: str) -> bool:
    return text.strip().lower() not in ("", "0", "false", "no", "off")


class Setting:
    """A row of SETTINGS. `read` makes the value from the text of the environment variable."""

    # Not a NamedTuple: making one takes longer than the rest of this module.
    __slots__ = ("name", "default", "read", "doc")

    def __init__(self, name, default, read, doc):
        self.name, self.default, self.read, self.doc = name, default, read, doc


SETTINGS = (
    Setting("DISABLE_JIT", False, _flag, "jit and njit give back the Python function"),
    Setting(
        "BOUNDSCHECK",
        None,
        _flag,
        "check indices everywhere or nowhere, over boundscheck=",
    ),
    Setting("DEBUGINFO_DEFAULT", False, _flag, "the value of debug= where a decorator gives none"),
    Setting("CUDA_LOW_OCCUPANCY_WARNINGS", True, _flag, "warn of launches of few blocks"),
    Setting("CUDA_WARN_ON_IMPLICIT_COPY", True, _flag, "warn of host arrays given to kernels"),
    Setting("CUDA_RACECHECK", False, _flag, "the CUDA simulator reports races"),
    Setting("warn_int_to_float", False, _flag, "warn where uint64 and int64 meet in a float64"),
    Setting("FULL_TRACEBACKS", False, _flag, "keep the frames of numjit itself in tracebacks"),
)


def reload_config() -> None:
    """Reads every setting from the environment."""
    for setting in SETTINGS:
        globals()[setting.name] = _from_environment(setting)


def _from_environment(setting: Setting):
    for prefix in ("NUMJIT_", "NUMBA_"):
        text = os.environ.get(prefix + setting.name.upper())
        if text is not None and text.strip():
            try:
                return setting.read(text)
            except ValueError:
                _warn_bad_value(prefix + setting.name.upper(), text)
    return setting.default


def _warn_bad_value(name: str, text: str) -> None:
    import warnings

    from numjit.errors import NumbaInvalidConfigWarning

    warnings.warn(
        f"environment variable {name}={text!r} has no valid value and is ignored",
        NumbaInvalidConfigWarning,
        stacklevel=2,
    )


def __getattr__(name):
    if name == "NUMBA_NUM_THREADS":  # known when the compiler is loaded
        from numjit import _core

        return _core.thread_limit()
    if name == "THREADING_LAYER":
        return "tbb"
    raise AttributeError(f"module 'numjit.config' has no attribute {name!r}")


reload_config()
