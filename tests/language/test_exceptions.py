"""raise and assert: class, arguments, and the line of the compiled source in the traceback."""

import traceback

import numpy as np
import pytest
from language.support import assert_same, compiled
from numjit import njit, prange
from numjit.errors import TypingError


class Problem(Exception):
    """A user's exception."""


class Detailed(ValueError):
    """With a constructor of its own."""

    def __init__(self, code, where):
        super().__init__(f"{code} at {where}")
        self.code, self.where = code, where


BUILTIN = [
    ValueError, TypeError, IndexError, KeyError, RuntimeError, ZeroDivisionError, OverflowError,
    ArithmeticError, AssertionError, NotImplementedError, StopIteration, MemoryError, OSError,
    LookupError, Exception,
]  # fmt: skip


@pytest.mark.parametrize("cls", BUILTIN)
def test_builtin_classes(cls):
    @njit
    def f(x):
        if x > 0:
            raise cls("message", 3)
        return x

    assert f(0) == 0
    with pytest.raises(cls) as caught:
        f(1)
    assert type(caught.value) is cls and caught.value.args == ("message", 3)


def test_class_without_call():
    @njit
    def f(x):
        if x:
            raise ValueError
        return 1

    with pytest.raises(ValueError) as caught:
        f(1)
    assert caught.value.args == ()
    assert f(0) == 1


def test_arguments_at_run_time():
    @njit
    def f(x, y):
        raise Problem("x is", x, y, (x, y))

    with pytest.raises(Problem) as caught:
        f(3, 0.5)
    assert caught.value.args == ("x is", 3, 0.5, (3, 0.5))


def test_array_as_argument():
    @njit
    def f(a):
        raise Problem("bad", a[1:])

    with pytest.raises(Problem) as caught:
        f(np.arange(4.0))
    assert caught.value.args[0] == "bad"
    assert np.array_equal(caught.value.args[1], [1.0, 2.0, 3.0])


def test_constructor_with_arguments():
    @njit
    def f(x):
        raise Detailed(x, "here")

    with pytest.raises(Detailed) as caught:
        f(7)
    assert (caught.value.code, caught.value.where, str(caught.value)) == (7, "here", "7 at here")


def raising(x):
    y = x + 1
    if y > 3:
        raise Problem("deep")
    return y


LINE = raising.__code__.co_firstlineno + 3


def test_traceback_line():
    try:
        njit(raising)(5)
    except Problem as error:
        frames = traceback.extract_tb(error.__traceback__)
    assert frames[-1].filename == __file__
    assert frames[-1].lineno == LINE
    assert frames[-1].name == "raising"
    assert all("numjit" not in frame.filename.split("/")[-2:] for frame in frames)


def test_through_callers():
    inner = njit(raising)

    @njit
    def middle(a):
        b = a * 2
        for i in range(3):
            b[i] = inner(int(b[i]))
        return b

    @njit
    def outer(a):
        return middle(a + 0.0).sum()

    assert outer(np.zeros(3)) == 3.0
    for _ in range(10):  # nothing leaks on the way out
        with pytest.raises(Problem, match="deep") as caught:
            outer(np.full(3, 10.0))
    frames = traceback.extract_tb(caught.value.__traceback__)
    assert LINE in [frame.lineno for frame in frames]


@njit
def add_up(a, b):
    total = 0.0
    for i in range(2):
        total += (a + b)[i]  # three lines below def
    return total


@njit
def through(a, b):
    return add_up(a, b) + 1


@njit
def number_in(text):
    text = text.strip()
    return int(text)  # two lines below def


@njit(parallel=True)
def in_chunks(a, b):
    total = 0.0
    for i in prange(len(a)):
        total += (a + b)[i]  # three lines below def
    return total


def test_errors_of_the_library_are_at_the_line_that_called_it():
    two = np.ones(2)
    for f, blamed, arguments, lines in (
        (add_up, add_up, (np.ones(3), two), 3),
        (through, add_up, (np.ones(3), two), 3),
        (number_in, number_in, (" 1.5 ",), 2),
        (in_chunks, in_chunks, (np.ones(3), two), 3),
    ):
        with pytest.raises(ValueError) as caught:
            f(*arguments)
        place = traceback.extract_tb(caught.value.__traceback__)[-1]
        assert (place.filename, place.name) == (__file__, blamed.__name__)
        first = blamed.py_func.__code__.co_firstlineno + 1  # of def: there is one decorator
        assert place.lineno == first + lines


