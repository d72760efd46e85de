"""The option launch_bounds of kernels."""

from __future__ import annotations


def checked_bounds(given):
    """(threads of a block, blocks of a multiprocessor, blocks of a cluster), 0 where not given."""
    bounds = () if given is None else given if isinstance(given, tuple | list) else (given,)
    if len(bounds) > 3:
        raise ValueError(
            f"Got {len(bounds)} launch bounds: launch_bounds are at most three numbers"
        )
    for bound in bounds:
        if not hasattr(bound, "__index__") or isinstance(bound, bool):
            raise TypeError(f"launch_bounds are an int or a tuple of ints, not {given!r}")
        if bound < 1:
            raise ValueError(f"launch_bounds are positive, not {given!r}")
    if bounds and bounds[0] > 1024:
        raise ValueError(f"launch_bounds: a block has at most 1024 threads, not {bounds[0]}")
    return tuple(int(bound) for bound in (*bounds, 0, 0, 0)[:3])
