"""Python's numbers in the displays that np.select and np.choose choose from are weak."""

import numpy as np
import pytest
from numjit import njit

ITEMS = ["1", "-2", "2.5", "True", "1j"]
DTYPES = ["bool", "int8", "uint8", "int32", "int64", "float32", "float64", "complex64"]


def same(text, *arguments):
    scope = {"np": np}
    exec(f"def f(a, b, c, k):\n    return {text}\n", scope)
    got, wanted = njit(scope["f"])(*arguments), scope["f"](*arguments)
    assert got.dtype == wanted.dtype, (text, got.dtype, wanted.dtype)
    np.testing.assert_array_equal(got, wanted)


def arguments(dtype, other="int16"):
    a = np.arange(6).astype(dtype)
    return a, (3 - np.arange(6)).astype(other), a.real.astype(int) > 2, np.arange(6) % 3


@pytest.mark.parametrize("item", ITEMS)
@pytest.mark.parametrize("dtype", DTYPES)
def test_select(dtype, item):
    """A quarter of the texts, the others beside other dtypes."""
    if dtype == "uint8" and item in ("-2", "1", "True"):
        pytest.skip("NumPy raises TypeError for one of these: it casts int64 to uint8")
    texts = (
        f"np.select([c, ~c], [a, {item}])",
        f"np.select((c, ~c), ({item}, a))",
        f"np.select([c, ~c, c], [{item}, a, 3])",
        f"np.select([c], [a], default={item})",
        f"np.select([c], [{item}], a)",
        f"np.select([c, k == 1], [a, {item}], default=b)",
        f"np.select([c, ~c], [a, b + a * {item}], {item})",
        f"np.select([c, ~c], [k[0], {item}], {item})",
    )
    for text in texts[(DTYPES.index(dtype) + ITEMS.index(item)) % 4 :: 4]:
        same(text, *arguments(dtype))


@pytest.mark.parametrize("item", ITEMS)
@pytest.mark.parametrize("dtype", DTYPES)
def test_choose(dtype, item):
    for text in (
        f"np.choose(k, [a, {item}, 2])",
        f"np.choose(k, ({item}, a, b))",
        f"np.choose(k, [a, b, {item}])",
        f"np.choose(k, [1, {item}, 2])",
        f"np.choose(k, [a, {item}], mode='wrap')",
        f"np.choose(k, [k[0], {item}, k[1]])",
    ):
        same(text, *arguments(dtype))


def test_wide_literals_wrap():
    for text in ("np.choose(k, [a, 300, 2])", "np.select([c, ~c], [a, 300])"):
        same(text, *arguments("int8"))


def test_run_time_numbers_are_not_weak():
    def f(a, c, x):
        return np.select([c, ~c], [a, x])

    a, _, c, _ = arguments("float32")
    assert njit(f)(a, c, 2.5).dtype == np.float64


def test_displays_elsewhere():
    """A display of literals alone; nested calls; one that a variable holds."""

    def held(a, c):
        choices = (a, 2.5)
        return np.select((c, ~c), choices)

    a, _, c, _ = arguments("float32")
    np.testing.assert_array_equal(njit(held)(a, c), held(a, c))
    same("np.select([c, ~c], [np.select([c], [a], 7), 2.5])", *arguments("float32"))
    same("np.select([c, ~c], [2, 3.5])", *arguments("float32"))


@pytest.mark.parametrize("text", ["np.select([c], [a, 2.5])", "np.select((c,), (2, 3))"])
def test_errors(text):
    scope = {"np": np}
    exec(f"def f(a, c):\n    return {text}\n", scope)
    a, _, c, _ = arguments("float32")
    with pytest.raises(ValueError, match="select|list of cases"):
        scope["f"](a, c)
    with pytest.raises(Exception, match="select|list of cases"):
        njit(scope["f"])(a, c)
