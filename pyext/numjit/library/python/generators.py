"""``throw`` and ``close`` of generators."""

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
