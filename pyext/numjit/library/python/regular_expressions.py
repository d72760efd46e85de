"""``re``: the interpreter searches, and answers with where the groups of a match are.

A match is the text and these places; its methods are compiled code. How many groups a pattern has
is known when it is compiled if the pattern is a literal or a global one.
"""

import dataclasses
import functools
import re

import numpy as np

from numjit import types
from numjit.python_calls import PythonCall

from ..core.compile_time import Answers
from ..core.intrinsics import is_constant, new_struct, refuse
from ..core.registry import function

_CLASS = "re.Pattern"
_WAYS = ("match", "fullmatch", "search")
_PLAIN = int(re.IGNORECASE | re.MULTILINE | re.DOTALL | re.UNICODE)  # groups are the same


def method(name):
    return function(f"{_CLASS}.{name}")


# -- in the interpreter --------------------------------------------------------------------------


def _places(found):
    """Where the groups of a match begin and end; nothing if there is none."""
    spans = [] if found is None else [found.span(i) for i in range(found.re.groups + 1)]
    return (np.array(spans, np.int64).ravel(),)


def _find(way, pattern, flags, text, pos, endpos):
    return _places(getattr(re.compile(pattern, flags), _WAYS[way])(text, pos, endpos))


def _find_all(pattern, flags, text, pos, endpos):
    found = re.compile(pattern, flags).finditer(text, pos, endpos)
    spans = [each.span(i) for each in found for i in range(each.re.groups + 1)]
    return (np.array(spans, np.int64).ravel(),)


def _sub(pattern, flags, repl, text, count):
    return re.compile(pattern, flags).subn(repl, text, count)


def _about(pattern, flags):
    made = re.compile(pattern, flags)
    return made.flags, made.groups


def _number(pattern, flags, name):
    return (re.compile(pattern, flags).groupindex.get(name, -1),)


def _names(pattern, flags):
    index = re.compile(pattern, flags).groupindex
    return list(index), np.array(list(index.values()), np.int64)


def _known_about(pattern):
    """Flags and number of groups of a literal pattern, which re.VERBOSE may change: -1 then.
    Nothing if it is none."""
    try:
        flags, groups = _about(pattern, 0)
        verbose = _about(pattern, re.VERBOSE)[1]
    except (re.error, ValueError, OverflowError, RecursionError):
        return None
    return flags, groups if groups == verbose else -1


_known = Answers("patterns", _known_about)
_spans = types.Tuple((types.int64[::1],))
_int = types.int64
_find_call = PythonCall(_find, _spans)
_find_all_call = PythonCall(_find_all, _spans)
_sub_call = PythonCall(_sub, types.Tuple((types.unicode_type, _int)))
_about_call = PythonCall(_about, types.Tuple((_int, _int)))
_number_call = PythonCall(_number, types.Tuple((_int,)))
_names_call = PythonCall(_names, types.Tuple((types.List(types.unicode_type), types.int64[::1])))
_escape_call = PythonCall(lambda text: (re.escape(text),), types.Tuple((types.unicode_type,)))


@functools.lru_cache(maxsize=1)
def _all_matches(pattern, text, pos, endpos):
    """Of finditer(): a program that returns one of them often returns all."""
    return list(pattern.finditer(text, pos, endpos))


# -- matches -------------------------------------------------------------------------------------


@dataclasses.dataclass(frozen=True)
class FoundMatch:
    """What a match is to the compiler."""

    re: re.Pattern
    string: str
    pos: int
    endpos: int
    places: np.ndarray
    way: int  #: how it was found, or of finditer() the number of those before it, behind `_WAYS`

    is_converted = True

    def _numjit_to_python_(self):
        if self.way < len(_WAYS):
            return getattr(self.re, _WAYS[self.way])(self.string, self.pos, self.endpos)
        return _all_matches(self.re, self.string, self.pos, self.endpos)[self.way - len(_WAYS)]

    def __bool__(self):
        return True

    def __getitem__(self, group):
        return text_of(self, group)

    def group(self, *groups):
        if len(groups) == 0:
            return self.string[self.places[0] : self.places[1]]
        elif len(groups) == 1:
            return text_of(self, groups[0])
        else:
            return texts_of(self, groups)

    def groups(self, default=None):
        if known_groups(self.re) >= 0:
            return texts_from(self, 1, known_groups(self.re), default)
        else:
            return tuple([text_or(self, i, default) for i in range(1, self.re.groups + 1)])

    def groupdict(self, default=None):
        names, numbers = _names_call(self.re.pattern, self.re.flags)
        return {names[i]: text_or(self, numbers[i], default) for i in range(len(names))}

    def start(self, group=0):
        return self.places[2 * number_of(self, group)]

    def end(self, group=0):
        return self.places[2 * number_of(self, group) + 1]

    def span(self, group=0):
        number = number_of(self, group)
        return self.places[2 * number], self.places[2 * number + 1]


