"""datetime64 and timedelta64: units, arithmetic, comparison, NaT, arrays."""

import numpy as np
import pytest
from language.support import assert_same, compiled
from numjit import njit, typeof, types
from numjit.errors import TypingError

pytestmark = pytest.mark.one_python

UNITS = ["Y", "M", "W", "D", "h", "m", "s", "ms", "us", "ns"]
DATES = ["2020-02-29", "1969-12-31", "1970-01-01", "2399-03-01", "0001-01-01", "NaT"]


def same(actual, expected):
    if isinstance(expected, tuple):
        assert isinstance(actual, tuple) and len(actual) == len(expected)
        for a, b in zip(actual, expected):
            same(a, b)
        return
    if isinstance(expected, (np.datetime64, np.timedelta64, np.ndarray)):
        assert actual.dtype == expected.dtype, (actual, expected)
        assert (
            np.array_equal(actual.view("i8"), expected.view("i8"))
            if isinstance(expected, np.ndarray) and expected.dtype.kind in "mM"
            else np.array_equal(
                np.asarray(actual).view("i8") if expected.dtype.kind in "mM" else actual,
                np.asarray(expected).view("i8") if expected.dtype.kind in "mM" else expected,
            )
        ), (actual, expected)
        return
    assert actual == expected or (actual != actual and expected != expected), (actual, expected)


def check(f, *args):
    same(compiled(f)(*args), f(*args))


@pytest.mark.parametrize("unit", UNITS)
def test_in_and_out(unit):
    def f(x):
        return x

    for text in DATES[2:3] if unit == "ns" else DATES:
        value = np.datetime64(text, unit)
        check(f, value)
        check(f, np.array([value, value]))
    check(f, np.timedelta64(-3, unit))
    assert str(typeof(np.datetime64("NaT", unit))) == f"datetime64[{unit}]"


@pytest.mark.parametrize("other", ["D", "h", "s", "ns"])
def test_arithmetic_in_two_units(other):
    def f(t, d):
        return t + d, d + t, t - d, t - t, -d, +d, abs(d), d + d, d - d

    for days in (-3, 0, 40):
        d = np.timedelta64(days, "D").astype(f"m8[{other}]")
        check(f, np.datetime64("2020-02-28", "D"), d)
        check(f, np.datetime64("2020-02-28T10:00", "m"), d)
        check(f, np.datetime64("NaT", "s"), d)


def test_months_and_years():
    def f(t, d):
        return t + d, t - d

    check(f, np.datetime64("2020-02", "M"), np.timedelta64(13, "M"))
    check(f, np.datetime64("2020", "Y"), np.timedelta64(13, "M"))
    check(f, np.datetime64("2020", "Y"), np.timedelta64(2, "Y"))


def test_numbers_times_durations():
    def f(d, i, x):
        return d * i, i * d, d * x, d / i, d / x, d // i, d / d, d // d, d % d

    check(f, np.timedelta64(-7, "s"), 2, 1.5)
    check(f, np.timedelta64(7, "h"), -2, 0.25)

    def g(a, b):
        return a / b, a // b, a % b

    check(g, np.timedelta64(-7, "s"), np.timedelta64(2000, "ms"))
    check(g, np.timedelta64(90, "m"), np.timedelta64(1, "h"))


@pytest.mark.parametrize("pair", [("D", "D"), ("D", "s"), ("M", "D"), ("Y", "ns")])
def test_comparison(pair):
    def f(a, b):
        return a < b, a <= b, a > b, a >= b, a == b, a != b

    a = [np.datetime64("2020-01-01").astype(f"M8[{pair[0]}]"), np.datetime64("NaT", pair[0])]
    b = [
        np.datetime64(x).astype(f"M8[{pair[1]}]")
        for x in ("2020-01-01", "2019-12-31", "2021-05-05")
    ]
    for x in a:
        for y in b:
            check(f, x, y)
            check(f, y, x)


def test_constants():
    start = np.datetime64("2020-01-01")

    def f(n):
        a = np.datetime64("2021-03-04T05:06") - start
        return a, start + n * np.timedelta64(2, "D"), np.timedelta64(n, "s"), np.datetime64("NaT")

    check(f, 3)


def test_isnat_and_sign():
    def f(x, d):
        return np.isnat(x), np.isnat(d), np.abs(d), np.absolute(d)

    check(f, np.datetime64("NaT", "s"), np.timedelta64(-5, "s"))
    check(f, np.datetime64(3, "s"), np.timedelta64("NaT", "s"))
    sign = njit(lambda d: np.sign(d))  # a float since NumPy 2.5
    assert [sign(np.timedelta64(i, "s")) for i in (-5, 0, 7)] == [-1.0, 0.0, 1.0]
    assert np.isnan(sign(np.timedelta64("NaT", "s")))


