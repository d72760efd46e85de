"""What Python programs pass: one row for each kind of argument, taken or refused.

`test_arguments.py` calls functions with all of them, `docs/make_arguments_page.py` writes the page
from these rows, and the fuzzer passes what `dressed` makes of its plain values.
"""

import collections
import dataclasses
import datetime
import decimal
import enum
import fractions
import tempfile
import threading
import typing

import numpy as np

KINDS = []


@dataclasses.dataclass
class Kind:
    group: str
    name: str
    make: typing.Callable  # fresh values
    comes_as: str = ""  # the type in compiled code, as the page says it
    refused: str = ""  # what the error says


def kind(group, name, make, comes_as="", refused=""):
    KINDS.append(Kind(group, name, make, comes_as, refused))


# -- classes that programs have -------------------------------------------------------------------


class Int(int):
    pass


class Float(float):
    pass


class Complex(complex):
    pass


class Text(str):
    pass


class Octets(bytes):
    pass


class Items(list):
    pass


class Row(tuple):
    pass


class Bag(set):
    pass


class Grid(np.ndarray):
    pass


SENTINEL = object()


class Color(enum.Enum):
    RED = 1
    BLUE = 2


class Size(enum.IntEnum):
    SMALL = 1
    LARGE = 7


class Mode(str, enum.Enum):
    FAST = "fast"
    EXACT = "exact"


Point = collections.namedtuple("Point", "x y")


class Named(typing.NamedTuple):
    x: float
    n: int


# -- scalars --------------------------------------------------------------------------------------

INTEGERS = [f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)]
FLOATS = ["float32", "float64"]


def borders(name):
    """Values of a NumPy integer class at and next to its ends."""
    info, cls = np.iinfo(name), getattr(np, name)
    return [cls(v) for v in {info.min, info.min + 1, 0, 1, info.max - 1, info.max}]


def float_edges(name):
    """Signed zeros, subnormals, the largest, infinities and NaN with a payload."""
    info, cls = np.finfo(name), getattr(np, name)
    bits = {"float32": ("u4", 0x7FC00123), "float64": ("u8", 0x7FF8000000000123)}[name]
    payload = np.array(bits[1], bits[0]).view(name)[()]
    edges = [0.0, -0.0, info.smallest_subnormal, -info.tiny, info.max, np.inf, -np.inf, np.nan]
    return [*map(cls, edges), payload]


kind("scalars", "`bool`", lambda: [True, False], "bool")
kind("scalars", "`int`", lambda: [0, -1, 2**31, -(2**63), 2**63 - 1], "int64")
kind("scalars", "`int` from 2**63", lambda: [2**63, 2**64 - 1], "uint64")
kind("scalars", "`int` beyond 64 bits", lambda: [2**64, -(2**63) - 1], "", "int too big to convert")
kind("scalars", "`float`", lambda: [float(v) for v in float_edges("float64")], "float64")
kind("scalars", "`complex`", lambda: [1j, complex(-0.0, np.inf), 2 + 0j], "complex128")
for name in INTEGERS:
    kind("scalars", f"`np.{name}`", lambda name=name: borders(name), name)
for name in FLOATS:
    kind("scalars", f"`np.{name}`", lambda name=name: float_edges(name), name)
for name in ("complex64", "complex128"):
    kind("scalars", f"`np.{name}`", lambda name=name: [getattr(np, name)(1 - 2j)], name)
kind("scalars", "`np.bool_`", lambda: [np.True_, np.False_], "bool")
kind("scalars", "`np.longlong`, `np.ulonglong`", lambda: [np.longlong(-5)], "int64")
kind("scalars", "`np.float16`", lambda: [np.float16(1.5), np.float16(65504)], "float16")
kind("scalars", "`np.longdouble`", lambda: [np.longdouble(1)], "", "numpy.longdouble.*float\\(\\)")
kind("scalars", "subclasses of `int`", lambda: [Int(3), Int(-(2**63))], "int64")
kind("scalars", "subclasses of `float`", lambda: [Float(2.5)], "float64")
kind("scalars", "subclasses of `complex`", lambda: [Complex(2.5j)], "complex128")
kind("scalars", "`datetime64`", lambda: [np.datetime64("2020-02-29")], "datetime64[D]")
kind("scalars", "`timedelta64`", lambda: [np.timedelta64(-5, "s")], "timedelta64[s]")
kind(
    "scalars",
    "`fractions.Fraction` of 64 bits",
    lambda: [fractions.Fraction(1, 2), fractions.Fraction(-(2**63), 2**63 - 1)],
    "Fraction",
)
kind(
    "scalars",
    "`datetime.timedelta`",
    lambda: [datetime.timedelta(days=-1, seconds=3, microseconds=5), datetime.timedelta.max],
    "timedelta",
)
kind(
    "scalars",
    "larger `fractions.Fraction`",
    lambda: [fractions.Fraction(2**63), fractions.Fraction(1, 2**70)],
    "",
    "int too big",
)

