"""A stable radix sort of elements as unsigned integers, alone or with the numbers of elements.

Rows that a block can hold are sorted in shared memory by one kernel. Longer ones take a pass for
each eight bits, in which every key is read and written once: a block takes a tile, counts its
digits, and learns from the tiles before it where its own keys go ("decoupled look-back": each tile
publishes its counts, before it finds the places of its keys, and later the sums up to its end)."""

from __future__ import annotations

import functools

import numpy as np

from . import current
from .creation import empty, zeros
from .evaluate import device_array, new_array
from .kernel_text import cached, is_bfloat16, type_name

_THREADS, _BITS = 256, 8
_DIGITS = 1 << _BITS
_UNSIGNED = {size: np.dtype(f"u{size}") for size in (1, 2, 4, 8)}
_INT64 = np.dtype(np.int64)
#: Keys that a thread reads at once to count digits.
_AT_ONCE = 4
#: Keys of a thread, with and without values; what a block holds fits in 48 KB of shared memory.
_EACH = {False: 16, True: 8}
#: Of a thread of a pass, by the bytes of a key: so that three or four blocks fit on a
#: multiprocessor.
_REGISTERS = {1: 64, 2: 64, 4: 64, 8: 80}
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
    if dtype.kind == "f" or is_bfloat16(dtype):
        mantissa = 7 if is_bfloat16(dtype) else {2: 10, 4: 23, 8: 52}[dtype.itemsize]
        infinity = (1 << (size - 1)) - (1 << mantissa)
        text = _TO_FLOAT if back else (_ONE_ZERO if values else "") + _FROM_FLOAT
        return text.format(**fields, infinity=f"{uint}({infinity})")
    return _FLIP.format(**fields) if dtype.kind == "i" else f"{indent}pass\n"


# Numbers within a block are uint32, so that no instruction is of 64 bits and no index wraps.
# The digit of a key; a digit lies in one half of a key of 64 bits. Digits of eight bits are bytes,
# which one instruction takes out of both halves.
_DIGIT = "np.uint32(np.uint32({word} >> np.uint32(low & np.uint32(31))) & np.uint32({mask}))"
_BYTE = {
    True: "np.uint32(np.uint32(libdevice.byte_perm(np.int32(key), np.int32(key >> np.uint64(32)), "
    "byte)) & np.uint32(255))",
    False: "np.uint32(np.uint32(libdevice.byte_perm(np.int32(key), 0, byte)) & np.uint32(255))",
}
_WORDS = {
    True: "(np.uint32(KEY >> np.uint64(32)) if high else np.uint32(KEY))",
    False: "np.uint32(KEY)",
}
# counts[warp, digit]: how many keys of a warp have a digit.
_COUNTS = """\
    for j in range({each}):
        key = keys[j]
        cuda.atomic.add(counts, np.uint32(own + {digit}), np.uint32(1))
    cuda.syncthreads()
"""
# Each thread has a digit: how many keys have it, and where it starts in the block. Then
# counts[warp, digit] is where the first key of the warp with the digit belongs.
_STARTS = """\
    total = np.uint32(0)
    for other in range({warps}):
        total = np.uint32(total + counts[np.uint32(other * {digits}) + thread])
{publish}\
    running = total
    for step in range(5):
        beside = cuda.shfl_up_sync(0xFFFFFFFF, running, 1 << step)
        if lane >= np.uint32(1 << step):
            running = np.uint32(running + beside)
    if lane == np.uint32(31):
        sums[warp] = running
    cuda.syncthreads()
    start = np.uint32(running - total)
    for other in range({warps}):
        if np.uint32(other) < warp:
            start = np.uint32(start + sums[other])
    place = start
    for other in range({warps}):
        count = counts[np.uint32(other * {digits}) + thread]
        counts[np.uint32(other * {digits}) + thread] = place
        place = np.uint32(place + count)
    cuda.syncthreads()
"""
# The place of each key in the block: behind those of its warp with the same digit that come before
# it. Votes about {group} keys are taken at once, since none waits for another.
_RANKS = """\
    for part in range({each} // {group}):
        for k in range({group}):
            key = keys[part * {group} + k]
            digit = {digit}
            same = np.uint32(0xFFFFFFFF)
            for bit in range({bits}):
                one = np.uint32(digit & np.uint32(1 << bit)) != np.uint32(0)
                votes = np.uint32(cuda.ballot_sync(0xFFFFFFFF, one))
                same = np.uint32(same & (votes if one else np.uint32(~votes)))
            peers[k] = same
        for k in range({group}):
            key = keys[part * {group} + k]
            place = np.uint32(own + {digit})
            before = np.uint32(cuda.popc(np.uint32(peers[k] & below)))
            rank = np.uint32(counts[place] + before)
            cuda.syncwarp()
            if before == np.uint32(0):
                counts[place] = np.uint32(rank + np.uint32(cuda.popc(peers[k])))
            cuda.syncwarp()
            held[rank] = key
{with_values}            ranks[part * {group} + k] = rank
    cuda.syncthreads()
"""
_BEGIN = """\
    thread = np.uint32(cuda.threadIdx.x)
    warp = np.uint32(thread // np.uint32(32))
    lane = np.uint32(thread % np.uint32(32))
    below = np.uint32(cuda.lanemask_lt())
    own = np.uint32(warp * np.uint32({digits}))
    first_key = np.uint32(np.uint32(warp * np.uint32({each} * 32)) + lane)
    counts = cuda.shared.array({warps} * {digits}, np.uint32)
    sums = cuda.shared.array(32, np.uint32)
    held = cuda.shared.array({tile}, {key})
    keys = cuda.local.array({each}, {key})
    peers = cuda.local.array({group}, np.uint32)
{with_values}    ranks = cuda.local.array({each}, np.uint32)
    for j in range({warps}):
        counts[np.uint32(j * {digits}) + thread] = np.uint32(0)
"""

