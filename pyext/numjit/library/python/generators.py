"""``throw`` and ``close`` of generators."""

from ..core.intrinsics import throw_into
from ..core.registry import function


def thrown(generator, exception):
    try:
        raise exception
    except BaseException as e:
        return throw_into(generator, e)


@function("Generator.throw", inline=False)
def throw(self, value):
    valid, item = thrown(self, value)
    if not valid:
        raise StopIteration
    return item


@function("Generator.close", inline=False)
def close(self):
    try:
        valid, _ = thrown(self, GeneratorExit)
    except GeneratorExit:
        valid = False
    if valid:
        raise RuntimeError("generator ignored GeneratorExit")
