"""np.busday_offset, np.busday_count, np.is_busday."""

import numpy as np
import pytest
from language.support import assert_same
from numjit import njit
from numjit.errors import TypingError

DAYS = np.arange("2023-12-20", "2024-03-10", dtype="M8[D]")
OFF = np.array(["2024-01-01", "2023-12-25", "2024-01-06", "2024-02-14", "NaT"], "M8[D]")
STEPS = np.random.default_rng(1).integers(-30, 30, DAYS.size)
ROLLS = (
    "forward",
    "following",
    "backward",
    "preceding",
    "modifiedfollowing",
    "modifiedpreceding",
    "nat",
)


def same(text, *arguments):
    """As NumPy, with NaT as a number."""
    f = eval(f"lambda a, b, off: {text}", {"np": np})
    wanted, result = f(*arguments), njit(f)(*arguments)
    assert np.asarray(result).dtype == np.asarray(wanted).dtype
    assert np.shape(result) == np.shape(wanted)
    assert (np.asarray(result).view(np.int64) == np.asarray(wanted).view(np.int64)).all()


@pytest.mark.parametrize("roll", ROLLS)
@pytest.mark.parametrize("mask", ["'1111100'", "'Mon Tue WedSat'", "[1, 0, 1, 0, 0, 0, 1]"])
def test_offsets(roll, mask):
    same(f"np.busday_offset(a, b, '{roll}', {mask}, off)", DAYS, STEPS, OFF)
    same(f"np.busday_offset(a, b, '{roll}', weekmask={mask})", DAYS, STEPS, OFF)
    same(f"np.busday_offset(a, b[3], roll='{roll}')", DAYS, STEPS, OFF)
    same(f"np.busday_offset(a[2], b[3], roll='{roll}', weekmask={mask})", DAYS, STEPS, OFF)


def test_offsets_of_texts_and_months():
    same("np.busday_offset('2011-10', 0, roll='forward')", DAYS, STEPS, OFF)
    same("np.busday_offset(a.astype('M8[M]'), b, 'forward')", DAYS, STEPS, OFF)


@pytest.mark.parametrize("rest", ["", ", '1101101'", ", '1101101', off"])
def test_counts(rest):
    same(f"np.busday_count(a, b{rest})", DAYS, DAYS[::-1].copy(), OFF)
    same(f"np.busday_count(a[0], b{rest})", DAYS, DAYS, OFF)
    assert_same(eval(f"lambda a, off: int(np.busday_count(a[5], a[40]{rest}))"), DAYS, OFF[:-1])


@pytest.mark.parametrize("rest", ["", ", '1111111', off"])
def test_which_days(rest):
    same(f"np.is_busday(a{rest}).view(np.int8).astype(np.int64)", np.append(DAYS, OFF), 0, OFF)
    assert_same(eval(f"lambda a, off: bool(np.is_busday(a[3]{rest}))"), DAYS, OFF[:-1])


@pytest.mark.parametrize(
    "call",
    [
        "np.busday_offset(a, 1)",
        "np.busday_offset(off[::-1], 1)",
        "np.busday_offset(a, 1, 'x')",
        "np.is_busday(a, 'abc')",
        "np.is_busday(a, '1111x00')",
        "np.is_busday(a, '0000000')",
        "np.is_busday(a, [1, 0])",
        "np.busday_count(off, a[0])",
    ],
)
def test_errors(call):
    f = eval(f"lambda a, off: {call}", {"np": np})
    with pytest.raises(ValueError) as wanted:
        f(DAYS, OFF)
    with pytest.raises(ValueError) as raised:
        njit(f)(DAYS, OFF)
    assert str(raised.value) == str(wanted.value)


def test_other_types_are_refused():
    with pytest.raises(TypingError, match="business days are those of datetime64"):
        njit(lambda a: np.is_busday(a))(np.arange(3.0))


def test_no_holidays():
    first, last = np.datetime64("2024-01-02"), np.datetime64("2024-02-29")

    def counts(a, b):
        return np.busday_count(a, b, holidays=()), np.is_busday(a, holidays=())

    assert njit(counts)(first, last) == counts(first, last)
