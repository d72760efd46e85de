"""Element-wise expressions are one loop without temporaries, and never read what they have written.

Memory that compiled code asks for shows in its LLVM IR; arguments of every kind of overlap are
compared with NumPy, which evaluates right sides first.
"""

import re

import numpy as np
import pytest
from language.arrays import f_order, reversed_axes, strided, values
from language.support import assert_same, clone
from numjit import njit
from numjit.library.core.registry import rare


def allocations(f, *arguments):
    """Places in the machine code of f, without its rare paths, that ask for a block of memory."""
    compiled = njit(f)
    compiled(*clone(arguments))
    (text,) = compiled.inspect_llvm().values()
    found = 0
    for head, body in re.findall(r"^define ([^\n]*)(.*?)^}", text, re.MULTILINE | re.DOTALL):
        name = re.search(r"@\"?(?:python\.)?(\w+)", head)[1]
        if name not in rare:
            found += len(re.findall(r"call [^\n]*@(?:numjit_new_block|nj_alloc)\(", body))
    return found


A = values((6, 8))
V = values(40)


# -- no memory for intermediate arrays ----------------------------------------------------------


def window_sum(w, x, q, i, r, c):
    return np.sum(w[q] * x[i, :, r : r + 5, c : c + 5])


def weighted(a, b):
    return np.sum(a * 2 + np.sqrt(b * b))


def nested_calls(a, b):
    return np.sum(np.exp(a) * np.sin(b) - np.minimum(a, b) ** 2)


def into_out(a, b, out):
    out[...] = a * b + 1
    return out[0, 0]


def into_slice(a, b, out):
    out[1:, ::2] = a[1:, ::2] - b[1:, ::2]
    return out[1, 0]


def ufunc_out(a, out):
    np.sqrt(a * a, out)
    return out[0, 0]


def in_place(a, b):
    a += b * 2
    return a[0, 0]


def scalar_fill(out, x):
    out[:, 1] = x * 2
    return out[0, 1]


def views_only(a):
    b = a[1:, ::-1].T
    return b[0, 0] + b.shape[0]


# Where the right side may overlap with what it is stored to, a rare path makes a temporary.
NO_MEMORY = {
    "convolution window": (
        window_sum,
        (values((3, 2, 5, 5)), values((2, 2, 9, 9)), 1, 0, 2, 3),
    ),
    "weighted sum": (weighted, (V, V + 1)),
    "nested calls": (nested_calls, (V, V + 1)),
    "views": (views_only, (A,)),
    "scalar fill": (scalar_fill, (A, 2.5)),
    "into out": (into_out, (A, A + 1, np.zeros((6, 8)))),
    "into a slice": (into_slice, (A, A + 1, np.zeros((6, 8)))),
    "ufunc out": (ufunc_out, (A, np.zeros((6, 8)))),
    "in place": (in_place, (A, A + 1)),
}


@pytest.mark.parametrize("f, arguments", NO_MEMORY.values(), ids=NO_MEMORY)
def test_no_temporary(f, arguments):
    assert_same(f, *arguments, rtol=1e-12)
    assert allocations(f, *arguments) == 0


def one_result(a, b, c):
    return np.sqrt(a * a + b * b) * c - 2 * a / (b + 100)


def reused(a):
    b = a * 2
    return b + b, b


@pytest.mark.parametrize("f, arrays", [(one_result, 1), (reused, 2)])
def test_memory_for_results_only(f, arrays):
    arguments = [V, V + 1, V + 2][: f.__code__.co_argcount]
    assert_same(f, *arguments, rtol=1e-12)
    assert allocations(f, *arguments) == arrays


def test_intermediate_arrays_are_counted():
    def f(a):
        b = a * 2
        b[0] = 7
        return np.sum(b)

    assert_same(f, V)
    assert allocations(f, V) == 1


# -- a store into what the right side reads -----------------------------------------------------


def forward(a):
    a[1:] = a[:-1] + 1


def backward(a):
    a[:-1] = a[1:] * 2


def mirrored(a):
    a[:] = a[::-1]


def mirrored_sum(a):
    a[:] = a + a[::-1]


def swapped_halves(a):
    n = a.shape[0] // 2
    a[:n], a[n : 2 * n] = a[n : 2 * n] + 0, a[:n] + 0


