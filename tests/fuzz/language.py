"""Rows and statements beyond numbers and arrays: texts, containers, classes, errors, generators.

The types: `str`, `by` (bytes), `Ls` and `LLi` (lists of texts, of lists), `Lp` (of pairs), `Dsi`,
`Dif`, `DsL` (dicts), `Si`, `Ss` (sets), `ps` (a pair of text and number), `nt` (a named tuple),
`fz` (a frozen dataclass), `mu` (one that changes), `Tl` and `Td` (typed.List and typed.Dict).

Sets have another order than the interpreter's: no row shows it.
"""

import sys

from fuzz import values

#: What programs find in their module, in both worlds.
PRELUDE = """
from collections import namedtuple
from dataclasses import dataclass

Point = namedtuple("Point", "x y")


@dataclass(frozen=True)
class Frozen:
    a: int
    b: str

    def longer(self, n):
        return len(self.b) > n


@dataclass
class Box:
    n: int
    t: float

    def twice(self):
        return self.t + self.t


class Failure(Exception):
    pass


WORDS = ("ab", "", "Zürich", "x y")
"""

#: Parameters of these types, and variables that functions make for themselves.
PARAMETERS = {
    "t": "str",
    "word": "str",
    "data": "by",
    "ls": "Ls",
    "named": "nt",
    "frozen": "fz",
    "box": "mu",
    "ps": "ps",
    "si": "Si",
    "ss": "Ss",
    "tl": "Tl",
    "td": "Td",
    "lp": "Lp",
    **values.PARAMETERS,
}
LOCALS = {
    "ll": "LLi",
    "d": "Dsi",
    "e": "Dif",
    "dl": "DsL",
    "d2": "Dsi",
    "ls2": "Ls",
    "si2": "Si",
    "lp2": "Lp",
    "t2_": "str",
    "named2": "nt",
    "box2": "mu",
    "frozen2": "fz",
    **values.LOCALS,
}
LITERALS = {
    "str": ("''", "'a'", "'b,c'", "'Hello World'", "'  7 '", "'äß€'", "'12'", "'-3.5'"),
    "by": ("b''", "b'ab,c'", "b'\\x00z'"),
    **values.LITERALS,
}
CALLABLE = ("str", "Ls", "Dsi", "Si", "nt", "mu", "ps", *values.CALLABLE)
#: Variables that results do not show.
HIDDEN = ("fz", *values.HIDDEN)

ERRORS = (
    "ValueError",
    "IndexError",
    "KeyError",
    "ZeroDivisionError",
    "Failure",
    "Exception",
    "(KeyError, ValueError)",
    "ArithmeticError",
    "LookupError",
)


def add_rows(row):
    _texts(row)
    _lists(row)
    _tables(row)
    _classes(row)
    values.add_rows(row)
    if sys.version_info >= (3, 12):  # quotes within quotes
        _formats(row)
    for type in (*CALLABLE, "fz", "LLi", "Dif", "Ss", "LA", "DT"):
        row(type, f"{type} b {type}", "({0} if {1} else {2})")


def _wrapped(row, takes, text):
    row("i64", takes, text, f"wrap('i64', {text})")