_ROWS = (
    "def kernel(a, out, order, new_order, bits):\n"
    + _BEGIN
    + """\
    row = cuda.blockIdx.x
    n = np.uint32(a.shape[1])
{with_values}    held_values = cuda.shared.array({tile}, {value})
{with_values}    values = cuda.local.array({each}, {value})
    for j in range({each}):
        i = np.uint32(first_key + np.uint32(j * 32))
        key = {key}({most})
        if i < n:
            key = a[row, i]
{convert}\
        keys[j] = key
{with_values}        value = {value}(i)
{with_values}        if i < n and order.size > 0:
{with_values}            value = order[row, i]
{with_values}        values[j] = value
    passed = np.uint32(0)
    while passed < np.uint32(bits):
        low = passed
        high = passed >= np.uint32(32)
        cuda.syncthreads()
{placed}\
{with_values}        for j in range({each}):
{with_values}            held_values[ranks[j]] = values[j]
{with_values}        cuda.syncthreads()
        for j in range({each}):
            keys[j] = held[np.uint32(first_key + np.uint32(j * 32))]
{with_values}            values[j] = held_values[np.uint32(first_key + np.uint32(j * 32))]
        for j in range({warps}):
            counts[np.uint32(j * {digits}) + thread] = np.uint32(0)
        passed = np.uint32(passed + np.uint32({bits}))
    for j in range({each}):
        i = np.uint32(first_key + np.uint32(j * 32))
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

# How often each digit of each pass occurs. Where all of a warp have the same, one counts for all.
_COUNT = f"""\
def kernel(a, counts, passes):
    shared = cuda.shared.array({{passes}} * {_DIGITS}, np.uint32)
    thread = np.uint32(cuda.threadIdx.x)
    for j in range({{passes}}):
        shared[np.uint32(j * {_DIGITS}) + thread] = np.uint32(0)
    cuda.syncthreads()
    first = np.uint64(cuda.blockIdx.x) * np.uint64({_THREADS} * {_AT_ONCE})
    step = np.uint64(cuda.gridDim.x) * np.uint64({_THREADS} * {_AT_ONCE})
    size = np.uint64(a.size)
    keys = cuda.local.array({_AT_ONCE}, {{key}})
    while first < size:
        whole = first + np.uint64({_THREADS} * {_AT_ONCE}) <= size
        for k in range({_AT_ONCE}):
            i = first + np.uint64(k * {_THREADS}) + thread
            keys[k] = a[i] if i < size else {{key}}(0)
        for k in range({_AT_ONCE}):
            i = first + np.uint64(k * {_THREADS}) + thread
            key = keys[k]
            if True:
{{convert}}\
            for j in range({{passes}}):
                digit = np.uint32(np.uint32(key >> {{key}}({_BITS} * j)) & np.uint32({_DIGITS - 1}))
                alike = np.uint32(cuda.shfl_sync(0xFFFFFFFF, digit, 0))
                if whole and cuda.all_sync(0xFFFFFFFF, digit == alike):
                    if thread % np.uint32(32) == np.uint32(0):
                        cuda.atomic.add(shared, np.uint32(j * {_DIGITS}) + digit, np.uint32(32))
                elif i < size:
                    cuda.atomic.add(shared, np.uint32(j * {_DIGITS}) + digit, np.uint32(1))
        first += step
    cuda.syncthreads()
    for j in range({{passes}}):
        if j < passes:
            number = shared[np.uint32(j * {_DIGITS}) + thread]
            if number > np.uint32(0):
                cuda.atomic.add(counts, j * {_DIGITS} + np.int64(thread), np.int64(number))
"""

# A pass. `states` has for each tile and digit: 0, -(its count) - 1, or the count up to its end + 1.
_PUBLISH = """\
    tile_state = states_at + np.int64(tile) * {digits} + np.int64(thread)
    if tile > 0:
        states[tile_state] = -{count}(total) - 1
"""
_PASS = (
    "def kernel(a, out, order, new_order, states, counts_at, tiles_at, states_at, shift, first, "
    "last):\n"
    + _BEGIN
    + """\
    byte = np.int32(shift // 8)
    offsets = cuda.shared.array({digits}, {place})
    tiles = cuda.shared.array(1, np.int32)
    if thread == np.uint32(0):
        tiles[0] = np.int32(cuda.atomic.add(states, tiles_at, 1))
    cuda.syncthreads()
    tile = tiles[0]
    begin = np.uint64(tile) * np.uint64({tile})
    valid = np.uint32(min(np.uint64({tile}), np.uint64(a.size) - begin))
    # Loads stand alone, so that all are on their way at once.
    if valid == np.uint32({tile}):
        for j in range({each}):
            keys[j] = a[begin + np.uint64(np.uint32(first_key + np.uint32(j * 32)))]
    else:
        for j in range({each}):
            i = np.uint32(first_key + np.uint32(j * 32))
            keys[j] = a[begin + np.uint64(i)] if i < valid else {key}({most})
    if first:
        for j in range({each}):
            key = keys[j]
            if np.uint32(first_key + np.uint32(j * 32)) < valid:
{convert}\
            keys[j] = key
{placed}\
    if tile == 0:
        # The keys with smaller digits come before: the counts of all digits, scanned.
        number = {place}(states[counts_at + np.int64(thread)])
        running_all = number
        for step in range(5):
            next_to = cuda.shfl_up_sync(0xFFFFFFFF, running_all, 1 << step)
            if lane >= np.uint32(1 << step):
                running_all = {place}(running_all + next_to)
        if lane == np.uint32(31):
            offsets[warp] = running_all
        cuda.syncthreads()
        before_all = {place}(running_all - number)
        for other in range({warps}):
            if np.uint32(other) < warp:
                before_all = {place}(before_all + offsets[other])
        cuda.syncthreads()
    else:
        before_all = {place}(0)
        at = np.uint64(tile_state - {digits})
        looking = True
        while looking:
            seen = (
                cuda.ldcv(states, at), cuda.ldcv(states, at - np.uint64({digits})),
                cuda.ldcv(states, at - np.uint64(2 * {digits})),
                cuda.ldcv(states, at - np.uint64(3 * {digits})),
            )
            known = True
            for k in range(4):
                if looking and known:
                    if seen[k] > 0:
                        before_all = {place}(before_all + {place}(seen[k] - 1))
                        looking = False
                    elif seen[k] < 0:
                        before_all = {place}(before_all + {place}(-1 - seen[k]))
                        at -= np.uint64({digits})
                    else:
                        known = False
    states[tile_state] = {count}({place}(before_all + {place}(total)) + {place}(1))
    offsets[thread] = {place}(before_all - {place}(start))
    cuda.syncthreads()
{with_values}    held_values = cuda.shared.array({tile}, {value})
{with_values}    for j in range({each}):
{with_values}        i = np.uint32(first_key + np.uint32(j * 32))
{with_values}        if i < valid:
{with_values}            held_values[ranks[j]] = order[begin + np.uint64(i)]
{with_values}    cuda.syncthreads()
    if last:
        for j in range({each}):
            i = np.uint32(np.uint32(j * {threads}) + thread)
            if i < valid:
                key = held[i]
                to = {place}(offsets[{digit}] + {place}(i))
{with_values}                new_order[to] = held_values[i]
{with_keys}{convert_back}\
{with_keys}                out[to] = key
    else:
        for j in range({each}):
            i = np.uint32(np.uint32(j * {threads}) + thread)
            if i < valid:
                key = held[i]
                to = {place}(offsets[{digit}] + {place}(i))
{with_values}                new_order[to] = held_values[i]
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
        "mask": (1 << bits) - 1, "group": min(each, 4), "with_values": "" if value else "#",
        "with_keys": "#" if value else "", "passes": key.itemsize,
    }  # fmt: skip
    fields["place"] = count and type_name(np.dtype(f"u{count.itemsize}"))
    word = _WORDS[key.itemsize == 8].replace("KEY", "key")
    rows = template is _ROWS
    digit = _DIGIT.format(word=word, **fields)
    fields["digit"] = digit if rows else _BYTE[key.itemsize == 8]
    values = value is not None
    indent = 12 if rows else 16
    fields["convert"] = _converted(dtype, " " * indent, values)
    back = _converted(dtype, " " * (12 if rows else 16), values, back=True)
    fields["convert_back"] = back.replace("\n", "\n" + fields["with_keys"]).rstrip("#")
    publish = _PUBLISH.format(**fields) if template is _PASS else ""
    placed = "".join(each.format(**fields, publish=publish) for each in (_COUNTS, _STARTS, _RANKS))
    if rows:  # they stand in a loop
        placed = "".join(f"    {line}\n" for line in placed.splitlines())
    return template.format(**fields, placed=placed)


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


_short_kernels: dict = {}  # (number of a dtype, threads, keys of each) -> kernel


def sorted_short(a):
    """A sorted copy of a vector that one block sorts, or a few; None for others."""
    size = a.size
    if not 0 < size <= most_in_block(False) or a.dtype.kind == "c":
        return None
    threads, each = (_THREADS, 0) if size <= _SHORTEST else _block_of(size)
    array = a._force()
    uint = _UNSIGNED[array.dtype.itemsize]
    nothing = device_array(None, 0, (0, 0), (8, 8), _INT64)
    kernel = _short_kernels.get((array.dtype.num, threads, each))
    if kernel is None:
        template = _ROWS if each else _SHORT
        kernel = cached(_text(template, array.dtype, None, None, threads, each or 1))
        _short_kernels[array.dtype.num, threads, each] = kernel
    found = new_array((size,), array.dtype)
    item = array.dtype.itemsize
    keys = device_array(array.gpu_data, array._pointer, (1, size), (0, array.strides[0]), uint)
    out = device_array(found.gpu_data, found._pointer, (1, size), (size * item, item), uint)
    kernel.launch_quietly((1, threads, current.handle()), keys, out, nothing, nothing, 8 * item)
    return type(a)._over(found)


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
    # Tiles look at four states before their own at once: in front of the first there is room.
    room = passes * _DIGITS + passes + 3 * _DIGITS
    states = zeros((room + passes * tiles * _DIGITS,), count)._for_writing()
    stream, keys = current.handle(), _bits_of(a)
    per_block = _THREADS * _AT_ONCE
    blocks = min((size + per_block - 1) // per_block, 2048)
    cached(_text(_COUNT, a.dtype, order.dtype if values else None)).launch_quietly(
        (blocks, _THREADS, stream), keys._force(), states, passes
    )
    text = _text(_PASS, a.dtype, order.dtype if values else None, count, each=each)
    kernel = cached(text, _REGISTERS[a.dtype.itemsize])
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
            room + number * tiles * _DIGITS, number * _BITS,
            number == 0, number == passes - 1,
        )  # fmt: skip
        keys, order = out, new_order
    return order if values else keys.view(a.dtype)
