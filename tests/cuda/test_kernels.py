"""Kernels and their launches: on a GPU, or in the simulator."""

import math
from collections import namedtuple

import numpy as np
import pytest
from cuda import kernels
from numjit import cuda, float32, float64, int32, void

rng = np.random.default_rng(0)


def test_axpy_with_host_arrays():
    k = cuda.jit(kernels.axpy)
    x, y = rng.normal(size=1000), rng.normal(size=1000)
    expected = y + 2.5 * x
    k[8, 128](2.5, x, y)
    assert np.allclose(y, expected)
    assert len(k.overloads) == 1


def test_axpy_with_device_arrays():
    k = cuda.jit(kernels.axpy)
    x, y = rng.normal(size=1000), rng.normal(size=1000)
    d_x, d_y = cuda.to_device(x), cuda.to_device(y)
    for _ in range(3):
        k[8, 128](0.5, d_x, d_y)
    assert np.allclose(d_y.copy_to_host(), y + 1.5 * x)
    k[8, 128](0.5, d_x[::-1], d_y)  # another layout
    assert np.allclose(d_y.copy_to_host(), y + 1.5 * x + 0.5 * x[::-1])


@pytest.mark.parametrize("shape", [(16, 16, 16), (33, 45, 70), (1, 1, 1)])
def test_matmul(shape):
    m, n, p = shape
    a, b = rng.normal(size=(m, n)).astype("f4"), rng.normal(size=(n, p)).astype("f4")
    c = np.full((m, p), np.nan, "f4")
    k = cuda.jit(kernels.matmul)
    k[((p + 15) // 16, (m + 15) // 16), (16, 16)](a, b, c)
    assert np.allclose(c, a @ b, atol=1e-4)


def test_rk4():
    y = np.linspace(0, 2, 100)
    expected = y.copy()
    kernel = cuda.jit(kernels.rk4)
    kernel[4, 32](y, 0.01, 50)
    t = 0.0
    dt = 0.01
    for _ in range(50):
        v = expected
        k1 = -v + math.sin(t)
        k2 = -(v + dt / 2 * k1) + math.sin(t + dt / 2)
        k3 = -(v + dt / 2 * k2) + math.sin(t + dt / 2)
        k4 = -(v + dt * k3) + math.sin(t + dt)
        expected = v + dt / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
        t += dt
    assert np.allclose(y, expected, rtol=1e-12)


@pytest.mark.parametrize("integer", ["i4", "u4", "i8", "u8"])
@pytest.mark.parametrize("real", ["f4", "f8"])
def test_atomics(integer, real):
    n = 300
    x = rng.integers(-50, 50, n).astype(real)
    ints = np.zeros(8, integer)
    ints[1], ints[4] = 2 * n, 0xFF
    floats = np.array([0, -1e9, 1e9], real)
    cuda.jit(kernels.atomics)[3, 128](x, ints, floats)
    assert (floats == [x.sum(), x.max(), x.min()]).all()
    xors = 0
    for i in range(n):
        xors ^= i
    assert ints[:6].tolist() == [n, 0, n - 1, 0xFF, 0, xors]
    assert ints[6] in range(1, n + 1) and ints[7] == 5


def test_atomics_give_the_old_value_and_order_nan():
    @cuda.jit
    def k(x, u, out):
        out[0] = cuda.atomic.add(x, 0, 2.0)
        out[1] = cuda.atomic.max(x, 1, 1.0)  # nan stays
        out[2] = cuda.atomic.nanmax(x, 2, 1.0)  # nan gives way
        cuda.atomic.max(x, 3, x[1])  # nan changes nothing
        out[3] = cuda.atomic.inc(u, 0, 3)
        out[4] = cuda.atomic.dec(u, 1, 3)
        out[5] = cuda.atomic.compare_and_swap(u[2:], 7, 8)
        out[6] = cuda.atomic.min(x, -1, -5.0)

    x = np.array([1.0, np.nan, np.nan, 4.0, 0.0])
    u = np.array([3, 0, 7], np.uint32)
    out = np.zeros(7)
    k[1, 1](x, u, out)
    assert np.array_equal(x, [3, np.nan, 1, 4, -5], equal_nan=True)
    assert u.tolist() == [0, 3, 8]
    assert np.array_equal(out, [1, np.nan, np.nan, 3, 0, 7, 0], equal_nan=True)


def test_warp():
    out = np.zeros(3)
    cuda.jit(kernels.warp)[1, 32](out)
    assert out[0] == 496 and out[1] == 1 and out[2] == 0x55555555


def test_shared_local_and_constant_memory():
    x, out = np.arange(64.0), np.zeros(64)
    cuda.jit(kernels.dynamic_shared)[1, 64, 0, 64 * 8](x, out)
    assert (out == x[::-1]).all()
    cuda.jit(kernels.constant_table)[1, 64](out)
    assert (out == kernels.TABLE[np.arange(64) % 7]).all()
    rows = rng.normal(size=(50, 8))
    expected = np.sort(rows)
    cuda.jit(kernels.local_sort)[2, 32](rows)
    assert (rows == expected).all()


def test_positions_in_three_dimensions():
    @cuda.jit
    def k(out):
        x, y, z = cuda.grid(3)
        a, b, c = cuda.gridsize(3)
        if x < out.shape[0] and y < out.shape[1] and z < out.shape[2]:
            out[x, y, z] = x + 10 * y + 100 * z + 1000 * (a + b + c)

    out = np.zeros((5, 4, 3), int)
    k[(3, 2, 1), (2, 2, 3)](out)
    x, y, z = np.indices(out.shape)
    assert (out == x + 10 * y + 100 * z + 13000).all()


def test_device_functions_and_closures():
    scale = 3.0

    @cuda.jit(device=True)
    def f(x, y):
        return scale * x + y, x - y

    def plain(x):
        return x + 1

    @cuda.jit
    def k(x):
        i = cuda.grid(1)
        if i < x.size:
            a, b = f(x[i], 1.0)
            x[i] = plain(a) + b

    x = np.arange(40.0)
    expected = 3 * x + 1 + 1 + x - 1
    k[2, 32](x)
    assert (x == expected).all()


def test_signatures_of_device_functions():
    """Arguments are converted to the best one, the result to its own."""

    @cuda.jit(["float32(float64)", "int32(int32)"], device=True)
    def third(x):
        return x / 3

    @cuda.jit("int8(int64, int64)", device=True)
    def total(x, y):
        return x + y

    @cuda.jit
    def k(x, n, out):
        out[0], out[1], out[2] = third(x[0]), third(n), total(n, n)

    out = np.zeros(3)
    k[1, 1](np.array([1.0]), np.int16(100), out)
    assert out.tolist() == [np.float32(1 / 3), 33, -56]


def test_tuples_and_scalars_as_arguments():
    Point = namedtuple("Point", "x y")

    @cuda.jit
    def k(out, pair, point, flag, small, z):
        out[0] = pair[0] + pair[1][0]
        out[1] = point.x - point.y[1]
        out[2] = 1 if flag else 2
        out[3] = small
        out[4] = z.imag

    out = np.zeros(5)
    k[1, 1](out, (1, (2.5,)), Point(5, np.array([1.0, 2.0])), True, np.int8(-3), 2 + 4j)
    assert out.tolist() == [3.5, 3, 1, -3, 4]


def test_signatures_convert_scalars():
    @cuda.jit(void(float32[:], int32, float64))
    def k(x, n, f):
        i = cuda.grid(1)
        if i < x.size:
            x[i] = n + f

    x = np.zeros(8, "f4")
    k[1, 8](x, 3, 2)
    assert (x == 5).all()
    k[1, 8](x, np.int16(4), np.float32(0.5))
    assert (x == 4.5).all()
    with pytest.raises(TypeError, match="No matching definition"):
        k[1, 8](np.zeros(8), 3, 2.0)
    for value in (2**31, -(2**31) - 1, np.int64(2**40), 1e10):
        with pytest.raises(OverflowError, match="does not fit into int32"):
            k[1, 8](x, value, 2)
    assert (x == 4.5).all()


def test_in_out_hints():
    @cuda.jit
    def k(x, y):
        i = cuda.grid(1)
        if i < x.size:
            y[i] = 2 * x[i]
            x[i] = -1

    x, y = np.arange(8.0), np.zeros(8)
    k[1, 8](cuda.In(x), cuda.Out(y))
    assert (x == np.arange(8)).all() and (y == 2 * np.arange(8)).all()
    k[1, 8](cuda.InOut(x), y)
    assert (x == -1).all()


def test_forall():
    k = cuda.jit(kernels.axpy)
    x, y = np.ones(1000), np.zeros(1000)
    k.forall(1000)(2.0, x, y)
    assert (y == 2).all()
    k.forall(0)(2.0, x, y)
    with pytest.raises(ValueError, match="negative task count"):
        k.forall(-1)


def test_launch_configurations():
    k = cuda.jit(kernels.axpy)
    with pytest.raises(ValueError, match="launch configuration was not specified"):
        k(1.0, np.ones(1), np.ones(1))
    with pytest.raises(ValueError, match="must specify at least the griddim and blockdim"):
        k[1]
    with pytest.raises(TypeError, match="sequence of integers"):
        k[1.5, 2]
    with pytest.raises(ValueError, match="1, 2 or 3 integers"):
        k[(1, 2, 3, 4), 1]
    with pytest.raises(TypeError, match="takes 3 arguments"):
        k[1, 1](1.0)
    with pytest.raises(TypeError, match="keyword"):
        k[1, 1](1.0, np.ones(1), y=np.ones(1))
    with pytest.raises(cuda.cudadrv.driver.CudaAPIError):
        k[0, 1](1.0, np.ones(1), np.ones(1))


def test_exceptions_reach_the_host_with_debug():
    @cuda.jit(debug=True, opt=False)
    def k(x):
        i = cuda.grid(1)
        if i == 5:
            raise ValueError("five")
        x[i] = i

    x = np.zeros(8)
    with pytest.raises(ValueError, match=r"tid=\[1, 0, 0\] ctaid=\[1, 0, 0\]: five"):
        k[2, 4](x)


def test_looking_inside():
    k = cuda.jit(kernels.axpy)
    k[1, 32](1.0, np.ones(3), np.ones(3))
    (signature,) = k.signatures
    assert str(signature[0]) == "float64"
    assert "define" in k.inspect_llvm(signature)
    assert k.inspect_asm()[signature]
    assert k.get_max_threads_per_block(signature) >= 32
    assert k.get_regs_per_thread()[signature] >= 0
    special = k.specialize(1.0, np.ones(3), np.ones(3))
    assert special.specialized and len(special.overloads) == 1
    y = np.zeros(3)
    special[1, 3](2.0, np.ones(3), y)
    assert (y == 2).all()


def test_random_numbers():
    from numjit.cuda.random import (
        create_xoroshiro128p_states,
        xoroshiro128p_normal_float64,
        xoroshiro128p_uniform_float32,
    )

    @cuda.jit
    def k(states, uniform, normal):
        i = cuda.grid(1)
        if i < uniform.shape[0]:
            for j in range(uniform.shape[1]):
                uniform[i, j] = xoroshiro128p_uniform_float32(states, i)
                normal[i, j] = xoroshiro128p_normal_float64(states, i)

    states = create_xoroshiro128p_states(128, seed=1)
    uniform, normal = np.zeros((128, 50), "f4"), np.zeros((128, 50))
    k[4, 32](states, uniform, normal)
    assert 0 <= uniform.min() and uniform.max() < 1 and abs(uniform.mean() - 0.5) < 0.02
    assert abs(normal.mean()) < 0.05 and abs(normal.std() - 1) < 0.05
    assert len(np.unique(uniform)) > 6000
    again = create_xoroshiro128p_states(3, seed=1, subsequence_start=2).copy_to_host()
    first = create_xoroshiro128p_states(5, seed=1).copy_to_host()
    assert (again == first[2:]).all()


def test_reduction():
    total = cuda.reduce(lambda a, b: a + b)
    largest = cuda.Reduce(lambda a, b: max(a, b))
    for n in (1, 31, 257, 3000):
        x = rng.integers(-1000, 1000, n).astype(float)
        assert total(x) == x.sum()
        assert total(x, init=10.0) == x.sum() + 10
        assert largest(cuda.to_device(x), init=-1e9) == x.max()
    result = cuda.device_array(1)
    total(x, res=result)
    assert result[0] == x.sum()
    assert total(np.zeros(0), init=7) == 7


def test_ufuncs():
    from numjit import guvectorize, vectorize

    @vectorize(["float32(float32, float32)", "float64(float64, float64)"], target="cuda")
    def f(x, y):
        return 2 * x + math.sqrt(y)

    x, y = rng.random((3, 4)), rng.random(4)
    assert np.allclose(f(x, y), 2 * x + np.sqrt(y))
    assert f(x.astype("f4"), np.float32(2)).dtype == np.float32
    device = f(cuda.to_device(y), 4.0)
    assert np.allclose(device.copy_to_host(), 2 * y + 2)
    assert np.isclose(f(1.0, 4.0), 4.0)

    @vectorize(["float64(float64, float64)"], target="cuda")
    def add(x, y):
        return x + y

    assert np.isclose(add.reduce(y), y.sum())

    @guvectorize(
        ["void(float64[:], float64, float64[:], float64[:])"], "(n),()->(n),()", target="cuda"
    )
    def g(x, a, out, total):
        s = 0.0
        for i in range(x.shape[0]):
            out[i] = a * x[i]
            s += out[i]
        total[0] = s

    out, total = g(x, 3.0)
    assert np.allclose(out, 3 * x) and np.allclose(total, 3 * x.sum(axis=1))


def test_python_s_numbers_choose_the_loop_of_their_type():
    from numjit import vectorize

    @vectorize(
        ["int32(int32, int32)", "float32(float32, float32)", "float64(float64, float64)"],
        target="cuda",
    )
    def add(a, b):
        return a + b

    assert add(1.2, 2.3) == 1.2 + 2.3
    assert add(1, 2) == 3 and add(1, 2).dtype == np.int32
    assert add(np.float32(1.5), np.float32(1)).dtype == np.float32
    ints, floats = np.arange(3, dtype=np.int32), np.ones(3, np.float32)
    assert add(ints, 1).dtype == np.int32
    assert add(floats, 1.5).dtype == np.float32
    assert np.array_equal(add(ints, 1.5), ints + 1.5)
    assert np.array_equal(add(cuda.to_device(floats), 2).copy_to_host(), floats + 2)
    with pytest.raises(TypeError, match="No matching signature found for add"):
        add(1j, 1)


def test_fast_division_does_not_raise():
    def divide(out, a, b):
        out[0] = a / b

    for given in (np.float32, np.float64):
        out = np.zeros(1, given)
        cuda.jit(fastmath=True, debug=True)(divide)[1, 1](out, given(1), given(0))
        with pytest.raises(ZeroDivisionError):
            cuda.jit(debug=True)(divide)[1, 1](out, given(1), given(0))


def test_a_grid_group_makes_launches_cooperative():
    @cuda.jit
    def k(out):
        out[0] = cuda.cg.this_grid().is_valid()

    @cuda.jit
    def plain(out):
        out[0] = 2

    out = np.zeros(1, np.int32)
    plain[1, 1](out)
    assert not plain.definition.cooperative
    k[1, 1](out)
    assert out[0] == 1 and k.definition.cooperative


def test_print(capfd):
    @cuda.jit
    def k(x):
        print("x is", x[0], cuda.threadIdx.x, True)

    k[1, 1](np.array([7]))
    cuda.synchronize()
    assert "x is 7 0 True" in capfd.readouterr().out


def test_print_of_truth(capfd):
    @cuda.jit
    def k(x, flag):
        print(x[0] > 1, flag, (x[0] < 1, 2), x[1] > 0)

    k[1, 1](np.array([2, 0]), True)
    cuda.synchronize()
    assert "True True (False, 2) False" in capfd.readouterr().out


def test_grid_barrier():
    @cuda.jit
    def k(x):
        g = cuda.cg.this_grid()
        i = cuda.grid(1)
        n = cuda.gridsize(1)
        for _ in range(3):
            v = x[(i + 1) % n]
            g.sync()
            x[i] = v
            g.sync()

    x = np.arange(64)
    k[4, 16](x)
    assert (x == np.roll(np.arange(64), -3)).all()


def test_many_argument_types_in_one_kernel():
    @cuda.jit
    def k(x, v):
        i = cuda.grid(1)
        if i < x.size:
            x[i] = v

    for dtype in ("i1", "u2", "i4", "u8", "f4", "f8", "c8", "c16", "?"):
        x = np.zeros(4, dtype)
        k[1, 4](x, x.dtype.type(1))
        assert (x == 1).all()
    assert len(k.overloads) == 9


def test_functions_of_complex_numbers():
    import cmath

    @cuda.jit
    def k(z, out):
        i = cuda.grid(1)
        if i < z.size:
            v = z[i]
            out[0, i], out[1, i], out[2, i] = cmath.exp(v), cmath.log(v), cmath.sqrt(v)
            out[3, i], out[4, i], out[5, i] = cmath.sin(v), cmath.cos(v), cmath.tan(v)
            out[6, i], out[7, i], out[8, i] = cmath.sinh(v), cmath.cosh(v), cmath.tanh(v)
            out[9, i], out[10, i], out[11, i] = cmath.asin(v), cmath.acos(v), cmath.atan(v)
            out[12, i], out[13, i], out[14, i] = cmath.asinh(v), cmath.acosh(v), cmath.atanh(v)
            out[15, i], out[16, i] = v ** (1.5 - 0.5j), abs(v) + v / (1 + 2j)

    z = rng.normal(size=40) + 1j * rng.normal(size=40)
    out = np.zeros((17, 40), complex)
    k[2, 32](z, out)
    names = "exp log sqrt sin cos tan sinh cosh tanh arcsin arccos arctan arcsinh arccosh arctanh"
    expected = [getattr(np, name)(z) for name in names.split()]
    expected += [z ** (1.5 - 0.5j), abs(z) + z / (1 + 2j)]
    assert np.allclose(out, expected, rtol=1e-10, atol=1e-12)


PARTS = [
    *(-math.inf, -1e308, -710.0, -2.3, -1.0, -1e-160, -5e-324, -0.0),
    *(0.0, 5e-324, 1e-160, 0.4, 1.0, 2.3, 710.0, 1e308, math.inf, math.nan),
]


@pytest.mark.parametrize(
    "name", "sqrt exp sin cos tan sinh cosh tanh asin acos atan asinh acosh atanh".split()
)
def test_complex_functions_where_they_are_special(name):
    """Infinities, NaN, zeros with signs, and what overflows on the way: as in CPython's table."""
    import cmath

    function = getattr(cmath, name)

    @cuda.jit
    def k(z, out):
        i = cuda.grid(1)
        if i < z.size:
            out[i] = function(z[i])

    z = np.array([complex(x, y) for x in PARTS for y in PARTS])
    found = np.zeros_like(z)
    k[11, 32](z, found)
    compare_special(function, [(each,) for each in z], found)


def test_rect_where_it_is_special():
    import cmath

    @cuda.jit
    def k(r, phi, out):
        i = cuda.grid(1)
        if i < r.size:
            out[i] = cmath.rect(r[i], phi[i])

    r, phi = (each.ravel() for each in np.meshgrid(PARTS, PARTS))
    found = np.zeros(r.size, complex)
    k[11, 32](r, phi, found)
    compare_special(cmath.rect, zip(r, phi), found)


def compare_special(function, arguments, found):
    def near(value):
        return 1e-14 * abs(value) + 1e-320

    for given, value in zip(arguments, found):
        try:
            wanted = function(*given)
        except (ValueError, OverflowError):  # where it has no value, or none that is finite
            continue
        for a, b in ((value.real, wanted.real), (value.imag, wanted.imag)):
            same = math.isnan(a) if math.isnan(b) else a == b or abs(a - b) <= near(b)
            assert same and (a != 0 or math.copysign(1, a) == math.copysign(1, b)), (
                *(given, value, wanted),
            )


def test_libdevice():
    from numjit.cuda import libdevice

    @cuda.jit
    def k(x, f, n):
        x[0] = libdevice.sin(x[0]) + libdevice.rsqrt(4.0) + libdevice.fast_fdividef(1.0, 4.0)
        f[0] = libdevice.powf(f[0], 3.0) + libdevice.fast_expf(0.0)
        sine, cosine = libdevice.sincos(0.5)
        x[1] = sine / cosine
        x[2], n[0] = libdevice.frexp(x[2])
        x[3], x[4] = libdevice.modf(x[3])
        n[1] = libdevice.popc(0xFF) + libdevice.clzll(1) + libdevice.double2int_rd(-1.5)

    x, f, n = np.array([1.0, 0, 10, 2.75, 0]), np.full(1, 2, np.float32), np.zeros(2, np.int32)
    k[1, 1](x, f, n)
    assert np.allclose(x, [math.sin(1) + 0.75, math.tan(0.5), 0.625, 0.75, 2])
    assert f[0] == 9 and n.tolist() == [4, 8 + 63 - 2]


@cuda.jit
def twice(x):
    i = cuda.grid(1)
    if i < x.size:
        x[i] *= 2


def test_pickles():
    import pickle

    assert pickle.loads(pickle.dumps(twice)) is twice

    def add(x):
        x[cuda.grid(1)] += 1

    kernel = cuda.jit("void(float64[:])", fastmath=True)(add)
    copy = pickle.loads(pickle.dumps(kernel))
    assert copy is kernel  # in the process that it was made in
    assert copy.targetoptions["fastmath"] is True
    special = cuda.jit(add).specialize(np.zeros(4))
    for k in (copy, pickle.loads(pickle.dumps(special))):
        x = np.zeros(4)
        k[1, 4](x)
        assert x.tolist() == [1, 1, 1, 1]


def test_configured_kernels():
    import pickle

    configured = twice[(2, 3), 4, 0, 16]
    assert configured.dispatcher is twice
    assert (configured.griddim, configured.blockdim) == ((2, 3, 1), (4, 1, 1))
    assert (configured.stream, configured.sharedmem) == (0, 16)
    copy = pickle.loads(pickle.dumps(configured))
    assert copy.dispatcher is twice and (copy.griddim, copy.sharedmem) == ((2, 3, 1), 16)
    x = np.ones(8)
    pickle.loads(pickle.dumps(twice[1, 8]))(x)
    assert (x == 2).all()
    stream = cuda.stream()
    assert twice[1, 8, stream].stream is stream
    with pytest.raises(TypeError, match="with a stream is not pickled"):
        pickle.dumps(twice[1, 8, stream])


def test_what_is_known_of_kernels_for_one_signature():
    def add(x):
        x[cuda.grid(1)] += 1

    x = np.zeros(4)
    one, several, special = (
        cuda.jit("void(float64[:])")(add),
        cuda.jit(["void(float64[:])", "void(float32[:])"])(add),
        cuda.jit(add).specialize(x),
    )
    for name in (
        "get_regs_per_thread get_const_mem_size get_shared_mem_per_block get_local_mem_per_thread "
        "get_max_threads_per_block"
    ).split():
        assert isinstance(getattr(one, name)(), int)
        assert isinstance(getattr(special, name)(), int)
        assert list(getattr(several, name)()) == several.signatures
    one[1, 4](x)
    assert x.tolist() == [1, 1, 1, 1] and list(one.inspect_asm()) == one.signatures
    general = cuda.jit(add)
    made = general.specialize(x)
    assert general.specialize(np.ones(9)) is made and made.specialized
    capability = cuda.get_current_device().compute_capability
    assert general.specializations == {(capability, made.signatures[0]): made}
    assert not general.specialized and one.specialized and not several.specialized


@pytest.mark.skipif(not cuda.is_simulated(), reason="only the simulator has tracebacks of kernels")
@pytest.mark.parametrize("waits", [False, True])
def test_what_fails_in_the_library_is_reported_at_the_line_of_the_kernel(waits):
    @cuda.jit
    def k(a, out):
        i = cuda.grid(1)
        if waits:
            cuda.syncthreads()
        out[i] = np.array([1.0, 2.0])[a].reshape(3)[0]

    with pytest.raises(ValueError, match="tid=.*total size of new array") as caught:
        k[1, 4](np.zeros(2, np.int64), np.zeros(4))
    last = caught.traceback[-1]
    assert (str(last.path), last.name) == (__file__, "k")
    assert last.lineno - k.py_func.__code__.co_firstlineno == 4  # lineno counts from 0


def test_bits_reversed():
    @cuda.jit
    def k(out, x, y):
        out[0], out[1] = cuda.brev(x), cuda.brev(y)

    out = np.zeros(2, np.uint64)
    k[1, 1](out, np.uint32(6), np.uint64(6))
    assert out.tolist() == [0x60000000, 0x6000000000000000]


def test_integers_and_rounding_of_libdevice():
    from numjit.cuda import libdevice

    @cuda.jit
    def integers(out):
        out[0] = libdevice.mulhi(-5, 1 << 30)
        out[1] = libdevice.umul64hi(-1, -1)
        out[2] = libdevice.mul64hi(-5, 1 << 62)
        out[3] = libdevice.byte_perm(0x03020100, 0x07060504, 0x5140)
        out[4] = libdevice.uhadd(-1, -1)
        out[5] = libdevice.sad(1, 5, 3)
        out[6] = libdevice.double2hiint(libdevice.hiloint2double(0x3FF00000, 7))
        out[7] = libdevice.float_as_int(np.float32(1))

    out = np.zeros(8, np.int64)
    integers[1, 1](out)
    expected = [-2, -2, -2, 0x05010400, -1, 7, 0x3FF00000, 0x3F800000]
    assert out.tolist() == expected

    @cuda.jit
    def rounded(out):
        out[0] = libdevice.dadd_ru(1.0, 1e-30)
        out[1] = libdevice.dadd_rz(-1.0, 1e-30)
        out[2] = libdevice.ddiv_ru(1.0, 3.0)
        out[3] = libdevice.fadd_ru(np.float32(1), np.float32(1e-10))
        out[4] = libdevice.double2float_rd(0.1)

    out = np.zeros(5)
    rounded[1, 1](out)
    single = np.float32
    expected = [
        np.nextafter(1, 2),
        -np.nextafter(1, 0),
        np.nextafter(1 / 3, 1),
        np.nextafter(single(1), single(2)),
        np.nextafter(single(0.1), single(0)),
    ]
    assert out.tolist() == expected


SPECIAL = {
    "j0": (0.5, 0.938469807240813), "j1": (0.5, 0.2422684576748739),
    "y0": (0.5, -0.4445187335067066),
    "y1": (0.5, -1.471472392670243), "erfinv": (0.3, 0.27246271472675434),
    "erfcinv": (1e-10, 4.572824967389486), "normcdf": (1.0, 0.8413447460685429),
    "normcdfinv": (0.975, 1.959963984540054), "erfcx": (10.0, 0.05614099274382259),
    "cyl_bessel_i0": (2.0, 2.2795853023360673), "cyl_bessel_i1": (-2.0, -1.590636854637329),
}  # fmt: skip


@pytest.mark.parametrize("name", SPECIAL)
def test_special_functions_of_libdevice(name):
    from numjit.cuda import libdevice

    double, single = getattr(libdevice, name), getattr(libdevice, name + "f")

    @cuda.jit
    def k(out, x):
        out[0] = double(x)
        out[1] = single(np.float32(x))

    x, expected = SPECIAL[name]
    out = np.zeros(2)
    k[1, 1](out, x)
    assert np.allclose(out[0], expected, rtol=1e-11, atol=0)
    assert np.allclose(out[1], expected, rtol=1e-4, atol=0)


def test_ends_of_inverse_functions_of_libdevice():
    from numjit.cuda import libdevice

    @cuda.jit
    def k(out):
        out[0] = libdevice.erfinv(1.0)
        out[1] = libdevice.erfinv(1e-10)
        out[2] = libdevice.erfcinv(2.0)
        out[3] = libdevice.erfcinv(2.5)
        out[4] = libdevice.normcdfinv(0.0)
        out[5] = libdevice.jn(3, 2.5)
        out[6] = libdevice.yn(2, 2.5)

    out = np.zeros(7)
    k[1, 1](out)
    expected = [np.inf, 8.86226925452758e-11, -np.inf, np.nan, -np.inf, 0.2166003910391135,
                -0.3813358492418033]  # fmt: skip
    assert np.allclose(out, expected, rtol=1e-11, atol=0, equal_nan=True)


def test_integers_to_floats_in_each_direction():
    from numjit.cuda import libdevice

    @cuda.jit
    def k(out, n):
        out[0] = libdevice.ll2double_rd(n)
        out[1] = libdevice.ll2double_ru(n)
        out[2] = libdevice.ll2double_rz(-n)
        out[3] = libdevice.ll2double_rd((1 << 63) - 1)
        out[4] = libdevice.ull2float_rz(-1)
        out[5] = libdevice.fma_ru(1.0 + 2.0**-30, 1.0 + 2.0**-30, 0.0)

    out = np.zeros(6)
    k[1, 1](out, 2**53 + 1)
    expected = [2.0**53, 2.0**53 + 2, -(2.0**53), 2.0**63 - 1024, 2.0**64 - 2.0**40]
    assert out.tolist() == [*expected, np.nextafter(1 + 2.0**-29, 2)]


@cuda.jit
def hinted(x, out):
    i = cuda.grid(1)
    cuda.stcg(out, (0, i), cuda.ldca(x, i))
    cuda.stcs(out, (1, i), cuda.ldcg(x, i) + cuda.ldcs(x, (i,)))
    cuda.stwb(out, (2, i), cuda.ldlu(x, i))
    cuda.stwt(out, (3, i), cuda.ldcv(x, i) * 2)


@pytest.mark.parametrize("dtype", ["i1", "u1", "i2", "u4", "i8", "f2", "f4", "f8"])
def test_cache_hints(dtype):
    x, out = np.arange(8).astype(dtype), np.zeros((4, 8), dtype)
    hinted[1, 8](x, out)
    assert np.array_equal(out, [x, 2 * x, x, 2 * x])


def test_cache_hints_of_other_elements():
    from numjit.errors import TypingError

    with pytest.raises(TypingError, match="cache hints are for integers and floats"):
        hinted[1, 1](np.zeros(1, complex), np.zeros((4, 1), complex))


def test_positions_are_values():
    def sum_of(position):
        x, y, z = position
        return 100 * z + 10 * y + position.x

    device = cuda.jit(device=True)(sum_of)

    @cuda.jit
    def k(out):
        where = cuda.threadIdx
        out[where.x, where.y, 0] = device(cuda.threadIdx)
        out[where.x, where.y, 1] = device(cuda.blockDim)
        out[where.x, where.y, 2] = device(cuda.blockIdx) + 1000 * cuda.gridDim[0]

    out = np.zeros((2, 3, 3), np.int64)
    k[1, (2, 3)](out)
    assert out[..., 0].tolist() == [[0, 10, 20], [1, 11, 21]]
    assert (out[..., 1] == 132).all() and (out[..., 2] == 1000).all()
    assert repr(cuda.threadIdx.x) == "<cuda.threadIdx.x>"