def _texts(row):
    for text in (
        "{0}.upper()",
        "{0}.lower()",
        "{0}.title()",
        "{0}.swapcase()",
        "{0}.capitalize()",
        "{0}.strip()",
        "{0}[::-1]",
        "{0}[1:]",
        "{0}[:-1]",
        "{0}.casefold()[:24]",
        "''.join([c_ for c_ in {0} if c_ > 'b'])",
        "repr({0})[:24]",
    ):
        row("str", "str", text)
    row("str", "str str", "({0} + {1})[:24]")
    row("str", "str i64", "({0} * ({1} % 3))[:24]")
    row("str", "str i64", "{0}[{1} % 12]")
    row("str", "str i64 i64", "{0}[{1} % 7:{2} % 9]")
    row("str", "str i64", "{0}[::{1} % 3 + 1]")
    row("str", "str str str", "{0}.replace({1}, {2})[:24]")
    row("str", "str Ls", "{0}.join({1})[:24]")
    row("str", "str str", "{0}.partition({1})[2]")
    row("str", "str str", "{0}.strip({1})")
    row("str", "str i64", "{0}.zfill({1} % 8)")
    row("str", "str i64", "{0}.center({1} % 9, '*')")
    row("str", "str i64", "{0}.ljust({1} % 9)")
    row("str", "i64", "chr({0} % 900 + 32)")
    row("str", "str str", "min({0}, {1})")
    row("str", "i64", "WORDS[{0} % 4]")
    for type in ("i64", "f64", "b", "t3", "t2", "ps", "Li"):
        row("str", type, "str({0})[:30]")
    row("str", "f64", "repr({0})")
    row("str", "i64", "hex({0})")
    row("str", "by", "{0}.decode()")
    row("by", "str", "{0}.encode()[:24]")
    row("by", "by by", "({0} + {1})[:24]")
    row("by", "by i64", "{0}[{1} % 5:]")
    row("by", "by", "{0}[::-1]")
    row("i64", "by i64", "(0 + {0}[{1} % 6])")  # bytes hold uint8
    row("i64", "by", "len({0})")
    row("b", "by by", "({0} == {1})")
    row("b", "by i64", "({1} % 256 in {0})")
    row("i64", "str", "len({0})")
    row("i64", "str", "int({0}[:9])")
    row("i64", "str", "ord({0}[0])")
    row("i64", "str", "ord({0})")
    row("f64", "str", "float({0})")
    for name in ("find", "rfind", "count", "index"):
        row("i64", "str str", f"{{0}}.{name}({{1}})")
    row("i64", "str str i64", "{0}.find({1}, {2} % 5)")
    for op in "< <= == != in".split():
        row("b", "str str", f"({{0}} {op} {{1}})")
    for name in ("isdigit", "isalpha", "isspace", "isupper", "isidentifier"):
        row("b", "str", f"{{0}}.{name}()")
    row("b", "str str", "{0}.startswith({1})")
    row("b", "str", "bool({0})")
    row("b", "str", "(not {0})")
    row("b", "str", "({0} in WORDS)")
    row("Ls", "str", "{0}.split()")
    row("Ls", "str", "{0}.split(',')")
    row("Ls", "str", "list({0})[:6]")
    row("Ls", "str", "{0}.splitlines()")
    _templates(row)


def _templates(row):
    for text in ("'<{{}}>'", "'{{:5}}|'", "'{{!r:>9}}'", "'{{0}}{{0!s:^7}}'"):
        for type in ("i64", "str", "f64"):
            row("str", type, f"{text}.format({{0}})[:30]")
    row("str", "str i64", "'{{:>{{}}}}'.format({0}, {1} % 9)")
    row("str", "nt", "'{{0.x}},{{0[1]}}'.format({0})[:30]")
    for text in ("'%s'", "'%r%%'", "'<%7s>'", "'%-6.3s|'", "'%a'"):
        for type in ("i64", "str", "f64", "b", "Li", "t3"):
            row("str", type, f"({text} % ({{0}},))[:30]")
    for text in ("'%d'", "'%+5d'", "'%04i'", "'% .3d'", "'%-4d|'", "'%g'", "'%9.2e'", "'%+06.1f'"):
        for type in ("i64", "f64", "b"):
            row("str", type, f"({text} % ({{0}}))[:30]")
    row("str", "i64", "('%#x %o' % ({0}, {0}))")
    row("str", "i64", "('%c' % ({0} % 900))")
    row("str", "str", "('%3c' % ({0}))")


def _formats(row):
    for spec in ("", ":5d", ":<6", ":+", ":04x", ":,", "!r:>8"):
        row("str", "i64", f'f"a{{{{({{0}}){spec}}}}}b"')
    for spec in ("", ":.3f", ":10.2e", ":g", "!s", ":+.1%"):
        row("str", "f64", f'f"{{{{({{0}}){spec}}}}}"[:30]')
    for spec in ("", ":>7", "!r", ":^9.3"):
        row("str", "str", f'f"<{{{{({{0}}){spec}}}}}>"[:30]')
    row("str", "t3", 'f"{{({0})}}"')
    row("str", "b", 'f"{{({0})}}"')
    row("str", "str i64", 'f"{{({0}):>{{({1}) % 9}}}}"')
    row("str", "Li", 'f"{{({0})}}"[:30]')


