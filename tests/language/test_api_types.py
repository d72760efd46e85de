"""numjit.types: names, printing, identity, and what isinstance says."""

import array
import collections
import copy
import pickle
import threading

import numjit
import numpy as np
import pytest
from numjit import float32, float64, int32, int64, njit, optional, typeof, types
from numjit.errors import TypingError
from numjit.extending import as_numba_type

Point = collections.namedtuple("Point", "x y")

PRINTED = [
    (int64, "int64"),
    (types.boolean, "bool"),
    (float64[:], "array(float64, 1d, A)"),
    (float64[:, ::1], "array(float64, 2d, C)"),
    (float32[::1, :], "array(float32, 2d, F)"),
    (types.Array(float64, 0, "C"), "array(float64, 0d, C)"),
    (types.Array(float64, 2, "C", readonly=True), "readonly array(float64, 2d, C)"),
    (types.UniTuple(float64, 3), "UniTuple(float64 x 3)"),
    (types.Tuple((float64, int64)), "Tuple(float64, int64)"),
    (types.Tuple((float64, float64)), "UniTuple(float64 x 2)"),
    (types.Tuple(()), "Tuple()"),
    (types.NamedTuple((float64, int64), Point), "Point(float64, int64)"),
    (types.NamedUniTuple(float64, 2, Point), "Point(float64 x 2)"),
    (optional(float64), "OptionalType(float64)"),
    (types.List(float64, True), "reflected list(float64)<iv=None>"),
    (types.none, "none"),
    (types.DType(float32), "dtype(float32)"),
    (types.literal(3), "Literal[int](3)"),
    (types.literal("a"), "Literal[str](a)"),
    (types.Omitted(3), "omitted(default=3)"),
    (types.CPointer(float64), "float64*"),
    (types.range_state64_type, "range_state_int64"),
    (types.ListType(float64), "ListType[float64]"),
    (types.FunctionType(float64(float64)), "FunctionType[float64(float64)]"),
]


@pytest.mark.parametrize(("type_", "text"), PRINTED, ids=[text for _, text in PRINTED])
def test_text(type_, text):
    assert str(type_) == type_.name == text


@pytest.mark.parametrize("type_", [type_ for type_, _ in PRINTED], ids=str)
def test_one_object_for_each_type(type_):
    assert pickle.loads(pickle.dumps(type_)) is type_
    assert copy.deepcopy(type_) is type_


def test_equal_calls_give_one_object():
    assert float64[:, ::1] is types.Array(float64, 2, "C")
    assert types.Tuple((int64, int64)) is types.UniTuple(int64, 2)
    assert types.Integer("int64") is int64
    assert types.Array(float64, 1, "C") is not types.Array(float64, 1, "C", readonly=True)


@pytest.mark.parametrize(
    ("names", "type_"),
    [
        ("int_ intp i8 long_ longlong ssize_t", int64),
        ("uint uintp u8 ulong size_t", types.uint64),
        ("f8 double", float64),
        ("f4", float32),
        ("i4 intc", int32),
        ("u1 byte uchar", types.uint8),
        ("b1 bool_ boolean bool", types.boolean),
        ("c16", types.complex128),
        ("void none", types.none),
    ],
)
def test_other_names(names, type_):
    for name in names.split():
        assert getattr(types, name) is type_
        assert getattr(numjit, name) is type_


def test_classes_and_attributes():
    assert isinstance(int64, types.Integer) and isinstance(int64, types.Number)
    assert (int32.bitwidth, int32.signed, int32.minval) == (32, True, -(2**31))
    assert not types.uint8.signed and types.uint8.maxval == 255
    assert types.complex64.underlying_float is float32
    array = float64[:, ::1]
    assert isinstance(array, types.Array) and isinstance(array, types.Buffer)
    assert (array.dtype, array.ndim, array.layout) == (float64, 2, "C")
    assert array.mutable and array.aligned and array.is_c_contig and not array.is_f_contig
    assert array.copy(ndim=1, layout="A", readonly=True) is types.Array(float64, 1, "A", True)
    pair = types.Tuple((float64, int64))
    assert isinstance(pair, types.BaseTuple) and not isinstance(pair, types.UniTuple)
    assert (list(pair), len(pair), pair[1], pair.types) == (
        [float64, int64],
        2,
        int64,
        (float64, int64),
    )
    named = types.NamedTuple((float64, int64), Point)
    assert (named.fields, named.instance_class) == (("x", "y"), Point)
    assert optional(int64).type is int64
    assert types.literal(True).literal_value is True
    assert types.unliteral(types.Tuple((types.literal(1), float64))) is types.Tuple(
        (int64, float64)
    )