def test_out_of_nested_loops():
    @njit
    def f(a):
        rows = [a * 1.0, a * 2.0]
        for i in range(3):
            for j in range(3):
                b = a + i
                if b[j] > 3:
                    raise IndexError("found", i, j)
                rows.append(b)
        return len(rows)

    with pytest.raises(IndexError) as caught:
        f(np.arange(3.0))
    assert caught.value.args == ("found", 2, 2)
    assert f(np.zeros(3)) == 11


def test_assert():
    # Not written out here, where pytest would rewrite them.
    namespace = {}
    exec("def plain(x):\n    assert x > 0\n    return x\n", namespace)
    exec("def message(x):\n    assert x > 0, 'must be positive'\n    return x\n", namespace)
    plain, message = namespace["plain"], namespace["message"]
    assert_same(plain, 1)
    assert_same(plain, -1)
    assert compiled(message)(1) == 1
    with pytest.raises(AssertionError, match="must be positive") as caught:
        compiled(message)(-1)
    assert caught.value.args == ("must be positive",)


def test_raise_instead_of_return():
    @njit
    def always(x):
        raise ValueError("always")

    @njit
    def f(x):
        if x > 0:
            return x * 1.5
        always(x)
        return 0.0

    assert f(2) == 3.0
    with pytest.raises(ValueError):
        f(-2)


def test_raise_of_a_variable_exception_class():
    classes = (KeyError, IndexError)

    @njit
    def f(x):
        if x:
            raise classes[0]("k")
        return 0

    with pytest.raises(KeyError):
        f(1)


def test_exceptions_of_operations_have_lines():
    def f(a, b):
        c = a + b
        return (
            c
            // b
        )  # fmt: skip

    with pytest.raises(ZeroDivisionError) as caught:
        njit(f)(1, 0)
    frame = traceback.extract_tb(caught.value.__traceback__)[-1]
    first = f.__code__.co_firstlineno
    assert frame.filename == __file__ and first + 3 <= frame.lineno <= first + 4


def test_errors_of_library_functions_blame_the_call():
    @njit
    def f(a):
        return np.min(a)

    with pytest.raises(ValueError, match="zero-size"):
        f(np.zeros(0))


def test_raising_something_else_is_a_typing_error():
    @njit
    def f(x):
        raise x

    with pytest.raises(TypingError):
        f(1)


def test_raise_releases_memory():
    @njit
    def f(a, n):
        b = a + 1
        c = [b, a]
        if n > 2:
            raise Problem("full", n)
        return b[0] + c[1][0]

    for n in (1, 5) * 20:
        try:
            assert f(np.arange(3.0), n) == 1.0
        except Problem as error:
            assert error.args == ("full", 5)


# -- texts of caught exceptions -------------------------------------------------------------------


def test_texts_of_raised_exceptions():
    def f(kind, x):
        try:
            if kind == 0:
                raise ValueError("with text")
            if kind == 1:
                raise ValueError("text and number", x)
            if kind == 2:
                raise KeyError("key")
            if kind == 3:
                raise Problem()
            raise Detailed(x, "here")
        except Exception as e:
            return str(e), repr(e), f"<{e}>"

    for kind in range(5):
        assert_same(f, kind, 3)


def test_texts_of_errors_of_operations():
    def f(kind, values, d):
        try:
            if kind == 0:
                return str(int("abc"))
            if kind == 1:
                return str(values[5])
            if kind == 2:
                return str({1: 2}[d])
            return str(values.pop(7))
        except (LookupError, ValueError) as e:
            return repr(e)

    for kind in range(4):
        assert_same(f, kind, [1, 2], 6)


def test_texts_from_object_mode():
    from numjit import objmode

    def fail():
        raise ValueError("from Python \u00e9")

    def f():
        try:
            with objmode():
                fail()
        except ValueError as e:
            return str(e)
        return ""

    assert compiled(f)() == "from Python \u00e9"


def test_a_text_that_fails():
    class Odd(Exception):
        def __str__(self):
            raise KeyError("inside")

    def f():
        try:
            try:
                raise Odd()
            except Odd as e:
                return str(e)
        except KeyError:
            return "caught"

    assert_same(f)


def test_arguments_of_caught_exceptions():
    def f(x):
        try:
            if x == 0:
                raise ValueError("zero", x, 0.5)
            if x == 1:
                raise KeyError(x)
            if x == 2:
                raise Problem
        except KeyError as e:
            return str(e.args[0]), len(e.args)
        except ValueError as e:
            text, number, half = e.args
            return text + "!", number + int(half * 2)
        except Problem as e:
            return "", len(e.args)
        return "nothing", 0

    for x in range(4):
        assert_same(f, x)


def check_positive(x):
    if x < 0:
        raise Problem("negative", x)
    if x == 0:
        raise IndexError(x)
    return x


