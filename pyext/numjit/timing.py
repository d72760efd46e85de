"""Where compile time went: milliseconds by stage."""

from __future__ import annotations

from collections.abc import Iterable

from numjit import _core


def total(tables: Iterable[Iterable[tuple[str, float]]]) -> dict[str, float]:
    """The sum of several tables of (stage, milliseconds), stages in order of appearance."""
    result: dict[str, float] = {}
    for table in tables:
        for stage, milliseconds in table:
            result[stage] = result.get(stage, 0.0) + milliseconds
    return result


def timings() -> dict[str, float]:
    """Milliseconds by stage, over everything this process has compiled."""
    return total([_core.timings()])