def _lists(row):
    row("Ls", "str str", "[{0}, {1}]")
    row("Ls", "Ls", "sorted({0})")
    row("Ls", "Ls", "sorted({0}, key=len)")
    row("Ls", "Ls", "sorted({0}, key=lambda w_: w_[::-1], reverse=True)")
    row("Ls", "Ls", "[w_.upper() for w_ in {0}]")
    row("Ls", "Ls", "[w_ for w_ in {0} if len(w_) > 1]")
    row("Ls", "Ls Ls", "({0} + {1})[:8]")
    row("Ls", "Li", "[str(v_) for v_ in {0}]")
    row("Ls", "Li", "list(map(str, {0}))")
    row("Ls", "Dsi", "list({0})")
    row("Ls", "Dsi", "[k_ for k_, v_ in {0}.items() if v_ > 1]")
    row("Ls", "Ss", "sorted({0})")
    row("Ls", "Ls Ls", "[*{0}, *{1}][:8]")
    row("str", "Ls i64", "{0}[{1} % 5]")
    row("str", "Ls", "{0}[-1]")
    row("str", "Ls", "min({0})")
    row("b", "Ls str", "({1} in {0})")
    row("b", "Ls Ls", "({0} == {1})")
    row("b", "Ls Ls", "({0} < {1})")
    row("i64", "Ls", "len({0})")
    row("i64", "Ls str", "{0}.index({1})")
    row("Li", "Ls", "[len(w_) for w_ in {0}]")
    row("Li", "LLi", "[v_ for l_ in {0} for v_ in l_][:20]")
    row("Li", "LLi i64", "{0}[{1} % 4]")
    row("Li", "LLi", "[len(l_) for l_ in {0}]")
    row("Li", "Si", "sorted({0})")
    row("Li", "Li", "sorted({0}, reverse=True)")
    row("Li", "Li i64", "list(filter(lambda v_, w_={1}: v_ != w_, {0}))")
    row("Li", "Li", "[v_ % 7 for v_ in {0} if v_ > 0]")
    row("Li", "Li Li", "[min(v_, w_) for v_, w_ in zip({0}, {1})]")
    row("Li", "Li", "[n_ for n_, v_ in enumerate({0}) if v_ % 2]")
    row("Li", "t3", "list({0})")
    row("Li", "t3 i64", "[*{0}, {1}]")
    row("Li", "Dsi", "list({0}.values())")
    row("Li", "Tl", "list({0})")
    row("Li", "i64", "list(range({0} % 7))")
    row("LLi", "Li Li", "[{0}, {1}]")
    row("LLi", "i64 i64", "[[a_ * ({1} % 100) for a_ in range(b_)] for b_ in range({0} % 4)]")
    row("LLi", "Li", "[[v_, v_] for v_ in {0}]")
    row("LLi", "LLi", "[l_[::-1] for l_ in {0}]")
    row("LLi", "LLi", "sorted({0})")
    row("LLi", "LLi", "{0}[1:]")
    row("i64", "LLi i64 i64", "{0}[{1} % 3][{2} % 3]")
    row("i64", "LLi", "len({0})")
    _wrapped(row, "Li", "sum({0})")
    _wrapped(row, "Li", "sum([v_ // 3 for v_ in {0} if v_ < 1000])")
    _wrapped(row, "Li", "sum(v_ % 11 for v_ in {0})")
    row("i64", "Li", "max({0})")
    row("i64", "Li", "min({0})")
    row("i64", "Li i64", "{0}.index({1})")
    row("b", "Li", "any([v_ > 3 for v_ in {0}])")
    row("b", "Li", "all(v_ > 3 for v_ in {0})")
    row("b", "Li Li", "({0} == {1})")
    row("b", "LLi LLi", "({0} == {1})")
    row("b", "LLi Li", "({1} in {0})")
    row("ps", "str i64", "({0}, {1})")
    row("str", "ps", "{0}[0]")
    row("i64", "ps", "{0}[1]")
    row("b", "ps ps", "({0} <= {1})")
    row("Lp", "ps ps", "[{0}, {1}]")
    row("Lp", "Ls Li", "list(zip({0}, {1}))")
    row("Lp", "Dsi", "list({0}.items())")
    row("Lp", "Dsi", "sorted({0}.items())")
    row("Lp", "Lp", "sorted({0}, key=lambda p_: p_[1])")
    row("Lp", "Lp", "[(w_ + '!', n_) for w_, n_ in {0}]")
    row("ps", "Lp i64", "{0}[{1} % 3]")
    row("ps", "Lp", "max({0})")
    row("Lp", "Ls", "[(w_, n_) for n_, w_ in enumerate({0})]")
    row("Tl", "Tl", "{0}[1:]")
    row("i64", "Tl i64", "{0}[{1} % 4]")
    row("i64", "Tl", "len({0})")
    row("Tl", "Li", "typed.List({0})", "list({0})")


