"""heapq: binary heaps in lists, the smallest item first."""

from ..core.registry import function


def sift_towards_root(heap, first, at):
    """Moves the item at a place up to where its parent is not larger."""
    item = heap[at]
    while at > first:
        parent = (at - 1) >> 1
        above = heap[parent]
        if not (item < above):
            break
        heap[at] = above
        at = parent
    heap[at] = item


def sift_towards_leaves(heap, at):
    """Fills the hole at a place from below, then puts its item where it belongs: most items that
    get here belong near the leaves."""
    end = len(heap)
    first = at
    item = heap[at]
    child = 2 * at + 1
    while child < end:
        if child + 1 < end and not (heap[child] < heap[child + 1]):
            child += 1
        heap[at] = heap[child]
        at = child
        child = 2 * at + 1
    heap[at] = item
    sift_towards_root(heap, first, at)


@function("heapq.heapify")
def heapify(x):
    """Floyd's construction from the last parent to the root, in O(n)."""
    for i in range(len(x) // 2 - 1, -1, -1):
        sift_towards_leaves(x, i)


@function("heapq.heappush")
def heappush(heap, item):
    """O(log n)."""
    heap.append(item)
    sift_towards_root(heap, 0, len(heap) - 1)


def check_items(heap):
    if len(heap) == 0:
        raise IndexError("index out of range")


@function("heapq.heappop")
def heappop(heap):
    """The hole goes down to a leaf and its item up from there, as CPython does it: fewer
    comparisons. IndexError of an empty heap.
    """
    check_items(heap)
    last = heap.pop()
    if len(heap) == 0:
        return last
    item = heap[0]
    heap[0] = last
    sift_towards_leaves(heap, 0)
    return item


@function("heapq.heapreplace")
def heapreplace(heap, item):
    """Pops, then pushes, in one way down. IndexError of an empty heap."""
    check_items(heap)
    smallest = heap[0]
    heap[0] = item
    sift_towards_leaves(heap, 0)
    return smallest


@function("heapq.heappushpop")
def heappushpop(heap, item):
    """Pushes, then pops, in one way down; the heap may be empty."""
    if len(heap) > 0 and heap[0] < item:
        smallest = heap[0]
        heap[0] = item
        sift_towards_leaves(heap, 0)
        return smallest
    return item


@function("heapq.nsmallest")
def nsmallest(n, iterable, key=None):
    """Sorts all items, in O(n log n), whatever n is; equal items keep their order."""
    return first_sorted(n, iterable, key, False)


@function("heapq.nlargest")
def nlargest(n, iterable, key=None):
    """Sorts all items, in O(n log n), whatever n is; equal items keep their order."""
    return first_sorted(n, iterable, key, True)


def first_sorted(n, iterable, key, reverse):
    if n <= 0:
        return list(iterable)[:0]
    return sorted(iterable, key=key, reverse=reverse)[:n]


@function("heapq.merge")
def merge(*iterables, key=None, reverse=False):
    """Takes the first of the next items of all, which are read before."""
    items = []
    places = []
    ends = []
    for each in iterables:
        places.append(len(items))
        items.extend(each)
        ends.append(len(items))
    while True:
        best = -1
        for i in range(len(ends)):
            if places[i] < ends[i]:
                if best < 0 or comes_before(items[places[i]], items[places[best]], key, reverse):
                    best = i
        if best < 0:
            break
        yield items[places[best]]
        places[best] += 1


def comes_before(a, b, key, reverse):
    if key is not None:
        return comes_before(key(a), key(b), None, reverse)
    elif reverse:
        return a > b
    else:
        return a < b
