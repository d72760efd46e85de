"""Callbacks of transforms: device code, as CUDA C++ text, by which cuFFT reads the elements that it
transforms and writes those of the result.

A text is compiled to NVVM's link-time form behind a function of our own, which has the parameters
that cuFFT asks for: texts for cuFFT's older interface ("legacy"), in which an offset is a `size_t`,
are compiled the same way.
"""

from __future__ import annotations

import ctypes
import functools
import re
import warnings

from numjit.cuda.cudadrv import nvrtc
from numjit.cuda.cudadrv.driver import simulated

from .cufft_plans import TYPES, _local, getVersion
from .libraries import check, library
from .text_cache import _folder as get_cache_dir  # noqa: F401
from .text_compiler import capability, compiled

_FIRST_VERSION = 11303  # of cuFFT, with functions that are linked
_TYPES_OF_DATA = ("cufftComplex", "cufftDoubleComplex", "cufftReal", "cufftDoubleReal")

# cuFFT asks for functions of C++ by these names.
_SYMBOLS = {"load": b"numjit_load", "store": b"numjit_store"}
_LOAD = """
__device__ {type} numjit_load(void *data, unsigned long long offset, void *info, void *shared) {{
  return {name}(data, offset, info, shared);
}}
"""
_STORE = """
__device__ void numjit_store(void *data, unsigned long long offset, {type} element, void *info,
                             void *shared) {{
  {name}(data, offset, element, info, shared);
}}
"""


class Callback:
    """Device code that reads elements, or that writes them, and what it is handed beside."""

    def __init__(self, kind, text, name, data, options):
        self.kind, self.text, self.options = kind, text, options
        self.name = name or _name_in(text, kind)
        self.data = data  # kept alive; memory or an array
        self.address = 0 if data is None else getattr(data, "data", data).ptr
        # cuFFT keeps the addresses of what it is given.
        self._info, self._codes = ctypes.c_void_p(self.address), []

    def _key(self):
        return self.kind, self.text, self.name, self.address, self.options

    def __hash__(self):
        return hash(self._key())

    def __eq__(self, other):
        return type(other) is Callback and self._key() == other._key()

    def __repr__(self):
        return f"<{self.kind} callback {self.name}>"

    def set(self, plan, fft_type):
        """Gives it to a plan of cuFFT whose sizes are not yet known."""
        is_real = fft_type in TYPES["R2C" if self.kind == "load" else "C2R"]
        is_double = any(fft_type == numbers[1] for numbers in TYPES.values())
        number = 2 * is_real + is_double
        type_ = _TYPES_OF_DATA[number]
        code = _linkable(self.kind, self.text, self.name, type_, self.options, capability())
        cufft = library("cufft")
        set_callback = getattr(cufft, "__cufftXtSetJITCallback_12_7", None)  # its name in CUDA 12
        if set_callback is None:
            set_callback = cufft.cufftXtSetJITCallback
        info = ctypes.byref(self._info) if self.address else None
        self._codes.append(code)
        number += 4 * (self.kind == "store")
        nvrtc._library()  # cuFFT links with it and finds it where it has been loaded
        size = ctypes.c_size_t(len(code))
        check("cuFFT", set_callback(plan, _SYMBOLS[self.kind], code, size, number, info))


def _name_in(text, kind):
    """Of the function that a text assigns to cuFFT's pointer, or else of its last one."""
    found = re.search(rf"d_{kind}CallbackPtr\s*=\s*&?\s*(\w+)", text)
    names = [found[1]] if found else re.findall(r"__device__[\w\s]+?(\w+)\s*\(\s*void\b", text)
    if not names:
        raise ValueError(
            f"no function is found in the text of cb_{kind}: name it by cb_{kind}_name"
        )
    return names[-1]


@functools.lru_cache(64)
def _linkable(kind, text, name, type_, options, cc):
    # cuFFT has functions of its own whose names are those of its documentation.
    source = (
        f'#include "cufftXt.h"\n#define {name} numjit_of_{name}\n#line 1 "callback.cu"\n{text}\n'
        f'#line 1 "cuFFT"\n{(_LOAD if kind == "load" else _STORE).format(type=type_, name=name)}'
    )
    return compiled(source, ("-dlto", "-rdc=true", *options), cc=cc)[0]


def _managers():
    return _local.__dict__.setdefault("callbacks", [])


def get_current_callback_manager():
    """The innermost set_cufft_callbacks of this thread; None outside of one."""
    return _managers()[-1] if _managers() else None


def current_callbacks() -> tuple:
    """(callbacks that read, callbacks that write): of at most one each."""
    manager = get_current_callback_manager()
    return ((), ()) if manager is None else (manager.loads, manager.stores)


class set_cufft_callbacks:
    """A context in which transforms read their elements by `cb_load` and write those of the result
    by `cb_store`, CUDA C++ texts.

    The function in each text is named by `cb_load_name` and `cb_store_name`; or it is the one that
    d_loadCallbackPtr and d_storeCallbackPtr get, or the last one. `cb_load_data` and
    `cb_store_data` are memory that the functions are handed. Where cuFFT does not transform all
    axes at once, the first transform reads and the last one writes by the functions.
    """

    def __init__(
        self, cb_load=None, cb_store=None, cb_load_aux_arr=None, *, cb_store_aux_arr=None,
        cb_load_name=None, cb_store_name=None, cb_load_data=None, cb_store_data=None,
        cb_ver="legacy", nvrtc_options=(),
    ):  # fmt: skip
        if cb_ver not in ("legacy", "jit", ""):
            raise ValueError(f"cb_ver must be 'legacy' or 'jit', not {cb_ver!r}")
        if not cb_load and not cb_store:
            raise ValueError("cb_load, cb_store or both must be given")
        self._warn(cb_ver, cb_load_aux_arr, cb_store_aux_arr)
        if simulated():
            raise NotImplementedError("callbacks of cuFFT are CUDA C++, which needs a GPU")
        if getVersion() < _FIRST_VERSION:
            raise RuntimeError("callbacks need cuFFT of CUDA 12.8 or a newer one")
        given = (
            ("load", cb_load, cb_load_name, cb_load_aux_arr, cb_load_data),
            ("store", cb_store, cb_store_name, cb_store_aux_arr, cb_store_data),
        )
        for kind, text, _, array, data in given:
            if not text and (array is not None or data is not None):
                raise ValueError(f"cb_{kind}_data is given without cb_{kind}")
            if array is not None and data is not None:
                raise ValueError(f"cb_{kind}_data and cb_{kind}_aux_arr are both given")
        self.loads, self.stores = (
            (Callback(kind, text, name, data if array is None else array, tuple(nvrtc_options)),)
            if text
            else ()
            for kind, text, name, array, data in given
        )
        self.cb_load, self.cb_store, self.cb_ver = cb_load, cb_store, cb_ver

    @staticmethod
    def _warn(version, *arrays):
        if version == "legacy":
            warnings.warn(
                "the legacy callback is considered deprecated: cb_ver='jit' takes the same texts, "
                "with offsets of type unsigned long long",
                DeprecationWarning,
                stacklevel=3,
            )
        if any(array is not None for array in arrays):
            warnings.warn(
                "cb_load_aux_arr or cb_store_aux_arr is deprecated: cb_load_data and "
                "cb_store_data take an array's data",
                DeprecationWarning,
                stacklevel=3,
            )

    def __enter__(self):
        _managers().append(self)
        return self

    def __exit__(self, *exception):
        _managers().pop()
