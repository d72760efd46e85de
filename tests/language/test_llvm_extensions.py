"""Callbacks that write LLVM IR by llvmlite's IRBuilder."""

import ctypes
import inspect
import itertools
import operator
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from numjit import _core, njit, prange, types, vectorize
from numjit.core import cgutils, typing
from numjit.core.imputils import impl_ret_borrowed, iternext_impl, lower_constant
from numjit.core.typeconv import Conversion
from numjit.core.typing.templates import (
    AbstractTemplate,
    AttributeTemplate,
    ConcreteTemplate,
    bound_function,
    infer,
    infer_getattr,
    infer_global,
    signature,
)
from numjit.errors import LoweringError, TypingError
from numjit.extending import (
    NativeValue,
    box,
    intrinsic,
    lower_builtin,
    lower_cast,
    lower_getattr,
    lower_getattr_generic,
    make_attribute_wrapper,
    models,
    overload_method,
    register_model,
    typeof_impl,
    unbox,
)

pytest.importorskip("llvmlite", reason="the callbacks write LLVM IR by llvmlite")
import llvmlite.binding
from llvmlite import ir


@intrinsic
def positive_sum(typingctx, array):
    """The sum of the items that are greater than 0; ValueError for no items."""

    def codegen(context, builder, sig, args):
        (kind,) = sig.args
        array = context.make_array(kind)(context, builder, args[0])
        total = cgutils.alloca_once_value(builder, context.get_constant(types.float64, 0.0))
        (count,) = cgutils.unpack_tuple(builder, array.shape)
        with cgutils.if_unlikely(builder, builder.icmp_signed("==", count, count.type(0))):
            context.call_conv.return_user_exc(builder, ValueError, ("no items",))
        with cgutils.for_range(builder, count) as loop:
            place = cgutils.get_item_pointer(context, builder, kind, array, [loop.index])
            item = builder.load(place)
            with builder.if_then(builder.fcmp_ordered(">", item, item.type(0.0))):
                builder.store(builder.fadd(builder.load(total), item), total)
        return builder.load(total)

    return types.float64(array), codegen


@njit
def add_positive(array):
    return positive_sum(array) + 1.0


@pytest.mark.parametrize("step", [1, 2, -1])
def test_loops_branches_and_loads(step):
    array = np.linspace(-1, 2, 101)[::step]
    np.testing.assert_allclose(add_positive(array), array[array > 0].sum() + 1)


def test_errors_leave_the_function():
    with pytest.raises(ValueError, match="no items"):
        add_positive(np.empty(0))

    @njit
    def caught(array):
        try:
            return positive_sum(array)
        except ValueError:
            return -1.0

    assert caught(np.empty(0)) == -1 and caught(np.ones(3)) == 3


def test_in_threads():
    arrays = [np.random.default_rng(i).normal(size=1000) for i in range(16)]
    with ThreadPoolExecutor(16) as pool:
        found = list(pool.map(njit(lambda a: add_positive(a)), arrays))
    np.testing.assert_allclose(found, [a[a > 0].sum() + 1 for a in arrays])


def test_in_parallel_loops_and_ufuncs():
    @njit(parallel=True)
    def rows(matrix):
        out = np.empty(len(matrix))
        for i in prange(len(matrix)):
            out[i] = positive_sum(matrix[i])
        return out

    matrix = np.random.default_rng(0).normal(size=(40, 30))
    np.testing.assert_allclose(rows(matrix), np.where(matrix > 0, matrix, 0).sum(1))

    @intrinsic
    def halved(typingctx, x):
        def codegen(context, builder, sig, args):
            return builder.fmul(args[0], args[0].type(0.5))

        return types.float64(types.float64), codegen

    half = vectorize(["float64(float64)"])(lambda x: halved(x))
    np.testing.assert_array_equal(half(matrix), matrix / 2)


# -- what values look like ----------------------------------------------------------------------


def _through():
    """A function that takes values to LLVM IR and back."""

    @intrinsic
    def same(typingctx, x):
        def codegen(context, builder, sig, args):
            place = cgutils.alloca_once_value(builder, args[0])
            return impl_ret_borrowed(context, builder, sig.return_type, builder.load(place))

        return x(x), codegen

    return njit(lambda x: same(x))


@pytest.mark.parametrize(
    "value",
    [
        True,
        False,
        -5,
        2.5,
        1 + 2j,
        np.int8(-3),
        np.uint16(65535),
        np.float32(1.5),
        np.complex64(1 - 1j),
        (1, 2.5, True),
        (1, 2, 3),
        ((1, 2), (3.0, 4)),
        "text",
        "t\xe9xt",
        "\u20ac\U0001f600",
        None,
        np.datetime64(5, "D"),
        [1, 2, 3],
        (True, (False, 2j)),
    ],
    ids=repr,
)
def test_values_go_there_and_back(value):
    got = _through()(value)
    assert got == value and type(got) is type(njit(lambda x: x)(value))


