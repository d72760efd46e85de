"""numba.experimental.structref: references to fields that compiled code and Python share.

The values are what instances of jitclasses are, blocks of memory; but the types of the fields are
those of what an instance is made of, or what `preprocess_fields` of its type makes of them. A type
that a field of its own refers to is known to the compiler by its class, and there is one for each
class; others are known by the types of their fields.
"""

from __future__ import annotations

from numjit import _core
from numjit.decorators import njit
from numjit.library.core.intrinsics import Intrinsic, pointer_at
from numjit.types import int64, voidptr
from numjit.types.items import StructRef
from numjit.types.rows import handle_of
from numjit.types.wrap import typeof, wrap_all

__all__ = [
    "StructRefProxy",
    "define_attributes",
    "define_boxing",
    "define_constructor",
    "define_proxy",
    "new",
    "register",
]

#: new(struct_type): in compiled code, a value of a type whose fields are not set yet.
new = Intrinsic("numjit.new_struct_ref")


class StructRefProxy(_core.Instance):
    """Base of the Python classes of StructRefs."""

    _numjit_jitclass_ = True
    _numjit_members_ = {"is_struct_ref": True}

    def __new__(cls, *args):
        if cls is StructRefProxy:
            raise TypeError("StructRefProxy is a base class: define a proxy of your own")
        return cls._numjit_constructor_(*args)

    @property
    def _numba_type_(self):
        return typeof(self)


def register(struct_type):
    """Decorator of a subclass of types.StructRef."""
    if not (isinstance(struct_type, type) and issubclass(struct_type, StructRef)):
        raise TypeError("expecting a subclass of types.StructRef")
    if struct_type is StructRef:
        raise ValueError("cannot register types.StructRef itself; register a subclass")
    return struct_type


def define_proxy(py_class, struct_typeclass, fields):
    """Makes `py_class` the Python class of values of a type; compiled code calls it to make one."""
    define_constructor(py_class, struct_typeclass, fields)
    define_boxing(struct_typeclass, py_class)


def define_constructor(py_class, struct_typeclass, fields):
    """Lets compiled code make values by calling `py_class` with their fields."""
    define_boxing(struct_typeclass, py_class)
    py_class._numjit_names_ = tuple(fields)
    if struct_typeclass.__init__ is not StructRef.__init__:
        _add_hidden_fields(py_class, struct_typeclass, fields)
    names = ", ".join(fields)
    constructor = eval(f"lambda {names}: cls({names})", {"cls": py_class})
    py_class._numjit_constructor_ = njit(constructor)


def _add_hidden_fields(py_class, struct_typeclass, given):
    """Those that the __init__ of the type's class adds to what values are made of; they begin with
    zeros."""
    try:
        some_type = struct_typeclass([(name, int64) for name in given])
    except Exception:  # a class that takes certain types only
        return
    py_class._numjit_names_ = tuple(some_type.field_dict)
    members = dict(py_class._numjit_members_)
    for name in set(some_type.field_dict) - set(given):
        members[f"init {name}"] = False
        members[f"factory {name}"] = _zero_of(some_type, name)
    py_class._numjit_members_ = members


def _zero_of(struct_type, name):
    """A function that returns what a field of new values holds."""
    if struct_type.field_dict[name] == voidptr:
        return lambda: pointer_at(0, voidptr)
    return lambda: getattr(new(struct_type), name)


def define_boxing(struct_type, obj_class):
    """Makes `obj_class` the Python class of values of a type."""
    if not issubclass(obj_class, StructRefProxy):
        raise TypeError("the Python class of a StructRef derives from structref.StructRefProxy")
    obj_class._numjit_struct_type_ = struct_type
    struct_type._proxy = obj_class


def proxy_of(struct_type, names):
    """The Python class of values with fields of these names; made where the user defined none."""
    if struct_type._proxy is None:
        define_boxing(struct_type, type(struct_type.__name__, (StructRefProxy,), {}))
    proxy = struct_type._proxy
    if not hasattr(proxy, "_numjit_names_"):
        proxy._numjit_names_ = names
    if proxy._numjit_names_ != names:
        raise TypeError(
            f"{struct_type.__name__} has the fields {proxy._numjit_names_}, not {names}: "
            "derive a class of types for other ones"
        )
    return proxy


def row_of_items(proxy, rows):
    """The row of the type of what is made of values whose types have these rows."""
    fields = zip(proxy._numjit_names_, wrap_all(rows))
    given = [each for each in fields if f"init {each[0]}" not in proxy._numjit_members_]
    return handle_of(proxy._numjit_struct_type_(given))


def row_of_fields(proxy, rows, refers_to_itself):
    """The row of a type with fields of these rows."""
    own = vars(proxy).get("_numjit_rows_")  # of the type that refers to itself
    if refers_to_itself and own is None:
        proxy._numjit_rows_ = own = rows
        proxy._numjit_fields_ = classmethod(lambda cls: _core.tuple(cls._numjit_rows_))
    if own == rows:
        return _core.instance(proxy)
    if refers_to_itself:
        raise TypeError(
            f"{proxy.__name__} has a type with fields of its own type already: "
            "derive a class of types for other fields"
        )
    return _core.instance(proxy, rows)


def define_attributes(struct_typeclass):
    """Nothing is left to do: compiled code reads and writes the fields by name."""
