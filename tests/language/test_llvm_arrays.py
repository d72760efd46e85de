"""Callbacks that write LLVM IR: arrays, addresses of C functions and random generators."""

import ctypes
import math
import operator

import numpy as np
import pytest
from numjit import njit, types
from numjit.core import cgutils
from numjit.core.errors import TypingError
from numjit.core.imputils import impl_ret_borrowed
from numjit.extending import get_cython_function_address, intrinsic, models, register_model
from numjit.np import arrayobj

pytest.importorskip("llvmlite", reason="the callbacks write LLVM IR by llvmlite")


def new_array(layout):
    @intrinsic
    def made(typingctx, m, n):
        kind = types.Array(types.float32, 2, layout)

        def codegen(context, builder, sig, args):
            array = arrayobj._empty_nd_impl(context, builder, kind, args)
            return array._getvalue()

        return kind(types.int64, types.int64), codegen

    return made


@pytest.mark.parametrize(("layout", "strides"), [("C", (12, 4)), ("F", (4, 8))])
def test_new_arrays(layout, strides):
    made = new_array(layout)

    @njit
    def filled(m, n):
        a = made(m, n)
        a[:] = 1.5
        return a

    a = filled(2, 3)
    assert a.tolist() == [[1.5] * 3] * 2 and a.dtype == np.float32 and a.strides == strides
    assert filled(0, 3).shape == (0, 3)
    with pytest.raises(ValueError, match="array is too big"):
        filled(2**62, 2**62)


def first_of(kind):
    @intrinsic
    def first(typingctx, array):
        def codegen(context, builder, sig, args):
            return builder.load(context.make_array(kind)(context, builder, args[0]).data)

        return types.float64(kind), codegen

    return njit(lambda array: first(array))


@pytest.mark.parametrize("layout", ["C", "A"])
def test_signatures_of_writable_arrays_take_others(layout):
    first = first_of(types.Array(types.float64, 1, layout))
    a = np.arange(3.0, 9.0)
    assert first(a) == 3.0
    a.flags.writeable = False
    assert first(a) == 3.0
    if layout == "A":
        assert first(a[1::2]) == 4.0
    with pytest.raises(TypingError, match="it takes"):
        first(a.astype(np.float32))


@intrinsic
def every_other(typingctx, array):
    """A view, made by context.populate_array."""
    kind = array.copy(layout="A")

    def codegen(context, builder, sig, args):
        given = context.make_array(sig.args[0])(context, builder, args[0])
        (count,), (step,) = (
            cgutils.unpack_tuple(builder, each) for each in (given.shape, given.strides)
        )
        view = context.make_array(kind)(context, builder)
        two = context.get_constant(types.intp, 2)
        context.populate_array(
            view,
            data=given.data,
            shape=[builder.sdiv(builder.add(count, two.type(1)), two)],
            strides=[builder.mul(step, two)],
            itemsize=given.itemsize,
            meminfo=given.meminfo,
            parent=given.parent,
        )
        return impl_ret_borrowed(context, builder, kind, view._getvalue())

    return kind(array), codegen


def test_views():
    a = np.arange(5)
    view = njit(lambda a: every_other(a))(a)
    assert view.tolist() == [0, 2, 4] and np.shares_memory(view, a)


GIVEN = np.arange(6).reshape(2, 3)[:, ::2]


def test_array_constants():
    @intrinsic
    def constant(typingctx):
        kind = types.Array(types.int64, 2, "A")
        return kind(), lambda context, builder, sig, args: context.get_constant_generic(
            builder, kind, GIVEN
        )

    f = njit(lambda: constant())
    assert f().tolist() == [[0, 2], [3, 5]]
    assert njit(lambda: constant().sum())() == 10
    before = GIVEN[0, 0]
    try:
        GIVEN[0, 0] = 7
        assert f()[0, 0] == before  # a copy
    finally:
        GIVEN[0, 0] = before


def test_attributes_of_numbas_parameters_mean_nothing():
    """The first of Numba's parameters is where the result goes; ours are the arguments."""

    @intrinsic
    def added(typingctx, a, b):
        def codegen(context, builder, sig, args):
            builder.function.args[0].add_attribute("noalias")
            return builder.add(*args)

        return types.int64(types.int64, types.int64), codegen

    assert njit(lambda a, b: added(a, b))(2, 3) == 5


def function_at(signature):
    """An address of C code as a value of types.FunctionType."""

    @intrinsic
    def function(typingctx, address):
        kind = types.FunctionType(signature)

        def codegen(context, builder, sig, args):
            made = cgutils.create_struct_proxy(kind)(context, builder)
            made.c_addr = builder.inttoptr(args[0], made.c_addr.type)
            return made._getvalue()

        return kind(types.int64), codegen

    return function


