"""Numba's `cgutils` over llvmlite's IRBuilder: pieces of LLVM IR that callbacks are made of."""

from __future__ import annotations

import contextlib
import functools
import itertools
from typing import NamedTuple

from numjit.compat.ir_memory import (
    alloca_once,
    alloca_once_value,
    gep,
    gep_inbounds,
    memset,
    move,
    pointer_add,
)
from numjit.compat.ir_structs import Structure, create_struct_proxy
from numjit.compat.models import Missing, llvm_ir

ir = llvm_ir()

bool_t = ir.IntType(1)
int8_t = ir.IntType(8)
int32_t = ir.IntType(32)
intp_t = ir.IntType(64)
voidptr_t = int8_t.as_pointer()

true_bit = bool_t(1)
false_bit = bool_t(0)
true_byte = int8_t(1)
false_byte = int8_t(0)

memset_padding = memset


def __getattr__(name):
    if name[:2] == "__":
        raise AttributeError(name)
    raise Missing(f"cgutils.{name} has no counterpart in numjit")


# -- bits and constants -------------------------------------------------------------------------


def as_bool_byte(builder, value):
    return builder.zext(value, int8_t)


def as_bool_bit(builder, value):
    return builder.icmp_unsigned("!=", value, value.type(0))


def get_null_value(ltype):
    return ltype(None)


def make_anonymous_struct(builder, values, struct_type=None):
    """A struct of values."""
    if struct_type is None:
        struct_type = ir.LiteralStructType([value.type for value in values])
    made = struct_type(ir.Undefined)
    for i, value in enumerate(values):
        made = builder.insert_value(made, value, i)
    return made


pack_struct = make_anonymous_struct


def pack_array(builder, values, ty=None):
    """An array of LLVM of values."""
    kind = ir.ArrayType(values[0].type if ty is None else ty, len(values))
    made = kind(ir.Undefined)
    for i, value in enumerate(values):
        made = builder.insert_value(made, value, i)
    return made


def unpack_tuple(builder, tup, count=None):
    """The items of an array or struct of LLVM."""
    if count is None:
        kind = tup.type
        count = kind.count if isinstance(kind, ir.ArrayType) else len(kind.elements)
    return [builder.extract_value(tup, i) for i in range(count)]


def make_bytearray(buf):
    kind = ir.ArrayType(int8_t, len(buf))
    return kind(bytearray(buf))


def create_constant_array(ty, val):
    return ir.ArrayType(ty, len(val))(val)


_unique = itertools.count()


def add_global_variable(module, ty, name, addrspace=0):
    """A global variable of a name like this one."""
    return ir.GlobalVariable(module, ty, module.get_unique_name(name), addrspace=addrspace)


def global_constant(builder_or_module, name, value, linkage="internal"):
    """The address of a constant."""
    module = getattr(builder_or_module, "module", builder_or_module)
    if not isinstance(module, ir.Module):
        module = builder_or_module
    made = add_global_variable(module, value.type, name)
    made.linkage = linkage
    made.global_constant = True
    made.initializer = value
    return made


# -- functions ----------------------------------------------------------------------------------


def get_or_insert_function(module, fnty, name):
    """A function of the module, declared if it is not there."""
    known = module.globals.get(name)
    return ir.Function(module, fnty, name) if known is None else known


def insert_pure_function(module, fnty, name):
    """A function without side effects."""
    function = get_or_insert_function(module, fnty, name)
    function.attributes.add("readonly")
    function.attributes.add("nounwind")
    return function


def get_or_insert_named_metadata(module, name):
    try:
        return module.get_named_metadata(name)
    except KeyError:
        return module.add_named_metadata(name)


# -- tests and branches -------------------------------------------------------------------------


def is_null(builder, val):
    return builder.icmp_unsigned("==", get_null_value(val.type), val)


def is_not_null(builder, val):
    return builder.icmp_unsigned("!=", get_null_value(val.type), val)


def is_true(builder, val):
    return is_not_null(builder, val)


def is_pointer(ltyp):
    return isinstance(ltyp, ir.PointerType)


def _is_float(value):
    return isinstance(value.type, ir.FloatType | ir.DoubleType)


def is_scalar_zero(builder, value):
    """Whether a number is 0, or a pointer null."""
    zero = ir.Constant(value.type, None)
    if _is_float(value):
        return builder.fcmp_ordered("==", zero, value)
    return builder.icmp_unsigned("==", zero, value)


is_scalar_zero_or_nan = functools.wraps(is_scalar_zero)(
    lambda builder, value: (
        builder.fcmp_unordered("==", ir.Constant(value.type, None), value)
        if _is_float(value)
        else is_scalar_zero(builder, value)
    )
)


def is_not_scalar_zero(builder, value):
    return builder.not_(is_scalar_zero(builder, value))


def is_scalar_neg(builder, value):
    zero = ir.Constant(value.type, None)
    if _is_float(value):
        return builder.fcmp_ordered("<", value, zero)
    return builder.icmp_signed("<", value, zero)


is_neg_int = is_scalar_neg


def if_likely(builder, pred):
    return builder.if_then(pred, likely=True)


