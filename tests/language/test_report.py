"""Dispatcher.report: the reasons that it gives are the true ones. Whoever does what it advises has
a loop that is vectorised."""

import math
import os
import subprocess
import sys

import numpy as np
import pytest
from numjit import complex128, float32, float64, int64, njit, objmode, prange, types, uint8
from numjit.reasons import REASONS

A, S, I, M, C = float64[::1], float64[:], int64[::1], float64[:, ::1], complex128[::1]


def only(function, signature, **options):
    """The report on the only specialisation."""
    made = njit(**options)(function)
    made.compile(signature)
    (found,) = made.report().specialisations
    return found


# -- twenty loops: as they are, and as the advice has them -----------------------------------------


def sum_in_order(a):
    s = 0.0
    for x in a:
        s += x
    return s


def double(a):
    for i in range(len(a)):
        a[i] = a[i] * 2


def shifted_in_place(a, b):
    for i in range(1, len(a)):
        a[i] = a[i - 1] * 0.5 + a[i]


def shifted_elsewhere(a, b):
    for i in range(1, len(a)):
        b[i] = a[i - 1] * 0.5 + a[i]


def gammas(a):
    for i in range(len(a)):
        a[i] = math.gamma(a[i])


def exponentials(a):
    for i in range(len(a)):
        a[i] = math.exp(a[i])


def reciprocals(a, b):
    for i in range(len(a)):
        a[i] = 1.0 / b[i]


def quotients(a, k):
    for i in range(len(a)):
        a[i] = a[i] // k


def quotients_by_four(a, k):
    for i in range(len(a)):
        a[i] = a[i] // 4


def first_above(a, b):
    found = -1
    for i in range(len(a)):
        if a[i] > 0.5:
            found = i
            break
    return found


def all_above(a, b):
    for i in range(len(a)):
        b[i] = a[i] > 0.5


def returned(a, b):
    for i in range(len(a)):
        b[i] = a[i] * 2
        if b[i] < 0.0:
            return i
    return -1


def raising(a, b):
    for i in range(len(a)):
        if a[i] < 0.0:
            raise ValueError
        b[i] = a[i] * 2


def not_raising(a, b):
    for i in range(len(a)):
        b[i] = a[i] * 2


def steps(a, n):
    x = n
    while x > 1.0:
        x = x / 2 + 0.25
    return x


def steps_by_index(a, n):
    for i in range(len(a)):
        a[i] = n * 0.5 + i


def drawn(a):
    for i in range(len(a)):
        a[i] = np.random.random() * 2


def drawn_before(a):
    r = np.random.random(len(a))
    for i in range(len(a)):
        a[i] = r[i] * 2


def printed(a):
    for i in range(len(a)):
        a[i] = a[i] * 2
        print(a[i])


def printed_behind(a):
    for i in range(len(a)):
        a[i] = a[i] * 2
    print(a[0])


def asked(a):
    for i in range(len(a)):
        with objmode(y="float64"):
            y = float(i)
        a[i] = y * 2


def asked_before(a):
    with objmode(y="float64"):
        y = float(3)
    for i in range(len(a)):
        a[i] = y * 2


def appended(a):
    found = []
    for i in range(len(a)):
        found.append(a[i] * 2)
    return len(found)


def filled(a):
    found = np.empty(len(a))
    for i in range(len(a)):
        found[i] = a[i] * 2
    return len(found)


def gathered(a, b, indices):
    for i in range(len(indices)):
        a[i] = b[indices[i]] * 2


def gathered_before(a, b, indices):
    t = b[indices]
    for i in range(len(indices)):
        a[i] = t[i] * 2


def scattered(a, b, indices):
    for i in range(len(indices)):
        a[indices[i]] += b[i] * b[i] + 1


def scattered_behind(a, b, indices):
    t = np.empty(len(b))
    for i in range(len(b)):
        t[i] = b[i] * b[i] + 1
    for i in range(len(indices)):
        a[indices[i]] += t[i]


def smoothed(a):
    x = 0.0
    for i in range(len(a)):
        x = a[i] * 0.5 + x * 0.25
    return x


def smoothed_by_index(a):
    for i in range(1, len(a)):
        a[i] = 0.25 * i


def looked_up(lut, image, out):
    for i in range(len(image)):
        out[i] = lut[image[i]]


def looked_up_wide(lut, image, out):
    t = lut[image]
    for i in range(len(image)):
        out[i] = t[i] + uint8(1)


