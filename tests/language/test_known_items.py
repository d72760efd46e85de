"""Lists and dicts whose items have several types, and lists behind a star: where only the function
sees them, they are tuples and literal dicts to the compiler."""

import itertools
import math

import numpy as np
import pytest
from language.support import assert_same
from numjit import njit
from numjit.core.errors import TypingError

a = np.arange(6.0).reshape(2, 3)
b = np.arange(3.0)
c = np.arange(3)
d = np.arange(3.0).astype(np.float32)

MIXTURES = {
    "one type": (b, b + 1),
    "dimensions": (a, b),
    "dtypes": (b, c),
    "three": (a, c, d),
    "one": (a,),
    "none": (),
    "numbers": (1, 2.5, 3j),
    "number and array": (2.0, a),
}


@njit
def total(*xs):
    s = 0.0
    for x in xs:
        s += np.sum(x)
    return s


@njit
def first_and_more(first, *more, scale=1.0):
    return np.sum(first) * scale + 10 * len(more)


def comprehension(*args):
    arrays = [np.asarray(x) for x in args]
    return total(*arrays)


def display(*args):
    return total(*[np.asarray(x) for x in args])


def mapped(*args):
    return total(*map(np.asarray, args))


def generator(*args):
    return total(*(np.asarray(x) for x in args))


def tuple_of_generator(*args):
    return total(*tuple(np.asarray(x) for x in args))


def tuple_of_map(*args):
    return total(*tuple(map(np.asarray, args)))


def appended(*args):
    arrays = []
    for x in args:
        arrays.append(np.asarray(x) * 2)
    return total(*arrays)


def begun(*args):
    arrays = [np.ones(2)]
    for x in args:
        arrays.append(np.asarray(x))
    arrays.extend(args)
    return total(*arrays), len(arrays)


def assigned(*args):
    arrays = [np.asarray(x) for x in args]
    arrays.append(b)
    arrays[0] = arrays[0] * 3.0
    arrays[-1] = np.asarray(arrays[-1]) + 1
    return total(*arrays)


def shared(*args):
    arrays = [np.asarray(x) for x in args]
    most = max([x.ndim for x in arrays] + [0])
    return most, len(arrays), sum([x.size for x in arrays]), total(*arrays)


def broadcast(*args):
    arrays = [np.asarray(x) for x in args]
    shape = np.broadcast_shapes(*[x.shape for x in arrays])
    return total(*[np.broadcast_to(x, shape) for x in arrays])


def promoted(*args):
    arrays = [np.asarray(x) for x in args]
    dtype = np.result_type(*[x.dtype for x in arrays])
    return [x.astype(dtype).sum() for x in arrays]


def twice(*args):
    arrays = [np.asarray(x) for x in args]
    arrays = [x * 2 for x in arrays]
    arrays = [x + 1 for x in arrays]
    return total(*arrays)


def in_branches(*args):
    arrays = [np.asarray(x) for x in args]
    if len(args) > 1:
        arrays = [x * 2 for x in arrays]
    return total(*arrays)


def read_before_the_end(*args):
    arrays = [np.ones(2)]
    before = len(arrays)
    for x in args:
        arrays.append(np.asarray(x))
    return before, len(arrays), total(*arrays)


def stepwise(*args):
    arrays = []
    seen = 0
    for x in args:
        arrays.append(np.asarray(x))
        seen += 10 * len(arrays) + arrays[0].ndim
    return seen, total(*arrays)


def mixed(*args):
    return first_and_more(1.0, *[np.asarray(x) for x in args], scale=2.0)


FUNCTIONS = [
    comprehension, display, mapped, generator, tuple_of_generator, tuple_of_map, appended, begun,
    assigned, shared, broadcast, promoted, twice, in_branches, read_before_the_end, stepwise, mixed,
]  # fmt: skip


@pytest.mark.parametrize("items", MIXTURES)
@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.__name__)
def test_items_of_several_types(function, items):
    args = MIXTURES[items]
    if function in (broadcast, promoted) and items == "none":
        pytest.skip("NumPy raises: there is no dtype, or compilation does not know of a shape")
    if function is promoted and items in ("numbers", "number and array", "three", "dtypes"):
        pytest.skip("a list of sums of several dtypes is returned, which has no one type")
    expected = function(*args)
    got = njit(function)(*args)
    assert np.array_equal(np.asarray(got), np.asarray(expected))