def if_unlikely(builder, pred):
    return builder.if_then(pred, likely=False)


def ifnot(builder, pred):
    return builder.if_then(builder.not_(pred))


def if_zero(builder, value, likely=False):
    return builder.if_then(is_scalar_zero(builder, value), likely=likely)


guard_zero_message = "division by zero"


@contextlib.contextmanager
def early_exit_if(builder, stack, cond):
    """A block for when the condition holds; what comes behind it is for when it does not."""
    then, otherwise = stack.enter_context(builder.if_else(cond, likely=False))
    with then:
        yield
    stack.enter_context(otherwise)


def early_exit_if_null(builder, stack, obj):
    return early_exit_if(builder, stack, is_null(builder, obj))


def guard_null(context, builder, value, exc_tuple):
    """Raises an exception if a number is 0 or a pointer null."""
    with builder.if_then(is_scalar_zero(builder, value), likely=False):
        exc, *arguments = exc_tuple
        context.call_conv.return_user_exc(builder, exc, tuple(arguments))


def guard_zero(context, builder, value, exc_tuple):
    guard_null(context, builder, value, exc_tuple)


def guard_memory_error(context, builder, pointer, msg=None):
    """Raises MemoryError if a pointer is null."""
    guard_null(context, builder, pointer, (MemoryError, *([msg] if msg else [])))


guard_invalid_slice = guard_zero


@contextlib.contextmanager
def goto_if(builder, cond, block):
    """Branches to a block if a condition holds."""
    behind = builder.append_basic_block("behind")
    builder.cbranch(cond, block, behind)
    builder.position_at_end(behind)
    yield


def cbranch_or_continue(builder, cond, bbtrue):
    """Goes to a block if a condition holds, else on; the block where it goes on."""
    behind = builder.append_basic_block(".continue")
    builder.cbranch(cond, bbtrue, behind)
    builder.position_at_end(behind)
    return behind


@contextlib.contextmanager
def terminate(builder, bbend):
    """Ends the current block by a branch, if it has no end."""
    if not builder.block.is_terminated:
        builder.branch(bbend)
    yield


class IfBranchObj(NamedTuple):
    """A branch of an if."""

    builder: object
    bbenter: object
    bbend: object


# -- loops --------------------------------------------------------------------------------------


class Loop(NamedTuple):
    """What for_range() yields."""

    index: object
    do_break: object


def increment_index(builder, val):
    """val + 1, which cannot overflow."""
    return builder.add(val, val.type(1), flags=["nsw"])


@contextlib.contextmanager
def for_range(builder, count, start=None, intp=None):
    """A loop over `start` (0) to `count - 1`."""
    intp = count.type if intp is None else intp
    start = intp(0) if start is None else start
    head, body, end = (
        builder.append_basic_block(f"for.{name}") for name in ("head", "body", "end")
    )
    before = builder.block
    builder.branch(head)
    builder.position_at_end(head)
    index = builder.phi(intp, name="loop.index")
    builder.cbranch(builder.icmp_signed("<", index, count), body, end)
    builder.position_at_end(body)
    yield Loop(index, lambda: builder.branch(end))
    following = increment_index(builder, index)
    index.add_incoming(start, before)
    index.add_incoming(following, builder.block)
    if not builder.block.is_terminated:
        builder.branch(head)
    builder.position_at_end(end)


@contextlib.contextmanager
def for_range_slice(builder, start, stop, step, intp=None, inc=True):
    """A loop over range(start, stop, step) whose step is positive (`inc`) or negative."""
    intp = start.type if intp is None else intp
    head, body, end = (
        builder.append_basic_block(f"for.{name}") for name in ("head", "body", "end")
    )
    before = builder.block
    builder.branch(head)
    builder.position_at_end(head)
    index = builder.phi(intp, name="loop.index")
    count = builder.phi(intp, name="loop.count")
    builder.cbranch(builder.icmp_signed("<" if inc else ">", index, stop), body, end)
    builder.position_at_end(body)
    yield index, count
    following = builder.add(index, step)
    index.add_incoming(start, before)
    index.add_incoming(following, builder.block)
    number = builder.add(count, intp(1))
    count.add_incoming(intp(0), before)
    count.add_incoming(number, builder.block)
    builder.branch(head)
    builder.position_at_end(end)


@contextlib.contextmanager
def for_range_slice_generic(builder, start, stop, step):
    """Two loops, (for steps up, for steps down), of which one runs."""
    intp = start.type
    is_up = builder.icmp_signed(">=", step, intp(0))

    @contextlib.contextmanager
    def loop(condition, inc):
        with (
            builder.if_then(condition),
            for_range_slice(builder, start, stop, step, intp, inc) as index,
        ):
            yield index

    yield loop(is_up, True), loop(builder.not_(is_up), False)


@contextlib.contextmanager
def loop_nest(builder, shape, intp, order="C"):
    """Loops over all axes; yields the indices."""
    if not shape:
        yield ()
        return
    axes = list(enumerate(shape))
    if order == "F":
        axes.reverse()
    indices = [None] * len(shape)
    with contextlib.ExitStack() as stack:
        for axis, extent in axes:
            loop = stack.enter_context(for_range(builder, extent, intp=intp))
            indices[axis] = loop.index
        yield tuple(indices)


