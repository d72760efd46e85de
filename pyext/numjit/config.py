"""Settings, read from the environment when numjit is imported: NUMJIT_<NAME> or NUMBA_<NAME>.

A program may also assign them: `numjit.config.DISABLE_JIT = True` holds for functions decorated
afterwards. `reload_config()` reads the environment again.
"""

from __future__ import annotations

import os
import sys
import warnings

from numjit import _core


def _flag(text: str) -> bool:
    return text.strip().lower() not in ("", "0", "false", "no", "off")


def _capability(text: str) -> tuple[int | str, ...]:
    major, minor = text.rstrip("af").split(".")
    suffix = text[-1:] if text[-1:] in ("a", "f") else ""
    return int(major), int(minor), *suffix


def _promotion(text: str) -> str:
    if text not in ("numpy", "numba"):
        raise ValueError(text)
    return text


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
    Setting("PROMOTION", None, _promotion, "the value of promotion= where a decorator gives none"),
    Setting("DEBUGINFO_DEFAULT", False, _flag, "the value of debug= where a decorator gives none"),
    Setting("CACHE_DIR", "", str, "the folder of functions with cache=True, not the source's"),
    Setting("CACHE_BYTES", 0, int, "bytes of entries in a folder of the cache, at most; 0: any"),
    Setting("PICKLE_CODE", 4 << 20, int, "bytes of machine code in a function's pickle, at most"),
    Setting("CUDA_LOW_OCCUPANCY_WARNINGS", True, _flag, "warn of launches of few blocks"),
    Setting("CUDA_WARN_ON_IMPLICIT_COPY", True, _flag, "warn of host arrays given to kernels"),
    Setting("CUDA_RACECHECK", False, _flag, "the CUDA simulator reports races"),
    Setting("DISABLE_CUDA", False, _flag, "there is no CUDA driver"),
    Setting("CUDA_DRIVER", "", str, "the folder of libcuda.so.1, or that file"),
    Setting("FORCE_CUDA_CC", None, _capability, "the compute capability of kernels, as 7.5"),
    Setting("CUDA_DEFAULT_PTX_CC", (7, 5), _capability, "that of PTX where none is given"),
    Setting("CUDA_PER_THREAD_DEFAULT_STREAM", False, _flag, "stream 0 is one of each thread"),
    Setting("CUDA_ARRAY_INTERFACE_SYNC", True, _flag, "arrays of other libraries are waited for"),
    Setting("CUDA_MEMORY_MANAGER", "default", str, "a module with _numba_memory_manager"),
    Setting("CUDA_INCLUDE_PATH", "", str, "where CUDA C++ in link= finds its headers"),
    Setting("CUDA_NVRTC_EXTRA_SEARCH_PATHS", "", str, "more of such places, looked at first"),
    Setting("CUDA_DEBUGINFO_DEFAULT", False, _flag, "debug= of kernels that do not say"),
    Setting("DISABLE_PERFORMANCE_WARNINGS", False, _flag, "no NumbaPerformanceWarning"),
    Setting("warn_int_to_float", False, _flag, "warn where uint64 and int64 meet in a float64"),
    Setting("PROFILE_CALLS", False, _flag, "cProfile and sys.setprofile see compiled functions"),
    Setting("REPORT", False, _flag, "print f.report() of every function when the program ends"),
    Setting("FULL_TRACEBACKS", False, _flag, "keep the frames of numjit itself in tracebacks"),
)


# What programs ask of the machine.
PYVERSION = sys.version_info[:2]
IS_WIN32 = sys.platform.startswith("win32")
IS_OSX = sys.platform.startswith("darwin")
MACHINE_BITS = 64 if sys.maxsize > 2**32 else 32
IS_32BITS = MACHINE_BITS == 32