@pytest.mark.parametrize("order", ["C", "F", "A"])
@pytest.mark.parametrize("ndim", [0, 1, 2, 3])
def test_arrays_go_there_and_back(order, ndim):
    array = np.asarray(np.arange(3.0**ndim).reshape((3,) * ndim), order=order[:1])
    if order == "A" and ndim:
        array = array[::2]
    before = _core.live_blocks()
    got = _through()(array)
    np.testing.assert_array_equal(got, array)
    assert got.strides == array.strides and np.shares_memory(got, array)
    del got
    assert _core.live_blocks() == before


def test_parts_of_arrays():
    @intrinsic
    def parts(typingctx, a):
        def codegen(context, builder, sig, args):
            array = context.make_array(sig.args[0])(context, builder, args[0])
            words = [array.nitems, array.itemsize]
            words += cgutils.unpack_tuple(builder, array.shape)
            words += cgutils.unpack_tuple(builder, array.strides)
            words.append(builder.sext(builder.load(array.data), cgutils.intp_t))
            return context.make_tuple(builder, sig.return_type, words)

        return types.UniTuple(types.intp, 7)(a), codegen

    f = njit(lambda a: parts(a))
    array = np.arange(12, dtype=np.int16).reshape(3, 4)
    for a in (array, array.T, array[::2, 1::2], np.asfortranarray(array)):
        assert f(a) == (a.size, 2, *a.shape, *a.strides, a[0, 0])


def test_optional_values():
    @intrinsic
    def root(typingctx, x):
        def codegen(context, builder, sig, args):
            wanted = sig.return_type
            is_bad = builder.fcmp_ordered("<", args[0], args[0].type(0.0))
            function = builder.module.declare_intrinsic("llvm.sqrt", [args[0].type])
            some = context.make_optional_value(
                builder, wanted.type, builder.call(function, [args[0]])
            )
            return builder.select(is_bad, context.make_optional_none(builder, wanted.type), some)

        return types.Optional(types.float64)(types.float64), codegen

    f = njit(lambda x: root(x))
    assert f(9.0) == 3.0 and f(-1.0) is None

    @intrinsic
    def or_zero(typingctx, x):
        def codegen(context, builder, sig, args):
            given = context.make_helper(builder, sig.args[0], args[0])
            return builder.select(given.valid, given.data, given.data.type(0))

        return types.int64(types.Optional(types.int64)), codegen

    g = njit(lambda c: or_zero(c if c > 2 else None))
    assert g(5) == 5 and g(1) == 0


def test_complex_numbers_and_bools():
    @intrinsic
    def conjugate_if(typingctx, z, wanted):
        def codegen(context, builder, sig, args):
            z = context.make_complex(builder, sig.args[0], args[0])
            negative = builder.fneg(z.imag)
            z.imag = builder.select(args[1], negative, z.imag)
            return z._getvalue()

        return z(z, wanted), codegen

    f = njit(lambda z, wanted: conjugate_if(z, wanted))
    assert f(1 + 2j, True) == 1 - 2j and f(1 + 2j, False) == 1 + 2j


def test_strings():
    @intrinsic
    def described(typingctx, text):
        def codegen(context, builder, sig, args):
            text = context.make_helper(builder, sig.args[0], args[0])
            first = builder.zext(builder.load(text.data), cgutils.intp_t)
            kind = builder.zext(text.kind, cgutils.intp_t)
            return context.make_tuple(builder, sig.return_type, [text.length, kind, first])

        return types.UniTuple(types.intp, 3)(types.unicode_type), codegen

    f = njit(lambda text: described(text))
    assert f("abc") == (3, 1, ord("a")) and f("\u20ac") == (1, 2, 0xAC)


def test_new_arrays_are_counted():
    @intrinsic
    def zeros(typingctx, n):
        kind = types.Array(types.int32, 1, "C")

        def codegen(context, builder, sig, args):
            size = builder.mul(args[0], args[0].type(4))
            owner = context.nrt.meminfo_alloc(builder, size)
            made = context.make_array(kind)(context, builder)
            data = context.nrt.meminfo_data(builder, owner)
            cgutils.memset(builder, data, size, 0)
            made.meminfo = owner
            made.data = builder.bitcast(data, made.data.type)
            made.shape = cgutils.pack_array(builder, [args[0]])
            made.strides = cgutils.pack_array(builder, [args[0].type(4)])
            return made._getvalue()

        return kind(types.intp), codegen

    f = njit(lambda n: zeros(n))
    before = _core.live_blocks()
    made = f(1000)
    np.testing.assert_array_equal(made, np.zeros(1000, np.int32))
    assert made.dtype == np.int32 and _core.live_blocks() == before + 1
    del made
    assert _core.live_blocks() == before
    with pytest.raises((ValueError, MemoryError)):
        f(2**60)


# -- calls --------------------------------------------------------------------------------------


