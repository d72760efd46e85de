"""Types of packages that are indexed, sliced and have members by callbacks that write LLVM IR."""

import operator
import sys

import numpy as np
import pytest
from numjit import _core, njit, types
from numjit.core import cgutils, typing
from numjit.core.typing.templates import (
    AbstractTemplate,
    AttributeTemplate,
    infer_getattr,
    infer_global,
)
from numjit.cpython import unicode as characters
from numjit.errors import TypingError
from numjit.extending import (
    NativeValue,
    intrinsic,
    lower_builtin,
    lower_getattr_generic,
    make_attribute_wrapper,
    models,
    overload_attribute,
    register_model,
    typeof_impl,
    unbox,
)

pytest.importorskip("llvmlite", reason="the callbacks write LLVM IR by llvmlite")


class Span:
    """So many numbers from a first one; `members` are its methods and attributes, by name."""

    def __init__(self, first, count, members=()):
        self.first, self.count, self.members = first, count, members


class SpanType(types.Type):
    def __init__(self, members):
        self.members = tuple(members)
        super().__init__(f"Span({', '.join(self.members)})")


@register_model(SpanType)
class SpanModel(models.StructModel):
    def __init__(self, dmm, fe_type):
        names = types.Tuple([types.StringLiteral(name) for name in fe_type.members])
        members = [("first", types.int64), ("count", types.int64), ("names", names)]
        super().__init__(dmm, fe_type, members)


typeof_impl.register(Span, lambda value, context: SpanType(value.members))
make_attribute_wrapper(SpanType, "first", "_first")
make_attribute_wrapper(SpanType, "count", "_count")


@unbox(SpanType)
def unbox_span(typ, obj, c):
    made = cgutils.create_struct_proxy(typ)(c.context, c.builder)
    for name in ("first", "count"):
        part = c.pyapi.object_getattr_string(obj, name)
        setattr(made, name, c.pyapi.to_native_value(types.int64, part).value)
        c.pyapi.decref(part)
    return NativeValue(
        made._getvalue(), is_error=cgutils.is_not_null(c.builder, c.pyapi.err_occurred())
    )


@overload_attribute(SpanType, "first", inline="always")
def first_of(span):
    return lambda span: span._first


@overload_attribute(SpanType, "count")
def count_of(span):
    return lambda span: span._count


def test_members_that_overloads_of_the_same_name_read():
    @njit
    def f(span):
        return span.first, span.count, span._first

    assert f(Span(3, 5)) == (3, 5, 3)
    assert f(Span(3, 5, ("one", "two"))) == (3, 5, 3)


@infer_global(operator.getitem)
class ItemOfSpan(AbstractTemplate):
    def generic(self, args, kws):
        span, index = args
        if isinstance(span, SpanType) and isinstance(index, types.SliceType):
            return typing.signature(types.UniTuple(types.int64, 3), span, index)
        if isinstance(span, SpanType) and not isinstance(index, types.Integer):
            raise TypingError("spans are indexed by slices")


@lower_builtin(operator.getitem, SpanType, types.slice2_type)
@lower_builtin(operator.getitem, SpanType, types.slice3_type)
def part_of_span(context, builder, sig, args):
    which = context.make_helper(builder, sig.args[1], args[1])
    return cgutils.pack_array(builder, [which.start, which.stop, which.step])


def test_slices():
    @njit
    def known(span):
        return span[1:3], span[:], span[2:], span[:-1], span[::-1], span[5:2:-2]

    @njit
    def unknown(span, start, stop, step):
        return span[start:stop:step]

    @njit
    def passed(span, which):
        return span[which]

    most = sys.maxsize
    assert known(Span(1, 2)) == (
        (1, 3, 1),
        (0, most, 1),
        (2, most, 1),
        (0, -1, 1),
        (most, -most - 1, -1),
        (5, 2, -2),
    )
    assert unknown(Span(1, 2), 4, 7, 2) == passed(Span(1, 2), slice(4, 7, 2)) == (4, 7, 2)
    assert passed(Span(1, 2), slice(4)) == (0, 4, 1)


