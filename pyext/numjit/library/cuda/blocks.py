"""cuda.warp and cuda.block: what the threads of a warp or of a block compute together.

All threads of the block call these, like a barrier; threads may be counted in any number of
dimensions, and the last warp may have fewer than 32 lanes. A value is a number or a tuple of them.
Operators are functions of two values; they need not be commutative, as values are combined in the
order of the threads. Each step has shared memory of its own, which a barrier at its end gives back.
"""

import numpy as np

from ..core.intrinsics import Intrinsic, device
from ..core.registry import function
from .device import shuffled

_shared_array = Intrinsic("numjit.cuda.shared.array")
_atomic_add = Intrinsic("numjit.cuda.atomic.add")
_WARPS, _THREADS = 32, 1024  # of a block, at most


def thread_number():
    """The number of the thread in its block."""
    row = device("thread_idx_y") + device("block_dim_y") * device("thread_idx_z")
    return np.int32(device("thread_idx_x") + device("block_dim_x") * row)


def block_size():
    return np.int32(device("block_dim_x") * device("block_dim_y") * device("block_dim_z"))


def lanes_of_warp():
    """How many lanes the warp of this thread has."""
    return np.int32(min(32, block_size() - (thread_number() & ~31)))


def mask_of(lanes):
    return np.uint32(0xFFFFFFFF) >> np.uint32(32 - lanes)


# -- values: numbers and tuples of them -----------------------------------------------------------


def moved(kind, mask, value, lane):
    """A value from another lane."""
    if isinstance(value, tuple):
        if len(value) == 0:
            return ()
        else:
            return (moved(kind, mask, value[0], lane),) + moved(kind, mask, value[1:], lane)
    elif isinstance(value, bool):
        return shuffled(kind, mask, np.int32(value), lane) != 0
    else:
        return shuffled(kind, mask, value, lane)


def places_like(value, count, part=0):
    """Shared memory for values. A function has the same memory wherever it is called, so each
    number in a tuple has a function of its own, by `part`."""
    if isinstance(value, tuple):
        if len(value) == 0:
            return ()
        else:
            first = places_like(value[0], count, 8 * part + 1)
            return (first,) + places_like(value[1:], count, part + 1)
    else:
        return _shared_array(count, np.asarray(value).dtype)


def put(places, i, value):
    if isinstance(places, tuple):
        if len(places) > 0:
            put(places[0], i, value[0])
            put(places[1:], i, value[1:])
    else:
        places[i] = value


def taken(places, i):
    if isinstance(places, tuple):
        if len(places) == 0:
            return ()
        else:
            return (taken(places[0], i),) + taken(places[1:], i)
    else:
        return places[i]


# -- warps ----------------------------------------------------------------------------------------


def folded(value, operator, lanes):
    """In lane 0 all values of the first `lanes` lanes, in the order of the lanes."""
    return folded_among(value, operator, lanes, mask_of(lanes))


def folded_among(value, operator, count, mask):
    """In lane 0 the values of the first `count` lanes; those of the mask take part."""
    lane = device("lane_id")
    offset = 1
    while offset < 32:
        other = moved("shfl_down", mask, value, offset)
        if lane + offset < count:
            value = operator(value, other)
        offset *= 2
    return value


def running(value, operator, lanes):
    """In each lane the values up to it."""
    lane, mask = device("lane_id"), mask_of(lanes)
    offset = 1
    while offset < 32:
        other = moved("shfl_up", mask, value, offset)
        if lane >= offset:
            value = operator(other, value)
        offset *= 2
    return value


@function("numjit.cuda.warp.reduce")
def warp_reduce(value, operator):
    """Five shuffles fold pairs of lanes at growing distances; a sixth sends the result to all."""
    lanes = lanes_of_warp()
    return moved("shfl_idx", mask_of(lanes), folded(value, operator, lanes), 0)


@function("numjit.cuda.warp.scan")
def warp_scan(value, operator):
    """Hillis and Steele: five shuffles, each from twice as far."""
    return running(value, operator, lanes_of_warp())


@function("numjit.cuda.warp.exclusive_scan")
def warp_exclusive_scan(value, operator, initial):
    """As scan, one lane later: lane 0 has the initial value."""
    lanes = lanes_of_warp()
    before = moved("shfl_up", mask_of(lanes), running(value, operator, lanes), 1)
    return initial if device("lane_id") == 0 else operator(initial, before)


@function("numjit.cuda.warp.broadcast")
def warp_broadcast(value, source=0):
    """One shuffle."""
    return moved("shfl_idx", mask_of(lanes_of_warp()), value, source)


