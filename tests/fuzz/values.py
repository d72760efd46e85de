"""Rows and statements of further values: records, dates, enums, arrays within containers, classes
with compiled methods, functions as values, heaps and sorted lists.

The types: `R` (an array of records), `re` (one record, a view), `da` and `td` (seconds since 1970,
and between two of these), `en` and `ie` (members of an Enum and of an IntEnum), `LA`, `DA` and `tA`
(a list, a dict and a tuple with arrays in it), `DT` (a dict whose keys are tuples), `ac` (an object
of a class with compiled methods), `LL` (a typed.List of typed.Lists).
"""

import re

#: What programs find in their module, in both worlds.
PRELUDE = """
import bisect
import enum
import functools
import heapq


class Color(enum.Enum):
    RED = 1
    GREEN = 2
    BLUE = 5


class Size(enum.IntEnum):
    SMALL = 1
    LARGE = 7
"""

#: The same where `njit` and `jitclass` do nothing in the interpreter's world.
COMPILED = """
@jitclass([("n", types.int64), ("t", types.float64), ("word", types.unicode_type),
           ("items", types.ListType(types.int64))])
class Account:
    def __init__(self, n, word, items):
        self.n = n
        self.t = 0.5
        self.word = word
        self.items = items

    def more(self, by):
        self.t += by
        return self.t

    @property
    def first(self):
        return self.items[0]

    def called(self, word):
        self.word = word + self.word[:5]
        return len(self.word)


@njit
def half(n):
    return n // 2


@njit
def less(n):
    return n if n < 5 else 5


@njit
def variadic(first, *rest, last=7):
    return first if first > last else rest[-1]


@njit
def chooser(limit, word):
    def choose(n):
        return word if n > limit else word[1:]

    return choose


HALVES = (half, less)
"""

PARAMETERS = {
    "records": "R",
    "records2": "R",
    "date": "da",
    "date2": "da",
    "delta": "td",
    "color": "en",
    "size": "ie",
}
LOCALS = {
    "one": "re",
    "la": "LA",
    "dA": "DA",
    "tA": "tA",
    "dt": "DT",
    "account": "ac",
    "when": "da",
    "lists": "LL",
}
LITERALS = {
    "en": ("Color.RED", "Color.GREEN", "Color.BLUE"),
    "ie": ("Size.SMALL", "Size.LARGE"),
    "td": ("np.timedelta64(90, 's')", "np.timedelta64(-7, 's')"),
    "da": ("np.datetime64('2020-02-29T12:00:01', 's')",),
}
#: Variables that no result shows: views of what is shown anyway, and objects of compiled classes.
HIDDEN = ("re", "ac")
CALLABLE = ("R", "da", "en", "ie", "re")
DTYPE = [("b", "i1"), ("a", "i8"), ("x", "f8"), ("w", "i4"), ("s", "U5"), ("v", "f8", (2,))]


def add_rows(row):
    _records(row)
    _dates(row)
    _members(row)
    _arrays(row)
    _functions(row)


def _records(row):
    row("R", "i64", "np.zeros({0} % 3 + 1, RECORD)")
    for text in ("{0}[{1}:]", "{0}[::{1} | 1]", "{0}[{0}['a'] > {1}]"):
        row("R", "R i64", text)
    row("R", "R", "{0}.copy()")
    row("R", "R R", "np.concatenate(({0}, {1}))[:6]")
    row("Ai64", "R", "{0}['a']")
    row("Af64", "R", "{0}['x']")
    row("Ai32", "R", "{0}['w']")
    row("Bf64", "R", "{0}['v']")
    row("i64", "R", "len({0})")
    row("re", "R i64", "{0}[{1} % len({0})]")
    row("i64", "re", "{0}['a']", "int({0}['a'])")
    row("i64", "re", "{0}.a", "int({0}['a'])")
    row("i64", "re", "np.int64({0}.w)", "int({0}['w'])")
    row("f64", "re", "{0}.x", "float({0}['x'])")
    row("f64", "re i64", "{0}['v'][{1} % 2]", "float({0}['v'][{1} % 2])")
    row("Af64", "re", "{0}.v", "{0}['v']")
    row("str", "re", "str({0}.s)", "str({0}['s'])")
    row("b", "re str", "({0}['s'] == {1})", "bool({0}['s'] == {1})")
    row("i64", "re", "len({0}['s'])")