def _tables(row):
    row("Dsi", "str i64", "{{{0}: {1}}}")
    row("Dsi", "str i64 str i64", "{{{0}: {1}, {2}: {3}}}")
    row("Dsi", "Ls", "{{w_: len(w_) for w_ in {0}}}")
    row("Dsi", "Ls Li", "dict(zip({0}, {1}))")
    row("Dsi", "Lp", "dict({0})")
    row("Dsi", "Lp", "{{w_: n_ for w_, n_ in {0}}}")
    row("Dsi", "Dsi", "{0}.copy()")
    row("Dsi", "Dsi Dsi", "({0} | {1})")
    row("Dsi", "Dsi Dsi", "{{**{0}, **{1}}}")
    row("Dsi", "Dsi i64", "{{k_: v_ for k_, v_ in {0}.items() if v_ < {1}}}")
    row("Td", "str i64", "make_typed({0}, {1})", "{{{0}: {1}}}")
    for type in ("Dsi", "Td"):
        row("i64", f"{type} str", "{0}[{1}]")
        row("i64", f"{type} str i64", "{0}.get({1}, {2})")
        row("i64", type, "len({0})")
        row("b", f"{type} str", "({1} in {0})")
        row("b", type, "bool({0})")
        _wrapped(row, type, "sum({0}.values())")
        row("str", type, "min({0})")
        row("str", type, "'-'.join({0}.keys())[:24]")
    row("b", "Dsi Dsi", "({0} == {1})")
    row("Dif", "i64 f64", "{{{0}: {1}}}")
    row("Dif", "Li f64", "{{v_: {1} for v_ in {0}}}")
    row("Dif", "Dif", "dict(sorted({0}.items(), reverse=True))")
    row("f64", "Dif i64", "{0}[{1}]")
    row("f64", "Dif i64 f64", "{0}.get({1}, {2})")
    row("i64", "Dif", "max({0})")
    row("DsL", "str Li", "{{{0}: {1}}}")
    row("DsL", "Ls Li", "{{w_: {1}[:2] for w_ in {0}}}")
    row("Li", "DsL str", "{0}[{1}]")
    row("i64", "DsL", "len({0})")
    row("Ls", "DsL", "sorted({0})")
    row("Si", "i64 i64", "{{{0}, {1}}}")
    row("Si", "Li", "set({0})")
    row("Si", "Li", "{{v_ % 5 for v_ in {0}}}")
    row("Si", "t3", "set({0})")
    row("Ss", "Ls", "set({0})")
    row("Ss", "str str", "{{{0}, {1}}}")
    row("Ss", "Dsi", "set({0})")
    for type, of in (("Si", "i64"), ("Ss", "str")):
        for op in "& | - ^".split():
            row(type, f"{type} {type}", f"({{0}} {op} {{1}})")
        for op in "<= < == >=".split():
            row("b", f"{type} {type}", f"({{0}} {op} {{1}})")
        row("b", f"{type} {of}", "({1} in {0})")
        row("b", f"{type} {type}", "{0}.isdisjoint({1})")
        row("i64", type, "len({0})")
        row(of, type, "max({0})")
        row(type, f"{type}", "{0}.copy()")


