"""C functions that compiled code calls, and callbacks that C calls."""

import ctypes
import math

import numpy as np
import pytest
from numjit import carray, cfunc, errors, extending, farray, njit, typeof, types
from numjit.extending import overload
from numjit.np.numpy_support import as_dtype

libc = ctypes.CDLL(None)


def c_function(name, result, *arguments):
    function = ctypes.CFUNCTYPE(result, *arguments)((name, libc))
    function.__name__ = name
    return function


# -- C functions ---------------------------------------------------------------------------------


def test_ctypes_functions():
    pow_ = c_function("pow", ctypes.c_double, ctypes.c_double, ctypes.c_double)
    abs_ = c_function("abs", ctypes.c_int, ctypes.c_int)

    @njit
    def f(x, n):
        return pow_(x, n), abs_(n - 7)

    @njit
    def apply(function, x):
        return function(x)

    assert f(2.0, 5) == (32.0, 2)
    assert apply(abs_, -3) == 3
    assert f.nopython_signatures[0].return_type == types.Tuple((types.float64, types.int32))


def test_pointers_to_arrays():
    memset = c_function("memset", ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int, ctypes.c_size_t)

    @njit
    def clear(a):
        memset(a.ctypes, 0, a.nbytes)

    @njit
    def clear_at(a):
        memset(a.ctypes.data, 255, a.nbytes)

    a = np.ones(7)
    clear(a)
    assert not a.any()
    b = np.zeros(3, np.uint8)
    clear_at(b)
    assert (b == 255).all()


def test_pointers_have_types():
    frexp = c_function("frexp", ctypes.c_double, ctypes.c_double, ctypes.POINTER(ctypes.c_int))

    @njit
    def f(x, exponent):
        return frexp(x, exponent.ctypes), exponent[0]

    assert f(12.0, np.zeros(1, np.int32)) == (0.75, 4)
    with pytest.raises(errors.TypingError, match="a pointer int32\\* cannot be made"):
        f(12.0, np.zeros(1))


def test_strings_and_null():
    strlen = c_function("strlen", ctypes.c_size_t, ctypes.c_char_p)
    time = c_function("time", ctypes.c_long, ctypes.c_void_p)

    @njit
    def f():
        return strlen("numjit"), time(None) > 0

    assert f() == (6, True)


@pytest.mark.parametrize(
    "argument, said",
    [(1j, "complex128 is given where it takes float64"), (np.ones(2), "array"), ((1,), "Tuple")],
)
def test_arguments_that_do_not_fit(argument, said):
    cos = c_function("cos", ctypes.c_double, ctypes.c_double)

    @njit
    def f(x):
        return cos(x)

    with pytest.raises(errors.TypingError, match="No implementation of function cos"):
        f(argument)

    @njit
    def floor(x):
        return abs_of_int(x)

    abs_of_int = c_function("abs", ctypes.c_int, ctypes.c_int)
    with pytest.raises(errors.TypingError, match="float64 is given where it takes int32"):
        floor(1.5)


def test_ctypes_functions_need_their_types():
    sin = ctypes.CDLL(None).sin

    @njit
    def f(x):
        return sin(x)

    with pytest.raises(errors.TypingError, match="set its argtypes"):
        f(1.0)

    class Pair(ctypes.Structure):
        _fields_ = [("a", ctypes.c_int)]

    div = ctypes.CDLL(None).div
    div.argtypes, div.restype = [ctypes.c_int], Pair

    @njit
    def g(x):
        return div(x)

    with pytest.raises(errors.TypingError, match="Unsupported ctypes type: Pair"):
        g(1)


def test_too_few_arguments():
    cos = c_function("cos", ctypes.c_double, ctypes.c_double)

    @njit
    def f():
        return cos()

    with pytest.raises(errors.TypingError, match="takes 1 arguments, got 0"):
        f()


@pytest.mark.usefixtures("overloads_end_with_their_test")
def test_cython_pointers():
    special = pytest.importorskip("scipy.special", reason="SciPy exports the functions")
    address = extending.get_cython_function_address("scipy.special.cython_special", "y0")
    y0 = ctypes.CFUNCTYPE(ctypes.c_double, ctypes.c_double)(address)

    @overload(special.y0)
    def callback(x):
        if isinstance(x, types.Float):
            return lambda x: y0(x)

    @njit
    def f(a):
        out = np.empty_like(a)
        for i in range(a.size):
            out[i] = special.y0(a[i])
        return out

    a = np.linspace(0, 10, 7)
    np.testing.assert_allclose(f(a), special.y0(a), rtol=1e-13)
    with pytest.raises(ValueError, match="No function 'nothing'"):
        extending.get_cython_function_address("scipy.special.cython_special", "nothing")


