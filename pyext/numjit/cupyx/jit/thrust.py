"""cupyx.jit.thrust: Thrust's algorithms, each run by the thread that calls it.

Ranges are given by iterators: `a.begin()`, `a.end()`. As in C++, results are where the iterators
say, and what a function returns is the end of what it wrote, or the place that it found.
"""

from __future__ import annotations

from dataclasses import dataclass

from .iterators import ConstantIterator, CountingIterator


@dataclass(frozen=True)
class ExecutionPolicy:
    """How an algorithm runs; in kernels, always in the thread."""

    number: int


device, seq, host = ExecutionPolicy(0), ExecutionPolicy(1), ExecutionPolicy(2)


def make_constant_iterator(x):
    """An iterator over a value that repeats."""
    return ConstantIterator(x, 0)


def make_counting_iterator(x):
    """An iterator over x, x + 1, ..."""
    return CountingIterator(x)


def _is_less(a, b, comp):
    return a < b if comp is None else comp(a, b)


def _is_equal(a, b, pred):
    return a == b if pred is None else pred(a, b)


def _combined(a, b, op):
    """As a value of the type of a."""
    return type(a)(a + b) if op is None else type(a)(op(a, b))


def _part(first, last):
    """The range as an array."""
    return first.array[first.at : last.at]


# -- searching ------------------------------------------------------------------------------------


def count(exec_policy, first, last, value):
    """How many items equal the value."""
    found = 0
    for i in range(last - first):
        found += first[i] == value
    return found


def find(exec_policy, first, last, value):
    """The first item that equals the value, or the end."""
    for i in range(last - first):
        if first[i] == value:
            return first + i
    return last


def mismatch(exec_policy, first1, last1, first2, pred=None):
    """The first places where two ranges differ."""
    length = last1 - first1
    for i in range(length):
        if not _is_equal(first1[i], first2[i], pred):
            return first1 + i, first2 + i
    return first1 + length, first2 + length


def equal(exec_policy, first1, last1, first2, binary_pred=None):
    """Whether two ranges are alike."""
    for i in range(last1 - first1):
        if not _is_equal(first1[i], first2[i], binary_pred):
            return False
    return True


def is_sorted_until(exec_policy, first, last, comp=None):
    """The end of the longest sorted range that begins at `first`."""
    for i in range(1, last - first):
        if _is_less(first[i], first[i - 1], comp):
            return first + i
    return last


def is_sorted(exec_policy, first, last, comp=None):
    """Whether no item is less than the one before."""
    for i in range(1, last - first):
        if _is_less(first[i], first[i - 1], comp):
            return False
    return True


def _bound(first, length, value, is_upper, comp):
    """How many items are less than the value, or with is_upper not greater."""
    low, high = 0, length
    while low < high:
        middle = (low + high) // 2
        if is_upper:
            is_before = not _is_less(value, first[middle], comp)
        else:
            is_before = _is_less(first[middle], value, comp)
        if is_before:
            low = middle + 1
        else:
            high = middle
    return low


def _bounds(first, length, values, last, result, is_upper, comp):
    count = last - values
    for i in range(count):
        result[i] = _bound(first, length, values[i], is_upper, comp)
    return result + count


def lower_bound(exec_policy, first, last, *args, comp=None):
    """The first place where a value can be put into a sorted range; of each value in
    (values_first, values_last), its distance from `first` in `result`."""
    if len(args) == 1:
        return first + _bound(first, last - first, args[0], False, comp)
    else:
        return _bounds(first, last - first, args[0], args[1], args[2], False, comp)


def upper_bound(exec_policy, first, last, *args, comp=None):
    """The last place where a value can be put; see lower_bound."""
    if len(args) == 1:
        return first + _bound(first, last - first, args[0], True, comp)
    else:
        return _bounds(first, last - first, args[0], args[1], args[2], True, comp)


def equal_range(exec_policy, first, last, value, comp=None):
    """The range of the items of a sorted range that equal the value."""
    length = last - first
    lower = _bound(first, length, value, False, comp)
    return first + lower, first + _bound(first, length, value, True, comp)


def _holds(first, length, value, comp):
    place = _bound(first, length, value, False, comp)
    return place < length and not _is_less(value, first[place], comp)


def binary_search(exec_policy, first, last, *args, comp=None):
    """Whether a sorted range holds a value; of each value in (values_first, values_last), in
    `result`."""
    if len(args) == 1:
        return _holds(first, last - first, args[0], comp)
    else:
        count = args[1] - args[0]
        for i in range(count):
            args[2][i] = _holds(first, last - first, args[0][i], comp)
        return args[2] + count


# -- sums -----------------------------------------------------------------------------------------


def reduce(exec_policy, first, last, init=None, binary_op=None):
    """All items combined, from `init` on, whose type is that of the result."""
    total = first.zero() if init is None else init
    for i in range(last - first):
        total = _combined(total, first[i], binary_op)
    return total


