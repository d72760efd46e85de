"""Types of the user's own by the low-level extension API: Numba's example of intervals."""

import importlib.util
import pickle
from contextlib import ExitStack, contextmanager

import numpy as np
import pytest
from numjit import carray, njit, typeof, types
from numjit.core import cgutils
from numjit.core.imputils import impl_ret_borrowed, lower_constant
from numjit.core.typing.templates import (
    _OverloadMethodTemplate,
    make_overload_attribute_template,
)
from numjit.errors import LiteralTypingError, TypingError, UnsupportedError
from numjit.extending import (
    NativeValue,
    as_numba_type,
    box,
    infer_getattr,
    intrinsic,
    lower_builtin,
    make_attribute_wrapper,
    models,
    overload,
    overload_attribute,
    overload_method,
    register_model,
    type_callable,
    typeof_impl,
    unbox,
)

needs_standin = pytest.mark.skipif(
    importlib.util.find_spec("llvmlite") is not None,
    reason="of the stand-in for llvmlite; test_without_llvmlite.py runs it",
)


class Interval:
    def __init__(self, lo, hi):
        self.lo = lo
        self.hi = hi

    def __repr__(self):
        return f"Interval({self.lo}, {self.hi})"

    @property
    def width(self):
        return self.hi - self.lo


class IntervalType(types.Type):
    def __init__(self):
        super().__init__(name="Interval")


interval_type = IntervalType()


@typeof_impl.register(Interval)
def typeof_index(val, c):
    return interval_type


as_numba_type.register(Interval, interval_type)


@type_callable(Interval)
def type_interval(context):
    def typer(lo, hi):
        if isinstance(lo, types.Float) and isinstance(hi, types.Float):
            return interval_type

    return typer


@register_model(IntervalType)
class IntervalModel(models.StructModel):
    def __init__(self, dmm, fe_type):
        members = [("lo", types.float64), ("hi", types.float64)]
        models.StructModel.__init__(self, dmm, fe_type, members)


make_attribute_wrapper(IntervalType, "lo", "lo")
make_attribute_wrapper(IntervalType, "hi", "hi")
make_attribute_wrapper(IntervalType, "hi", "upper")


@overload_attribute(IntervalType, "width")
def get_width(interval):
    def getter(interval):
        return interval.hi - interval.lo

    return getter


@overload_method(IntervalType, "contains")
def contains(interval, x):
    return lambda interval, x: interval.lo <= x < interval.hi


@lower_builtin(Interval, types.Float, types.Float)
def impl_interval(context, builder, sig, args):
    typ = sig.return_type
    lo, hi = args
    interval = cgutils.create_struct_proxy(typ)(context, builder)
    interval.lo = lo
    interval.hi = hi
    return interval._getvalue()


@unbox(IntervalType)
def unbox_interval(typ, obj, c):
    is_error_ptr = cgutils.alloca_once_value(c.builder, cgutils.false_bit)
    interval = cgutils.create_struct_proxy(typ)(c.context, c.builder)
    with ExitStack() as stack:
        lo_obj = c.pyapi.object_getattr_string(obj, "lo")
        with cgutils.early_exit_if_null(c.builder, stack, lo_obj):
            c.builder.store(cgutils.true_bit, is_error_ptr)
        lo_native = c.unbox(types.float64, lo_obj)
        c.pyapi.decref(lo_obj)
        with cgutils.early_exit_if(c.builder, stack, lo_native.is_error):
            c.builder.store(cgutils.true_bit, is_error_ptr)
        hi_obj = c.pyapi.object_getattr_string(obj, "hi")
        with cgutils.early_exit_if_null(c.builder, stack, hi_obj):
            c.builder.store(cgutils.true_bit, is_error_ptr)
        hi_native = c.unbox(types.float64, hi_obj)
        c.pyapi.decref(hi_obj)
        with cgutils.early_exit_if(c.builder, stack, hi_native.is_error):
            c.builder.store(cgutils.true_bit, is_error_ptr)
        interval.lo = lo_native.value
        interval.hi = hi_native.value
    return NativeValue(interval._getvalue(), is_error=c.builder.load(is_error_ptr))


