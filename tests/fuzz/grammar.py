"""What random programs are made of: a table of operations with the types that they take and give.

Every row has two texts: what the compiled program says, and what the interpreter runs in its place,
where integers of a fixed width are modelled (`wrap`). `{0}`, `{1}`, ... are the operands.
"""

import random
from dataclasses import dataclass, field

from fuzz import elements, language

INTEGERS = {"i8": 8, "i16": 16, "i32": 32, "i64": 64, "u8": 8, "u16": 16, "u32": 32, "u64": 64}
NUMPY = {"i8": "int8", "i16": "int16", "i32": "int32", "i64": "int64", "u8": "uint8",
         "u16": "uint16", "u32": "uint32", "u64": "uint64", "f32": "float32", "f64": "float64",
         "c": "complex128", "b": "bool_"}  # fmt: skip
ELEMENTS = ("i64", "f64", "i32", "u8", "f32", "c", "b")  # of arrays


def wrap(type, value):
    """An integer as its fixed width holds it."""
    bits = INTEGERS[type]
    value &= (1 << bits) - 1
    return value - (1 << bits) if type[0] == "i" and value >> (bits - 1) else value


@dataclass(frozen=True)
class Row:
    type: str
    takes: tuple
    text: str
    model: str


ROWS: dict[str, list[Row]] = {}
GROUPS: dict[str, dict[str, list[Row]]] = {"checked": {}, "random": {}}


def row(type, takes, text, model=None, group=None):
    made = Row(type, tuple(takes.split()), text, model or text)
    rows = GROUPS[group] if group else ROWS
    rows.setdefault(type, []).append(made)


def _modelled(type, takes, text):
    row(type, takes, text, f"wrap('{type}', {text})")