def test_cffi_from_buffer():
    cffi = pytest.importorskip("cffi", reason="cffi is not installed")
    ffi = cffi.FFI()
    ffi.cdef("void *memcpy(void *, const void *, size_t);")
    memcpy = ffi.dlopen(None).memcpy

    @njit
    def copy(to, source):
        memcpy(ffi.from_buffer(to), ffi.from_buffer(source), to.nbytes)
        return to.sum()

    assert copy(np.zeros(4), np.arange(4.0)) == 6.0
    with pytest.raises(ValueError, match="elements lie apart"):
        copy(np.zeros(2), np.arange(4.0)[::2])


def test_cffi_functions():
    cffi = pytest.importorskip("cffi", reason="cffi is not installed")
    ffi = cffi.FFI()
    ffi.cdef("double cos(double x); int abs(int x); size_t strlen(const char *s);")
    lib = ffi.dlopen(None)
    cos, absolute, strlen = lib.cos, lib.abs, lib.strlen

    @njit
    def f(x, n):
        return cos(x), absolute(n), strlen("four")

    assert f(0.0, -3) == (1.0, 3, 4)


def test_types_of_cffi():
    cffi = pytest.importorskip("cffi", reason="cffi is not installed")
    from numjit.core.typing import cffi_utils

    ffi = cffi.FFI()
    ffi.cdef(
        "typedef struct { int n; float x; double y[2][3]; } row; struct flags { int a : 4; };"
        "typedef double (*total)(row *, size_t); double cos(double); int printf(char *, ...);"
        "struct pair { double real, imag; };"
    )
    row = cffi_utils.map_type(ffi.typeof("row"), use_record_dtype=True)
    dtype = np.dtype([("n", "i4"), ("x", "f4"), ("y", "f8", (2, 3))], align=True)
    assert as_dtype(row) == dtype
    signature = cffi_utils.map_type(ffi.typeof("total"), use_record_dtype=True)
    assert signature == types.float64(types.CPointer(row), types.uintp)

    @cfunc(signature)
    def total(rows, n):
        s = 0.0
        for each in carray(rows, n):
            s += each.n * each.x + each.y.sum()
        return s

    rows = ffi.new("row[2]", [(2, 1.5, [[1, 2, 3], [4, 5, 6]]), (1, 0.5, [[1, 0, 0], [0, 0, 0]])])
    assert total.ctypes(int(ffi.cast("size_t", rows)), 2) == 25.5
    with pytest.raises(ValueError, match="'a' has bitshift"):
        cffi_utils.map_type(ffi.typeof("struct flags"), use_record_dtype=True)
    with pytest.raises(TypeError, match="Unsupported cffi type: struct pair"):
        cffi_utils.map_type(ffi.typeof("struct pair"))
    cffi_utils.register_type(ffi.typeof("struct pair"), types.complex128)
    pointer = cffi_utils.map_type(ffi.typeof("struct pair *"))
    assert pointer == types.CPointer(types.complex128)
    lib = ffi.dlopen(None)
    assert cffi_utils.make_function_type(lib.cos).sig == types.float64(types.float64)
    assert cffi_utils.is_cffi_func(lib.cos) and not cffi_utils.is_cffi_func(math.cos)
    assert cffi_utils.get_pointer(lib.cos) == int(ffi.cast("size_t", lib.cos))
    with pytest.raises(TypeError, match="vararg"):
        cffi_utils.map_type(ffi.typeof("int(*)(char *, ...)"))
    with pytest.raises(AttributeError, match="no module that cffi compiled"):
        cffi_utils.register_module(math)


# -- callbacks -----------------------------------------------------------------------------------


def test_callbacks():
    @cfunc("float64(float64, int32)")
    def scale(x, n):
        return x * n + 1

    @njit
    def f(x):
        return scale(x, 2)

    assert scale.ctypes(2.0, 3) == 7.0
    assert scale(2.0, 3) == 7.0
    assert f(3.0) == 7.0
    assert scale.address == ctypes.cast(scale.ctypes, ctypes.c_void_p).value
    assert scale.native_name.endswith("scale")


def test_callbacks_are_called_by_c():
    compare_type = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)
    qsort = libc.qsort
    qsort.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_size_t, compare_type]
    qsort.restype = None

    @cfunc(types.int32(types.CPointer(types.float64), types.CPointer(types.float64)))
    def compare(p, q):
        a, b = carray(p, 1)[0], carray(q, 1)[0]
        return -1 if a < b else (1 if a > b else 0)

    a = np.array([3.0, 1.0, 2.0])
    qsort(a.ctypes.data, 3, 8, ctypes.cast(compare.address, compare_type))
    assert a.tolist() == [1.0, 2.0, 3.0]