@lower_constant(IntervalType)
def constant_interval(context, builder, typ, pyval):
    interval = cgutils.create_struct_proxy(typ)(context, builder)
    interval.lo = context.get_constant_generic(builder, types.float64, pyval.lo)
    interval.hi = context.get_constant_generic(builder, types.float64, pyval.hi)
    return interval._getvalue()


@box(IntervalType)
def box_interval(typ, val, c):
    ret_ptr = cgutils.alloca_once(c.builder, c.pyapi.pyobj)
    fail_obj = c.pyapi.get_null_object()
    with ExitStack() as stack:
        interval = cgutils.create_struct_proxy(typ)(c.context, c.builder, value=val)
        lo_obj = c.box(types.float64, interval.lo)
        with cgutils.early_exit_if_null(c.builder, stack, lo_obj):
            c.builder.store(fail_obj, ret_ptr)
        hi_obj = c.box(types.float64, interval.hi)
        with cgutils.early_exit_if_null(c.builder, stack, hi_obj):
            c.builder.store(fail_obj, ret_ptr)
        class_obj = c.pyapi.unserialize(c.pyapi.serialize_object(Interval))
        res = c.pyapi.call_function_objargs(class_obj, (lo_obj, hi_obj))
        c.pyapi.decref(lo_obj)
        c.pyapi.decref(class_obj)
        c.builder.store(res, ret_ptr)
    return c.builder.load(ret_ptr)


@njit
def inside(interval, x):
    return interval.lo <= x < interval.hi


def test_in():
    assert typeof(Interval(1, 2)) is interval_type
    assert inside(Interval(1.0, 3.0), 2.0) and not inside(Interval(1.0, 3.0), 3.0)
    assert inside(Interval(1, 3), 2) and inside(Interval(np.float32(1), 3), 2)
    assert len(inside.signatures) == 2 and inside.signatures[0][0] is interval_type
    with pytest.raises(AttributeError, match="lo"):
        empty = Interval.__new__(Interval)
        inside(empty, 2)
    with pytest.raises(TypeError):
        inside(Interval("a", "b"), 2.0)


def test_attributes_and_methods():
    @njit
    def look(interval):
        return interval.width, interval.upper, interval.contains(1.5)

    assert look(Interval(1.0, 4.0)) == (3.0, 4.0, True)


def test_made_in_compiled_code():
    @njit
    def middle(a, shift):
        half = a.width / 4
        return Interval(a.lo + half + shift, a.hi - half)

    made = middle(Interval(0.0, 8.0), 0.5)
    assert isinstance(made, Interval) and (made.lo, made.hi) == (2.5, 6.0)

    @njit
    def of_integers():
        return Interval(1, 2)

    with pytest.raises(TypingError, match="No implementation of function"):
        of_integers()


UNIT = Interval(0, 1.0)


def test_global_objects():
    @njit
    def use(x):
        return UNIT.lo + UNIT.hi, UNIT.width, inside(UNIT, x), UNIT

    *numbers, unit = use(0.5)
    assert numbers == [1.0, 1.0, True]
    assert (unit.lo, unit.hi) == (0.0, 1.0) and type(unit) is Interval


def test_in_containers():
    @njit
    def widest(n):
        found = [Interval(0.0, float(i % 5)) for i in range(n)]
        best = found[0]
        for each in found:
            if each.width > best.width:
                best = each
        return best, (found[1], 3)

    best, (second, three) = widest(7)
    assert (best.hi, second.hi, three) == (4.0, 1.0, 3)


def test_overload_by_type():
    def hull(a, b):
        pass

    @overload(hull)
    def choose(a, b):
        if isinstance(a, IntervalType) and b is interval_type:
            return lambda a, b: Interval(min(a.lo, b.lo), max(a.hi, b.hi))

    @njit
    def join(a, b):
        return hull(a, b)

    joined = join(Interval(1.0, 2.0), Interval(5.0, 6.0))
    assert (joined.lo, joined.hi) == (1.0, 6.0)
    with pytest.raises(TypingError):
        join(Interval(1.0, 2.0), 3.0)


class Box:
    def __init__(self, data):
        self.data = data


