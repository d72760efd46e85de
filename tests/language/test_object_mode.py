"""@jit on functions that cannot be compiled: they run in the interpreter, their loops do not."""

import traceback
import warnings

import numpy as np
import pytest
from numjit import errors, int64, jit, njit


class Thing:
    """Of no type in compiled code: what has no __dict__ does not say its attributes."""

    __slots__ = ("value",)

    def __init__(self, value):
        self.value = value


def quiet(function, **options):
    """@jit without the warning."""
    return jit(forceobj=True, **options)(function)


def agree(function, *arguments):
    """Runs a function in object mode and in the interpreter; both results or errors must agree."""

    def outcome(f):
        try:
            return f(*arguments)
        except Exception as error:
            return type(error), error.args

    jitted = quiet(function)
    assert repr(outcome(jitted)) == repr(outcome(function))
    assert repr(outcome(jitted)) == repr(outcome(function))  # what was compiled meanwhile too
    return jitted


def test_it_runs_and_warns_once_with_the_reason():
    @jit
    def f(thing):
        return thing.value

    with pytest.warns(errors.NumbaObjectModeWarning) as caught:
        assert f(Thing(3)) == 3
    text = str(caught[0].message)
    assert "function test_it_runs" in text and "interpreter" in text
    assert caught[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert f(Thing("x")) == "x"
    assert isinstance(caught[0].message, errors.NumbaWarning)


def test_njit_raises():
    with pytest.raises(errors.TypingError):
        njit(lambda thing: thing.value)(Thing(3))


def test_explicit_nopython():
    def f(thing):
        return thing.value

    with pytest.raises(errors.TypingError):
        jit(nopython=True)(f)(Thing(3))
    with pytest.warns(errors.NumbaObjectModeWarning):
        assert jit(nopython=False)(f)(Thing(3)) == 3


def test_forceobj_does_not_warn():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        f = quiet(lambda x: {x: x})
        assert f(1) == {1: 1} and f.nopython_signatures == []


def test_both_modes_in_one_function():
    @jit
    def f(x):
        return x.value if hasattr(x, "value") else x

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert f(Thing(2)) == 2
        assert f(5) == 5


def test_loops_are_compiled():
    def f(thing, n):
        total = 0
        for i in range(n):
            total += i * i
        thing.value = total
        return total

    thing = Thing(0)
    jitted = quiet(f)
    assert jitted(thing, 10) == 285 == thing.value
    (entry,) = [item for item in jitted.overloads.values() if item.objectmode][:1]
    (loop,) = entry.lifted
    assert loop.nopython_signatures and loop.py_func.__name__ == "f"


def test_looplift_can_be_switched_off():
    def f(n):
        total = {}
        for i in range(n):
            total[i] = i
        return total

    jitted = quiet(f, looplift=False)
    assert jitted(3) == {0: 0, 1: 1, 2: 2}
    assert all(entry.lifted == () for entry in jitted.overloads.values())


def break_and_else(xs, limit):
    text = ""
    for i in range(len(xs)):
        if xs[i] > limit:
            where = i
            break
    else:
        where = -1
    text += str(where)
    return text


def conditional(n):
    out = []
    best = None
    for i in range(n):
        if i % 3 == 2:
            best = i
    out.append(best)
    return out


def nested(n):
    names = {}
    count = 0
    for i in range(n):
        for j in range(i):
            inner = i * j
            count += inner
    names["count"] = count
    return names


def loop_variable_afterwards(n):
    names = {}
    for i in range(n):
        last = i * 2
    names["last"] = last
    return names


def early_return(n):
    names = {1: 2}
    for i in range(n):
        if i == 3:
            return names
    return n


def while_loop(n):
    names = {}
    steps = 0
    while n != 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        steps += 1
    names["steps"] = steps
    return names


def with_try(xs):
    names = {}
    total = 0
    try:
        for i in range(5):
            total += xs[i]
    except IndexError:
        names["total"] = total
    return names


def over_dict(table):
    total = 0
    for key, value in table.items():
        total += key * value
    return total


def over_strings(words):
    longest = ""
    for word in words:
        if len(word) > len(longest):
            longest = word
    return longest


def list_changes(n):
    names = {}
    values = [0] * n
    for i in range(n):
        values[i] = i * i
    names["values"] = values
    return names


def raising(n):
    names = {}
    for i in range(n):
        if i == 4:
            raise ValueError("four")
    return names


def del_in_between(n):
    x = 3
    names = {}
    del x
    for i in range(n):
        x = i
    names["x"] = x
    return names


def comprehension(n):
    names = {}
    i = 7
    for k in range(n):
        values = [i * k for i in range(3)]
        names[k] = values
    return names, i


def generator_of(n):
    names = {"a": 1}
    total = 0
    for i in range(n):
        total += i
    return sorted(k + str(total) for k in names)


def shared_with_closure(n):
    names = {}
    total = 0

    def show():
        return total

    for i in range(n):
        total += i
    names["total"] = show()
    return names


@pytest.mark.parametrize(
    ("function", "arguments"),
    [
        (break_and_else, ([1, 5, 9], 4)),
        (break_and_else, ([1, 5, 9], 40)),
        (conditional, (7,)),
        (conditional, (0,)),
        (nested, (5,)),
        (loop_variable_afterwards, (4,)),
        (loop_variable_afterwards, (0,)),
        (early_return, (2,)),
        (early_return, (9,)),
        (while_loop, (27,)),
        (with_try, ([1, 2, 3],)),
        (over_dict, ({1: 2, 3: 4},)),
        (over_strings, (["a", "abc", "ab"],)),
        (list_changes, (5,)),
        (raising, (3,)),
        (raising, (9,)),
        (del_in_between, (3,)),
        (del_in_between, (0,)),
        (comprehension, (3,)),
        (generator_of, (4,)),
        (shared_with_closure, (4,)),
    ],
)
def test_the_interpreter_agrees(function, arguments):
    agree(function, *arguments)


def test_defaults_keywords_and_closures():
    factor = 3

    def f(n, *rest, scale=2, **names):
        total = 0
        for i in range(n):
            total += i * factor * scale
        return total, rest, names

    jitted = quiet(f)
    assert jitted(4, 1, 2, a=1) == f(4, 1, 2, a=1)
    assert jitted(4, scale=5) == f(4, scale=5)


def test_globals_are_read_at_each_call():
    namespace = {}
    exec(
        "k = 1\ndef f(n, names):\n    t = 0\n    for i in range(n):\n"
        "        t += k\n    return t\n",
        namespace,
    )
    f = quiet(namespace["f"])
    assert f(3, {}) == 3
    namespace["k"] = 5
    assert f(3, {}) == 15


def test_traceback_lines_are_those_of_the_source():
    def f(table, n):
        total = 0
        for i in range(n):
            total += table[i]
        return total

    with pytest.raises(KeyError) as caught:
        quiet(f)({0: 1}, 3)
    last = traceback.extract_tb(caught.value.__traceback__)[-1]
    assert (last.filename, last.lineno) == (__file__, f.__code__.co_firstlineno + 3)
    assert last.name == "f"
    files = {entry.filename for entry in traceback.extract_tb(caught.value.__traceback__)}
    assert files == {__file__}


def test_without_source():
    namespace = {}
    exec(
        "def f(n, names):\n    t = 0\n    for i in range(n):\n"
        "        t += i\n    return t, names\n",
        namespace,
    )
    assert quiet(namespace["f"])(4, {1: 2}) == (6, {1: 2})


def test_numpy_results():
    def f(values, names):
        total = 0.0
        for i in range(values.shape[0]):
            total += values[i]
        names["total"] = total
        return names

    values = np.arange(100.0)
    jitted = quiet(f)
    assert jitted(values, {}) == {"total": 4950.0}
    loop = next(iter(jitted.overloads.values())).lifted[0]
    assert len(loop.nopython_signatures) == 1


def test_signatures_of_object_mode():
    f = quiet(lambda x: [x])
    f("a")
    assert len(f.signatures) == 1 and f.nopython_signatures == []
    assert next(iter(f.overloads.values())).objectmode
    g = jit(lambda x: x + 1)
    g(1)
    assert g.nopython_signatures == [int64(int64)]


def test_explicit_signatures_fall_back_too():
    def f(x):
        return {"x": x}

    with pytest.warns(errors.NumbaObjectModeWarning):
        jitted = jit("f8(f8)")(f)
    assert jitted(1.5) == {"x": 1.5} and jitted("a") == {"x": "a"}