# -- strings, None, enumerations, ranges ----------------------------------------------------------

kind("other values", "`None`", lambda: [None], "none")
kind(
    "other values",
    "`str` of 1, 2 and 4 bytes",
    lambda: ["", "abc", "é", "Ωλ", "😀"],
    "unicode_type",
)
kind(
    "other values",
    "`np.str_`, subclasses of `str`",
    lambda: [np.str_("aé"), Text("b")],
    "unicode_type",
)
kind(
    "other values",
    "`bytes`, subclasses",
    lambda: [b"", b"\x00a", np.bytes_(b"q"), Octets(b"c")],
    "bytes",
)
kind("other values", "`bytearray`", lambda: [bytearray(b"ab")], "bytearray")
kind(
    "other values",
    "`range`",
    lambda: [range(0), range(5), range(9, -3, -4), range(2**62, 2**63 - 1, 2**61)],
    "range of int64",
)
kind("other values", "`Enum`, with mixins too", lambda: [Color.BLUE, Mode.EXACT], "the enumeration")
kind("other values", "`IntEnum`, `IntFlag`", lambda: [Size.LARGE], "the enumeration")
kind("other values", "`object()`", lambda: [SENTINEL], "itself, to compare by `is`")
kind(
    "other values",
    "other objects",
    lambda: [threading.Lock()],
    "",
    "cannot determine Numba type of <class '_thread.lock'>",
)
kind("other values", "`decimal.Decimal`", lambda: [decimal.Decimal("1.5")], "", "Decimal")
kind("other values", "`datetime.date`", lambda: [datetime.date(2020, 1, 2)], "", "date")
kind("other values", "`np.nditer`", lambda: [np.nditer(np.arange(3))], "", "nditer")
kind("other values", "iterators", lambda: [iter([1])], "", "list_iterator.*pass a list")

# -- containers -----------------------------------------------------------------------------------

kind(
    "containers",
    "`tuple`",
    lambda: [(), (1,), (1, np.float32(2.5), "a"), ((1, 2), np.int8(3))],
    "tuple",
)
kind("containers", "subclasses of `tuple`", lambda: [Row((1, 2.5))], "tuple")
kind(
    "containers",
    "named tuples of both kinds",
    lambda: [Point(np.int64(1), 2.5), Named(1.0, 2)],
    "the named tuple",
)
for name in INTEGERS + FLOATS + ["complex64", "complex128", "bool_"]:
    kind(
        "containers",
        f"list, set and tuple of `np.{name}`",
        lambda name=name: [
            [getattr(np, name)(v) for v in (1, 0, 1)],
            {getattr(np, name)(v) for v in (1, 0)},
            (getattr(np, name)(1), getattr(np, name)(0)),
        ],
        f"items of {name.rstrip('_')}",
    )
MIXTURES = [
    ("Python's and NumPy's floats", [1.0, np.float64(2.5)], "float64"),
    ("Python's and NumPy's ints", [1, np.int64(-2), np.uint8(3)], "int64"),
    ("widths", [np.int8(-1), np.int32(2**20), np.uint16(9)], "int32"),
    ("floats and ints", [1, 2.5, np.float32(0.1)], "float64"),
    ("bools and ints", [True, 2, np.False_], "int64"),
    ("complex and real", [1, 2.5, 1j], "complex128"),
    ("ints at the borders", [0, 2**63 - 1, 2**63, 2**64 - 1], "uint64"),
    ("strings", ["a", np.str_("é"), Text("😀")], "unicode_type"),
    ("subclasses", [1, Int(2), Size.LARGE], "int64"),
]
for name, items, item_type in MIXTURES:
    for container in (list, set):
        kind(
            "containers",
            f"`{container.__name__}`: {name}",
            lambda items=items, container=container: [container(items), container(items[::-1])],
            f"items of {item_type}",
        )
