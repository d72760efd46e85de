"""throw() and close() of compiled generators, called from Python."""

import gc
import sys

import numpy as np
import pytest
from language.engine import live_blocks
from numjit import njit


def plain(n):
    for i in range(n):
        yield i


def cleans(notes):
    try:
        yield 1
        yield 2
    finally:
        notes[0] += 1


def tells(notes):
    try:
        yield 1
    except ValueError as e:
        notes[0] += 1
        raise KeyError(len(str(e))) from None


def goes_on(notes):
    while True:
        try:
            yield 1
        except GeneratorExit:
            notes[0] += 1


def returns(notes):
    try:
        yield 1
    except ValueError:
        return 7
    return 8


def returns_at_close(notes):
    try:
        yield 1
    except GeneratorExit:
        return 7


def nested(notes):
    try:
        try:
            yield 1
        except KeyError:
            yield 2
        finally:
            notes[0] += 1
        yield 3
    except ValueError:
        notes[0] += 10
        yield 4


def sent(notes):
    total = 0.0
    while total < 100:
        try:
            x = yield total
            if x is not None:
                total += x
        except ValueError:
            total += 50


PROGRAMS = [cleans, tells, goes_on, returns, returns_at_close, nested, sent]


def outcome(call, *arguments):
    try:
        return call(*arguments)
    except BaseException as error:
        return type(error), error.args


def taken(generator, step):
    name, *arguments = step
    made = [each if isinstance(each, type) else each() for each in arguments]
    return outcome(getattr(generator, name), *made)


def story(function, steps):
    """What each step gives, and what the generator noted."""
    notes = np.zeros(2)
    generator = function(notes)
    told = []
    for step in steps:
        told.append(taken(generator, step))
    told.append(notes.tolist())
    return told


def throw(cls, text):
    """Made anew each time: its traceback holds the generator."""
    return "throw", lambda: cls(text)


NEXT, CLOSE = ("__next__",), ("close",)
STORIES = [
    [NEXT, throw(ValueError, "a"), NEXT, NEXT],
    [NEXT, ("throw", ValueError), NEXT],
    [NEXT, throw(KeyError, "k"), NEXT, throw(ValueError, "b"), NEXT, CLOSE],
    [NEXT, throw(ZeroDivisionError, "z"), NEXT],
    [throw(ValueError, "early"), NEXT, throw(ValueError, "again")],
    [NEXT, CLOSE, NEXT, CLOSE, throw(ValueError, "late")],
    [CLOSE, NEXT],
    [NEXT, NEXT, NEXT, throw(ValueError, "over"), CLOSE],
]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
@pytest.mark.parametrize("steps", STORIES)
def test_as_in_python(program, steps):
    assert story(njit(program), steps) == story(program, steps)


def test_without_handlers():
    for steps in STORIES:
        outcomes = []
        for function in (plain, njit(plain)):
            generator = function(3)
            outcomes.append([taken(generator, step) for step in steps])
        assert outcomes[0] == outcomes[1]


def test_the_exception_is_the_one_that_was_thrown():
    class Mine(Exception):
        pass

    for function in (plain, cleans):
        generator = njit(function)(np.zeros(2) if function is cleans else 3)
        next(generator)
        error = Mine("x")
        with pytest.raises(Mine) as caught:
            generator.throw(error)
        assert caught.value is error


@pytest.mark.filterwarnings("ignore:the .type, exc, tb. signature:DeprecationWarning")
def test_classes_and_values():
    for arguments in [
        (ValueError, "a"),
        (ValueError, ("a", "b")),
        (ValueError, OSError("c")),
        (ValueError, None),
        (ValueError("d"), None, None),
        (ValueError("d"), "e"),
        ("no exception",),
        (int,),
        (ValueError, "a", "no traceback"),
        (),
    ]:
        outcomes = []
        for function in (cleans, njit(cleans)):
            generator = function(np.zeros(2))
            next(generator)
            outcomes.append(outcome(generator.throw, *arguments))
        if outcomes[0][0] is TypeError:
            assert outcomes[1][0] is TypeError, arguments
        else:
            assert outcomes[0] == outcomes[1], arguments