def test_arguments_of_exceptions_that_leave_called_functions():
    check = njit(check_positive)
    through = njit(lambda x: check(x) + 1)

    def f(x):
        total = 0
        for i in range(x, 3):
            try:
                total += through(i)
            except Problem as e:
                word, number = e.args
                total += number * len(word)
            except IndexError as e:
                total += 1000 + e.args[0]
        return total

    for x in (-3, 0, 1):
        assert_same(f, x)


def test_arguments_of_what_the_library_raises_are_its_message():
    def f(n):
        try:
            return str(np.zeros(n).size)
        except ValueError as e:
            return e.args[0]

    assert_same(f, 4)
    assert_same(f, -1)


def test_arguments_of_another_type_than_expected_are_an_error():
    def f(text):
        try:
            if text == "":
                raise ValueError(1, 2)
            return int(text)
        except ValueError as e:
            return e.args[1]

    assert_same(f, "")
    assert_same(f, "12")
    with pytest.raises(TypeError, match="arguments of the caught ValueError are"):
        compiled(f)("x")


def test_arguments_of_several_types_are_refused():
    def f(x):
        try:
            if x:
                raise ValueError(1)
            raise KeyError("a", "b")
        except Exception as e:
            return e.args

    with pytest.raises(TypingError, match="arguments of several types"):
        compiled(f)(1)


def refuse(x):
    raise ValueError("not", x)


def refuse_in_a_loop(x):
    while True:
        if x > 3:
            raise IndexError("large")
        x += 1


def refuse_through(x):
    refuse(x)
    return x.no_such_attribute


@pytest.mark.parametrize("fail", [refuse, refuse_in_a_loop, refuse_through])
def test_what_follows_a_call_that_always_raises_has_no_type(fail):
    """No value comes from it, so that the other paths decide on types."""
    fail = njit(fail)

    def f(x):
        items = [0.0]
        try:
            items[0] = fail(x) if x < 2 else x * 0.5
            y = fail(x) if x < 3 else 1
        except ValueError:
            items.append(2.0)
            y = 7
        except IndexError:
            y = 8
        return items, y + 1

    for x in range(5):
        assert_same(f, x)
    assert str(compiled(f).nopython_signatures[-1].return_type) == (
        "Tuple(reflected list(float64)<iv=None>, int64)"
    )


def test_a_function_that_only_fails_when_called():
    inner = njit(refuse_through)

    def f(x):
        return inner(x)

    with pytest.raises(ValueError, match="not.*3"):
        compiled(f)(3)


def test_mutual_recursion_that_returns_on_one_path_only():
    @njit
    def even(n):
        if n < 0:
            raise ValueError("below zero")
        return True if n == 0 else odd(n - 1)

    @njit
    def odd(n):
        if n == 0:
            raise ValueError("odd")
        return even(n - 1)

    assert even(10)
    with pytest.raises(ValueError, match="odd"):
        even(7)
    with pytest.raises(ValueError, match="below zero"):
        even(-1)


def test_a_call_that_always_raises_in_a_loop_that_may_not_run():
    fail = njit(refuse)

    def f(i, runs):
        n = 0
        while n < 4 and runs:
            n += 1
            i = min(fail([k * n for k in range(n)]))
        return i

    assert_same(f, 3, False)
    with pytest.raises(ValueError, match="not"):
        compiled(f)(3, True)


def test_a_handler_that_never_ends_before_another_one():
    """What leads to the second is sought through the first."""

    def f(x):
        try:
            if x == 7:
                raise KeyError(1)
        except KeyError:
            pass
        except:  # noqa: E722 - one that tests no class
            while True:
                pass
        try:
            try:
                if x == 8:
                    raise IndexError
            except:  # noqa: E722
                while True:
                    pass
            if x > 2:
                raise ValueError(x, "a")
        except ValueError as e:
            return e.args[0]
        return 0

    for x in (1, 3, 7):
        assert_same(f, x)


def test_attributes_that_arrays_and_dtypes_lack():
    def limits(what):
        try:
            return np.finfo(what).eps
        except (ValueError, TypeError):
            return np.finfo(what.dtype).eps

    def f(a):
        try:
            found = a.__array_namespace_info__
        except AttributeError:
            found = 0
        return limits(a.dtype), found

    assert_same(f, np.ones(2))


def test_keywords_that_say_nothing():
    @njit
    def f(x):
        if x:
            raise AttributeError("none", name=None)
        raise ImportError("other", name=None, path=None)

    for x, cls in ((True, AttributeError), (False, ImportError)):
        with pytest.raises(cls) as raised:
            f(x)
        assert raised.value.name is None
    with pytest.raises(TypingError, match="positional arguments only"):
        njit(lambda x: AttributeError("none", name="x"))(1)