def test_functions_of_c_code():
    pow_address = ctypes.cast(ctypes.CDLL(None).pow, ctypes.c_void_p).value
    made = function_at(types.float64(types.float64, types.float64))
    power = njit(lambda address, x, y: made(address)(x, y))
    assert power(pow_address, 2.0, 10.0) == 1024.0
    atan2 = ctypes.cast(ctypes.CDLL(None).atan2, ctypes.c_void_p).value
    assert power(atan2, 2.0, 10.0) == math.atan2(2.0, 10.0)

    @njit
    def applied(function, x):
        return function(x, 2.0)

    assert njit(lambda address: applied(made(address), 3.0))(pow_address) == 9.0


def test_arrays_by_their_addresses():
    """`a.ctypes` for a pointer, as for C functions of ctypes."""
    pytest.importorskip("scipy")
    address = get_cython_function_address("scipy.linalg.cython_blas", "dscal")
    number, item = types.CPointer(types.int32), types.CPointer(types.float64)
    made = function_at(types.void(number, item, item, number))
    scale = njit(lambda address, n, by, a, step: made(address)(n, by, a, step))

    @njit
    def run(address, a, by):
        size, step = np.full(1, a.size, np.int32), np.ones(1, np.int32)
        scale(address, size.ctypes, np.full(1, by).ctypes, a.ctypes, step.ctypes)

    a = np.arange(4.0)
    run(address, a, 2.5)
    assert a.tolist() == [0, 2.5, 5, 7.5]


def test_random_generators():
    """Handed on to what compiled code calls."""

    @njit
    def draw(generator):
        return generator.normal()

    @intrinsic
    def drawn(typingctx, generator):
        sig = typingctx.resolve_function_type(draw, (generator,), {})

        def codegen(context, builder, sig, args):
            return context.get_function(draw, sig)(builder, args)

        return sig, codegen

    f = njit(lambda generator: (drawn(generator), drawn(generator)))
    expected = np.random.default_rng(3).normal(size=2)
    assert f(np.random.default_rng(3)) == tuple(expected)


@pytest.mark.parametrize("function", [operator.setitem, operator.iadd, np.maximum])
def test_types_of_calls(function):
    """Signatures are asked of the types of functions."""

    @intrinsic
    def changed(typingctx, a, b):
        kind = typingctx.resolve_value_type(function)
        assert kind.typing_key is function
        arguments = (a, types.intp, b) if function is operator.setitem else (a, b)
        call = kind.get_call_type(typingctx, arguments, {})
        assert call.args == arguments

        def codegen(context, builder, sig, args):
            a, b = args
            zero = context.get_constant(types.intp, 0)
            given = (a, zero, b) if function is operator.setitem else (a, b)
            result = context.get_function(kind, call)(builder, given)
            if function is operator.setitem:
                return impl_ret_borrowed(context, builder, sig.return_type, a)
            return result

        return (a if function is operator.setitem else call.return_type)(a, b), codegen

    a = njit(lambda a, b: changed(a, b))(np.arange(3.0), 1.5)
    expected = {
        operator.setitem: [1.5, 1, 2],
        operator.iadd: [1.5, 2.5, 3.5],
        np.maximum: [1.5, 1.5, 2],
    }
    assert a.tolist() == expected[function]


class TaggedArray(types.Array):
    """An array type of a program's own, with a model of its own."""

    def __init__(self, dtype, ndim, layout):
        super().__init__(dtype, ndim, layout, name=f"Tagged({dtype}, {ndim}, {layout})")


@register_model(TaggedArray)
class TaggedModel(models.StructModel):
    def __init__(self, dmm, fe_type):
        members = [("data", types.CPointer(fe_type.dtype)), ("tag", types.intp)]
        super().__init__(dmm, fe_type, members)


def test_array_types_with_a_model_of_their_own():
    @intrinsic
    def tagged(typingctx, array, tag):
        kind = TaggedArray(array.dtype, array.ndim, array.layout)

        def codegen(context, builder, sig, args):
            made = cgutils.create_struct_proxy(kind)(context, builder)
            made.data = context.make_array(sig.args[0])(context, builder, args[0]).data
            made.tag = args[1]
            return made._getvalue()

        return kind(array, tag), codegen

    @intrinsic
    def tag_of(typingctx, value):
        def codegen(context, builder, sig, args):
            return cgutils.create_struct_proxy(sig.args[0])(context, builder, value=args[0]).tag

        return types.intp(value), codegen

    @njit
    def f(a, tag):
        return tag_of(tagged(a, tag)) + len(a)

    assert f(np.ones(3), 40) == 43
    with pytest.raises(TypingError, match="No implementation of function operator.add"):
        njit(lambda a: tagged(a, 1) + tagged(a, 2))(np.ones(3))
