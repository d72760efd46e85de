"""A stable radix sort of elements as unsigned integers, alone or with the numbers of elements.

Rows that a block can hold are sorted in shared memory by one kernel. Longer ones take a pass for
each eight bits, in which every key is read and written once: a block takes a tile, counts its
digits, and learns from the tiles before it where its own keys go ("decoupled look-back": each tile
publishes its counts, later the sums up to its end)."""

from __future__ import annotations

import functools

import numpy as np

from . import current
from .creation import empty, zeros
from .kernel_text import cached, type_name

_THREADS, _BITS = 256, 8
_DIGITS = 1 << _BITS
#: Keys of a thread, with and without values; what a block holds fits in 48 KB of shared memory.
_EACH = {False: 16, True: 8}
#: Rows up to this length are sorted by counting.
_SHORTEST = 48

# Unsigned integers in the order of the elements, and back. NaN comes last. Where values are sorted
# both zeros have one key, so that the sort is stable; else they keep their signs.
_ONE_ZERO = "{indent}if {key} == {sign}:\n{indent}    {key} = {uint}(0)\n"
_FROM_FLOAT = """\
{indent}if ({key} & {low}) > {infinity}:
{indent}    {key} = {uint}({most})
{indent}elif {key} >= {sign}:
{indent}    {key} = {uint}({key} ^ {uint}({most}))
{indent}else:
{indent}    {key} = {uint}({key} ^ {sign})
"""
_TO_FLOAT = """\
{indent}if {key} >= {sign}:
{indent}    {key} = {uint}({key} ^ {sign})
{indent}else:
{indent}    {key} = {uint}({key} ^ {uint}({most}))
"""
_FLIP = "{indent}{key} = {uint}({key} ^ {sign})\n"


def _converted(dtype, indent, values, back=False):
    """Lines that make `key` of the bits of an element; or the other way."""
    size = 8 * dtype.itemsize
    uint = type_name(np.dtype(f"u{dtype.itemsize}"))
    fields = {"indent": indent, "key": "key", "uint": uint, "most": (1 << size) - 1,
              "sign": f"{uint}({1 << (size - 1)})",
              "low": f"{uint}({(1 << (size - 1)) - 1})"}  # fmt: skip
    if dtype.kind == "f":
        mantissa = {2: 10, 4: 23, 8: 52}[dtype.itemsize]
        infinity = (1 << (size - 1)) - (1 << mantissa)
        text = _TO_FLOAT if back else (_ONE_ZERO if values else "") + _FROM_FLOAT
        return text.format(**fields, infinity=f"{uint}({infinity})")
    return _FLIP.format(**fields) if dtype.kind == "i" else f"{indent}pass\n"


# The rank of each key among those of its warp with the same digit; counts[warp, digit] are how
# many there are.
_RANKS = """\
    for j in range({each}):
        digit = np.int32(np.int64(keys[j] >> shift) & {mask})
        peers = np.uint32(0xFFFFFFFF)
        for bit in range({bits}):
            one = (digit >> bit) & 1
            votes = cuda.ballot_sync(0xFFFFFFFF, one)
            peers = np.uint32(peers & np.uint32(votes ^ np.uint32(one - 1)))
        place = warp * {digits} + digit
        count = counts[place]
        before = np.int32(cuda.popc(np.uint32(peers & below)))
        cuda.syncwarp()
        if before == 0:
            counts[place] = count + np.int32(cuda.popc(peers))
        cuda.syncwarp()
        ranks[j] = count + before
    cuda.syncthreads()
"""
# Each thread has a digit: the counts of the warps before, and where the digit starts in the block.
_STARTS = """\
    total = np.int32(0)
    for other in range({warps}):
        count = counts[other * {digits} + thread]
        counts[other * {digits} + thread] = total
        total = np.int32(total + count)
{publish}\
    running = total
    for step in range(5):
        offset = 1 << step
        beside = cuda.shfl_up_sync(0xFFFFFFFF, running, offset)
        if lane >= offset:
            running = np.int32(running + beside)
    if lane == 31:
        sums[warp] = running
    cuda.syncthreads()
    start = np.int32(running - total)
    for other in range({warps}):
        if other < warp:
            start = np.int32(start + sums[other])
    starts[thread] = start
"""
_BEGIN = """\
    thread = np.int32(cuda.threadIdx.x)
    warp = np.int32(thread // 32)
    lane = np.int32(thread % 32)
    below = cuda.lanemask_lt()
    counts = cuda.shared.array({warps} * {digits}, np.int32)
    starts = cuda.shared.array({digits}, np.int32)
    sums = cuda.shared.array(32, np.int32)
    held = cuda.shared.array({tile}, {key})
    keys = cuda.local.array({each}, {key})
    ranks = cuda.local.array({each}, np.int32)
    for j in range({warps}):
        counts[j * {digits} + thread] = 0
"""

