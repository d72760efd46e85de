"""The options of the decorators."""

import math
import os
import pathlib
import re
import subprocess
import sys

import numpy as np
import pytest
from numjit import (
    _core,
    cfunc,
    config,
    errors,
    float32,
    guvectorize,
    jit,
    njit,
    stencil,
    typed,
    types,
    vectorize,
)
from numjit.extending import overload, register_jitable
from numjit.options import FASTMATH_ALL, FASTMATH_FLAGS, OPTIONS, compiler_options


def divide(a, b):
    return a / b


@pytest.mark.parametrize(
    ("decorate", "wrong"),
    [
        (lambda: njit(fastmat=True)(divide), "Unrecognized options: {'fastmat'}"),
        (lambda: jit(device=True)(divide), "Unrecognized options: {'device'}"),
        (lambda: njit(target="tpu")(divide), "not 'tpu'"),
    ],
)
def test_unknown_options_are_refused_when_functions_are_compiled(decorate, wrong):
    """Modules with functions that are never called can be imported."""
    with pytest.warns(errors.NumbaWarning, match=re.escape(wrong)) as warned:
        refused = decorate()
    assert [each.filename for each in warned] == [__file__]
    for call in (refused, refused, njit(lambda a, b: refused(a, b))):
        with pytest.raises((KeyError, ValueError), match=re.escape(wrong)) as caught:
            call(1, 2)
        assert isinstance(caught.value, errors.NumbaError)
        assert caught.value.filename == __file__


def test_unknown_options_of_functions_with_signatures():
    with (
        pytest.warns(errors.NumbaWarning, match="cannot be compiled"),
        pytest.raises(KeyError) as caught,
    ):
        njit("f8(f8, f8)", fastmat=True)(divide)
    assert "Unrecognized options: {'fastmat'}" in str(caught.value)
    assert "did you mean fastmath?" in str(caught.value)
    with pytest.raises(KeyError, match="Unrecognized options"):
        overload(divide, jit_options={"fastmat": True})


@pytest.mark.parametrize(
    "wrong",
    [
        {"fastmath": "fast"},
        {"fastmath": 3},
        {"fastmath": {"fats"}},
        {"error_model": "c"},
        {"inline": "sometimes"},
        {"locals": 3},
        {"locals": {"x": 3}},
        {"boundscheck": "yes"},
        {"nogil": "no"},
    ],
    ids=str,
)
def test_bad_values(wrong):
    with pytest.raises(ValueError) as caught:
        njit(**wrong)
    assert isinstance(caught.value, errors.NumbaError)
    assert next(iter(wrong)) in str(caught.value)


def test_every_option_has_a_default_that_passes_its_check():
    for option in OPTIONS.values():
        if option.default is not None:
            assert option.check(option.name, option.default) == option.default
        assert option.doc


def test_fastmath_bits():
    bits = lambda value: compiler_options({"fastmath": value})["fastmath"]
    assert bits(False) == 0 and bits(True) == FASTMATH_ALL == bits({"fast"})
    assert bits({"nnan", "reassoc"}) == FASTMATH_FLAGS["nnan"] | FASTMATH_FLAGS["reassoc"]


def test_error_models():
    with pytest.raises(ZeroDivisionError, match="division by zero"):
        njit(divide)(1.0, 0.0)
    assert njit(error_model="numpy")(divide)(1.0, 0.0) == math.inf


@pytest.mark.parametrize("kind", ["jitted", "registered", "overload", "closure"])
def test_what_a_function_does_not_say_is_its_callers(kind):
    def helper(a, b):
        raise NotImplementedError

    if kind == "jitted":
        helper = njit(divide)
    elif kind == "registered":
        helper = register_jitable(divide)
    elif kind == "overload":
        overload(helper)(lambda a, b: divide)

    def call(a, b):
        if kind == "closure":
            return (lambda x, y: x / y)(a, b)
        return helper(a, b)

    for first in ("numpy", "python"):  # in any order: each caller has its own version
        for model in (first, "python", "numpy"):
            f = njit(error_model=model)(call)
            if model == "numpy":
                assert f(1.0, 0.0) == math.inf
            else:
                with pytest.raises(ZeroDivisionError):
                    f(1.0, 0.0)
    with np.errstate(divide="ignore"):
        assert vectorize(call)(1.0, 0.0) == math.inf


def test_what_a_function_says_itself_holds_in_all_callers():
    python, numpy = njit(error_model="python")(divide), njit(error_model="numpy")(divide)
    with pytest.raises(ZeroDivisionError):
        njit(error_model="numpy")(lambda a, b: python(a, b))(1.0, 0.0)
    assert njit(lambda a, b: numpy(a, b))(1.0, 0.0) == math.inf