def _dates(row):
    row("td", "da da", "({0} - {1})")
    row("da", "da td", "({0} + {1})")
    row("da", "da td", "({0} - {1})")
    row("td", "td i64", "({0} * ({1} % 1000))")
    row("td", "td i64", "({0} // ({1} % 9 + 1))")
    for text in ("abs({0})", "(-{0})"):
        row("td", "td", text)
    for op in "+ - %".split():
        row("td", "td td", f"({{0}} {op} {{1}})")
    row("f64", "td td", "({0} / {1})", "float({0} / {1})")
    row("i64", "td td", "({0} // {1})", "int({0} // {1})")
    for op in "< <= == != > >=".split():
        for type in ("da", "td"):
            row("b", f"{type} {type}", f"({{0}} {op} {{1}})", f"bool({{0}} {op} {{1}})")
    row("b", "da", "np.isnat({0})", "bool(np.isnat({0}))")
    row("da", "da da", "min({0}, {1})")
    row("td", "td td", "max({0}, {1})")


def _members(row):
    row("i64", "en", "{0}.value")
    row("str", "en", "{0}.name")
    row("i64", "ie", "({0} + 0)")
    row("i64", "ie", "{0}.value")
    row("str", "ie", "{0}.name")
    row("i64", "ie i64", "({0} * ({1} % 1000))")
    row("i64", "Li ie", "{0}[{1}]")
    row("b", "en en", "({0} is {1})")
    for type in ("en", "ie"):
        row("b", f"{type} {type}", "({0} == {1})")
        row("b", f"{type} {type}", "({0} != {1})")
    row("b", "ie i64", "({0} < {1})")
    row("b", "en", "({0} in (Color.RED, Color.BLUE))")
    row("i64", "en i64", "{{Color.RED: {1}, Color.BLUE: 3}}.get({0}, 9)")
    row("str", "en", 'f"{{{0}.name}}!"')


def _arrays(row):
    # Arrays of one container have one layout.
    row("LA", "Ai64 Ai64", "[{0}.copy(), {1}.copy()]")
    row("LA", "LA", "[each_[::-1].copy() for each_ in {0}]")
    row("LA", "LA", "[each_[1:] for each_ in {0}]")
    row("LA", "Ai64 i64", "[{0}.copy() for _ in range({1} % 4)]")
    row("LA", "LA", "{0}[1:]")
    row("Ai64", "LA i64", "{0}[{1} % 3]")
    row("i64", "LA", "len({0})")
    row("Li", "LA", "[len(each_) for each_ in {0}]")
    row("DA", "str Ai64", "{{{0}: {1}.copy()}}")
    row("DA", "Ls Ai64", "{{w_: {1}[i_:].copy() for i_, w_ in enumerate({0})}}")
    row("Ai64", "DA str", "{0}[{1}]")
    row("Ai64", "DA str Ai64", "{0}.get({1}, {2}.copy())")
    row("Ls", "DA", "list({0})[:6]")
    row("LA", "DA", "list({0}.values())")
    row("tA", "Ai64 str", "({0}.copy(), {1})")
    row("Ai64", "tA", "{0}[0]")
    row("str", "tA", "{0}[1]")
    row("tA", "LA str", "({0}[0], {1})")
    row("DT", "i64 str i64", "{{({0}, {1}): {2}}}")
    row("DT", "Lp", "{{(n_, w_): n_ % 7 for w_, n_ in {0}}}")
    row("i64", "DT i64 str", "{0}[{1}, {2}]")
    row("i64", "DT i64 str i64", "{0}.get(({1}, {2}), {3})")
    row("b", "DT i64 str", "(({1}, {2}) in {0})")
    row("Li", "DT", "[n_ for n_, w_ in {0}]")
    row("LL", "Li Li", "typed.List([typed.List({0}), typed.List({1})])", "[list({0}), list({1})]")
    row("i64", "LL i64", "{0}[{1} % 3][-1]")
    row("i64", "LL", "len({0})")