kind(
    "containers",
    "`list`: None and numbers",
    lambda: [[None, 1], [2.5, None]],
    "items of optional type",
)
kind(
    "containers",
    "`list` of tuples",
    lambda: [[(1, 2.5), (np.float64(2), 3)]],
    "items of tuple type",
)
kind(
    "containers",
    "`list` of arrays",
    lambda: [[np.arange(3), np.arange(6)[::2]]],
    "items of array type",
)
kind(
    "containers", "subclasses of `list`, `set`", lambda: [Items([1, 2.5]), Bag({1, 2})], "list, set"
)
kind(
    "containers",
    "empty `list`, `set`, `dict`",
    lambda: [[], set(), Items(), {}, [[]], [[], []], [{}], {1: []}, ([], 1)],
    "what the function makes of it",
)
kind(
    "containers",
    "nested lists",
    lambda: [[[1], [2.5]], [[], [1]], [[1], []], [[["a"]], []], [{1, 2}, {3}], [([1], 2)]],
    "lists of lists",
)
kind(
    "containers",
    "`dict`",
    lambda: [
        {1: 2, 3: -4},
        {"a": 1.5, "b": 2},
        {(1, "a"): "x"},
        {1.5: [1, 2], 2: []},
        {1: np.arange(3), 2: np.arange(4)},
        {1: {2: "a"}, 3: {}},
        {Size.LARGE: None, Size.SMALL: 1},
        {b"a": (1, 2.5)},
        [{1: 2}, {}],
    ],
    "typed.Dict",
)
kind(
    "containers",
    "subclasses of `dict`",
    lambda: [
        collections.OrderedDict([(3, 1), (1, 2)]),
        collections.Counter("abca"),
        collections.defaultdict(list, {1: [2]}),
    ],
    "typed.Dict",
)
kind(
    "containers",
    "`collections.deque`",
    lambda: [
        collections.deque([1, 2]),
        collections.deque([1.5, 2.5], 2),
        collections.deque(["a"]),
        collections.deque(),
    ],
    "deque",
)
kind(
    "containers",
    "`dict` from strings to values without a common type",
    lambda: [{"rate": 0.5, "name": "x"}, {"a": [1], "b": 2}],
    "LiteralStrKey",
)
kind("containers", "`frozenset`", lambda: [frozenset({1, 2})], "frozenset")
kind(
    "containers",
    "`list` of at most 64 items without a common type",
    lambda: [[1, "a"], [-1, 2**63], [(1,), (1, 2)]],
    "LiteralList",
)
kind(
    "containers",
    "no common type",
    lambda: [{1, "a"}, {-1, 2**63}, [1, "a"] * 40],
    "",
    "can't unbox heterogeneous",
)
kind(
    "containers",
    "no common type of a `dict`",
    lambda: [{1: 2, 3: "a"}, {1: 2, "a": 3}, {"a": 1, "b": 2, 3: "c"}],
    "",
    "can't unbox heterogeneous dict.*numjit.typed.Dict",
)

# -- arrays ---------------------------------------------------------------------------------------


def unaligned(array):
    """The same array, one byte off."""
    memory = np.zeros(array.nbytes + 1, np.uint8)
    moved = np.ndarray(array.shape, array.dtype, memory.data, 1)
    moved[...] = array
    return moved


def packed(dtype):
    """Records of 1 byte more than their field `x`."""
    made = np.zeros(6, [("flag", "u1"), ("x", dtype)])
    made["x"] = np.arange(6) % 2
    return made


def mapped(array):
    if not array.size:
        return array
    file = tempfile.TemporaryFile()
    made = np.memmap(file, array.dtype, "w+", shape=array.shape)
    made[...] = array
    return made


def read_only(array):
    copied = array.copy()
    copied.flags.writeable = False
    return copied


def spread(array):
    """The same in every second place of twice the memory."""
    return np.repeat(array, 2, axis=-1)[..., ::2]


#: Other arrays of the same elements, which may be written to (of 0-d ones only the first do).
WRITABLE = {
    "C order": np.array,
    "buffers": lambda a: np.frombuffer(bytearray(a.tobytes()), a.dtype).reshape(a.shape),
    "unaligned": unaligned,
    "`np.memmap`": mapped,
    "subclasses": lambda a: a.copy().view(Grid),
    "Fortran order": np.asfortranarray,
    "negative strides": lambda a: np.flip(np.flip(a).copy()),
    "odd strides": spread,
    "part of a larger one": lambda a: np.pad(a, 1)[(slice(1, -1),) * a.ndim],
}
SHAPES = [(), (0,), (1,), (5,), (2, 3), (0, 3), (1, 1), (2, 1, 3)]


def array_of(shape, dtype="f8"):
    return (np.arange(int(np.prod(shape))) * 3 % 7).reshape(shape).astype(dtype)


for name, make in WRITABLE.items():
    kind(
        "arrays",
        name,
        lambda make=make, least=0 if name in list(WRITABLE)[:5] else 1: [
            make(array_of(shape)) for shape in SHAPES if len(shape) >= least
        ],
        "array",
    )