def inner_product(exec_policy, first1, last1, first2, init, binary_op1=None, binary_op2=None):
    """The sum of the products of two ranges, from `init` on."""
    total = init
    for i in range(last1 - first1):
        if binary_op2 is None:
            product = first1[i] * first2[i]
        else:
            product = binary_op2(first1[i], first2[i])
        total = _combined(total, product, binary_op1)
    return total


def reduce_by_key(
    exec_policy,
    keys_first,
    keys_last,
    values_first,
    keys_output,
    values_output,
    binary_pred=None,
    binary_op=None,
):
    """One sum for each run of equal keys."""
    runs = 0
    for i in range(keys_last - keys_first):
        key, value = keys_first[i], values_first[i]
        if i > 0 and _is_equal(keys_first[i - 1], key, binary_pred):
            before = values_output[runs - 1]
            values_output[runs - 1] = _combined(before, value, binary_op)
        else:
            keys_output[runs], values_output[runs] = key, value
            runs += 1
    return keys_output + runs, values_output + runs


def inclusive_scan(exec_policy, first, last, result, binary_op=None):
    """Running sums."""
    length = last - first
    if length == 0:
        return result
    total = first[0]
    for i in range(length):
        if i > 0:
            total = _combined(total, first[i], binary_op)
        result[i] = total
    return result + length


def exclusive_scan(exec_policy, first, last, result, init=None, binary_op=None):
    """Running sums of what is before each item, from `init` on."""
    length = last - first
    total = first.zero() if init is None else init
    for i in range(length):
        item = first[i]
        result[i] = total
        total = _combined(total, item, binary_op)
    return result + length


def inclusive_scan_by_key(
    exec_policy, first1, last1, first2, result, binary_pred=None, binary_op=None
):
    """Running sums that begin anew where the key changes."""
    length = last1 - first1
    if length == 0:
        return result
    total, key = first2[0], first1[0]
    for i in range(length):
        item, before, key = first2[i], key, first1[i]
        if i > 0 and _is_equal(before, key, binary_pred):
            total = _combined(total, item, binary_op)
        else:
            total = item
        result[i] = total
    return result + length


def exclusive_scan_by_key(
    exec_policy, first1, last1, first2, result, init=None, binary_pred=None, binary_op=None
):
    """As exclusive_scan, beginning anew where the key changes."""
    length = last1 - first1
    if length == 0:
        return result
    start = first2.zero() if init is None else init
    total, key = start, first1[0]
    for i in range(length):
        item, before, key = first2[i], key, first1[i]
        if i > 0 and not _is_equal(before, key, binary_pred):
            total = start
        result[i] = total
        total = _combined(total, item, binary_op)
    return result + length


def adjacent_difference(exec_policy, first, last, result):
    """The first item, and what each item is more than the one before."""
    length = last - first
    if length == 0:
        return result
    before = first[0]
    for i in range(length):
        item = first[i]
        result[i] = item - before if i > 0 else item
        before = item
    return result + length


# -- copying --------------------------------------------------------------------------------------


def fill(exec_policy, first, last, value):
    """Set all items."""
    for i in range(last - first):
        first[i] = value


def sequence(exec_policy, first, last, init=0, step=1):
    """Set the items to init, init + step, ..."""
    for i in range(last - first):
        first[i] = init + step * i


def copy(exec_policy, first, last, result):
    """Copy a range."""
    length = last - first
    for i in range(length):
        result[i] = first[i]
    return result + length


def gather(exec_policy, map_first, map_last, input_first, result):
    """result[i] = input[map[i]]"""
    length = map_last - map_first
    for i in range(length):
        result[i] = input_first[map_first[i]]
    return result + length


def scatter(exec_policy, first, last, map, result):
    """result[map[i]] = items[i]"""
    for i in range(last - first):
        result[map[i]] = first[i]


def replace(exec_policy, first, last, old_value, new_value):
    """Set the items that equal a value."""
    for i in range(last - first):
        if first[i] == old_value:
            first[i] = new_value


def replace_copy(exec_policy, first, last, result, old_value, new_value):
    """As replace, into another range."""
    length = last - first
    for i in range(length):
        item = first[i]
        if item == old_value:
            result[i] = new_value
        else:
            result[i] = item
    return result + length


def remove_copy(exec_policy, first, last, result, value):
    """Copy the items that differ from a value."""
    kept = 0
    for i in range(last - first):
        item = first[i]
        if item != value:
            result[kept] = item
            kept += 1
    return result + kept


def remove(exec_policy, first, last, value):
    """Remove the items that equal a value."""
    return remove_copy(exec_policy, first, last, first, value)


def reverse_copy(exec_policy, first, last, result):
    """Copy a range backwards."""
    length = last - first
    for i in range(length):
        result[i] = first[length - 1 - i]
    return result + length