def _functions(row):
    row("i64", "i64 i64", "HALVES[{0} % 2]({1})")
    row("i64", "i64 i64 i64", "variadic({0}, {1}, {2})")
    row("i64", "i64 i64 i64", "variadic({0}, {1}, last={2})")
    row("i64", "t3", "variadic(*{0})")
    row("str", "i64 str i64", "chooser({0}, {1})({2})")
    row("Li", "Li", "list(map(half, {0}))")
    row("Li", "Li str", "sorted({0}, key=lambda v_: v_ % (len({1}) + 3))")
    row("i64", "Li", "functools.reduce(lambda v_, w_: w_ // 2 if v_ > w_ else v_, {0})")
    row("i64", "Li i64", "functools.reduce(max, {0}, {1})")
    row("str", "Ls str", "functools.reduce(lambda v_, w_: (w_ + v_)[:9], {0}, {1})")
    row("Li", "Li i64", "heapq.nsmallest({1} % 4, {0})")
    row("Li", "Li i64", "heapq.nlargest({1} % 4, {0})")
    for name in ("bisect", "bisect_left", "bisect_right"):
        row("i64", "Li i64", f"bisect.{name}(sorted({{0}}), {{1}})")
    row("ac", "i64 str Li", "Account({0}, {1}, typed.List({2}))", "Account({0}, {1}, list({2}))")
    row("i64", "ac", "{0}.n")
    row("f64", "ac f64", "{0}.more({1})")
    row("i64", "ac", "{0}.first")
    row("i64", "ac str", "{0}.called({1}[:4])")
    row("str", "ac", "{0}.word")
    row("i64", "ac i64", "{0}.items[{1} % 3]")


# -- statements -----------------------------------------------------------------------------------