def test_wrong_types_are_refused():
    with pytest.raises(KeyError, match="Can only index numba types with slices"):
        float64[3]
    with pytest.raises(numjit.errors.NumbaValueError, match="Invalid layout 'X'"):
        types.Array(float64, 1, "X")
    with pytest.raises(TypeError):
        types.Tuple((float64, 3))
    with pytest.raises(numjit.errors.LiteralTypingError):
        types.literal(1.5)


def test_a_type_converts_values():
    assert int32(1.7) == 1 and type(int32(1.7)) is np.int32
    assert type(float32(1)) is np.float32
    assert types.boolean(3) is True


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (1, "int64"),
        (True, "bool"),
        (2**63, "uint64"),
        (1.5, "float64"),
        (1j, "complex128"),
        (None, "none"),
        ("a", "unicode_type"),
        (np.float32(1), "float32"),
        (np.bool_(1), "bool"),
        (np.uint8(1), "uint8"),
        ((1, 2.0), "Tuple(int64, float64)"),
        ((1, 2), "UniTuple(int64 x 2)"),
        ((), "Tuple()"),
        (Point(1, 2.0), "Point(int64, float64)"),
        (Point(1, 2), "Point(int64 x 2)"),
        ([1.0, 2.0], "reflected list(float64)<iv=None>"),
        (np.zeros(3), "array(float64, 1d, C)"),
        (np.zeros((3, 4)), "array(float64, 2d, C)"),
        (np.zeros((3, 4)).T, "array(float64, 2d, F)"),
        (np.zeros((3, 4))[:, ::2], "array(float64, 2d, A)"),
        (np.array(3.0), "array(float64, 0d, C)"),
        (np.zeros(3, np.complex64), "array(complex64, 1d, C)"),
        (np.dtype("f4"), "dtype(float32)"),
        (np.float32, "class(float32)"),
        (slice(1, 2), "slice<a:b>"),
        (slice(1, 2, 3), "slice<a:b:c>"),
        (ValueError, "ValueError"),
        (int64, "class(int64)"),
    ],
)
def test_typeof(value, text):
    assert str(typeof(value)) == text


def test_typeof_readonly():
    array = np.zeros(3)
    array.flags.writeable = False
    assert typeof(array) is types.Array(float64, 1, "C", readonly=True)


@pytest.mark.parametrize(
    "value", [pytest.param(threading.Lock(), id="lock"), {}, 1 << 64, []], ids=str
)
def test_typeof_refuses(value):
    with pytest.raises(ValueError):
        typeof(value)


def test_from_dtype():
    for name in "int8 int64 uint16 float32 float64 complex128".split():
        assert numjit.from_dtype(np.dtype(name)) is getattr(types, name)
    assert numjit.from_dtype(np.dtype("?")) is types.boolean
    with pytest.raises(numjit.errors.NumbaNotImplementedError, match=">f8"):
        numjit.from_dtype(np.dtype(">f8"))


@pytest.mark.parametrize(
    ("annotation", "text"),
    [
        (int, "int64"),
        (float, "float64"),
        (complex, "complex128"),
        (bool, "bool"),
        (None, "none"),
        (np.float32, "float32"),
        (tuple[int, float], "Tuple(int64, float64)"),
        (int | None, "OptionalType(int64)"),
        (list[int], "ListType[int64]"),
        (dict[int, float], "DictType[int64,float64]<iv=None>"),
        (int64, "int64"),
    ],
)
def test_as_numba_type(annotation, text):
    assert str(as_numba_type(annotation)) == text


def test_as_numba_type_registered():
    class Mine:
        pass

    with pytest.raises(numjit.errors.TypingError, match="Cannot infer Numba type"):
        as_numba_type(Mine)
    as_numba_type.register(Mine, int64)
    assert as_numba_type(Mine) is int64


def test_import_paths():
    from numjit.core import errors
    from numjit.core import types as core_types
    from numjit.core.errors import TypingError
    from numjit.core.typing import signature

    assert TypingError is errors.TypingError is numjit.errors.TypingError
    assert core_types is types
    assert signature(int64, float64) == int64(float64)


def test_deferred_type():
    deferred = numjit.deferred_type()
    with pytest.raises(RuntimeError):
        deferred.get()
    deferred.define(int64)
    assert deferred.get() is int64
    with pytest.raises(TypeError):
        deferred.define(float64)


def test_a_users_own_type():
    class Mine(types.Type):
        def __init__(self, item):
            self.item = item
            super().__init__(name=f"Mine({item})")

    assert Mine(int64) is Mine(int64) and Mine(int64) is not Mine(float64)
    assert str(Mine(int64)) == "Mine(int64)"


