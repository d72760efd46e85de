"""try: which handler runs, what it sees, and what is released on the way to it."""

import numpy as np
import pytest
from language.support import assert_same, compiled
from numjit import njit, prange
from numjit.errors import TypingError


class Problem(Exception):
    """A user's exception."""


class Special(Problem, KeyError):
    """A subclass of two."""


@njit
def risky(x):
    if x == 1:
        raise ValueError("one")
    if x == 2:
        raise Problem("two", x)
    if x == 3:
        raise Special(x, 2.5)
    if x == 4:
        raise IndexError
    return x * 10


def several(x):
    try:
        y = risky(x)
    except ValueError:
        return -1
    except (IndexError, ZeroDivisionError):
        return -2
    except KeyError:
        return -3
    except Problem:
        return -4
    else:
        y += 1
    return y


@pytest.mark.parametrize("x", range(6))
def test_first_handler_that_fits(x):
    assert_same(several, x)


def of_operations(a, i, d):
    try:
        r = a[i] // d
    except ZeroDivisionError:
        r = -1
    except IndexError:
        r = -2
    return r


@pytest.mark.parametrize("i, d", [(0, 2), (1, 0), (5, 1)])
def test_errors_of_operations(i, d):
    assert_same(of_operations, [5, 7], i, d)
    assert_same(of_operations, (5, 7), i, d)


def bare(x):
    try:
        return risky(x)
    except:  # noqa: E722
        return -1


def by_base(x):
    try:
        return risky(x)
    except LookupError:
        return -5
    except Exception:
        return -6


def not_caught(x):
    try:
        return risky(x)
    except TypeError:
        return -1


def again(x):
    try:
        return risky(x)
    except ValueError:
        raise
    except Problem as e:
        if x == 2:
            raise e
        raise RuntimeError("other", x) from e


@pytest.mark.parametrize("x", range(6))
@pytest.mark.parametrize("f", [bare, by_base, not_caught, again])
def test_kinds_of_handlers(f, x):
    assert_same(f, x)


def test_arguments_and_cause_of_what_is_raised_again():
    f = compiled(again)
    with pytest.raises(Problem) as caught:
        f(2)
    assert caught.value.args == ("two", 2)
    with pytest.raises(RuntimeError) as caught:
        f(3)
    assert caught.value.args == ("other", 3)
    assert type(caught.value.__cause__) is Special and caught.value.__cause__.args == (3, 2.5)


def test_causes():
    def f(x):
        if x == 0:
            raise ValueError(x) from None
        if x == 1:
            raise ValueError(x) from KeyError
        raise ValueError(x) from KeyError("k", x)

    for x in range(3):
        with pytest.raises(ValueError) as expected:
            f(x)
        with pytest.raises(ValueError) as caught:
            njit(f)(x)
        cause, wanted = caught.value.__cause__, expected.value.__cause__
        assert type(cause) is type(wanted)
        assert cause is None or cause.args == wanted.args
        assert caught.value.__suppress_context__


def finals(x):
    log = [0]
    try:
        try:
            log.append(risky(x))
        finally:
            log.append(7)
        log.append(8)
    except ValueError:
        log.append(9)
    except Problem:
        log.append(10)
    finally:
        log.append(11)
    return log


def return_through_finally(x):
    log = [0]
    for i in range(4):
        try:
            if i == x:
                continue
            if i == x + 1:
                break
            log.append(risky(i + 10))
        finally:
            log.append(-i)
    return log


def finally_overrides(x):
    try:
        return risky(x)
    finally:
        if x != 2:
            return -9


@pytest.mark.parametrize("x", range(5))
@pytest.mark.parametrize("f", [finals, return_through_finally, finally_overrides])
def test_finally(f, x):
    assert_same(f, x)


def in_loops(n):
    total, failed = 0, 0
    for i in range(n):
        for j in range(3):
            try:
                total += risky((i + j) % 6)
                if total > 500:
                    break
            except ValueError:
                failed += 1
                continue
            except (Problem, IndexError):
                failed += 100
        else:
            total += 1
    return total, failed


def test_in_loops():
    for n in (0, 1, 5, 50):
        assert_same(in_loops, n)


def nested(x):
    seen = 0
    try:
        try:
            risky(x)
        except ValueError:
            seen += 1
            risky(2)
        except Special:
            seen += 2
            try:
                risky(1)
            except ValueError:
                seen += 4
            raise
    except Problem as e:
        seen += 8
        if isinstance(e, KeyError):
            seen += 16
    return seen