def _scalars():
    for op in "+ - * & | ^ // %".split():
        _modelled("i64", "i64 i64", f"({{0}} {op} {{1}})")
    for op in "+ - * & |".split():
        _modelled("u64", "u64 u64", f"({{0}} {op} {{1}})")
        for small in ("i8", "i16", "i32"):
            _modelled("i64", f"{small} {small}", f"({{0}} {op} {{1}})")
        for small in ("u8", "u16", "u32"):
            _modelled("i64", f"{small} i64", f"({{0}} {op} {{1}})")
    for op in ("//", "%"):
        _modelled("u64", "u64 u64", f"({{0}} {op} {{1}})")
        _modelled("i64", "i32 i32", f"({{0}} {op} {{1}})")
    _modelled("i64", "i64 i64", "({0} << ({1} & 63))")
    _modelled("i64", "i64 i64", "({0} >> ({1} & 63))")
    _modelled("i64", "i64 i64", "({0} ** ({1} & 7))")
    for text in ("(-{0})", "(~{0})", "abs({0})"):
        _modelled("i64", "i64", text)
    for name in ("min", "max"):
        row("i64", "i64 i64", f"{name}({{0}}, {{1}})")
        row("i64", "i64 i64 i64", f"{name}({{0}}, {{1}}, {{2}})")
        row("f64", "f64 f64", f"{name}({{0}}, {{1}})")
    _modelled("i64", "i64 i64", "divmod({0}, {1})[0]")
    for type in INTEGERS:
        if type != "i64":
            # of an np.int64: literals that do not fit are errors
            text = f"np.{NUMPY[type]}(np.int64({{0}}))"
            row(type, "i64", text, f"wrap('{type}', {{0}})")
            row("i64", type, "np.int64({0})", "wrap('i64', {0})")
    row("i64", "b", "int({0})")
    row("i64", "f64", "int(({0} if abs({0}) < 1e15 else 7.5))")
    row("i64", "f64", "math.floor(({0} if abs({0}) < 1e15 else -7.5))")
    row("i64", "f64", "round(({0} if abs({0}) < 1e15 else 2.5))")
    row("i64", "t2", "{0}[0]")
    row("i64", "t3", "{0}[1]")
    row("i64", "t3 i64", "{0}[{1} % 3]")
    row("f64", "t2", "{0}[1]")
    # Floats: what both compute exactly alike. Large integers are not compared with floats.
    for op in "+ - * / // %".split():
        row("f64", "f64 f64", f"({{0}} {op} {{1}})")
    for op in "+ - *".split():
        row("f64", "f64 i64", f"({{0}} {op} ({{1}} % 1000003))")
        row("f32", "f32 f32", f"({{0}} {op} {{1}})")
        row("c", "c c", f"({{0}} {op} {{1}})")
        row("c", "c f64", f"({{0}} {op} {{1}})") if op != "*" else None
    row("f64", "i64 i64", "(({0} % 1000003) / ({1} % 1009))")
    for text in ("(-{0})", "abs({0})", "math.sqrt(abs({0}))", "math.trunc(0.5) * {0}",
                 "math.copysign(1.5, {0})", "({0} * {0})"):  # fmt: skip
        row("f64", "f64", text)
    row("f64", "i64", "float({0})")
    row("f64", "f32", "np.float64({0})", "float({0})")
    row("f64", "c", "{0}.real")
    row("f64", "c", "{0}.imag")
    row("f32", "f64", "np.float32({0})")
    row("c", "f64 f64", "complex({0}, {1})")
    row("c", "c", "{0}.conjugate()")
    row("c", "c", "(-{0})")
    for op in "< <= > >= == !=".split():
        row("b", "i64 i64", f"({{0}} {op} {{1}})")
        row("b", "f64 f64", f"({{0}} {op} {{1}})")
        row("b", "u64 u64", f"({{0}} {op} {{1}})")
        row("b", "i8 i8", f"({{0}} {op} {{1}})")
        row("b", "f64 i64", f"({{0}} {op} ({{1}} % 1000003))")
    row("b", "c c", "({0} == {1})")
    row("b", "b b", "({0} and {1})")
    row("b", "b b", "({0} or {1})")
    row("b", "b", "(not {0})")
    row("b", "i64 i64 i64", "({0} < {1} <= {2})")
    row("b", "f64", "math.isnan({0})")
    row("b", "i64", "bool({0})")
    row("b", "i64 i64 i64", "({0} in ({1}, {2}, 5))")
    row("b", "t3 t3", "({0} < {1})")
    row("b", "Li i64", "({1} in {0})")
    row("t2", "i64 f64", "({0}, {1})")
    row("t3", "i64 i64 i64", "({0}, {1}, {2})")
    for type in ("i64", "f64", "b", "c", "t2", "t3", "Ai64", "Af64", "Bf64", "Li"):
        row(type, f"{type} b {type}", "({0} if {1} else {2})")


def _lists():
    row("i64", "Li", "len({0})")
    row("i64", "Li i64", "{0}[{1} % len({0})]")
    row("f64", "Lf i64", "{0}[{1} % len({0})]")
    row("i64", "Li", "{0}[-1]")
    row("Li", "i64 i64", "[{0}, {1}]")
    row("Lf", "f64", "[{0}]")
    row("Li", "Li", "{0}.copy()")
    row("Li", "Li", "{0}[1:]")
    row("Li", "Li", "{0}[::-1]")
    row("Li", "Li Li", "({0} + {1})[:20]")
    row("Li", "i64 i64", "[k_ * ({1} % 1000) for k_ in range({0} % 5)]")
    row("Li", "Li i64", "[v_ for v_ in {0} if v_ > {1}]")
    row("Lf", "Lf", "{0}[:9]")
    row("i64", "Li i64", "{0}.count({1})")