# Numba's settings that mean nothing here: programs read them, and may assign them.
_ACCEPTED = (
    ("OPT", 3, int),
    ("WARNINGS", False, _flag),
    ("CPU_NAME", None, str),
    ("CPU_FEATURES", None, str),
    ("CAPTURED_ERRORS", "new_style", str),
    ("COLOR_SCHEME", "no_color", str),
    ("THREADING_LAYER_PRIORITY", ["tbb", "omp", "workqueue"], str.split),
    ("PARALLEL_DIAGNOSTICS", 0, int),
    ("INLINE_CLOSURECALL", False, _flag),
    ("CUDA_LOG_LEVEL", "", str),
    ("CUDA_LOG_SIZE", 1024, int),
    ("CUDA_DEALLOCS_COUNT", 10, int),
    ("CUDA_ENABLE_NRT", True, _flag),
    ("CUDA_DEALLOCS_RATIO", 0.2, float),
)
_ACCEPTED_ON = "ENABLE_AVX LOOP_VECTORIZE SLP_VECTORIZE USING_SVML SHOW_HELP".split()
_ACCEPTED_OFF = (
    "ALWAYS_WARN_UNINIT_VAR ANNOTATE CUDA_NRT_STATS CUDA_DEBUG_POLY "
    "CUDA_DEBUG_POLY_USE_TYPED_CONST "
    "CUDA_ENABLE_MINOR_VERSION_COMPATIBILITY "
    "CUDA_ENABLE_PYNVJITLINK CUDA_LOG_API_ARGS CUDA_USE_NVIDIA_BINDING CUDA_VERBOSE_JIT_LOG "
    "DEBUG DEBUG_ARRAY_OPT DEBUG_CACHE DEBUG_FRONTEND DEBUG_JIT DEBUG_NRT DEBUG_TYPEINFER "
    "DEVELOPER_MODE DISABLE_ERROR_MESSAGE_HIGHLIGHTING DISABLE_HIGHLIGHTING "
    "DISABLE_INTEL_SVML DISABLE_OMP DISABLE_TBB DUMP_ASSEMBLY "
    "DUMP_BYTECODE DUMP_CFG DUMP_FUNC_OPT DUMP_IR DUMP_LLVM DUMP_OPTIMIZED DUMP_SSA "
    "ENABLE_CUDASIM ENABLE_PROFILING HIGHLIGHT_DUMPS LLVM_PASS_TIMINGS SKIP_TESTS "
    "TRACE"
).split()


PROMOTION: str | None  # set by reload_config, as all settings are


def promotion() -> str:
    """The value of promotion= where a decorator sets none: Numba's where numjit goes by its name,
    as after `sys.modules["numba"] = numjit`."""
    named_numba = sys.modules.get("numba") is sys.modules["numjit"]
    return PROMOTION or ("numba" if named_numba else "numpy")  # noqa: F821


def reload_config() -> None:
    """Reads every setting from the environment."""
    for setting in SETTINGS:
        globals()[setting.name] = _from_environment(setting)


def _accepted(name: str):
    for known, default, read in _ACCEPTED:
        if known == name:
            return Setting(known, default, read, "")
    if name in _ACCEPTED_ON or name in _ACCEPTED_OFF:
        return Setting(name, name in _ACCEPTED_ON, _flag, "")
    return None


#: Settings whose variable has another name, as in Numba.
_VARIABLES = {
    "DEBUGINFO_DEFAULT": "DEBUGINFO",
    "CUDA_DEBUGINFO_DEFAULT": "CUDA_DEBUGINFO",
    "CUDA_DEALLOCS_COUNT": "CUDA_MAX_PENDING_DEALLOCS_COUNT",
    "CUDA_DEALLOCS_RATIO": "CUDA_MAX_PENDING_DEALLOCS_RATIO",
}


def _from_environment(setting: Setting):
    names = [setting.name.upper()]
    if setting.name in _VARIABLES:
        names.append(_VARIABLES[setting.name])
    for variable in [prefix + name for prefix in ("NUMJIT_", "NUMBA_") for name in names]:
        text = os.environ.get(variable)
        if text is not None and text.strip():
            try:
                return setting.read(text)
            except ValueError:
                _warn_bad_value(variable, text)
    return setting.default


def _warn_bad_value(name: str, text: str) -> None:
    from numjit.errors import NumbaInvalidConfigWarning

    warnings.warn(
        f"environment variable {name}={text!r} has no valid value and is ignored",
        NumbaInvalidConfigWarning,
        stacklevel=2,
    )


def __getattr__(name):
    if name in (
        "NUMBA_NUM_THREADS",
        "NUMBA_DEFAULT_NUM_THREADS",
    ):  # known when the compiler is loaded
        return _core.thread_limit()
    if name == "THREADING_LAYER":
        return "tbb"
    if setting := _accepted(name):
        return _from_environment(setting)
    raise AttributeError(f"module 'numjit.config' has no attribute {name!r}")


reload_config()
