"""bisect: where an item belongs in a sorted sequence."""

from ..core.intrinsics import int64_part
from ..core.registry import function


def checked_end(a, lo, hi):
    if lo < 0:
        raise ValueError("lo must be non-negative")
    return len(a) if hi is None else hi


def first_place(a, x, lo, end, key):
    while lo < end:
        middle = (lo + end) // 2
        item = a[middle] if key is None else key(a[middle])
        if item < x:
            lo = middle + 1
        else:
            end = middle
    return lo


def last_place(a, x, lo, end, key):
    while lo < end:
        middle = (lo + end) // 2
        item = a[middle] if key is None else key(a[middle])
        if x < item:
            end = middle
        else:
            lo = middle + 1
    return lo


def placed(place, a, x, lo, hi, key):
    if isinstance(a, tuple) and lo == 0 and hi is None and key is None:
        below, items = int64_part(a, x)
        return below + place(items, x, 0, len(items), None)
    return place(a, x, lo, checked_end(a, lo, hi), key)


@function("bisect.bisect_left")
def bisect_left(a, x, lo=0, hi=None, *, key=None):
    """A binary search with `<` alone, as bisect. ValueError if lo is negative."""
    return placed(first_place, a, x, lo, hi, key)


@function("bisect.bisect")
@function("bisect.bisect_right")
def bisect_right(a, x, lo=0, hi=None, *, key=None):
    """A binary search with `<` alone, as bisect. ValueError if lo is negative."""
    return placed(last_place, a, x, lo, hi, key)


@function("bisect.insort_left")
def insort_left(a, x, lo=0, hi=None, *, key=None):
    """bisect_left, then insert(): O(n)."""
    a.insert(bisect_left(a, x if key is None else key(x), lo, hi, key=key), x)


@function("bisect.insort")
@function("bisect.insort_right")
def insort_right(a, x, lo=0, hi=None, *, key=None):
    """bisect_right, then insert(): O(n)."""
    a.insert(bisect_right(a, x if key is None else key(x), lo, hi, key=key), x)