def test_compiled_functions_are_called():
    @intrinsic
    def doubled_and_sum(typingctx, a):
        def codegen(context, builder, sig, args):
            def double(a):
                if len(a) == 0:
                    raise KeyError("empty")
                return a * 2

            (kind,) = sig.args
            inner = signature(kind.copy(layout="C"), kind)
            made = context.compile_internal(builder, double, inner, args)
            total = context.get_function(np.sum, signature(types.float64, inner.return_type))
            result = total(builder, [made])
            context.nrt.decref(builder, inner.return_type, made)
            return result

        return types.float64(a), codegen

    f = njit(lambda a: doubled_and_sum(a))
    before = _core.live_blocks()
    assert f(np.arange(4.0)) == 12 and _core.live_blocks() == before
    with pytest.raises(KeyError, match="empty"):
        f(np.empty(0))


def test_types_of_calls_are_asked_for():
    @intrinsic
    def power(typingctx, a, b):
        sig = typingctx.resolve_function_type(operator.pow, (a, b), {})

        def codegen(context, builder, sig, args):
            return context.get_function(operator.pow, sig)(builder, args)

        return sig, codegen

    f = njit(lambda a, b: power(a, b))
    assert f(2, 10) == 1024 and f(2.0, 0.5) == 2.0**0.5


def test_casts():
    @intrinsic
    def as_type(typingctx, x, kind):
        def codegen(context, builder, sig, args):
            return context.cast(builder, args[0], sig.args[0], sig.return_type)

        return kind.dtype(x, kind), codegen

    for target in (np.int8, np.uint32, np.float32, np.float64, np.complex128):
        f = njit(lambda x: as_type(x, target))
        for value in (5, 7.75):
            assert f(value) == target(value)


def test_c_functions_by_name():
    @intrinsic
    def magnitude(typingctx, x):
        def codegen(context, builder, sig, args):
            kind = ir.FunctionType(ir.IntType(64), [ir.IntType(64)])
            function = cgutils.get_or_insert_function(builder.module, kind, "llabs")
            return builder.call(function, args)

        return types.int64(types.int64), codegen

    assert njit(lambda x: magnitude(x))(-7) == 7

    @ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64)
    def from_python(x):
        return x * 3

    llvmlite.binding.add_symbol(
        "numjit_test_triple", ctypes.cast(from_python, ctypes.c_void_p).value
    )

    def calling(name):
        @intrinsic
        def call(typingctx, x):
            def codegen(context, builder, sig, args):
                kind = ir.FunctionType(ir.IntType(64), [ir.IntType(64)])
                return builder.call(ir.Function(builder.module, kind, name), args)

            return types.int64(types.int64), codegen

        return njit(lambda x: call(x))

    assert calling("numjit_test_triple")(5) == 15
    with pytest.raises((LoweringError, TypingError), match="no symbol numjit_no_such_function"):
        calling("numjit_no_such_function")(5)


