"""``itertools``: generators, as all iterators that remember where they are.

How long the tuples are is known by a tuple of that length, which goes along with the items: the
type of a generator holds the types of its arguments, and no values. If only the program knows, when
it runs, a number goes along, and the tuples' items are of one type.
"""

from ..core.intrinsics import is_constant
from ..core.registry import function
from .python_builtins import lists_of


def picked(pool, indices, like):
    """The items at some indices, as many as `like` has or is."""
    if not isinstance(like, tuple):
        return tuple([pool[indices[i]] for i in range(like)])
    elif len(like) == 0:
        return ()
    else:
        return picked(pool, indices, like[1:]) + (pool[indices[len(like) - 1]],)


def length_of(like):
    return len(like) if isinstance(like, tuple) else like


def zeros(r):
    """A tuple of `r` zeros if r is a constant, else r."""
    if r < 0:
        raise ValueError("r must be non-negative")
    return (0,) * r if is_constant(r) else r


@function("itertools.chain")
def chain(*iterables):
    for iterable in iterables:
        yield from iterable


@function("itertools.chain", when="star")
@function("itertools.chain.from_iterable")
def chain_from_iterable(iterable):
    for items in iterable:
        yield from items


@function("itertools.batched")
def batched(iterable, n):
    if n < 1:
        raise ValueError("n must be at least one")
    part = []
    for x in iterable:
        part.append(x)
        if len(part) == n:
            yield tuple(part)
            part = []
    if len(part) > 0:
        yield tuple(part)


@function("itertools.product")
def product(*iterables, repeat=1):
    if repeat < 0:
        raise ValueError("repeat argument cannot be negative")
    if is_constant(repeat):
        return tuples_of(lists_of(iterables) * repeat)
    else:
        return long_tuples_of(list(lists_of(iterables)) * repeat)


@function("itertools.product", when="star")
def product_of_items(iterables, repeat=1):
    if repeat < 0:
        raise ValueError("repeat argument cannot be negative")
    return long_tuples_of([list(iterable) for iterable in iterables] * repeat)


def long_tuples_of(pools):
    """As tuples_of, but how many lists there are is known at run time."""
    indices = [0] * len(pools)
    i = 0
    for pool in pools:
        if len(pool) == 0:
            i = -1
    while i >= 0:
        yield tuple([pools[k][indices[k]] for k in range(len(pools))])
        i = len(pools) - 1
        while i >= 0 and indices[i] == len(pools[i]) - 1:
            indices[i] = 0
            i -= 1
        if i >= 0:
            indices[i] += 1


def tuples_of(pools):
    if len(pools) == 0:
        yield ()
    elif len(pools) == 1:
        for x in pools[0]:
            yield (x,)
    elif len(pools) == 2:
        for x in pools[0]:
            for y in pools[1]:
                yield x, y
    elif len(pools) == 3:
        for x in pools[0]:
            for y in pools[1]:
                for z in pools[2]:
                    yield x, y, z
    else:
        for first in tuples_of(pools[:3]):
            for rest in tuples_of(pools[3:]):
                yield first + rest


@function("itertools.combinations")
def combinations(iterable, r):
    return combinations_of([x for x in iterable], zeros(r))  # noqa: C416


def combinations_of(pool, like):
    n, r = len(pool), length_of(like)
    if r <= n:
        indices = list(range(r))
        i = 0
        while i >= 0:
            yield picked(pool, indices, like)
            i = r - 1
            while i >= 0 and indices[i] == i + n - r:
                i -= 1
            if i >= 0:
                indices[i] += 1
                for j in range(i + 1, r):
                    indices[j] = indices[j - 1] + 1


@function("itertools.combinations_with_replacement")
def combinations_with_replacement(iterable, r):
    like = zeros(r)
    return repeated_combinations_of([x for x in iterable], like)  # noqa: C416


def repeated_combinations_of(pool, like):
    n, r = len(pool), length_of(like)
    if n > 0 or r == 0:
        indices = [0] * r
        i = 0
        while i >= 0:
            yield picked(pool, indices, like)
            i = r - 1
            while i >= 0 and indices[i] == n - 1:
                i -= 1
            if i >= 0:
                value = indices[i] + 1
                for j in range(i, r):
                    indices[j] = value


@function("itertools.permutations")
def permutations(iterable, r=None):
    if r is None:
        if isinstance(iterable, tuple):
            return permutations_of(list(iterable), zeros(len(iterable)))
        else:
            pool = [x for x in iterable]  # noqa: C416
            return permutations_of(pool, len(pool))
    else:
        like = zeros(r)
        return permutations_of([x for x in iterable], like)  # noqa: C416


def permutations_of(pool, like):
    n, r = len(pool), length_of(like)
    if r <= n:
        indices = list(range(n))
        cycles = [n - k for k in range(r)]
        i = 0
        while i >= 0:
            yield picked(pool, indices, like)
            i = r - 1
            while i >= 0:
                cycles[i] -= 1
                if cycles[i] > 0:
                    j = n - cycles[i]
                    indices[i], indices[j] = indices[j], indices[i]
                    break
                first = indices[i]
                for j in range(i, n - 1):
                    indices[j] = indices[j + 1]
                indices[n - 1] = first
                cycles[i] = n - i
                i -= 1