class BoxType(types.Type):
    def __init__(self, dtype):
        self.dtype = dtype
        super().__init__(name=f"Box[{dtype}]")


@typeof_impl.register(Box)
def typeof_box(val, c):
    return BoxType(typeof(val.data))


@register_model(BoxType)
class BoxModel(models.StructModel):
    def __init__(self, dmm, fe_type):
        super().__init__(dmm, fe_type, [("content", fe_type.dtype)])


make_attribute_wrapper(BoxType, "content", "data")


@unbox(BoxType)
def unbox_box(typ, obj, c):
    made = cgutils.create_struct_proxy(typ)(c.context, c.builder)
    data = c.pyapi.object_getattr_string(obj, "data")
    made.content = c.unbox(typ.dtype, data).value
    return NativeValue(made._getvalue())


def test_types_with_parameters():
    @njit
    def first(box):
        return box.data[0]

    assert first(Box(np.array([2.5]))) == 2.5
    assert first(Box((7, 8))) == 7
    assert [str(sig[0]) for sig in first.signatures] == [
        "Box[array(float64, 1d, C)]",
        "Box[UniTuple(int64, 2)]",
    ] or len(first.signatures) == 2

    @njit
    def same(box):
        return box

    with pytest.raises(TypeError, match="@box"):
        same(Box((1, 2)))


def test_intrinsic():
    @intrinsic
    def scaled(typingctx, x, factor):
        if isinstance(x, types.Float):
            sig = types.float64(types.float64, types.float64)

            def codegen(context, builder, signature, args):
                product = builder.fmul(args[0], args[1])
                return builder.fadd(product, context.get_constant(types.float64, 0.5))

            return sig, codegen

    @njit
    def use(x, factor):
        return scaled(x, factor)

    assert use(1.5, 4) == 6.5
    with pytest.raises(TypingError):
        use(1, 4)
    with pytest.raises(NotImplementedError):
        scaled(1.0, 2.0)


@needs_standin
def test_intrinsic_that_converts():
    @intrinsic
    def cast_int_to_byte_ptr(typingctx, src):
        if isinstance(src, types.Integer):
            result_type = types.CPointer(types.uint8)
            sig = result_type(types.uintp)

            def codegen(context, builder, signature, args):
                [src] = args
                return builder.inttoptr(src, context.get_value_type(signature.return_type))

            return sig, codegen

    @intrinsic
    def clamped(typingctx, x):
        def codegen(context, builder, signature, args):
            is_less = builder.fcmp_ordered("<", args[0], context.get_constant(types.float64, 0.0))
            kept = builder.select(is_less, context.get_constant(types.float64, 0.0), args[0])
            doubled = builder.shl(builder.fptosi(kept, context.get_value_type(types.int64)), 1)
            return context.cast(builder, doubled, types.int64, types.int32)

        return types.int32(types.float64), codegen

    @njit
    def use(address, x):
        return carray(cast_int_to_byte_ptr(address), 3, np.uint8).sum(), clamped(x), clamped(-x)

    memory = np.array([1, 2, 250], np.uint8)
    assert use(memory.ctypes.data, 3.7) == (253, 6, 0)


@pytest.mark.parametrize(
    "name, of_bits",
    [
        ("lshr", lambda a, b, n: (a % 2**n) >> b),
        ("udiv", lambda a, b, n: (a % 2**n) // (b % 2**n)),
        ("urem", lambda a, b, n: (a % 2**n) % (b % 2**n)),
        ("sdiv", lambda a, b, n: abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)),
        ("srem", lambda a, b, n: abs(a) % abs(b) * (-1 if a < 0 else 1)),
    ],
)
@pytest.mark.parametrize(
    "integer",
    [np.int8, np.int32, np.int64, pytest.param(np.uint16, marks=needs_standin)],
)
def test_operations_on_two_integers(name, of_bits, integer):
    @intrinsic
    def operation(typingctx, a, b):
        return a(a, b), lambda context, builder, sig, args: getattr(builder, name)(*args)

    f = njit(lambda a, b: operation(a, b))
    bits = np.dtype(integer).itemsize * 8
    for a in (100, 77, 7, 0, -7, -100):
        for b in (1, 3, 5, *(() if name == "lshr" else (-3, -7))):
            with np.errstate(over="ignore"):
                x, y = np.array([a, b]).astype(integer)
            assert f(x, y) == np.array(of_bits(int(x), int(y), bits)).astype(integer), (a, b)