def test_unpacking():
    def f(x, y):
        p, q = map(np.asarray, (x, y))
        r, s = (np.atleast_2d(t) for t in (x, y))
        return p.ndim, q.ndim, r.shape, s.shape

    assert njit(f)(a, b) == f(a, b)
    assert njit(f)(a, c) == f(a, c)


def test_changes_are_in_order():
    def f(x, y):
        items = [x]
        one = len(items)
        items.append(y)
        two = items[-1].ndim
        items[0] = y
        return one, two, items[0].ndim, items[1].ndim

    assert njit(f)(a, b) == f(a, b)


def test_change_on_one_way():
    def f(x, y, more):
        items = [x]
        if more:
            items.append(y)
        return len(items)

    for more in (True, False):
        assert njit(f)(a, b, more) == f(a, b, more)


def test_change_in_a_loop():
    def f(x, y, n):
        items = [x]
        for _ in range(n):
            items.append(x)
        return first_and_more(*items), len(items)

    assert njit(f)(b, a, 3) == f(b, a, 3)


def test_change_while_iterating():
    def f(x, y):
        items = [x, y]
        seen = 0
        for item in items:
            seen += item.ndim
            items[1] = x
        return seen

    try:
        assert njit(f)(a, b) == f(a, b)
    except TypingError:
        pass