def dates():
    return np.array(["2020-01-03", "NaT", "2019-05-05", "2024-12-31"], "M8[D]")


def durations():
    return np.array([3, -5, 0, 40], "m8[h]")


def test_element_wise():
    def f(t, d):
        later = t + d
        return later, t - t[0], d * 2, d / np.timedelta64(1, "m"), t < t[0], np.isnat(t), -d, abs(d)

    check(f, dates(), durations())


def test_loops_over_arrays():
    def f(t, d):
        out = np.empty(len(t), "M8[s]")
        for i in range(len(t)):
            out[i] = t[i] + d[i]
        n = 0
        for x in t:
            if x > np.datetime64("2020-01-01"):
                n += 1
        out[1:2] = t[0]
        return out, n

    check(f, dates(), durations())


def test_reductions():
    def f(t, d):
        return (
            t.min(), t.max(), np.min(t[2:]), np.max(t[2:]), d.sum(), np.sum(d), d.min(), d.max(),
            np.diff(t), np.diff(d), t.argmin(), d.argmax(), d.mean(), np.cumsum(d),
        )  # fmt: skip

    check(f, dates(), durations())


def test_sorting():
    def f(t, d):
        t = t.copy()
        s = np.sort(t)
        t.sort()
        return s, t, np.argsort(d), np.unique(d), np.searchsorted(np.sort(d), d[0])

    check(f, dates(), durations())


def test_conversion():
    def f(t):
        return t.astype("M8[s]"), t.astype("M8[M]"), t.astype("M8[Y]"), t.astype(np.int64)

    check(f, dates()[[0, 2, 3]])
    check(f, np.datetime64("1969-07-20"))

    def g(t):
        return t.view(np.int64), t.view(np.int64).view("M8[D]")

    check(g, dates())


def test_choice():
    def f(t):
        return np.where(np.isnat(t), t[0], t), np.maximum(t, t[0]), min(t[0], t[2]), max(t[0], t[2])

    check(f, dates())


def test_variables_meet_in_the_finer_unit():
    def f(c, a, b):
        if c:
            x = a
        else:
            x = b
        return x

    made = compiled(f)(True, np.datetime64("2020-01-01", "D"), np.datetime64(5, "s"))
    assert made == np.datetime64("2020-01-01", "s") and made.dtype == "M8[s]"


def test_types():
    assert types.NPDatetime("D")[::1] is typeof(dates())
    assert str(types.NPTimedelta("ns")) == "timedelta64[ns]"

    @njit(types.NPTimedelta("s")(types.NPDatetime("s"), types.NPDatetime("s")))
    def f(a, b):
        return a - b

    assert f(np.datetime64(7, "s"), np.datetime64(2, "s")) == np.timedelta64(5, "s")


def test_refused():
    with pytest.raises(TypingError, match="operator.add"):
        njit(lambda a, b: a + b)(np.datetime64(1, "s"), np.datetime64(1, "s"))
    with pytest.raises(TypingError, match="No implementation of function"):
        njit(lambda a: np.sin(a))(dates())
    with pytest.raises(TypingError, match="Invalid datetime unit"):
        njit(lambda a: np.datetime64(a, "fortnight"))(1)
    with pytest.raises(TypingError, match="Error parsing datetime64 string"):
        njit(lambda: np.datetime64("2020-13-01"))()


def test_sorting_of_lists():
    def f(days):
        l = [day for day in days]
        l.sort(reverse=True)
        return (
            l,
            sorted(days),
            sorted([d - days[0] for d in days]),
            sorted(l, key=lambda d: -(d - l[0])),
        )

    days = np.array(["2020-02-01", "2020-01-01", "2021-05-05"], "M8[D]")
    assert compiled(f)(days) == f(days)


DAYS = np.array(["2020-01-05", "2019-03-01", "NaT", "2021-07-09"], "M8[D]")
SPANS = np.array([5, -3, 8, 2], "m8[s]")


@pytest.mark.parametrize("text", [
    "np.nanmin(days)", "np.nanmax(days)", "np.nanmax(spans)", "np.median(spans)",
    "np.median(spans[:3])", "np.isnan(days)", "np.isfinite(days)", "np.isinf(spans)",
    "np.isnan(days[2])",
])  # fmt: skip
def test_functions_of_arrays_that_know_nat(text):
    f = eval(f"lambda days, spans: {text}", {"np": np})
    same(njit(f)(DAYS, SPANS), f(DAYS, SPANS))


