"""datetime.timedelta in compiled code: the same values, types and errors as in the interpreter."""

import operator
import pickle
from datetime import timedelta

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numjit import njit, typed, typeof, types
from numjit.errors import TypingError

SOME = [
    timedelta(0),
    timedelta(microseconds=1),
    timedelta(microseconds=-1),
    timedelta(days=1, seconds=3, microseconds=500_001),
    timedelta(days=-3, hours=5),
    timedelta(days=36_500, seconds=86_399, microseconds=999_999),
]
HUGE = [timedelta.max, timedelta.min, timedelta(days=200_000_000)]
FACTORS = [0, 1, -1, 3, -7, 10**6, 0.5, -0.5, 1.5, 1 / 3, -2.25, 1e-7, 0.0, np.int32(4), True]


def outcome(function, *arguments):
    try:
        return function(*arguments)
    except (ZeroDivisionError, OverflowError, ValueError) as error:
        return type(error)


def is_beyond(made, wanted):
    """Whether a result is refused because floats know it no more: 285 years."""
    return made is OverflowError and (
        wanted is OverflowError or abs(wanted) >= timedelta(microseconds=2**53 - 1)
    )


def same(made, wanted):
    assert type(made) is type(wanted), (made, wanted)
    assert made == wanted


COMPILED = {}


def compiled(function):
    return COMPILED.setdefault(function, njit(function))


NAMES = "add sub truediv floordiv mod eq ne lt le gt ge".split()
BINARY = [
    *(eval(f"lambda a, b: operator.{name}(a, b)", {"operator": operator}) for name in NAMES),
    lambda a, b: divmod(a, b),
]
SCALED = [lambda a, n: a * n, lambda a, n: n * a, lambda a, n: a / n, lambda a, n: a // n]
UNARY = [
    lambda a: -a,
    lambda a: +a,
    lambda a: abs(a),
    lambda a: bool(a),
    lambda a: hash(a),
    lambda a: str(a),
    lambda a: repr(a),
    lambda a: a.total_seconds(),
    lambda a: (a.days, a.seconds, a.microseconds),
    lambda a: isinstance(a, timedelta),
    lambda a: f"{a}",
]


@pytest.mark.parametrize("number", range(len(BINARY)))
def test_operators(number):
    f = BINARY[number]
    for a in SOME:
        for b in SOME:
            same(outcome(compiled(f), a, b), outcome(f, a, b))


@pytest.mark.parametrize("number", range(len(SCALED)))
def test_factors(number):
    f = SCALED[number]
    for a in SOME:
        for n in FACTORS:
            if number < 3 or not isinstance(n, float):
                made, wanted = outcome(compiled(f), a, n), outcome(f, a, n)
                if not (isinstance(n, float) and is_beyond(made, wanted)):
                    same(made, wanted)


@pytest.mark.parametrize("number", range(len(UNARY)))
def test_unary(number):
    for a in SOME:
        same(outcome(compiled(UNARY[number]), a), outcome(UNARY[number], a))


whole = st.integers(-(2**52), 2**52).map(lambda n: timedelta(microseconds=n))


@settings(max_examples=300, deadline=None)
@given(whole, st.floats(-1000, 1000))
def test_products_with_floats_round_as_pythons_do(a, x):
    wanted = outcome(SCALED[0], a, x)
    made = outcome(compiled(SCALED[0]), a, x)
    if not is_beyond(made, wanted):
        same(made, wanted)


@settings(max_examples=300, deadline=None)
@given(whole, st.floats(-1000, 1000))
def test_quotients_by_floats_round_as_pythons_do(a, x):
    wanted = outcome(SCALED[2], a, x)
    made = outcome(compiled(SCALED[2]), a, x)
    if not is_beyond(made, wanted):
        same(made, wanted)


@settings(max_examples=200, deadline=None)
@given(whole, whole)
def test_quotients_are_the_nearest_floats(a, b):
    same(outcome(compiled(BINARY[2]), a, b), outcome(BINARY[2], a, b))


def test_made_from_keywords():
    @njit
    def make(days, hours, ms, weeks):
        return timedelta(days, hours=hours, milliseconds=ms, weeks=weeks)

    for given_parts in [(1, 2, 3, 4), (0.5, -1, 0.0005, 0), (-1, 0.25, 1.0005, 1.5), (0, 0, 0, 0)]:
        same(make(*given_parts), make.py_func(*given_parts))

    @njit
    def micro(x):
        return timedelta(microseconds=x)

    for x in (0.5, 1.5, 2.5, -0.5, -1.5, 0.49999, 3, -(10**15)):
        same(micro(x), micro.py_func(x))
    assert outcome(micro, float("nan")) is ValueError
    assert outcome(micro, float("inf")) is OverflowError
    assert outcome(njit(lambda n: timedelta(weeks=n)), 2**62) is OverflowError
    with pytest.raises(TypingError, match="takes integers and floats"):
        micro("a")


def test_limits():
    @njit
    def itself(a):
        return a

    for a in HUGE:  # they come and go; arithmetic has 64 bits of microseconds
        same(itself(a), a)
        assert outcome(njit(lambda a: a + a), a) is OverflowError
        same(njit(lambda a: a.days)(a), a.days)
    same(njit(lambda a: a < timedelta(1))(timedelta.min), True)
    assert outcome(compiled(SCALED[0]), timedelta(days=10**5), 10**9) is OverflowError


def test_refused():
    with pytest.raises(TypingError, match="added to a timedelta"):
        njit(lambda a: a + 1)(SOME[1])
    with pytest.raises(TypingError, match="compared with a timedelta"):
        njit(lambda a: a < 1)(SOME[1])
    same(njit(lambda a: a == 1)(SOME[1]), False)


DAY = timedelta(days=1)


def test_in_containers_and_as_globals():
    same(njit(lambda a: a + DAY)(DAY), DAY + DAY)
    same(njit(lambda items: items[1] - items[0])([DAY, 3 * DAY]), 2 * DAY)
    same(njit(lambda d: d[DAY])({DAY: 7}), 7)
    same(njit(lambda n: {DAY * i for i in range(n)})(3), {DAY * i for i in range(3)})
    same(njit(lambda items: sorted(items))([3 * DAY, DAY, -DAY]), [-DAY, DAY, 3 * DAY])
    same(njit(lambda items: max(items))([DAY, 2 * DAY]), 2 * DAY)
    table = typed.Dict()
    table[1] = DAY
    same(njit(lambda d: d[1] * 3)(table), 3 * DAY)
    same(pickle.loads(pickle.dumps(njit(lambda x: x)(DAY))), DAY)

    @njit
    def total(items):
        result = timedelta(0)
        for each in items:
            result += each
        return result

    same(total(SOME), sum(SOME, timedelta(0)))


def test_type():
    assert str(typeof(DAY)) == "timedelta(int64, int64, int64)"
    assert typeof(DAY) == types.TimedeltaType()
    f = njit((types.TimedeltaType(),))(lambda x: x * 2)
    same(f(DAY), 2 * DAY)
    with pytest.raises(TypeError):
        f(0.5)