def _classes(row):
    row("nt", "i64 f64", "Point({0}, {1})")
    row("nt", "f64 i64", "Point(y={0}, x={1})")
    row("nt", "nt i64", "{0}._replace(x={1})")
    row("i64", "nt", "{0}.x")
    row("f64", "nt", "{0}.y")
    row("f64", "nt", "{0}[1]")
    row("fz", "i64 str", "Frozen({0}, {1})")
    row("i64", "fz", "{0}.a")
    row("str", "fz", "{0}.b")
    row("b", "fz i64", "{0}.longer({1})")
    row("b", "fz fz", "({0} == {1})")
    row("mu", "i64 f64", "Box({0}, {1})")
    row("i64", "mu", "{0}.n")
    row("f64", "mu", "{0}.twice()")
    row("i64", "i64 i64", "(lambda v_, w_: v_ if v_ > w_ else w_ // 3)({0}, {1})")
    row("str", "str i64", "(lambda v_, *w_: v_[w_[0] % 5:])({0}, {1})")


# -- statements -----------------------------------------------------------------------------------


def statement(g, depth, stmt):
    """A statement of these, or None where there is no variable for it."""
    chance, expr, of = g.chance, g.expr, g.of_type
    if chance.random() < 0.25 and (made := values.statement(g, depth, stmt)):
        return made
    simple = chance.randrange(20)
    if depth > 0 and chance.random() < 0.55:
        return _compound(g, depth, stmt)
    if simple == 0 and (key := of(lambda t: t == "str")):
        text = chance.choice([f"{key} += {{0}}[:3]", f"{key} = {{0}} + {key}[:9]"])
        return stmt(text, [expr("str", 1)])
    if simple in (1, 2) and (key := of(lambda t: t in ("Dsi", "Td"))):
        model = None
        kind = chance.randrange(7)
        text = [
            f"{key}[{{0}}] = {{1}}",
            f"{key}[{{0}}] += {{1}}",
            f"del {key}[{{0}}]",
            f"{key}.pop({{0}}, {{1}})",
            f"{key}.pop({{0}})",
            f"{key}.setdefault({{0}}, {{1}})",
            f"{key}[{{0}}] = {key}.get({{0}}, 0) + 1",
        ][kind]
        if kind == 1:
            model = f"{key}[{{0}}] = wrap('i64', {key}[{{0}}] + {{1}})"
        if kind == 6:
            model = f"{key}[{{0}}] = wrap('i64', {key}.get({{0}}, 0) + 1)"
        return stmt(text, [expr("str", 1), expr("i64", 1)], model=model)
    if simple == 3 and (key := of(lambda t: t == "Dif")):
        text = chance.choice(
            [
                f"{key}[{{0}}] = {{1}}",
                f"{key}[{{0}}] -= {{1}}",
                f"{key}.update({{{{{{0}}: {{1}}}}}})",
            ]
        )
        return stmt(text, [expr("i64", 1), expr("f64", 1)])
    if simple == 4 and (key := of(lambda t: t == "DsL")):
        text = chance.choice(
            [
                f"{key}[{{0}}] = [{{1}}]",
                f"{key}[{{0}}].append({{1}})",
                f"{key}.setdefault({{0}}, [1]).append({{1}})",
            ]
        )
        return stmt(text, [expr("str", 1), expr("i64", 1)])
    if simple == 5 and (key := of(lambda t: t == "Si")):
        text = chance.choice(
            [
                f"{key}.add({{0}})",
                f"{key}.discard({{0}})",
                f"{key}.remove({{0}})",
                f"{key} |= {{1}}",
                f"{key} -= {{1}}",
                f"{key}.update({{2}})",
            ]
        )
        return stmt(text, [expr("i64", 1), expr("Si", 1), expr("Li", 1)])
    if simple == 6 and (key := of(lambda t: t == "Ss")):
        text = chance.choice([f"{key}.add({{0}})", f"{key} &= {{1}}", f"{key}.remove({{0}})"])
        return stmt(text, [expr("str", 1), expr("Ss", 1)])
    if simple in (7, 8) and (key := of(lambda t: t in ("Li", "Tl"))):
        typed = g.variables[key] == "Tl"
        texts = [
            f"{key}[1:3] = {{1}}",
            f"{key}.extend({{1}})",
            f"{key} += {{1}}[:3]",
            f"{key}.insert({{0}} % 4, {{0}})",
            f"del {key}[{{0}} % 4]",
            f"del {key}[1:{{0}} % 5]",
            f"{key}[:] = {{1}}",
            f"{key}[::2] = {{1}}",
            f"{key}.sort(reverse=True)",
            f"{key}.remove({{0}})",
            f"{key}.pop({{0}} % 3)",
            f"{key}.clear()",
        ]
        if typed:
            texts = [texts[1], *texts[3:5], *texts[9:]] + [f"{key}.append({{0}})"]
        return stmt(chance.choice(texts), [expr("i64", 1), expr("Li", 1)])
    if simple == 9 and (key := of(lambda t: t == "LLi")):
        text = chance.choice(
            [
                f"{key}.append({{1}})",
                f"{key}[0].append({{0}})",
                f"{key}[{{0}} % 3] = {{1}}",
                f"{key}.pop()",
                f"{key}[-1][0] = {{0}}",
            ]
        )
        return stmt(text, [expr("i64", 1), expr("Li", 1)])
    if simple == 10 and (key := of(lambda t: t == "Ls")):
        text = chance.choice(
            [
                f"{key}.append({{0}})",
                f"{key}[0] = {{0}}",
                f"{key}.sort()",
                f"{key}.remove({{0}})",
                f"{key} = [*{key}, {{0}}][-6:]",
            ]
        )
        return stmt(text, [expr("str", 1)])
    if simple == 11 and (key := of(lambda t: t == "mu")):
        kind = chance.randrange(3)
        text = [f"{key}.n = {{0}}", f"{key}.t -= {{1}}", f"{key}.n += {{0}}"][kind]
        model = f"{key}.n = wrap('i64', {key}.n + {{0}})" if kind == 2 else None
        return stmt(text, [expr("i64", 1), expr("f64", 1)], model=model)
    if simple == 12:
        text = chance.choice(["assert {0}", "assert {0}, 'text'", "assert {0}, str({1})"])
        return stmt(text, [expr("b", 2), expr("i64", 1)])
    if simple == 13:
        return stmt("if {0}:@", [expr("b", 2)], [[_raise(g, stmt)]])
    if simple == 14 and g.leave:
        return stmt("if {0}:@", [expr("b", 2)], [[g.leave()]])
    if simple == 15:
        names = [key for key, type in g.variables.items() if type == "i64"]
        words = [key for key, type in g.variables.items() if type == "str"]
        if len(names) >= 2 and chance.random() < 0.5:
            return stmt(f"{names[0]}, {names[1]} = {{0}}, {{1}}", [expr("i64", 2), expr("i64", 1)])
        if names and words:
            return stmt(f"{words[0]}, {names[0]} = {{0}}", [expr("ps", 2)])
        if len(words) >= 2:
            return stmt(f"{words[0]}, {words[1]} = {{0}}", [expr("Ls", 2)])
    if simple == 16 and (key := of(lambda t: t == "Li")) and (one := of(lambda t: t == "i64")):
        text = f"if ({one} := {{0}}) > 2:\n    {key}.append({one})"
        return stmt(text, [expr("i64", 2)])
    if simple == 17 and g.loops:
        return stmt("if {0}:@", [expr("b", 2)], [[stmt(chance.choice(["break", "continue"]))]])
    return None


