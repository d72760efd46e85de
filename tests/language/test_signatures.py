"""Explicit signatures: every form, conversion of arguments, and the choice between several."""

import functools

import numjit
import numpy as np
import pytest
from numjit import errors, float32, float64, int32, int64, njit, types
from numjit.errors import TypingError
from numjit.signatures import Signature, normalize_signature


def first(a, b):
    return a


FORMS = [
    int64(int64, float64),
    "int64(int64, float64)",
    "i8(i8,f8)",
    "int64(types.int64, numba.float64)",
    (int64, float64),
    "(int64, float64)",
    [int64(int64, float64)],
    ["i8(i8, f8)"],
    [(int64, float64)],
]


@pytest.mark.parametrize("form", FORMS, ids=str)
def test_forms(form):
    compiled = njit(form)(first)
    assert compiled.signatures == [(int64, float64)]
    assert compiled.nopython_signatures == [int64(int64, float64)]
    assert compiled(3, 1.5) == 3


@pytest.mark.parametrize(
    ("text", "args", "result"),
    [
        ("void(f8[:])", (float64[:],), types.none),
        ("none()", (), types.none),
        ("f4[:, ::1](f4[::1, :])", (float32[::1, :],), float32[:, ::1]),
        ("i4(Tuple((i8, f8)))", (types.Tuple((int64, float64)),), int32),
        ("i4(UniTuple(i8, 3))", (types.UniTuple(int64, 3),), int32),
        ("optional(i8)(Optional(i8))", (types.Optional(int64),), types.Optional(int64)),
        ("Array(f8, 2, 'C', readonly=True)(i8)", (int64,), types.Array(float64, 2, "C", True)),
        ("i8(List(f8))", (types.List(float64),), int64),
        (" i8 (\n f8 )", (float64,), int64),
        ("(f8,)", (float64,), None),
        ("()", (), None),
        ("f8(f8,)", (float64,), float64),
        ("b1(uint8, uintp)", (types.uint8, types.uint64), types.boolean),
    ],
)
def test_text(text, args, result):
    assert normalize_signature(text) == (args, result)


@pytest.mark.parametrize(
    ("text", "cls", "column"),
    [
        ("float64(flot64)", errors.SignatureNameError, 9),
        ("float64(int64", errors.SignatureError, 8),
        ("float64(int64))", errors.SignatureError, 15),
        ("float64[:, 3](i8)", errors.SignatureError, 9),
        ("float64", errors.SignatureError, 1),
        ("(float64)", errors.SignatureError, 2),
        ("float64(3)", errors.SignatureError, 9),
        ("Tuple(i8, f8)(i8)", errors.SignatureError, 1),
        ("i8(lambda: 1)", errors.SignatureError, 4),
        ("i8(f8) + 1", errors.SignatureError, 1),
        ("", errors.SignatureError, 1),
    ],
)
def test_wrong_text_is_pointed_at(text, cls, column):
    # Joined here, so that the text does not stand in this file as one piece.
    with pytest.raises(cls) as caught:
        njit("".join([text]))(first)
    assert isinstance(caught.value, TypeError)
    if text:
        assert caught.value.column == column, str(caught.value)


def test_wrong_text_in_the_source_is_pointed_at_there():
    with pytest.raises(errors.SignatureError) as caught:
        njit("int64(int63, float64)")(first)
    assert caught.value.filename == __file__
    assert str(caught.value).splitlines()[3].strip() == "^^^^^"


def test_signature_objects():
    made = float64(int32, int64)
    assert (made.return_type, made.args) == (float64, (int32, int64))
    assert made == float64(int32, int64) and hash(made) == hash(float64(int32, int64))
    assert made != float64(int32) and made != float32(int32, int64)
    assert str(made) == "(int32, int64) -> float64"
    assert str(float64(int32)) == "(int32,) -> float64"
    assert made.replace(return_type=int32) == int32(int32, int64)
    assert isinstance(made, Signature)


@pytest.mark.parametrize("wrong", [3, ["i8(i8)", 3], ("i8", 3)], ids=str)
def test_other_things_are_refused(wrong):
    with pytest.raises(TypeError):
        njit(wrong)(first)


def test_wrong_number_of_arguments():
    with pytest.raises(TypeError, match="Signature mismatch: 1 argument types given.* takes 2"):
        njit("i8(i8)")(first)


def test_arguments_are_converted():
    @njit("float64(float64)")
    def half(x):
        return x / 2

    assert half(3) == 1.5
    assert half(np.float32(5)) == 2.5
    assert half.signatures == [(float64,)]

    @njit("int32(int32)")
    def same(x):
        return x

    assert same(1.5) == 1
    with pytest.raises(TypeError, match="No matching definition for argument type.s. complex128"):
        same(1j)


