"""bytes, bytearray and memoryview."""

import array
import ctypes
import itertools
import os

import numpy as np
import pytest
from language.support import assert_same, compiled
from numjit import njit, typeof, types
from numjit.errors import TypingError

BYTES = [b"", b"a", b"abc", bytes(range(256)), b"a,b,,c", b"\xff\xfe"]


@pytest.mark.parametrize("make", [bytes, bytearray])
def test_pass_and_return(make):
    def f(b):
        return b

    for b in BYTES:
        b = make(b)
        assert compiled(f)(b) is b


def test_typeof():
    assert typeof(b"a") is types.Bytes(types.uint8, 1, "C")
    assert str(typeof(b"a")) == "readonly bytes(uint8, 1d, C)"
    assert str(typeof(bytearray(b"a"))) == "bytearray(uint8, 1d, C)"


@pytest.mark.parametrize("make", [bytes, bytearray])
def test_reading(make):
    def f(b, i):
        return b[i], b[-i - 1], len(b), bool(b), b[i:], b[:i], b[::2], b[::-1], b[i : i + 2]

    def sums(b):
        total = 0
        for x in b:
            total += x
        return total

    for b in BYTES:
        for i in range(min(len(b), 3)):
            assert_same(f, make(b), i)
        assert_same(sums, make(b))
    with pytest.raises(IndexError):
        compiled(f)(make(b"a"), 3)


@pytest.mark.parametrize("make", [bytes, bytearray])
def test_operators(make):
    def f(a, b):
        return a == b, a != b, a < b, a <= b, a > b, a >= b, a + b, a * 2, b in a, 97 in a

    for a in BYTES:
        for b in BYTES:
            assert_same(f, make(a), make(b))


def test_literals():
    def f(b):
        return b == b"abc", b + b"x", b"lit", b"\x00\xff"[1], b"a" in b, hash(b), len(b"four")

    for b in BYTES:
        assert_same(f, b)


def test_bytearray_changes():
    def f(b, i, x):
        b[i] = x
        copy = b[:]
        copy[0] = 1
        return b, copy, b[0]

    assert_same(f, bytearray(b"abc"), 1, 200)
    assert_same(f, bytearray(b"abc"), -1, 0)
    for i, x in ((3, 1), (0, 256), (0, -1)):
        assert_same(f, bytearray(b"abc"), i, x)


def test_bytearray_slices_change():
    def primes(n):
        is_prime = bytearray([1]) * (n + 1)
        is_prime[0:2] = b"\0\0"
        for i in range(2, int(n**0.5) + 1):
            if is_prime[i]:
                is_prime[i * i :: i] = bytes(len(range(i * i, n + 1, i)))
        return is_prime.count(1), is_prime

    def parts(b, values, step):
        b[1:] = b[:-1]
        b[::-2] = [65, 66, 67]
        b[-3:-1] = bytearray(b"zz")
        b[::step] = values
        return b

    assert_same(primes, 200)
    for step, values in ((2, b"xyz"), (-3, b"xy"), (2, b"xy"), (3, (1, 2))):
        assert_same(parts, bytearray(b"abcdef"), values, step)

    @njit
    def longer(b):
        b[:2] = b"xyz"

    with pytest.raises(BufferError, match="keeps its length"):
        longer(bytearray(b"abc"))


def test_bytes_are_sought_by_numbers():
    def f(b, n):
        return b.find(n), b.rfind(n, 1), b.count(n, 0, 3), b.index(98)

    for b in (b"abcabc", bytearray(b"bba")):
        for n in (97, 122, 256, -1):
            assert_same(f, b, n)


def test_bytes_do_not_change():
    @njit
    def f(b):
        b[0] = 1

    with pytest.raises(TypingError, match="setitem"):
        f(b"a")