@intrinsic
def halved(typingctx, which):
    """A slice of half its start and stop."""

    def codegen(context, builder, sig, args):
        whole = context.make_helper(builder, sig.args[0], args[0])
        made = context.make_helper(builder, sig.return_type)
        two = context.get_constant(types.intp, 2)
        made.start = builder.sdiv(whole.start, two)
        made.stop = builder.sdiv(whole.stop, two)
        made.step = whole.step
        return made._getvalue()

    return types.slice3_type(which), codegen


def test_slices_as_results():
    @njit
    def f(a, which):
        return a[halved(which)]

    np.testing.assert_array_equal(f(np.arange(9), slice(4, 12, 2)), [2, 4])


def test_why_overloads_of_indexing_declined():
    @njit
    def f(span):
        return span["x"]

    with pytest.raises(TypingError, match="spans are indexed by slices"):
        f(Span(1, 2))


@infer_getattr
class MembersOfSpan(AttributeTemplate):
    key = SpanType

    def generic_resolve(self, span, attr):
        if f"{attr}()" in span.members:

            class Method(AbstractTemplate):
                key = attr

                def generic(self, args, kws):
                    lower_builtin(attr, span, *args)(add_first)
                    return typing.signature(types.int64, *args, recvr=span)

            return types.BoundFunction(Method, span)
        return types.int64 if attr in span.members else None


def add_first(context, builder, sig, args):
    span = context.make_helper(builder, sig.args[0], args[0])
    return builder.add(span.first, args[1])


@lower_getattr_generic(SpanType)
def member_of_span(context, builder, typ, value, attr):
    return context.make_helper(builder, typ, value).count


def test_a_name_that_is_an_attribute_of_one_type_and_a_method_of_another():
    @njit
    def attribute(span):
        return span.both

    @njit
    def method(span):
        return span.both(10)

    for _ in range(2):
        assert attribute(Span(3, 5, ("both",))) == 5
        assert method(Span(3, 5, ("both()",))) == 13
        attribute.recompile(), method.recompile()


@pytest.mark.parametrize("text", ["plain", "h\xe9", "\u0416\u0416", "\U0001f600a", ""])
def test_strings_by_their_characters(text):
    @njit
    def copied(text):
        kind = 1
        for i in range(len(text)):
            point = characters._get_code_point(text, i)
            kind = characters._pick_kind(kind, characters._codepoint_to_kind(point))
        made = characters._empty_string(kind, len(text), 0)
        for i in range(len(text)):
            characters._set_code_point(made, i, characters._get_code_point(text, i))
        whole = characters._empty_string(kind, 2 * len(text))
        characters._strncpy(whole, 0, made, 0, len(text))
        characters._strncpy(whole, len(text), text, 0, len(text))
        return made, whole

    assert copied(text) == (text, 2 * text)
    assert characters._codepoint_to_kind(ord(text[:1] or "a")) in (1, 2, 4)
    with pytest.raises(ValueError):
        njit(lambda: characters._codepoint_to_kind(0x110000))()


@intrinsic
def copy_of(typingctx, array):
    """The memory of an array of bytes, copied to new memory as bytes."""

    def codegen(context, builder, sig, args):
        (kind,) = sig.args
        given = context.make_array(kind)(context, builder, args[0])
        made = cgutils.create_struct_proxy(sig.return_type)(context, builder)
        made.meminfo = context.nrt.meminfo_alloc(builder, given.nitems)
        made.data = context.nrt.meminfo_data(builder, made.meminfo)
        made.nitems, made.itemsize = given.nitems, context.get_constant(types.intp, 1)
        made.shape = cgutils.pack_array(builder, [given.nitems])
        made.strides = cgutils.pack_array(builder, [made.itemsize])
        cgutils.memcpy(builder, made.data, given.data, given.nitems)
        return made._getvalue()

    from numjit.cpython.charseq import bytes_type

    return bytes_type(array), codegen


def test_bytes_as_results():
    alive = _core.live_blocks()
    f = njit(lambda array: copy_of(array))
    assert f(np.frombuffer(b"one\x00\xff", np.uint8)) == b"one\x00\xff"
    assert f(np.empty(0, np.uint8)) == b""
    assert _core.live_blocks() == alive


def test_types_of_strings_that_have_no_hash():
    made = types.StringLiteral({"a": 1})
    assert made is types.StringLiteral({"a": 1}) and str(made) == "Literal[dict]({'a': 1})"
