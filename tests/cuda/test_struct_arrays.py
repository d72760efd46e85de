"""Shared and local arrays whose elements are several numbers: values of types with a StructModel,
tuples, and vectors."""

import numpy as np
import pytest
from numjit import cuda, errors, float32, float64, int64, types
from numjit.core import cgutils
from numjit.core.extending import (
    lower_builtin,
    make_attribute_wrapper,
    models,
    register_model,
    type_callable,
)


class Point:
    pass


class PointType(types.Type):
    def __init__(self):
        super().__init__(name="Point")


class Pair:
    pass


class PairType(types.Type):
    def __init__(self):
        super().__init__(name="Pair")


class HolderType(types.Type):
    def __init__(self):
        super().__init__(name="Holder")


point, pair, holder = PointType(), PairType(), HolderType()
MEMBERS = {
    PointType: [("x", types.float32), ("n", types.int64), ("on", types.boolean)],
    PairType: [("first", point), ("weight", types.float64)],
    HolderType: [("values", types.float64[:])],
}


def model_of(type_class):
    @register_model(type_class)
    class Model(models.StructModel):
        def __init__(self, dmm, fe_type):
            super().__init__(dmm, fe_type, MEMBERS[type_class])

    for name, _ in MEMBERS[type_class]:
        make_attribute_wrapper(type_class, name, name)


for each in MEMBERS:
    model_of(each)


@type_callable(Point)
def type_point(context):
    return lambda x, n, on: point


@lower_builtin(Point, types.Float, types.Integer, types.Boolean)
def make_point(context, builder, signature, arguments):
    made = cgutils.create_struct_proxy(point)(context, builder)
    made.x, made.n, made.on = arguments
    return made._getvalue()


@type_callable(Pair)
def type_pair(context):
    return lambda first, weight: pair


@lower_builtin(Pair, PointType, types.Float)
def make_pair(context, builder, signature, arguments):
    made = cgutils.create_struct_proxy(pair)(context, builder)
    made.first, made.weight = arguments
    return made._getvalue()


MEMORIES = {"shared": cuda.shared, "local": cuda.local}


@cuda.jit
def reversed_in_shared(out):
    points = cuda.shared.array(8, dtype=point)
    i = cuda.threadIdx.x
    points[i] = Point(float32(i), int64(10 * i), i > 3)
    cuda.syncthreads()
    other = points[7 - i]
    out[i, 0], out[i, 1], out[i, 2] = other.x, other.n, other.on


def test_shared_memory():
    out = np.zeros((8, 3))
    reversed_in_shared[1, 8](out)
    i = np.arange(8)[::-1]
    assert (out == np.transpose([i, 10 * i, i > 3])).all()


def test_dynamic_shared_memory():
    @cuda.jit
    def kernel(out):
        points = cuda.shared.array(0, dtype=point)
        i = cuda.threadIdx.x
        points[i] = Point(float32(i), int64(i), True)
        cuda.syncthreads()
        out[i] = points[(i + 1) % 4].n + points.size

    out = np.zeros(4)
    kernel[1, 4, 0, 24 * 4](out)
    assert out.tolist() == [5, 6, 7, 4]


def test_local_memory():
    @cuda.jit(device=True)
    def total(points):
        found = 0.0
        for each in points:
            found += each.x * each.n
        return found

    @cuda.jit
    def kernel(out, n):
        points = cuda.local.array((2, 3), point)
        for k in range(n):
            points[k // 3, k % 3] = Point(float32(k), int64(k), False)
        points[0, 0] = points[1, 2]
        out[0] = total(points[0]) + total(points[1, 1:])
        out[1], out[2] = points.shape[1], len(points)
        out[3] = points[-1, -1].n

    out = np.zeros(4)
    kernel[1, 1](out, 6)
    assert out.tolist() == [25 + 1 + 4 + 16 + 25, 3, 2, 5]


@pytest.mark.parametrize("memory", MEMORIES)
def test_structs_in_structs(memory):
    memory = MEMORIES[memory]

    @cuda.jit
    def kernel(out):
        pairs = memory.array(2, pair)
        pairs[1] = Pair(Point(float32(1.5), int64(2), True), 0.25)
        out[0], out[1], out[2] = pairs[1].first.x, pairs[1].first.n, pairs[1].weight

    out = np.zeros(3)
    kernel[1, 1](out)
    assert out.tolist() == [1.5, 2, 0.25]


TUPLES = {
    "tuple": types.Tuple((float64, int64)),
    "homogeneous": types.UniTuple(float64, 2),
    "vector": cuda.float32x2,
    "CUDA's name": cuda.double2,
}


@pytest.mark.parametrize("memory", MEMORIES)
@pytest.mark.parametrize("name", ["tuple", "homogeneous"])
def test_tuples(memory, name):
    memory, dtype = MEMORIES[memory], TUPLES[name]

    @cuda.jit
    def kernel(out):
        items = memory.array(3, dtype)
        items[2] = (1.5, 2)
        first, second = items[2]
        out[0], out[1] = first, second

    out = np.zeros(2)
    kernel[1, 1](out)
    assert out.tolist() == [1.5, 2]


@pytest.mark.parametrize("memory", MEMORIES)
@pytest.mark.parametrize("name", "int8x1 int32x3 float32x4 float64x2 uchar4 double3".split())
def test_vectors(memory, name):
    memory, vector = MEMORIES[memory], getattr(cuda, name)
    n = int(name[-1])
    parts = (1, 2, 3, 4)[:n]

    @cuda.jit
    def kernel(out):
        vectors = memory.array(4, dtype=vector)
        vectors[3] = vector(*parts)
        found = vectors[3]
        out[0] = found.x + found[n - 1]

    out = np.zeros(1)
    kernel[1, 1](out)
    assert out[0] == 1 + n


def test_what_refers_to_memory_is_refused():
    @cuda.jit
    def kernel(x):
        cuda.local.array(2, holder)

    with pytest.raises(errors.TypingError, match="refers to memory of its own"):
        kernel[1, 1](np.zeros(1))


def test_on_a_gpu():
    ptx, _ = cuda.compile_ptx(reversed_in_shared.py_func, (float64[:, ::1],))
    assert ".shared" in ptx and "ld.shared" in ptx


def test_arrays_of_structs_in_signatures():
    @cuda.jit(types.void(point[::1], float64[::1]))
    def kernel(points, out):
        local = cuda.local.array(2, point)
        local[0] = points[1]
        out[0] = local[0].n

    assert [str(each) for each in kernel.signatures[0]] == [
        "array(Point, 1d, C)",
        "array(float64, 1d, C)",
    ]
    with pytest.raises(errors.TypingError, match="has no dtype of NumPy"):
        cuda.jit(types.void(point[::1]))(lambda points: points.sum())