def test_conversions():
    def f(s, n):
        b = s.encode()
        return b, b.decode(), bytes(b), bytearray(b), bytes(n), bytearray(n), bytes(s, "utf-8")

    for s in ("", "abc", "äöü", "€", "😀x"):
        assert_same(f, s, 3)

    def decode(b):
        return b.decode("utf-8")

    for b in (b"\xff", b"\xe2\x82", b"\xed\xa0\x80", b"\xc0\x80", b"\xf4\x90\x80\x80", b"ok"):
        try:
            expected = b.decode()
        except UnicodeDecodeError:
            with pytest.raises(ValueError, match="can't decode"):
                compiled(decode)(b)
        else:
            assert compiled(decode)(b) == expected


def test_repr():
    def f(b):
        return repr(b), str(b)

    for b in [*BYTES, b"it's", b"\"'", b"\n\t\\"]:
        assert_same(f, b)
        assert_same(f, bytearray(b))


def test_lists_and_tuples_of_bytes():
    def f(a):
        l = [a, b"x"]
        l.append(a + a)
        return l, (a, b"lit"), l[-1] == a

    assert_same(f, b"ab")


def test_memoryview():
    @njit
    def f(m):
        return m[1], m[1:].sum(), m.nbytes, m.itemsize, m.ndim, m.shape, len(m)

    assert f(memoryview(b"abc")) == (98, 197, 3, 1, 1, (3,), 3)
    assert f(memoryview(array.array("d", [1, 2, 3]))) == (2.0, 5.0, 24, 8, 1, (3,), 3)

    @njit
    def g(m):
        m[0] = 7

    changed = bytearray(b"abc")
    g(memoryview(changed))
    assert changed == b"\x07bc"
    with pytest.raises(TypingError, match="readonly"):
        g(memoryview(b"abc"))
    a = np.arange(6.0)
    g(memoryview(a))
    assert a[0] == 7


SHOWN = {
    "F": lambda a: np.asfortranarray(a),
    "transposed": lambda a: a.T,
    "steps": lambda a: a[:, ::2],
    "backwards": lambda a: a[::-1],
    "row": lambda a: a[1, ::3],
    "element": lambda a: a[1, 2, ...],
}


@pytest.mark.parametrize("code", "bBhHiIlLqQfdFD?")
@pytest.mark.parametrize("layout", SHOWN)
def test_memoryviews_of_layouts(layout, code):
    def f(m):
        return m.ndim, m.shape, m.strides, m.nbytes, m.readonly, m.contiguous, m.c_contiguous

    made = SHOWN[layout](np.arange(12).reshape(3, 4).astype(code))
    assert njit(f)(memoryview(made)) == f(memoryview(made))
    doubled = made.copy() | True if code == "?" else made.copy() * 2

    @njit
    def g(m):
        for index, x in np.ndenumerate(m):
            m[index] = x + x

    g(memoryview(made))
    np.testing.assert_array_equal(made | True if code == "?" else made, doubled)


def test_memoryviews_that_are_not_aligned():
    memory = bytearray(17)
    shown = memoryview(memory)[1:].cast("d")
    shown[1] = 2.5
    assert njit(lambda m: m.sum())(shown) == 2.5
    assert njit(lambda m: m.sum())(memoryview((ctypes.c_double * 3)(1, 2, 3))) == 6
    with pytest.raises(TypingError, match="memoryview"):
        njit(lambda m: m.ndim)(memoryview(np.zeros(2, "i4,f8")))


# -- arrays of strings -----------------------------------------------------------------------------


def plain(value):
    """NumPy's strings as Python's."""
    if isinstance(value, (tuple, list)):
        return type(value)(plain(x) for x in value)
    return (
        str(value)
        if isinstance(value, str)
        else bytes(value)
        if isinstance(value, bytes)
        else value
    )


@pytest.mark.parametrize("a", [np.array(["abc", "", "ä€", "😀"]), np.array([b"ab", b"", b"\xff"])])
def test_items_of_arrays(a):
    def f(a, x):
        n = 0
        for s in a:
            n += len(s)
        return a[0], len(a[1]), a[0] == a[-1], a[0] == x, [s for s in a], n, hash(a[0]), a[1:][0]

    for x in a:
        assert plain(njit(f)(a, x)) == plain(f(a, x))


def test_unicode_items_are_strings():
    @njit
    def f(a):
        return a[0].upper() + "!", str(a[1]), a[0] < a[1], sorted([s for s in a])

    assert f(np.array(["b", "a"])) == ("B!", "a", False, ["a", "b"])