_ROWS = (
    "def kernel(a, out, order, new_order, bits):\n"
    + _BEGIN
    + """\
    row = cuda.blockIdx.x
    n = a.shape[1]
{with_values}    held_values = cuda.shared.array({tile}, {value})
{with_values}    values = cuda.local.array({each}, {value})
    for j in range({each}):
        i = warp * {each} * 32 + j * 32 + lane
        key = {key}({most})
        if i < n:
            key = a[row, i]
{convert}\
        keys[j] = key
{with_values}        value = {value}(i)
{with_values}        if i < n and order.size > 0:
{with_values}            value = order[row, i]
{with_values}        values[j] = value
    shift = {key}(0)
    passed = 0
    while passed < bits:
        cuda.syncthreads()
{ranks}{starts}\
        cuda.syncthreads()
        for j in range({each}):
            digit = np.int32(np.int64(keys[j] >> shift) & {mask})
            place = starts[digit] + counts[warp * {digits} + digit] + ranks[j]
            held[place] = keys[j]
{with_values}            held_values[place] = values[j]
        cuda.syncthreads()
        for j in range({each}):
            keys[j] = held[warp * {each} * 32 + j * 32 + lane]
{with_values}            values[j] = held_values[warp * {each} * 32 + j * 32 + lane]
        for j in range({warps}):
            counts[j * {digits} + thread] = 0
        passed += {bits}
        shift = {key}(passed)
    for j in range({each}):
        i = warp * {each} * 32 + j * 32 + lane
        if i < n:
{with_values}            new_order[row, i] = values[j]
{with_keys}            key = keys[j]
{with_keys}{convert_back}\
{with_keys}            out[row, i] = key
"""
)

# Short rows: a thread for each element counts those that come before it.
_SHORT = """\
def kernel(a, out, order, new_order, bits):
    at = cuda.grid(1)
    step = cuda.gridsize(1)
    n = a.shape[1]
    while at < a.size:
        row = at // n
        column = at % n
        key = a[row, column]
        if True:
{convert}\
        mine = key
        place = 0
        for j in range(n):
            key = a[row, j]
            if True:
{convert}\
            if key < mine or (key == mine and j < column):
                place += 1
{with_values}        value = {value}(column)
{with_values}        if order.size > 0:
{with_values}            value = order[row, column]
{with_values}        new_order[row, place] = value
{with_keys}        out[row, place] = a[row, column]
        at += step
"""

# How often each digit of each pass occurs.
_COUNT = f"""\
def kernel(a, counts, passes):
    shared = cuda.shared.array({{passes}} * {_DIGITS}, np.int32)
    thread = cuda.threadIdx.x
    for j in range({{passes}}):
        shared[j * {_DIGITS} + thread] = 0
    cuda.syncthreads()
    first = cuda.blockIdx.x * {_THREADS}
    step = cuda.gridDim.x * {_THREADS}
    while first < a.size:
        i = first + thread
        if i < a.size:
            key = a[i]
{{convert}}\
            for j in range({{passes}}):
                digit = np.int32(np.int64(key >> {{key}}({_BITS} * j)) & {_DIGITS - 1})
                if first + {_THREADS} <= a.size:
                    alike = cuda.shfl_sync(0xFFFFFFFF, digit, 0)
                    if cuda.all_sync(0xFFFFFFFF, digit == alike):
                        if thread % 32 == 0:
                            cuda.atomic.add(shared, j * {_DIGITS} + digit, 32)
                    else:
                        cuda.atomic.add(shared, j * {_DIGITS} + digit, 1)
                else:
                    cuda.atomic.add(shared, j * {_DIGITS} + digit, 1)
        first += step
    cuda.syncthreads()
    for j in range({{passes}}):
        if j < passes:
            number = shared[j * {_DIGITS} + thread]
            if number > 0:
                cuda.atomic.add(counts, j * {_DIGITS} + thread, number)
"""

