"""Callbacks of Numba's low-level extension API where llvmlite is not installed.

Those of `unbox` and `box` run on the objects themselves, each time that a value crosses between
Python and compiled code. Those of `lower_builtin` and `intrinsic` run once, when a call is
compiled, over expressions; what they build becomes the source of a Python function that is compiled
in their place. Whatever only LLVM has is refused.
"""

from __future__ import annotations

import dataclasses
import importlib
import re
from types import SimpleNamespace

import numpy as np

from numjit import types
from numjit.compat import standin_cgutils as cgutils
from numjit.compat.llvm_operations import OPERATIONS
from numjit.compat.models import default_manager
from numjit.compat.registries import NativeValue, find_boxer, find_unboxer
from numjit.compat.standin_cgutils import (
    Builder,
    Cell,
    MissingName,
    NeedsLiteral,
    Struct,
    unsupported,
)
from numjit.library.core.intrinsics import pointer_at, stack_cell, stack_cells
from numjit.np.numpy_support import as_dtype
from numjit.special import carray, literally
from numjit.types.rows import handle_of


class _PythonApi:
    """Numba's pyapi, carried out at once."""

    pyobj = None  # its type in LLVM

    def get_null_object(self):
        return None

    def object_getattr_string(self, value, name):
        return getattr(value, name)

    object_getattr = object_getattr_string

    def object_setattr_string(self, value, name, new):
        setattr(value, name, new)

    def object_getitem(self, value, key):
        return value[key]

    tuple_getitem = list_getitem = dict_getitem_string = dict_getitem = object_getitem

    def call_function_objargs(self, function, arguments):
        return function(*arguments)

    def call(self, function, arguments=None, keywords=None):
        return function(*(arguments or ()), **(keywords or {}))

    def call_method(self, value, name, arguments=()):
        return getattr(value, name)(*arguments)

    def tuple_pack(self, items):
        return tuple(items)

    def dict_pack(self, items):
        return dict(items)

    def unserialize(self, value):
        return value

    serialize_object = unserialize
    number_long = long_from_longlong = long_from_signed_int = staticmethod(int)
    long_as_longlong = long_from_ssize_t = staticmethod(int)
    float_as_double = float_from_double = number_float = staticmethod(float)
    bool_from_bool = staticmethod(bool)

    def from_native_value(self, type_, value, env_manager=None):
        return _as_object(value)

    def to_native_value(self, type_, value):
        return NativeValue(value, False)

    def make_none(self):
        return None

    def import_module(self, name):
        return importlib.import_module(name)

    import_module_noblock = import_module

    def nothing(self, *args):
        """References are counted by Python itself; an error raises at once."""

    incref = decref = err_occurred = err_clear = nothing

    def __getattr__(self, name):
        if name[:2] == "__":
            raise AttributeError(name)
        raise unsupported(f"pyapi.{name}()", MissingName)


def _as_object(value):
    if isinstance(value, Struct):
        handle_of(value.type)
        return value.type._value_class(**value.parts)._numjit_to_python_()
    return value


class Crossing:
    """The `c` of box and unbox callbacks."""

    env_manager = None
    pyapi = _PythonApi()

    def __init__(self):
        self.builder = Builder()

    @property
    def context(self):
        return _Context({})

    def unbox(self, type_, value):
        if find_unboxer(type_):
            return find_unboxer(type_)(type_, value, self)
        return NativeValue(value, False)

    def box(self, type_, value):
        return _as_object(value)


# -- operations ---------------------------------------------------------------------------------


class _Expression:
    """A value of compiled code while a callback runs: the source that computes it."""

    def __init__(self, source):
        self.source = source

    def __getitem__(self, index):
        return _Expression(f"{self.source}[{index}]")

    def __getattr__(self, name):
        if name[:2] == "__":
            raise AttributeError(name)
        return _Expression(f"{self.source}.{name}")

    def _select(self, a, b):
        return _Expression(f"({_source(a)} if {self.source} else {_source(b)})")

    def __neg__(self):
        return _Expression(f"(-{self.source})")

    def __bool__(self):
        raise unsupported("a decision of the callback by a value of compiled code")

    __hash__ = None


def _define_operators():
    def binary(symbol, swapped):
        def combine(self, other):
            both = [_source(other), self.source] if swapped else [self.source, _source(other)]
            return _Expression(f"({both[0]} {symbol} {both[1]})")

        return combine

    names = "add sub mul truediv and or xor lshift rshift".split()
    for symbol, name in zip("+ - * / & | ^ << >>".split(), names):
        setattr(_Expression, f"__{name}__", binary(symbol, False))
        setattr(_Expression, f"__r{name}__", binary(symbol, True))
    for symbol, name in zip("== != < <= > >=".split(), "eq ne lt le gt ge".split()):
        setattr(_Expression, f"__{name}__", binary(symbol, False))


_define_operators()


def _source(value) -> str:
    if isinstance(value, _Expression):
        return value.source
    if isinstance(value, np.generic):
        value = value.item()
    elif type(value).__module__.startswith("llvmlite."):  # a constant, made by hand
        value = getattr(value, "constant", value)
    if value is None or isinstance(value, bool | int | float | complex | str):
        return repr(value)
    raise unsupported(f"the value {value!r} of a callback")


