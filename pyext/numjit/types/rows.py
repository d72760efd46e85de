"""Rows of the compiler's type table (numjit._core.Type), and type objects of rows.

How numjit._core spells rows is known here only. What makes one returns None where the table has
no row, because it has none for one of the parts. The class of a kind of type says with `of_kind`
how a row becomes one of its objects.
"""

from __future__ import annotations

from numjit import _core
from numjit.errors import UnsupportedError

#: Type objects by their rows.
_wrapped: dict = {}


def note(row, type_):
    """Lets `type_` be the type object of a row, if it is the first one."""
    _wrapped.setdefault(row, type_)


#: By the name of a kind of type, in lower case: what makes the type object of a row. The one of
#: None is of kinds that have none; they are only named.
_MAKERS: dict = {}


def of_kind(*kinds):
    """Makes a function the maker of the type objects of a kind, or the `_of_row` of a class."""

    def note(maker):
        for kind in kinds:
            _MAKERS[kind] = getattr(maker, "_of_row", maker)
        return maker

    return note


def only_of_kind(kind, type_):
    """Makes `type_` the type object of all rows of a kind."""
    _MAKERS[kind] = lambda row: type_


def wrap(row):
    """The type object of a row, one for each; pyobject for None, which stands for what has no
    row."""
    if row is None:
        return _MAKERS["pyobject"](row)
    found = _wrapped.get(row)
    if found is None:
        maker = _MAKERS.get(str(row.kind).rpartition(".")[2].lower(), _MAKERS[None])
        found = _wrapped[row] = maker(row)
        if found._row is None and found._has_one_row and not _tells_rows(row):
            found._row = row
    return found


def wrap_all(rows) -> tuple:
    return tuple(map(wrap, rows))


def wrap_param(row):
    """The type object of the only parameter of a row."""
    return wrap(row.params[0])


#: Kinds whose rows are readonly for global values, of which type objects say nothing.
_GLOBAL_KINDS = frozenset(("list", "set", "dict"))


def _tells_rows(row) -> bool:
    """Whether a row says what its type object does not: that arrays in it have contiguous rows, or
    that a container is a global one. The type object is equal to that of arrays with any strides,
    of a container that is passed, and means these in signatures."""
    if row is None:
        return False
    tells = row.layout == "I" or (row.readonly and row.kind in _GLOBAL_KINDS)
    return tells or any(map(_tells_rows, row.params))


def handle_of(type_):
    """The row of a type object; an UnsupportedError if the compiler doesn't know the type."""
    handle = type_._handle
    if handle is None:
        raise UnsupportedError(f"values of type {type_} are not supported in compiled functions")
    return handle


def _value(type_):
    """The row of what has a type. Text of a fixed length is only in memory: a value is bytes or a
    str."""
    handle = handle_of(type_)
    if handle.kind != "charseq":
        return handle
    return _core.typeof(b"" if str(handle.params[0]) == "uint8" else "")


def handles_of(arguments, result):
    """The rows of a signature: those of the arguments, and that of the result or None."""
    return tuple(map(_value, arguments)), None if result is None else _value(result)


def _all(types):
    handles = [type_.as_part._handle for type_ in types]
    return None if None in handles else handles


def parsed(text):
    """The row that prints so."""
    return _core.parse(text)


def scalar(name):
    return _core.scalar(name)


def random_generator():
    from numpy.random import PCG64, Generator

    return _core.typeof(Generator(PCG64(0)))


def row_of(value):
    return _core.typeof(value)


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


def dtype(scalar_type):
    return _core.dtype(scalar_type._handle)


def pointer(to):
    return _core.pointer(to._handle)