def handled_one_is_restored(x):
    try:
        risky(1)
    except ValueError:
        try:
            risky(4)
        except IndexError:
            x += 1
        raise


@pytest.mark.parametrize("f", [nested, handled_one_is_restored])
def test_nested(f):
    for x in range(6):
        assert_same(f, x)


def variables(x):
    a = 1
    b = np.zeros(2)
    try:
        a = 2
        b = np.ones(3)
        a = risky(x)
        b = b + a
        a = risky(x - 1)
    except ValueError:
        a += 100
    return a, b


def assigned_in_part(x):
    try:
        y = risky(x)
        z = risky(x + 1)
        y += risky(x + 2)
    except ValueError:
        pass
    return y, z


def test_handlers_see_variables_as_they_were():
    for x in range(3):
        assert_same(variables, x)
    for x in range(7):
        assert_same(assigned_in_part, x)


def holding(x):
    rows = [np.zeros(3)]
    for i in range(4):
        row = np.full(3, float(i))
        try:
            other = row + risky(x)
            rows.append(other)
            if i == 2:
                raise Problem(row, other)
        except Problem:
            rows.append(row)
        except ValueError:
            rows = [row]
    return len(rows), rows[-1]


def test_what_is_owned():
    for x in range(5):
        assert_same(holding, x)


def test_swallowed_arguments_are_released():
    @njit
    def f(n):
        count = 0
        for i in range(n):
            try:
                raise Problem(np.ones(i), [i])
            except Problem:
                count += 1
        return count

    assert f(10) == 10


def test_an_exception_is_a_value():
    @njit
    def f(x):
        try:
            return risky(x), None
        except Problem as e:
            return 0, e

    assert f(5) == (50, None)
    value, error = f(3)
    assert value == 0 and type(error) is Special and error.args == (3, 2.5)


def test_errors_of_the_runtime_and_the_library():
    @njit
    def f(which, a):
        try:
            if which == 0:
                return np.zeros(-1)[0]
            if which == 1:
                return (a + a[:-1])[0]
            if which == 2:
                return a[:0].max()
            return a[0]
        except ValueError:
            return -1.0

    assert [f(i, np.arange(3.0) + 5) for i in range(4)] == [-1.0, -1.0, -1.0, 5.0]


def test_in_parallel_loops():
    @njit(parallel=True)
    def f(a):
        out = np.zeros(len(a))
        for i in prange(len(a)):
            try:
                out[i] = risky(a[i])
            except Exception:
                out[i] = -1
        return out

    a = np.arange(1000) % 7
    assert np.array_equal(f(a), np.where((a > 0) & (a < 5), -1, a * 10))


def test_bare_raise_without_an_exception():
    def outside(x):
        raise

    def behind(x):
        try:
            risky(x)
        except ValueError:
            pass
        raise

    for f in (outside, behind):
        with pytest.raises(RuntimeError, match="No active exception to reraise"):
            njit(f)(1)


def test_recursion_limit_can_be_caught():
    @njit
    def deep(n):
        return 0 if n == 0 else deep(n - 1) + 1

    @njit
    def f(n):
        try:
            return deep(n)
        except RecursionError:
            return -1

    assert f(10) == 10 and f(10**9) == -1


def test_what_is_no_exception():
    @njit
    def f(x):
        try:
            return risky(x)
        except int:
            return 0

    with pytest.raises(TypingError, match="catching classes that do not inherit"):
        f(1)


def test_raised_again_in_callers():
    @njit
    def middle(x):
        try:
            return risky(x)
        finally:
            x += 1

    @njit
    def outer(x):
        try:
            return middle(x)
        except Problem:
            return -1

    assert outer(5) == 50 and outer(2) == -1
    with pytest.raises(ValueError, match="one"):
        outer(1)


def test_variables_without_a_value_behind_handlers():
    def f(x):
        try:
            y = 10 // x
        except ZeroDivisionError:
            if x == 0:
                return -1
        return y

    def g(x):
        try:
            y = 10 // x
        except ZeroDivisionError:
            x += 1
        return y

    assert_same(f, 5)
    assert_same(f, 0)
    assert_same(g, 5)
    with pytest.raises(UnboundLocalError, match="cannot access local variable 'y'"):
        compiled(g)(0)
