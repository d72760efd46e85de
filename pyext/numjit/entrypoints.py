"""Extensions that installed packages bring: entry points `init` of the group `numba_extensions`.

A package that gives types of its own to compiled code names there the function that registers them
(https://packaging.python.org/specifications/entry-points/). They are called when a function cannot
be compiled, or an argument has no type, for the first time in a process: until then nothing that
they could add was missed.
"""

from __future__ import annotations

import warnings

_GROUP, _NAME = "numba_extensions", "init"
_already_initialized = False


def init_all() -> bool:
    """Calls what installed packages register, once in a process; whether there was anything."""
    global _already_initialized
    if _already_initialized:
        return False
    _already_initialized = True  # what is called may compile functions
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