def test_fastmath_keeps_nan_that_is_only_passed_on():
    """As in Numba: values are tested before there is arithmetic with them."""

    @njit
    def found(a, i):
        if i < 0:
            return np.nan
        return a[i]

    def is_missing(x):
        return math.isnan(x)

    @overload(is_missing, jit_options={"fastmath": False})
    def is_missing_impl(x):
        return lambda x: math.isnan(x)

    @njit(fastmath=True)
    def f(a, i, missing):
        x = np.float32(found(a, i))
        if is_missing(x):
            return missing
        return x

    @njit(fastmath=True)
    def g(a, out, missing):
        for i in range(len(out)):
            out[i] = f(a, i - 2, missing)

    a = np.array([1.5, np.nan, 2.5])
    assert [f(a, i, -1.0) for i in (-1, 0, 1, 2)] == [-1.0, 1.5, -1.0, 2.5]
    out = np.zeros(5, np.float32)
    g(a, out, -2.0)
    assert out.tolist() == [-2.0, -2.0, 1.5, -2.0, 2.5]
    g(a, out, np.inf)
    assert out.tolist() == [np.inf, np.inf, 1.5, np.inf, 2.5]


def test_fastmath_compares_with_infinity():
    @njit
    def limited(x, limit=np.inf):
        if limit == np.inf:
            return x
        return min(x, limit)

    @njit(fastmath=True)
    def f(a, limit):
        found, distance = 0, np.inf
        for i in range(len(a)):
            if limited(a[i]) < distance and limited(a[i], limit) == a[i]:
                found, distance = i, a[i]
        return found, distance < np.inf, distance == np.inf

    assert f(np.array([3.0, 1.0, 2.0]), np.inf) == (1, True, False)
    assert f(np.array([3.0, 1.0, 2.0]), 0.5) == f(np.zeros(0), 1.0) == (0, False, True)


def test_fastmath_is_for_callees_too():
    @njit
    def sum_of(a):
        s = 0.0
        for x in a:
            s += x
        return s

    @njit(fastmath={"reassoc"})
    def fast(a):
        return sum_of(a)

    @njit
    def slow(a):
        return sum_of(a)

    a = np.arange(100.0)
    assert fast(a) == slow(a) == sum_of(a) == 4950
    assert "fadd reassoc" in "".join(fast.inspect_llvm().values())
    assert "fadd reassoc" not in "".join(slow.inspect_llvm().values())


def test_boundscheck():
    def item(a, i):
        return a[i]

    values = np.arange(3.0)
    checked = njit(boundscheck=True)(item)
    assert checked(values, 2) == checked(values, -1) == 2
    for wrong in (3, -4):
        with pytest.raises(IndexError):
            checked(values, wrong)


def test_locals():
    @njit(locals={"total": float32})
    def add(a, b):
        total = a + b
        return total

    assert add(0.1, 0.2) == np.float32(0.1 + 0.2)


@pytest.mark.parametrize(
    "options",
    [
        {"fastmath": True},
        {"fastmath": {"nnan"}},
        {"nogil": True},
        {"inline": "always"},
        {"inline": "never"},
        {"debug": True},
        {"boundscheck": False},
        {"forceinline": True},
        {"no_cfunc_wrapper": True},
        {"looplift": False},
    ],
    ids=str,
)
def test_options_keep_the_meaning(options):
    compiled = njit(**options)(divide)
    assert compiled(1.0, 4.0) == 0.25
    for name, value in options.items():
        assert compiled.targetoptions[name] == value
    assert compiled.targetoptions["nopython"] is True


def test_nopython_and_forceobj():
    with pytest.raises(ValueError, match="Only one of 'nopython' or 'forceobj'"):
        jit(nopython=True, forceobj=True)
    for ignored in ("nopython", "forceobj"):
        with pytest.warns(RuntimeWarning, match=f"{ignored} is set for njit and is ignored"):
            assert njit(**{ignored: True})(divide)(1.0, 2.0) == 0.5


@pytest.mark.parametrize("name", ["argtypes", "restype"])
def test_removed_options(name):
    with pytest.raises(errors.DeprecationError, match=f"Deprecated keyword argument `{name}`"):
        jit(**{name: 1})


@pytest.mark.parametrize("wrong", [int, 3, len, pytest.param(object(), id="object")], ids=str)
def test_only_functions_are_decorated(wrong):
    with pytest.raises(TypeError, match="The decorated object is not a function"):
        njit(wrong)


def test_jitting_twice():
    with pytest.raises(TypeError, match="already jitted function"):
        njit(njit(divide))


def test_disable_jit(monkeypatch):
    monkeypatch.setattr(config, "DISABLE_JIT", True)
    assert njit(divide) is divide
    assert jit("f8(f8, f8)")(divide) is divide


def test_options_of_callbacks_are_checked():
    for wrong, error in (
        ({"wrong": 1}, errors.UnknownOptionError),
        ({"fastmath": 3}, errors.OptionValueError),
        ({"argtypes": 1}, errors.DeprecationError),
    ):
        with pytest.raises(error):
            cfunc("f8(f8)", **wrong)(lambda x: x)
    with pytest.warns(RuntimeWarning, match="forceobj is set for njit and is ignored"):
        assert cfunc("f8(f8)", forceobj=True)(lambda x: x).ctypes(2.0) == 2.0