@pytest.mark.parametrize("integer", [np.int8, np.int16, np.int32, np.int64, np.uint64])
def test_operations_on_bits(integer):
    @intrinsic
    def operations(typingctx, a):
        def codegen(context, builder, sig, args):
            (a,) = args
            zero = context.get_constant(types.boolean, False)
            made = [builder.ctpop(a), builder.ctlz(a, zero), builder.cttz(a, zero)]
            made += [builder.bitreverse(a), builder.not_(a)]
            return context.make_tuple(builder, sig.return_type, made)

        return types.UniTuple(a, 5)(a), codegen

    f = njit(lambda a: operations(a))
    bits = np.dtype(integer).itemsize * 8
    for value in (0, 1, -1, 5, 96, -128):
        x = np.array(value).astype(integer)
        text = f"{int(x) % 2**bits:0{bits}b}"
        ones = [
            text.count("1"),
            len(text) - len(text.lstrip("0")),
            len(text) - len(text.rstrip("0")),
        ]
        want = [*ones, int(text[::-1], 2), ~int(x) % 2**bits]
        assert [int(got) % 2**bits for got in f(x[()])] == want


def test_conversions_and_comparisons_without_sign():
    @intrinsic
    def operation(typingctx, a, b, x, y):
        def codegen(context, builder, sig, args):
            a, b, x, y = args
            made = [
                builder.zext(a, context.get_value_type(types.int64)),
                builder.sext(a, context.get_value_type(types.int64)),
                builder.zext(builder.icmp_unsigned("<", a, b), context.get_value_type(types.int64)),
                builder.bitcast(x, context.get_value_type(types.int64)),
                builder.zext(
                    builder.fcmp_unordered("<", x, y), context.get_value_type(types.int64)
                ),
                builder.sext(builder.bswap(a), context.get_value_type(types.int64)),
            ]
            return context.make_tuple(builder, sig.return_type, made)

        return types.UniTuple(types.int64, 6)(a, b, x, y), codegen

    f = njit(lambda a, b, x, y: operation(a, b, x, y))
    a, b = np.int32(-2), np.int32(1)
    bits = np.array(1.5).view(np.int64)[()]
    assert f(a, b, 1.5, 2.0) == (2**32 - 2, -2, 0, bits, 1, -16777217)
    assert f(b, a, 1.5, np.nan) == (1, 1, 1, bits, 1, 16777216)
    assert f(b, a, 1.5, 1.5) == (1, 1, 1, bits, 0, 16777216)


@needs_standin
def test_what_only_llvm_has():
    @intrinsic
    def address(typingctx, x):
        def codegen(context, builder, signature, args):
            return builder.atomic_rmw("add", args[0], 1, "monotonic")

        return types.int64(types.int64), codegen

    @njit
    def use(x):
        return address(x)

    with pytest.raises(TypingError, match=r"builder.atomic_rmw\(\) makes LLVM IR in Numba"):
        use(1)
    with pytest.raises(UnsupportedError, match="overload_attribute"):
        from numjit.extending import lower_getattr

        lower_getattr(IntervalType, "lo")
    with pytest.raises(UnsupportedError, match="StructModel"):
        models.PrimitiveModel(None, interval_type, None)


class Sample:
    """Its parts are assigned in another order than the model has them."""

    def __init__(self, values, scale):
        self.values = values
        self.scale = scale


class SampleType(types.Type):
    def __init__(self):
        super().__init__(name="Sample")


@typeof_impl.register(Sample)
def typeof_sample(val, c):
    return SampleType()


@register_model(SampleType)
class SampleModel(models.StructModel):
    def __init__(self, dmm, fe_type):
        members = [("values", types.float64[:]), ("scale", types.float32)]
        models.StructModel.__init__(self, dmm, fe_type, members)


make_attribute_wrapper(SampleType, "values", "values")
make_attribute_wrapper(SampleType, "scale", "scale")


@type_callable(Sample)
def type_sample(context):
    return lambda values: SampleType()