def reverse(exec_policy, first, last):
    """Turn a range round."""
    length = last - first
    for i in range(length // 2):
        first[i], first[length - 1 - i] = first[length - 1 - i], first[i]


def swap_ranges(exec_policy, first1, last1, first2):
    """Exchange the items of two ranges."""
    length = last1 - first1
    for i in range(length):
        first1[i], first2[i] = first2[i], first1[i]
    return first2 + length


# -- order ----------------------------------------------------------------------------------------


def stable_sort(exec_policy, first, last):
    """Sort a range."""
    _part(first, last).sort()


def stable_sort_by_key(exec_policy, keys_first, keys_last, values_first):
    """Sort keys, and values alike."""
    keys = _part(keys_first, keys_last)
    values = _part(values_first, values_first + (keys_last - keys_first))
    order = keys.argsort()
    keys[:] = keys[order]
    values[:] = values[order]


sort, sort_by_key = stable_sort, stable_sort_by_key


def unique(exec_policy, first, last, binary_pred=None):
    """Keep the first of each run of equal items."""
    return _unique((first,), last - first, binary_pred)[0]


def unique_by_key(exec_policy, keys_first, keys_last, values_first, binary_pred=None):
    """Keep the first of each run of equal keys, and its value."""
    return _unique((keys_first, values_first), keys_last - keys_first, binary_pred)


def _unique(ranges, length, pred):
    kept = 0
    for i in range(length):
        if kept == 0 or not _is_equal(ranges[0][kept - 1], ranges[0][i], pred):
            _copy_items(ranges, i, ranges, kept)
            kept += 1
    return _moved(ranges, kept)


# -- sets: sorted ranges of keys, with or without values -------------------------------------------


def _copy_items(source, i, target, k):
    if len(source) > 0:
        target[0][k] = source[0][i]
        _copy_items(source[1:], i, target[1:], k)


def _moved(ranges, count):
    if len(ranges) == 0:
        return ()
    else:
        return (ranges[0] + count,) + _moved(ranges[1:], count)


def _merged(ranges1, length1, ranges2, length2, out, keep, comp):
    """Copies keys, and values with them, that only the first range has, that only the second one
    has, and that both have (then of the first): what `keep` says, three flags."""
    i, k, n = 0, 0, 0
    while i < length1 or (k < length2 and keep[1]):
        is_first = k == length2
        is_second = i == length1
        if not is_first and not is_second:
            is_first = _is_less(ranges1[0][i], ranges2[0][k], comp)
            is_second = _is_less(ranges2[0][k], ranges1[0][i], comp)
        if is_second:
            if keep[1]:
                _copy_items(ranges2, k, out, n)
                n += 1
        elif keep[0] if is_first else keep[2]:
            _copy_items(ranges1, i, out, n)
            n += 1
        i += not is_second
        k += not is_first
    return _moved(out, n)


def _of_keys(name, what, keep):
    def operation(exec_policy, first1, last1, first2, last2, result, comp=None):
        n1, n2 = last1 - first1, last2 - first2
        return _merged((first1,), n1, (first2,), n2, (result,), keep, comp)[0]

    operation.__name__, operation.__doc__ = name, what
    return operation


def _of_pairs(name, keep):
    def operation(
        exec_policy, keys_first1, keys_last1, keys_first2, keys_last2, values_first1, values_first2,
        keys_result, values_result, comp=None,
    ):  # fmt: skip
        n1, n2 = keys_last1 - keys_first1, keys_last2 - keys_first2
        first, second = (keys_first1, values_first1), (keys_first2, values_first2)
        return _merged(first, n1, second, n2, (keys_result, values_result), keep, comp)

    operation.__name__ = f"{name}_by_key"
    operation.__doc__ = f"As {name}, with a value for each key."
    return operation


_UNION, _INTERSECTION = (True, True, True), (False, False, True)
_DIFFERENCE, _SYMMETRIC = (True, False, False), (True, True, False)

set_union = _of_keys("set_union", "What one of two sorted ranges has.", _UNION)
set_intersection = _of_keys(
    "set_intersection", "What both of two sorted ranges have.", _INTERSECTION
)
set_difference = _of_keys(
    "set_difference", "What only the first of two sorted ranges has.", _DIFFERENCE
)
set_symmetric_difference = _of_keys(
    "set_symmetric_difference", "What only one of two sorted ranges has.", _SYMMETRIC
)
set_union_by_key = _of_pairs("set_union", _UNION)
set_difference_by_key = _of_pairs("set_difference", _DIFFERENCE)
set_symmetric_difference_by_key = _of_pairs("set_symmetric_difference", _SYMMETRIC)


def set_intersection_by_key(
    exec_policy,
    keys_first1,
    keys_last1,
    keys_first2,
    keys_last2,
    values_first1,
    keys_result,
    values_result,
    comp=None,
):
    """As set_intersection, with a value for each key."""
    n1, n2 = keys_last1 - keys_first1, keys_last2 - keys_first2
    first, second = (keys_first1, values_first1), (keys_first2,)
    return _merged(first, n1, second, n2, (keys_result, values_result), _INTERSECTION, comp)