def statement(g, depth, stmt):
    """A statement of these, or None where there is no variable for it."""
    chance, expr, of = g.chance, g.expr, g.of_type
    kind = chance.randrange(9)
    if kind == 0 and (key := of(lambda t: t == "R")):
        texts = [
            f"{key}[{{0}} % len({key})]['a'] = {{0}}",
            f"{key}[{{0}} % len({key})].x = {{1}}",
            f"{key}['x'][:] = {{1}}",
            f"{key}['x'] += {{1}}",
            f"{key}['v'][:, 1] = {{1}}",
            f"{key}[:1] = {key}[-1:]",
            f"{key}[1:] = {key}[:1]",
            f"{key}[{{0}} % len({key})] = {key}[{{0}} * 7 % len({key})]",
            f"{key}[{{0}} % len({key})]['v'][:] = {{1}}",
        ]
        number = chance.randrange(len(texts))
        model = texts[number].replace("].x =", "]['x'] =")
        model = model.replace("{0} * 7", "wrap('i64', {0} * 7)")
        return stmt(texts[number], [expr("i64", 1), expr("f64", 1)], model=model)
    if kind == 1 and depth > 0 and (key := of(lambda t: t == "R")):
        return _each(g, depth, stmt, key)
    if kind == 2 and (key := of(lambda t: t == "re")):
        text, model = chance.choice(
            [
                (f"{key}.a = {{0}}", f"{key}['a'] = {{0}}"),
                (f"{key}['x'] = {{1}}", None),
                (f"{key}.v[0] = {{1}}", f"{key}['v'][0] = {{1}}"),
            ]
        )
        return stmt(text, [expr("i64", 1), expr("f64", 1)], model=model)
    if kind == 3 and (key := of(lambda t: t == "LA")):
        texts = [
            f"{key}.append({{0}}.copy())",
            f"{key}[0] = {{0}}.copy()",
            f"{key}[-1][:1] = {{1}}",
            f"{key}.pop({{1}} % 3)",
            f"{key}.insert(1, {{0}}.copy()[:3])",
            f"{key} = {key}[:5] + [{{0}}.copy()]",
            f"{key}.reverse()",
        ]
        return stmt(chance.choice(texts), [expr("Ai64", 1), expr("i64", 1)])
    if kind == 4 and (key := of(lambda t: t in ("DA", "DT"))):
        if g.variables[key] == "DT":
            texts = [f"{key}[{{1}}, {{0}}] = {{1}}", f"del {key}[{{1}}, {{0}}]"]
            return stmt(chance.choice(texts), [expr("str", 1), expr("i64", 1)])
        texts = [f"{key}[{{0}}] = {{2}}.copy()", f"{key}.pop({{0}})", f"{key}[{{0}}][:1] = {{1}}"]
        return stmt(chance.choice(texts), [expr("str", 1), expr("i64", 1), expr("Ai64", 1)])
    if kind == 5 and (key := of(lambda t: t == "Li")):
        texts = [
            f"heapq.heapify({key})",
            f"heapq.heapify({key})\nheapq.heappush({key}, {{0}})",
            f"heapq.heapify({key})\nheapq.heappop({key})",
            f"heapq.heapify({key})\n{key}.append(heapq.heappushpop({key}, {{0}}))",
            f"{key}.sort()\nbisect.insort({key}, {{0}})",
            f"it_ = map(half, {key})\n{key} = [next(it_, {{0}}), *it_][:9]",
            f"it_ = filter(less, {key})\n{key} = [v_ + next(it_, {{0}}) for v_ in it_]",
            f"it_ = reversed({key})\n{key} = list(it_)[:5] + list(it_)",
            f"it_ = enumerate({key}, {{0}} % 7)\nfor i_, v_ in it_:\n    if v_ > 3: break\n"
            f"{key} = [v_ - i_ for i_, v_ in it_]",
            f"it_ = zip({key}, {key}[1:])\n{key} = [a_ - b_ for a_, c_ in it_ for b_, d_ in it_]",
        ]
        text = chance.choice(texts)
        model = re.sub(r"\[((\w_) [+-] .*?) for", r"[wrap('i64', \1) for", text)
        return stmt(text, [expr("i64", 1)], model=model)
    if kind == 6 and (key := of(lambda t: t == "ac")):
        texts = [
            f"{key}.n = {{0}}",
            f"{key}.word = {{1}}[:8]",
            f"{key}.items.append({{0}})",
            f"{key}.items[0] = {{0}}",
        ]
        return stmt(chance.choice(texts), [expr("i64", 1), expr("str", 1)])
    if kind == 7 and depth > 0:
        cases = "match {0}:\n    case Color.RED:@    case Color.BLUE | Color.GREEN:@"
        return stmt(cases, [expr("en", 1)], [g.block(depth - 1) for _ in range(2)])
    if kind == 8 and (key := of(lambda t: t == "LL")):
        texts = [f"{key}[0].append({{0}})", f"{key}[-1][0] = {{0}}", f"{key}.append({key}[0])"]
        return stmt(chance.choice(texts), [expr("i64", 1)])
    return None


def _each(g, depth, stmt, key):
    """A loop over records, of which some fields change."""
    name = f"each{len(g.leaves)}"
    known = dict(g.variables)
    g.variables.pop(key)
    g.variables[name] = "re"
    g.loops += 1
    body = g.block(depth - 1)
    g.loops -= 1
    g.variables = known
    return stmt(f"for {name} in {key}[:4]:@", [], [body])