@lower_builtin(Sample, types.Array)
def impl_sample(context, builder, sig, args):
    sample = cgutils.create_struct_proxy(sig.return_type)(context, builder)
    sample.scale = context.get_constant_generic(builder, types.float32, np.float32(0.5))
    sample.values = args[0]
    return impl_ret_borrowed(context, builder, sig.return_type, sample._getvalue())


@lower_constant(SampleType)
def constant_sample(context, builder, typ, pyval):
    raise AssertionError("globals of this type are not used here")


@contextmanager
def local_return(builder):
    end = builder.append_basic_block("end")
    yield lambda: builder.branch(end)
    builder.branch(end)
    builder.position_at_end(end)


@unbox(SampleType)
def unbox_sample(typ, obj, c):
    """Leaves early where there is no scale."""
    result = cgutils.alloca_once(c.builder, c.context.get_value_type(typ))
    is_error = cgutils.alloca_once_value(c.builder, cgutils.false_bit)
    sample = cgutils.create_struct_proxy(typ)(c.context, c.builder)
    with local_return(c.builder) as leave:
        failed = c.builder.append_basic_block("failed")
        with c.builder.goto_block(failed):
            c.builder.store(cgutils.true_bit, is_error)
            c.builder.store(c.context.get_constant_null(typ), result)
            leave()
        scale = c.pyapi.object_getattr_string(obj, "scale")
        with c.builder.if_else(cgutils.is_null(c.builder, scale)) as (missing, there):
            with missing:
                c.builder.store(cgutils.true_bit, is_error)
                leave()
            with there:
                c.builder.store(cgutils.false_bit, is_error)
        sample.scale = c.unbox(types.float32, scale).value
        sample.values = c.unbox(types.float64[:], obj.values).value
        c.builder.store(sample._getvalue(), result)
    return NativeValue(c.builder.load(result), is_error=c.builder.load(is_error))


@box(SampleType)
def box_sample(typ, val, c):
    sample = cgutils.create_struct_proxy(typ)(c.context, c.builder, value=val)
    arguments = c.pyapi.tuple_pack([c.box(types.float64[:], sample.values)])
    keywords = c.pyapi.dict_pack([("scale", c.box(types.float32, sample.scale))])
    return c.pyapi.call(Sample, arguments, keywords)


@needs_standin
def test_parts_in_another_order():
    @njit
    def total(sample):
        return sample.values.sum() * sample.scale

    @njit
    def halved(values):
        return Sample(values)

    assert total(Sample(np.arange(4.0), 2.0)) == 12
    made = halved(np.arange(3.0))
    assert made.values.tolist() == [0, 1, 2] and made.scale == 0.5
    with pytest.raises(TypeError, match="can't unbox Sample"):
        total(Sample(np.arange(4.0), None))


# -- memory on the stack, calls of LLVM's functions ---------------------------------------------


@intrinsic
def pointer_to(typingctx, value):
    def codegen(context, builder, signature, args):
        return cgutils.alloca_once_value(builder, args[0])

    return types.CPointer(value)(value), codegen


@intrinsic
def value_at(typingctx, pointer):
    def codegen(context, builder, signature, args):
        context.nrt.incref(builder, signature.args[0], args[0])
        return builder.load(args[0])

    return pointer.dtype(pointer), codegen


@intrinsic
def zero_cell(typingctx):
    def codegen(context, builder, signature, args):
        return cgutils.alloca_once(builder, context.get_value_type(types.int64))

    return types.CPointer(types.int64)(), codegen


def test_pointers_to_memory_on_the_stack():
    @njit
    def use(n):
        total = 0.0
        for i in range(n):
            p, q = pointer_to(float(i)), pointer_to(2.0 * i)
            carray(p, 1)[0] += 1
            total += 1000 * value_at(p) + value_at(q)
        counter = zero_cell()
        for _ in range(n):
            carray(counter, (1,))[0] += 2
        return total, value_at(counter)

    assert use(5) == (15020.0, 10)
    assert njit(lambda x: value_at(pointer_to(x)))(np.float32(2.5)) == 2.5


