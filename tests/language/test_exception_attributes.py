"""Attributes that the `__init__` of a program's exceptions gives them, read in a handler."""

import pickle
from concurrent.futures import ThreadPoolExecutor

import pytest
from numjit import njit
from numjit.errors import TypingError


class Coded(Exception):
    kind = "coded"

    def __init__(self, code, message="no message"):
        super().__init__(message)
        self.code = code


class Listed(Coded):
    def __init__(self, code):
        super().__init__(code, f"code {code}")
        self.codes = [code, code + 1]


class Place(ValueError):
    def __init__(self, row, column):
        self.row = row
        self._note(column)

    def _note(self, column):
        self.column = column

    def __str__(self):
        return f"{self.row}:{self.column}"


class Bare(Exception):
    level = 3


class Unset(Exception):
    def __init__(self, flag):
        if flag > 5:
            self.code = flag


def attribute(n):
    try:
        raise Coded(n, "bad")
    except Coded as e:
        return e.code, e.kind, e.args, str(e)


def default(n):
    try:
        raise Coded(n)
    except Coded as e:
        return e.code * 2, e.args


def derived(n):
    try:
        raise Listed(n)
    except Coded as e:
        return e.code, str(e), e.args


def list_of_derived(n):
    try:
        raise Listed(n)
    except Listed as e:
        return e.codes


def without_super(n):
    try:
        raise Place(n, 0.5)
    except ValueError as e:
        return e.row, e.column, e.args, str(e)


def without_init(n):
    try:
        raise Bare("a", n)
    except Bare as e:
        return e.level, e.args


def of_a_callee(n):
    def check(k):
        if k > 1:
            raise Coded(k, "large")
        return k

    try:
        return check(n)
    except Coded as e:
        return e.code * 100


def several_handlers(n):
    total = 0
    for i in range(n):
        try:
            if i % 3 == 0:
                raise Coded(i)
            if i % 3 == 1:
                raise Place(i, i)
            raise ValueError("other")
        except Coded as e:
            total += e.code
        except Place as e:
            total += e.row * e.column
        except ValueError:
            total += 1000
    return total


def raised_again(n):
    try:
        try:
            raise Coded(n, "again")
        except Coded as e:
            if e.code > 100:
                return 0
            raise
    except Coded as e:
        return e.code + 1


PROGRAMS = [
    attribute,
    default,
    derived,
    list_of_derived,
    without_super,
    without_init,
    of_a_callee,
    several_handlers,
    raised_again,
]


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_programs(f):
    assert repr(njit(f)(7)) == repr(f(7))


def test_attributes_outside():
    with pytest.raises(Coded) as caught:
        njit(lambda n: _raise(n))(7)
    assert caught.value.code == 7 and caught.value.args == ("outside",)


@njit
def _raise(n):
    raise Coded(n, "outside")


def test_threads_read_their_own():
    f = njit(attribute)
    with ThreadPoolExecutor(16) as pool:
        assert [each[0] for each in pool.map(f, range(64))] == list(range(64))


def test_pickle():
    f = pickle.loads(pickle.dumps(njit(several_handlers)))
    assert f(9) == several_handlers(9)


def of_no_class(n):
    try:
        raise Coded(n)
    except Coded as e:
        return e.absent


def of_several_types(n):
    try:
        if n > 2:
            raise Coded("text")
        raise Coded(n)
    except Coded as e:
        return e.code


def not_always_set(n):
    try:
        raise Unset(n)
    except Unset as e:
        return e.code


REFUSED = {
    "not_always_set": (not_always_set, "Cannot unify"),
    "unknown": (of_no_class, "Unknown attribute 'absent' of type exception"),
    "several_types": (of_several_types, "attributes of several types: .*unicode_type"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name):
    f, text = REFUSED[name]
    with pytest.raises(TypingError, match=text):
        njit(f)(1)


def test_arguments_where_init_has_no_types():
    def f(n):
        try:
            raise Unset(n)
        except Unset as e:
            return e.args

    assert njit(f)(7) == f(7) == (7,)