# A pass. `states` has for each tile and digit: 0, -(its count) - 1, or the count up to its end + 1.
_PUBLISH = """\
    tile_state = states_at + np.int64(tile) * {digits} + thread
    if tile > 0:
        states[tile_state] = -{count}(total) - 1
"""
_PASS = (
    "def kernel(a, out, order, new_order, states, counts_at, tiles_at, states_at, shift, first, "
    "last):\n"
    + _BEGIN
    + """\
    offsets = cuda.shared.array({digits}, {count})
    tiles = cuda.shared.array(1, np.int32)
    if thread == 0:
        tiles[0] = np.int32(cuda.atomic.add(states, tiles_at, 1))
    cuda.syncthreads()
    tile = tiles[0]
    begin = np.int64(tile) * {tile}
    valid = min(np.int64({tile}), a.size - begin)
    mine = begin + warp * {each} * 32 + lane
    for j in range({each}):
        key = {key}({most})
        if mine + j * 32 < a.size:
            key = a[mine + j * 32]
            if first:
{convert}\
        keys[j] = key
{ranks}{starts}\
    if tile == 0:
        # The keys with smaller digits come before: the counts of all digits, scanned.
        number = {count}(states[counts_at + thread])
        running_all = number
        for step in range(5):
            offset = 1 << step
            next_to = cuda.shfl_up_sync(0xFFFFFFFF, running_all, offset)
            if lane >= offset:
                running_all = {count}(running_all + next_to)
        if lane == 31:
            offsets[warp] = running_all
        cuda.syncthreads()
        before_all = {count}(running_all - number)
        for other in range({warps}):
            if other < warp:
                before_all = {count}(before_all + offsets[other])
        cuda.syncthreads()
    else:
        before_all = {count}(0)
        at = tile_state - {digits}
        looking = True
        while looking:
            seen = cuda.ldcv(states, at)
            if seen > 0:
                before_all = {count}(before_all + seen - 1)
                looking = False
            elif seen < 0:
                before_all = {count}(before_all - seen - 1)
                at -= {digits}
    states[tile_state] = {count}(before_all + total + 1)
    offsets[thread] = {count}(before_all - start)
    cuda.syncthreads()
    for j in range({each}):
        digit = np.int32(np.int64(keys[j] >> shift) & {mask})
        ranks[j] = starts[digit] + counts[warp * {digits} + digit] + ranks[j]
        held[ranks[j]] = keys[j]
    cuda.syncthreads()
{with_values}    held_values = cuda.shared.array({tile}, {value})
{with_values}    for j in range({each}):
{with_values}        if mine + j * 32 < a.size:
{with_values}            held_values[ranks[j]] = order[mine + j * 32]
{with_values}    cuda.syncthreads()
    for j in range({each}):
        i = j * {threads} + thread
        if i < valid:
            key = held[i]
            to = np.int64(offsets[np.int64(key >> shift) & {mask}]) + i
{with_values}            new_order[to] = held_values[i]
            if last:
{with_keys}{convert_back}\
{with_keys}                out[to] = key
{with_values}                pass
            else:
                out[to] = key
"""
)


@functools.cache
def _text(template, dtype, value=None, count=None, threads=_THREADS, each=1):
    """The text of a kernel for elements of a dtype, with values of another one. (For _COUNT a value
    only says that there are values.)"""
    key = np.dtype(f"u{dtype.itemsize}")
    bits = threads.bit_length() - 1
    fields = {
        "key": type_name(key), "most": np.iinfo(key).max, "value": value and type_name(value),
        "count": count and type_name(count), "threads": threads, "warps": threads // 32,
        "each": each, "tile": threads * each, "bits": bits, "digits": 1 << bits,
        "mask": (1 << bits) - 1, "with_values": "" if value else "#",
        "with_keys": "#" if value else "", "passes": key.itemsize,
    }  # fmt: skip
    rows = template is _ROWS
    values = value is not None
    indent = 16 if template in (_PASS, _SHORT) else 12
    fields["convert"] = _converted(dtype, " " * indent, values)
    back = _converted(dtype, " " * (12 if rows else 16), values, back=True)
    fields["convert_back"] = back.replace("\n", "\n" + fields["with_keys"]).rstrip("#")
    publish = _PUBLISH.format(**fields) if template is _PASS else ""
    ranks, starts = _RANKS.format(**fields), _STARTS.format(**fields, publish=publish)
    if rows:  # they stand in a loop
        ranks, starts = (
            "".join(f"    {line}\n" for line in text.splitlines()) for text in (ranks, starts)
        )
    return template.format(**fields, ranks=ranks, starts=starts)