class _Context:
    """The target context; `names`: what the source of a function refers to."""

    def __init__(self, names):
        self._names = names

    def _name(self, value) -> str:
        name = f"g{len(self._names)}"
        self._names[name] = value
        return name

    def typed(self, type_, value):
        """The source of a value as a value of a type."""
        if isinstance(value, Struct):
            handle_of(value.type)
            members = dict(default_manager.lookup(value.type).members)
            parts = ", ".join(self.typed(members[name], part) for name, part in value.parts.items())
            return f"{self._name(value.type._value_class)}({parts})"
        if isinstance(value, Cell):
            if value.count is not None:
                return f"{self._name(stack_cells)}({self._name(value.type)}, {value.count})"
            held = value.value
            if value.type is not None:
                held = self.convert(0 if held is None else held, value.type)
            return f"{self._name(stack_cell)}({_source(held)})"
        if isinstance(type_, types.Number | types.Boolean):
            return f"{self._name(type_)}({_source(value)})"
        return _source(value)

    def item_at(self, pointer):
        """What a pointer points at."""
        return _Expression(f"{self._name(carray)}({_source(pointer)}, 1)[0]")

    def get_value_type(self, type_):
        """The type itself stands for the one of LLVM."""
        return type_

    get_data_type = get_argument_type = get_value_type

    def convert(self, value, type_):
        """What the builder's conversions give; `type_` is one of numjit's, or a number of LLVM."""
        type_ = _OF_LLVM.get(str(type_), type_)
        if isinstance(type_, types.CPointer) or type_ is types.voidptr:
            value = f"{self._name(pointer_at)}({_source(value)}, {self._name(type_)})"
            return _Expression(value)
        if not isinstance(type_, types.Number | types.Boolean):
            raise unsupported(f"a conversion to {type_}")
        return _Expression(self.typed(type_, value))

    def reinterpret(self, value, type_):
        """The bits of a number as one of another type."""
        type_ = _OF_LLVM.get(str(type_), type_)
        if not isinstance(type_, types.Number):
            return self.convert(value, type_)
        return _Expression(f"{_source(value)}.view({self._name(as_dtype(type_))})")

    @staticmethod
    def has_operation(name) -> bool:
        return name in OPERATIONS

    def operation(self, name, *values):
        return _Expression(f"{self._name(OPERATIONS[name])}({', '.join(map(_source, values))})")

    def get_constant(self, type_, value):
        return value

    nrt = SimpleNamespace(  # references are counted in the code that is made
        incref=lambda builder, type_, value: None, decref=lambda builder, type_, value: None
    )

    get_constant_generic = staticmethod(lambda builder, type_, value: value)

    def get_dummy_value(self):
        return None

    get_constant_null = staticmethod(lambda type_: None)

    def cast(self, builder, value, fromty, toty):
        return _Expression(self.typed(toty, value))

    def make_helper(self, builder, type_, value=None, ref=None):
        return cgutils.create_struct_proxy(type_)(self, builder, value, ref)

    def make_tuple(self, builder, type_, values):
        items = "".join(f"{_source(value)}, " for value in values)
        return _Expression(f"({items})")

    def compile_internal(self, builder, implementation, sig, args, **options):
        arguments = ", ".join(map(_source, args))
        return _Expression(f"{self._name(implementation)}({arguments})")

    def __getattr__(self, name):
        if name[:2] == "__":
            raise AttributeError(name)
        raise unsupported(f"context.{name}()", MissingName)


def function_of(callback, sig, parameters, given):
    """The Python function that does what a callback builds for a signature.

    `given`: the types of the arguments; of literal ones the callback gets the number. If it needs
    that of another one, the function asks for it.
    """
    names = {}
    context = _Context(names)
    arguments = [
        literal.literal_value
        if isinstance(literal, types.IntegerLiteral) and isinstance(type_, types.Integer)
        else _Expression(context.typed(type_, _Expression(name)))
        for name, type_, literal in zip(parameters, sig.args, given)
    ]
    try:
        result = callback(context, Builder(context), sig, arguments)
    except NeedsLiteral as needed:
        return _asking_for(needed.expression.source, parameters)
    body = context.typed(sig.return_type, result)
    return eval(f"lambda {', '.join(parameters)}: {body}", names)


def _asking_for(source, parameters):
    """A function that asks for the value of that parameter which an expression is made of."""
    used = [name for name in parameters if re.search(rf"\b{name}\b", source)]
    if len(used) != 1:
        raise unsupported("memory on the stack of a computed size")
    return eval(f"lambda {', '.join(parameters)}: literally({used[0]})", {"literally": literally})


_OF_LLVM = {
    "i1": types.boolean,
    "i8": types.int8,
    "i16": types.int16,
    "i32": types.int32,
    "i64": types.int64,
    "float": types.float32,
    "double": types.float64,
}


# -- between Python and compiled code -----------------------------------------------------------


def unboxed(cls, value):
    """The value of an object, as what has the parts of the type's model."""
    type_ = cls._numjit_type_
    callback = find_unboxer(type_)
    if callback is None:
        raise TypeError(f"can't unbox {type_} type: @unbox registers how")
    native = callback(type_, value, Crossing())
    cell = native.value
    if native.is_error is True or not isinstance(cell, Struct) and dataclasses.fields(cls):
        raise TypeError(f"can't unbox {type(value).__name__} as {type_}")
    return cls(**cell.parts) if isinstance(cell, Struct) else cls()


def boxed(value):
    """The object of a value."""
    callback = find_boxer(value._numjit_type_)
    if callback is None:
        raise TypeError(
            f"cannot convert native {value._numjit_type_} to Python object: @box says how"
        )
    return callback(value._numjit_type_, value, Crossing())