def interleaved(a):
    a[::2] = a[1::2] - a[: a.shape[0] // 2]


def add_in_place(a):
    a[1:] += a[:-1]


def first_into_all(a):
    a[:] = a[0] + 1


def last_into_all(a):
    a[...] = a[-1:] * 2


def added_twice(a):
    a += a
    a *= a[::-1]


@pytest.mark.parametrize(
    "f",
    [forward, backward, mirrored, mirrored_sum, swapped_halves, interleaved, add_in_place,
     first_into_all, last_into_all, added_twice],
    ids=lambda f: f.__name__,
)  # fmt: skip
@pytest.mark.parametrize("dtype", "dliF")
def test_overlap_along_one_axis(f, dtype):
    for n in (2, 8, 40):
        a = values(n, dtype)
        assert_same(f, a)
        assert_same(f, strided(a))
        assert_same(f, reversed_axes(a))


def plus_transposed(a):
    a += a.T


def transposed(a):
    a[...] = a.T * 1


def rows_down(a):
    a[1:] = a[:-1]


def columns_right(a):
    a[:, 1:] = a[:, :-1] + 1


def corner(a):
    a[1:, 1:] = a[:-1, :-1] * 2


def other_corner(a):
    a[:-1, 1:] = a[1:, :-1]


def first_row_into_all(a):
    a[:] = a[0]


def first_column_into_all(a):
    a[:] = a[:, :1] + a[:, 1:2]


def upside_down(a):
    a[::-1, ::-1] = a


def rows_of_columns(a):
    a[0] = a[:, 0]


def neighbours(a):
    a[1:-1, 1:-1] = (a[:-2, 1:-1] + a[2:, 1:-1] + a[1:-1, :-2] + a[1:-1, 2:]) / 4


@pytest.mark.parametrize(
    "f",
    [plus_transposed, transposed, rows_down, columns_right, corner, other_corner,
     first_row_into_all, first_column_into_all, upside_down, rows_of_columns, neighbours],
    ids=lambda f: f.__name__,
)  # fmt: skip
def test_overlap_along_two_axes(f):
    a = values((7, 7))
    for b in (a, f_order(a), strided(a), reversed_axes(a), a[1:6, 1:6]):
        assert_same(f, b)


# -- several arguments over one memory ----------------------------------------------------------


def add_into(a, b, out):
    np.add(a, b, out=out)


def add_into_by_position(a, b, out):
    np.add(a, b * 2, out)


def expression_into(a, b, out):
    out[:] = a * 2 - b


def loop_free_update(a, b, out):
    out += a
    out -= b[::-1]


def placed(memory, parts):
    """Views of one memory: arguments that overlap stay so when they are cloned."""
    return [memory[part] for part in parts]


SHIFTS = {
    "same": (slice(0, 12), slice(0, 12), slice(0, 12)),
    "out is the first": (slice(0, 12), slice(20, 32), slice(0, 12)),
    "out is the second": (slice(20, 32), slice(0, 12), slice(0, 12)),
    "out one behind": (slice(0, 12), slice(20, 32), slice(1, 13)),
    "out one before": (slice(1, 13), slice(20, 32), slice(0, 12)),
    "out between": (slice(0, 12), slice(8, 20), slice(4, 16)),
    "reversed": (slice(11, None, -1), slice(20, 32), slice(0, 12)),
    "interleaved": (slice(0, 24, 2), slice(1, 25, 2), slice(0, 12)),
    "half as dense": (slice(0, 12), slice(12, 24), slice(0, 24, 2)),
    "apart": (slice(0, 12), slice(12, 24), slice(24, 36)),
}


@pytest.mark.parametrize("parts", SHIFTS.values(), ids=SHIFTS)
@pytest.mark.parametrize(
    "f", [add_into, add_into_by_position, expression_into, loop_free_update],
    ids=lambda f: f.__name__,
)  # fmt: skip
def test_out_over_an_operand(f, parts):
    for dtype in "dl":
        assert_same(f, *placed(values(40, dtype), parts))


def halves(a, b):
    b[:] = a[::2] * 3


def widen(narrow, wide):
    wide[:] = narrow[: wide.shape[0]] + 1


def narrow_down(wide, narrow):
    narrow[: wide.shape[0]] = wide * 2


@pytest.mark.parametrize("shift", [0, 8, 16, 40])
def test_overlap_of_different_dtypes(shift):
    """One memory seen as two dtypes; each sees bytes that the other stores."""
    for first, second in ("dl", "df", "lB", "di", "if"):
        for f in (widen, narrow_down):
            # Cloning does not keep two dtypes over one memory: mine and NumPy's are made apart.
            outcomes = []
            for run in (f, njit(f)):
                memory = np.arange(160, dtype="B").reshape(-1) % 60
                a = memory[:80].view(first)
                b = memory[shift : shift + 80].view(second)
                n = min(a.size, b.size)
                with np.errstate(all="ignore"):
                    run(a[:n], b[:n])
                outcomes.append(memory)
            assert np.array_equal(*outcomes), (f.__name__, first, second)


def test_return_values_do_not_share_memory():
    """A result that NumPy makes new is new, also when the expression changes nothing."""

    @njit
    def f(a):
        return a + 0, +a, a * 1, np.positive(a)

    a = values((3, 4))
    for result in f(a):
        assert not np.shares_memory(result, a)


def delayed(a, b):
    c = a * 2
    a[0] = 100
    d = c + a
    b[:] = d
    b[0] = -1
    return c, d


def delayed_in_loop(a):
    total = 0.0
    for i in range(3):
        b = a + i
        a[i] = -1
        total += np.sum(b)
    return total


def delayed_in_branch(a, flag):
    b = a * 3
    if flag:
        a[:] = 0
    return b


@njit
def clobber(a):
    a[:] = 7
    return 1.0


def changed_by_a_call(a):
    return np.sum(a * 2 + clobber(a))


def changed_by_an_argument(a):
    return np.maximum(a + 1, clobber(a))


def changed_between(a):
    b = a - 1
    clobber(a)
    return np.sum(b)


def test_calls_change_operands():
    for f in (changed_by_a_call, changed_by_an_argument, changed_between):
        assert_same(f, values(6))


def test_expressions_are_evaluated_before_their_operands_change():
    assert_same(delayed, values(6), values(6))
    assert_same(delayed_in_loop, values(6))
    for flag in (True, False):
        assert_same(delayed_in_branch, values(6), flag)