def _arrays():
    for e in ELEMENTS:
        one, two = "A" + e, "B" + e
        for takes, text in (
            (f"{one} i64", "{0}[{1} % len({0})]"),
            (f"{two} i64 i64", "{0}[{1} % {0}.shape[0], {2} % {0}.shape[1]]"),
        ):
            row(e, takes, text, elements.read(e, text))
        row(one, f"{two} i64", "{0}[{1} % {0}.shape[0]]")
        row(one, f"{two} i64", "{0}[:, {1} % {0}.shape[1]]")
        row(one, one, "{0}[::-1]")
        row(one, one, "{0}[1:]")
        row(one, one, "{0}[:-1].copy()")
        row(one, f"{one} i64 i64", "{0}[{1} % 5:{2} % 7]")
        row(one, f"{one} i64", "{0}[::{1} % 3 + 1]")
        row(one, two, "{0}.ravel()[:12]")
        row(two, two, "{0}.T")
        row(two, two, "{0}[1:, :-1]")
        row(two, two, "{0}[::-1].copy()")
        row(two, f"{one} {one}", "np.stack(({0}[:4], {1}[:4]))")
        row(one, f"{one} {one}", "np.concatenate(({0}, {1}))[:12]")
        row(one, f"{one} b", "np.where({1}, {0}, {0}[::-1])")
        row("Ab", f"{one} {one}", "({0} == {1})")
        row("i64", one, "len({0})")
        row("i64", two, "{0}.shape[1]")
        if e != "b":
            for op in "+ - *".split():
                row(one, f"{one} {one}", f"({{0}} {op} {{1}})")
                if (op, e) != ("*", "c"):
                    row(two, f"{two} {one}", f"({{0}} {op} {{1}})")
                    row(two, f"{two} {two}", f"({{0}} {op} {{1}})")
        if e not in ("c",):
            row("Ab", f"{one} {one}", "({0} < {1})")
    for e in ("i64", "f64"):
        one, two = "A" + e, "B" + e
        row(one, f"{one} {e}", "({0} + {1})")
        row(two, f"{two} {e}", "({1} * {0})")
        row(one, f"{one} Ab", "{0}[({0} > 1)]" if e == "i64" else "{0}[({0} < 2.5)]")
        row(one, f"Ab {one} {one}", "np.where({0}, {1}, {2})")
        row(one, one, "np.sort({0})")
        row(one, "i64 " + e, "np.full({0} % 6, {1})")
        # What holds of a length where it is tested does not hold elsewhere.
        zeros = f"np.zeros({{0}}, np.{NUMPY[e]})"
        masked = zeros.replace("{0}", "{0} & 3")
        row(one, "i64 " + e, f"(({zeros} if 0 <= {{0}} < 7 else {masked}) + {{1}})")
        row(one, one, "abs({0})")
        row(one, one, "np.minimum({0}, {0}[::-1])")
        for name in ("min", "max"):
            row(e, one, f"{{0}}.{name}()", elements.read(e, f"{{0}}.{name}()"))
            row(one, two, f"np.{name}({{0}}, axis=0)" if name == "max" else "{0}.min(axis=1)")
    row("i64", "Ai64", "{0}.sum()", "int({0}.sum())")
    row("i64", "Bi64", "np.sum({0})", "int(np.sum({0}))")
    row("i64", "Ai32", "{0}.sum()", "int({0}.sum())")
    row("Ai64", "Bi64", "{0}.sum(axis=1)")
    row("Ai64", "Ai64", "np.cumsum({0})")
    row("i64", "Ai64", "{0}.argmax()", "int({0}.argmax())")
    row("i64", "Ab", "{0}.sum()", "int({0}.sum())")
    row("b", "Ab", "{0}.any()", "bool({0}.any())")
    row("b", "Ab", "{0}.all()", "bool({0}.all())")
    row("Ai64", "i64 i64", "np.arange({0} % 4, {1} % 9)")
    row("Ai64", "Ai64 Ai64", "({0} & {1})")
    row("Ai64", "Ai64", "({0} % 7)")
    row("Af64", "Ai64", "({0} % 1000 * 0.5)")
    row("Af64", "Ai64", "({0} % 1000).astype(np.float64)")
    row("Af64", "Af64", "np.sqrt(abs({0}))")
    row("Af64", "Af64", "np.floor({0})")
    row("Ai32", "Ai64", "({0} % 100000).astype(np.int32)")
    row("Au8", "Ai64", "({0} % 256).astype(np.uint8)")
    row("Af32", "Af64", "{0}.astype(np.float32)")
    row("Bf64", "Af64", "{0}[:6].copy().reshape(-1, 1)")
    row("Bf64", "Bf64", "np.where({0} > 1.0, {0}, -{0})")
    row("Ab", "Ab Ab", "({0} & {1})")
    row("Ab", "Ab", "(~{0})")


