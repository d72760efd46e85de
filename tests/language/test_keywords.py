"""**kwargs in definitions and calls, and what is said of wrong arguments."""

import functools

import numpy as np
import pytest
from language.support import assert_same, compiled
from numjit import njit
from numjit.errors import TypingError


def collect(a, *args, k=3, **others):
    return a, args, k, len(others)


def scaled(a, **options):
    return a + options["b"] * 2 + options.get("c", 10)


def passing(*args, **kwargs):
    return collect(*args, **kwargs)


def logged(f):
    @functools.wraps(f)
    def inner(*args, **kwargs):
        return f(*args, **kwargs) + 1

    return inner


@logged
def decorated(x, y=2, *, z=0):
    return x + 10 * y + 100 * z


def test_parameters_with_two_stars():
    def f(x):
        return scaled(x, b=2), scaled(x, b=2, c=1), scaled(x, c=0.5, b=1)

    assert_same(f, 4.0)


def test_with_all_kinds_of_parameters():
    def f(x):
        return (
            collect(x),
            collect(x, 1, 2.5),
            collect(x, 1, k=2, z=3),
            collect(a=x, y=1, z="text", k=None),
        )

    assert_same(f, 4)


def test_keywords_are_passed_on():
    def f(x):
        return passing(x), passing(x, 1, 2), passing(x, 1, k=2, z=3), passing(a=x, q=1)

    assert_same(f, 4)


def test_wrappers_around_functions():
    def f(x):
        return decorated(x), decorated(x, 3), decorated(x, y=5), decorated(x, z=1, y=0)

    assert_same(f, 3)


def test_displays_as_keywords():
    def f(x):
        first = {"b": 2}
        second = dict(b=x, c=4)
        return (
            scaled(x, **{"b": 3}),
            scaled(x, **first),
            scaled(x, **second),
            scaled(x, **first, c=5),
            scaled(x, **{"b": 1}, **{"c": 2}),
        )

    assert_same(f, 4.0)


def test_many_keywords():
    def all_of(**k):
        return len(k), k["a"], k["t"], sum(k.values())

    def f(x):
        # fmt: off
        return all_of(a=x, b=2, c=3, d=4, e=5, f=6, g=7, h=8, i=9, j=10, k=11, l=12, m=13, n=14,
                      o=15, p=16, q=17, r=18, s=19, t=x * 2)
        # fmt: on

    assert_same(f, 1)


def test_keywords_with_control_flow_between():
    def f(x, c):
        return scaled(x, b=1 if c else 2, **{"c": 3 if c else 4})

    assert_same(f, 1, True)
    assert_same(f, 1, False)


def test_what_a_function_does_with_its_keywords():
    def of(**kw):
        total = 0.0
        for name in kw:
            total += len(name)
        for name, value in kw.items():
            total += value * len(name)
        for value in kw.values():
            total += value
        if "a" in kw:
            total += 100
        if "zz" not in kw:
            total += 1000
        return total, kw.get("none"), len(kw)

    def f(x):
        return of(a=x, bb=2.5), of(), of(ccc=1)

    assert_same(f, 3)


def test_keywords_are_returned_as_dicts():
    def f(x):
        def of(**kw):
            return kw

        return of(a=x, b="text")

    assert compiled(f)(3) == {"a": 3, "b": "text"}


def test_keywords_of_inner_functions_and_methods():
    def f(x):
        def of(y, *, z=2, **kw):
            return x + y * z + kw.get("w", 0)

        return of(1), of(1, z=3), of(1, z=3, w=100)

    assert_same(f, 5)


def test_arrays_and_strings_as_keywords():
    def of(**kw):
        return kw["a"].sum() + len(kw["mode"])

    def f(a):
        return of(a=a, mode="valid"), of(mode="x", a=a * 2)

    assert_same(f, np.arange(4.0))


def test_dicts_that_others_change_are_refused_as_keywords():
    @njit
    def change(options, x):
        options["c"] = x

    @njit
    def f(x):
        options = {"b": 2}
        change(options, x)
        return scaled(x, **options)

    with pytest.raises(TypingError, match=r"argument after \*\* must be a dict whose keys"):
        f(1)


WRONG = [
    (lambda f: f(), "f() missing 2 required positional arguments: 'a' and 'b'"),
    (lambda f: f(1), "f() missing 1 required positional argument: 'b'"),
    (lambda f: f(1, 2), "f() missing 1 required keyword-only argument: 'k'"),
    (lambda f: f(1, 2, 3, 4, k=1), "f() takes from 2 to 3 positional arguments but 4 positional "),
    (lambda f: f(1, 2, k=1, z=2), "f() got an unexpected keyword argument 'z'"),
    (lambda f: f(1, 2, a=3, k=1), "f() got some positional-only arguments passed as keyword"),
    (lambda f: f(1, 2, k=1, b=1), "f() got multiple values for argument 'b'"),
]


@pytest.mark.parametrize(["call", "text"], WRONG)
def test_wrong_arguments_are_told_in_cpython_s_words(call, text):
    def f(a, /, b, c=1, *, k):
        return a + b + c + k

    f.__qualname__ = "f"
    with pytest.raises(TypeError) as expected:
        call(f)
    assert str(expected.value).startswith(text)
    with pytest.raises(TypingError) as raised:
        njit(lambda: call(f))()
    assert str(expected.value).split(". Did you")[0] in str(raised.value)


def test_a_keyword_given_twice():
    def f(x):
        return collect(x, **{"z": 1}, **{"z": 2})

    with pytest.raises(TypingError, match="multiple values for keyword argument 'z'"):
        compiled(f)(1)


def test_copies_of_keywords():
    def of(**kw):
        d = dict(kw)
        d["more"] = 10
        return sorted(kw), list(kw), bool(kw), len(d), sum(d.values())

    def f(x):
        return of(b=x, a=2)

    assert_same(f, 3)


def test_keywords_from_python():
    f = compiled(collect)
    for positional, keywords in [
        ((1,), {}),
        ((1, 2, 2.5), {"k": 4, "z": 1}),
        ((1,), {"z": "text", "y": np.arange(3)}),
        ((), {"a": 2, "y": None}),
    ]:
        assert f(*positional, **keywords) == collect(*positional, **keywords)

    @njit
    def named(x, **options):
        return x * options["scale"] + options.get("offset", 0)

    assert named(2, scale=3) == 6 and named(2, scale=1.5) == 3.0
    assert named(2, offset=1, scale=3) == named(2, scale=3, offset=1) == 7
    assert len(named.signatures) == 4  # the names and their order are part of the types
    with pytest.raises(TypingError):
        named(2, size=3)
    assert njit(lambda **kw: kw)(a=1, b="x") == {"a": 1, "b": "x"}


def test_wrong_keywords_have_the_texts_of_python():
    def f(x, /, y, z=3, *, w=4):
        return x + y + z + w

    def g(x, y=1):
        return x + y

    for function, arguments, keywords in (
        (f, (1, 2), {"q": 1}),
        (f, (1, 2), {"y": 1}),
        (f, (1,), {"y": 2, "x": 1}),
        (f, (1, 2, 3), {"z": 1}),
        (g, (1,), {"x": 2}),
        (g, (), {"x": 2, "zz": 3}),
    ):
        with pytest.raises(TypeError) as python:
            function(*arguments, **keywords)
        with pytest.raises(TypeError) as mine:
            njit(function)(*arguments, **keywords)
        assert str(python.value).startswith(str(mine.value))  # 3.13 has suggestions behind it
