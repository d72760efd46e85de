"""Code that is linked with kernels: files by their suffix, or these objects with its bytes."""

from __future__ import annotations

import pathlib

from . import nvrtc
from .error import LinkerError


class LinkableCode:
    """Code in memory, and a name for the linker's messages."""

    kind = None  #: the linker's number of what it is

    def __init__(self, data, name=None):
        if hasattr(data, "read"):  # an open file
            data = data.read()
        self.data = data.encode() if isinstance(data, str) else bytes(data)
        self.name = name or f"<unnamed {type(self).__name__}>"

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
    path = pathlib.Path(given)
    kind = _SUFFIXES.get(path.suffix)
    if kind is None:
        raise LinkerError(
            f"don't know how to link {path}: link= takes CUDA C++, PTX, cubins, fat binaries, "
            f"objects and archives, by their suffixes {', '.join(_SUFFIXES)}"
        )
    if not path.is_file():
        raise FileNotFoundError(f"{path} not found")
    return kind(path.read_bytes(), str(path))


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