def test_what_only_exists_compiled_is_compiled_without_jit_too(monkeypatch):
    monkeypatch.setattr(config, "DISABLE_JIT", True)
    a = np.arange(4.0)

    @guvectorize(["(f8[:], f8[:])"], "(n)->(n)")
    def double(x, out):
        out[:] = x * 2

    @stencil
    def around(a):
        return a[-1] + a[1]

    half = vectorize(["f8(f8)"])(lambda x: x / 2)
    third = vectorize(lambda x: x / 3)
    callback = cfunc("f8(f8)")(lambda x: x + 1)
    assert list(double(a)) == [0.0, 2.0, 4.0, 6.0]
    assert list(half(a)) == [0.0, 0.5, 1.0, 1.5] and third(9.0) == 3.0
    assert callback.ctypes(2.0) == 3.0
    assert list(around(a)) == [0.0, 2.0, 4.0, 0.0]


def test_typed_containers_are_plain_ones_without_jit(monkeypatch):
    monkeypatch.setattr(config, "DISABLE_JIT", True)
    made = [
        typed.List([1, 2]),
        typed.List.empty_list(types.int64),
        typed.Dict.empty(types.int64, types.float64),
        typed.Dict({1: 2}),
        typed.Set([3]),
    ]
    assert made == [[1, 2], [], {}, {1: 2}, {3}]
    assert [type(each) for each in made] == [list, list, dict, dict, set]


@pytest.mark.parametrize("prefix", ["NUMJIT", "NUMBA"])
def test_disable_jit_by_environment(prefix):
    program = "import numjit\ndef f(): pass\nassert numjit.njit(f) is f"
    environment = {**os.environ, f"{prefix}_DISABLE_JIT": "1"}
    subprocess.run([sys.executable, "-c", program], env=environment, check=True)


def test_jit_module(tmp_path, monkeypatch):
    (tmp_path / "jitted.py").write_text(
        "from math import sin\nimport numjit\n"
        "def f(x):\n    return g(x) + 1\n"
        "def g(x):\n    return 2 * x\n"
        "numjit.jit_module(nopython=True)\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    import jitted

    assert jitted.f(3) == 7 and jitted.f.signatures and jitted.g.py_func(1) == 2
    assert not hasattr(jitted.sin, "py_func")


def test_inline_as_a_function():
    @njit(inline=lambda expression, caller, callee: True)
    def twice(x):
        return 2 * x

    assert njit(lambda x: twice(x) + 1)(3) == 7


def test_locals_of_parameters():
    @njit(locals={"x": types.int32, "n": types.float64})
    def f(x, n=1):
        for _ in range(2):
            n = n + x
        return x, n

    assert repr(f(3.7)) == "(3, 7.0)"
    assert f.nopython_signatures[0].return_type == types.Tuple((types.int32, types.float64))


def test_what_config_says_of_the_machine():
    assert config.PYVERSION == sys.version_info[:2]
    assert config.MACHINE_BITS == 64 and not config.IS_32BITS
    assert config.IS_WIN32 == (os.name == "nt")


def test_a_declared_variable_that_a_comprehension_uses_too():
    """The comprehension gives the variable back what it took, which may be nothing."""

    @njit(locals={"j": types.uint32, "k": types.float32})
    def f(n):
        found = 0.0
        for i in range(n):
            items = [(1.0, j) for j in range(i)]
            for j in range(3):
                items.append((0.1, j))
            items += [(k, 2) for k in (0.1, 0.2)]
            found += len(items) + j + items[-1][0]
        k = 0.1
        return found + k, [j + 1 for j in range(2)], j

    expected, items, j = f.py_func(4)
    found = f(4)
    assert found[0] == pytest.approx(expected) and found[0] != expected  # float32(0.1)
    assert found[1:] == (items, j)


def test_types_of_locals_hold_in_callbacks():
    def third(x):
        y = x / 3
        return y

    narrow = cfunc("f8(f8)", locals={"y": types.float32})(third)
    assert narrow.ctypes(1.0) == np.float32(1 / 3)
    assert cfunc("f8(f8)", locals={})(third).ctypes(1.0) == 1 / 3


def test_the_page_has_every_option():
    """docs/options.md has a row for each option that does something, with its default."""
    page = (pathlib.Path(__file__).parents[2] / "docs/options.md").read_text()
    rows = dict(re.findall(r"^\| `(\w+)` \| `([^`]*)` \|", page, re.MULTILINE))
    shown = {
        name: repr(option.default).replace("'", '"')
        for name, option in OPTIONS.items()
        if not name.startswith(("_", "no_"))
    }
    assert rows == shown


@pytest.mark.parametrize("row", _core.option_rows(), ids=lambda row: row[0])
def test_rows_of_the_compiler_set_their_field(row):
    name, choices, field, _ = row
    default, on = choices.split() or (False, True)
    assert compiler_options({})[field] is False
    assert compiler_options({name: default})[field] is False
    assert compiler_options({name: on})[field] is True
