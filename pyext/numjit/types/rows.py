"""Makers of rows of the compiler's type table (numjit._core.Type).

How numjit._core spells them is known here and in `wrap` only. Each returns None where the table has
no row, because it has none for one of the parts.
"""

from __future__ import annotations

from numjit import _core
from numjit.errors import UnsupportedError

#: Type objects by their rows.
_wrapped: dict = {}


def note(row, type_):
    """Lets `type_` be the type object of a row, if it is the first one."""
    _wrapped.setdefault(row, type_)


def handle_of(type_):
    """The row of a type object; an UnsupportedError if the compiler doesn't know the type."""
    handle = type_._handle
    if handle is None:
        raise UnsupportedError(f"values of type {type_} are not supported in compiled functions")
    return handle


def handles_of(arguments, result):
    """The rows of a signature: those of the arguments, and that of the result or None."""
    return tuple(map(handle_of, arguments)), None if result is None else handle_of(result)


def _all(types):
    handles = [type_._handle for type_ in types]
    return None if None in handles else handles


def scalar(name):
    return _core.scalar(name)


def none():
    return _core.parse("none")


def owner():
    return _core.parse("owner")


def ellipsis():
    return _core.parse("...")


def unicode():
    return _core.parse("unicode_type")


def bytes_of(readonly):
    return _core.parse("bytes" if readonly else "bytearray")


def random_generator():
    from numpy.random import PCG64, Generator

    return _core.typeof(Generator(PCG64(0)))


def row_of(value):
    return _core.typeof(value)


def char_seq(name):
    return _core.parse(name)


def array(dtype, ndim, layout, readonly, unaligned=False):
    return _core.array(dtype._handle, ndim, layout, readonly, unaligned)


def tuple_of(types):
    handles = _all(types)
    return None if handles is None else _core.tuple(handles)


def literal_list(types):
    handles = _all(types)
    return None if handles is None else _core.literal_list(handles)


def literal_dict(keys, types):
    handles = _all(types)
    return None if handles is None else _core.literal_dict(keys, handles)


def named_tuple(cls, types):
    handles = _all(types)
    return None if handles is None else _core.named_tuple(cls, handles)


def optional(type_):
    return _core.optional(type_._handle)


def list_of(item, typed=False):
    return None if item._handle is None else _core.list(item._handle, typed)


def dict_of(key, value):
    handles = _all((key, value))
    return None if handles is None else _core.dict(*handles)


def set_of(item, typed=False):
    return None if item._handle is None else _core.set(item._handle, typed)


def frozen_set_of(item):
    return None if item._handle is None else _core.parse(f"frozenset({item})")


def dtype(scalar_type):
    return _core.dtype(scalar_type._handle)


def pointer(to):
    return _core.pointer(to._handle)


def range_of(integer):
    return _core.parse(f"range_state_{integer}")
