"""Constants of LLVM IR of Python objects."""

from __future__ import annotations

import struct

from numjit import types
from numjit.compat.ir_structs import create_struct_proxy
from numjit.compat.models import WORD, default_manager, llvm_ir
from numjit.compat.registries import find_constant
from numjit.errors import UnsupportedError


def constant(context, builder, ty, val):
    """A constant of LLVM that is a value of a type."""
    ir = llvm_ir()
    kind = context.get_value_type(ty)
    if isinstance(ty, types.Literal):
        ty = ty.literal_type
    if isinstance(ty, types.Boolean):
        return kind(int(bool(val)))
    if isinstance(ty, types.Integer):
        return kind(int(val))
    if isinstance(ty, types.Float):
        return kind(
            struct.unpack("f", struct.pack("f", val))[0] if ty.bitwidth == 32 else float(val)
        )
    if isinstance(ty, types.Complex):
        part = ty.underlying_float
        parts = [constant(context, builder, part, each) for each in (val.real, val.imag)]
        return kind(parts)
    if isinstance(ty, types.BaseTuple):
        pairs = zip(ty.types, val, strict=True)
        return kind([constant(context, builder, each, item) for each, item in pairs])
    if isinstance(ty, types.EnumMember):
        return constant(context, builder, ty.dtype, val.value)
    if isinstance(ty, types.UnicodeType):
        return _text(context, builder, ty, val)
    if isinstance(ty, types.Array):
        return context.make_constant_array(builder, ty, val)
    if isinstance(ty, types.CPointer | types.RawPointer) and isinstance(val, int):
        context.unit.is_of_this_process = True
        return WORD.type(val).inttoptr(kind)
    if isinstance(ty, types.Optional):
        if val is None:
            return kind(None)
        return kind([constant(context, builder, ty.type, val), ir.IntType(1)(1)])
    if not default_manager[ty].leaves():
        return context.get_dummy_value()
    return _by_callback(context, builder, ty, val)


def _text(context, builder, ty, val):
    size = 1 if max(val, default="") < "\x80" else 4
    data = val.encode("utf-32-le" if size == 4 else "ascii") + b"\0" * size
    made = create_struct_proxy(ty)(context, builder)
    made.data = context.insert_const_bytes(builder.module, data)
    made.length, made.kind = WORD.type(len(val)), llvm_ir().IntType(32)(size)
    made.hash = WORD.type(-1)
    return made._getvalue()


def _by_callback(context, builder, ty, val):
    callback = find_constant(ty)
    if callback is None:
        raise UnsupportedError(f"a constant of type {ty} in LLVM IR")
    return callback(context, builder, ty, val)
