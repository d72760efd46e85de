"""Functions that the compiler knows and that do nothing special in the interpreter."""


class prange:
    """range, for loops whose iterations may run in parallel."""

    def __new__(cls, *args):
        return range(*args)


def literal_unroll(container):
    """In compiled code: `for x in literal_unroll(tuple)` has one copy of its body per item."""
    return container


def literally(value):
    """In compiled code: asks for `value` as a compile-time constant."""
    return value
