"""Rows and statements of indices: bounds and steps from plain variables, loops over elements (also
of two names for the same memory), parallel loops, random numbers, what may be None.

Groups of rows are for programs of one kind: "checked" for those compiled with `boundscheck`,
"random" for those that seed the generators first.
"""

READS = {"f64": "float({})", "f32": "{}", "c": "complex({})", "b": "bool({})"}

#: Variables that may be None: `Oi` an integer, `Os` a text, `OA` an array of integers.
OPTIONAL = {"opt": "Oi", "opt2": "Os", "opt3": "OA"}
OF = {"Oi": "i64", "Os": "str", "OA": "Ai64"}
#: What gives the value itself of one that may be None.
VALUE = {"Oi": "({} + 0)", "Os": "({} + '')", "OA": "{}[:]"}


def read(e, text):
    """What a model says for an element of type `e`: one of Python's numbers."""
    return READS.get(e, "int({})").format(text)


def add_rows(row, elements):
    for e in elements:
        _slices(row, "A" + e)
        _planes(row, e)
    for type in ("Li", "Ls", "str", "by"):
        _slices(row, type)
    row("t3", "t3 t3", "({0}[:1] + {1}[1:])")
    row("t3", "t3 i64", "(*{0}[::-1][:2], {1})")
    row("Ai64", "i64 i64 i64", "np.arange({0} % 9, {1} % 30, {2} % 5 + 1)")
    row("Ai64", "i64 i64 i64", "np.arange({0} % 30, {1} % 9, -({2} % 5 + 1))")
    row("Li", "i64 i64 i64", "list(range({0} & 15, {1} & 15, {2} | 1))")
    wide = "list(range({{0}}, {{1}}, {}))".format
    row("Li", "i64 i64 i64", wide("({2} | 1) << 61"), wide("wrap('i64', ({2} | 1) << 61)"))
    row("i64", "i64 i64", "len(range({0} >> 2, {1} >> 2))")
    row("b", "i64 i64 i64 i64", "({0} in range({1}, {2}, {3} % 4 + 1))")
    _checked(row, elements)
    _random(row)
    for type, of in OF.items():
        row(type, f"{of} b", "({0} if {1} else None)")
        row(type, of, "{0}")
        texts = (VALUE[type].format(f"{name}({{0}}, {{1}})") for name in ("given", "given.py_func"))
        row(of, f"{type} {of}", *texts)
        row("b", type, "({0} is None)")
        row("b", type, "({0} is not None)")


def _slices(row, type):
    """Python takes any integers for bounds."""
    row(type, f"{type} i64 i64", "{0}[{1}:{2}]")
    row(type, f"{type} i64", "{0}[{1}:]")
    row(type, f"{type} i64", "{0}[:{1}]")
    row(type, f"{type} i64 i64", "{0}[{1}:{2}:-1]")
    row(type, f"{type} i64 i64 i64", "{0}[{1}:{2}:{3} % 3 + 1]")
    row(type, f"{type} i64 i64", "{0}[{1}::{2} | 1]")
    row(type, f"{type} i64", "{0}[:{1}:-2]")


def _planes(row, e):
    one, two = "A" + e, "B" + e
    row(two, f"{two} i64 i64", "{0}[{1}:, :{2}]")
    row(two, f"{two} i64", "{0}[::-1, ::{1} % 2 + 1]")
    row(two, f"{two} i64", "{0}[:, {1}:].copy()")
    row(one, two, "{0}.reshape(-1)[:12]")
    row(one, two, "{0}.T.flatten()[:12]")
    row(two, one, "{0}.copy().reshape(1, -1)")
    row(two, one, "{0}.reshape((2, -1))")
    row(two, two, "{0}.reshape(({0}.shape[1], {0}.shape[0]))")
    row(two, one, "{0}[:, None]")
    row(two, f"{one} i64", "np.concatenate(({0}[:{1}].copy(), {0}))[None, :9]")


def _checked(row, elements):
    for e in elements:
        one, two = "A" + e, "B" + e
        for text, takes in (
            ("{0}[{1}]", f"{one} i64"),
            ("{0}[-({1} % 9)]", f"{one} i64"),
            ("{0}[{1}, {2}]", f"{two} i64 i64"),
            ("{0}[{1} % 5, {2} % 5]", f"{two} i64 i64"),
        ):
            row(e, takes, text, read(e, text), group="checked")
        row(one, f"{two} i64", "{0}[{1}]", group="checked")
        row(one, f"{two} i64", "{0}[:, {1} % 5]", group="checked")


