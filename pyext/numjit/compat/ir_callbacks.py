"""Callbacks of Numba's low-level extension API that write LLVM IR by llvmlite's IRBuilder."""

from __future__ import annotations

import functools

from numjit import types
from numjit.compat import builtin_models as _models  # registers them
from numjit.compat.ir_context import Context
from numjit.compat.ir_functions import describe, function_of
from numjit.compat.ir_memory import NeedsLiteral
from numjit.compat.ir_python import Crossing
from numjit.compat.ir_typing import typing_context
from numjit.compat.models import POINTER, WORD, default_manager, represented
from numjit.compat.registries import find_boxer, find_constant, find_unboxer
from numjit.decorators import njit
from numjit.errors import UnsupportedError
from numjit.signatures import Signature
from numjit.special import literally

__all__ = [
    "boxing",
    "constant_of",
    "function_of_callback",
    "function_of_getter",
    "function_of_setter",
    "typing_context",
    "unboxing",
]
_ = _models


def function_of_callback(callback, sig, names, given, defaults=None):
    """The Python function that does what `callback(context, builder, sig, args)` builds."""

    known, taken = {}, list(sig.args)
    if len(given) == len(sig.args):
        for at, (type_, argument) in enumerate(zip(sig.args, given, strict=True)):
            if isinstance(argument, types.IntegerLiteral) and isinstance(type_, types.Integer):
                known[at] = argument.literal_value
            if _is_array(argument, False) and _is_array(type_, True):
                taken[at] = type_.copy(readonly=True)  # callbacks are trusted not to write to it

    def write(unit):
        context = Context(unit)
        for at, value in known.items():
            unit.arguments[at] = context.get_constant(sig.args[at], value)
        return callback(context, unit.builder, sig, unit.arguments)

    what = describe(callback)
    try:
        return function_of(write, sig.return_type, sig.args, names, what, defaults, taken)
    except NeedsLiteral as needed:
        return _asking_for(needed.argument, sig, names)


def _is_array(type_, mutable):
    return isinstance(type_, types.Array) and type_.mutable == mutable


def _asking_for(argument, sig, names):
    """A function that asks for the value of the parameter that an argument of LLVM IR is."""
    leaf = argument.parent.args.index(argument)
    for name, type_ in zip(names, sig.args, strict=True):
        leaf -= len(default_manager[type_].leaves())
        if leaf < 0:
            break
    return eval(f"lambda {', '.join(names)}: literally({name})", {"literally": literally})


def function_of_getter(callback, type_, result, name, takes_name):
    """The Python function of an attribute."""

    def write(unit):
        extra = (name,) if takes_name else ()
        return callback(Context(unit), unit.builder, type_, unit.arguments[0], *extra)

    return function_of(write, result, (type_,), ["value"], describe(callback))


def function_of_setter(callback, type_, value_type, name, takes_name):
    """The Python function that sets an attribute."""
    sig = Signature(types.none, (type_, value_type))

    def write(unit):
        extra = (name,) if takes_name else ()
        callback(Context(unit), unit.builder, sig, unit.arguments, *extra)
        return POINTER.type(None)

    return function_of(write, types.none, sig.args, ["target", "value"], describe(callback))


# -- between Python and compiled code -----------------------------------------------------------


def _entry_of(function, result, parameter):
    """The address of the machine code of a function for one type."""
    compiled = njit(Signature(result, (parameter,)))(function)
    specialization = next(iter(compiled._specializations()))
    _compiled.append(compiled)
    return specialization.entry_address


_compiled: list = []  # it is called as long as the process lives


@functools.cache
def unboxing(type_):
    """Where the machine code is that makes a value of an object's address."""
    callback = find_unboxer(type_)
    if callback is None:
        raise TypeError(f"can't unbox {type_} type: @unbox registers how")

    def write(unit):
        builder = unit.builder
        context = Context(unit)
        native = callback(
            type_, builder.inttoptr(unit.arguments[0], POINTER.type), Crossing(context, builder)
        )
        if native.cleanup is not None:
            raise UnsupportedError(f"{describe(callback)}: a cleanup of a NativeValue")
        _fail_if(context, builder, native.is_error)
        return native.value

    function = function_of(write, type_, (types.int64,), ["address"], describe(callback))
    return _entry_of(function, represented(type_), types.int64)


@functools.cache
def boxing(type_):
    """Where the machine code is that makes an object, and returns its address, of a value."""
    callback = find_boxer(type_)
    if callback is None:
        raise TypeError(f"cannot convert native {type_} to Python object: @box registers how")

    def write(unit):
        builder = unit.builder
        context = Context(unit)
        made = callback(type_, unit.arguments[0], Crossing(context, builder))
        address = builder.ptrtoint(made, WORD.type)
        _fail_if(context, builder, builder.icmp_unsigned("==", address, WORD.type(0)))
        return address

    function = function_of(write, types.int64, (type_,), ["value"], describe(callback))
    return _entry_of(function, types.int64, type_)


def _fail_if(context, builder, condition):
    """Leaves with the exception that the interpreter has."""
    if condition is None or condition is False:
        return
    with builder.if_then(condition, likely=False):
        builder.call(context.external(builder, "nj_set_host_error", "v"), [])
        context.unit.fail(builder)


def _has_address(type_):
    """Whether a part of a type with a model is an address of something unknown."""
    return isinstance(type_, types.Opaque) or (
        default_manager.has_own_model(type_)
        and any(_has_address(member) for _, member in default_manager.lookup(type_).parts())
    )


#: Functions that make constants, by the address of the object and its type; with the object, which
#: they keep alive.
_makers = {}


def constant_of(type_, value):
    """The parts of a constant that a lower_constant callback builds of an object; or the function
    that makes it, where a part is an address or an array of which more is written than is known."""
    known = _makers.get((id(value), type_))
    if known is not None:
        return known[0]
    callback = find_constant(type_)

    def write(unit):
        return callback(Context(unit), unit.builder, type_, value)

    def function():
        return function_of(write, type_, (), [], describe(callback))

    members = default_manager.lookup(type_).parts()
    if not any(_has_address(member) for _, member in members):
        parts = "".join(f"value.{name}, " for name, _ in members)
        found = njit(eval(f"lambda: (lambda value: ({parts}))(made())", {"made": function()}))()
        # The compiler gives an array the layout that it has, and a contiguous one has fewer parts
        # than a member of layout "A".
        if not any(
            isinstance(member, types.Array) and types.typeof(part).layout != member.layout
            for (_, member), part in zip(members, found, strict=True)
        ):
            return type_._value_class(*found)
    made = function()
    made.__module__, made.__qualname__ = "numjit", "constant"  # the compiler calls it for its value
    _makers[id(value), type_] = made, value
    return made
