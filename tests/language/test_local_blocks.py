"""Small arrays, lists and instances that a function alone sees need no memory of the runtime; all
others do."""

import re

import numpy as np
import pytest
from numjit import njit, types
from numjit.experimental import jitclass

MAKERS = ("numjit_new_block", "numjit_new_list", "numjit_new_instance")


def make_point(decorate):
    @decorate([("x", types.float64), ("y", types.float64)])
    class Point:
        def __init__(self, x, y):
            self.x = x
            self.y = y

        def dot(self, other):
            return self.x * other.x + self.y * other.y

    return Point


def make_segment(decorate):
    @decorate([("a", types.float64[::1]), ("b", types.float64[::1])])
    class Segment:
        def __init__(self, a, b):
            self.a = a
            self.b = b

        def dot(self):
            return self.a[0] * self.b[0] + self.a[1] * self.b[1]

    return Segment


def make_programs(Point, Segment, decorate):
    @decorate
    def check(a, i):
        if a[i % 2] > 3:
            raise ValueError("too large")
        return a[0]

    @decorate
    def array_of_items(n):
        total = 0.0
        for i in range(n):
            a = np.array([1.0, 2.0, i * 0.5])
            total += a[0] + a[i % 3] * a[2]
        return total

    @decorate
    def array_of_rows(n):
        total = 0.0
        for i in range(n):
            turn = np.array([[0.0, -1.0], (i, i * 0.5)])
            total += turn[0, 0] * turn[1, 1] - turn[0, 1] * turn[1, i % 2]
        return total

    @decorate
    def zeros(n):
        total = 0.0
        for i in range(n):
            a = np.zeros(16)
            total += a[i % 16] + a[(i + 1) % 16]  # fresh in each iteration
            a[i % 16] = a[(i + 1) % 16] = i + 1
            total += a[i % 16]
        return total

    @decorate
    def integers(n):
        total = 0
        for i in range(n):
            pair = [i, i + 1]
            pair[0] += pair[1]
            total += pair[0] * pair[-1] + len(pair)
        return total

    @decorate
    def matrix(n):
        total = 0.0
        for i in range(n):
            a = np.zeros((2, 2), np.float32)
            a[0, 1] = a[1, 0] = i
            total += a[0, 1] * a[1, 0] + a[0, 0] + a.size
        return total

    @decorate
    def points(n):
        total = 0.0
        for i in range(n):
            total += Point(i, 2.0).dot(Point(1.0, i))
        return total

    @decorate
    def list_of_complex(n):
        total = 0j
        for i in range(n):
            total += [1j * i, 2.0 + i][i % 2]
        return total

    @decorate
    def nested(n):
        total = 0.0
        for i in range(n):
            a = np.array([[0.0, -1.0], [1.0, i * 0.5]])
            total += a[0, 0] * a[1, 1] - a[0, 1] * a[1, 0]
            rows = [[i, 1], [2, 3]]
            total += rows[i % 2][1]
        return total

    @decorate
    def segments(n):
        total = 0.0
        for i in range(n):
            s = Segment(np.zeros(2), np.ones(2))
            s.a[1] = i
            total += s.dot()
        return total

    arrays = (array_of_items, array_of_rows, zeros, matrix)
    local = (*arrays, segments, integers, points, list_of_complex)

    @decorate
    def swapped(n):
        a, b = np.array([1.0, 2.0]), np.array([3.0, 4.0])
        for i in range(n):
            a, b = b, np.array([a[0] + i, b[1]])
        return a[0] + 10 * b[0] + 100 * b[1]

    @decorate
    def carried(n):
        last = np.zeros(3)
        for i in range(n):
            new = np.zeros(3)
            new[i % 3] = last[0] + i
            last = new
        return last.sum()

    @decorate
    def kept(n):
        rows = []
        for i in range(n):
            row = np.zeros(2)
            row[0] = i
            rows.append(row)
        total = 0.0
        for row in rows:
            total = total * 2 + row[0]
        return total

    @decorate
    def lists_kept(n):
        rows = []
        for i in range(n):
            rows.append([i, i + 1])
        return sum([row[0] * row[1] for row in rows])

    @decorate
    def rows_changed(n):
        total = 0.0
        for i in range(n):
            rows = [np.zeros(n + 1), np.ones(n + 1), np.full(n + 1, 2.0)]
            first = rows[0]
            rows[0] = rows[1]
            if i % 2:
                last = rows.pop()
                total += last[0] * 100 + len(rows)
            rows[1][0] += 5
            total += first[0] + rows[0][0] + rows[-1][n]
        return total

    @decorate
    def parts_kept(n):
        parts = [np.zeros(1)]
        for i in range(n):
            s = Segment(np.full(2, i * 1.0), np.ones(n + 2))
            s.b = s.a
            parts.append(s.b)
            if i % 3 == 0:
                t = Segment(s.a, parts[-2])
                parts.append(t.b)
        total = 0.0
        for part in parts:
            total = total / 2 + part.sum()
        return total

    @decorate
    def failing_parts(n):
        total = 0.0
        for i in range(n):
            try:
                s = Segment(np.full(n + 1, i * 1.0), np.array([check(np.full(2, 1.0 * i), i), 2.0]))
                total += s.dot()
            except ValueError:
                total += 7
        return total

    @decorate
    def grown(n):
        total = 0
        for i in range(n):
            items = [i, 2]
            items.append(3)
            total += items[0] + items[2] + len(items)
        return total

    @decorate
    def chosen(n):
        total = 0.0
        for i in range(n):
            a, b = np.zeros(2), np.ones(2)
            c = a if i % 3 else b
            c[0] += 1
            total += a[0] + 10 * b[0]
        return total

    @decorate
    def returned(n):
        a = np.zeros(2)
        a[0] = n
        return a

    @decorate
    def not_inlined(a, n):
        if n == 0:
            return a[0]
        b = np.zeros(2)
        b[1] = a[0] + a[1]
        b[0] = n
        return not_inlined(b, n - 1) + a[1] + b[1]

    @decorate
    def recursive(n):
        return not_inlined(np.ones(2), n)

    @decorate
    def raising(n):
        total = 0.0
        for i in range(n):
            try:
                total += check(np.array([i * 1.0, 2.0]), i)
            except ValueError:
                total += 100
        return total

    @decorate
    def generated(n):
        def parts(n):
            a = np.zeros(2)
            for i in range(n):
                a[i % 2] += i
                yield a[0]

        total = 0.0
        for x in parts(n):
            total += x
        return total

    @decorate
    def large(n):
        total = 0.0
        for i in range(min(n, 3)):
            a = np.zeros(5000)
            a[i] = 1
            total += a.sum()
        return total

    @decorate
    def empty(n):
        total = 0
        for _ in range(n):
            total += len(np.zeros(0)) + np.zeros((0, 3)).size + 1
        return total

    @decorate
    def sorted_items(n):
        total = 0.0
        for i in range(n):
            a = np.array([3.0, i * 1.0, 1.0])
            a.sort()
            total += a[0] + 10 * a[1]
        return total

    others = (
        nested,
        swapped,
        carried,
        kept,
        lists_kept,
        grown,
        chosen,
        returned,
        recursive,
        raising,
        rows_changed,
    )
    return local, (*others, parts_kept, failing_parts, generated, large, empty, sorted_items)