_scalars()
_lists()
_arrays()
language.add_rows(row)
elements.add_rows(row, ELEMENTS)

# -- trees ----------------------------------------------------------------------------------------


@dataclass
class Expr:
    """A row with operands, or a leaf: a variable or a literal of a type."""

    type: str
    text: str = ""
    row: Row | None = None
    operands: list = field(default_factory=list)

    def show(self, model):
        if self.row is None:
            return self.text
        shown = [operand.show(model) for operand in self.operands]
        return (self.row.model if model else self.row.text).format(*shown)


@dataclass
class Stmt:
    """Lines with expressions in them, and blocks of statements: "if {0}:" with two blocks."""

    lines: list  # of (text, model), each in front of the block of its number
    exprs: list
    blocks: list = field(default_factory=list)

    def show(self, model):
        shown = [expr.show(model) for expr in self.exprs]
        out = []
        for i, pair in enumerate(self.lines):
            text = pair[1 if model else 0]
            out += [line for line in text.format(*shown).split("\n") if line]
            if i < len(self.blocks):
                body = [line for stmt in self.blocks[i] for line in stmt.show(model)]
                indent = " " * (len(out[-1]) - len(out[-1].lstrip()) + 4 * out[-1].endswith(":"))
                out += [indent + line for line in body or ["pass"]]
        return out


def stmt(text, exprs=(), blocks=(), model=None):
    """`text` with a @ in the place of each block."""
    parts = text.split("@")
    models = (model or text).split("@")
    return Stmt(list(zip(parts, models, strict=True)), list(exprs), list(blocks))


ARITHMETIC = {
    "i": "i64", "j": "i64", "k": "i64", "s": "i8", "h": "i16", "w": "i32", "ub": "u8", "uh": "u16",
    "uw": "u32", "u": "u64", "x": "f64", "y": "f64", "r": "f32", "z": "c", "p": "b", "q": "b",
    "pair": "t2", "three": "t3", "li": "Li", "lf": "Lf", "ai": "Ai64", "bi": "Ai64", "af": "Af64",
    "bf": "Af64", "aw": "Ai32", "au": "Au8", "ar": "Af32", "az": "Ac", "ab": "Ab", "mi": "Bi64",
    "mf": "Bf64", "mw": "Bi32", "mu": "Bu8", "mr": "Bf32", "mz": "Bc", "mb": "Bb",
}  # fmt: skip
PARAMETERS = ARITHMETIC | language.PARAMETERS
LITERALS = {
    "i64": ("0", "1", "-1", "2", "3", "7", "-5", "100", "255", "1000003", "9223372036854775807"),
    "f64": ("0.0", "-0.0", "0.5", "-1.25", "3.0", "1e10", "1e300", "math.inf", "math.nan"),
    "b": ("True", "False"),
    "c": ("0j", "(1+2j)", "(-0.5j)"),
    **language.LITERALS,
}
#: Types of variables that a helper may take and give.
CALLABLE = ("i64", "f64", "b", "t2", "Ai64", "Af64", "Li", "c", "Bf64", *language.CALLABLE)


@dataclass
class Function:
    name: str
    parameters: dict
    body: list
    result: Expr | None  # None: a generator of integers
    decorator: str = "@njit"

    def show(self, model):
        head = "" if model else self.decorator + "\n"
        lines = [line for each in self.body for line in each.show(model)]
        if self.result:
            lines.append(f"return {self.result.show(model)}")
        else:  # one that can never get to a yield has no type of items
            lines = ["yield 7", *lines]
        return f"{head}def {self.name}({', '.join(self.parameters)}):\n    " + "\n    ".join(lines)


