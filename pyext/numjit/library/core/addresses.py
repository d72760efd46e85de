"""Functions in the subset that call machine code at an address."""

from .intrinsics import call_address


def calling(name, address, result, parameters):
    """A function in the subset that calls the C function at an address."""

    def c_function(*arguments):
        return call_address(address, result, parameters, name, arguments)

    c_function.__qualname__ = name
    return c_function