def test_functions_of_the_callbacks_own_and_atomics():
    @intrinsic
    def count_up(typingctx, array, by):
        def codegen(context, builder, sig, args):
            word = ir.IntType(64)
            helper = ir.Function(builder.module, ir.FunctionType(word, [word]), "twice")
            inner = ir.IRBuilder(helper.append_basic_block())
            inner.ret(inner.mul(helper.args[0], word(2)))
            array = context.make_array(sig.args[0])(context, builder, args[0])
            by = builder.call(helper, [args[1]])
            return builder.atomic_rmw("add", array.data, by, "monotonic")

        return types.int64(array, types.int64), codegen

    @njit(nogil=True)
    def work(array, n):
        for _ in range(n):
            count_up(array, 1)

    array = np.zeros(1, np.int64)
    threads = [threading.Thread(target=work, args=(array, 10000)) for _ in range(8)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    assert array[0] == 160000


def test_any_number_of_arguments():
    @intrinsic
    def total(typingctx, *args):
        sig = signature(types.int64, types.BaseTuple.from_types(args))

        def codegen(context, builder, sig, args):
            result = cgutils.intp_t(0)
            for item in cgutils.unpack_tuple(builder, args[0]):
                result = builder.add(result, item)
            return result

        return sig, codegen

    assert njit(lambda a, b, c: total(a, b, c) + total(a))(1, 2, 3) == 7


def test_memory_on_the_stack_outlives_the_operation():
    @intrinsic
    def address_of(typingctx, x):
        def codegen(context, builder, sig, args):
            return cgutils.alloca_once_value(builder, args[0])

        return types.CPointer(x)(x), codegen

    @intrinsic
    def load(typingctx, pointer):
        def codegen(context, builder, sig, args):
            return builder.load(args[0])

        return pointer.dtype(pointer), codegen

    @njit
    def f(n):
        total = 0
        for i in range(n):
            p, q = address_of(i), address_of(i * 10)
            total += load(p) + load(q)
        return total

    assert f(100) == 11 * sum(range(100))


# -- what is wrong ------------------------------------------------------------------------------


def test_malformed_ir_is_an_error():
    @intrinsic
    def wrong_type(typingctx, x):
        return types.float64(x), lambda context, builder, sig, args: args[0]

    @intrinsic
    def no_end(typingctx, x):
        def codegen(context, builder, sig, args):
            block = builder.append_basic_block("open")
            builder.branch(block)
            with builder.goto_block(block):
                pass
            builder.position_at_end(builder.append_basic_block("other"))
            return args[0]

        return x(x), codegen

    for operation in (wrong_type, no_end):
        with pytest.raises((LoweringError, TypingError), match="codegen|lambda|wrong"):
            njit(lambda x: operation(x))(1)

    @intrinsic
    def assembly(typingctx, x):
        def codegen(context, builder, sig, args):
            function = ir.FunctionType(ir.IntType(64), [ir.IntType(64)])
            return builder.asm(function, "mov $1, $0", "=r,r", args, False)

        return types.int64(types.int64), codegen

    with pytest.raises((LoweringError, TypingError), match="has no assembler: mov"):
        njit(lambda x: assembly(x))(1)

    @intrinsic
    def nothing(typingctx, x):
        return x(x), lambda context, builder, sig, args: None

    with pytest.raises((LoweringError, TypingError), match="gave None"):
        njit(lambda x: nothing(x))(1)


def test_names_without_a_counterpart():
    seen = []

    @intrinsic
    def ask(typingctx, x):
        def codegen(context, builder, sig, args):
            seen.append(hasattr(context, "no_such_name") or hasattr(cgutils, "no_such_name"))
            return args[0]

        return x(x), codegen

    assert njit(lambda x: ask(x))(1) == 1 and seen == [False]


# -- types of the user's own --------------------------------------------------------------------


class Series:
    def __init__(self, name, data):
        self.name, self.data = name, data


class SeriesType(types.Type):
    def __init__(self, dtype):
        self.dtype = dtype
        super().__init__(f"Series[{dtype}]")


class SeriesIterator(types.SimpleIteratorType):
    def __init__(self, series):
        self.series = series
        super().__init__(f"iter({series})", series.dtype)


@typeof_impl.register(Series)
def typeof_series(value, context):
    return SeriesType(types.from_dtype(value.data.dtype))


@register_model(SeriesType)
class SeriesModel(models.StructModel):
    def __init__(self, dmm, fe_type):
        members = [
            ("data", types.Array(fe_type.dtype, 1, "C")),
            ("name", types.unicode_type),
            ("object", types.pyobject),
        ]
        super().__init__(dmm, fe_type, members)


make_attribute_wrapper(SeriesType, "data", "data")
make_attribute_wrapper(SeriesType, "name", "name")


@unbox(SeriesType)
def unbox_series(typ, obj, c):
    made = cgutils.create_struct_proxy(typ)(c.context, c.builder)
    failed = cgutils.false_bit
    for part in ("data", "name"):
        value = c.pyapi.object_getattr_string(obj, part)
        native = c.unbox(dict(SeriesModel(c.context.data_model_manager, typ).members)[part], value)
        setattr(made, part, native.value)
        failed = c.builder.or_(failed, native.is_error)
        c.pyapi.decref(value)
    made.object = obj
    return NativeValue(made._getvalue(), is_error=failed)


@box(SeriesType)
def box_series(typ, val, c):
    made = cgutils.create_struct_proxy(typ)(c.context, c.builder, value=val)
    parts = [
        c.box(types.unicode_type, made.name),
        c.box(types.Array(typ.dtype, 1, "C"), made.data),
    ]
    cls = c.pyapi.unserialize(c.pyapi.serialize_object(Series))
    result = c.pyapi.call_function_objargs(cls, parts)
    for each in (*parts, cls):
        c.pyapi.decref(each)
    return result


@infer_getattr
class SeriesAttributes(AttributeTemplate):
    key = SeriesType

    def resolve_first(self, series):
        return series.dtype

    @bound_function("series.scaled")
    def resolve_scaled(self, series, args, kws):
        return signature(types.float64, *args)

    def generic_resolve(self, series, attr):
        return types.int64 if attr.startswith("twice_") else None


def _data(context, builder, series, value):
    series = context.make_helper(builder, series, value)
    return context.make_array(SeriesModel(None, series._fe_type).members[0][1])(
        context, builder, series.data
    )


@lower_getattr(SeriesType, "first")
def first_of(context, builder, typ, value):
    return builder.load(_data(context, builder, typ, value).data)


@lower_getattr_generic(SeriesType)
def any_of(context, builder, typ, value, attr):
    return context.get_constant(types.int64, 2 * int(attr.removeprefix("twice_")))


@lower_builtin("series.scaled", SeriesType, types.Float)
def scaled_of(context, builder, sig, args):
    item = builder.load(_data(context, builder, sig.args[0], args[0]).data)
    return builder.fmul(context.cast(builder, item, sig.args[0].dtype, types.float64), args[1])


@infer_global(len)
class SeriesLength(AbstractTemplate):
    def generic(self, args, kws):
        if len(args) == 1 and isinstance(args[0], SeriesType):
            return signature(types.intp, args[0])


def moved_by(x, by=2.0):
    """What compiled code calls for it is registered with its type, not by a decorator."""


class MovedBy(AbstractTemplate):
    key = moved_by

    def generic(self, args, kws):
        by = args[1] if len(args) > 1 else kws.get("by", types.Omitted(2.0))
        made = signature(types.float64, args[0], by)
        return made.replace(pysig=inspect.signature(moved_by))


assert infer_global(moved_by, types.Function(MovedBy)) is None


@lower_builtin(moved_by, types.VarArg(types.Any))
def lower_moved_by(context, builder, sig, args):
    x, by = sig.args
    if isinstance(by, types.Omitted):
        shift = context.get_constant(types.float64, by.value)
    else:
        shift = context.cast(builder, args[1], by, types.float64)
    return builder.fadd(context.cast(builder, args[0], x, types.float64), shift)


def test_a_template_that_is_registered_with_its_type():
    assert njit(lambda x: moved_by(x))(1) == 3.0
    assert njit(lambda x: moved_by(x, 5) + moved_by(x, by=0.5))(1.5) == 8.5
    assert types.Function((MovedBy, MovedBy)).typing_key is moved_by
    with pytest.raises(ValueError, match="incompatible templates"):
        types.Function([MovedBy, SeriesLength])


@lower_builtin(len, SeriesType)
def length_of(context, builder, sig, args):
    return builder.extract_value(_data(context, builder, sig.args[0], args[0]).shape, 0)


@infer_global(operator.getitem)
class SeriesItem(AbstractTemplate):
    def generic(self, args, kws):
        if isinstance(args[0], SeriesType) and isinstance(args[1], types.Integer):
            return signature(args[0].dtype, args[0], args[1])


@lower_builtin(operator.getitem, SeriesType, types.Integer)
def item_of(context, builder, sig, args):
    data = _data(context, builder, sig.args[0], args[0])
    return builder.load(cgutils.gep(builder, data.data, args[1]))


@infer
class SeriesIteration(AbstractTemplate):
    key = "getiter"

    def generic(self, args, kws):
        if isinstance(args[0], SeriesType):
            return signature(SeriesIterator(args[0]), args[0])


@register_model(SeriesIterator)
class SeriesIteratorModel(models.StructModel):
    def __init__(self, dmm, fe_type):
        members = [("series", fe_type.series), ("place", types.CPointer(types.intp))]
        super().__init__(dmm, fe_type, members)


@lower_builtin("getiter", SeriesType)
def iterator_of(context, builder, sig, args):
    made = context.make_helper(builder, sig.return_type)
    made.series = args[0]
    malloc = context.nrt.allocate(builder, cgutils.intp_t(8))
    made.place = builder.bitcast(malloc, made.place.type)
    builder.store(cgutils.intp_t(0), made.place)
    return impl_ret_borrowed(context, builder, sig.return_type, made._getvalue())


@lower_builtin("iternext", SeriesIterator)
@iternext_impl()
def next_of(context, builder, sig, args, result):
    (kind,) = sig.args
    state = context.make_helper(builder, kind, args[0])
    data = _data(context, builder, kind.series, state.series)
    index = builder.load(state.place)
    is_valid = builder.icmp_signed("<", index, builder.extract_value(data.shape, 0))
    result.set_valid(is_valid)
    with builder.if_then(is_valid):
        result.yield_(builder.load(cgutils.gep(builder, data.data, index)))
        builder.store(builder.add(index, index.type(1)), state.place)


SERIES = Series("letters", np.array([3, 1, 4], np.int32))


def test_objects_cross_by_their_callbacks():
    @njit
    def same(series):
        return series, series.name + "!", series.data.sum()

    before = _core.live_blocks()
    got, name, total = same(SERIES)
    assert type(got) is Series and got.name == "letters" and got.data is SERIES.data
    assert (name, total) == ("letters!", 8)
    del got, name
    assert _core.live_blocks() == before
    with pytest.raises(AttributeError, match="name"):
        broken = Series.__new__(Series)
        broken.data = SERIES.data
        same(broken)


def test_attributes_methods_and_operators_of_templates():
    @njit
    def look(series):
        return series.first, series.scaled(0.5), series.twice_21, len(series), series[2]

    assert look(SERIES) == (3, 1.5, 42, 3, 4)
    with pytest.raises(TypingError):
        njit(lambda series: series.unknown)(SERIES)


def test_iteration():
    @njit
    def listed(series):
        total = 0
        for item in series:
            total = 10 * total + item
        return total

    assert listed(SERIES) == 314


def test_other_types_are_refused_as_before():
    with pytest.raises(TypingError, match="a value of type int64 cannot be iterated over"):
        njit(lambda n: [x for x in n])(3)


def test_reference_counts_of_counted_members():
    data = np.arange(10, dtype=np.int32)
    before = sys.getrefcount(data)

    @njit
    def keep(series, n):
        found = [series]
        for _ in range(n):
            found.append(found[-1])
        return found[-1].data

    for n in (0, 1, 5):
        got = keep(Series("x", data), n)
        assert got is data
        del got
    assert sys.getrefcount(data) == before


class Handle:
    def __init__(self, number):
        self.number = number


class HandleType(types.Opaque):
    def __init__(self):
        super().__init__("Handle")


class NumberType(types.Type):
    def __init__(self):
        super().__init__("WrappedNumber")


handle_type, number_type = HandleType(), NumberType()
typeof_impl.register(Handle, lambda value, context: handle_type)
register_model(HandleType)(models.OpaqueModel)


@register_model(NumberType)
class NumberModel(models.PrimitiveModel):
    def __init__(self, dmm, fe_type):
        super().__init__(dmm, fe_type, ir.IntType(32))


@unbox(HandleType)
def unbox_handle(typ, obj, c):
    c.pyapi.incref(obj)
    return NativeValue(obj)


@box(HandleType)
def box_handle(typ, val, c):
    return val


@box(NumberType)
def box_number(typ, val, c):
    return c.pyapi.long_from_longlong(c.builder.sext(val, ir.IntType(64)))


@lower_cast(types.Integer, NumberType)
def number_of_integer(context, builder, fromty, toty, val):
    return context.cast(builder, val, fromty, types.int32)


@intrinsic
def wrapped(typingctx, x):
    def codegen(context, builder, sig, args):
        return context.cast(builder, args[0], sig.args[0], sig.return_type)

    return number_type(x), codegen


@intrinsic
def number_behind(typingctx, handle):
    """An attribute of an object, with the interpreter's lock."""

    def codegen(context, builder, sig, args):
        api = context.get_python_api(builder)
        lock = api.gil_ensure()
        value = api.object_getattr_string(args[0], "number")
        failed = cgutils.is_null(builder, value)
        with builder.if_then(failed, likely=False):
            api.err_clear()
            api.gil_release(lock)
            context.call_conv.return_user_exc(builder, AttributeError, ("number",))
        number = api.long_as_longlong(value)
        api.decref(value)
        api.gil_release(lock)
        return number

    return types.int64(handle), codegen


def test_opaque_and_primitive_models():
    @njit(nogil=True)
    def f(handle, x):
        return handle, number_behind(handle) + 1, wrapped(x)

    handle = Handle(41)
    before = sys.getrefcount(handle)
    got, number, made = f(handle, 7)
    assert got is handle and (number, made) == (42, 7)
    del got
    assert sys.getrefcount(handle) == before
    with pytest.raises(AttributeError, match="number"):
        f(Handle.__new__(Handle), 1)


@overload_method(HandleType, "shifted")
def shifted(handle, by):
    return lambda handle, by: number_behind(handle) + by


def test_overloads_beside_callbacks():
    assert njit(lambda handle: handle.shifted(9))(Handle(1)) == 10


class Limits:
    def __init__(self, low, high):
        self.low, self.high = low, high


class LimitsType(types.Type):
    def __init__(self):
        super().__init__("Limits")


limits_type = LimitsType()
typeof_impl.register(Limits, lambda value, context: limits_type)


@register_model(LimitsType)
class LimitsModel(models.StructModel):
    def __init__(self, dmm, fe_type):
        super().__init__(dmm, fe_type, [("low", types.int64), ("high", types.int64)])


@lower_constant(LimitsType)
def constant_limits(context, builder, typ, value):
    made = cgutils.create_struct_proxy(typ)(context, builder)
    made.low = context.get_constant(types.int64, value.low)
    made.high = context.get_constant(types.int64, value.high)
    return made._getvalue()


LIMITS = Limits(3, 9)


def test_global_objects():
    assert njit(lambda x: x > LIMITS.low and x < LIMITS.high)(5)


def test_iterators_with_state_on_the_stack():
    """Numba's EphemeralPointer: what it points to is handed on from step to step."""

    @intrinsic
    def stepped(typingctx, start):
        pointer = types.EphemeralPointer(types.int64)

        def codegen(context, builder, sig, args):
            place = cgutils.alloca_once_value(builder, args[0])
            model = context.data_model_manager[pointer]
            (leaf,) = model.to_leaves(builder, place)
            again = model.from_leaves(builder, iter([builder.add(leaf, leaf.type(1))]))
            return builder.load(again)

        return types.int64(types.int64), codegen

    assert njit(lambda start: stepped(start))(41) == 42


GLOBAL = [np.int16(3), np.int16(4)]


def test_a_type_object_is_not_that_of_a_global_list():
    """Whichever of the compiler's two types was met first."""
    assert njit(lambda i: GLOBAL[i])(1) == 4
    assert _through()([np.int16(1)]) == [1]


def test_types_of_variables_with_values_of_several_types():
    context = typing.Context()
    for order in itertools.permutations((types.int64, types.uint64, types.float32)):
        assert context.unify_types(*order) == context.unify_types(*sorted(order, key=str))
    assert context.unify_pairs(types.int8, types.uint8) == types.int16
    assert context.unify_pairs(types.float64[:], types.float64[:, :]) is None
    assert context.unify_types(types.int64, types.unicode_type) is None


@pytest.mark.parametrize(
    ("given", "wanted", "expected"),
    [
        (types.int32, types.int32, Conversion.exact),
        (types.boolean, types.int8, Conversion.safe),
        (types.int8, types.boolean, Conversion.unsafe),
        (types.int32, types.int64, Conversion.promote),
        (types.uint32, types.int64, Conversion.safe),
        (types.uint32, types.int32, Conversion.unsafe),
        (types.int32, types.float32, Conversion.unsafe),
        (types.int64, types.float64, Conversion.safe),
        (types.float64, types.int64, Conversion.unsafe),
        (types.float32, types.complex64, Conversion.safe),
        (types.float64, types.complex64, Conversion.unsafe),
        (types.complex64, types.float64, None),
        (types.int64, types.unicode_type, None),
        (types.none, types.Optional(types.int64), Conversion.promote),
        (types.int32, types.Optional(types.int64), Conversion.promote),
        (types.Optional(types.int32), types.int32, Conversion.safe),
        (types.Optional(types.int32), types.none, None),
        (types.float64[::1], types.float64[:], Conversion.safe),
        (types.float64[:], types.float64[::1], None),
        (types.float64[:], types.float32[:], None),
        (types.UniTuple(types.int32, 2), types.UniTuple(types.float64, 2), Conversion.safe),
        (types.UniTuple(types.int32, 2), types.UniTuple(types.int32, 3), None),
        (types.Tuple(()), types.UniTuple(types.int64, 0), Conversion.safe),
        (types.literal(3), types.int64, Conversion.promote),
        (types.literal(3), types.int32, Conversion.unsafe),
        (types.literal(3), types.float64, Conversion.safe),
        (types.literal(3), types.Optional(types.int64), Conversion.promote),
        (types.literal(True), types.boolean, Conversion.promote),
        (types.literal("a"), types.unicode_type, Conversion.safe),
        (types.literal("a"), types.int64, None),
    ],
    ids=str,
)
def test_conversions_that_typing_callbacks_ask_for(given, wanted, expected):
    assert typing.Context().can_convert(given, wanted) == expected


class Money(types.Opaque):
    def can_convert_to(self, context, other):
        return Conversion.safe if isinstance(other, types.Integer) else None


def test_a_type_says_what_it_converts_to():
    assert typing.Context().can_convert(Money("money"), types.int8) == Conversion.safe
    assert typing.Context().can_convert(Money("money"), types.float64) is None


def summed(x, y):
    raise NotImplementedError


@infer_global(summed)
class Summed(ConcreteTemplate):
    cases = [
        signature(types.int64, types.int64, types.int64),
        signature(types.float64, types.float64, types.float64),
    ]


@lower_builtin(summed, types.int64, types.int64)
def sum_of_integers(context, builder, sig, args):
    return builder.add(*args)


@lower_builtin(summed, types.float64, types.float64)
def sum_of_floats(context, builder, sig, args):
    return builder.fadd(*args)


@pytest.mark.parametrize(
    ("x", "y", "expected"),
    [(1, 2, 3), (1.5, 2, 3.5), (np.int8(3), True, 4), (np.float32(0.5), np.uint8(1), 1.5)],
)
def test_arguments_are_converted_to_the_best_case(x, y, expected):
    found = njit(lambda x, y: summed(x, y))(x, y)
    assert found == expected and type(found) is type(expected)


def test_cases_that_suit_equally_well():
    cases = [types.int16(types.int16), types.int32(types.int32)]
    context = typing.Context()
    assert context.resolve_overload("f", cases, (types.int8,), {}) is cases[0]
    assert context.resolve_overload("f", cases[::-1], (types.int8,), {}) is cases[1]
    with pytest.raises(TypeError, match=r"Ambiguous overloading for f \(int8\)"):
        context.resolve_overload("f", cases, (types.int8,), {}, allow_ambiguous=False)
    assert context.resolve_overload("f", cases, (types.float64,), {}, unsafe_casting=False) is None


def test_a_reference_to_memory_reaches_a_callback():
    @intrinsic
    def first_word(typingctx, reference):
        seen.append(reference)

        def codegen(context, builder, sig, args):
            data = context.nrt.meminfo_data(builder, args[0])
            words = builder.bitcast(data, context.get_value_type(types.CPointer(types.int64)))
            return builder.load(words)

        return types.int64(reference), codegen

    @intrinsic
    def memory_with(typingctx, value):
        def codegen(context, builder, sig, args):
            memory = context.nrt.meminfo_alloc(builder, context.get_constant(types.intp, 8))
            data = context.nrt.meminfo_data(builder, memory)
            pointer = context.get_value_type(types.CPointer(types.int64))
            builder.store(args[0], builder.bitcast(data, pointer))
            return memory

        return types.MemInfoPointer(types.voidptr)(types.int64), codegen

    seen = []

    @njit
    def through_memory(n):
        return first_word(memory_with(n)) + 1

    assert through_memory(41) == 42
    assert seen == [types.MemInfoPointer(types.voidptr)]


# -- loops that carry an address beside an array --------------------------------------------------


class PairedType(types.Type):
    def __init__(self):
        super().__init__("HandleAndArray")


paired_type, floats = PairedType(), types.float64[::1]


@register_model(PairedType)
class PairedModel(models.StructModel):
    def __init__(self, dmm, fe_type):
        super().__init__(dmm, fe_type, [("handle", handle_type), ("array", floats)])


make_attribute_wrapper(PairedType, "handle", "handle")
make_attribute_wrapper(PairedType, "array", "array")


@intrinsic
def paired(typingctx, handle, array):
    def codegen(context, builder, sig, args):
        both = cgutils.create_struct_proxy(sig.return_type)(context, builder)
        both.handle, both.array = args
        context.nrt.incref(builder, floats, args[1])
        return both._getvalue()

    return paired_type(handle_type, floats), codegen


def test_loops_carry_addresses_beside_arrays():
    @njit
    def f(handle, array, n):
        result = paired(handle, array)
        power = paired(result.handle, result.array * 1.0)
        for _ in range(n):
            if power.array.sum() > 1e3:
                break
            power = paired(power.handle, power.array * 2.0)
            result = paired(result.handle, result.array + power.array)
        while n > 1:
            result = paired(result.handle, result.array * 2.0)
            n >>= 1
        return result.array

    assert f(Handle(1), np.ones(3), 4).tolist() == [(1 + 2 + 4 + 8 + 16) * 4] * 3


# -- constants with addresses, and with arrays of which more is written than is known -------------


@lower_constant(HandleType)
def lower_handle(context, builder, typ, pyval):
    return context.get_dummy_value()


class Grid:
    def __init__(self, array):
        self.array = array


class GridType(types.Type):
    def __init__(self):
        super().__init__("Grid")


strided = types.Array(types.float64, 1, "A")


@register_model(GridType)
class GridModel(models.StructModel):
    def __init__(self, dmm, fe_type):
        super().__init__(dmm, fe_type, [("handle", handle_type), ("array", strided)])


make_attribute_wrapper(GridType, "array", "array")
make_attribute_wrapper(GridType, "handle", "handle")
typeof_impl.register(Grid, lambda value, context: GridType())


@lower_constant(GridType)
def lower_grid(context, builder, typ, pyval):
    both = cgutils.create_struct_proxy(typ)(context, builder)
    both.handle = context.get_dummy_value()
    both.array = context.get_constant_generic(builder, strided, pyval.array)
    return both._getvalue()


@intrinsic
def of_handle(typingctx, handle):
    def codegen(context, builder, sig, args):
        return context.get_constant(types.int64, 5)

    return types.int64(handle), codegen


HANDLE, GRID = Handle(3), Grid(np.arange(6.0)[::2])


def test_constants_with_addresses():
    @njit
    def f(n):
        total = 0
        for _ in range(n):
            total += of_handle(HANDLE)
        return total

    @njit
    def passed_on(n):
        return inner(HANDLE, n)

    @njit
    def inner(handle, n):
        return of_handle(handle) + n

    assert f(3) == 15 and passed_on(1) == 6
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(lambda n: njit(lambda: of_handle(HANDLE) + n)(), range(8))) == [
            5 + n for n in range(8)
        ]


