"""Which version this is."""

import sys
from collections import namedtuple

from numjit import _core

#: Whose interface numjit has. Packages ask the module `numba` for a version before they use it.
NUMBA = "0.68.1"

VersionInfo = namedtuple(
    "version_info", "major minor patch short full string tuple git_revision", module=__name__
)


def version() -> str:
    """numjit's version; Numba's where numjit goes by its name (`sys.modules["numba"] = numjit`)."""
    return NUMBA if sys.modules.get("numba") is sys.modules["numjit"] else _core.__version__


def version_info() -> VersionInfo:
    """The parts of `version()`, under the names that they have in Numba."""
    text = version()
    parts = tuple(text.split("."))
    major, minor, patch = (int(part) for part in parts[:3])
    return VersionInfo(
        major, minor, patch, (major, minor), (major, minor, patch), text, parts, None
    )
