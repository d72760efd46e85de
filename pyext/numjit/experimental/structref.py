"""numba.experimental.structref: references to fields that compiled code and Python share.

The values are what instances of jitclasses are, blocks of memory; but the types of the fields are
those of what an instance is made of.
"""

from __future__ import annotations

from numjit import _core
from numjit.types.items import StructRef

__all__ = [
    "StructRefProxy",
    "define_attributes",
    "define_boxing",
    "define_constructor",
    "define_proxy",
    "register",
]


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
        from numjit.types.wrap import typeof

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
    from numjit.decorators import njit

    if not issubclass(py_class, StructRefProxy):
        raise TypeError("the Python class of a StructRef derives from structref.StructRefProxy")
    py_class._numjit_names_ = tuple(fields)
    py_class._numjit_struct_type_ = struct_typeclass
    struct_typeclass._proxy = py_class
    names = ", ".join(fields)
    constructor = eval(f"lambda {names}: cls({names})", {"cls": py_class})
    py_class._numjit_constructor_ = njit(constructor)


def define_boxing(struct_type, obj_class):
    """Nothing is left to do: values are made as objects of the class."""


def define_attributes(struct_typeclass):
    """Nothing is left to do: compiled code reads and writes the fields by name."""