def test_parts_of_types():
    record = numjit.from_dtype(np.dtype([("a", "i4"), ("b", "f8")]))
    assert record.fields["b"].type is float64 and record.fields["b"].offset == 4
    assert record.fields["b"]["offset"] == 4 and not record.is_title("a")
    assert pickle.loads(pickle.dumps(record)) is record
    assert types.UniTuple(int64, 2).mangling_args == ("UniTuple", (int64, 2))
    assert types.Tuple((int64, float64)).mangling_args == ("Tuple", (int64, float64))
    assert float64[:, ::1].mangling_args == ("Array", [float64, 2, "C", "mutable", "aligned"])
    assert types.unicode_type.iterator_type.yield_type is types.unicode_type
    assert types.ListType(types.undefined).refine(int64) is types.ListType(int64)
    assert not types.DictType(types.undefined, types.undefined).is_precise()
    assert types.DictType(types.undefined, int64).refine(int32, int64).key_type is int32
    assert float64(int64).as_type() is types.FunctionType(float64(int64))
    assert types.TypeRef(int64).key is int64
    assert repr(types.NPDatetime("D")) == types.NPDatetime("D").key == "datetime64[D]"
    assert types.npytypes.Array is types.Array and types.common.Opaque is types.Opaque
    assert as_numba_type(set[int]) is types.SetType(int64)


@pytest.mark.parametrize("text", ["U5", "S3", "i4", "M8[D]", "?"])
def test_dtypes_and_back(text):
    from numjit.np.numpy_support import as_dtype, from_dtype

    assert as_dtype(from_dtype(np.dtype(text))) == np.dtype(text)


def test_types_of_memory():
    shown = typeof(memoryview(b"ab"))
    assert str(shown) == "readonly memoryview(uint8, 1d, C)"
    assert isinstance(shown, types.MemoryView) and not isinstance(shown, types.Array)
    numbers = typeof(array.array("d", [1.5]))
    assert str(numbers) == "pyarray(float64, 1d, C)" and numbers.mutable
    assert numjit.njit(types.float64(numbers))(lambda a: a[0])(array.array("d", [1.5])) == 1.5


def test_subclasses_of_arrays_are_arrays():
    class Noted(np.ndarray):
        pass

    a = np.arange(6.0).reshape(2, 3).view(Noted)
    f = njit(lambda x: x.sum() + x[0, 1])
    assert numjit.typeof(a) == float64[:, ::1] and f(a) == 16
    assert numjit.typeof(a[:, ::2]) == float64[:, :] and f(a[:, ::2]) == 12
    assert f(np.matrix([[1.0, 2.0]])) == 5
    assert type(njit(lambda x: x)(a)) is Noted
    with pytest.raises(ValueError, match="Unsupported array type: numpy.ma.MaskedArray"):
        numjit.typeof(np.ma.array([1.0]))
    with pytest.raises(TypingError, match="Unsupported array type: numpy.ma.MaskedArray"):
        f(np.ma.array([[1.0, 2.0]]))


def test_tuples_are_made_of_types():
    for make in (types.Tuple, lambda item: types.NamedTuple(item, "p")):
        with pytest.raises(TypingError, match="^Argument 'types' is not iterable: uint32$"):
            make(types.uint32)


def test_generators_by_their_parts():
    parts = dict(yield_type=types.int32, arg_types=[types.int64], state_types=[types.intp])
    made = types.Generator(gen_func=None, has_finalizer=False, **parts)
    assert made.yield_type == types.int32 and made.arg_types == (types.int64,)
    assert made == types.Generator(None, types.int32, (types.int64,), (), False)
    assert made != types.Generator(None, types.int32, (types.int64,), (), True)

    @njit
    def numbers(n):
        yield n

    @njit
    def f(n):
        return numbers(n)

    f(1)
    found = f.nopython_signatures[0].return_type
    assert isinstance(found, types.Generator) and found.yield_type == types.int64
    assert found.arg_types == (types.int64,) and found != made


def test_numbers_are_ordered_by_size():
    for row in (
        "int8 int16 int32 int64",
        "uint8 uint64",
        "float32 float64",
        "complex64 complex128",
    ):
        kinds = [getattr(types, name) for name in row.split()]
        assert sorted(reversed(kinds)) == kinds and max(kinds) is kinds[-1]
        assert kinds[0] <= kinds[0] and not kinds[0] < kinds[0] and kinds[-1] >= kinds[0]
    for a, b in (
        (types.int8, types.uint16),
        (types.int64, types.float64),
        (types.int8, types.none),
    ):
        with pytest.raises(TypeError, match="not supported between"):
            a < b


def test_types_are_numbered():
    class Own(types.Type):
        def __init__(self):
            super().__init__(name="own")

    kinds = [types.int64, types.float64[:], types.List(types.int64), Own()]
    assert len({each._code for each in kinds}) == len(kinds)
    assert [each.is_internal for each in kinds] == [True, True, True, False]
    assert types.float64[:]._code == kinds[1]._code and kinds[2][0] is types.int64
    assert pickle.loads(pickle.dumps(kinds[1])) is kinds[1]