@needs_standin
def test_pointers_to_texts_on_the_stack():
    with pytest.raises(TypingError, match="memory on the stack for a"):
        njit(lambda x: value_at(pointer_to(x)))("text")


@intrinsic
def stack_memory(typingctx, size, dtype):
    def codegen(context, builder, signature, args):
        item = context.get_value_type(dtype.dtype)
        return cgutils.alloca_once(builder, item, size=args[0])

    return types.CPointer(dtype.dtype)(types.int64, dtype), codegen


@njit(inline="always")
def stack_empty(size, shape, dtype):
    return carray(stack_memory(size, dtype), shape, dtype)


def test_arrays_on_the_stack():
    @njit
    def use(rounds):
        total = 0.0
        for i in range(rounds):
            a = stack_empty(6, (2, 3), np.float64)
            b = stack_empty(4, 4, np.int8)
            a[:], b[:] = i, -i
            a[1, 2] += 0.5
            total += a.sum() + b.sum()
        return total

    assert use(5) == sum(6 * i + 0.5 - 4 * i for i in range(5))
    with pytest.raises(LiteralTypingError, match="is not known at compile time"):
        njit(lambda n: stack_empty(int(n), 2, np.float64)[0])(2.0)
    with pytest.raises(TypingError, match="of 1 MiB at most"):
        njit(lambda: stack_empty(10**6, 2, np.float64)[0])()


def test_addresses_of_any_memory():
    @intrinsic
    def as_pointer(typingctx, address):
        def codegen(context, builder, signature, args):
            return builder.inttoptr(args[0], cgutils.voidptr_t)

        return types.voidptr(address), codegen

    values = np.arange(6)

    @njit
    def read(address):
        return carray(as_pointer(address), (2, 3), np.int64).sum()

    assert read(values.ctypes.data) == 15


@needs_standin
def test_calls_of_functions_of_llvm():
    @intrinsic
    def ones(typingctx, x):
        def codegen(context, builder, signature, args):
            function = cgutils.get_or_insert_function(builder.module, None, "llvm.ctpop.i8")
            return builder.call(function, [args[0]])

        return types.uint8(types.uint8), codegen

    @intrinsic
    def other(typingctx, x):
        def codegen(context, builder, signature, args):
            return builder.call(cgutils.get_or_insert_function(None, None, "dgemm_"), args)

        return types.float64(types.float64), codegen

    count = njit(lambda x: ones(np.uint8(x)))
    assert [count(x) for x in (0, 1, 7, 255)] == [0, 1, 3, 8]
    with pytest.raises(TypingError, match="a call of the C function 'dgemm_' by its name"):
        njit(lambda x: other(x))(1.0)


@needs_standin
def test_names_that_only_llvm_has_are_no_attributes():
    assert not hasattr(cgutils, "pack_array")
    assert getattr(cgutils, "pack_array", None) is None
    with pytest.raises(UnsupportedError, match="makes LLVM IR"):
        cgutils.pack_array(None, None)


@needs_standin
def test_calls_with_keywords():
    @type_callable(Sample)
    def type_sample(context):
        def typer(values, scale):
            return SampleType()

        return typer

    @lower_builtin(Sample, types.Array, types.Float)
    def make(context, builder, signature, args):
        made = cgutils.create_struct_proxy(signature.return_type)(context, builder)
        made.values, made.scale = args
        return made._getvalue()

    @njit
    def use(a):
        one, other = Sample(a, scale=2.0), Sample(scale=3.0, values=a)
        return one.scale, other.scale, other.values[1]

    assert use(np.arange(3.0)) == (2.0, 3.0, 1.0)
    with pytest.raises(TypingError, match="Sample"):
        njit(lambda a: Sample(a, size=2.0))(np.arange(3.0))


def test_texts_and_hashes_by_methods_of_a_type():
    @overload_method(IntervalType, "__repr__")
    def repr_of(self):
        return lambda self: "repr of an interval"

    @overload_method(IntervalType, "__hash__")
    def hash_of(self):
        return lambda self: int(self.lo) * 100 + int(self.hi)

    @njit
    def f(x):
        return str(x), repr(x), f"{x}", hash(x)

    text = "repr of an interval"
    assert f(Interval(2, 3)) == (text, text, text, 203)

    @overload_method(IntervalType, "__str__")
    def str_of(self):
        return lambda self: "an interval"

    g = njit(lambda x: (str(x), repr(x)))
    assert g(Interval(2, 3)) == ("an interval", text)