def _random(row):
    for text in ("np.random.random()", "np.random.normal()", "np.random.uniform({0} % 9, 10.0)"):
        row("f64", "i64", text, group="random")
    row("i64", "i64", "np.random.randint({0} % 9 + 1)", group="random")
    row("i64", "i64 i64", "np.random.randint(-({0} % 9), {1} % 99 + 1)", group="random")
    row("b", "f64", "(np.random.rand() < {0})", group="random")
    row("Af64", "i64", "np.random.rand({0} % 7)", group="random")
    row("Bf64", "i64", "np.random.random((2, {0} % 3 + 1))", group="random")
    row("Af64", "f64", "np.random.normal({0} % 3, 1.5, 4)", group="random")
    row("Ai64", "i64", "np.random.permutation({0} % 9)", group="random")
    row("Ai64", "Ai64", "np.random.permutation({0})", group="random")
    row("Ai64", "i64", "np.random.randint(0, {0} % 1000 + 1, 5)", group="random")


# -- statements -----------------------------------------------------------------------------------


def statement(g, depth, stmt):
    """A statement of these, or None where there is no variable for it."""
    kind = g.chance.randrange(6)
    if kind == 0 and depth > 0:
        return _counted(g, depth, stmt)
    if kind == 1:
        return _optional(g, depth, stmt)
    if kind == 2 and "random" in g.groups and (key := g.of_type(lambda t: t in ("Ai64", "Af64"))):
        return stmt(f"np.random.shuffle({key})")
    if kind == 3 and "checked" in g.groups and (key := g.of_type(lambda t: t in ("Ai64", "Af64"))):
        return stmt(f"{key}[{{0}}] = {{1}}", [g.expr("i64", 1), g.expr(g.variables[key][1:], 1)])
    if kind == 4 and (key := g.of_type(lambda t: t[0] == "A" and len(t) < 5)):
        text = g.chance.choice([f"{key}[{{0}}:{{1}}] = {{2}}", f"{key}[::{{0}} | 1] = {{2}}"])
        return stmt(text, [g.expr("i64", 0), g.expr("i64", 0), g.expr(g.variables[key][1:], 1)])
    if g.parallel and g.chance.random() < 0.5:
        return _parallel(g, stmt)
    return _plane(g, stmt) if g.chance.random() < 0.3 else _elements(g, stmt)


def _counted(g, depth, stmt):
    """A range from any numbers, left after some steps."""
    counter = f"n{len(g.counters)}"
    steps = g.chance.choice(["", ", {2} or 1", ", {2} % 5 + 1", ", -({2} % 3 + 1)"])
    lines = f"steps{counter} = 0\nfor {counter} in range({{0}}, {{1}}{steps}):"
    lines += f"\n    if steps{counter} > 4: break\n    steps{counter} += 1"
    exprs = [g.expr("i64", 1), g.expr("i64", 1), g.expr("i64", 0)]
    with _also(g, counters=[counter]):
        g.loops += 1
        body = g.block(depth - 1)
        g.loops -= 1
    return stmt(lines + "@", exprs, [body])


def _optional(g, depth, stmt):
    key = g.of_type(lambda t: t in OF)
    if not key:
        return None
    of = OF[g.variables[key]]
    kind = g.chance.randrange(4)
    if kind == 0:
        return stmt(f"{key} = None")
    if kind == 1 or depth <= 0:
        return stmt(f"{key} = {{0}}", [g.expr(of, 1)])
    type = g.variables.pop(key)  # not assigned to where it is not None
    with _also(g, leaves=[(of, VALUE[type].format(key), key)]):
        body = g.block(depth - 1)
    g.variables[key] = type
    if kind == 2:
        return stmt(f"if {key} is not None:@", [], [body])
    return stmt(f"if {key} is None:@else:@", [], [[stmt("pass")], body])


class _also:
    """Leaves and counters that a block has besides its function's."""

    def __init__(self, g, leaves=(), counters=()):
        self.g, self.leaves, self.counters = g, list(leaves), list(counters)

    def __enter__(self):
        self.g.leaves += self.leaves
        self.g.counters += self.counters

    def __exit__(self, *error):
        del self.g.leaves[len(self.g.leaves) - len(self.leaves) :]
        del self.g.counters[len(self.g.counters) - len(self.counters) :]


def _sampled(g, test, most):
    found = [key for key, type in g.variables.items() if test(type)]
    return g.chance.sample(found, min(len(found), g.chance.randint(1, most)))


def _leaf(e, text):
    return e, text, read(e, text)


