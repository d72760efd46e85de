"""bisect: where an item belongs in a sorted sequence."""

from ..core.registry import function


def checked_end(a, lo, hi):
    if lo < 0:
        raise ValueError("lo must be non-negative")
    return len(a) if hi is None else hi


@function("bisect.bisect_left")
def bisect_left(a, x, lo=0, hi=None, *, key=None):
    """A binary search with `<` alone, as bisect. ValueError if lo is negative."""
    end = checked_end(a, lo, hi)
    while lo < end:
        middle = (lo + end) // 2
        item = a[middle] if key is None else key(a[middle])
        if item < x:
            lo = middle + 1
        else:
            end = middle
    return lo


@function("bisect.bisect")
@function("bisect.bisect_right")
def bisect_right(a, x, lo=0, hi=None, *, key=None):
    """A binary search with `<` alone, as bisect. ValueError if lo is negative."""
    end = checked_end(a, lo, hi)
    while lo < end:
        middle = (lo + end) // 2
        item = a[middle] if key is None else key(a[middle])
        if x < item:
            end = middle
        else:
            lo = middle + 1
    return lo


@function("bisect.insort_left")
def insort_left(a, x, lo=0, hi=None, *, key=None):
    """bisect_left, then insert(): O(n)."""
    a.insert(bisect_left(a, x if key is None else key(x), lo, hi, key=key), x)


@function("bisect.insort")
@function("bisect.insort_right")
def insort_right(a, x, lo=0, hi=None, *, key=None):
    """bisect_right, then insert(): O(n)."""
    a.insert(bisect_right(a, x if key is None else key(x), lo, hi, key=key), x)
