"""Extensions that installed packages bring: entry points `init` of the group `numba_extensions`.

A package that gives types of its own to compiled code names there the function that registers them
(https://packaging.python.org/specifications/entry-points/). They are called before the first
function of a process is compiled, and when an argument has no type.
"""

from __future__ import annotations

import os
import sys
import warnings

_GROUP, _NAME = "numba_extensions", "init"
_already_initialized = False


def init_all() -> bool:
    """Calls what installed packages register, once in a process; whether there was anything."""
    global _already_initialized
    if _already_initialized:
        return False
    _already_initialized = True  # what is called may compile functions
    if not _are_there_any():
        return False
    from importlib.metadata import entry_points

    found = entry_points(group=_GROUP, name=_NAME)
    for each in found:
        try:
            each.load()()
        except Exception as error:
            warnings.warn(
                f"extension module {each.module!r} failed to load due to "
                f"'{type(error).__name__}({error})'",
                stacklevel=2,
            )
    return bool(found)


def _are_there_any() -> bool:
    """Looks for the group's name where packages are installed, which takes a tenth of the time
    that importlib.metadata takes."""
    for folder in dict.fromkeys(sys.path):
        try:
            names = os.listdir(folder or ".")
        except OSError:
            continue
        for name in names:
            if name.endswith((".dist-info", ".egg-info")):
                try:
                    with open(os.path.join(folder, name, "entry_points.txt"), "rb") as file:
                        if _GROUP.encode() in file.read():
                            return True
                except OSError:
                    pass
    return any(entry.endswith((".egg", ".zip")) for entry in sys.path if os.path.isfile(entry))