def _store(g, stmt, target, e):
    value = [g.expr(e, 2)]
    if e != "b" and g.chance.random() < 0.3:
        return stmt(f"{target} {g.chance.choice('+-')}= {{0}}", value)
    made = stmt(f"{target} = {{0}}", value)
    return stmt("if {0}:@", [g.expr("b", 1)], [[made]]) if g.chance.random() < 0.25 else made


def _add_up(g, stmt, key):
    """An integer that is added to, and not read."""
    type = g.variables.pop(key)
    op = g.chance.choice("+-^|") if type == "i64" else "+"
    value = g.expr(type, 2)
    g.variables[key] = type
    model = f"{key} = wrap('i64', {key} {op} ({{0}}))" if type == "i64" else None
    return stmt(f"{key} {op}= {{0}}", [value], model=model)


def _elements(g, stmt):
    chance = g.chance
    arrays = _sampled(g, lambda t: t[0] == "A", 3)
    if not arrays:
        return None
    n = f"n{len(g.counters)}"
    lengths = ", ".join(f"len({key})" for key in arrays)
    count = f"min({lengths})" if len(arrays) > 1 else lengths
    head, before = chance.choice(
        [
            (f"range({count})", False),
            (f"range(1, {count})", True),
            (f"range({count} - 1, -1, -1)", False),
            (f"range(0, {count}, 2)", False),
        ]
    )
    leaves, places = [], []
    for key in arrays:
        e = g.variables[key][1:]
        texts = [f"{key}[{n}]", f"{key}[len({key}) - 1 - {n}]", f"{key}[-{n}]"]
        texts += [f"{key}[{n} - 1]"] * 2 * before
        leaves += [_leaf(e, text) for text in texts]
        places += [(text, e) for text in [texts[0], texts[0], texts[-1]]]
    with _also(g, leaves, [n]):
        body = []
        for _ in range(chance.randint(1, 3)):
            if (key := g.of_type(lambda t: t in ("i64", "f64"))) and chance.random() < 0.3:
                body.append(_add_up(g, stmt, key))
            elif places:
                body.append(_store(g, stmt, *chance.choice(places)))
    return stmt(f"for {n} in {head}:@", [], [body])


def _plane(g, stmt):
    arrays = _sampled(g, lambda t: t[0] == "B", 2)
    if not arrays:
        return None
    i, k = f"n{len(g.counters)}", f"n{len(g.counters) + 1}"
    first = arrays[0]
    leaves, places = [], []
    for key in arrays:
        e = g.variables[key][1:]
        wrapped = f"{key}[{i} % {key}.shape[0], {k} % {key}.shape[1]]"
        texts = [f"{first}[{i}, {k}]", f"{first}[-1 - {i}, -{k}]"] if key == first else [wrapped]
        # One without elements has none to read.
        leaves += [_leaf(e, text) for text in texts]
        places += [(texts[0], e)]
    ranges = [f"range({first}.shape[{axis}])" for axis in (0, 1)]
    head = f"for {i} in {ranges[0]}:\n    for {k} in {ranges[1]}:"
    if g.chance.random() < 0.3:  # columns first
        head = f"for {k} in {ranges[1]}:\n    for {i} in {ranges[0]}:"
    with _also(g, leaves, [i, k]):
        body = [_store(g, stmt, *g.chance.choice(places)) for _ in range(g.chance.randint(1, 2))]
    return stmt(f"{head}@", [], [body])


def _parallel(g, stmt):
    """Each iteration has an element of its own to store to, and sums to add to."""
    chance = g.chance
    arrays = _sampled(g, lambda t: t in ("Ai64", "Af64", "Ai32", "Au8", "Af32"), 1)
    if not arrays:
        return None
    key, n = arrays[0], f"n{len(g.counters)}"
    type, e, fresh = g.variables[key], g.variables[key][1:], f"fresh{len(g.counters)}"
    total = g.of_type(lambda t: t == "i64") if chance.random() < 0.5 else None
    helpers, g.helpers = g.helpers, []  # which may store to arrays that others read
    if total:
        del g.variables[total]
    with _also(g, [_leaf(e, f"{key}[{n}]"), _leaf(e, f"{fresh}[{n}]")], [n]):
        body = [_store(g, stmt, f"{fresh}[{n}]", e) for _ in range(chance.randint(1, 2))]
        if total:
            g.variables[total] = "i64"
            body.append(_add_up(g, stmt, total))
    g.helpers = helpers
    head = f"{fresh} = np.zeros_like({key})\nfor {n} in prange(len({key})):@{key} = {fresh}"
    return stmt(head, [], [body])