class OwnType(types.Type):
    def __init__(self):
        super().__init__("OwnType")


own_type = OwnType()


class SaysItsType:
    _numba_type_ = property(lambda self: own_type)

    def __init__(self, a):
        self.a = a


@register_model(OwnType)
class OwnModel(models.StructModel):
    def __init__(self, manager, type_):
        super().__init__(manager, type_, [("a", types.int64)])


make_attribute_wrapper(OwnType, "a", "a")


@unbox(OwnType)
def unbox_own(type_, value, c):
    made = cgutils.create_struct_proxy(type_)(c.context, c.builder)
    a = c.pyapi.object_getattr_string(value, "a")
    made.a = c.pyapi.long_as_longlong(a)
    c.pyapi.decref(a)
    return NativeValue(made._getvalue())


def test_objects_that_say_their_type():
    assert typeof(SaysItsType(1)) is own_type
    assert njit(lambda t: t.a + 1)(SaysItsType(5)) == 6
    assert njit(lambda t: t[1].a)((0, SaysItsType(7))) == 7


class Scale:
    """Can be called in compiled code, by an overload of its method."""

    def __init__(self, by):
        self.by = by


class ScaleType(types.Type):
    def __init__(self):
        super().__init__("Scale")


@typeof_impl.register(Scale)
def typeof_scale(value, context):
    return ScaleType()


@register_model(ScaleType)
class ScaleModel(models.StructModel):
    def __init__(self, dmm, fe_type):
        super().__init__(dmm, fe_type, [("by", types.float64)])


make_attribute_wrapper(ScaleType, "by", "by")


@unbox(ScaleType)
def unbox_scale(typ, obj, c):
    made = cgutils.create_struct_proxy(typ)(c.context, c.builder)
    by = c.pyapi.object_getattr_string(obj, "by")
    made.by = c.pyapi.float_as_double(by)
    c.pyapi.decref(by)
    return NativeValue(made._getvalue())


class CallTemplate(_OverloadMethodTemplate):
    """As packages write it that overload calls."""


def scaled(self, x, shift=1):
    return lambda self, x, shift=1: self.by * x + shift


infer_getattr(make_overload_attribute_template(ScaleType, "__call__", scaled, base=CallTemplate))
infer_getattr(
    make_overload_attribute_template(ScaleType, "half", lambda self: lambda self: self.by / 2)
)


def test_calls_of_values():
    with pytest.raises(TypeError, match="expected a class of types"):
        overload_method(ScaleType(), "__call__")
    scale = Scale(2.5)
    assert njit(lambda f: f(2))(scale) == 6.0
    assert njit(lambda f, s: f(2, s))(scale, 3) == 8.0
    assert njit(lambda f: f.half)(scale) == 1.25


# -- pickles ---------------------------------------------------------------------------------------


class Layout:
    """Holds its type, which holds it."""

    def __init__(self, signature):
        self.signature = signature
        self._numba_type_ = LayoutType(self)


class LayoutType(types.Dummy):
    def __init__(self, layout):
        self.layout = layout
        super().__init__(f"LayoutType({layout.signature})")


def test_types_and_objects_that_hold_each_other_in_pickles():
    layout = Layout([1, -1])
    kind = layout._numba_type_
    assert pickle.loads(pickle.dumps(kind)) is kind
    made = pickle.loads(pickle.dumps(layout))
    assert made.signature == [1, -1] and made._numba_type_ is kind
    assert pickle.loads(pickle.dumps(kind[:])) is kind[:]


class SlottedType(types.Type):
    __slots__ = ("part",)

    def __init__(self, part):
        self.part = part
        super().__init__(f"Slotted({part})")


def test_slots_of_types_are_in_pickles():
    _, (cls, state) = SlottedType(3).__reduce__()
    assert cls is SlottedType and state == {"part": 3, "name": "Slotted(3)"}
    assert pickle.loads(pickle.dumps(SlottedType(3))).part == 3