def test_items_are_assigned():
    @njit
    def f(a, s):
        a[0] = s
        a[1:3] = "lit"
        return a

    for s in ("", "a", "much too long", "ä€"):
        a = np.array(["abcd", "b", "c", "d"])
        expected = np.array(["abcd", "b", "c", "d"])
        expected[0], expected[1:3] = s, "lit"
        assert f(a, s) is a
        assert np.array_equal(a, expected)
    b = np.array([b"ab", b"c"])

    @njit
    def g(a):
        a[0] = b"x"
        a[1] = a[0] + b"yz"

    g(b)
    assert b.tolist() == [b"x", b"xy"]
    with pytest.raises(TypingError, match="cannot assign"):
        g(np.array(["a"]))


def test_types_of_items():
    assert str(typeof(np.array(["ab"])).dtype) == "[unichr x 2]"
    assert str(typeof(np.array([b"ab"])).dtype) == "[char x 2]"
    assert typeof(np.array(["ab"])) is types.Array(types.UnicodeCharSeq(2), 1, "C")


@pytest.mark.parametrize("code", "bBhHiIlLqQfd")
def test_array_array(code):
    def f(a):
        total = a[0]
        for x in a:
            total += x
        return total, len(a), a[-1]

    assert_same(f, array.array(code, [1, 2, 3]))

    def scale(a):
        for i in range(len(a)):
            a[i] *= 2

    a = array.array(code, [1, 2, 3])
    compiled(scale)(a)
    assert list(a) == [2, 4, 6]


def test_array_array_of_text_is_refused():
    with pytest.raises(TypingError, match="cannot determine Numba type"):
        compiled(len_of)(array.array("u", "ab"))


def len_of(a):
    return len(a)


def test_attributes_of_memoryviews():
    def f(m):
        return m.nbytes, m.itemsize, m.ndim, m.shape, m.strides, m.readonly

    def layout(m):
        return m.contiguous, m.c_contiguous, m.f_contiguous

    for m in (memoryview(b"abc"), memoryview(bytearray(4)), memoryview(np.eye(3))):
        assert_same(f, m)
        assert_same(layout, m)


@pytest.mark.parametrize("make", [bytes, bytearray])
def test_searching(make):
    def f(b, x):
        return b.find(x), b.rfind(x), b.count(x), b.startswith(x), b.endswith(x), b.hex()

    for b in BYTES:
        for x in (b"", b"a", b"b,", b"\xff"):
            assert_same(f, make(b), x)

    def index(b, x):
        return b.index(x)

    assert_same(index, make(b"abc"), b"c")
    assert_same(index, make(b"abc"), b"z")


def test_split():
    def f(b, sep, n):
        return b.split(sep), b.split(sep, n)

    for b in BYTES:
        for sep in (b",", b"a,", b"zz"):
            assert_same(f, b, sep, 1)
    assert_same(f, b"abc", b"", 1)


METHODS = """upper() lower() title() capitalize() swapcase() strip() lstrip() rstrip() strip(b"x1")
isalpha() isdigit() isalnum() isspace() islower() isupper() istitle() isascii() splitlines()
splitlines(True) split() rsplit() split(None,1) rsplit(None,1) split(b",") rsplit(b",")
split(b",",1) rsplit(b",",1) replace(b"a",b"zz") replace(b"",b"-",2) center(10) ljust(9)
rjust(9,b"x") zfill(10) partition(b",") rpartition(b",") join([b"x",b"y",b""]) join([b"x"])
removeprefix(b"A") removesuffix(b"D") expandtabs() expandtabs(3) rindex(b"")""".split()


@pytest.mark.parametrize("make", [bytes, bytearray])
@pytest.mark.parametrize("method", METHODS)
def test_methods_of_ascii(method, make):
    scope = {}
    exec(f"def f(b):\n    return b.{method}", scope)
    f = scope["f"]
    texts = (
        b"",
        b" aB c1 ",
        b"A,bc,,D",
        b"+12",
        b"-3\r\n4\n\n5\r",
        b"\t a\x0b\xe9\x85",
        b"Ab 1c",
        b"xx",
    )
    for text in texts:
        assert_same(f, make(text))