def number_of(found, group):
    number = group
    if isinstance(group, str):
        number = _number_call(found.re.pattern, found.re.flags, group)[0]
    if number < 0 or number > found.re.groups:
        raise IndexError("no such group")
    return number


def text_of(found, group):
    if is_constant(group) and isinstance(group, int) and group == 0:
        return found.string[found.places[0] : found.places[1]]
    else:
        return text_or(found, number_of(found, group), None)


def text_or(found, number, default):
    """The text of a group, or what stands for one that did not take part."""
    start = found.places[2 * number]
    return default if start < 0 else found.string[start : found.places[2 * number + 1]]


def texts_of(found, groups):
    if len(groups) == 0:
        return ()
    else:
        return (text_of(found, groups[0]), *texts_of(found, groups[1:]))


def texts_from(found, first, count, default):
    if first > count:
        return ()
    else:
        rest = texts_from(found, first + 1, count, default)
        return (text_or(found, first, default), *rest)


# -- patterns ------------------------------------------------------------------------------------


@function(_CLASS)
def no_constructor(*arguments):
    refuse("cannot create 're.Pattern' instances: re.compile(pattern) makes them")


@function("re.compile")
def compiled(pattern, flags=0):
    if isinstance(pattern, re.Pattern):
        if int(flags) != 0:
            raise ValueError("cannot process flags argument with a compiled pattern")
        return pattern
    elif isinstance(pattern, str) and is_constant(pattern) and int(flags) & ~_PLAIN == 0:
        known = getattr(_known, pattern)
        if known is None or known[1] < 0:
            return of_run_time(pattern, int(flags))
        else:
            return new_struct(re.Pattern, (pattern, int(flags) | known[0], known[1]))
    else:
        return of_run_time(pattern, int(flags))


@method("__eq__")
def equals(self, other):
    if isinstance(other, re.Pattern):
        return self.pattern == other.pattern and self.flags == other.flags
    else:
        return False


@method("__ne__")
def differs(self, other):
    return not equals(self, other)


def known_groups(pattern):
    """How many groups there are, as a constant; -1: only the run-time value says that."""
    if isinstance(pattern.pattern, str) and is_constant(pattern.pattern):
        known = getattr(_known, pattern.pattern)
        return -1 if known is None else known[1]
    else:
        return -1


def of_run_time(pattern, flags):
    made_flags, groups = _about_call(pattern, flags)
    return new_struct(re.Pattern, (pattern, made_flags, groups))


@function("re.escape")
def escape(pattern):
    return _escape_call(pattern)[0]


def within(string, bound):
    return min(max(bound, 0), len(string))


def found_in(self, way, string, pos, endpos):
    first, last = within(string, pos), within(string, endpos)
    places = _find_call(way, self.pattern, self.flags, string, first, last)[0]
    return FoundMatch(self, string, first, last, places, way) if len(places) > 0 else None


_LAST = 2**63 - 1  # Python's default for endpos


@method("match")
def match(self, string, pos=0, endpos=_LAST):
    return found_in(self, 0, string, pos, endpos)


@method("fullmatch")
def fullmatch(self, string, pos=0, endpos=_LAST):
    return found_in(self, 1, string, pos, endpos)


@method("search")
def search(self, string, pos=0, endpos=_LAST):
    return found_in(self, 2, string, pos, endpos)