class Generator:
    """Programs from a seed: some of numbers and arrays, most of the rest of the language."""

    def __init__(self, seed):
        self.chance = random.Random(seed)
        self.language = self.chance.random() < 0.6
        self.helpers, self.generators = [], []
        kind = 1.0 if self.language else self.chance.random()
        self.parallel = kind < 0.15
        self.groups = ["checked"] if 0.15 < kind < 0.3 else ["random"] if 0.3 < kind < 0.45 else []

    def program(self):
        chance = self.chance
        if self.language:
            names = chance.sample(sorted(language.PARAMETERS), chance.randint(2, 4))
            names += chance.sample(["i", "j", "x", "p", "li", "three", "k"], chance.randint(2, 3))
        else:
            names = chance.sample(sorted(ARITHMETIC), chance.randint(4, 9))
        for _ in range(chance.choice((0, 0, 1)) if self.language else chance.randint(0, 2)):
            self.helpers.append(self.function(f"helper{len(self.helpers)}", None))
        if self.language and chance.random() < 0.25:
            self.generators.append(self.function("items", None, generator=True))
        return [*self.helpers, *self.generators, self.function("main", dict.fromkeys(names))]

    def function(self, name, parameters, generator=False):
        chance = self.chance
        if parameters is None:
            known = ARITHMETIC | language.PARAMETERS if self.language else ARITHMETIC
            usable = [key for key, type in known.items() if type in CALLABLE]
            parameters = chance.sample(usable, chance.randint(1, 3 if self.language else 4))
        self.variables = {key: PARAMETERS[key] for key in sorted(parameters)}
        self.counters, self.words, self.loops, self.closures = [], [], 0, []
        self.leaves = []  # (type, text, model)
        self.yields, self.leave = generator, None
        parameters = dict(self.variables)
        parts = [Expr(type, key) for key, type in parameters.items()]
        if name == "main":
            text = ", ".join(f"{{{i}}}" for i in range(len(parts))) + ","
            made = Row("tuple", (), f"({text})", f"({text})")
            result = lambda depth: Expr("tuple", row=made, operands=list(parts))
        elif generator:
            result = None
        else:
            type = chance.choice(sorted({*self.variables.values()} & set(CALLABLE)))
            result = lambda depth: self.expr(type, depth)
        body = []
        if self.language:
            self.leave = lambda: stmt("return {0}", [result(1)]) if result else stmt("return")
            body = self.locals(parts if name == "main" else [])
        elif "random" in self.groups and name == "main":
            body.append(stmt(f"np.random.seed({chance.randrange(2**32)})"))
        if chance.random() < 0.2:
            key = chance.choice(sorted(elements.OPTIONAL))
            body.append(self.local(key, elements.OPTIONAL[key], parts if name == "main" else []))
        body += self.block(2 if name == "main" else 1)
        decorator = "@njit"
        if "checked" in self.groups:
            decorator = "@njit(boundscheck=True)"
        elif self.parallel and name == "main":
            decorator = "@njit(parallel=True)"
        return Function(name, parameters, body, result(2) if result else None, decorator)

    def local(self, key, type, results):
        made = stmt(f"{key} = {{0}}", [self.expr(type, 2)])
        self.variables[key] = type
        if type not in language.HIDDEN:
            results.append(Expr(type, key))
        return made

    def locals(self, results):
        """Variables, and inner functions with what they capture."""
        chance, body = self.chance, []
        for key in chance.sample(sorted(language.LOCALS), chance.randint(1, 2)):
            body.append(self.local(key, language.LOCALS[key], results))
        if chance.random() < 0.2:
            outside = self.variables
            captured = chance.choice(("i64", "str", "Ls", "Dsi"))
            body.append(stmt("captured = {0}", [self.expr(captured, 1)]))
            self.variables = {"captured": captured, "v_": "i64", "w_": "str"}
            type = chance.choice(("i64", "str"))
            text = "def inner(v_, w_='z'):\n    return {0}"
            body.append(stmt(text, [self.expr(type, 2)]))
            self.variables = outside
            self.closures = [Row(type, ("i64", "str"), *["inner({0}, {1})"] * 2),
                             Row(type, ("i64",), *["inner({0})"] * 2)]  # fmt: skip
        return body

    # -- expressions ------------------------------------------------------------------------------

    def expr(self, type, depth):
        chance = self.chance
        leaves = [Expr(type, key) for key, of in self.variables.items() if of == type]
        if type == "i64":
            leaves += [Expr(type, key) for key in self.counters]
        if type == "str":
            leaves += [Expr(type, key) for key in self.words]
        for of, text, model in self.leaves:
            if of == type:
                leaves.append(Expr(type, row=Row(type, (), text, model)))
        if type in LITERALS and (not leaves or chance.random() < 0.25):
            leaves = [Expr(type, text) for text in LITERALS[type]]
        if leaves and (depth <= 0 or chance.random() < 0.3):
            return chance.choice(leaves)
        callable_ = [f for f in self.helpers if f.result.type == type]
        inner = [each for each in self.closures if each.type == type]
        if inner and chance.random() < 0.3:
            made = chance.choice(inner)
        elif type == "Li" and self.generators and depth > 0 and chance.random() < 0.3:
            function = self.generators[0]
            texts = ", ".join(f"{{{i}}}" for i in range(len(function.parameters)))
            text = f"list({function.name}({texts}))[:20]"
            made = Row(type, tuple(function.parameters.values()), text, text)
        elif callable_ and depth > 0 and chance.random() < 0.15:
            function = chance.choice(callable_)
            texts = ", ".join(f"{{{i}}}" for i in range(len(function.parameters)))
            made = Row(
                type, tuple(function.parameters.values()), *[f"{function.name}({texts})"] * 2
            )
        else:
            rows = ROWS[type] + [r for name in self.groups for r in GROUPS[name].get(type, [])]
            if depth <= 0:  # towards leaves
                fewest = min(self.cost(r) for r in rows)
                rows = [r for r in rows if self.cost(r) == fewest]
            made = chance.choice(rows)
        operands = [self.expr(each, depth - 1) for each in made.takes]
        return Expr(type, row=made, operands=operands)

    def cost(self, row):
        """How far from leaves the operands of a row are."""
        known = {*self.variables.values(), *LITERALS}
        return sum(0 if each in known else DISTANCE[each] for each in row.takes)

    # -- statements -------------------------------------------------------------------------------

    def block(self, depth):
        return [self.statement(depth) for _ in range(self.chance.randint(1, 3))]

    def of_type(self, test):
        found = [key for key, type in self.variables.items() if test(type)]
        return self.chance.choice(found) if found else None

    def statement(self, depth):
        chance, expr = self.chance, self.expr
        if self.yields and chance.random() < 0.3:
            return stmt("yield {0}", [expr("i64", 2)])
        if self.language and chance.random() < 0.75:
            if made := language.statement(self, depth, stmt):
                return made
        if chance.random() < (0.1 if self.language else 0.35):
            if made := elements.statement(self, depth, stmt):
                return made
        kind = chance.randrange(16)
        if kind == 0 and (key := self.of_type(lambda t: t in ("i64", "f64", "c"))):
            type = self.variables[key]
            op = chance.choice("+-*")
            value = f"{key} {op} ({{0}})"
            model = f"{key} = wrap('i64', {value})" if type == "i64" else f"{key} = {value}"
            return stmt(f"{key} {op}= {{0}}", [expr(type, 2)], model=model)
        if kind == 1 and (key := self.of_type(lambda t: t in ("Ai64", "Af64", "Ac"))):
            e = self.variables[key][1:]
            return stmt(f"{key}[{{0}} % len({key})] = {{1}}", [expr("i64", 1), expr(e, 2)])
        if kind == 2 and (key := self.of_type(lambda t: t in ("Bi64", "Bf64"))):
            return stmt(f"{key}[{{0}} % {key}.shape[0]] = {{1}}",
                        [expr("i64", 1), expr(self.variables[key][1:], 2)])  # fmt: skip
        if kind == 3 and (key := self.of_type(lambda t: t in ("Ai64", "Af64"))):
            text = chance.choice([f"{key}[:] = {{0}}", f"{key}[1:] = {{0}}", f"{key} += {{0}}"])
            return stmt(text, [expr(self.variables[key], 2)])
        if kind == 4 and (key := self.of_type(lambda t: t in ("Li", "Lf"))):
            e = {"Li": "i64", "Lf": "f64"}[self.variables[key]]
            text = chance.choice(
                [f"{key}.append({{0}})", f"{key}[0] = {{0}}", f"{key}.insert(1, {{0}})"]
            )
            return stmt(text, [expr(e, 2)])
        if kind == 5 and (key := self.of_type(lambda t: t in ("Li", "Lf"))):
            texts = [f"{key}.pop()", f"{key}.reverse()", f"{key} = {key}[:8]", f"del {key}[0]"]
            if self.variables[key] == "Li":  # NaN is last here
                texts.append(f"{key}.sort()")
            return stmt(chance.choice(texts))
        if kind == 6 and "three" in self.variables:
            names = [key for key, type in self.variables.items() if type == "i64"]
            if len(names) >= 3:
                return stmt(f"{', '.join(names[:3])} = {{0}}", [expr("t3", 2)])
        if kind == 7 and self.loops and chance.random() < 0.6:
            return stmt("if {0}:@", [expr("b", 2)], [[stmt(chance.choice(["break", "continue"]))]])
        if kind == 8 and chance.random() < 0.3:
            error = chance.choice(["ValueError('some text')", "IndexError", "KeyError(3)"])
            return stmt("if {0}:@", [expr("b", 2)], [[stmt(f"raise {error}")]])
        if depth > 0 and kind in (9, 10, 11):
            blocks = [self.block(depth - 1)]
            if chance.random() < 0.5:
                return stmt("if {0}:@else:@", [expr("b", 2)], [*blocks, self.block(depth - 1)])
            return stmt("if {0}:@", [expr("b", 2)], blocks)
        if depth > 0 and kind in (12, 13):
            return self.loop(depth)
        key = chance.choice(sorted(self.variables))
        return stmt(f"{key} = {{0}}", [expr(self.variables[key], 2)])

    def loop(self, depth):
        chance = self.chance
        counter = f"n{len(self.counters)}"
        kind = chance.randrange(4)
        exprs = []
        if kind == 0:
            head = f"for {counter} in range({chance.choice(['5', '2, 9, 3', '4, -1, -2', '0'])}):"
        elif kind == 1:
            head, exprs = f"for {counter} in range({{0}} % 6):", [self.expr("i64", 1)]
        elif kind == 2 and (key := self.of_type(lambda t: t == "Li")):
            head = f"for {counter} in {key}[:5]:"
        else:
            head = f"{counter} = 0\nwhile {counter} < 4 and {{0}}:\n    {counter} += 1"
            exprs = [self.expr("b", 1)]
        self.counters.append(counter)
        self.loops += 1
        body = self.block(depth - 1)
        self.loops -= 1
        self.counters.pop()
        # The counter has a value in the loop only.
        return stmt(head + "@", exprs, [body])