@function("itertools.accumulate")
def accumulate(iterable, func=None, *, initial=None):
    if initial is None:
        first = True
        for x in iterable:
            if first:
                total = x
            elif func is None:
                total = total + x
            else:
                total = func(total, x)
            first = False
            yield total
    else:
        total = initial
        yield total
        for x in iterable:
            if func is None:
                total = total + x
            else:
                total = func(total, x)
            yield total


@function("itertools.count")
def count(start=0, step=1):
    n = start
    while True:
        yield n
        n += step


@function("itertools.cycle")
def cycle(iterable):
    saved = []
    for x in iterable:
        saved.append(x)
        yield x
    while len(saved) > 0:
        yield from saved


@function("itertools.repeat")
def repeat(object, times=None):
    if times is None:
        while True:
            yield object
    else:
        for _ in range(times):
            yield object


@function("itertools.islice")
def islice(iterable, *bounds):
    if len(bounds) == 1:
        return part_of(iter(iterable), *checked_bounds(None, bounds[0], None))
    elif len(bounds) == 2:
        return part_of(iter(iterable), *checked_bounds(bounds[0], bounds[1], None))
    else:
        return part_of(iter(iterable), *checked_bounds(*bounds))


def checked_bounds(start, stop, step):
    first = 0 if start is None else start
    end = 9223372036854775807 if stop is None else stop
    by = 1 if step is None else step
    if end < 0:
        raise ValueError(
            "Stop argument for islice() must be None or an integer: 0 <= x <= sys.maxsize."
        )
    if first < 0:
        raise ValueError("Indices for islice() must be None or an integer: 0 <= x <= sys.maxsize.")
    if by < 1:
        raise ValueError("Step for islice() must be a positive integer or None.")
    return first, end, by


def part_of(iterator, start, stop, step):
    """Takes no more from the iterator than up to `stop`."""
    taken, wanted = 0, start
    found = True
    while found and wanted < stop:
        found = False
        for x in iterator:
            taken += 1
            if taken > wanted:
                found = True
                break
        if found:
            yield x
            wanted = wanted + step if wanted < stop - step else stop
            if wanted == stop and taken < stop:
                for _ in iterator:
                    taken += 1
                    if taken == stop:
                        break


@function("itertools.takewhile")
def takewhile(predicate, iterable):
    for x in iterable:
        if not predicate(x):
            break
        yield x


@function("itertools.dropwhile")
def dropwhile(predicate, iterable):
    dropping = True
    for x in iterable:
        if dropping and predicate(x):
            continue
        dropping = False
        yield x


@function("itertools.filterfalse")
def filterfalse(predicate, iterable):
    for x in iterable:
        if not (x if predicate is None else predicate(x)):
            yield x


@function("itertools.starmap")
def starmap(function, iterable):
    for items in iterable:
        yield function(*items)


@function("itertools.compress")
def compress(data, selectors):
    for x, wanted in zip(data, selectors):
        if wanted:
            yield x


@function("itertools.pairwise")
def pairwise(iterable):
    first = True
    for x in iterable:
        if not first:
            yield before, x
        before = x  # noqa: F841 - the next round gives it
        first = False


@function("itertools.zip_longest")
def zip_longest(*iterables, fillvalue=None):
    lists = lists_of(iterables)
    return filled_tuples_of(lists, longest(lists), fillvalue)


def longest(lists):
    n = 0
    for items in lists:
        n = max(n, len(items))
    return n


def filled_tuples_of(lists, n, fillvalue):
    for i in range(n):
        yield filled(lists, i, fillvalue)


def filled(lists, i, fillvalue):
    if len(lists) == 0:
        return ()
    else:
        item = lists[0][i] if i < len(lists[0]) else fillvalue
        return (item,) + filled(lists[1:], i, fillvalue)


@function("itertools.tee")
def tee(iterable, n=2):
    """What one of the iterators has read waits in a list for the others."""
    if n < 0:
        raise ValueError("n must be >= 0")
    source = iter(iterable)
    seen = []
    if len(seen) > 0:  # never; it says what the list holds
        for x in source:
            seen.append(x)
    return readers(source, seen, n)


def readers(source, seen, n):
    if n == 0:
        return ()
    else:
        return (reader(source, seen),) + readers(source, seen, n - 1)


def reader(source, seen):
    i = 0
    while True:
        if i == len(seen):
            for x in source:
                seen.append(x)
                break
        if i == len(seen):
            return
        yield seen[i]
        i += 1


@function("itertools.groupby")
def groupby(iterable, key=None):
    """The items of a group wait in a list: a group can still be read when the next one began."""
    group = []
    for x in iterable:
        its_key = x if key is None else key(x)
        if len(group) > 0 and its_key != group_key:
            yield group_key, iter(group)
            group = []
        if len(group) == 0:
            group_key = its_key
        group.append(x)
    if len(group) > 0:
        yield group_key, iter(group)
