"""Where functions decorated with cache=True keep their machine code (docs/cache.md)."""

from __future__ import annotations

import os
import re
from typing import ClassVar

from numjit import _core, config

#: The folder of the package whose entries are being built, with a separator; or "".
building = ""

_LONGEST = 80  # characters of a function's name in the name of a file


class _CacheLocator:
    """Where the entries of some functions lie, as a program wants it: a base for classes of its
    own, which come into `CacheImpl._locator_classes`."""

    def ensure_cache_path(self):
        os.makedirs(self.get_cache_path(), exist_ok=True)

    def get_cache_path(self):
        """The folder."""
        raise NotImplementedError

    def get_source_stamp(self):
        """What changes with the source: not asked for, as keys of entries have the code in them."""
        raise NotImplementedError

    def get_disambiguator(self):
        """What functions of one name differ in, for the names of their files."""
        return None

    @classmethod
    def from_function(cls, py_func, py_file):
        """A locator; None for functions that it does not know."""
        raise NotImplementedError


class CacheImpl:
    #: Asked one after the other, before the folders of `_folder`.
    _locator_classes: ClassVar[list] = []


class IndexDataCacheFile:
    """Numba's index of the entries of a function. Here each entry is a file of its own, which says
    itself what it is valid for, so that there is no index; packages derive classes of this."""

    def __init__(self, cache_path, filename_base, source_stamp):
        from numjit.errors import UnsupportedError

        raise UnsupportedError(
            f"an index of cached code in {cache_path}: entries are files of their own"
        )


class NullCache:
    """A cache that holds nothing."""

    cache_path = None

    def load_overload(self, sig, target_context):
        return None

    def save_overload(self, sig, cres):
        pass

    def enable(self):
        pass

    disable = flush = enable


def home(function) -> tuple[str, str]:
    """(folder, how names of files begin)."""
    code = function.__code__
    source = os.path.abspath(code.co_filename)
    exists = os.path.isfile(source)
    stem = os.path.splitext(os.path.basename(source))[0] if exists else "interactive"
    name = re.sub(r"[^\w.]+", "_", function.__qualname__)[-_LONGEST:]
    file = f"{stem}.{name}-{code.co_firstlineno}"
    for kind in CacheImpl._locator_classes:
        located = kind.from_function(function, code.co_filename)
        if located is not None:
            located.ensure_cache_path()
            differs = _core.digest(repr(located.get_disambiguator()).encode())[:16]
            return os.fspath(located.get_cache_path()), f"{file}.{differs}"
    return _folder(source if exists else None), file


def _folder(source: str | None) -> str:
    """The first that can be written to: the user's, the source's __pycache__, the system's."""
    if building and source and source.startswith(building):
        return os.path.join(os.path.dirname(source), INSTALLED)
    chosen = config.CACHE_DIR
    beside = source and os.path.join(os.path.dirname(source), "__pycache__")
    if not chosen:
        if beside and _is_writable(beside):
            return beside
        chosen = _users_default()
    return os.path.join(chosen, _folder_name(source) if source else "interactive")


#: The folder beside the sources of a package with entries that everybody reads and nobody writes,
#: but `python -m numjit cache build`.
INSTALLED = "__numjit_cache__"


def installed_beside(function) -> str:
    """Where entries of a function lie that came with its package; "" if none did."""
    folder = os.path.join(os.path.dirname(function.__code__.co_filename), INSTALLED)
    return folder if os.path.isdir(folder) else ""


def users_folder() -> str:
    """The folder of the user, for what has no source beside which it could be kept."""
    return config.CACHE_DIR or _users_default()


def _users_default() -> str:
    above = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    return os.path.join(above, "numjit")


def _folder_name(source: str) -> str:
    """A name for the folder of a source file, as readable as it can be."""
    folder = os.path.dirname(source)
    digest = _core.digest(os.fsencode(folder))[:16]
    return f"{os.path.basename(folder)}_{digest}"


def _is_writable(folder: str) -> bool:
    try:
        os.makedirs(folder, exist_ok=True)
    except OSError:
        return False
    return os.access(folder, os.W_OK | os.X_OK)


def warn(function, what: str) -> None:
    from numjit.diagnostics import warn_user
    from numjit.errors import NumbaWarning

    warn_user(
        f'Cannot cache compiled function "{function.__name__}" as it uses {what}', NumbaWarning
    )