# -- blocks ---------------------------------------------------------------------------------------


def warps_of_block():
    return np.int32((block_size() + 31) // 32)


@function("numjit.cuda.block.reduce")
def block_reduce(value, operator):
    """Each warp folds its values by shuffles, the first warp those of all warps; three barriers.
    The order of the threads is kept, so that float sums do not depend on timing.
    """
    thread, warps = thread_number(), warps_of_block()
    result = folded(value, operator, lanes_of_warp())
    places = places_like(result, _WARPS)
    if device("lane_id") == 0:
        put(places, thread // 32, result)
    device("syncthreads")
    if thread < 32:
        # The first warp has at least as many lanes as the block has warps.
        mine = taken(places, min(thread, warps - 1))
        mine = folded_first(mine, operator, warps)
        device("syncwarp", mask_of(lanes_of_warp()))
        if thread == 0:
            put(places, 0, mine)
    device("syncthreads")
    result = taken(places, 0)
    device("syncthreads")
    return result


def folded_first(value, operator, count):
    """As `folded`, of the first `count` lanes of a warp that has more of them."""
    return folded_among(value, operator, count, mask_of(lanes_of_warp()))


def scanned(value, operator):
    """The values up to this thread within its warp, and those of the warps before, if any."""
    thread, warps, lanes = thread_number(), warps_of_block(), lanes_of_warp()
    mine = running(value, operator, lanes)
    places = places_like(mine, _WARPS)
    if device("lane_id") == lanes - 1:
        put(places, thread // 32, mine)
    device("syncthreads")
    if thread < 32:
        whole = taken(places, min(thread, warps - 1))
        whole = running(whole, operator, lanes)
        device("syncwarp", mask_of(lanes))
        if thread < warps:
            put(places, thread, whole)
    device("syncthreads")
    before = taken(places, max(thread // 32 - 1, 0))
    device("syncthreads")
    return mine, before


@function("numjit.cuda.block.scan")
def block_scan(value, operator):
    """Each warp scans its values by shuffles, the first warp the totals of all warps; three
    barriers.
    """
    mine, before = scanned(value, operator)
    return mine if thread_number() < 32 else operator(before, mine)


@function("numjit.cuda.block.exclusive_scan")
def block_exclusive_scan(value, operator, initial):
    """As scan, one thread later: thread 0 has the initial value."""
    mine, before = scanned(value, operator)
    thread = thread_number()
    previous = moved("shfl_up", mask_of(lanes_of_warp()), mine, 1)
    if thread == 0:
        return initial
    elif thread < 32:
        return operator(initial, previous)
    elif thread % 32 == 0:
        return operator(initial, before)
    else:
        return operator(initial, operator(before, previous))


@function("numjit.cuda.block.broadcast")
def block_broadcast(value, source=0):
    """By way of shared memory; two barriers."""
    places = places_like(value, 1)
    if thread_number() == source:
        put(places, 0, value)
    device("syncthreads")
    result = taken(places, 0)
    device("syncthreads")
    return result


@function("numjit.cuda.block.exchange")
def block_exchange(value, place):
    """Gives the value to the thread with number `place`; the places of all threads differ."""
    places = places_like(value, _THREADS)
    put(places, place, value)
    device("syncthreads")
    result = taken(places, thread_number())
    device("syncthreads")
    return result


def is_less(a, b):
    return a < b


@function("numjit.cuda.block.rank")
def block_rank(value, less=is_less):
    """How many threads have a lesser value, or the same one and a lesser number."""
    places = places_like(value, _THREADS)
    thread, rank = thread_number(), np.int32(0)
    put(places, thread, value)
    device("syncthreads")
    for i in range(block_size()):
        other = taken(places, i)
        rank += np.int32(less(other, value) or (i < thread and not less(value, other)))
    device("syncthreads")
    return np.int32(rank)


@function("numjit.cuda.block.sort")
def block_sort(value, less=is_less):
    """Each thread counts the values before its own and sends it there: n comparisons a thread,
    stable. For 1024 threads at most, with one value each.
    """
    return block_exchange(value, block_rank(value, less))


@function("numjit.cuda.block.histogram")
def block_histogram(bin, bins):
    """The counts of the bins, in shared memory that the next call for as many bins takes again; a
    bin outside is not counted."""
    counts = _shared_array(bins, np.int32)
    for i in range(thread_number(), bins, block_size()):
        counts[i] = 0
    device("syncthreads")
    if 0 <= bin < bins:
        _atomic_add(counts, bin, 1)
    device("syncthreads")
    return counts