def _raise(g, stmt):
    text = g.chance.choice(
        [
            "ValueError('some text')",
            "IndexError",
            "KeyError(3)",
            "KeyError('k')",
            "Failure({0}, 'b')",
            "Failure()",
            "ZeroDivisionError('z')",
            "ValueError({0})",
            "Failure({1})",
        ]
    )
    return stmt(f"raise {text}", [g.expr("i64", 1), g.expr("str", 1)])


def _compound(g, depth, stmt):
    chance, expr, of = g.chance, g.expr, g.of_type
    kind = chance.randrange(15)
    block = lambda: g.block(depth - 1)
    if kind in (0, 1, 2, 3):
        return _try(g, depth, stmt)
    if kind == 4:
        cases = "match {0}:\n    case 0:@    case 1 | 2 | -5:@    case v_ if v_ > {1}:@    case _:@"
        return stmt(cases, [expr("i64", 2), expr("i64", 1)], [block() for _ in range(4)])
    if kind == 5:
        cases = "match {0}:\n    case 'a' | '12':@    case '':@    case _:@"
        return stmt(cases, [expr("str", 2)], [block() for _ in range(3)])
    if kind == 6:
        cases = "match {0}:\n    case ('a', _):@    case (_, 0 | 1 | 2):@    case (v_, w_):@"
        return stmt(cases, [expr("ps", 2)], [block() for _ in range(3)])
    if kind == 7:
        return stmt(
            "if {0}:@elif {1}:@else:@", [expr("b", 2), expr("b", 2)], [block(), block(), block()]
        )
    return _loop(g, depth, stmt, chance.randrange(9))