def offset(a, b, c, k):
    for i in range(len(b)):
        b[i] = a[2 * i - k] * 2
        c[i] = a[2 * i - k] * 3


def offset_before(a, b, c, k):
    a = a[k:]
    for i in range(len(b)):
        b[i] = a[2 * i] * 2
        c[i] = a[2 * i] * 3


def counted(indices, counts):
    n = 0
    for i in range(len(indices)):
        n += counts[indices[i]]
    return n


def moved(a):
    for i in range(len(a) - 1):
        a[i + 1] = a[i] + 1


# -- ten more, of other kinds ----------------------------------------------------------------------


def smallest(a):
    least = a[0]
    for x in a:
        if x < least:
            least = x
    return least


def positives(a):
    s = 0.0
    for x in a:
        if x > 0:
            s += x
    return s


def positives_or_zero(a):
    s = 0.0
    for x in a:
        s += x if x > 0 else 0.0
    return s


def packed(a, b):
    n = 0
    for i in range(len(a)):
        if a[i] > 0:
            b[n] = a[i] * 2
            n += 1
    return n


def packed_by_mask(a, b):
    found = a[a > 0]
    for i in range(len(found)):
        b[i] = found[i] * 2
    return len(found)


def around(a, b):
    n = len(b)
    for i in range(len(a)):
        a[i] += b[i % n]


def around_in_parts(a, b):
    n = len(b)
    for start in range(0, len(a), n):
        part = a[start : start + n]
        for i in range(len(part)):
            part[i] += b[i]


def column(m):
    for i in range(m.shape[0]):
        m[i, 0] = m[i, 0] * 2


def column_copied(m):
    t = m[:, 0].copy()
    for i in range(len(t)):
        t[i] = t[i] * 2
    m[:, 0] = t


@njit
def paths(n):
    return 1 if n < 2 else paths(n - 1) + paths(n - 2)


def counted_paths(a):
    for i in range(len(a)):
        a[i] = paths(a[i])


def doubled(a):
    for i in range(len(a)):
        a[i] = a[i] * 2


def product(a):
    p = 1.0
    for x in a:
        p *= x
    return p


def kept(a, b):
    for i in range(len(a)):
        b[0] += a[i]


def running(a, b):
    s = 0.0
    for i in range(len(a)):
        s += a[i]
        b[i] = s * 2


def running_before(a, b):
    t = np.cumsum(a)
    for i in range(len(a)):
        b[i] = t[i] * 2