def test_methods_of_items_of_arrays():
    def f(x):
        return x[0].upper(), x[1].split(), x[0].find(b"b"), b"".join([y for y in x])

    assert_same(f, np.array([b"ab", b"c d"]))


@pytest.mark.parametrize(
    "source",
    [
        [1, 2, 255],
        (3, 4),
        range(5),
        {7},
        0,
        3,
        -1,
        b"ab",
        bytearray(b"q"),
        np.array([1, 2], np.uint8),
        np.array([258], np.int32),
        [1, 2, 256],
    ],
    ids=repr,
)
def test_made_of(source):
    def f(source):
        return bytes(source), bytearray(source)

    assert_same(f, source)


def test_made_of_nothing_and_of_generators():
    def f(n):
        return bytes(), bytearray(), bytes(i * i for i in range(n)), bytes("aé", "latin-1")

    assert_same(f, 5)


@pytest.mark.parametrize("errors", ["strict", "ignore", "replace"])
@pytest.mark.parametrize("codec", ["ascii", "us-ascii", "latin-1", "ISO-8859-1", "latin1"])
@pytest.mark.parametrize("text", ["", "abc", "aé", "a∑b"])
def test_codecs_of_one_byte(text, codec, errors):
    def encoded(text, codec, errors):
        return text.encode(codec, errors)

    def decoded(data, codec, errors):
        return data.decode(codec, errors)

    for f, value in ((encoded, text), (decoded, text.encode("latin-1", "replace"))):
        try:
            wanted = f(value, codec, errors)
        except UnicodeError:
            with pytest.raises(ValueError, match="ascii|latin-1"):
                njit(f)(value, codec, errors)
        else:
            assert njit(f)(value, codec, errors) == wanted


HANDLERS = ["strict", "ignore", "replace", "surrogateescape", "surrogatepass"]
HANDLERS += ["backslashreplace", "xmlcharrefreplace", "none such"]


def outcome(f, *arguments):
    try:
        return f(*arguments)
    except (ValueError, LookupError, TypeError) as error:
        known = (ValueError, LookupError, TypeError)
        return next(cls for cls in known if isinstance(error, cls))


@pytest.mark.parametrize("errors", HANDLERS)
@pytest.mark.parametrize("encoding", ["utf-8", "ascii", "latin-1"])
def test_error_handlers_that_are_known_at_run_time(encoding, errors):
    def encode(text, encoding, errors):
        return text.encode(encoding, errors)

    def decode(octets, encoding, errors):
        return octets.decode(encoding, errors)

    texts = ["", "abc", "h\xe9", "\u20acx", "\U0001f600", "a\udc80b", "\ud800", "\udcff\udc7f"]
    texts += ["x\udc80\udc81y\xe9\U0001f600", "\udfff"]
    jitted = njit(encode)
    for text in texts:
        expected = outcome(encode, text, encoding, errors)
        assert outcome(jitted, text, encoding, errors) == expected
    parts = b"A\x80\xbf\xc2\xe0\xa0\xed\xf0\x90\xf4\x8f\xff"
    some = [bytes(each) for n in range(4) for each in itertools.product(parts, repeat=n)][::7]
    some += [b"\xf0\x90\x80\x80a", b"\xf0\x90\x80", b"ab\xed\xa0\x80\xed\xbf\xbfc", b"\xed\xa0"]
    jitted = njit(decode)
    for octets in some:
        for each in (octets, bytearray(octets)):
            expected = outcome(decode, each, encoding, errors)
            assert outcome(jitted, each, encoding, errors) == expected


def test_environment_variables_whose_names_are_no_text(monkeypatch):
    def f(name, default):
        return os.getenv(name, default)

    monkeypatch.setenv("NUMJIT_\udc80", "value\udcff")
    for name in ("NUMJIT_\udc80", "NUMJIT_\udc81"):
        assert njit(f)(name, "\udcfe") == f(name, "\udcfe")