def test_change_before_an_exception():
    def f(x, y, n):
        items = [x]
        try:
            items.append(y * (6 // n))
        except ZeroDivisionError:
            pass
        return len(items)

    assert njit(f)(b, a, 0) == f(b, a, 0) == 1
    assert njit(f)(b, a, 2) == f(b, a, 2) == 2


def test_list_that_is_returned_stays_one():
    def f(x, y):
        items = [x, y]
        return items

    got = njit(f)(b, b + 1)
    assert isinstance(got, list) and len(got) == 2


def test_other_names_see_changes():
    def f(x, y):
        items = [x]
        same = items
        same.append(y)
        return len(items)

    assert njit(f)(b, b) == 2


def test_change_behind_another_name_for_one_of_two_lists():
    def f(x, y, flag):
        items = [x, y]
        other = items if flag else [y]
        items.append(x)
        return total(*other), len(other)

    for flag in (True, False):
        try:
            assert njit(f)(a, b, flag) == f(a, b, flag)
        except TypingError:
            pass


def test_change_behind_another_name_for_one_of_two_dicts():
    def f(x, flag):
        settings = {"factor": 2.0}
        other = settings if flag else {}
        settings["power"] = 2
        return scaled(x, **other)

    for flag in (True, False):
        try:
            np.testing.assert_array_equal(njit(f)(a, flag), f(a, flag))
        except TypingError:
            pass


# --- how many items there are is known at run time only ---


def lists():
    return [[1.5], [1.5, 2.5], [1.5, 2.5, -3.5, 0.5]]


@pytest.mark.parametrize("items", lists(), ids=len)
@pytest.mark.parametrize("make", [list, np.array, tuple], ids=lambda f: f.__name__)
def test_varargs(items, make):
    def f(items):
        return first_and_more(*items), total(*items), first_and_more(2.0, *items, scale=3.0)

    assert njit(f)(make(items)) == f(make(items))


def test_varargs_of_sets_and_generators():
    def f(n):
        squares = {i * i for i in range(n)}
        table = {i: 2.0 * i for i in range(n)}
        return total(*squares), total(*table), total(*table.values()), total(*range(n))

    assert njit(f)(5) == f(5)


def test_too_few_items():
    @njit
    def f(items):
        return first_and_more(*items)

    assert f(np.ones(1)) == 1.0
    with pytest.raises(TypeError, match="takes at least 1 positional argument"):
        f(np.empty(0))


@pytest.mark.parametrize("items", [[3, 5], [12, 18, 6], [4, 4, 4, 4]], ids=len)
def test_functions_of_the_library(items):
    def f(items):
        return (
            max(*items), min(*items), math.gcd(*items), math.lcm(*items),
            max(*items, key=lambda x: -x),
        )  # fmt: skip

    assert njit(f)(items) == f(items)

    def g(items):
        return math.hypot(*items)

    assert njit(g)(items) == pytest.approx(g(items), rel=1e-15)


def test_max_of_one_item():
    @njit
    def f(items):
        return max(*items)

    with pytest.raises(TypeError):
        f([3])


def test_chain():
    def f(rows):
        return [x for x in itertools.chain(*rows)]

    rows = [[1, 2], [3], [4, 5]]
    assert njit(f)(rows) == f(rows)


def test_print(capfd):
    @njit
    def f(items):
        print(*items)
        print(*items, sep=", ", end="!\n")

    f([1, 2, 3])
    assert capfd.readouterr().out == "1 2 3\n1, 2, 3!\n"


def test_broadcast_arrays():
    def f(x, n):
        arrays = [x * k for k in range(1, n + 1)]
        out = np.broadcast_arrays(*arrays)
        return len(out), out[n - 1].sum(), np.broadcast_shapes(*[x.shape for x in arrays])

    assert njit(f)(b, 4) == f(b, 4)


def test_at_least_so_many_dimensions():
    def f(x, n):
        arrays = [x * k for k in range(n)]
        columns = np.atleast_2d(*arrays)
        if isinstance(columns, tuple):
            return np.concatenate(columns).sum(), len(np.atleast_3d(*arrays))
        return columns.sum(), np.atleast_1d(*arrays)[0]

    for x in (b, b[:1]):
        for n in (1, 2, 3):
            assert njit(f)(x + 1, n) == f(x + 1, n)


def test_common_type():
    def f(x, n):
        arrays = [x * k for k in range(n)]
        return np.zeros(2, np.common_type(*arrays))

    for x in (np.arange(3), np.ones(2, np.float32), np.ones(2, complex)):
        assert njit(f)(x, 2).dtype == f(x, 2).dtype
    with pytest.raises(ValueError):
        njit(f)(np.arange(3), 0)


def test_product():
    def f(items, n):
        return [x for x in itertools.product(*[items] * n)], len(
            list(itertools.product(*[items] * n, repeat=2))
        )

    for n in range(4):
        assert njit(f)([1, -1], n) == f([1, -1], n)
    assert njit(f)([0][1:], 2) == f([0][1:], 2)


def test_not_iterable():
    @njit
    def f(x):
        return total(*x)

    with pytest.raises(TypingError, match="argument after \\* must be an iterable, not int64"):
        f(3)


# --- dicts whose keys are known ---


@njit
def scaled(x, *, negative=False, factor=1.0, power=1):
    return (-x if negative else x) ** power * factor


def display_in_branches(x):
    settings = {"negative": True} if x.ndim == 1 else {}
    return scaled(x, **settings)


def two_displays(x):
    settings = {}
    if x.ndim == 1:
        settings = {"factor": 3.0, "negative": True}
    return scaled(x, **settings)


def built(x):
    settings = {}
    settings["factor"] = 2.5
    settings["power"] = 2
    settings.update(negative=True)
    return scaled(x, **settings), len(settings), "power" in settings


def updated(x):
    settings = dict(factor=2.0)
    settings.update({"power": 3})
    more = {"negative": True, "factor": 4.0}
    settings.update(more)
    return scaled(x, **settings), settings["factor"], more["factor"]


def joined(x):
    one = {"factor": 2.0}
    both = {**one, "power": 2}
    both["factor"] = 5.0
    return scaled(x, **both), scaled(x, **one)


def taken(x):
    settings = {"factor": 2.0, "power": 2, "label": "a"}
    label = settings.pop("label")
    missing = settings.pop("missing", 7)
    power = settings.setdefault("power", 5)
    factor = settings.setdefault("negative", False)
    del settings["negative"]
    return scaled(x, **settings), label, missing, power, factor, len(settings)


def parameters(x, **settings):
    factor = settings.pop("factor", 2.0)
    settings["power"] = settings.get("power", 1) + 1
    return scaled(x, factor=factor, **settings)


def given(x):
    return with_parameters(x), with_parameters(x, factor=3.0), with_parameters(x, power=2)


with_parameters = njit(parameters)

DICTS = [display_in_branches, two_displays, built, updated, joined, taken, given]


@pytest.mark.parametrize("function", DICTS, ids=lambda f: f.__name__)
@pytest.mark.parametrize("x", [b + 1, a + 1], ids=["1d", "2d"])
def test_settings(function, x):
    expected, got = function(x), njit(function)(x)
    if not isinstance(expected, tuple):
        expected, got = (expected,), (got,)
    for one, other in zip(expected, got, strict=True):
        np.testing.assert_array_equal(other, one)


def test_settings_for_a_flag():
    def f(x, square):
        settings = {"factor": 2.0}
        if square:
            settings["power"] = 2
        return scaled(x, **settings)

    for square in (True, False):
        np.testing.assert_array_equal(njit(f)(a, square), f(a, square))


def test_missing_key():
    def f(x):
        settings = {"factor": 2.0, "power": 2}
        settings.pop("negative")
        return scaled(x, **settings)

    with pytest.raises(KeyError, match="negative"):
        njit(f)(a)


def test_dicts_that_others_see_stay_dicts():
    def f(x):
        settings = {"factor": 2.0}
        settings["power"] = 2.0
        return settings

    assert njit(f)(a) == f(a)


# --- the classic of axes: a list of slices ---


def along(x, axis):
    place = [slice(None)] * x.ndim
    place[axis] = slice(1, None)
    before = [slice(None)] * x.ndim
    before[axis] = slice(None, -1)
    return x[tuple(place)] - x[tuple(before)]


def at(x, axis=0):
    place = [slice(None)] * x.ndim
    place[axis] = 0
    return x[tuple(place)]


def new_axes(x, axis):
    place = [None] * 3
    place[axis] = slice(None)
    return x[tuple(place)].shape


def outer_axes(*xs):
    ones = (1,) * len(xs)
    out = []
    for i, x in enumerate(xs):
        out.append(x.reshape(ones[:i] + (-1,) + ones[i + 1 :]))
    return tuple(out)


def by_number(*xs):
    arrays = [np.asarray(x) for x in xs]
    for i in range(len(arrays)):
        arrays[i] = arrays[i] * (i + 1)
    return total(*arrays)


@pytest.mark.parametrize("axis", [0, 1, -1])
def test_slices(axis):
    np.testing.assert_array_equal(njit(along)(a, axis), along(a, axis))
    np.testing.assert_array_equal(njit(at)(a, axis), at(a, axis))
    np.testing.assert_array_equal(njit(at)(a), at(a))
    assert njit(new_axes)(b, axis) == new_axes(b, axis)


@pytest.mark.parametrize("items", ["one type", "dtypes", "three", "one"])
def test_counted_loops(items):
    xs = MIXTURES[items]
    lines = [x.ravel() for x in xs]
    for got, expected in zip(njit(outer_axes)(*lines), outer_axes(*lines), strict=True):
        np.testing.assert_array_equal(got, expected)
    assert njit(by_number)(*xs) == by_number(*xs)


def test_empty_lists():
    def f(n):
        empty = []
        if n < 1:
            return np.array([], dtype=np.float32)
        return np.concatenate((np.array([]), np.ones(n))).astype(np.float32)[len(empty) :]

    for n in (0, 3):
        got, expected = njit(f)(n), f(n)
        assert got.dtype == expected.dtype
        np.testing.assert_array_equal(got, expected)


def sums_along(a, axis):
    index = [slice(None)] * a.ndim
    sums = []
    for i in range(a.shape[axis]):
        index[axis] = i
        sums.append(float(a[tuple(index)].sum()))
    return sums


def differences(a, axis):
    index = [slice(None)] * a.ndim
    made = np.zeros_like(a)
    for i in range(1, a.shape[axis]):
        index[axis] = i
        here = tuple(index)
        index[axis] = i - 1
        made[here] = a[here] - a[tuple(index)]
    return made


def first_along(a, axis):
    return a[(slice(None),) * axis + (0,)]


def with_extent(a, axis, n):
    return np.zeros(a.shape[:axis] + (n,) + a.shape[axis + 1 :])


@pytest.mark.parametrize("shape", [(3,), (3, 4), (2, 3, 4)])
def test_indices_along_an_axis_that_is_an_argument(shape):
    a = np.arange(float(np.prod(shape))).reshape(shape) ** 2
    for axis in range(a.ndim):
        assert_same(sums_along, a, axis)
        assert_same(differences, a, axis)
        assert_same(first_along, a, axis)
        assert_same(with_extent, a, axis, 7)


def test_indices_along_an_axis_that_nobody_knows():
    @njit
    def largest(a):
        return with_extent(a, int(np.argmax(np.array(a.shape))), 7)

    with pytest.raises(TypingError, match="a shape is"):
        largest(np.ones((3, 4)))


def test_settings_that_are_returned():
    def checked(x, **settings):
        weights = settings.pop("w", None)
        if weights is not None:
            settings["w"] = weights / weights.sum()
        return settings

    def f(x):
        more = checked(x, w=x, p=2)
        return more["w"], more["p"], len(more), checked(x, p=3)["p"], len(checked(x))

    x = np.array([1.0, 3.0])
    assert_same(f, x)
    assert njit(checked)(x, p=2) == {"p": 2}
    assert list(njit(checked)(x, w=x)) == ["w"]


def test_sums_of_lists():
    def joined(*args):
        items = [np.asarray(x) for x in args]
        items.append(1.0)
        more = items + [np.asarray(2)]
        return np.result_type(*items), np.result_type(*(more + [args[0]])), len(more)

    def tried(*args):
        items = [np.asarray(x) for x in args]
        try:
            return np.result_type(*items)
        except ValueError:
            return np.result_type(*(items + [np.asarray(1.0)]))

    def numbers(x, y):
        return x + y, (x + y) + [x[0]], [y[0]] + x

    for f in (joined, tried):
        assert_same(f, a, 1j * b)
        assert_same(f, b, a)
    assert_same(numbers, [1, 2], [3])


def test_items_that_a_loop_over_them_replaces():
    def converted(*args):
        arrays = list(args)
        for i, x in enumerate(arrays):
            arrays[i] = np.asarray(x) * 2
        return total(*arrays)

    def scaled(x, y):
        arrays = [x, y]
        for i, (array, scale) in enumerate(zip(arrays, (2.0, 3.0))):
            arrays[i] = np.asarray(array) * scale
        return arrays[0].sum(), arrays[1].sum()

    def later_ones(*args):
        items = list(args)
        seen = 0.0
        for i, x in enumerate(items):
            seen += np.sum(x)
            items[i - 1] = np.zeros(i + 1)
        return seen

    for arguments in MIXTURES.values():
        if arguments:
            assert_same(converted, *arguments)
    for f in (converted, scaled):
        assert_same(f, 1.5, a)
    for arguments in ((b, b + 1, b + 2), (a, b, c)):
        try:
            result = njit(later_ones)(*arguments)
        except TypingError:
            continue  # the place is not that of the item
        assert result == later_ones(*arguments)


def test_slices_of_lists():
    def parted(*args):
        arrays = list(args)
        first, others = arrays[:2], arrays[2:]
        first.append(np.ones(3))
        for i, x in enumerate(first):
            first[i] = np.asarray(x) + 1
        return total(*first), total(*others), len(others), len(arrays[::2])

    def unchanged(*args):
        arrays = [np.asarray(x) for x in args]
        part = arrays[1:]
        part.append(np.ones((2, 3)))
        return total(*arrays), total(*part)

    def returned(*args):
        arrays = [np.sum(x) for x in args]
        return arrays[1:], arrays[:0]

    for arguments in MIXTURES.values():
        assert_same(parted, *arguments)
        assert_same(unchanged, *arguments)
    assert_same(returned, b, a)


def test_decorators_that_convert_arguments():
    def convert(count):
        def decorate(f):
            def wrapper(*args, **settings):
                args = list(args)
                arrays, others = args[:count], args[count:]
                shapes = []
                for i, array in enumerate(arrays):
                    array = None if array is None else np.asarray(array)
                    arrays[i] = array
                    shapes.append(() if array is None else array.shape)
                return f(*arrays, *others, **settings), len(shapes)

            return wrapper

        return decorate

    @convert(2)
    def combine(x, y, n=1, scale=1.0):
        return np.sum(x) * scale + n if y is None else np.sum(x) + np.sum(y) * n

    def f(x, y):
        return combine(x, y), combine(x, None, 3), combine(y, x, scale=2.0)

    assert_same(f, a, c)
    assert_same(f, [1.0, 2.0], b)


def test_flags_that_pass_through_settings():
    def ordered(x, stable=True, **settings):
        if stable:
            settings["kind"] = "stable"
        return np.sort(x, **settings)

    def largest(x, method, **settings):
        return getattr(x, method)(**settings)

    def wrapped(f, *args, **settings):
        return f(*args, **settings)

    def f(x):
        kept = {"keepdims": True}
        less = {"keepdims": False}
        return (
            wrapped(ordered, x, stable=False),
            wrapped(ordered, x),
            wrapped(largest, x, "argmax", axis=0, **kept),
            wrapped(largest, x, "argmax", axis=0, **less),
        )

    def of_argument(x, keepdims):
        settings = {"keepdims": keepdims} if keepdims is not None else {}
        return wrapped(largest, x, "sum", axis=1, **settings)

    assert_same(f, a)
    for keepdims in (True, False, None):
        assert_same(of_argument, a, keepdims)


def test_settings_that_are_made_elsewhere():
    def defaults():
        return {"axis": 0}

    def chosen(x):
        if x.ndim == 1:
            return {}
        else:
            return {"axis": 0, "keepdims": True}

    def f(x):
        return np.sum(x, **defaults()), np.sum(x, **chosen(x)), chosen(x).get("axis", 5)

    assert_same(f, a)
    assert_same(f, b)
    assert njit(defaults)() == {"axis": 0}


def test_texts_of_settings():
    def f(x, **settings):
        made = {"a": x, "b": "t", "c": None, "d": (1, x)}
        return str(made), repr(made), f"{settings}"

    assert njit(f)(2.5, scale=1, name="n") == f(2.5, scale=1, name="n")
    assert njit(f)(2.5) == f(2.5)


def test_items_at_any_index():
    def part(x, axis, n):
        index = x.ndim * [slice(None)]
        if n > 2:
            axis -= x.ndim
        index[axis] = slice(n)
        return x[tuple(index)] + 0

    for n in (2, 3):
        for axis in (0, 1):
            assert_same(part, np.arange(20.0).reshape(4, 5), axis, n)


def test_items_that_a_later_loop_replaces():
    def wrapped(*args):
        arrays = list(args)
        sizes = []
        for i, (x, ndim) in enumerate(zip(arrays, (2, 1, 1))):
            arrays[i] = np.asarray(x)
            sizes.append(arrays[i].shape)
        for i, (x, size) in enumerate(zip(arrays, sizes)):
            if x.ndim > 1:
                continue
            arrays[i] = np.broadcast_to(x, (2, *size)) * 2
        return total(*arrays)

    def replaced_inside(*args):
        arrays = list(args)
        found = 0.0
        for i, x in enumerate(arrays):
            if i == 0:
                arrays[1] = np.ones(7)
            found += np.sum(x)
        return found

    assert_same(wrapped, b, c)
    assert_same(replaced_inside, b, b)


def test_part_of_a_list_that_nothing_uses():
    def f(*args):
        args = list(args)
        arrays, others = args[:2], args[2:]
        return total(*arrays)

    assert_same(f, a, b)


def test_list_of_a_tuple_that_is_passed():
    def replaced(items, i, value):
        items = list(items)
        items[i] = value
        return tuple(items)

    def ends(x, axis=-1):
        every = (slice(None),) * x.ndim
        return x[replaced(every, axis, 0)], x[replaced(every, axis, slice(1, None, 2))]

    x = np.arange(24.0).reshape(2, 3, 4)
    assert_same(lambda x: ends(x), x)
    for axis in (0, 1, 2, -1):
        assert_same(ends, x, axis)
    assert_same(replaced, [1, 2, 3], 1, 5)