def test_the_result_is_converted():
    @njit("float32(int64)")
    def as_float(x):
        return x

    assert as_float(3) == 3.0 and type(as_float(3)) in (float, np.float32)
    assert as_float.nopython_signatures == [float32(int64)]


def test_the_best_signature_is_chosen():
    @njit(["int64(int64)", "float64(float64)", "complex128(complex128)"])
    def f(x):
        return x

    assert [type(f(x)) for x in (1, 1.5, 1j)] == [int, float, complex]
    assert type(f(np.int32(1))) is int
    assert type(f(np.float32(1))) is float
    assert f.signatures == [(int64,), (float64,), (types.complex128,)]


def test_ambiguous_calls_are_refused():
    @njit(["int32(int32, float64)", "int32(float64, int32)"])
    def f(a, b):
        return 1

    assert f(1, 2.0) == 1
    with pytest.raises(TypeError, match=r"(?s)Ambiguous overloading.*\(int32, float64\) -> int32"):
        f(1, 2)


def test_array_layouts():
    @njit("float64(float64[:])")
    def any_layout(a):
        return a[0]

    @njit("float64(float64[::1])")
    def contiguous(a):
        return a[0]

    values = np.arange(6.0)
    assert any_layout(values) == any_layout(values[::2]) == contiguous(values) == 0
    with pytest.raises(TypeError, match="No matching definition"):
        contiguous(values[::2])


def test_void():
    @njit("void(float64[:])")
    def fill(a):
        a[0] = 3

    values = np.zeros(2)
    assert fill(values) is None and values[0] == 3
    assert fill.nopython_signatures == [types.none(float64[:])]


def test_signatures_added_later():
    compiled = njit(first)
    entry = compiled.compile("i4(i4, i4)")
    assert callable(entry) and compiled.signatures == [(int32, int32)]
    compiled(1.0, 2.0)
    assert compiled.signatures == [(int32, int32), (float64, float64)]
    assert numjit.njit((int32, int32))(first).signatures == [(int32, int32)]


# --- calls from compiled code are converted to a signature, as those from Python are ---


def declared_functions():
    @njit("int32(int64[:])")
    def mixed(state):
        return state[0] ^ state[1]

    @njit("float32(float32)")
    def rounded(x):
        return x

    @njit(["int64(int64)", "float64(float64)"])
    def halved(x):
        return x // 2

    @njit("int32(int32, int32)")
    def product(x, y):
        return x * y

    @njit("int64(int64)")
    def factorial(n):
        return 1 if n < 2 else n * factorial(n - 1)

    @njit((float64,))
    def doubled(x):
        return x + x

    @njit("void(float64[:])")
    def cleared(a):
        a[:] = 0

    @njit(numjit.optional(int64)(numjit.optional(int64)))
    def same(x):
        return x

    return mixed, rounded, halved, product, factorial, doubled, cleared, same


def test_results_have_the_declared_type():
    mixed, rounded, _, product, factorial, doubled, *_ = declared_functions()

    @njit
    def f(state, x, n):
        integer = mixed(state)
        wide = abs(float(integer)), product(n, n), rounded(x) * 1.0
        return integer, wide, factorial(n % 7), doubled(n % 3)

    state = np.array([0xFFFF0000, 5])
    wrapped = 100_000 * 100_000 - (100_000 * 100_000 >> 32 << 32)
    expected = -65531, (65531.0, wrapped, float(np.float32(0.1))), 120, 2.0
    assert f(state, 0.1, 100_000) == expected
    assert str(f.nopython_signatures[0].return_type).startswith("Tuple(int32,")
    assert mixed(state) == -65531 and product(100_000, 100_000) == wrapped


def test_arguments_are_converted_to_the_best_signature():
    _, rounded, halved, _, _, _, cleared, same = declared_functions()

    @njit
    def f(x):
        return halved(x)

    for x in (7, np.int32(7), 7.5, np.float32(7.5)):
        assert f(x) == halved(x) and type(f(x)) is type(halved(x))
    assert f(True) == 0 and type(f(True)) is int  # ambiguous: the first

    @njit
    def g(a, n):
        cleared(a)
        cleared(a[::2])
        return rounded(n), same(n), same(None) is None

    a = np.ones(4)
    assert g(a, 3) == (3.0, 3, True) and not a.any()
    assert {str(s) for s in halved.signatures} == {"(int64,)", "(float64,)"}


def test_no_signature_takes_the_arguments():
    _, _, _, product, *_, cleared, _ = declared_functions()
    with pytest.raises(TypingError, match=r"No matching definition of .*cleared .*float32"):
        njit(lambda a: cleared(a))(np.ones(3, np.float32))
    with pytest.raises(TypingError, match=r"accepted are: \(array\(float64, 1d, A\)\)"):
        njit(lambda a: cleared(a))(np.ones((3, 3)))
    with pytest.raises(TypingError, match="No matching definition"):
        njit(lambda a: product(a, 1j))(1)