def _loop(g, depth, stmt, kind):
    chance, expr, of = g.chance, g.expr, g.of_type
    counter, name = f"n{len(g.counters)}", f"w{len(g.counters)}"
    counters, heads = [], ""
    exprs = []
    if kind == 0:
        heads, exprs = f"for {name} in {{0}}[:5]:", [expr(chance.choice(["str", "Ls"]), 1)]
    elif kind == 1:
        heads, exprs = f"for {name}, {counter} in sorted({{0}}.items())[:4]:", [expr("Dsi", 1)]
        counters = [counter]
    elif kind == 2:
        heads, exprs = f"for {counter}, {name} in enumerate({{0}}[:4]):", [expr("Ls", 1)]
        counters = [counter]
    elif kind == 3:
        heads = f"for {name}, {counter} in zip({{0}}, {{1}}[:4]):"
        exprs, counters = [expr("str", 1), expr("Li", 1)], [counter]
    elif kind == 4:
        heads, exprs, counters = f"for {counter} in sorted({{0}})[:4]:", [expr("Si", 1)], [counter]
    elif kind == 5:
        heads, exprs, counters = f"for {counter} in {{0}}:", [expr("t3", 1)], [counter]
    elif kind == 6 and g.generators:
        made = chance.choice(g.generators)
        exprs = [expr(each, 1) for each in made.parameters.values()]
        texts = ", ".join(f"{{{i}}}" for i in range(len(exprs)))
        heads, counters = f"for {counter} in {made.name}({texts}):", [counter]
    elif kind == 7:
        heads = f"{counter} = 0\nwhile {counter} < 4 and {{0}}:\n    {counter} += 1"
        exprs, counters = [expr("b", 1)], [counter]
    else:
        heads, exprs = f"for {counter} in range({{0}} % 5):", [expr("i64", 1)]
        counters = [counter]
    g.counters += counters
    words = [] if kind not in (0, 1, 2, 3) else [name]
    g.words += words
    g.loops += 1
    body = g.block(depth - 1)
    g.loops -= 1
    del g.counters[len(g.counters) - len(counters) :]
    del g.words[len(g.words) - len(words) :]
    if chance.random() < 0.3:
        return stmt(heads + "@else:@", exprs, [body, g.block(depth - 1)])
    return stmt(heads + "@", exprs, [body])


def _try(g, depth, stmt):
    chance = g.chance
    block = lambda: g.block(depth - 1)
    body = block()
    if chance.random() < 0.5:
        body.append(stmt("if {0}:@", [g.expr("b", 1)], [[_raise(g, stmt)]]))
    parts, blocks = "try:@", [body]
    handlers = chance.choice([0, 1, 1, 1, 2])
    for _ in range(handlers):
        parts += f"except {chance.choice(ERRORS)}:@"
        blocks.append(block())
        if chance.random() < 0.12:
            blocks[-1].append(stmt("raise"))
    if handlers and chance.random() < 0.25:
        parts += "else:@"
        blocks.append(block())
    if not handlers or chance.random() < 0.35:
        parts += "finally:@"
        loops, leave = g.loops, g.leave
        if chance.random() < 0.9:  # leaving from there swallows exceptions
            g.loops, g.leave = 0, None
        blocks.append(block())
        g.loops, g.leave = loops, leave
    return stmt(parts, [], blocks)
