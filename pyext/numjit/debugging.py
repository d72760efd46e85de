"""Numba's functions that start gdb from compiled code, which numjit does not have."""

from numjit.errors import UnsupportedError


def gdb(*args):
    raise UnsupportedError(
        "numjit does not start gdb: run `gdb --args python ...` and break at a line of a function "
        "compiled with debug=True (docs/debugging.md)"
    )


def gdb_init(*args):
    gdb()


def gdb_breakpoint():
    gdb()
