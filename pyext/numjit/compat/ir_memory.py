"""Memory on the stack and addresses, in LLVM IR."""

from __future__ import annotations

import contextlib
import functools

from numjit.compat.models import llvm_ir
from numjit.errors import LoweringError


class NeedsLiteral(Exception):
    """The size of memory on the stack is an argument: its value must be known."""

    def __init__(self, argument):
        super().__init__(argument)
        self.argument = argument


_MOST_BYTES = 1 << 20


def _size_of(ty):
    return ty.get_abi_size(target_data())


@functools.cache
def target_data():
    """What llvmlite's LLVM knows of the processor's types."""
    import llvmlite.binding as binding

    layout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
    return binding.create_target_data(layout)


def _argument_behind(size):
    """The parameter that a size is made of by conversions; None for other sizes."""
    ir = llvm_ir()
    while isinstance(size, ir.instructions.CastInstr):
        (size,) = size.operands
    return size if isinstance(size, ir.Argument) else None


@contextlib.contextmanager
def in_entry_block(builder):
    """What is built goes to the beginning of the function."""
    with builder.goto_entry_block():
        yield


def alloca_once(builder, ty, size=None, name="", zfill=False):
    """Memory for `size` values (one) of a type, made when the function begins."""
    ir = llvm_ir()
    if isinstance(size, int):
        size = ir.IntType(64)(size)
    if isinstance(size, ir.Constant) and size.constant * _size_of(ty) > _MOST_BYTES:
        raise LoweringError("memory on the stack is for values of 1 MiB at most")
    argument = _argument_behind(size)
    if argument is not None:
        raise NeedsLiteral(argument)
    with in_entry_block(builder):
        place = builder.alloca(ty, size=size, name=name)
        builder.store(ty(None), place)
    if zfill:
        if size is None:
            builder.store(ty(None), place)
        else:
            count = size if size.type.width == 64 else builder.zext(size, ir.IntType(64))
            memset(builder, place, builder.mul(sizeof(builder, place.type), count), 0)
    return place


def alloca_once_value(builder, value, name="", zfill=False):
    """Memory that holds a value from here on."""
    place = alloca_once(builder, value.type, zfill=zfill, name=name)
    builder.store(value, place)
    return place


def gep(builder, ptr, *inds, inbounds=False, name=""):
    """The address of a part; indices are numbers or values."""
    ir = llvm_ir()
    indices = [
        ir.IntType(32 if at else 64)(each) if isinstance(each, int) else each
        for at, each in enumerate(inds)
    ]
    return builder.gep(ptr, indices, inbounds=inbounds, name=name)


def gep_inbounds(builder, ptr, *inds, name=""):
    return gep(builder, ptr, *inds, inbounds=True, name=name)


def pointer_add(builder, ptr, offset, return_type=None):
    """The address `offset` bytes behind."""
    ir = llvm_ir()
    if isinstance(offset, int):
        offset = ir.IntType(64)(offset)
    moved = builder.gep(builder.bitcast(ptr, ir.IntType(8).as_pointer()), [offset])
    return builder.bitcast(moved, return_type or ptr.type)


def sizeof(builder, ptr_type):
    """The bytes of what a type of pointers points to."""
    ir = llvm_ir()
    end = builder.gep(ptr_type(None), [ir.IntType(32)(1)])
    return builder.ptrtoint(end, ir.IntType(64))


def memset(builder, ptr, size, value):
    """Sets `size` bytes."""
    ir = llvm_ir()
    byte, word, pointer = ir.IntType(8), ir.IntType(64), ir.IntType(8).as_pointer()
    if isinstance(value, int):
        value = byte(value)
    function = builder.module.declare_intrinsic("llvm.memset", (pointer, word))
    size = _as_word(builder, size)
    builder.call(function, [builder.bitcast(ptr, pointer), value, size, ir.IntType(1)(0)])


def _as_word(builder, value):
    ir = llvm_ir()
    if isinstance(value, int):
        return ir.IntType(64)(value)
    return value if value.type.width == 64 else builder.zext(value, ir.IntType(64))


def move(name, builder, to, source, count, itemsize):
    """llvm.memcpy or llvm.memmove of `count` items."""
    ir = llvm_ir()
    pointer, word = ir.IntType(8).as_pointer(), ir.IntType(64)
    function = builder.module.declare_intrinsic(f"llvm.{name}", [pointer, pointer, word])
    size = builder.mul(_as_word(builder, count), _as_word(builder, itemsize))
    given = [builder.bitcast(each, pointer) for each in (to, source)]
    builder.call(function, [*given, size, ir.IntType(1)(0)])