def test_constants_with_strided_arrays():
    @njit
    def f():
        return GRID.array.sum() + of_handle(GRID.handle)

    assert f() == 11 and f() == 11
    assert len(f.signatures) == 1


class Waves:
    def __init__(self, array):
        self.array = array


class WavesType(types.Type):
    def __init__(self):
        super().__init__("Waves")


@register_model(WavesType)
class WavesModel(models.StructModel):
    def __init__(self, dmm, fe_type):
        super().__init__(dmm, fe_type, [("array", strided)])


make_attribute_wrapper(WavesType, "array", "array")
typeof_impl.register(Waves, lambda value, context: WavesType())


@lower_constant(WavesType)
def lower_waves(context, builder, typ, pyval):
    waves = cgutils.create_struct_proxy(typ)(context, builder)
    waves.array = context.get_constant_generic(builder, strided, pyval.array)
    return waves._getvalue()


def test_constants_with_contiguous_arrays_of_any_layout():
    waves = Waves(np.arange(6.0))
    assert njit(lambda: waves.array.sum())() == 15
    assert njit(lambda: (lambda given: given.array[1])(waves))() == 1


class Outer:
    def __init__(self, grid):
        self.grid = grid


class OuterType(types.Type):
    def __init__(self):
        super().__init__("Outer")


@register_model(OuterType)
class OuterModel(models.StructModel):
    def __init__(self, dmm, fe_type):
        super().__init__(dmm, fe_type, [("grid", GridType()), ("number", types.int64)])


make_attribute_wrapper(OuterType, "grid", "grid")
typeof_impl.register(Outer, lambda value, context: OuterType())


@lower_constant(OuterType)
def lower_outer(context, builder, typ, pyval):
    both = cgutils.create_struct_proxy(typ)(context, builder)
    both.grid = context.get_constant_generic(builder, GridType(), pyval.grid)
    both.number = context.get_constant(types.int64, 7)
    return both._getvalue()


OUTER = Outer(GRID)


def test_constants_with_constants_with_addresses():
    @njit
    def f(n):
        found = GRID
        for _ in range(n):
            found = OUTER.grid
        return found.array.sum() + of_handle(OUTER.grid.handle)

    assert f(0) == f(2) == 11