def test_arrays_at_pointers():
    signature = types.void(types.CPointer(types.float64), types.intp, types.intp)

    def fill(pointer, m, n):
        c, f = carray(pointer, (m, n)), farray(pointer, (m, n))
        for i in range(m):
            for j in range(n):
                c[i, j] = 10 * i + j
        f[0, 1] = -1.0

    compiled = cfunc(signature)(fill)
    mine, theirs = np.zeros((2, 3)), np.zeros((2, 3))
    pointer = ctypes.POINTER(ctypes.c_double)
    compiled.ctypes(mine.ctypes.data_as(pointer), 2, 3)
    fill(theirs.ctypes.data_as(pointer), 2, 3)
    assert np.array_equal(mine, theirs) and mine[0, 2] == -1


def test_arrays_at_pointers_want_a_dtype():
    def fill(pointer):
        carray(pointer, 2, np.int32)[1] = 7

    a = np.zeros(2, np.int32)
    cfunc(types.void(types.CPointer(types.int32)))(fill)(
        ctypes.cast(a.ctypes.data, ctypes.c_void_p)
    )
    assert a[1] == 7
    with pytest.raises(errors.TypingError, match="mismatching dtype"):
        cfunc(types.void(types.CPointer(types.float64)))(fill)
    with pytest.raises(TypeError, match="mismatching dtype"):
        carray(a.ctypes.data_as(ctypes.POINTER(ctypes.c_int32)), 2, np.float64)


def test_callbacks_need_a_result_type_and_c_types():
    with pytest.raises(TypeError, match="result type"):
        cfunc("(float64,)")
    with pytest.raises(TypeError, match="C callback cannot take"):

        @cfunc("float64(float64[:])")
        def first(a):
            return a[0]


# -- C functions by symbol and address ------------------------------------------------------------


def test_external_function():
    cosh = types.ExternalFunction("cosh", types.float64(types.float64))
    assert njit(lambda x: cosh(x))(1.0) == pytest.approx(np.cosh(1.0))
    nowhere = types.ExternalFunction("no_such_symbol", types.float64(types.float64))
    with pytest.raises(NameError, match="no_such_symbol"):
        nowhere.__wrapper_address__()


def test_wrapper_address_protocol():
    class Sine(types.WrapperAddressProtocol):
        def __wrapper_address__(self):
            return ctypes.cast(ctypes.CDLL("libm.so.6").sin, ctypes.c_void_p).value

        def signature(self):
            return types.float64(types.float64)

    sine = Sine()
    assert njit(lambda x: sine(x))(0.5) == pytest.approx(np.sin(0.5))
    assert njit(lambda f, x: f(x))(sine, 0.5) == pytest.approx(np.sin(0.5))


def test_wrapper_addresses_that_are_none():
    class Nowhere(types.WrapperAddressProtocol):
        def __wrapper_address__(self):
            return 0

        def signature(self):
            return types.int64()

    nowhere = Nowhere()
    for call in (njit(lambda f: f()), njit(types.int64(types.int64().as_type()))(lambda f: f())):
        with pytest.raises(ValueError, match="wrapper address of .* must be a positive integer"):
            call(nowhere)


def test_items_at_pointers():
    @cfunc(types.int64(types.CPointer(types.int64), types.intp))
    def twice(p, n):
        for i in range(n):
            p[i] = p[i] * 2
        return p[n - 1]

    a = np.arange(5)
    pointer = a[1:].ctypes.data_as(ctypes.POINTER(ctypes.c_int64))
    assert twice.ctypes(pointer, 3) == 6 and a.tolist() == [0, 2, 4, 6, 4]

    record = types.Record.make_c_struct([("n", types.int32), ("x", types.float64)])

    @cfunc(types.float64(types.CPointer(record), types.intp))
    def field(p, i):
        return p[i].n + p[i].x

    rows = np.array([(1, 0.5), (2, 0.25)], record.dtype)
    call = ctypes.CFUNCTYPE(ctypes.c_double, ctypes.c_void_p, ctypes.c_ssize_t)(field.address)
    assert call(rows.ctypes.data, 1) == 2.25
    with pytest.raises(errors.TypingError, match="No implementation of function getitem"):
        cfunc(types.float64(types.CPointer(types.float64)))(lambda p: p[0.5])


def test_type_of_a_callback():
    twice = cfunc("float64(float64)")(lambda x: x * 2)
    assert typeof(twice) == types.FunctionType(types.float64(types.float64))
    assert twice.cache_hits == 0


def test_callbacks_that_take_none():
    @cfunc(types.int64(types.none, types.int64))
    def next_of(nothing, number):
        return number + 1

    @njit
    def directly():
        return next_of(None, 4)

    @njit
    def as_argument(f):
        return f(None, 6)

    assert directly() == 5
    assert as_argument(next_of) == next_of(None, 6) == 7