@pytest.mark.parametrize("text", ["-days", "~spans", "np.cumsum(days)", "days + 1.5", "days * 2"])
def test_operations_that_times_have_not(text):
    with pytest.raises(TypingError, match="No implementation|cannot use"):
        njit(eval(f"lambda days, spans: {text}", {"np": np}))(DAYS, SPANS)


def test_texts():
    def f(x):
        return str(x), repr(x), f"{x}"

    for unit in UNITS:
        for date in DATES:
            check(f, np.datetime64(date, unit))
        for count in (0, 1, -7, "NaT"):
            check(f, np.timedelta64(count, unit))
    for unit, moment in (("h", "1969-12-31T23"), ("s", "2020-03-05T07:08:09"), ("as", 5 * 10**18)):
        check(f, np.datetime64(moment, unit))
    check(f, np.datetime64("2020-03-05T07:08:09.000123", "us"))


@pytest.mark.parametrize("text", [
    "a, b", "a, b, step", "a, 5", "b, a", "b, a, -2", "step", "step - step, step, 2",
    "np.datetime64('2020-01'), np.datetime64('2020-05')", "a, b, np.timedelta64(36, 'h')",
])  # fmt: skip
def test_arange_of_times(text):
    f = eval(f"lambda a, b, step: np.arange({text})", {"np": np})
    arguments = np.datetime64("2020-01-01"), np.datetime64("2020-01-09"), np.timedelta64(3, "D")
    same(njit(f)(*arguments), f(*arguments))


@pytest.mark.parametrize("dtype", ["M8[s]", "m8[D]"])
def test_numbers_become_times(dtype):
    f = eval(f"lambda a: a.astype('{dtype}')")
    for a in (np.array([3, -1]), np.array([2.7, -1.5])):
        same(njit(f)(a), f(a))


def test_products_of_times_are_refused():
    with pytest.raises(TypingError):
        njit(lambda a: a.dot(a))(SPANS)


_SPAN = np.timedelta64(5, "s")


@pytest.mark.parametrize("text", [
    "(_SPAN // _SPAN) << 63", "(_SPAN // np.timedelta64(1, 's')) * 2**62",
    "-(_SPAN // _SPAN) << 64", "(_SPAN // _SPAN) * (2**63 - 1) + 1",
    "(_SPAN // np.timedelta64(0, 's')) + 1",
])  # fmt: skip
def test_quotients_of_constants_are_numpys_ints(text):
    f = eval(f"lambda: {text}", globals())
    with np.errstate(all="ignore"):
        assert njit(f)() == f()


def test_times_are_keys():
    def f(a):
        counts = {}
        for x in a:
            counts[x] = counts.get(x, 0) + 1
        return counts, set(a), hash(a[0]) == hash(a[2]), a[1] in {a[0]: 1, a[2]: 2}

    for dtype in ("M8[D]", "m8[s]", "M8[ns]"):
        a = np.array([5, -7, 5, 0], "i8").astype(dtype)
        counts, items, same, found = njit(f)(a)
        assert dict(counts) == f(a)[0] and items == set(a) and same and not found
    assert njit(lambda x: hash(x))(np.timedelta64(-9, "s")) == hash(-9)


def test_truth_of_single_times():
    def f(x):
        return np.all(x), np.any(x), bool(x)

    for x in (
        np.timedelta64(0, "s"),
        np.timedelta64(3, "D"),
        np.datetime64("2020"),
    ):
        assert_same(f, x)


def test_integers_of_times():
    f = njit(lambda x: int(x))
    when = np.datetime64("2020-01-01T01:02:03", "ns")
    assert f(when) == int(when) and f(np.timedelta64(-3, "ns")) == -3
    with pytest.raises(TypingError, match=r"Only datetime64\[ns\] can be converted, but got"):
        f(np.datetime64("2020-01-01"))


def along_no_axis(d):
    return d.mean(), np.mean(d, keepdims=True), d.sum(keepdims=True)


def along_the_first(d):
    return d.mean(axis=0), d.sum(axis=0, keepdims=True), d.min(axis=0, keepdims=True)


def along_the_last(d):
    return np.mean(d, -1), np.mean(d, axis=-1, keepdims=True), np.max(d, axis=-1, keepdims=True)


def along_both(d):
    return np.mean(d, axis=(0, 1)), d.sum(axis=(0, 1))


@pytest.mark.parametrize("f", [along_no_axis, along_the_first, along_the_last, along_both])
def test_means_and_sums_along_axes(f):
    durations = np.array([[1, -2, 8], [3, 4, 8]], "m8[s]")
    missing = durations.copy()
    missing[0, 1] = "NaT"
    for d in (durations, missing, durations.T, durations[:, ::-2]):
        check(f, d)
    if f in (along_no_axis, along_the_first):
        check(f, durations[1])