@pytest.mark.parametrize(
    "of", [lambda a: a, lambda a: (a, a), lambda a: [a], lambda a: ((a, 1), a[0])]
)
def test_slices_have_the_types_that_typeof_gives(of):
    """Whatever was typed first: a call that knew of contiguous rows, or a signature."""
    for shape in ((2, 10, 10), (2, 3, 9, 9)):
        a = of(np.zeros(shape)[:, 1:-1, 1:-1])
        njit(lambda x: 0)(a)
        assert njit((numjit.typeof(a),))(lambda x: 1)(a) == 1


def test_what_is_inlined_has_the_types_of_its_caller():
    @njit("float32(int8[::1], int8[::1])", inline="always")
    def dot(x, y):
        r = np.float32(0)
        for i in range(len(x)):
            r += np.float32(x[i]) * np.float32(y[i])
        return r

    data = np.arange(12, dtype=np.int8).reshape(3, 4)  # a global: read-only

    @njit
    def with_row(q):
        return dot(q, data[1])

    assert with_row(data[2]) == 214.0
    with pytest.raises(TypeError, match="No matching definition"):
        dot(data[2].astype(np.int16), data[1])


BORDERS = {
    f"{sign}int{bits}": (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1) if not sign else (0, 2**bits - 1)
    for sign in ("", "u")
    for bits in (8, 16, 32, 64)
}


@pytest.mark.parametrize("name", BORDERS)
def test_ints_beyond_a_signature(name):
    """Conversions to the types of a signature keep the value, or raise."""
    low, high = BORDERS[name]
    f = njit(f"{name}({name})")(lambda x: x)
    second = njit(f"{name}(UniTuple({name}, 2), optional({name}))")(lambda t, x: t[1])
    for value in (low, high):
        assert f(value) == value and second((0, value), None) == value
        assert f(getattr(np, name)(value)) == value
    for value in (low - 1, high + 1, 2**70, -(2**70), 1e300, -np.inf):
        with pytest.raises(OverflowError, match=rf"does not fit into {name}$"):
            f(value)
        with pytest.raises(OverflowError):
            second((0, value), None)
        with pytest.raises(OverflowError):
            second((0, 0), value)
    for wide in (np.int64, np.uint64, np.float64):
        for value in (-129, 300, 2**33, -(2**33)):
            if not low <= value <= high and (value >= 0 or wide is not np.uint64):
                with pytest.raises(OverflowError, match=rf"{value}.*does not fit into {name}$"):
                    f(wide(value))
    with pytest.raises(ValueError, match="cannot convert float NaN to integer"):
        f(np.nan)
    assert f(1.75) == 1 and f(True) == 1 and f(np.float32(2.5)) == 2


def test_huge_ints_where_a_signature_has_floats():
    for name in ("float32", "float64", "complex128"):
        f = njit(f"{name}({name})")(lambda x: x)
        for value in (2**64, 2**70, -(2**70)):
            assert f(value) == value
            assert f(value) == value  # by the way of a known call, too
        with pytest.raises(OverflowError, match="int too large to convert to float"):
            f(10**400)
    assert njit("boolean(boolean)")(lambda x: x)(2**70) is True
    both = njit(["float64(float64)", "int64(int64)"])(lambda x: x)
    assert both(2**70) == 2**70 and type(both(3)) is int


@pytest.mark.parametrize(("dtype", "text"), [("S5", b"ab"), ("U5", "abcdefg")])
def test_text_of_a_fixed_length(dtype, text):
    record = np.dtype([("number", np.int32), ("name", dtype)])
    kind = numjit.from_dtype(record)

    def name(records, i, text):
        records[i].name = text

    made = np.zeros(3, record)
    njit((kind[::1], types.intp, kind.typeof("name")))(name)(made, 1, text)
    assert made["name"].tolist() == [type(text)(), text[:5], type(text)()]


def test_types_are_not_iterated_over():
    for each in types.int64, types.float64[:], types.ListType(types.int32):
        with pytest.raises(TypeError, match="not iterable"):
            iter(each)


@pytest.mark.parametrize("parallel", [False, True])
def test_signatures_are_not_those_of_inner_functions(parallel):
    @njit(float64(float64[::1], int64), parallel=parallel)
    def f(a, n):
        def scaled(x):
            return x * 1.5

        least = functools.reduce(lambda x, y: min(x, y), a, 10)
        best = max(a, key=lambda x: -x) if n else a[0]
        return least + 10 * best + 100 * scaled(n)

    a = np.array([3.0, 1.0, 2.0])
    assert f(a, 3) == f.py_func(a, 3)

    @njit(float64(int64))
    def g(n):
        half = lambda x: x * 0.5
        return half(n + 0.5)

    assert g(3) == 1.75
