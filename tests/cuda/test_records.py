"""Records, dates and vectors of numbers in kernels."""

import numpy as np
import pytest
from numjit import cuda, errors, float64, from_dtype

PARTICLE = np.dtype([("x", np.float64), ("kind", np.int32), ("v", np.float32, (3,))], align=True)
PACKED = np.dtype([("flag", np.int8), ("x", np.float64)])
PARTICLE_TYPE = from_dtype(PARTICLE)
TABLE = np.array([(1, 2.5), (3, 4.5)], PACKED)


def particles(n=5):
    a = np.zeros(n, PARTICLE)
    a["x"], a["kind"], a["v"] = np.arange(n), 7, np.arange(3) / 2
    return a


def move(a, out):
    i = cuda.grid(1)
    if i < a.size:
        a[i].x += a[i].v[1]
        a[i]["kind"] = i
        a[i].v[2] = 9
        out[i] = a[i].x + a[i]["kind"]


def local_records(out):
    s = cuda.shared.array(4, PARTICLE_TYPE)
    mine = cuda.local.array(2, PARTICLE_TYPE)
    i = cuda.threadIdx.x
    s[i].x = i
    mine[1]["x"] = 10
    mine[1].kind = 3
    cuda.syncthreads()
    out[i] = s[3 - i].x + mine[1].x + mine[1]["kind"]


def test_elements_of_host_and_device_arrays():
    k = cuda.jit(move)
    for array in (particles(), cuda.to_device(particles())):
        out = np.zeros(5)
        k[1, 8](array, out)
        found = array if isinstance(array, np.ndarray) else array.copy_to_host()
        assert np.array_equal(out, 2 * np.arange(5) + 0.5)
        assert np.array_equal(found["x"], np.arange(5) + 0.5)
        assert np.array_equal(found["kind"], np.arange(5))
        assert found["v"].tolist() == [[0, 0.5, 9]] * 5


def test_fields_of_arrays():
    d = cuda.to_device(particles())
    assert np.array_equal(d["x"].copy_to_host(), np.arange(5))
    assert d[3]["x"] == 3

    @cuda.jit
    def k(a, out):
        i = cuda.grid(1)
        out[i] = a.x[i] + a["kind"][i]

    out = np.zeros(5)
    k[1, 5](d, out)
    assert np.array_equal(out, np.arange(5) + 7)


def test_packed_and_constant_records():
    @cuda.jit
    def k(a, out):
        table = cuda.const.array_like(TABLE)
        a[0].x = table[1].x + a[1]["flag"]
        out[0] = table[0]["flag"]

    a, out = np.array([(1, 0.0), (5, 0.0)], PACKED), np.zeros(1)
    k[1, 1](a, out)
    assert a[0]["x"] == 9.5 and out[0] == 1


def test_a_record_as_argument():
    @cuda.jit
    def k(record, out):
        out[0] = record.x + record.kind
        record.kind = 2

    record, out = particles()[3], np.zeros(1)
    k[1, 1](record, out)
    assert out[0] == 10 and record["kind"] == 2


def test_shared_and_local_records():
    out = np.zeros(4)
    cuda.jit(local_records)[1, 4](out)
    assert np.array_equal(out, 16.0 - np.arange(4))


def test_dates():
    @cuda.jit
    def k(a, b, later, span):
        i = cuda.grid(1)
        later[i] = a[i] > b
        span[i] = a[i] - b

    a = np.array(["2024-02-28", "2024-03-01", "NaT"], "M8[D]")
    later, span = np.zeros(3, bool), np.zeros(3, "m8[D]")
    k[1, 3](a, np.datetime64("2024-02-29"), later, span)
    assert later.tolist() == [False, True, False]
    assert np.array_equal(span, a - np.datetime64("2024-02-29"), equal_nan=True)


def vectors(out):
    v = cuda.float32x4(1, 2.5, cuda.int32x2(3, 4))
    w = cuda.float4(cuda.float2(v.y, v.x), v.z, v.w)
    d = cuda.double3(v.x, 7, cuda.uchar1(255 + 2).x)
    out[0], out[1], out[2], out[3] = w.x, w.y, w.z, w.w
    out[4], out[5], out[6] = d.x, d.y, d.z


def test_vectors():
    out = np.zeros(7)
    cuda.jit(vectors)[1, 1](out)
    assert out.tolist() == [2.5, 1, 3, 4, 1, 7, 1]

    @cuda.jit
    def wrong(out):
        out[0] = cuda.float32x2(1, 2, 3).x

    with pytest.raises(errors.TypingError, match="No implementation of function"):
        wrong[1, 1](out)


def test_kernels_with_any_number_of_arguments():
    @cuda.jit
    def k(out, *values):
        for i, v in enumerate(values):
            out[i] = v

    out = np.zeros(3)
    k[1, 1](out, 1, 2, 3)
    assert out.tolist() == [1, 2, 3]
    k[1, 1](out, 4.5)
    assert out.tolist() == [4.5, 2, 3]


def test_overloads_for_kernels():
    from numjit import njit
    from numjit.extending import overload

    def both(x):
        raise NotImplementedError

    def kernels_only(x):
        raise NotImplementedError

    @overload(both)
    def of_all(x):
        return lambda x: x + 1

    @overload(both, target="cuda")
    def of_kernels(x):
        return lambda x: x + 2

    @overload(kernels_only, target="cuda")
    def of_kernels_too(x):
        return lambda x: 10 * x

    @cuda.jit
    def k(out):
        out[0] = both(out[0])
        out[1] = kernels_only(out[1])

    out = np.ones(2)
    k[1, 1](out)
    assert out.tolist() == [3, 10]
    assert njit(lambda x: both(x))(1) == 2
    with pytest.raises(errors.TypingError):
        njit(lambda x: kernels_only(x))(1)


def test_recursive_device_function_with_signature():
    @cuda.jit(float64(float64), device=True)
    def factorial(n):
        return 1.0 if n < 2 else n * factorial(n - 1)

    @cuda.jit
    def k(out):
        out[0] = factorial(5.0)

    out = np.zeros(1)
    k[1, 1](out)
    assert out[0] == 120
