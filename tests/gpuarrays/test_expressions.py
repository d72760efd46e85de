"""Expressions that wait: what is computed when, in how many kernels, and that nobody sees it."""

import gc
import io
import threading

import numjit.cupy as cp
import numpy as np
import pytest
from gpuarrays.arrays import check
from numjit import _core


@pytest.fixture
def launches():
    """The kernels that are launched."""
    found = []
    _core.record_launches(found)
    yield found
    _core.record_launches(None)


def test_an_expression_is_one_kernel(launches):
    x = cp.array(np.arange(10.0))
    y = cp.exp(-x / 2) * 3 + x
    assert not launches
    assert y.shape == (10,) and y.dtype == float and not launches
    check(y, np.exp(-np.arange(10.0) / 2) * 3 + np.arange(10.0), 1e-12)
    assert len(launches) == 1


def test_operations_in_place_are_one_pass(launches):
    z = cp.array(np.arange(10.0))
    z *= 5
    z *= z
    z += z
    assert not launches
    check(z, 50 * np.arange(10.0) ** 2)
    assert len(launches) == 1


def test_creation_and_what_follows_are_one_pass(launches):
    x = cp.ones((10, 10))
    x *= 5
    check(x, np.full((10, 10), 5.0))
    assert len(launches) == 1


def test_a_reduction_has_no_temporary(launches):
    x = cp.array(np.arange(10.0))
    total = (x * x + 1).sum()
    assert float(total) == 295 and len(launches) == 1


def test_what_nobody_holds_is_not_computed(launches):
    cp.cuda.Device().synchronize()  # computes what other tests left waiting
    launches.clear()
    x = cp.array(np.arange(10.0))
    x + 1
    y = x * 2
    del y
    gc.collect()
    cp.cuda.Device().synchronize()
    assert not launches


def test_values_that_are_held_are_computed_once(launches):
    x = cp.array(np.arange(10.0))
    y = x * 2
    z = y + 1
    check(z, np.arange(10.0) * 2 + 1)
    assert len(launches) == 1
    check(y, np.arange(10.0) * 2)
    assert len(launches) == 1


def test_operands_are_read_before_they_change():
    host = np.arange(10.0)
    x = cp.array(host)
    y = x + 1
    x *= 3
    z = x[::2] + 1
    x[2:5] = 0
    w = x * 2
    x.fill(7)
    check(y, host + 1)
    check(z, (host * 3)[::2] + 1)
    host *= 3
    host[2:5] = 0
    check(w, host * 2)
    check(x, np.full(10, 7.0))


def test_views_see_what_is_written():
    x = cp.array(np.arange(10.0))
    view, even = x[2:], x[::2]
    x += 1
    check(view, np.arange(2.0, 10) + 1)
    view *= 2
    check(even, np.where(np.arange(0, 10, 2) >= 2, (np.arange(0, 10, 2) + 1.0) * 2, 1.0))
    x -= 1
    view += even[:1]
    expected = np.arange(10.0) + 1
    expected[2:] *= 2
    expected -= 1
    expected[2:] += expected[0]
    check(x, expected)


def test_overlapping_memory():
    for shift in (1, -1):
        host = np.arange(3000.0)
        x = cp.array(host)
        to, from_ = (slice(1, None), slice(None, -1))[::shift]
        host[to] += host[from_]
        x[to] += x[from_]
        check(x, host)
    host = np.arange(12.0).reshape(3, 4)
    square, other = cp.array(host[:, :3]), host[:, :3].copy()
    square += square.T
    other += other.T.copy()
    check(square, other)
    square[...] = square[::-1]
    check(square, other[::-1])
    x = cp.array(np.arange(6.0))
    x[1:] = x[:-1]
    x *= x[::-1]
    expected = np.array([0.0, 0, 1, 2, 3, 4])
    check(x, expected * expected[::-1])


def test_arrays_that_share_a_value_do_not_share_memory():
    x = cp.array(np.arange(5.0))
    y = x + 1
    z = y.copy()
    z += 1
    y *= 10
    check(y, (np.arange(5.0) + 1) * 10)
    check(z, np.arange(5.0) + 2)
    a = cp.zeros(3)
    b = a
    b += 1
    assert a is b
    check(a, np.ones(3))
    c = x * 2
    d = c.astype(float)
    d += 1
    check(c, np.arange(5.0) * 2)


def test_long_expressions_are_computed_in_parts():
    x, want = cp.array(np.arange(5.0)), np.arange(5.0)
    y = x
    for i in range(300):
        y = y * 0.5 + x
        want = want * 0.5 + np.arange(5.0)
    check(y, want)
    many = [cp.array(np.full(4, float(i))) for i in range(40)]
    check(sum(many), np.full(4, 780.0))
    kept = [x + i for i in range(200)]
    check(kept[0] + kept[199], 2 * np.arange(5.0) + 199)