# -- arrays and memory --------------------------------------------------------------------------


def get_strides_from_slice(builder, ndim, strides, itemsize, axis):
    return builder.extract_value(strides, axis)


def get_item_pointer(context, builder, aryty, ary, inds, wraparound=False, boundscheck=False):
    """The address of an item; `ary` is a struct proxy."""
    shapes = unpack_tuple(builder, ary.shape, count=aryty.ndim)
    strides = unpack_tuple(builder, ary.strides, count=aryty.ndim)
    return get_item_pointer2(
        context,
        builder,
        data=ary.data,
        shape=shapes,
        strides=strides,
        layout=aryty.layout,
        inds=inds,
        wraparound=wraparound,
        boundscheck=boundscheck,
    )


def get_item_pointer2(
    context, builder, data, shape, strides, layout, inds, wraparound=False, boundscheck=False
):
    """The address of the item at indices, of which negative ones may count from the end."""
    if wraparound:
        inds = [
            builder.select(
                builder.icmp_signed("<", index, index.type(0)), builder.add(extent, index), index
            )
            for index, extent in zip(inds, shape, strict=False)
        ]
    if boundscheck:
        for index, extent in zip(inds, shape, strict=False):
            is_out = builder.or_(
                builder.icmp_signed(">=", index, extent),
                builder.icmp_signed("<", index, index.type(0)),
            )
            with if_unlikely(builder, is_out):
                context.call_conv.return_user_exc(builder, IndexError, ("index out of bounds",))
    offset = intp_t(0)
    for index, stride in zip(inds, strides, strict=False):
        offset = builder.add(offset, builder.mul(index, stride))
    return pointer_add(builder, data, offset)


def get_record_member(builder, record, offset, typ):
    place = gep_inbounds(builder, record, 0, offset)
    return builder.bitcast(place, typ.as_pointer())


def set_record_data(context, builder, typ, ptr, value):
    builder.store(value, builder.bitcast(ptr, value.type.as_pointer()))


def memcpy(builder, dst, src, count):
    """Copies `count` items of what `dst` points to."""
    size = builder.ptrtoint(gep(builder, dst.type(None), 1), intp_t)
    move("memcpy", builder, dst, src, count, size)


def raw_memcpy(builder, dst, src, count, itemsize, align=1):
    move("memcpy", builder, dst, src, count, itemsize)


def raw_memmove(builder, dst, src, count, itemsize, align=1):
    move("memmove", builder, dst, src, count, itemsize)


def muladd_with_overflow(builder, a, b, c):
    """(a * b + c, whether that overflowed)."""
    product = builder.smul_with_overflow(a, b)
    total = builder.sadd_with_overflow(builder.extract_value(product, 0), c)
    failed = builder.or_(builder.extract_value(product, 1), builder.extract_value(total, 1))
    return builder.extract_value(total, 0), failed


def divmod_by_constant(builder, val, divisor):
    """Quotient and remainder, rounded down, by a positive constant."""
    kind = val.type
    by = kind(divisor)
    quotient, rest = builder.sdiv(val, by), builder.srem(val, by)
    is_negative = builder.icmp_signed("<", rest, kind(0))
    return (
        builder.select(is_negative, builder.sub(quotient, kind(1)), quotient),
        builder.select(is_negative, builder.add(rest, by), rest),
    )


# -- text ---------------------------------------------------------------------------------------


def _text(module, text):
    return global_constant(module, "text", make_bytearray(text.encode() + b"\0"))


def _promoted(builder, value):
    if isinstance(value.type, ir.FloatType):
        return builder.fpext(value, ir.DoubleType())
    return value


def printf(builder, format, *args):
    """The C library's printf()."""
    kind = ir.FunctionType(int32_t, [voidptr_t], var_arg=True)
    function = get_or_insert_function(builder.module, kind, "printf")
    place = builder.bitcast(_text(builder.module, format), voidptr_t)
    return builder.call(function, [place, *(_promoted(builder, value) for value in args)])


def snprintf(builder, buffer, bufsz, format, *args):
    """The C library's snprintf()."""
    kind = ir.FunctionType(int32_t, [voidptr_t, intp_t, voidptr_t], var_arg=True)
    function = get_or_insert_function(builder.module, kind, "snprintf")
    place = builder.bitcast(_text(builder.module, format), voidptr_t)
    given = [_promoted(builder, value) for value in args]
    return builder.call(function, [buffer, bufsz, place, *given])


def snprintf_stackbuffer(builder, bufsz, format, *args):
    """The same into memory on the stack, whose address is given."""
    buffer = builder.bitcast(alloca_once(builder, ir.ArrayType(int8_t, bufsz)), voidptr_t)
    snprintf(builder, buffer, intp_t(bufsz), format, *args)
    return buffer


__all__ = [
    "Structure",
    "alloca_once",
    "alloca_once_value",
    "create_struct_proxy",
    "gep",
    "gep_inbounds",
    "memset",
    "pointer_add",
]
