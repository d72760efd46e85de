"""``throw`` and ``close`` of generators; objects that are iterators or sequences."""

from ..core.intrinsics import throw_into
from ..core.registry import function


def thrown(generator, exception):
    try:
        raise exception
    except BaseException as e:
        return throw_into(generator, e)


@function("numjit.stop_iteration", inline=False)
def stop_iteration(value):
    raise StopIteration(value)


@function("Generator.throw", inline=False)
def throw(self, value):
    result = thrown(self, value)
    if not result[0]:
        if len(result) > 2:
            if result[2]:
                stop_iteration(result[3])
        raise StopIteration
    return result[1]


@function("Generator.close", inline=False)
def close(self):
    try:
        valid = thrown(self, GeneratorExit)[0]
    except GeneratorExit:
        valid = False
    if valid:
        raise RuntimeError("generator ignored GeneratorExit")


@function("numjit.iterate_object")
def iterate_object(iterator):
    """What an object with a ``__next__`` gives."""
    while True:
        try:
            item = iterator.__next__()
        except StopIteration:
            return
        yield item


@function("numjit.iterate_sequence")
def iterate_sequence(sequence):
    """What an object with a ``__getitem__``, and no ``__iter__``, gives."""
    index = 0
    while True:
        try:
            item = sequence[index]
        except IndexError:
            return
        yield item
        index += 1


@function("numjit.next_or")
def next_or(iterator, default):
    try:
        return iterator.__next__()
    except StopIteration:
        return default


@function("numjit.is_among")
def is_among(item, iterable):
    for each in iterable:
        if each == item:
            return True
    return False