def test_random_programs_agree_with_numpy():
    """Statements over arrays and views, in any order."""
    rng = np.random.default_rng(7)
    statements = [
        "{0} = {1} + {2}",
        "{0} += {1}",
        "{0} *= 0.5",
        "{0} = {1} * 2 - {2}",
        "{0}[2:6] = {1}[1:5]",
        "{0}[::-1] += {1}",
        "{0}[1:] = {0}[:-1]",
        "{0} = {1}.copy()",
        "{0}[{1} > 2] = 1.5",
        "{0} = {1} - {2}.mean()",
        "v = {0}[1:7]; v += {1}[2:8]; v *= 0.25",
        "{0} = {1}[::-1]",
        "{0} = abs({1}) ** 0.5",
        "{0}.fill(2.5)",
        "{0} = ({1} + {2}).clip(-3, 3)",
        "{0}[3] = {1}.sum()",
    ]
    for _ in range(15):
        text = []
        for _ in range(25):
            names = [str(name) for name in rng.choice(["a", "b", "c", "d"], 3)]
            text.append(statements[rng.integers(len(statements))].format(*names))
        spaces = []
        for xp in (np, cp):
            space = {name: xp.asarray(np.arange(8.0) + i) for i, name in enumerate("abcd")}
            exec("\n".join(text), space)
            spaces.append(space)
        for name in "abcd":
            want = spaces[0][name]
            np.testing.assert_allclose(
                spaces[1][name].get(), want, rtol=1e-9, err_msg="\n".join(text)
            )


def test_eager(launches):
    x = cp.array(np.arange(10.0))
    with cp.eager():
        y = x + 1
        assert len(launches) == 1
        y *= 2
        assert len(launches) == 2
    check(y, (np.arange(10.0) + 1) * 2)


def test_bits_are_those_of_eager_evaluation():
    x = cp.array(np.random.default_rng(0).standard_normal(1000))
    one = x * x + x / 3 - x * 7
    with cp.eager():
        other = x * x + x / 3 - x * 7
    assert one.get().tobytes() == other.get().tobytes()
    assert one.get().tobytes() == (x.get() * x.get() + x.get() / 3 - x.get() * 7).tobytes()


def test_streams_and_events():
    x = cp.array(np.arange(10.0))
    with cp.cuda.Stream(non_blocking=True) as stream:
        assert cp.cuda.get_current_stream() == stream
        y = x + 1
        event = stream.record()
    assert not _core.waiting_arrays()
    event.synchronize()
    stream.synchronize()
    check(y, np.arange(10.0) + 1)
    one, other = cp.cuda.Event(), cp.cuda.Event()
    one.record()
    other.record()
    other.synchronize()
    assert cp.cuda.get_elapsed_time(one, other) >= 0


def test_threads():
    x = cp.array(np.arange(1000.0))
    found, failures = [None] * 8, []

    def work(number):
        try:
            for i in range(20):
                found[number] = ((x + number) * 2).sum() + i
                float(found[number])
        except Exception as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert not failures
    for number in range(8):
        assert float(found[number]) == ((np.arange(1000.0) + number) * 2).sum() + 19


def test_plan():
    x = cp.array(np.arange(10.0))
    text = io.StringIO()
    y = x * x + 1
    cp.show_plan(y, file=text)
    assert text.getvalue().count("kernel") == 1 and "multiply" in text.getvalue()
    text = io.StringIO()
    z = x - x.mean()
    cp.show_plan(z, file=text)
    assert "1. reduction" in text.getvalue() and "2. element-wise" in text.getvalue()
    text = io.StringIO()
    cp.show_plan(x, file=text)
    assert text.getvalue() == "in memory\n"


@pytest.mark.unwatched("memcheck", "initcheck", reason="arrays have no pool under them")
def test_memory_is_used_again():
    pool = cp.get_default_memory_pool()
    x = cp.empty(1 << 16)
    address, used = x.data.ptr, pool.used_bytes()
    del x
    assert pool.used_bytes() == used - (1 << 19)
    assert cp.empty(1 << 16).data.ptr == address
    pool.free_all_blocks()
    pool.set_limit(pool.used_bytes() + (1 << 20))
    try:
        with pytest.raises(cp.cuda.memory.OutOfMemoryError, match="limit"):
            cp.empty(1 << 22)
    finally:
        pool.set_limit(0)
    pool.free_all_blocks()
    assert pool.free_bytes() == 0


def test_allocators():
    sizes = []

    def allocate(size):
        sizes.append(size)
        return cp.get_default_memory_pool().malloc(size)

    with cp.cuda.using_allocator(allocate):
        x = cp.empty(10)
        x[...] = 3
    assert sizes == [80] and float(x.sum()) == 30