kind(
    "arrays",
    "strides of zero",
    lambda: [np.broadcast_to(np.arange(3.0), (2, 3))],
    "read-only array",
)
kind(
    "arrays",
    "read-only",
    lambda: [read_only(array_of(shape)) for shape in SHAPES],
    "read-only array",
)
kind(
    "arrays",
    "`np.frombuffer` of bytes",
    lambda: [np.frombuffer(b"\x01\x02", np.int8)],
    "read-only array",
)
kind(
    "arrays",
    "every dtype of numbers",
    lambda: [array_of((3,), t) for t in [*INTEGERS, *FLOATS, "c8", "c16", "?"]],
    "array",
)
kind("arrays", "structured arrays", lambda: [np.zeros(2, [("a", "i4"), ("b", "f8")])["b"]], "array")
kind("arrays", "dates", lambda: [np.array(["2020", "NaT"], "M8[D]")], "array")
kind(
    "arrays",
    "dates and durations of each unit",
    lambda: [
        np.array([1, -5, "NaT"], f"{code}8[{unit}]")
        for code in "Mm"
        for unit in ("Y", "M", "W", "D", "h", "m", "s", "ms", "us", "ns")
    ],
    "array",
)
kind(
    "arrays",
    "texts",
    lambda: [
        np.array(["a", "", "\u00e9\U0001f600"]),
        np.array([b"a", b"", b"\x00b"]),
        np.array([["ab"], ["c"]]),
    ],
    "array",
)
kind(
    "arrays",
    "fields of packed records",
    lambda: [
        packed(t)["x"][::step]
        for t in [*INTEGERS, *FLOATS, "c16", "?", "M8[s]"]
        for step in (1, 2, -1)
    ],
    "array",
)
kind(
    "arrays",
    "unaligned and strided",
    lambda: [
        part
        for t in ("i4", "f8")
        for part in (
            unaligned(array_of((6,), t))[::-2],
            unaligned(array_of((2, 3), t)).T,
            unaligned(array_of((4, 3), t))[1::2, ::-1],
        )
    ],
    "array",
)
kind(
    "arrays",
    "blocks of a table, as pandas has them",
    lambda: [
        read_only(np.asfortranarray(array_of((3, 2)))),
        read_only(array_of((2, 3))).T,
        read_only(array_of((2, 3))).T[:, 1],
    ],
    "read-only array",
)
kind(
    "arrays",
    "without dimensions, of every dtype",
    lambda: [array_of((), t) for t in [*INTEGERS, *FLOATS, "f2", "c8", "c16", "?"]],
    "array",
)
kind(
    "arrays",
    "NaN payloads, subnormals, signed zeros",
    lambda: [
        np.array(
            [0x7FF8000000000123, 0xFFF8000000000001, 1, 1 << 63, 0x7FF0000000000000], "u8"
        ).view("f8"),
        np.array([0x7FC00123, 0xFFC00001, 1, 1 << 31, 0x7F800000], "u4").view("f4"),
    ],
    "array",
)
kind("arrays", "of 32 dimensions", lambda: [array_of((1,) * 31 + (2,))], "array")
kind(
    "arrays", "`np.matrix`", lambda: [np.eye(2).view(np.matrix)], "array, whose `*` is element-wise"
)
kind("arrays", "masked arrays", lambda: [np.ma.array([1, 2])], "", "MaskedArray.*filled\\(\\)")
kind("arrays", "foreign byte order", lambda: [np.arange(3, dtype=">i4")], "", "byte order.*astype")
kind(
    "arrays",
    "`object` arrays",
    lambda: [np.array([1, None])],
    "",
    "Unsupported array dtype: object",
)
kind(
    "arrays",
    "`longdouble`",
    lambda: [np.zeros(2, "g")],
    "",
    "Unsupported array dtype: float128",
)


# -- for the fuzzer -------------------------------------------------------------------------------


def _one(chance, item, classes):
    """A number or text as another class has it."""
    fitting = [cls for cls in classes if cls(item) == item or item != item]
    return chance.choice(fitting or [type(item)])(item)


def dressed(chance, type, value):
    """The same value as programs also pass it; `type` is the fuzzer's name of its type."""
    if type == "i64":
        return _one(chance, value, (int, np.int64, Int))
    if type == "f64":
        return _one(chance, value, (float, np.float64, Float))
    if type == "str":
        return _one(chance, value, (str, np.str_, Text)) if not value.endswith("\0") else value
    if type == "t2":
        return dressed(chance, "i64", value[0]), dressed(chance, "f64", value[1])
    if type in ("Li", "Lf", "Ls") and value:
        item = {"i": "i64", "f": "f64", "s": "str"}[type[1]]
        made = [dressed(chance, item, each) for each in value]
        at = chance.randrange(len(made))
        if type == "Li" and len(made) > 1 and abs(value[at]) < 2**31:
            made[at] = np.int32(value[at])
        if (
            type == "Lf"
            and len(made) > 1
            and str(value[at]) != "-0.0"
            and value[at] == value[at] // 1
        ):
            made[at] = int(value[at]) if abs(value[at]) < 2**53 else value[at]
        return made
    return value


def dressed_array(chance, array):
    """Another array of the same elements."""
    names = [name for name in WRITABLE if name != "`np.memmap`"]
    return WRITABLE[chance.choice(names)](array) if array.ndim else array