def _block_of(length):
    """Threads and keys of each for rows that one block sorts."""
    threads = min(max(32, 1 << (length - 1).bit_length()), _THREADS)
    each = (length + threads - 1) // threads
    return threads, 1 << (each - 1).bit_length()


def _bits_of(a):
    return a.view(np.dtype(f"u{a.dtype.itemsize}"))


def most_in_block(values):
    """The longest row that one block sorts."""
    return _THREADS * _EACH[values]


def sorted_rows(a, order=None, bits=None, values=False):
    """Rows of a matrix, each sorted: as elements; with values=True the columns that they come from;
    with `order` its elements in that order."""
    value = (order.dtype if order is not None else np.dtype(np.int64)) if values else None
    if a.shape[1] <= _SHORTEST:
        threads, blocks = _THREADS, min((a.size + _THREADS - 1) // _THREADS, 1 << 16)
        text = _text(_SHORT, a.dtype, value)
    else:
        threads, each = _block_of(a.shape[1])
        blocks, text = a.shape[0], _text(_ROWS, a.dtype, value, None, threads, each)
    keys = _bits_of(a)
    nothing = empty((0, 0), value or np.int64)._force()
    found = empty(a.shape, value or a.dtype)
    out = nothing if values else _bits_of(found)._for_writing()
    new_order = found._for_writing() if values else nothing
    cached(text).launch_quietly(
        (blocks, threads, current.handle()), keys._force(), out,
        nothing if order is None else order._force(), new_order,
        bits or 8 * a.dtype.itemsize,
    )  # fmt: skip
    return found


def sorted_vector(a, order=None, bits=None):
    """The elements of a vector in order; or, with `order`, the values there in their order."""
    values, size = order is not None, a.size
    each = _EACH[values]
    tile = _THREADS * each
    if not size:
        return order if values else a
    if size <= tile:
        rows = None if order is None else order.reshape(1, size)
        return sorted_rows(a.reshape(1, size), rows, bits, values).reshape(size)
    bits = bits or 8 * a.dtype.itemsize
    passes, tiles = (bits + _BITS - 1) // _BITS, (size + tile - 1) // tile
    count = np.dtype(np.int32 if size < 1 << 30 else np.int64)
    states = zeros((passes * (_DIGITS + tiles * _DIGITS) + passes,), count)._for_writing()
    stream, keys = current.handle(), _bits_of(a)
    blocks = min((size + _THREADS - 1) // _THREADS, 2048)
    cached(_text(_COUNT, a.dtype, order.dtype if values else None)).launch_quietly(
        (blocks, _THREADS, stream), keys._force(), states, passes
    )
    kernel = cached(_text(_PASS, a.dtype, order.dtype if values else None, count, each=each))
    spare = [empty((size,), keys.dtype) for _ in range(min(passes, 2))]
    nothing = empty((0,), np.int64)
    orders = [empty((size,), order.dtype) if values else nothing for _ in range(min(passes, 2))]
    order = order if values else nothing
    counters = passes * _DIGITS
    for number in range(passes):
        out, new_order = spare[number % 2], orders[number % 2]
        kernel.launch_quietly(
            (tiles, _THREADS, stream), keys._force(), out._for_writing(), order._force(),
            new_order._for_writing(), states, number * _DIGITS, counters + number,
            counters + passes + number * tiles * _DIGITS, keys.dtype.type(number * _BITS),
            number == 0, number == passes - 1,
        )  # fmt: skip
        keys, order = out, new_order
    return order if values else keys.view(a.dtype)
