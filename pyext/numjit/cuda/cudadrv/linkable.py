"""Code that is linked with kernels: files by their suffix, or these objects with its bytes."""

from __future__ import annotations

import ctypes
import os

from . import nvrtc
from .error import LinkerError


class LoadedCode:
    """What callbacks of linked code get: the module that it was loaded with; `handle` is the
    driver's library (CUlibrary), as numba-cuda has it."""

    def __init__(self, handle, module, global_of):
        self.handle, self.module, self._global_of = handle, module, global_of

    def get_global(self, name):
        """(address, bytes) of a variable of the module."""
        return self._global_of(self.module, name)

    def __int__(self):
        return self.module


class LinkableCode:
    """Code in memory, and a name for the linker's messages. The callbacks are called with
    LoadedCode: one after each load of a kernel that the code is linked with, in its context, the
    other before it is unloaded."""

    kind = None  #: the linker's number of what it is

    def __init__(self, data, name=None, setup_callback=None, teardown_callback=None):
        for each in (setup_callback, teardown_callback):
            if each is not None and not callable(each):
                raise TypeError("setup_callback and teardown_callback are functions, or None")
        self.setup_callback, self.teardown_callback = setup_callback, teardown_callback
        if hasattr(data, "read"):  # an open file
            data = data.read()
        self.data = data.encode() if isinstance(data, str) else bytes(data)
        self.name = name or f"<unnamed {type(self).__name__}>"

    @property
    def has_callbacks(self):
        return self.setup_callback is not None or self.teardown_callback is not None

    def for_linker(self, capability, driver_version=None):
        """Kind, bytes and name, as the linker (of a driver of a version, if given) takes them."""
        return self.kind, self.data, self.name


class Cubin(LinkableCode):
    """Machine code of one kind of GPU."""

    kind = 0


class PTXSource(LinkableCode):
    """PTX."""

    kind = 1

    def for_linker(self, capability, driver_version=None):
        return self.kind, self.data.rstrip(b"\0") + b"\0", self.name


class Fatbin(LinkableCode):
    """Machine code and PTX for several kinds."""

    kind = 2


class Object(LinkableCode):
    """An object file of nvcc."""

    kind = 3


class Archive(LinkableCode):
    """A library of objects."""

    kind = 4


class CUSource(LinkableCode):
    """CUDA C++, which NVRTC compiles."""

    def for_linker(self, capability, driver_version=None):
        if driver_version is not None and nvrtc.version() > divmod(driver_version // 10, 100):
            return Cubin.kind, nvrtc.compile_cubin(self.data, self.name, capability), self.name
        ptx = nvrtc.compile(self.data, self.name, capability)
        return PTXSource(ptx, self.name).for_linker(None, driver_version)


def load(driver, image, links, **options):
    """A module from PTX or a cubin with the code that was linked, and the function that unloads it.
    Calls the callbacks of that code; for these the module is that of a library."""
    called = [each for each in links if isinstance(each, LinkableCode) and each.has_callbacks]
    if not called:
        return driver.load_module(image, **options), driver.unload_module
    library = driver.load_library(image, **options)
    module = driver.get("cuLibraryGetModule", ctypes.c_void_p, library)
    code = LoadedCode(library, module, driver.module_global)
    for each in called:
        if each.setup_callback is not None:
            each.setup_callback(code)
    ending = [each.teardown_callback for each in called if each.teardown_callback is not None]

    def unload(_):
        for callback in ending:
            callback(code)
        driver("cuLibraryUnload", library)

    return module, unload


_SUFFIXES = {
    ".cu": CUSource,
    ".cubin": Cubin,
    ".ptx": PTXSource,
    ".fatbin": Fatbin,
    ".o": Object,
    ".obj": Object,
    ".a": Archive,
    ".lib": Archive,
}


def as_linkable(given) -> LinkableCode:
    """An item of link=, which may be a path."""
    if isinstance(given, LinkableCode):
        return given
    path = os.fspath(given)
    suffix = os.path.splitext(path)[1]
    kind = _SUFFIXES.get(suffix)
    if kind is None:
        raise LinkerError(
            f"Don't know how to link file with extension {suffix}: {path}. link= takes CUDA C++, "
            f"PTX, cubins, fat binaries, objects and archives, by their suffixes "
            f"{', '.join(_SUFFIXES)}"
        )
    if not os.path.isfile(path):
        raise LinkerError(f"{path} not found")
    with open(path, "rb") as file:
        return kind(file.read(), path)


_declared = {}  # name of a function -> where it is


def declare(name, link):
    """Says where the function of a declaration is."""
    _declared[name] = list(link) if isinstance(link, list | tuple | set) else [link]


def declared_links(ptx: str):
    """What PTX refers to of that."""
    found = []
    for name, links in list(_declared.items()):  # other threads may declare more
        if name in ptx:
            found += [each for each in links if each not in found]
    return found