def _distances():
    """How many rows away from parameterless leaves a type is."""
    far = dict.fromkeys(ROWS, 99) | dict.fromkeys(LITERALS, 0)
    for _ in range(10):
        for type, rows in ROWS.items():
            least = min(1 + sum(far[each] for each in row.takes) for row in rows)
            far[type] = min(far[type], least)
    return far


row("Ai64", "i64", "np.arange({0} % 7)")
row("Af64", "f64", "np.full(5, {0})")
row("Bi64", "i64", "np.full((2, 3), {0})")
row("Bf64", "f64", "np.full((3, 2), {0})")
row("Ac", "c", "np.full(4, {0})")
row("Bc", "c", "np.full((2, 2), {0})")
row("Ab", "b", "np.full(4, {0})")
row("Bb", "b", "np.full((2, 3), {0})")
row(
    "Bi32",
    "i64",
    "np.full((2, 3), np.int32(np.int64({0})))",
    "np.full((2, 3), np.int32(wrap('i32', {0})))",
)
row(
    "Bu8",
    "i64",
    "np.full((2, 3), np.uint8(np.int64({0})))",
    "np.full((2, 3), np.uint8(wrap('u8', {0})))",
)
row("Bf32", "f64", "np.full((3, 2), np.float32({0}))")
DISTANCE = _distances()