def plain_class(spec):
    return lambda cls: cls


PLAIN = make_programs(make_point(plain_class), make_segment(plain_class), lambda f: f)
COMPILED = make_programs(make_point(jitclass), make_segment(jitclass), njit)


def pairs(which):
    both = list(zip(PLAIN[which], COMPILED[which], strict=True))
    return pytest.mark.parametrize(
        ("plain", "compiled"), both, ids=[plain.__name__ for plain, _ in both]
    )


@pairs(0)
def test_stays_in_the_function(plain, compiled):
    for n in (0, 1, 40):
        assert compiled(n) == plain(n)
    (code,) = compiled.inspect_llvm().values()
    assert not [maker for maker in MAKERS if f"call ptr @{maker}(" in code]


@pairs(1)
def test_outlives_an_iteration_or_is_seen_elsewhere(plain, compiled):
    for n in (0, 1, 2, 40):
        np.testing.assert_array_equal(compiled(n), plain(n))


def test_addresses_may_leave():
    @njit
    def address(n):
        a = np.zeros(2)
        a[0] = n
        return a.ctypes.data % 8, a

    got, a = address(3)
    assert got == 0 and a[0] == 3


def test_memory_of_small_blocks_is_used_again_across_threads():
    from concurrent.futures import ThreadPoolExecutor

    @njit(nogil=True)
    def fill(n, k):
        last = np.zeros(k)
        for i in range(n):
            new = np.empty(k)
            new[:] = last + 1
            last = new
        return last

    with ThreadPoolExecutor(4) as pool:
        for k, made in [(k, pool.submit(fill, 200, k)) for k in (1, 3, 8, 100, 128, 129) * 5]:
            assert (made.result() == np.full(k, 200.0)).all()


@pytest.mark.parametrize("dtype", [np.uint8, np.int16, np.float32, np.int64, np.complex128])
def test_indexed_local_arrays_have_an_address(dtype):
    """Items at constant and at variable indices are addressed alike, and are what was written."""

    @njit
    def f(a):
        window = np.empty(9, a.dtype)
        out = np.empty(len(a) - 8, a.dtype)
        for k in range(len(out)):
            for i in range(9):
                window[i] = a[k + i]
            for i in range(1, 9):
                v, j = window[i], i - 1
                while j >= 0 and window[j].real > v.real:
                    window[j + 1] = window[j]
                    j -= 1
                window[j + 1] = v
            out[k] = window[4]
        return out

    a = np.random.default_rng(1).integers(0, 100, 50).astype(dtype)
    wanted = [sorted(a[k : k + 9].real)[4] for k in range(len(a) - 8)]
    assert np.array_equal(f(a), wanted)
    text = f.inspect_asm(f.signatures[0])
    assert not re.search(r"\(%rsp,%r[a-z0-9]+", text)