def reversed_in_place(a, b):
    n = len(a)
    for i in range(n // 2):
        a[i], a[n - 1 - i] = a[n - 1 - i], a[i]


def reversed_elsewhere(a, b):
    n = len(a)
    for i in range(n):
        b[i] = a[n - 1 - i]


def remainders(a):
    for i in range(len(a)):
        a[i] = a[i] % 3.0


def remainders_by_floor(a):
    for i in range(len(a)):
        a[i] = a[i] - 3.0 * math.floor(a[i] / 3.0)


def tried(a):
    for i in range(len(a)):
        try:
            a[i] = 1.0 / a[i]
        except ZeroDivisionError:
            a[i] = 0.0


def stepwise(a):
    i = 0
    while i < len(a):
        a[i] *= 2
        i += 1


FAST = {"fastmath": {"reassoc", "nsz"}}
LOOPS = {
    "sum": (sum_in_order, (A,), {}, sum_in_order, (A,), {"fastmath": {"reassoc", "nsz"}}),
    "dependence on the last": (moved, (A,), {}, double, (A,), {}),
    "strides": (double, (S,), {}, double, (A,), {}),
    "dependence": (shifted_in_place, (A, A), {}, shifted_elsewhere, (A, A), {}),
    "call": (gammas, (A,), {}, exponentials, (A,), {}),
    "division": (reciprocals, (A, A), {}, reciprocals, (A, A), {"error_model": "numpy"}),
    "integer division": (quotients, (I, int64), {}, quotients_by_four, (I, int64), {}),
    "leave": (first_above, (A, A), {}, all_above, (A, A), {}),
    "leave by return": (returned, (A, A), {}, not_raising, (A, A), {}),
    "raise": (raising, (A, A), {}, not_raising, (A, A), {}),
    "while": (steps, (A, float64), {}, steps_by_index, (A, float64), {}),
    "random": (drawn, (A,), {}, drawn_before, (A,), {}),
    "print": (printed, (A,), {}, printed_behind, (A,), {}),
    "python": (asked, (A,), {}, asked_before, (A,), {}),
    "memory": (appended, (A,), {}, filled, (A,), {}),
    "gather": (gathered, (A, A, I), {}, gathered_before, (A, A, I), {}),
    "scatter": (scattered, (A, A, I), {}, scattered_behind, (A, A, I), {}),
    "recurrence": (smoothed, (A,), {}, smoothed_by_index, (A,), {}),
    "small gather": (
        looked_up,
        (uint8[::1], uint8[::1], uint8[::1]),
        {"fastmath": True},
        looked_up_wide,
        (uint8[::1], uint8[::1], uint8[::1]),
        {},
    ),
    "boundscheck": (
        counted,
        (I, I),
        {"boundscheck": True},
        counted,
        (I, I),
        {},
    ),
    "extreme": (smallest, (A,), {}, smallest, (A,), {"fastmath": {"nnan", "nsz"}}),
    "chosen sum": (positives, (A,), {}, positives_or_zero, (A,), {}),
    "chosen sum, fast": (positives, (A,), {}, positives, (A,), {"fastmath": True}),
    "moving index": (packed, (A, A), {}, packed_by_mask, (A, A), {}),
    "computed index": (around, (A, A), {}, around_in_parts, (A, A), {}),
    "column": (column, (M,), {}, column_copied, (M,), {}),
    "function": (counted_paths, (I,), {}, doubled, (I,), {}),
    "sum: a product": (product, (A,), {}, product, (A,), FAST),
    "sum in an array": (kept, (A, A), {}, kept, (A, A), FAST),
    "sum of complex numbers": (sum_in_order, (C,), {}, sum_in_order, (C,), FAST),
    "recurrence: running sums": (running, (A, A), {}, running_before, (A, A), {}),
    "unknown dependence": (reversed_in_place, (A, A), {}, reversed_elsewhere, (A, A), {}),
    "call: a remainder": (remainders, (A,), {}, remainders_by_floor, (A,), {}),
    "division, tried": (tried, (A,), {}, tried, (A,), {"error_model": "numpy"}),
    "while it counts": (stepwise, (A,), {}, double, (A,), {}),
    "negative index": (offset, (A, A, A, int64), {}, offset_before, (A, A, A, int64), {}),
}


@pytest.mark.parametrize("name", LOOPS)
def test_the_reason_is_the_true_one(name):
    before, types, options, after, new_types, new_options = LOOPS[name]
    report = only(before, types, **options)
    (loop,) = report.loops
    assert loop.width == 0
    assert loop.reason is not None, str(report)
    wanted = max((row.name for row in REASONS if name.startswith(row.name)), key=len)
    assert loop.reason.name == wanted, str(report)
    assert loop.reason.advice in str(report)
    better = only(after, new_types, **new_options)
    assert max(each.width for each in better.loops) > 1, str(better)


def test_every_loop_of_the_set_has_another_reason():
    assert len(LOOPS) >= 35
    assert len({loop[0].__name__ for loop in LOOPS.values()}) >= 32


def test_running_sums_are_not_called_sums():
    """fastmath does not help where each of the sums is kept."""
    (loop,) = only(running, (A, A), fastmath={"reassoc", "nsz"}).loops
    assert loop.width == 0 and loop.reason.name == "recurrence"


def test_loops_in_what_is_called():
    def looked_up(a, d):
        s = 0
        for x in a:
            s += d[x]
        return s

    (loop,) = only(looked_up, (I, types.DictType(int64, int64))).loops
    assert loop.reason is None and loop.note == "there are loops in what it calls"


def test_copies_and_fills():
    def copied(a):
        t = np.empty(len(a))
        for i in range(len(a)):
            t[i] = a[i]
        return t

    def filled_with_zeros(a):
        for i in range(len(a)):
            a[i] = 0.0

    def rows(m, b):
        for i in range(m.shape[0]):
            m[i] = b

    for function, types_ in ((copied, (A,)), (filled_with_zeros, (A,)), (rows, (M, A))):
        (loop,) = only(function, types_).loops
        assert loop.reason is None and "memcpy" in loop.note


# -- what else a report says -----------------------------------------------------------------------


def test_vectorised_loops_and_those_around():
    def scale(m):
        for i in range(m.shape[0]):
            for j in range(m.shape[1]):
                m[i, j] *= 2

    report = only(scale, (M,))
    outer, inner = report.loops
    assert outer.width == 0 and outer.reason is None and outer.note == "there are loops in it"
    assert inner.width >= 2
    assert inner.line == outer.line + 1 == scale.__code__.co_firstlineno + 2
    text = str(report)
    assert f"{inner.line}: for j in range(m.shape[1]):" in text
    assert f"vectorised: {inner.width} elements at once" in text


def test_a_comprehension_and_a_generator():
    def total(a):
        return sum(x * 2 for x in a)

    report = only(total, (A,))
    (loop,) = report.loops
    assert loop.line == total.__code__.co_firstlineno + 1


def test_unrolled_and_removed_loops():
    def unrolled(a):
        s = 0.0
        for i in range(3):
            s += a[i]
        return s

    def removed(n):
        for i in range(4):
            n += i
        return n

    for function, type_ in ((unrolled, A), (removed, int64)):
        (loop,) = only(function, (type_,)).loops
        assert loop.width == 0 and loop.reason is None
        assert loop.note.startswith(("unrolled", "no loop is left"))


def test_allocations_copies_and_calls_of_the_interpreter_in_loops():
    def busy(a):
        s = 0.0
        for i in range(len(a)):
            t = a[:i].copy()
            u = np.zeros(i + 3)
            with objmode(y="float64"):
                y = float(i)
            s += t.sum() + u[0] + y
        return s

    report = only(busy, (A,))
    first = busy.__code__.co_firstlineno
    found = dict(report.allocations)
    assert "copy of an array" in found[first + 3]
    assert first + 4 in found
    assert report.upcalls == [first + 5]
    text = str(report)
    assert "allocations in loops" in text and "calls of the interpreter in loops" in text


def test_an_allocation_outside_of_loops_is_none_in_a_loop():
    def once(a):
        t = np.zeros(len(a))
        for i in range(len(a)):
            t[i] = a[i] * 2
        return t

    assert only(once, (A,)).allocations == []


def test_inlined_functions():
    @njit
    def helper(x):
        return x * 2 + 1

    def user(a):
        return np.sum(a) + helper(3.0)

    report = only(user, (A,))
    names = [name for line, name in report.inlined]
    assert any("sum" in name for name in names)
    assert any("helper" in name for name in names)


def test_specialisations_times_and_html():
    @njit
    def f(x):
        return x + 1

    assert "nothing is compiled" in str(f.report())
    f(1)
    f(2.5)
    report = f.report()
    assert [each.arguments for each in report.specialisations] == f.signatures
    assert all(each.milliseconds > 0 and each.code_bytes > 0 for each in report.specialisations)
    assert "compiled in" in str(report) and "bytes of code" in str(report)
    html = report._repr_html_()
    assert "int64" in html and "float64" in html and "<h4>f, " in html
    (only_floats,) = f.report((float64,)).specialisations
    assert only_floats.result == float64
    with pytest.raises(KeyError):
        f.report((float32,))


def test_html_is_escaped():
    def compare(a):
        n = 0
        for x in a:
            if x < 3:
                n += 1
        return n

    made = njit(compare)
    made(np.ones(3))
    assert "x < 3" not in made.report()._repr_html_()


@pytest.mark.filterwarnings("ignore")
def test_object_mode():
    from numjit import jit

    @jit(forceobj=True)
    def f(x):
        return repr(x)

    f(1)
    assert "object mode" in str(f.report())


def test_without_source():
    namespace = {}
    exec("def f(a):\n    for i in range(len(a)):\n        a[i] *= 2\n", namespace)
    report = only(namespace["f"], (A,))
    assert report.loops == []
    assert "bytes of code" in str(report)


def test_parallel_loops():
    def f(a):
        for i in prange(len(a)):
            a[i] = a[i] * 2

    report = only(f, (A,), parallel=True)
    (loop,) = report.loops
    assert loop.width >= 2, str(report)


def test_at_exit(tmp_path):
    program = tmp_path / "program.py"
    program.write_text(
        "from numjit import njit\n"
        "import numpy as np\n\n\n"
        "@njit\n"
        "def f(a):\n"
        "    for i in range(len(a)):\n"
        "        a[i] *= 2\n\n\n"
        "@njit\n"
        "def never_called(a):\n"
        "    return a\n\n\n"
        "f(np.ones(3))\n"
    )
    for value, expected in (("1", True), ("0", False)):
        run = subprocess.run(
            [sys.executable, str(program)],
            env={**os.environ, "NUMJIT_REPORT": value},
            capture_output=True,
            text=True,
            check=True,
        )
        assert run.stdout == ""
        assert ("vectorised: " in run.stderr) == expected
        assert "never_called" not in run.stderr