def test_sent_and_thrown():
    for function in (sent, njit(sent)):
        generator = function(np.zeros(1))
        assert next(generator) == 0
        assert generator.send(20.0) == 20
        assert generator.throw(ValueError) == 70
        assert generator.send(20.0) == 90


def test_one_that_is_forgotten_runs_its_handlers():
    compiled = njit(cleans)
    notes = np.zeros(2)
    generator = compiled(notes)
    next(generator)
    del generator
    gc.collect()
    assert notes[0] == 1
    unstarted = compiled(notes)
    del unstarted
    assert notes[0] == 1
    for _ in compiled(notes):
        break
    gc.collect()
    assert notes[0] == 2


def test_it_holds_nothing_after_an_exception():
    a = np.zeros(2)
    before = sys.getrefcount(a)
    compiled = njit(cleans)
    for _ in range(5):
        generator = compiled(a)
        next(generator)
        with pytest.raises(OSError):
            generator.throw(OSError("gone"))
        del generator
    assert sys.getrefcount(a) == before


def counter_of_digits(n):
    digits = [0] * n
    yield digits
    for i in range(n):
        digits[i] += 1
        digits.append(i)
        yield digits
    digits[0] = 100


def parts(n):
    sizes, names = [n], ["a"]
    while sizes[-1] > 1:
        yield len(sizes), sizes, [names, names]
        sizes[-1] -= 1
        sizes.append(1)
        names[0] += "b"
    yield len(sizes), [1] * n, [names, ["c"]]


def raises_later(n):
    found = [1.5]
    for i in range(n):
        yield found
        found[0] += i
    raise ValueError("no more")


@pytest.mark.parametrize("function", [counter_of_digits, parts])
def test_lists_that_are_yielded_again(function):
    """They are one list, which changes with the generator's."""
    compiled = njit(function)
    for n in (1, 2, 5):
        assert list(compiled(n)) == list(function(n))
    lists, expected = list(compiled(3)), list(function(3))
    for i in range(len(lists)):
        for k in range(len(lists)):
            first, second = (each[i][1] if function is parts else each[i]
                             for each in (lists, expected))  # fmt: skip
            others = [each[k][1] if function is parts else each[k] for each in (lists, expected)]
            assert (first is others[0]) == (second is others[1])


def test_a_list_changes_before_an_error():
    generator = njit(raises_later)(2)
    found = next(generator)
    assert next(generator) is found and found == [1.5]
    with pytest.raises(ValueError, match="no more"):
        next(generator)
    assert found == [2.5]


def test_lists_that_are_made_anew():
    @njit
    def f(n):
        for i in range(n):
            yield [i, n]

    rows = list(f(4))
    assert rows == [[0, 4], [1, 4], [2, 4], [3, 4]]
    rows[0].append(1)
    assert rows[1] == [1, 4]


def test_many_lists_that_the_generator_keeps():
    """The last ones are watched: a step does not look at all that there were."""

    @njit
    def f(n):
        kept = []
        for i in range(n):
            kept.append([i])
            yield kept[-1]
        for each in kept:
            each[0] = -1
        yield kept[-1]

    n = 100
    before = live_blocks()
    lists = list(f(n))
    assert lists[-1] is lists[-2]
    assert lists[: n - 32] == [[i] for i in range(n - 32)]
    assert lists[n - 32 :] == [[-1]] * 33
    del lists
    assert live_blocks() == before


def test_shared_lists_are_released():
    compiled = njit(counter_of_digits)
    list(compiled(3))
    before = live_blocks()
    for step in (0, 2, 4):
        generator = compiled(3)
        given = [x for x, _ in zip(generator, range(step))]
        del generator
        assert given == [] or given[0] is given[-1]
    assert live_blocks() == before