def all_places(self, string, pos, endpos, count):
    """A row for each match, of at most `count` if that is positive."""
    places = _find_all_call(self.pattern, self.flags, string, pos, endpos)[0]
    rows = places.reshape((-1, 2 * (self.groups + 1)))
    return rows[:count] if count > 0 else rows


@method("finditer")
def finditer(self, string, pos=0, endpos=_LAST):
    rows = all_places(self, string, pos, endpos, 0)
    first, last = within(string, pos), within(string, endpos)
    for i in range(len(rows)):
        yield FoundMatch(self, string, first, last, rows[i], i + 3)


@method("findall")
def findall(self, string, pos=0, endpos=_LAST):
    rows = all_places(self, string, pos, endpos, 0)
    if known_groups(self) < 0:
        if self.groups > 1:
            raise TypeError("findall() of a pattern with several groups needs a literal pattern")
        group = 2 * self.groups
        return [part_or_empty(string, row[group], row[group + 1]) for row in rows]
    elif known_groups(self) <= 1:
        group = 2 * self.groups
        return [part_or_empty(string, row[group], row[group + 1]) for row in rows]
    else:
        return [parts_from(string, row, 1, known_groups(self)) for row in rows]


def part_or_empty(string, start, end):
    return string[:0] if start < 0 else string[start:end]


def parts_from(string, row, first, count):
    if first > count:
        return ()
    else:
        rest = parts_from(string, row, first + 1, count)
        return (part_or_empty(string, row[2 * first], row[2 * first + 1]), *rest)


@method("split")
def split(self, string, maxsplit=0):
    rows = all_places(self, string, 0, _LAST, maxsplit)
    if maxsplit < 0:
        rows = rows[:0]
    if known_groups(self) == 0:
        parts, last = [], 0
        for row in rows:
            parts.append(string[last : row[0]])
            last = row[1]
        parts.append(string[last:])
        return parts
    else:
        return split_with_groups(self, string, rows)


def split_with_groups(self, string, rows):
    parts, last = [], 0
    for row in rows:
        parts.append(string[last : row[0]])
        for i in range(1, self.groups + 1):
            parts.append(None if row[2 * i] < 0 else string[row[2 * i] : row[2 * i + 1]])
        last = row[1]
    parts.append(string[last:])
    return parts


@method("subn")
def subn(self, repl, string, count=0):
    if isinstance(repl, str):
        return _sub_call(self.pattern, self.flags, repl, string, count)
    elif callable(repl):
        rows = all_places(self, string, 0, _LAST, count)
        if count < 0:
            rows = rows[:0]
        parts, last = [], 0
        for i in range(len(rows)):
            parts.append(string[last : rows[i, 0]])
            made = repl(FoundMatch(self, string, 0, len(string), rows[i], i + 3))
            parts.append(string[:0] if made is None else made)
            last = rows[i, 1]
        parts.append(string[last:])
        return "".join(parts), len(rows)
    else:
        return refuse("re.sub() takes a str or a function in compiled code")


@method("sub")
def sub(self, repl, string, count=0):
    return subn(self, repl, string, count)[0]


# -- functions of patterns -----------------------------------------------------------------------


@function("re.match")
def match_of(pattern, string, flags=0):
    return match(compiled(pattern, flags), string)


@function("re.fullmatch")
def fullmatch_of(pattern, string, flags=0):
    return fullmatch(compiled(pattern, flags), string)


@function("re.search")
def search_of(pattern, string, flags=0):
    return search(compiled(pattern, flags), string)


@function("re.findall")
def findall_of(pattern, string, flags=0):
    return findall(compiled(pattern, flags), string)


@function("re.finditer")
def finditer_of(pattern, string, flags=0):
    return finditer(compiled(pattern, flags), string)


@function("re.split")
def split_of(pattern, string, maxsplit=0, flags=0):
    return split(compiled(pattern, flags), string, maxsplit)


@function("re.sub")
def sub_of(pattern, repl, string, count=0, flags=0):
    return sub(compiled(pattern, flags), repl, string, count)


@function("re.subn")
def subn_of(pattern, repl, string, count=0, flags=0):
    return subn(compiled(pattern, flags), repl, string, count)
